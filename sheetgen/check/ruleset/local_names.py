"""Names that one place of a ruleset gives its formulas, besides those that all formulas see.

docs/reference/keys-formulas.md is written from the table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.derived import DiceMix
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.shape import Formula

PLACES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "Group.price": (
        "`price` of a group",
        {"n": "the step that is bought", "limit": "the trait's limit, 999 where there is none"},
    ),
    "Limit.most": (
        "`most` of a limit",
        {"under": "the rating of the trait that governs it, 0 where none does"},
    ),
    "Dice.buy": (
        "`buy` of `dice`",
        {"count": "how many dice there are with the new one", "faces": "faces of the new die"},
    ),
    "Dice.upgrade": (
        "`upgrade` of `dice`",
        {"count": "how many dice there are", "faces": "faces of the rung that is reached"},
    ),
    "Advances.groups": (
        "`groups` of `advances`",
        {
            "n": "own steps after the advance",
            "total": "the whole rating after it",
            "focus": "steps that came with a focus",
        },
    ),
    "Advances.gear": (
        "`gear` of `advances`",
        {
            "n": "the item's dice or bonus after the advance",
            "adds": "the rating that its damage adds",
        },
    ),
    "Derived.sum": (
        "`sum` of a derived value",
        {
            "n": "the trait's own rating",
            "free": "the part of it that was granted",
            "stars": "its stars",
            "reached": "the highest rating that it ever had",
            "limit": "its limit",
        },
    ),
    "ComputedRow.value": (
        "`value` in a table's `lines`",
        {"n": "the value of the column", "count": "the same as `n`", "faces": "`faces` of the row"},
    ),
    "DiceMix.dice": (
        "`dice` of a roll with `each`",
        {"n": "the trait's own rating", "under": "the rating of the trait that governs it"},
    ),
    "Key.fits": (
        "`fits` of a key",
        {
            "closed": "1 where what the trait needs does not hold",
            "n": "the trait's rating without what later keys give",
        },
    ),
    "Key.lifts": (
        "`lifts` of a key",
        {"raised": "steps that the key gave the trait that governs the listed one"},
    ),
    "refunds.price": (
        "`price` of a key of `refunds`",
        {
            "n": "the step that is sold",
            "free": "the part of the rating that was granted",
            "paid": "the price of the step by its group",
        },
    ),
    "texts.price": (
        "`price` of a key of `texts`",
        {
            "n": "steps above the parent of the trait, with this one",
            "total": "the whole code with this step",
        },
    ),
    "item.price": ("`price` of a key of `item`", {"n": "dice of an item of the author's own"}),
    "items.price": ("`price` of a key of `items`", {"n": "dice of an item of the author's own"}),
    "links.each": (
        "`each` of a key of `links`",
        {
            "link": "the name of the link",
            "size": "how many traits it has",
            "weakest": "its trait with the lowest rating",
            "least": "the rating of that trait",
            "repeats": "traits that it has twice",
            "elsewhere": "traits of earlier links; also the id of each group: how many it has",
        },
    ),
    "pinned.each": (
        "`each` of a key of `pinned`",
        {
            "skill": "the trait",
            "die": "the die",
            "n": "the trait's rating",
            "faces": "faces of the die",
            "there": "how many dice of that kind there are",
            "pins": "how many of them are pinned so far",
        },
    ),
}
"""By class and field of the model, or by the kind of a key and its field: the place, and what each
of its names means."""


def local_formulas(rules: Ruleset) -> Iterator[tuple[Formula, frozenset[str]]]:
    """Yield every formula of a build, with the names that its place gives."""
    yield from _below(rules, replace(rules, tables={}, screens={}, odds=None), frozenset())


def formulas_without_build(rules: Ruleset) -> Iterator[tuple[Formula, frozenset[str]]]:
    """Yield the formulas of tables, screens and odds, with the names that their places give."""
    for part in (rules.tables, rules.screens, rules.odds):
        yield from _below(rules, part, frozenset())


def names_of_each(rules: Ruleset, key: Key) -> frozenset[str]:
    """Return the names that the rules under `each` of `key` see."""
    groups = rules.groups if key.kind == "links" else ()
    return _of(f"{key.kind}.each").union(map(str, groups))


def naming_places(name: str) -> list[str]:
    """Return the places that give `name`, in words."""
    return [place for place, names in PLACES.values() if name in names]


def _below(
    rules: Ruleset, value: Any, names: frozenset[str]
) -> Iterator[tuple[Formula, frozenset[str]]]:
    if isinstance(value, Formula):
        yield value, names
    elif dataclasses.is_dataclass(value) and not isinstance(value, Span):
        for field in dataclasses.fields(value):
            if isinstance(value, Key) and field.name == "gives":
                continue  # they see the names of whoever is named: `check_kinds`
            inner = names | _names(rules, value, field.name)
            yield from _below(rules, getattr(value, field.name), inner)
    elif isinstance(value, Mapping):
        for head, below in value.items():
            if value is rules.formulas:
                yield below, frozenset(_parameters(str(head)))
            else:
                yield from _below(rules, below, names)
    elif isinstance(value, tuple):
        for below in value:
            yield from _below(rules, below, names)


def _names(rules: Ruleset, model: Any, field: str) -> frozenset[str]:
    if isinstance(model, Key) and field == "each":
        return names_of_each(rules, model)
    if isinstance(model, Key) and f"{model.kind}.{field}" in PLACES:
        return _of(f"{model.kind}.{field}")
    if isinstance(model, DiceMix) and model.each is None:
        return frozenset()
    return _of(f"{type(model).__name__}.{field}")


def _of(place: str) -> frozenset[str]:
    return frozenset(PLACES[place][1] if place in PLACES else ())


def _parameters(head: str) -> Iterator[str]:
    _, _, listed = head.partition("(")
    yield from filter(None, (name.strip() for name in listed.rstrip(") ").split(",")))
