"""Read a file, a folder or a zip archive of a stranger as the bytes of its files, within bounds."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from sheetgen.diag import codes, read_codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.files import read_document

MOST_BYTES: Final = 48_000_000
"""Bytes that all files of a bundle may have together, unpacked."""

MOST_FILES: Final = 20_000

_Part = tuple[str, Callable[[], Checked[bytes]]]


def read_bundle(path: Path, is_needed: Callable[[str], bool]) -> Checked[dict[str, bytes]]:
    """Return the wanted files of a bundle by path; nothing is unpacked on the disk.

    Links in a folder are not followed; a path in an archive that leaves it is a finding.

    Args:
        path: A folder, a zip archive, or another file, which is a bundle of one.
        is_needed: Whether the file with a path is read.
    """
    if os.path.isdir(path):
        return _collect(path, _folder_parts(path, is_needed), [])
    read = read_document(path, MOST_BYTES)
    if read.value is None:
        return Checked(None, read.findings)
    if not read.value.startswith(b"PK\3\4"):
        return Checked({path.name: read.value})
    findings: list[Finding] = []
    if read.value.count(b"PK\1\2") > MOST_FILES:  # counted before objects are made of them
        return _too_much(path)
    try:
        with zipfile.ZipFile(io.BytesIO(read.value)) as archive:
            return _collect(path, _zip_parts(path, archive, is_needed, findings), findings)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        message = f"the archive cannot be read: {error}"
        finding = Finding(read_codes.NOT_IMPORTED, Span(str(path)), message, "pack it again")
        return Checked(None, (finding,))


def _collect(
    path: Path, parts: Iterator[_Part], findings: list[Finding]
) -> Checked[dict[str, bytes]]:
    files: dict[str, bytes] = {}
    size = 0
    for name, read in parts:
        content = read()
        findings += content.findings
        files[name] = content.value or b""
        size += len(files[name])
        if size > MOST_BYTES or len(files) > MOST_FILES:
            return _too_much(path)
    return Checked(files, tuple(findings))


def _too_much(path: Path) -> Checked[dict[str, bytes]]:
    message = f"there is more than {MOST_BYTES // 10**6} MB, or {MOST_FILES:,} files"
    finding = Finding(codes.TOO_MUCH, Span(str(path)), message, "import a part of it")
    return Checked(None, (finding,))


def _folder_parts(top: Path, is_needed: Callable[[str], bool]) -> Iterator[_Part]:
    for folder, below, names in os.walk(top):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder, name)
            inside = path.relative_to(top).as_posix()
            if is_needed(inside) and not path.is_symlink():
                yield inside, lambda path=path: read_document(path, MOST_BYTES)  # type: ignore[misc]


def _zip_parts(
    path: Path, archive: zipfile.ZipFile, is_needed: Callable[[str], bool], findings: list[Finding]
) -> Iterator[_Part]:
    for entry in archive.infolist():
        name = entry.filename.replace("\\", "/")
        if entry.is_dir() or not is_needed(name):
            continue
        if name.startswith("/") or ":" in name or ".." in PurePosixPath(name).parts:
            message = f"`{name[:80]}` in the archive leads out of it; it is not read"
            hint = "ask whoever packed it"
            severity = Severity.WARNING
            findings.append(
                Finding(read_codes.NOT_IMPORTED, Span(str(path)), message, hint, severity)
            )
            continue
        yield name, lambda entry=entry: _unpack(archive, entry)  # type: ignore[misc]


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Checked[bytes]:
    """Return a file of an archive; what it claims to have is not believed."""
    with archive.open(entry) as file:
        return Checked(file.read(MOST_BYTES + 1))
