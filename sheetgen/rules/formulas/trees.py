"""What lies in a formula's tree: its parts, and the names that it needs."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.rules.formulas.expressions import (
    NAMING,
    Binary,
    Call,
    Compare,
    Either,
    Logic,
    Name,
    Tree,
    Unary,
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


def walk(tree: Tree) -> Iterator[Tree]:
    """Yield `tree` and all trees below it."""
    yield tree
    for child in children(tree):
        yield from walk(child)


def inputs(tree: Tree) -> frozenset[str]:
    """Return the names whose values `tree` needs, those inside `has(…)` and such left out."""
    if isinstance(tree, Name):
        return frozenset({tree.name})
    if isinstance(tree, Call) and tree.function in NAMING:
        return frozenset()
    return frozenset().union(*(inputs(child) for child in children(tree)))
