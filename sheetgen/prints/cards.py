"""Print cards: select them, set each on its design's plate, impose the deck, press the pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding, Severity, apply_strict, errors
from sheetgen.diag.spans import RULESET, Span
from sheetgen.load.designs.card_designs import load_card
from sheetgen.load.designs.designs import Design
from sheetgen.load.designs.own_themes import find_theme
from sheetgen.load.designs.presets import load_presets
from sheetgen.load.designs.templates import STANDARD
from sheetgen.load.pictures.brand import find_brand_pictures
from sheetgen.load.rulesets.content import templates_folder
from sheetgen.model.cards import CardFace, CardPlan
from sheetgen.model.prints import Tokens
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.cards import add_notes, plan_card
from sheetgen.plan.cards.faces import share_text_size
from sheetgen.plan.cards.kinds import CardKind, build_card_kind
from sheetgen.plan.cards.pages import (
    build_card_context,
    build_cards_context,
    narrow_css,
    tops_css,
)
from sheetgen.plan.imposition.decks import DeckLayout, plan_calibration, plan_deck
from sheetgen.plan.imposition.imposition import CARDS
from sheetgen.plan.imposition.layouts import WrongOption, plan_layout
from sheetgen.plan.letters import find_missing_letters, report_letters
from sheetgen.prints.card_requests import CardRequest
from sheetgen.prints.card_selection import CardSelection, find_unknown_names, select_cards
from sheetgen.prints.context import PrintContext, PrintResult, file_stem, input_folders, name_words
from sheetgen.prints.pictures.names import list_picture_names
from sheetgen.prints.pictures.online import note_local_pictures, online_files
from sheetgen.records import frozen
from sheetgen.render.flow.layout import NoEngine
from sheetgen.render.fonts.font_store import find_web_fonts
from sheetgen.render.html.page import render_page
from sheetgen.render.pictures.card_backs import BackedCard, CardBacks, add_back, join_cards
from sheetgen.render.pictures.prepare import build_page_pictures, prepare_picture
from sheetgen.render.plates.plate_store import find_plate
from sheetgen.render.press.card_press import press_cards
from sheetgen.units import MM


@frozen
class Deck:
    """Cards on their pages, and what else their prints need."""

    plan: CardPlan
    faces: tuple[CardFace, ...]
    design: Design
    rules: Ruleset
    findings: tuple[Finding, ...]


def print_cards(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield one deck of all cards of a request, or a calibration sheet for its paper."""
    try:
        layout = plan_layout(request)
    except WrongOption as error:
        finding = Finding(codes.UNKNOWN_DESIGN, request.at(error.option), str(error))
        yield PrintResult(findings=(finding,))
        return
    selections: list[CardSelection] = []
    for name in request.of:
        selections.append(selection := select_cards(name, request, context.rulesets))
        yield from (PrintResult(source=source) for source in selection.sources)
        yield PrintResult(findings=tuple(selection.findings))
    findings = [finding for selection in selections for finding in selection.findings]
    if not errors(findings):
        findings += (unknown := find_unknown_names(selections, request))
        yield PrintResult(findings=tuple(unknown))
    wrong = errors(apply_strict(findings, request.strict))
    cards = [one for s in selections for one in s.cards for _ in range(request.copies)]
    if wrong and (request.in_book or not cards):  # a book's deck is complete or not printed
        return
    if not cards:
        yield PrintResult(findings=(_nothing(request),))
        return
    inputs = (input_folders(card.rules, card.design) for card in cards)
    printed = (press_calibration if request.calibrate else press_deck)(cards, layout, request)
    kind, first = request.of_kind, Path(request.of[0]).stem
    stem = "-".join([first, *([kind] if kind else []), *request.groups[:1], "cards"])
    if request.decks:
        printed = _with_online_decks(printed, cards, request, file_stem(stem))
    words = name_words(cards[-1].rules, "cards")
    words["stem"] = "-".join([first, *([kind] if kind else []), "cards"])
    words["kind"] = kind or "cards"
    yield replace(
        printed,
        words=words,
        stem=file_stem(f"calibration-{request.paper}" if request.calibrate else stem),
        subjects=() if request.calibrate else tuple(str(one.about.name) for one in cards),
        inputs=frozenset().union(*inputs),
    )


def _with_online_decks(
    printed: PrintResult, cards: Sequence[CardRequest], request: PrintRequest, name: str
) -> PrintResult:
    """Return a print with the same cards as decks for online tables, called `name`."""
    single = replace(request, single=True, grid="", backs="long-edge", bleed="0 mm")
    planned = build_deck(cards, plan_layout(single), request)
    if planned.value is None:
        return printed
    subjects = {one.about.name: one.about for one in cards}
    more = online_files(planned.value.plan, subjects, name, request)
    findings = (*printed.findings, *note_local_pictures(request))
    return replace(printed, findings=findings, more=more)


def _nothing(request: PrintRequest) -> Finding:
    hint = "see `kind` and `only`" if request.in_book else "`sheetgen list RULESET` lists them"
    return Finding(codes.EMPTY, request.at(RULESET), "there is no card to print", hint)


def press_deck(
    cards: Sequence[CardRequest], layout: DeckLayout, request: PrintRequest
) -> PrintResult:
    """Return cards, all in one file of each format of the request; see `build_deck`."""
    planned = build_deck(cards, layout, request)
    if planned.value is None:
        return PrintResult(findings=planned.findings)
    files = {}
    if "pdf" in request.formats:
        files["pdf"] = press_cards(planned.value.plan)
    if "html" in request.formats:
        files["html"] = render_card_page(planned.value)
    pages = list_picture_names(planned.value.plan) if request.each else ()
    return PrintResult(files, planned.value.findings, pages=pages)


