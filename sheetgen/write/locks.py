"""Locks between processes, so that two of them do not make the same thing at once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO


def lock_file(file: IO[bytes], *, wait: bool = False) -> bool:
    """Lock a file until this process closes it; return whether that succeeded.

    The lock belongs to this process alone, not to its children. Systems without `fcntl` have
    no locks.

    Args:
        wait: Wait while another process holds the lock.
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
    """Hold the lock file at `path`, if it can be created; wait while another process does."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            lock_file(held.enter_context(open(path, "ab")), wait=True)
        yield
    with contextlib.suppress(OSError):
        path.unlink()
