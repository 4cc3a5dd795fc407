"""A pen that draws on ReportLab's canvas, and tags what it draws.

All lengths are points. x counts from the left and y from the top, as a page is read.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from sheetgen.model.pictures import PreparedPicture
from sheetgen.plan.pieces.shapes import rectangle
from sheetgen.plan.pieces.style import PieceStyle, SetText
from sheetgen.render.pieces.tagging import Element
from sheetgen.units import Box
from sheetgen.units.paths import segments

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

Matrix: TypeAlias = tuple[float, float, float, float, float, float]
"""A transformation as in PDF: x becomes a·x + c·y + e, and y becomes b·x + d·y + f."""


def register_fonts(fonts: Mapping[str, bytes]) -> dict[str, str]:
    """Register TrueType fonts with ReportLab, each once in a process; return their names there."""
    import hashlib

    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    names = {}
    for file, data in fonts.items():
        name = names[file] = f"sheetgen-{hashlib.sha256(data).hexdigest()[:16]}"
        if name not in pdfmetrics.getRegisteredFontNames():
            font = TTFont(name, io.BytesIO(data), asciiReadable=False)
            # ReportLab embeds one font for each name, and weights of a publisher's font share it.
            font.face.name += f"-{name[-6:]}".encode()
            pdfmetrics.registerFont(font)
    return names


@dataclass
class Pen:
    """Draws on the current page, in the design of its pieces.

    Attributes:
        fonts: ReportLab's names of fonts, by their files.
        elements: Of the structure tree, of the current page.
        pictures: All pictures, by their keys.
    """

    canvas: Canvas
    fonts: Mapping[str, str]
    style: PieceStyle
    elements: list[Element] = field(default_factory=list)
    pictures: dict[str, PreparedPicture] = field(default_factory=dict)
    _silent: bool = False
    _forms: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Draw artifacts only: what repeats what was tagged before."""
        before, self._silent = self._silent, True
        yield
        self._silent = before

    @contextmanager
    def group(self, matrix: Matrix | None = None, clip: str = "") -> Iterator[None]:
        """Draw in coordinates of their own, clipped to a path."""
        self.canvas.saveState()
        if clip:
            self.canvas.clipPath(self._path_of(clip), stroke=0, fill=0)
        if matrix:
            self.canvas.transform(*matrix)
        yield
        self.canvas.restoreState()

    def draw_path(
        self,
        path: str,
        fill: str = "",
        stroke: str = "",
        width: float = 0.0,
        dash: tuple[float, ...] = (),
    ) -> None:
        """Draw a path in colours of the design; inner paths are not filled.

        Args:
            path: SVG path data: M, L, C and Z, absolute.
            fill, stroke: Colours such as `#1A1A1A`; empty for none.
            dash: Lengths of dashes and gaps.
        """
        with self._marked():
            self._stroke(path, fill, stroke, width, dash)

    def write(
        self,
        text: SetText,
        x: float,
        y: float,
        colour: str = "ink",
        align: float = 0,
        *,
        tag: str = "P",
        full: str = "",
    ) -> None:
        """Write lines of text.

        Args:
            x: The left end of the lines, their middle or their right end; see `align`.
            y: The first baseline.
            align: 0 for the left, 0.5 for the middle, 1 for the right.
            tag: The structure element; empty for an artifact.
            full: The complete text, if the lines may not be all of it.
        """
        canvas = self.canvas
        more = text.replacement(full) if full else ""
        with self._marked(tag, {"ActualText": more} if more else {}):
            canvas.setFillColor(self.style.colour(colour))
            font = self.fonts[self.style.faces[text.face]]
            canvas.setFont(font, text.size)
            for number, line in enumerate(text.lines):
                at = x - align * canvas.stringWidth(line, font, text.size)
                # A space keeps the words of two lines apart where the text is read or searched.
                more = " " if number + 1 < len(text.lines) else ""
                canvas.drawString(at, y + number * text.leading, line + more)

    def draw_picture(self, picture: PreparedPicture, box: Box, alt: str) -> None:
        """Refer to a picture, an XObject of a unit square that the page gets later."""
        canvas = self.canvas
        with self._marked("Figure", {"Alt": alt, "A": self._layout(box)}):
            self.pictures[picture.key] = picture
            left, foot, wide, high = picture.at
            place = (
                *(box.width * wide, 0, 0, -box.height * high),
                *(box.x + box.width * left, box.y + box.height * (1 - foot)),
            )
            with self.group(place, rectangle(box)):
                canvas._code.append(f"/picture{[*self.pictures].index(picture.key)} Do")

    def draw_once(self, key: str, clip: str, *paths: tuple[str, str, str, float]) -> None:
        """Draw paths as a form that all groups with the same key share.

        Args:
            paths: Each with its fill, stroke and width.
        """
        canvas = self.canvas
        with self._marked():
            if key not in self._forms:
                self._forms[key] = f"field{len(self._forms)}"
                numbers = [number for _, listed in segments(clip) for number in listed]
                xs, ys = numbers[::2], numbers[1::2]
                canvas.beginForm(self._forms[key], min(xs), min(ys), max(xs), max(ys))
                canvas.clipPath(self._path_of(clip), stroke=0, fill=0)
                for path in paths:
                    self._stroke(*path, ())
                flip, canvas._preamble = canvas._preamble, ""  # The page is flipped already.
                canvas.endForm()
                canvas._preamble = flip
            with self.group((1, 0, 0, 1, 0, 0)):
                canvas.doForm(self._forms[key])

    @contextmanager
    def _marked(self, tag: str = "", entries: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Mark content as that of an element, or as an artifact."""
        begin = "/Artifact BMC"
        if tag and not self._silent:
            begin = f"/{tag} <</MCID {len(self.elements)}>> BDC"
            self.elements.append(Element(tag, entries or {}))
        self.canvas._code.append(begin)
        yield
        self.canvas._code.append("EMC")

    def _layout(self, box: Box) -> Any:
        """Return the attributes of a figure: where it is on the page."""
        from pikepdf import Array, Dictionary, Name

        corners = (box.x, box.y), (box.x + box.width, box.y + box.height)
        xs, ys = zip(*(self.canvas.absolutePosition(*one) for one in corners), strict=True)
        high = self.canvas._pagesize[1]
        edges = min(xs), high - max(ys), max(xs), high - min(ys)
        bounds = Array([round(number, 2) for number in edges])
        return Dictionary(O=Name.Layout, BBox=bounds, Placement=Name.Block)

    def _stroke(
        self, path: str, fill: str, stroke: str, width: float, dash: tuple[float, ...]
    ) -> None:
        canvas = self.canvas
        if fill:
            canvas.setFillColor(fill)
        if stroke:
            canvas.setStrokeColor(stroke)
            canvas.setLineWidth(width)
            canvas.setDash(list(dash))
        canvas.drawPath(self._path_of(path), stroke=bool(stroke), fill=bool(fill))

    def _path_of(self, path: str) -> Any:
        result = self.canvas.beginPath()
        draw: dict[str, Callable[..., None]] = {
            "M": result.moveTo,
            "L": result.lineTo,
            "C": result.curveTo,
            "Z": result.close,
        }
        for letter, numbers in segments(path):
            draw[letter](*numbers)
        return result
