"""Lengths and boxes in points, and the parser of lengths with a unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NewType

Pt = NewType("Pt", float)
"""A length in PDF points: 1/72 inch."""

_PER_UNIT: Final = {"pt": 1.0, "in": 72.0, "mm": 72 / 25.4, "cm": 72 / 2.54}
_LENGTH: Final = re.compile(r"(?P<number>-?\d+(?:\.\d+)?)\s*(?P<unit>pt|in|mm|cm)")


MM: Final = 72 / 25.4
"""Points of a millimetre."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in points; `x`, `y` is its top left, y grows downwards."""

    x: float
    y: float
    width: float
    height: float


def parse_length(text: str) -> Pt:
    """Return the length in `text`, such as `"63.5 mm"` or `"2.5in"`, in points.

    Raises:
        ValueError: `text` has no known unit. A bare number is refused, since it may mean
            millimetres or points.
    """
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        units = ", ".join(_PER_UNIT)
        raise ValueError(f"`{text}` is not a length; write a number and one of {units}")
    return Pt(float(match["number"]) * _PER_UNIT[match["unit"]])
