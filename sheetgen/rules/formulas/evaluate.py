"""A formula's tree to its value, exactly: whole numbers and fractions, never floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final, Protocol, TypeAlias

from sheetgen.model import codes
from sheetgen.rules.formulas.expressions import (
    COUNTING,
    NAMING,
    WRITING,
    Binary,
    Call,
    Compare,
    Either,
    FormulaError,
    Logic,
    Name,
    Number,
    Tree,
    Unary,
    Word,
    parse_formula,
)

Value: TypeAlias = int | Fraction | bool | str

MOST_CALLS = 500
"""How many named formulas one call may lead to: they could call each other doubly."""

MOST = 10**12
"""No value may grow beyond this; sheets have no use for it."""

MOST_PART = 2**26
"""Neither number of a fraction may: viewers compute with 53 bits, and products have to fit."""


class Scope(Protocol):
    """What gives a formula's names their values."""

    def value(self, name: str) -> Value | None:
        """Return the value of `name`, or None if nothing carries that name."""

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return what one of the functions in `NAMING` says of `names`."""

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the parameters and the text of the named formula, or None."""


def evaluate(tree: Tree, scope: Scope, depth: int = 0) -> Value:
    """Return the value of `tree`.

    Raises:
        FormulaError: A name has no value, something is divided by nothing or grows
            beyond bounds, or texts are computed with.
    """
    return _WORK[type(tree)](tree, scope, depth)


def integer_value(text: str, scope: Scope) -> int:
    """Return the value of the formula `text`, which has to be a whole number."""
    value = value_of(text, scope)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    raise FormulaError("this has to be a whole number")


def holds(text: str, scope: Scope) -> bool:
    """Return whether the formula `text` is true, or not nought."""
    return bool(value_of(text, scope))


def value_of(text: str, scope: Scope) -> Value:
    """Return the value of the formula `text`."""
    try:
        return evaluate(parse_formula(text), scope)
    except RecursionError:
        raise FormulaError("values need each other too deeply") from None


def _bounded(value: Value, at: int) -> Value:
    if isinstance(value, str) or not -MOST <= value <= MOST:
        raise FormulaError("this grows beyond bounds", at)
    if isinstance(value, int):
        return value
    if value.denominator == 1:
        return value.numerator
    if value.denominator > MOST_PART or abs(value.numerator) > MOST_PART:
        raise FormulaError("this fraction grows beyond bounds", at)
    return value


def _counted(tree: Tree, scope: Scope, depth: int) -> int | Fraction:
    value = evaluate(tree, scope, depth)
    if isinstance(value, str):
        raise FormulaError(f"`{value}` is not a number", tree.at)
    return value


def _constant(tree: Number | Word, _: Scope, __: int) -> Value:
    return tree.value


def _name(tree: Name, scope: Scope, _: int) -> Value:
    found = scope.value(tree.name)
    if found is None:
        raise FormulaError(f"nothing is called `{tree.name}`", tree.at, len(tree.name))
    return found


def _logic(tree: Logic, scope: Scope, depth: int) -> Value:
    stop = tree.operator == "or"
    for part in tree.parts:
        if bool(evaluate(part, scope, depth)) is stop:
            return stop
    return not stop


def _either(tree: Either, scope: Scope, depth: int) -> Value:
    return evaluate(tree.yes if evaluate(tree.test, scope, depth) else tree.no, scope, depth)


def _unary(tree: Unary, scope: Scope, depth: int) -> Value:
    if tree.operator == "not":
        return not evaluate(tree.operand, scope, depth)
    return -_counted(tree.operand, scope, depth)


def _binary(tree: Binary, scope: Scope, depth: int) -> Value:
    left = _counted(tree.left, scope, depth)
    right = _counted(tree.right, scope, depth)
    if tree.operator in ("/", "//", "%") and right == 0:
        raise FormulaError("this divides by nothing", tree.right.at)
    return _bounded(_ARITHMETIC[tree.operator](left, right), tree.at)


def _compare(tree: Compare, scope: Scope, depth: int) -> bool:
    left = _word_or_value(tree.first, scope, depth)
    for operator, right_tree in tree.rest:
        right = _word_or_value(right_tree, scope, depth)
        if operator in ("==", "!="):
            if (left == right) is (operator == "!="):
                return False
        elif isinstance(left, str) or isinstance(right, str):
            raise FormulaError("words are only the same or not", tree.at)
        elif not _ORDER[operator](left, right):
            return False
        left = right
    return True


