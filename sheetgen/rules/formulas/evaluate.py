"""Evaluation of formulas, exactly: integers and fractions, never floats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final, Protocol, TypeAlias

from sheetgen.model import codes
from sheetgen.rules.formulas.arithmetic import (
    ARITHMETIC,
    COMPARISON,
    FUNCTIONS,
    MOST,
    ONE,
    Numeric,
    Value,
    bounded,
)
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

MOST_CALLS = 500
"""The most calls of named formulas in one evaluation: each formula could call two others."""


class Scope(Protocol):
    """The values of the names in a formula."""

    def value(self, name: str) -> Value | None:
        """Return the value of `name`, or None if the name is unknown."""

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return the value of one of the functions in `NAMING` for `names`."""

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the parameters and the text of the named formula, or None."""


Program: TypeAlias = Callable[[Scope], Value]


def evaluate(tree: Tree, scope: Scope) -> Value:
    """Return the value of `tree`.

    Raises:
        FormulaError: A name has no value, a divisor is 0, a value exceeds its limits, or a text is
            used as a number.
    """
    return compile_tree(tree)(scope)


def integer_value(text: str, scope: Scope) -> int:
    """Return the value of the formula `text`, which must be a whole number."""
    value = value_of(text, scope)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    raise FormulaError("this has to be a whole number")


def holds(text: str, scope: Scope) -> bool:
    """Return whether the formula `text` is true, or a number other than 0."""
    return bool(value_of(text, scope))


def value_of(text: str, scope: Scope) -> Value:
    """Return the value of the formula `text`."""
    try:
        return program_of(text)(scope)
    except RecursionError:
        raise FormulaError("these values depend on each other too deeply") from None


@lru_cache(maxsize=4096)
def program_of(text: str) -> Program:
    """Return the formula `text` as a function of a scope."""
    return compile_tree(parse_formula(text))


def compile_tree(tree: Tree) -> Program:
    """Return `tree` as a function: prints evaluate the same few formulas for each character."""
    program: Program = _COMPILERS[type(tree)](tree)
    return program


def _number(value: Value, at: int) -> Numeric:
    if isinstance(value, str):
        raise FormulaError(f"`{value}` is not a number", at)
    return value


def _constant(tree: Number | Word) -> Program:
    value = tree.value
    return lambda _: value


def _name(tree: Name) -> Program:
    name, at = tree.name, tree.at

    def run(scope: Scope) -> Value:
        found = scope.value(name)
        if found is None:
            raise FormulaError(f"nothing is called `{name}`", at, len(name))
        return found

    return run


def _name_or_word(tree: Tree) -> Program:
    """Return a side of a comparison, where an unknown name is a bare word."""
    if not isinstance(tree, Name):
        return compile_tree(tree)
    name = tree.name

    def run(scope: Scope) -> Value:
        found = scope.value(name)
        return name if found is None else found

    return run


def _logic(tree: Logic) -> Program:
    stop, parts = tree.operator == "or", [compile_tree(part) for part in tree.parts]

    def run(scope: Scope) -> bool:
        for part in parts:
            if bool(part(scope)) is stop:
                return stop
        return not stop

    return run


def _either(tree: Either) -> Program:
    test, yes, no = compile_tree(tree.test), compile_tree(tree.yes), compile_tree(tree.no)
    return lambda scope: yes(scope) if test(scope) else no(scope)


def _unary(tree: Unary) -> Program:
    operand, at = compile_tree(tree.operand), tree.operand.at
    if tree.operator == "not":
        return lambda scope: not operand(scope)
    return lambda scope: -_number(operand(scope), at)


def _binary(tree: Binary) -> Program:
    left, right = compile_tree(tree.left), compile_tree(tree.right)
    at, left_at, right_at = tree.at, tree.left.at, tree.right.at
    divides, compute = tree.operator in ("/", "//", "%"), ARITHMETIC[tree.operator]

    def run(scope: Scope) -> Value:
        a = left(scope)
        a = a if type(a) is int else _number(a, left_at)
        b = right(scope)
        b = b if type(b) is int else _number(b, right_at)
        if divides and b == 0:
            raise FormulaError("this divides by nothing", right_at)
        value = compute(a, b)
        return value if type(value) is int and -MOST <= value <= MOST else bounded(value, at)

    return run


def _compare(tree: Compare) -> Program:
    first, at = _name_or_word(tree.first), tree.at
    if len(tree.rest) == 1 and tree.rest[0][0] in ("==", "!="):
        same, other = tree.rest[0][0] == "==", _name_or_word(tree.rest[0][1])
        return lambda scope: (first(scope) == other(scope)) is same
    rest = [(o in ("==", "!="), COMPARISON[o], _name_or_word(right)) for o, right in tree.rest]

    def run(scope: Scope) -> bool:
        left = first(scope)
        for for_words, compare, program in rest:
            right = program(scope)
            if not for_words and (isinstance(left, str) or isinstance(right, str)):
                raise FormulaError("words are only the same or not", at)
            if not compare(left, right):
                return False
            left = right
        return True

    return run


def _call(tree: Call) -> Program:
    function = tree.function
    if function in NAMING:
        names = [argument.name for argument in tree.arguments if isinstance(argument, Name)]
        return lambda scope: scope.ask(function, names)
    arguments = [(compile_tree(argument), argument.at) for argument in tree.arguments]
    if function in COUNTING:
        combine: Callable[[Scope, list[Numeric]], Value] = partial(_counted, tree)
    elif function in WRITING:
        combine = partial(_written, tree)
    else:
        combine = partial(_named, tree)
    return lambda scope: combine(scope, [_number(run(scope), place) for run, place in arguments])


def _counted(tree: Call, _: Scope, values: list[Numeric]) -> Value:
    if not values or (tree.function in ONE and len(values) != 1):
        raise FormulaError(f"`{tree.function}` takes other arguments", tree.at)
    return bounded(FUNCTIONS[tree.function](values), tree.at)


def _named(tree: Call, scope: Scope, values: list[Numeric]) -> Value:
    """Return the value of a named formula of the ruleset."""
    found = scope.formula(tree.function)
    if found is None:
        raise FormulaError(f"there is no function `{tree.function}`", tree.at)
    parameters, text = found
    if len(parameters) != len(values):
        message = f"`{tree.function}` takes {len(parameters)} values"
        raise FormulaError(message, tree.at)
    outer = scope if isinstance(scope, Inner) else Inner(scope, {})
    if outer.depth > 8:
        raise FormulaError("named formulas call each other too deeply", tree.at)
    outer.calls[0] -= 1
    if outer.calls[0] < 0:
        raise FormulaError("this calls too many formulas", tree.at)
    names = dict(zip(parameters, values, strict=True))
    return program_of(text)(Inner(scope, names, outer.calls, outer.depth + 1))


def _written(tree: Call, _: Scope, values: list[Numeric]) -> str:
    if len(values) != 1:
        raise FormulaError(f"`{tree.function}` takes one value", tree.at)
    if tree.function == "as_percent":
        tenths = (values[0] * 1000 + Fraction(1, 2)) // 1
        return f"{tenths // 10}.{tenths % 10}%"
    if not isinstance(values[0], int):
        raise FormulaError(f"`{tree.function}` takes a whole number", tree.at)
    return codes.code_text(int(values[0]), pips=True)


_COMPILERS: Final[Mapping[type, Callable[[Any], Program]]] = {
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
"""The compiler of each class of trees."""


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
        self,
        outer: Scope,
        names: Mapping[str, Value],
        calls: list[int] | None = None,
        depth: int = 0,
    ) -> None:
        super().__init__(outer)
        self.names = names
        self.calls = [MOST_CALLS] if calls is None else calls
        self.depth = depth

    def value(self, name: str) -> Value | None:
        """Return the inner value of `name`, else the outer one."""
        return self.names[name] if name in self.names else self.outer.value(name)
