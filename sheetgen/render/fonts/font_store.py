"""On-disk cache of subset fonts: faces for plates and PDFs, WOFF2 files for HTML."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sheetgen import __version__
from sheetgen.diag.notices import announced
from sheetgen.load.cache import cache_path, code_stamp, read_cache, store_in_cache
from sheetgen.load.designs.designs import Design, load_fonts
from sheetgen.load.designs.fonts import font_bytes, font_digest
from sheetgen.load.shipped import read_shipped
from sheetgen.model.prints import FaceMetrics, Tokens
from sheetgen.plan.pages.screen_lines import TextMeasure
from sheetgen.write.locks import exclusive_lock

if TYPE_CHECKING:
    from sheetgen.render.fonts.fonts import Face

_WOFF2: Final = b"wOF2"


def find_web_fonts(design: Design) -> dict[str, bytes]:
    """Return the fonts of `design` as WOFF2, by face, from the cache or compressed now."""
    files = design.tokens.faces
    missing = {file for file in files.values() if _cached_font(file)[1] is None}
    if missing:
        with announced(f"compressing {len(missing)} fonts for HTML", len(missing)) as step:
            for file in missing:
                find_web_font(file)
                step()
    return {face: find_web_font(file)[1] for face, file in files.items()}


def find_web_font(file: str) -> tuple[str, bytes]:
    """Return the name of the font `file` in the cache, and the font as WOFF2."""
    name, packed = _cached_font(file)
    if packed is None:
        packed = compress_font(font_bytes(file))
        store_in_cache(name, packed)
    return name, packed


def _cached_font(file: str) -> tuple[str, bytes | None]:
    name = f"{Path(file).stem}-{font_digest(file)}-{__version__}.woff2"
    return name, read_cache(name) or read_shipped(name)


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


def find_faces(design: Design) -> dict[str, Face]:
    """Return the faces of `design`, cut for its plates, from the cache or cut now."""
    letters = design.tokens.letters
    needed = {name: (font, letters.get(name, "")) for name, font in load_fonts(design).items()}
    with exclusive_lock(cache_path("faces.lock")):  # Two processes don't cut the same fonts.
        missing = {one for one in needed.values() if read_cache(_face_name(*one)) is None}
        if missing:
            with announced(f"preparing {len(missing)} fonts", len(missing)) as step:
                for one in missing:
                    _face(*one)
                    step()
    return {name: _face(*one) for name, one in needed.items()}


@lru_cache(maxsize=16)
def _face(font: bytes, letters: str) -> Face:
    from sheetgen.render.fonts.face_files import cut_face, dump_face, parse_face

    name = _face_name(font, letters)
    content = read_cache(name)
    face = parse_face(content) if content is not None else None
    if face is None:
        face = cut_face(font, letters)
        store_in_cache(name, dump_face(face))
    return face


def _face_name(font: bytes, letters: str) -> str:
    from sheetgen.render.fonts.face_files import face_name

    return f"{face_name(font, letters)}-{code_stamp()}-{__version__}.face"


def build_measure(tokens: Tokens) -> TextMeasure:
    """Return what measures texts in the fonts of a design; it reads those that are asked for."""
    return TextMeasure(_FontMetrics(tokens.faces))


class _FontMetrics(dict[str, FaceMetrics]):
    def __init__(self, files: Mapping[str, str]) -> None:
        super().__init__()
        self._files = files

    def __missing__(self, face: str) -> FaceMetrics:
        metrics = self[face] = read_font_metrics(font_bytes(self._files[face]))
        return metrics


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
