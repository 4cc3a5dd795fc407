"""Prints for tests: each character in a look, with the plan that it was pressed from."""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pikepdf
from PIL import Image, ImageChops

from sheetgen.check.character.builds import check_character
from sheetgen.data import data_folder
from sheetgen.load.characters import RulesetCache
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.prints import FilledPage, Filling, Place, Plan
from sheetgen.model.source import Pairs
from sheetgen.plan.sheets.sheets import PlannedSheet, plan_sheet
from sheetgen.prints.characters import Character, load_character
from sheetgen.prints.kinds import PrintResult
from sheetgen.prints.sheet import SheetRequest, print_sheet
from sheetgen.render.press.prepared import RESET, SAYS, prepare_plate
from sheetgen.render.press.press import press
from tests.render.viewers import SCALE, VIEWERS
from tests.shelf import ruleset

CHARACTERS = tuple(sorted((data_folder() / "content" / "characters").glob("*/*.yaml")))
FIRST, LAST = "hyperspace-d6", "keyword-dots"
GAMES = tuple(
    sorted(
        (
            id_
            for id_ in ruleset_ids()
            if ruleset(id_).id == id_ and not ruleset(id_).composition.origins[1:]
        ),
        key=lambda id_: (id_ != FIRST, id_ == LAST, id_),
    )
)
"""Games that stand alone: an overlay prints the sheet of its base."""

PAPERS = ("a4", "letter")
THEMES = ("standard", "ink-saver", "large-print", "mono")
LOOKS = tuple((paper, theme) for paper in PAPERS for theme in THEMES)
USUAL = LOOKS[0]
FULLEST = {
    game: max((p for p in CHARACTERS if p.parent.name == game), key=lambda p: p.stat().st_size)
    for game in GAMES
}
"""One character of each game that is tried in every look: the one with most to say."""

FAINT = 48
"""Difference of brightness below which a pixel counts as unchanged, of 255."""


@dataclass(frozen=True)
class Sheet:
    """A finished print, and what it was made from."""

    plan: Plan
    planned: PlannedSheet
    printed: PrintResult

    @property
    def pdf(self) -> bytes:
        return self.printed.files["pdf"]


@cache
def shelf() -> RulesetCache:
    return RulesetCache()


def character_at(path: Path) -> Character:
    return load_character(path, shelf(), {})


