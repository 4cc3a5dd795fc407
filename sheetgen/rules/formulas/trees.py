"""Traversal of formula trees: children, all parts, and the names that a tree needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from sheetgen.rules.formulas.expressions import (
    NAMING,
    Binary,
    Call,
    Compare,
    Either,
    Logic,
    Name,
    Number,
    Tree,
    Unary,
    parse_formula,
)


def children(tree: Tree) -> tuple[Tree, ...]:
    """Return the trees directly below `tree`, in the order of the text."""
    match tree:
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return left, right
        case Compare(first=first, rest=rest):
            return first, *(right for _, right in rest)
        case Logic(parts=parts):
            return parts
        case Either(test=test, yes=yes, no=no):
            return yes, test, no
        case Call(arguments=arguments):
            return arguments
    return ()


def map_children(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """Return `tree` with `change` applied to each tree directly below it."""
    match tree:
        case Unary(operator=operator, operand=operand, at=at):
            return Unary(operator, change(operand), at)
        case Binary(operator=operator, left=left, right=right, at=at):
            return Binary(operator, change(left), change(right), at)
        case Compare(first=first, rest=rest, at=at):
            return Compare(change(first), tuple((o, change(right)) for o, right in rest), at)
        case Logic(operator=operator, parts=parts, at=at):
            return Logic(operator, tuple(map(change, parts)), at)
        case Either(test=test, yes=yes, no=no, at=at):
            return Either(change(test), change(yes), change(no), at)
        case Call(function=function, arguments=arguments, at=at):
            return Call(function, tuple(map(change, arguments)), at)
    return tree


def walk(tree: Tree) -> Iterator[Tree]:
    """Yield `tree` and all trees below it."""
    yield tree
    for child in children(tree):
        yield from walk(child)


def inputs(tree: Tree) -> frozenset[str]:
    """Return the names whose values `tree` needs, without those inside `has(…)` and the like."""
    if isinstance(tree, Name):
        return frozenset({tree.name})
    if isinstance(tree, Call) and tree.function in NAMING:
        return frozenset()
    return frozenset().union(*(inputs(child) for child in children(tree)))


@lru_cache(maxsize=4096)
def fixed_integer(text: str) -> int | None:
    """Return the value of a formula that is only a whole number; None for any other."""
    tree = parse_formula(text)
    if isinstance(tree, Number) and isinstance(tree.value, int):
        return int(tree.value)
    return None
