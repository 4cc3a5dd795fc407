"""Font dictionaries of a face (ISO 32000-1, 9.6 and 9.7).

There are two: a composite font for text that is set, and a simple one for text that is typed.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Final

from sheetgen.render.fonts.font_syntax import (
    composite,
    descendant,
    descriptor,
    to_unicode,
    width_rows,
)
from sheetgen.render.fonts.fonts import Face
from sheetgen.render.pdf.pdf_objects import SharedPool

_MINUS: Final = 129
"""A code without a letter in WinAnsi, used for the minus sign of negative sums."""

_TYPED: Final = {
    **{code: ord(bytes([code]).decode("cp1252", "replace")) for code in range(32, 256)},
    _MINUS: ord("\N{MINUS SIGN}"),
}


@dataclass(frozen=True, slots=True)
class FaceObjects:
    """Indexes of the fonts of one face among a plate's shared objects.

    Attributes:
        core: Composite font of the core, for printed text and for rarer letters of values.
        typed: Simple font with the letters of Western Europe, for values and typed text:
            viewers cannot type in composite fonts. It uses the font file of the core.
        spare: Outlines of all other letters, compressed; no PDF object. See `subset_fonts`.
        spare_name: PDF name of a font with these outlines.
    """

    core: int
    typed: int
    spare: int
    spare_name: str


def put_face(face: Face, pool: SharedPool) -> FaceObjects:
    """Add the fonts of `face` to `pool`; return their indexes."""
    name = _tagged(face, "A")
    descriptor_index = _descriptor(face, name, pool)
    return FaceObjects(
        _composite(name, descriptor_index, face, pool),
        _simple(name, descriptor_index, face, pool),
        pool.put_stream(b"", face.spare),
        _tagged(face, "B").decode() + "-Ext",
    )


def _tagged(face: Face, first: str) -> bytes:
    """Return the PDF name of a subset font (9.6.4): a tag of six capitals, then the family."""
    digits = face.name.rpartition("-")[2][:5]
    tag = first.encode() + bytes(ord("A") + int(digit, 16) for digit in digits)
    return b"/" + tag + b"+" + face.family.encode()


def _descriptor(face: Face, name: bytes, pool: SharedPool) -> int:
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(face.core))
    head = font["head"]
    box = (head.xMin, head.yMin, head.xMax, head.yMax)
    stream = pool.put_stream(b"/Length1 %d" % len(face.core), face.core)
    angle = round(font["post"].italicAngle)
    return pool.put(descriptor(name, box, angle, face.metrics), (stream,))


def _composite(name: bytes, descriptor_index: int, face: Face, pool: SharedPool) -> int:
    widths = pool.put(width_rows(range(face.count), face.widths))
    below = pool.put(descendant(name), (widths, descriptor_index))
    return pool.put(composite(name), (below, pool.put_stream(b"", to_unicode(_texts(face)))))


def _texts(face: Face) -> dict[int, str]:
    """Return the text of each glyph of the core.

    If two code points share a glyph, the first is the one that people type: the space, not the
    no-break space; the hyphen, not the soft hyphen.
    """
    texts = dict(face.forms)
    for point, glyph in sorted(face.metrics.glyphs.items()):
        if glyph < face.count:
            texts.setdefault(glyph, chr(point))
    return texts


def _simple(name: bytes, descriptor_index: int, face: Face, pool: SharedPool) -> int:
    advances = face.metrics.advances
    widths = b" ".join(b"%d" % advances.get(_TYPED[c], 0) for c in range(32, 256))
    return pool.put(
        b"<</Type/Font/Subtype/TrueType/BaseFont%s"
        b"/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[%d/minus]>>"
        b"/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %%d 0 R>>" % (name, _MINUS, widths),
        (descriptor_index,),
    )
