"""A PDF file being written: numbered objects, packed, and the table of where they are."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

LEVEL: Final = 7
"""Of compression: above it, time doubles and nothing shrinks."""

_HEAD: Final = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
_PACK: Final = 2000
"""Objects in one object stream; a viewer that wants one unpacks all its neighbours."""


@dataclass(frozen=True, slots=True)
class Packed:
    """Objects in one compressed stream, ready to be written as they are."""

    numbers: Sequence[int]
    stream: bytes


def packed(objects: Sequence[tuple[int, bytes]]) -> list[Packed]:
    """Return `objects` (number, body) in as few object streams as may be."""
    return [_packed(objects[start : start + _PACK]) for start in range(0, len(objects), _PACK)]


def _packed(objects: Sequence[tuple[int, bytes]]) -> Packed:
    numbers, places, at = [], [], 0
    for number, body in objects:
        numbers.append(number)
        places.append(b"%d %d" % (number, at))
        at += len(body) + 1
    index = b" ".join(places)
    data = zlib.compress(index + b"\n" + b"\n".join([body for _, body in objects]), LEVEL)
    head = b"<</Type/ObjStm/N %d/First %d/Filter/FlateDecode/Length %d>>stream\n"
    stream = head % (len(objects), len(index) + 1, len(data))
    return Packed(numbers, stream + data + b"\nendstream")


class PdfFile:
    """Collects objects; `finish` returns the file.

    Every number that is taken must be written, by `stream`, `add` or `put`.
    """

    def __init__(self) -> None:
        self._chunks: list[bytes] = [_HEAD]
        self._size = len(_HEAD)
        self._next = 1
        self._loose: list[tuple[int, bytes]] = []
        self._entries: dict[int, bytes] = {}

    def take(self, count: int = 1) -> int:
        """Return the first of `count` numbers in a row that are now in use."""
        first = self._next
        self._next += count
        return first

    def stream(self, number: int, body: bytes) -> None:
        """Write one object as it is: a dictionary and its stream."""
        chunk = b"%d 0 obj\n%s\nendobj\n" % (number, body)
        self._entries[number] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        self._chunks.append(chunk)
        self._size += len(chunk)

    def streams(self, first: int, bodies: Iterable[bytes]) -> None:
        """Write many objects with numbers in a row."""
        for number, body in enumerate(bodies, first):
            self.stream(number, body)

    def add(self, number: int, body: bytes) -> None:
        """Keep one object, not a stream, until the end, to be packed with others."""
        self._loose.append((number, body))

    def add_all(self, first: int, bodies: Iterable[bytes]) -> None:
        """Keep many objects with numbers in a row."""
        self._loose.extend(enumerate(bodies, first))

    def put(self, packs: Iterable[Packed]) -> None:
        """Write objects that are packed already."""
        for pack in packs:
            holder = self.take()
            self.stream(holder, pack.stream)
            head = b"\2" + holder.to_bytes(4)
            self._entries |= {
                number: head + index.to_bytes(2) for index, number in enumerate(pack.numbers)
            }

    def finish(self, root: int, info: int) -> bytes:
        """Return the whole file, its identifier made from what is in it."""
        self.put(packed(self._loose))
        here = self.take()
        self._entries[here] = b"\1" + self._size.to_bytes(4) + b"\0\0"
        digest = hashlib.sha256()
        for chunk in self._chunks:
            digest.update(chunk)
        name = digest.hexdigest()[:32].encode()
        table = _differences([bytes(7), *(self._entries[n] for n in range(1, self._next))])
        data = zlib.compress(table, LEVEL)
        head = (
            b"%d 0 obj\n<</Type/XRef/Size %d/W[1 4 2]/Root %d 0 R/Info %d 0 R"
            b"/ID[<%s><%s>]/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 7>>"
            b"/Length %d>>stream\n"
        ) % (here, self._next, root, info, name, name, len(data))
        tail = b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % self._size
        return b"".join([*self._chunks, head, data, tail])


def _differences(rows: Sequence[bytes]) -> bytes:
    """Return `rows`, each less the one above and after a 2: PNG's filter "Up".

    Rows count up by one, nearly all of them, and equal differences compress to nothing.
    The subtraction is done on all bytes at once, each with a spare bit beside it, so
    that no borrow reaches a neighbour.
    """
    length = 16 * len(rows)
    spread = bytearray(length)
    spread[1::2] = b"\0" + b"\0".join(rows)
    value = int.from_bytes(spread)
    spare = int.from_bytes(b"\1\0" * (length // 2))
    filters = int.from_bytes((b"\0\2" + bytes(14)) * len(rows))
    less = (value | spare) - (value >> 16 * 8) | filters
    return less.to_bytes(length)[1::2]
