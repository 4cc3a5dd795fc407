"""Find the files that changed between two snapshots; used by `sheetgen watch`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sheetgen.load.rulesets.content import data_folder

Snapshot = dict[str, tuple[int, int]]
"""Modification time and size of files, by path."""


def take_snapshot(folders: Iterable[Path], without: Path) -> Snapshot:
    """Return a snapshot of all files below some folders, and of our content and templates.

    Hidden files are left out, and files below `without`, the output folder.
    """
    files: Snapshot = {}
    own = (data_folder() / "content", data_folder() / "templates")
    excluded = os.path.abspath(without)
    for top in dict.fromkeys(os.path.abspath(folder) for folder in (*folders, *own)):
        for folder, below, names in os.walk(top):
            inner = (name for name in below if not name.startswith((".", "__")))
            below[:] = [name for name in inner if os.path.join(folder, name) != excluded]
            for name in names:
                path = os.path.join(folder, name)
                try:
                    status = os.stat(path)
                except OSError:
                    continue
                if not name.startswith("."):
                    files[path] = status.st_mtime_ns, status.st_size
    return files


def find_changed_paths(before: Snapshot, now: Snapshot) -> list[str]:
    """Return the paths that were added, removed or changed, sorted."""
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))
