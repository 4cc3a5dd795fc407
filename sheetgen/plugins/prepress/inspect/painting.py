"""Graphics state, operators and colours of page content, and its observers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from sheetgen.finish.saving import list_of
from sheetgen.plugins.prepress.inspect.geometry import ALL, Matrix
from sheetgen.plugins.prepress.inspect.glyph_boxes import EmbeddedFont
from sheetgen.plugins.prepress.inspected import Rect
from sheetgen.records import frozen

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
) | {"INLINE IMAGE": "picture"}
"""Method of the content interpreter for each operator, as pikepdf's parser names it."""

PROCESS: Final = ("Cyan", "Magenta", "Yellow", "Black")
"""Names of the four process colours, as PDF spells them."""


@frozen
class Space:
    """A colour space.

    Attributes:
        family: `gray`, `calgray`, `rgb`, `cmyk`, `spot`, `lab`, `icc`, `pattern`; an unknown
            one keeps its own name.
        count: The number of components.
        plates: The plate that each component prints on; empty if this depends on a conversion.
        light: Whether more is less ink, as in gray.
        spots: The names of spot colours.
        base: The space of the colours of an Indexed space; of an uncoloured pattern's colour.
        palette: The colours of an Indexed space.
        named: Whether it paints the plates that it names, and no others.
    """

    family: str
    count: int
    plates: tuple[str, ...] = ()
    light: bool = False
    spots: tuple[str, ...] = ()
    base: Space | None = None
    palette: bytes | None = None
    named: bool = False

    @property
    def first(self) -> tuple[float, ...]:
        """The colour that is set with the space."""
        if self.family == "cmyk" and not self.light:
            return 0.0, 0.0, 0.0, 1.0
        return ((1.0,) if self.family == "spot" else (0.0,)) * self.count

    def inks(self, numbers: Sequence[float]) -> Mapping[str, float]:
        """Return the ink of a colour on each plate, 0 to 1; empty if it is not known."""
        if self.palette is not None and self.base is not None:
            at = int(numbers[0] if numbers else 0) * self.base.count
            entry = self.palette[at : at + self.base.count]
            return self.base.inks([value / 255 for value in entry])
        found: dict[str, float] = {}
        for plate, number in zip(self.plates, numbers, strict=False):
            amount = min(max(1 - number if self.light else number, 0.0), 1.0)
            for name in PROCESS if plate == "All" else (plate,):
                found[name] = amount
        found.pop("None", None)
        return found


GRAY: Final = Space("gray", 1, PROCESS[-1:], light=True)
RGB: Final = Space("rgb", 3)
CMYK: Final = Space("cmyk", 4, PROCESS)
_DEVICE: Final = {
    **dict.fromkeys(("/DeviceGray", "/G"), GRAY),
    **dict.fromkeys(("/DeviceRGB", "/RGB", "/CalRGB"), RGB),
    **dict.fromkeys(("/DeviceCMYK", "/CMYK"), CMYK),
    "/CalGray": replace(GRAY, family="calgray"),
    "/Lab": Space("lab", 3),
    "/Pattern": Space("pattern", 0),
}
_DEEPEST_SPACE: Final = 4
"""Colour spaces within each other, such as Indexed, ICCBased with an alternate."""


def space_of(given: Any, resources: Any = None, depth: int = 0) -> Space:
    """Return a colour space.

    Args:
        given: A name or an array.
        resources: Where names of the file's own are looked up.
    """
    import pikepdf

    rows = list(given) if isinstance(given, pikepdf.Array) and len(given) else None
    key = str(rows[0] if rows else given)
    unknown = Space(key[1:41], 0)
    if depth > _DEEPEST_SPACE:
        return unknown
    if rows is None and key not in _DEVICE and resources is not None:
        named = resources.get("/ColorSpace", {}).get(key)
        return unknown if named is None else space_of(named, resources, depth + 1)
    if rows is None or len(rows) < 2:
        return _DEVICE.get(key, unknown)
    if key == "/ICCBased":
        count = int(rows[1].get("/N", 0))
        return Space("icc", count, {1: PROCESS[-1:], 4: PROCESS}.get(count, ()), light=count == 1)
    if key in ("/Separation", "/DeviceN"):  # one of process colours alone is CMYK
        plates = tuple(str(name)[1:61] for name in list_of(rows[1])[:64])
        spots = tuple(name for name in plates if name not in (*PROCESS, "None", "All"))
        family = "spot" if spots else "cmyk"
        return Space(family, len(plates), plates, spots=spots, named=True)
    if key == "/Pattern":
        return Space("pattern", 0, base=space_of(rows[1], resources, depth + 1))
    if key not in ("/Indexed", "/I"):
        return _DEVICE.get(key, unknown)
    base, stream = space_of(rows[1], resources, depth + 1), rows[3] if len(rows) > 3 else b""
    data = stream.read_bytes() if isinstance(stream, pikepdf.Stream) else bytes(stream)
    return replace(base, count=1, light=False, base=base, palette=data[:65_536])