def character_from(text: str, game: str) -> Character:
    """Return the character that `text` describes, checked; it need not be a file."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    read = parse_yaml(text, "made.yaml", digest)
    assert read.value is not None, read.findings
    assert isinstance(read.value.root, Pairs)
    rules = ruleset(game)
    checked = check_character(read.value, rules)
    findings = (*read.findings, *checked.findings)
    return Character(Path("made.yaml"), read.value, rules, checked.value, findings)


def printed(character: Character, look: tuple[str, str] = USUAL, **more: Any) -> Sheet:
    """Return the sheet of `character`; workers take turns at making a plate."""
    paper, theme = look
    seen: list[PlannedSheet] = []

    def watched(*args: Any) -> PlannedSheet:
        seen.append(plan_sheet(*args))
        return seen[-1]

    request = SheetRequest(**{"theme": theme, "paper": paper, **more})
    assert character.rules
    with (
        _turn(character.rules.id, paper, theme),
        patch("sheetgen.prints.sheet.plan_sheet", watched),
    ):
        files = print_sheet(character, request)
    return Sheet(seen[0].plan, seen[0], files)


@lru_cache(maxsize=64)
def sheet(path: Path, look: tuple[str, str] = USUAL) -> Sheet:
    """Return the sheet of one of our own characters as PDF and HTML."""
    return printed(character_at(path), look, formats=("pdf", "html"))


@contextmanager
def _turn(*names: str) -> Iterator[None]:
    folder = Path(os.environ["XDG_CACHE_HOME"])
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{'-'.join(names)}.turn").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def opened(data: bytes) -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(data))


def fields(pdf: pikepdf.Pdf) -> dict[str, pikepdf.Object]:
    """Return the fields of a file by their full names, in the order of its form."""

    def walk(field: Any, before: str) -> Iterator[tuple[str, Any]]:
        name = before + str(field.T)
        if "/Kids" not in field:
            yield name, field
        for kid in field.get("/Kids", []):
            yield from walk(kid, name + ".")

    form = pdf.Root.get("/AcroForm")
    tops = form.Fields if form is not None else ()
    return {name: field for top in tops for name, field in walk(top, "")}


def values(data: bytes) -> dict[str, str]:
    """Return what stands in the fields of a file: texts, and `/On` or `/Off`."""
    with opened(data) as pdf:
        return {name: str(field.get("/V", "")) for name, field in fields(pdf).items()}


def expected_values(plan: Plan) -> dict[str, str]:
    """Return what has to stand in the fields of `plan`."""
    found: dict[str, str] = {}
    for leaf in plan.leaves:
        for place in leaf.plate.places:
            if place.kind == "tick":
                found[place.name] = "/On" if place.name in leaf.filling.ticks else "/Off"
            elif place.kind in ("text", "lines") or (leaf.live and place.name in leaf.live.outputs):
                setting = leaf.filling.texts.get(place.name)
                found[place.name] = setting.value if setting else ""
        if leaf.live:
            hints = prepare_plate(leaf.plate, leaf.live).hints
            found |= {SAYS: "", RESET: "", **{slot.place.name: "" for slot in hints}}
    return found


def bare(plan: Plan) -> Plan:
    """Return `plan` with nothing in its places."""
    return replace(plan, leaves=tuple(replace(leaf, filling=Filling()) for leaf in plan.leaves))


def _anyone(plan: Plan) -> bytes:
    """Return the file of `plan` with nothing in its places, and nobody's name: all characters
    of a game have the same one in a look, and viewers draw it once."""
    return press(replace(bare(plan), title="nobody", meta={}))


def unseen(plan: Plan, data: bytes, viewers: tuple[str, ...] = tuple(VIEWERS)) -> list[str]:
    """Return which texts, ticks and marks of `plan` a viewer does not show in their places,
    and which pages it draws on where no place in use is."""
    empty = _anyone(plan)
    return [
        f"{viewer}, page {page + 1}: {fault}"
        for viewer in viewers
        for page, leaf, first in _pages(plan)
        for fault in _faults_of(leaf, page - first, _difference(viewer, empty, data, page))
    ]


def _pages(plan: Plan) -> Iterator[tuple[int, FilledPage, int]]:
    first = 0
    for leaf in plan.leaves:
        for page in range(first, first + len(leaf.plate.sizes)):
            yield page, leaf, first
        first += len(leaf.plate.sizes)


def _difference(viewer: str, empty: bytes, data: bytes, page: int) -> Image.Image:
    """Return where a page differs from that of the file `empty`, white on black."""
    before = _empty_page(viewer, empty, page)
    picture = ImageChops.difference(VIEWERS[viewer](data, page), before).convert("L")
    return picture.point(lambda value: 255 if value > FAINT else 0)


@lru_cache(maxsize=128)
def _empty_page(viewer: str, data: bytes, page: int) -> Image.Image:
    return VIEWERS[viewer](data, page)


def _faults_of(leaf: FilledPage, page: int, changed: Image.Image) -> Iterator[str]:
    filling, rest = leaf.filling, changed.copy()
    for place in (place for place in leaf.plate.places if place.page == page):
        setting = filling.texts.get(place.name)
        letters = len("".join("".join(setting.lines).split())) if setting else 0
        shapes = (place.name in filling.ticks) + bool(filling.marks.get(place.name))
        wanted = 3 * letters + 6 * shapes + 100 * (place.name in filling.pictures)
        if not wanted and place.name not in filling.frames:
            continue
        part = changed.crop(corners(place))
        if part.histogram()[255] < wanted:
            yield f"`{place.name}` has {part.histogram()[255]} pixels of {wanted}"
        rest.paste(0, corners(place, 1.5))
    if stray := rest.getbbox():
        yield f"something is drawn at {stray}, where no place is"


def corners(place: Place, margin: float = 0) -> tuple[int, int, int, int]:
    """Return the box of `place` in pixels of the viewers' pictures."""
    box = place.box
    left, top = box.x - margin, box.y - margin
    right, bottom = box.x + box.width + margin, box.y + box.height + margin
    return round(left * SCALE), round(top * SCALE), round(right * SCALE), round(bottom * SCALE)
