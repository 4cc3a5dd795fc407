"""What the face of a game adds to cards, and what each size holds."""

from __future__ import annotations

from functools import cache

import pytest

from sheetgen.load.designs.card_designs import BACK
from sheetgen.model.requests import PrintRequest
from sheetgen.plan.imposition.decks import DeckLayout
from sheetgen.plan.imposition.imposition import CARDS, Duplex, impose
from sheetgen.prints.card_selection import select_cards
from sheetgen.prints.cards import Deck, build_deck
from sheetgen.render.press.card_press import press_cards
from tests.render.viewers import text_of


@cache
def _deck(ruleset: str, kind: str, size: str, duplex: Duplex | None = None) -> Deck:
    request = PrintRequest(of_kind=kind, size=size)
    layout = DeckLayout(impose(CARDS[size], "a4"), duplex)
    made = build_deck(select_cards(ruleset, request).cards[:6], layout, request).value
    assert made is not None
    return made


def test_each_card_without_a_second_face_has_the_back_of_its_game() -> None:
    made = _deck("hyperspace-d6", "npc", "poker", "long-edge")
    front, back = made.plan.pages
    assert [placed.face.name for placed in front.placed] == [face.name for face in made.faces]
    names = [*made.design.facts["heights"]]
    for placed in back.placed:
        (strip,) = placed.face.strips
        assert names[strip.page] == BACK
    assert len(back.placed) == len(front.placed)
    assert text_of(press_cards(made.plan)).count(made.rules.title) >= len(back.placed)


def test_a_half_letter_card_holds_two_powers() -> None:
    made = _deck("narrative-powers", "power", "half-letter")
    assert len(made.faces) == 3
    for face in made.faces:
        assert face.name.count(" · ") == 1
        assert face.size[1] == pytest.approx(CARDS["half-letter"][1])
        assert max(strip.top for strip in face.strips) < face.size[1]
    assert "Basic Melee" in made.faces[0].name
    assert "Basic Ranged" in made.faces[0].name


def test_a_half_letter_card_is_a_whole_stat_block() -> None:
    made = _deck("d6-pips", "npc", "half-letter")
    words = " ".join(strip.alt_text for strip in made.faces[0].strips)
    skills = made.rules.groups["skills"].traits.values()
    assert sum(skill.name in words for skill in skills) > 20
    poker = _deck("d6-pips", "npc", "poker")
    words = " ".join(strip.alt_text for strip in poker.faces[0].strips)
    assert sum(skill.name in words for skill in skills) < 10


@pytest.mark.parametrize("size", ["tarot", "a6"])
def test_the_motif_fills_the_foot_of_a_card_with_room(size: str) -> None:
    made = _deck("hyperspace-d6", "gear", size)
    art = [*made.design.facts["heights"]].index("art")
    assert any(strip.page == art for face in made.faces for strip in face.strips)


def test_gear_has_a_picture_of_its_kind() -> None:
    cards = select_cards("hyperspace-d6", PrintRequest(of_kind="gear")).cards
    pictures = {card.about.name: card.about.texts["emblem"] for card in cards}
    assert pictures["Blaster Pistol"] == "pistol"
    assert pictures["Blaster Rifle"] == "rifle"
    assert pictures["Medpac"] == "medic"
    assert pictures["Vibroblade"] == "blade"


def test_figures_of_neighbours_are_two_millimetres_apart() -> None:
    """A hull of −10 and shields of 8 once read −108."""
    made = _deck("hyperspace-d6", "vehicle", "poker")
    places = {
        place.name.partition(".")[2]: place.box
        for strip in made.faces[0].strips
        for place in strip.plate.places
        if place.name.startswith("figures.")
    }
    hull, shields = places["hull_shown.text"], places["shields_shown.text"]
    assert shields.x - (hull.x + hull.width) >= 5.6
