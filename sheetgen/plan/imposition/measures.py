"""Measures of cards on paper as authors write them: grids and lengths, each within its bounds."""

from __future__ import annotations

import re
from typing import Final

from sheetgen.plan.imposition.imposition import Misfit
from sheetgen.units import MM, parse_length

MOST_GUTTER: Final = 100 * MM
MOST_BLEED: Final = 25 * MM
MOST_OFFSET: Final = 50 * MM
"""How far backs may be moved; no printer is off by more."""

_GRID: Final = re.compile(r"([0-9]{1,2})\s*[xX×]\s*([0-9]{1,2})")


def parse_grid(text: str) -> tuple[int, int]:
    """Return the columns and rows of a grid as an author writes it.

    Raises:
        Misfit: It is none, or has no place for a card.
    """
    found = _GRID.fullmatch(text.strip())
    counts = (int(found[1]), int(found[2])) if found else (0, 0)
    if min(counts) < 1:
        raise Misfit(f"the grid `{text}` is not COLSxROWS, such as 3x3")
    return counts


def parse_bounded_length(text: str, what: str, most: float, least: float = 0) -> float:
    """Return a length as an author writes it, in points.

    Raises:
        Misfit: It is none, or not between `least` and `most`.
    """
    try:
        length = float(parse_length(text))
    except ValueError as error:
        raise Misfit(f"{what}: {error}") from None
    if not least <= length <= most:
        raise Misfit(f"{what} `{text}` has to be {least / MM:g} to {most / MM:g} mm")
    return length
