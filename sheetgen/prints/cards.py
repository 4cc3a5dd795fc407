"""Print cards: select them, set each on its design's plate, impose the deck, press the pages."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sheetgen.check.character.builds import check_character
from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.data import templates_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import (
    RULESET,
    Checked,
    DesignError,
    Finding,
    Severity,
    Span,
    apply_strict,
    errors,
)
from sheetgen.diag.words import suggestion
from sheetgen.load.characters import CHARACTER, RulesetCache
from sheetgen.load.designs.designs import LARGE_SIZE, LARGE_THEME, Design, load_card, load_presets
from sheetgen.load.designs.templates import KIND_CARD, STANDARD
from sheetgen.load.designs.themes import find_theme
from sheetgen.load.pictures import find_brand, find_brand_pictures, find_picture
from sheetgen.load.rulesets.rulesets import (
    find_ruleset,
    is_ruleset,
    load_complete,
    load_ruleset,
    switches_of,
)
from sheetgen.materials.plates import (
    add_signs,
    build_measure,
    build_page_pictures,
    find_plate,
    find_web_fonts,
    prepare_picture,
)
from sheetgen.model.build import Build, Value
from sheetgen.model.pictures import BrandPictures, Picture, PictureFile
from sheetgen.model.prints import CardFace, CardPage, CardPlan, PlacedFace, Tokens
from sheetgen.model.requests import (
    BACKS,
    CardRequest,
    FileFormat,
    FilePart,
    SelectionRequest,
    choose,
    deck_names,
)
from sheetgen.model.rulesets.prints import DECK, EMBLEM, Difference, OddsGrid
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE, Pairs, Source, Text
from sheetgen.plan.build_parts import find_emblem, list_build_parts
from sheetgen.plan.cards import cards as card_plans
from sheetgen.plan.cards import kinds as card_kinds
from sheetgen.plan.contexts import build_card_context, build_cards_context, narrow_css, tops_css
from sheetgen.plan.fit import find_missing_letters, report_letters
from sheetgen.plan.imposition import (
    CARDS,
    DeckLayout,
    WrongOption,
    plan_calibration,
    plan_deck,
    plan_layout,
)
from sheetgen.plan.pages.screen_blocks import SignWriter
from sheetgen.plan.pages.tables import find_footnotes
from sheetgen.plan.sheets.view import View, build_view
from sheetgen.plugin import resolve
from sheetgen.prints import characters as builds
from sheetgen.prints.kinds import (
    Conflict,
    PrintContext,
    PrintKind,
    PrintResult,
    input_folders,
    name_words,
)
from sheetgen.prints.rulesets import compute_proof, find_page_signs
from sheetgen.records import frozen
from sheetgen.registry import deck_formats
from sheetgen.render.flow.layout import NoEngine
from sheetgen.render.flow.rendering import LOGO
from sheetgen.render.html.page import render_page
from sheetgen.render.press.press import press_cards
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import closest_names, file_stem, folded
from sheetgen.rules.tables.things import CreationStep, RulesetScope, ThingScope, tags_of, things
from sheetgen.units import CARD_SIZES, MM, CardSize
from sheetgen.write import free_name, portable_name

# How far a picture reaches beyond the outer cards of a sheet in any case: printers drift.
_LEAST_BLEED: Final = 2 * MM


@frozen
class Deck:
    """Cards on their pages, and what else their prints need."""

    plan: CardPlan
    faces: tuple[CardFace, ...]
    design: Design
    rules: Ruleset
    findings: tuple[Finding, ...]


def print_cards(request: CardRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield one deck of all cards of a request, or a calibration sheet for its paper."""
    if not request.size:  # a printer may cut no size for large print
        size: CardSize = CARD_SIZES[0]
        with contextlib.suppress(DesignError):  # reported with the design
            large = not request.preset and find_theme(request.theme).base == LARGE_THEME
            size = LARGE_SIZE if large else size
        request = replace(request, size=size)
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
    chosen = number_cards([one for selection in selections for one in selection.cards])
    cards = [one for one in chosen for _ in range(request.copies)]
    if wrong and (request.in_book or not cards):  # a book's deck is complete or not printed
        return
    if not cards:
        listed = "list them with `sheetgen list RULESET`"
        hint = "see `kind` and `only`" if request.in_book else listed
        message = "there is no card to print"
        yield PrintResult(findings=(Finding(codes.EMPTY, request.at(RULESET), message, hint),))
        return
    printed = press_deck(cards, layout, request)
    kind, first = request.of_kind, Path(request.of[0]).stem
    whole = [kind] if kind else ["all"] if request.every else []
    stem = "-".join([first, *whole, *request.groups[:1], request.kind])
    single = replace(request, single=True, grid="", backs="long-edge", bleed="0 mm")
    deck = build_deck(cards, plan_layout(single), request).value if request.decks else None
    if deck is not None:  # the same cards as decks for online tables
        subjects = {one.about.name: one.about for one in cards}
        more: list[Iterable[FilePart]] = []
        about = [*printed.findings]
        for format_ in (deck_formats()[one] for one in request.decks):
            more.append(resolve(format_.writer)(deck.plan, subjects, file_stem(stem), request))
            if format_.unhosted and not request.base_url:
                hint = "upload them, and give --base-url ADDRESS; or see the guide"
                place, severity = request.at("--to"), Severity.NOTE
                about.append(Finding(codes.NOT_HOSTED, place, format_.unhosted, hint, severity))
        printed = replace(printed, findings=tuple(about), more=chain.from_iterable(more))
    words = name_words(cards[-1].rules, request.kind)
    words["stem"] = "-".join([first, *whole, request.kind])
    words["kind"] = kind or request.kind
    yield replace(
        printed,
        words=words,
        stem=file_stem(f"calibration-{request.paper}" if request.calibrate else stem),
        subjects=() if request.calibrate else tuple(str(one.about.name) for one in cards),
        inputs=frozenset().union(*(input_folders(one.rules, one.design) for one in cards)),
    )


