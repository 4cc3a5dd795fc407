"""Evaluation of formulas, exactly: integers and fractions, never floats."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, floor
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from sheetgen.model import build
from sheetgen.model.build import Value
from sheetgen.model.source import Text
from sheetgen.rules.formulas import expressions as syntax
from sheetgen.rules.formulas.expressions import FormulaError, Tree, parse_formula, walk

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


@runtime_checkable
class ListScope(Scope, Protocol):
    """A scope that has lists of things with numbers."""

    def things(self, list_: str, numbers: Sequence[str]) -> Things | None:
        """Return the things of a list that have all of `numbers`; None if there is no such list."""


# Things of a list: how many there are of each, and its numbers by name.
Things: TypeAlias = Sequence[tuple[int, Mapping[str, Value]]]
Program: TypeAlias = Callable[[Scope], Value]


def evaluate(tree: Tree, scope: Scope) -> Value:
    """Return the value of `tree`; raises FormulaError: it has none, or none within limits."""
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
    match tree:
        case syntax.Number(value=value) | syntax.Word(value=value):
            return lambda _: value
        case syntax.Name():
            return partial(_known, tree)
        case syntax.Unary(operator=operator, operand=operand):
            run = compile_tree(operand)
            if operator == "not":
                return lambda scope: not run(scope)
            return lambda scope: -as_figure(run(scope), operand.at)
        case syntax.Binary():
            return _binary(tree)
        case syntax.Compare():
            return _compare(tree)
        case syntax.Logic(operator=operator, parts=parts):
            stop, programs = operator == "or", [compile_tree(part) for part in parts]
            return lambda scope: any(bool(part(scope)) is stop for part in programs) is stop
        case syntax.Either(test=test, yes=yes, no=no):
            is_true, one, other = compile_tree(test), compile_tree(yes), compile_tree(no)
            return lambda scope: one(scope) if is_true(scope) else other(scope)
        case syntax.Call():
            return _call(tree)
        case syntax.Lookup(arguments=arguments):
            asked = [_name_or_word(argument) for argument in arguments]
            return lambda scope: _found(tree, [run(scope) for run in asked])


def _known(tree: syntax.Name, scope: Scope) -> Value:
    found = scope.value(tree.name)
    if found is None:
        raise FormulaError(f"nothing is called `{tree.name}`", tree.at, len(tree.name))
    return found


def _name_or_word(tree: Tree) -> Program:
    """Return a side of a comparison or what a lookup finds; an unknown name is a bare word."""
    if not isinstance(tree, syntax.Name):
        return compile_tree(tree)
    name = tree.name
    return lambda scope: name if (found := scope.value(name)) is None else found


def _binary(tree: syntax.Binary) -> Program:
    left, right = compile_tree(tree.left), compile_tree(tree.right)
    at, left_at, right_at = tree.at, tree.left.at, tree.right.at
    divides, compute = tree.operator in ("/", "//", "%"), ARITHMETIC[tree.operator]

    def run(scope: Scope) -> Value:
        a = left(scope)
        a = a if type(a) is int else as_figure(a, left_at)
        b = right(scope)
        b = b if type(b) is int else as_figure(b, right_at)
        if divides and b == 0:
            raise FormulaError("this divides by nothing", right_at)
        value = compute(a, b)
        return value if type(value) is int and -MOST <= value <= MOST else bounded(value, at)

    return run


def _compare(tree: syntax.Compare) -> Program:
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


def _call(tree: syntax.Call) -> Program:
    function = tree.function
    if function in syntax.NAMING:
        names = [argument.name for argument in tree.arguments if isinstance(argument, syntax.Name)]
        return lambda scope: scope.ask(function, names)
    if function == "count" or syntax.gathers(tree):
        parts = [_gathered(function, argument) for argument in tree.arguments]
        return lambda scope: _counted(tree, [v for part in parts for v in part(scope)])
    if function not in syntax.COUNTING and function not in syntax.WRITING:
        values = [_name_or_word(argument) for argument in tree.arguments]
        return lambda scope: _named(tree, scope, [run(scope) for run in values])
    arguments = [(compile_tree(argument), argument.at) for argument in tree.arguments]
    combine = _counted if function in syntax.COUNTING else _written

    def call(scope: Scope) -> Value:
        values = [(run(scope), place) for run, place in arguments]
        if function in _KEEPING_WORDS and len(values) == 1 and isinstance(values[0][0], str):
            return values[0][0]
        return combine(tree, [as_figure(value, place) for value, place in values])

    return call


_KEEPING_WORDS: Final = syntax.WRITING - {"dice", "boxes"}
"""Functions that write a number; words that a player wrote in its place stay as they are."""


def _gathered(function: str, argument: Tree) -> Callable[[Scope], Sequence[Numeric]]:
    """Return a function from a scope to an argument's numbers: one, or one for each thing."""
    program, names, at = compile_tree(argument), syntax.gathered_names(argument), argument.at
    several = any(map(syntax.gathers, walk(argument)))

    def figure(value: Value) -> Numeric:
        return int(bool(value)) if function == "count" else as_figure(value, at)

    def run(scope: Scope) -> Sequence[Numeric]:
        of_things = [name for name in names if scope.value(name) is None]
        lists = dict.fromkeys(name.rpartition(".")[0] for name in of_things)
        if not lists:
            return (figure(program(scope)),)
        if several or len(lists) > 1:
            raise FormulaError("this takes numbers of one list, and no sum inside it", at)
        (list_,) = lists
        numbers = [name.rpartition(".")[2] for name in of_things]
        found = scope.things(list_, numbers) if isinstance(scope, ListScope) else None
        if found is None:
            raise FormulaError(f"nothing is called `{of_things[0]}`", at)
        outer = scope if isinstance(scope, Inner) else Inner(scope, {})
        values = []
        for count, known in found:
            names_of = {f"{list_}.{number}": known[number] for number in numbers}
            value = figure(program(Inner(scope, names_of, outer.calls, outer.depth)))
            counted = function in ("sum", "count")
            values.append(bounded(value * count, at) if counted else value)
        return values

    return run


