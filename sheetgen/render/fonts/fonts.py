"""Cut faces out of fonts: a layout font, a core font for embedding, outlines of rare letters.

Fonts are read and returned as bytes; nothing here opens a file.
"""

from __future__ import annotations

import hashlib
import io
import re
import struct
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.model.tokens import CHARSET, CORE
from sheetgen.plan.fit import is_unseen
from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import PdfWriter, SharedPool

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


if TYPE_CHECKING:
    from fontTools.ttLib import TTFont


_FEATURES: Final = ("kern", "smcp", "c2sc", "tnum")
_EM: Final = 1000
# How far a letter may reach to the left of where it begins, and not be clipped.
_OVERHANG: Final = 18
_ATTACHING: Final = ("ccmp", "locl", "mark", "mkmk")
_BULK: Final = ("GSUB", "GPOS", "GDEF", "BASE", "STAT", "name", "gasp", "DSIG", "kern")


@frozen
class Face:
    """One weight of one family, ready for layout and for embedding.

    Layout font and core font use the same glyph ids, so text that is laid out with the one can
    be drawn with the other. All have 1000 units per em, as PDF does.
    """

    # Of the layout font; different from all installed fonts, so that it is recognized in a PDF
    name: str
    family: str  # the font's own name, such as `SourceSansPro-Bold`
    layout: bytes  # the font for the layout engine: kerning, small capitals, figures
    core: bytes  # the font for embedding: the most used letters and their alternate forms
    count: int  # how many glyphs the core has; they come first
    spare: bytes  # the outlines of all other letters; see `SubsetFont`
    widths: tuple[int, ...]  # advance widths by glyph id, in 1/1000 em
    # Texts of the core's small capitals and alternate figures, by glyph id
    forms: Mapping[int, str]
    metrics: FaceMetrics


@lru_cache(maxsize=16)
def build_face(data: bytes, core: frozenset[int] = CORE, forms: bool = True) -> Face:
    """Return the face of a TrueType font.

    Args:
        core: Letters of the core; see `charsets`.
        forms: Whether the core has their small capitals and alternate figures.
    """
    # Imported here, since it takes a tenth of a second and only compiling needs it.
    from fontTools import subset
    from fontTools.ttLib import newTable
    from fontTools.ttLib.scaleUpem import scale_upem

    font = _opened(data)
    given = font["name"].getDebugName(6) or ""
    letters = sorted(set(font.getBestCmap()) & CHARSET)
    del font["name"]  # It is written anew below; to prune it would visit every table.
    subsetter = subset.Subsetter(_options(subset, [*_FEATURES, *_ATTACHING]))
    subsetter.populate(unicodes=letters)
    subsetter.subset(font)
    if font["head"].unitsPerEm != _EM:
        scale_upem(font, _EM)
    others = _forms(font) if forms else {}
    count = _core_first(font, core, others)
    name = f"sheetgen-{hashlib.sha256(data).hexdigest()[:8]}"
    font["name"] = table = newTable("name")
    table.names = []
    for identifier, text in ((1, name), (2, "Regular"), (4, name), (6, name)):
        table.setName(text, identifier, 3, 1, 0x409)
    layout = _saved(font)
    advances = font["hmtx"].metrics
    return Face(
        name,
        re.sub("[^A-Za-z0-9-]", "", given) or "Unnamed",
        layout,
        _stripped(layout, count),
        count,
        _spare(font, count),
        tuple(advances[glyph][0] for glyph in font.getGlyphOrder()),
        {font.getGlyphID(glyph): text for glyph, text in others.items()},
        _metrics(font),
    )


def drawable(text: str) -> str:
    """Return `text` as it is drawn: accents composed with their letters, no control characters.

    More fonts have `é` than place an accent on `e` well. A tab is drawn as a space.
    """
    if text.isascii() and text.isprintable():
        return text
    joined = unicodedata.normalize("NFC", text)
    if joined.isprintable() and not any(map(is_unseen, joined.replace(" ", ""))):
        return joined
    return "".join(" " if c.isspace() else c for c in joined if c.isspace() or not is_unseen(c))