def press_deck(cards: list[ChosenCard], layout: DeckLayout, request: CardRequest) -> PrintResult:
    """Return cards, or a calibration sheet, in a file of each format; see `build_deck`."""
    planned = build_deck(cards[:1] if request.calibrate else cards, layout, request)
    if planned.value is None:
        return PrintResult(findings=planned.findings)
    if request.calibrate:
        plate = planned.value.faces[0].strips[0].plate
        return PrintResult({"pdf": press_cards(plan_calibration(layout, cards[0].rules, plate))})
    files: dict[FileFormat, bytes] = {}
    if request.wants("pdf"):
        files["pdf"] = press_cards(planned.value.plan)
    if request.wants("html"):
        files["html"] = render_card_page(planned.value, request.theme)
    pages = list_picture_names(planned.value.plan) if request.each else ()
    return PrintResult(files, planned.value.findings, pages=pages)


def build_deck(cards: list[ChosenCard], layout: DeckLayout, request: CardRequest) -> Checked[Deck]:
    """Return cards on their pages; those of several designs may be mixed."""
    faces: list[tuple[card_kinds.CardKind, Sequence[CardFace], CardFace | None]] = []
    backs = CardBacks(layout, request)
    findings: list[Finding] = []
    designs: dict[str, tuple[Design, card_kinds.CardKind]] = {}
    cards = list(_with_signs(map(_with_flat_names, cards)))
    preset = load_presets().get(request.preset)
    safe = preset.safe if preset is not None else 0.0
    look = request.theme, request.size, CARDS[request.size], layout.grid.card if safe else None
    try:
        for one in cards:
            key = design_key(one)
            try:
                if key not in designs:
                    found = load_card(one.design, *look, safe, one.rules)
                    if found.value is None:
                        return Checked(None, found.findings)
                    design, context = found.value, build_card_context(one.rules, found.value)
                    context |= {"logo": True} if backs.logo(one.rules) is not None else {}
                    plate = find_plate(design, design.template, one.rules, context)
                    plate = add_signs(plate, one.rules, request.theme)
                    kind = card_kinds.build_card_kind(design, plate)
                    clash = _find_font_clash(one, kind, cards, designs)
                    if clash is not None:
                        return Checked(None, (clash,))
                    findings += _report_unchanged(design, one, request)
                    deck = [
                        card_plans.add_notes(c.about, kind, c.notes)
                        for c in cards
                        if design_key(c) == key
                    ]
                    designs[key] = design, card_plans.settle_step(deck, kind)
                kind = designs[key][1]
                card, more = card_plans.plan_card(
                    one.about, kind, one.span, one.notes, prepare_picture
                )
            except LookupError as error:  # `card.yaml` fills a place that a strip lacks
                span = Span(str(templates_folder() / one.design / "card.yaml"))
                message = f"{one.about.name} cannot be laid out: its strips have no place {error}"
                hint = "compare `order` with strips.html.j2"
                return Checked(None, (Finding(codes.BAD_DESIGN, span, message, hint),))
            faces.append((kind, card, backs.find(one, kind)))
            findings += (*one.findings, *more)
            texts = one.about.name, *one.about.texts.values()
            known: set[str] = kind.cached(("known texts",), set)
            new = {*texts} - known
            if kind.letters.issuperset("".join(new)):
                known |= new
            elif request.outputs != ("html",):
                missing = find_missing_letters("".join(texts), set(map(ord, kind.letters)))
                findings += report_letters(missing, one.source, one.span)
    except DesignError as error:
        return Checked(None, error.findings)
    except NoEngine as error:
        return Checked(None, (error.finding(),))
    rules = cards[-1].rules
    joined: list[tuple[Sequence[CardFace], CardFace | None]] = []
    for kind, some in groupby(faces, key=lambda one: one[0]):
        group = list(some)
        if kind.per_card == 1:
            joined += [(own, back) for _, own, back in group]
        else:  # kinds with several faces on a card have them joined
            each = [face for _, own, _ in group for face in own]
            joined += [((face,), group[0][2]) for face in card_plans.join_faces(each, kind)]
    # A back is behind the last face of a card if nothing else is there.
    backed = [(*own, back) if back and len(own) % 2 else own for own, back in joined]
    plan = plan_deck(backed, layout, rules)
    every = tuple(face for own, _ in joined for face in own)
    design, _ = designs[design_key(cards[-1])]
    return Checked(Deck(plan, every, design, rules, (*findings, *backs.findings)))


