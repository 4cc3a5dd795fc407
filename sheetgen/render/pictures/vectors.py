"""Convert sanitised SVG to a form XObject, once: WeasyPrint draws it in a bounded child process."""

from __future__ import annotations

import contextlib
import io
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import picture_codes as codes
from sheetgen.diag.codes import NO_ENGINE
from sheetgen.diag.findings import Checked
from sheetgen.load.bounds import BoundExceeded, run_bounded
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.pictures.picture_files import PictureError, picture_finding
from sheetgen.load.pictures.raster import place_content, read_again
from sheetgen.load.pictures.svg import sanitise_svg
from sheetgen.model.pictures import Picture, PreparedPicture, VectorDrawing
from sheetgen.render.flow.layout import NoEngine, lay_out, load_engine
from sheetgen.render.flow.svg_corrections import correct_engine, mend_gradients
from sheetgen.render.pdf.pdf_objects import SharedPool
from sheetgen.render.pdf.plate_files import pack_parts
from sheetgen.render.pdf.syntax import pdf_numbers

_SECONDS: Final = 8
_MEGABYTES: Final = 600
_SIDE: Final = 400.0
"""The longer side of a converted drawing in points; the press scales it."""

_MOST_REPEATS: Final = 100_000
"""Most tiles of a pattern in a drawing."""

_LEAST_DASH: Final = 0.05
"""The least length of a dash and its gap in points; a line of a drawing has few thousands."""


def prepare_drawing(picture: Picture, size: tuple[float, float]) -> Checked[PreparedPicture]:
    """Return an SVG picture, ready to be printed in a box; or a finding."""
    found = _convert(picture)
    if found.value is None:
        return Checked(None, found.findings)
    at = place_content(picture, size)
    key = picture.digest[:32]
    return Checked(PreparedPicture(key, found.value, at, picture.alt, picture.credit))


@lru_cache(maxsize=8)
def _convert(picture: Picture) -> Checked[VectorDrawing]:
    data = read_again(picture)
    reason = "was changed, or cannot be read any more"
    if data is not None:
        key = f"{picture.digest[:32]}-{code_stamp()}.drawing"
        try:
            svg = sanitise_svg(data).content
            body = read_cache(key)
            if body is None:
                load_engine()  # Imported once, not in each child.
                body = run_bounded(lambda: _lay_out(svg, picture), _MEGABYTES, _SECONDS)
                store_in_cache(key, body)
            return Checked(VectorDrawing(svg, body))
        except PictureError as error:
            reason = str(error)
        except NoEngine as error:
            message = f"`{Path(picture.path).name}` is not drawn: {error}"
            hint = f"{error.hint}; or export the drawing as PNG"
            return Checked(None, (picture_finding(NO_ENGINE, picture.span, message, hint),))
        except BoundExceeded as error:
            reason = f"cannot be drawn: {error}"
        except Exception:  # noqa: BLE001 - whatever the engine raises for a strange drawing
            reason = "cannot be drawn"
    name = Path(picture.path).name
    hint = "simplify the drawing, or export it as PNG"
    finding = picture_finding(codes.DAMAGED_PICTURE, picture.span, f"`{name}` {reason}", hint)
    return Checked(None, (finding,))


_PAGE: Final = """<!doctype html><html lang="en"><head><title>Drawing</title><style>
@page {{ size: {0:.3f}pt {1:.3f}pt; margin: 0 }}
html, body {{ margin: 0 }}
img {{ display: block; width: {0:.3f}pt; height: {1:.3f}pt }}
</style></head><body><img src="asset:drawing" alt=""></body></html>"""


def _lay_out(svg: bytes, picture: Picture) -> bytes:
    """Return a drawing as the packed objects of a form XObject in a unit square."""
    import pikepdf

    scale = _SIDE / max(picture.width, picture.height)
    wide, high = max(picture.width * scale, 1), max(picture.height * scale, 1)
    html = _PAGE.format(wide, high)
    warnings: list[str] = []
    with contextlib.suppress(ImportError, AttributeError):  # another version of the engine
        correct_engine()
    laid = lay_out(html, {"drawing": svg}, variant=None, complaints=warnings)
    with pikepdf.open(io.BytesIO(laid)) as pdf:
        page = pdf.pages[0]
        page.contents_coalesce()
        mend_gradients(pikepdf, pdf)
        _check_drawing(pikepdf, pdf, wide * high)
        pool = SharedPool()
        resources, refs = pool.build_template(page.Resources)
        content = _without_marks(pikepdf, page)
        matrix = b"%.9f 0 0 %.9f 0 0" % (1 / wide, 1 / high)
        entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %s]/Matrix[%s]/Resources %s"
        head = entries % (pdf_numbers(wide, high), matrix, resources)
        pool.put_stream(head, content, refs)
        shared = [[s.template.decode(), s.refs, s.data is not None, s.digest] for s in pool.objects]
        return pack_parts({"shared": shared}, [s.data for s in pool.objects if s.data is not None])


def _check_drawing(pikepdf: Any, pdf: Any, extent: float) -> None:
    """Check that viewers can draw a file in bounded time.

    Args:
        extent: Width times height of its page.

    Raises:
        ValueError: It has numbers that are not finite, or repeats parts too often.
    """
    streams = [one for one in pdf.objects if isinstance(one, pikepdf.Stream)]
    tiles = [one for one in streams if "/PatternType" in one]
    for tile in tiles:
        a, b, c, d, *_ = map(float, tile.get("/Matrix", (1, 0, 0, 1, 0, 0)))
        size = abs((a * d - b * c) * float(tile.XStep) * float(tile.YStep))
        if size * _MOST_REPEATS < extent:
            raise ValueError("a pattern is too fine")
    forms = (one for one in streams if one.get("/Subtype") == "/Form")
    for content in (pdf.pages[0], *forms, *tiles):
        scales = [1.0]
        for operands, operator in pikepdf.parse_content_stream(content):
            name = str(operator)
            if name in ("inf", "-inf", "nan") or any(one is None for one in operands):
                raise ValueError("a number is not finite")
            if name == "q":
                scales.append(scales[-1])
            elif name == "Q" and len(scales) > 1:
                scales.pop()
            elif name == "cm":
                a, b, c, d = map(float, operands[:4])
                scales[-1] *= abs(a * d - b * c) ** 0.5
            elif name == "d" and 0 < sum(map(float, operands[0])) * scales[-1] < _LEAST_DASH:
                raise ValueError("dashes are too fine")


def _without_marks(pikepdf: Any, page: Any) -> bytes:
    """Return the content of a page without marked content: a figure is marked as one."""
    rows = [
        (operands, operator)
        for operands, operator in pikepdf.parse_content_stream(page)
        if str(operator) not in ("BDC", "BMC", "EMC")
    ]
    return bytes(pikepdf.unparse_content_stream(rows))
