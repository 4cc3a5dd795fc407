"""Interpret page content, operator by operator, as a viewer does, without drawing it."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from math import hypot
from time import process_time
from typing import Any, Final, TypeAlias

from sheetgen.bounds import SECONDS, begin_next_page, pass_memory_error
from sheetgen.finish.saving import list_of
from sheetgen.records import frozen

# Matrices of PDF, and boxes seen through them, in points; y grows upwards.


Rect: TypeAlias = tuple[float, float, float, float]  # Left, bottom, right, top
Size: TypeAlias = tuple[float, float]
Point: TypeAlias = tuple[float, float]
Matrix: TypeAlias = tuple[float, float, float, float, float, float]

IDENTITY: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
MOST_BYTES: Final = 12_000_000
"""Decompressed size of one content stream; parsed operators take about 60 times as much memory."""
_FLATE: Final = ("/FlateDecode", "/Fl")


def multiply(first: Matrix, then: Matrix) -> Matrix:
    """Return the matrix that applies `first`, then `then`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (
        *(a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j),
        *(e * g + f * i + k, e * h + f * j + m),
    )


def inverse(matrix: Matrix) -> Matrix:
    """Return the inverse of a matrix; of one that flattens everything, one that is too large."""
    a, b, c, d, e, f = matrix
    of = a * d - b * c or 1e-12
    return d / of, -b / of, -c / of, a / of, (c * f - d * e) / of, (b * e - a * f) / of


def transform_point(matrix: Matrix, x: float, y: float) -> Point:
    """Return a transformed point."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def bounding_box(points: Iterable[Point]) -> Rect:
    """Return the bounding box of points; there is at least one."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def corners_of(box: Rect) -> tuple[Point, ...]:
    """Return the corners of a box."""
    left, foot, right, top = box
    return (left, foot), (right, foot), (left, top), (right, top)


def transformed_box(matrix: Matrix, box: Rect) -> Rect:
    """Return the bounding box of the transformed `box`."""
    return bounding_box(transform_point(matrix, x, y) for x, y in corners_of(box))


def intersect_boxes(one: Rect, other: Rect) -> Rect | None:
    """Return the intersection of two boxes, if any."""
    left, foot = max(one[0], other[0]), max(one[1], other[1])
    right, top = min(one[2], other[2]), min(one[3], other[3])
    return (left, foot, right, top) if left <= right and foot <= top else None


def distances(box: Rect, frame: Rect) -> Rect:
    """Return the distance of each side of `box` from that of `frame`, positive inwards."""
    return box[0] - frame[0], box[1] - frame[1], frame[2] - box[2], frame[3] - box[3]


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


# Advance widths and bounding boxes of the glyphs of embedded fonts.


_HEX: Final = rb"<([0-9A-Fa-f]+)>\s*"
_ROWS: Final = {b"bfchar": re.compile(_HEX * 2), b"bfrange": re.compile(_HEX * 3)}
_BLOCK: Final = re.compile(rb"begin(bfchar|bfrange)(.*?)endbf", re.DOTALL)


@frozen
class Font:
    """A font that is used."""

    name: str
    kind: str  # The font's subtype in PDF: `TrueType`, `Type0` (with CIDs), `Type1`, `Type3`
    embedded: bool
    subset: bool