_ROLL_OF_ROW: Final = re.compile(r"\w+\.\d+\.roll\.text")


def _with_flat_names(one: ChosenCard) -> ChosenCard:
    """Return a card whose names are on one line, where an author's file breaks them."""
    texts = one.about.texts
    broken = (name for name in ("name", "kind", "group") if "\n" in texts.get(name, ""))
    flat = {name: " ".join(texts[name].split()) for name in broken}
    if not flat:
        return one
    return replace(one, about=replace(one.about, texts=card_kinds.CardContext({**texts, **flat})))


def _with_signs(cards: Iterable[ChosenCard]) -> Iterator[ChosenCard]:
    """Yield cards with the signs of their games for words behind a number."""
    writers: dict[str, SignWriter] = {}
    for one in cards:
        if not one.rules.signs:
            yield one
            continue
        if (signs := writers.get(one.rules.digest)) is None:
            signs = writers[one.rules.digest] = SignWriter(one.rules)
        texts = {
            name: signs.pool(text) if _ROLL_OF_ROW.fullmatch(name) else signs.text(text)
            for name, text in one.about.texts.items()
        }
        yield replace(one, about=replace(one.about, texts=card_kinds.CardContext(texts)))


def design_key(one: ChosenCard) -> str:
    """Return a key for the deck of a card: its ruleset and its design."""
    return f"{one.rules.digest} {one.design}"


def _find_font_clash(
    one: ChosenCard,
    kind: card_kinds.CardKind,
    cards: Sequence[ChosenCard],
    designs: Mapping[str, tuple[Design, card_kinds.CardKind]],
) -> Finding | None:
    """Return the finding that a design has another font of the same name; a file holds only one."""
    for key, (_, other) in designs.items():
        fonts = other.tokens.faces
        if any(fonts.get(name, face) != face for name, face in kind.tokens.faces.items()):
            first = next(card for card in cards if design_key(card) == key)
            message = f"{first.rules.title} and {one.rules.title} have different fonts for cards"
            hint = "print the cards of each game into a file of its own"
            return Finding(codes.BAD_DESIGN, one.span, message, hint)
    return None


def _report_unchanged(design: Design, one: ChosenCard, request: CardRequest) -> Iterator[Finding]:
    """Yield a warning if a theme changes neither the type, the colours nor the backs of cards."""
    own = find_theme(request.theme).own
    if request.theme == STANDARD or find_brand_pictures(("back", "logo"), own).value:
        return
    usual = load_card(one.design, STANDARD, request.size, CARDS[request.size], rules=one.rules)
    if usual.value is None or _card_look(usual.value.tokens) != _card_look(design.tokens):
        return
    large = find_theme(request.theme).base == LARGE_THEME
    hint = f"print `--size {LARGE_SIZE}`" if large else "choose another theme"
    message = f"the theme `{request.theme}` leaves cards as they are in `{STANDARD}`"
    yield Finding(codes.UNKNOWN_DESIGN, request.at("--theme"), message, hint, Severity.WARNING)


