"""Tables of an encounter page side by side, in columns that all rows share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sheetgen.plan.pages.screen_lines import BOLD, NAME, PLAIN, TextMeasure
from sheetgen.plan.pages.tables import TableView
from sheetgen.units import MM

WIDTH: Final = 182.0
"""The width of the narrower paper between its margins, in millimetres."""

GAP: Final = 5.0
_PAD: Final = 2.0
"""The gap between the columns of a table, in millimetres."""

_MOST: Final = 4
_LEAST: Final = 34.0
_TEXT: Final = 38.0
"""The least width of a table that has a text below it, in millimetres."""

_WORDS: Final = (WIDTH - 2 * GAP) / 3
"""The width of a table of words that would be wider: its cells wrap, and three are side by side."""

Named = tuple[str, TableView]


@dataclass(frozen=True, slots=True)
class TableSizes:
    """Type sizes of tables in points: names, heads and cells."""

    name: float
    head: float
    cell: float


def columns_of(
    named: Sequence[Named], measure: TextMeasure, sizes: TableSizes
) -> tuple[list[list[Named]], list[float]]:
    """Return columns of tables, and their widths in millimetres.

    As many tables as fit are side by side, and share the space that is left.
    """
    needed = [_width(name, view, measure, sizes) for name, view in named]
    for count in range(min(_MOST, len(named)), 0, -1):
        columns = [list(named[at::count]) for at in range(count)]
        widths = [max(needed[at::count]) for at in range(count)]
        spare = WIDTH - sum(widths) - GAP * (count - 1)
        if spare >= 0 or count == 1:
            # A single table keeps its width: long lines are hard to read.
            more = max(0.0, spare) / count if count > 1 else 0.0
            return columns, [min(WIDTH, round(wide + more, 2)) for wide in widths]
    return [], []


def _width(name: str, view: TableView, measure: TextMeasure, sizes: TableSizes) -> float:
    """Return the width at which no cell of a table wraps, in millimetres."""
    columns = [measure.face_width(head.number + head.unit, BOLD, sizes.head) for head in view.heads]
    for part in view.parts:
        for row in part.rows:
            for at, cell in enumerate(row.cells[: len(columns)]):
                if cell.span == 1:
                    face = BOLD if at == 1 else PLAIN
                    wide = measure.face_width(cell.number + cell.unit, face, sizes.cell)
                    columns[at] = max(columns[at], wide)
    cells = sum(columns) / MM + _PAD * (len(columns) - 1)
    if not view.heads[-1].figure and view.heads[-1].number:
        cells = min(cells, _WORDS - 0.5)
    least = _TEXT if view.text else _LEAST
    return max(cells, measure.face_width(name, NAME, sizes.name) / MM, least) + 0.5
