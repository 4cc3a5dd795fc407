"""Paths of pieces: circles, boxes with a game's corners, and patterns that tell groups apart."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, pi, sin
from typing import Final

from sheetgen.units import Box
from sheetgen.units.paths import num

_KAPPA: Final = 0.5522847498
"""How far the control points of a quarter of a circle are from its ends, in radii."""


def polygon(*points: tuple[float, float]) -> str:
    """Return a closed path through points."""
    return "M" + " L".join(f"{num(x)} {num(y)}" for x, y in points) + " Z"


def line(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return a straight path."""
    return f"M{num(x0)} {num(y0)} L{num(x1)} {num(y1)}"


def rectangle(box: Box) -> str:
    """Return the path of a box."""
    right, foot = box.x + box.width, box.y + box.height
    return polygon((box.x, box.y), (right, box.y), (right, foot), (box.x, foot))


def circle(x: float, y: float, radius: float) -> str:
    """Return the path of a circle about x, y."""
    k, r = radius * _KAPPA, radius
    curves = (
        (r, k, k, r, 0, r),
        (-k, r, -r, k, -r, 0),
        (-r, -k, -k, -r, 0, -r),
        (k, -r, r, -k, r, 0),
    )
    path = f"M{num(x + r)} {num(y)}"
    for curve in curves:
        path += " C" + " ".join(num((x, y)[at % 2] + n) for at, n in enumerate(curve))
    return f"{path} Z"


# -- patterns: paths that cover a box, to be clipped ---------------------------------------------


def _rays(box: Box, unit: float) -> Iterator[str]:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    far, count = box.width + box.height, 18
    for n in range(count):
        start, end = (2 * pi * (n + share) / count for share in (0.0, 0.5))
        ends = ((x + far * cos(angle), y + far * sin(angle)) for angle in (start, end))
        yield polygon((x, y), *ends)


def _steps(start: float, end: float, step: float) -> Iterator[float]:
    while start < end:
        yield start
        start += step


def _stripes(box: Box, unit: float) -> Iterator[str]:
    y, foot, high = box.y, box.y + box.height, box.height
    for at in _steps(box.x - high, box.x + box.width, 2 * unit):
        yield polygon((at, foot), (at + high, y), (at + high + unit, y), (at + unit, foot))


def _lozenges(box: Box, unit: float) -> Iterator[str]:
    step, half = unit * 1.9, unit * 0.62
    for row, y in enumerate(_steps(box.y, box.y + box.height + half, step / 2)):
        start = box.x + (step / 2 if row % 2 else 0)
        for x in _steps(start, box.x + box.width + half, step):
            yield polygon((x - half, y), (x, y - half), (x + half, y), (x, y + half))


def _chevrons(box: Box, unit: float) -> Iterator[str]:
    drop, right = box.width / 2, box.x + box.width
    for y in _steps(box.y - drop, box.y + box.height, 2 * unit):
        upper = (box.x, y), (box.x + drop, y + drop), (right, y)
        lower = ((x, height + unit) for x, height in reversed(upper))
        yield polygon(*upper, *lower)


def _rings(box: Box, unit: float) -> Iterator[str]:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    for radius in _steps(unit, (box.width + box.height) / 2, 2.2 * unit):
        yield f"{circle(x, y, radius + unit)} {circle(x, y, radius)}"


def _checks(box: Box, unit: float) -> Iterator[str]:
    side = 1.35 * unit
    for row in range(int(box.height / side) + 1):
        for column in range(row % 2, int(box.width / side) + 1, 2):
            yield rectangle(Box(box.x + column * side, box.y + row * side, side, side))


PATTERNS: Final = (_rays, _stripes, _lozenges, _chevrons, _rings, _checks)
"""Patterns that differ in grey, too."""


def pattern(number: int, box: Box, unit: float) -> str:
    """Return the path of a pattern that covers a box; it reaches over its edges."""
    return " ".join(PATTERNS[number % len(PATTERNS)](box, unit))