def _card_look(tokens: Tokens) -> object:
    roles = {name: (r.face, r.size) for name, r in tokens.roles.items() if name.startswith("card")}
    return roles, tokens.colours, tokens.faces


class CardBacks:
    """The backs of a deck's cards, each prepared once, with `findings` about pictures."""

    def __init__(self, layout: DeckLayout, request: CardRequest) -> None:
        self._layout, self._request = layout, request
        self._faces: dict[tuple[object, ...], CardFace] = {}
        self.findings: list[Finding] = []

    def find(self, one: ChosenCard, kind: card_kinds.CardKind) -> CardFace | None:
        """Return the back of a card if the deck has backs: its set's picture comes first."""
        if self._layout.duplex is None:
            return None
        key = one.rules.digest, one.back, one.deck, kind.size
        if key in self._faces:
            return self._faces[key]
        near, grid = (BrandPictures(back=one.back),), self._layout.grid
        found = find_brand(self._request, ("back",), near=near, far=(one.rules,))
        self.findings += found.findings
        face = None
        if (picture := (found.value or {}).get("back")) is not None:
            alone = grid.paper[0] <= grid.card[0] + 2 * grid.bleed
            bleed = grid.bleed if alone else max(grid.bleed, _LEAST_BLEED)
            made = prepare_picture(picture, (grid.card[0] + 2 * bleed, grid.card[1] + 2 * bleed))
            self.findings += made.findings
            if made.value is not None:
                face = CardFace("Back", grid.card, (), picture=made.value, bleed=bleed)
        if face is None:
            face = card_plans.build_back(kind, *one.deck)
            strip, logo = face.strips[0], self.logo(one.rules)
            cell = next((place for place in strip.plate.places if place.name == LOGO), None)
            if logo is not None and cell is not None:
                made = prepare_picture(logo, (cell.box.width, cell.box.height))
                self.findings += made.findings
                shown = {LOGO: made.value} if made.value is not None else {}
                strip = replace(strip, filling=replace(strip.filling, pictures=shown))
                face = replace(face, strips=(strip,))
        self._faces[key] = face
        return face

    def logo(self, rules: Ruleset) -> Picture | None:
        """Return the logo on backs without a picture, if the deck has backs."""
        if self._layout.duplex is None:
            return None
        found = find_brand(self._request, ("logo",), far=(rules,))
        self.findings += (one for one in found.findings if one not in self.findings)
        return (found.value or {}).get("logo")


def render_card_page(planned: Deck, theme: str = STANDARD) -> bytes:
    """Return a page of cards of one design, for a browser."""
    design = planned.design
    kind = card_kinds.build_card_kind(design)
    context = build_cards_context(
        build_card_context(planned.rules, design), planned.faces, kind, build_page_pictures
    )
    name = design.styles[-1]
    margin = 2 * float(design.facts["modules"][design.paper]) * MM  # of 3 modules
    more = tops_css(context["tops"]) + narrow_css(kind, margin)
    texts = {**design.texts, name: design.texts[name] + more}
    context["measure"], fonts = build_measure(design.tokens), find_web_fonts(design.tokens.faces)
    marks = {mark for f in planned.faces for s in f.strips for mark in s.filling.marks.values()}
    shapes = design.tokens.shapes.items()  # without pictures that no card has
    shown = {n: one for n, one in shapes if n in marks or not n.startswith(f"{EMBLEM}-")}
    tokens = replace(design.tokens, shapes=shown)
    parts = texts, design.template, design.styles, tokens, fonts, context
    return render_page(*parts, signs=find_page_signs(planned.rules, theme))


@frozen
class ChosenCard:
    """One card: what it is about, its design, the ruleset, the back of its set, and its file."""

    about: card_kinds.Subject
    design: str
    rules: Ruleset
    span: Span
    notes: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    back: PictureFile | None = None
    source: Source | None = None
    deck: tuple[str, str] = ("", "")  # What its deck is called, and its back.
    place: tuple[int, int] = (0, 0)  # Which of how many cards in the ruleset.
    kinds: tuple[str, ...] = ()  # Of a character's deck: what selects it.


