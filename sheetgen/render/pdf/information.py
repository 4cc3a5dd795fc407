"""What a file says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from sheetgen.render.pdf.syntax import text_string

PRODUCER: Final = "sheetgen"
META: Final = "sheetgen_"
"""Begins the name of each entry of a plan's `meta` in the file's information."""

_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9_]")


def information(title: str, subject: str, meta: Mapping[str, str]) -> bytes:
    """Return the information dictionary of a file, its entries in a fixed order."""
    entries = {"Title": title, "Subject": subject, "Producer": PRODUCER}
    entries |= {META + _NOT_A_NAME.sub("_", key): value for key, value in meta.items()}
    return b"<<%s>>" % b"".join(
        b"/%s%s" % (key.encode(), text_string(value)) for key, value in entries.items()
    )
