"""Zip archives that were read into memory, unpacked within limits."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Final

from sheetgen.diag import codes, read_codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span

MOST_ENTRIES: Final = 5_000


def unpack_archive(content: bytes, place: Span, most: int) -> Checked[dict[str, bytes]]:
    """Return the files of a zip archive by their names, which may be any text.

    Args:
        most: Bytes that all files together may have; an entry that claims less and has more
            counts as damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            size = sum(entry.file_size for entry in entries)
            if size > most or len(entries) > MOST_ENTRIES:
                message = f"it unpacks to {size / 1e6:.0f} MB in {len(entries):,} files; "
                message += f"{most / 1e6:.0f} MB in {MOST_ENTRIES:,} files are read"
                finding = Finding(codes.TOO_MUCH, place, message, "is this the right file?")
                return Checked(None, (finding,))
            return Checked({entry.filename: archive.read(entry) for entry in entries})
    except (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, RuntimeError, OSError):
        message, hint = "this is no zip archive, or a damaged one", "save it again"
        return Checked(None, (Finding(read_codes.NOT_IMPORTED, place, message, hint),))