def number_cards(cards: Sequence[ChosenCard]) -> list[ChosenCard]:
    """Return cards with the number of each in its deck; those of files are counted here."""
    files: dict[str, dict[object, int]] = {}
    for one in cards:
        if not one.place[1]:
            known = files.setdefault(design_key(one), {})
            known.setdefault((one.span, one.about.name), len(known) + 1)
    numbered = []
    for one in cards:
        number, of = one.place
        if not of:
            known = files[design_key(one)]
            number, of = known[one.span, one.about.name], len(known)
        count = f"{number} of {of}" if of > 1 else ""
        numbered.append(replace(one, about=replace(one.about, count=count)))
    return numbered


def character_cards(
    one: builds.Character, printed: Mapping[str, Difference] | None = None, *, general: bool = False
) -> Iterator[ChosenCard]:
    """Yield the cards of a checked build, without errors; one a copy.

    Differences that are `printed` are footnoted. The card of a kind is `general` if it is made
    from the kind's data though the kind has a design; that of a character always is.
    """
    assert one.build is not None
    assert one.rules is not None
    notes = find_footnotes(one.build, printed) if printed is not None else {}
    root = one.source.root if one.source else None
    span = root.span if root is not None else Span(str(one.path))
    view = build_view(one.build, one.rules)
    deck = one.rules.composition.label, str(one.rules.emblems.get(DECK, ""))
    emblem = find_emblem(one.build, one.rules, one.kind)
    # The view of the build without the keys that raise it as a whole, if it has any.
    unlifted: View | None = None
    keys = one.rules.character.items()
    lifting = {folded(str(id_)) for id_, key in keys if key.lifts is not None}
    if isinstance(root, Pairs) and one.source is not None:
        entries = tuple(entry for entry in root.entries if folded(entry[0].raw) not in lifting)
        if len(entries) < len(root.entries):
            chosen = {name: str(value) for name, value in one.build.options.items()}
            lower = replace(one.source, root=Pairs(root.span, entries))
            plain = check_character(lower, one.rules, chosen).value
            unlifted = build_view(plain, one.rules) if plain is not None else None
    for about in card_plans.list_copies(one.build, view, unlifted):
        about = replace(about, texts=card_kinds.CardContext({**about.texts, EMBLEM: emblem}))
        design = str(one.rules.sheet or KIND_CARD)
        if general or one.kind is None or design == KIND_CARD:
            design = KIND_CARD
            has = None if one.kind is not None else list_build_parts(one.build, one.rules, view)
            about = card_kinds.build_general_subject(about, one.build, view, one.rules, has)
        yield ChosenCard(about, design, one.rules, span, notes, source=one.source, deck=deck)


def deck_of_character(one: builds.Character) -> Iterator[ChosenCard]:
    """Yield cards of one design for a character with a complete ruleset, and all it has."""
    rules = one.rules
    if rules is None or one.build is None:
        return
    backs = (cards.emblems.get(DECK) for cards in rules.card_sets.values())
    deck = one.build.name, str(next(filter(None, backs), ""))
    others = [*builds.find_companions(one)]
    wrong = tuple(finding for other in others for finding in other.findings)
    for person in (one, *(other for other in others if other.ok)):
        of = person.kind.one if person.kind else CHARACTER
        kinds, found = ((of,), wrong) if person is one else (("companions", of), ())
        for card in character_cards(person, general=True):
            yield replace(card, rules=rules, deck=deck, kinds=kinds, findings=found)
    for part in list_build_parts(one.build, rules, build_view(one.build, rules)):
        if part.of.startswith("groups.") and not part.listed:
            continue
        about = card_kinds.build_part_subject(part, one.build.name, rules)
        findings: tuple[Finding, ...] = ()
        if (art := getattr(part.thing, "art", None)) is not None:
            picture = find_picture(art, f"Picture of {part.name}")
            about, findings = replace(about, picture=picture.value), picture.findings
        span = part.span or Span(str(one.path))
        card = ChosenCard(about, KIND_CARD, rules, span, findings=findings, source=one.source)
        yield replace(card, deck=deck, kinds=part.ids)


