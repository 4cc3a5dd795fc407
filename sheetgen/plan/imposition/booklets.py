"""Booklets that are folded once and stapled in the fold: which pages stand beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sheetgen.units import MM

PAPERS: Final = {
    "a3": (297 * MM, 420 * MM),
    "a4": (210 * MM, 297 * MM),
    "a5": (148 * MM, 210 * MM),
    "letter": (215.9 * MM, 279.4 * MM),
    "tabloid": (279.4 * MM, 431.8 * MM),
}
"""Sheets that booklets are printed on, on their short side, in points."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a sheet.

    Attributes:
        left, right: Pages, counted from 0; None for an empty one.
        sheet: Counted from 0, the outermost.
    """

    left: int | None
    right: int | None
    sheet: int


def plan_sides(pages: int) -> tuple[Side, ...]:
    """Return the sides of a booklet in the order of printing: front and back of each sheet.

    Args:
        pages: How many there are; empty ones fill up to a multiple of four.
    """
    whole = -(-pages // 4) * 4

    def page(number: int) -> int | None:
        return number if number < pages else None

    found = []
    for sheet in range(whole // 4):
        first, last = 2 * sheet, whole - 1 - 2 * sheet
        found.append(Side(page(last), page(first), sheet))
        found.append(Side(page(first + 1), page(last - 1), sheet))
    return tuple(found)


def find_booklet_sheet(width: float, height: float) -> tuple[float, float]:
    """Return the sheet, lying as two pages do, that holds two pages of a size as they are.

    A standard paper, if one is as large to half a millimetre; else just twice the page.
    """
    for short, long in PAPERS.values():
        for paper in ((long, short), (short, long)):
            if abs(paper[0] - 2 * width) < 1.5 * MM and abs(paper[1] - height) < 1.5 * MM:
                return paper
    return 2 * width, height
