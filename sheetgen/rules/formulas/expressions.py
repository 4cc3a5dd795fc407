"""The parser of formulas, from text to tree. Other modules evaluate the tree or write it out.

The language is total: it has no loops, attributes or powers, and everything is bounded, so that
a stranger's ruleset always terminates. A dot is only a part of a name, as in `dice.buy`.
"""

from __future__ import annotations

import ast
import keyword
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from fractions import Fraction
from functools import lru_cache
from itertools import count
from typing import Any, Final, TypeAlias

from sheetgen.model.build import parse_figure
from sheetgen.model.source import LookupTable, LookupText, Text
from sheetgen.records import frozen

MOST_TEXT = 500
MOST_NODES = 200
MOST_WORD = 60
MOST_DEPTH = 32

# Functions that take names, not values.
NAMING: Final = frozenset(
    {"has", "picked", "own", "free", "stars", "linked", "modifiers", "items", "holds", "best"}
)
# Functions from values to a number.
COUNTING: Final = frozenset({"min", "max", "abs", "sum", "ceil", "floor", "count", "first"})
# Functions that also take numbers of things, `sum(gear.weight)`: an argument that names
# `LIST.NUMBER` stands for a value of each thing of the list that has the number.
GATHERING: Final = frozenset({"min", "max", "sum", "count", "first"})
WRITING: Final = frozenset(
    {"code", "as_percent", "signed", "fraction", "step_die", "dice", "boxes"}
)
"""Functions from a value to a text: `code(11)` is `3D+2`, `as_percent(1/8)` is `12.5%`,
`signed(3)` is `+3`, `fraction(3/2)` is `1½`, `step_die(3)` is `d8`, `dice(1, 8, 2)` is `1d8+2`,
`boxes(3, 1)` is `☑☐☐`."""


class FormulaError(Exception):
    """A formula that cannot be parsed or evaluated; the offset is that of the place in it."""

    def __init__(self, message: str, offset: int = 0, width: int = 1) -> None:
        super().__init__(message)
        self.offset, self.width = offset, width


class MissingRow(FormulaError):
    """A lookup has no row for a value."""

    def __init__(self, message: str, rows: str, argument: int) -> None:
        super().__init__(message)
        self.rows = rows  # those that it has, in words
        self.argument: int | None = argument  # of the lookup; None for one of an outer formula
        self.names: frozenset[str] = frozenset()  # from which the value follows, at the call


@frozen
class Number:
    """An integer, or true or false."""

    value: int | bool
    at: int


@frozen
class Word:
    """A text in quotes, for comparisons only."""

    value: str
    at: int


@frozen
class Name:
    """A name whose value the scope knows."""

    name: str
    at: int


@frozen
class Unary:
    """`-` or `not` before an operand."""

    operator: str
    operand: Tree
    at: int


@frozen
class Binary:
    """An arithmetic operation with two operands."""

    operator: str
    left: Tree
    right: Tree
    at: int


@frozen
class Compare:
    """A comparison, or a chain of comparisons: `1 <= n <= 5`."""

    first: Tree
    rest: tuple[tuple[str, Tree], ...]
    at: int


@frozen
class Logic:
    """`and` or `or` between several parts."""

    operator: str
    parts: tuple[Tree, ...]
    at: int


@frozen
class Either:
    """`yes if test else no`."""

    test: Tree
    yes: Tree
    no: Tree
    at: int


@frozen
class Call:
    """A call of a function. The arguments of those in `NAMING` are all `Name`."""

    function: str
    arguments: tuple[Tree, ...]
    at: int


@frozen
class LookupRows:
    """The rows of a lookup; a row holds a value, further rows, or nothing."""

    match: int  # `FROM`: a row counts up to the next one; `EXACT` or `WORDS`: for its own key alone
    keys: tuple[int | Fraction | str, ...]  # numbers, upwards, or words
    cells: tuple[int | Fraction | str | LookupRows | None, ...]
    # what counts where no row does; None for nothing
    otherwise: int | Fraction | str | LookupRows | None = None


FROM, EXACT, WORDS = 0, 1, 2


