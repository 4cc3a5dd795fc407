"""Font files: measured for texts, compressed as WOFF2 for HTML, and faces as bytes for a cache."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.plan.pages.screen_blocks import TextMeasure
from sheetgen.render.fonts.fonts import Face
from sheetgen.render.pdf.pdf_file import LEVEL
from sheetgen.render.pdf.plate_files import metrics_row, pack_parts, unpack_metrics, unpack_parts

_WOFF2: Final = b"wOF2"


@lru_cache(maxsize=32)
def compress_font(data: bytes) -> bytes:
    """Return a font as WOFF2; a WOFF2 font is returned unchanged.

    Compression takes a fraction of a second for each face; see `find_web_fonts`.
    """
    from fontTools.ttLib import TTFont

    if data[:4] == _WOFF2:
        return data
    with TTFont(io.BytesIO(data), recalcTimestamp=False) as font:
        font.flavor = "woff2"
        packed = io.BytesIO()
        font.save(packed)
    return packed.getvalue()


def measure_fonts(read: Callable[[str], bytes]) -> TextMeasure:
    """Return what measures texts in fonts; `read` returns the file of a face when it is needed."""

    class Metrics(dict[str, FaceMetrics]):
        def __missing__(self, face: str) -> FaceMetrics:
            metrics = self[face] = read_font_metrics(read(face))
            return metrics

    return TextMeasure(Metrics())


@lru_cache(maxsize=16)
def read_font_metrics(data: bytes) -> FaceMetrics:
    """Return the metrics of a font file, for measuring texts."""
    from fontTools.ttLib import TTFont

    with TTFont(io.BytesIO(data), lazy=True) as font:
        scale = 1000 / font["head"].unitsPerEm
        widths, mapping = font["hmtx"].metrics, font.getBestCmap()
        return FaceMetrics(
            ascent=round(font["hhea"].ascent * scale),
            descent=round(font["hhea"].descent * scale),
            cap_height=round(font["OS/2"].sCapHeight * scale),
            advances={point: round(widths[name][0] * scale) for point, name in mapping.items()},
            glyphs={},
        )


def dump_face(face: Face) -> bytes:
    """Return a face as bytes for a cache."""
    header = {key: getattr(face, key) for key in ("name", "family", "count", "widths")}
    header |= {"forms": sorted(face.forms.items()), "metrics": metrics_row(face.metrics)}
    parts = (face.layout, face.core, face.spare)
    return pack_parts(header, [zlib.compress(part, LEVEL) for part in parts])


def parse_face(content: bytes) -> Face | None:
    """Return the face that `dump_face` wrote; None if the bytes are no face of this version."""
    try:
        header, parts = unpack_parts(content)
        layout, core, spare = map(zlib.decompress, parts)
        widths, forms = tuple(header.pop("widths")), dict(header.pop("forms"))
        metrics = unpack_metrics(header.pop("metrics"))
        files: dict[str, Any] = {"layout": layout, "core": core, "spare": spare}
        return Face(**header, **files, widths=widths, forms=forms, metrics=metrics)
    except (ValueError, KeyError, TypeError, zlib.error):
        return None
