"""How derived values come about, as a reader would say it, before there are figures."""

from __future__ import annotations

from sheetgen.model.ruleset import Derived, Ruleset
from sheetgen.rules.expressions import Call, FormulaError, parse
from sheetgen.rules.index import index_of
from sheetgen.rules.notation import terms, written


def label(rules: Ruleset, name: str) -> str:
    """Return what a reader calls a trait, a derived value or a pool."""
    if name in rules.derived:
        return rules.derived[name].label or name
    if name in rules.pools:
        return rules.pools[name].label
    return index_of(rules).titles.get(name, name)


def blank_how(rules: Ruleset, derived: Derived) -> str:
    """Return how a value comes about on an empty sheet: `10 + Heave`."""
    if derived.blank or derived.value is None:
        return derived.blank
    try:
        found = [term for _, term in terms(parse(derived.value))]
    except FormulaError:
        return ""
    plain = (term for term in found if not isinstance(term, Call))
    return " + ".join(written(term, lambda name: label(rules, name)) for term in plain)
