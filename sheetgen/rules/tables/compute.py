"""Whole tables, worked out for every format: texts, and what is to be said of single cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import Column, ComputedRow, Table
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


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table.

    Attributes:
        labels: What names it.
        formula: For any `n`, as a reader writes it.
        part: The heading of the part that begins with it.
        apart, total: As its line says.
        asides: What is to be said of a cell, by the cell's place.
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


@dataclass(frozen=True, slots=True)
class ComputedTable:
    """A table with all that it prints.

    Attributes:
        heads: Over the labels; `columns`: over the cells.
        figures: Which of the cells hold numbers, `strong` which hold names.
        tinted: Places of the columns that guide the eye.
        grid: Of a table of odds: what its cells were made from, with curves.
        places: Where a value stands, row and cell, by what it is of: `NAME, VALUE`.
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
    """Return the table `id_` of `rules`, worked out.

    Args:
        over: Values of `n` instead of the table's own, where it has some.
        turn: Whether a `turned` table has a row for each `n`; else a column, as others.
        stock: For a table of a kind of files: those that come with the ruleset.

    Raises:
        FormulaError: A figure cannot be computed.
    """
    scope = RulesetScope(rules, options)
    table = settle_table(rules.tables[id_], scope)
    text = str(table.text)
    if table.lines:
        made = _computed(id_, table, scope, over or table.over, text)
        return _turned(made) if table.turned and turn else made
    if kind := kind_of_tables(table.of):
        if stock is None:
            raise FormulaError(f"what is ready made of `{kind}` stands in tables only")
        return _stocked(id_, table, rules, scope, stock.get(kind, ()))
    if table.odds is not None:
        return _of_odds(id_, table, rules, options or {}, text)
    if table.of is not None:
        return _listed(id_, table, rules, scope, text)
    if any(len(row) != len(table.columns) for row in table.rows):
        raise FormulaError("its rows are not as long as its columns are many")
    kinds = tuple(all(map(_is_figure, column)) for column in zip(*table.rows, strict=True))
    rows = tuple(TableRow(row[:1], row[1:]) for row in table.rows)
    return ComputedTable(
        id_, table, table.columns[:1], table.columns[1:], rows, kinds[1:], text=text
    )


def _of_odds(
    id_: str, table: Table, rules: Ruleset, options: Mapping[str, Value], text: str
) -> ComputedTable:
    """Return a grid of odds as a table: a row for each pool, in whole per cent."""
    from sheetgen.rules.odds.grid import GridError, cell_text, compute_grid  # Few tables are odds.

    wanted = rules.odds.grids.get(str(table.odds)) if rules.odds else None
    if wanted is None:
        raise FormulaError(f"there is no grid of odds `{table.odds}`")
    try:
        grid = compute_grid(rules, str(table.odds), wanted, options)
    except GridError as error:
        raise FormulaError(f"`{error.place}`: {error}") from None
    rows = tuple(
        TableRow((name,), tuple(map(cell_text, chances)))
        for name, chances in zip(grid.rows, grid.cells, strict=True)
    )
    shown = replace(table, label=table.label or grid.label, about=table.about or grid.about)
    figured = tuple(True for _ in grid.columns)
    heads = (table.corner,)
    return ComputedTable(
        id_, shown, heads, grid.columns, rows, figured, text=text or grid.text, grid=grid
    )


def _is_figure(text: str) -> bool:
    return bool(re.fullmatch(r"[+−×-]?\d[\d.,]*\+?[A-Za-z%]?|–|", text))


def _computed(
    id_: str, table: Table, scope: RulesetScope, over: tuple[int, ...], text: str
) -> ComputedTable:
    rows = []
    wide = _with_over(table, over)
    for line, values in zip(table.lines, computed_figures(wide, scope), strict=True):
        cells = tuple(map(FORMS[line.as_], values))
        formula, asides = _general(line, scope, over, values)
        labels = (line.label, *line.also, *[""] * (len(table.heads) - len(line.also)))
        row = TableRow(labels, cells, formula, "", line.apart, line.total, asides, tuple(values))
        rows.append(row)
    heads = (table.corner, *table.heads)
    columns = heads_over(wide)
    tinted = tuple(place for place, n in enumerate(over) if n in table.tint)
    figured = tuple(True for _ in over)
    return ComputedTable(id_, wide, heads, columns, tuple(rows), figured, (), tinted, text)


