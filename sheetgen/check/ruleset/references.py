"""Ids of a ruleset that lead nowhere, to two things, or round in a circle."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from sheetgen.check.character.options import NUMBER, YES_OR_NO
from sheetgen.check.ruleset.tables import wanted as wanted_of_tables
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.diag.words import a
from sheetgen.load.designs.templates import card_ids, sheet_ids
from sheetgen.model.rulesets.ruleset import (
    Catalogue,
    Grants,
    Group,
    Item,
    Key,
    PointSpread,
    Ruleset,
)
from sheetgen.model.source import Text
from sheetgen.rules.formulas.numbers import FORMS
from sheetgen.rules.index import Index
from sheetgen.rules.names import folded

Wanted: TypeAlias = Iterator[tuple[object, Iterable[str], str]]
"""A name (or None), what it may be, and what such a thing is called."""

KINDS: Final = (
    *("text", "texts", "number", "flag", "sessions", "choice", "choices", "ratings", "raises"),
    *("refunds", "losses", "details", "links", "pinned", "dice", "dice_history", "item"),
    *("items", "advances", "codes", "printed"),
)
"""What a key of a character's file may hold; content/rulesets/README.md explains each."""


RATINGS: Final = ("dots", "dice", "rank")
"""What a trait's rating may be."""


def walk_model(model: Any) -> Iterator[Any]:
    """Yield `model` and every value in it, however deep."""
    yield model
    if dataclasses.is_dataclass(model) and not isinstance(model, Span):
        for field in dataclasses.fields(model):
            yield from walk_model(getattr(model, field.name))
    elif isinstance(model, Mapping):
        for value in model.values():
            yield from walk_model(value)
    elif isinstance(model, tuple):
        for value in model:
            yield from walk_model(value)


