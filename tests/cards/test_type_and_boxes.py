"""Sizes of type on cards, one size of text a deck, and boxes that a pencil can mark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pymupdf
import pytest
import yaml

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
from tests.cli.commands import run
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
