"""The folder of what can be made again, and what is kept there. Data only, never code."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final


def cache_path(key: str) -> Path:
    """Return where the thing with `key` is kept."""
    said = os.environ.get("XDG_CACHE_HOME", "")
    base = said if os.path.isabs(said) else os.path.expanduser("~/.cache")
    if not os.path.isabs(base):  # a user without a home: nothing is kept, least of all here
        base = os.devnull
    return Path(base) / "sheetgen" / key


def read_cache(key: str) -> bytes | None:
    """Return the thing with `key`; None if it is not kept, or is damaged."""
    try:
        kept = cache_path(key).read_bytes()
    except OSError:
        return None
    content = kept[_CHECKSUM:]
    return content if _with_checksum(content) == kept else None


def store_in_cache(key: str, content: bytes) -> None:
    """Write `content` to the cache; a cache that cannot be written to is left alone."""
    from sheetgen.write.files import write_bytes  # Reading needs none of it.

    with contextlib.suppress(OSError):
        write_bytes(cache_path(key), _with_checksum(content))


def _with_checksum(content: bytes) -> bytes:
    return b"%08x\n%s" % (zlib.crc32(content), content)


_CHECKSUM: Final = 9
"""Bytes before the content."""


def can_write_cache() -> bool:
    """Whether anything can be kept: the folder, or the first above it that is there, allows it."""
    folder = cache_path("")
    there = next((f for f in (folder, *folder.parents) if f.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK | os.X_OK)


def cache_sizes() -> tuple[int, ...]:
    """Return how many bytes each thing has that is kept; none for a folder that is not there."""
    try:
        with os.scandir(cache_path("")) as entries:
            return tuple(entry.stat().st_size for entry in entries if entry.is_file())
    except OSError:
        return ()


@cache
def code_stamp(*packages: str) -> str:
    """Return a word that changes whenever a module or a script in one of our `packages` does.

    It rests on what stands in them, not on where and since when: what was made where a wheel
    was built is found where that is installed.
    """
    top = Path(__file__).parent.parent
    stamp = 0
    for package in packages:
        for path in sorted(_code_files(str(top / package))):
            stamp = zlib.crc32(f"\0{path[len(str(top)) :]}\0".encode(), stamp)
            stamp = zlib.crc32(Path(path).read_bytes(), stamp)
    return f"{stamp:08x}"


def _code_files(folder: str) -> Iterator[str]:
    """Yield the modules and scripts in a folder, at any depth."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".js")):
                yield entry.path
            elif "." not in entry.name and entry.is_dir():
                yield from _code_files(entry.path)
