"""Paths of pieces: circles, boxes with a game's corners, and patterns that tell groups apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import cos, pi, sin
from typing import Final

from sheetgen.units import Box

_KAPPA: Final = 0.5522847498
"""How far the control points of a quarter of a circle are from its ends, in radii."""

BARS: Final[Mapping[str, str]] = {
    "plain": "M0 0 L1 0 L1 1 L0 1 Z",
    "double": "M0 0 L1 0 L1 .56 L0 .56 Z M0 .82 L1 .82 L1 1 L0 1 Z",
    "taper": "M0 0 L1 0 L.97 .4 L0 .4 Z M.03 .56 L.62 .56 L.6 .76 L.016 .76 Z "
    "M0 .88 L.34 .88 L.33 1 L0 1 Z",
    "broken": "M0 0 L.52 0 L.52 1 L0 1 Z M.57 0 L.84 0 L.84 1 L.57 1 Z M.89 0 L1 0 L1 1 L.89 1 Z",
    "bevel": "M0 .5 L.04 0 L.96 0 L1 .5 L.96 1 L.04 1 Z",
}
"""The bar below the name of a page for each rule of a face, in a unit square."""


def _num(number: float) -> str:
    """Return a number with three decimals: a thousandth of a point is exact enough."""
    return f"{number:.3f}".rstrip("0").rstrip(".") or "0"


def polygon(*points: tuple[float, float]) -> str:
    """Return a closed path through points."""
    return "M" + " L".join(f"{_num(x)} {_num(y)}" for x, y in points) + " Z"


def line(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return a straight path."""
    return f"M{_num(x0)} {_num(y0)} L{_num(x1)} {_num(y1)}"


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
    path = f"M{_num(x + r)} {_num(y)}"
    for curve in curves:
        path += " C" + " ".join(_num((x, y)[at % 2] + n) for at, n in enumerate(curve))
    return f"{path} Z"


def stretch(path: str, box: Box) -> str:
    """Return a path of the unit square in a box."""
    return transform(path, lambda x, y: (box.x + x * box.width, box.y + y * box.height))


def transform(path: str, place: Callable[[float, float], tuple[float, float]]) -> str:
    """Return a path with each point moved by `place`."""
    parts = []
    for letter, numbers in segments(path):
        points = zip(numbers[::2], numbers[1::2], strict=True)
        parts += [letter, *(_num(length) for point in points for length in place(*point))]
    return " ".join(parts)


def segments(path: str) -> Iterator[tuple[str, list[float]]]:
    """Yield the letters of a path, each with its numbers; a letter may have several points."""
    for part in _SEGMENT.finditer(path):
        numbers = [float(number) for number in part[2].replace(",", " ").split()]
        count = _COUNTS[part[1]] or 1
        for start in range(0, max(len(numbers), 1), count):
            follows = part[1] == "M" and start > 0
            yield "L" if follows else part[1], numbers[start : start + count]


_SEGMENT: Final = re.compile("([MLCZ])([^MLCZ]*)")
_COUNTS: Final = {"M": 2, "L": 2, "C": 6, "Z": 0}


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
