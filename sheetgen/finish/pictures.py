"""Render the pages of a finished PDF with PDFium, one at a time."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_int, c_uint, c_ushort, cast, create_string_buffer
from functools import cache, partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pypdfium2
from pypdfium2 import raw

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.finish.saving import open_pdf
from sheetgen.model.requests import FilePart, PictureFormat, PrintRequest
from sheetgen.model.seals import PLACEHOLDER

if TYPE_CHECKING:
    from PIL.Image import Image


# Of one picture: A3 at 600 dpi. PDFium and Pillow each hold a copy of it.
MOST_PIXELS: Final = 72_000_000
MOST_SIDE: Final = 16_383  # pixels of the longest side; WebP has no larger ones
BLANK: Final = (255, 255, 255)  # the colour of paper
_PAPER_SHARE: Final = 0.5  # share of the page that a fill must cover to be its paper
_FOOT: Final = 60.0  # points from the lower edge that a page's own number is below
_REFERENCE: Final = re.compile(r"\bpage \d")  # to another page of the same file
_PAPER_LIGHT: Final = 200  # the least value of each channel of the colour of paper, of 255


class PictureTooLarge(ValueError):
    """A page that has too many pixels; the message says how many."""


class PageRenderer:
    """Renders pages of one PDF; see `open_pages`."""

    def __init__(self, pdf: Any, title: str, credit: str) -> None:
        self._pdf, self.title, self.credit = pdf, title, credit

    def __len__(self) -> int:
        return len(self._pdf)

    def size(self, number: int) -> tuple[float, float]:
        """Return width and height of a page in points."""
        width, height = self._pdf.get_page_size(number)
        return width, height

    def check(self, dpi: float) -> None:
        """Raise `PictureTooLarge` if a page has too many pixels."""
        for number in range(len(self)):
            width, height = (ceil(side * dpi / 72) for side in self.size(number))
            if width * height > MOST_PIXELS or max(width, height) > MOST_SIDE:
                raise PictureTooLarge(f"page {number + 1} would have {width} × {height} pixels")

    def render(self, number: int, dpi: float, *, transparent: bool = False) -> Image:
        """Return a page, counted from 0, as a picture in RGB, or in RGBA with transparent paper."""
        page = self._pdf[number]
        for index in range(raw.FPDFPage_GetAnnotCount(page)):
            # Widgets that are for the screen only, such as buttons, are switched off.
            annotation = raw.FPDFPage_GetAnnot(page, index)
            flags = raw.FPDFAnnot_GetFlags(annotation)
            if not flags & raw.FPDF_ANNOT_FLAG_PRINT:
                raw.FPDFAnnot_SetFlags(annotation, flags | raw.FPDF_ANNOT_FLAG_HIDDEN)
            raw.FPDFPage_CloseAnnot(annotation)
        first = next(page.get_objects(max_depth=1), None) if transparent else None
        if first is not None and first.type == raw.FPDF_PAGEOBJ_PATH:
            # A light fill that covers most of a page, below everything else, is its paper.
            left, bottom, right, top = first.get_bounds()
            width, height = page.get_size()
            mode, stroke = c_int(), c_int()
            raw.FPDFPath_GetDrawMode(first, byref(mode), byref(stroke))
            colour = [c_uint() for _ in range(4)]
            raw.FPDFPageObj_GetFillColor(first, *map(byref, colour))
            light = min(part.value for part in colour[:3]) >= _PAPER_LIGHT
            covers = (right - left) * (top - bottom) > _PAPER_SHARE * width * height
            if mode.value and light and covers:
                page.remove_obj(first)
        options = {"fill_color": (0, 0, 0, 0)} if transparent else {}
        bitmap = page.render(scale=dpi / 72, **options)
        try:
            picture: Image = bitmap.to_pil()
            return picture.copy() if picture.readonly else picture
        finally:
            bitmap.close()
            page.close()


@contextmanager
def open_pages(data: bytes) -> Iterator[PageRenderer]:
    """Open a finished PDF for rendering, its form fields included."""
    with open_pdf(data) as document:  # PDFium does not find the metadata of each engine's files
        title, credit = (str(document.docinfo.get(key, "")) for key in ("/Title", "/Subject"))
    pdf = pypdfium2.PdfDocument(data)
    try:
        pdf.init_forms()
        yield PageRenderer(pdf, title, credit)
    finally:
        pdf.close()


# The left, lower, right and upper edge of something on a page, in points.
PageBox: TypeAlias = tuple[float, float, float, float]


class PaintedPages:
    """What the pages of a finished PDF paint.

    Its methods raise `RuntimeError` for a page that PDFium cannot read.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._opened: Any = None
        self._refers: bool | None = None

    def _page(self, number: int) -> Any:
        self._opened = self._opened or pypdfium2.PdfDocument(self._data)
        return self._opened[number]

    def boxes(self, number: int) -> list[PageBox]:
        """Return the boxes of all that a page paints, except white.

        A box that is cut by a clip is as large as without it.
        """
        page, found = self._page(number), []
        for one in page.get_objects():
            if one.type == raw.FPDF_PAGEOBJ_FORM or _is_paper(one):
                continue
            box, above = one.get_bounds(), one.container
            while above is not None:
                box, above = above.get_matrix().on_rect(*box), above.container
            found.append(box)
        page.close()
        return found

    def own_number(self, number: int) -> tuple[float, float, float] | None:
        """Return the page's own number, such as `1 / 2`, at the right of its footer.

        The value is the origin of the text and its right edge, in points.

        A part that refers to its own pages, such as "continued on page 3", keeps its numbers.
        """
        page, found = self._page(number), list[tuple[float, float, float]]()
        if self._refers is None:
            texts = (one.get_textpage().get_text_range() for one in self._opened)
            self._refers = any(map(_REFERENCE.search, texts))
        lines = page.get_textpage()
        own = f"{number + 1} / {len(self._opened)}"
        for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=1):
            matrix = one.get_matrix()
            if matrix.f > _FOOT or matrix.e < page.get_width() / 2:
                continue
            count = raw.FPDFTextObj_GetText(one, lines, None, 0)
            read = create_string_buffer(count)
            raw.FPDFTextObj_GetText(one, lines, cast(read, POINTER(c_ushort)), count)
            if read.raw.decode("utf-16-le").rstrip("\0") == own and not self._refers:
                found.append((matrix.e, matrix.f, one.get_bounds()[2]))
        lines.close()
        page.close()
        return min(found, key=lambda one: (one[1], -one[0]), default=None)

    def close(self) -> None:
        """Close the file; nothing can be asked afterwards."""
        if self._opened is not None:
            self._opened.close()


