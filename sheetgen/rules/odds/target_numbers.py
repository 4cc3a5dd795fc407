"""Target numbers by name, from a table of the ruleset that prints them anyway."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sheetgen.model.rulesets.odds import RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.names import folded

_NUMBER = re.compile(r"\d+")


def target_numbers(
    roll: RollRules, rules: Ruleset | None
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return target numbers by folded name, and the names as they are printed.

    Of `30+` or `11–15` the first number counts. A table or column that is not there gives
    nothing; the checks of the ruleset have said so.
    """
    found, shown = {}, []
    for name, number in _named(roll, rules):
        found[folded(name)] = number
        shown.append(name)
    for other, name in (roll.targets.also if roll.targets else {}).items():
        if folded(name) in found:
            found.setdefault(folded(other), found[folded(name)])
    return found, tuple(shown)


def _named(roll: RollRules, rules: Ruleset | None) -> Iterator[tuple[str, int]]:
    table = rules.tables.get(str(roll.targets.table)) if rules and roll.targets else None
    if table is None or roll.targets is None:
        return
    heads = [str(head) for head in table.columns]
    if roll.targets.name not in heads or roll.targets.number not in heads:
        return
    name, number = heads.index(roll.targets.name), heads.index(roll.targets.number)
    for row in table.rows:
        figure = _NUMBER.search(row[number])
        if figure is not None:
            yield row[name], int(figure[0])
