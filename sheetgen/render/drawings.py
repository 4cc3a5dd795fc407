"""Turn a cleaned SVG drawing into a form XObject, with WeasyPrint."""

from __future__ import annotations

import contextlib
import io
from typing import Any, Final

from sheetgen.model.pictures import Picture
from sheetgen.render.flow.corrections import correct_engine, mend_gradients
from sheetgen.render.flow.layout import lay_out
from sheetgen.render.pdf.pdf_file import SharedPool, pdf_numbers
from sheetgen.render.pdf.plate_files import pack_shared

_SIDE: Final = 400.0  # the longer side of a converted drawing in points; the press scales it
_MOST_REPEATS: Final = 100_000  # most tiles of a pattern in a drawing
# The least length of a dash and its gap in points; a line of a drawing has few thousands.
_LEAST_DASH: Final = 0.05

_PAGE: Final = """<!doctype html><html lang="en"><head><title>Drawing</title><style>
@page {{ size: {0:.3f}pt {1:.3f}pt; margin: 0 }}
html, body {{ margin: 0 }}
img {{ display: block; width: {0:.3f}pt; height: {1:.3f}pt }}
</style></head><body><img src="asset:drawing" alt=""></body></html>"""


def lay_out_drawing(svg: bytes, picture: Picture) -> bytes:
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
        # Without marked content: the figure that shows the drawing is marked as one.
        unmarked = [
            (operands, operator)
            for operands, operator in pikepdf.parse_content_stream(page)
            if str(operator) not in ("BDC", "BMC", "EMC")
        ]
        content = bytes(pikepdf.unparse_content_stream(unmarked))
        matrix = b"%.9f 0 0 %.9f 0 0" % (1 / wide, 1 / high)
        entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %s]/Matrix[%s]/Resources %s"
        head = entries % (pdf_numbers(wide, high), matrix, resources)
        pool.put_stream(head, content, refs)
        return pack_shared(pool, {})


def _check_drawing(pikepdf: Any, pdf: Any, extent: float) -> None:
    """Check that viewers can draw a file in bounded time; `extent`: width times height of its page.

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
