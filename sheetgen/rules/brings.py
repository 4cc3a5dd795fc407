"""The grants and limits of a choice in a few words: figures, other choices, gear, points."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.choices import Choice, Grants
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import Scope, holds, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import value_text
from sheetgen.rules.index import index_of
from sheetgen.rules.limits import closed


def grant_texts(rules: Ruleset, entry: Choice, scope: Scope) -> Iterator[str]:
    """Yield what `entry` grants without conditions, and what it allows to take."""
    if entry.grants is not None:
        yield from _granted(rules, entry.grants, scope)
    if entry.focus is not None:
        yield f"focus {entry.focus.name}"
    if entry.offers:
        titles = index_of(rules).titles
        yield "offers " + ", ".join(titles.get(str(id_), str(id_)) for id_ in entry.offers)
    if entry.requires is not None and entry.why and not _is_met(entry.requires, scope):
        yield f"not open to all: {entry.why}"


def _is_met(condition: str, scope: Scope) -> bool:
    try:
        return holds(condition, scope)
    except FormulaError:  # it depends on the character
        return False


def closed_texts(rules: Ruleset, catalogue: str, name: str, scope: Scope) -> Iterator[str]:
    """Yield the traits that the choice closes under the limits in force."""
    index = index_of(rules).titles
    names = [index.get(trait, trait) for trait in closed(rules, catalogue, name, scope)]
    if names:
        yield "closed: " + ", ".join(names)


def _granted(rules: Ruleset, grants: Grants, scope: Scope) -> Iterator[str]:
    traits = index_of(rules).traits
    raised = {
        i: n for i, n in grants.raise_.items() if i not in traits or not traits[i][1].internal
    }
    figures = [_figure(rules, str(id_), steps, scope) for id_, steps in raised.items()]
    if figures:
        yield ", ".join(figures)
    entries = {str(i): str(e.name) for c in rules.choices.values() for i, e in c.entries.items()}
    if grants.take:
        yield "brings " + ", ".join(entries.get(id_, id_) for id_ in grants.take)
    for pool, amount in grants.start.items():
        label = rules.pools[str(pool)].label if str(pool) in rules.pools else str(pool)
        yield f"starts with {_value(amount, scope)} {label}"
    if grants.gear:
        yield "has " + ", ".join(
            str(rules.gear[id_].name) if id_ in rules.gear else id_ for id_ in grants.gear
        )
    if grants.dice:
        yield "dice " + ", ".join(grants.dice)


def _figure(rules: Ruleset, trait: str, steps: str, scope: Scope) -> str:
    index = index_of(rules)
    found = index.traits.get(trait)
    name = (found[1].short if found else "") or index.titles.get(trait, trait)
    group = rules.groups[found[0]] if found else None
    try:
        value = value_of(steps, scope)
    except FormulaError:  # it depends on the character
        return name
    dice = group is not None and group.rating == "dice" and isinstance(value, int)
    return f"{name} {code_text(int(value), pips=rules.pips) if dice else value_text(value)}"


def _value(formula: str, scope: Scope) -> str:
    try:
        return value_text(value_of(formula, scope))
    except FormulaError:
        return ""
