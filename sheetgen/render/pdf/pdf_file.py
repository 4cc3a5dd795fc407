"""Write a PDF file: indirect objects, object streams, and the cross-reference stream.

ISO 32000-1, 7.5.7 (object streams) and 7.5.8 (cross-reference streams).
"""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, pairwise
from typing import BinaryIO, Final

from sheetgen.records import frozen

LEVEL: Final = 5
"""Level of compression of parts that are kept: 6 and 7 take a fifth longer and save less than 1 %
of the bytes."""

FAST_LEVEL: Final = 2
"""Level of compression of what is written once: half the time of 5, a fiftieth more bytes."""

_WAITING: Final = 1 << 18
"""Bytes that wait to be written and hashed at once."""

_HEAD: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_PACK: Final = 2000
"""Objects in one object stream; to read one, a viewer has to unpack all of its stream."""

_ROW: Final = 7
"""Bytes of a cross-reference entry: type, offset (or number of the object stream), index."""

_INDEXES: Final = [index.to_bytes(2) for index in range(_PACK)]
_BLOCK: Final = 1 << 16
"""Cross-reference entries that are compressed at once."""


@frozen
class ObjectStream:
    """Objects in one compressed stream, ready to be written.

    Attributes:
        runs: The objects' numbers, as runs of consecutive ones.
    """

    runs: Sequence[range]
    stream: bytes


def pack_objects(objects: Sequence[tuple[int, bytes]], level: int = LEVEL) -> list[ObjectStream]:
    """Return `objects` (number, body) in as few object streams as possible."""
    starts = range(0, len(objects), _PACK)
    return [_packed(objects[start : start + _PACK], level) for start in starts]


def _packed(objects: Sequence[tuple[int, bytes]], level: int) -> ObjectStream:
    numbers, bodies = zip(*objects, strict=True)
    places = accumulate([len(body) + 1 for body in bodies[:-1]], initial=0)
    pairs = tuple(chain.from_iterable(zip(numbers, places, strict=True)))
    index = b"%d %d " * len(objects) % pairs
    data = index[:-1] + b"\n" + b"\n".join(bodies)
    return ObjectStream(
        number_runs(numbers), format_object_stream(data, len(objects), len(index), level)
    )


def number_runs(numbers: Sequence[int]) -> list[range]:
    """Return numbers as runs of consecutive ones."""
    ends = [at for at, (one, other) in enumerate(pairwise(numbers), 1) if other != one + 1]
    bounds = pairwise([0, *ends, len(numbers)])
    return [range(numbers[start], numbers[start] + end - start) for start, end in bounds]


def format_object_stream(data: bytes, count: int, first: int, level: int) -> bytes:
    """Return an object stream.

    Args:
        data: The objects' numbers and offsets, then their bodies.
        count: How many objects there are.
        first: Where in `data` the bodies begin.
    """
    small = zlib.compress(data, level)
    head = b"<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>stream\n"
    return b"%s%s\nendstream" % (head % (count, first, len(small)), small)


