"""A pen that draws on ReportLab's canvas, and tags what it draws.

All lengths are points. x counts from the left and y from the top, as a page is read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sheetgen.finish.saving import open_pdf, remove_keys, save_pdf
from sheetgen.model.pictures import PreparedPicture
from sheetgen.plugins.tabletop.designs import PieceStyle, SetText, rectangle
from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import PRODUCER, PdfWriter, format_information, format_xmp
from sheetgen.render.press.page_objects import DocumentInfo, SharedObjects
from sheetgen.units import Box
from sheetgen.units.paths import segments

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas


Matrix: TypeAlias = tuple[float, float, float, float, float, float]
"""A transformation as in PDF: x becomes a·x + c·y + e, and y becomes b·x + d·y + f."""


_VERBS: Final = {"M": "moveTo", "L": "lineTo", "C": "curveTo", "Z": "close"}
"""Methods of ReportLab's paths."""


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
        for letter, numbers in segments(path):
            getattr(result, _VERBS[letter])(*numbers)
        return result


@frozen
class Element:
    """An element of the structure tree, with one piece of content; `entries` are further ones."""

    tag: str
    entries: Mapping[str, Any]


def finish_document(
    data: bytes,
    about: DocumentInfo,
    elements: Sequence[Sequence[Element]],
    pictures: Sequence[PreparedPicture],
) -> bytes:
    """Return ReportLab's file with tags, metadata and pictures; equal input gives equal bytes.

    Args:
        elements: Of each page, in the order of their content.
        pictures: Pages refer to them as `picture0` and so on.
    """
    import pikepdf

    with open_pdf(data) as pdf:
        _add_structure(pdf, elements)
        if pictures:
            _add_pictures(pdf, pictures)
        root = pdf.Root
        root.Lang = about.lang
        root.MarkInfo = pikepdf.Dictionary(Marked=True)
        root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        packet = format_xmp(about.title, about.subject, about.lang, PRODUCER)
        kind = {"/Type": pikepdf.Name.Metadata, "/Subtype": pikepdf.Name.XML}
        root.Metadata = pdf.make_indirect(pikepdf.Stream(pdf, packet, kind))
        remove_keys(root, "/Outlines", "/PageMode")
        info = pikepdf.Object.parse(format_information(about.title, about.subject, about.meta))
        texts = pikepdf.Dictionary({key: str(value) for key, value in info.items()})
        pdf.trailer.Info = pdf.make_indirect(texts)
        return save_pdf(pdf)


def _add_pictures(pdf: Any, pictures: Sequence[PreparedPicture]) -> None:
    """Add the XObjects of pictures to the resources of all pages."""
    import pikepdf

    file = PdfWriter()
    top = file.take(2)
    shared = SharedObjects(file)
    numbers = [shared.picture(one) for one in pictures]
    file.add(top, b"<</Type/Catalog/Pages %d 0 R>>" % (top + 1))
    file.add(top + 1, b"<</Type/Pages/Kids[]/Count 0>>")
    with open_pdf(file.finish(top, top)) as other:
        found = [pdf.copy_foreign(other.get_object(number, 0)) for number in numbers]
    for page in pdf.pages:
        named = page.Resources.get("/XObject", pikepdf.Dictionary())
        for number, one in enumerate(found):
            named[f"/picture{number}"] = one
        page.Resources.XObject = named


def _add_structure(pdf: Any, elements: Sequence[Sequence[Element]]) -> None:
    """Add the structure tree: one document with all elements in reading order."""
    import pikepdf

    name, parents = pikepdf.Name, pikepdf.Array()
    root = pdf.make_indirect(pikepdf.Dictionary(Type=name.StructTreeRoot))
    document = pdf.make_indirect(
        pikepdf.Dictionary(Type=name.StructElem, S=name.Document, P=root, K=pikepdf.Array())
    )
    for number, (page, of_page) in enumerate(zip(pdf.pages, elements, strict=True)):
        page.obj.StructParents, page.obj.Tabs = number, name.S
        row = pikepdf.Array()
        for mcid, element in enumerate(of_page):
            tag = name(f"/{element.tag}")
            made = pikepdf.Dictionary(
                Type=name.StructElem, S=tag, P=document, Pg=page.obj, K=mcid, **element.entries
            )
            row.append(pdf.make_indirect(made))
            document.K.append(row[-1])
        parents.extend([number, pdf.make_indirect(row)])
    root.K = document
    root.ParentTree = pdf.make_indirect(pikepdf.Dictionary(Nums=parents))
    root.ParentTreeNextKey = len(elements)
    pdf.Root.StructTreeRoot = root
