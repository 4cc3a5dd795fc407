"""Zip archives as bytes, equal for equal contents."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The first date that zip has: no clock is read."""


def pack_archive(entries: Iterable[tuple[str, bytes]], comment: str) -> bytes:
    """Return a zip archive of `entries`, names and contents, with a comment."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name, _EPOCH)
            pictures = name.endswith(".png")
            entry.compress_type = zipfile.ZIP_STORED if pictures else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, content)
        archive.comment = comment.encode()
    return target.getvalue()
