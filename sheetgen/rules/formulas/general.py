"""A formula for any `n`: named formulas are expanded, and branches that never apply are dropped."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.rules.formulas.evaluate import Scope, evaluate
from sheetgen.rules.formulas.expressions import (
    Call,
    Compare,
    Either,
    FormulaError,
    Logic,
    Name,
    Tree,
    parse_formula,
)
from sheetgen.rules.formulas.trees import map_children

MOST_DEPTH = 8
"""How deeply named formulas may call each other."""


def general(tree: Tree, scope: Scope, depth: int = 0) -> Tree:
    """Return `tree` with named formulas expanded, and for each `if` the branch that applies.

    Args:
        scope: Where the conditions are evaluated; for a row of a table that of its last cell.

    Raises:
        FormulaError: A condition has no value, or formulas call each other too deeply.
    """
    match tree:
        case Either(test=test, yes=yes, no=no):
            return general(yes if evaluate(test, scope) else no, scope, depth)
        case Compare() | Logic():
            return tree
    tree = map_children(tree, lambda child: general(child, scope, depth))
    named = scope.formula(tree.function) if isinstance(tree, Call) else None
    if not isinstance(tree, Call) or named is None:
        return tree
    if depth >= MOST_DEPTH:
        raise FormulaError("named formulas call each other too deeply", tree.at)
    parameters, text = named
    if len(parameters) != len(tree.arguments):
        raise FormulaError(f"`{tree.function}` takes {len(parameters)} values", tree.at)
    arguments = dict(zip(parameters, tree.arguments, strict=True))
    return general(substitute(parse_formula(text), arguments), scope, depth + 1)


def substitute(tree: Tree, names: Mapping[str, Tree]) -> Tree:
    """Return `tree` with trees in place of some of its names."""
    if isinstance(tree, Name):
        return names.get(tree.name, tree)
    return map_children(tree, lambda child: substitute(child, names))
