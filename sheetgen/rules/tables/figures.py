"""Figures of printed tables, computed exactly from the ruleset's formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import ComputedRow, Table
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import (
    FORMS,
    Inner,
    Scope,
    as_figure,
    code,
    filled,
    holds,
    value_of,
)
from sheetgen.rules.scopes import RulesetScope


@frozen
class PrintedTable:
    """A table as texts; the first text of each row is its label."""

    label: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str = ""


EMPTY: Final = "–"  # the text of a cell whose formulas gave an empty text


def printed(
    rules: Ruleset, table: Table, options: Mapping[str, Value] | None = None
) -> PrintedTable:
    """Return `table` with its figures.

    Raises:
        FormulaError: A figure cannot be computed.
    """
    scope = RulesetScope(rules, options)
    table = settle_table(table, scope)
    note = str(table.text)
    if not table.lines:
        return PrintedTable(str(table.label), table.corner, table.columns, table.rows, note)
    worked = zip(table.lines, computed_figures(table, scope), strict=True)
    rows = tuple((line.label, *map(FORMS[line.as_], row)) for line, row in worked)
    columns = heads_over(table)
    return PrintedTable(str(table.label), table.corner, columns, rows, note)


def settle_table(table: Table, scope: Scope) -> Table:
    """Return `table` with its formulas evaluated and its rows selected by the options.

    Raises:
        FormulaError: A formula has no value.
    """

    def fill(text: str) -> str:
        return str(filled(text, scope))

    kept = (line for line in table.lines if line.when is None or holds(line.when, scope))
    return replace(
        table,
        label=fill(table.label),
        about=fill(table.about),
        text=fill(table.text),
        remark=fill(table.remark),
        rows=tuple(
            tuple(fill(cell) or (EMPTY if cell else "") for cell in row) for row in table.rows
        ),
        lines=tuple(replace(line, label=fill(line.label)) for line in kept),
    )


def is_printed(table: Table, scope: Scope) -> bool:
    """Whether the options let `table` be printed."""
    return table.when is None or holds(table.when, scope)


def heads_over(table: Table) -> tuple[str, ...]:
    """Return the column heads of a computed table."""
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
        rule = line.value
        rows.append([as_figure(value_of(rule, cell_scope(scope, line, n))) for n in table.over])
    return rows


def cell_scope(scope: Scope, line: ComputedRow, n: int) -> Inner:
    """Return the scope of one cell of the row `line`."""
    return Inner(scope, {"n": n, "count": n, "faces": line.faces})
