"""The folder of compiled plates, and plates read from it. Data only, never code."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the user's folder for what can be made again."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "sheetgen"


def plate_path(key: str) -> Path:
    """Return where the plate with `key` is kept."""
    return cache_folder() / f"{key}.plate"


def cached_plate(key: str) -> bytes | None:
    """Return the plate with `key` as it was kept, or None."""
    try:
        return plate_path(key).read_bytes()
    except OSError:
        return None
