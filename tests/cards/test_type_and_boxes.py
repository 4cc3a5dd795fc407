"""Sizes of type on cards, one size of text a deck, and boxes that a pencil can mark."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
import yaml
from fontTools.ttLib import TTFont

from sheetgen.diag import codes
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.model.requests import CardRequest
from sheetgen.plan.imposition import plan_layout
from sheetgen.prints.cards import (
    ChosenCard,
    Deck,
    build_deck,
    character_cards,
    deck_of_character,
    number_cards,
    select_cards,
)
from sheetgen.prints.characters import load_characters
from sheetgen.render.press.press import press_cards
from sheetgen.units import MM
from tests.browser.overflowing import LONG, WITH_CHARACTERS, WORD, overflowing
from tests.cli.commands import CHARACTERS, run
from tests.ink.collisions import find_collisions
from tests.ink.prints import DECK_MARGIN
from tests.samples import by_turns
from tests.shelf import ruleset

DECKS = [
    ("hyperspace-d6", "npc"),
    ("hyperspace-d6", "vehicle"),
    ("hyperspace-d6", "gear"),
    ("hyperspace-d6", "odds"),
    ("keyword-dots", "npc"),
    ("keyword-dots", "power"),
    ("keyword-dots", "gear"),
    ("narrative-powers", "npc"),
    ("narrative-powers", "power"),
    ("narrative-powers", "gear"),
    ("narrative-powers", "odds"),
    ("d6-pips", "npc"),
    ("d6-pips", "gear"),
    ("wound-points", "npc"),
    ("second-edition-update", "npc"),
]
LOOKS = [("poker", "standard"), ("tarot", "standard"), ("a6", "standard")]
LOOKS += [("half-letter", "standard"), ("half-letter", "large-print")]

CREDIT = 5.2
"""Points of the credit, which alone may be smaller than all other text."""


def _deck(game: str, kind: str, size: str, theme: str) -> Deck:
    request = CardRequest(of=(game,), of_kind=kind, size=size, theme=theme, single=True)
    return _laid_out(select_cards(game, request).cards, request)


def _laid_out(cards: Iterable[ChosenCard], request: CardRequest) -> Deck:
    made = build_deck(number_cards([*cards]), plan_layout(request), request).value
    assert made is not None
    return made


def _spans(made: Deck) -> Iterator[tuple[float, str]]:
    for page in pymupdf.open(stream=press_cards(made.plan)):
        for block in page.get_text("dict")["blocks"]:
            for line in block.get("lines", ()):
                for span in (s for s in line["spans"] if s["text"].strip()):
                    larger = 1.25 if span["font"].startswith("Signs") else 1  # than its size says
                    yield span["size"] * larger, span["text"]


def _text_sizes(made: Deck) -> set[float]:
    """Return the sizes of the texts of rules: strips that are called like a size of text."""
    names = [*made.design.facts["heights"]]
    lines = {*made.design.facts["texts"]} - {"small", "about"}  # notes, and the line below a name
    found = set()
    for strip in (strip for face in made.faces for strip in face.strips):
        stem = names[strip.page].rpartition("-")[0]
        if stem in lines:
            texts = (s for name, s in strip.filling.texts.items() if name.endswith(".text"))
            found |= {setting.size for setting in texts}
    return found


@pytest.mark.many
@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize(("game", "kind"), DECKS)
def test_type_can_be_read_and_boxes_marked(game: str, kind: str, size: str, theme: str) -> None:
    _check_type_and_boxes(_deck(game, kind, size, theme), theme)


STRONG = {"narrative-powers": {"abilities": {"Brawn": 6, "Agility": 6}, "defenses": {"Reflex": 3}}}
"""Entries whose figures are as long as they get, by game."""


def _people(game: str, folder: Path) -> Iterator[ChosenCard]:
    """Yield cards of NPCs that the program made, with long names, texts and weapons."""
    path = folder / "people.yaml"
    assert run("new", "npc", game, "--count", "6", "--out", path).status == 0
    made = yaml.safe_load(path.read_text(encoding="utf-8"))
    carried = next(
        i for i, key in ruleset(game).kinds["npc"].character.items() if key.kind == "items"
    )
    names = (LONG, WORD, "Constabulary Superintendence", "Ox", f"{WORD} {WORD}", "Rat Swarm")
    for number, (name, entry) in enumerate(zip(names, made["entries"], strict=True)):
        entry |= {"name": name, "special": [f"Talk: {LONG} {WORD}"] * number, "notes": WORD}
        entry |= STRONG.get(game, {}) if number == 3 else {}
        long = [{LONG[:40]: {"note": WORD}}, {WORD: {"note": LONG}}]
        entry[str(carried)] = [*entry.get(str(carried), ()), *long[:number]]
    path.write_text(yaml.safe_dump(made, allow_unicode=True), encoding="utf-8")
    for one in load_characters([path]):
        yield from character_cards(one)


@pytest.mark.slow
@pytest.mark.many
@pytest.mark.parametrize(("game", "look"), by_turns(WITH_CHARACTERS, LOOKS))
def test_long_words_leave_cards_legible(game: str, look: tuple[str, str], tmp_path: Path) -> None:
    size, theme = look
    request = CardRequest(of=(game,), size=size, theme=theme, single=True)
    for cards in (deck_of_character(overflowing(game)), _people(game, tmp_path)):
        made = _laid_out(cards, request)
        _check_type_and_boxes(made, theme)
        found = find_collisions(press_cards(made.plan), DECK_MARGIN)
        assert [str(one) for one in found if one.kind != "text in the margin"] == []


def _check_type_and_boxes(made: Deck, theme: str) -> None:
    """Check that a deck has one size of text, none too small, and boxes of 5 mm."""
    spans = Counter((round(points, 2), text) for points, text in _spans(made))
    credit = "".join(made.rules.credit.short.split())
    least = 15 if theme == "large-print" else 7.5
    small = {text for points, text in spans if points < least - 0.01}
    assert all("".join(text.split()) in credit for text in small), small
    assert min(points for points, _ in spans) >= CREDIT - 0.01
    sizes = _text_sizes(made)
    assert len(sizes) <= 1
    assert all(points >= (15 if theme == "large-print" else 7.5) - 0.01 for points in sizes)
    for face in made.faces:
        for strip in face.strips:
            shapes = strip.plate.tokens.shapes
            for place in strip.plate.places:
                shape = strip.filling.marks.get(place.name, "")
                if place.page == strip.page and shape in ("card-box", "card-end"):
                    edge = 2 * shapes[shape].inset - shapes[shape].width
                    assert min(place.box.width, place.box.height) - edge >= 5 * MM - 0.02


@pytest.mark.many
@pytest.mark.parametrize(("game", "kind"), DECKS)
def test_each_card_has_its_picture_and_its_number(game: str, kind: str) -> None:
    made = _deck(game, kind, "poker", "standard")
    words = Counter(text.strip() for _, text in _spans(made))
    cards = {face.name for face in made.faces}
    numbers = {f"{n} of {len(cards)}" for n in range(1, len(cards) + 1)}
    assert numbers <= words.keys()
    for face in (face for face in made.faces if face.part == 1):
        marks = [mark for strip in face.strips for mark in strip.filling.marks.values()]
        pictures = [picture for strip in face.strips for picture in strip.filling.pictures]
        assert pictures or any(mark.startswith("emblem-") for mark in marks), face.name
        said = " ".join(strip.alt_text for strip in face.strips)
        assert pictures or "picture of" in said


def test_colours_tell_kinds_and_two_rows_have_one_length() -> None:
    gear = _deck("hyperspace-d6", "gear", "poker", "standard")
    bands = {mark for face in gear.faces for mark in face.strips[0].filling.marks.values()}
    assert {"tab-red", "tab-blue", "tab-violet", "tab-slate"} <= bands
    vehicles = _deck("hyperspace-d6", "vehicle", "poker", "standard").faces
    tank = next(face for face in vehicles if face.name == "Repulsortank")  # eight boxes
    rows = Counter(
        place.box.y
        for strip in tank.strips
        for place in strip.plate.places
        if ".box." in place.name and place.name in strip.filling.marks
    )
    assert [*rows.values()] == [4, 4]


TEXT_FACES = ("Regular", "Semibold", "Bold", "It")


@pytest.mark.parametrize("face", TEXT_FACES)
def test_boxes_in_texts_are_plain_squares(face: str) -> None:
    font = TTFont(io.BytesIO(font_bytes(f"SourceSansPro-{face}.ttf")))
    known, glyphs = font.getBestCmap(), font["glyf"]
    for letter, contours in (("☐", 2), ("☑", 3)):
        glyph = glyphs[known[ord(letter)]]
        points, ends, _ = glyph.getCoordinates(glyphs)
        assert len(ends) == contours
        outer, inner = points[: ends[0] + 1], points[ends[0] + 1 : ends[1] + 1]
        for square in (outer, inner):
            across, up = ({point[axis] for point in square} for axis in (0, 1))
            assert len(square) == 4
            assert len(across) == len(up) == 2
            assert max(across) - min(across) == max(up) - min(up)
        assert glyph.xMin == font["hmtx"][known[ord(letter)]][1]


def test_a_pencil_can_mark_single_states() -> None:
    hero = next(load_characters([CHARACTERS / "hyperspace-d6" / "brakka_sool.yaml"]))
    request = CardRequest(of=("hyperspace-d6",), single=True)
    made = _laid_out(character_cards(hero), request)
    inner = 563  # of 1000 units, inside the line
    sizes = {points for points, text in _spans(made) if set(text.strip()) & {"☐", "☑"}}
    assert sizes
    assert min(sizes) * inner / 1000 >= 5 * MM


SMALL_DECKS = [("keyword-dots", "npc"), ("keyword-dots", "power"), ("narrative-powers", "power")]
SMALL_DECKS += [("hyperspace-d6", "gear"), ("hyperspace-d6", "vehicle")]


@pytest.mark.many
@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize(("game", "kind"), SMALL_DECKS)
def test_no_card_continues_for_a_line(game: str, kind: str, size: str, theme: str) -> None:
    assert [face.name for face in _deck(game, kind, size, theme).faces if face.part > 1] == []


MOST_WHITE = 13.0
"""Modules of the highest white between two strips; less has no room for a drawing."""


@pytest.mark.many
@pytest.mark.parametrize(("size", "theme"), LOOKS)
@pytest.mark.parametrize(("game", "kind"), DECKS)
def test_no_card_has_a_white_half(game: str, kind: str, size: str, theme: str) -> None:
    made = _deck(game, kind, size, theme)
    heights = made.design.facts["heights"]
    names, module = [*heights], made.design.facts["modules"][size] * MM
    for face in made.faces:
        for strip, below in pairwise(face.strips):
            white = below.top - strip.top - heights[names[strip.page]]
            assert white <= MOST_WHITE * module, (face.name, names[strip.page])


VEHICLE = """
ruleset: hyperspace-d6
kind: vehicle
group: Starfighters
scale: starship
entries:
  - name: Long Bomber
    attributes: {MOB: 1D, SEN: 2D, FIR: 3D}
    defenses: {Evade: 9, Hull: 5, Shields: 4}
    crew: 2
    weapons:
      Linked Heavy Repeating Laser Cannons of the Outer Perimeter Patrol:
        {dice: 4D, note: "cuts shields, and this is a note that no line of a card has room for"}
      Proton Bombs: {dice: 7D, note: only against targets that stand still or are larger}
