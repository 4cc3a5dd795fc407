"""Fonts: faces cut for layout and for embedding, measures, WOFF2 files, and a font of signs.

Fonts are read and returned as bytes; nothing here opens a file.
"""

from __future__ import annotations

import hashlib
import io
import re
import struct
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.model.tokens import CHARSET, CORE
from sheetgen.plan.fit import is_unseen
from sheetgen.plan.pages.screen_blocks import TextMeasure
from sheetgen.records import frozen
from sheetgen.render.pdf import pdf_file
from sheetgen.units import segments

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

_RARE_LEVEL: Final = 9  # level of compression; few prints have such fonts, so time matters less
# Tables of a face that its subset fonts copy, except for some counts.
TABLES: Final = ("head", "hhea", "maxp", "post")

# A font descriptor (ISO 32000-1, 9.8), a CIDFont (9.7.4) and a Type 0 font (9.7.6), first for the
# name of the font, then for the numbers of the objects that they refer to.
_DESCRIPTOR: Final = (
    b"<</Type/FontDescriptor/FontName%s/Flags %d/FontBBox[%s]/ItalicAngle %d"
    b"/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %%d 0 R>>"
)
_DESCENDANT: Final = (
    b"<</Type/Font/Subtype/CIDFontType2/BaseFont%s/CIDSystemInfo<</Registry(Adobe)"
    b"/Ordering(Identity)/Supplement 0>>/CIDToGIDMap/Identity/W %%d 0 R"
    b"/FontDescriptor %%d 0 R>>"
)
_COMPOSITE: Final = (
    b"<</Type/Font/Subtype/Type0/BaseFont%s/Encoding/Identity-H"
    b"/DescendantFonts[%%d 0 R]/ToUnicode %%d 0 R>>"
)
_WIDTHS: Final = b"[0[%s]]"  # the /W array (9.7.4.3): the first glyph, and widths from it on


def dump_outlines(tables: Mapping[str, bytes], outlines: Mapping[int, bytes]) -> bytes:
    """Return `TABLES` of a face, and outlines of its letters by glyph id, as bytes."""
    numbers = sorted(outlines)
    parts = [*(tables[tag] for tag in TABLES), *(outlines[number] for number in numbers)]
    return pdf_file.pack_parts({"glyphs": numbers}, parts)


def parse_outlines(dumped: bytes) -> tuple[dict[str, bytes], dict[int, bytes]]:
    """Return the tables and outlines that `dump_outlines` was given."""
    header, parts = pdf_file.unpack_parts(dumped)
    outlines = dict(zip(header["glyphs"], parts[len(TABLES) :], strict=True))
    return dict(zip(TABLES, parts, strict=False)), outlines


class SubsetFont:
    """The rare letters of one face in one document."""

    def __init__(
        self,
        name: bytes,
        outlines: bytes,
        metrics: FaceMetrics,
        file: pdf_file.PdfWriter,
        words: Mapping[int, str] | None = None,
    ) -> None:
        """Prepare a font for `file`; `outlines`: the result of `dump_outlines`, compressed.

        `words` are the texts of letters that stand for others, by code point.
        """
        self.number = 0  # object number of the font; 0 until a letter is used
        self._words = words or {}
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
        file.add(self.number, _COMPOSITE % name % (below, meaning))
        file.add(below, _DESCENDANT % name % (row, described))
        file.add(row, _WIDTHS % b" ".join(b"%d" % width for width in widths))
        box = struct.unpack_from(">4h", tables["head"], 36)
        (angle,) = struct.unpack_from(">h", tables["post"], 4)
        file.add(described, _descriptor(name, box, angle, metrics) % font)
        texts = to_unicode({n: c.translate(self._words) for c, n in self._codes.items()})
        file.compress(meaning, texts, level=_RARE_LEVEL)
        data = build_truetype(tables, chosen, widths)
        file.compress(font, data, b"/Length1 %d" % len(data), _RARE_LEVEL)


def build_truetype(
    tables: Mapping[str, bytes], outlines: Sequence[bytes], widths: Sequence[int]
) -> bytes:
    """Return a TrueType file of `outlines`, without a `cmap` table, which PDF does not need.

    The counts in `tables`, see `TABLES`, are replaced. Outlines, which are empty for blank glyphs,
    and widths, in units, are in the order of glyph ids.
    """
    from fontTools.ttLib.sfnt import SFNTWriter  # Few prints have rare letters.

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
    file = io.BytesIO()
    writer = SFNTWriter(file, len(new_tables))
    for tag, table in new_tables.items():
        writer[tag] = table
    writer.close()
    return file.getvalue()


