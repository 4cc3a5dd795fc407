"""Graphics state, operators and colours of page content, and the protocol of its observers."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Final, Protocol

from sheetgen.finish.inspect.colour_spaces import Space, space_of
from sheetgen.finish.inspect.geometry import ALL, Matrix
from sheetgen.finish.inspect.glyph_boxes import EmbeddedFont
from sheetgen.model.inspected import Rect

MOST_BYTES: Final = 12_000_000
"""Decompressed size of one content stream; parsed operators take about 60 times as much memory."""

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
    BMC mark | BDC mark | EMC unmark | d1 fix
    """.replace("\n", "|").split("|")
    if pair.strip()
)
"""Method of the content interpreter for each operator."""

INLINE: Final = "INLINE IMAGE"
"""The parser's name for an inline image."""


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour, and how it is mixed with what is below.

    Attributes:
        family: The family of its colour space.
        numbers: Its components.
        space: The colour space; None for that of the family's name.
        pattern: The pattern that is painted with it.
        alpha: How opaque it is.
        blend: The blend mode, without its slash.
        overprint: The overprint mode, 0 or 1; None for a colour that knocks out.
    """

    family: str = "gray"
    numbers: tuple[float, ...] = (0.0,)
    space: Space | None = None
    pattern: Any = None
    alpha: float = 1.0
    blend: str = "Normal"
    overprint: int | None = None

    @property
    def inks(self) -> Mapping[str, float]:
        """The ink on each plate, 0 to 1; empty for colours that a conversion decides about."""
        return (self.space or device_space(self.family)).inks(self.numbers)

    @property
    def is_paper(self) -> bool:
        """Whether nothing is printed with it."""
        if self.pattern is not None or not self.numbers:
            return False
        if self.family == "rgb" or (self.family == "icc" and len(self.numbers) == 3):
            return all(number >= 1 for number in self.numbers)
        space = self.space or device_space(self.family)
        return bool(space.plates) and not any(space.inks(self.numbers).values())


@cache
def device_space(family: str) -> Space:
    """Return the device's colour space of a family."""
    import pikepdf

    names = {"gray": "/DeviceGray", "cmyk": "/DeviceCMYK", "rgb": "/DeviceRGB"}
    return space_of(pikepdf.Name(names[family])) if family in names else Space(family, 0)


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
    fill_alpha: float = 1.0
    stroke_alpha: float = 1.0
    blend: str = "Normal"
    fill_overprint: bool = False
    stroke_overprint: bool = False
    overprint_mode: int = 0
    fixed: bool = False  # colours are those of outside, as in uncoloured patterns


class PaintObserver(Protocol):
    """Receives what is painted; boxes are in page coordinates, clipped."""

    def text(self, box: Rect, text: str, colour: Colour) -> None:
        """A run of letters."""

    def filled(self, box: Rect, colour: Colour) -> None:
        """A filled path, or a shading."""

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        """A stroked path; width in points of the page."""

    def picture(
        self, box: Rect, image: Any, size: tuple[float, float], colour: Colour, part: Rect
    ) -> None:
        """A picture.

        Args:
            size: Width and height in points.
            colour: What a mask is filled with; else the picture's space, without components.
            part: What the clip leaves of the unit square, y upwards.
        """

    def setting(self, settings: Any) -> None:
        """An extended graphics state."""

    def group(self, form: Any) -> None:
        """A form XObject, before its content."""

    def font(self, face: EmbeddedFont) -> None:
        """A font that text is shown in."""


class TooMuch(ValueError):
    """Content exceeds the limits of the inspection."""


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
