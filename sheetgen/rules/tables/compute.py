"""Computed tables for all formats: texts, exact figures, and asides of single cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import Column, ComputedRow, Table
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import Scope, evaluate, value_of
from sheetgen.rules.formulas.expressions import FormulaError, parse_formula
from sheetgen.rules.formulas.general import general
from sheetgen.rules.formulas.lines import BRACES, filled
from sheetgen.rules.formulas.notation import formula_text
from sheetgen.rules.formulas.numbers import FORMS, as_figure
from sheetgen.rules.tables import stock as stock_rows
from sheetgen.rules.tables.stock import Stock, kind_of_tables, names_of_kind
from sheetgen.rules.tables.tables import RulesetScope, cell_scope, computed_figures, settle_table
from sheetgen.rules.tables.tables import heads as heads_over
from sheetgen.rules.tables.things import Thing, ThingScope, tags_of, things

if TYPE_CHECKING:
    from sheetgen.rules.odds.grid import ComputedGrid

_WHOLE = re.compile(r"\d{4,}")


@frozen
class TableRow:
    """A row of a table.

    Attributes:
        labels: The first cells, which name the row.
        formula: The formula for any `n`, in mathematical notation.
        part: The heading of the part that begins with this row.
        apart, total: As in the ruleset.
        asides: Remarks about cells, by the cell's place.
        values: The exact figures of a computed row.
    """

    labels: tuple[str, ...]
    cells: tuple[str, ...]
    formula: str = ""
    part: str = ""
    apart: bool = False
    total: bool = False
    asides: Mapping[int, str] = field(default_factory=dict)
    values: tuple[int | Fraction, ...] = ()


@frozen
class ComputedTable:
    """A table with everything that is printed of it.

    Attributes:
        heads, columns: The heads over the labels and over the cells.
        figures, strong: Which columns hold numbers, and which hold names.
        tinted: The places of the tinted columns.
        grid: The grid of a table of odds, with its curves.
        places: The row and cell of a value, by `NAME, VALUE`.
    """

    id: str
    table: Table
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    figures: tuple[bool, ...]
    strong: tuple[bool, ...] = ()
    tinted: tuple[int, ...] = ()
    text: str = ""
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    grid: ComputedGrid | None = None


def compute_table(
    rules: Ruleset,
    id_: str,
    options: Mapping[str, Value] | None = None,
    over: tuple[int, ...] = (),
    *,
    turn: bool = True,
    stock: Stock | None = None,
) -> ComputedTable:
    """Return the table `id_` of `rules`.

    Args:
        over: Values of `n` instead of the table's own.
        turn: Whether a `turned` table has a row for each `n`; otherwise it has columns.
        stock: The files that come with the ruleset, for a table of a kind.

    Raises:
        FormulaError: A figure cannot be computed.
    """
    scope = RulesetScope(rules, options)
    table = settle_table(rules.tables[id_], scope)
    if table.lines:
        computed = _computed(id_, table, scope, over or table.over)
        return _turned(computed) if table.turned and turn else computed
    if kind := kind_of_tables(table.of):
        if stock is None:
            raise FormulaError(f"only tables can list the files of `{kind}`")
        return _stocked(id_, table, rules, scope, stock.get(kind, ()))
    if table.odds is not None:
        return _of_odds(id_, table, rules, options or {})
    if table.of is not None:
        return _listed(id_, table, rules, scope)
    if any(len(row) != len(table.columns) for row in table.rows):
        raise FormulaError("its rows and its columns differ in number")
    figures = tuple(all(map(_is_figure, column)) for column in zip(*table.rows, strict=True))
    rows = tuple(TableRow(row[:1], row[1:]) for row in table.rows)
    heads, columns, text = table.columns[:1], table.columns[1:], str(table.text)
    return ComputedTable(id_, table, heads, columns, rows, figures[1:], text=text)


def _of_odds(id_: str, table: Table, rules: Ruleset, options: Mapping[str, Value]) -> ComputedTable:
    """Return a grid of odds as a table: a row for each pool, in percent without decimals."""
    from sheetgen.rules.odds.grid import GridError, cell_text, compute_grid  # Few tables are odds.

    rule = rules.odds.grids.get(str(table.odds)) if rules.odds else None
    if rule is None:
        raise FormulaError(f"there is no grid of odds `{table.odds}`")
    try:
        grid = compute_grid(rules, str(table.odds), rule, options)
    except GridError as error:
        raise FormulaError(f"`{error.place}`: {error}") from None
    rows = tuple(
        TableRow((name,), tuple(map(cell_text, chances)))
        for name, chances in zip(grid.rows, grid.cells, strict=True)
    )
    shown = replace(table, label=table.label or grid.label, about=table.about or grid.about)
    figures, text = tuple(True for _ in grid.columns), str(table.text) or grid.text
    heads = (table.corner,)
    return ComputedTable(id_, shown, heads, grid.columns, rows, figures, text=text, grid=grid)


def _is_figure(text: str) -> bool:
    return bool(re.fullmatch(r"[+−×-]?\d[\d.,]*\+?[A-Za-z%]?|–|", text))


def _computed(id_: str, table: Table, scope: RulesetScope, over: tuple[int, ...]) -> ComputedTable:
    rows = []
    table = replace(table, over=over)
    for line, values in zip(table.lines, computed_figures(table, scope), strict=True):
        cells = tuple(map(FORMS[line.as_], values))
        formula, asides = _general(line, scope, over, values)
        labels = (line.label, *line.also, *[""] * (len(table.heads) - len(line.also)))
        row = TableRow(labels, cells, formula, "", line.apart, line.total, asides, tuple(values))
        rows.append(row)
    heads = (table.corner, *table.heads)
    columns = heads_over(table)
    tinted = tuple(place for place, n in enumerate(over) if n in table.tint)
    figures, text = tuple(True for _ in over), str(table.text)
    return ComputedTable(id_, table, heads, columns, tuple(rows), figures, (), tinted, text)


def _general(
    line: ComputedRow, scope: Scope, over: tuple[int, ...], values: list[int | Fraction]
) -> tuple[str, dict[int, str]]:
    """Return the formula of a row for any `n`, and asides for cells where it does not hold."""
    if line.value is None or not over:
        return "", {}
    last = cell_scope(scope, line, over[-1])
    rule = general(parse_formula(line.value), last)
    names = {"n": "n", "count": "n", "faces": str(line.faces)}
    shown = formula_text(rule, lambda name: names.get(name) or str(last.value(name)))
    asides = {}
    for place, (n, value) in enumerate(zip(over, values, strict=True)):
        gives = as_figure(evaluate(rule, cell_scope(scope, line, n)))
        if gives != value:
            ruling = f" ({line.ruling})" if line.ruling else ""
            asides[place] = f"{shown} gives {FORMS[line.as_](gives)}{ruling}"
    return shown, asides


def _turned(computed: ComputedTable) -> ComputedTable:
    """Return a table whose columns are the rows of `computed`."""
    table = computed.table
    columns = tuple(row.labels[0] for row in computed.rows)
    rows = [
        TableRow((head,), tuple(row.cells[place] for row in computed.rows))
        for place, head in enumerate(computed.columns)
    ]
    if table.any_:
        formulas = tuple(row.formula for row in computed.rows)
        rows.append(TableRow((table.any_,), formulas, apart=True))
    figures = tuple(True for _ in columns)
    heads = computed.heads[:1]
    return ComputedTable(
        computed.id, table, heads, columns, tuple(rows), figures, text=computed.text
    )


def _listed(id_: str, table: Table, rules: Ruleset, scope: RulesetScope) -> ComputedTable:
    """Return a table with a row for each of its things."""
    rows = []
    for part, thing in _in_parts(table, things(rules, str(table.of))):
        cells = _cells(table, ThingScope(rules, scope, thing))
        rows.append(TableRow(cells[:1], cells[1:], part=part))
    return _of_columns(id_, table, rows)


def _stocked(
    id_: str, table: Table, rules: Ruleset, scope: RulesetScope, builds: Sequence[Build]
) -> ComputedTable:
    """Return a table with a row for each of `builds`, in parts by their groups."""
    known, last = names_of_kind(rules, kind_of_tables(table.of)), None
    rows, places = [], {}
    for at, build in enumerate(builds):
        cells = _cells(table, stock_rows.BuildScope(scope, build, known))
        group = build.texts.get("group", "")
        part = group if group != last else ""
        rows.append(TableRow(cells[:1], cells[1:], part=part, apart=group != last))
        last = group
        for place, column in enumerate(table.cells[1:]):
            if value := stock_rows.value_in(column):
                places[f"{build.name}, {value}"] = at, place
    return _of_columns(id_, table, rows, places)


def _of_columns(
    id_: str,
    table: Table,
    rows: Sequence[TableRow],
    places: Mapping[str, tuple[int, int]] | None = None,
) -> ComputedTable:
    """Return a table of rows whose cells are those of its columns."""
    if not table.cells:
        raise FormulaError("it has no `cells`")
    first, *others = table.cells
    heads = tuple(column.head for column in others)
    figures = tuple(column.figure for column in others)
    strong = tuple(column.strong for column in others)
    return ComputedTable(
        *(id_, table, (first.head,), heads, tuple(rows), figures, strong),
        text=str(table.text),
        places=places or {},
    )


def _in_parts(table: Table, found: Mapping[str, Thing]) -> Iterator[tuple[str, Thing]]:
    """Yield the things of `table` part by part, the first of a part with its heading."""
    tagged = [({str(id_), *tags_of(thing)}, thing) for id_, thing in found.items()]
    kept = [(tags, thing) for tags, thing in tagged if _counts(table, tags)]
    for tag, heading in table.parts.items() or [("", "")]:
        below = [thing for tags, thing in kept if not tag or _belongs(tags, tag, table)]
        yield from ((heading if at == 0 else "", thing) for at, thing in enumerate(below))


def rows_of_things(table: Table, found: Mapping[str, Thing]) -> list[Thing]:
    """Return the things that have a row in a table with `of`."""
    return [thing for _, thing in _in_parts(table, found)]


OTHERS = "others"
"""The part of a table for the things of no other part."""


def _belongs(tags: set[str], part: str, table: Table) -> bool:
    return not tags.intersection(table.parts) if part == OTHERS else part in tags


def _counts(table: Table, tags: set[str]) -> bool:
    chosen = not table.where or bool(tags.intersection(table.where))
    return chosen and not tags.intersection(table.without)


def _cells(table: Table, about: Scope) -> tuple[str, ...]:
    return tuple(_cell(column, about) for column in table.cells)


def _cell(column: Column, about: Scope) -> str:
    if column.zero and column.each is None and BRACES.search(column.text):
        values = [value_of(match[1], about) for match in BRACES.finditer(column.text)]
        if not any(values):
            return column.zero
    text = (
        stock_rows.stock_cell(column, about)
        if isinstance(about, stock_rows.BuildScope)
        else filled(column.text, about)
    )
    text = text or column.zero
    return _WHOLE.sub(lambda m: f"{int(m[0]):,}", text) if column.figure else text