def _with_over(table: Table, over: tuple[int, ...]) -> Table:
    return replace(table, over=over) if over != table.over else table


def _general(
    line: ComputedRow, scope: Scope, over: tuple[int, ...], values: list[int | Fraction]
) -> tuple[str, dict[int, str]]:
    """Return the formula of a row for any `n`, and where it does not hold, what it gives."""
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


def _turned(made: ComputedTable) -> ComputedTable:
    """Return a table whose columns are the rows of `made`."""
    table = made.table
    columns = tuple(row.labels[0] for row in made.rows)
    rows = tuple(
        TableRow((head,), tuple(row.cells[place] for row in made.rows))
        for place, head in enumerate(made.columns)
    )
    if table.any_:
        rows = (*rows, TableRow((table.any_,), tuple(row.formula for row in made.rows), apart=True))
    kinds = tuple(True for _ in columns)
    return ComputedTable(made.id, table, made.heads[:1], columns, rows, kinds, text=made.text)


def _listed(
    id_: str, table: Table, rules: Ruleset, scope: RulesetScope, text: str
) -> ComputedTable:
    """Return a table with a row for each of the things that it is about."""
    rows = []
    for part, thing in _in_parts(table, things(rules, str(table.of))):
        about = ThingScope(rules, scope, thing)
        cells = [_cell(column, about) for column in table.cells]
        rows.append(TableRow((cells[0],), tuple(cells[1:]), part=part))
    heads, kinds = [c.head for c in table.cells], [c.figure for c in table.cells]
    strong = tuple(c.strong for c in table.cells[1:])
    return ComputedTable(
        id_, table, (heads[0],), tuple(heads[1:]), tuple(rows), tuple(kinds[1:]), strong, (), text
    )


def _stocked(
    id_: str, table: Table, rules: Ruleset, scope: RulesetScope, builds: Sequence[Build]
) -> ComputedTable:
    """Return a table with a row for each of `builds`, in parts as their groups are."""
    known, last = names_of_kind(rules, kind_of_tables(table.of)), None
    rows, places = [], {}
    for at, build in enumerate(builds):
        about, group = stock_rows.BuildScope(scope, build, known), build.texts.get("group", "")
        cells = [_cell(column, about) for column in table.cells]
        part = group if group != last else ""
        rows.append(TableRow((cells[0],), tuple(cells[1:]), part=part, apart=group != last))
        last = group
        for place, column in enumerate(table.cells[1:]):
            if value := stock_rows.value_in(column):
                places[f"{build.name}, {value}"] = at, place
    heads, kinds = [c.head for c in table.cells], [c.figure for c in table.cells]
    strong = tuple(c.strong for c in table.cells[1:])
    text = str(table.text)
    named = (heads[0],), tuple(heads[1:])
    return ComputedTable(
        id_, table, *named, tuple(rows), tuple(kinds[1:]), strong, (), text, places
    )


def _in_parts(table: Table, found: Mapping[str, Thing]) -> Iterator[tuple[str, Thing]]:
    """Yield what `table` is about, part by part; the first of a part with its heading."""
    tagged = [({str(id_), *tags_of(thing)}, thing) for id_, thing in found.items()]
    kept = [(tags, thing) for tags, thing in tagged if _counts(table, tags)]
    for tag, heading in table.parts.items() or [("", "")]:
        below = [thing for tags, thing in kept if not tag or _belongs(tags, tag, table)]
        yield from ((heading if at == 0 else "", thing) for at, thing in enumerate(below))


OTHERS = "others"
"""The part of a table that holds what no other part does."""


def _belongs(tags: set[str], part: str, table: Table) -> bool:
    return not tags.intersection(table.parts) if part == OTHERS else part in tags


def _counts(table: Table, tags: set[str]) -> bool:
    wanted = not table.where or tags.intersection(table.where)
    return bool(wanted) and not tags.intersection(table.without)


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


__all__ = ["ComputedTable", "FormulaError", "TableRow", "compute_table"]
