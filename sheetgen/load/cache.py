"""The folder of what can be made again, and what is kept there. Data only, never code."""

from __future__ import annotations

import os
import zlib
from pathlib import Path


def cache_path(key: str) -> Path:
    """Return where the thing with `key` is kept."""
    said = os.environ.get("XDG_CACHE_HOME", "")
    base = said if os.path.isabs(said) else os.path.expanduser("~/.cache")
    if not os.path.isabs(base):  # a user without a home: nothing is kept, least of all here
        base = os.devnull
    return Path(base) / "sheetgen" / key


def cached(key: str) -> bytes | None:
    """Return the thing with `key` as it was kept, or None."""
    try:
        return cache_path(key).read_bytes()
    except OSError:
        return None


def code_stamp(*packages: str) -> str:
    """Return a word that changes whenever a module in one of our `packages` does."""
    top = Path(__file__).parent.parent
    found = []
    for package in packages:
        with os.scandir(top / package) as entries:
            stats = [(e.name, e.stat()) for e in entries if e.name.endswith(".py")]
        found += [f"{name} {s.st_size} {s.st_mtime_ns}" for name, s in stats]
    return f"{zlib.crc32(' '.join(sorted(found)).encode()):08x}"