def _descriptor(name: bytes, box: Sequence[int], angle: int, metrics: FaceMetrics) -> bytes:
    """Return a font descriptor; `angle` is 0 degrees for upright, negative for italic."""
    flags = 32 | (64 if angle else 0)  # 32 is nonsymbolic, 64 is italic
    corners = b"%d %d %d %d" % tuple(box)
    heights = metrics.ascent, metrics.descent, metrics.cap_height
    return _DESCRIPTOR % (name, flags, corners, angle, *heights)


def to_unicode(texts: Mapping[int, str]) -> bytes:
    """Return the ToUnicode CMap (9.10.3) for the texts of glyphs."""
    # First glyph, last glyph, and first text of runs in which glyphs and letters increase; only
    # the last byte of a code may change within a run.
    runs: list[tuple[int, int, str]] = []
    for glyph, text in sorted(texts.items()):
        first, last, start = runs[-1] if runs else (0, 0, "")
        single = len(start) == len(text) == 1 and glyph & 255 and ord(text) & 255
        if single and glyph == last + 1 and ord(text) == ord(start) + glyph - first:
            runs[-1] = (first, glyph, start)
        else:
            runs.append((glyph, glyph, text))
    rows = [
        b"<%04x><%04x><%s>" % (first, last, text.encode("utf-16-be").hex().encode())
        for first, last, text in runs
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
    """Return the face of a TrueType font, with so many letters in its core.

    `forms`: whether the core has their small capitals and alternate figures.
    """
    # Imported here, since it takes a tenth of a second and only compiling needs it.
    from fontTools import subset
    from fontTools.ttLib import newTable
    from fontTools.ttLib.reorderGlyphs import reorderGlyphs
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
    # The glyphs of the core come first, by code point: then a glyph's id tells whether the core
    # has it, and the ToUnicode CMap is short.
    mapping: dict[int, str] = font.getBestCmap()
    front = [".notdef", *(mapping[p] for p in sorted(mapping) if p in core), *others]
    order = dict.fromkeys([*front, *_components(font, front)])
    count = len(order)
    order |= dict.fromkeys([*(mapping[p] for p in sorted(mapping)), *font.getGlyphOrder()])
    # Composite glyphs that are not expanded refer to their parts by old ids.
    for glyph in order:
        font["glyf"][glyph].expand(font["glyf"])
    reorderGlyphs(font, list(order))
    name = f"sheetgen-{hashlib.sha256(data).hexdigest()[:8]}"
    font["name"] = table = newTable("name")
    table.names = []
    for identifier, text in ((1, name), (2, "Regular"), (4, name), (6, name)):
        table.setName(text, identifier, 3, 1, 0x409)
    layout = _saved(font)
    bare = _opened(layout)  # the first glyphs only, with their ids, without other tables
    for tag in _BULK:
        if tag in bare:
            del bare[tag]
    options = _options(subset, [])
    options.retain_gids = True
    subsetter = subset.Subsetter(options)
    subsetter.populate(gids=range(count))
    subsetter.subset(bare)
    advances, glyf = font["hmtx"].metrics, font["glyf"]
    boxes = {
        point: tuple(getattr(glyf[glyph], side, 0) for side in ("xMin", "yMin", "yMax"))
        for point, glyph in mapping.items()
    }
    cap_height = font["OS/2"].sCapHeight
    return Face(
        name,
        re.sub("[^A-Za-z0-9-]", "", given) or "Unnamed",
        layout,
        _saved(bare),
        count,
        _spare(font, count),
        tuple(advances[glyph][0] for glyph in font.getGlyphOrder()),
        {font.getGlyphID(glyph): text for glyph, text in others.items()},
        FaceMetrics(
            ascent=font["hhea"].ascent,
            descent=font["hhea"].descent,
            cap_height=cap_height,
            advances={p: advances[g][0] for p, g in mapping.items()},
            glyphs={p: font.getGlyphID(g) for p, g in mapping.items()},
            overhangs={p: -box[0] for p, box in boxes.items() if box[0] < -_OVERHANG},
            rises={
                p: box[2] - cap_height
                for p, box in boxes.items()
                if abs(box[2] - cap_height) > _OVERHANG
            },
            hangs={p: -box[1] for p, box in boxes.items() if box[1] < -_OVERHANG},
        ),
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
    options = subset.Options(hinting=False, notdef_outline=True, glyph_names=False)
    options.layout_features = features
    options.drop_tables += ["DSIG", "BASE", "STAT", "gasp"]
    return options


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
    if "GSUB" not in font:
        return {}
    table = font["GSUB"].table
    records = (r for r in table.FeatureList.FeatureRecord if r.FeatureTag in _FEATURES)
    plain = {g: chr(p) for p, g in font.getBestCmap().items() if 0x20 < p < 0x7F}
    forms: dict[str, str] = {}
    for index in sorted({index for r in records for index in r.Feature.LookupListIndex}):
        for wrapped in table.LookupList.Lookup[index].SubTable:
            part = getattr(wrapped, "ExtSubTable", wrapped)
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


def put_face(face: Face, pool: pdf_file.SharedPool) -> FaceObjects:
    """Add the fonts of `face` (ISO 32000-1, 9.6 and 9.7) to `pool`; return their indexes."""
    # The name of a subset font (9.6.4) is a tag of six capitals, then the family.
    digits = face.name.rpartition("-")[2][:5]
    tag = "".join(chr(ord("A") + int(digit, 16)) for digit in digits) + "+" + face.family
    name, metrics = f"/A{tag}".encode(), face.metrics
    font = _opened(face.core)
    head, angle = font["head"], round(font["post"].italicAngle)
    box = (head.xMin, head.yMin, head.xMax, head.yMax)
    stream = pool.put_stream(b"/Length1 %d" % len(face.core), face.core)
    described = pool.put(_descriptor(name, box, angle, metrics), (stream,))
    widths = pool.put(_WIDTHS % b" ".join(b"%d" % w for w in face.widths[: face.count]))
    below = pool.put(_DESCENDANT % name, (widths, described))
    # If two code points share a glyph, the first is the one that people type: the space, not the
    # no-break space; the hyphen, not the soft hyphen.
    texts = dict(face.forms)
    for point, glyph in sorted(metrics.glyphs.items()):
        if glyph < face.count:
            texts.setdefault(glyph, chr(point))
    core = pool.put(_COMPOSITE % name, (below, pool.put_stream(b"", to_unicode(texts))))
    advances = b" ".join(b"%d" % metrics.advances.get(_TYPED[c], 0) for c in range(32, 256))
    simple = (
        b"<</Type/Font/Subtype/TrueType/BaseFont%s"
        b"/Encoding<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[%d/minus]>>"
        b"/FirstChar 32/LastChar 255/Widths[%s]/FontDescriptor %%d 0 R>>"
    ) % (name, _MINUS, advances)
    typed = pool.put(simple, (described,))
    return FaceObjects(core, typed, pool.put_stream(b"", face.spare), f"/B{tag}-Ext")


@lru_cache(maxsize=32)
def compress_font(data: bytes) -> bytes:
    """Return a font as WOFF2; a WOFF2 font is returned unchanged.

    Compression takes a fraction of a second for each face; see `find_web_fonts`.
    """
    from fontTools.ttLib import TTFont

    if data[:4] == b"wOF2":
        return data
    with TTFont(io.BytesIO(data), recalcTimestamp=False) as font:
        font.flavor = "woff2"
        return _saved(font)


def measure_fonts(read: Callable[[str], bytes]) -> TextMeasure:
    """Return what measures texts in fonts; `read` returns the file of a face when it is needed."""

    class Metrics(dict[str, FaceMetrics]):
        def __missing__(self, face: str) -> FaceMetrics:
            metrics = self[face] = read_font_metrics(read(face))
            return metrics

    return TextMeasure(Metrics())


@lru_cache(maxsize=16)
def read_font_metrics(data: bytes) -> FaceMetrics:
    """Return the metrics of a font file, for measuring texts."""
    from fontTools.ttLib import TTFont

    with TTFont(io.BytesIO(data), lazy=True) as font:
        scale = 1000 / font["head"].unitsPerEm
        widths, mapping = font["hmtx"].metrics, font.getBestCmap()
        return FaceMetrics(
            ascent=round(font["hhea"].ascent * scale),
            descent=round(font["hhea"].descent * scale),
            cap_height=round(font["OS/2"].sCapHeight * scale),
            advances={point: round(widths[name][0] * scale) for point, name in mapping.items()},
            glyphs={},
        )


def dump_face(face: Face) -> bytes:
    """Return a face as bytes for a cache."""
    header = {key: getattr(face, key) for key in ("name", "family", "count", "widths")}
    header |= {"forms": sorted(face.forms.items()), "metrics": pdf_file.metrics_row(face.metrics)}
    parts = (face.layout, face.core, face.spare)
    return pdf_file.pack_parts(header, [zlib.compress(part, pdf_file.LEVEL) for part in parts])


def parse_face(content: bytes) -> Face | None:
    """Return the face that `dump_face` wrote; None if the bytes are no face of this version."""
    try:
        header, parts = pdf_file.unpack_parts(content)
        layout, core, spare = map(zlib.decompress, parts)
        widths, forms = tuple(header.pop("widths")), dict(header.pop("forms"))
        metrics = pdf_file.unpack_metrics(header.pop("metrics"))
        files: dict[str, Any] = {"layout": layout, "core": core, "spare": spare}
        return Face(**header, **files, widths=widths, forms=forms, metrics=metrics)
    except (ValueError, KeyError, TypeError, zlib.error):
        return None


SIGN_FACE: Final = "sign-400"
_SIGN: Final = 860  # size of a drawing
_FOOT: Final = -166  # below the baseline: centred on capitals at 1.25 times their size
_SIDE: Final = 60  # beside a drawing
_GAP: Final = 100  # more before a word that is beside it
_LARGER: Final = 1.25  # than letters of the same size, as in signs.css
_ERROR: Final = 0.8  # how far a curve may be from that of the drawing
_CREATED: Final = 3_600_000_000  # equal input gives equal bytes


@lru_cache(maxsize=16)
def build_sign_font(signs: Sequence[tuple[str, str]], scale: float = 1) -> bytes:
    """Return a TrueType font of the signs of a game: a word set in it becomes its drawing.

    Each sign is a ligature of the letters of its word, so that the word is what is copied,
    searched, and read aloud. Beside its word it is a ligature of spaces, which are not heard.
    `signs` are words, and paths in a unit square; those of one letter need no ligature.
    """
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    # Pango takes spaces from another font if this one has no common space.
    letters = sorted({" ", *(letter for word, _ in signs for letter in word)})
    named = {letter: f"u{ord(letter):04X}" for letter in letters}
    drawn = [f"sign{at}" for at, _ in enumerate(signs)]
    glyphs = {name: TTGlyphPen(None).glyph() for name in (".notdef", *named.values())}
    named |= {word: name for (word, _), name in zip(signs, drawn, strict=True) if len(word) == 1}
    for name, (_, path) in zip(drawn, signs, strict=True):
        glyph = TTGlyphPen(None)
        pen = Cu2QuPen(glyph, _ERROR, reverse_direction=True)
        for command, numbers in segments(path):
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            points = [
                ((_SIDE + x * _SIGN) * scale, (_FOOT + (1 - y) * _SIGN) * scale) for x, y in pairs
            ]
            if command == "Z":
                pen.closePath()
            else:
                {"M": pen.moveTo, "L": pen.lineTo, "C": pen.curveTo}[command](*points)
        glyphs[name] = glyph.glyph()
    font = FontBuilder(_EM, isTTF=True)
    font.setupGlyphOrder([*glyphs])
    font.setupCharacterMap({ord(letter): name for letter, name in named.items()})
    font.setupGlyf(glyphs)
    wide = dict.fromkeys(glyphs, (0, 0))
    for name, (word, _) in zip(drawn, signs, strict=True):
        gap = 0 if word.strip("\u2060").strip() else _GAP
        wide[name] = round((_SIGN + 2 * _SIDE + gap) * scale), 0
    font.setupHorizontalMetrics(wide)
    font.setupHorizontalHeader(ascent=900, descent=-250)
    font.setupNameTable({"familyName": "Signs", "styleName": "Regular", "psName": "Signs-Regular"})
    font.setupOS2(version=4, sTypoAscender=900, sTypoDescender=-250, sCapHeight=700, sxHeight=500)
    font.setupPost(keepGlyphNames=False)
    rules = (
        f"sub {' '.join(named[letter] for letter in word)} by {name};"
        for (word, _), name in zip(signs, drawn, strict=True)
        if len(word) > 1
    )
    if parts := " ".join(rules):
        font.addOpenTypeFeatures(f"feature liga {{ {parts} }} liga;")
    font.updateHead(created=_CREATED, modified=_CREATED)
    return _saved(font.font)


def build_sign_face(signs: Sequence[tuple[str, str]]) -> Face:
    """Return signs as a face, for texts beside those of other faces at the same size.

    `signs` are single letters, and paths in a unit square.
    """
    font = _opened(build_sign_font(signs, _LARGER))
    mapping, widths = font.getBestCmap(), font["hmtx"].metrics
    advances = {ord(letter): widths[mapping[ord(letter)]][0] for letter, _ in signs}
    glyphs = {point: font.getGlyphID(mapping[point]) for point in advances}
    metrics = FaceMetrics(900, -250, 700, advances, glyphs)
    return Face("", SIGN_FACE, b"", b"", 1, _spare(font, 1), (), {}, metrics)