class EmbeddedFont:
    """A font of a PDF: widths and boxes of its codes, in 1/1000 em.

    If the outlines of a damaged font cannot be read, boxes come from its font descriptor: they
    may be too large, never too small.
    """

    def __init__(self, font: Any) -> None:
        kind = str(font.get("/Subtype", ""))[1:]
        self.wide = kind == "Type0"
        below = font.get("/DescendantFonts", [font])[0] if self.wide else font
        descriptor = below.get("/FontDescriptor", {})
        embedded = kind == "Type3" or any(f"/FontFile{n}" in descriptor for n in ("", "2", "3"))
        name = str(font.get("/BaseFont", font.get("/Name", "/?")))[1:]
        start, plus, rest = name.partition("+")
        subset = bool(plus) and len(start) == 6 and start.isupper()
        self.font = Font((rest if subset else name)[:80], kind[:40], embedded, subset)
        listed = enumerate(font.get("/Widths", []), int(font.get("/FirstChar", 0)))
        simple = ((code, float(width)) for code, width in listed)
        self._widths = dict(_cid_widths(below) if self.wide else simple)
        usual = below.get("/DW", 1000) if self.wide else descriptor.get("/MissingWidth", 500)
        self._usual = float(usual)
        self._descent = float(descriptor.get("/Descent", -250))
        self._ascent = float(descriptor.get("/Ascent", 1000))
        self._outlines: Any = {}
        self._names: dict[int, str | None] = {}  # of outlines, by code
        if "/FontFile2" in descriptor:
            direct = str(below.get("/CIDToGIDMap", "/Identity")) == "/Identity"
            self._read_outlines(descriptor.FontFile2, by_glyph=self.wide and direct)
        self.resources = font.get("/Resources")
        self.glyphs = dict(_glyphs(font))
        self.matrix = font.get("/FontMatrix", (0.001, 0, 0, 0.001, 0, 0))
        self._scale = abs(float(self.matrix[0])) * 1000 if kind == "Type3" else 1.0
        plain = {} if self.wide else {code: chr(code) for code in range(32, 127)}
        self.letters = _letters(font) or plain

    def _read_outlines(self, stream: Any, *, by_glyph: bool) -> None:
        from fontTools.ttLib import TTFont

        try:
            font = TTFont(io.BytesIO(stream.read_bytes()), lazy=True)
            outlines, self._em = font["glyf"], 1000 / font["head"].unitsPerEm
            order = font.getGlyphOrder()
            if by_glyph:
                self._names = dict(enumerate(order))
            else:
                known = font.getBestCmap() or {}
                for code in range(256):
                    letter = bytes([code]).decode("cp1252", "replace")
                    self._names[code] = known.get(ord(letter)) or known.get(0xF000 + code)
            self._outlines = outlines
        except Exception as error:  # noqa: BLE001 - libraries raise anything
            pass_memory_error(error)

    def codes(self, raw: bytes) -> Iterator[tuple[int, bool]]:
        """Yield the codes of a text, and whether word spacing applies to each."""
        if not self.wide:
            yield from ((code, code == 32) for code in raw)
            return
        for at in range(0, len(raw) - 1, 2):
            yield raw[at] << 8 | raw[at + 1], False

    def width(self, code: int) -> float:
        """Return the advance width of `code`."""
        return self._widths.get(code, self._usual) * self._scale

    def box(self, code: int) -> Rect | None:
        """Return the bounding box of `code`; None for a blank."""
        try:
            outline = self._outlines[self._names[code]]
            if not outline.numberOfContours:
                return None
            sides = outline.xMin, outline.yMin, outline.xMax, outline.yMax
            left, foot, right, top = (side * self._em for side in sides)
            return left, foot, right, top
        except Exception as error:  # noqa: BLE001 - libraries raise anything
            pass_memory_error(error)
        if not self.wide and code == 32:
            return None
        return 0.0, self._descent, max(self.width(code), 0.0), self._ascent


def _glyphs(font: Any) -> Iterator[tuple[int, Any]]:
    """Yield codes and glyphs of a Type 3 font, whose glyphs are content streams."""
    import pikepdf

    procedures, encoding = font.get("/CharProcs"), font.get("/Encoding", {})
    if procedures is None or not isinstance(encoding, pikepdf.Dictionary):
        return
    code = 0
    for one in encoding.get("/Differences", []):
        if isinstance(one, pikepdf.Name):
            if str(one) in procedures:
                yield code, procedures[str(one)]
            code += 1
        else:
            code = int(one)


def _cid_widths(font: Any) -> Iterator[tuple[int, float]]:
    import pikepdf

    rows = iter(list(font.get("/W", [])))
    for first, next_ in zip(rows, rows, strict=False):
        start = int(first)
        if isinstance(next_, pikepdf.Array):
            yield from ((code, float(width)) for code, width in enumerate(next_, start))
        else:
            last, width = min(int(next_), start + 0xFFFF), float(next(rows, 0))
            yield from ((code, width) for code in range(start, last + 1))


def _letters(font: Any) -> dict[int, str]:
    """Return the characters of codes from `ToUnicode`; ranges with an array are left out."""
    import pikepdf

    found: dict[int, str] = {}
    if isinstance(font.get("/ToUnicode"), pikepdf.Stream):
        for kind, block in _BLOCK.findall(font.ToUnicode.read_bytes()[:500_000]):
            for row in _ROWS[kind].findall(block):
                first, last = int(row[0], 16), int(row[-2], 16)
                digits = row[-1].decode() + "0" * (-len(row[-1]) % 4)
                text = bytes.fromhex(digits).decode("utf-16-be", "replace")
                for code in range(first, min(last, first + 0xFF) + 1):
                    found[code] = text[:-1] + chr(min(ord(text[-1]) + code - first, 0x10FFFF))
    return found


