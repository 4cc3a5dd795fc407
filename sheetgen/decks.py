"""The way of cards: checked builds to faces, faces to pages, pages to files.

What pipeline.py is to sheets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.load.card_designs import load_card
from sheetgen.load.designs import Design
from sheetgen.model.build import Build
from sheetgen.model.cards import Face
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


def print_cards(
    cards: Sequence[Character], request: CardRequest, printed: Mapping[str, str] | None = None
) -> Printed:
    """Return the cards of checked builds, all in one file of every kind.

    Args:
        cards: Without errors, each of a kind that has a card.
        request: What is wanted.
        printed: Where the source prints something else than the rules give: `Name, value`
            to what it prints. It is footnoted.
    """
    faces: list[Sequence[Face]] = []
    findings: list[Finding] = []
    designs: dict[str, tuple[Design, Plate]] = {}
    for one in cards:
        assert one.build is not None
        assert one.rules is not None
        id_ = str(one.rules.sheet or "plain")
        if id_ not in designs:
            found = load_card(id_, request.theme, request.size, request.layout.grid.card)
            if found.value is None:
                return Printed({}, found.findings)
            context = card_context(one.rules, found.value)
            plate = plate_of(found.value, found.value.template, one.rules, context)
            designs[id_] = found.value, plate
        design, plate = designs[id_]
        view = view_of(one.build, one.rules)
        notes = _notes(one.build, printed or {})
        for copy in copies(one.build, view):
            made, said = card_of(copy[0], copy[1], card_kind(design), plate, _span(one), notes)
            faces.append(made)
            findings += said
    rules = cards[0].rules
    assert rules is not None
    plan = deck(faces, request.layout, rules)
    files = {"pdf": press_cards(plan)} if "pdf" in request.kinds else {}
    if "html" in request.kinds:
        design, _ = designs[str(rules.sheet)]
        files["html"] = _card_page(design, rules, [face for card in faces for face in card])
    return Printed(files, tuple(findings))


def _card_page(design: Design, rules: Ruleset, faces: Sequence[Face]) -> bytes:
    """Return a page of cards of one design."""
    told = cards_context(card_context(rules, design), faces, card_kind(design))
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
