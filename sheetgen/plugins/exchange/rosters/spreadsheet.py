"""A formula's tree as a spreadsheet formula, which Excel and LibreOffice compute alike.

Truth is 1 and 0, as in `evaluate`. Fractions are floating-point numbers; whole parts and
comparisons of them are taken after rounding to nine decimals, which is exact for the
fractions that `evaluate` allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Protocol

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
    Word,
    parse_formula,
)

MOST_FORMULA: Final = 8000
"""Characters; Excel takes 8,192."""

MOST_INLINED: Final = 8
"""How deeply named formulas may call each other."""

INTEGER, FRACTION, TEXT = "integer", "fraction", "text"


class NotWritable(ValueError):
    """A formula that a spreadsheet cannot have; the message says why."""


class CellFormula(NamedTuple):
    """A formula without its `=`, and the type of its value."""

    text: str
    type: str


class CellScope(Protocol):
    """The cells of the names in a formula."""

    def cell(self, name: str) -> CellFormula | None:
        """Return the cell of `name`, or None if the name is unknown."""

    def answer(self, function: str, names: Sequence[str]) -> CellFormula:
        """Return the cell of one of the functions in `NAMING` for `names`."""

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the parameters and the text of the named formula, or None."""


def spreadsheet_formula(formula: str, scope: CellScope) -> CellFormula:
    """Return `formula` for a spreadsheet.

    Raises:
        NotWritable: It is too long, or its type depends on values.
    """
    found = _SpreadsheetWriter(scope, {}, 0).value(parse_formula(formula))
    if len(found.text) > MOST_FORMULA:
        raise NotWritable("it is longer than a cell can hold")
    return found


def text_literal(text: str) -> str:
    """Return `text` as a literal of a formula."""
    return '"' + text.replace('"', '""') + '"'


def code_formula(pips: str) -> str:
    """Return the formula of a number of pips as a code: `3D+2`."""
    size = f"ABS({pips})"
    dice = f'IF(OR({size}>=3,MOD({size},3)=0),INT({size}/3)&"D","")'
    plus = f'IF(AND({pips}<0,{size}<3),"","+")'
    more = f'IF(MOD({size},3)=0,"",{plus}&MOD({size},3))'
    return f'IF({pips}<0,"−","")&{dice}&{more}'