# Colours and their spaces.


PROCESS: Final = ("Cyan", "Magenta", "Yellow", "Black")
"""Names of the four process colours, as PDF spells them."""


@frozen
class Space:
    """A colour space."""

    # `gray`, `calgray`, `rgb`, `cmyk`, `spot`, `lab`, `icc`, `pattern`; an unknown one keeps its
    # own name.
    family: str
    count: int  # The number of components
    # The plate that each component prints on; empty if this depends on a conversion
    plates: tuple[str, ...] = ()
    light: bool = False  # Whether more is less ink, as in gray
    spots: tuple[str, ...] = ()  # The names of spot colours
    # The space of the colours of an Indexed space; of an uncoloured pattern's colour
    base: Space | None = None
    palette: bytes | None = None  # The colours of an Indexed space
    named: bool = False  # Whether it paints the plates that it names, and no others

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
    """Return the colour space of a name or an array; `resources` have the names of the file."""
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
    """A colour, and how it is mixed with what is below."""

    space: Space = GRAY
    numbers: tuple[float, ...] = (0.0,)  # Its components; empty if they are not known
    pattern: Any = None  # The pattern or gradient that it is part of; None for a flat colour
    alpha: float = 1.0  # How opaque it is
    blend: str = "Normal"  # The blend mode, without its slash
    overprint: int | None = None  # The overprint mode, 0 or 1; None for a colour that knocks out

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


# What is painted, and how much content is read.


