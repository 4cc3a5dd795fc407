"""How derived values come about, as a reader would say it, before there are figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from sheetgen.model.rulesets.derived import Derived
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.expressions import (
    Binary,
    Call,
    Compare,
    Either,
    FormulaError,
    Logic,
    Name,
    Tree,
    Unary,
    Word,
    parse_formula,
)
from sheetgen.rules.formulas.notation import formula_text, terms
from sheetgen.rules.formulas.trees import inputs, walk
from sheetgen.rules.index import index_of


def label(rules: Ruleset, name: str) -> str:
    """Return what a reader calls a trait, a derived value, a pool or a number of the file."""
    if name in rules.derived:
        return rules.derived[name].label or name
    if name in rules.pools:
        return rules.pools[name].label
    if name in rules.character:
        return rules.character[name].label or name.replace("_", " ")
    return index_of(rules).titles.get(name, name)


def blank_how(rules: Ruleset, derived: Derived) -> str:
    """Return how a value comes about on an empty sheet: `10 + Heave`.

    What worn and held things add is left out, since there are none. It is empty where a
    reader could not follow the formula, so that nothing wrong stands there.
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
    """Whether all of `term` is arithmetic, the higher or lower of some, or a count of choices."""
    parts = tuple(walk(term))
    calls = {part.function for part in parts if isinstance(part, Call)}
    asks = any(isinstance(part, Either | Logic | Compare) for part in parts)
    return not asks and calls <= {*_READ} and not inputs(term) & {*map(str, rules.options)}


_READ: Final = ("max", "min", "has", "picked")
"""Functions that a reader of a sheet can follow, a choice by its name."""


def _named(rules: Ruleset, tree: Tree) -> Tree:
    """Return `tree` with the names of choices in the place of questions after them."""
    if isinstance(tree, Call) and tree.function in ("has", "picked"):
        asked = tree.arguments[0]
        name = asked.name if isinstance(asked, Name) else ""
        return Word(_choice(rules, name), tree.at)
    if isinstance(tree, Call):
        return replace(tree, arguments=tuple(_named(rules, part) for part in tree.arguments))
    if isinstance(tree, Binary):
        return replace(tree, left=_named(rules, tree.left), right=_named(rules, tree.right))
    if isinstance(tree, Unary):
        return replace(tree, operand=_named(rules, tree.operand))
    return tree


def _choice(rules: Ruleset, name: str) -> str:
    """Return what a reader calls a choice; a tag of several by itself."""
    bare = name.rpartition(".")[2]
    found = (c.entries[bare].name for c in rules.choices.values() if bare in c.entries)
    return str(next(found, bare.replace("_", " ")))
