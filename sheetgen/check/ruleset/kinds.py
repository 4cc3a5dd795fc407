"""Mistakes in a ruleset's kinds of files, and in how encounters print them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import check_character
from sheetgen.check.ruleset.formulas import (
    DependentNames,
    check_formula,
    check_known_names,
    check_marked_names,
    find_cycles,
    known_names_of,
)
from sheetgen.check.ruleset.rulesets import check_ruleset, kind_words, numbers_of_build
from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Severity, Span
from sheetgen.diag.words import a, suggestion
from sheetgen.load.designs.files import list_shown_names
from sheetgen.load.designs.templates import KIND_CARD, load_design_file
from sheetgen.load.rulesets.content import STARTER, design_label, starter_text
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.yaml.format import quote_line
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.designs.sheets import CardFile
from sheetgen.model.rulesets.prints import MEMBERS, PLAYERS, Encounters, StripRules
from sheetgen.model.rulesets.ruleset import PARTS_OF_BLOCK, VALUE_KINDS, Kind, Maker, Ruleset
from sheetgen.model.source import Pairs, Text, text_place
from sheetgen.rules.formulas.evaluate import formulas_in
from sheetgen.rules.index import index_of, split_times
from sheetgen.rules.tables.compute import lists_of_kind

_OF_ALL = ("name",)  # values that a strip may show of every kind
_LASTS: Final = ("", "value", "text", "how")  # what the name of a number may end with


def check_kinds(rules: Ruleset, found: Collection[Finding]) -> Iterator[Finding]:
    """Yield findings about each kind, as a ruleset of its own, about encounters and pieces.

    Args:
        found: Findings about the ruleset itself, which are not yielded again.
    """
    for id_, kind in rules.kinds.items():
        wrong = [*check_known_names(_kind(kind, rules), rules.place)]
        yield from wrong
        if wrong:  # names of parts that it should keep would be unknown
            continue
        own = kind_rules(rules, str(id_))
        yield from _twice(kind)
        yield from _card(kind, own)
        yield from _not_given(kind, rules)
        yield from _given(own, rules)
        if kind.maker is not None:
            yield from check_marked_names(
                kind.maker, known_names_of(own, index_of(own)), rules.place
            )
            yield from check_known_names(_gear(kind.maker, own), rules.place)
        common = {(finding.span, f"{finding.message}{kind_words(own)}") for finding in found}
        yield from (f for f in check_ruleset(own) if (f.span, f.message) not in common)
    if rules.encounter is not None:
        tables = {*rules.tables, *rules.references}
        there = {"strip": rules.encounter.strips, "kind": rules.kinds, "table or page": tables}
        there["key or trait"] = ("combatants", PLAYERS, "notes", "party")
        yield from check_marked_names(rules.encounter, there, rules.place)
        yield from _of_encounter(rules, rules.encounter)
        for name, strip in rules.encounter.strips.items():
            if name in rules.kinds:
                own = kind_rules(rules, str(name))
                lists = lists_of_kind(rules, str(name))
                known_names = {**known_names_of(own, index_of(own)), "list": lists}
                yield from check_marked_names(strip, known_names, rules.place)
                yield from check_known_names(_shown(strip, own, lists), rules.place)
    if rules.pieces is not None:
        known = {*list_shown_names(rules), *_OF_ALL, *rules.pools}
        shown = [one.of for one in rules.pieces.about] + [one.of for one in rules.pieces.tent]
        names = (Text(name.partition(".")[0], name.span) for name in shown)
        yield from check_known_names(((name, known, "value") for name in names), rules.place)


def _of_encounter(rules: Ruleset, page: Encounters) -> Iterator[Finding]:
    """Yield the mistakes in the formulas of an encounter's derived values and rules."""
    known = {*rules.options, *page.derived}
    lists, numbers = frozenset((MEMBERS, PLAYERS)), _numbers_of_fight(rules, page)
    index = replace(index_of(rules), lists=lists, numbers=dict.fromkeys(numbers, ()))
    texts: list[Text] = [value.value for value in page.derived.values() if value.value is not None]
    for id_ in (id_ for id_, value in page.derived.items() if value.value is None):
        place = text_place(id_, rules.place)
        yield Finding(codes.MISSING_KEY, place, f"`{id_}` has no `value`", "write a formula")
    for rule in page.rules.values():
        texts += [rule.require, *formulas_in(rule.message)]
    for text in texts:
        yield from check_formula(text, rules, index, known, build=False, lists=True)
    named = {str(id_): [value.value] for id_, value in page.derived.items() if value.value}
    yield from find_cycles(named)


def _numbers_of_fight(rules: Ruleset, page: Encounters) -> set[str]:
    owns = [kind_rules(rules, str(kind)) for kind in page.strips if kind in rules.kinds]
    return {n for own in (rules, *owns) for n in numbers_of_build(own, index_of(own))}


