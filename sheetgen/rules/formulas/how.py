"""The formulas of derived values as text for empty sheets."""

from __future__ import annotations

from typing import Final

from sheetgen.model.rulesets.derived import Derived
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.expressions import (
    Call,
    Compare,
    Either,
    FormulaError,
    Logic,
    Name,
    Tree,
    Word,
    parse_formula,
)
from sheetgen.rules.formulas.notation import formula_text, terms
from sheetgen.rules.formulas.trees import inputs, map_children, walk
from sheetgen.rules.index import index_of


def label(rules: Ruleset, name: str) -> str:
    """Return the label of a trait, a derived value, a pool or a number of the file."""
    if name in rules.derived:
        return rules.derived[name].label or name.replace("_", " ")
    if name in rules.pools:
        return rules.pools[name].label
    if name in rules.character:
        return rules.character[name].label or name.replace("_", " ")
    return index_of(rules).titles.get(name, name.replace("_", " "))


def blank_how(rules: Ruleset, derived: Derived) -> str:
    """Return the formula of a value for an empty sheet: `10 + Heave`.

    Modifiers of worn and held items are left out, since an empty sheet has none. The text is
    empty if the formula has more than a reader can follow.
    """
    if derived.blank or derived.value is None:
        return derived.blank
    try:
        parts = [part for part in terms(parse_formula(derived.value)) if not _worn(part[1])]
    except FormulaError:
        return ""
    if not all(_readable(rules, term) for _, term in parts):
        return ""
    text = ""
    for sign, term in parts:
        shown = formula_text(_named(rules, term), lambda name: label(rules, name))
        text += f" {'−' if sign == '-' else '+'} {shown}" if text else _first(sign) + shown
    return text


def _first(sign: str) -> str:
    return "−" if sign == "-" else ""


def _worn(term: Tree) -> bool:
    return isinstance(term, Call) and term.function == "modifiers"


def _readable(rules: Ruleset, term: Tree) -> bool:
    """Whether `term` has only arithmetic, `max`, `min` and counts of choices."""
    parts = tuple(walk(term))
    calls = {part.function for part in parts if isinstance(part, Call)}
    asks = any(isinstance(part, Either | Logic | Compare) for part in parts)
    return not asks and calls <= {*_READ} and not inputs(term) & {*map(str, rules.options)}


_READ: Final = ("max", "min", "has", "picked")
"""Functions that a reader of a sheet can follow."""


def _named(rules: Ruleset, tree: Tree) -> Tree:
    """Return `tree` with `has(…)` and `picked(…)` replaced by the names of their choices."""
    if isinstance(tree, Call) and tree.function in ("has", "picked"):
        asked = tree.arguments[0]
        name = asked.name if isinstance(asked, Name) else ""
        return Word(_choice(rules, name), tree.at)
    return map_children(tree, lambda part: _named(rules, part))


def _choice(rules: Ruleset, name: str) -> str:
    """Return the name of a choice; for a tag, the tag."""
    bare = name.rpartition(".")[2]
    found = (c.entries[bare].name for c in rules.choices.values() if bare in c.entries)
    return str(next(found, bare.replace("_", " ")))
