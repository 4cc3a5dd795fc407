"""A ruleset's own mistakes: formulas, references, cycles, options; each at its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sheetgen.check.options import option_value
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, in_order
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.ruleset import Formula, Grants, Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.expressions import (
    COUNTING,
    NAMING,
    Call,
    Compare,
    FormulaError,
    Name,
    Tree,
    children,
    inputs,
    parse,
    walk,
)
from sheetgen.rules.index import Index, index_of
from sheetgen.rules.lines import formulas_in

LOCALS = frozenset({"n", "limit", "free", "stars", "count", "faces", "focus", "adds"})
"""Names that the place of a formula gives: a step, a die, what an item adds."""

COLUMNS = frozenset(
    {
        *("name", "times", "count", "cost", "special", "conditional", "note"),
        *("modifiers", "dice", "attack", "damage", "bonus"),
    }
)
"""Names that the columns of a list may use besides."""


def check_ruleset(rules: Ruleset) -> tuple[Finding, ...]:
    """Return all findings about `rules` itself."""
    index = index_of(rules)
    found = [
        *_formulas(rules, index),
        *_references(rules, index),
        *_owners(rules),
        *_cycles(rules),
        *_options(rules),
    ]
    return in_order(found)


def _all(model: Any) -> Iterator[Any]:
    """Yield `model` and every value in it, however deep."""
    yield model
    if dataclasses.is_dataclass(model) and not isinstance(model, Span):
        for field in dataclasses.fields(model):
            yield from _all(getattr(model, field.name))
    elif isinstance(model, Mapping):
        for value in model.values():
            yield from _all(value)
    elif isinstance(model, tuple):
        for value in model:
            yield from _all(value)


def _formulas(rules: Ruleset, index: Index) -> Iterator[Finding]:
    known = {*index.traits, *rules.options, *rules.derived, *rules.pools, *rules.character}
    named = {name for names, _ in index.formulas.values() for name in names}
    for value in _all(rules):
        if isinstance(value, Formula):
            yield from _formula(value, rules, index, known | named | LOCALS)
    for line in rules.texts.values():
        for formula in formulas_in(line.text):
            yield from _formula(formula, rules, index, known)
    for rule in rules.rules.values():
        for formula in formulas_in(rule.message):
            yield from _formula(formula, rules, index, known)
    for rows in rules.lists.values():
        for column in rows.columns.values():
            for formula in formulas_in(Text(column, column.span)):
                yield from _formula(formula, rules, index, known | COLUMNS)


def _formula(text: Text, rules: Ruleset, index: Index, known: set[str]) -> Iterator[Finding]:
    try:
        tree = parse(text)
    except FormulaError as error:
        span = text.span.within(error.offset, error.width)
        yield Finding(codes.BAD_FORMULA, span, f"`{text}`: {error}")
        return
    words = _words(tree, rules)
    for part in walk(tree):
        if isinstance(part, Call):
            yield from _call(part, text, rules, index)
    for name in sorted(inputs(tree) - known - words):
        at = next(t.at for t in walk(tree) if isinstance(t, Name) and t.name == name)
        hint = suggestion(name, known)
        message = f"nothing is called `{name}`"
        span = text.span.within(at, len(name))
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)


def _words(tree: Tree, rules: Ruleset) -> set[str]:
    """Return the bare words that an option is compared with."""
    found: set[str] = set()
    for part in walk(tree):
        if isinstance(part, Compare):
            names = {t.name for t in children(part) if isinstance(t, Name)}
            for option in (rules.options[n] for n in names if n in rules.options):
                found |= names.intersection(option.values)
    return found


def _call(call: Call, text: Text, rules: Ruleset, index: Index) -> Iterator[Finding]:
    span = text.span.within(call.at, len(call.function))
    if call.function not in NAMING | COUNTING and call.function not in index.formulas:
        hint = suggestion(call.function, {*NAMING, *COUNTING, *index.formulas})
        message = f"there is no function `{call.function}`"
        yield Finding(codes.UNKNOWN_IN_FORMULA, span, message, hint)
    if call.function not in NAMING:
        return
    names = [a for a in call.arguments if isinstance(a, Name)]
    known = _askable(call.function, rules, index)
    for place, name in enumerate(names):
        allowed = set(rules.character) if call.function == "holds" and place == 0 else known
        if name.name not in allowed:
            message = f"`{call.function}` finds no `{name.name}`"
            hint = suggestion(name.name, allowed)
            at = text.span.within(name.at, len(name.name))
            yield Finding(codes.UNKNOWN_IN_FORMULA, at, message, hint)


def _askable(function: str, rules: Ruleset, index: Index) -> set[str]:
    """Return the names that a function of `NAMING` may be asked about."""
    if function == "has":
        entries = {
            name
            for catalogue, listed in rules.choices.items()
            for id_ in listed.entries
            for name in (str(id_), str(catalogue), f"{catalogue}.{id_}")
        }
        return entries | index.tags
    if function == "modifiers":
        return set(rules.derived)
    if function in ("items", "holds"):
        return set(rules.gear) | index.tags
    return set(index.traits)


def _references(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield a finding for each id that leads nowhere."""
    wanted: list[tuple[Text | None, Iterable[str], str]] = []
    entries = {str(e) for c in rules.choices.values() for e in c.entries}
    for group in rules.groups.values():
        wanted.append((group.pool, rules.pools, "pool"))
        wanted.append((group.stars, entries, "choice"))
        wanted += [(t.under, index.traits, "trait") for t in group.traits.values()]
        if group.limit is not None:
            wanted.append((group.limit.by, rules.choices, "catalogue"))
            wanted.append((group.limit.option, rules.options, "option"))
            wanted.append((group.limit.raised_by, entries, "choice"))
            wanted += _limit_names(rules, index, group.limit.by, group.limit.sets)
        if group.open is not None:
            wanted.append((group.open.needs, entries, "choice"))
    for value in _all(rules.choices):
        if isinstance(value, Grants):
            wanted += _granted(value, rules, index, entries)
    for item in rules.gear.values():
        wanted.append((item.skill, index.traits, "trait"))
        wanted.append((item.adds, index.traits, "trait"))
        wanted.append((item.gives, rules.derived, "derived value"))
        wanted += [(_text(d), rules.derived, "derived value") for d in item.modifies]
        wanted += [(c, rules.choices, "catalogue") for c in item.asks.values()]
    for derived in rules.derived.values():
        wanted += [(g, rules.groups, "group") for g in derived.over]
    for key in rules.character.values():
        wanted.append((key.pool, rules.pools, "pool"))
        known = {*rules.groups, *rules.choices, *rules.pools, *rules.character}
        wanted += [(of, known, "group, catalogue or key") for of in key.of]
    for rule in rules.rules.values():
        wanted.append((rule.at, rules.character, "key"))
    for name, known_names, what in wanted:
        if name is not None and name not in known_names:
            yield _dangling(name, known_names, what)


