"""What rules compute for prints: tables, and grids of odds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from typing import TypeAlias

from sheetgen.model.rulesets.prints import Table
from sheetgen.records import frozen

MOST_ROWS = 14
MOST_COLUMNS = 10
"""The most rows and columns of a printed grid that are legible on a page."""

Curve: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Positions on the horizontal axis, and the chance at each."""


@frozen
class ComputedGrid:
    """A computed grid.

    Attributes:
        cells: The chances, by row and column.
        curves: One for each row, at every target number or else at every column; none if the
            columns have no order.
        feet: The position of each column on the horizontal axis.
    """

    id: str
    label: str
    about: str
    text: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Fraction, ...], ...]
    curves: tuple[Curve, ...]
    feet: tuple[int, ...]


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
