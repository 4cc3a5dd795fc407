"""Read a file, a folder or a zip archive of a stranger as the bytes of its files, within bounds."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.archives import MOST_FILES, too_much, unpack_archive
from sheetgen.load.files import read_document

MOST_BYTES: Final = 48_000_000
"""Bytes that all files of a bundle may have together, unpacked."""


def read_bundle(path: Path, is_needed: Callable[[str], bool]) -> Checked[dict[str, bytes]]:
    """Return the needed files of a bundle by path; links in a folder are not followed.

    Args:
        path: A folder, a zip archive, or another file, which is a bundle of one.
        is_needed: Whether the file with a path is read.
    """
    if os.path.isdir(path):
        return _read_folder(path, is_needed)
    read = read_document(path, MOST_BYTES)
    if read.value is None:
        return Checked(None, read.findings)
    if read.value.startswith(b"PK\3\4"):
        return unpack_archive(read.value, Span(str(path)), MOST_BYTES, is_needed)
    return Checked({path.name: read.value})


def _read_folder(top: Path, is_needed: Callable[[str], bool]) -> Checked[dict[str, bytes]]:
    files: dict[str, bytes] = {}
    findings: list[Finding] = []
    size = 0
    for path in _walk(top):
        name = path.relative_to(top).as_posix()
        if not is_needed(name):
            continue
        read = read_document(path, MOST_BYTES)
        findings += read.findings
        files[name] = read.value or b""
        size += len(files[name])
        if size > MOST_BYTES or len(files) > MOST_FILES:
            return Checked(None, (too_much(Span(str(top)), MOST_BYTES),))
    return Checked(files, tuple(findings))


def _walk(top: Path) -> Iterator[Path]:
    """Yield the files below a folder in order, without links and hidden folders."""
    for folder, below, names in os.walk(top):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            if not path.is_symlink():
                yield path
