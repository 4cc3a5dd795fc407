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
    """A computed grid."""

    id: str
    label: str
    about: str
    text: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Fraction, ...], ...]  # The chances, by row and column.
    # One for each row, at every target number or else at every column; none if the columns have no
    # order.
    curves: tuple[Curve, ...]
    feet: tuple[int, ...]  # The position of each column on the horizontal axis.


@frozen
class TableRow:
    """A row of a table."""

    labels: tuple[str, ...]  # The first cells, which name the row.
    cells: tuple[str, ...]
    formula: str = ""  # The formula for any `n`, in mathematical notation.
    part: str = ""  # The heading of the part that begins with this row.
    # apart, total: As in the ruleset.
    apart: bool = False
    total: bool = False
    # Remarks about cells, by the cell's place.
    asides: Mapping[int, str] = field(default_factory=dict)
    values: tuple[int | Fraction, ...] = ()  # The exact figures of a computed row.


@frozen
class ComputedTable:
    """A table with everything that is printed of it."""

    id: str
    table: Table
    # heads, columns: The heads over the labels and over the cells.
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    # figures, strong: Which columns hold numbers, and which hold names.
    figures: tuple[bool, ...]
    strong: tuple[bool, ...] = ()
    tinted: tuple[int, ...] = ()  # The places of the tinted columns.
    text: str = ""
    # The row and cell of a value, by `NAME, VALUE`.
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    grid: ComputedGrid | None = None  # The grid of a table of odds, with its curves.
