"""Drafts: files are written under a temporary name first, so that no place holds half a file."""

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
from sheetgen.write.files import remove_file, replace_file, write_temporary
from sheetgen.write.leftovers import open_own
from sheetgen.write.locks import lock_file

_LOCK: Final = "lock"
_PREFIX: Final = "run-"
_ATTEMPTS: Final = 100


@contextlib.contextmanager
def drafts_in(top: Path) -> Iterator[Path]:
    """Create a folder below `top` for the drafts of one run, and remove it at the end.

    Folders of runs that were killed are removed too: a run holds a lock, which ends with it.

    Raises:
        OSError: Nothing can be written there, or `top` is a link to somewhere else.
    """
    if top.is_symlink() or top.parent.is_symlink():
        raise OSError(errno.ELOOP, "the folder for drafts is a link")
    _remove_abandoned(top)
    folder, lock = _locked_folder(top)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()
        _remove_abandoned(top)  # a worker of an earlier run may have written after its end
        with contextlib.suppress(OSError):
            top.rmdir()


def _locked_folder(top: Path) -> tuple[Path, BinaryIO]:
    """Create a folder below `top` and lock it; return it and its lock.

    Another run may remove `top` while it is empty, or the folder while it has no lock yet:
    then try again.
    """
    for attempt in range(_ATTEMPTS):
        try:
            top.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(dir=top, prefix=_PREFIX))
            lock = open(folder / _LOCK, "wb")  # noqa: SIM115 - held as long as the folder
        except (FileNotFoundError, FileExistsError):
            if attempt == _ATTEMPTS - 1:
                raise
            continue
        lock_file(lock, wait=True)  # a run that removes abandoned folders may hold it
        if os.path.exists(lock.name):
            return folder, lock
        lock.close()
    raise OSError(errno.EAGAIN, "other runs remove the folder for drafts")


def _remove_abandoned(top: Path) -> None:
    """Remove the folders of runs that have ended; they are locked meanwhile.

    A folder may have lost its lock: a worker wrote to it while its run removed it.
    """
    with contextlib.suppress(OSError):
        for old in [one for one in top.glob(f"{_PREFIX}*") if not one.is_symlink()]:
            with contextlib.suppress(OSError), open(old / _LOCK, "ab", opener=open_own) as lock:
                if lock_file(lock):
                    shutil.rmtree(old, ignore_errors=True)


def write_draft(folder: Path, content: bytes) -> Path:
    """Write `content` to a new file in `folder`.

    Raises:
        OSError: It cannot be written; nothing is left of it.
    """
    return write_temporary(folder, lambda file: file.write(content))


def write_draft_pdf(folder: Path, fill: Callable[[BinaryIO], object]) -> Path:
    """Let `fill` write a PDF to a new file in `folder`, and seal it without loading it.

    Raises:
        OSError: It cannot be written; nothing is left of it.
    """

    def fill_and_seal(file: BinaryIO) -> None:
        fill(file)
        file.flush()
        if file.tell():
            with mmap.mmap(file.fileno(), 0) as content:
                seal(content)

    return write_temporary(folder, fill_and_seal)


def place_draft(draft: Path | str, target: Path | str) -> None:
    """Move a draft to its place, in one step.

    Raises:
        OSError: It cannot be moved; the previous file is unchanged.
    """
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "a folder has this name")
    try:
        os.replace(draft, target)
    except FileNotFoundError:
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        os.replace(draft, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # The place is on another file system.
        replace_file(Path(target), Path(draft).read_bytes())
        remove_file(Path(draft))