"""


@pytest.mark.parametrize("size", ["poker", "a6"])
def test_a_long_note_of_a_weapon_goes_on_below_it(size: str, tmp_path: Path) -> None:
    path = tmp_path / "ship.yaml"
    path.write_text(VEHICLE, encoding="utf-8")
    request = CardRequest(of=(str(path),), size=size, single=True)
    made = _laid_out(select_cards(str(path), request).cards, request)
    assert [one for one in made.findings if one.code is codes.OVERFLOW] == []
    said = " ".join(text.strip() for _, text in _spans(made))
    assert "no line of a card has room for" in said
    assert "stand still or are larger" in said


@pytest.mark.parametrize(("size", "points"), [("poker", 5.2), ("a6", 6.5), ("half-letter", 6.5)])
def test_the_credit_does_not_grow_with_the_card(size: str, points: float) -> None:
    made = _deck("hyperspace-d6", "npc", size, "standard")
    [credit] = {found for found, text in _spans(made) if "Matt Click" in text}
    assert credit == pytest.approx(points, abs=0.02)
    if size != "poker":
        lines = [text for _, text in _spans(made) if "commercial" in text]
        assert all("Matt Click" in line for line in lines)


def test_cards_of_strangers_kinds_have_a_picture(tmp_path: Path) -> None:
    threats = Path(__file__).parent.parent / "rulesets/games/lantern/threats/all.yaml"
    assert run("new", "ruleset", "My Game", "--like", "d20", "--out", tmp_path / "game").status == 0
    sources = [(str(threats), ""), *((str(tmp_path / "game"), k) for k in ("creature", "spells"))]
    for source, kind in sources:
        request = CardRequest(of=(source,), of_kind=kind, single=True)
        made = _laid_out(select_cards(source, request).cards, request)
        for face in made.faces:
            marks = [mark for strip in face.strips for mark in strip.filling.marks.values()]
            assert any(mark.startswith("emblem-") for mark in marks), face.name
