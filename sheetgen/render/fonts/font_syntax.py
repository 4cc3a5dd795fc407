"""Format font dictionaries and ToUnicode CMaps of composite fonts (ISO 32000-1, 9.7, 9.8, 9.10)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sheetgen.model.prints import FaceMetrics


def descriptor(name: bytes, box: Sequence[int], angle: int, metrics: FaceMetrics) -> bytes:
    """Return a font descriptor (9.8), with `%d` for the number of its font file.

    Args:
        name: With its slash.
        box: Bounding box of all glyphs.
        angle: Italic angle in degrees; 0 for upright, negative for italic.
    """
    # Flags: 32 is nonsymbolic, 64 is italic.
    return (
        b"<</Type/FontDescriptor/FontName%s/Flags %d/FontBBox[%s]/ItalicAngle %d"
        b"/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %%d 0 R>>"
    ) % (
        name,
        32 | (64 if angle else 0),
        b" ".join(b"%d" % value for value in box),
        angle,
        metrics.ascent,
        metrics.descent,
        metrics.cap_height,
    )


def descendant(name: bytes) -> bytes:
    """Return a CIDFont (9.7.4), with `%d` for its widths and for its descriptor."""
    return (
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont%s/CIDSystemInfo<</Registry(Adobe)"
        b"/Ordering(Identity)/Supplement 0>>/CIDToGIDMap/Identity/W %%d 0 R"
        b"/FontDescriptor %%d 0 R>>"
    ) % name


def composite(name: bytes) -> bytes:
    """Return a Type 0 font (9.7.6), with `%d` for its descendant and for its ToUnicode CMap."""
    return (
        b"<</Type/Font/Subtype/Type0/BaseFont%s/Encoding/Identity-H"
        b"/DescendantFonts[%%d 0 R]/ToUnicode %%d 0 R>>"
    ) % name


def width_rows(glyphs: Iterable[int], widths: Sequence[int]) -> bytes:
    """Return the /W array (9.7.4.3) of `glyphs`, which are in ascending order."""
    runs: list[list[int]] = []
    for glyph in glyphs:
        if not runs or glyph != runs[-1][0] + len(runs[-1]) - 1:
            runs.append([glyph])
        runs[-1].append(widths[glyph])
    rows = (b"%d[%s]" % (run[0], b" ".join(b"%d" % w for w in run[1:])) for run in runs)
    return b"[%s]" % b"".join(rows)


def to_unicode(texts: Mapping[int, str]) -> bytes:
    """Return the ToUnicode CMap (9.10.3) for the texts of glyphs."""
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
    """Return (first glyph, last glyph, first text) of runs in which glyphs and letters increase.

    Only the last byte of a code may change within a run.
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
