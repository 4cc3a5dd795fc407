"""Find the most ink that a picture prints in one place.

Samples are read in blocks of rows, so that a large picture takes little memory.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Any, Final

from sheetgen.finish.inspect.painting import Colour, Space, TooMuch, device_space
from sheetgen.load.bounds import pass_memory_error
from sheetgen.model.inspected import Rect

_BLOCK: Final = 4_000_000
"""Bytes of a block of rows."""

_MOST: Final = 80_000_000
"""Bytes of samples where they cannot be read in blocks."""

_LARGEST: Final = 1_000_000_000
"""Bytes of samples of any picture."""

_MOST_SIDE: Final = 1_000_000

_UNPACKED: Final = {
    bits: [
        bytes((byte >> (8 - bits - at)) & ((1 << bits) - 1) for byte in range(256)) for at in ats
    ]
    for bits, ats in ((1, range(8)), (2, range(0, 8, 2)), (4, range(0, 8, 4)))
}
"""Tables from a byte to each of the samples in it, by the number of their bits."""

_WORDS: Final = {"/JPXDecode": "JPEG 2000", "/JBIG2Decode": "JBIG2", "/CCITTFaxDecode": "fax"}


class NotMeasured(ValueError):
    """The ink of a picture is not known; the message says why."""


def heaviest_colour(image: Any, space: Space, part: Rect, tick: Callable[[], None]) -> Colour:
    """Return the colour of an image's pixel with the most ink; without components if there is none.

    Args:
        part: The part of the unit square that is visible, y upwards.
        tick: Is called now and then; it may raise to end the search.

    Raises:
        NotMeasured: The ink is not known: of screen colours, or of data that cannot be read.
    """
    name = ""
    try:
        source = _Source(image, space, tick)
        space, name = source.space, _WORDS.get(source.filter, "")
        if not space.plates:
            raise NotMeasured("")
        if source.bits == 1 and source.filter in ("/CCITTFaxDecode", "/JBIG2Decode"):
            both = [space.inks([source.decode[0][at]]) for at in (0, 1)]
            return _colour(space, max(both, key=lambda inks: sum(inks.values())))
        return _colour(space, _search(source, part, _alpha(image, source)))
    except (NotMeasured, TooMuch):
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        raise NotMeasured(f"its data cannot be read{name and f' ({name})'}") from None


def _colour(space: Space, inks: Mapping[str, float]) -> Colour:
    """Return a colour of certain inks."""
    plates = replace(
        space, count=len(inks), plates=tuple(inks), light=False, base=None, palette=None
    )
    return Colour(space.family, tuple(inks.values()), plates)


@dataclass(slots=True)
class _Rows:
    """Some rows of an image, one picture of 8 bits a component."""

    top: int
    bands: list[Any]


class _Source:
    """An image, and the rows of its samples."""

    def __init__(self, image: Any, space: Space, tick: Callable[[], None]) -> None:
        import pikepdf

        self.image, self.tick = image, tick
        self.width, self.height = int(image.get("/Width", 0)), int(image.get("/Height", 0))
        if not (0 < self.width <= _MOST_SIDE and 0 < self.height <= _MOST_SIDE):
            raise NotMeasured("its size is wrong")
        found = image.get("/Filter", [])
        self.filters = [str(n) for n in found] if isinstance(found, pikepdf.Array) else [str(found)]
        self.filter = self.filters[-1] if self.filters else ""
        masks = image.get("/ImageMask") is True
        self.bits = 1 if masks else int(image.get("/BitsPerComponent", 8))
        self.opened: Any = None
        if self.filter == "/JPXDecode":
            self.opened = self._open()
            if space.count == 0:
                family = {"L": "gray", "LA": "gray", "CMYK": "cmyk"}.get(self.opened.mode, "rgb")
                space = device_space(family)
        self.space, self.count = space, max(space.count, 1)
        top = (1 << self.bits) - 1 if space.palette is not None else 1
        given = [float(number) for number in image.get("/Decode", [])]
        usual = [0.0, float(top)] * self.count
        pairs = given if len(given) >= 2 * self.count else usual
        self.decode = list(zip(pairs[::2], pairs[1::2], strict=False))[: self.count]

    def rows(self) -> Iterator[_Rows]:
        """Yield the image in blocks of rows."""
        if self.filter in ("/DCTDecode", "/JPXDecode", "/DCT"):
            bands = self._bands_of_file()
            many = max(1, _BLOCK // (4 * self.width))
            for top in range(0, self.height, many):
                self.tick()
                box = (0, top, self.width, min(top + many, self.height))
                yield _Rows(top, [band.crop(box) for band in bands])
            return
        if self.bits not in (1, 2, 4, 8, 16):
            raise NotMeasured("its samples have an unusual size")
        stride = (self.width * self.count * self.bits + 7) // 8
        if stride * self.height > _LARGEST:
            raise NotMeasured("it is too large")
        many = max(1, _BLOCK // stride)
        top = 0
        for data in self._blocks(stride, many):
            self.tick()
            count = min(len(data) // stride, self.height - top)
            if count <= 0:
                return
            yield _Rows(top, self._bands(data[: count * stride], count))
            top += count

    def _open(self) -> Any:
        from PIL import Image

        before = self.filters[:-1]
        data = self.image.read_raw_bytes()
        if before:
            import pikepdf

            inner = pikepdf.Stream(pikepdf.new(), data)
            inner.Filter = pikepdf.Array(map(pikepdf.Name, before))
            data = b"".join(_unpacked_blocks(inner, before, _MOST))
        opened = Image.open(io.BytesIO(data), formats=["JPEG", "JPEG2000"])
        if opened.width * opened.height * 4 > _MOST:
            raise NotMeasured("it is too large")
        return opened

    def _bands_of_file(self) -> list[Any]:
        from PIL import ImageChops

        opened = self.opened or self._open()
        self.tick()
        bands = list(opened.split())
        if len(bands) < self.count or bands[0].mode != "L":
            raise NotMeasured("its components are unusual")
        if opened.mode == "CMYK" and opened.format == "JPEG":  # Pillow inverts them always
            bands = [ImageChops.invert(band) for band in bands]
        self.width, self.height, self.bits = opened.width, opened.height, 8
        return bands[: self.count]

    def _blocks(self, stride: int, many: int) -> Iterator[bytes]:
        """Yield the samples, some rows at a time."""
        size = stride * many
        if not self.filters or self.filters == [""]:
            data = self.image.read_raw_bytes()
            yield from (data[at : at + size] for at in range(0, len(data), size))
            return
        yield from _unpacked_blocks(self.image, self.filters, stride * self.height, size)

    def _bands(self, data: bytes, rows: int) -> list[Any]:
        from PIL import Image

        if self.bits == 16:
            data = data[::2]
        elif self.bits < 8:
            tables = _UNPACKED[self.bits]
            wide = bytearray(len(data) * len(tables))
            for at, table in enumerate(tables):
                wide[at :: len(tables)] = data.translate(table)
            data, line, used = bytes(wide), len(wide) // rows, self.width * self.count
            if line != used:
                data = b"".join(data[at : at + used] for at in range(0, len(data), line))
        size = self.width, rows
        parts = (data[n :: self.count] for n in range(self.count))
        return [Image.frombytes("L", size, part) for part in parts]


def _unpacked_blocks(
    stream: Any, filters: Sequence[str], expected: int, size: int = _BLOCK
) -> Iterator[bytes]:
    """Yield the unpacked data of a stream in blocks of `size`, and nothing after `expected`.

    Raises:
        NotMeasured: It cannot be unpacked within the bounds.
    """
    predicted = any(
        int(one.get("/Predictor", 1)) > 1 for one in _dictionaries(stream.get("/DecodeParms"))
    )
    if list(filters) in (["/FlateDecode"], ["/Fl"]):
        # Of data with a predictor, only the size is checked here: there is a byte more in a row.
        unpacker, rest, done = zlib.decompressobj(), stream.read_raw_bytes(), 0
        most = 2 * expected + _BLOCK if predicted else expected
        while rest and done < most and not unpacker.eof:
            block = unpacker.decompress(rest, size)
            while len(block) < size and unpacker.unconsumed_tail:
                block += unpacker.decompress(unpacker.unconsumed_tail, size - len(block))
            rest = unpacker.unconsumed_tail
            done += len(block)
            if not predicted:
                yield block
        if not predicted:
            return
        if done >= most:
            raise NotMeasured("it is too large")
    if expected > _MOST:
        raise NotMeasured("it is too large")
    data = stream.read_bytes()
    yield from (data[at : at + size] for at in range(0, len(data), size))


def _dictionaries(given: Any) -> list[Any]:
    import pikepdf

    rows = list(given) if isinstance(given, pikepdf.Array) else [given]
    return [one for one in rows if isinstance(one, pikepdf.Dictionary)]


def _alpha(image: Any, source: _Source) -> Any:
    """Return how opaque the pixels of an image are, as a picture of its size; None for opaque."""
    import pikepdf
    from PIL import Image, ImageChops

    mask = image.get("/SMask")
    stencil = mask is None
    if stencil:
        mask = image.get("/Mask")
    if not isinstance(mask, pikepdf.Stream) or source.width * source.height > _MOST // 4:
        return None
    below = _Source(mask, Space("gray", 1), source.tick)
    if below.width * below.height > _MOST // 4:
        return None
    found = Image.new("L", (below.width, below.height), 255)
    for rows in below.rows():
        table = _table(below, 0, 255)
        found.paste(rows.bands[0].point(table), (0, rows.top))
    if stencil:  # one is masked out
        found = ImageChops.invert(found)
    size = source.width, source.height
    return found if found.size == size else found.resize(size, Image.Resampling.NEAREST)


def _table(source: _Source, component: int, of: float) -> list[int]:
    """Return the table from a sample of 8 bits or less to its decoded value."""
    low, high = source.decode[component]
    top = 255 if source.bits >= 8 else (1 << source.bits) - 1
    values = (of * (low + min(n, top) * (high - low) / top) for n in range(256))
    return [min(255, max(0, round(value))) for value in values]


def _search(source: _Source, part: Rect, alpha: Any) -> Mapping[str, float]:
    """Return the inks of the heaviest pixel; empty if none is visible."""
    best: Mapping[str, float] = {}
    keyed = source.image.get("/Mask")
    for rows in source.rows():
        width, height = source.width, source.height
        left, right = floor(part[0] * width + 0.01), ceil(part[2] * width - 0.01)
        first = max(floor((1 - part[3]) * height + 0.01) - rows.top, 0)
        last = min(ceil((1 - part[1]) * height - 0.01) - rows.top, rows.bands[0].height)
        if left >= right or first >= last:
            continue
        crop = (left, first, right, last)
        bands = [band.crop(crop) for band in rows.bands]
        clear = _seen(bands, keyed, alpha, (left, rows.top + first, right, rows.top + last))
        found = _heaviest(source, bands, clear)
        best = max(best, found, key=lambda inks: sum(inks.values()))
    return best


def _seen(bands: list[Any], keyed: Any, alpha: Any, box: tuple[int, int, int, int]) -> Any:
    """Return how opaque pixels are, from a mask or a range of masked colours; None for opaque."""
    import pikepdf
    from PIL import Image, ImageChops

    if alpha is not None:
        return alpha.crop(box)
    if not isinstance(keyed, pikepdf.Array) or len(keyed) < 2 * len(bands):
        return None
    out = Image.new("L", bands[0].size, 255)
    for n, band in enumerate(bands):
        low, high = int(keyed[2 * n]), int(keyed[2 * n + 1])
        inside = band.point([255 if low <= value <= high else 0 for value in range(256)])
        out = ImageChops.darker(out, inside)
    return ImageChops.invert(out)


def _heaviest(source: _Source, bands: list[Any], clear: Any) -> Mapping[str, float]:
    from PIL import ImageMath

    space = source.space
    if space.palette is not None:
        table = _table(source, 0, 1)
        shown = clear.point([0, *[255] * 255]) if clear is not None else None
        used = (n for n, count in enumerate(bands[0].histogram(shown)) if count)
        inks = (space.inks([table[n]]) for n in used)
        return max(inks, key=lambda one: sum(one.values()), default={})
    tables = [_table(source, n, 255) for n in range(len(bands))]
    if space.light:
        tables = [[255 - value for value in table] for table in tables]
    values = [band.point(table) for band, table in zip(bands, tables, strict=True)]
    names = {f"b{n}": band for n, band in enumerate(values)}
    weights = [4 if plate == "All" else 0 if plate == "None" else 1 for plate in space.plates]

    def total(args: Any) -> Any:
        added = args["b0"] * weights[0]
        for n in range(1, len(values)):
            added = added + args[f"b{n}"] * weights[n]
        return added * args["clear"] / 255 if clear is not None else added

    sums = ImageMath.lambda_eval(total, **names, **({"clear": clear} if clear is not None else {}))
    most = int(sums.getextrema()[1])
    if not most:
        return {}
    place = _index_of(sums, most)
    at = place % sums.width, place // sums.width
    share = clear.getpixel(at) / 255 if clear is not None else 1.0
    numbers = [value.getpixel(at) / 255 * share for value in values]
    return Space(space.family, len(numbers), space.plates).inks(numbers)


def _index_of(sums: Any, value: int) -> int:
    from array import array

    numbers = array("i", sums.convert("I").tobytes())
    return numbers.index(value)
