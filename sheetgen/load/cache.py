"""The on-disk cache: a folder of data that can be made again. It holds no code."""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import struct
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final

from sheetgen.data import data_folder
from sheetgen.write import remove_file, write_bytes


def cache_path(key: str) -> Path:
    """Return the path of a cache entry."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    base = home if os.path.isabs(home) else os.path.expanduser("~/.cache")
    if not os.path.isabs(base):  # a user without a home: nothing is cached
        base = os.devnull
    return Path(base) / "sheetgen" / key


def read_cache(key: str) -> bytes | None:
    """Return a cache entry; None if there is none, or it is damaged."""
    try:
        kept = cache_path(key).read_bytes()
    except OSError:
        return None
    content = kept[_CHECKSUM:]
    return content if _with_checksum(content) == kept else None


def store_in_cache(key: str, content: bytes) -> None:
    """Write `content` to the cache; a cache that cannot be written to is left alone."""
    with contextlib.suppress(OSError):
        write_bytes(cache_path(key), _with_checksum(content))


def _with_checksum(content: bytes) -> bytes:
    return b"%08x\n%s" % (zlib.crc32(content), content)


_CHECKSUM: Final = 9  # bytes of the checksum before the content


def can_write_cache() -> bool:
    """Whether the cache can be written: its folder, or the first existing one above it."""
    folder = cache_path("")
    there = next((f for f in (folder, *folder.parents) if f.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def cache_sizes() -> tuple[int, ...]:
    """Return the size of each cache entry in bytes; none if there is no cache."""
    try:
        with os.scandir(cache_path("")) as entries:
            return tuple(entry.stat().st_size for entry in entries if entry.is_file())
    except OSError:
        return ()


# Where markup becomes a plate, and a font becomes a face.
LAYOUT: Final = (
    *("model/prints.py", "render/flow/layout.py", "render/fonts", "render/pdf"),
    *("render/plate_compiler.py", "model/tokens.py", "plan/fit.py", "units.py"),
)


@cache
def code_stamp(*parts: str) -> str:
    """Return a checksum of all modules and scripts of sheetgen; every key of the cache has it.

    It depends on their content only, not on their place and time: a plate compiled on one machine
    is found on another.

    Args:
        parts: Files and folders, if not all count. Names of what is shipped have `LAYOUT`, so that
            other changes of code leave it valid.
    """
    top = Path(__file__).parent.parent
    files = [part for part in parts if part.endswith(".py")]
    for part in [part for part in parts or ("",) if not part.endswith(".py")]:
        for folder, below, names in os.walk(top / part):
            below[:] = [name for name in below if "." not in name and name != "_data"]
            start = folder[len(str(top)) + 1 :].replace(os.sep, "/")
            files += [f"{start}/{name}" for name in names if name.endswith((".py", ".js"))]
    stamp = 0
    for file in sorted(files):
        stamp = zlib.crc32(f"\0{file}\0".encode(), stamp)
        stamp = zlib.crc32((top / file.lstrip("/")).read_bytes(), stamp)
    return f"{stamp:08x}"


FILE: Final = "content/plates.store"  # the archive, in the folder of the data
_MAGIC: Final = b"sheetgen store 2"
_HASH: Final = 16
_PLAIN, _PACKED = b"\0", b"\1"


def shipped_path() -> Path:
    """Return the path of the archive; `make plates` writes that of a checkout."""
    return data_folder() / FILE


def read_shipped(name: str) -> bytes | None:
    """Return the shipped file `name`; None if there is none."""
    return store.file(name) if (store := open_store(shipped_path())) is not None else None


def read_shipped_note() -> Mapping[str, Any]:
    """Return the note of the build; empty if there is no archive."""
    return store.note if (store := open_store(shipped_path())) is not None else {}


@cache
def open_store(path: Path) -> Store | None:
    """Return the archive at `path`, which stays open; None if there is none."""
    try:
        with path.open("rb") as file:
            return Store(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError, struct.error):  # missing, empty, or of another version
        return None


class Store:
    """An open archive; raises ValueError: the bytes are not an archive."""

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
            begins = (struct.unpack_from("<2I", self.content, self.begins + 4 * n) for n in numbers)
            pieces = [self.content[self.data + begin : self.data + end] for begin, end in begins]
            plain = (zlib.decompress(p[1:]) if p[:1] == _PACKED else p[1:] for p in pieces)
            return self._checked(b"".join(plain), at)
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


def pack_store(files: Mapping[str, Sequence[bytes]], note: Mapping[str, Any]) -> bytes:
    """Return an archive of the pieces of files by name; equal files give equal bytes."""
    ordered = {_hash(name): [*files[name]] for name in files}
    ordered = dict(sorted(ordered.items()))
    uses = Counter(piece for pieces in ordered.values() for piece in pieces)
    pairs = Counter(pair for pieces in ordered.values() for pair in pairwise(pieces))
    numbers: dict[bytes, int] = {}
    recipes: list[list[int]] = []
    for pieces in ordered.values():
        runs = pieces[:1]
        for one, two in pairwise(pieces):
            if pairs[one, two] == uses[one] == uses[two]:
                runs[-1] += two  # pieces that occur only together compress better as one
            else:
                runs.append(two)
        recipes.append([numbers.setdefault(run, len(numbers)) for run in runs])
    small = [zlib.compress(piece, 9) for piece in numbers]
    packed = [
        _PACKED + less if len(less) < len(piece) else _PLAIN + piece
        for piece, less in zip(numbers, small, strict=True)
    ]
    text = json.dumps(note, sort_keys=True, ensure_ascii=False).encode()
    entries = [number for recipe in recipes for number in recipe]
    head = struct.pack("<4I", len(ordered), len(entries), len(packed), len(text))
    tables: tuple[Iterable[int], ...] = (
        accumulate(map(len, recipes), initial=0),
        (zlib.crc32(content) for content in (*map(b"".join, ordered.values()), text)),
        entries,
        accumulate(map(len, packed), initial=0),
    )
    numbered = (struct.pack(f"<{len(every)}I", *every) for every in map(list, tables))
    return b"".join((_MAGIC, head, *ordered, *numbered, text, *packed))


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[:_HASH]


def shared_texts_folder() -> Path:
    """Return the folder to watch for changes of unsaved texts; it may not exist."""
    return cache_path("unsaved")


def share_text(path: str, text: str) -> None:
    """Share the unsaved text of the file at the real path `path`; without a cache, do nothing."""
    with contextlib.suppress(OSError):
        write_bytes(_entry(path), json.dumps({"path": path, "text": text}).encode())


def withdraw_text(path: str) -> None:
    """Stop sharing the text of a file, which was saved or closed."""
    _remove(_entry(path))


def withdraw_all_texts() -> None:
    """Stop sharing the texts of this process."""
    for process, entry in _entries():
        if process == os.getpid():
            _remove(entry)


def read_shared_texts() -> dict[str, str]:
    """Return the unsaved texts of all running language servers by the real paths of their files."""
    texts: dict[str, str] = {}
    for process, entry in _entries():
        try:
            os.kill(process, 0)  # fails if there is no such process
        except (ProcessLookupError, OverflowError):
            _remove(entry)
            continue
        except PermissionError:
            pass  # it runs, but is somebody else's
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(entry.read_bytes())
            texts[str(kept["path"])] = str(kept["text"])
    return texts


def _entries() -> Iterator[tuple[int, Path]]:
    """Yield the process id and the path of each shared text, sorted by name."""
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(shared_texts_folder())):
            process = name.partition("-")[0]
            if process.isdecimal() and name.endswith(".json"):
                yield int(process), shared_texts_folder() / name


def _entry(path: str) -> Path:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return shared_texts_folder() / f"{os.getpid()}-{digest}.json"


def _remove(entry: Path) -> None:
    with contextlib.suppress(OSError):
        remove_file(entry)
