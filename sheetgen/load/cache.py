"""The on-disk cache: a folder of data that can be made again. It holds no code."""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
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
    return content if with_checksum(content) == kept else None


def store_in_cache(key: str, content: bytes) -> None:
    """Write `content` to the cache; a cache that cannot be written to is left alone."""
    with contextlib.suppress(OSError):
        write_bytes(cache_path(key), with_checksum(content))


def with_checksum(content: bytes) -> bytes:
    """Return the file of a cache entry."""
    return b"%08x\n%s" % (zlib.crc32(content), content)


_CHECKSUM: Final = 9  # bytes of the checksum before the content


def can_write_cache() -> bool:
    """Whether the cache can be written: its folder, or the first existing one above it."""
    folder = cache_path("")
    there = next((f for f in (folder, *folder.parents) if os.path.exists(f)), folder)
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)


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


FONTS: Final = ("load/designs/fonts.py", "model/tokens.py")
DRAWINGS: Final = ("load/svg.py", "render/flow/rendering.py", *LAYOUT)
STAMPS: Final[dict[str, str]] = {}
"""Checksums by parts, of code whose source is not there: the builder's page brings it compiled."""


@cache
def code_stamp(*parts: str) -> str:
    """Return a checksum of all modules and scripts of sheetgen; every key of the cache has it.

    It depends on their content only, not on their place and time: a plate compiled on one machine
    is found on another.

    Args:
        parts: Files and folders, if not all count. Names of what is shipped have `LAYOUT`, so that
            other changes of code leave it valid.
    """
    if (known := STAMPS.get(" ".join(parts))) is not None:
        return known
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


@cache
def package_version(module: str) -> str:
    """Return name and version of an installed package without importing it; or `none`.

    It is read from the folder's name, since `importlib.metadata` takes ten times as long.
    """
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return "none"
    found = Path(spec.origin).parent.parent.glob(f"{module.lower()}-*.dist-info")
    return next((path.name for path in found), "unknown")


FILE: Final = "content/plates.store"  # the archive, in the folder of the data
_MAGIC: Final = b"sheetgen store 3"


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
    """An open archive; raises ValueError: the bytes are not an archive.

    Its head is JSON: the note, the checksum of each file and the number of its recipe, by name,
    and where pieces end. A recipe is a piece, too: the numbers of the pieces of a file.
    """

    def __init__(self, content: bytes | mmap.mmap) -> None:
        start = len(_MAGIC) + 8
        check, size = struct.unpack_from("<2I", content, len(_MAGIC))
        head = content[start : start + size]
        if content[: len(_MAGIC)] != _MAGIC or zlib.crc32(head) != check:
            raise ValueError("not a store, or one of another version")
        facts = json.loads(head)
        self.content, self.start, self.ends = content, start + size, facts["ends"]
        self.files: Mapping[str, tuple[int, int]] = facts["files"]
        self.note: Mapping[str, Any] = facts["note"]  # of the build

    def file(self, name: str) -> bytes | None:
        """Return the file `name`; None if there is none, or it is damaged."""
        if name not in self.files:
            return None
        check, recipe = self.files[name]
        try:
            numbers = array("I", self._piece(recipe))
            content = b"".join(map(self._piece, numbers))
        except (ValueError, IndexError, zlib.error):
            return None
        return content if zlib.crc32(content) == check else None

    def _piece(self, number: int) -> bytes:
        begin, end = self.ends[number : number + 2]
        return zlib.decompress(self.content[self.start + begin : self.start + end])


def pack_store(files: Mapping[str, Sequence[bytes]], note: Mapping[str, Any]) -> bytes:
    """Return an archive of the pieces of files by name; equal files give equal bytes."""
    uses = Counter(piece for pieces in files.values() for piece in pieces)
    pairs = Counter(pair for pieces in files.values() for pair in pairwise(pieces))
    numbers: dict[bytes, int] = {}
    recipes: dict[str, tuple[int, int]] = {}
    for name, pieces in sorted(files.items()):
        runs = [*pieces[:1]]
        for one, two in pairwise(pieces):
            if pairs[one, two] == uses[one] == uses[two]:
                runs[-1] += two  # pieces that occur only together compress better as one
            else:
                runs.append(two)
        recipe = array("I", [numbers.setdefault(run, len(numbers)) for run in runs]).tobytes()
        check = zlib.crc32(b"".join(pieces))
        recipes[name] = check, numbers.setdefault(recipe, len(numbers))
    packed = [zlib.compress(piece, 9) for piece in numbers]
    ends = [*accumulate(map(len, packed), initial=0)]
    facts = {"ends": ends, "files": recipes, "note": note}
    head = json.dumps(facts, sort_keys=True, ensure_ascii=False).encode()
    return b"".join((_MAGIC, struct.pack("<2I", zlib.crc32(head), len(head)), head, *packed))


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
