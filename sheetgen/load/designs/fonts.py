"""Font files: of the installed font packages, of the shipped faces, and of authors."""

from __future__ import annotations

import hashlib
import io
import os
import re
import struct
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

from sheetgen import __version__
from sheetgen.bounds import BoundExceeded, begin_next_page, pass_memory_error, run_bounded
from sheetgen.data import data_folder
from sheetgen.diag.notices import announced
from sheetgen.load.cache import (
    FONTS,
    code_stamp,
    package_version,
    read_cache,
    read_shipped,
    store_in_cache,
)
from sheetgen.load.files import read_document
from sheetgen.model.source import Text
from sheetgen.model.tokens import CHARSET, PRINTED

_FONT_PACKAGES: Final = ("font_source_sans_pro", "font_manrope")
_MOST_BYTES: Final = 40_000_000  # of a font file; fonts of Chinese have twenty megabytes
_SMALL: Final = 1_000_000  # size of a file up to which all fonts of a theme share the time of one
_SECONDS: Final = 25  # processor time that a font may take; one of Chinese takes 20 s
_SMALL_SECONDS: Final = 15  # processor time of all small fonts of a theme; one takes less than 2 s

_EM: Final = 1000
# The date of all prepared fonts, in seconds since 1904: equal input gives equal bytes.
_CREATED: Final = 3_600_000_000
# How far a quadratic curve may be from the cubic curve that it replaces, in 1/1000 em.
_ERROR: Final = 0.6
_LINING: Final = "lnum"
_FEATURES: Final = ["kern", "smcp", "c2sc", "tnum", "ccmp", "locl", "mark", "mkmk", _LINING]
# Tables that no print uses: colours, bitmaps, vertical text, hints.
_DROPPED: Final = (
    *("COLR", "CPAL", "SVG ", "CBDT", "CBLC", "sbix", "EBDT", "EBLC", "EBSC", "DSIG", "MATH"),
    *("vhea", "vmtx", "VORG", "VDMX", "hdmx", "LTSH", "PCLT", "kern", "BASE", "JSTF", "Feat"),
    *("fpgm", "prep", "cvt ", "gasp", "cvar", "MERG", "Silf", "Glat", "Gloc", "Sill", "meta"),
)
# Bits of `fsType` in the table OS/2: what a font's licence does not let documents embed.
_RESTRICTED: Final = 0x0002
_NO_SUBSET: Final = 0x0100
_BITMAP: Final = 0x0200
_LOWER: Final = "etaoinshrdlucmfwypvbgkjqxz"
_UPPER: Final = "ETAOINSHRDLUCMFWYPVBGKJQXZ"
_DIGITS: Final = "0123456789"
_SIGNS: Final = "+−±×≤≥"
# How much wider than ours a font may run, by family; a wider one is set smaller.
_WIDER: Final = {"display": 1.12}
# How much taller than ours capitals may be, and how much larger or smaller a font may be set.
_TALLER: Final = 1.08
_LARGER: Final = 1.15
_SMALLER: Final = 0.2
_VARIABLE: Final = b"\v"  # before what is kept of a font that has a weight for each face
_BATCH: Final = 200  # glyphs for which the time limit is extended
# Boxes to tick: contours from the left edge, in 1/1000 em, of an empty and of a ticked one.
_SQUARE: Final = (
    ((0, -10), (0, 641), (651, 641), (651, -10)),
    ((44, 34), (607, 34), (607, 597), (44, 597)),
)
_CHECK: Final = ((99, 293), (153, 347), (270, 230), (498, 481), (554, 429), (272, 120))
_BOXES: Final = {0x2610: _SQUARE, 0x2611: (*_SQUARE, _CHECK)}
_FEW: Final = 6  # letters from A to Z that a font may lack


class FontFile(Text):
    """The name of an author's font, with a digest: two files of one name share no cache."""

    __slots__ = ("cached", "data", "lent", "path")
    path: Path  # The author's file.
    data: bytes  # The font that is built from it; see `own_fonts`.
    lent: str  # Letters that prints are likely to need, and that it lacked.
    # Entries of the cache by name; `data` is to be appended to the last of them.
    cached: dict[str, bytes]

    def entries(self) -> Iterator[tuple[str, bytes]]:
        """Yield what the cache has of it, by name."""
        *others, (key, head) = self.cached.items()
        yield from (*others, (key, head + self.data))


