"""Read a zip archive, a folder or a file of a stranger as the bytes of its files, within bounds."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.load.files import read_document

MOST_FILES: Final = 20_000  # files of an archive or folder that are read
_ENTRY: Final = b"PK\1\2"
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compression that is read; a few bytes of others may ask for gigabytes of memory."""

_DAMAGED: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    OSError,
)
MOST_BYTES: Final = 48_000_000  # bytes that all files of a bundle may have together, unpacked

ArchiveEntry: TypeAlias = zipfile.ZipInfo


def unpack_archive(
    content: bytes,
    place: Span,
    most: int,
    is_needed: Callable[[str], bool] = lambda _: True,
    check: Callable[[Sequence[ArchiveEntry]], Iterable[Finding]] = lambda _: (),
) -> Checked[dict[str, bytes]]:
    """Return the files of a zip archive by path; nothing is written to the disk.

    A path that leads out of the archive is a finding.

    Args:
        most: Bytes that all files together may have; the sizes in the archive are not trusted.
        is_needed: Whether the file with a path is read.
        check: Yields findings about the entries; if there are any, nothing is unpacked.
    """
    if content.count(_ENTRY) > MOST_FILES:  # `ZipFile` would create an object for each
        return Checked(None, (too_much(place, most),))
    files: dict[str, bytes] = {}
    findings: list[Finding] = []
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if wrong := tuple(check(archive.infolist())):
                return Checked(None, wrong)
            for entry in archive.infolist():
                name = entry.filename.replace("\\", "/")
                if entry.is_dir() or not is_needed(name):
                    continue
                if name.startswith("/") or ":" in name or ".." in PurePosixPath(name).parts:
                    message = f"`{name[:80]}` leads out of the archive; it is not read"
                    hint = "ask the person who packed it"
                    severity = Severity.WARNING
                    findings.append(Finding(codes.NOT_IMPORTED, place, message, hint, severity))
                    continue
                if entry.compress_type not in _METHODS:
                    raise zipfile.BadZipFile("it is not packed by the usual method, deflate")
                with archive.open(entry) as file:
                    files[name] = file.read(most - size + 1)
                size += len(files[name])
                if size > most:
                    return Checked(None, (too_much(place, most),))
    except _DAMAGED as error:
        message, hint = f"this is no zip archive, or a damaged one: {error}", "save it again"
        return Checked(None, (Finding(codes.NOT_IMPORTED, place, message, hint),))
    return Checked(files, tuple(findings))


def too_much(place: Span, most: int) -> Finding:
    """Return the finding that an archive or folder has more than `most` bytes, or many files."""
    message = f"there is more than {most // 10**6} MB, or {MOST_FILES:,} files"
    return Finding(codes.TOO_MUCH, place, message, "import a part of it")


def read_bundle(path: Path, is_needed: Callable[[str], bool]) -> Checked[dict[str, bytes]]:
    """Return the needed files of a bundle by path; links in a folder are not followed.

    Args:
        path: A folder, a zip archive, or another file, which is a bundle of one.
        is_needed: Whether the file with a path is read.
    """
    if not os.path.isdir(path):
        read = read_document(path, MOST_BYTES)
        if read.value is None:
            return Checked(None, read.findings)
        if read.value.startswith(b"PK\3\4"):
            return unpack_archive(read.value, Span(str(path)), MOST_BYTES, is_needed)
        return Checked({path.name: read.value})
    files: dict[str, bytes] = {}
    findings: list[Finding] = []
    size = 0
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for inner in (Path(folder, name) for name in sorted(names)):
            name = inner.relative_to(path).as_posix()
            if not is_needed(name) or inner.is_symlink():
                continue
            read = read_document(inner, MOST_BYTES)
            findings += read.findings
            files[name] = read.value or b""
            size += len(files[name])
            if size > MOST_BYTES or len(files) > MOST_FILES:
                return Checked(None, (too_much(Span(str(path)), MOST_BYTES),))
    return Checked(files, tuple(findings))
