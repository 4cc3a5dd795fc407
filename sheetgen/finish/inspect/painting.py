"""Graphics state, operators and colours of page content, and the protocol of its observers."""

from __future__ import annotations

import math
import operator
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any, Final, Protocol, TypeAlias

from sheetgen.finish.inspect.geometry import ALL, Matrix
from sheetgen.finish.inspect.glyph_boxes import EmbeddedFont
from sheetgen.load.bounds import pass_memory_error
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
        pattern: The pattern or gradient that it is part of; None for a flat colour.
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
    group_alpha: float = 1.0
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


# Find the heaviest colour of a gradient: a shading, by itself or as a pattern.


_STEPS: Final = 256
"""Places of a function of one variable at which it is computed."""

_STEPS_OF_TWO: Final = 24
"""The same for each of two variables."""

_MOST_POINTS: Final = 200_000
"""Points of a mesh."""


def colour_of_gradient(shading: Any, space: Space, *, background: bool) -> Colour:
    """Return the colour of a shading with the most ink; without components if it is not known.

    Args:
        background: Whether what is beyond the gradient is filled too, as in patterns.
    """
    try:
        found = list(_colours(shading, space))
        if background and "/Background" in shading:
            found.append(tuple(float(number) for number in shading.Background))
        heaviest = max(found, key=lambda numbers: sum(space.inks(numbers).values()))
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        heaviest = ()
    return Colour(space.family, heaviest if space.plates else (), space, shading)


def _colours(shading: Any, space: Space) -> Iterator[tuple[float, ...]]:
    kind = int(shading.get("/ShadingType", 0))
    function = function_of(shading.Function) if "/Function" in shading else None
    if kind in (4, 5, 6, 7):
        points = _points_of_mesh(shading, kind, 1 if function else space.count)
        if function is None:
            yield from points
            return
        ends = [number for point in points for number in point]
        low, high = min(ends), max(ends)
        yield from (tuple(function([low + (high - low) * n / _STEPS])) for n in range(_STEPS + 1))
        return
    if function is None:
        raise ValueError("no function")
    domain = pairs_of(shading.get("/Domain", [0, 1, 0, 1]))
    count, variables = (_STEPS_OF_TWO, 2) if kind == 1 else (_STEPS, 1)
    places = [
        [low + (high - low) * n / count for n in range(count + 1)]
        for low, high in domain[:variables]
    ]
    if variables == 1:  # the ends of the parts are often the heaviest
        places[0] += _bounds(shading.Function, 0)
    for values in product(*places):
        yield tuple(function(values))


def _bounds(function: Any, depth: int) -> list[float]:
    import pikepdf

    if isinstance(function, pikepdf.Array) or depth:
        return []
    edges = [float(number) for number in list(function.get("/Bounds", []))[:1000]]
    return edges + [edge - 1e-6 for edge in edges]


def _points_of_mesh(shading: Any, kind: int, numbers: int) -> Iterator[tuple[float, ...]]:
    """Yield the components at the points of a mesh (8.7.4.5.5 to 8.7.4.5.8)."""
    data = unpacked(shading)
    place, bits = int(shading.BitsPerCoordinate), int(shading.BitsPerComponent)
    flag = int(shading.get("/BitsPerFlag", 0)) if kind != 5 else 0
    decode = pairs_of(shading.Decode)[2:]
    at, end = 0, len(data) * 8
    for _ in range(_MOST_POINTS):
        points, colours = 1, 1
        if kind in (6, 7):
            continued = at + flag <= end and _bits(data, at, flag) & 3
            points = (12 if kind == 6 else 16) - (4 if continued else 0)
            colours = 2 if continued else 4
        at += flag + 2 * points * place
        for _ in range(colours):
            if at + numbers * bits > end:
                return
            found = []
            for low, high in decode[:numbers]:
                found.append(low + _bits(data, at, bits) * (high - low) / ((1 << bits) - 1))
                at += bits
            yield tuple(found)
        at = (at + 7) // 8 * 8
    raise ValueError("a large mesh")