def press_calibration(
    cards: Sequence[CardRequest], layout: DeckLayout, request: PrintRequest
) -> PrintResult:
    """Return a calibration sheet for the paper and the duplex of a layout, as PDF."""
    planned = build_deck(cards[:1], layout, request)
    if planned.value is None:
        return PrintResult(findings=planned.findings)
    plate = planned.value.faces[0].strips[0].plate
    return PrintResult({"pdf": press_cards(plan_calibration(layout, planned.value.rules, plate))})


def build_deck(
    cards: Sequence[CardRequest], layout: DeckLayout, request: PrintRequest
) -> Checked[Deck]:
    """Return cards on their pages; those of several designs may be mixed."""
    faces: list[BackedCard] = []
    backs = CardBacks(layout, request)
    findings: list[Finding] = []
    designs: dict[str, tuple[Design, CardKind]] = {}
    try:
        for one in cards:
            key = _design_key(one)
            try:
                if key not in designs:
                    logo = backs.logo(one.rules) is not None
                    design, kind = _load_design(one, layout, request, logo=logo)
                    findings += _report_unchanged(design, one, request)
                    deck = [
                        add_notes(c.about, kind, c.notes) for c in cards if _design_key(c) == key
                    ]
                    designs[key] = design, share_text_size(deck, kind)
                kind = designs[key][1]
                card, more = plan_card(one.about, kind, one.span, one.notes, prepare_picture)
            except LookupError as error:
                return Checked(None, (_missing_place(one, error),))
            faces.append((kind, card, backs.find(one.back, one.rules, kind)))
            findings += (*one.findings, *more, *_report_letters(one, kind, request))
    except DesignError as error:
        return Checked(None, error.findings)
    except NoEngine as error:
        return Checked(None, (error.finding(Span(f"templates/{one.design}")),))
    rules = cards[-1].rules
    joined = list(join_cards(faces))
    plan = plan_deck([add_back(card, back) for card, back in joined], layout, rules)
    every = tuple(face for card, _ in joined for face in card)
    design, _ = designs[_design_key(cards[-1])]
    return Checked(Deck(plan, every, design, rules, (*findings, *backs.findings)))


def _design_key(one: CardRequest) -> str:
    return f"{one.rules.digest} {one.design}"


def _load_design(
    one: CardRequest, layout: DeckLayout, request: PrintRequest, *, logo: bool
) -> tuple[Design, CardKind]:
    preset = load_presets().get(request.preset)
    safe = preset.safe if preset is not None else 0.0
    trim, cut = CARDS[request.size], layout.grid.card if safe else None
    found = load_card(one.design, request.theme, request.size, trim, cut, safe, one.rules)
    if found.value is None:
        raise DesignError(found.findings)
    context = build_card_context(one.rules, found.value) | ({"logo": True} if logo else {})
    plate = find_plate(found.value, found.value.template, one.rules, context)
    return found.value, build_card_kind(found.value, plate)


def _report_unchanged(design: Design, one: CardRequest, request: PrintRequest) -> Iterator[Finding]:
    """Yield a warning if a theme changes neither the type, the colours nor the backs of cards."""
    own = find_theme(request.theme).own
    if request.theme == STANDARD or find_brand_pictures(("back", "logo"), own).value:
        return
    usual = load_card(one.design, STANDARD, request.size, CARDS[request.size], rules=one.rules)
    if usual.value is None or _card_look(usual.value.tokens) != _card_look(design.tokens):
        return
    modules = design.facts["modules"]
    larger = [s for s in CARDS if modules.get(s, 0) >= _LARGER * modules[request.size]]
    hint = "choose another theme"
    if larger:
        hint = f"print larger cards for larger type: `--size {larger[0]}`"
    message = f"the theme `{request.theme}` leaves cards as they are in `{STANDARD}`"
    place = request.at("--theme")
    yield Finding(codes.UNKNOWN_DESIGN, place, message, hint, Severity.WARNING)


_LARGER = 1.3
"""How much larger type has to be at least to help who cannot read small print."""


def _card_look(tokens: Tokens) -> object:
    roles = {name: (r.face, r.size) for name, r in tokens.roles.items() if name.startswith("card")}
    return roles, tokens.colours, tokens.faces


def _report_letters(one: CardRequest, kind: CardKind, request: PrintRequest) -> Iterator[Finding]:
    """Yield a warning for letters of a card's texts that no font of its plate has."""
    texts = one.about.name, *one.about.texts.values()
    known: set[str] = kind.cached(("known texts",), set)
    new = {*texts} - known
    if kind.letters.issuperset("".join(new)):
        known |= new
    elif request.formats != ("html",):
        missing = find_missing_letters("".join(texts), set(map(ord, kind.letters)))
        yield from report_letters(missing, one.source, one.span)


def _missing_place(one: CardRequest, error: LookupError) -> Finding:
    """Return the finding that a strip of a card lacks a place that `card.yaml` fills."""
    span = Span(str(templates_folder() / one.design / "card.yaml"))
    message = f"{one.about.name} cannot be laid out: its strips have no place {error}"
    return Finding(codes.BAD_DESIGN, span, message, "compare `order` with strips.html.j2")


def render_card_page(planned: Deck) -> bytes:
    """Return a page of cards of one design, for a browser."""
    design = planned.design
    kind = build_card_kind(design)
    context = build_cards_context(
        build_card_context(planned.rules, design), planned.faces, kind, build_page_pictures
    )
    name = design.styles[-1]
    margin = 2 * float(design.facts["modules"][design.paper]) * MM  # of 3 modules
    more = tops_css(context["tops"]) + narrow_css(kind, margin)
    texts = {**design.texts, name: design.texts[name] + more}
    fonts = find_web_fonts(design)
    return render_page(texts, design.template, design.styles, design.tokens, fonts, context)
