"""Cards of a deck share strips: each card is as if it were printed alone."""

from __future__ import annotations

import pytest

from sheetgen.model.requests import PrintRequest
from sheetgen.plan.imposition.decks import DeckLayout
from sheetgen.plan.imposition.imposition import CARDS, impose
from sheetgen.prints.card_requests import CardRequest
from sheetgen.prints.card_selection import select_cards
from sheetgen.prints.cards import Deck, build_deck

DECKS = [
    ("hyperspace-d6", "npc", "poker"),
    ("hyperspace-d6", "npc", "half-letter"),
    ("hyperspace-d6", "vehicle", "tarot"),
    ("narrative-powers", "power", "poker"),
    ("keyword-dots", "power", "poker"),
]


def _deck(cards: list[CardRequest], request: PrintRequest) -> Deck:
    layout = DeckLayout(impose(CARDS[request.size], "a4"))
    made = build_deck(cards, layout, request).value
    assert made is not None
    return made


@pytest.mark.parametrize(("ruleset", "kind", "size"), DECKS)
def test_a_card_is_the_same_alone_and_in_a_deck(ruleset: str, kind: str, size: str) -> None:
    request = PrintRequest(of_kind=kind, size=size)
    cards = select_cards(ruleset, request).cards[:24]
    assert len(cards) > 5
    together = _deck([*cards, *cards], request)
    faces = [face for card in cards for face in _deck([card], request).faces]
    assert together.faces == (*faces, *faces)
