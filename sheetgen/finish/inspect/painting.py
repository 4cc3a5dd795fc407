"""Graphics state, operators and colours of page content, and the protocol of its observers."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Protocol

from sheetgen.finish.inspect.geometry import ALL, Matrix
from sheetgen.finish.inspect.glyph_boxes import EmbeddedFont
from sheetgen.model.inspected import Rect

MOST_BYTES: Final = 12_000_000
"""Decompressed size of one content stream; parsed operators take about 60 times as much memory."""

_FAMILIES: Final = {
    "/DeviceGray": "gray",
    "/G": "gray",
    "/CalGray": "gray",
    "/DeviceRGB": "rgb",
    "/RGB": "rgb",
    "/CalRGB": "rgb",
    "/DeviceCMYK": "cmyk",
    "/CMYK": "cmyk",
    "/Separation": "spot",
    "/DeviceN": "spot",
    "/Lab": "lab",
    "/ICCBased": "icc",
    "/Pattern": "pattern",
}


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
"""Method of the content interpreter for each operator."""

INLINE: Final = "INLINE IMAGE"
"""The parser's name for an inline image."""


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour: the family of its colour space, and its components."""

    family: str = "gray"
    numbers: tuple[float, ...] = (0.0,)

    @property
    def ink(self) -> float:
        """Total ink in per cent; 0 for colours that are not gray or CMYK."""
        if self.family == "gray" and self.numbers:
            return 100 * (1 - self.numbers[0])
        return 100 * sum(self.numbers) if self.family == "cmyk" else 0.0

    @property
    def is_paper(self) -> bool:
        """Whether nothing is printed with it."""
        if self.family in ("gray", "rgb"):
            return all(number >= 1 for number in self.numbers)
        return self.family == "cmyk" and not any(self.numbers)


@dataclass(frozen=True, slots=True)
class GraphicsState:
    """The graphics state, which `q` saves and `Q` restores."""

    matrix: Matrix
    clip: Rect = ALL
    fill: Colour = Colour()
    stroke: Colour = Colour()
    width: float = 1.0
    face: EmbeddedFont | None = None
    size: float = 0.0
    char_spacing: float = 0.0
    word_spacing: float = 0.0
    scaling: float = 1.0
    leading: float = 0.0
    rise: float = 0.0
    mode: float = 0


class PaintObserver(Protocol):
    """Receives what is painted; boxes are in page coordinates, clipped."""

    def text(self, box: Rect, text: str, colour: Colour) -> None:
        """A run of letters."""

    def filled(self, box: Rect, colour: Colour) -> None:
        """A filled path, or a shading."""

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        """A stroked path; width in points of the page."""

    def picture(self, box: Rect, image: Any, size: tuple[float, float], colour: Colour) -> None:
        """A picture, its size in points, and the colour that a mask is filled with."""

    def setting(self, settings: Any) -> None:
        """An extended graphics state."""

    def group(self, form: Any) -> None:
        """A form XObject, before its content."""

    def font(self, font: Any, face: EmbeddedFont) -> None:
        """A font that is selected."""


class TooMuch(ValueError):
    """Content exceeds the limits of the inspection."""


def family_of(space: Any) -> str:
    """Return the family of a colour space; an unknown one keeps its own name."""
    import pikepdf

    name, base = space, None
    if isinstance(space, pikepdf.Array) and len(space):
        name, base = space[0], (space[1] if len(space) > 1 else None)
    if str(name) in ("/Indexed", "/I") and base is not None:
        return family_of(base)
    return _FAMILIES.get(str(name), str(name)[1:41])


def matrix_of(numbers: Any) -> Matrix:
    """Return six numbers as a matrix."""
    a, b, c, d, e, f = (float(one) for one in numbers)
    return a, b, c, d, e, f


def rect_of(numbers: Any) -> Rect:
    """Return four numbers, two opposite corners, as a box."""
    x0, y0, x1, y1 = (float(one) for one in numbers)
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def is_number(value: Any) -> bool:
    """Whether an operand is a number."""
    return isinstance(value, int | float | Decimal)


def unpacked(content: Any) -> bytes:
    """Return the decompressed data of a stream, or of an array of streams, joined by newlines.

    A blank page has neither; its content is empty.

    Raises:
        TooMuch: It is more than `MOST_BYTES`.
    """
    import pikepdf

    if content is None:
        return b""
    streams = list(content) if isinstance(content, pikepdf.Array) else [content]
    parts, left = [], MOST_BYTES
    for stream in streams:
        parts.append(_unpacked(stream, left))
        left -= len(parts[-1]) + 1
        if left < 0:
            raise TooMuch(_MUCH)
    return b"\n".join(parts)


def _unpacked(stream: Any, most: int) -> bytes:
    import pikepdf

    data = bytes(stream.read_raw_bytes())
    filters = stream.get("/Filter", [])
    names = list(map(str, filters)) if isinstance(filters, list | pikepdf.Array) else [str(filters)]
    if any(name not in _FLATE for name in names) or (names and "/DecodeParms" in stream):
        data = bytes(stream.read_bytes())
        names = []
    for _ in names:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(data, most)
        if unpacker.unconsumed_tail:
            raise TooMuch(_MUCH)
    if len(data) > most:
        raise TooMuch(_MUCH)
    return data


_FLATE: Final = ("/FlateDecode", "/Fl")
_MUCH: Final = f"more than {MOST_BYTES // 1_000_000} MB of content"