class _SpreadsheetWriter:
    """Writes the trees of one formula.

    Attributes:
        names: Parameters of the named formula that is being written.
        depth: How many named formulas it is inside.
    """

    def __init__(self, scope: CellScope, names: Mapping[str, CellFormula], depth: int) -> None:
        self.scope, self.names, self.depth = scope, names, depth

    def value(self, tree: Tree) -> CellFormula:
        match tree:
            case Number(value=constant):
                return CellFormula(str(int(constant)), INTEGER)
            case Word(value=text):
                return CellFormula(text_literal(text), TEXT)
            case Name(name=name):
                return self._name(name)
            case Unary(operator="not", operand=operand):
                return CellFormula(f"IF({self.test(operand)},0,1)", INTEGER)
            case Unary(operand=operand):
                number = self._number(operand)
                return CellFormula(f"(-{number.text})", number.type)
            case Binary():
                return self._binary(tree)
            case Compare() | Logic():
                return CellFormula(f"IF({self.test(tree)},1,0)", INTEGER)
            case Either(test=test, yes=yes, no=no):
                first, second = self.value(yes), self.value(no)
                if TEXT in (first.type, second.type) and first.type != second.type:
                    raise NotWritable("it is a number or a text")
                type_ = first.type if first.type == second.type else FRACTION
                return CellFormula(f"IF({self.test(test)},{first.text},{second.text})", type_)
        return self._call(tree)

    def test(self, tree: Tree) -> str:
        """Return a condition: whether `tree` is true, a number other than 0, or a text."""
        match tree:
            case Compare(first=first, rest=rest):
                sides = [self._side(first), *(self._side(right) for _, right in rest)]
                parts = [
                    _comparison(operator, left, right)
                    for (operator, _), left, right in zip(rest, sides, sides[1:], strict=False)
                ]
                return parts[0] if len(parts) == 1 else f"AND({','.join(parts)})"
            case Logic(operator=operator, parts=parts_):
                tests = [self.test(part) for part in parts_]
                found = tests[-1]
                for one in reversed(tests[:-1]):  # later parts are computed only if needed
                    found = (
                        f"IF({one},{found},FALSE())"
                        if operator == "and"
                        else (f"IF({one},TRUE(),{found})")
                    )
                return found
            case Unary(operator="not", operand=operand):
                return f"NOT({self.test(operand)})"
        value = self.value(tree)
        return f'{value.text}<>""' if value.type == TEXT else f"{value.text}<>0"

    def _name(self, name: str) -> CellFormula:
        found = self.names.get(name) or self.scope.cell(name)
        if found is None:
            raise NotWritable(f"nothing is called `{name}`")
        return found

    def _side(self, tree: Tree) -> CellFormula:
        """Return one side of a comparison; there an unknown name is a bare word."""
        if isinstance(tree, Name):
            found = self.names.get(tree.name) or self.scope.cell(tree.name)
            return found or CellFormula(text_literal(tree.name), TEXT)
        return self.value(tree)

    def _number(self, tree: Tree) -> CellFormula:
        found = self.value(tree)
        if found.type == TEXT:
            raise NotWritable("it computes with a text")
        return found

    def _binary(self, tree: Binary) -> CellFormula:
        left, right = self._number(tree.left), self._number(tree.right)
        whole = left.type == right.type == INTEGER
        a, b = left.text, right.text
        if tree.operator in "+-*":
            return CellFormula(f"({a}{tree.operator}{b})", INTEGER if whole else FRACTION)
        if tree.operator == "/":
            return CellFormula(f"({a}/{b})", FRACTION)
        quotient = f"INT({a}/{b})" if whole else f"INT(ROUND({a}/{b},9))"
        if tree.operator == "//":
            return CellFormula(quotient, INTEGER)
        return CellFormula(f"({a}-{b}*{quotient})", INTEGER if whole else FRACTION)

    def _call(self, tree: Call) -> CellFormula:
        if tree.function in NAMING:
            names = [a.name for a in tree.arguments if isinstance(a, Name)]
            return self.scope.answer(tree.function, names)
        values = [self._number(argument) for argument in tree.arguments]
        known = _FUNCTIONS.get(tree.function)
        if known is not None and values:
            joined = ",".join(value.text for value in values)
            whole = all(value.type == INTEGER for value in values)
            kept = tree.function in ("min", "max", "sum", "abs")
            type_ = TEXT if tree.function in _TEXTS else INTEGER
            type_ = FRACTION if kept and not whole else type_
            return CellFormula(known.format(joined), type_)
        if tree.function == "code" and len(values) == 1:
            return CellFormula(code_formula(values[0].text), TEXT)
        found = self.scope.formula(tree.function)
        if found is None or len(found[0]) != len(values) or self.depth >= MOST_INLINED:
            raise NotWritable(f"`{tree.function}` cannot be called")
        parameters = dict(zip(found[0], values, strict=True))
        written = _SpreadsheetWriter(self.scope, parameters, self.depth + 1).value(
            parse_formula(found[1])
        )
        if len(written.text) > 4 * MOST_FORMULA:
            raise NotWritable("it is longer than a cell can hold")
        return written


_TEXTS: Final = ("as_percent",)
_FUNCTIONS: Final[Mapping[str, str]] = {
    "min": "MIN({})",
    "max": "MAX({})",
    "sum": "SUM({})",
    "abs": "ABS({})",
    "floor": "INT(ROUND({},9))",
    "ceil": "(-INT(ROUND(-{},9)))",
    "as_percent": 'FIXED(ROUND({}*100,1),1,TRUE())&"%"',
}
_SIGNS: Final = {"==": "=", "!=": "<>"}


def _comparison(operator: str, left: CellFormula, right: CellFormula) -> str:
    sign = _SIGNS.get(operator, operator)
    if (left.type == TEXT) != (right.type == TEXT):
        if operator not in _SIGNS:
            raise NotWritable("it compares a text with a number")
        return "TRUE()" if operator == "!=" else "FALSE()"
    if left.type == TEXT:
        if operator not in _SIGNS:
            raise NotWritable("words are only the same or not")
        same = f"EXACT({left.text},{right.text})"
        return f"NOT({same})" if operator == "!=" else same
    if left.type == right.type == INTEGER:
        return f"{left.text}{sign}{right.text}"
    return f"ROUND({left.text}-{right.text},9){sign}0"
