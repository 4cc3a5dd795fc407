"""Faces: what a font weighs in a PDF, how wide its letters are, and which it lacks.

Fonts come in as bytes and go out as bytes; nothing here opens a file.
"""

from __future__ import annotations

import hashlib
import io
import re
import unicodedata
from bisect import bisect
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.render.charsets import BLOCKS, CHARSET

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont


_FEATURES: Final = ("kern", "smcp", "c2sc", "tnum", "pnum", "lnum", "onum", "liga")
_ATTACHING: Final = ("ccmp", "locl", "mark", "mkmk")
_BULK: Final = ("GSUB", "GPOS", "GDEF", "BASE", "STAT", "name", "gasp", "DSIG", "kern")


@dataclass(frozen=True, slots=True)
class Face:
    """One weight of one family, ready for layout and for embedding.

    All files number their glyphs alike, so that text laid out with one can be drawn with
    the others.

    Attributes:
        name: Of the layout font; unlike any installed font's, so that it can be told
            in a PDF.
        family: What the font called itself, such as `SourceSansPro-Bold`.
        layout: For the layout engine: kerning, small capitals, figures.
        parts: For embedding: one for each of `BLOCKS`, and all else; only the core is
            never empty.
        starts: The first glyph of each part. The core also has all glyphs before the
            next part that no letter leads to.
        widths: By glyph id, per 1000 em.
        forms: What the small capitals, other figures and ligatures of the core stand for,
            by glyph id.
    """

    name: str
    family: str
    layout: bytes
    parts: tuple[bytes, ...]
    starts: tuple[int, ...]
    widths: tuple[int, ...]
    forms: Mapping[int, str]
    metrics: FaceMetrics

    def part_of(self, glyph: int) -> int:
        """Return which part has `glyph`."""
        return bisect(self.starts, glyph) - 1


@lru_cache(maxsize=16)
def make_face(data: bytes, charset: frozenset[int] = CHARSET) -> Face:
    """Return the face that the TrueType font `data` makes, with `charset` at most."""
    from fontTools import subset  # A tenth of a second: only compiling pays it.

    font = _opened(data)
    family = _family(font)
    wanted = sorted(set(font.getBestCmap()) & set(charset))
    subsetter = subset.Subsetter(_options(subset, [*_FEATURES, *_ATTACHING]))
    subsetter.populate(unicodes=wanted)
    subsetter.subset(font)
    forms = _forms(font)
    starts = _core_first(font, forms)
    name = f"sheetgen-{hashlib.sha256(data).hexdigest()[:8]}"
    _rename(font, name)
    layout = _saved(font)
    mapped = {font.getGlyphID(g) for g in font.getBestCmap().values()}
    ends = (*starts[1:], len(font.getGlyphOrder()))
    blocks = [set(range(start, end)) for start, end in zip(starts, ends, strict=True)]
    blocks[-1] &= mapped
    return Face(
        name,
        family,
        layout,
        tuple(_stripped(layout, glyphs) for glyphs in blocks),
        starts,
        tuple(_widths(font, len(font.getGlyphOrder()))),
        {font.getGlyphID(glyph): text for glyph, text in forms.items()},
        _metrics(font),
    )


def missing(text: str, metrics: FaceMetrics, *others: FaceMetrics) -> tuple[str, ...]:
    """Return the characters of `text` that no given face has, each once, in order."""
    known = (metrics, *others)
    return tuple(
        character
        for character in dict.fromkeys(drawable(text))
        if not any(ord(character) in face.advances for face in known)
    )


def drawable(text: str) -> str:
    """Return `text` as it is drawn: accents joined to their letters, no controls.

    Fonts have `é` more often than they place an accent on `e` well, and a stray tab is
    a space to a reader, not a box with a cross.
    """
    if text.isascii() and text.isprintable():
        return text
    joined = unicodedata.normalize("NFC", text)
    if joined.isprintable():
        return joined
    return "".join(" " if c.isspace() else c for c in joined if _visible(c))


def _visible(character: str) -> bool:
    return character.isspace() or unicodedata.category(character) not in ("Cc", "Cf")


