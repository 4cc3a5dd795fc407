"""PDF bombs: small files that unpack, expand or loop to more than any machine has.

`BOMBS` makes each file when it is asked for; none is larger than a few megabytes.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

Objects = dict[int, bytes]

_GIGA: Final = 1_000_000_000
_MEGA: Final = 1_000_000


# -- files from objects -------------------------------------------------------------------------


def file_of(objects: Mapping[int, bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF of `objects`; the first is its catalog."""
    parts, places, at = [b"%PDF-1.7\n"], {}, 9
    for number, body in objects.items():
        places[number] = at
        parts.append(b"%d 0 obj\n%s\nendobj\n" % (number, body))
        at += len(parts[-1])
    top = max(objects) + 1
    rows = (places.get(n) for n in range(1, top))
    table = b"".join(b"%010d 00000 n \n" % p if p else b"0000000000 65535 f \n" for p in rows)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % top
    end = b"trailer\n<</Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n" % (top, trailer, at)
    return b"".join([*parts, head, table, end])


def stream(
    data: bytes, filters: bytes = b"", more: bytes = b"", length: int | None = None
) -> bytes:
    size = len(data) if length is None else length
    said = b"/Filter %s" % filters if filters else b""
    return b"<<%s %s /Length %d>>\nstream\n%s\nendstream" % (said, more, size, data)


def page(
    content: bytes = b"<<>>\nstream\n\nendstream",
    resources: bytes = b"",
    more: bytes = b"",
    root: bytes = b"",
    others: Mapping[int, bytes] | None = None,
) -> bytes:
    """Return a PDF of one page; `content` is an object, `others` begin at 10."""
    return file_of(
        {
            1: b"<</Type/Catalog/Pages 2 0 R %s>>" % root,
            2: b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
            3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]/Contents 4 0 R"
            b"/Resources<</Font<</F 5 0 R>>%s>>%s>>" % (resources, more),
            4: content,
            5: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
            **(others or {}),
        }
    )


# -- packing ------------------------------------------------------------------------------------