def thing_cards(
    rules: Ruleset,
    card_set: str,
    options: Mapping[str, Value],
    build: Build | None = None,
    notes: Mapping[str, str] | None = None,
) -> Iterator[ChosenCard]:
    """Yield a card for each thing of a card set, or only for what `build` chose.

    `notes` are footnotes by the names of things; with them, words that the rules do not define
    are noted, too. A text may raise `FormulaError`.
    """
    cards, scope = rules.card_sets[card_set], RulesetScope(rules, options)
    deck = cards.label, str(cards.emblems.get(DECK, ""))
    chosen = None
    if build is not None:
        chosen = {(f"choices.{pick.catalogue}", pick.entry) for pick in build.picks}
        chosen |= {("gear", item.item) for item in build.items}
    for of in cards.of:
        for id_, thing in things(rules, str(of)).items():
            if any(tag in cards.without for tag in tags_of(thing)):
                continue
            if chosen is not None and (str(of), str(id_)) not in chosen:
                continue
            about = card_kinds.build_thing_subject(
                cards, ThingScope(rules, scope, thing), build, undefined=notes is not None
            )
            if note := (notes or {}).get(about.name):
                texts = {**about.texts, f"{card_plans.FOOTNOTES}.1.text": f"{note}."}
                about = replace(about, texts=card_kinds.CardContext(texts))
            span = id_.span if isinstance(id_, Text) else rules.place
            findings: tuple[Finding, ...] = ()
            if not isinstance(thing, OddsGrid | CreationStep) and thing.art is not None:
                art = find_picture(thing.art, f"Picture of {about.name}")
                about, findings = replace(about, picture=art.value), art.findings
            design, back = str(cards.card), cards.back
            yield ChosenCard(about, design, rules, span, findings=findings, back=back, deck=deck)


@dataclass(slots=True)
class Selection:
    """What a request selects: all findings, and the files that were read."""

    findings: list[Finding] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    # groups, names, kinds: All that could be selected, whether they were or not.
    groups: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)


@dataclass(slots=True)
class CardSelection(Selection):
    """Selected cards."""

    cards: list[ChosenCard] = field(default_factory=list)

    def add(self, cards: Iterable[ChosenCard], request: CardRequest) -> None:
        """Select the cards that the request names, or all if it names none."""
        every = tuple(cards)
        self.kinds.update(kind for card in every for kind in card.kinds)
        found = [replace(c, place=(n, len(every))) for n, c in enumerate(every, 1)]
        self.names.update(card.about.name for card in found)
        of_kind = closest_names(request.of_kind, self.kinds)
        for card in found:
            wanted = not (card.kinds and request.of_kind) or not of_kind.isdisjoint(card.kinds)
            if wanted and is_selected(card.about.name, None, request, self):
                self.cards.append(card)


def find_unknown_names(selections: Sequence[Selection], request: SelectionRequest) -> list[Finding]:
    """Return a finding for each kind, group and name of a request that none of its files has."""
    kinds = (request.of_kind,) if request.of_kind else ()
    asked = {"kind": kinds, "group": request.groups, "name": request.only}
    found: list[Finding] = []
    for what, names in asked.items():
        known = {one for selection in selections for one in getattr(selection, f"{what}s")}
        for name in names if known or what != "kind" else ():
            if not closest_names(name, known):
                message = f"there is no {what} `{name}` among the {request.kind}"
                hint = suggestion(name, sorted(known), f"{what}s")
                found.append(Finding(codes.UNKNOWN_NAME, request.at(f"--{what}"), message, hint))
    return found


def select_cards(
    name: str, request: CardRequest, rulesets: RulesetCache | None = None
) -> CardSelection:
    """Return the cards of a ruleset, file or folder; a text may raise `FormulaError`."""
    selection = CardSelection()
    options = dict(request.options)
    rules = load_named_ruleset(name, options, selection.findings)
    if errors(selection.findings):
        return selection
    request = _with_kind(request, rules)
    if rules is not None and request.every:
        message = f"`--all` prints what a character has; {rules.title} is a ruleset"
        hint, span = "name a character’s file, or leave out `--all`", request.at("--all")
        selection.findings.append(Finding(codes.UNKNOWN_NAME, span, message, hint))
    elif rules is not None and request.of_kind in rules.card_sets:
        values, wrong = resolve_options(EMPTY_SOURCE, rules, options)
        selection.findings += [*check_ruleset(rules), *wrong]
        if not errors(selection.findings):
            notes = None
            if request.notes:
                proof = compute_proof((Path(rules.place.file).parent.resolve(),), options)
                notes = {d.what.partition(", ")[0]: d.note for d in proof.differences if d.note}
            selection.add(thing_cards(rules, request.of_kind, values, notes=notes), request)
    elif rules is not None and request.of_kind not in rules.kinds:
        known = list(map(str, [*rules.kinds, *rules.card_sets]))
        hint = suggestion(request.of_kind, known, "kinds") or "print its sheets, tables or screens"
        message = f"{rules.title} has no kind `{request.of_kind}`"
        if not request.of_kind:
            message = f"`--kind` is missing: which cards of {rules.title}?"
        selection.findings.append(Finding(codes.UNKNOWN_NAME, request.at("--kind"), message, hint))
    elif rules is not None:
        stock = builds.load_stock_characters(rules, request.of_kind, options)
        _select_characters(stock, request, selection, counted=True)
    else:
        own = builds.load_characters([Path(name)], options, rulesets)
        _select_characters(own, request, selection)
    return selection