def _counted(tree: syntax.Call, values: list[Numeric]) -> Value:
    if not values and tree.arguments:
        return 0  # There are no things.
    if not values or (tree.function in ONE and len(values) != 1):
        raise FormulaError(f"`{tree.function}` takes other arguments", tree.at)
    return bounded(FUNCTIONS[tree.function](values), tree.at)


def _named(tree: syntax.Call, scope: Scope, values: list[Value]) -> Value:
    found = scope.formula(tree.function)
    if found is None:
        raise FormulaError(f"there is no function `{tree.function}`", tree.at)
    parameters, text = found
    if len(parameters) != len(values):
        raise FormulaError(f"`{tree.function}` takes {len(parameters)} values", tree.at)
    outer = scope if isinstance(scope, Inner) else Inner(scope, {})
    if outer.depth > 8:
        raise FormulaError("named formulas call each other too deeply", tree.at)
    outer.calls[0] -= 1
    if outer.calls[0] < 0:
        raise FormulaError("this calls too many formulas", tree.at)
    names = dict(zip(parameters, values, strict=True))
    try:
        return program_of(text)(Inner(scope, names, outer.calls, outer.depth + 1))
    except syntax.MissingRow as error:
        asked = tree if error.argument is None else tree.arguments[error.argument]
        error.names, error.argument = syntax.inputs(asked), None
        error.offset, error.width = tree.at, len(tree.function)
        raise


def _found(tree: syntax.Lookup, values: Sequence[Value]) -> Value:
    """Return the cell of a lookup, row by row: the first value finds a row, the next one below."""
    cell: Value | syntax.LookupRows = tree.rows
    for number, value in enumerate(values):
        if not isinstance(cell, syntax.LookupRows):
            break
        if cell.match == syntax.WORDS:
            wanted = value_text(value) if isinstance(value, bool) else value
        else:
            wanted = as_figure(value, tree.at)
        fits = [wanted == key if cell.match else key <= wanted for key in cell.keys]  # type: ignore[operator]
        at = max((at for at, fit in enumerate(fits) if fit), default=None)
        below = cell.cells[at] if at is not None else None
        below = cell.otherwise if below is None else below
        if below is None:
            message = f"`{tree.name}` has no row for {value_text(value)}"
            raise syntax.MissingRow(message, _rows_text(cell), number)
        cell = below
    if isinstance(cell, syntax.LookupRows):
        raise FormulaError(f"`{tree.name}` takes more values", tree.at)
    return cell


def _rows_text(rows: syntax.LookupRows) -> str:
    """Return the keys of some rows in words: `from 1 on`, `8 to 15`."""
    there = zip(rows.keys, rows.cells, strict=True)
    keys = [value_text(key) for key, cell in there if cell is not None] or ["none"]
    if rows.match == syntax.FROM:
        ends = rows.cells[-1] is None
        return f"from {keys[0]} {f'to below {value_text(rows.keys[-1])}' if ends else 'on'}"
    spans = rows.match == syntax.EXACT and keys[2:]
    return f"{keys[0]} to {keys[-1]}" if spans else ", ".join(keys)


