"""Card sheets: many cards of one size in one picture, in equal cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sheetgen.finish.pictures.rendering import BLANK, PageRenderer

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_COLUMNS: Final = 10
MOST_ROWS: Final = 7
MOST_SHEET: Final = 4096
"""Pixels of the sides of a sheet."""

_NEARLY: Final = 1 - 1e-6
"""PDFium rounds the sides of pages up, and holds them with less precision."""


@dataclass(frozen=True, slots=True)
class SheetGrid:
    """The cells of card sheets, and the resolution that they leave to a card."""

    columns: int
    rows: int
    dpi: int

    @property
    def count(self) -> int:
        """How many cards a sheet holds."""
        return self.columns * self.rows


def plan_grid(count: int, size: tuple[float, float], dpi: int) -> SheetGrid:
    """Return the grid in which `count` cards are sharpest, on as few sheets as possible.

    Args:
        size: Width and height of a card in points.
        dpi: The resolution if there is room for it.
    """
    sheets = -(-count // (MOST_COLUMNS * MOST_ROWS))
    least = -(-count // sheets)
    grids = [
        SheetGrid(columns, rows, min(dpi, _fit(columns, size[0]), _fit(rows, size[1])))
        for columns in range(1, MOST_COLUMNS + 1)
        for rows in range(1, MOST_ROWS + 1)
        if columns * rows >= least
    ]
    return max(grids, key=lambda grid: (grid.dpi, -grid.count, grid.columns))


def _fit(cells: int, length: float) -> int:
    """Return the resolution at which a number of cells of a length fill a sheet."""
    return int(MOST_SHEET // cells * 72 / length * _NEARLY)


def render_sheet(pages: PageRenderer, numbers: Sequence[int], grid: SheetGrid) -> Image:
    """Return one sheet with some pages in its cells, row by row; other cells are blank."""
    from PIL import Image

    sheet: Image.Image | None = None
    for place, number in enumerate(numbers):
        card = pages.render(number, grid.dpi)
        if sheet is None:
            size = card.width * grid.columns, card.height * grid.rows
            sheet = Image.new("RGB", size, BLANK)
        row, column = divmod(place, grid.columns)
        sheet.paste(card, (column * card.width, row * card.height))
    assert sheet is not None
    return sheet