def list_font_files() -> tuple[str, ...]:
    """Return the names of all font files that come with sheetgen and its packages, sorted."""
    return tuple(sorted(path.name for folder in _folders() for path in folder.glob("*.[ot]tf")))


def is_packaged(name: str) -> bool:
    """Whether the font file `name` comes from a font package."""
    return not isinstance(name, FontFile) and find_font(name).parent in _folders()[1:]


@cache
def find_font(name: str) -> Path:
    """Return the path of a font file; raises FileNotFoundError: no font package contains it."""
    if isinstance(name, FontFile):
        return name.path
    for folder in _folders():
        if os.path.isfile(folder / name):
            return folder / name
    raise FileNotFoundError(f"no font package contains `{name}`")


def font_bytes(name: str) -> bytes:
    """Return the content of the font file `name`, with plain boxes to tick."""
    return name.data if isinstance(name, FontFile) else _shipped_bytes(name)


@cache
def font_digest(name: str) -> str:
    """Return the digest of the font file `name`."""
    if isinstance(name, FontFile):
        return hashlib.sha256(name.data).hexdigest()[:32]
    drawn = repr(_BOXES).encode()  # To draw them would import a library for each print.
    return hashlib.sha256(find_font(name).read_bytes() + drawn).hexdigest()[:32]


@cache
def font_metrics(name: str) -> tuple[float, float]:
    """Return where text in the font file `name` is placed, in em.

    The first is half of (ascent − descent): how far a baseline is below the middle of its line.
    The second is the height of capitals. A library would take long to read them.
    """
    data = font_bytes(name)
    tables: dict[bytes, int] = {}
    for at in range(12, 12 + 16 * struct.unpack_from(">H", data, 4)[0], 16):
        tag, _, start, _ = struct.unpack_from(">4sIII", data, at)
        tables[tag] = start
    (em,) = struct.unpack_from(">H", data, tables[b"head"] + 18)
    ascent, descent = struct.unpack_from(">hh", data, tables[b"hhea"] + 4)
    (cap,) = struct.unpack_from(">h", data, tables[b"OS/2"] + 88)
    return (ascent + descent) / 2 / em, cap / em


@cache
def _shipped_bytes(name: str) -> bytes:
    """Return a shipped font in which `☐` and `☑` are plain squares.

    Its own have a bevel, which looks like a shadow. The outlines are shorter than those that they
    replace, so nothing else in the file moves.
    """
    data = bytearray(find_font(name).read_bytes())
    font = _open(bytes(data))
    known = font.getBestCmap()
    for point, contours in _BOXES.items():
        if point not in known or "glyf" not in font:
            continue
        at, table = font.getGlyphID(known[point]), font["loca"]
        left = font["hmtx"][known[point]][1]
        start, end = (font.reader.tables["glyf"].offset + table[n] for n in (at, at + 1))
        moved = [[(x + left, y) for x, y in one] for one in contours]
        data[start:end] = _encode_outline(moved, end - start)
    return bytes(data)


def _encode_outline(contours: Sequence[Sequence[tuple[int, int]]], size: int) -> bytes:
    """Return straight contours as an entry of a `glyf` table, of `size` bytes."""
    points = [point for contour in contours for point in contour]
    axes = [*zip(*points, strict=True)]
    corners = (*map(min, axes), *map(max, axes))
    ends = [count - 1 for count in accumulate(map(len, contours))]
    steps = [b - a for axis in axes for a, b in pairwise((0, *axis))]
    # All points are on the outline and have steps of two bytes, which one repeated flag says.
    flags = struct.pack(f">2B{len(steps)}h", 9, len(points) - 1, *steps)
    head = struct.pack(f">5h{len(ends)}H", len(contours), *corners, *ends)
    idle = bytes(size - len(head) - len(flags) - 2)  # instructions without effect
    return head + struct.pack(">H", len(idle)) + idle + flags


@cache
def _folders() -> tuple[Path, ...]:
    specs = (find_spec(package) for package in _FONT_PACKAGES)
    packages = (Path(s.origin).parent / "files" for s in specs if s is not None and s.origin)
    return data_folder() / "templates" / "_faces" / "fonts", *packages


