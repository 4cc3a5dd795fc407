"""What is made ready for those who install us: the plates of all that comes along, and fonts.

Only the build of the wheel calls this: it needs the layout engine, and takes minutes.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from itertools import permutations
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from sheetgen.check.character.options import resolve_options
from sheetgen.diag.findings import errors
from sheetgen.load.cache import read_cache, store_in_cache
from sheetgen.load.designs.card_designs import load_card
from sheetgen.load.designs.designs import PAPERS, Design, engine_version, load_design
from sheetgen.load.designs.fonts import font_digest
from sheetgen.load.designs.templates import STANDARD, load_theme_tokens, theme_ids
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.modules import OPTION
from sheetgen.load.rulesets.rulesets import JOINT, Folders, load_ruleset
from sheetgen.load.shipped import open_store, pack_store
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.plan.cards.pages import build_card_context
from sheetgen.plan.imposition.imposition import CARDS
from sheetgen.plan.sheets.context import build_blank_context
from sheetgen.render.flow.engine import engine
from sheetgen.render.pdf.plate_files import split_pieces
from sheetgen.render.plates.plate_compiler import make_plate, open_plate, renamed
from sheetgen.render.plates.plate_store import faces_of, markup_of, packed_font, plate_keys


@dataclass(frozen=True, slots=True)
class WheelScope:
    """How much is made: all of it takes a quarter of an hour of two cores."""

    themes: tuple[str, ...]
    papers: tuple[str, ...] = PAPERS
    sizes: tuple[str, ...] = tuple(CARDS)


def scope(game: Game, word: str = "") -> WheelScope:
    """Return what a build makes for `game`: all, or with the word `quick` what a test needs.

    Few play by two overlays at once, and there are many ways to: those have the standard look.
    """
    if word == QUICK:
        return WheelScope((STANDARD,), PAPERS[:1], tuple(CARDS)[:1])
    if len(game.folders) > 1:
        return WheelScope((STANDARD,), PAPERS, tuple(CARDS)[:1])
    return WheelScope(theme_ids())


Wanted = tuple[Design, str, Ruleset, Mapping[str, Any]]
"""What `plate_of` asks for: a design, the name of a template of it, rules, a context."""


QUICK: Final = "quick"

Switches = Mapping[str, bool]
"""Which modules are on or off, by the name of their option; see `load_ruleset`."""


@dataclass(frozen=True, slots=True)
class Game:
    """What people play by: a ruleset, or overlays over one base.

    Attributes:
        folders: As a character's file names them.
        ways: With which switches; several where modules of two overlays exclude each other,
            so that one has to be off.
    """

    title: str
    folders: Folders
    ways: tuple[Switches, ...] = ({},)


def games() -> tuple[Game, ...]:
    """Return all that can be played with what comes along: overlays alone, and by twos.

    Of two overlays either may be named first, and prints say so.
    """
    alone: list[Game] = []
    over: dict[str, list[Path]] = {}
    for id_ in ruleset_ids():
        folder = rulesets_folder() / id_
        rules = load_ruleset(folder).value
        if rules is None:
            continue
        alone.append(Game(id_, (folder,)))
        origins = rules.composition.origins
        if len(origins) > 1:
            over.setdefault(origins[0].id, []).append(folder)
    pairs = [pair for folders in over.values() for pair in permutations(folders, 2)]
    return (*alone, *(Game(JOINT.join(f.name for f in pair), pair, _ways(pair)) for pair in pairs))


def _ways(folders: Folders) -> tuple[Switches, ...]:
    """Return the switches with which rulesets go together: none, or one module off."""
    loaded = load_ruleset(folders, complete=True)
    if loaded.value is None or not errors(loaded.findings):
        return ({},)
    tried: list[Switches] = [{f"{OPTION}{id_}": False} for id_ in loaded.value.composition.modules]
    return tuple(
        way
        for way in tried
        if not errors(load_ruleset(folders, complete=True, switches=way).findings)
    )


def wanted_of(game: Game, theme: str, all_of: WheelScope) -> Iterator[Wanted]:
    """Yield all plates of `game` in `theme`, as it is played by default, in all its ways."""
    for way in game.ways:
        rules = load_ruleset(game.folders, switches=way).value
        whole = load_ruleset(game.folders, complete=True, switches=way).value
        if rules is not None and whole is not None:
            yield from _plates(rules, whole, theme, all_of)


def _plates(rules: Ruleset, whole: Ruleset, theme: str, all_of: WheelScope) -> Iterator[Wanted]:
    yield from _sheets(rules, theme, all_of)
    for ruleset in (rules, whole):  # an author's file is read by the one, our stock by the other
        for name, kind in ruleset.kinds.items():
            if kind.card is not None:
                yield from _cards(str(kind.card), kind_rules(ruleset, str(name)), theme, all_of)
    for design in dict.fromkeys(str(made.card) for made in whole.card_sets.values()):
        yield from _cards(design, whole, theme, all_of)


def _sheets(rules: Ruleset, theme: str, all_of: WheelScope) -> Iterator[Wanted]:
    options, _ = resolve_options(Source("", "", None, ""), rules, {})
    for paper in all_of.papers:
        design = load_design(str(rules.sheet or "plain"), theme, paper).value
        if design is not None:
            context = build_blank_context(rules, design.facts, (theme, paper), options)
            for template in (design.template, str(design.facts["continuation"])):
                yield design, template, rules, context


def _cards(card: str, rules: Ruleset, theme: str, all_of: WheelScope) -> Iterator[Wanted]:
    for size in all_of.sizes:
        design = load_card(card, theme, size, CARDS[size]).value
        if design is not None:
            yield design, design.template, rules, build_card_context(rules, design)


Things = dict[str, list[bytes]]
"""What is shipped, in pieces, by the name that it is asked for by."""


def plates_of(
    game: Game, theme: str, all_of: WheelScope, before: Path | None = None
) -> tuple[str, Things]:
    """Return the title of `game`, and its plates in `theme` and the fonts of these.

    Args:
        before: A store that the same engine and fonts made; what it has is not made again.
    """
    store = open_store(before) if before is not None else None
    made: dict[str, bytes] = {}
    fonts: dict[str, bytes] = {}
    for design, template, rules, context in wanted_of(game, theme, all_of):
        ours, key = plate_keys(design, template, rules, context)
        name = f"{ours}.plate"
        html = markup_of(design, template, context)
        # Rules that print the same blank share one, which is found by its markup as well.
        alike = f"{design.markup_key(html)}.blank"
        plate = (
            (store.thing(name) if store else None) or made.get(alike) or read_cache(f"{key}.plate")
        )
        if plate is None or open_plate(plate) is None:
            plate = make_plate(html, design.tokens, faces_of(design), key)
            store_in_cache(f"{key}.plate", plate)  # for an interrupted build
        made[name] = renamed(plate, key)
        made.setdefault(alike, made[name])
        fonts |= dict(packed_font(file) for file in design.tokens.faces.values())
    cut = {name: split_pieces(plate) for name, plate in made.items()}
    return game.title, cut | {name: [font] for name, font in fonts.items()}


Tell = Callable[[int, int, str], None]
"""Is told how many parts of a shipment are done, of how many, and which was the last."""


def shipment(before: Path, word: str = "", tell: Tell | None = None) -> bytes:
    """Return everything in one piece, to be put where `load.shipped` looks.

    Args:
        before: Where an earlier one may stand, to take from.
        word: See `scope`.
        tell: Is called as soon as a part is done.

    Raises:
        NoEngine: The layout engine cannot be loaded.
        LayoutError: A template cannot be laid out.
    """
    engine()
    jobs = [*_jobs(word)]
    themes = tuple(dict.fromkeys(theme for _, theme, _ in jobs))
    earlier = before if _same_tools(before) else None
    things: Things = {}
    known: dict[bytes, bytes] = {}  # each piece once: all plates at a time are half a gigabyte
    counts: dict[str, int] = {}
    spawn = get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), spawn, initializer=_end_at_once) as pool:
        waiting = {pool.submit(plates_of, *job, earlier): job for job in jobs}
        try:
            for done, future in enumerate(as_completed(waiting), 1):
                title, made = future.result()
                if tell is not None:
                    _, theme, part = waiting[future]
                    tell(done, len(jobs), f"{title}, {theme}, {(*part.papers, *part.sizes)[0]}")
                counts[title] = counts.get(title, 0) + sum(n.endswith(".plate") for n in made)
                things |= {n: [known.setdefault(p, p) for p in cut] for n, cut in made.items()}
        except BaseException:  # interrupted, too
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    faces = {file for theme in themes for file in load_theme_tokens(theme).faces.values()}
    note = {
        "plates": counts,
        "themes": themes,
        "engine": engine_version(),
        "fonts": {file: font_digest(file) for file in sorted(faces)},
    }
    return pack_store(things, note)


def _jobs(word: str) -> Iterator[tuple[Game, str, WheelScope]]:
    """Yield what workers do at a time: a game in one theme, on one paper or of one card size."""
    for game in games():
        all_of = scope(game, word)
        parts = [
            *(replace(all_of, papers=(paper,), sizes=()) for paper in all_of.papers),
            *(replace(all_of, papers=(), sizes=(size,)) for size in all_of.sizes),
        ]
        yield from ((game, theme, part) for theme in all_of.themes for part in parts)


def _end_at_once() -> None:
    """Let an interrupt end this worker, instead of its job alone."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _same_tools(before: Path) -> bool:
    """Whether the store there was made by the engine and from the fonts that are here."""
    store = open_store(before)
    fonts = store.note.get("fonts", {}) if store else {}
    return (
        store is not None
        and store.note.get("engine") == engine_version()
        and all(font_digest(file) == digest for file, digest in fonts.items())
    )