def _opened(data: bytes) -> TTFont:
    from fontTools.ttLib import TTFont

    # The time of day must not get into the file: equal input gives equal bytes.
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


def _core_first(font: TTFont, forms: Mapping[str, str]) -> tuple[int, ...]:
    """Put glyphs in the order of the parts, by code point; return where parts start.

    In this order a glyph's number tells which file has it, and neighbours in Unicode
    are neighbours in the font, which keeps the map back to text short.
    """
    from fontTools.ttLib.reorderGlyphs import reorderGlyphs

    mapping = font.getBestCmap()
    front = [".notdef", *(mapping[p] for p in sorted(mapping) if p in BLOCKS[0]), *forms]
    order = dict.fromkeys([*front, *_components(font, front)])
    starts = [0, len(order)]
    for block in BLOCKS[1:]:
        order |= dict.fromkeys(mapping[p] for p in sorted(mapping) if p in block)
        starts.append(len(order))
    order |= dict.fromkeys(mapping[p] for p in sorted(mapping))
    order |= dict.fromkeys(font.getGlyphOrder())
    # A glyph that is still packed names its parts by their old numbers.
    for glyph in order:
        font["glyf"][glyph].expand(font["glyf"])
    reorderGlyphs(font, list(order))
    return tuple(starts)


def _components(font: TTFont, glyphs: Iterable[str]) -> list[str]:
    found: list[str] = []
    for glyph in glyphs:
        parts = font["glyf"][glyph].getComponentNames(font["glyf"])
        found += [*parts, *_components(font, parts)]
    return found


def _forms(font: TTFont) -> dict[str, str]:
    """Return the other forms of plain letters and digits, and what they stand for.

    Printed headings and tables are full of small capitals and of figures of one width.
    A small capital stands for the small letter: a voice spells capitals out.
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


def _substitutions(font: TTFont) -> list[Any]:
    if "GSUB" not in font:
        return []
    table = font["GSUB"].table
    lookups = {
        index
        for record in table.FeatureList.FeatureRecord
        if record.FeatureTag in _FEATURES
        for index in record.Feature.LookupListIndex
    }
    return [
        getattr(part, "ExtSubTable", part)
        for index in sorted(lookups)
        for part in table.LookupList.Lookup[index].SubTable
    ]


def _family(font: TTFont) -> str:
    given = font["name"].getDebugName(6) or ""
    return re.sub("[^A-Za-z0-9-]", "", given) or "Unnamed"


def _rename(font: TTFont, name: str) -> None:
    table = font["name"]
    table.names = []
    for identifier, text in ((1, name), (2, "Regular"), (4, name), (6, name)):
        table.setName(text, identifier, 3, 1, 0x409)


def _stripped(layout: bytes, glyphs: Collection[int]) -> bytes:
    """Return a font of `glyphs` only, still numbered as in `layout`, with no bulk."""
    from fontTools import subset

    if not glyphs:
        return b""
    font = _opened(layout)
    options = _options(subset, [])
    options.retain_gids = True
    options.drop_tables += list(_BULK)
    subsetter = subset.Subsetter(options)
    subsetter.populate(gids=sorted(glyphs))
    subsetter.subset(font)
    for tag in _BULK:
        if tag in font:
            del font[tag]
    return _saved(font)


def _widths(font: TTFont, count: int) -> Iterable[int]:
    order, scale = font.getGlyphOrder(), _scale(font)
    table = font["hmtx"].metrics
    return (round(table[order[glyph]][0] * scale) for glyph in range(count))


def _metrics(font: TTFont) -> FaceMetrics:
    scale = _scale(font)
    mapping: Mapping[int, str] = font.getBestCmap()
    table = font["hmtx"].metrics
    return FaceMetrics(
        ascent=round(font["hhea"].ascent * scale),
        descent=round(font["hhea"].descent * scale),
        cap_height=round(font["OS/2"].sCapHeight * scale),
        advances={p: round(table[g][0] * scale) for p, g in mapping.items()},
        glyphs={p: font.getGlyphID(g) for p, g in mapping.items()},
    )


def _scale(font: TTFont) -> float:
    return 1000 / float(font["head"].unitsPerEm)
