"""Pictures on cards: in the head, in the room that the text leaves, or on a card of their own."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from sheetgen.model.prints import Place
from sheetgen.model.requests import CardRequest
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.prints.cards import Deck, build_deck, character_cards, press_deck
from sheetgen.prints.characters import load_characters
from sheetgen.units import MM

GUARD = """ruleset: d6-pips
kind: npc
entries:
  - {name: Guard, attributes: {DEX: 2D, STR: 2D}}
"""
SHIP = """ruleset: hyperspace-d6
kind: vehicle
entries:
  - {name: Skiff, attributes: {MOB: 1D}, defenses: {Evade: 9, Hull: 4, Shields: 0}, crew: 1}
"""
LONG = "Each guard in sight acts once more, and nobody leaves before the bell has rung. "
FACE = "portrait: {file: face.png, alt: A guard}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Image.new("RGB", (40, 60), (200, 30, 30)).save(tmp_path / "face.png")
    return tmp_path


def deck(folder: Path, text: str, size: str = "poker") -> Deck:
    (folder / "some.yaml").write_text(text, encoding="utf-8")
    cards = [
        card
        for one in load_characters([folder / "some.yaml"])
        if one.rules is not None
        for card in character_cards(one)
    ]
    layout = DeckLayout(impose(CARDS[size], "a4"))
    planned = build_deck(cards, layout, CardRequest((), size=size))
    assert planned.value is not None, planned.findings
    return planned.value


def cells(planned: Deck, number: int = 0) -> list[Place]:
    """Return the places of the pictures of a face."""
    return [
        place
        for strip in planned.faces[number].strips
        for place in strip.plate.places
        if place.name in strip.filling.pictures
    ]


def with_face(text: str, key: str = FACE) -> str:
    return text.replace("attributes", f"{key}, attributes", 1)


@pytest.mark.parametrize("size", CARDS)
def test_the_portrait_of_an_npc_is_on_its_card_and_moves_nothing(folder: Path, size: str) -> None:
    plain, planned = deck(folder, GUARD, size), deck(folder, with_face(GUARD), size)
    (cell,) = cells(planned)
    assert len(planned.faces) == 1
    assert min(cell.box.width, cell.box.height) >= 20 * MM - 0.01
    tops = [[strip.top for strip in one.faces[0].strips[:4]] for one in (plain, planned)]
    assert tops[0] == tops[1]


def test_without_a_picture_a_card_is_as_it_was(folder: Path) -> None:
    planned = deck(folder, GUARD)
    names = {place.name for strip in planned.faces[0].strips for place in strip.plate.places}
    assert cells(planned) == []
    assert "headface.picture" in names
    assert any(strip.page == 0 for strip in planned.faces[0].strips), "the plain head"


def test_art_takes_the_room_that_the_text_leaves(folder: Path) -> None:
    art = "art: {file: face.png, alt: A skiff}"
    (large,) = cells(deck(folder, with_face(SHIP, art)))
    notes = f'notes: "{LONG[:30]}", defenses'
    (small,) = cells(deck(folder, with_face(SHIP, art).replace("defenses", notes)))
    assert large.box.height >= small.box.height >= 20 * MM - 0.01


def test_a_card_full_of_text_has_its_picture_in_the_head(folder: Path) -> None:
    crowded = GUARD.replace("attributes", f'notes: "{LONG * 3}", attributes')
    before = deck(folder, crowded)
    planned = deck(folder, with_face(crowded))
    assert len(before.faces) == 1
    assert len(planned.faces) == 1
    (cell,) = cells(planned)
    assert cell.page == planned.faces[0].strips[0].page
    assert cell.box.height >= 9 * MM
    assert planned.findings == ()


def test_a_picture_that_breaks_off_leaves_no_hole(folder: Path) -> None:
    data = (folder / "face.png").read_bytes()
    (folder / "face.png").write_bytes(data[: len(data) * 2 // 3])
    planned = deck(folder, with_face(GUARD))
    assert cells(planned) == []
    assert any(strip.page == 0 for strip in planned.faces[0].strips), "the plain head"


def test_the_press_draws_the_picture_in_its_cell(folder: Path) -> None:
    (folder / "some.yaml").write_text(with_face(GUARD), encoding="utf-8")
    (one,) = load_characters([folder / "some.yaml"])
    layout = DeckLayout(impose(CARDS["poker"], "a4"))
    request = CardRequest((), formats=("pdf", "html"))
    printed = press_deck(list(character_cards(one)), layout, request)
    (image,) = pymupdf.open(stream=printed.files["pdf"])[0].get_image_info()
    x0, y0, x1, y1 = image["bbox"]
    assert x1 - x0 >= 20 * MM - 0.1
    assert y1 - y0 >= 20 * MM - 0.1
    assert printed.files["html"].count(b'alt="A guard"') == 1
