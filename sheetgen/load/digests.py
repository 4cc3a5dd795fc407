"""Digests of files and folders, each computed once a run."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sheetgen import __version__
from sheetgen.data import data_folder, templates_folder
from sheetgen.load.cache import code_stamp
from sheetgen.load.designs.designs import engine_version
from sheetgen.load.designs.fonts import find_font
from sheetgen.load.designs.templates import load_theme_tokens, theme_ids

MISSING: Final = ""  # the digest of a missing file
CHANGING: Final = "changing"  # not the digest of any file: what was built from it is built again
_MOST: Final = 1000  # digests that are kept in memory
_MOST_FILES: Final = 10_000  # most files below a folder
_MOST_BYTES: Final = 300_000_000  # largest size of a file, or of all files below a folder
_OWN: Final = "own:"  # prefix of names of files that are part of sheetgen
Snapshot = dict[str, tuple[int, int]]  # modification time and size of files, by path
FileState = tuple[int | str, ...]  # what changes when a file or folder does; empty if there is none
_CLOCK = 10_000_000  # nanoseconds between two ticks of a file system's clock


@dataclass(slots=True)
class Digests:
    """Digests of the inputs of prints."""

    base: Path  # Names are relative to this folder, so that it can be moved.
    since: int = field(default_factory=time.time_ns)  # Start of this run, in nanoseconds.
    _known: dict[str, str] = field(default_factory=dict)

    def name(self, path: Path | str) -> str:
        """Return the name of a file or folder, which is the same on every machine."""
        real = os.path.abspath(path)
        own = str(data_folder())
        if real.startswith(own + os.sep):
            return _OWN + os.path.relpath(real, own).replace(os.sep, "/")
        return os.path.relpath(real, os.path.abspath(self.base)).replace(os.sep, "/")

    def of(self, name: str) -> str:
        """Return the digest of a file, or of all files below a folder.

        It is `CHANGING` for more files or bytes than any print reads: a forged record may name
        any file or folder.
        """
        if name not in self._known:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[name] = _digest(self.path(name))
        return self._known[name]

    def of_read(self, name: str) -> str:
        """Return the digest of a file or folder that this run read.

        It is `CHANGING` if it changed during the run: the old or the new content was read.
        """
        path = self.path(name)
        for one in (str(path), *_files(path)):
            with contextlib.suppress(OSError):
                if os.stat(one).st_mtime_ns >= self.since:
                    return CHANGING
        return self.of(name)

    def path(self, name: str) -> Path:
        """Return the path of a file or folder; see `name`."""
        top = data_folder() if name.startswith(_OWN) else self.base
        return Path(os.path.join(top, name.removeprefix(_OWN)))


def _digest(path: Path) -> str:
    if not os.path.isdir(path):
        return file_digest(path) if _size(path) <= _MOST_BYTES else CHANGING
    total = hashlib.sha256()
    left = _MOST_BYTES
    for count, inner in enumerate(_files(path)):
        left -= _size(inner)
        if count >= _MOST_FILES or left < 0:
            return CHANGING
        entry = f"{os.path.relpath(inner, path)}\0{file_digest(Path(inner))}\0"
        total.update(entry.encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _size(path: Path | str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def _files(top: Path) -> Iterator[str]:
    """Yield all files below a folder, in a fixed order; none of a file."""
    for folder, below, names in os.walk(top):
        below[:] = sorted(one for one in below if not one.startswith((".", "__")))
        yield from (os.path.join(folder, name) for name in sorted(names))


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; `MISSING` if it cannot be read."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return MISSING
            if not status.st_size:  # files in /proc have no size, and may never end
                return hashlib.sha256().hexdigest()
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return MISSING


def product_stamp() -> str:
    """Return a digest of sheetgen itself: version, code, fonts, shared templates."""
    top = templates_folder()
    shared = sorted(path.name for path in top.iterdir() if path.name.startswith("_"))
    parts = [__version__, engine_version(), *(_digest(top / name) for name in shared)]
    parts.append(code_stamp())
    files = {file for theme in theme_ids() for file in load_theme_tokens(theme).faces.values()}
    parts += [file_digest(find_font(file)) for file in sorted(files)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


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
                with contextlib.suppress(OSError):
                    if not name.startswith("."):
                        status = os.stat(path)
                        files[path] = status.st_mtime_ns, status.st_size
    return files


def find_changed_paths(before: Snapshot, now: Snapshot) -> list[str]:
    """Return the paths that were added, removed or changed, sorted."""
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))


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
