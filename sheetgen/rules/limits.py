"""Limits of ratings as the rules list them, before any build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import Scope, integer_value
from sheetgen.rules.formulas.expressions import FormulaError

NONE, OTHERS = "none", "others"
"""Words of a limit set: nobody picked from the catalogue; the traits not named."""


def limit_in_row(row: Mapping[str, int], trait: str, most: int) -> int:
    """Return the limit of `trait` in one row of a set."""
    return row.get(trait, row.get(OTHERS, most))


def closed(rules: Ruleset, catalogue: str, entry: str, scope: Scope) -> Iterator[str]:
    """Yield the traits that the pick `entry` closes; of a group without exception its label."""
    for group in rules.groups.values():
        rule = group.limit
        if rule is None or rule.by != catalogue:
            continue
        row = rule.sets.get(str(scope.value(str(rule.option))), {}).get(entry, {})
        try:
            most = integer_value(rule.most, scope)
        except FormulaError:  # it follows what a build has, so that nothing is closed to all
            most = 1
        shut = [trait for trait in group.traits if limit_in_row(row, trait, most) == 0]
        if shut and len(shut) == len(group.traits):
            yield f"all {group.label.lower()}"
        else:
            yield from (str(group.traits[trait].name) for trait in shut)
