"""Decks for online tables: distinct cards with their numbers of copies, texts and pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.model.cards import CardFace, CardPage, CardPlan
from sheetgen.plan.cards.kinds import Subject
from sheetgen.prints.pictures.names import has_own_back, unique_name
from sheetgen.records import frozen
from sheetgen.render.press.card_press import press_cards
from sheetgen.rules.names import folded
from sheetgen.units import MM

_LABELLED: Final = re.compile(r"\bLabel ([^,]+), Value ")
_SECTION: Final = re.compile(r"^Section ([^,]+), ")
_FACTS: Final = ("kind", "group")
_MOST_FACT: Final = 80
"""Characters of a fact; longer texts are no properties that a deck is searched by."""


@dataclass(slots=True)
class DeckCard:
    """A card of a deck.

    Attributes:
        id: Unique in the deck, of `a-z`, `0-9`, `_` and `-`.
        text: What is on the card, line by line, without its name.
        facts: What a deck can be searched by: values by label.
        front, back: Pages of the deck's PDF.
        own_back: Whether the back shows more of the card.
        count: The number of copies.
    """

    id: str
    name: str
    text: str
    facts: Mapping[str, str]
    front: int
    back: int
    own_back: bool
    count: int = 1


@frozen
class OnlineDeck:
    """A deck, and a PDF of all its distinct fronts and backs, one a page, at trim size.

    Attributes:
        name: What the deck is called, and its files.
        code: The id of the ruleset, of `a-z`, `0-9`, `_` and `-`.
        inches: Width and height of a card.
    """

    name: str
    title: str
    code: str
    set_name: str
    credit: str
    inches: tuple[float, float]
    cards: tuple[DeckCard, ...]
    pdf: bytes


def build_online_deck(
    plan: CardPlan, subjects: Mapping[str, Subject], name: str, usual_kind: str
) -> OnlineDeck:
    """Return the deck of a plan of single cards, of which every second page is a back.

    Args:
        subjects: What cards are about, by name.
        usual_kind: The kind of cards that do not name theirs.
    """
    pages: list[CardPage] = []
    seen: dict[str, list[DeckCard]] = {}
    cards: list[DeckCard] = []
    ids: dict[str, None] = {}
    backs: list[int] = []

    def add(page: CardPage) -> int:
        pages.append(page)
        return len(pages) - 1

    for front, back in zip(plan.pages[::2], plan.pages[1::2], strict=True):
        face = front.placed[0].face
        same = seen.setdefault(face.name, [])
        for card in same:
            if pages[card.front].placed == front.placed and pages[card.back].placed == back.placed:
                card.count += 1
                break
        else:
            at = None if has_own_back(back) else _find_page(back, pages, backs)
            if at is None:
                at = add(back)
                backs += [] if has_own_back(back) else [at]
            id_ = unique_name(face.name, ids, ascii_only=True)
            ids[id_] = None
            faces = [placed.face for page in (front, back) for placed in page.placed]
            about = subjects.get(face.name)
            facts = dict(_list_facts(about, usual_kind)) if about is not None else {}
            text = "\n".join(_list_lines(faces))
            own = has_own_back(back)
            card = DeckCard(id_, face.name, text, facts, add(front), at, own)
            same.append(card)
            cards.append(card)
    code = re.sub("[^a-z0-9_-]+", "-", plan.meta["ruleset"].lower()).strip("-") or "cards"
    width, height = (round(side / MM / 25.4, 4) for side in plan.pages[0].size)
    return OnlineDeck(
        name=name,
        title=plan.title,
        code=code,
        set_name=plan.title.rpartition(" · ")[2],
        credit=plan.subject,
        inches=(width, height),
        cards=tuple(cards),
        pdf=press_cards(replace(plan, pages=tuple(pages), duplex="")),
    )


def _find_page(page: CardPage, pages: Sequence[CardPage], among: Sequence[int]) -> int | None:
    return next((at for at in among if pages[at].placed == page.placed), None)


def _list_facts(about: Subject, usual_kind: str) -> Iterator[tuple[str, str]]:
    """Yield the facts of a card by label: its kind, its group, and pairs of label and value."""
    texts = {"kind": usual_kind, **about.texts}
    for name in _FACTS:
        if text := texts.get(name, "").strip():
            yield name.title(), text
    for name, label in texts.items():
        value = texts.get(f"{name.removesuffix('.label')}.value", "")
        if name.endswith(".label") and value and len(value) <= _MOST_FACT:
            yield label, value


def _list_lines(faces: Sequence[CardFace]) -> Iterator[str]:
    """Yield the texts of a card, strip by strip."""
    for face in faces:
        for number, strip in enumerate(face.strips):
            if number == 0:
                values = (text.value for text in strip.filling.texts.values())
                about = [text for text in values if folded(text) != folded(face.name)]
                spoken = ", ".join(about) if face.part == 1 else ""
            else:
                spoken = _SECTION.sub(r"\1: ", _LABELLED.sub(r"\1: ", strip.alt_text))
            if spoken := " ".join(spoken.split()):
                yield spoken
