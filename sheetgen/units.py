"""Lengths, boxes, papers, and paths as in SVG. The unit inside is the point; texts name theirs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, Literal, NewType, TypeAlias, get_args

from sheetgen.records import frozen

Pt = NewType("Pt", float)  # a length in PDF points: 1/72 inch
_PER_UNIT: Final = {"pt": 1.0, "in": 72.0, "mm": 72 / 25.4, "cm": 72 / 2.54}
_LENGTH: Final = re.compile(r"(?P<number>-?\d+(?:\.\d+)?)\s*(?P<unit>pt|in|mm|cm)")

MM: Final = 72 / 25.4  # points in a millimetre

PaperName: TypeAlias = Literal["a4", "letter"]
PAPERS: Final[tuple[PaperName, ...]] = get_args(PaperName)  # of sheets, cards, tables and screens
PaperSize: TypeAlias = Literal[PaperName, "a3", "a5", "a6", "half-letter", "tabloid"]
CardSize: TypeAlias = Literal["poker", "tarot", "index", "a6", "half-letter"]
CARD_SIZES: Final[tuple[CardSize, ...]] = get_args(CardSize)

PAPER_SIZES: Final[dict[str, tuple[float, float]]] = {
    "a3": (297.0, 420.0),
    "a4": (210.0, 297.0),
    "a5": (148.0, 210.0),
    "a6": (105.0, 148.0),
    "half-letter": (139.7, 215.9),
    "letter": (215.9, 279.4),
    "tabloid": (279.4, 431.8),
}
"""Width and height of each paper, upright, in millimetres."""


@frozen
class Box:
    """A rectangle on a page, in points; `x`, `y` is its top left, y grows downwards."""

    x: float
    y: float
    width: float
    height: float


def paper_points(name: str) -> tuple[float, float]:
    """Return the width and height of a paper, upright, in points."""
    width, height = PAPER_SIZES[name]
    return width * MM, height * MM


def parse_length(text: str) -> Pt:
    """Return a length such as `63.5 mm` or `2.5in` in points; `ValueError` without a unit."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        units = ", ".join(_PER_UNIT)
        raise ValueError(f"`{text}` is not a length; write a number and one of {units}")
    return Pt(float(match["number"]) * _PER_UNIT[match["unit"]])


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
