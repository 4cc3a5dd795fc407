"""A PDF file being written: numbered objects, packed, and the table of where they are."""

from __future__ import annotations

import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import BinaryIO, Final

LEVEL: Final = 5
"""Of compression: 6 and 7 take a fifth longer, for less than a hundredth of the bytes."""

_HEAD: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_PACK: Final = 2000
"""Objects in one object stream; a viewer that wants one unpacks all its neighbours."""

_ROW: Final = 7
"""Bytes of a row of the table: what kind of place, where (or in which pack), which there."""

_INDEXES: Final = [index.to_bytes(2) for index in range(_PACK)]
_BLOCK: Final = 1 << 16
"""Rows of the table that are compressed in one go."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Objects in one compressed stream, ready to be written as they are.

    Attributes:
        runs: Their numbers, in rows, so that these are noted all at once.
    """

    runs: Sequence[range]
    stream: bytes


def pack_objects(objects: Sequence[tuple[int, bytes]], level: int = LEVEL) -> list[Packed]:
    """Return `objects` (number, body) in as few object streams as may be."""
    starts = range(0, len(objects), _PACK)
    return [_packed(objects[start : start + _PACK], level) for start in starts]


def _packed(objects: Sequence[tuple[int, bytes]], level: int) -> Packed:
    numbers, bodies = zip(*objects, strict=True)
    places = accumulate([len(body) + 1 for body in bodies[:-1]], initial=0)
    pairs = tuple(chain.from_iterable(zip(numbers, places, strict=True)))
    index = b"%d %d " * len(objects) % pairs
    data = index[:-1] + b"\n" + b"\n".join(bodies)
    return Packed(number_runs(numbers), object_stream(data, len(objects), len(index), level))


def number_runs(numbers: Sequence[int]) -> list[range]:
    """Return numbers as rows that count up by one."""
    ends = [at for at, (one, other) in enumerate(pairwise(numbers), 1) if other != one + 1]
    bounds = pairwise([0, *ends, len(numbers)])
    return [range(numbers[start], numbers[start] + end - start) for start, end in bounds]


def object_stream(data: bytes, count: int, first: int, level: int = LEVEL) -> bytes:
    """Return a stream of objects: their numbers and places, and from `first` on their bodies."""
    small = zlib.compress(data, level)
    head = b"<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>stream\n"
    return b"%s%s\nendstream" % (head % (count, first, len(small)), small)


class PdfWriter:
    """Writes objects as they come; `finish` ends the file.

    Every number that is taken must be written, by `stream`, `add` or `put`. Of a long file
    little is held: where its objects are, and those that are still to be packed.
    """

    def __init__(self, out: BinaryIO | None = None, level: int = LEVEL) -> None:
        """Begin a file in `out`, or in memory; `level`: how small its objects are packed."""
        self._level = level
        self._out = io.BytesIO() if out is None else out
        self._size = 0
        self._digest = hashlib.sha256()
        self._next = 1
        self._loose: list[tuple[int, bytes]] = []
        self._table = bytearray(_ROW)
        self._write(_HEAD)

    def _write(self, chunk: bytes) -> None:
        self._out.write(chunk)
        self._digest.update(chunk)
        self._size += len(chunk)

    def take(self, count: int = 1) -> int:
        """Return the first of `count` numbers in a row that are now in use."""
        first = self._next
        self._next += count
        self._table += bytes(_ROW * count)
        return first

    def stream(self, number: int, body: bytes) -> None:
        """Write one object as it is: a dictionary and its stream."""
        at = _ROW * number
        self._table[at : at + _ROW] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        self._write(b"%d 0 obj\n%s\nendobj\n" % (number, body))

    def add(self, number: int, body: bytes) -> None:
        """Keep one object, not a stream, to be packed with others."""
        self._loose.append((number, body))

    def add_all(self, first: int, bodies: Iterable[bytes]) -> None:
        """Keep many objects with numbers in a row."""
        self._loose.extend(enumerate(bodies, first))
        if len(self._loose) >= _PACK:
            self.put(pack_objects(self._loose, self._level))
            self._loose = []

    def put(self, packs: Iterable[Packed]) -> None:
        """Write objects that are packed already."""
        for pack in packs:
            holder = self.take()
            self.stream(holder, pack.stream)
            head, at = b"\2" + holder.to_bytes(4), 0
            for run in pack.runs:
                rows = head + head.join(_INDEXES[at : at + len(run)])
                self._table[_ROW * run.start : _ROW * run.stop] = rows
                at += len(run)

    def finish(self, root: int, info: int) -> bytes:
        """End the file, its identifier made from what is in it; return it, if it is in memory."""
        self.put(pack_objects(self._loose))
        here = self.take()
        self._table[_ROW * here :] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        assert 0 not in self._table[_ROW::_ROW], "an object was numbered and never written"
        name = self._digest.hexdigest()[:32].encode()
        data = _squeezed(self._table)
        head = (
            b"%d 0 obj\n<</Type/XRef/Size %d/W[1 4 2]/Root %d 0 R/Info %d 0 R"
            b"/ID[<%s><%s>]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 7>>"
            b"/Length %d>>stream\n"
        ) % (here, self._next, root, info, name, name, len(data))
        tail = b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % self._size
        self._write(head + data + tail)
        return self._out.getvalue() if isinstance(self._out, io.BytesIO) else b""


def _squeezed(table: bytearray) -> bytes:
    """Return the table compressed, each row less the one above: they count up by one."""
    packer = zlib.compressobj(LEVEL)
    parts = [packer.compress(block) for block in _differences(table)]
    return b"".join(parts) + packer.flush()


def _differences(table: bytearray) -> Iterator[bytes]:
    """Yield the rows of `table`, each less the one above and after a 2: PNG's filter "Up".

    Nearly all differences are equal, and compress to nothing. The subtraction is done on
    many bytes at once, each with a spare bit beside it, so that no borrow reaches a
    neighbour.
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
    """Return `values` as one number, with an empty byte before each."""
    spread = bytearray(2 * len(values))
    spread[1::2] = values
    return int.from_bytes(spread)
