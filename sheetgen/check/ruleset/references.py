"""Names in a ruleset that lead nowhere, and ids that two things share or that cannot be ids.

The models say which fields name something (`Ref`, `OneOf`); what a name may be is worked out
here. Names whose meaning depends on the entry around them are in `_dependent`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, TypeAlias, Union, get_args, get_origin

from sheetgen.check.character.options import NUMBER, YES_OR_NO
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Hint
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.diag.words import a
from sheetgen.load.designs.game_faces import face_ids
from sheetgen.load.designs.templates import card_ids, sheet_ids
from sheetgen.load.rulesets.kinds import PARTS
from sheetgen.load.rulesets.rulesets import FACE_FILE
from sheetgen.load.shapes import model_fields
from sheetgen.model.rulesets.choices import Grants
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.origins import Composition
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Group
from sheetgen.model.shape import OneOf, Ref
from sheetgen.model.source import text_place
from sheetgen.rules.index import Index, walk_model
from sheetgen.rules.names import folded
from sheetgen.rules.tables.compute import OTHERS
from sheetgen.rules.tables.stock import kind_of_tables
from sheetgen.rules.tables.things import catalogues, things

KnownNames: TypeAlias = Mapping[str, Collection[str]]
"""What names may be, by `Ref.to`."""

DependentNames: TypeAlias = Iterable[tuple[object, Iterable[str], str]]
"""A name (or None), what it may be, and what messages call such a thing."""


def known_names_of(rules: Ruleset, index: Index) -> dict[str, Collection[str]]:
    """Return what the names of a ruleset may be, by `Ref.to`."""
    numbers = [*counted_keys(rules), *rules.derived]
    key_tags = {tag for key in rules.character.values() for tag in key.tags}
    choice_lists = [f"choices.{id_}" for id_ in rules.choices]
    return {
        "card": card_ids(),
        "catalogue": rules.choices,
        "choice": {str(id_) for listed in rules.choices.values() for id_ in listed.entries},
        "derived value": rules.derived,
        "formula": index.formulas,
        "grid of odds": rules.odds.grids if rules.odds else (),
        "group": rules.groups,
        "group or text": {*rules.groups, "text"},
        "item": rules.gear,
        "key": rules.character,
        "key or trait": {*rules.character, *index.traits},
        "list": rules.lists,
        "number": {*index.traits, *numbers},
        "number without a rating": numbers,
        "option": rules.options,
        "part of the rules": {*PARTS, "advances", "given", *list_parts(rules)},
        "pool": rules.pools,
        "roll": rules.rolls,
        "roll of odds": rules.odds.rolls if rules.odds else (),
        "roll or trait": {*rules.rolls, *index.traits},
        "face": (*face_ids(), *_own_face(rules)),
        "sheet": card_ids() if rules.composition.one != Composition().one else sheet_ids(),
        "table": rules.tables,
        "tag": {*index.tags, *key_tags},
        "things with rows": {*_listable(rules), *rules.groups, "gear", *choice_lists},
        "track": rules.tracks,
        "trait": index.traits,
        "trait or key": {*index.traits, *rules.character},
    }


def _listable(rules: Ruleset) -> Iterator[str]:
    """Yield the keys whose values a list has rows for."""
    yield from (i for i, key in rules.character.items() if key.kind in ("item", "items", "texts"))


def list_parts(rules: Ruleset) -> Iterator[str]:
    """Yield the names of single parts that a kind may keep, such as `derived.guard`."""
    yield from (f"{part}.{id_}" for part in PARTS for id_ in getattr(rules, part))


def _own_face(rules: Ruleset) -> tuple[str, ...]:
    return (rules.face,) if rules.face and Path(rules.face).name == FACE_FILE else ()


def check_references(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield a finding for each name that leads nowhere, but for those in odds and encounters."""
    plain = dataclasses.replace(rules, kinds={}, encounter=None, odds=None)
    yield from check_marked_names(plain, known_names_of(rules, index), rules.place)
    yield from check_known_names(_dependent(rules, index), rules.place)


def check_marked_names(model: Any, known: KnownNames, place: Span) -> Iterator[Finding]:
    """Yield a finding for each marked name in `model` that is not in `known`.

    Names are skipped that `known` says nothing about. `place` is for names without one.
    """
    for name, mark in _marked_names(model, type(model)):
        if isinstance(mark, OneOf):
            yield from check_known_names(((name, mark.words, mark.what),), place)
        elif mark.to in known:
            yield from check_known_names(((name, known[mark.to], mark.what or mark.to),), place)


