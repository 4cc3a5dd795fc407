"""Serialize cut faces for the cache: cutting takes most of the time that a plate takes."""

from __future__ import annotations

import hashlib
import zlib
from typing import Final

from sheetgen.model.designs.charsets import ASCII, CORE
from sheetgen.render.fonts.fonts import Face, build_face
from sheetgen.render.pdf.pdf_file import LEVEL
from sheetgen.render.pdf.plate_files import metrics_row, pack_parts, unpack_metrics, unpack_parts

_LETTERS: Final = {"ascii": (ASCII, True), "plain": (CORE, False), "": (CORE, True)}
"""The letters for each value of `Tokens.letters`, and whether with alternate forms."""


def face_name(font: bytes, letters: str) -> str:
    """Return the name of a face in the cache: a hash of all input except our own code.

    Args:
        letters: See `Tokens.letters`; empty for all letters.
    """
    return f"{hashlib.sha256(font).hexdigest()[:32]}{letters and '-' + letters}"


def cut_face(font: bytes, letters: str) -> Face:
    """Return the face of a font file; see `face_name`."""
    return build_face(font, *_LETTERS[letters])


def dump_face(face: Face) -> bytes:
    """Return a face as bytes for a cache."""
    header = {
        "name": face.name,
        "family": face.family,
        "count": face.count,
        "widths": face.widths,
        "forms": sorted(face.forms.items()),
        "metrics": metrics_row(face.metrics),
    }
    parts = (face.layout, face.core, face.spare)
    return pack_parts(header, [zlib.compress(part, LEVEL) for part in parts])


def parse_face(content: bytes) -> Face | None:
    """Return the face that `dump_face` wrote; None if the bytes are no face of this version."""
    try:
        header, parts = unpack_parts(content)
        layout, core, spare = map(zlib.decompress, parts)
        return Face(
            header["name"],
            header["family"],
            layout,
            core,
            header["count"],
            spare,
            tuple(header["widths"]),
            dict(header["forms"]),
            unpack_metrics(header["metrics"]),
        )
    except (ValueError, KeyError, TypeError, zlib.error):
        return None
