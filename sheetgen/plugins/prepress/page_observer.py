"""What a print shop checks on a page, and the colour with the most ink in a picture or gradient.

Samples of pictures are read in blocks of rows, so that a large picture takes little memory.
"""

from __future__ import annotations

import io
import math
import operator
import re
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor
from typing import Any, Final, TypeAlias

from sheetgen.bounds import pass_memory_error
from sheetgen.finish.saving import list_of
from sheetgen.plugins.prepress.contents import (
    CMYK,
    GRAY,
    PROCESS,
    RGB,
    Colour,
    EmbeddedFont,
    Font,
    PaintObserver,
    Point,
    Rect,
    Size,
    Space,
    TooMuch,
    bounding_box,
    distances,
    intersect_boxes,
    is_number,
    opens_in_blocks,
    unpack_blocks,
)
from sheetgen.records import frozen

_BLOCK: Final = 4_000_000  # Bytes of a block of rows
_MOST: Final = 80_000_000  # Bytes of samples where they cannot be read in blocks
_LARGEST: Final = 1_000_000_000
_MOST_SIDE: Final = 1_000_000

_WORDS: Final = {"/JPXDecode": "JPEG 2000", "/JBIG2Decode": "JBIG2", "/CCITTFaxDecode": "fax"}

Rows: TypeAlias = tuple[int, list[Any]]
"""Some rows of an image: the first one's number, and a picture of 8 bits for each component."""


class NotMeasured(ValueError):
    """The ink of a picture is not known; the message says why."""


def heaviest_colour(image: Any, space: Space, part: Rect, tick: Callable[[], None]) -> Colour:
    """Return the colour of an image's visible pixel with the most ink, without components if none.

    `part` is what is visible of the unit square, y upwards; `tick` may raise to end the search.
    Screen colours and data that cannot be read are `NotMeasured`.
    """
    name = ""
    try:
        source = _Source(image, space, tick)
        space, name = source.space, _WORDS.get(source.filter, "")
        if not space.plates:
            raise NotMeasured("")
        if source.bits == 1 and source.filter in ("/CCITTFaxDecode", "/JBIG2Decode"):
            found = [space.inks([source.decode[0][at]]) for at in (0, 1)]
        else:
            found = list(_search(source, part))
        inks = max(found, key=_total, default={})
        plates = Space(space.family, len(inks), tuple(inks), spots=space.spots, named=space.named)
        return Colour(plates, tuple(inks.values()))
    except (NotMeasured, TooMuch):
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        raise NotMeasured(f"its data cannot be read{name and f' ({name})'}") from None


def _total(inks: Mapping[str, float]) -> float:
    return sum(inks.values())