def prepare_font(
    path: Path, name: Text, face: str, ours: Mapping[str, str], spent: list[float]
) -> FontFile:
    """Return the font file at `path`, prepared for `face`: from the cache, or parsed now.

    A font that is not variable has one weight, so all upright faces of a family, or all italics,
    share what is prepared for the first of them: one of Chinese takes 20 s.

    Args:
        name: How the author's file names it.
        face: Such as `text-600`; of a variable font, this weight is taken.
        ours: The names of the font files that authors may replace, by face.
        spent: Processor times of fonts of the same theme that are small or were refused; takes
            that of this one.

    Raises:
        BadFont: It cannot be used.
    """
    read = read_document(path, _MOST_BYTES)
    if read.value is None:
        raise BadFont(f"cannot be used: {read.findings[0].message}")
    digest = hashlib.sha256(read.value).hexdigest()
    first = min((one for one in ours if _family(one) == _family(face)), default=face)
    key, kept = _find_prepared(read.value, digest, name, first, ours[first], spent)
    cached = {}
    if kept.startswith(_VARIABLE) and first != face:
        first = face
        cached[key] = kept
        key, kept = _find_prepared(read.value, digest, name, face, ours[face], spent)
    lent, _, data = kept.removeprefix(_VARIABLE).partition(b"\n")
    stem = re.sub("[^A-Za-z0-9]+", "-", path.stem).strip("-") or "font"
    file = FontFile(f"{stem}-{first}-{digest[:8]}.ttf", name.span)
    file.path, file.data, file.lent = path, data, lent.decode()
    file.cached = {**cached, key: kept[: -len(data)]}
    return file


def _family(face: str) -> tuple[str, bool]:
    """Return the family of a face such as `text-400i`, and whether it is italic."""
    return face.partition("-")[0], face.endswith("i")


def _find_prepared(
    data: bytes, digest: str, name: Text, face: str, ours: str, spent: list[float]
) -> tuple[str, bytes]:
    """Return what `_build_bounded` returns, from the cache or built now, and its name there."""
    code = code_stamp(*FONTS)
    # fontTools writes other bytes where uharfbuzz is installed, too.
    libraries = "-".join(map(package_version, ("fontTools", "uharfbuzz")))
    stamp = f"{__version__}-{code}-{libraries}"
    key = f"{digest[:32]}-{face}-{font_digest(ours)[:8]}-{stamp}.font"
    refused = f"{digest[:32]}-{stamp}.refused"
    for record in (refused, f"{key}.refused"):
        if (reason := read_cache(record)) is not None:
            raise BadFont(reason.decode())
    if (kept := read_cache(key) or read_shipped(key)) is not None:
        return key, kept
    small = len(data) <= _SMALL
    most = _SMALL_SECONDS if small else _SECONDS
    before = os.times()
    with announced(f"preparing {name} as {face}"):
        try:
            if (seconds := most - int(sum(spent))) < 1:
                over = f"{most} s of processor time"
                raise BoundExceeded(f"this and fonts before it take more than {over}")
            job = partial(_build_bounded, data, face, font_bytes(ours))
            kept = run_bounded(job, seconds=seconds, what="reading it")
            if len(kept) > _MOST_BYTES:
                over = f"{_MOST_BYTES // 10**6} MB"
                raise BoundExceeded(f"its letters take more than {over}", limit=True)
        except BoundExceeded as error:
            reason = f"cannot be used: {error}".encode()
            if error.limit and seconds > most // 2:  # or it may be the others, or chance
                store_in_cache(refused, reason)
            raise BadFont(reason.decode()) from None
        except BadFont as error:
            store_in_cache(f"{key}.refused", str(error).encode())
            raise
        finally:
            if kept is None or small:
                after = os.times()  # of child processes
                spent.append(sum(after[2:4]) - sum(before[2:4]))
    store_in_cache(key, kept)
    return key, kept


def _build_bounded(data: bytes, face: str, ours: bytes) -> bytes:
    """Return a line with the letters that a font lacked, and the prepared font.

    The line of a variable font begins with `_VARIABLE`.
    """
    try:
        font, lent, variable = build_own_font(data, face, ours)
    except BadFont:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises anything
        pass_memory_error(error)
        raise BadFont("is no font, or is damaged") from None
    return _VARIABLE * variable + lent.encode() + b"\n" + font


class BadFont(ValueError):
    """A font that cannot be used; the message says why, after the name of the font."""


