"""Lengths and boxes: one unit inside (points), text with a unit at the edge."""

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
    """Return the length that `text` names, such as `"63.5 mm"` or `"2.5in"`.

    Raises:
        ValueError: `text` has no unit, or one that we do not know. A bare number is
            refused on purpose: it has meant millimetres to one author and points to
            the next.
    """
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        units = ", ".join(_PER_UNIT)
        raise ValueError(f"`{text}` is not a length; write a number and one of {units}")
    return Pt(float(match["number"]) * _PER_UNIT[match["unit"]])
