"""Putting an edited file in the place of the one that it was made from."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.write.files import replace_file


def overwrite_file(target: Path, content: bytes, digest: str) -> Finding | None:
    """Replace the author's file at `target`; return a finding if it cannot be done.

    A link stays a link, and the file keeps its mode. It is left alone if it is not any more
    what was read.

    Args:
        digest: Of what was read; empty if there was no file, and none may be there.
    """
    span = Span(str(target))
    real = Path(os.path.realpath(target))
    try:
        if _digest(real) != digest:
            message = "the file was changed while it was read; nothing is written"
            return Finding(codes.CANNOT_WRITE, span, message, "try again")
        mode = real.stat().st_mode & 0o7777 if digest else None
        real.parent.mkdir(parents=True, exist_ok=True)
        replace_file(real, content)
        if mode is not None:
            real.chmod(mode)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return Finding(codes.CANNOT_WRITE, span, f"cannot write it: {reason}", "check the path")
    return None


def _digest(path: Path) -> str:
    """Return the digest of a file; nothing where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