def _is_paper(one: Any) -> bool:
    """Whether a path or a text is painted in white alone."""

    def is_white(read: Callable[..., object]) -> bool:
        colour = [c_uint() for _ in range(4)]
        read(one, *map(byref, colour))
        return all(part.value == 255 for part in colour[:3])

    fills, strokes = c_int(one.type == raw.FPDF_PAGEOBJ_TEXT), c_int()
    if one.type == raw.FPDF_PAGEOBJ_PATH:
        raw.FPDFPath_GetDrawMode(one, byref(fills), byref(strokes))
    elif fills.value:
        mode = raw.FPDFTextObj_GetTextRenderMode(one)
        fills, strokes = c_int(mode in (0, 2, 4, 6)), c_int(mode in (1, 2, 5, 6))
    else:
        return False
    white_lines = not strokes.value or is_white(raw.FPDFPageObj_GetStrokeColor)
    return white_lines and (not fills.value or is_white(raw.FPDFPageObj_GetFillColor))


def picture_files(
    data: bytes, request: PrintRequest, names: Sequence[str] = ()
) -> Checked[Iterator[FilePart]]:
    """Return pictures of the pages of a PDF, rendered one by one as they are taken.

    `names`: what each page shows, in place of its number; empty for a page without a picture.
    """
    try:
        with open_pages(data) as pages:
            pages.check(request.dpi)
    except PictureTooLarge as error:
        message, hint = f"at {request.dpi} dpi, {error}", "lower the resolution (dpi)"
        return Checked(None, (Finding(codes.TOO_MANY_PIXELS, request.at("--dpi"), message, hint),))

    def render_each() -> Iterator[FilePart]:
        with open_pages(data) as pages:
            digits = len(str(len(pages)))
            for number in range(len(pages)):
                if names and not names[number]:
                    continue
                tail = f"/{names[number]}" if names else f"-{number + 1:0{digits}}"
                tail = tail if names or len(pages) > 1 else ""
                render = cache(
                    partial(pages.render, number, request.dpi, transparent=request.transparent)
                )
                for format_ in request.picture_formats:

                    def encode(
                        format_: PictureFormat = format_, render: Callable[[], Image] = render
                    ) -> bytes:
                        return encode_picture(
                            render(), format_, request.dpi, pages.title, pages.credit
                        )

                    yield FilePart(tail, format_, encode)

    return Checked(render_each())


QUALITY: Final = 90  # of JPEG and WebP: small letters stay clear of blocks
_DESCRIPTION, _SOFTWARE, _COPYRIGHT, _EXIF, _COMMENT = 0x010E, 0x0131, 0x8298, 0x8769, 0x9286
_X_RESOLUTION, _Y_RESOLUTION, _UNIT, _INCH = 0x011A, 0x011B, 0x0128, 2


def encode_picture(
    picture: Image, format_: PictureFormat, dpi: float, title: str, credit: str
) -> bytes:
    """Return a picture as a file; equal pictures give equal bytes.

    JPEG has no transparency: its paper is blank. The credit is written as the copyright, since the
    part of a page may not show it.
    """
    import PIL.Image
    from PIL.PngImagePlugin import PngInfo

    target = io.BytesIO()
    options: dict[str, Any] = {}
    if format_ == "png":
        texts = PngInfo()
        texts.add_itxt("Title", title)
        texts.add_itxt("Copyright", credit)
        texts.add_text("Software", "sheetgen")
        texts.add_text("Comment", PLACEHOLDER)
        options = {"pnginfo": texts, "dpi": (dpi, dpi)}
    else:
        exif = PIL.Image.Exif()
        exif[_DESCRIPTION], exif[_COPYRIGHT] = title.encode(), credit.encode()
        exif[_SOFTWARE] = b"sheetgen"
        exif[_X_RESOLUTION] = exif[_Y_RESOLUTION] = dpi
        exif[_UNIT] = _INCH
        exif.get_ifd(_EXIF)[_COMMENT] = b"ASCII\0\0\0" + PLACEHOLDER.encode()
        options = {"quality": QUALITY, "exif": exif}
    if format_ == "jpeg":
        options |= {"dpi": (round(dpi), round(dpi)), "subsampling": 0}
        if picture.mode != "RGB":
            page = PIL.Image.new("RGB", picture.size, BLANK)
            page.paste(picture, mask=picture.getchannel("A"))
            picture = page
    picture.save(target, format_.upper(), **options)
    return target.getvalue()
