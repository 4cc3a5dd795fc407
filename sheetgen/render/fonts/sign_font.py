"""A font of the signs of a game: a word that is set in it becomes its drawing.

Each sign is a ligature of the letters of its word, so that the word is what is copied, searched,
and read aloud. Beside its word it is a ligature of spaces, which are not heard.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from sheetgen.units import segments

_EM: Final = 1000
_SIZE: Final = 860  # of a drawing
_FOOT: Final = (
    -166
)  # below the baseline, so that it is centred on capitals at 1.25 times their size
_SIDE: Final = 60  # beside a drawing
_GAP: Final = 100  # more before a word that is beside it
_ERROR: Final = 0.8  # how far a curve may be from that of the drawing
_CREATED: Final = 3_600_000_000  # equal input gives equal bytes
SIGN_FACE: Final = "sign-400"


@lru_cache(maxsize=16)
def build_sign_font(signs: Sequence[tuple[str, str]]) -> bytes:
    """Return a TrueType font; `signs`: words, and paths in a unit square."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.cu2quPen import Cu2QuPen
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    # Pango takes spaces from another font if this one has no common space.
    letters = sorted({" ", *(letter for word, _ in signs for letter in word)})
    named = {letter: f"u{ord(letter):04X}" for letter in letters}
    drawn = [f"sign{at}" for at, _ in enumerate(signs)]
    glyphs = {name: TTGlyphPen(None).glyph() for name in (".notdef", *named.values())}
    for name, (_, path) in zip(drawn, signs, strict=True):
        glyph = TTGlyphPen(None)
        pen = Cu2QuPen(glyph, _ERROR, reverse_direction=True)
        for command, numbers in segments(path):
            pairs = zip(numbers[::2], numbers[1::2], strict=True)
            points = [(_SIDE + x * _SIZE, _FOOT + (1 - y) * _SIZE) for x, y in pairs]
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
        wide[name] = _SIZE + 2 * _SIDE + (0 if word.strip("\u2060").strip() else _GAP), 0
    font.setupHorizontalMetrics(wide)
    font.setupHorizontalHeader(ascent=900, descent=-250)
    font.setupNameTable({"familyName": "Signs", "styleName": "Regular", "psName": "Signs-Regular"})
    font.setupOS2(version=4, sTypoAscender=900, sTypoDescender=-250, sCapHeight=700, sxHeight=500)
    font.setupPost()
    rules: dict[bool, list[str]] = {True: [], False: []}  # several letters come before one
    for (word, _), name in zip(signs, drawn, strict=True):
        spelt = " ".join(named[letter] for letter in word)
        rules[len(word) > 1].append(f"sub {spelt} by {name};")
    parts = (
        f"lookup {name} {{ {' '.join(some)} }} {name};"
        for name, some in (("words", rules[True]), ("letters", rules[False]))
        if some
    )
    font.addOpenTypeFeatures(f"feature liga {{ {' '.join(parts)} }} liga;")
    font.updateHead(created=_CREATED, modified=_CREATED)
    saved = io.BytesIO()
    font.save(saved)
    return saved.getvalue()
