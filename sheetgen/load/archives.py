"""Zip archives that were read into memory, unpacked within bounds."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final

from sheetgen.diag import codes, read_codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.diag.spans import Span

MOST_FILES: Final = 20_000
"""Files of an archive or folder that are read."""

_ENTRY: Final = b"PK\1\2"
_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OSError,
)


def unpack_archive(
    content: bytes, place: Span, most: int, is_needed: Callable[[str], bool] = lambda _: True
) -> Checked[dict[str, bytes]]:
    """Return the files of a zip archive by path; nothing is written to the disk.

    A path that leads out of the archive is a finding.

    Args:
        most: Bytes that all files together may have; the sizes in the archive are not trusted.
        is_needed: Whether the file with a path is read.
    """
    if content.count(_ENTRY) > MOST_FILES:  # `ZipFile` would create an object for each
        return Checked(None, (too_much(place, most),))
    files: dict[str, bytes] = {}
    findings: list[Finding] = []
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                name = entry.filename.replace("\\", "/")
                if entry.is_dir() or not is_needed(name):
                    continue
                if name.startswith("/") or ":" in name or ".." in PurePosixPath(name).parts:
                    findings.append(_outside(place, name))
                    continue
                with archive.open(entry) as file:
                    files[name] = file.read(most - size + 1)
                size += len(files[name])
                if size > most:
                    return Checked(None, (too_much(place, most),))
    except _DAMAGED as error:
        message, hint = f"this is no zip archive, or a damaged one: {error}", "save it again"
        return Checked(None, (Finding(read_codes.NOT_IMPORTED, place, message, hint),))
    return Checked(files, tuple(findings))


def too_much(place: Span, most: int) -> Finding:
    """Return the finding that an archive or folder has more than `most` bytes, or many files."""
    message = f"there is more than {most // 10**6} MB, or {MOST_FILES:,} files"
    return Finding(codes.TOO_MUCH, place, message, "import a part of it")


def _outside(place: Span, name: str) -> Finding:
    message = f"`{name[:80]}` leads out of the archive; it is not read"
    hint = "ask the person who packed it"
    return Finding(read_codes.NOT_IMPORTED, place, message, hint, Severity.WARNING)
