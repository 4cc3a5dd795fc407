"""The format of cached plates and faces: a JSON header, then raw parts, with a checksum.

Not pickle, which would run code of a damaged or foreign file.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain, pairwise
from typing import Any, Final

from sheetgen.model.pictures import Raster
from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Shape, Tick, Tokens
from sheetgen.render.pdf.pdf_file import PdfWriter, SharedObject
from sheetgen.units import Box

_MAGIC: Final = b"sheetgen plate 4\n"
# Least length, in bytes, of a part of a header that becomes a piece of its own.
_WORTH_A_CUT: Final = 150


def pack_parts(header: Mapping[str, Any], parts: Sequence[bytes]) -> bytes:
    """Return `header` and `parts` as bytes; equal input gives equal bytes."""
    text = _json({"header": header, "lengths": [len(part) for part in parts]})
    packed = b"".join([b"%d\n" % len(text), text, *parts])
    return b"%s%08x\n%s" % (_MAGIC, zlib.crc32(packed), packed)


def unpack_parts(packed: bytes) -> tuple[Any, list[bytes]]:
    """Return the header and the parts that `pack_parts` was given.

    Raises:
        ValueError: `packed` has another format, or is damaged.
    """
    start = len(_MAGIC) + 9
    if not packed.startswith(_MAGIC):
        raise ValueError("not a plate, or a plate of another version")
    if b"%08x\n" % zlib.crc32(memoryview(packed)[start:]) != packed[start - 9 : start]:
        raise ValueError("the plate is damaged")
    line = packed.index(b"\n", start) + 1
    end = line + int(packed[start:line])
    contents = json.loads(packed[line:end])
    parts = []
    for length in contents["lengths"]:
        parts.append(packed[end : end + length])
        end += length
    return contents["header"], parts


def split_pieces(packed: bytes) -> list[bytes]:
    """Return the pieces of a packed plate, cut where other plates may hold the same bytes."""
    _, parts = unpack_parts(packed)
    tail = len(packed) - sum(map(len, parts))
    head = packed[:tail]
    cuts = sorted({0, tail, *_cuts(head)})
    found = [head[start:end] for start, end in pairwise(cuts)]
    for part in parts:
        found += split_pieces(part) if part.startswith(_MAGIC) else [part]
    return found


def _cuts(head: bytes) -> Iterator[int]:
    """Yield the bounds of values that plates, faces or objects may have in common."""
    header = json.loads(head[head.index(b"{") :])["header"]
    for value in header.values():
        below = value.values() if isinstance(value, dict) else ()
        yield from _ends(head, (value, *below))
    yield from _ends(head, header.get("shared", ()))


def _ends(head: bytes, values: Iterable[Any]) -> Iterator[int]:
    for value in values:
        text = _json(value)
        start = head.find(text) if len(text) >= _WORTH_A_CUT else -1
        if start >= 0:  # not found: integer keys sort differently once they are strings
            yield from (start, start + len(text))


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def dump_plate(plate: Plate) -> bytes:
    """Return `plate` as bytes for a cache."""
    header = {
        "key": plate.key,
        "sizes": plate.sizes,
        "places": [_place_row(place) for place in plate.places],
        "metrics": {name: metrics_row(m) for name, m in plate.metrics.items()},
        "tokens": asdict(replace(plate.tokens, drawings={})),  # they are drawn already
    }
    return pack_parts(header, [plate.body])


def parse_plate(packed: bytes) -> Plate:
    """Return the plate that `dump_plate` wrote.

    Raises:
        ValueError: `packed` is not a plate of this version, or is damaged.
    """
    header, (body,) = unpack_parts(packed)
    return Plate(
        key=header["key"],
        sizes=tuple((width, height) for width, height in header["sizes"]),
        places=tuple(_place(row) for row in header["places"]),
        metrics={name: unpack_metrics(row) for name, row in header["metrics"].items()},
        tokens=_tokens(header["tokens"]),
        body=body,
    )


def parse_cached_plate(packed: bytes) -> Plate | None:
    """Return the plate that `dump_plate` wrote; None if the bytes are no plate of this version."""
    try:
        return parse_plate(packed)
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def replace_plate_key(packed: bytes, key: str) -> bytes:
    """Return a packed plate with another key, for rules that print the same blank.

    Raises:
        ValueError: `packed` is no plate.
    """
    return dump_plate(replace(parse_plate(packed), key=key))


def _place_row(place: Place) -> list[Any]:
    box = place.box
    named = [place.name, place.kind, place.role, place.label, place.page]
    return [*named, box.x, box.y, box.width, box.height]


def _place(row: list[Any]) -> Place:
    name, kind, role, label, page, *box = row
    return Place(name, kind, role, label, page, Box(*box))


def metrics_row(metrics: FaceMetrics) -> list[Any]:
    """Return the metrics of a face as plain data, code points as runs."""
    points = sorted(metrics.advances)
    return [
        metrics.ascent,
        metrics.descent,
        metrics.cap_height,
        list(chain.from_iterable(_steps(points))),
        [metrics.advances[p] for p in points],
        [metrics.glyphs[p] for p in points],
        sorted(metrics.overhangs.items()),
    ]


def _steps(points: Sequence[int]) -> list[tuple[int, int]]:
    """Return `points` as runs of (first, count)."""
    runs: list[tuple[int, int]] = []
    for point in points:
        if runs and point == sum(runs[-1]):
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((point, 1))
    return runs


def unpack_metrics(row: list[Any]) -> FaceMetrics:
    """Return the metrics that `metrics_row` was given."""
    ascent, descent, cap_height, runs, advances, glyphs, overhangs = row
    points = [
        point
        for first, count in zip(runs[::2], runs[1::2], strict=True)
        for point in range(first, first + count)
    ]
    return FaceMetrics(
        ascent,
        descent,
        cap_height,
        dict(zip(points, advances, strict=True)),
        dict(zip(points, glyphs, strict=True)),
        dict(overhangs),
    )


def _tokens(row: Mapping[str, Any]) -> Tokens:
    return Tokens(
        colours=row["colours"],
        faces=row["faces"],
        roles={name: Role(**role) for name, role in row["roles"].items()},
        shapes={name: Shape(**shape) for name, shape in row["shapes"].items()},
        ticks={name: Tick(**tick) for name, tick in row["ticks"].items()},
        css=row["css"],
        letters=row["letters"],
    )


# Pictures as XObjects (ISO 32000-1, 8.9 and 8.10): pixels with their opacity, or vectors.


def write_image(raster: Raster, file: PdfWriter) -> int:
    """Write an image XObject, with its opacity; return its number."""
    mask = b""
    if raster.mask:
        number = file.take()
        file.stream(number, _image(raster, 1, _flate(raster, 1), raster.mask))
        mask = b"/SMask %d 0 R" % number
    number = file.take()
    packed = b"/Filter/DCTDecode" if raster.jpeg else _flate(raster, raster.colours)
    file.stream(number, _image(raster, raster.colours, packed + mask, raster.data))
    return number


def _flate(raster: Raster, colours: int) -> bytes:
    parameters = b"/Filter/FlateDecode/DecodeParms<</Predictor 15/Colors %d/Columns %d>>"
    return parameters % (colours, raster.width)


def _image(raster: Raster, colours: int, entries: bytes, data: bytes) -> bytes:
    head = b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/%s%s"
    space = b"DeviceGray" if colours == 1 else b"DeviceRGB"
    head %= (raster.width, raster.height, space, entries)
    return b"%s/Length %d>>stream\n%s\nendstream" % (head, len(data), data)


def unpack_objects(body: bytes) -> list[SharedObject]:
    """Return the objects of a drawing, see `VectorDrawing.body`; the last one is the drawing."""
    return build_shared(*unpack_parts(body))


def build_shared(header: Mapping[str, Any], datas: Iterable[bytes]) -> list[SharedObject]:
    """Return the shared objects that a header lists."""
    streams = iter(datas)
    return [
        SharedObject(template.encode(), tuple(refs), next(streams) if full else None, digest)
        for template, refs, full, digest in header["shared"]
    ]
