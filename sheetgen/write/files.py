"""Write finished bytes to files, and never over a file that may hold someone's work."""

from __future__ import annotations

import hashlib
import mmap
import os
import secrets
import stat
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import BinaryIO

from sheetgen.diag import book_codes, codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.model.seals import PrintIdentity, is_sealed, sealed
from sheetgen.write.leftovers import open_temporary


def write_file(
    target: Path,
    content: bytes,
    sources: Collection[Path] = (),
    identity: PrintIdentity | None = None,
    *,
    force: bool = False,
) -> Finding | None:
    """Seal `content` and write it to `target`; return a finding if that is not possible.

    An interrupted run leaves the old file as it was. A file that sheetgen did not write, or
    that was changed since, is left alone, and so is a print of something else.

    Args:
        sources: Files that were read; none of them is ever overwritten.
        identity: What `content` is a print of.
        force: Replace a file at `target` whatever it holds.
    """
    if is_source(target, sources):
        return source_finding(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            return cannot_write(target, "a folder has this name")
        content = sealed(target.name, content, identity)
        if not force and not may_replace(target, content):
            return changed_finding(target)
        checked = identity if target.exists() and not force else None
        if checked and (other := checked.find_difference(target.read_bytes())):
            message = f"this file is not a print of {other}; it is not overwritten"
            hint = "name another folder with --out, or replace it with --force"
            return Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, hint)
        replace_file(target, content)
    except OSError as error:
        return cannot_write(target, error)
    return None


def write_new(target: Path, content: bytes) -> Finding | None:
    """Write a new file for an author to edit; return a finding if `target` exists."""
    if os.path.lexists(target):
        message = "a file with this name exists; it is not overwritten"
        return Finding(
            codes.WOULD_OVERWRITE, Span(str(target)), message, "name another file with --out"
        )
    try:
        write_bytes(target, content)
    except OSError as error:
        return cannot_write(target, error)
    return None


def overwrite_file(target: Path, content: bytes, digest: str) -> Finding | None:
    """Replace the author's file at `target`; return a finding if that is not possible.

    A link stays a link, and the file keeps its mode. A file that changed since it was read is
    left alone.

    Args:
        digest: SHA-256 of what was read; empty if there was no file, and none may be there.
    """
    real = Path(os.path.realpath(target))
    try:
        now = hashlib.sha256(real.read_bytes()).hexdigest() if real.exists() else ""
        if now != digest:
            message = "the file was changed while it was read; nothing is written"
            return Finding(codes.CANNOT_WRITE, Span(str(target)), message, "try again")
        mode = real.stat().st_mode & 0o7777 if digest else None
        write_bytes(real, content)
        if mode is not None:
            real.chmod(mode)
    except OSError as error:
        return cannot_write(target, error, "check the path")
    return None


def changed_finding(target: Path | str, hint: str = "") -> Finding:
    """Return the finding that a file is left alone because somebody changed it."""
    message = "this file was changed since it was written, or sheetgen did not write it"
    hint = hint or "move it away, or name another folder with --out; --force overwrites it"
    return Finding(book_codes.EDITED, Span(str(target)), f"{message}; it is left alone", hint)


def unsure_finding(target: Path | str) -> Finding:
    """Return the finding that a file is left alone because another print may need it."""
    hint = "move it away: a print that is missing here may read it"
    return changed_finding(target, hint)


def cannot_write(
    target: Path | str, reason: OSError | str, hint: str = "choose another --out"
) -> Finding:
    """Return the finding that a file cannot be written."""
    words = reason if isinstance(reason, str) else (reason.strerror or str(reason)).lower()
    hint = getattr(reason, "hint", hint)
    return Finding(codes.CANNOT_WRITE, Span(str(target)), f"cannot write it: {words}", hint)


def write_bytes(target: Path, content: bytes) -> None:
    """Write `content` to `target` in one step; missing folders are created.

    Raises:
        OSError: It cannot be written; the previous file is unchanged.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, content)


def remove_file(path: Path) -> None:
    """Remove a file if it exists.

    Raises:
        OSError: It cannot be removed.
    """
    path.unlink(missing_ok=True)


def replace_file(target: Path, content: bytes) -> None:
    """Replace `target` by `content` in one step, by way of a temporary file beside it.

    Raises:
        OSError: The folder cannot be written to; the previous file is unchanged.
    """
    file = open_temporary(target)
    try:
        with file:
            file.write(content)
            file.flush()
            if os.name == "nt":  # Windows moves no open file
                file.close()
            os.replace(file.name, target)
    except BaseException:
        remove_file(Path(file.name))
        raise


def write_temporary(folder: Path, fill: Callable[[BinaryIO], object]) -> Path:
    """Let `fill` write to a new file with a unique name in `folder`; return its path.

    Raises:
        OSError: It cannot be written; nothing is left of it.
    """
    path = folder / secrets.token_hex(8)
    file = open(path, "x+b")  # noqa: SIM115 - a file that exists already is not ours to remove
    try:
        with file:
            fill(file)
    except BaseException:
        remove_file(path)
        raise
    return path


def is_source(target: Path | str, sources: Iterable[Path | str]) -> bool:
    """Whether a file exists and is one of `sources`, also by a link or another spelling."""
    return os.path.exists(target) and any(_is_same(target, source) for source in sources)


def stays_inside(top: Path, name: str) -> bool:
    """Whether no link among the folders of `name` leads out of `top`."""
    *parts, _ = name.split("/")
    if not parts:
        return True
    real = os.path.realpath(top)
    folder = os.path.realpath(os.path.join(real, *parts))
    return folder.startswith(real.rstrip(os.sep) + os.sep)


def linked_finding(target: Path | str, hint: str = "remove the link") -> Finding:
    """Return the finding that a file is not written because a folder on its path is a link."""
    message = "a link leads this output out of its folder"
    return Finding(codes.CANNOT_WRITE, Span(str(target)), message, hint)


def source_finding(target: Path | str) -> Finding:
    """Return the finding that a file is left alone because the same run read it."""
    message = "this file was read in this run; it is not overwritten"
    hint = "name another folder with --out"
    return Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, hint)


def _is_same(target: Path | str, source: Path | str) -> bool:
    try:
        return os.path.samefile(target, source)
    except (OSError, ValueError):
        return False


def may_replace(target: Path, content: bytes = b"") -> bool:
    """Whether nothing is lost if `target` is replaced by `content`.

    True if there is no file, if it has this content already, or if sheetgen wrote it and nobody
    changed it since. False for a link: somebody created it.

    Raises:
        OSError: The file exists and cannot be read.
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
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return False  # an empty file cannot be mapped, and sheetgen writes none
        with mmap.mmap(handle, 0, access=mmap.ACCESS_READ) as there:
            same = len(there) == len(content) and there[:] == content
            return same or is_sealed(there)
