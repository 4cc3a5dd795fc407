"""Draw plans of pieces with ReportLab, and tag what they say.

Page content is drawn from the top: y grows downwards, as in the plan.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sheetgen.model.pictures import PreparedPicture
from sheetgen.plan.pieces.marks import GroupMark, Mark, PathMark, PictureMark, WordsMark
from sheetgen.plan.pieces.shapes import rectangle, segments
from sheetgen.plan.pieces.sheets import PiecesPlan
from sheetgen.render.pieces.tagging import Element, finish_document
from sheetgen.units import Box

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas


def render_pieces(plan: PiecesPlan, fonts: Mapping[str, bytes]) -> bytes:
    """Return pieces as a tagged PDF; equal plans give equal bytes.

    Args:
        fonts: TrueType files by their names.
    """
    from reportlab.pdfgen.canvas import Canvas

    names = _register_fonts(fonts)
    target = io.BytesIO()
    first = next(iter(names.values()))
    canvas = Canvas(
        target, bottomup=0, pageCompression=0, invariant=1, initialFontName=first, lang=plan.lang
    )
    elements: list[list[Element]] = []
    drawing = _Drawing(canvas, {})
    for page in plan.pages:
        canvas.setPageSize(page.size)
        canvas._make_preamble()  # It flips the page, whose height it has to know.
        drawing.elements = []
        drawing.names = {face: names[file] for face, file in page.faces.items()}
        for mark in page.marks:
            drawing.draw(mark)
        elements.append(drawing.elements)
        canvas.showPage()
    canvas.save()
    return finish_document(target.getvalue(), plan, elements, [*drawing.pictures.values()])


def _register_fonts(fonts: Mapping[str, bytes]) -> dict[str, str]:
    """Register fonts with ReportLab, each once in a process; return their names there."""
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
class _Drawing:
    """Draws marks on the current page.

    Attributes:
        names: ReportLab's names of fonts, by face of the current page.
        elements: Of the structure tree, of the current page.
        pictures: All pictures, by their keys.
        forms: Names of groups that are drawn once.
    """

    canvas: Canvas
    names: Mapping[str, str]
    elements: list[Element] = field(default_factory=list)
    pictures: dict[str, PreparedPicture] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)

    def draw(self, mark: Mark) -> None:
        """Draw a mark, tagged or as an artifact."""
        if isinstance(mark, GroupMark) and not mark.key:
            self._group(mark)
            return
        element = None
        if isinstance(mark, WordsMark) and mark.tag:
            element = Element(mark.tag, mark.full)
        elif isinstance(mark, PictureMark) and mark.alt:
            element = Element("Figure", "", mark.alt, self._bounds(mark.box))
        begin = "/Artifact BMC"
        if element is not None:
            begin = f"/{element.tag} <</MCID {len(self.elements)}>> BDC"
            self.elements.append(element)
        self.canvas._code.append(begin)
        if isinstance(mark, PathMark):
            self._path(mark)
        elif isinstance(mark, WordsMark):
            self._words(mark)
        elif isinstance(mark, PictureMark):
            self._picture(mark)
        else:
            self._form(mark)
        self.canvas._code.append("EMC")

    def _bounds(self, box: Box) -> tuple[float, ...]:
        """Return the left, upper, right and lower edge of a box on the page."""
        corners = (box.x, box.y), (box.x + box.width, box.y + box.height)
        xs, ys = zip(*(self.canvas.absolutePosition(*one) for one in corners), strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def _group(self, group: GroupMark) -> None:
        canvas = self.canvas
        canvas.saveState()
        if group.clip:
            canvas.clipPath(self._path_of(group.clip), stroke=0, fill=0)
        if group.matrix != (1, 0, 0, 1, 0, 0):
            canvas.transform(*group.matrix)
        for mark in group.marks:
            self.draw(mark)
        canvas.restoreState()

    def _form(self, group: GroupMark) -> None:
        """Draw a group as a form that all its copies share."""
        canvas = self.canvas
        if group.key not in self.forms:
            self.forms[group.key] = name = f"field{len(self.forms)}"
            canvas.beginForm(name, *_extent(group.clip))
            canvas.clipPath(self._path_of(group.clip), stroke=0, fill=0)
            for mark in group.marks:
                assert isinstance(mark, PathMark)
                self._path(mark)
            flip, canvas._preamble = canvas._preamble, ""  # The page is flipped already.
            canvas.endForm()
            canvas._preamble = flip
        canvas.saveState()
        canvas.transform(*group.matrix)
        canvas.doForm(self.forms[group.key])
        canvas.restoreState()

    def _path(self, mark: PathMark) -> None:
        canvas = self.canvas
        if mark.fill:
            canvas.setFillColor(mark.fill)
        if mark.stroke:
            canvas.setStrokeColor(mark.stroke)
            canvas.setLineWidth(mark.width)
            canvas.setDash(list(mark.dash) or [])
        canvas.drawPath(self._path_of(mark.path), stroke=bool(mark.stroke), fill=bool(mark.fill))

    def _path_of(self, path: str) -> Any:
        result = self.canvas.beginPath()
        draw = {"M": result.moveTo, "L": result.lineTo, "C": result.curveTo}
        for letter, numbers in segments(path):
            if letter == "Z":
                result.close()
            else:
                draw[letter](*numbers)
        return result

    def _words(self, mark: WordsMark) -> None:
        canvas = self.canvas
        canvas.setFillColor(mark.colour)
        font = self.names[mark.face]
        canvas.setFont(font, mark.size)
        share = {"left": 0.0, "center": 0.5, "right": 1.0}[mark.align]
        for number, text in enumerate(mark.lines, 1):
            x = mark.x - share * canvas.stringWidth(text, font, mark.size)
            y = mark.y + (number - 1) * mark.leading
            # A space keeps the words of two lines apart where the text is read or searched.
            canvas.drawString(x, y, text if number == len(mark.lines) else f"{text} ")

    def _picture(self, mark: PictureMark) -> None:
        """Refer to the picture, an XObject of a unit square that the page gets later."""
        self.pictures[mark.picture.key] = mark.picture
        name = f"picture{[*self.pictures].index(mark.picture.key)}"
        left, foot, wide, high = mark.picture.at
        box, canvas = mark.box, self.canvas
        canvas.saveState()
        canvas.clipPath(self._path_of(rectangle(box)), stroke=0, fill=0)
        canvas.transform(
            *(box.width * wide, 0, 0, -box.height * high),
            *(box.x + box.width * left, box.y + box.height * (1 - foot)),
        )
        canvas._code.append(f"/{name} Do")
        canvas.restoreState()


def _extent(path: str) -> tuple[float, ...]:
    """Return the left, upper, right and lower edge of the points of a path."""
    numbers = [number for _, listed in segments(path) for number in listed]
    xs, ys = numbers[::2], numbers[1::2]
    return min(xs), min(ys), max(xs), max(ys)