def _opened(data: bytes) -> TTFont:
    from fontTools.ttLib import TTFont

    # No timestamps in the file, so that equal input gives equal bytes.
    return TTFont(io.BytesIO(data), recalcTimestamp=False, lazy=False)


def _saved(font: TTFont) -> bytes:
    target = io.BytesIO()
    font.save(target)
    return target.getvalue()


def _options(subset: Any, features: list[str]) -> Any:
    options = subset.Options()
    options.layout_features = features
    options.hinting = False
    options.notdef_outline = True
    options.glyph_names = False
    options.drop_tables += ["DSIG", "BASE", "STAT", "gasp"]
    return options


def _core_first(font: TTFont, core: frozenset[int], forms: Mapping[str, str]) -> int:
    """Reorder the glyphs: the core first, by code point; return how many the core has.

    Then a glyph's id tells whether the core has it, and the ToUnicode CMap is short.
    """
    from fontTools.ttLib.reorderGlyphs import reorderGlyphs

    mapping = font.getBestCmap()
    front = [".notdef", *(mapping[p] for p in sorted(mapping) if p in core), *forms]
    order = dict.fromkeys([*front, *_components(font, front)])
    count = len(order)
    order |= dict.fromkeys([*(mapping[p] for p in sorted(mapping)), *font.getGlyphOrder()])
    # Composite glyphs that are not expanded refer to their parts by old ids.
    for glyph in order:
        font["glyf"][glyph].expand(font["glyf"])
    reorderGlyphs(font, list(order))
    return count


def _spare(font: TTFont, first: int) -> bytes:
    """Return the outlines of all mapped glyphs from id `first` on.

    Composite glyphs are decomposed, so that no outline refers to another.
    """
    from fontTools.ttLib.tables._g_l_y_f import Glyph
    from fontTools.ttLib.tables.ttProgram import Program

    table = font["glyf"]
    outlines: dict[int, bytes] = {}
    for name in font.getBestCmap().values():
        if (number := font.getGlyphID(name)) < first:
            continue
        points, ends, flags = table[name].getCoordinates(table)
        glyph = Glyph()
        glyph.numberOfContours = len(ends)
        glyph.coordinates, glyph.endPtsOfContours, glyph.flags = points, ends, flags
        glyph.program = Program()
        glyph.program.fromBytecode(b"")
        outlines[number] = glyph.compile(table, recalcBBoxes=True) if ends else b""
    return dump_outlines({tag: font.getTableData(tag) for tag in TABLES}, outlines)


def _components(font: TTFont, glyphs: Iterable[str]) -> list[str]:
    found: list[str] = []
    for glyph in glyphs:
        parts = font["glyf"][glyph].getComponentNames(font["glyf"])
        found += [*parts, *_components(font, parts)]
    return found


def _forms(font: TTFont) -> dict[str, str]:
    """Return the alternate forms of ASCII letters and digits, with their texts.

    Headings and tables use small capitals and tabular figures. The text of a small capital is
    the lower-case letter, since screen readers spell out capitals.
    """
    plain = {g: chr(p) for p, g in font.getBestCmap().items() if 0x20 < p < 0x7F}
    forms: dict[str, str] = {}
    for part in _substitutions(font):
        for one, other in sorted(getattr(part, "mapping", {}).items()):
            if one in plain and isinstance(other, str):
                forms.setdefault(other, plain[one].lower())
        for first, ligatures in sorted(getattr(part, "ligatures", {}).items()):
            for ligature in ligatures:
                glyphs = [first, *ligature.Component]
                if all(glyph in plain for glyph in glyphs):
                    forms[ligature.LigGlyph] = "".join(plain[g] for g in glyphs)
    mapped = set(font.getBestCmap().values())
    return {glyph: text for glyph, text in forms.items() if glyph not in mapped}