def _with_kind(request: CardRequest, rules: Ruleset | None) -> CardRequest:
    kinds = (*rules.kinds, *rules.card_sets) if rules is not None else ()
    found = closest_names(request.of_kind, map(str, kinds))
    return replace(request, of_kind=min(found)) if found else request


def _select_characters(
    characters: Iterator[builds.Character],
    request: CardRequest,
    selection: CardSelection,
    *,
    counted: bool = False,
) -> None:
    """Add the cards of each character, or findings; of a deck they are `counted`."""
    read: list[builds.Character] = []
    found = [(one, _has_choices(one, request)) for one in characters]
    for build in (one.build for one, of_choices in found if not of_choices):
        if build is not None:
            selection.groups.update(filter(None, [build.texts.get("group")]))
            selection.names.add(build.name)
    for one, of_choices in found:
        build = one.build  # What cannot be read is kept for its findings.
        group = build.texts.get("group", "") if build is not None else ""
        chosen = build is None or is_selected(build.name, group, request, selection)
        if of_choices or chosen:
            selection.findings += one.findings
            selection.sources += [one.source] if one.source is not None else []
            read.append(one)
    good = [
        one
        for one in read
        if one.build is not None and not errors(apply_strict(one.findings, request.strict))
    ]
    blocks = [one for one in good if one.kind is not None]
    printed: dict[str, Difference] | None = None
    if request.notes:  # what the sources of stock that characters start from print otherwise
        starting = (one.rules for one in blocks if one.build is not None and one.build.base)
        folders = {Path(rules.place.file).parent.resolve() for rules in starting if rules}
        proofs = (compute_proof((folder,)) for folder in sorted(folders))
        printed = {one.what: one for proof in proofs for one in proof.differences}
    places = {id(one): (n, len(found)) for n, (one, _) in enumerate(found, 1) if counted}
    for one in blocks:
        place = places.get(id(one), (0, 0))
        selection.cards += (replace(c, place=place) for c in character_cards(one, printed))
    for one in (one for one in good if one.kind is None):
        rules = load_complete(one.rules) if one.rules is not None else None
        if rules is None or one.build is None:
            continue
        if request.every:
            selection.add(deck_of_character(replace(one, rules=rules)), request)
        elif request.of_kind:
            selection.kinds.update(map(str, (*rules.kinds, *rules.card_sets)))
            asked = _with_kind(request, rules)
            if asked.of_kind in rules.card_sets:
                of_set = thing_cards(rules, asked.of_kind, one.build.options, one.build)
                selection.add(of_set, asked)
        else:
            selection.cards += character_cards(replace(one, rules=rules))


def _has_choices(one: builds.Character, request: CardRequest) -> bool:
    rules = one.rules if one.kind is None else None
    if request.every and rules is not None:
        return True
    request = _with_kind(request, rules)
    return bool(request.of_kind) and rules is not None and request.of_kind not in rules.kinds


def is_selected(name: str, group: str | None, request: SelectionRequest, known: Selection) -> bool:
    """Whether a request selects a name and a group (None: any); exact names in `known` win."""
    named = not request.only or any(name in closest_names(w, known.names) for w in request.only)
    if not named or group is None or not request.groups:
        return named
    return any(group in closest_names(w, known.groups) for w in request.groups)


