"""Which letters a face keeps, and which of them every print carries."""

from __future__ import annotations

from typing import Final


def _points(*ranges: tuple[int, int]) -> frozenset[int]:
    return frozenset(p for first, last in ranges for p in range(first, last + 1))


CORE: Final = _points(
    (0x20, 0x7E),
    (0xA0, 0xFF),
    (0x152, 0x153),
    (0x160, 0x161),
    (0x178, 0x178),
    (0x17D, 0x17E),
    (0x192, 0x192),
    (0x2C6, 0x2C6),
    (0x2DC, 0x2DC),
    (0x2010, 0x2044),
    (0x20AC, 0x20AC),
    (0x2122, 0x2122),
    (0x2190, 0x2193),
    (0x2212, 0x2215),
    (0x2260, 0x2265),
)
"""In every print: the Latin of Western Europe, punctuation, arrows, and all of WinAnsi,
since that is what a reader's own typing is encoded in."""

LATIN: Final = _points((0x100, 0x24F), (0x1E9E, 0x1E9E))
"""The Latin of the rest of Europe, in a font of its own: a print takes it where it must."""

GREEK: Final = _points((0x370, 0x3FF), (0x1F00, 0x1FFF))
CYRILLIC: Final = _points((0x400, 0x52F))

BLOCKS: Final = (CORE, LATIN, GREEK, CYRILLIC)
"""Each is embedded as a font of its own; what is in none of them makes the last one."""

CHARSET: Final = (
    CORE
    | LATIN
    | GREEK
    | CYRILLIC
    | _points(
        (0x250, 0x2FF),
        (0x300, 0x36F),
        (0x1E00, 0x1EFF),
        (0x2070, 0x20BF),
        (0x2100, 0x218F),
        (0x2200, 0x22FF),
        (0x2500, 0x27BF),
    )
)
"""What a face keeps by default, as far as the font has it."""
