"""Operators of page content, and what follows each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ACTS: Final[Mapping[str, str]] = dict(
    pair.split()
    for pair in """
    q store | Q pop | cm transform | gs settings | w width | g gray | G gray_lines | rg rgb
    RG rgb_lines | k cmyk | K cmyk_lines | cs space | CS space_lines | sc tint | scn tint
    SC tint_lines | SCN tint_lines | m points | l points | c points | v points | y points
    re box | W clip | W* clip | n forget | f fill | F fill | f* fill | S stroke | s stroke
    B both | B* both | b both | b* both | sh shade | Do thing | BT begin | Tf font | Tm place
    T* next_line | Td line_down | TD line_and_leading | Tj show | TJ show_all | ' show_next
    " show_apart | Tc apart | Tw blank | TL leading | Ts rise | Tz stretch | Tr mode
    """.replace("\n", "|").split("|")
    if pair.strip()
)
"""What each operator does to a `_Content`."""

INLINE: Final = "INLINE IMAGE"
"""How the parser calls a picture that stands in the content."""
