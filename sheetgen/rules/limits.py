"""Limits of ratings in the rules, independent of any build."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import Scope, integer_value
from sheetgen.rules.formulas.expressions import FormulaError

NONE, OTHERS = "none", "others"
"""Keys of a limit set: no pick from the catalogue, and the traits without a key of their own."""


def limit_in_row(row: Mapping[str, int], trait: str, most: int) -> int:
    """Return the limit of `trait` in one row of a set."""
    return row.get(trait, row.get(OTHERS, most))


def closed(rules: Ruleset, catalogue: str, entry: str, scope: Scope) -> Iterator[str]:
    """Yield the names of the traits that the pick `entry` closes, or of a wholly closed group."""
    for group in rules.groups.values():
        rule = group.limit
        if rule is None or rule.by != catalogue:
            continue
        row = rule.sets.get(str(scope.value(str(rule.option))), {}).get(entry, {})
        try:
            most = integer_value(rule.most, scope)
        except FormulaError:  # it depends on the build, so that it closes nothing for everybody
            most = 1
        names = [trait for trait in group.traits if limit_in_row(row, trait, most) == 0]
        if names and len(names) == len(group.traits):
            yield f"all {group.label.lower()}"
        else:
            yield from (str(group.traits[trait].name) for trait in names)
