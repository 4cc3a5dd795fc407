"""The archive of compiled plates and fonts in an installed package. It holds no code.

Files in it have names, as in the cache, and are split into pieces; equal pieces are stored once.
The archive is memory-mapped, and only what is needed is read. An SQLite database would be 3 %
slower for a whole run of `sheet`. The layout; numbers have 4 bytes:

    magic, then the counts of files, of piece numbers, of pieces, and of bytes of the note
    the hash of the name of each file (16 bytes), sorted
    the index of the first piece number of each file, and the end of the last
    the CRC-32 of each file, and of the note
    the piece numbers of all files
    the offset of each piece from the end of the note, and the end of the last
    the note, in JSON
    the pieces, each after a byte that tells whether it is compressed
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
"""Name of the archive, next to `content/` and `templates/`."""

_MAGIC: Final = b"sheetgen store 2"
_HASH: Final = 16
_PLAIN, _PACKED = b"\0", b"\1"


def shipped_path() -> Path:
    """Return the path of the archive; a checkout has none."""
    return data_folder() / FILE


def read_shipped(name: str) -> bytes | None:
    """Return the shipped file `name`; None if there is none."""
    store = open_store(shipped_path())
    return store.file(name) if store is not None else None


def read_shipped_note() -> Mapping[str, Any]:
    """Return the note of the build; empty if there is no archive."""
    store = open_store(shipped_path())
    return store.note if store is not None else {}


@cache
def open_store(path: Path) -> Store | None:
    """Return the archive at `path`, which stays open; None if there is none."""
    try:
        with path.open("rb") as file:
            return Store(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError, struct.error):  # missing, empty, or of another version
        return None


class Store:
    """An open archive.

    Raises:
        ValueError: The bytes are not an archive.
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
        """The note of the build; empty if it is damaged."""
        text = self._checked(self.content[self._note : self.data], self.count)
        note: Mapping[str, Any] = json.loads(text) if text is not None else {}
        return note

    def file(self, name: str) -> bytes | None:
        """Return the file `name`; None if there is none, or it is damaged."""
        key = _hash(name)
        at = bisect_left(range(self.count), key, key=self._name)
        if at == self.count or self._name(at) != key:
            return None
        try:
            first, last = struct.unpack_from("<2I", self.content, self.bounds + 4 * at)
            numbers = struct.unpack_from(
                f"<{last - first}I", self.content, self.entries + 4 * first
            )
            return self._checked(b"".join(map(self._piece, numbers)), at)
        except (struct.error, zlib.error):
            return None

    def _checked(self, content: bytes, at: int) -> bytes | None:
        """Return `content` if its checksum is that of the file with index `at`, else None."""
        start = self.checks + 4 * at
        check = struct.pack("<I", zlib.crc32(content))
        return content if self.content[start : start + 4] == check else None

    def _name(self, at: int) -> bytes:
        start = self.names + _HASH * at
        return self.content[start : start + _HASH]

    def _piece(self, number: int) -> bytes:
        begin, end = struct.unpack_from("<2I", self.content, self.begins + 4 * number)
        piece = self.content[self.data + begin : self.data + end]
        return zlib.decompress(piece[1:]) if piece[:1] == _PACKED else piece[1:]


def pack_store(files: Mapping[str, Sequence[bytes]], note: Mapping[str, Any]) -> bytes:
    """Return an archive of `files`; equal files give equal bytes.

    Args:
        files: The pieces of each file, by name.
        note: Plain data about the build, for `sheetgen doctor`.
    """
    ordered = {_hash(name): [*files[name]] for name in files}
    ordered = dict(sorted(ordered.items()))
    adjacent = _always_adjacent(ordered.values())
    numbers: dict[bytes, int] = {}
    recipes = [
        [numbers.setdefault(piece, len(numbers)) for piece in _join(pieces, adjacent)]
        for pieces in ordered.values()
    ]
    packed = [_packed(piece) for piece in numbers]
    text = json.dumps(note, sort_keys=True, ensure_ascii=False).encode()
    entries = [number for recipe in recipes for number in recipe]
    head = struct.pack("<4I", len(ordered), len(entries), len(packed), len(text))
    tables: tuple[Iterable[int], ...] = (
        accumulate(map(len, recipes), initial=0),
        (zlib.crc32(content) for content in (*map(b"".join, ordered.values()), text)),
        entries,
        accumulate(map(len, packed), initial=0),
    )
    return b"".join((_MAGIC, head, *ordered, *map(_numbers, tables), text, *packed))


def _always_adjacent(files: Iterable[Sequence[bytes]]) -> Callable[[bytes, bytes], bool]:
    """Return a function that tells whether two pieces occur only next to each other.

    Such pieces compress better as one.
    """
    uses: Counter[bytes] = Counter()
    pairs: Counter[tuple[bytes, bytes]] = Counter()
    for pieces in files:
        uses.update(pieces)
        pairs.update(pairwise(pieces))
    return lambda one, two: pairs[one, two] == uses[one] == uses[two]


def _join(pieces: Sequence[bytes], adjacent: Callable[[bytes, bytes], bool]) -> list[bytes]:
    runs = [[*pieces[:1]]]
    for one, two in pairwise(pieces):
        if adjacent(one, two):
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
