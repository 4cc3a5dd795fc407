"""Cards of a deck share strips: each card is as if it were printed alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sheetgen.model.requests import CardRequest
from sheetgen.plan.cards.kinds import CardContext
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.prints.cards import ChosenCard, Deck, build_deck, select_cards

pytestmark = pytest.mark.slow

DECKS = [
    ("hyperspace-d6", "npc", "poker"),
    ("hyperspace-d6", "npc", "half-letter"),
    ("hyperspace-d6", "vehicle", "tarot"),
    ("narrative-powers", "power", "poker"),
    ("keyword-dots", "power", "poker"),
]


def _deck(cards: list[ChosenCard], request: CardRequest) -> Deck:
    layout = DeckLayout(impose(CARDS[request.size], "a4"))
    made = build_deck(cards, layout, request).value
    assert made is not None
    return made


def _changed(card: ChosenCard) -> Iterator[ChosenCard]:
    """Yield cards that each differ from one in a single value, or have no picture."""
    about = card.about
    for name, text in about.texts.items():
        texts = (f"{text} more", "")
        some = (CardContext({**about.texts, name: other}) for other in texts if other != text)
        yield from (replace(card, about=replace(about, texts=one)) for one in some)
    for name, number in about.numbers.items():
        numbers = {**about.numbers, name: 0 if number else 1}
        yield replace(card, about=replace(about, numbers=numbers))
    for name, boxes in about.tracks.items():
        yield replace(card, about=replace(about, tracks={**about.tracks, name: boxes + 1}))
    for name, dice in about.dice.items():
        yield replace(card, about=replace(about, dice={**about.dice, name: dice[1:]}))
    yield replace(card, about=replace(about, picture=None))


@pytest.mark.parametrize(("ruleset", "kind", "size"), DECKS)
def test_a_card_is_the_same_alone_and_in_a_deck(
    ruleset: str, kind: str, size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the step, which a deck shares."""
    monkeypatch.setattr("sheetgen.plan.cards.cards.settle_step", lambda _, kind: kind)
    request = CardRequest(of_kind=kind, size=size)
    cards = [*select_cards(ruleset, request).cards[:12]]
    assert len(cards) > 5
    cards += _changed(cards[0])
    together = _deck([*cards, *cards], request)
    faces = [face for card in cards for face in _deck([card], request).faces]
    assert len(together.faces) == 2 * len(faces)
    unlike = [f.name for f, other in zip(together.faces, faces * 2, strict=True) if f != other]
    assert not unlike
