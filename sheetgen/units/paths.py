"""Paths as in SVG, with the commands M, L, C and Z, all absolute."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from sheetgen.units import Box

COUNTS: Final = {"M": 2, "L": 2, "C": 6, "Z": 0}  # how many numbers a command takes
_SEGMENT: Final = re.compile("([MLCZ])([^MLCZ]*)")
_NUMBER: Final = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")


def num(number: float) -> str:
    """Return a number with three decimals at most: a thousandth of a point is exact enough."""
    return f"{number:.3f}".rstrip("0").rstrip(".") or "0"


def segments(path: str) -> Iterator[tuple[str, list[float]]]:
    """Yield the commands of a path, each with its numbers; more pairs after an M are lines."""
    for letter, rest in _SEGMENT.findall(path):
        numbers = [*map(float, _NUMBER.findall(rest))]
        count = COUNTS[letter] or 1
        for start in range(0, max(len(numbers), 1), count):
            yield "L" if letter == "M" and start else letter, numbers[start : start + count]


def transform(path: str, place: Callable[[float, float], tuple[float, float]]) -> str:
    """Return a path with each point moved by `place`."""
    parts = []
    for letter, numbers in segments(path):
        points = zip(numbers[::2], numbers[1::2], strict=True)
        parts += [letter, *(num(length) for point in points for length in place(*point))]
    return " ".join(parts)


def stretch(path: str, box: Box) -> str:
    """Return a path of the unit square in a box."""
    return transform(path, lambda x, y: (box.x + x * box.width, box.y + y * box.height))
