"""The layout of a grid of odds and of its curves, without drawing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Final

from sheetgen.model.rulesets.prints import ComputedGrid, Curve
from sheetgen.records import frozen
from sheetgen.rules.odds.odds import HALF, cell_text

GAP: Final = 0.3
LONGEST: Final = 7  # the most letters of a name in a ring; else rows are numbered


@frozen
class ChartCell:
    """A cell of the grid."""

    text: str
    good: bool  # whether the chance is one half or more; the text is bold then
    grey: bool  # whether the chance is between a quarter and three quarters
    edges: tuple[str, ...] = ()  # sides with a heavy line: `left`, `top`, `right`, `bottom`

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the cell in all templates with odds."""
        marks = ["good" if self.good else "bad", *(["grey"] if self.grey else [])]
        return (*marks, *(f"at-{edge}" for edge in self.edges))

    @property
    def sign(self) -> str:
        """The `<` or `>` before the number, which is set in a face of its own."""
        return self.text[:1] if self.text[:1] in "<>" else ""

    @property
    def number(self) -> str:
        """The text without its sign."""
        return self.text.removeprefix(self.sign)


@frozen
class CurveName:
    """A curve's name in its ring; `wide` and `high` are half the ring's width and height."""

    text: str
    x: float
    y: float
    wide: float
    high: float


@frozen
class Chart:
    """Curves in a frame. Lengths are millimetres from the frame's top left corner."""

    width: float
    height: float
    across: tuple[tuple[float, str], ...]  # the x of each column, and its label
    levels: tuple[tuple[float, int], ...]  # the y of 0, 25, 50, 75 and 100 per cent
    curves: tuple[tuple[tuple[float, float], ...], ...]  # none if it always or never succeeds
    names: tuple[CurveName, ...]


def chance_classes(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the classes of cells with chances that are already texts, such as `>99` and `38`."""
    shown = [[int(t.strip("<>")) if t.strip("<>").isdecimal() else 0 for t in row] for row in rows]
    cells = _chart_cells([[Fraction(chance, 100) for chance in row] for row in shown])
    return [[" ".join(cell.classes) for cell in row] for row in cells]


def plan_grid_cells(grid: ComputedGrid) -> tuple[tuple[ChartCell, ...], ...]:
    """Return the cells of `grid` row by row, with the line between good and bad ones."""
    return _chart_cells(grid.cells)


def _chart_cells(rows: Sequence[Sequence[Fraction]]) -> tuple[tuple[ChartCell, ...], ...]:
    bad = {(r, c) for r, row in enumerate(rows) for c, chance in enumerate(row) if chance < HALF}

    def cell(r: int, c: int, chance: Fraction) -> ChartCell:
        beside = {"left": (r, c - 1), "top": (r - 1, c), "right": (r, c + 1), "bottom": (r + 1, c)}
        edges = tuple(side for side, place in beside.items() if place in bad)
        grey = Fraction(1, 4) <= chance <= Fraction(3, 4)
        return ChartCell(cell_text(chance), chance >= HALF, grey, edges if chance >= HALF else ())

    return tuple(
        tuple(cell(r, c, chance) for c, chance in enumerate(row)) for r, row in enumerate(rows)
    )


def names_in_rings(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of the curves' rings: the names of the rows, or their numbers."""
    short = max(map(len, rows), default=0) <= LONGEST
    return tuple(rows) if short else tuple(map(str, range(1, len(rows) + 1)))


def plan_chart(grid: ComputedGrid, width: float, height: float, radius: float) -> Chart:
    """Return the curves of `grid` in a frame of that size, in millimetres."""
    first, last = grid.feet[0], grid.feet[-1]
    span = max(1, last - first)

    def at(foot: Fraction | int, chance: Fraction) -> tuple[float, float]:
        return (width * float(foot - first) / span, height * float(1 - chance))

    drawn = tuple(tuple(at(*point) for point in curve if 0 < point[1] < 1) for curve in grid.curves)
    names: list[CurveName] = []
    for label, curve in zip(names_in_rings(grid.rows), grid.curves, strict=False):
        wide = radius * max(1, 0.34 * len(label) + 0.25)  # half the width of a letter
        placed = [CurveName(label, *at(*point), wide, radius) for point in _places(curve)]
        # a ring at the upper or lower edge moves into the frame; its curve is flat there
        placed = [replace(n, y=min(max(n.y, radius), height - radius)) for n in placed]

        def apart(one: CurveName, other: CurveName) -> bool:
            across = abs(one.x - other.x) >= one.wide + other.wide + GAP
            return across or abs(one.y - other.y) >= one.high + other.high + GAP

        free = [one for one in placed if all(apart(one, other) for other in names)]
        inside = [one for one in free if wide <= one.x <= width - wide]
        names += (inside or free or placed)[:1]
    feet = zip(grid.feet, grid.columns, strict=True)
    across = tuple((at(foot, HALF)[0], label) for foot, label in feet)
    levels = tuple((at(first, Fraction(level, 100))[1], level) for level in (0, 25, 50, 75, 100))
    return Chart(width, height, across, levels, drawn, tuple(names))


def _places(curve: Curve) -> list[tuple[Fraction | int, Fraction]]:
    """Return the points for a curve's name, the best first: at 50 per cent if possible."""
    found: list[tuple[Fraction | int, Fraction]] = []
    for level in (Fraction(n, 100) for n in (50, 65, 35, 80, 20, 57, 43, 72, 28, 90, 10)):
        for (x, high), (after, low) in pairwise(curve):
            if min(high, low) <= level <= max(high, low) and high != low:
                found.append((x + (high - level) / (high - low) * (after - x), level))
                break
    moving = [point for point in curve if 0 < point[1] < 1]
    return [*found, *sorted(moving, key=lambda point: abs(point[1] - HALF))]
