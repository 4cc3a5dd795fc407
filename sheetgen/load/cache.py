"""The folder of what can be made again, and what is kept there. Data only, never code."""

from __future__ import annotations

import os
from pathlib import Path


def cache_path(key: str) -> Path:
    """Return where the thing with `key` is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "sheetgen" / key


def cached(key: str) -> bytes | None:
    """Return the thing with `key` as it was kept, or None."""
    try:
        return cache_path(key).read_bytes()
    except OSError:
        return None
