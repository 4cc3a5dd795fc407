"""The way of cards: checked builds to faces, faces to pages, pages to files.

What pipeline.py is to sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.card_designs import load_card
from sheetgen.load.designs import Design
from sheetgen.model.build import Value
from sheetgen.model.cards import CardPlan, Face
from sheetgen.model.prints import Plate
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.pipeline import Character, Printed, plate_of, web_fonts
from sheetgen.plan.card_pages import card_context, cards_context, tops_css
from sheetgen.plan.card_parts import Subject
from sheetgen.plan.cards import card_kind, card_of, copies
from sheetgen.plan.decks import Layout, calibration, deck
from sheetgen.plan.footnotes import footnotes
from sheetgen.plan.view import view_of
from sheetgen.render.card_press import press_cards
from sheetgen.render.html import page
from sheetgen.rules.lines import filled
from sheetgen.rules.tables import Rules
from sheetgen.rules.things import About, tags_of, things


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """One card that is wanted: of what, in which design, by whose rules."""

    about: Subject
    card: str
    rules: Ruleset
    span: Span
    notes: Mapping[str, str] = field(default_factory=dict)


def cards_of(one: Character, printed: Mapping[str, str] | None = None) -> Iterator[Wanted]:
    """Yield the cards of a checked build, one a copy.

    Args:
        one: Without errors, of a kind that has a card.
        printed: Where the source prints something else than the rules give: `Name, value`
            to what it prints. It is footnoted.
    """
    assert one.build is not None
    assert one.rules is not None
    notes = footnotes(one.build, printed or {})
    for about in copies(one.build, view_of(one.build, one.rules)):
        yield Wanted(about, str(one.rules.sheet or "plain"), one.rules, _span(one), notes)


def things_of(rules: Ruleset, name: str, options: Mapping[str, Value]) -> Iterator[Wanted]:
    """Yield a card for each thing of one of the ruleset's card sets.

    Raises:
        FormulaError: A text cannot be worked out.
    """
    made, scope = rules.card_sets[name], Rules(rules, options)
    for of in made.of:
        for id_, thing in things(rules, str(of)).items():
            if any(tag in made.without for tag in tags_of(thing)):
                continue
            about = About(rules, scope, thing)
            told = {place: filled(text, about) for place, text in made.texts.items()}
            span = id_.span if isinstance(id_, Text) else rules.place
            yield Wanted(Subject(told["name"], told), str(made.card), rules, span)


def print_cards(cards: Sequence[Wanted], request: CardRequest) -> Printed:
    """Return cards, all in one file of every kind that is wanted; see `deck_of`."""
    made = deck_of(cards, request)
    if made.value is None:
        return Printed({}, made.findings)
    files = {}
    if "pdf" in request.kinds:
        files["pdf"] = press_cards(made.value.plan)
    if "html" in request.kinds:
        files["html"] = card_page(made.value)
    return Printed(files, made.value.findings)


def deck_of(cards: Sequence[Wanted], request: CardRequest) -> Checked[Deck]:
    """Return cards on their pages; those of several designs may be mixed."""
    faces: list[Sequence[Face]] = []
    findings: list[Finding] = []
    designs: dict[str, tuple[Design, Plate]] = {}
    for one in cards:
        key = f"{one.rules.digest} {one.card}"
        if key not in designs:
            found = load_card(one.card, request.theme, request.size, request.layout.grid.card)
            if found.value is None:
                return Checked(None, found.findings)
            context = card_context(one.rules, found.value)
            plate = plate_of(found.value, found.value.template, one.rules, context)
            designs[key] = found.value, plate
        design, plate = designs[key]
        made, said = card_of(one.about, card_kind(design), plate, one.span, one.notes)
        faces.append(made)
        findings += said
    rules = cards[-1].rules
    plan = deck(faces, request.layout, rules)
    every = tuple(face for card in faces for face in card)
    design, _ = designs[f"{rules.digest} {cards[-1].card}"]
    return Checked(Deck(plan, every, design, rules, tuple(findings)))


def print_calibration(cards: Sequence[Wanted], request: CardRequest) -> Printed:
    """Return a calibration sheet for the paper and the turn of `request`, as PDF."""
    made = deck_of(cards[:1], request)
    if made.value is None:
        return Printed({}, made.findings)
    plate = made.value.faces[0].strips[0].plate
    return Printed({"pdf": press_cards(calibration(request.layout, made.value.rules, plate))})


def card_page(made: Deck) -> bytes:
    """Return a page of cards of one design, for a browser."""
    design = made.design
    told = cards_context(card_context(made.rules, design), made.faces, card_kind(design))
    name = design.styles[-1]
    texts = {**design.texts, name: design.texts[name] + tops_css(told["tops"])}
    fonts = web_fonts(design)
    return page(texts, design.template, design.styles, design.tokens, fonts, told)


def _span(one: Character) -> Span:
    root = one.source.root if one.source else None
    return root.span if root is not None else Span(str(one.path))
