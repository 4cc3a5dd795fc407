"""A face as PDF objects: once for text that is set, once for text that a reader types."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sheetgen.render.fonts import Face
from sheetgen.render.pdf_objects import SharedPool

_TYPED: Final = {code: ord(bytes([code]).decode("cp1252", "replace")) for code in range(32, 256)}


@dataclass(frozen=True, slots=True)
class FaceObjects:
    """Where the fonts of one face are among a plate's shared objects.

    Attributes:
        parts: Composite fonts, one for each part of the face; -1 for an empty part.
        typed: Simple font with the letters of Western Europe, for what a reader types:
            viewers cannot type in composite fonts. It shares the file of the core.
    """

    parts: tuple[int, ...]
    typed: int


def put_face(face: Face, pool: SharedPool) -> FaceObjects:
    """Return where the fonts of `face` are in `pool`, put there now."""
    texts: list[dict[int, str]] = [{} for _ in face.parts]
    for glyph, text in _texts(face).items():
        texts[face.part_of(glyph)][glyph] = text
    numbers = []
    for index, file in enumerate(face.parts):
        if file:
            name = _part_name(face, index)
            described = _described(face, file, name, pool)
            numbers.append(_composite(name, described, texts[index], face, pool))
        else:
            numbers.append(-1)
    name = _part_name(face, 0)
    described = _described(face, face.parts[0], name, pool)
    return FaceObjects(tuple(numbers), _simple(name, described, face, pool))


def _part_name(face: Face, index: int) -> bytes:
    """Return the name of a font that is a part: six capitals, then the family."""
    digits = face.name.rpartition("-")[2][:5]
    tag = bytes([ord("A") + index, *(ord("A") + int(digit, 16) for digit in digits)])
    return b"/" + tag + b"+" + face.family.encode()


def _texts(face: Face) -> dict[int, str]:
    """Return what each glyph stands for.

    Where two code points share a glyph, the first is the one that people type: the
    space and not the no-break space, the Greek omega and not the ohm sign.
    """
    texts = dict(face.forms)
    for point, glyph in sorted(face.metrics.glyphs.items()):
        texts.setdefault(glyph, chr(point))
    return texts


def _described(face: Face, file: bytes, name: bytes, pool: SharedPool) -> int:
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(file))
    head, angle = font["head"], float(font["post"].italicAngle)
    scale = 1000 / head.unitsPerEm
    box = [round(v * scale) for v in (head.xMin, head.yMin, head.xMax, head.yMax)]
    stream = pool.put_stream(b"/Length1 %d" % len(file), file)
    metrics = face.metrics
    # 32: its letters are ordinary ones; 64: it slants.
    return pool.put(
        b"<</Type/FontDescriptor/FontName%s/Flags %d/FontBBox[%s]/ItalicAngle %d"
        b"/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %%d 0 R>>"
        % (
            name,
            32 | (64 if angle else 0),
            b" ".join(b"%d" % value for value in box),
            round(angle),
            metrics.ascent,
            metrics.descent,
            metrics.cap_height,
        ),
        (stream,),
    )


def _composite(
    name: bytes, described: int, texts: Mapping[int, str], face: Face, pool: SharedPool
) -> int:
    mute = range(face.starts[1]) if 1 in texts else ()
    glyphs = sorted({0, *texts, *mute})
    widths = pool.put(_width_rows(glyphs, face))
    descendant = pool.put(
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont%s/CIDSystemInfo<</Registry(Adobe)"
        b"/Ordering(Identity)/Supplement 0>>/CIDToGIDMap/Identity/W %%d 0 R"
        b"/FontDescriptor %%d 0 R>>" % name,
        (widths, described),
    )
    meaning = pool.put_stream(b"", _to_unicode(texts))
    return pool.put(
        b"<</Type/Font/Subtype/Type0/BaseFont%s/Encoding/Identity-H"
        b"/DescendantFonts[%%d 0 R]/ToUnicode %%d 0 R>>" % name,
        (descendant, meaning),
    )


def _width_rows(glyphs: list[int], face: Face) -> bytes:
    runs: list[list[int]] = []
    for glyph in glyphs:
        if not runs or glyph != runs[-1][0] + len(runs[-1]) - 1:
            runs.append([glyph])
        runs[-1].append(face.widths[glyph])
    rows = (b"%d[%s]" % (run[0], b" ".join(b"%d" % w for w in run[1:])) for run in runs)
    return b"[%s]" % b"".join(rows)


def _to_unicode(texts: Mapping[int, str]) -> bytes:
    rows = [
        b"<%04x><%04x><%s>" % (first, last, text.encode("utf-16-be").hex().encode())
        for first, last, text in _runs(texts)
    ]
    blocks = b"".join(
        b"%d beginbfrange\n%s\nendbfrange\n" % (len(block), b"\n".join(block))
        for block in (rows[start : start + 100] for start in range(0, len(rows), 100))
    )
    return (
        b"/CIDInit/ProcSet findresource begin 12 dict begin begincmap"
        b"/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def"
        b"/CMapName/Adobe-Identity-UCS def/CMapType 2 def"
        b" 1 begincodespacerange<0000><ffff>endcodespacerange\n"
        + blocks
        + b"endcmap CMapName currentdict/CMap defineresource pop end end"
    )


def _runs(texts: Mapping[int, str]) -> list[tuple[int, int, str]]:
    """Return (first glyph, last glyph, first text) of glyphs and letters in step.

    A run stays within 256 codes of each: only the last byte may count.
    """
    runs: list[tuple[int, int, str]] = []
    for glyph, text in sorted(texts.items()):
        previous = runs[-1] if runs else (0, 0, "")
        if _in_step(previous, glyph, text):
            runs[-1] = (previous[0], glyph, previous[2])
        else:
            runs.append((glyph, glyph, text))
    return runs


def _in_step(run: tuple[int, int, str], glyph: int, text: str) -> bool:
    first, last, start = run
    if len(start) != 1 or len(text) != 1 or not glyph & 255 or not ord(text) & 255:
        return False
    return glyph == last + 1 and ord(text) == ord(start) + glyph - first


def _simple(name: bytes, described: int, face: Face, pool: SharedPool) -> int:
    advances = face.metrics.advances
    widths = b" ".join(b"%d" % advances.get(_TYPED[c], 0) for c in range(32, 256))
    return pool.put(
        b"<</Type/Font/Subtype/TrueType/BaseFont%s/Encoding/WinAnsiEncoding"
        b"/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %%d 0 R>>" % (name, widths),
        (described,),
    )