class _Source:
    """An image, and the rows of its samples."""

    def __init__(self, image: Any, space: Space, tick: Callable[[], None]) -> None:
        self.image, self.tick = image, tick
        self.width, self.height = int(image.get("/Width", 0)), int(image.get("/Height", 0))
        if not (0 < self.width <= _MOST_SIDE and 0 < self.height <= _MOST_SIDE):
            raise NotMeasured("its size is wrong")
        self.filters = [str(one) for one in list_of(image.get("/Filter"))]
        self.filter = self.filters[-1] if self.filters else ""
        masks = image.get("/ImageMask") is True
        self.bits = 1 if masks else int(image.get("/BitsPerComponent", 8))
        self.opened = self._open() if self.filter == "/JPXDecode" else None
        if self.opened is not None and space.count == 0:
            space = {"L": GRAY, "LA": GRAY, "CMYK": CMYK}.get(self.opened.mode, RGB)
        self.space, self.count = space, max(space.count, 1)
        self.decode = pairs_of(image.get("/Decode", []))[: self.count]
        if len(self.decode) < self.count:
            top = (1 << self.bits) - 1 if space.palette is not None else 1
            self.decode = [(0.0, float(top))] * self.count

    def rows(self) -> Iterator[Rows]:
        """Yield the image in blocks of rows."""
        from PIL import Image, ImageChops

        if self.filter in ("/DCTDecode", "/JPXDecode", "/DCT"):
            opened = self.opened or self._open()
            self.tick()
            bands = list(opened.split())
            if len(bands) < self.count or bands[0].mode != "L":
                raise NotMeasured("its components are unusual")
            bands = bands[: self.count]
            if opened.mode == "CMYK" and opened.format == "JPEG":  # Pillow inverts them always
                bands = [ImageChops.invert(band) for band in bands]
            self.width, self.height, self.bits = opened.width, opened.height, 8
            many = max(1, _BLOCK // (4 * self.width))
            for top in range(0, self.height, many):
                self.tick()
                box = (0, top, self.width, min(top + many, self.height))
                yield top, [band.crop(box) for band in bands]
            return
        if self.bits not in (1, 2, 4, 8, 16):
            raise NotMeasured("its samples have an unusual size")
        wide = self.width * self.count
        stride, top = (wide * self.bits + 7) // 8, 0
        for data in _unpacked(self.image, stride * self.height, stride * max(1, _BLOCK // stride)):
            self.tick()
            count = min(len(data) // stride, self.height - top)
            if count <= 0:
                return
            samples = data[: count * stride]
            if self.bits == 16:
                samples = samples[::2]
            elif self.bits < 8:  # a row is filled up to whole bytes
                mode = f"P;{self.bits}"
                samples = Image.frombytes("P", (wide, count), samples, "raw", mode).tobytes()
            size = self.width, count
            parts = (samples[n :: self.count] for n in range(self.count))
            yield top, [Image.frombytes("L", size, part) for part in parts]
            top += count

    def _open(self) -> Any:
        import pikepdf
        from PIL import Image

        data = self.image.read_raw_bytes()
        if before := self.filters[:-1]:
            owner = pikepdf.new()  # without its file, a stream is nothing
            inner = pikepdf.Stream(owner, data)
            inner.Filter = pikepdf.Array(map(pikepdf.Name, before))
            data = b"".join(_unpacked(inner, _MOST, _BLOCK))
        opened = Image.open(io.BytesIO(data), formats=["JPEG", "JPEG2000"])
        if opened.width * opened.height * 4 > _MOST:
            raise NotMeasured("it is too large")
        return opened

    def table(self, component: int, of: float) -> list[int]:
        """Return the table from a sample of 8 bits or less to its decoded value."""
        low, high = self.decode[component]
        top = 255 if self.bits >= 8 else (1 << self.bits) - 1
        values = (of * (low + min(n, top) * (high - low) / top) for n in range(256))
        return [min(255, max(0, round(value))) for value in values]


def _unpacked(stream: Any, expected: int, size: int) -> Iterator[bytes]:
    """Yield the data of a stream in blocks, or raise `NotMeasured`; stop after what is expected."""
    if expected > (_LARGEST if opens_in_blocks(stream) else _MOST):
        raise NotMeasured("it is too large")
    try:  # of data with a predictor, there is a byte more in a row
        yield from unpack_blocks(stream, 2 * expected + _BLOCK, size)
    except TooMuch:
        raise NotMeasured("it is too large") from None


def _alpha(source: _Source) -> Any:
    """Return how opaque the pixels of an image are, as a picture of its size; None for opaque."""
    import pikepdf
    from PIL import Image, ImageChops

    soft = source.image.get("/SMask")
    mask = soft if soft is not None else source.image.get("/Mask")
    if not isinstance(mask, pikepdf.Stream) or source.width * source.height > _MOST // 4:
        return None
    below = _Source(mask, Space("gray", 1), source.tick)
    if below.width * below.height > _MOST // 4:
        return None
    found = Image.new("L", (below.width, below.height), 255)
    for top, bands in below.rows():
        found.paste(bands[0].point(below.table(0, 255)), (0, top))
    if soft is None:  # in a stencil, one is masked out
        found = ImageChops.invert(found)
    size = source.width, source.height
    return found if found.size == size else found.resize(size, Image.Resampling.NEAREST)


def _search(source: _Source, part: Rect) -> Iterator[Mapping[str, float]]:
    """Yield the inks of the heaviest visible pixel in each block of rows."""
    import pikepdf
    from PIL import Image, ImageChops

    alpha, keyed = _alpha(source), source.image.get("/Mask")
    for begin, rows in source.rows():
        width, height = source.width, source.height
        left, right = floor(part[0] * width + 0.01), ceil(part[2] * width - 0.01)
        first = max(floor((1 - part[3]) * height + 0.01) - begin, 0)
        last = min(ceil((1 - part[1]) * height - 0.01) - begin, rows[0].height)
        if left >= right or first >= last:
            continue
        bands, clear = [band.crop((left, first, right, last)) for band in rows], None
        if alpha is not None:
            clear = alpha.crop((left, begin + first, right, begin + last))
        elif isinstance(keyed, pikepdf.Array) and len(keyed) >= 2 * len(bands):
            hidden = Image.new("L", bands[0].size, 255)
            for band, (low, high) in zip(bands, pairs_of(keyed), strict=False):
                inside = band.point([255 if low <= v <= high else 0 for v in range(256)])
                hidden = ImageChops.darker(hidden, inside)
            clear = ImageChops.invert(hidden)
        yield _heaviest(source, bands, clear)


def _heaviest(source: _Source, bands: list[Any], clear: Any) -> Mapping[str, float]:
    """Return the inks of the heaviest visible pixel; `clear`: how opaque pixels are, if not all."""
    from PIL import ImageMath

    space = source.space
    if space.palette is not None:
        table = source.table(0, 1)
        shown = clear.point([0, *[255] * 255]) if clear is not None else None
        used = (n for n, count in enumerate(bands[0].histogram(shown)) if count)
        return max((space.inks([table[n]]) for n in used), key=_total, default={})
    tables = [source.table(n, 255) for n in range(len(bands))]
    if space.light:
        tables = [[255 - value for value in table] for table in tables]
    values = [band.point(table) for band, table in zip(bands, tables, strict=True)]
    names = {f"b{n}": band for n, band in enumerate(values)}
    weights = [{"All": 4, "None": 0}.get(plate, 1) for plate in space.plates]

    def total(args: Any) -> Any:
        added = sum((args[name] * weight for name, weight in zip(names, weights, strict=False)), 0)
        return added * args["clear"] / 255 if clear is not None else added

    sums = ImageMath.lambda_eval(total, **names, **({"clear": clear} if clear is not None else {}))
    most = int(sums.getextrema()[1])
    if not most:
        return {}
    place = array("i", sums.convert("I").tobytes()).index(most)
    at = place % sums.width, place // sums.width
    share = clear.getpixel(at) / 255 if clear is not None else 1.0
    numbers = [value.getpixel(at) / 255 * share for value in values]
    return Space(space.family, len(numbers), space.plates).inks(numbers)


# Gradients: shadings, by themselves or as patterns.


_STEPS: Final = 256  # Places of a gradient at which its colour is computed
_SIDE_STEPS: Final = 32  # The same along each side of a gradient of two variables
_DEEPEST: Final = 6  # Nesting of stitching functions
_MOST_PARTS: Final = 1000
_MOST_TABLE: Final = 1_000_000
_MOST_CORNERS: Final = 200_000  # Corners of a mesh whose colours are compared

Place: TypeAlias = tuple[float, ...]
"""The results of a function at one place; the components of a colour."""

_CORNERS: Final = {4: ((1, 1),), 5: ((1, 1),), 6: ((12, 4), (8, 2)), 7: ((16, 4), (12, 2))}
"""Points and colours of a piece of a mesh, by its kind; then of one that goes on from another."""


class _Gradient:
    """The colours of a shading, computed once, to find the heaviest in a part of it."""

    def __init__(self, shading: Any, space: Space) -> None:
        self.shading, self.space = shading, space
        self.kind, function = int(shading.get("/ShadingType", 0)), shading.get("/Function")
        self.compute: Callable[[float], Place] | None = None  # of colours along an axis
        self.places: list[float] = []
        if self.kind == 1 and int(function.get("/FunctionType", -1)) == 0:
            ranges = pairs_of(function.Range)  # the heaviest is one of its samples
            found = [_clip(sample, ranges) for sample in _samples_of(function)]
        elif self.kind == 1:
            compute, domain = _compile(function), pairs_of(shading.get("/Domain", [0, 1, 0, 1]))
            steps = [n / _SIDE_STEPS for n in range(_SIDE_STEPS + 1)]
            across, up = ([low + (high - low) * n for n in steps] for low, high in domain)
            found = [compute(x, y) for x in across for y in up]
        elif self.kind in _CORNERS:
            corners = _colours_of_mesh(
                shading, self.kind, 1 if function is not None else space.count
            )
            found = [*corners]
            if function is not None:
                places = _places_between(function, (min(corners)[0], max(corners)[0]))
                found = values_of(function, places)
        else:
            self.domain = pairs_of(shading.get("/Domain", [0, 1]))[0]
            self.places, self.compute = _places_between(function, self.domain), _compile(function)
            found = [self.compute(place) for place in self.places]
        self.colours = [(_total(space.inks(numbers)), numbers) for numbers in found]
        if not found:
            raise ValueError("a mesh without corners")

    def heaviest(self, outlines: Sequence[Sequence[Point]], background: bool) -> Colour:
        """Return the colour with the most ink in all `outlines`, and of the `background` beyond.

        It is invisible if the gradient paints nothing there.
        """
        found, beyond = self.colours, background
        if self.compute is not None:
            ends = [bool(end) for end in self.shading.get("/Extend", [False, False])]
            lows, highs = zip(*map(self._part, outlines), strict=True)
            low, high = max(lows), min(highs)
            beyond &= (low < 0 and not ends[0]) or (high > 1 and not ends[1])
            found = []
            if (high >= 0 or ends[0]) and (low <= 1 or ends[1]):
                low, high = min(max(low, 0), 1), min(max(high, 0), 1)
                near = 1e-6 if high - low > 1e-5 else 0  # a colour that begins at the end is beyond
                low, high = (
                    _between(one, (0, 1), self.domain) for one in (low + near, high - near)
                )
                first, last = bisect_right(self.places, low), bisect_right(self.places, high)
                at_ends = map(self.compute, (low, high))
                found = [(_total(self.space.inks(numbers)), numbers) for numbers in at_ends]
                found += self.colours[first:last]
        if beyond and "/Background" in self.shading:
            numbers = tuple(map(float, self.shading.Background))
            found = [*found, (_total(self.space.inks(numbers)), numbers)]
        if not found:
            return Colour(self.space, (), self.shading, alpha=0.0)
        return Colour(self.space, max(found)[1], self.shading)

    def _part(self, points: Sequence[Point]) -> tuple[float, float]:
        """Return what part of the axis is between the points; 0 to 1 is the axis itself."""
        coords = [float(number) for number in self.shading.Coords]
        if self.kind == 2:
            x, y, to_x, to_y = coords
            across, up = to_x - x, to_y - y
            square = across * across + up * up
            found = [((one - x) * across + (other - y) * up) / square for one, other in points]
            return min(found), max(found)
        x, y, radius, to_x, to_y, to_radius = coords
        if math.hypot(to_x - x, to_y - y) > 1e-6 or radius == to_radius:
            return -math.inf, math.inf  # circles with two centres: all of it
        left, foot, right, top = bounding_box(points)
        away = math.hypot(max(left - x, 0, x - right), max(foot - y, 0, y - top))
        far = max(math.hypot(one - x, other - y) for one, other in points)
        low, high = sorted((d - radius) / (to_radius - radius) for d in (away, far))
        return low, high


def _places_between(function: Any, ends: tuple[float, float]) -> list[float]:
    """Return many places of a function of one variable, in their order."""
    low, high = ends
    places = [low + (high - low) * n / _STEPS for n in range(_STEPS + 1)]
    if hasattr(function, "keys"):  # the ends of the parts are often the heaviest
        edges = list(function.get("/Bounds", []))[:_MOST_PARTS]
        places += (float(edge) - less for edge in edges for less in (0, 1e-6))
    return sorted(min(max(place, low), high) for place in places)


def _colours_of_mesh(shading: Any, kind: int, count: int) -> set[Place]:
    """Return the colours of a mesh's corners, which it mixes; a large one is a `ValueError`."""
    point, bits = int(shading.BitsPerCoordinate), int(shading.BitsPerComponent)
    flags = int(shading.BitsPerFlag) if kind != 5 else 0
    decode, top = pairs_of(shading.Decode)[2 : 2 + count], (1 << bits) - 1
    data = b"".join(_unpacked(shading, _MOST_TABLE, _BLOCK))
    found: set[tuple[int, ...]] = set()
    at = 0
    for _ in range(_MOST_CORNERS):
        goes_on = flags and bits_of(data, at, flags) & 3 and len(_CORNERS[kind]) > 1
        points, colours = _CORNERS[kind][1 if goes_on else 0]
        at += flags + 2 * points * point
        if at + colours * count * bits > 8 * len(data):
            return {
                tuple(_between(n, (0, top), to) for n, to in zip(one, decode, strict=True))
                for one in found
            }
        for _ in range(colours):
            found.add(tuple(bits_of(data, at + n * bits, bits) for n in range(count)))
            at += count * bits
        at = -(-at // 8) * 8
    raise ValueError("a large mesh")


def bits_of(data: bytes, start: int, bits: int) -> int:
    """Return the number that is some bits of `data`."""
    piece = int.from_bytes(data[start // 8 : (start + bits + 7) // 8])
    return (piece >> (-(start + bits) % 8)) & ((1 << bits) - 1)


def values_of(function: Any, places: Iterable[float]) -> list[Place]:
    """Return the results of a function of one variable; a damaged one is a `ValueError`."""
    compute = _compile(function)
    return [compute(place) for place in places]


def _compile(function: Any, depth: int = 0) -> Callable[..., Place]:
    """Return what computes a function (ISO 32000, 7.10), or an array of functions."""
    import pikepdf

    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    if isinstance(function, pikepdf.Array):
        every = [_compile(one, depth + 1) for one in list(function)[:32]]
        return lambda *at: sum((one(*at) for one in every), ())
    kind = int(function.get("/FunctionType", -1))
    domain, ranges = pairs_of(function.Domain), pairs_of(function.get("/Range", []))
    if kind == 0:
        samples = _samples_of(function)
        last = len(samples) - 1
        (encode,) = pairs_of(function.get("/Encode", [0, last]))

        def compute(*at: float) -> Place:
            exact = min(max(_between(at[0], domain[0], encode), 0), last)
            below = min(int(exact), max(last - 1, 0))
            pairs = zip(samples[below], samples[min(below + 1, last)], strict=True)
            return tuple(one + (other - one) * (exact - below) for one, other in pairs)
    elif kind == 2:
        first, second = function.get("/C0", [0]), function.get("/C1", [1])
        ends = [(float(a), float(b)) for a, b in zip(first, second, strict=False)]
        power = float(function.get("/N", 1))

        def compute(*at: float) -> Place:
            return tuple(a + at[0] ** power * (b - a) for a, b in ends)
    elif kind == 3:
        listed = list(function.Functions)[:_MOST_PARTS]
        inner = [float(edge) for edge in function.Bounds][: len(listed) - 1]
        edges, encodes = [domain[0][0], *inner, domain[0][1]], pairs_of(function.Encode)
        parts: dict[int, Callable[..., Place]] = {}  # those in use: a file may nest many

        def compute(*at: float) -> Place:
            n = bisect_right(inner, at[0])
            if n not in parts:
                parts[n] = _compile(listed[n], depth + 1)
            return parts[n](_between(at[0], (edges[n], edges[n + 1]), encodes[n]))
    else:
        program = _program_of(function)

        def compute(*at: float) -> Place:
            found = tuple(map(float, _run_calculator(program, [*at])))
            if not all(map(math.isfinite, found)):
                raise ValueError("a result that is no number")
            return found

    return lambda *at: _clip(compute(*_clip(at, domain)), ranges)


def _clip(numbers: Sequence[float], ranges: Sequence[tuple[float, float]]) -> Place:
    """Return numbers within their ranges, if there are any."""
    pairs = zip(numbers, ranges, strict=False)
    return tuple(min(max(n, low), high) for n, (low, high) in pairs) if ranges else (*numbers,)


def _samples_of(stream: Any) -> list[Place]:
    """Return the samples of a table, one after the other; a large one is a `ValueError`."""
    bits, decode = int(stream.BitsPerSample), pairs_of(stream.get("/Decode", stream.Range))
    size, count, top = math.prod(int(n) for n in stream.Size), len(decode), (1 << bits) - 1
    if not 0 < size * count <= _MOST_TABLE:
        raise ValueError("a large table")
    data = stream.read_bytes()
    values = [
        _between(bits_of(data, at * bits, bits), (0, top), decode[at % count])
        for at in range(size * count)
    ]
    return [tuple(values[at : at + count]) for at in range(0, len(values), count)]


def pairs_of(numbers: Any) -> list[tuple[float, float]]:
    """Return numbers as pairs."""
    flat = [float(number) for number in numbers]
    return list(zip(flat[::2], flat[1::2], strict=False))


def _between(value: float, ends: tuple[float, float], to: tuple[float, float]) -> float:
    if ends[1] == ends[0]:
        return to[0]
    return to[0] + (value - ends[0]) * (to[1] - to[0]) / (ends[1] - ends[0])


# Functions in PostScript (ISO 32000, 7.10.5).


_TOKEN: Final = re.compile(rb"%[^\r\n]*|[{}]|[^\s{}%]+")
_MOST_PROGRAM: Final = 20_000  # bytes of a function in PostScript, which has no loops
_MOST_WHOLE: Final = 2**31  # beyond it, PostScript has real numbers only
_MOST_STACK: Final = 100  # ISO 32000, annex C
_UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "neg": operator.neg, "abs": abs, "ceiling": math.ceil, "floor": math.floor,
    "round": lambda a: math.floor(a + 0.5), "truncate": int, "cvi": int, "cvr": float,
    "sqrt": math.sqrt, "sin": lambda a: math.sin(math.radians(a)),
    "cos": lambda a: math.cos(math.radians(a)), "ln": math.log, "log": math.log10,
    "not": lambda a: not a if isinstance(a, bool) else ~int(a),
}  # fmt: skip
_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "idiv": lambda a, b: int(a / b), "mod": lambda a, b: int(math.fmod(a, b)), "exp": math.pow,
    "atan": lambda a, b: math.degrees(math.atan2(a, b)) % 360,
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "ge": operator.ge,
    "lt": operator.lt, "le": operator.le, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor, "bitshift": lambda a, b: a << min(b, 31) if b >= 0 else a >> -b,
}  # fmt: skip
_ON_THE_STACK: Final = ("pop", "exch", "dup", "copy", "index", "roll", "if", "ifelse")
_WORDS_OF_PROGRAMS: Final = frozenset((*_UNARY, *_BINARY, *_ON_THE_STACK, "true", "false"))


def _program_of(stream: Any) -> list[Any]:
    """Return a function in PostScript: operators, numbers, and lists for what is in braces."""
    if int(stream.get("/FunctionType", -1)) != 4:
        raise ValueError("a function of another kind")
    content = stream.read_bytes()
    if len(content) > _MOST_PROGRAM:
        raise ValueError("a program that is too long")
    program: list[Any] = []
    open_: list[list[Any]] = []
    for token in _TOKEN.findall(content):
        if token == b"{":
            inner: list[Any] = [] if open_ else program
            if open_:
                open_[-1].append(inner)
            open_.append(inner)
            if len(open_) > _MOST_STACK:
                raise ValueError("nested too deep")
        elif token == b"}":
            open_.pop()
            if not open_:
                break
        elif not token.startswith(b"%"):
            word = token.decode("ascii")
            number = int if re.fullmatch(r"[+-]?\d+", word) else float
            open_[-1].append(word if word in _WORDS_OF_PROGRAMS else number(word))
    return program


def _run_calculator(program: list[Any], stack: list[Any]) -> list[Any]:
    """Run a function in PostScript on a stack, and return the stack."""
    for step in program:
        if len(stack) > _MOST_STACK:
            raise ValueError("too much on the stack")
        if not isinstance(step, str):
            stack.append(step)
        elif step in _UNARY:
            stack.append(_UNARY[step](stack.pop()))
        elif step in _BINARY:
            right, left = stack.pop(), stack.pop()
            value = _BINARY[step](left, right)
            stack.append(float(value) if abs(value) > _MOST_WHOLE else value)
        elif step in ("if", "ifelse"):
            other = stack.pop() if step == "ifelse" else []
            then, holds = stack.pop(), stack.pop()
            _run_calculator(then if holds else other, stack)
        elif step in ("true", "false"):
            stack.append(step == "true")
        elif step == "pop":
            stack.pop()
        elif step == "exch":
            stack[-2:] = stack[:-3:-1]
        elif step == "dup":
            stack.append(stack[-1])
        elif step == "copy":
            count = min(int(stack.pop()), len(stack))
            stack += stack[len(stack) - count :]
        elif step == "index":
            stack.append(stack[-1 - int(stack.pop())])
        else:  # roll
            turns, count = int(stack.pop()), int(stack.pop())
            if not 0 < count <= len(stack):
                raise ValueError("less on the stack")
            top, at = stack[-count:], -turns % count
            stack[-count:] = top[at:] + top[:at]
    return stack


# What is painted on a page.


SIDES: Final = ("left", "foot", "right", "top")
LOST: Final = "white overprints what is below it, and disappears in print"
MAY_BE_LOST: Final = "white (gray) overprints what is below it, and may disappear in print"
TOUCH: Final = 0.85  # Points (0.3 mm): colour that ends so close to the trim is meant to reach it
FULL: Final = 0.1  # Points of tolerance at the edge of the bleed
_PARTS: Final = 4  # Parts of one picture that are measured; for further ones, the whole of it is
_BOXES: Final = 24  # Places of one colour that are kept; more are taken together
_COLOURS: Final = 64  # Colours that are kept for what is painted over them


@frozen
class InspectedPicture:
    """A placed image."""

    page: int  # The page, from 1
    pixels: tuple[int, int]
    ppi: float  # Pixels an inch, the lower of both directions
    space: str


@dataclass
class Drawn:
    """What is painted on a page; lengths are points."""

    # The distance from the trim to the nearest text, by side
    text: dict[str, float] = field(default_factory=dict)
    # That text, by side, as far as it can be read
    words: dict[str, str] = field(default_factory=dict)
    # The distance to the nearest drawing that does not reach the trim, by side
    art: dict[str, float] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)  # Sides of the trim that colour reaches
    full: set[str] = field(default_factory=set)  # Those of them where it fills the bleed
    # Colour spaces in use: `gray`, `calgray`, `rgb`, `cmyk`, `spot`, `lab`, `icc`
    colours: set[str] = field(default_factory=set)
    ink: float = 0.0  # The highest ink coverage in per cent, of gray, CMYK and spot colours
    line: float | None = None  # The thinnest line; None for no lines
    clear: set[str] = field(default_factory=set)  # Transparent objects, in words
    spots: set[str] = field(default_factory=set)  # The names of spot colours
    lost: set[str] = field(default_factory=set)  # `LOST`, `MAY_BE_LOST`, if there is such white
    # What has ink that could not be measured, in words
    unmeasured: set[str] = field(default_factory=set)


class PageObserver(PaintObserver):
    """A `PaintObserver` of one page at a time; fonts and pictures are those of all pages."""

    def __init__(self) -> None:
        # Is called now and then; it may raise to end the inspection.
        self.tick: Callable[[], None] = lambda: None
        self._heaviest: dict[Any, Colour | str] = {}
        self._gradients: dict[Any, _Gradient | None] = {}
        self._parts = Counter[tuple[int, int]]()
        self.fonts: dict[Any, Font] = {}
        self.pictures: list[InspectedPicture] = []
        self.begin_page(0, (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))

    def begin_page(self, number: int, trim: Rect, bleed: Rect, media: Rect) -> None:
        """Begin another page."""
        self._page, self._trim = number, trim
        self._bleed = intersect_boxes(bleed, media) or media
        self.drawn = Drawn()
        self._below: dict[tuple[tuple[str, float], ...], list[Rect]] = {}

    def text(self, box: Rect, text: str, colour: Colour) -> None:
        """Record the distance of text from the trim; what is outside it is for the printer."""
        self._inks(box, colour)
        if intersect_boxes(box, self._trim) is None:
            return
        for side, away in zip(SIDES, distances(box, self._trim), strict=True):
            if away < self.drawn.text.get(side, 1e9):
                self.drawn.text[side], self.drawn.words[side] = away, text.strip()[:40]

    def filled(self, box: Rect, colour: Colour) -> None:
        """Record a colour, and where it touches the trim."""
        self._inks(box, colour)
        if not colour.is_paper:
            self._edges(box)

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        """Record a line: its colour, its width, and where it touches the trim."""
        self.filled(box, colour)
        if not colour.is_paper:
            thinnest = self.drawn.line
            self.drawn.line = width if thinnest is None else min(width, thinnest)

    def picture(self, box: Rect, image: Any, size: Size, colour: Colour, part: Rect) -> None:
        """Record a picture: its resolution, its colour space and its ink."""
        self._edges(box)
        pixels = int(image.get("/Width", 0)), int(image.get("/Height", 0))
        mask = image.get("/ImageMask") is True
        if not mask:
            found = self._measure(image, colour.space, part)
            colour = replace(colour, numbers=found.numbers, space=found.space)
        self._inks(box, colour)
        if "/SMask" in image:
            self.drawn.clear.add("a picture with soft edges")
        inches = [max(length, 1e-3) / 72 for length in size]
        ppi = round(min(count / length for count, length in zip(pixels, inches, strict=True)), 1)
        space = "mask" if mask else colour.space.family
        self.pictures.append(InspectedPicture(self._page, pixels, ppi, space))

    def _measure(self, image: Any, space: Space, part: Rect) -> Colour:
        """Return the colour of the pixel with the most ink."""
        key = (image.objgen, part) if image.is_indirect else None
        if key is not None and key not in self._heaviest:
            self._parts[image.objgen] += 1
            if self._parts[image.objgen] > _PARTS:
                key = (image.objgen, part := (0, 0, 1, 1))
        found = self._heaviest.get(key)
        if found is None:
            try:
                found = heaviest_colour(image, space, part, self.tick)
            except NotMeasured as error:
                found = str(error)
            if key is not None:
                self._heaviest[key] = found
        if isinstance(found, Colour):
            return found
        if found:
            self.drawn.unmeasured.add(f"the ink of a picture: {found}")
        return Colour(Space(space.family, 0), ())

    def gradient(
        self, shading: Any, space: Space, outlines: Sequence[Sequence[Point]], background: bool
    ) -> Colour:
        """Return the heaviest colour in all `outlines`; of a damaged gradient, it is not known."""
        self.tick()
        key = shading.objgen
        try:
            if not shading.is_indirect or key not in self._gradients:
                self._gradients[key] = None
                self._gradients[key] = _Gradient(shading, space)
            if space.plates and (found := self._gradients[key]) is not None:
                return found.heaviest(outlines, background)
        except Exception as error:  # noqa: BLE001 - libraries raise anything
            pass_memory_error(error)
        return Colour(space, (), shading)

    def setting(self, settings: Any) -> None:
        """Record transparency in a graphics state, or that of a group."""
        clear = self.drawn.clear
        if any(is_number(settings.get(key)) and settings[key] < 1 for key in ("/ca", "/CA")):
            clear.add("colours that let through")
        if str(settings.get("/SMask", "/None")) != "/None":
            clear.add("soft masks")
        if str(settings.get("/BM", "/Normal")) not in ("/Normal", "/Compatible"):
            clear.add("colours that blend")
        if str(settings.get("/Group", {}).get("/S", "")) == "/Transparency":
            clear.add("transparency groups")
        for key in ("/TR", "/TR2"):
            if str(settings.get(key, "/Identity")) not in ("/Identity", "/Default"):
                self.drawn.unmeasured.add("the ink under a transfer function")

    def font(self, face: EmbeddedFont) -> None:
        """Record a font."""
        self.fonts[id(face)] = face.font

    def _inks(self, box: Rect, colour: Colour) -> None:
        """Record a colour: its family, and the ink of it and of what is below."""
        space, inks, drawn = colour.space, colour.inks, self.drawn
        if colour.is_paper:
            if colour.overprint is not None:
                if space.named or (colour.overprint == 1 and space.plates == PROCESS):
                    drawn.lost.add(LOST)
                elif space.light:  # it replaces what is below, until it is converted to black
                    drawn.lost.add(MAY_BE_LOST)
            return
        drawn.colours.add(space.family)
        drawn.spots.update(name for name in inks if name in space.spots)
        if space.plates and not colour.numbers and colour.alpha:
            drawn.unmeasured.add("the ink of a gradient")
        if not inks or not colour.alpha:
            return
        if colour.overprint is not None or colour.alpha < 1 or colour.blend != "Normal":
            below = [
                dict(key)
                for key, boxes in self._below.items()
                if any(
                    (both := intersect_boxes(box, one)) is not None
                    and min(both[2] - both[0], both[3] - both[1]) > FULL
                    for one in boxes
                )
            ]
            inks = max((mix_inks(colour, inks, under) for under in [{}, *below]), key=_total)
        drawn.ink = max(drawn.ink, round(100 * _total(inks), 1))
        key = tuple(sorted((name, round(amount, 3)) for name, amount in inks.items()))
        boxes = self._below.setdefault(key, [])
        boxes.append(box)
        if len(boxes) > _BOXES:
            self._below[key] = [bounding_box([(x, y) for b in boxes for x, y in (b[:2], b[2:])])]
        if len(self._below) > _COLOURS:
            del self._below[min(self._below, key=lambda one: sum(ink for _, ink in one))]

    def _edges(self, box: Rect) -> None:
        if intersect_boxes(box, self._trim) is None:  # a printer's mark, outside the trim
            return
        inside, beyond = distances(box, self._trim), distances(box, self._bleed)
        for side, away, left in zip(SIDES, inside, beyond, strict=True):
            if away <= TOUCH:
                self.drawn.touched.add(side)
                if left <= FULL:
                    self.drawn.full.add(side)
            else:
                self.drawn.art[side] = min(away, self.drawn.art.get(side, 1e9))


def mix_inks(
    colour: Colour, inks: Mapping[str, float], below: Mapping[str, float]
) -> dict[str, float]:
    """Return the inks of a colour that is painted over others: blended, opaque or overprinted."""
    space, blend = colour.space, _BLENDS.get(colour.blend)
    own = space.plates if space.named else PROCESS
    found = dict(below)
    for plate in {*inks, *below}:
        top, under = inks.get(plate, 0.0), below.get(plate, 0.0)
        if colour.overprint is not None:
            kept = colour.overprint == 1 and space.plates == PROCESS and not top
            if kept or plate not in own:
                continue
        mixed = top if blend is None else 1 - blend(1 - under, 1 - top)
        found[plate] = mixed * colour.alpha + under * (1 - colour.alpha)
    return found


def _hard_light(under: float, top: float) -> float:
    return 2 * under * top if top <= 0.5 else 1 - 2 * (1 - under) * (1 - top)


_BLENDS: Final[dict[str, Callable[[float, float], float]]] = {
    "Multiply": lambda under, top: under * top,
    "Screen": lambda under, top: under + top - under * top,
    "Overlay": lambda under, top: _hard_light(top, under),
    "HardLight": _hard_light,
    "Darken": min,
    "Lighten": max,
    "ColorDodge": lambda under, top: min(1.0, under / (1 - top)) if top < 1 else 1.0,
    "ColorBurn": lambda under, top: 1 - min(1.0, (1 - under) / top) if top else 0.0,
    "Difference": lambda under, top: abs(under - top),
    "Exclusion": lambda under, top: under + top - 2 * under * top,
}
"""Blend modes of two amounts of light (11.3.5); others are taken for the normal one."""
