"""The way of cards: checked builds to faces, faces to pages, pages to files.

What prints/sheet.py is to sheets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sheetgen.check.character.builds import check
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.designs.card_designs import load_card
from sheetgen.load.designs.designs import Design
from sheetgen.load.designs.templates import templates_folder
from sheetgen.load.rulesets.modules import OPTION
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.build import Build, Value
from sheetgen.model.cards import CardFace, CardPlan
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, Text
from sheetgen.plan.cards.cards import FOOTNOTES, list_copies, plan_card
from sheetgen.plan.cards.kinds import CardKind, Subject, build_card_kind
from sheetgen.plan.cards.pages import build_card_context, build_cards_context, narrow_css, tops_css
from sheetgen.plan.cards.thing_cards import build_thing_subject
from sheetgen.plan.imposition.decks import DeckLayout, plan_calibration, plan_deck
from sheetgen.plan.imposition.imposition import CARDS
from sheetgen.plan.pages.footnotes import find_footnotes
from sheetgen.plan.sheets.view import View, build_view
from sheetgen.prints.characters import Character
from sheetgen.prints.requests import PrintResult
from sheetgen.render.flow.engine import NoEngine
from sheetgen.render.html.html import page
from sheetgen.render.plates.plate_store import plate_of, web_fonts
from sheetgen.render.press.card_press import press_cards
from sheetgen.rules.names import folded
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, tags_of, things


@dataclass(frozen=True, slots=True)
class CardRequest:
    """What cards are wanted, and how they come on paper.

    Attributes:
        safe: No text stands nearer to the cut, in points; 0 leaves it to the design.
    """

    layout: DeckLayout
    size: str
    kinds: tuple[str, ...] = ("pdf",)
    theme: str = "standard"
    safe: float = 0.0


@dataclass(frozen=True, slots=True)
class Deck:
    """Cards with a place each, and what else their prints need."""

    plan: CardPlan
    faces: tuple[CardFace, ...]
    design: Design
    rules: Ruleset
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class WantedCard:
    """One card that is wanted: of what, in which design, by whose rules."""

    about: Subject
    card: str
    rules: Ruleset
    span: Span
    notes: Mapping[str, str] = field(default_factory=dict)


def cards_of(
    one: Character, printed: Mapping[str, Difference] | None = None
) -> Iterator[WantedCard]:
    """Yield the cards of a checked build, one a copy.

    Args:
        one: Without errors, of a kind that has a card.
        printed: Where the source prints something else than the rules give, by `Name,
            value`. It is footnoted.
    """
    assert one.build is not None
    assert one.rules is not None
    notes = find_footnotes(one.build, printed or {})
    for about in list_copies(one.build, build_view(one.build, one.rules), _without(one)):
        yield WantedCard(about, str(one.rules.sheet or "plain"), one.rules, _span(one), notes)


def _without(one: Character) -> View | None:
    """Return what a build would show without the keys that raise it as a whole, if it has any."""
    rules, source, build = one.rules, one.source, one.build
    if rules is None or build is None or source is None or not isinstance(source.root, Pairs):
        return None
    lifting = {folded(str(id_)) for id_, key in rules.character.items() if key.lifts is not None}
    entries = tuple(e for e in source.root.entries if folded(e[0].raw) not in lifting)
    if len(entries) == len(source.root.entries):
        return None
    chosen = {name: str(value) for name, value in build.options.items()}
    plain = check(replace(source, root=Pairs(source.root.span, entries)), rules, chosen).value
    return build_view(plain, rules) if plain is not None else None


def cards_of_choices(one: Character, name: str) -> Iterator[WantedCard]:
    """Yield the cards of the ruleset's set `name` of all that a checked character chose.

    Raises:
        FormulaError: A text cannot be worked out.
    """
    assert one.build is not None
    assert one.rules is not None
    folders = tuple(Path(origin.folder) for origin in one.rules.composition.origins)
    modules = one.rules.composition.modules
    switches = {f"{OPTION}{id_}": module.on for id_, module in modules.items()}
    rules = load_ruleset(folders, complete=True, switches=switches).value
    if rules is not None and name in rules.card_sets:
        yield from thing_card_requests(rules, name, one.build.options, one.build)


def thing_card_requests(
    rules: Ruleset,
    name: str,
    options: Mapping[str, Value],
    build: Build | None = None,
    notes: Mapping[str, str] | None = None,
) -> Iterator[WantedCard]:
    """Yield a card for each thing of one of the ruleset's card sets.

    Args:
        build: Only what it chose, with what it rolls for that.
        notes: What a proof says of things, by their names.

    Raises:
        FormulaError: A text cannot be worked out.
    """
    made, scope = rules.card_sets[name], RulesetScope(rules, options)
    for of in made.of:
        for id_, thing in things(rules, str(of)).items():
            if any(tag in made.without for tag in tags_of(thing)):
                continue
            if build is not None and (str(of), str(id_)) not in _chosen(build):
                continue
            about = build_thing_subject(made, ThingScope(rules, scope, thing), build)
            if note := (notes or {}).get(about.name):
                about = replace(about, texts={**about.texts, f"{FOOTNOTES}.1.text": f"{note}."})
            span = id_.span if isinstance(id_, Text) else rules.place
            yield WantedCard(about, str(made.card), rules, span)


def _chosen(build: Build) -> set[tuple[str, str]]:
    """Return what a build chose and owns: of which catalogue, and which."""
    picks = {(f"choices.{pick.catalogue}", pick.entry) for pick in build.picks}
    return picks | {("gear", item.item) for item in build.items}


def print_cards(cards: Sequence[WantedCard], request: CardRequest) -> PrintResult:
    """Return cards, all in one file of every kind that is wanted; see `deck_of`."""
    made = deck_of(cards, request)
    if made.value is None:
        return PrintResult({}, made.findings)
    files = {}
    if "pdf" in request.kinds:
        files["pdf"] = press_cards(made.value.plan)
    if "html" in request.kinds:
        files["html"] = card_page(made.value)
    return PrintResult(files, made.value.findings)


def deck_of(cards: Sequence[WantedCard], request: CardRequest) -> Checked[Deck]:
    """Return cards on their pages; those of several designs may be mixed."""
    faces: list[Sequence[CardFace]] = []
    findings: list[Finding] = []
    designs: dict[str, tuple[Design, CardKind]] = {}
    for one in cards:
        key = f"{one.rules.digest} {one.card}"
        if key not in designs:
            trim, cut = CARDS[request.size], request.layout.grid.card if request.safe else None
            found = load_card(one.card, request.theme, request.size, trim, cut, request.safe)
            if found.value is None:
                return Checked(None, found.findings)
            context = build_card_context(one.rules, found.value)
            try:
                plate = plate_of(found.value, found.value.template, one.rules, context)
            except NoEngine as error:
                return Checked(None, (error.finding(Span(f"templates/{one.card}")),))
            except DesignError as error:
                return Checked(None, error.findings)
            designs[key] = found.value, build_card_kind(found.value, plate)
        try:
            made, said = plan_card(one.about, designs[key][1], one.span, one.notes)
        except DesignError as error:
            return Checked(None, error.findings)
        except LookupError as error:
            return Checked(None, (_unfit(one, error),))
        faces.append(made)
        findings += said
    rules = cards[-1].rules
    plan = plan_deck(faces, request.layout, rules)
    every = tuple(face for card in faces for face in card)
    design, _ = designs[f"{rules.digest} {cards[-1].card}"]
    return Checked(Deck(plan, every, design, rules, tuple(findings)))


def _unfit(one: WantedCard, error: LookupError) -> Finding:
    """Return the finding that a strip of a card lacks a place that `card.yaml` fills."""
    span = Span(str(templates_folder() / one.card / "card.yaml"))
    message = f"{one.about.name} cannot be laid out: its strips have no place {error}"
    return Finding(codes.BAD_DESIGN, span, message, "compare `order` with strips.html.j2")


def print_calibration(cards: Sequence[WantedCard], request: CardRequest) -> PrintResult:
    """Return a calibration sheet for the paper and the turn of `request`, as PDF."""
    made = deck_of(cards[:1], request)
    if made.value is None:
        return PrintResult({}, made.findings)
    plate = made.value.faces[0].strips[0].plate
    return PrintResult(
        {"pdf": press_cards(plan_calibration(request.layout, made.value.rules, plate))}
    )


def card_page(made: Deck) -> bytes:
    """Return a page of cards of one design, for a browser."""
    design = made.design
    kind = build_card_kind(design)
    told = build_cards_context(build_card_context(made.rules, design), made.faces, kind)
    name = design.styles[-1]
    more = tops_css(told["tops"]) + narrow_css(kind)
    texts = {**design.texts, name: design.texts[name] + more}
    fonts = web_fonts(design)
    return page(texts, design.template, design.styles, design.tokens, fonts, told)


def _span(one: Character) -> Span:
    root = one.source.root if one.source else None
    return root.span if root is not None else Span(str(one.path))
