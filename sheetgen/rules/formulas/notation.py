"""Formula trees in mathematical notation: `n(n+1)/2`, `10 + Heave 5`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sheetgen.rules.formulas.expressions import (
    Binary,
    Call,
    Compare,
    Either,
    Logic,
    Name,
    Number,
    Tree,
    Unary,
    Word,
)
from sheetgen.rules.formulas.trees import map_children

Label = Callable[[str], str]
"""Returns the label of a name of the ruleset."""

MODIFIERS: Final = "modifiers"

_RANK: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2}
_SHOWN: Final = {"-": "−", "*": "×", "//": "/", "%": " mod "}
_POWERS: Final = " ¹²³⁴⁵⁶⁷⁸⁹"
_COMPARED: Final = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}


def formula_text(tree: Tree, label: Label = str) -> str:
    """Return `tree` as text, without spaces around single letters, as in `n(n+1)/2`."""
    match tree:
        case Number(value=value):
            return str(value)
        case Word(value=value):
            return value
        case Name(name=name):
            return label(name)
        case Unary(operator=operator, operand=operand):
            sign = "−" if operator == "-" else "not "
            return sign + _inside(operand, 3, label)
        case Binary():
            return _binary(tree, label)
        case Compare(first=first, rest=rest):
            parts = [formula_text(first, label)]
            for operator, right in rest:
                shown = _COMPARED.get(operator, operator)
                parts.append(f"{shown} {formula_text(right, label)}")
            return " ".join(parts)
        case Logic(operator=operator, parts=several):
            return f" {operator} ".join(formula_text(part, label) for part in several)
        case Either(test=test, yes=yes, no=no):
            parts = [formula_text(part, label) for part in (yes, test, no)]
            return "{} if {}, else {}".format(*parts)
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(formula_text(a, label) for a in arguments)})"


def figured_text(tree: Tree) -> tuple[str, ...]:
    """Return `tree` as text in parts: words, and at each odd place a name for its figure.

    What `modifiers` gives is called `modifiers.NAME`.
    """
    marked = formula_text(_without_calls(tree), lambda name: f"\0{name}\0")
    return tuple(marked.split("\0"))


def _without_calls(tree: Tree) -> Tree:
    if isinstance(tree, Call) and tree.function == MODIFIERS and tree.arguments:
        return Name(f"{MODIFIERS}.{formula_text(tree.arguments[0])}", tree.at)
    return map_children(tree, _without_calls)


def _binary(tree: Binary, label: Label) -> str:
    if tree.operator == "*":
        return _product(tree, label)
    rank = _RANK[tree.operator]
    left = _inside(tree.left, rank, label)
    right = _inside(tree.right, rank + (tree.operator != "+"), label)
    shown = _SHOWN.get(tree.operator, tree.operator)
    close = rank == 2 or (len(left) <= 2 and len(right) <= 2)
    return f"{left}{shown}{right}" if close else f"{left} {shown} {right}"


def _product(tree: Tree, label: Label) -> str:
    """Return a product, with powers of repeated factors: `5n`, `n²`."""
    text = ""
    for factor, times in _runs([_inside(f, 2, label) for f in _factors(tree)]):
        close = not text or factor.startswith("(") or (text.isdecimal() and _plain(factor))
        text += ("" if close else "×") + factor + (_POWERS[times] if times > 1 else "")
    return text


def _factors(tree: Tree) -> list[Tree]:
    if isinstance(tree, Binary) and tree.operator == "*":
        return [*_factors(tree.left), tree.right]
    return [tree]


def _runs(factors: list[str]) -> list[tuple[str, int]]:
    """Return the factors and how often each repeats in sequence, if a power is easy to read."""
    runs: list[tuple[str, int]] = []
    for factor in factors:
        if runs and runs[-1][0] == factor and runs[-1][1] < 9 and _based(factor):
            runs[-1] = factor, runs[-1][1] + 1
        else:
            runs.append((factor, 1))
    return runs


def _plain(factor: str) -> bool:
    return len(factor) == 1 and factor.isalpha()


def _based(factor: str) -> bool:
    return _plain(factor) or factor.startswith("(")


def _inside(tree: Tree, rank: int, label: Label) -> str:
    text = formula_text(tree, label)
    loose = isinstance(tree, Binary) and _RANK[tree.operator] < rank
    loose = loose or isinstance(tree, Compare | Logic | Either)
    return f"({text})" if loose else text


def terms(tree: Tree) -> list[tuple[str, Tree]]:
    """Return the terms of the sum `tree`, each with its sign."""
    if isinstance(tree, Binary) and tree.operator in ("+", "-"):
        right = terms(tree.right)
        if tree.operator == "-":
            right = [("+" if sign == "-" else "-", term) for sign, term in right]
        return terms(tree.left) + right
    return [("+", tree)]