def build_own_font(data: bytes, face: str, ours: bytes) -> tuple[bytes, str, bool]:
    """Return the prepared font, the letters of `PRINTED` that it lacked; is it variable?"""
    import logging

    from fontTools import subset

    logging.disable(logging.CRITICAL)
    family, _, weight = face.partition("-")
    font, house = _open(data), _Outlines(_open(ours))
    if not any(tag in font for tag in ("glyf", "CFF ", "CFF2")):
        raise BadFont("has no outlines, only pictures of its letters")
    kind = font["OS/2"].fsType if "OS/2" in font else 0
    if kind & 0xF == _RESTRICTED or kind & (_NO_SUBSET | _BITMAP):
        raise BadFont("says that documents may not embed it")
    _check_letters(font.getBestCmap() or {})
    for tag in _DROPPED:
        if tag in font:
            del font[tag]
    # Keep the letters that prints may need, and their small capitals and figures.
    begin_next_page()
    options = subset.Options(layout_features=_FEATURES, hinting=False, notdef_outline=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=sorted(set(font.getBestCmap()) & CHARSET))
    subsetter.subset(font)
    italic = weight.endswith("i")
    chosen = {"wght": float(weight.rstrip("i")), "ital": float(italic)}
    chosen["slnt"] = -10.0 if italic else 0.0
    place = {  # where in its design space a variable font is drawn
        axis.axisTag: max(axis.minValue, min(value, axis.maxValue))
        for axis in (font["fvar"].axes if "fvar" in font else ())
        for value in (chosen.get(axis.axisTag, axis.defaultValue),)
    }
    own = _Outlines(font, place or None)
    lining = _lining_figures(font)
    mapping = {point: lining.get(name, name) for point, name in own.usable().items()}
    for upper in map(ord, _UPPER):  # fonts for titles often have no small letters
        if upper in mapping:
            mapping.setdefault(upper + 32, mapping[upper])
    _check_letters(mapping)
    theirs = house.mapping()
    # The factor at which the font fits the places of ours.
    wider = _WIDER.get(family, 1.0)
    runs = [(own.advance(s, mapping), house.advance(s, theirs)) for s in (_LOWER, _UPPER, _DIGITS)]
    limits = [wider * other / one for one, other in runs if one > 0]
    factor = min(_LARGER, *limits, _TALLER * house.cap(theirs) / max(own.cap(mapping), 0.01))
    if factor < _SMALLER:
        raise BadFont("has letters of an impossible size")
    borrowed = "".join(map(chr, sorted(PRINTED & (theirs.keys() - mapping.keys()))))
    for sign in _SIGNS:  # many fonts set them wider than figures, and codes have little room
        if factor * own.advance(sign, mapping) > house.advance(sign, theirs):
            mapping.pop(ord(sign), None)
    lent = {point: theirs[point] for point in sorted(theirs.keys() - mapping.keys())}
    built = _build(own, mapping, house, lent, round(own.em / factor))
    return built, borrowed, "fvar" in font


def _open(data: bytes) -> Any:
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(data), fontNumber=0, lazy=True, recalcTimestamp=False)
    font.flavor = None
    return font


def _check_letters(mapping: Mapping[int, str]) -> None:
    lacking = [letter for letter in _UPPER if ord(letter) not in mapping]
    if len(lacking) > _FEW:
        raise BadFont(f"lacks {len(lacking)} of the 26 letters from A to Z")


def _lining_figures(font: Any) -> dict[str, str]:
    """Return the lining figure of each figure that a font has in old style, as text fonts do.

    In boxes and columns, old-style figures hang below the line, and their 1 looks like an I.
    """
    if "GSUB" not in font:
        return {}
    table = font["GSUB"].table
    features = [one.Feature for one in table.FeatureList.FeatureRecord if one.FeatureTag == _LINING]
    found: dict[str, str] = {}
    for index in sorted({index for one in features for index in one.LookupListIndex}):
        for subtable in table.LookupList.Lookup[index].SubTable:
            single = getattr(subtable, "ExtSubTable", subtable)
            if single.LookupType == 1:
                found = {**single.mapping, **found}
    return found