def flate(unit: bytes, size: int) -> bytes:
    """Return `unit` over and over, `size` bytes of it, packed.

    A megabyte is packed once, and its packed form is repeated.
    """
    piece = unit * max(1, _MEGA // len(unit))
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)
    count = max(1, size // len(piece))
    added = zlib.adler32(piece)
    low, high = 1, 0
    for _ in range(count):
        high = (high + (added >> 16) + len(piece) * (low - 1)) % 65_521
        low = (low + (added & 0xFFFF) - 1) % 65_521
    return b"\x78\xda" + packed * count + b"\3\0" + (high << 16 | low).to_bytes(4, "big")


def twice(unit: bytes, size: int) -> bytes:
    return zlib.compress(flate(unit, size), 9)


def runs(size: int) -> bytes:
    """Return run lengths of blanks: 128 for each two bytes."""
    return b"\x81 " * (size // 128) + b"\x80"


def lzw(count: int) -> bytes:
    """Return LZW codes of zeros, which grow by one with each code."""
    bits, width, table = [], 9, 258
    for number in range(count):
        if number % 3800 == 0:
            bits.append(f"{256:0{width}b}")
            width, table = 9, 257
        code = 0 if table == 257 else table - 0
        bits.append(f"{code:0{width}b}")
        table += 1
        width = 9 if table < 511 else 10 if table < 1023 else 11 if table < 2047 else 12
    bits.append(f"{257:0{width}b}")
    text = "".join(bits)
    text += "0" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big")


_BT: Final = b"BT /F 9 Tf 9 9 Td (abc) Tj ET "


def contents() -> dict[str, Callable[[], bytes]]:
    """Contents that unpack to gigabytes, by filter."""
    blank, flat = b" ", b"/FlateDecode"
    nul = b"/Predictor 12 /Colors 1 /BitsPerComponent 8 /Columns"
    return {
        "flate": lambda: stream(flate(blank, _GIGA), flat),
        "flate-twice": lambda: stream(twice(blank, 3 * _GIGA), b"[/FlateDecode/FlateDecode]"),
        "flate-short-names": lambda: stream(twice(blank, 3 * _GIGA), b"[/Fl/Fl]"),
        "flate-thrice": lambda: stream(
            zlib.compress(twice(blank, 3 * _GIGA), 9), b"[%s]" % (flat * 3)
        ),
        "hex-flate": lambda: stream(
            twice(blank, _GIGA).hex().encode() + b">", b"[/ASCIIHexDecode/FlateDecode/FlateDecode]"
        ),
        "ascii85-flate": lambda: stream(
            base64.a85encode(twice(blank, _GIGA)) + b"~>", b"[/A85/FlateDecode/FlateDecode]"
        ),
        "runs": lambda: stream(runs(256 * _MEGA), b"/RunLengthDecode"),
        "flate-runs": lambda: stream(
            flate(b"\x81 ", 30 * _MEGA), b"[/FlateDecode/RunLengthDecode]"
        ),
        "lzw": lambda: stream(lzw(300_000), b"/LZWDecode"),
        "flate-lzw": lambda: stream(zlib.compress(lzw(3800) * 200, 9), b"[/FlateDecode/LZWDecode]"),
        "columns": lambda: stream(
            flate(blank, 10 * _MEGA), flat, b"/DecodeParms<<%s 2000000000>>" % nul
        ),
        "columns-wide": lambda: stream(
            flate(b"\0", _GIGA), flat, b"/DecodeParms<<%s 500000000>>" % nul
        ),
        "predictor": lambda: stream(flate(b"\0", _GIGA), flat, b"/DecodeParms<<%s 1>>" % nul),
        "length-lies": lambda: stream(flate(blank, _GIGA), flat, length=2_147_483_647),
        "length-zero": lambda: stream(flate(blank, _GIGA), flat, length=0),
        "many-filters": lambda: stream(b"x", b"[%s]" % (flat * 50_000)),
        "text": lambda: stream(flate(_BT, 60 * _MEGA), flat),
        "text-small": lambda: stream(flate(_BT, 11 * _MEGA), flat),
        "operators": lambda: stream(flate(b"q Q ", 11 * _MEGA), flat),
        "numbers": lambda: stream(flate(b"1 ", 40 * _MEGA), flat),
        "nested-q": lambda: stream(flate(b"q ", 11 * _MEGA), flat),
        "nested-q-deep": lambda: stream(flate(b"q ", 60 * _MEGA), flat),
        "nested-q-unpacked": lambda: stream(b"q " * 400_000),
        "nested-bt": lambda: stream(flate(b"BT ", 11 * _MEGA), flat),
        "marks": lambda: stream(flate(b"/A BMC ", 11 * _MEGA), flat),
        "arrays": lambda: stream(flate(b"[", 10 * _MEGA), flat),
        "arrays-unpacked": lambda: stream(b"[" * 100_000 + b"] TJ"),
        "dicts": lambda: stream(b"/A " + b"<</B " * 100_000 + b" BDC"),
        "long-text": lambda: stream(flate(b"a", 40 * _MEGA), flat),
        "one-string": lambda: stream(
            zlib.compress(b"BT /F 9 Tf (" + b"a" * (10 * _MEGA) + b") Tj ET"), flat
        ),
        "one-path": lambda: stream(flate(b"9 9 l ", 11 * _MEGA), flat),
        "inline-pictures": lambda: stream(
            flate(b"BI /W 9 /H 9 /CS /G /BPC 8 ID xx EI ", 11 * _MEGA), flat
        ),
        "inline-endless": lambda: stream(b"BI /W 9 ID " * 200_000),
    }


# -- objects ------------------------------------------------------------------------------------


def xref_stream(size: int, rows: bytes, index: bytes = b"", objects: bytes = b"") -> bytes:
    """Return a PDF whose cross-reference is a packed stream that claims `size` objects."""
    head = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n" + objects
    said = b"/Type/XRef/W[1 4 2]/Size %d/Root 1 0 R %s" % (size, index)
    body = b"9 0 obj\n%s\nendobj\n" % stream(rows, b"/FlateDecode", said)
    return head + body + b"startxref\n%d\n%%%%EOF\n" % len(head)


def object_stream(count: int, data: bytes, first: int) -> bytes:
    """Return a PDF with a packed stream of `count` objects, and what points into it."""
    packed = stream(data, b"/FlateDecode", b"/Type/ObjStm/N %d/First %d" % (count, first))
    objects = b"7 0 obj\n" + packed + b"\nendobj\n"
    start = len(b"%PDF-1.7\n")
    rows = bytearray(b"\0\0\0\0\0\xff\xff")
    rows += b"\1" + start.to_bytes(4, "big") + b"\0\0"
    for at in range(5):
        rows += b"\2" + (7).to_bytes(4, "big") + at.to_bytes(2, "big")
    head = b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    rows += b"\1" + len(head).to_bytes(4, "big") + b"\0\0"
    return xref_stream(8, zlib.compress(bytes(rows)), objects=objects)


def linked_object_stream() -> bytes:
    """Return object streams that hold and extend each other."""
    data = zlib.compress(b"2 0 <</Type/Pages/Count 1/Kids[3 0 R]>>")
    return object_stream(1, data, 4).replace(b"/First 4", b"/First 4/Extends 7 0 R")


def wide_tree(count: int) -> bytes:
    kids = b"3 0 R " * count
    return page().replace(
        b"/Count 1/Kids[3 0 R]", b"/Count %d/Kids[%s]" % (count, kids)
    )  # offsets lie, too


def many_pages(count: int) -> bytes:
    one = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Contents 4 0 R/Rotate %d>>"
    return file_of(
        {
            1: b"<</Type/Catalog/Pages 2 0 R>>",
            2: b"<</Type/Pages/Count %d/Kids[%s]>>"
            % (count, b" ".join(b"%d 0 R" % (10 + n) for n in range(count))),
            4: stream(b"0.01 w 5 5 m 90 90 l S 1 0 0 rg 0 0 9 9 re f BT /F 9 Tf (x) Tj ET"),
            **{10 + n: one % (100 + n, 100 + n % 7, n % 4 * 90) for n in range(count)},
        }
    )


def deep_tree(depth: int, cyclic: bool = False) -> bytes:
    nodes = {
        10 + n: b"<</Type/Pages/Count 1/Parent %d 0 R/Kids[%d 0 R]>>" % (9 + n, 11 + n)
        for n in range(depth)
    }
    last = 10 + depth
    nodes[last] = b"<</Type/Page/MediaBox[0 0 9 9]/Parent %d 0 R>>" % (last - 1)
    if cyclic:
        nodes[last] = b"<</Type/Pages/Count 1/Kids[10 0 R]>>"
    return file_of(
        {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Count 1/Kids[10 0 R]>>", **nodes}
    )


def doubling_tree(levels: int) -> bytes:
    nodes = {
        10 + n: b"<</Type/Pages/Count 2/Kids[%d 0 R %d 0 R]>>" % (11 + n, 11 + n)
        for n in range(levels)
    }
    nodes[10 + levels] = b"<</Type/Page/MediaBox[0 0 9 9]>>"
    return file_of(
        {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Count 2/Kids[10 0 R]>>", **nodes}
    )


def objects() -> dict[str, Callable[[], bytes]]:
    """Cross-references, object streams, trees of pages, nesting."""
    row = b"\1\0\0\0\x09\0\0"
    return {
        "xref-size": lambda: xref_stream(2_000_000_000, zlib.compress(row * 9)),
        "xref-rows": lambda: xref_stream(100_000_000, flate(row, 700 * _MEGA)),
        "xref-free": lambda: xref_stream(30_000_000, flate(b"\0" * 7, 210 * _MEGA)),
        "xref-index": lambda: xref_stream(
            9, zlib.compress(row * 9), b"/Index[%s]" % (b"0 2000000000 " * 1000)
        ),
        "xref-index-rows": lambda: xref_stream(9, flate(row, 140 * _MEGA), b"/Index[0 20000000]"),
        "xref-twice": lambda: xref_stream(9, twice(row, 2 * _GIGA)).replace(
            b"/Filter /FlateDecode", b"/Filter [/FlateDecode/FlateDecode]"
        ),
        "xref-table": lambda: page().replace(b"xref\n0 6", b"xref\n0 999999999"),
        "xref-none": lambda: page().replace(b"startxref", b"startnothing") * 200,
        "xref-loop": lambda: page().replace(b"/Root", b"/Prev 9 /XRefStm 9 /Root"),
        "objects-many": lambda: object_stream(50_000_000, flate(b"1 0 ", 200 * _MEGA), 200 * _MEGA),
        "objects-large": lambda: object_stream(1, flate(b"2 0 (aaaaaa) ", _GIGA), 4),
        "objects-nested": lambda: object_stream(1, flate(b"[", 100 * _MEGA), 4),
        "objects-linked": linked_object_stream,
        "objects-negative": lambda: object_stream(-1, flate(b"1 0 ", _MEGA), -5),
        "pages-wide": partial(wide_tree, 1_000_000),
        "pages-many": partial(many_pages, 6000),
        "pages-deep": partial(deep_tree, 100_000),
        "pages-cyclic": partial(deep_tree, 50, cyclic=True),
        "pages-doubling": partial(doubling_tree, 40),
        "pages-doubling-some": partial(doubling_tree, 18),
        "arrays-deep": lambda: page(more=b"/X " + b"[" * 100_000 + b"]" * 100_000),
        "dicts-deep": lambda: page(more=b"/X " + b"<</A " * 100_000 + b">>" * 100_000),
        "arrays-open": lambda: page(root=b"/X " + b"[" * 1_000_000),
        "strings-many": lambda: page(more=b"/X [" + b"()" * 1_000_000 + b"]"),
        "tokens": lambda: page(more=b"/X [" + b"0 " * 2_000_000 + b"]"),
        "comments": lambda: page(more=b"%\n" * 1_000_000),
        "refs": lambda: page(more=b"/X [" + b"4 0 R " * 500_000 + b"]"),
        "ref-loop": lambda: page(root=b"/X 10 0 R", others={10: b"11 0 R", 11: b"10 0 R"}),
        "length-ref": lambda: page(
            b"<</Length 10 0 R>>\nstream\nq\nendstream", others={10: b"10 0 R"}
        ),
        "encrypted": lambda: file_of(
            {
                1: b"<</Type/Catalog/Pages 2 0 R>>",
                2: b"<</Type/Pages/Count 0/Kids[]>>",
                3: b"<</Filter/Standard/V 5/R 6/Length 256/P -4/O(%s)/U(%s)/OE(%s)/UE(%s)"
                b"/Perms(%s)>>" % (b"a" * 48, b"b" * 48, b"c" * 32, b"d" * 32, b"e" * 16),
            },
            b"/Encrypt 3 0 R /ID[(a)(b)]",
        ),
    }


# -- what pages and catalogs hold -----------------------------------------------------------------


def font(more: bytes, others: Mapping[int, bytes] | None = None, text: bytes = b"(a)") -> bytes:
    content = stream(b"BT /G 9 Tf 9 9 Td %s Tj ET" % text)
    fonts = b"/Font<</G 10 0 R>>"
    made = {10: b"<</Type/Font/BaseFont/G %s>>" % more, **(others or {})}
    return page(content, others=made).replace(b"/Font<</F 5 0 R>>", fonts)


def cmap(body: bytes) -> bytes:
    """Return a font whose ToUnicode table is `body`, packed already."""
    return font(b"/Subtype/TrueType/ToUnicode 11 0 R", {11: stream(body, b"/FlateDecode")})


def sfnt(packed: bytes, filters: bytes = b"/FlateDecode") -> bytes:
    return font(
        b"/Subtype/TrueType/FontDescriptor 11 0 R",
        {11: b"<</FontFile2 12 0 R>>", 12: stream(packed, filters)},
    )


def table_of(tables: Mapping[bytes, bytes]) -> bytes:
    """Return a TrueType font of `tables`."""
    head = b"\0\1\0\0" + len(tables).to_bytes(2, "big") + b"\0" * 6
    at, rows = 12 + 16 * len(tables), b""
    for name, data in tables.items():
        rows += name + b"\0" * 4 + at.to_bytes(4, "big") + len(data).to_bytes(4, "big")
        at += len(data)
    return head + rows + b"".join(tables.values())


def glyph_bomb() -> bytes:
    head = bytearray(54)
    head[0:4], head[12:16], head[18:20] = b"\0\1\0\0", b"\x5f\x0f\x3c\xf5", b"\x03\xe8"
    head[50:52] = b"\0\1"
    tables = {
        b"head": bytes(head),
        b"maxp": b"\0\1\0\0\xff\xff" + b"\0" * 26,
        b"loca": b"\0\0\0\0" * 65_536,
        b"glyf": b"\0" * 100,
        b"post": b"\0\2\0\0" + b"\0" * 28 + b"\xff\xff" + b"\0\0" * 65_535,
        b"cmap": b"\0\0\0\1\0\3\0\12\0\0\0\14\0\14\0\0\0\0\0\x1c\0\0\0\0\0\0\0\1"
        b"\0\0\0\0\0\x10\xff\xff\0\0\0\0",
    }
    return sfnt(zlib.compress(table_of(tables)))


def forms_in_forms(levels: int, each: int) -> bytes:
    """Return forms that show the next one `each` times."""
    others = {
        10 + n: stream(
            b"/X Do " * each,
            more=b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
            b"/Resources<</XObject<</X %d 0 R>>>>" % (11 + n),
        )
        for n in range(levels)
    }
    others[10 + levels] = stream(
        b"0 0 9 9 re f " * 100, more=b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
    )
    return page(stream(b"/X Do"), b"/XObject<</X 10 0 R>>", others=others)


def form(fields: bytes, others: Mapping[int, bytes] | None = None, more: bytes = b"") -> bytes:
    return page(root=b"/AcroForm<</Fields %s %s>>" % (fields, more), others=others)


def deep_fields(depth: int, cyclic: bool = False) -> bytes:
    nodes = {10 + n: b"<</T(a)/Kids[%d 0 R]>>" % (11 + n) for n in range(depth)}
    nodes[10 + depth] = b"<</T(z)/FT/Tx/V(x)>>"
    if cyclic:
        nodes[10 + depth] = b"<</T(z)/Kids[10 0 R]>>"
    return form(b"[10 0 R]", nodes)


def many_fields(count: int) -> bytes:
    every = {10 + n: b"<</T(f%d)/FT/Tx/V(x)/DV(y)>>" % n for n in range(count)}
    return form(b"[%s]" % b" ".join(b"%d 0 R" % n for n in every), every)


def doubling_fields(levels: int) -> bytes:
    nodes = {10 + n: b"<</T(a)/Kids[%d 0 R %d 0 R]>>" % (11 + n, 11 + n) for n in range(levels)}
    nodes[10 + levels] = b"<</T(z)/FT/Tx/V(x)>>"
    return form(b"[10 0 R]", nodes)


def looks(count: int) -> bytes:
    """Return widgets with appearances that unpack to much."""
    body = stream(
        flate(_BT, 30 * _MEGA), b"/FlateDecode", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"
    )
    one = b"<</Type/Annot/Subtype/Widget/FT/Tx/T(f%d)/F 4/Rect[0 0 9 9]/AP<</N 10 0 R>>>>"
    every = {20 + n: one % n for n in range(count)}
    listed = b"[%s]" % b" ".join(b"%d 0 R" % n for n in every)
    return page(
        more=b"/Annots " + listed,
        root=b"/AcroForm<</Fields %s>>" % listed,
        others={10: body, **every},
    )


_XMP: Final = b"/Metadata 10 0 R"
_XML: Final = b"/Type/Metadata/Subtype/XML"


def entities() -> bytes:
    lines = [b'<!ENTITY a0 "%s">' % (b"a" * 1000)]
    lines += [b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10)]
    return b"<?xml version='1.0'?><!DOCTYPE x [%s]><x>&a9;</x>" % b"".join(lines)


def holdings() -> dict[str, Callable[[], bytes]]:
    """Metadata, fonts, fields, pictures, names, files within."""
    flat = b"/FlateDecode"
    ranges = b"1 beginbfrange\n" + b"<0000> <FFFF> <0041>\n" * 20_000 + b"endbfrange\n"
    openers = b"beginbfchar " * 40_000
    nested = b"<</Subtype/Type0/DescendantFonts[10 0 R]>>"
    return {
        "metadata": lambda: page(
            root=_XMP, others={10: stream(flate(b" ", 2 * _GIGA), flat, _XML)}
        ),
        "metadata-twice": lambda: page(
            root=_XMP,
            others={10: stream(twice(b"<a>", 2 * _GIGA), b"[/FlateDecode/FlateDecode]", _XML)},
        ),
        "metadata-entities": lambda: page(root=_XMP, others={10: stream(entities(), b"", _XML)}),
        "metadata-deep": lambda: page(root=_XMP, others={10: stream(b"<a>" * 300_000, b"", _XML)}),
        "info-long": lambda: page().replace(
            b"trailer\n<<", b"trailer\n<</Info<</Title(%s)>>" % (b"a" * 3_000_000)
        ),
        "widths": lambda: font(b"/Subtype/TrueType/FirstChar 0/Widths[%s]" % (b"9 " * 1_000_000)),
        "widths-cid": lambda: font(
            b"/Subtype/Type0/Encoding/Identity-H/DescendantFonts[11 0 R]",
            {11: b"<</Subtype/CIDFontType2/W[%s]>>" % (b"0 65535 9 " * 100_000)},
            b"<0001>",
        ),
        "widths-cid-apart": lambda: font(
            b"/Subtype/Type0/Encoding/Identity-H/DescendantFonts[11 0 R]",
            {
                11: b"<</Subtype/CIDFontType2/W[%s]>>"
                % b" ".join(b"%d %d 9" % (n * 70_000, n * 70_000 + 65_535) for n in range(9000))
            },
            b"<0001>",
        ),
        "descendants": lambda: font(
            b"/Subtype/Type0/DescendantFonts[10 0 R]", {11: nested}, b"<0001>"
        ),
        "cmap": lambda: cmap(flate(b"1 begincodespacerange <00> ", 2 * _GIGA)),
        "cmap-ranges": lambda: cmap(zlib.compress(ranges)),
        "cmap-openers": lambda: cmap(zlib.compress(openers)),
        "cmap-digits": lambda: cmap(
            zlib.compress(b"beginbfchar <" + b"F" * 400_000 + b"> <" + b"0" * 99_000 + b"> endbf")
        ),
        "cmap-blanks": lambda: cmap(zlib.compress(b"beginbfchar <00>" + b" " * 480_000 + b"endbf")),
        "fontfile": lambda: sfnt(flate(b"\0\1\0\0", 2 * _GIGA)),
        "fontfile-twice": lambda: sfnt(
            twice(b"\0\1\0\0", 2 * _GIGA), b"[/FlateDecode/FlateDecode]"
        ),
        "fontfile-glyphs": glyph_bomb,
        "type3": lambda: font(
            b"/Subtype/Type3/FontMatrix[9e99 0 0 1 0 0]/FirstChar -2147483648/Widths[1]"
        ),
        "forms-doubling": partial(forms_in_forms, 11, 10),
        "forms-tenfold": partial(forms_in_forms, 7, 10),
        "fields-deep": partial(deep_fields, 100_000),
        "fields-cyclic": partial(deep_fields, 30, cyclic=True),
        "fields-many": partial(many_fields, 60_000),
        "fields-doubling": partial(doubling_fields, 35),
        "fields-direct": lambda: form(b"[" + b"<</T(a)/Kids[" * 20_000 + b"]>>" * 20_000 + b"]"),
        "fields-same-text": lambda: form(
            b"[%s]" % b"".join(b"<</T(f%d)/FT/Tx/V 10 0 R>>" % n for n in range(20_000)),
            {10: b"(%s)" % (b"x" * 99_000)},
        ),
        "fields-stream": lambda: form(
            b"[<</T(f)/FT/Tx/V 10 0 R>>]", {10: stream(twice(b"x", _GIGA), flat)}
        ),
        "fields-name": lambda: form(b"[<</T(%s)/FT/Tx/V(x)>>]" % (b"n" * 2_000_000)),
        "fields-array": lambda: form(b"[<</T(f)/FT/Ch/V[%s]>>]" % (b"(x)" * 1_000_000)),
        "looks": partial(looks, 20),
        "default-look": lambda: form(
            b"[<</T(f)/FT/Tx/V(x)/DA(%s)>>]" % (b"q " * 500_000), more=b"/NeedAppearances true"
        ),
        "xfa": lambda: form(
            b"[<</T(f)/FT/Tx/V(x)>>]", {10: stream(flate(b"<a>", _GIGA), flat)}, b"/XFA 10 0 R"
        ),
        "attached": lambda: page(
            root=b"/Names<</EmbeddedFiles<</Names[(a)<</F(a)/EF<</F 10 0 R>>>>]>>>>",
            others={10: stream(twice(b"a", _GIGA), b"[/FlateDecode/FlateDecode]")},
        ),
        "names-deep": lambda: page(
            root=b"/Names<</Dests 10 0 R>>",
            others={10 + n: b"<</Kids[%d 0 R]>>" % (11 + n) for n in range(50_000)},
        ),
        "names-cyclic": lambda: page(
            root=b"/Names<</Dests 10 0 R/JavaScript 10 0 R/EmbeddedFiles 10 0 R>>"
            b"/PageLabels 10 0 R",
            others={10: b"<</Kids[10 0 R 10 0 R]>>"},
        ),
        "picture": lambda: page(
            stream(b"q 9 0 0 9 0 0 cm /X Do Q"),
            b"/XObject<</X 10 0 R>>",
            others={
                10: stream(
                    twice(b"\0", _GIGA),
                    b"[/FlateDecode/FlateDecode]",
                    b"/Type/XObject/Subtype/Image/Width 2000000000/Height 2000000000"
                    b"/BitsPerComponent 8/ColorSpace/DeviceRGB",
                )
            },
        ),
        "pictures": lambda: page(
            stream(b"q 9 0 0 9 0 0 cm /X Do Q " * 60_000),
            b"/XObject<</X 10 0 R>>",
            others={
                10: stream(b"x", more=b"/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/G")
            },
        ),
        "space-deep": lambda: page(
            stream(b"/S cs 1 scn 0 0 9 9 re f"),
            b"/ColorSpace<</S %s/G%s>>" % (b"[/Indexed " * 400, b" 1 (a)]" * 400),
        ),
        "space-cyclic": lambda: page(
            stream(b"/S cs 1 scn 0 0 9 9 re f"),
            b"/ColorSpace<</S 10 0 R>>",
            others={10: b"[/Indexed 10 0 R 1 (a)]"},
        ),
        "notes": lambda: page(more=b"/Annots[%s]" % (b"<</Subtype/Link/Rect[0 0 9 9]>>" * 100_000)),
        "notes-shared": lambda: page(
            more=b"/Annots 11 0 R",
            others={11: b"[%s]" % (b"20 0 R " * 1_000_000), 20: b"<</Subtype/Link>>"},
        ),
        "kinds": lambda: page(
            more=b"/Annots[%s]" % b"".join(b"<</Subtype/K%d>>" % n for n in range(60_000))
        ),
        "intents": lambda: page(root=b"/OutputIntents[%s]" % (b"<</S/GTS_PDFX>>" * 100_000)),
        "intents-long": lambda: page(
            root=b"/OutputIntents[%s]"
            % b"".join(
                b"<</S/A%d/OutputConditionIdentifier(%s)>>" % (n, b"c" * 99) for n in range(9999)
            )
        ),
        "fonts-many": lambda: page(
            stream(b"BT " + b"".join(b"/N%d 9 Tf (a) Tj " % n for n in range(9000)) + b"ET")
        ).replace(
            b"/Font<</F 5 0 R>>",
            b"/Font<<%s>>"
            % b"".join(
                b"/N%d<</Type/Font/Subtype/Type1/BaseFont/%s%d>>" % (n, b"N" * 99, n)
                for n in range(9000)
            ),
        ),
        "spaces-many": lambda: page(
            stream(b"".join(b"/%s%d cs 0 0 9 9 re f " % (b"N" * 99, n) for n in range(9000)))
        ),
        "boxes": lambda: page(more=b"/TrimBox[1e308 -1e308 9e999 1e999]/BleedBox[0 0 0 0]"),
        "box-long": lambda: page(more=b"/CropBox[%s]" % (b"9 " * 1_000_000)),
        "turned": lambda: page(more=b"/Rotate 99999999999999999999"),
        "units": lambda: page(more=b"/UserUnit 1e99/MediaBox[0 0 1e99 1e99]"),
        "contents-many": lambda: page(more=b"/Contents[%s]" % (b"4 0 R " * 300_000)),
        "contents-large": lambda: page(
            stream(flate(_BT, 8 * _MEGA), flat), more=b"/Contents[%s]" % (b"4 0 R " * 3000)
        ),
    }


def _bombs() -> dict[str, Callable[[], bytes]]:
    found: dict[str, Callable[[], bytes]] = {}
    for name, body in contents().items():
        found[f"content-{name}"] = lambda body=body: page(body())
    return {**found, **objects(), **holdings()}


BOMBS: Final[Mapping[str, Callable[[], bytes]]] = _bombs()
"""Each file by what it is."""