def _bits(data: bytes, at: int, count: int) -> int:
    piece = int.from_bytes(data[at // 8 : (at + count + 7) // 8])
    return (piece >> (-(at + count) % 8)) & ((1 << count) - 1)


# Evaluate the functions of a PDF (ISO 32000, 7.10), which gradients take their colours from.


Function: TypeAlias = Callable[[Sequence[float]], list[float]]

_DEEPEST: Final = 6
"""Nesting of stitching functions and of procedures."""

_MOST_PARTS: Final = 1000
_MOST_TABLE: Final = 1_000_000
_MOST_STEPS: Final = 20_000


def function_of(given: Any, depth: int = 0) -> Function:
    """Return a function that computes what a PDF function does.

    Args:
        given: A function, or an array of functions with one result each.

    Raises:
        ValueError: It is damaged, or too large.
    """
    import pikepdf

    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    if isinstance(given, pikepdf.Array):
        parts = [function_of(one, depth + 1) for one in list(given)[:32]]
        return lambda values: [number for part in parts for number in part(values)]
    makers = {0: _sampled, 2: _exponential, 3: _stitched, 4: _calculator}
    maker = makers.get(int(given.get("/FunctionType", -1)))
    if maker is None:
        raise ValueError("an unknown type")
    inner = maker(given, depth)
    domain, range_ = pairs_of(given.Domain), pairs_of(given.get("/Range", []))

    def evaluate(values: Sequence[float]) -> list[float]:
        found = inner([_clamp(v, *ends) for v, ends in zip(values, domain, strict=False)])
        return [_clamp(v, *ends) for v, ends in zip(found, range_, strict=False)] or found

    return evaluate


def pairs_of(numbers: Any) -> list[tuple[float, float]]:
    """Return numbers as pairs."""
    flat = [float(number) for number in numbers]
    return list(zip(flat[::2], flat[1::2], strict=False))


def _clamp(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _between(value: float, ends: tuple[float, float], to: tuple[float, float]) -> float:
    if ends[1] == ends[0]:
        return to[0]
    return to[0] + (value - ends[0]) * (to[1] - to[0]) / (ends[1] - ends[0])


def _exponential(given: Any, _: int) -> Function:
    first = [float(n) for n in given.get("/C0", [0])]
    last = [float(n) for n in given.get("/C1", [1])]
    power = float(given.get("/N", 1))
    pairs = list(zip(first, last, strict=False))
    return lambda values: [a + values[0] ** power * (b - a) for a, b in pairs]


def _stitched(given: Any, depth: int) -> Function:
    parts = [function_of(one, depth + 1) for one in list(given.Functions)[:_MOST_PARTS]]
    domain = pairs_of(given.Domain)[0]
    edges = [domain[0], *(float(n) for n in given.Bounds), domain[1]]
    encode = pairs_of(given.Encode)

    def evaluate(values: Sequence[float]) -> list[float]:
        value = values[0]
        at = next((n for n in range(len(parts) - 1) if value < edges[n + 1]), len(parts) - 1)
        return parts[at]([_between(value, (edges[at], edges[at + 1]), encode[at])])

    return evaluate


def _sampled(stream: Any, _: int) -> Function:
    size, bits = [int(n) for n in stream.Size], int(stream.BitsPerSample)
    domain, range_ = pairs_of(stream.Domain), pairs_of(stream.Range)
    encode = pairs_of(stream.get("/Encode", [n for one in size for n in (0, one - 1)]))
    decode = pairs_of(stream.get("/Decode", stream.Range))
    count = len(range_)
    if math.prod(size) * count > _MOST_TABLE or len(size) > 4:
        raise ValueError("a large table")
    data, top = stream.read_bytes(), (1 << bits) - 1

    def sample(place: Sequence[int], n: int) -> float:
        at = 0
        for position, wide in zip(reversed(place), reversed(size), strict=True):
            at = at * wide + position
        start = (at * count + n) * bits
        piece = int.from_bytes(data[start // 8 : (start + bits + 7) // 8])
        return (piece >> (-(start + bits) % 8)) & top

    def evaluate(values: Sequence[float]) -> list[float]:
        corners = []
        for value, ends, to, wide in zip(values, domain, encode, size, strict=True):
            exact = _clamp(_between(value, ends, to), 0, wide - 1)
            low = min(int(exact), max(wide - 2, 0))
            high = min(low + 1, wide - 1)
            corners.append(((low, 1 - exact + low), (high, exact - low)))
        found = [0.0] * count
        for corner in product(*corners):
            weight = math.prod(share for _, share in corner)
            for n in range(count) if weight else ():
                found[n] += weight * sample([place for place, _ in corner], n)
        return [_between(v, (0, top), to) for v, to in zip(found, decode, strict=True)]

    return evaluate


_TOKENS: Final = re.compile(r"[{}]|[^\s{}]+")


def _calculator(stream: Any, _: int) -> Function:
    data = stream.read_bytes()[:100_000].decode("latin-1")
    words = iter(_TOKENS.findall(re.sub(r"%.*", "", data)))
    if next(words, "") != "{":
        raise ValueError("no procedure")
    body = _procedure(words, 0)

    def evaluate(values: Sequence[float]) -> list[float]:
        stack: list[Any] = list(values)
        _run(body, stack, [0])
        return [float(value) for value in stack]

    return evaluate


def _procedure(words: Iterator[str], depth: int) -> list[Any]:
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    body: list[Any] = []
    for word in words:
        if word == "}":
            break
        if word == "{":
            body.append(_procedure(words, depth + 1))
        elif re.fullmatch(r"[-+]?\d+", word):
            body.append(int(word))
        else:
            body.append(float(word) if re.fullmatch(r"[-+.\d][-+.\deE]*", word) else word)
    return body


def _either(whole: Callable[[bool, bool], Any], bits: Callable[[int, int], Any]) -> Any:
    return lambda a, b: whole(a, b) if isinstance(a, bool) else bits(int(a), int(b))


_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": lambda a, b: a / b if b else 0.0,
    "idiv": lambda a, b: int(a / b) if b else 0,
    "mod": lambda a, b: int(math.fmod(a, b)) if b else 0,
    "exp": lambda a, b: abs(a) ** b if a else 0.0,
    "atan": lambda a, b: math.degrees(math.atan2(a, b)) % 360,
    "eq": operator.eq,
    "ne": operator.ne,
    "gt": operator.gt,
    "ge": operator.ge,
    "lt": operator.lt,
    "le": operator.le,
    "and": _either(lambda a, b: a and b, operator.and_),
    "or": _either(lambda a, b: a or b, operator.or_),
    "xor": _either(operator.ne, operator.xor),
    "bitshift": lambda a, b: int(a) << min(int(b), 32) if b >= 0 else int(a) >> min(-int(b), 32),
}
_UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "abs": abs,
    "neg": operator.neg,
    "ceiling": math.ceil,
    "floor": math.floor,
    "round": lambda a: math.floor(a + 0.5),
    "truncate": int,
    "cvi": int,
    "cvr": float,
    "sqrt": lambda a: math.sqrt(max(a, 0)),
    "sin": lambda a: math.sin(math.radians(a)),
    "cos": lambda a: math.cos(math.radians(a)),
    "ln": lambda a: math.log(max(a, 1e-9)),
    "log": lambda a: math.log10(max(a, 1e-9)),
    "not": lambda a: not a if isinstance(a, bool) else ~int(a),
}


def _run(body: list[Any], stack: list[Any], steps: list[int]) -> None:
    """Run a procedure of the calculator on a stack.

    Raises:
        ValueError: It uses an unknown operator, or takes too long.
    """
    for word in body:
        steps[0] += 1
        if steps[0] > _MOST_STEPS or len(stack) > 200:
            raise ValueError("a long calculation")
        if not isinstance(word, str):
            stack.append(word)
        elif word in _BINARY:
            second, first = stack.pop(), stack.pop()
            stack.append(_BINARY[word](first, second))
        elif word in _UNARY:
            stack.append(_UNARY[word](stack.pop()))
        elif word in ("true", "false"):
            stack.append(word == "true")
        elif word in ("if", "ifelse"):
            other = stack.pop() if word == "ifelse" else []
            chosen = stack.pop()
            _run(chosen if stack.pop() else other, stack, steps)
        else:
            _move(word, stack)


def _move(word: str, stack: list[Any]) -> None:
    if word == "pop":
        stack.pop()
    elif word == "dup":
        stack.append(stack[-1])
    elif word == "exch":
        stack[-2:] = stack[:-3:-1]
    elif word == "copy":
        count = int(stack.pop())
        stack += stack[len(stack) - count :]
    elif word == "index":
        stack.append(stack[-1 - int(stack.pop())])
    elif word == "roll":
        by, count = int(stack.pop()), int(stack.pop())
        if count:
            part = stack[-count:]
            by %= count
            stack[-count:] = part[count - by :] + part[: count - by]
    else:
        raise ValueError(f"an unknown operator, {word[:20]}")


# Colour spaces of a PDF: their families, and the ink that their colours print.


PROCESS: Final = ("Cyan", "Magenta", "Yellow", "Black")
"""Names of the four process colours, as PDF spells them."""

_DEVICE: Final = {
    "/DeviceGray": ("gray", 1),
    "/G": ("gray", 1),
    "/CalGray": ("calgray", 1),
    "/DeviceRGB": ("rgb", 3),
    "/RGB": ("rgb", 3),
    "/CalRGB": ("rgb", 3),
    "/DeviceCMYK": ("cmyk", 4),
    "/CMYK": ("cmyk", 4),
    "/Lab": ("lab", 3),
    "/Pattern": ("pattern", 0),
}
_DEEPEST_SPACE: Final = 4
"""Colour spaces within each other, such as Indexed, ICCBased with an alternate."""


@dataclass(frozen=True, slots=True)
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


def space_of(given: Any, resources: Any = None, depth: int = 0) -> Space:
    """Return a colour space.

    Args:
        given: A name or an array.
        resources: Where names of the file's own are looked up.
    """
    import pikepdf

    name, rows = given, None
    if isinstance(given, pikepdf.Array) and len(given):
        name, rows = given[0], given
    key = str(name)
    if depth > _DEEPEST_SPACE:
        return Space(key[1:41], 0)
    named = resources.get("/ColorSpace", {}).get(key) if resources is not None else None
    if rows is None and named is not None and key not in _DEVICE:
        return space_of(named, resources, depth + 1)
    if rows is not None and len(rows) > 1:
        if key in ("/Indexed", "/I"):
            return _indexed(rows, space_of(rows[1], resources, depth + 1))
        if key == "/Pattern":
            return Space("pattern", 0, base=space_of(rows[1], resources, depth + 1))
        if key == "/ICCBased":
            return _plain("icc", int(rows[1].get("/N", 0)))
        if key in ("/Separation", "/DeviceN"):
            return _spots([rows[1]] if key == "/Separation" else list(rows[1])[:64])
    family, count = _DEVICE.get(key, (key[1:41], 0))
    return _plain(family, count)


def _plain(family: str, count: int) -> Space:
    if family == "lab" or count not in (1, 4):
        return Space(family, count)
    plates = PROCESS if count == 4 else PROCESS[-1:]
    return Space(family, count, plates, light=count == 1)


def _spots(names: Sequence[Any]) -> Space:
    """Return a Separation or DeviceN space; one of process colours alone is CMYK."""
    plates = tuple(str(name)[1:61] for name in names)
    spots = tuple(name for name in plates if name not in (*PROCESS, "None", "All"))
    return Space("spot" if spots else "cmyk", len(plates), plates, spots=spots, named=True)


def _indexed(rows: Any, base: Space) -> Space:
    import pikepdf

    stream = rows[3] if len(rows) > 3 else b""
    data = stream.read_bytes() if isinstance(stream, pikepdf.Stream) else bytes(stream)
    return replace(base, count=1, light=False, base=base, palette=data[:65_536])
