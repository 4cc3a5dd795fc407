"""The on-disk cache: a folder of data that can be made again. It holds no code."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final


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
    from sheetgen.write.files import write_bytes  # Reading needs none of it.

    with contextlib.suppress(OSError):
        write_bytes(cache_path(key), _with_checksum(content))


def _with_checksum(content: bytes) -> bytes:
    return b"%08x\n%s" % (zlib.crc32(content), content)


_CHECKSUM: Final = 9
"""Bytes of the checksum before the content."""


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


@cache
def code_stamp() -> str:
    """Return a checksum of all modules and scripts of sheetgen; every key of the cache has it.

    It depends on their content only, not on their place and time: a plate compiled when a wheel
    is built is found where the wheel is installed.
    """
    top = str(Path(__file__).parent.parent)
    stamp = 0
    for path in sorted(_code_files(top)):
        stamp = zlib.crc32(f"\0{path[len(top) :]}\0".encode(), stamp)
        stamp = zlib.crc32(Path(path).read_bytes(), stamp)
    return f"{stamp:08x}"


def _code_files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".js")):
                yield entry.path
            elif "." not in entry.name and entry.name != "_data" and entry.is_dir():
                yield from _code_files(entry.path)
