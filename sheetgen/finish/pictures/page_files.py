"""Pictures of a finished PDF as files, one a page and format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from sheetgen.diag import print_codes as codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.finish.pictures.encoding import encode_picture
from sheetgen.finish.pictures.rendering import PictureTooLarge, open_pages
from sheetgen.model.requests import FilePart, PrintRequest

if TYPE_CHECKING:
    from PIL.Image import Image


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
                about = format_, request.dpi, pages.title, pages.credit
                yield FilePart(tail, format_, partial(_encode, render, about))


def _encode(render: Callable[[], Image], about: tuple[str, float, str, str]) -> bytes:
    return encode_picture(render(), *about)
