"""Names that one place of a ruleset gives its formulas, besides those that all formulas see.

content/rulesets/README.md prints the same as a table; a test compares the two.
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

PLACES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "Group.price": ("`price` of a group", ("n", "limit")),
    "Limit.most": ("`most` of a limit", ("under",)),
    "Dice.buy": ("`buy` of `dice`", ("count", "faces")),
    "Dice.upgrade": ("`upgrade` of `dice`", ("count", "faces")),
    "Advances.groups": ("`groups` of `advances`", ("n", "total", "focus")),
    "Advances.gear": ("`gear` of `advances`", ("n", "adds")),
    "Derived.sum": ("`sum` of a derived value", ("n", "free", "stars", "reached", "limit")),
    "ComputedRow.value": ("`value` in a table's `lines`", ("n", "count", "faces")),
    "DiceMix.dice": ("`dice` of a roll with `each`", ("n", "under")),
    "Key.fits": ("`fits` of a key", ("closed", "n")),
    "Key.lifts": ("`lifts` of a key", ("raised",)),
    "refunds.price": ("`price` of a key of `refunds`", ("n", "free", "paid")),
    "item.price": ("`price` of a key of `item`", ("n",)),
    "items.price": ("`price` of a key of `items`", ("n",)),
    "links.each": (
        "`each` of a key of `links`",
        ("link", "size", "weakest", "least", "repeats", "elsewhere"),
    ),
    "pinned.each": (
        "`each` of a key of `pinned`",
        ("skill", "die", "n", "faces", "there", "pins"),
    ),
}
"""By class and field of the model, or by the kind of a key and its field: place and names."""


def local_formulas(rules: Ruleset) -> Iterator[tuple[Formula, frozenset[str]]]:
    """Yield every formula that counts for a build, with the names that its place gives."""
    yield from _below(rules, replace(rules, tables={}, screens={}, odds=None), frozenset())


def formulas_without_build(rules: Ruleset) -> Iterator[tuple[Formula, frozenset[str]]]:
    """Yield the formulas of tables, screens and odds, with the names that their places give."""
    for part in (rules.tables, rules.screens, rules.odds):
        yield from _below(rules, part, frozenset())


def of_each(rules: Ruleset, key: Key) -> frozenset[str]:
    """Return the names that the rules under `each` of `key` see."""
    groups = rules.groups if key.kind == "links" else ()
    return _of(f"{key.kind}.each").union(map(str, groups))


def naming_places(name: str) -> list[str]:
    """Return the places that give `name`, as the manual calls them."""
    return [place for place, names in PLACES.values() if name in names]


def _below(
    rules: Ruleset, value: Any, names: frozenset[str]
) -> Iterator[tuple[Formula, frozenset[str]]]:
    if isinstance(value, Formula):
        yield value, names
    elif dataclasses.is_dataclass(value) and not isinstance(value, Span):
        for field in dataclasses.fields(value):
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
        return of_each(rules, model)
    if isinstance(model, Key) and field == "gives":
        return frozenset(str(i) for i, key in rules.character.items() if key.kind == "text")
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
