"""Render the pages of a finished PDF with PDFium, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from sheetgen.finish.saving import open_pdf

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
