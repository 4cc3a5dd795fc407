"""Finished files as bytes: PDFs of ours or of anybody; and whether a file is ours."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span

MOST_BYTES: Final = 300_000_000
"""A file beyond this is refused before it is read."""


def read_document(path: Path, most: int = MOST_BYTES) -> Checked[bytes]:
    """Return the bytes of the file at `path`, at most so many, or a finding that says why not."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return _unreadable(path, "this is not a file")
            if status.st_size > most:
                message = f"the file has {status.st_size / 1e6:.0f} MB; {most / 1e6:.0f} MB"
                finding = Finding(codes.TOO_MUCH, Span(str(path)), f"{message} are read")
                return Checked(None, (finding,))
            return Checked(file.read(most))
    except IsADirectoryError:
        return _unreadable(path, "this is a folder, not a file")
    except FileNotFoundError:
        return _unreadable(path, "there is no such file")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not a legal one"
        return _unreadable(path, f"cannot read it: {reason.lower()}")


def _unreadable(path: Path, message: str) -> Checked[bytes]:
    finding = Finding(codes.UNREADABLE, Span(str(path)), message, "check the path")
    return Checked(None, (finding,))