def check_party(rules: Ruleset, party: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each number of players that no character has."""
    known = _numbers_of_fight(rules, rules.encounter) if rules.encounter is not None else ()
    for name in (name for name in party if name not in known):
        message = f"no character of {rules.title} has a number `{name}`"
        hint = suggestion(name, sorted(known), "numbers")
        yield Finding(codes.UNKNOWN_NAME, text_place(name, rules.place), message, hint)


def _twice(kind: Kind) -> Iterator[Finding]:
    """Find what a card would print twice in one part."""
    for part in ("order", "headline", *PARTS_OF_BLOCK) if kind.block is not None else ():
        names: tuple[Text, ...] = getattr(kind.block, part)
        for name in (name for at, name in enumerate(names) if name in names[:at]):
            message = f"`{part}` of the card has `{name}` twice"
            yield Finding(codes.WRONG_TYPE, name.span, message, "keep one of the two")


def _kind(kind: Kind, rules: Ruleset) -> DependentNames:
    known = known_names_of(rules, index_of(rules))
    yield from ((name, known["part of the rules"], "part of the rules") for name in kind.keeps)
    yield from ((key, kind.character, "key") for key in (kind.based_on, *kind.own))
    yield kind.card, known["card"], "card"
    if kind.block is not None:
        own = kind_rules(rules, next(str(i) for i, one in rules.kinds.items() if one is kind))
        shown = {*own.character, *own.derived, *own.groups, *own.lists, *own.texts}
        named = (getattr(kind.block, part) for part in ("headline", *PARTS_OF_BLOCK, "hidden"))
        yield from ((name, shown, "part of the card") for names in named for name in names)
        yield from ((part, PARTS_OF_BLOCK, "part of a card") for part in kind.block.order)


def _not_given(kind: Kind, rules: Ruleset) -> Iterator[Finding]:
    """Note that a kind has the traits of `given`, but does not say whether they are raised."""
    if rules.given is None or kind.given is not None or "given" in kind.keeps:
        return
    places = index_of(rules).traits
    groups = {places[str(trait)][0] for trait in rules.given.raise_ if trait in places}
    kept = {str(name).removeprefix("groups.") for name in kind.keeps}
    if groups and ("groups" in kept or groups <= kept):
        message = f"what `given` raises is not given to {a(kind.one)}"
        hint = "add `given` to the `keeps` of the kind, or write `given: {}` there"
        place = text_place(next(iter(kind.character)), rules.place)
        yield Finding(codes.CAVEAT, place, message, hint, severity=Severity.NOTE)


def _card(kind: Kind, own: Ruleset) -> Iterator[Finding]:
    """Find a card that shows what the kind does not have: such a card has empty places."""
    if kind.card is None:
        return
    try:
        file = load_design_file(f"{kind.card}/card.yaml", CardFile)
    except DesignError:  # a print says so
        return
    label = design_label(kind.card)
    shown = {str(name) for entry in file.order for name in (entry.each, entry.track) if name}
    missing = sorted(shown - {*list_shown_names(own)})
    if file.places and kind.card != KIND_CARD:
        message = f"the card `{label}` shows things, not files of a kind"
    elif missing and not file.places:
        message = f"the card `{label}` shows what {kind.label} lack: {', '.join(missing)}"
    else:
        return
    hint = "leave `card` out: then the card is made from what the kind has"
    yield Finding(codes.DANGLING, kind.card.span, message, hint)


def _given(own: Ruleset, rules: Ruleset) -> Iterator[Finding]:
    """Find mistakes in what a file takes over from whoever it names: they see that one's names."""
    texts = {str(id_) for id_, key in own.character.items() if key.kind == "text"}
    for key in own.character.values():
        for kind in (str(one) for one in key.of if one in rules.kinds):
            its = kind_rules(rules, kind)
            index = index_of(its)
            for formula in key.gives.values():
                yield from check_formula(formula, its, index, numbers_of_build(its, index) | texts)


def _gear(maker: Maker, own: Ruleset) -> DependentNames:
    gear = index_of(own).gear
    for thing in (*maker.also, *(one for some in maker.suits.values() for one in some)):
        if thing and not gear.find(split_times(thing)[0]):
            yield thing, gear.shown.values(), "item"


def _shown(strip: StripRules, own: Ruleset, lists: Mapping[str, Collection[str]]) -> DependentNames:
    heads = {*list_shown_names(own), *_OF_ALL}
    pieces = (*strip.about, *(p for line in strip.lines if line.each is None for p in line.parts))
    figures = (figure.of for figure in (*strip.figures, *strip.steps))
    for name in (strip.corner, *figures, *(piece.of for piece in pieces)):
        head, _, last = ("", "", "") if name is None else name.partition(".")
        yield None if name is None else Text(head, name.span), heads, "value"
        if last not in _LASTS and (head in own.derived or head in own.character):
            known = {head, *(f"{head}.{one}" for one in _LASTS[1:])}
            numbers = head in own.derived or own.character[head].kind in VALUE_KINDS
            yield name if numbers else None, known, "value"
    for line in strip.lines:
        if line.each in lists:
            yield from ((part.of, lists[str(line.each)], "column") for part in line.parts)


FIRST: Final = "Ada Quill"  # the character that a starter is checked with


def check_starter(rules: Ruleset) -> tuple[Finding, ...]:
    """Return the errors and warnings that new characters of `rules` would begin with."""
    folders = [Path(origin.folder) for origin in reversed(rules.composition.origins)]
    folder = next((f for f in folders if (f / STARTER).is_file()), None)
    if folder is None:
        return ()
    path = folder / STARTER
    try:
        text = starter_text(folder.absolute())
    except DesignError as error:
        return error.findings
    parsed = parse_yaml(text.replace("{name}", quote_line(FIRST)), str(path))
    root = parsed.value.root if parsed.value is not None else None
    if parsed.value is None or not isinstance(root, Pairs):
        return parsed.findings or (_lacks(path, "keys", "name: {name}"),)
    found = [*parsed.findings, *check_character(parsed.value, rules).findings]
    if root.get("ruleset") is None:
        found.append(_lacks(path, "ruleset", f"ruleset: {rules.id}"))
    if "{name}" not in text:
        found.append(_lacks(path, "{name}", "name: {name}"))
    return tuple(f for f in found if f.severity is not Severity.NOTE)


def _lacks(path: Path, what: str, line: str) -> Finding:
    message = f"the starter of new characters has no `{what}`"
    return Finding(codes.MISSING_KEY, Span(str(path), 1, 1), message, f"write `{line}`")
