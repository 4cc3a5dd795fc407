"""Find the files that changed: between two snapshots, or since they were read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
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


FileState = tuple[int | str, ...]
"""What changes when a file or folder does; empty if there is none."""


def file_state(path: str, unsaved: Mapping[str, str], since: int = 0) -> FileState:
    """Return the state of the file or folder at `path`, cheap enough for a poll.

    Args:
        unsaved: Digests of unsaved texts by the real paths of their files.
        since: A time in nanoseconds. The state of a file that was written later, but not in the
            future, equals no other: it may have changed again within the clock's resolution.
    """
    if unsaved and (digest := unsaved.get(os.path.realpath(path))) is not None:
        return (digest,)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ()
    written = status.st_mtime_ns
    fresh = 0 < since - _CLOCK <= written <= time.time_ns() + _CLOCK
    return written, status.st_size, status.st_ino, fresh


_CLOCK = 10_000_000
"""Nanoseconds between two ticks of a file system's clock."""
