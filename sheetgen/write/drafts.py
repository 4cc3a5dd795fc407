"""Drafts: files are written under a temporary name first, so that no place holds half of one."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from sheetgen.model.seals import seal
from sheetgen.write.files import put
from sheetgen.write.locks import locked

_LOCK: Final = "lock"
_PREFIX: Final = "run-"


@contextlib.contextmanager
def drafts_in(top: Path) -> Iterator[Path]:
    """Give a new folder below `top` for the drafts of one run, and take it away again.

    Folders of runs that broke off go, too: a run holds a lock, which ends with it.

    Raises:
        OSError: Nothing can be written there, or `top` leads somewhere else by a link.
    """
    if top.is_symlink() or top.parent.is_symlink():
        raise OSError(errno.ELOOP, "the folder for drafts is a link")
    top.mkdir(parents=True, exist_ok=True)
    for old in top.iterdir():
        if not old.is_symlink() and old.name.startswith(_PREFIX) and _is_left(old):
            shutil.rmtree(old, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(dir=top, prefix=_PREFIX))
    with open(folder / _LOCK, "wb") as lock:
        locked(lock)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                top.rmdir()


def _is_left(folder: Path) -> bool:
    """Whether the run that a folder belongs to has ended."""
    try:
        with open(folder / _LOCK, "r+b") as lock:
            return locked(lock)
    except OSError:
        return False


def draft(folder: Path, content: bytes) -> Path:
    """Write `content` to a new file in `folder`.

    Raises:
        OSError: It cannot be written; nothing is left of it.
    """
    return _drafted(folder, lambda file: file.write(content))


def drafted(folder: Path, fill: Callable[[BinaryIO], object]) -> Path:
    """Let `fill` write a PDF to a new file in `folder`, and seal it; it is never in memory whole.

    Raises:
        OSError: It cannot be written; nothing is left of it.
    """

    def sealing(file: BinaryIO) -> None:
        fill(file)
        file.flush()
        if file.tell():
            with mmap.mmap(file.fileno(), 0) as content:
                seal(content)

    return _drafted(folder, sealing)


def _drafted(folder: Path, fill: Callable[[BinaryIO], object]) -> Path:
    handle, name = tempfile.mkstemp(dir=folder)
    try:
        with os.fdopen(handle, "w+b") as file:
            fill(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def settle(draft: Path, target: Path) -> None:
    """Give a draft its place, in one step.

    Raises:
        OSError: The place cannot be had; what stood there is as it was.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder stands there")
    draft.chmod(0o666 & ~_umask())
    try:
        draft.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        put(target, draft.read_bytes())  # the place is on another disk
        draft.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