def _written(tree: syntax.Call, values: list[Numeric]) -> str:
    if tree.function == "dice":
        return dice_text(values, tree.at)
    if tree.function == "boxes":
        return boxes_text(values, tree.at)
    if len(values) != 1:
        raise FormulaError(f"`{tree.function}` takes one value", tree.at)
    if tree.function == "as_percent":
        tenths = (values[0] * 1000 + Fraction(1, 2)) // 1
        return f"{tenths // 10}.{tenths % 10}%"
    if tree.function not in ("signed", "fraction") and not isinstance(values[0], int):
        raise FormulaError(f"`{tree.function}` takes a whole number", tree.at)
    return FORMS["die" if tree.function == "step_die" else tree.function](values[0])


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

    def things(self, list_: str, numbers: Sequence[str]) -> Things | None:
        """Return the things of the outer scope."""
        return self.outer.things(list_, numbers) if isinstance(self.outer, ListScope) else None


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


Numeric: TypeAlias = int | Fraction

MOST = 10**12  # the largest absolute value

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


def _fit(a: Numeric, b: Numeric) -> int:
    """Return the quotient rounded down; that of fractions is bounded before."""
    both = isinstance(a, int) and isinstance(b, int)
    return floor(a // b if both else bounded(Fraction(a) / Fraction(b), 0))


def _sum(values: Sequence[Numeric]) -> Numeric:
    total: Numeric = 0
    for value in values:
        total = bounded(total + value, 0)
    return total


ARITHMETIC: Final[Mapping[str, Callable[[Numeric, Numeric], Numeric]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: Fraction(a) / Fraction(b),
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
    "count": _sum,  # of ones
    "first": lambda values: values[0],
    "abs": lambda values: max(values[0], -values[0]),
    "ceil": lambda values: ceil(values[0]),
    "floor": lambda values: floor(values[0]),
}


_RANGE_OF_ONE = re.compile(r"\b(\d+)–\1\b")
BRACES = re.compile(r"\{([^{}]*)\}")


def formulas_in(text: Text) -> tuple[Text, ...]:
    """Return the formulas in the braces of `text`, each with its span."""
    found = []
    for match in BRACES.finditer(text):
        plain = match[1].strip()
        start = match.start(1) + match[1].find(plain)
        found.append(Text(plain, text.span.within(start, len(plain))))
    return tuple(found)


def placed_formulas(text: Text | str) -> tuple[Text, ...]:
    """Return the formulas in a text of a file; a text without a span has none."""
    return formulas_in(text) if isinstance(text, Text) else ()


def filled(text: str, scope: Scope) -> str:
    """Return `text` with the values of its formulas; raises FormulaError: one has none."""
    if "{" in text:
        first, rest = _split(text)
        try:
            text = first + "".join([value_text(run(scope)) + word for run, word in rest])
        except RecursionError:
            raise FormulaError("these values depend on each other too deeply") from None
    return _RANGE_OF_ONE.sub(r"\1", text) if "–" in text else text


@lru_cache(maxsize=4096)
def _split(text: str) -> tuple[str, tuple[tuple[Program, str], ...]]:
    """Return the words before the first formula of a text; each formula, and the words after."""
    first, *parts = BRACES.split(text)
    return first, tuple(zip(map(program_of, parts[::2]), parts[1::2], strict=True))


def value_text(value: Value) -> str:
    """Return a value as text, with a true minus sign and fractions as `5/2`."""
    if isinstance(value, str | bool):
        return value if isinstance(value, str) else "yes" if value else "no"
    text = str(value) if isinstance(value, int) else f"{value.numerator}/{value.denominator}"
    return text.replace("-", "−")


def as_figure(value: Value, at: int = 0) -> Numeric:
    """Return `value` as a number; raises FormulaError: it is a text."""
    if isinstance(value, str):
        raise FormulaError(f"`{value}` is not a number", at)
    return value


def half_up(value: int | Fraction) -> int:
    """Return `value` rounded to an integer, a half rounded up."""
    return int((Fraction(value) + Fraction(1, 2)) // 1)


def number_text(value: int | Fraction) -> str:
    """Return an integer, or a fraction such as `5/2`, as text."""
    return str(Fraction(value)).replace("-", "−")


FRACTIONS: Final[Mapping[Fraction, str]] = {
    Fraction(unicodedata.numeric(sign)).limit_denominator(10): sign for sign in "⅛⅙⅕¼⅓⅜⅖½⅗⅝⅔¾⅘⅚⅞"
}
"""Fractions that have a sign, upwards."""


def fraction_text(value: int | Fraction) -> str:
    """Return a number with the sign of its fraction: `1½`, `−¼`; `9/7` for one without."""
    size = abs(Fraction(value))
    whole, glyph = size // 1, FRACTIONS.get(size % 1)
    if glyph is None:
        return number_text(value)
    return f"{'−' if value < 0 else ''}{whole or ''}{glyph}"


def signed_text(value: int | Fraction) -> str:
    """Return a number with its sign, as modifiers are written: `+3`, `+0`, `−½`."""
    return fraction_text(value) if value < 0 else f"+{fraction_text(value)}"


def dice_text(values: Sequence[int | Fraction], at: int) -> str:
    """Return numbers of dice, each with its faces, and what is added: `1d8+1d6+2`, `2d6−1`."""
    if not values or any(not isinstance(value, int) for value in values):
        raise FormulaError("`dice` takes whole numbers: how many dice, their faces, …", at)
    pools: dict[int, int] = {}
    for count, faces in zip(values[::2], values[1::2], strict=False):
        pools[int(faces)] = pools.get(int(faces), 0) + int(count)
    parts = [f"+{count}d{faces}" for faces, count in pools.items() if count > 0 and faces > 0]
    more = int(values[-1]) if len(values) % 2 else 0
    parts += [signed_text(more)] if more or not parts else []
    return "".join(parts).removeprefix("+")


def boxes_text(values: Sequence[int | Fraction], at: int) -> str:
    """Return boxes to tick, the first of them marked: `☑☐☐`; none for less than one."""
    if not 1 <= len(values) <= 2 or any(not isinstance(value, int) for value in values):
        raise FormulaError("`boxes` takes whole numbers: how many, and how many are marked", at)
    count, marked = max(0, int(values[0])), max(0, *map(int, values[1:]), 0)
    if count > 60:
        raise FormulaError("`boxes` draws 60 at most", at)
    return "☑" * min(marked, count) + "☐" * (count - marked)


def whole_percent(value: int | Fraction) -> str:
    """Return a share in percent without decimals, a half rounded up."""
    return f"{half_up(value * 100)}%"


def days(value: int | Fraction) -> str:
    """Return a time in days with at most one decimal; less than a day in hours."""
    if value < 1:
        return f"{half_up(value * 24)}h"
    tenths = half_up(value * 10)
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else str(tenths // 10)


def short_number(value: int | Fraction) -> str:
    """Return a large number in thousands, millions or billions: `1.3k`, `51k`, `5.3m`."""
    for unit, size in (("b", 10**9), ("m", 10**6), ("k", 10**3)):
        if value >= size:
            tenths = half_up(Fraction(value) / size * 10)
            if tenths < 100 and tenths % 10:
                return f"{tenths // 10}.{tenths % 10}{unit}"
            return f"{half_up(Fraction(value) / size)}{unit}"
    return number_text(value)


def exact_percent(chance: Fraction) -> str:
    """Return a chance in percent with one decimal; only exact 0 and 1 are `0%` and `100%`."""
    tenths = half_up(chance * 1000)
    if chance in (0, 1):
        return f"{tenths // 10}%"
    if tenths in (0, 1000):
        return "<0.1%" if tenths == 0 else ">99.9%"
    return f"{tenths // 10}.{tenths % 10}%"


def decimal(value: Fraction) -> str:
    """Return a number with at most two decimals, a half rounded up."""
    hundredths = half_up(abs(value) * 100)
    integer, rest = divmod(hundredths, 100)
    sign = "−" if value < 0 and hundredths else ""
    return f"{sign}{integer}.{rest:02d}".rstrip("0").rstrip(".")


def code(value: int | Fraction) -> str:
    """Return pips as a code of dice: `3D+2`."""
    return build.code_text(int(value), pips=True)


FORMS: Final[Mapping[str, Callable[[int | Fraction], str]]] = {
    "number": number_text,
    "percent": whole_percent,
    "days": days,
    "short": short_number,
    "code": code,
    "dice": lambda value: build.code_text(int(value), pips=False),
    "signed": signed_text,
    "fraction": fraction_text,
    "die": lambda value: build.step_die_text(int(value)),
}
"""The formats of figures, by the name that a table uses."""
