"""Where text and lines are painted on a page, to find what collides or nears the edge."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import pikepdf

from sheetgen.plugins.prepress.contents import (
    Colour,
    ContentReader,
    GraphicsState,
    PaintObserver,
    Rect,
    intersect_boxes,
    matrix_of,
    rect_of,
    transformed_box,
)
from sheetgen.units import MM

NEAR = 0.6
"""Points by which boxes may overlap: letters such as `j` reach into their neighbours' boxes."""

_PRINTED = 4


@dataclass
class Painted(PaintObserver):
    """What is painted on one page, in points, y upwards.

    Attributes:
        texts: Boxes of the black of each run of letters, and what it says.
        lines: Boxes of strokes and fills.
    """

    page: Rect
    texts: list[tuple[Rect, str]] = field(default_factory=list)
    lines: list[Rect] = field(default_factory=list)

    def text(self, box: Rect, said: str, colour: Colour) -> None:
        if not colour.is_paper:
            self.texts.append((box, said))

    def filled(self, box: Rect, colour: Colour) -> None:
        if not colour.is_paper:
            self.lines.append(box)

    def edge(self, box: Rect) -> float:
        """Return how far `box` is from the nearest edge of the page, in millimetres."""
        left, foot, right, top = self.page
        return min(box[0] - left, box[1] - foot, right - box[2], top - box[3]) / MM

    def near_edge(self, least: float) -> Iterator[str]:
        """Yield texts that are nearer to an edge than `least` millimetres."""
        for box, said in self.texts:
            if self.edge(box) < least:
                yield f"{said!r} is {self.edge(box):.1f} mm from the edge"

    def collisions(self) -> Iterator[str]:
        """Yield texts that are printed over others."""
        ordered = sorted(self.texts, key=lambda one: one[0][1])
        for (one, said), (other, also) in combinations(ordered, 2):
            if other[1] > one[3]:
                continue
            both = intersect_boxes(one, other)
            if both and min(both[2] - both[0], both[3] - both[1]) > NEAR:
                yield f"{said!r} and {also!r} overlap"


def painted(data: bytes) -> list[Painted]:
    """Return what is painted on each page of a PDF, in its fields too."""
    found = []
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for page in pdf.pages:
            one = Painted(rect_of(page.trimbox))
            reader = ContentReader(pdf, one)
            state = GraphicsState((1, 0, 0, 1, 0, 0), clip=rect_of(page.mediabox))
            if "/Contents" in page.obj:
                reader.read(page.obj.Contents, page.resources, state)
            for widget in page.obj.get("/Annots", ()):
                _appearance(widget, reader)
            found.append(one)
    return found


def _appearance(widget: Any, reader: ContentReader) -> None:
    look = widget.get("/AP", {}).get("/N")
    if look is not None and not isinstance(look, pikepdf.Stream):
        look = look.get(str(widget.get("/AS", "/Off")))
    if look is None or not int(widget.get("/F", 0)) & _PRINTED:
        return
    rect = rect_of(widget.Rect)
    box = transformed_box(matrix_of(look.get("/Matrix", (1, 0, 0, 1, 0, 0))), rect_of(look.BBox))
    at = (1, 0, 0, 1, rect[0] - box[0], rect[1] - box[1])
    reader.read(look, look.get("/Resources"), GraphicsState(at, clip=rect), 1)