@frozen
class Lookup:
    """The cell of a table of the ruleset; each argument finds a row, then one below it."""

    name: str
    arguments: tuple[Tree, ...]
    rows: LookupRows
    at: int


Tree: TypeAlias = Number | Word | Name | Unary | Binary | Compare | Logic | Either | Call | Lookup


_ARITHMETIC: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
}
_COMPARISON: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


@lru_cache(maxsize=4096)
def parse_formula(text: str) -> Tree:
    """Return `text` as a tree; raises FormulaError, and nothing else."""
    if isinstance(text, LookupText):
        names = tuple(Name(name, 0) for name in text.parameters)
        return Lookup(text.name, names, _rows(text.table), 0)
    if not text.isascii() and isinstance(figure := parse_figure(text), Fraction):
        return Binary("/", Number(figure.numerator, 0), Number(figure.denominator, 0), 0)
    if len(text) > MOST_TEXT:
        raise FormulaError(f"a formula has at most {MOST_TEXT} characters")
    if not text.isascii():
        at = next(i for i, c in enumerate(text) if not c.isascii())
        raise FormulaError(f"`{text[at]}` is not allowed in a formula", at)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns about `1or 2`
            body = ast.parse(_KEYWORDS.sub(_plain_word, text.strip()), mode="eval").body
    except SyntaxError as error:
        last = max(0, len(text) - 1)
        at = error.offset - 1 if error.offset and error.lineno == 1 else last
        raise FormulaError("this is not a formula", min(at, last)) from None
    except (ValueError, MemoryError, RecursionError):
        raise FormulaError("this is not a formula") from None
    return _convert(body, count(1))


def _rows(table: LookupTable) -> LookupRows:
    rows = {key: cell for key, cell in table.items() if key not in LookupText.APART}
    numbers = {key: parse_figure(key) for key in rows}
    otherwise = _cell(table[LookupText.OTHERWISE]) if LookupText.OTHERWISE in table else None
    if None in numbers.values():
        return LookupRows(WORDS, tuple(map(str, rows)), tuple(map(_cell, rows.values())), otherwise)
    order = sorted(rows, key=lambda key: numbers[key] or 0)
    keys = tuple(numbers[key] or 0 for key in order)
    match = EXACT if table.get(LookupText.EXACT) == "true" else FROM
    return LookupRows(match, keys, tuple(_cell(rows[key]) for key in order), otherwise)


def _cell(cell: Text | Mapping[str, Text]) -> int | Fraction | str | LookupRows | None:
    if isinstance(cell, Mapping):
        return _rows(cell)
    number = parse_figure(cell)
    return number if number is not None else None if cell == LookupText.MISSING else str(cell)


_OPERATORS: Final = {"and", "or", "not", "if", "else", "is", "in", "lambda"}
_NAMES: Final = sorted({k for k in keyword.kwlist if k.islower()} - _OPERATORS)
_KEYWORDS: Final = re.compile(rf"'[^']*'|\"[^\"]*\"|\b(?:{'|'.join(_NAMES)})\b")
"""Words of Python that are names to us, such as `class`; and texts, which stay."""


def _plain_word(found: re.Match[str]) -> str:
    """Return a word of Python as a name for its parser, of the same length: `clasS`."""
    word = found[0]
    return word if word[0] in "'\"" else word[:-1] + word[-1].upper()


