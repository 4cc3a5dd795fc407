"""The letters that a face keeps, and those that every print embeds."""

from __future__ import annotations

from typing import Final


def _points(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(p for first, last in ranges for p in range(first, last + 1))


ASCII: Final = _points((0x20, 0x7E))
"""Embedded in every print, of a face for figures."""

CORE: Final = ASCII | _points(
    (0xA0, 0xFF),
    (0x152, 0x153),
    (0x160, 0x161),
    (0x178, 0x178),
    (0x17D, 0x17E),
    (0x192, 0x192),
    (0x2C6, 0x2C6),
    (0x2DC, 0x2DC),
    (0x2010, 0x2015),
    (0x2018, 0x201A),
    (0x201C, 0x201E),
    (0x2020, 0x2022),
    (0x2026, 0x2026),
    (0x2030, 0x2030),
    (0x2032, 0x2033),
    (0x2039, 0x203A),
    (0x2044, 0x2044),
    (0x20AC, 0x20AC),
    (0x2122, 0x2122),
    (0x2190, 0x2193),
    (0x2212, 0x2215),
    (0x2260, 0x2265),
)
"""Embedded in every print: the Latin of Western Europe, punctuation, arrows, and all of
WinAnsi, the encoding of what a reader types. Of other letters, a print embeds those it uses."""

CHARSET: Final = CORE | _points(
    # The Latin of the rest of Europe, phonetics, accents to be put on letters.
    (0x100, 0x36F),
    # Greek and Cyrillic.
    (0x370, 0x52F),
    (0x1E00, 0x1FFF),
    # Raised and lowered figures, currencies, fractions, arrows, mathematics, shapes.
    (0x2016, 0x20BF),
    (0x2100, 0x218F),
    (0x2200, 0x22FF),
    (0x2500, 0x27BF),
    # Chinese, Japanese and Korean: punctuation, kana, ideographs, syllables, wide forms. Our own
    # fonts have none of them. Unlike Arabic, they need no shaping.
    (0x3000, 0x30FF),
    (0x3105, 0x312F),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xFF00, 0xFFEF),
)
"""Letters that a face keeps by default, if the font has them."""

PRINTED: Final = ASCII | frozenset(map(ord, "×−–—…≤≥‘’“”→†‡·•°½₀₁₂₃₄₅₆₇₈₉✓"))
"""What prints are likely to show in any language; a font that lacks some of it gets a note."""
