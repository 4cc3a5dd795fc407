"""On-disk cache of subset fonts: faces for plates and PDFs, WOFF2 files for HTML."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.diag.notices import announced
from sheetgen.load.cache import (
    LAYOUT,
    cache_path,
    code_stamp,
    read_cache,
    read_shipped,
    store_in_cache,
)
from sheetgen.load.designs.designs import Design, load_fonts
from sheetgen.load.designs.fonts import font_bytes, font_digest
from sheetgen.model.designs.tokens import ASCII, CORE
from sheetgen.model.prints import FaceMetrics, Tokens
from sheetgen.plan.pages.screen_blocks import TextMeasure
from sheetgen.render.fonts.fonts import Face, build_face
from sheetgen.render.pdf.pdf_file import LEVEL
from sheetgen.render.pdf.plate_files import metrics_row, pack_parts, unpack_metrics, unpack_parts
from sheetgen.write.files import exclusive_lock

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
    name = f"{Path(file).stem}-{font_digest(file)}-{code_stamp(*LAYOUT)}.woff2"
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
        missing = {one for one in needed.values() if find_face(*one)[1] is None}
        if missing:
            with announced(f"preparing {len(missing)} fonts", len(missing)) as step:
                for one in missing:
                    cut_face(*one)
                    step()
    return {name: cut_face(*one) for name, one in needed.items()}


@lru_cache(maxsize=16)
def cut_face(font: bytes, letters: str) -> Face:
    """Return a face, from the cache or cut now; `letters`: see `Tokens.letters`."""
    name, content = find_face(font, letters)
    face = parse_face(content) if content is not None else None
    if face is None:  # Cutting takes most of the time that a plate takes.
        face = build_face(font, *_LETTERS[letters])
        store_in_cache(name, dump_face(face))
    return face


def find_face(font: bytes, letters: str) -> tuple[str, bytes | None]:
    """Return a face's name in the cache, and the face if it is cut already; see `cut_face`."""
    digest = hashlib.sha256(font).hexdigest()[:32]
    name = f"{digest}{letters and '-' + letters}-{code_stamp(*LAYOUT)}.face"
    return name, read_cache(name) or read_shipped(name)


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


# The letters for each value of `Tokens.letters`, and whether with alternate forms.
_LETTERS: Final = {"ascii": (ASCII, True), "plain": (CORE, False), "": (CORE, True)}


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
