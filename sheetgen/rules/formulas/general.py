"""A formula as it holds in general: named formulas written out, cases of no use left out."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.rules.formulas.evaluate import Scope, evaluate
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
    parse_formula,
)

MOST_DEPTH = 8
"""How deeply named formulas may call each other."""


def general(tree: Tree, scope: Scope, depth: int = 0) -> Tree:
    """Return `tree` with named formulas written out, and of each `if` the part that holds.

    Args:
        scope: Says what holds; of a row of a table, that of its last cell.

    Raises:
        FormulaError: It cannot be said, or formulas call each other too deeply.
    """
    match tree:
        case Unary(operator=operator, operand=operand, at=at):
            return Unary(operator, general(operand, scope, depth), at)
        case Binary(operator=operator, left=left, right=right, at=at):
            return Binary(operator, general(left, scope, depth), general(right, scope, depth), at)
        case Either(test=test, yes=yes, no=no):
            return general(yes if evaluate(test, scope) else no, scope, depth)
        case Call(function=function, arguments=arguments, at=at):
            inner = tuple(general(argument, scope, depth) for argument in arguments)
            named = scope.formula(function)
            if named is None:
                return Call(function, inner, at)
            if depth >= MOST_DEPTH:
                raise FormulaError("named formulas call each other too deeply", at)
            parameters, text = named
            if len(parameters) != len(inner):
                raise FormulaError(f"`{function}` takes {len(parameters)} values", at)
            told = dict(zip(parameters, inner, strict=True))
            return general(substitute(parse_formula(text), told), scope, depth + 1)
    return tree


def substitute(tree: Tree, names: Mapping[str, Tree]) -> Tree:
    """Return `tree` with trees in place of some of its names."""
    match tree:
        case Name(name=name):
            return names.get(name, tree)
        case Unary(operator=operator, operand=operand, at=at):
            return Unary(operator, substitute(operand, names), at)
        case Binary(operator=operator, left=left, right=right, at=at):
            return Binary(operator, substitute(left, names), substitute(right, names), at)
        case Compare(first=first, rest=rest, at=at):
            return Compare(
                substitute(first, names), tuple((o, substitute(t, names)) for o, t in rest), at
            )
        case Logic(operator=operator, parts=parts, at=at):
            return Logic(operator, tuple(substitute(part, names) for part in parts), at)
        case Either(test=test, yes=yes, no=no, at=at):
            return Either(
                substitute(test, names), substitute(yes, names), substitute(no, names), at
            )
        case Call(function=function, arguments=arguments, at=at):
            return Call(function, tuple(substitute(argument, names) for argument in arguments), at)
    return tree