@frozen
class Colour:
    """A colour, and how it is mixed with what is below.

    Attributes:
        numbers: Its components; empty if they are not known.
        pattern: The pattern or gradient that it is part of; None for a flat colour.
        alpha: How opaque it is.
        blend: The blend mode, without its slash.
        overprint: The overprint mode, 0 or 1; None for a colour that knocks out.
    """

    space: Space = GRAY
    numbers: tuple[float, ...] = (0.0,)
    pattern: Any = None
    alpha: float = 1.0
    blend: str = "Normal"
    overprint: int | None = None

    @property
    def inks(self) -> Mapping[str, float]:
        """The ink on each plate, 0 to 1; empty for colours that a conversion decides about."""
        return self.space.inks(self.numbers)

    @property
    def is_paper(self) -> bool:
        """Whether nothing is printed with it."""
        if self.pattern is not None or not self.numbers:
            return False
        if self.space.family == "rgb" or (self.space.family == "icc" and len(self.numbers) == 3):
            return all(number >= 1 for number in self.numbers)
        return bool(self.space.plates) and not any(self.inks.values())


@frozen
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
    group_alpha: float = 1.0
    blend: str = "Normal"
    fill_overprint: bool = False
    stroke_overprint: bool = False
    overprint_mode: int = 0
    fixed: bool = False  # colours are those of outside, as in uncoloured patterns


class PaintObserver:
    """Receives what is painted; boxes are in page coordinates, clipped.

    Subclasses that do not tell text and lines from areas have only `filled`.
    """

    def filled(self, box: Rect, colour: Colour) -> None:
        """A filled path, or a shading."""

    def text(self, box: Rect, text: str, colour: Colour) -> None:
        """A run of letters."""
        self.filled(box, colour)

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        """A stroked path; width in points of the page."""
        self.filled(box, colour)

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
    parts, left = list[bytes](), MOST_BYTES
    for stream in list_of(content):
        parts.append(b"".join(unpack_blocks(stream, left, left + 1)))
        left -= len(parts[-1]) + 1
        if left < 0:
            raise TooMuch(_MUCH)
    return b"\n".join(parts)


def unpack_blocks(stream: Any, most: int, size: int) -> Iterator[bytes]:
    """Yield the data of a stream, unpacked, in blocks of `size` bytes; the last may be shorter.

    Raises:
        TooMuch: It is more than `most` bytes.
    """
    filters = list_of(stream.get("/Filter"))
    if all(str(name) in _FLATE for name in filters):
        data = bytes(stream.read_raw_bytes())
        for _ in filters[1:]:
            data = b"".join(_inflate(data, most, size))
        blocks = _inflate(data, most, size) if filters else _cut(data, most, size)
        if opens_in_blocks(stream):
            yield from blocks
            return
        for _ in blocks:  # the library unpacks all at once: the size is measured before
            pass
    import pikepdf

    level = pikepdf.StreamDecodeLevel.specialized  # run lengths, too
    yield from _cut(bytes(stream.read_bytes(level)), most, size)


def opens_in_blocks(stream: Any) -> bool:
    """Whether a stream can be unpacked in blocks: its filters are Flate, without a predictor."""
    settings = (one for one in list_of(stream.get("/DecodeParms")) if one is not None)
    plain = all(str(name) in _FLATE for name in list_of(stream.get("/Filter")))
    return plain and not any(int(one.get("/Predictor", 1)) > 1 for one in settings)


def _inflate(data: bytes, most: int, size: int) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    while not unpacker.eof and (block := unpacker.decompress(data, size)):
        data = unpacker.unconsumed_tail
        most -= len(block)
        if most < 0:
            raise TooMuch(_MUCH)
        yield block


def _cut(data: bytes, most: int, size: int) -> Iterator[bytes]:
    if len(data) > most:
        raise TooMuch(_MUCH)
    yield from (data[at : at + size] for at in range(0, len(data), size))


_FLATE: Final = ("/FlateDecode", "/Fl")
_MUCH: Final = f"more than {MOST_BYTES // 1_000_000} MB of content"
