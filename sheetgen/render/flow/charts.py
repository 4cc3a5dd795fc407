"""Draw the lines of a computed table as an SVG chart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from html import escape
from itertools import pairwise
from typing import Final

from sheetgen.rules.tables.compute import ComputedTable, TableRow

WIDTH: Final = 366.0
HEIGHT: Final = 200.0
LEFT, RIGHT, TOP, BOTTOM = 24.0, 72.0, 12.0, 22.0
"""Margins for ticks and for the names of lines, in points."""

CLOSE: Final = 11.0
"""Least distance between the names of lines, in points."""


def draw_chart(table: ComputedTable, colours: Mapping[str, str]) -> str:
    """Return the lines of a computed table as SVG, each with its name at its end.

    The axis has ticks only at values that occur. A dashed line marks the tinted column.
    """
    over = table.table.over
    top = max((max(row.values) for row in table.rows), default=1) or 1
    frame = _ChartFrame(over[0], over[-1], Fraction(top))
    says = f"{table.table.label}: " + "; ".join(_spoken(row, over) for row in table.rows)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" '
        f'role="img" aria-label="{escape(says)}" '
        f'font-family="text" font-size="9.5" fill="{colours["ink"]}">'
    )
    parts = [
        head,
        f"<title>{escape(says)}</title>",
        *_axes(table, frame, colours),
        *_pointer(table, frame),
        *_lines(table, frame, colours),
        "</svg>",
    ]
    return "".join(parts)


def _spoken(row: TableRow, over: tuple[int, ...]) -> str:
    return f"{row.labels[0]} from {row.cells[0]} at {over[0]} to {row.cells[-1]} at {over[-1]}"


class _ChartFrame:
    """Convert values to positions in the picture."""

    def __init__(self, first: int, last: int, top: Fraction) -> None:
        self.first, self.last, self.top = first, last, top

    def x(self, n: int) -> float:
        span = max(1, self.last - self.first)
        return LEFT + (WIDTH - LEFT - RIGHT) * (n - self.first) / span

    def y(self, value: int | Fraction) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * float(Fraction(value) / self.top)


def _axes(table: ComputedTable, frame: _ChartFrame, colours: Mapping[str, str]) -> Iterator[str]:
    left, foot = frame.x(frame.first) - 6, frame.y(0)
    line = f'stroke="{colours["ink"]}" stroke-width="0.5"'
    corner = f"M{left:.1f} {frame.y(frame.top):.1f} V{foot:.1f} H{frame.x(frame.last):.1f}"
    yield f'<path d="{corner}" fill="none" {line}/>'
    heights: list[float] = []
    ends = {0: "0"} | {row.values[-1]: row.cells[-1] for row in table.rows}
    for value, end in sorted(ends.items(), key=lambda pair: (pair[0] != 0, -pair[0])):
        at = frame.y(value)
        if any(abs(at - other) < 9 for other in heights):
            continue
        heights.append(at)
        yield f'<path d="M{left - 3:.1f} {at:.1f} H{left:.1f}" {line}/>'
        yield f'<text x="{left - 5:.1f}" y="{at + 3.2:.1f}" text-anchor="end">{escape(end)}</text>'
    for n in table.table.over:
        x = frame.x(n)
        weight = ' font-weight="700"' if n in table.table.tint else ""
        yield f'<path d="M{x:.1f} {foot:.1f} V{foot + 3:.1f}" {line}/>'
        yield f'<text x="{x:.1f}" y="{foot + 13:.1f}" text-anchor="middle"{weight}>{n}</text>'


def _pointer(table: ComputedTable, frame: _ChartFrame) -> Iterator[str]:
    """Draw a dashed line up to the highest value of each tinted column."""
    for place, n in enumerate(table.table.over):
        if n not in table.table.tint:
            continue
        ranked = sorted(table.rows, key=lambda row: row.values[place], reverse=True)
        x, top = frame.x(n), frame.y(ranked[0].values[place])
        yield (
            f'<path d="M{x:.1f} {top - 16:.1f} V{frame.y(0):.1f}" stroke="currentColor" '
            'stroke-width="0.5" stroke-dasharray="2 2" fill="none"/>'
        )
        about = escape(table.table.about)
        yield f'<text x="{x + 10:.1f}" y="{top - 20:.1f}" text-anchor="end">{about}</text>'
        for side, row in zip((-5, 5), ranked, strict=False):
            anchor = "end" if side < 0 else "start"
            y = frame.y(row.values[place]) + (-2 if side < 0 else 8.8)
            yield (
                f'<text x="{x + side:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
                f'font-weight="600">{escape(row.cells[place])}</text>'
            )


def _lines(table: ComputedTable, frame: _ChartFrame, colours: Mapping[str, str]) -> Iterator[str]:
    names = []
    lines = list(zip(table.rows, table.table.lines, strict=True))
    for row, line in sorted(lines, key=lambda pair: pair[1].strong):
        colour, width = colours["ink"], 1.1
        if line.strong:
            colour, width = colours["accent"], 2.0
        points = [
            (frame.x(n), frame.y(v)) for n, v in zip(table.table.over, row.values, strict=True)
        ]
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
        size = 2.4 if line.strong else 1.4
        for x, y in points:
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}"/>'
        names.append((points[-1][1], row.labels[0], colour))
    for y, name, colour in _apart(sorted(names)):
        x = frame.x(frame.last) + 7
        yield (
            f'<text x="{x:.1f}" y="{y + 3.4:.1f}" font-weight="600" font-size="10" '
            f'fill="{colour}">{escape(name)}</text>'
        )


def _apart(names: list[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """Return `names` from top to bottom, moved up so that they do not overlap."""
    placed = list(names)
    for lower, upper in pairwise(range(len(placed) - 1, -1, -1)):
        y = min(placed[upper][0], placed[lower][0] - CLOSE)
        placed[upper] = (y, *placed[upper][1:])
    return placed