def _word_or_value(tree: Tree, scope: Scope, depth: int) -> Value:
    """Return the value of `tree`; a name that nothing carries is a bare word."""
    if isinstance(tree, Name):
        found = scope.value(tree.name)
        return tree.name if found is None else found
    return evaluate(tree, scope, depth)


def _call(tree: Call, scope: Scope, depth: int) -> Value:
    if tree.function in NAMING:
        names = [a.name for a in tree.arguments if isinstance(a, Name)]
        return scope.ask(tree.function, names)
    values = [_counted(argument, scope, depth) for argument in tree.arguments]
    if tree.function in COUNTING:
        if not values or (tree.function in ONE and len(values) != 1):
            raise FormulaError(f"`{tree.function}` takes other arguments", tree.at)
        return _bounded(_FUNCTIONS[tree.function](values), tree.at)
    if tree.function in WRITING:
        return _written(tree, values)
    found = scope.formula(tree.function)
    if found is None:
        raise FormulaError(f"there is no function `{tree.function}`", tree.at)
    parameters, text = found
    if len(parameters) != len(values):
        message = f"`{tree.function}` takes {len(parameters)} values"
        raise FormulaError(message, tree.at)
    if depth > 8:
        raise FormulaError("named formulas call each other too deeply", tree.at)
    calls = scope.calls if isinstance(scope, Inner) else [MOST_CALLS]
    calls[0] -= 1
    if calls[0] < 0:
        raise FormulaError("this calls too many formulas", tree.at)
    inner = Inner(scope, dict(zip(parameters, values, strict=True)), calls)
    return evaluate(parse_formula(text), inner, depth + 1)


def _written(tree: Call, values: Sequence[int | Fraction]) -> str:
    if len(values) != 1:
        raise FormulaError(f"`{tree.function}` takes one value", tree.at)
    if tree.function == "as_percent":
        tenths = (values[0] * 1000 + Fraction(1, 2)) // 1
        return f"{tenths // 10}.{tenths % 10}%"
    if not isinstance(values[0], int):
        raise FormulaError(f"`{tree.function}` takes a whole number", tree.at)
    return codes.code_text(int(values[0]), pips=True)


_WORK: Final[Mapping[type, Callable[[Any, Scope, int], Value]]] = {
    Number: _constant,
    Word: _constant,
    Name: _name,
    Unary: _unary,
    Binary: _binary,
    Compare: _compare,
    Logic: _logic,
    Either: _either,
    Call: _call,
}
"""How each kind of tree is worked out."""


class OuterScope:
    """A scope that leaves questions and named formulas to another one."""

    def __init__(self, outer: Scope) -> None:
        self.outer = outer

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Ask the outer scope."""
        return self.outer.ask(function, names)

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the named formula of the outer scope."""
        return self.outer.formula(name)


class Inner(OuterScope):
    """A scope with a few names before those of another."""

    def __init__(
        self, outer: Scope, names: Mapping[str, Value], calls: list[int] | None = None
    ) -> None:
        super().__init__(outer)
        self.names = names
        self.calls = [MOST_CALLS] if calls is None else calls

    def value(self, name: str) -> Value | None:
        """Return the inner value of `name`, else the outer one."""
        return self.names[name] if name in self.names else self.outer.value(name)


_Number: TypeAlias = int | Fraction


def _over(a: _Number, b: _Number) -> _Number:
    return Fraction(a) / Fraction(b)


def _fit(a: _Number, b: _Number) -> int:
    """Return how often `b` goes into `a`; of fractions the quotient is bounded, too."""
    if isinstance(a, int) and isinstance(b, int):
        return a // b
    return floor(_bounded(_over(a, b), 0))  # type: ignore[arg-type]


def _sum(values: Sequence[_Number]) -> _Number:
    total: _Number = 0
    for value in values:
        total = _bounded(total + value, 0)  # type: ignore[assignment]
    return total


_ARITHMETIC: Final[Mapping[str, Callable[[_Number, _Number], _Number]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _over,
    "//": _fit,
    "%": lambda a, b: a - b * _fit(a, b),
}
_ORDER: Final[Mapping[str, Callable[[_Number, _Number], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
ONE: Final = frozenset({"abs", "ceil", "floor"})
_FUNCTIONS: Final[Mapping[str, Callable[[Sequence[_Number]], _Number]]] = {
    "min": lambda values: min(values),
    "max": lambda values: max(values),
    "sum": _sum,
    "abs": lambda values: max(values[0], -values[0]),
    "ceil": lambda values: ceil(values[0]),
    "floor": lambda values: floor(values[0]),
}
