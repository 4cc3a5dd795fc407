"""Fonts of the letters that few prints need, made while a document is pressed.

A face has a thousand letters beyond its core, and a sheet with a Polish name needs three
of them. A plate keeps their outlines; the press makes a small TrueType file of those that
a document uses. Each outline stands alone, so that nothing has to be taken apart here.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.render.fonts.font_syntax import (
    composite,
    descendant,
    descriptor,
    to_unicode,
    width_rows,
)
from sheetgen.render.pdf.pdf_file import PdfWriter

_LEVEL: Final = 9
"""Of compression: outlines shrink a little still, and few prints have any."""

TABLES: Final = ("head", "hhea", "maxp", "post")
"""Tables of a face that its spare font copies, a few counts apart."""


def dump_outlines(tables: Mapping[str, bytes], outlines: Mapping[int, bytes]) -> bytes:
    """Return the spare letters of a face in one piece.

    Args:
        tables: Of its font file; see `TABLES`.
        outlines: By glyph id, as the `glyf` table spells them.
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
    """Return what `dump_outlines` was given."""
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
    """The spare letters of one face in one document.

    Attributes:
        number: Of the font's object; 0 until a letter is used.
    """

    def __init__(self, name: bytes, outlines: bytes, metrics: FaceMetrics, file: PdfWriter) -> None:
        """Keep what a font may be made from.

        Args:
            name: That the font will have, with its slash.
            outlines: What `dump_outlines` made, compressed.
            metrics: Of the face.
            file: To be written to.
        """
        self.number = 0
        self._name, self._outlines, self._metrics, self._file = name, outlines, metrics, file
        self._codes: dict[str, int] = {}

    def encode(self, text: str) -> bytes:
        """Return the glyph numbers of `text`, in the order in which letters came up."""
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
        self._stream(meaning, b"", to_unicode({n: c for c, n in self._codes.items()}))
        data = build_truetype(tables, chosen, widths)
        self._stream(font, b"/Length1 %d" % len(data), data)

    def _stream(self, number: int, entries: bytes, data: bytes) -> None:
        small = zlib.compress(data, _LEVEL)
        head = b"<<%s/Filter/FlateDecode/Length %d>>" % (entries, len(small))
        self._file.stream(number, b"%sstream\n%s\nendstream" % (head, small))


def build_truetype(
    tables: Mapping[str, bytes], outlines: Sequence[bytes], widths: Sequence[int]
) -> bytes:
    """Return a TrueType file of `outlines`, without a map from letters: PDF brings one.

    Args:
        tables: See `TABLES`; counts in them are set anew.
        outlines: By glyph id; an empty one draws nothing.
        widths: By glyph id, in units.
    """
    count = len(outlines)
    whole = [outline + bytes(-len(outline) % 4) for outline in outlines]
    places = [0]
    for outline in whole:
        places.append(places[-1] + len(outline))
    sides = (struct.unpack_from(">h", o, 2)[0] if o else 0 for o in outlines)
    head, hhea, maxp = (bytearray(tables[tag]) for tag in ("head", "hhea", "maxp"))
    struct.pack_into(">I", head, 8, 0)
    struct.pack_into(">h", head, 50, 1)
    struct.pack_into(">H", hhea, 34, count)
    struct.pack_into(">H", maxp, 4, count)
    made = {
        "glyf": b"".join(whole),
        "head": bytes(head),
        "hhea": bytes(hhea),
        "hmtx": b"".join(struct.pack(">Hh", *pair) for pair in zip(widths, sides, strict=True)),
        "loca": struct.pack(f">{count + 1}I", *places),
        "maxp": bytes(maxp),
        "post": tables["post"],
    }
    return _font_file(made)


def _font_file(tables: Mapping[str, bytes]) -> bytes:
    """Return `tables`, sorted by tag, behind their directory, with the sum of all."""
    power = 1 << (len(tables).bit_length() - 1)
    start = struct.pack(
        ">IHHHH",
        0x00010000,
        len(tables),
        16 * power,
        power.bit_length() - 1,
        16 * (len(tables) - power),
    )
    at, rows, parts = 12 + 16 * len(tables), [], []
    where_head = 0
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
