"""Which files have changed since one looked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sheetgen.load.rulesets.content import data_folder

Snapshot = dict[str, tuple[int, int]]
"""Time and size of files, by path."""


def take_snapshot(folders: Iterable[Path], without: Path) -> Snapshot:
    """Return what all files below some folders look like now, and all of ours.

    Hidden ones do not count, nor does what is below `without`: there we write.
    """
    found: Snapshot = {}
    ours = (data_folder() / "content", data_folder() / "templates")
    apart = os.path.abspath(without)
    for top in dict.fromkeys(os.path.abspath(folder) for folder in (*folders, *ours)):
        for folder, below, names in os.walk(top):
            inner = (name for name in below if not name.startswith((".", "__")))
            below[:] = [name for name in inner if os.path.join(folder, name) != apart]
            for name in names:
                path = os.path.join(folder, name)
                try:
                    status = os.stat(path)
                except OSError:
                    continue
                if not name.startswith("."):
                    found[path] = status.st_mtime_ns, status.st_size
    return found


def find_changed_paths(before: Snapshot, now: Snapshot) -> list[str]:
    """Return the paths that came, went or look otherwise, sorted."""
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
