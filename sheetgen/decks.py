"""The way of cards: checked builds to faces, faces to pages, pages to files.

What pipeline.py is to sheets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.card_designs import load_card
from sheetgen.load.designs import Design
from sheetgen.model.build import Build
from sheetgen.model.cards import CardPlan, Face
from sheetgen.model.prints import Plate
from sheetgen.model.ruleset import Ruleset
from sheetgen.pipeline import Character, Printed, plate_of, web_fonts
from sheetgen.plan.card_pages import card_context, cards_context, tops_css
from sheetgen.plan.cards import card_kind, card_of, copies
from sheetgen.plan.decks import Layout, deck
from sheetgen.plan.view import view_of
from sheetgen.render.card_press import press_cards
from sheetgen.render.html import page


@dataclass(frozen=True, slots=True)
class CardRequest:
    """What cards are wanted, and how they come on paper."""

    layout: Layout
    size: str
    kinds: tuple[str, ...] = ("pdf",)
    theme: str = "standard"


@dataclass(frozen=True, slots=True)
class Deck:
    """Cards with a place each, and what else their prints need."""

    plan: CardPlan
    faces: tuple[Face, ...]
    design: Design
    rules: Ruleset
    findings: tuple[Finding, ...]


def print_cards(
    cards: Sequence[Character], request: CardRequest, printed: Mapping[str, str] | None = None
) -> Printed:
    """Return the cards of checked builds, all in one file of every kind; see `deck_of`."""
    made = deck_of(cards, request, printed or {})
    if made.value is None:
        return Printed({}, made.findings)
    files = {}
    if "pdf" in request.kinds:
        files["pdf"] = press_cards(made.value.plan)
    if "html" in request.kinds:
        files["html"] = card_page(made.value)
    return Printed(files, made.value.findings)


def deck_of(
    cards: Sequence[Character], request: CardRequest, printed: Mapping[str, str]
) -> Checked[Deck]:
    """Return the cards of checked builds on their pages.

    Args:
        cards: Without errors, each of a kind that has a card.
        request: What is wanted.
        printed: Where the source prints something else than the rules give: `Name, value`
            to what it prints. It is footnoted.
    """
    faces: list[Sequence[Face]] = []
    findings: list[Finding] = []
    designs: dict[str, tuple[Design, Plate]] = {}
    rules = cards[0].rules
    for one in cards:
        assert one.build is not None
        assert one.rules is not None
        rules, id_ = one.rules, str(one.rules.sheet or "plain")
        if id_ not in designs:
            found = load_card(id_, request.theme, request.size, request.layout.grid.card)
            if found.value is None:
                return Checked(None, found.findings)
            context = card_context(rules, found.value)
            plate = plate_of(found.value, found.value.template, rules, context)
            designs[id_] = found.value, plate
        design, plate = designs[id_]
        view, notes = view_of(one.build, rules), _notes(one.build, printed)
        for build, seen in copies(one.build, view):
            made, said = card_of(build, seen, card_kind(design), plate, _span(one), notes)
            faces.append(made)
            findings += said
    assert rules is not None
    plan = deck(faces, request.layout, rules)
    every = tuple(face for card in faces for face in card)
    return Checked(Deck(plan, every, designs[str(rules.sheet)][0], rules, tuple(findings)))


def card_page(made: Deck) -> bytes:
    """Return a page of cards of one design, for a browser."""
    design = made.design
    told = cards_context(card_context(made.rules, design), made.faces, card_kind(design))
    name = design.styles[-1]
    texts = {**design.texts, name: design.texts[name] + tops_css(told["tops"])}
    fonts = web_fonts(design)
    return page(texts, design.template, design.styles, design.tokens, fonts, told)


def _notes(build: Build, printed: Mapping[str, str]) -> dict[str, str]:
    """Return a footnote for each value of a build that its source prints otherwise."""
    found = {}
    for id_, derived in build.derived.items():
        said = printed.get(f"{build.name}, {id_}") or build.printed.get(id_)
        if said is not None and str(said) != str(derived.value):
            how = derived.how or derived.label
            found[id_] = f"The source prints {said}; {how} is {derived.value}."
    return found


def _span(one: Character) -> Span:
    root = one.source.root if one.source else None
    return root.span if root is not None else Span(str(one.path))
