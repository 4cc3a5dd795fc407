"""Render the pages of a finished PDF with PDFium, one at a time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from math import ceil
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.finish.saving import open_pdf
from sheetgen.model.requests import FilePart, PictureFormat, PrintRequest
from sheetgen.model.seals import PLACEHOLDER

if TYPE_CHECKING:
    from PIL.Image import Image


MOST_PIXELS: Final = 72_000_000
"""Of one picture: A3 at 600 dpi. PDFium and Pillow each hold a copy of it."""

MOST_SIDE: Final = 16_383
"""Pixels of the longest side; WebP has no larger ones."""

BLANK: Final = (255, 255, 255)
"""The colour of paper."""

_PAPER_SHARE: Final = 0.5
"""Share of the page that a fill must cover to be its paper."""

_PAPER_LIGHT: Final = 200
"""The least value of each channel of the colour of paper, of 255."""


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
        """Check that no page has too many pixels.

        Raises:
            PictureTooLarge: One of them has.
        """
        for number in range(len(self)):
            width, height = (ceil(side * dpi / 72) for side in self.size(number))
            if width * height > MOST_PIXELS or max(width, height) > MOST_SIDE:
                message = f"page {number + 1} would have {width} × {height} pixels"
                raise PictureTooLarge(message)

    def render(self, number: int, dpi: float, *, transparent: bool = False) -> Image:
        """Return a page, counted from 0, as a picture in RGB, or in RGBA with transparent paper."""
        page = self._pdf[number]
        _hide_unprinted(page)
        if transparent:
            _remove_paper(page)
            bitmap = page.render(scale=dpi / 72, fill_color=(0, 0, 0, 0))
        else:
            bitmap = page.render(scale=dpi / 72)
        try:
            picture: Image = bitmap.to_pil()
            return picture.copy() if picture.readonly else picture
        finally:
            bitmap.close()
            page.close()


@contextmanager
def open_pages(data: bytes) -> Iterator[PageRenderer]:
    """Open a finished PDF for rendering, its form fields included."""
    import pypdfium2

    with open_pdf(data) as document:  # PDFium does not find the metadata of each engine's files
        title, credit = (str(document.docinfo.get(key, "")) for key in ("/Title", "/Subject"))
    pdf = pypdfium2.PdfDocument(data)
    try:
        pdf.init_forms()
        yield PageRenderer(pdf, title, credit)
    finally:
        pdf.close()


PageBox: TypeAlias = tuple[float, float, float, float]
"""The left, lower, right and upper edge of something on a page, in points."""


@contextmanager
def painted_boxes(data: bytes) -> Iterator[Callable[[int], list[PageBox]]]:
    """Open a finished PDF; yield a function from a page to the boxes of all that it paints.

    What is white is paper. A box that is cut by a clip is as large as without it. The function
    raises `RuntimeError` for a page that PDFium cannot read.
    """
    import pypdfium2
    from pypdfium2 import raw

    opened: list[Any] = []  # most files are never asked

    def find(number: int) -> list[PageBox]:
        if not opened:
            opened.append(pypdfium2.PdfDocument(data))
        page, found = opened[0][number], []
        for one in page.get_objects():
            if one.type == raw.FPDF_PAGEOBJ_FORM or _is_paper(one):
                continue
            box, above = one.get_bounds(), one.container
            while above is not None:
                box, above = above.get_matrix().on_rect(*box), above.container
            found.append(box)
        page.close()
        return found

    try:
        yield find
    finally:
        for pdf in opened:
            pdf.close()


def _is_paper(one: Any) -> bool:
    """Whether a path or a text is painted in white alone."""
    from ctypes import byref, c_int, c_uint

    from pypdfium2 import raw

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


def _hide_unprinted(page: Any) -> None:
    """Switch off widgets that are for the screen only, such as buttons."""
    from pypdfium2 import raw

    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        flags = raw.FPDFAnnot_GetFlags(annotation)
        if not flags & raw.FPDF_ANNOT_FLAG_PRINT:
            raw.FPDFAnnot_SetFlags(annotation, flags | raw.FPDF_ANNOT_FLAG_HIDDEN)
        raw.FPDFPage_CloseAnnot(annotation)


def _remove_paper(page: Any) -> None:
    """Remove the light fill that covers most of a page below everything else, if it has one."""
    from ctypes import byref, c_int, c_uint

    from pypdfium2 import raw

    first = next(page.get_objects(max_depth=1), None)
    if first is None or first.type != raw.FPDF_PAGEOBJ_PATH:
        return
    left, bottom, right, top = first.get_bounds()
    width, height = page.get_size()
    mode, stroke = c_int(), c_int()
    raw.FPDFPath_GetDrawMode(first, byref(mode), byref(stroke))
    colour = [c_uint() for _ in range(4)]
    raw.FPDFPageObj_GetFillColor(first, *map(byref, colour))
    light = min(part.value for part in colour[:3]) >= _PAPER_LIGHT
    if mode.value and light and (right - left) * (top - bottom) > _PAPER_SHARE * width * height:
        page.remove_obj(first)


def picture_files(
    data: bytes, request: PrintRequest, names: Sequence[str] = ()
) -> Checked[Iterator[FilePart]]:
    """Return pictures of the pages of a PDF, rendered one by one as they are taken.

    Args:
        request: The formats, the resolution, and whether paper is transparent.
        names: What each page shows, in place of its number; empty for a page without a picture.
    """
    try:
        with open_pages(data) as pages:
            pages.check(request.dpi)
    except PictureTooLarge as error:
        return Checked(None, (too_many_pixels(request, error),))
    return Checked(_render(data, request, names))


def too_many_pixels(request: PrintRequest, error: PictureTooLarge) -> Finding:
    """Return the finding that a page is too large for the resolution of a request."""
    span, hint = request.at("--dpi"), "lower the resolution (dpi)"
    return Finding(codes.TOO_MANY_PIXELS, span, f"at {request.dpi} dpi, {error}", hint)


def _render(data: bytes, request: PrintRequest, names: Sequence[str]) -> Iterator[FilePart]:
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
                    return encode_picture(render(), format_, request.dpi, pages.title, pages.credit)

                yield FilePart(tail, format_, encode)


QUALITY: Final = 90
"""Of JPEG and WebP: small letters stay clear of blocks."""

_DESCRIPTION, _SOFTWARE, _COPYRIGHT, _EXIF, _COMMENT = 0x010E, 0x0131, 0x8298, 0x8769, 0x9286
_X_RESOLUTION, _Y_RESOLUTION, _UNIT, _INCH = 0x011A, 0x011B, 0x0128, 2


def encode_picture(
    picture: Image, format_: PictureFormat, dpi: float, title: str, credit: str
) -> bytes:
    """Return a picture as a file; equal pictures give equal bytes.

    Args:
        format_: JPEG has no transparency: its paper is blank.
        credit: It is written as the copyright, since the part of a page may not show it.
    """
    from PIL.Image import new as new_image
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
        options = {"quality": QUALITY, "exif": _exif(title, credit, dpi)}
    if format_ == "jpeg":
        options |= {"dpi": (round(dpi), round(dpi)), "subsampling": 0}
        if picture.mode != "RGB":
            page = new_image("RGB", picture.size, BLANK)
            page.paste(picture, mask=picture.getchannel("A"))
            picture = page
    picture.save(target, format_.upper(), **options)
    return target.getvalue()


def _exif(title: str, credit: str, dpi: float) -> Any:
    from PIL import Image

    exif = Image.Exif()
    exif[_DESCRIPTION], exif[_COPYRIGHT] = title.encode(), credit.encode()
    exif[_SOFTWARE] = b"sheetgen"
    exif[_X_RESOLUTION] = exif[_Y_RESOLUTION] = dpi
    exif[_UNIT] = _INCH
    exif.get_ifd(_EXIF)[_COMMENT] = b"ASCII\0\0\0" + PLACEHOLDER.encode()
    return exif