def _convert(node: ast.expr, nodes: Iterator[int], depth: int = 0) -> Tree:
    """Return Python's syntax tree as ours; `nodes` counts its nodes."""
    at = node.col_offset
    if next(nodes) > MOST_NODES or depth > MOST_DEPTH:
        raise FormulaError("this formula is too long", at)

    def below(child: ast.expr) -> Tree:
        return _convert(child, nodes, depth + 1)

    match node:
        case ast.Constant(value=str() as text):
            if len(text) > MOST_WORD:
                message = f"a text in a formula has at most {MOST_WORD} letters"
                raise FormulaError(message, *_place(node))
            return Word(text, at)
        case ast.Constant(value=value):
            if isinstance(value, int) and abs(value) < 10**12:
                return Number(value, at)
            raise FormulaError("a formula has only whole numbers", *_place(node))
        case ast.Name() | ast.Attribute():
            return _name(node)
        case ast.UnaryOp(op=op, operand=operand):
            inner = below(operand)
            if isinstance(op, ast.Invert):
                raise FormulaError("`~` is not allowed in a formula", *_place(node))
            plain = isinstance(op, ast.UAdd)
            return inner if plain else Unary("not" if isinstance(op, ast.Not) else "-", inner, at)
        case ast.BinOp(op=op, left=left, right=right):
            operator = _operator(_ARITHMETIC, op, node, "operator")
            return Binary(operator, below(left), below(right), at)
        case ast.Compare(left=first, ops=ops, comparators=others):
            operators = [_operator(_COMPARISON, op, node, "comparison") for op in ops]
            rest = tuple(zip(operators, map(below, others), strict=True))
            return Compare(below(first), rest, at)
        case ast.BoolOp(op=op, values=values):
            operator = "and" if isinstance(op, ast.And) else "or"
            return Logic(operator, tuple(map(below, values)), at)
        case ast.IfExp(test=test, body=yes, orelse=no):
            return Either(below(test), below(yes), below(no), at)
        case ast.Call(func=func, args=args, keywords=keywords):
            function = _name(func)
            if not isinstance(function, Name) or keywords or len(args) > 20:
                raise FormulaError("this cannot be called", *_place(node))
            arguments = tuple(map(below, args))
            if function.name in NAMING and not all(isinstance(a, Name) for a in arguments):
                raise FormulaError(f"`{function.name}` takes names", *_place(node))
            return Call(function.name, arguments, at)
    raise FormulaError("this is not allowed in a formula", *_place(node))


def _place(node: ast.expr) -> tuple[int, int]:
    return node.col_offset, max(1, (node.end_col_offset or 0) - node.col_offset)


def _operator(known: Mapping[type[Any], str], op: ast.AST, node: ast.expr, noun: str) -> str:
    if type(op) not in known:
        raise FormulaError(f"this {noun} is not allowed in a formula", *_place(node))
    return known[type(op)]


def _name(node: ast.expr) -> Tree:
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name):
        raise FormulaError("a dot is allowed only inside a name", *_place(node))
    parts = [p.lower() if keyword.iskeyword(p.lower()) else p for p in (*parts, inner.id)]
    name = ".".join(reversed(parts))
    if "__" in name:
        raise FormulaError(f"`{name}` cannot be a name", *_place(node))
    if name in ("true", "false"):
        return Number(name == "true", node.col_offset)
    return Name(name, node.col_offset)


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
        case Call(arguments=arguments) | Lookup(arguments=arguments):
            return arguments
    return ()


def map_children(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """Return `tree` with `change` applied to each tree directly below it."""

    def changed(part: Any) -> Any:
        if isinstance(part, tuple):
            return tuple(map(changed, part))
        return change(part) if isinstance(part, Tree) else part

    return replace(tree, **{f.name: changed(getattr(tree, f.name)) for f in fields(tree)})


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


def gathered_names(argument: Tree) -> tuple[str, ...]:
    """Return the names in an argument of a gathering function that may be numbers of things."""
    if isinstance(argument, Name):
        return (argument.name,) if "." in argument.name else ()
    if isinstance(argument, Call) and argument.function in (*NAMING, *GATHERING):
        return ()
    return tuple(dict.fromkeys(n for part in children(argument) for n in gathered_names(part)))


def gathers(tree: Tree, things: Callable[[str], object] = bool) -> bool:
    """Whether `tree` calls a gathering function with names that may be numbers of `things`."""
    if not isinstance(tree, Call) or tree.function not in GATHERING:
        return False
    return any(things(name) for part in tree.arguments for name in gathered_names(part))


@lru_cache(maxsize=4096)
def fixed_integer(text: str) -> int | None:
    """Return the value of a formula that is only a whole number; None for any other."""
    tree = parse_formula(text)
    return int(tree.value) if isinstance(tree, Number) else None
