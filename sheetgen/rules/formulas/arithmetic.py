"""The operators and functions of formulas, exact and within bounds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final, TypeAlias

from sheetgen.rules.formulas.expressions import FormulaError

Value: TypeAlias = int | Fraction | bool | str
Numeric: TypeAlias = int | Fraction

MOST = 10**12
"""The largest absolute value."""

MOST_PART = 2**26
"""The largest numerator and denominator: viewers compute with 53 bits, and products have to fit."""


def bounded(value: Value, at: int) -> Numeric:
    """Return a number; one that is too large, or a text, is a `FormulaError` at `at`."""
    if isinstance(value, str) or not -MOST <= value <= MOST:
        raise FormulaError("this grows beyond bounds", at)
    if isinstance(value, int):
        return value
    if value.denominator == 1:
        return value.numerator
    if value.denominator > MOST_PART or abs(value.numerator) > MOST_PART:
        raise FormulaError("this fraction grows beyond bounds", at)
    return value


def _over(a: Numeric, b: Numeric) -> Numeric:
    return Fraction(a) / Fraction(b)


def _fit(a: Numeric, b: Numeric) -> int:
    """Return the quotient rounded down; that of fractions is bounded before."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    return floor(bounded(_over(a, b), 0))


def _sum(values: Sequence[Numeric]) -> Numeric:
    total: Numeric = 0
    for value in values:
        total = bounded(total + value, 0)
    return total


ARITHMETIC: Final[Mapping[str, Callable[[Numeric, Numeric], Numeric]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _over,
    "//": _fit,
    "%": lambda a, b: a - b * _fit(a, b),
}
COMPARISON: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ONE: Final = frozenset({"abs", "ceil", "floor"})
FUNCTIONS: Final[Mapping[str, Callable[[Sequence[Numeric]], Numeric]]] = {
    "min": lambda values: min(values),
    "max": lambda values: max(values),
    "sum": _sum,
    "abs": lambda values: max(values[0], -values[0]),
    "ceil": lambda values: ceil(values[0]),
    "floor": lambda values: floor(values[0]),
}
