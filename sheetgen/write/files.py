"""Put finished bytes in their place, and never over a file that may hold someone's work."""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
import tempfile
from collections.abc import Collection
from pathlib import Path

from sheetgen.diag import book_codes, codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.model.seals import is_sealed, sealed


def write_file(
    target: Path, content: bytes, sources: Collection[Path] = (), *, force: bool = False
) -> Finding | None:
    """Seal `content` and put it at `target`; return a finding if it cannot be done.

    An interrupted run leaves the old file as it was. A file that we did not write, or that
    was changed since, is left alone.

    Args:
        sources: Files that were read; none of them is ever written over.
        force: Replace a file at `target` whatever it holds.
    """
    span = Span(str(target))
    if any(_same(target, source) for source in sources):
        message = "this file was read in this run; it is not written over"
        return Finding(codes.WOULD_OVERWRITE, span, message, "use --out with another folder")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            return _cannot(span, "a folder stands there")
        content = sealed(target.name, content)
        if not force and not may_replace(target, content):
            return changed_finding(target)
        replace_file(target, content)
    except OSError as error:
        return _cannot(span, (error.strerror or str(error)).lower())
    return None


def write_new(target: Path, content: bytes) -> Finding | None:
    """Put a file for an author to edit at `target`, where none may be; see `write_file`."""
    if os.path.lexists(target):
        message = "a file with this name exists; it is not overwritten"
        return Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, "use --out")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, content)
    except OSError as error:
        return _cannot(Span(str(target)), (error.strerror or str(error)).lower())
    return None


def changed_finding(target: Path) -> Finding:
    """Return that a file is left alone, since it is not as we wrote it."""
    message = "this file was changed since it was written, or sheetgen did not write it"
    hint = "move it away or use --out; --force overwrites it"
    return Finding(book_codes.EDITED, Span(str(target)), f"{message}; it is left alone", hint)


def write_cache(target: Path, content: bytes) -> None:
    """Put `content` into the cache at `target`; a cache that cannot be written is none."""
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(target, content)


def replace_file(target: Path, content: bytes) -> None:
    """Replace `target` by `content` in one step.

    Raises:
        OSError: The folder cannot be written to; what was there is as it was.
    """
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        draft.chmod(0o666 & ~umask())
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def umask() -> int:
    """Return the mask of the process; a temporary file has a narrower mode than usual."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _same(target: Path, source: Path) -> bool:
    try:
        return os.path.realpath(target) == os.path.realpath(source)
    except OSError:
        return False


def _cannot(span: Span, reason: str) -> Finding:
    return Finding(codes.CANNOT_WRITE, span, f"cannot write it: {reason}", "choose another --out")


def may_replace(target: Path, content: bytes = b"") -> bool:
    """Whether nothing is lost if `target` is replaced by `content`.

    True if there is no file, if it has this content already, or if we wrote it and nobody
    changed it since. A link counts as what it is: somebody made it.

    Raises:
        OSError: The file is there and cannot be read.
    """
    try:
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return True
    except OSError:
        if not os.path.islink(target):
            raise
        return False
    with open(handle, "rb"):
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return False
        if status.st_size == 0:
            return False  # it cannot be mapped, and is not a file of ours either
        with mmap.mmap(handle, 0, access=mmap.ACCESS_READ) as there:
            same = len(there) == len(content) and there[:] == content
            return same or is_sealed(there)
