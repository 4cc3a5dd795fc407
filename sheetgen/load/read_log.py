"""Which files of authors are read, for whoever wants to know what a print was made from."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

_read: ContextVar[set[str] | None] = ContextVar("_read", default=None)


@contextlib.contextmanager
def record_reads() -> Iterator[set[str]]:
    """Give a set that all files of authors come into that are read meanwhile."""
    found: set[str] = set()
    token = _read.set(found)
    try:
        yield found
    finally:
        _read.reset(token)


def note_read(path: Path) -> None:
    """Note that a file is read."""
    found = _read.get()
    if found is not None:
        found.add(str(path))
