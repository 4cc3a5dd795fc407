"""Find the colour of tinted paper: the first thing on a page, if it covers all of it."""

from __future__ import annotations

from typing import Any, Final

from sheetgen.plugins.prepress.inspect.contents import ContentReader
from sheetgen.plugins.prepress.inspect.geometry import IDENTITY, distances
from sheetgen.plugins.prepress.inspect.painting import (
    CMYK,
    GRAY,
    RGB,
    Colour,
    GraphicsState,
    PaintObserver,
    TooMuch,
    rect_of,
)
from sheetgen.plugins.prepress.inspected import Rect

_NEAR: Final = 0.1
"""Points of tolerance at the edges of a page."""

_OPERATORS: Final = ((GRAY, b"g"), (RGB, b"rg"), (CMYK, b"k"))


def find_ground(pdf: Any, page: Any) -> bytes:
    """Return the operator that sets the colour of a page's paper; empty for white paper."""
    observer = _FirstPaint(rect_of(page.trimbox))
    try:
        reader = ContentReader(pdf, observer)
        reader.read(page.obj.get("/Contents"), page.resources, GraphicsState(IDENTITY))
    except (_Painted, TooMuch):
        pass
    colour = observer.colour
    if colour is None or colour.is_paper or colour.pattern is not None:
        return b""
    for space, operator in _OPERATORS:
        if colour.space == space and len(colour.numbers) == space.count:
            return b" ".join([*(b"%.5g" % number for number in colour.numbers), operator])
    return b""


class _Painted(Exception):
    """Something is painted; what follows does not matter."""


class _FirstPaint(PaintObserver):
    """Ends reading at the first thing that is painted."""

    def __init__(self, trim: Rect) -> None:
        self.trim = trim
        self.colour: Colour | None = None

    def filled(self, box: Rect, colour: Colour) -> None:
        """Keep the colour of what covers the page."""
        if max(distances(box, self.trim)) <= _NEAR:
            self.colour = colour
        raise _Painted

    def text(self, *_: Any) -> None:
        raise _Painted

    def line(self, *_: Any) -> None:
        raise _Painted

    def picture(self, *_: Any) -> None:
        raise _Painted
