"""How a font for two-byte text is described in PDF, whoever made its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sheetgen.model.prints import FaceMetrics


def descriptor(name: bytes, box: Sequence[int], angle: int, metrics: FaceMetrics) -> bytes:
    """Return a font descriptor, with `%d` for the number of its file.

    Args:
        name: With its slash.
        box: Round all glyphs.
        angle: Of its slant, in degrees; 0 for upright, negative for italic.
        metrics: Of the face.
    """
    # 32: its letters are ordinary ones; 64: it slants.
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
    """Return the font below a composite one, with `%d` for its widths and descriptor."""
    return (
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont%s/CIDSystemInfo<</Registry(Adobe)"
        b"/Ordering(Identity)/Supplement 0>>/CIDToGIDMap/Identity/W %%d 0 R"
        b"/FontDescriptor %%d 0 R>>"
    ) % name


def composite(name: bytes) -> bytes:
    """Return a font for glyph numbers, with `%d` for its descendant and its map to text."""
    return (
        b"<</Type/Font/Subtype/Type0/BaseFont%s/Encoding/Identity-H"
        b"/DescendantFonts[%%d 0 R]/ToUnicode %%d 0 R>>"
    ) % name


def width_rows(glyphs: Iterable[int], widths: Sequence[int]) -> bytes:
    """Return the widths of `glyphs`, which rise, as an array of a composite font."""
    runs: list[list[int]] = []
    for glyph in glyphs:
        if not runs or glyph != runs[-1][0] + len(runs[-1]) - 1:
            runs.append([glyph])
        runs[-1].append(widths[glyph])
    rows = (b"%d[%s]" % (run[0], b" ".join(b"%d" % w for w in run[1:])) for run in runs)
    return b"[%s]" % b"".join(rows)


def to_unicode(texts: Mapping[int, str]) -> bytes:
    """Return the map from glyph numbers to what they stand for."""
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
