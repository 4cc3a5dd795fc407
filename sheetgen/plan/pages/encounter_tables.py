"""Where the tables of a fight stand: side by side, in columns that all rows of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sheetgen.plan.pages.screen_lines import BOLD, NAME, PLAIN, TextMeasure
from sheetgen.plan.pages.tables import TableView

MM: Final = 72 / 25.4
WIDTH: Final = 182.0
"""Of a page between its margins, in millimetres; the narrower paper's."""

GAP: Final = 5.0
_PAD: Final = 2.0
"""Between the columns of a table, in millimetres."""

_MOST: Final = 4
_LEAST: Final = 34.0
_TEXT: Final = 38.0
"""The least width of a table that has a text below it, in millimetres."""

Named = tuple[str, TableView]


@dataclass(frozen=True, slots=True)
class TableSizes:
    """Of the words of tables, in points: their names, their heads, their cells."""

    name: float
    head: float
    cell: float


def columns_of(
    named: Sequence[Named], measure: TextMeasure, sizes: TableSizes
) -> tuple[list[list[Named]], list[float]]:
    """Return rows of tables, and the widths of their columns, in millimetres.

    As many stand side by side as there is room for, and what is left is shared out.
    """
    wanted = [_width(name, view, measure, sizes) for name, view in named]
    for count in range(min(_MOST, len(named)), 0, -1):
        rows = [list(named[at : at + count]) for at in range(0, len(named), count)]
        widths = [max(wanted[at::count]) for at in range(count)]
        spare = WIDTH - sum(widths) - GAP * (count - 1)
        if spare >= 0 or count == 1:
            # A table alone is as wide as it wants to be: long lines are read badly.
            more = max(0.0, spare) / count if count > 1 else 0.0
            return rows, [min(WIDTH, round(wide + more, 2)) for wide in widths]
    return [], []


def _width(name: str, view: TableView, measure: TextMeasure, sizes: TableSizes) -> float:
    """Return how wide a table wants to be, in millimetres; no cell of it is broken."""
    columns = [measure.face_width(head.number + head.unit, BOLD, sizes.head) for head in view.heads]
    for part in view.parts:
        for row in part.rows:
            for at, cell in enumerate(row.cells[: len(columns)]):
                if cell.span == 1:
                    face = BOLD if at == 1 else PLAIN
                    wide = measure.face_width(cell.number + cell.unit, face, sizes.cell)
                    columns[at] = max(columns[at], wide)
    cells = sum(columns) / MM + _PAD * (len(columns) - 1)
    least = _TEXT if view.text else _LEAST
    return max(cells, measure.face_width(name, NAME, sizes.name) / MM, least) + 0.5
