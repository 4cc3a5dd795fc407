"""Subset fonts for rare letters, written while a document is pressed.

A face has a thousand letters beyond its core, of which a sheet with a Polish name needs three.
A plate has their outlines, and the press writes a small TrueType file of those that a document
uses. No outline refers to another one, so they can be copied as they are.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.render.pdf.pdf_file import PdfWriter

_LEVEL: Final = 9  # level of compression; few prints have such fonts, so time matters less
# Tables of a face that its subset fonts copy, except for some counts.
TABLES: Final = ("head", "hhea", "maxp", "post")


def dump_outlines(tables: Mapping[str, bytes], outlines: Mapping[int, bytes]) -> bytes:
    """Return the outlines of rare letters of a face as bytes.

    Args:
        tables: Of its font file; see `TABLES`.
        outlines: By glyph id, as in the `glyf` table.
    """
    heads = [tables[tag] for tag in TABLES]
    numbers = sorted(outlines)
    return b"".join(
        [
            struct.pack(">5H", *map(len, heads), len(numbers)),
            *heads,
            struct.pack(f">{len(numbers)}H", *numbers),
            struct.pack(f">{len(numbers)}H", *(len(outlines[n]) for n in numbers)),
            *(outlines[n] for n in numbers),
        ]
    )


def parse_outlines(dumped: bytes) -> tuple[dict[str, bytes], dict[int, bytes]]:
    """Return the tables and outlines that `dump_outlines` was given."""
    *lengths, count = struct.unpack_from(">5H", dumped)
    at = 10
    tables = {}
    for tag, length in zip(TABLES, lengths, strict=True):
        tables[tag] = dumped[at : at + length]
        at += length
    numbers = struct.unpack_from(f">{count}H", dumped, at)
    sizes = struct.unpack_from(f">{count}H", dumped, at + 2 * count)
    at += 4 * count
    outlines = {}
    for number, size in zip(numbers, sizes, strict=True):
        outlines[number] = dumped[at : at + size]
        at += size
    return tables, outlines


class SubsetFont:
    """The rare letters of one face in one document."""

    def __init__(self, name: bytes, outlines: bytes, metrics: FaceMetrics, file: PdfWriter) -> None:
        """Prepare a font, which is written to `file` only if a letter is used.

        `name`: in the PDF; `outlines`: the result of `dump_outlines`, compressed.
        """
        self.number = 0  # object number of the font; 0 until a letter is used
        self._name, self._outlines, self._metrics, self._file = name, outlines, metrics, file
        self._codes: dict[str, int] = {}

    def encode(self, text: str) -> bytes:
        """Return the glyph numbers of `text`; letters are numbered in order of first use."""
        if not self.number:
            self.number = self._file.take()
        codes = self._codes
        return b"".join([codes.setdefault(c, len(codes) + 1).to_bytes(2) for c in text])

    def write(self) -> None:
        """Write the font, if it was used."""
        if not self.number:
            return
        file, metrics, name = self._file, self._metrics, self._name
        tables, outlines = parse_outlines(zlib.decompress(self._outlines))
        chosen = [b"", *(outlines[metrics.glyphs[ord(c)]] for c in self._codes)]
        widths = [0, *(metrics.advances[ord(c)] for c in self._codes)]
        below, described, font, meaning, row = range(first := file.take(5), first + 5)
        file.add(self.number, composite(name) % (below, meaning))
        file.add(below, descendant(name) % (row, described))
        file.add(row, width_rows(range(len(widths)), widths))
        box = struct.unpack_from(">4h", tables["head"], 36)
        (angle,) = struct.unpack_from(">h", tables["post"], 4)
        file.add(described, descriptor(name, box, angle, metrics) % font)
        texts = to_unicode({n: c for c, n in self._codes.items()})
        file.compress(meaning, texts, level=_LEVEL)
        data = build_truetype(tables, chosen, widths)
        file.compress(font, data, b"/Length1 %d" % len(data), _LEVEL)


def build_truetype(
    tables: Mapping[str, bytes], outlines: Sequence[bytes], widths: Sequence[int]
) -> bytes:
    """Return a TrueType file of `outlines`, without a `cmap` table, which PDF does not need.

    Args:
        tables: See `TABLES`; the counts in them are replaced.
        outlines: By glyph id; empty for a blank glyph.
        widths: By glyph id, in units.
    """
    count = len(outlines)
    padded = [outline + bytes(-len(outline) % 4) for outline in outlines]
    places = accumulate(map(len, padded), initial=0)
    sides = (struct.unpack_from(">h", o, 2)[0] if o else 0 for o in outlines)
    head, hhea, maxp = (bytearray(tables[tag]) for tag in ("head", "hhea", "maxp"))
    struct.pack_into(">I", head, 8, 0)
    struct.pack_into(">h", head, 50, 1)
    struct.pack_into(">H", hhea, 34, count)
    struct.pack_into(">H", maxp, 4, count)
    new_tables = {
        "glyf": b"".join(padded),
        "head": bytes(head),
        "hhea": bytes(hhea),
        "hmtx": b"".join(struct.pack(">Hh", *pair) for pair in zip(widths, sides, strict=True)),
        "loca": struct.pack(f">{count + 1}I", *places),
        "maxp": bytes(maxp),
        "post": tables["post"],
    }
    return _font_file(new_tables)


def _font_file(tables: Mapping[str, bytes]) -> bytes:
    """Return a font file of `tables`, which are sorted by tag, with directory and checksum."""
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    search = 16 * power, power.bit_length() - 1, 16 * (count - power)
    start = struct.pack(">IHHHH", 0x00010000, count, *search)
    at, rows, parts, where_head = 12 + 16 * count, [], [], 0
    for tag, data in tables.items():
        if tag == "head":
            where_head = at
        padded = data + bytes(-len(data) % 4)
        rows.append(struct.pack(">4sIII", tag.encode(), _sum(padded), at, len(data)))
        parts.append(padded)
        at += len(padded)
    file = bytearray(b"".join([start, *rows, *parts]))
    struct.pack_into(">I", file, where_head + 8, (0xB1B0AFBA - _sum(file)) & 0xFFFFFFFF)
    return bytes(file)


def _sum(data: bytes | bytearray) -> int:
    words: tuple[int, ...] = struct.unpack(f">{len(data) // 4}I", data)
    return sum(words) & 0xFFFFFFFF


def descriptor(name: bytes, box: Sequence[int], angle: int, metrics: FaceMetrics) -> bytes:
    """Return a font descriptor (ISO 32000-1, 9.8), with `%d` for the number of its font file.

    Args:
        name: With its slash.
        box: Bounding box of all glyphs.
        angle: Italic angle in degrees; 0 for upright, negative for italic.
    """
    flags = 32 | (64 if angle else 0)  # 32 is nonsymbolic, 64 is italic
    corners = b" ".join(b"%d" % value for value in box)
    heights = metrics.ascent, metrics.descent, metrics.cap_height
    return (
        b"<</Type/FontDescriptor/FontName%s/Flags %d/FontBBox[%s]/ItalicAngle %d"
        b"/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %%d 0 R>>"
    ) % (name, flags, corners, angle, *heights)


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
        first, last, start = runs[-1] if runs else (0, 0, "")
        single = len(start) == len(text) == 1 and glyph & 255 and ord(text) & 255
        if single and glyph == last + 1 and ord(text) == ord(start) + glyph - first:
            runs[-1] = (first, glyph, start)
        else:
            runs.append((glyph, glyph, text))
    return runs
