"""The places of a sheet that are calculated, and from what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Set

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.formulas import Formulas
from sheetgen.rules.formulas.reach import Reach
from sheetgen.rules.index import index_of

Output = tuple[str | int, ...]
"""Name of the place, kind, and the arguments of the kind: `("NAME.value", "d", "NAME")`.

Kinds: `d` derived value, `h` the terms of its sum, `t` total of a rating, `p` points left, `l`
running balance of a ledger, `x` line of text, `c` cell of a list, `r` pool of dice in words, `o`
what is beyond the boxes of a rating or a track, `s` the state that a box of a track leads to.
"""

_OF_ITEMS = frozenset(
    (
        "name",
        "times",
        "count",
        "cost",
        "special",
        "conditional",
        "note",
        "modifiers",
        "dice",
        "bonus",
    )
)
_OF_CHOICES = frozenset(("name", "times", "text", "computed"))
"""Names in the rows of a list; attack and damage, too, which depend on ratings."""

_NUMBERED = re.compile(r"(\w+)\.ledger\.(\d+)\.left|(\w+)\.(\d+)\.(\w+)")


def find_outputs(
    rules: Ruleset, names: Collection[str], columns: Mapping[str, Mapping[str, str]], read: Set[str]
) -> Iterator[Output]:
    """Yield the outputs among the places `names`, in their order.

    Args:
        columns: Columns of lists that are computed; see `find_live_columns`.
        read: Places that are inputs; no place is both.
    """
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
    if last == "over" and (head in rules.tracks or trait):
        return name, "o", trait or head, int(not trait), _boxes_of(rules, names, head)
    if trait == "step" and group in rules.tracks and last.isdigit():
        return name, "s", group, int(last)
    if head.endswith(".roll") and last == "text":
        roll, _, of = head.removesuffix(".roll").partition(".")
        return _roll(rules, name, roll, of)
    return _numbered(rules, name, names, columns)


def _boxes_of(rules: Ruleset, names: Collection[str], head: str) -> int:
    """Return how many boxes a track or a rating has on the sheet."""
    stem, count = f"{head}.box" if head in rules.tracks else head, 0
    while f"{stem}.{count + 1}" in names:
        count += 1
    return count


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


def find_live_columns(formulas: Formulas) -> Mapping[str, Mapping[str, str]]:
    """Return the columns of lists that depend on fields of the sheet, with their texts, by list.

    The column that names what is in a row is typed, except for traits, which have ratings.
    """
    rules, found = formulas.rules, dict[str, dict[str, str]]()
    moving = _moving_names(formulas)
    for id_, rows in rules.lists.items():
        traits = rows.of in rules.groups
        if traits and rows.of not in formulas.inputs.groups:
            continue
        names = _OF_CHOICES if rows.of.startswith("choices.") else _OF_ITEMS
        for column, text in rows.columns.items():
            used = list_text_names(rules, text)
            named = not traits and column == naming_column(rules, str(id_))
            if not named and (traits or used & moving or formulas.live_text(text, names)):
                found.setdefault(str(id_), {})[str(column)] = text
    return found


def _moving_names(formulas: Formulas) -> Set[str]:
    """Return the names in the rows of lists that depend on fields of the sheet."""
    gear = formulas.rules.gear.values()
    moving = {"attack", "damage", "computed"}
    if any(formulas.live_text(item.conditional, _OF_ITEMS) for item in gear):
        moving |= {"conditional", "note"}
    if any(formulas.live(item.modifies.values()) for item in gear):
        moving.add("modifiers")
    return moving


def list_text_names(rules: Ruleset, text: str) -> Set[str]:
    """Return the names that the formulas in the braces of `text` need."""
    reach = Reach(rules)
    reach.add_line(text)
    return reach.names


def naming_column(rules: Ruleset, list_: str) -> str:
    """Return the column of a list with the names of items; else its first column."""
    columns = rules.lists[list_].columns
    named = (str(column) for column, text in columns.items() if "{name}" in text)
    return next(named, str(next(iter(columns), "")))