def load_named_ruleset(
    name: str, options: Mapping[str, str], findings: list[Finding]
) -> Ruleset | None:
    """Return the ruleset that `name` means; None for the path of an author's files."""
    if os.path.lexists(name) and not is_ruleset(Path(name)):
        return None
    path = os.path.join(os.curdir, name) if os.path.lexists(name) else name
    found = find_ruleset(path, Span(RULESET), Path())
    if found.value is None:
        if not (os.sep in path or path.endswith((".yaml", ".yml"))):
            findings += found.findings
        return None
    loaded = load_ruleset(found.value, complete=True, switches=switches_of(None, options))
    findings += loaded.findings
    return loaded.value


def list_picture_names(plan: CardPlan) -> tuple[str, ...]:
    """Return the name of each page of single cards; none of blank pages, repeated backs."""
    names: dict[str, None] = {}
    listed: list[str] = []
    backs: list[tuple[PlacedFace, ...]] = []
    front = ""
    for number, page in enumerate(plan.pages):
        is_back = bool(plan.duplex) and number % 2 == 1
        if not page.placed or page.placed in backs:
            listed.append("")
            continue
        if not is_back:
            front = name = unique_name(page.placed[0].face.name, names)
        elif has_own_back(page):
            name = unique_name(f"{front}-back", names)
        else:
            backs.append(page.placed)
            name = unique_name("back", names)
        names[name] = None
        listed.append(name)
    return tuple(listed)


def has_own_back(page: CardPage) -> bool:
    """Whether a back shows more of its card, not the back of the game."""
    return bool(page.placed) and page.placed[0].face.parts > 1


def unique_name(text: str, taken: Container[str], *, ascii_only: bool = False) -> str:
    """Return a name not in `taken`, names of this function; dropped letters are in a digest."""
    plain = folded(text)
    if ascii_only and not plain.isascii():
        digest = hashlib.sha256(plain.encode()).hexdigest()[:6]
        plain = " ".join("".join(c if c.isascii() else " " for c in plain).split())
        plain = f"{plain or 'card'} {digest}"
    name = portable_name(plain.replace(" ", "-"))
    return free_name(name if any(map(str.isalnum, name)) else "card", taken)


def _check_request(request: CardRequest, context: PrintContext) -> Iterator[Finding]:
    try:
        selections = [select_cards(name, request, context.rulesets) for name in request.of]
    except FormulaError:
        return  # `check` of the ruleset finds it
    found = [f for one in selections for f in one.findings]
    yield from (f for f in found if f.code is codes.UNKNOWN_NAME and f.span == request.place)
    yield from [] if errors(found) else find_unknown_names(selections, request)


def _find_conflicts(request: CardRequest) -> Iterator[Conflict]:
    if request.decks and request.calibrate:
        yield "--calibrate", "a calibration sheet is no deck", "leave out --to, or --calibrate"
    if request.each and not request.picture_formats:
        message = "each card becomes a picture of its own, and no picture is asked for"
        yield "--each", message, "add png to the formats"
    elif request.each and request.grid:
        yield "--grid", "pictures of each card have no grid", "leave out the grid"
    if request.base_url and not request.decks:
        hint = f"add {' or '.join(deck_formats())}"
        yield "--base-url", "only decks for online tables have an address", hint
    elif request.base_url:
        try:
            parts = urlsplit(request.base_url)
        except ValueError:
            parts = urlsplit("")
        hosted = parts.scheme in ("http", "https") and bool(parts.hostname)
        known = hosted or (parts.scheme == "file" and parts.path.startswith("/"))
        if not known or any(letter <= " " for letter in request.base_url):
            message = f"`{request.base_url}` is not an address"
            yield "--base-url", message, "begin with https:// or file:///, and write blanks as %20"


CARD_KIND: Final = PrintKind(
    CardRequest,
    "Cards",
    print_cards,
    job="entry",
    read_entry=lambda entry, shared: CardRequest(
        **shared,
        of_kind=str(entry.kind or ""),
        every=bool(entry.all_),
        groups=tuple(map(str, entry.group)),
        only=tuple(map(str, entry.only)),
        copies=entry.copies,
        decks=deck_names(entry.to),
        size=choose(entry.size, CARD_SIZES, ""),
        grid=str(entry.grid or ""),
        gutter=str(entry.gutter or "0 mm"),
        bleed=str(entry.bleed or "0 mm"),
        backs=choose(entry.backs, BACKS, ""),
        single=bool(entry.single),
        marks=entry.marks is not False,
        each=bool(entry.each),
        base_url=str(entry.base_url or ""),
    ),
    decks=True,
    find_conflicts=_find_conflicts,
    check=_check_request,
)
