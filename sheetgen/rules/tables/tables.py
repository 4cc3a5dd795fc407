"""Printed tables, computed from the ruleset's own formulas, exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from sheetgen.model import codes
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import ComputedRow, Table
from sheetgen.rules.formulas.evaluate import Inner, Scope, evaluate, holds, value_of
from sheetgen.rules.formulas.expressions import FormulaError, parse_formula
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.index import index_of

if TYPE_CHECKING:
    from sheetgen.rules.odds.grid import ComputedGrid


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table as it is printed: texts only; the first of each row is its label."""

    label: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str = ""


EMPTY: Final = "–"
"""What stands in a cell whose formulas came out empty."""


class RulesetScope:
    """The scope of a table's formulas: options and named formulas, and no build."""

    def __init__(self, rules: Ruleset, options: Mapping[str, Value] | None = None) -> None:
        self.rules = rules
        self.chances: dict[str, Fraction | None] = {}
        self.grids: dict[str, ComputedGrid] = {}
        defaults: dict[str, Value] = {str(i): o.default for i, o in rules.options.items()}
        self.options: Mapping[str, Value] = {**defaults, **(options or {})}
        self.formulas = index_of(rules).formulas
        self.priced = rules.advances.named if rules.advances else {}

    def value(self, name: str) -> Value | None:
        """Return the value of an option; also `price.NAME` and `odds.GRID.OUTCOME.COLUMN`."""
        head, dot, rest = name.partition(".")
        if dot and head == "price" and rest in self.priced:
            return value_of(self.priced[rest].price, self)
        if dot and head == "odds":
            from sheetgen.rules.odds.grid import chance_of  # Few tables are odds.

            if rest not in self.chances:
                self.chances[rest] = chance_of(self.rules, rest, self.options, self.grids)
            return self.chances[rest]
        return self.options.get(name)

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Refuse: a table asks nothing of a build."""
        raise FormulaError(f"`{function}` needs a build, and a table has none")

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the named formula `name`."""
        return self.formulas.get(name)


def printed(
    rules: Ruleset, table: Table, options: Mapping[str, Value] | None = None
) -> PrintedTable:
    """Return `table` with its figures.

    Raises:
        FormulaError: A figure cannot be computed.
    """
    scope = RulesetScope(rules, options)
    table = settled(table, scope)
    note = str(table.text)
    if not table.lines:
        return PrintedTable(str(table.label), table.corner, table.columns, table.rows, note)
    worked = zip(table.lines, computed_figures(table, scope), strict=True)
    rows = tuple((line.label, *map(FORMS[line.as_], row)) for line, row in worked)
    columns = heads(table)
    return PrintedTable(str(table.label), table.corner, columns, rows, note)


def settled(table: Table, scope: Scope) -> Table:
    """Return `table` with its words and rows as the options say.

    Raises:
        FormulaError: A formula in its words has no value.
    """

    def said(text: str) -> str:
        return str(filled(text, scope))

    kept = (line for line in table.lines if line.when is None or holds(line.when, scope))
    return replace(
        table,
        label=said(table.label),
        about=said(table.about),
        text=said(table.text),
        rows=tuple(
            tuple(said(cell) or (EMPTY if cell else "") for cell in row) for row in table.rows
        ),
        lines=tuple(replace(line, label=said(line.label)) for line in kept),
    )


def stands(table: Table, scope: Scope) -> bool:
    """Whether the options let `table` be printed."""
    return table.when is None or holds(table.when, scope)


def heads(table: Table) -> tuple[str, ...]:
    """Return what stands over the columns of a computed table."""
    if table.unit == "code":
        return tuple(map(code, table.over))
    return tuple(f"{n}{table.unit}" for n in table.over)


def computed_figures(table: Table, scope: Scope) -> list[list[int | Fraction]]:
    """Return the figures of the computed rows of `table`, exactly.

    Raises:
        FormulaError: One cannot be computed.
    """
    rows: list[list[int | Fraction]] = []
    for line in table.lines:
        if line.value is None:
            rows.append([sum(row[at] for row in rows) for at in range(len(table.over))])
            continue
        tree = parse_formula(line.value)
        rows.append([as_figure(evaluate(tree, cell_scope(scope, line, n))) for n in table.over])
    return rows


def cell_scope(scope: Scope, line: ComputedRow, n: int) -> Inner:
    """Return the scope of one cell of the row `line`."""
    return Inner(scope, {"n": n, "count": n, "faces": line.faces})


def as_figure(value: Value) -> int | Fraction:
    """Return `value` as a number.

    Raises:
        FormulaError: It is a word.
    """
    if isinstance(value, str):
        raise FormulaError(f"`{value}` is not a number")
    return value


def half_up(value: int | Fraction) -> int:
    """Return `value` rounded to a whole number, a half upwards."""
    return int((Fraction(value) + Fraction(1, 2)) // 1)


def number_text(value: int | Fraction) -> str:
    """Return a whole number as it is, and a fraction as a fraction."""
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{value.numerator}/{value.denominator}".replace("-", "−")
    return str(int(value)).replace("-", "−")


def whole_percent(value: int | Fraction) -> str:
    """Return a share as a whole number of percent, a half upwards."""
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


def code(value: int | Fraction) -> str:
    """Return pips as a code of dice: `3D+2`."""
    return codes.code_text(int(value), pips=True)


FORMS: Final[Mapping[str, Callable[[int | Fraction], str]]] = {
    "number": number_text,
    "percent": whole_percent,
    "days": days,
    "short": short_number,
    "code": code,
}
"""How figures can be written, by the word that a table uses."""