def references(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield a finding for each id that leads nowhere."""
    for name, known, what in _wanted(rules, index):
        if isinstance(name, str) and name not in known:
            span = name.span if isinstance(name, Text) else rules.place
            hint = suggestion(name, sorted(known))
            yield Finding(codes.DANGLING, span, f"there is no {what} `{name}`", hint)


def _wanted(rules: Ruleset, index: Index) -> Wanted:
    entries = {str(e) for c in rules.choices.values() for e in c.entries}
    for group in rules.groups.values():
        yield from _group(group, rules, index, entries)
    for catalogue in rules.choices.values():
        yield from _catalogue(catalogue, rules, index)
    for value in walk_model(rules.choices):
        if isinstance(value, Grants):
            yield from _granted(value, rules, index, entries)
        elif isinstance(value, PointSpread):
            yield value.of, rules.groups, "group"
            for trait in (*value.among, *value.base_of, *value.most_of):
                yield trait, index.traits, "trait"
    for value in walk_model(rules.given):
        if isinstance(value, Grants):
            yield from _granted(value, rules, index, entries)
    for item in rules.gear.values():
        yield from _item(item, rules, index)
    for id_, key in rules.character.items():
        yield from _key(id_, key, rules)
    yield from _points(rules, index)
    yield from _prints(rules, index)
    yield from wanted_of_tables(rules, index.tags)


def _group(group: Group, rules: Ruleset, index: Index, entries: set[str]) -> Wanted:
    yield group.rating, RATINGS, "kind of rating"
    yield group.pool, rules.pools, "pool"
    yield group.stars, entries, "choice"
    for trait in group.traits.values():
        yield trait.under, index.traits, "trait"
        yield trait.keyword, index.formulas, "formula"
    if group.open is not None:
        yield group.open.needs, entries, "choice"
    limit = group.limit
    if limit is None:
        return
    yield limit.by, rules.choices, "catalogue"
    yield limit.option, rules.options, "option"
    yield limit.raised_by, entries, "choice"
    by = rules.choices.get(str(limit.by))
    picks = {*by.entries, "none"} if by else {"none"}
    for row in limit.sets.values():
        yield from ((pick, picks, "choice") for pick in row)
        for traits in row.values():
            yield from ((trait, {*group.traits, "others"}, "trait") for trait in traits)
    option = rules.options.get(str(limit.option))
    if option is not None and NUMBER not in option.values:
        values = ("True", "False") if YES_OR_NO in option.values else option.values
        yield from ((name, values, "value of its option") for name in limit.sets)


def _catalogue(catalogue: Catalogue, rules: Ruleset, index: Index) -> Wanted:
    yield catalogue.pool, rules.pools, "pool"
    for entry in catalogue.entries.values():
        yield from ((trait, index.traits, "trait") for trait in entry.offers)
        yield entry.roll, {*rules.rolls, *index.traits}, "roll"
        yield entry.pool, rules.pools, "pool"
        yield entry.asks, {*rules.groups, "text"}, "group"
        yield (entry.focus.skill if entry.focus else None), index.traits, "trait"
        for derived in entry.modifies:
            yield derived, rules.derived, "derived value"
    if catalogue.custom is not None:
        yield catalogue.custom.switch, rules.options, "option"
        focus = catalogue.custom.focus
        yield (focus.of if focus else None), rules.groups, "group"


def _granted(grants: Grants, rules: Ruleset, index: Index, entries: set[str]) -> Wanted:
    yield from ((trait, index.traits, "trait") for trait in grants.raise_)
    yield from ((entry, entries, "choice") for entry in grants.take)
    yield from ((item, rules.gear, "item") for item in grants.gear)
    yield from ((pool, rules.pools, "pool") for pool in grants.start)
    for catalogue, entry in grants.set.items():
        yield catalogue, rules.choices, "catalogue"
        if catalogue in rules.choices:
            yield entry, rules.choices[catalogue].entries, "choice"


def _item(item: Item, rules: Ruleset, index: Index) -> Wanted:
    yield item.skill, index.traits, "trait"
    yield item.adds, index.traits, "trait"
    yield item.gives, rules.derived, "derived value"
    yield from ((derived, rules.derived, "derived value") for derived in item.modifies)
    yield from ((asked, rules.choices, "catalogue") for asked in item.asks.values())


def _key(id_: str, key: Key, rules: Ruleset) -> Wanted:
    yield key.kind, KINDS, "kind of key"
    yield key.pool, rules.pools, "pool"
    yield key.unpriced, rules.options, "option"
    yield key.from_, rules.choices, "catalogue"
    if key.kind in ("choice", "choices"):
        yield from ((of, rules.choices, "catalogue") for of in key.of or (id_,))
        yield from ((of, key.of[:1], "second catalogue for one key,") for of in key.of[1:])
    elif key.kind in ("ratings", "raises", "refunds", "losses", "codes"):
        yield from ((of, rules.groups, "group") for of in key.of or (id_,))
    elif not key.gives:  # `of` are kinds then, which the rules of a kind do not have
        yield from ((of, {*rules.character, *rules.pools}, "key") for of in key.of)
    given = {*rules.character, *(t for group in rules.groups.values() for t in group.traits)}
    yield from ((what, given, "trait or key") for what in key.gives)


def _points(rules: Ruleset, index: Index) -> Wanted:
    for pool in rules.pools.values():
        yield pool.adds, rules.character, "key"
        yield pool.override, rules.character, "key"
        yield pool.conflict, rules.options, "option"
    if rules.dice is not None:
        yield rules.dice.pool, rules.pools, "pool"
    if rules.advances is not None:
        yield rules.advances.pool, rules.pools, "pool"
        yield from ((group, rules.groups, "group") for group in rules.advances.groups)
        for named in rules.advances.named.values():
            yield from ((trait, index.traits, "trait") for trait in named.raise_)


def _prints(rules: Ruleset, index: Index) -> Wanted:
    yield rules.sheet, (*sheet_ids(), *card_ids()), "sheet"  # a kind is printed on its card
    yield from ((made.card, card_ids(), "card") for made in rules.card_sets.values())
    for derived in rules.derived.values():
        yield from ((group, rules.groups, "group") for group in derived.over)
    for track in rules.tracks.values():
        yield (
            track.marked,
            {*counted_keys(rules), *rules.derived},
            "number of the file or derived value",
        )
    tags = {*index.tags, *(tag for key in rules.character.values() for tag in key.tags)}
    for rows in rules.lists.values():
        catalogues = (f"choices.{id_}" for id_ in rules.choices)
        yield rows.of, {*rules.character, *rules.groups, "gear", *catalogues}, "key"
        yield from ((tag, tags, "tag") for tag in (rows.where, *rows.without))
    for roll in rules.rolls.values():
        yield roll.each, rules.groups, "group"
    each = (rule for key in rules.character.values() for rule in key.each)
    for rule in (*rules.rules.values(), *each):
        yield rule.at, {*rules.character, *index.traits}, "key or trait"
        yield rule.severity, ("error", "warning", "note"), "severity"
    for table in rules.tables.values():
        yield from ((line.as_, FORMS, "way to write a figure") for line in table.lines)


def counted_keys(rules: Ruleset) -> Iterator[str]:
    """Yield the keys of a character's file that are numbers to formulas."""
    for id_, key in rules.character.items():
        if key.kind in ("number", "flag", "raises"):
            yield str(id_)


def ids(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each id that cannot be one: it names fields of forms, and places."""
    groups, catalogues = rules.groups.values(), rules.choices.values()
    below = [*(group.traits for group in groups), *(c.entries for c in catalogues)]
    parts = (rules.groups, rules.choices, rules.gear, rules.derived, rules.tracks, rules.texts)
    more = (rules.lists, rules.pools, rules.character, rules.rolls)
    for id_ in (id_ for part in (*parts, *more, *below) for id_ in part):
        if not _ID.fullmatch(id_):
            span = id_.span if isinstance(id_, Text) else rules.place
            hint = f"write `{'_'.join(folded(id_).split())}`; what readers see is its `name`"
            message = f"`{id_}` is no id: lower-case letters, digits and `_`"
            yield Finding(codes.WRONG_TYPE, span, message, hint)


_ID: Final = re.compile(r"[a-z][a-z0-9_]*")


def owners(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each id that two of the things in formulas have."""
    seen: dict[str, str] = {}
    spaces: list[tuple[str, Iterable[str]]] = [
        (a(group.one), group.traits) for group in rules.groups.values()
    ]
    spaces += [
        ("a derived value", rules.derived),
        ("an option", rules.options),
        ("a pool", rules.pools),
    ]
    for name, key in rules.character.items():
        if key.kind in ("number", "flag") and str(name) not in rules.pools:
            spaces.append(("a key of the character's file", [name]))
    for what, names in spaces:
        for name in names:
            if name in seen:
                span = name.span if isinstance(name, Text) else rules.place
                message = f"`{name}` is {seen[name]} and {what}"
                yield Finding(codes.TWO_OWNERS, span, message, "rename one")
            seen[name] = what