@frozen
class GraphicsState:
    """The graphics state, which `q` saves and `Q` restores."""

    matrix: Matrix
    clip: Rect = (-1e9, -1e9, 1e9, 1e9)
    outlines: tuple[Sequence[Point], ...] = ()  # points around the last clips, for gradients
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

    Subclasses that do not tell text and lines from shapes have only `filled`.
    """

    def filled(self, box: Rect, colour: Colour) -> None:
        """A filled path, or a shading."""

    def text(self, box: Rect, text: str, colour: Colour) -> None:
        """A run of letters."""
        self.filled(box, colour)

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        """A stroked path; width in points of the page."""
        self.filled(box, colour)

    def picture(self, box: Rect, image: Any, size: Size, colour: Colour, part: Rect) -> None:
        """A picture.

        Args:
            size: Width and height in points.
            colour: What a mask is filled with; else the picture's space, without components.
            part: What the clip leaves of the unit square, y upwards.
        """

    def setting(self, settings: Any) -> None:
        """An extended graphics state, or a page or form XObject before its content."""

    def font(self, face: EmbeddedFont) -> None:
        """A font that text is shown in."""

    def gradient(
        self, shading: Any, space: Space, outlines: Sequence[Sequence[Point]], background: bool
    ) -> Colour:
        """Return the heaviest colour of a shading and, in patterns, of the `background` beyond.

        It is painted between the points of each of the `outlines`, in the shading's coordinates.
        """
        return Colour(space, (), shading)


class TooMuch(ValueError):
    """Content exceeds the limits of the inspection."""


def unpack_blocks(stream: Any, most: int, size: int) -> Iterator[bytes]:
    """Yield the data of a stream in blocks of `size` bytes; more than `most` are `TooMuch`."""
    import pikepdf

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


_MUCH: Final = f"more than {MOST_BYTES // 1_000_000} MB of content"

PART: Final = 0.75  # Share of the processor time of a file or page; the rest is for the report
DEEPEST: Final = 12  # Nesting of form XObjects
_INTERVAL: Final = 256  # Operators between two checks of the time
_NOWHERE: Final[Rect] = (-2e9, -2e9, -1e9, -1e9)  # The box of what has no place of its own
_OUTLINES: Final = 4  # Clips whose outlines are kept; their boxes count in any case
_MOST_POINTS: Final = 1000  # Of an outline that is compared with a gradient
_INVISIBLE: Final = 3
_PARTS: Final = (("fill",), ("stroke",), ("fill", "stroke"), ())
"""What is painted of text, by its rendering mode; further four modes clip, too."""

Operands: TypeAlias = Sequence[Any]


@dataclass
class ContentReader:
    """Interprets the contents of one file, and keeps its fonts."""

    pdf: Any
    observer: PaintObserver
    seconds: float = PART * SECONDS
    # Whether content that belongs to a layer is not printed
    hides: Callable[[Any], bool] = lambda _: False
    faces: dict[Any, EmbeddedFont] = field(default_factory=dict)
    operators: int = 0
    cells: dict[Any, Colour | None] = field(default_factory=dict)
    start: float = field(default_factory=process_time)
    page_start: float = field(default_factory=process_time)

    def read(
        self,
        content: Any,  # A stream, or an array of streams; that of a blank page is None
        resources: Any,
        state: GraphicsState,
        depth: int = 0,
        observer: PaintObserver | None = None,  # Who is told instead of the reader's observer
    ) -> None:
        """Interpret content; raise `TooMuch` beyond the limits of size, time or nesting."""
        import pikepdf

        if depth > DEEPEST:
            raise TooMuch(f"forms nested more than {DEEPEST} deep")
        parts, left = list[bytes](), MOST_BYTES
        for one in list_of(content):
            parts.append(b"".join(unpack_blocks(one, left, left + 1)))
            left -= len(parts[-1]) + 1
            if left < 0:
                raise TooMuch(_MUCH)
        stream = pikepdf.Stream(self.pdf, b"\n".join(parts))
        interpreter = _Content(self, resources, state, depth, observer or self.observer)
        for operands, operator in pikepdf.parse_content_stream(stream):
            self.operators += 1
            if self.operators % _INTERVAL == 0:
                self.check_time()
            if act := _ACTS.get(str(operator)):
                act[0](interpreter, list(operands), *act[1:])

    def begin_page(self) -> None:
        """Begin the time of a page; raise `TooMuch` if the pages before it took too long."""
        self.check_time()
        self.page_start = process_time()
        self.cells.clear()
        begin_next_page()

    def check_time(self) -> None:
        """Raise `TooMuch` if no processor time is left."""
        for since, most in ((self.start, self.seconds), (self.page_start, PART * SECONDS)):
            if process_time() > since + most:
                raise TooMuch(f"more than {most:g} s of processor time")

    def face(self, font: Any) -> EmbeddedFont:
        """Return the metrics of `font`."""
        key = font.objgen if font.is_indirect else id(font)
        if key not in self.faces:
            self.faces[key] = EmbeddedFont(font)
        return self.faces[key]


class _Content:
    """Interprets one content stream; `_ACTS` lists its methods by operator."""

    def __init__(
        self,
        reader: ContentReader,
        resources: Any,
        state: GraphicsState,
        depth: int,
        observer: PaintObserver,
    ) -> None:
        self.reader, self.resources, self.depth = reader, resources, depth
        self.observer = observer
        self.state = self.outer = state
        self.marks: list[bool] = []  # whether each open marked content is a hidden layer
        self.saved: list[GraphicsState] = []
        self.path: list[tuple[float, float]] = []
        self.clipping = False
        self.text_matrix = self.line_matrix = IDENTITY

    def resource(self, kind: str, name: Any) -> Any:
        found = self.resources.get(kind) if self.resources is not None else None
        return found.get(str(name)) if found is not None else None

    def change(self, **parts: Any) -> None:
        self.state = replace(self.state, **parts)

    # -- graphics state and marked content ---------------------------------------------------------

    def pop(self, _: Operands) -> None:
        if self.saved:
            self.state = self.saved.pop()

    def transform(self, operands: Operands) -> None:
        self.change(matrix=multiply(matrix_of(operands), self.state.matrix))

    def settings(self, operands: Operands) -> None:
        import pikepdf

        found = self.resource("/ExtGState", operands[0])
        if found is None:
            return
        if not self.is_hidden:
            self.observer.setting(found)
        if "/Font" in found:
            self.change(face=self.reader.face(found.Font[0]), size=float(found.Font[1]))
        for key, part in (("/LW", "width"), ("/ca", "fill_alpha"), ("/CA", "stroke_alpha")):
            if is_number(found.get(key)):
                self.change(**{part: float(found[key])})
        if "/BM" in found:
            names = found.BM if isinstance(found.BM, pikepdf.Array) else [found.BM]
            self.change(blend=str(names[0])[1:].replace("Compatible", "Normal"))
        if "/OP" in found:
            over = found.OP is True
            self.change(stroke_overprint=over, fill_overprint=over)
        if "/op" in found:
            self.change(fill_overprint=found.get("/op") is True)
        if "/OPM" in found:
            self.change(overprint_mode=int(found.OPM))
        mask = found.get("/SMask")
        if isinstance(mask, pikepdf.Dictionary) and "/G" in mask and not self.is_hidden:
            resources = mask.G.get("/Resources")
            self.within(mask.G, resources, self.state.matrix, Colour(), prints=False)

    def keep(self, operands: Operands, part: str, of: float = 1.0) -> None:
        self.change(**{part: float(operands[0]) / of})

    @property
    def is_hidden(self) -> bool:
        return any(self.marks)

    def mark(self, operands: Operands) -> None:
        layer = len(operands) > 1 and str(operands[0]) == "/OC"
        self.marks.append(layer and self.reader.hides(self.resource("/Properties", operands[1])))

    def unmark(self, _: Operands) -> None:
        if self.marks:
            self.marks.pop()

    # -- colours, patterns and gradients -----------------------------------------------------------

    def fix(self, _: Operands) -> None:
        """Keep the colours of outside, as in a glyph that is only a shape."""
        self.change(fixed=True, fill=self.outer.fill, stroke=self.outer.stroke)

    def set_colour(self, part: str, colour: Colour) -> None:
        if not self.state.fixed:
            self.change(**{part: colour})

    def colour(self, operands: Operands, part: str, space: Space) -> None:
        self.set_colour(part, Colour(space, tuple(map(float, operands))))

    def space(self, operands: Operands, part: str) -> None:
        space = space_of(operands[0], self.resources)
        first = ((1.0,) if space.family == "spot" else (0.0,)) * space.count
        black = space.family == "cmyk" and not space.light
        self.set_colour(part, Colour(space, (0.0, 0.0, 0.0, 1.0) if black else first))

    def tint(self, operands: Operands, part: str) -> None:
        numbers = tuple(float(one) for one in operands if is_number(one))
        named = operands and not is_number(operands[-1])
        pattern = self.resource("/Pattern", operands[-1]) if named else None
        self.set_colour(part, Colour(getattr(self.state, part).space, numbers, pattern))

    def painted(self, part: str, box: Rect) -> Colour | None:
        """Return the colour that a fill or a stroke paints in a box.

        A pattern's is the heaviest in it; what its cell paints is reported. None if nothing is
        painted.
        """
        state = self.state
        colour: Colour | None = getattr(state, part)
        if self.is_hidden:
            return None
        if colour is not None and colour.pattern is not None:
            pattern, base = colour.pattern, colour.space.base
            matrix = matrix_of(pattern.get("/Matrix", IDENTITY))
            matrix = multiply(matrix, self.outer.matrix)
            if "/Shading" in pattern:
                outline = self.path if part == "fill" else ()  # a line is around its path
                colour = self.gradient(pattern.Shading, box, matrix, outline, background=True)
            else:
                own = Colour(base, colour.numbers) if base is not None else Colour()
                fixed = int(pattern.get("/PaintType", 1)) == 2
                below = pattern.get("/Resources")
                colour = self.within(pattern, below, matrix, own, box, fixed=fixed)
        if colour is None:
            return None
        over = state.overprint_mode if getattr(state, f"{part}_overprint") else None
        return self.mixed(colour, getattr(state, f"{part}_alpha"), over)

    def mixed(self, colour: Colour, alpha: float, overprint: int | None) -> Colour:
        """Return a colour as it is mixed with what is below."""
        alpha *= self.state.group_alpha * colour.alpha
        return replace(colour, alpha=alpha, blend=self.state.blend, overprint=overprint)

    def mixed_fill(self, colour: Colour) -> Colour:
        """Return what is no flat colour as it is mixed; the overprint mode is about these alone."""
        state = self.state
        return self.mixed(colour, state.fill_alpha, 0 if state.fill_overprint else None)

    def gradient(
        self,
        shading: Any,
        box: Rect,
        matrix: Matrix,
        outline: Sequence[Point] = (),
        *,
        background: bool = False,
    ) -> Colour:
        space, back = space_of(shading.get("/ColorSpace", "/?"), self.resources), inverse(matrix)
        outlines = [
            [transform_point(back, *point) for point in points]
            for points in (corners_of(box), outline, *self.state.outlines)
            if 0 < len(points) <= _MOST_POINTS
        ]
        return self.reader.observer.gradient(shading, space, outlines, background)

    def outlines(self, points: Sequence[Point]) -> tuple[Sequence[Point], ...]:
        """Return the outlines of the last clips and of another."""
        return (*self.state.outlines, points)[-_OUTLINES:]

    def within(
        self,
        content: Any,
        resources: Any,
        matrix: Matrix,
        colour: Colour,
        box: Rect = _NOWHERE,  # Where it is painted
        *,
        fixed: bool = False,
        prints: bool = True,  # The colours of a mask are not printed
    ) -> Colour | None:
        """Return the heaviest colour, if any, of a pattern's cell, a glyph or a mask's group."""
        top = self.observer is self.reader.observer
        key = (content.objgen, colour.space.family, colour.numbers, top)
        if key not in self.reader.cells:  # each is interpreted once a page
            self.reader.cells[key] = None  # one within itself ends
            cell = _Cell(self.observer, box, prints)
            state = GraphicsState(matrix, fill=colour, stroke=colour, fixed=fixed)
            if "/BBox" in content:
                state = replace(state, clip=transformed_box(matrix, rect_of(content.BBox)))
            below = resources if resources is not None else self.resources
            self.reader.read(content, below, state, self.depth + 1, cell)
            self.reader.cells[key] = cell.heaviest
        return self.reader.cells[key]

    # -- paths -------------------------------------------------------------------------------------

    def points(self, operands: Operands) -> None:
        numbers = list(map(float, operands))
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        self.path += [transform_point(self.state.matrix, x, y) for x, y in pairs]

    def box(self, operands: Operands) -> None:
        x, y, width, height = map(float, operands)
        corners = corners_of((x, y, x + width, y + height))
        self.path += [transform_point(self.state.matrix, *corner) for corner in corners]

    def clip(self, _: Operands) -> None:
        self.clipping = True

    def paint(self, _: Operands, *parts: str) -> None:
        state = self.state
        if self.path:
            box = bounding_box(self.path)
            inside = intersect_boxes(box, state.clip)
            if "fill" in parts and inside and (colour := self.painted("fill", inside)):
                self.observer.filled(inside, colour)
            a, b, c, d, *_ = state.matrix
            wide = state.width * min(hypot(a, b), hypot(c, d))
            drawn = (box[0] - wide / 2, box[1] - wide / 2, box[2] + wide / 2, box[3] + wide / 2)
            inside = intersect_boxes(drawn, state.clip)
            if "stroke" in parts and inside and (colour := self.painted("stroke", inside)):
                self.observer.line(inside, colour, wide)
            if self.clipping:
                clip = intersect_boxes(box, state.clip) or (0.0, 0.0, 0.0, 0.0)
                self.change(clip=clip, outlines=self.outlines(self.path))
        self.path, self.clipping = [], False

    # -- shadings, forms and pictures --------------------------------------------------------------

    def shade(self, operands: Operands) -> None:
        found, box = self.resource("/Shading", operands[0]), self.state.clip
        if found is None or self.is_hidden:
            return
        own = transformed_box(self.state.matrix, rect_of(found.BBox)) if "/BBox" in found else box
        if (inside := intersect_boxes(own, box)) is not None:
            colour = self.gradient(found, inside, self.state.matrix)
            self.observer.filled(inside, self.mixed_fill(colour))

    def thing(self, operands: Operands) -> None:
        found = self.resource("/XObject", operands[0])
        if found is None or self.is_hidden or self.reader.hides(found.get("/OC")):
            return
        if str(found.get("/Subtype")) == "/Image":
            self.picture([found])
            return
        self.observer.setting(found)
        matrix = multiply(matrix_of(found.get("/Matrix", IDENTITY)), self.state.matrix)
        corners = [transform_point(matrix, *corner) for corner in corners_of(rect_of(found.BBox))]
        clip = intersect_boxes(bounding_box(corners), self.state.clip)
        if clip is not None:
            outlines = self.outlines(corners)
            state = replace(self.state, matrix=matrix, clip=clip, outlines=outlines)
            if "/Group" in found:  # it is mixed with what is below as a whole
                alpha = state.group_alpha * state.fill_alpha
                state = replace(state, group_alpha=alpha, fill_alpha=1.0, stroke_alpha=1.0)
            below = found.get("/Resources", self.resources)
            self.reader.read(found, below, state, self.depth + 1, self.observer)

    def picture(self, operands: Operands) -> None:
        import pikepdf

        image, matrix = operands[0], self.state.matrix
        if hasattr(image, "obj"):  # inline ones come in a wrapper
            wrapped, image = image, pikepdf.Stream(self.reader.pdf, image.read_raw_bytes())
            for key, value in wrapped.obj.items():
                image[key] = value
        box = intersect_boxes(transformed_box(matrix, (0, 0, 1, 1)), self.state.clip)
        if box is None or self.is_hidden:
            return
        if image.get("/ImageMask") is True:
            colour = self.painted("fill", box)
            if colour is None:
                return
        else:
            space = space_of(image.get("/ColorSpace", "/?"), self.resources)
            colour = self.mixed_fill(Colour(space, ()))
        # What the clip leaves of the unit square: all of it if the picture is turned otherwise.
        a, b, c, d, *_ = matrix
        unit: Rect = (0.0, 0.0, 1.0, 1.0)
        part: Rect | None = unit
        straight = max(abs(b), abs(c)) < 1e-6 < min(abs(a), abs(d))
        if straight or max(abs(a), abs(d)) < 1e-6 < min(abs(b), abs(c)):
            part = intersect_boxes(transformed_box(inverse(matrix), box), unit)
        size = hypot(a, b), hypot(c, d)
        self.observer.picture(box, image, size, colour, part or unit)

    # -- text --------------------------------------------------------------------------------------

    def begin(self, _: Operands) -> None:
        self.text_matrix = self.line_matrix = IDENTITY

    def font(self, operands: Operands) -> None:
        found = self.resource("/Font", operands[0])
        if found is not None:
            self.change(face=self.reader.face(found), size=float(operands[1]))

    def line_down(self, operands: Operands) -> None:
        x, y = float(operands[0]), float(operands[1])
        self.text_matrix = self.line_matrix = multiply((1, 0, 0, 1, x, y), self.line_matrix)

    def line_and_leading(self, operands: Operands) -> None:
        self.change(leading=-float(operands[1]))
        self.line_down(operands)

    def next_line(self, _: Operands) -> None:
        self.line_down((0, -self.state.leading))

    def place(self, operands: Operands) -> None:
        self.text_matrix = self.line_matrix = matrix_of(operands)

    def show_next(self, operands: Operands) -> None:
        self.next_line(())
        self.show(operands[-1:])

    def show_apart(self, operands: Operands) -> None:
        self.change(word_spacing=float(operands[0]), char_spacing=float(operands[1]))
        self.show_next(operands)

    def show(self, operands: Operands) -> None:
        state, face = self.state, self.state.face
        if face is None:
            return
        corners: list[tuple[float, float]] = []
        letters, x, unit = "", 0.0, state.size / 1000
        for part in operands:
            if is_number(part):
                x -= float(part) * unit * state.scaling
                continue
            for code, blank in face.codes(bytes(part)):
                if (box := face.box(code)) is not None:
                    left, foot, right, top = (side * unit for side in box)
                    corners.append((x + left * state.scaling, foot + state.rise))
                    corners.append((x + right * state.scaling, top + state.rise))
                letters += face.letters.get(code, "·")
                more = state.char_spacing + (state.word_spacing if blank else 0)
                x += (face.width(code) * unit + more) * state.scaling
        if letters and state.mode != _INVISIBLE and not self.is_hidden:
            self.observer.font(face)
        parts = _PARTS[int(state.mode) % 4] if 0 <= state.mode < 8 else ("fill",)
        if corners and parts:
            box = transformed_box(multiply(self.text_matrix, state.matrix), bounding_box(corners))
            if (inside := intersect_boxes(box, state.clip)) is not None:
                for part in parts:
                    colour = self.painted(part, inside)
                    if colour is not None and face.glyphs:
                        colour = self.draw_glyphs(face, operands, colour)
                    if colour is not None:
                        self.observer.text(inside, letters, colour)
        self.text_matrix = multiply((1, 0, 0, 1, x, 0), self.text_matrix)

    def draw_glyphs(self, face: EmbeddedFont, operands: Operands, colour: Colour) -> Colour | None:
        """Interpret glyphs of a Type 3 font; return their heaviest colour."""
        shown = {code for part in operands if not is_number(part) for code in bytes(part)}
        unit = self.state.size
        matrix = multiply((unit, 0, 0, unit, 0, 0), multiply(self.text_matrix, self.state.matrix))
        matrix = multiply(matrix_of(face.matrix), matrix)
        glyphs = (face.glyphs[code] for code in sorted(shown & face.glyphs.keys()))
        drawn = [self.within(glyph, face.resources, matrix, colour) for glyph in glyphs]
        painted = [one for one in drawn if one is not None]
        return max(painted, key=lambda one: sum(one.inks.values()), default=None)


_ACTS: Final[Mapping[str, tuple[Any, ...]]] = {
    "q": (lambda content, _: content.saved.append(content.state),), "Q": (_Content.pop,),
    "cm": (_Content.transform,), "gs": (_Content.settings,), "w": (_Content.keep, "width"),
    "BMC": (_Content.mark,), "BDC": (_Content.mark,), "EMC": (_Content.unmark,),
    "d1": (_Content.fix,),
    "g": (_Content.colour, "fill", GRAY), "G": (_Content.colour, "stroke", GRAY),
    "rg": (_Content.colour, "fill", RGB), "RG": (_Content.colour, "stroke", RGB),
    "k": (_Content.colour, "fill", CMYK), "K": (_Content.colour, "stroke", CMYK),
    "cs": (_Content.space, "fill"), "CS": (_Content.space, "stroke"),
    **dict.fromkeys(("sc", "scn"), (_Content.tint, "fill")),
    **dict.fromkeys(("SC", "SCN"), (_Content.tint, "stroke")),
    **dict.fromkeys("mlcvy", (_Content.points,)), "re": (_Content.box,),
    "W": (_Content.clip,), "W*": (_Content.clip,), "n": (_Content.paint,),
    **dict.fromkeys(("f", "F", "f*"), (_Content.paint, "fill")),
    **dict.fromkeys("Ss", (_Content.paint, "stroke")),
    **dict.fromkeys(("B", "B*", "b", "b*"), (_Content.paint, "fill", "stroke")),
    "sh": (_Content.shade,), "Do": (_Content.thing,), "INLINE IMAGE": (_Content.picture,),
    "BT": (_Content.begin,), "Tf": (_Content.font,), "Tm": (_Content.place,),
    "T*": (_Content.next_line,), "Td": (_Content.line_down,),
    "TD": (_Content.line_and_leading,), "'": (_Content.show_next,), '"': (_Content.show_apart,),
    "Tj": (_Content.show,), "TJ": (lambda content, operands: content.show(list(operands[0])),),
    "Tc": (_Content.keep, "char_spacing"), "Tw": (_Content.keep, "word_spacing"),
    "Tz": (_Content.keep, "scaling", 100), "TL": (_Content.keep, "leading"),
    "Ts": (_Content.keep, "rise"), "Tr": (_Content.keep, "mode"),
}  # fmt: skip
"""Methods, with further arguments, by operators, as pikepdf's parser names them."""


class _Cell(PaintObserver):
    """Passes on what is painted in a pattern, a glyph or the group of a mask."""

    def __init__(self, observer: PaintObserver, box: Rect, prints: bool) -> None:
        self.observer, self.box, self.prints = observer, box, prints
        self.heaviest: Colour | None = None
        self.setting = observer.setting  # type: ignore[method-assign]

    def filled(self, _: Rect, colour: Colour) -> None:
        if not colour.is_paper:
            colour = replace(colour, pattern=self, alpha=colour.alpha if self.prints else 0.0)
        most = sum(self.heaviest.inks.values()) if self.heaviest is not None else -1.0
        if sum(colour.inks.values()) > most:
            self.heaviest = colour
        self.observer.filled(self.box, colour)

    def line(self, _: Rect, colour: Colour, width: float) -> None:
        self.filled(self.box, colour)
        if self.prints:
            self.observer.line(self.box, colour, width)

    def picture(self, _: Rect, image: Any, size: Size, colour: Colour, part: Rect) -> None:
        if self.prints:
            self.observer.picture(self.box, image, size, colour, part)
        else:
            self.filled(self.box, colour)

    def font(self, face: EmbeddedFont) -> None:
        if self.prints:
            self.observer.font(face)
