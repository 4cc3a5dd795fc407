"""Where nothing is painted on a finished page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sheetgen.finish.inspect.contents import ContentReader
from sheetgen.finish.inspect.geometry import expand_box, intersect_boxes
from sheetgen.finish.inspect.painting import Colour, GraphicsState, TooMuch, rect_of
from sheetgen.model.inspected import Rect


class _Boxes:
    """Collects the boxes of all that is painted; a `Watcher`."""

    def __init__(self) -> None:
        self.found: list[Rect] = []

    def text(self, box: Rect, said: str, colour: Colour) -> None:
        self.filled(box, colour)

    def filled(self, box: Rect, colour: Colour) -> None:
        if not colour.is_paper:
            self.found.append(box)

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        self.filled(box, colour)

    def picture(self, box: Rect, image: Any, size: tuple[float, float], colour: Colour) -> None:
        self.found.append(box)

    def ignore(self, *_: Any) -> None:
        """Take no note of what is not painted."""

    setting = group = font = ignore


def find_free_box(pdf: Any, page: Any, boxes: Sequence[Rect], clear: float) -> int:
    """Return which of `boxes` is the first with nothing in it; the last one if none is.

    Args:
        clear: Points that have to be empty around a box, too.
    """
    seen = _Boxes()
    try:
        if "/Contents" in page.obj:
            state = GraphicsState((1, 0, 0, 1, 0, 0), clip=rect_of(page.mediabox))
            ContentReader(pdf, seen).read(page.obj.Contents, page.resources, state)
    except TooMuch:
        return len(boxes) - 1
    for number, box in enumerate(boxes):
        if not any(intersect_boxes(expand_box(box, clear), one) for one in seen.found):
            return number
    return len(boxes) - 1