def check_known_names(
    names: Iterable[tuple[object, Iterable[str], str]], place: Span
) -> Iterator[Finding]:
    """Yield a finding for each name that is none of those that it may be."""
    for name, known, what in names:
        if isinstance(name, str) and name not in known:
            hint = suggestion(name, sorted(map(str, known)))
            message = f"there is no {what} `{name}`"
            yield Finding(codes.DANGLING, text_place(name, place), message, hint)


def _marked_names(value: Any, kind: Any) -> Iterator[tuple[str, Ref | OneOf]]:
    """Yield the texts in a value that its annotation `kind` marks, with their marks."""
    if value is None:
        return
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        for spec in model_fields(kind).values():
            yield from _marked_names(getattr(value, spec.name), spec.kind)
        return
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated and isinstance(args[1], Ref | OneOf):
        yield value, args[1]
    elif origin in (Union, UnionType):
        yield from _marked_names(value, args[0])
    elif origin is tuple:
        for one in value:
            yield from _marked_names(one, args[0])
    elif origin is Mapping:
        for key, below in value.items():
            yield from _marked_names(key, args[0])
            yield from _marked_names(below, args[1])


def _dependent(rules: Ruleset, index: Index) -> DependentNames:
    for group in rules.groups.values():
        yield from _limits(group, rules)
    for grants in walk_model((rules.choices, rules.given)):
        if isinstance(grants, Grants):
            for catalogue, entry in grants.set.items():
                if catalogue in rules.choices:
                    yield entry, rules.choices[catalogue].entries, "choice"
    for id_, key in rules.character.items():
        yield from _subjects(id_, key, rules)
    for table in rules.tables.values():
        if not kind_of_tables(table.of):
            yield table.of, catalogues(rules), "catalogue"
            known = {*index.tags, OTHERS, *things(rules, str(table.of))}
            for tag in (*table.where, *table.without, *table.parts):
                yield tag, known, "tag"


def _limits(group: Group, rules: Ruleset) -> DependentNames:
    if group.limit is None:
        return
    by = rules.choices.get(str(group.limit.by))
    for row in group.limit.sets.values():
        yield from ((pick, {*(by.entries if by else ()), "none"}, "choice") for pick in row)
        for traits in row.values():
            yield from ((trait, {*group.traits, "others"}, "trait") for trait in traits)
    option = rules.options.get(str(group.limit.option))
    if option is not None and NUMBER not in option.values:
        values = ("True", "False") if YES_OR_NO in option.values else option.values
        yield from ((name, values, "value of its option") for name in group.limit.sets)


def _subjects(id_: str, key: Key, rules: Ruleset) -> DependentNames:
    if key.kind in ("choice", "choices"):
        yield from ((of, rules.choices, "catalogue") for of in key.of or (id_,))
        yield from ((of, key.of[:1], "second catalogue for one key,") for of in key.of[1:])
    elif key.kind in ("ratings", "raises", "refunds", "losses", "codes"):
        yield from ((of, rules.groups, "group") for of in key.of or (id_,))
    elif not key.gives:  # `of` are kinds then, which the rules of a kind do not have
        yield from ((of, {*rules.character, *rules.pools}, "key") for of in key.of)


def counted_keys(rules: Ruleset) -> Iterator[str]:
    """Yield the keys of a character's file that are numbers to formulas."""
    for id_, key in rules.character.items():
        if key.kind in ("number", "flag", "raises") or key.narrows:
            yield str(id_)


def check_ids(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each id that form fields and formulas cannot use."""
    groups, catalogues = rules.groups.values(), rules.choices.values()
    below = [*(group.traits for group in groups), *(c.entries for c in catalogues)]
    parts = (rules.groups, rules.choices, rules.gear, rules.derived, rules.tracks, rules.texts)
    more = (rules.lists, rules.pools, rules.character, rules.rolls)
    for id_ in (id_ for part in (*parts, *more, *below) for id_ in part):
        if not _ID.fullmatch(id_):
            word = "_".join(folded(id_).split())
            shown = "what readers see is its `name`"
            fix = Hint(f"write `{word}`; {shown}", id_, word)
            hint = fix if _ID.fullmatch(word) else f"begin with a letter; {shown}"
            message = f"`{id_}` is no id: use lower-case letters, digits and `_`"
            yield Finding(codes.WRONG_TYPE, text_place(id_, rules.place), message, hint)


_ID: Final = re.compile(r"[a-z][a-z0-9_]*")


def check_owners(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each id that formulas could read as two things."""
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
                span = text_place(name, rules.place)
                message = f"`{name}` is {seen[name]} and {what}"
                yield Finding(codes.TWO_OWNERS, span, message, "rename one")
            seen[name] = what