def _text(key: str) -> Text | None:
    return key if isinstance(key, Text) else None


def _limit_names(
    rules: Ruleset, index: Index, by: Text | None, sets: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[Text | None, Iterable[str], str]]:
    picks = {*rules.choices[by].entries, "none"} if by and by in rules.choices else set()
    for rows in sets.values():
        for pick, row in rows.items():
            yield _text(pick), picks, "choice"
            for trait in row:
                yield _text(trait), {*index.traits, "others"}, "trait"


def _granted(
    grants: Grants, rules: Ruleset, index: Index, entries: set[str]
) -> list[tuple[Text | None, Iterable[str], str]]:
    found: list[tuple[Text | None, Iterable[str], str]] = []
    found += [(_text(t), index.traits, "trait") for t in grants.raise_]
    found += [(e, entries, "choice") for e in grants.take]
    found += [(i, rules.gear, "item") for i in grants.gear]
    found += [(_text(p), rules.pools, "pool") for p in grants.start]
    for catalogue, entry in grants.set.items():
        found.append((_text(catalogue), rules.choices, "catalogue"))
        if catalogue in rules.choices:
            found.append((entry, rules.choices[catalogue].entries, "choice"))
    if grants.spread is not None:
        found += [(t, index.traits, "trait") for t in grants.spread.among]
        found.append((grants.spread.of, rules.groups, "group"))
    return found


def _dangling(name: Text, known: Iterable[str], what: str) -> Finding:
    message = f"there is no {what} `{name}`"
    return Finding(codes.DANGLING, name.span, message, suggestion(name, known))


def _owners(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each id that two of the things in formulas have."""
    seen: dict[str, str] = {}
    spaces: list[tuple[str, Iterable[str]]] = [
        (f"a {group.one}", group.traits) for group in rules.groups.values()
    ]
    spaces += [
        ("a derived value", rules.derived),
        ("an option", rules.options),
        ("a pool", rules.pools),
    ]
    for what, names in spaces:
        for name in names:
            if name in seen:
                span = name.span if isinstance(name, Text) else rules.place
                message = f"`{name}` is {seen[name]} and {what}"
                yield Finding(codes.TWO_OWNERS, span, message, "rename one")
            seen[name] = what


def _cycles(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each derived value that needs itself."""
    needs: dict[str, frozenset[str]] = {}
    for id_, derived in rules.derived.items():
        try:
            needs[id_] = inputs(parse(derived.value or "0")).intersection(rules.derived)
        except FormulaError:
            needs[id_] = frozenset()
    for id_ in needs:
        way = _way_back(id_, needs)
        if way:
            formula = rules.derived[id_].value
            span = formula.span if formula is not None else rules.place
            message = "these need each other: " + " → ".join(way)
            yield Finding(codes.CYCLE, span, message, "compute one of them from traits")


def _way_back(start: str, needs: Mapping[str, frozenset[str]]) -> list[str]:
    """Return a way from `start` to itself, or nothing."""
    ways = [[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        for name in sorted(needs[way[-1]]):
            if name == start:
                return [*way, start]
            if name not in seen:
                seen.add(name)
                ways.append([*way, name])
    return []


def _options(rules: Ruleset) -> Iterator[Finding]:
    for id_, option in rules.options.items():
        if option_value(option, str(option.default)) is None:
            span = id_.span if isinstance(id_, Text) else rules.place
            message = f"the default `{option.default}` of `{id_}` is none of its values"
            yield Finding(codes.BAD_OPTION, span, message)
