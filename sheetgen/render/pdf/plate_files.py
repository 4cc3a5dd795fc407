"""The format of cached plates and faces: a JSON header, then raw parts, with a checksum.

Not pickle, which would run code of a damaged or foreign file.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, replace
from itertools import chain, pairwise
from typing import Any, Final

from sheetgen.model.pictures import Raster
from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Shape, Tick, Tokens
from sheetgen.render.pdf.pdf_file import PdfWriter, SharedObject, SharedPool, number_runs
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
    header, parts = unpack_parts(packed)
    tail = len(packed) - sum(map(len, parts))
    head, cuts = packed[:tail], {0, tail}
    below = [value.values() for value in header.values() if isinstance(value, dict)]
    for value in chain(header.values(), *below, header.get("shared", ())):
        text = _json(value)
        start = head.find(text) if len(text) >= _WORTH_A_CUT else -1
        if start >= 0:  # not found: integer keys sort differently once they are strings
            cuts |= {start, start + len(text)}
    found = [head[start:end] for start, end in pairwise(sorted(cuts))]
    for part in parts:
        found += split_pieces(part) if part.startswith(_MAGIC) else [part]
    return found


def pack_shared(pool: SharedPool, header: Mapping[str, Any]) -> bytes:
    """Return `header` with the objects of `pool`, which `build_shared` returns, as bytes."""
    rows = [[o.template.decode(), o.refs, o.data is not None, o.digest] for o in pool.objects]
    return pack_parts(
        {**header, "shared": rows}, [o.data for o in pool.objects if o.data is not None]
    )


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def dump_plate(plate: Plate) -> bytes:
    """Return `plate` as bytes for a cache."""
    header = {
        "key": plate.key,
        "sizes": plate.sizes,
        "places": [
            [p.name, p.kind, p.role, p.label, p.page, *astuple(p.box)] for p in plate.places
        ],
        "metrics": {name: metrics_row(m) for name, m in plate.metrics.items()},
        "tokens": asdict(replace(plate.tokens, drawings={})),  # they are drawn already
    }
    return pack_parts(header, [plate.body])


def parse_plate(packed: bytes) -> Plate:
    """Return the plate that `dump_plate` wrote; raises `ValueError` for damaged bytes."""
    header, (body,) = unpack_parts(packed)
    tokens = header["tokens"]
    return Plate(
        key=header["key"],
        sizes=tuple((width, height) for width, height in header["sizes"]),
        places=tuple(
            Place(name, kind, role, label, page, Box(*box))
            for name, kind, role, label, page, *box in header["places"]
        ),
        metrics={name: unpack_metrics(row) for name, row in header["metrics"].items()},
        tokens=Tokens(
            colours=tokens["colours"],
            faces=tokens["faces"],
            roles={name: Role(**role) for name, role in tokens["roles"].items()},
            shapes={name: Shape(**shape) for name, shape in tokens["shapes"].items()},
            ticks={name: Tick(**tick) for name, tick in tokens["ticks"].items()},
            css=tokens["css"],
            letters=tokens["letters"],
        ),
        body=body,
    )


def parse_cached_plate(packed: bytes) -> Plate | None:
    """Return the plate that `dump_plate` wrote; None if the bytes are no plate of this version."""
    try:
        return parse_plate(packed)
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def replace_plate_key(packed: bytes, key: str) -> bytes:
    """Return a packed plate with another key, for rules that print the same blank."""
    return dump_plate(replace(parse_plate(packed), key=key))


def metrics_row(metrics: FaceMetrics) -> list[Any]:
    """Return the metrics of a face as plain data, code points as runs."""
    points = sorted(metrics.advances)
    return [
        *(metrics.ascent, metrics.descent, metrics.cap_height),
        [number for run in number_runs(points) for number in (run.start, len(run))],
        [metrics.advances[p] for p in points],
        [metrics.glyphs[p] for p in points],
        sorted(metrics.overhangs.items()),
    ]


def unpack_metrics(row: list[Any]) -> FaceMetrics:
    """Return the metrics that `metrics_row` was given."""
    ascent, descent, cap_height, runs, advances, glyphs, overhangs = row
    starts = zip(runs[::2], runs[1::2], strict=True)
    points = [point for first, count in starts for point in range(first, first + count)]
    advances, glyphs = (dict(zip(points, values, strict=True)) for values in (advances, glyphs))
    return FaceMetrics(ascent, descent, cap_height, advances, glyphs, dict(overhangs))


def write_image(raster: Raster, file: PdfWriter) -> int:
    """Write an image XObject (ISO 32000-1, 8.9), with its opacity; return its number."""
    layers = [(raster.mask, 1, False)] if raster.mask else []
    number = 0
    for data, colours, jpeg in (*layers, (raster.data, raster.colours, raster.jpeg)):
        mask = b"/SMask %d 0 R" % number if number else b""
        number = file.take()
        packed = b"/FlateDecode/DecodeParms<</Predictor 15/Colors %d/Columns %d>>"
        filtered = b"/DCTDecode" if jpeg else packed % (colours, raster.width)
        head = (
            b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8"
            b"/ColorSpace/Device%s/Filter%s%s/Length %d>>"
        ) % (
            *(raster.width, raster.height, b"Gray" if colours == 1 else b"RGB"),
            *(filtered, mask, len(data)),
        )
        file.stream(number, b"%sstream\n%s\nendstream" % (head, data))
    return number


def build_shared(header: Mapping[str, Any], datas: Iterable[bytes]) -> list[SharedObject]:
    """Return the shared objects that a header lists."""
    streams = iter(datas)
    return [
        SharedObject(template.encode(), tuple(refs), next(streams) if full else None, digest)
        for template, refs, full, digest in header["shared"]
    ]
