"""Read a picture's file: inside the folder of the YAML file that names it, and nowhere else."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes, picture_codes
from sheetgen.diag.code import Code
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.files import note_read, read_document, suggest_file
from sheetgen.model.source import Text

MOST_BYTES: Final = 50_000_000
"""Largest file of a picture."""

_ENDINGS: Final = (".jpg", ".jpeg", ".png", ".svg")
_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
"""The scheme of a URL, or the letter of a Windows disk."""


class PictureError(ValueError):
    """A picture cannot be printed; the message follows its name."""

    def __init__(self, code: Code, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def picture_finding(code: Code, span: Span, message: str, hint: str = "") -> Finding:
    """Return a finding about a picture: a warning, since it is printed without the picture."""
    return Finding(code, span, message, hint, Severity.WARNING)


def read_picture_file(file: Text) -> Checked[tuple[str, bytes]]:
    """Return the real path and the content of the file that an author names, or a finding."""
    span = file.span
    folder = os.path.realpath(os.path.dirname(span.file) or ".")
    name = file.strip().replace("\\", "/")
    if not name or not name.isprintable():
        return _refuse(picture_codes.NO_PICTURE, span, "this is not the name of a file")
    if _ADDRESS.match(name):
        message = f"`{file}` is an address, and only files beside this one are read"
        return _refuse(picture_codes.OUTSIDE, span, message, "copy the picture beside this file")
    path = os.path.join(folder, name)
    real = os.path.realpath(path)
    if ".." in name.split("/") or not real.startswith(folder.rstrip(os.sep) + os.sep):
        message = f"`{file}` is not in the folder of this file"
        return _refuse(picture_codes.OUTSIDE, span, message, "copy the picture beside this file")
    note_read(Path(path))
    read = read_document(Path(real), MOST_BYTES)
    if read.value is not None:
        return Checked((real, read.value))
    found = read.findings[0]
    if found.code is codes.TOO_MUCH:
        return _refuse(picture_codes.LARGE_PICTURE, span, f"`{file}`: {found.message}", _SMALLER)
    hint = found.hint
    if not os.path.lexists(path):
        hint = suggest_file(name, Path(folder), _ENDINGS, "pictures") or "check the name"
    return _refuse(picture_codes.NO_PICTURE, span, f"`{file}`: {found.message}", hint)


_SMALLER: Final = "export the picture in a smaller size"


def _refuse(code: Code, span: Span, message: str, hint: str = "check the name") -> Checked[Any]:
    return Checked(None, (picture_finding(code, span, message, hint),))
