"""The folder of what can be made again, and what is kept there. Data only, never code."""

from __future__ import annotations

import os
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
