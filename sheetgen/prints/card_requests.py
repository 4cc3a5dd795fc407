"""The cards of a checked character, of what it chose, or of the things of a ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from sheetgen.check.character.builds import check_character
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.load.designs.templates import KIND_CARD
from sheetgen.model.build import Build, Value
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.odds import OddsGrid
from sheetgen.model.rulesets.proof import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, Source, Text
from sheetgen.plan.cards.cards import FOOTNOTES, list_copies
from sheetgen.plan.cards.kind_cards import build_general_subject
from sheetgen.plan.cards.kinds import CardContext, Subject
from sheetgen.plan.cards.thing_cards import build_thing_subject
from sheetgen.plan.pages.footnotes import find_footnotes
from sheetgen.plan.sheets.view import View, build_view
from sheetgen.prints.characters import Character
from sheetgen.records import frozen
from sheetgen.rules.names import folded
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, tags_of, things


@frozen
class CardRequest:
    """One card: what it is about, its design, the ruleset, the back of its set, and its file."""

    about: Subject
    design: str
    rules: Ruleset
    span: Span
    notes: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    back: PictureFile | None = None
    source: Source | None = None


def character_card_requests(
    one: Character, printed: Mapping[str, Difference] | None = None
) -> Iterator[CardRequest]:
    """Yield the cards of a checked build of a kind, without errors; one a copy.

    Args:
        printed: What the source prints otherwise, by `Name, value`; it is footnoted. None for
            no footnotes.
    """
    assert one.build is not None
    assert one.rules is not None
    notes = find_footnotes(one.build, printed) if printed is not None else {}
    root = one.source.root if one.source else None
    span = root.span if root is not None else Span(str(one.path))
    view = build_view(one.build, one.rules)
    for about in list_copies(one.build, view, _view_unlifted(one)):
        design = str(one.rules.sheet or KIND_CARD)
        if design == KIND_CARD:
            about = build_general_subject(about, one.build, view, one.rules)
        yield CardRequest(about, design, one.rules, span, notes, source=one.source)


def _view_unlifted(one: Character) -> View | None:
    """Return the view of a build without the keys that raise it as a whole, if it has any."""
    rules, source, build = one.rules, one.source, one.build
    if rules is None or build is None or source is None or not isinstance(source.root, Pairs):
        return None
    lifting = {folded(str(id_)) for id_, key in rules.character.items() if key.lifts is not None}
    entries = tuple(e for e in source.root.entries if folded(e[0].raw) not in lifting)
    if len(entries) == len(source.root.entries):
        return None
    chosen = {name: str(value) for name, value in build.options.items()}
    plain = check_character(
        replace(source, root=Pairs(source.root.span, entries)), rules, chosen
    ).value
    return build_view(plain, rules) if plain is not None else None


def thing_card_requests(
    rules: Ruleset,
    card_set: str,
    options: Mapping[str, Value],
    build: Build | None = None,
    notes: Mapping[str, str] | None = None,
) -> Iterator[CardRequest]:
    """Yield a card for each thing of one of the ruleset's card sets.

    Args:
        build: Only what it chose, with what it rolls for that.
        notes: Footnotes of a proof, by the names of things; words that the rules do not define
            are noted too. None for no notes.

    Raises:
        FormulaError: A text cannot be computed.
    """
    cards, scope = rules.card_sets[card_set], RulesetScope(rules, options)
    for of in cards.of:
        for id_, thing in things(rules, str(of)).items():
            if any(tag in cards.without for tag in tags_of(thing)):
                continue
            if build is not None and (str(of), str(id_)) not in _chosen(build):
                continue
            about = build_thing_subject(
                cards, ThingScope(rules, scope, thing), build, undefined=notes is not None
            )
            if note := (notes or {}).get(about.name):
                texts = {**about.texts, f"{FOOTNOTES}.1.text": f"{note}."}
                about = replace(about, texts=CardContext(texts))
            span = id_.span if isinstance(id_, Text) else rules.place
            card = CardRequest(about, str(cards.card), rules, span, back=cards.back)
            yield (
                card
                if isinstance(thing, OddsGrid) or thing.art is None
                else _with_art(card, thing.art)
            )


def _with_art(card: CardRequest, art: PictureFile) -> CardRequest:
    """Return a card with its picture, if that can be read, and findings about it."""
    from sheetgen.load.pictures.reader import find_picture

    found = find_picture(art, f"Picture of {card.about.name}")
    return replace(card, about=replace(card.about, picture=found.value), findings=found.findings)


def _chosen(build: Build) -> set[tuple[str, str]]:
    """Return catalogue and id of each thing that a build chose or owns."""
    picks = {(f"choices.{pick.catalogue}", pick.entry) for pick in build.picks}
    return picks | {("gear", item.item) for item in build.items}
