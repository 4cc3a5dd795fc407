"""Files as text: sizes, encodings, folders; a finding for whatever is wrong."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span, split_lines
from sheetgen.load.read_log import note_read

MOST_BYTES = 4_000_000
"""An author's file beyond this is refused before it is read."""

SUFFIXES = (".yaml", ".yml")


def read_text(path: Path) -> Checked[tuple[str, str]]:
    """Return the text of the file at `path` and the digest of its bytes."""
    note_read(path)
    span = Span(str(path))
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return _unreadable(span, "this is not a file")
            if status.st_size > MOST_BYTES:
                return Checked(None, (_too_large(span, status.st_size),))
            content = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        return _unreadable(span, "this is a folder, not a file")
    except FileNotFoundError:
        return _unreadable(span, "there is no such file")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not a legal one"
        return _unreadable(span, f"cannot read it: {reason.lower()}")
    if len(content) > MOST_BYTES:
        return Checked(None, (_too_large(span, len(content)),))
    return decode_text(content, span)


def yaml_files(path: Path) -> Iterator[Path]:
    """Yield `path`, or the YAML files below it if it is a folder, in a fixed order.

    Hidden folders are passed over, and links out of the folder are not followed. A folder that
    may not be opened is yielded itself, last, so that reading it says why.
    """
    if not os.path.isdir(path):  # `Path.is_dir` fails on names that are too long
        yield path
        return
    shut: list[OSError] = []
    for folder, below, names in os.walk(path, onerror=shut.append):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield Path(folder, name)
    yield from (Path(error.filename) for error in shut)


def file_names(folder: Path) -> set[str]:
    """Return the names in a folder, which may be very many; nothing about the files is read.

    Raises:
        OSError: The folder cannot be listed.
    """
    return set(os.listdir(folder))


def is_empty_folder(path: Path) -> bool:
    """Whether `path` is a folder, not a link to one, and has nothing in it."""
    return os.path.isdir(path) and not path.is_symlink() and not os.listdir(path)


def decode_text(content: bytes, span: Span) -> Checked[tuple[str, str]]:
    """Return `content` as text, and its digest; `span` is the whole file's."""
    digest = hashlib.sha256(content).hexdigest()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = split_lines(content[: error.start].decode("utf-8-sig", "replace"))
        line, column = len(before), len(before[-1]) + 1
        finding = Finding(
            codes.NOT_UTF8,
            Span(span.file, line, column),
            f"byte 0x{content[error.start]:02x} is not UTF-8 text",
            hint="save the file as UTF-8",
        )
        return Checked(None, (finding,))
    return Checked((text, digest))


def _unreadable(span: Span, message: str) -> Checked[tuple[str, str]]:
    return Checked(None, (Finding(codes.UNREADABLE, span, message, "check the path"),))


def _too_large(span: Span, size: int) -> Finding:
    return Finding(
        codes.TOO_MUCH,
        span,
        f"the file has {size / 1_000_000:.1f} MB; {MOST_BYTES // 1_000_000} MB are read",
        hint="is this the right file?",
    )