class _Outlines:
    """The glyphs of a font at one place of its design space, drawn once each."""

    def __init__(self, font: Any, place: Mapping[str, float] | None = None) -> None:
        self.font = font
        self.em: int = font["head"].unitsPerEm
        self._glyphs = font.getGlyphSet(location=place)
        self._cubic = "glyf" not in font
        self._drawn: dict[str, Any] = {}

    def width(self, name: str) -> float:
        return float(self._glyphs[name].width / self.em)

    def drawn(self, name: str, em: int) -> Any:
        """Return a glyph for a `glyf` table with `em` units, without components."""
        from fontTools.pens.cu2quPen import Cu2QuPen
        from fontTools.pens.recordingPen import DecomposingRecordingPen
        from fontTools.pens.transformPen import TransformPen
        from fontTools.pens.ttGlyphPen import TTGlyphPen

        recorded = DecomposingRecordingPen(self._glyphs)
        self._glyphs[name].draw(recorded)
        pen = TTGlyphPen(None)
        target = Cu2QuPen(pen, _ERROR / _EM * em, reverse_direction=True) if self._cubic else pen
        scale = em / self.em
        recorded.replay(TransformPen(target, (scale, 0, 0, scale, 0, 0)) if scale != 1 else target)
        glyph = pen.glyph(dropImpliedOnCurves=False)
        glyph.recalcBounds(None)
        return glyph

    def glyph(self, name: str) -> Any:
        if name not in self._drawn:
            if len(self._drawn) % _BATCH == 0:
                begin_next_page()
            self._drawn[name] = self.drawn(name, self.em)
        return self._drawn[name]

    def mapping(self) -> dict[int, str]:
        """Return the glyph of each letter that prints may need."""
        known = self.font.getBestCmap()
        return {point: name for point, name in sorted(known.items()) if point in CHARSET}

    def usable(self) -> dict[int, str]:
        """Return the same without visible letters that have no outline, as fonts of emoji have."""
        return {
            point: name
            for point, name in self.mapping().items()
            if unicodedata.category(chr(point))[0] in "ZC" or self.glyph(name).numberOfContours
        }

    def advance(self, letters: str, mapping: Mapping[int, str]) -> float:
        """Return the average advance width of those of `letters` that there are, in em."""
        widths = [self.width(mapping[ord(c)]) for c in letters if ord(c) in mapping]
        return sum(widths) / len(widths) if widths else 0.0

    def cap(self, mapping: Mapping[int, str]) -> float:
        """Return the height of capitals, in em."""
        first = next(letter for letter in "HETI" + _UPPER if ord(letter) in mapping)
        return float(self.glyph(mapping[ord(first)]).yMax / self.em)


def _build(
    own: _Outlines, mapping: Mapping[int, str], ours: _Outlines, lent: Mapping[int, str], em: int
) -> bytes:
    """Return a TrueType font of the glyphs of `own`, and of those of `ours` that are `lent`."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.ttLib.scaleUpem import scale_upem

    begin_next_page()
    font = own.font
    glyphs = {name: own.glyph(name) for name in font.getGlyphOrder()}
    widths = {name: round(own.width(name) * own.em) for name in glyphs}
    mapped = dict(mapping)
    for point, other in lent.items():
        mapped[point] = name = f"lent.{other}"
        glyphs[name] = ours.drawn(other, em)
        widths[name] = round(ours.width(other) * em)
    built = FontBuilder(em, isTTF=True)
    built.setupGlyphOrder(list(glyphs))
    built.setupCharacterMap(mapped)
    built.setupGlyf(glyphs, calcGlyphBounds=False)
    lefts = {name: getattr(glyph, "xMin", 0) for name, glyph in glyphs.items()}
    built.setupHorizontalMetrics({name: (widths[name], lefts[name]) for name in glyphs})
    line = ours.font["hhea"]
    high, low = (round(value * em / ours.em) for value in (line.ascent, line.descent))
    built.setupHorizontalHeader(ascent=high, descent=low)
    title = (font["name"].getDebugName(6) if "name" in font else None) or "Unnamed"
    built.setupNameTable({"familyName": title[:60], "styleName": "Regular", "psName": title[:60]})
    typo = {"sTypoAscender": high, "sTypoDescender": low, "sTypoLineGap": 0}
    caps = round(own.cap(mapping) * own.em)
    built.setupOS2(**typo, usWinAscent=high, usWinDescent=-low, sCapHeight=caps, fsType=0)
    built.setupPost(keepGlyphNames=False, italicAngle=font["post"].italicAngle)
    for tag in ("GDEF", "GSUB", "GPOS"):
        if tag in font:
            font[tag].table.ensureDecompiled(recurse=True)
            built.font[tag] = font[tag]
    built.font["head"].created = built.font["head"].modified = _CREATED
    built.font.recalcTimestamp = False
    begin_next_page()
    scale_upem(built.font, _EM)
    begin_next_page()
    target = io.BytesIO()
    built.font.save(target)
    return target.getvalue()
