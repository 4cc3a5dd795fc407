"""What comes ready made with an installed package: plates and fonts, in one file. Data only.

Things have names, as in the cache, and are cut into pieces; a piece that many share stands in
the file once. It is read where it is needed, never as a whole:

    magic, then the numbers of things, of entries, of pieces, and of the note's bytes (4 each)
    of each thing the hash of its name (16 bytes), sorted
    where the entries of each thing begin, and where the last ones end (4 bytes each)
    the checksum of each thing, and of the note (CRC-32, 4 bytes each)
    the entries: which pieces a thing is made of (4 bytes each)
    where each piece begins, counted from the end of the note, and where the last ends (4 each)
    the note, in JSON
    the pieces, each with a byte before it that says whether it is compressed
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

from sheetgen.load.rulesets.content import data_folder

FILE: Final = "plates.store"
"""Its name beside `content/` and `templates/`."""

_MAGIC: Final = b"sheetgen store 2"
_HASH: Final = 16
_PLAIN, _PACKED = b"\0", b"\1"


def shipped_path() -> Path:
    """Return where it is when it is there; a checkout has none."""
    return data_folder() / FILE


def read_shipped(name: str) -> bytes | None:
    """Return the thing with `name` as it was shipped, or None."""
    store = open_store(shipped_path())
    return store.thing(name) if store is not None else None


def read_shipped_note() -> Mapping[str, Any]:
    """Return what the build said of what it shipped; empty if nothing is."""
    store = open_store(shipped_path())
    return store.note if store is not None else {}


@cache
def open_store(path: Path) -> Store | None:
    """Return the store in the file at `path`, which stays open; None if there is none."""
    try:
        with path.open("rb") as file:
            return Store(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError, struct.error):  # not there, empty, or of another version
        return None


class Store:
    """A file of things, open.

    Raises:
        ValueError: The bytes are something else.
    """

    def __init__(self, content: bytes | mmap.mmap) -> None:
        start = len(_MAGIC)
        if content[:start] != _MAGIC:
            raise ValueError("not a store, or one of another version")
        self.content = content
        self.count, entries, pieces, note = struct.unpack_from("<4I", content, start)
        self.names = start + 16
        self.bounds = self.names + _HASH * self.count
        self.checks = self.bounds + 4 * (self.count + 1)
        self.entries = self.checks + 4 * (self.count + 1)
        self.begins = self.entries + 4 * entries
        self._note = self.begins + 4 * (pieces + 1)
        self.data = self._note + note

    @cached_property
    def note(self) -> Mapping[str, Any]:
        """What its maker said of it; empty if it is damaged."""
        said = self._whole(self.content[self._note : self.data], self.count)
        found: Mapping[str, Any] = json.loads(said) if said is not None else {}
        return found

    def thing(self, name: str) -> bytes | None:
        """Return the thing with `name`; None if there is none, or if it is damaged."""
        wanted = _hash(name)
        at = bisect_left(range(self.count), wanted, key=self._name)
        if at == self.count or self._name(at) != wanted:
            return None
        try:
            first, last = struct.unpack_from("<2I", self.content, self.bounds + 4 * at)
            which = struct.unpack_from(f"<{last - first}I", self.content, self.entries + 4 * first)
            return self._whole(b"".join(map(self._piece, which)), at)
        except (struct.error, zlib.error):
            return None

    def _whole(self, thing: bytes, at: int) -> bytes | None:
        """Return `thing` if its checksum is number `at`, else None."""
        start = self.checks + 4 * at
        check = struct.pack("<I", zlib.crc32(thing))
        return thing if self.content[start : start + 4] == check else None

    def _name(self, at: int) -> bytes:
        start = self.names + _HASH * at
        return self.content[start : start + _HASH]

    def _piece(self, number: int) -> bytes:
        begin, end = struct.unpack_from("<2I", self.content, self.begins + 4 * number)
        piece = self.content[self.data + begin : self.data + end]
        return zlib.decompress(piece[1:]) if piece[:1] == _PACKED else piece[1:]


def pack_store(things: Mapping[str, Sequence[bytes]], note: Mapping[str, Any]) -> bytes:
    """Return a store of `things`; equal ones give equal bytes.

    Args:
        things: By name, each cut where others may be alike; joined, the cuts are the thing.
        note: What is said of it all, for `sheetgen doctor`; plain data.
    """
    ordered = {_hash(name): [*things[name]] for name in things}
    ordered = dict(sorted(ordered.items()))
    joins = _joins(ordered.values())
    numbers: dict[bytes, int] = {}
    recipes = [
        [numbers.setdefault(piece, len(numbers)) for piece in _joined(pieces, joins)]
        for pieces in ordered.values()
    ]
    packed = [_packed(piece) for piece in numbers]
    said = json.dumps(note, sort_keys=True, ensure_ascii=False).encode()
    entries = [number for recipe in recipes for number in recipe]
    head = struct.pack("<4I", len(ordered), len(entries), len(packed), len(said))
    tables: tuple[Iterable[int], ...] = (
        accumulate(map(len, recipes), initial=0),
        (zlib.crc32(thing) for thing in (*map(b"".join, ordered.values()), said)),
        entries,
        accumulate(map(len, packed), initial=0),
    )
    return b"".join((_MAGIC, head, *ordered, *map(_numbers, tables), said, *packed))


def _joins(things: Iterable[Sequence[bytes]]) -> Callable[[bytes, bytes], bool]:
    """Return whether a piece is always followed by another, and that always follows it.

    Such neighbours compress better as one.
    """
    uses: Counter[bytes] = Counter()
    pairs: Counter[tuple[bytes, bytes]] = Counter()
    for pieces in things:
        uses.update(pieces)
        pairs.update(pairwise(pieces))
    return lambda one, two: pairs[one, two] == uses[one] == uses[two]


def _joined(pieces: Sequence[bytes], joins: Callable[[bytes, bytes], bool]) -> list[bytes]:
    runs = [[*pieces[:1]]]
    for one, two in pairwise(pieces):
        if joins(one, two):
            runs[-1].append(two)
        else:
            runs.append([two])
    return [b"".join(run) for run in runs]


def _packed(piece: bytes) -> bytes:
    small = zlib.compress(piece, 9)
    return _PACKED + small if len(small) < len(piece) else _PLAIN + piece


def _numbers(values: Iterable[int]) -> bytes:
    every = [*values]
    return struct.pack(f"<{len(every)}I", *every)


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[:_HASH]