class PdfWriter:
    """Writes objects as they come; `finish` ends the file.

    Every number that is taken must be written, by `stream`, `add` or `put`. In memory are only
    the cross-reference entries, the objects that wait for an object stream, and the last bytes.
    """

    def __init__(self, out: BinaryIO | None = None) -> None:
        """Begin a file in `out`, or in memory."""
        self._out = io.BytesIO() if out is None else out
        self._chunks: list[bytes] = []
        self._size = self._written = 0
        self._digest = hashlib.sha256()
        self._next = 1
        self._loose: list[tuple[int, bytes]] = []
        self._table = bytearray(_ROW)
        self._write(_HEAD)

    def _write(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._size += len(chunk)
        if self._size - self._written > _WAITING:
            self._flush()

    def _flush(self) -> None:
        waiting = b"".join(self._chunks)
        self._out.write(waiting)
        self._digest.update(waiting)
        self._chunks, self._written = [], self._size

    def take(self, count: int = 1) -> int:
        """Reserve `count` consecutive object numbers; return the first."""
        first = self._next
        self._next += count
        self._table += bytes(_ROW * count)
        return first

    def stream(self, number: int, body: bytes) -> None:
        """Write a stream object: `body` is its dictionary and its data."""
        at = _ROW * number
        self._table[at : at + _ROW] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        self._write(b"%d 0 obj\n%s\nendobj\n" % (number, body))

    def compress(
        self, number: int, data: bytes, entries: bytes = b"", level: int = FAST_LEVEL
    ) -> None:
        """Write a stream object with compressed data and `entries` in its dictionary."""
        small = zlib.compress(data, level)
        body = b"<<%s/Filter/FlateDecode/Length %d>>stream\n%s\nendstream"
        self.stream(number, body % (entries, len(small), small))

    def add(self, number: int, body: bytes) -> None:
        """Keep one object, not a stream, for an object stream."""
        self._loose.append((number, body))

    def add_all(self, first: int, bodies: Iterable[bytes]) -> None:
        """Keep objects with consecutive numbers for object streams."""
        self._loose.extend(enumerate(bodies, first))
        if len(self._loose) >= _PACK:
            self.put(pack_objects(self._loose, FAST_LEVEL))
            self._loose = []

    def put(self, packs: Iterable[ObjectStream]) -> None:
        """Write object streams."""
        for pack in packs:
            holder = self.take()
            self.stream(holder, pack.stream)
            head, at = b"\2" + holder.to_bytes(4), 0
            for run in pack.runs:
                rows = head + head.join(_INDEXES[at : at + len(run)])
                self._table[_ROW * run.start : _ROW * run.stop] = rows
                at += len(run)

    def finish(self, root: int, info: int) -> bytes:
        """End the file; return it if it is in memory.

        The file's identifier is the hash of its objects, so equal input gives equal bytes.
        """
        self.put(pack_objects(self._loose, FAST_LEVEL))
        here = self.take()
        self._table[_ROW * here :] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        assert 0 not in self._table[_ROW::_ROW], "an object was numbered and never written"
        self._flush()
        name = self._digest.hexdigest()[:32].encode()
        data = _compress_table(self._table)
        head = (
            b"%d 0 obj\n<</Type/XRef/Size %d/W[1 4 2]/Root %d 0 R/Info %d 0 R"
            b"/ID[<%s><%s>]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 7>>"
            b"/Length %d>>stream\n"
        ) % (here, self._next, root, info, name, name, len(data))
        tail = b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % self._size
        self._out.write(head + data + tail)
        return self._out.getvalue() if isinstance(self._out, io.BytesIO) else b""


def _compress_table(table: bytearray) -> bytes:
    packer = zlib.compressobj(FAST_LEVEL)
    parts = [packer.compress(block) for block in _differences(table)]
    return b"".join(parts) + packer.flush()


def _differences(table: bytearray) -> Iterator[bytes]:
    """Yield the rows of `table` after PNG's filter "Up": a 2, then the row less the one above.

    Nearly all differences are equal, so they compress to almost nothing. One subtraction of
    long integers handles many bytes at once: each byte has a spare bit beside it, so that no
    borrow reaches its neighbour.
    """
    above = bytes(_ROW)
    for start in range(0, len(table), _ROW * _BLOCK):
        block = table[start : start + _ROW * _BLOCK]
        count = len(block) // _ROW
        before = above + block[:-_ROW]
        above = bytes(block[-_ROW:])
        spare = int.from_bytes(b"\1\0" * len(block))
        less = (_spread(block) | spare) - _spread(before)
        values = less.to_bytes(2 * len(block))[1::2]
        rows = bytearray(b"\2" * (count * (_ROW + 1)))
        for column in range(_ROW):
            rows[column + 1 :: _ROW + 1] = values[column::_ROW]
        yield bytes(rows)


def _spread(values: bytes | bytearray) -> int:
    """Return `values` as one integer, with a zero byte before each."""
    spread = bytearray(2 * len(values))
    spread[1::2] = values
    return int.from_bytes(spread)
