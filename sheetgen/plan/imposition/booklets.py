"""Imposition of saddle-stitched booklets: which pages are side by side on each sheet."""

from __future__ import annotations

from typing import Final

from sheetgen.records import frozen
from sheetgen.units import MM, paper_points

BOOKLET_PAPERS: Final = ("a3", "a4", "a5", "letter", "tabloid")
"""Papers that booklets are printed on."""


@frozen
class Side:
    """One side of a sheet.

    Attributes:
        left, right: Page numbers from 0; None for an empty page.
        sheet: The number of the sheet; 0 is the outermost.
    """

    left: int | None
    right: int | None
    sheet: int


def plan_sides(pages: int) -> tuple[Side, ...]:
    """Return the sides of a booklet in printing order: front and back of each sheet.

    Args:
        pages: The number of pages; empty pages are added up to a multiple of four.
    """
    count = -(-pages // 4) * 4

    def page(number: int) -> int | None:
        return number if number < pages else None

    result = []
    for sheet in range(count // 4):
        first, last = 2 * sheet, count - 1 - 2 * sheet
        result.append(Side(page(last), page(first), sheet))
        result.append(Side(page(first + 1), page(last - 1), sheet))
    return tuple(result)


def find_booklet_sheet(width: float, height: float) -> tuple[float, float]:
    """Return the size of a sheet for two pages side by side.

    It is that of a standard paper if one is nearly as large, else exactly two pages.
    """
    for short, long in map(paper_points, BOOKLET_PAPERS):
        for paper in ((long, short), (short, long)):
            if abs(paper[0] - 2 * width) < 1.5 * MM and abs(paper[1] - height) < 1.5 * MM:
                return paper
    return 2 * width, height
