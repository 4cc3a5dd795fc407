"""Locks between processes: who makes a thing that another is making already, waits for it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def lock_file(file: IO[bytes], *, wait: bool = False) -> bool:
    """Lock a file until this process closes it, if no other has; some systems have no locks.

    It is a lock of the process: those that it starts do not hold it when it has died.

    Args:
        wait: Until it can be had.
    """
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


@contextlib.contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Let one process at a time come by here with this path; where it cannot be made, all."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock_file(held.enter_context(open(path, "ab")), wait=True)
        yield
    with contextlib.suppress(OSError):
        path.unlink()
