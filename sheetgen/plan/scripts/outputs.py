"""The places of a sheet that are calculated, and from what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Set

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.lines import BRACES
from sheetgen.rules.formulas.reach import Reach
from sheetgen.rules.index import index_of

Output = tuple[str | int, ...]
"""Name of the place, kind, and the arguments of the kind: `("NAME.value", "d", "NAME")`.

Kinds: `d` derived value, `h` the terms of its sum, `t` total of a rating, `p` points left, `l`
running balance of a ledger, `x` line of text, `c` cell of a list, `r` pool of dice in words.
"""

FIGURES = frozenset({"attack", "damage", "computed"})
"""Names in the rows of a list that depend on ratings."""

_NUMBERED = re.compile(r"(\w+)\.ledger\.(\d+)\.left|(\w+)\.(\d+)\.(\w+)")


def find_outputs(rules: Ruleset, names: Collection[str], read: Set[str]) -> Iterator[Output]:
    """Yield the outputs among the places `names`, in their order.

    Args:
        read: Places that are inputs; no place is both.
    """
    columns = find_live_columns(rules)
    for name in names:
        if name in read:
            continue
        found = _output(rules, name, names, columns)
        if found is not None:
            yield found


def _output(
    rules: Ruleset, name: str, names: Collection[str], columns: Mapping[str, Mapping[str, str]]
) -> Output | None:
    head, _, last = name.rpartition(".")
    if last == "value" and head in rules.derived:
        return name, "d", head
    if last == "how" and head in rules.derived and rules.derived[head].value is not None:
        return name, "h", head
    if last == "left" and head in rules.pools:
        return name, "p", head
    if last == "text" and head in rules.texts and "{" in rules.texts[head].text:
        return name, "x", head
    group, _, trait = head.partition(".")
    if last in ("total", "code") and index_of(rules).traits.get(trait, ("",))[0] == group:
        return name, "t", trait, int(last == "code")
    if head.endswith(".roll") and last == "text":
        roll, _, of = head.removesuffix(".roll").partition(".")
        return _roll(rules, name, roll, of)
    return _numbered(rules, name, names, columns)


def _roll(rules: Ruleset, name: str, head: str, trait: str) -> Output | None:
    if not trait:
        return (name, "r", head, "") if head in rules.rolls else None
    found = (str(id_) for id_, roll in rules.rolls.items() if str(roll.each) == head)
    roll = next(found, None)
    return (name, "r", roll, trait) if roll else None


def _numbered(
    rules: Ruleset, name: str, names: Collection[str], columns: Mapping[str, Mapping[str, str]]
) -> Output | None:
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    if match[1] in rules.pools:
        row = name.removesuffix("left")
        complete = f"{row}gained" in names and f"{row}cost" in names
        return (name, "l", match[1], int(match[2])) if complete else None
    if match[5] in columns.get(match[3] or "", {}):
        return name, "c", f"{match[3]}.{match[4]}", match[3], match[5]
    return None


def find_live_columns(rules: Ruleset) -> Mapping[str, Mapping[str, str]]:
    """Return the columns of lists that depend on ratings, with their texts, by list."""
    found: dict[str, dict[str, str]] = {}
    for id_, rows in rules.lists.items():
        if rows.of in rules.groups:
            continue
        for column, text in rows.columns.items():
            if list_text_names(rules, text) & FIGURES:
                found.setdefault(str(id_), {})[str(column)] = text
    return found


def list_text_names(rules: Ruleset, text: str) -> Set[str]:
    """Return the names that the formulas in the braces of `text` need."""
    reach = Reach(rules)
    for match in BRACES.finditer(text):
        reach.add(match[1])
    return reach.names
