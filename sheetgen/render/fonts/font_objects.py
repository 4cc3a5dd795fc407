"""A face as PDF objects: once for text that is set, once for text that a reader types."""

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
"""A code that Western Europe has no letter for; sums that turn negative need a sign."""

_TYPED: Final = {
    **{code: ord(bytes([code]).decode("cp1252", "replace")) for code in range(32, 256)},
    _MINUS: ord("\N{MINUS SIGN}"),
}


@dataclass(frozen=True, slots=True)
class FaceObjects:
    """Where the fonts of one face are among a plate's shared objects.

    Attributes:
        core: Composite font of the core, for what is printed and for its rarer letters.
        typed: Simple font with the letters of Western Europe, for values and for what a
            reader types: viewers cannot type in composite fonts. It shares the file of
            the core.
        spare: Outlines of all other letters, compressed; no PDF object.
        spare_name: Of a font made from them, with its slash.
    """

    core: int
    typed: int
    spare: int
    spare_name: str


def put_face(face: Face, pool: SharedPool) -> FaceObjects:
    """Return where the fonts of `face` are in `pool`, put there now."""
    name = _tagged(face, "A")
    described = _described(face, name, pool)
    return FaceObjects(
        _composite(name, described, face, pool),
        _simple(name, described, face, pool),
        pool.put_stream(b"", face.spare),
        _tagged(face, "B").decode() + "-Ext",
    )


def _tagged(face: Face, first: str) -> bytes:
    """Return the name of a font that is a part: six capitals, then the family."""
    digits = face.name.rpartition("-")[2][:5]
    tag = first.encode() + bytes(ord("A") + int(digit, 16) for digit in digits)
    return b"/" + tag + b"+" + face.family.encode()


def _described(face: Face, name: bytes, pool: SharedPool) -> int:
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(face.core))
    head = font["head"]
    box = (head.xMin, head.yMin, head.xMax, head.yMax)
    stream = pool.put_stream(b"/Length1 %d" % len(face.core), face.core)
    angle = round(font["post"].italicAngle)
    return pool.put(descriptor(name, box, angle, face.metrics), (stream,))


def _composite(name: bytes, described: int, face: Face, pool: SharedPool) -> int:
    widths = pool.put(width_rows(range(face.count), face.widths))
    below = pool.put(descendant(name), (widths, described))
    return pool.put(composite(name), (below, pool.put_stream(b"", to_unicode(_texts(face)))))


def _texts(face: Face) -> dict[int, str]:
    """Return what each glyph of the core stands for.

    Where two code points share a glyph, the first is the one that people type: the
    space and not the no-break space, the hyphen and not the soft one.
    """
    texts = dict(face.forms)
    for point, glyph in sorted(face.metrics.glyphs.items()):
        if glyph < face.count:
            texts.setdefault(glyph, chr(point))
    return texts


def _simple(name: bytes, described: int, face: Face, pool: SharedPool) -> int:
    advances = face.metrics.advances
    widths = b" ".join(b"%d" % advances.get(_TYPED[c], 0) for c in range(32, 256))
    return pool.put(
        b"<</Type/Font/Subtype/TrueType/BaseFont%s"
        b"/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[%d/minus]>>"
        b"/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %%d 0 R>>" % (name, _MINUS, widths),
        (described,),
    )
