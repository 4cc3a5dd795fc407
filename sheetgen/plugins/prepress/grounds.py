"""Find the colour of tinted paper: the first thing on a page, if it covers all of it."""

from __future__ import annotations

from typing import Any, Final

from sheetgen.finish.inspect.contents import ContentReader
from sheetgen.finish.inspect.geometry import IDENTITY, distances
from sheetgen.finish.inspect.painting import Colour, GraphicsState, TooMuch, device_space
from sheetgen.model.inspected import Rect

_NEAR: Final = 0.1
"""Points of tolerance at the edges of a page."""

_COUNTS: Final = {"gray": 1, "rgb": 3, "cmyk": 4}
_OPERATORS: Final = {"gray": b"g", "rgb": b"rg", "cmyk": b"k"}


def find_ground(pdf: Any, page: Any) -> bytes:
    """Return the operator that sets the colour of a page's paper; empty for white paper."""
    trim = tuple(float(side) for side in page.trimbox)
    observer = _FirstPaint((trim[0], trim[1], trim[2], trim[3]))
    try:
        reader = ContentReader(pdf, observer)
        reader.read(page.obj.get("/Contents"), page.resources, GraphicsState(IDENTITY))
    except (_Painted, TooMuch):
        pass
    colour = observer.colour
    if colour is None or colour.is_paper or colour.pattern is not None:
        return b""
    space = colour.space or device_space(colour.family)
    if colour.family not in _OPERATORS or len(colour.numbers) != _COUNTS[colour.family]:
        return b""
    if space.named or space.palette is not None:
        return b""
    numbers = b" ".join(b"%.5g" % number for number in colour.numbers)
    return numbers + b" " + _OPERATORS[colour.family]


class _Painted(Exception):
    """Something is painted; what follows does not matter."""


class _FirstPaint:
    """A `PaintObserver` that ends reading at the first thing that is painted."""

    def __init__(self, trim: Rect) -> None:
        self.trim = trim
        self.colour: Colour | None = None

    def filled(self, box: Rect, colour: Colour) -> None:
        """Keep the colour of what covers the page."""
        if max(distances(box, self.trim)) <= _NEAR:
            self.colour = colour
        raise _Painted

    def text(self, *_: Any) -> None:
        """See `PaintObserver`."""
        raise _Painted

    def line(self, *_: Any) -> None:
        """See `PaintObserver`."""
        raise _Painted

    def picture(self, *_: Any) -> None:
        """See `PaintObserver`."""
        raise _Painted

    def setting(self, *_: Any) -> None:
        """See `PaintObserver`."""

    def group(self, *_: Any) -> None:
        """See `PaintObserver`."""

    def font(self, *_: Any) -> None:
        """See `PaintObserver`."""
