"""The print shop's cards: many different NPCs, nine to a page, against two engines."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs.designs import load_fonts
from sheetgen.load.yaml import tree
from sheetgen.model.prints import Strip
from sheetgen.model.requests import CardRequest
from sheetgen.plan.cards.kinds import build_card_kind
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.prints.cards import Deck, build_deck, character_cards
from sheetgen.prints.characters import Character, load_characters
from sheetgen.render.flow.layout import lay_out
from sheetgen.render.press.press import press_cards
from tests.bench import people
from tests.bench.cards import page_of
from tests.bench.measuring import ROOT, Row, clocked, median_of

SAMPLE = 54
TYPST = """
import sys, time, typst
from pathlib import Path
folder = Path(sys.argv[1])
compiler = typst.Compiler(
    folder / "card.typ", root=folder, font_paths=[folder / "fonts"], ignore_system_fonts=True)
for name in ("others", "cards"):
    start = time.process_time() if name == "cards" else 0
    content = compiler.compile(sys_inputs={"cards": f"/{name}.json"})
    print(time.process_time() - start, len(content))
    (folder / f"{name}.pdf").write_bytes(content)
"""


def cards(count: int, folder: Path) -> Iterator[Row]:
    """Yield rows of cards: from YAML, from builds and from plans, each against either engine."""
    people.npcs(count, folder / "cards", 1)
    people.npcs(count, folder / "others", 1 + count)
    press_cards(_deck(_read(folder / "others")).plan)
    taken: list[tuple[float, float, float]] = []
    for _ in range(5):
        read, ones = clocked(lambda: _read(folder / "cards"))
        planned, made = clocked(lambda o=ones: _deck(o))  # type: ignore[misc]
        pressed, content = clocked(lambda m=made: press_cards(m.plan))  # type: ignore[misc]
        taken.append((read + planned + pressed, planned + pressed, pressed))
    ways = ("YAML to PDF", "builds to PDF", "the press alone")
    ours = {
        way: median(took) / count for way, took in zip(ways, zip(*taken, strict=True), strict=True)
    }
    few = _deck(ones[:SAMPLE])
    lay_out(*page_of(_deck(ones[:9])), complaints=[])
    html, fonts = page_of(few)
    peer = median_of(lambda: lay_out(html, fonts, complaints=[]), 3) / len(few.faces)
    told = f"5 × {count}; WeasyPrint 3 × one PDF of {len(few.faces)}; medians"
    for way, took in ours.items():
        what = f"{count} cards, {way} : WeasyPrint"
        yield Row(what, took, peer, peer / took, "≥ 150", len(content), told)
    yield from _typst(ours, made, folder)


def _read(folder: Path) -> list[Character]:
    tree._parse.cache_clear()  # each run parses its files and the ruleset
    return list(load_characters([folder], rulesets=RulesetCache()))


def _deck(ones: Sequence[Character]) -> Deck:
    wanted = [card for one in ones for card in character_cards(one)]
    made = build_deck(wanted, DeckLayout(impose(CARDS["poker"], "a4")), CardRequest()).value
    assert made is not None
    return made


# -- Typst ---------------------------------------------------------------------------------------


def _typst(ours: Mapping[str, float], made: Deck, folder: Path) -> Iterator[Row]:
    """Yield the same against Typst, which is given the texts of the cards as JSON.

    It runs in a process of its own: cold is that whole process, other cards first; warm the
    second file of the same compiler.
    """
    if find_spec("typst") is None:
        yield Row("Typst: not installed (`pip install typst`)", goal="≥ 8")
        return
    for name, deck in (("cards", made), ("others", _deck(_read(folder / "others")))):
        (folder / f"{name}.json").write_text(json.dumps(_told(deck)), encoding="utf-8")
    (folder / "fonts").mkdir()
    for face, data in load_fonts(made.design).items():
        (folder / "fonts" / f"{face}.ttf").write_bytes(data)
    shutil.copy(ROOT / "tests" / "bench" / "card.typ", folder)
    count, runs = len(made.faces), []
    for _ in range(3):
        command = [sys.executable, "-c", TYPST, str(folder)]
        runs.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    cold, _, warm, size = (
        median(map(float, column)) for column in zip(*map(str.split, runs), strict=True)
    )
    told = f"3 × {count}, medians; cold with its start {cold / count * 1e3:.3f} ms"
    for way, took in ours.items():
        peer = warm / count
        what = f"{count} cards, {way} : Typst, warm"
        yield Row(what, took, peer, peer / took, "≥ 8", int(size), told)


def _told(made: Deck) -> dict[str, Any]:
    """Return the texts of a deck as the template for Typst takes them, without drawings."""
    strips = list(build_card_kind(made.design).heights)
    drawn = {n for n, name in enumerate(strips) if name.startswith("art")}
    return {
        "title": made.plan.title,
        "credit": made.rules.credit.short,
        "note": made.plan.pages[0].notes[0].text,
        "cards": [
            {"parts": [_part(s, strips[s.page]) for s in f.strips[:-1] if s.page not in drawn]}
            for f in made.faces
        ],
    }


def _part(strip: Strip, name: str) -> dict[str, Any]:
    """Return what a strip says: runs of role and words by place, without their breaks."""
    places = {place.name: place for place in strip.plate.places if place.page == strip.page}
    texts = {}
    for id_, setting in strip.filling.texts.items():
        pieces = strip.pieces.get(id_)
        runs = [[places[id_].role, " ".join(setting.lines)]]
        if pieces:
            breaks = zip(pieces, (pieces[0], *pieces), strict=False)
            runs = [[p.role, " " * (p.line > before.line) + p.text] for p, before in breaks]
        texts[id_.partition(".")[2]] = runs
    marks = [id_.partition(".")[2] for id_ in strip.filling.marks]
    return {"strip": name, "texts": texts, "marks": marks, "tab": "tab" in marks}