def _substitutions(font: TTFont) -> Iterator[Any]:
    if "GSUB" not in font:
        return
    table = font["GSUB"].table
    records = (r for r in table.FeatureList.FeatureRecord if r.FeatureTag in _FEATURES)
    for index in sorted({index for r in records for index in r.Feature.LookupListIndex}):
        for part in table.LookupList.Lookup[index].SubTable:
            yield getattr(part, "ExtSubTable", part)


def _stripped(layout: bytes, count: int) -> bytes:
    """Return a font of the first glyphs only, with their ids in `layout`, without its tables."""
    from fontTools import subset

    font = _opened(layout)
    for tag in _BULK:
        if tag in font:
            del font[tag]
    options = _options(subset, [])
    options.retain_gids = True
    subsetter = subset.Subsetter(options)
    subsetter.populate(gids=range(count))
    subsetter.subset(font)
    return _saved(font)


def _metrics(font: TTFont) -> FaceMetrics:
    mapping: Mapping[int, str] = font.getBestCmap()
    table, starts = font["hmtx"].metrics, {}
    for point, glyph in mapping.items():
        starts[point] = getattr(font["glyf"][glyph], "xMin", 0)
    return FaceMetrics(
        ascent=font["hhea"].ascent,
        descent=font["hhea"].descent,
        cap_height=font["OS/2"].sCapHeight,
        advances={p: table[g][0] for p, g in mapping.items()},
        glyphs={p: font.getGlyphID(g) for p, g in mapping.items()},
        overhangs={p: -start for p, start in starts.items() if start < -_OVERHANG},
    )


_MINUS: Final = 129  # A code without a letter in WinAnsi, used for the minus sign of negative sums
_TYPED: Final = {
    **{code: ord(bytes([code]).decode("cp1252", "replace")) for code in range(32, 256)},
    _MINUS: ord("\N{MINUS SIGN}"),
}


@frozen
class FaceObjects:
    """Indexes of the fonts of one face among a plate's shared objects."""

    core: int  # composite font of the core, for printed text and for rarer letters of values
    # Simple font with the letters of Western Europe, for values and typed text: viewers cannot type
    # in composite fonts. It uses the font file of the core.
    typed: int
    spare: int  # outlines of all other letters, compressed; no PDF object. See `SubsetFont`.
    spare_name: str  # PDF name of a font with these outlines


def put_face(face: Face, pool: SharedPool) -> FaceObjects:
    """Add the fonts of `face` (ISO 32000-1, 9.6 and 9.7) to `pool`; return their indexes."""
    # The name of a subset font (9.6.4) is a tag of six capitals, then the family.
    digits = face.name.rpartition("-")[2][:5]
    tag = "".join(chr(ord("A") + int(digit, 16)) for digit in digits) + "+" + face.family
    name, metrics = f"/A{tag}".encode(), face.metrics
    font = _opened(face.core)
    head, angle = font["head"], round(font["post"].italicAngle)
    box = (head.xMin, head.yMin, head.xMax, head.yMax)
    stream = pool.put_stream(b"/Length1 %d" % len(face.core), face.core)
    described = pool.put(descriptor(name, box, angle, metrics), (stream,))
    widths = pool.put(width_rows(range(face.count), face.widths))
    below = pool.put(descendant(name), (widths, described))
    # If two code points share a glyph, the first is the one that people type: the space, not the
    # no-break space; the hyphen, not the soft hyphen.
    texts = dict(face.forms)
    for point, glyph in sorted(metrics.glyphs.items()):
        if glyph < face.count:
            texts.setdefault(glyph, chr(point))
    core = pool.put(composite(name), (below, pool.put_stream(b"", to_unicode(texts))))
    advances = b" ".join(b"%d" % metrics.advances.get(_TYPED[c], 0) for c in range(32, 256))
    simple = (
        b"<</Type/Font/Subtype/TrueType/BaseFont%s"
        b"/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[%d/minus]>>"
        b"/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %%d 0 R>>"
    ) % (name, _MINUS, advances)
    typed = pool.put(simple, (described,))
    return FaceObjects(core, typed, pool.put_stream(b"", face.spare), f"/B{tag}-Ext")
