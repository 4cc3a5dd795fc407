"""Prepare the fonts of authors: any font file becomes a plain TrueType font that fits our layouts.

It has one weight, the letters that prints may need, and the line metrics of the font of ours that
it replaces; that font also lends the letters that it lacks. The file is untrusted, so it is
parsed in a child process with limits, and only once: the result is cached.
"""

from __future__ import annotations

import hashlib
import re
from functools import partial
from pathlib import Path
from typing import Final

from sheetgen import __version__
from sheetgen.diag.notices import announced
from sheetgen.load.bounds import BoundExceeded, pass_memory_error, run_bounded
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.designs.fonts import FontFile, font_bytes, font_digest
from sheetgen.load.designs.own_fonts.building import BadFont, build_own_font
from sheetgen.load.files import read_document
from sheetgen.model.source import Text

_MOST_BYTES: Final = 40_000_000
"""Of a font file; fonts of Chinese have twenty megabytes."""

_SECONDS: Final = 120
_MEGABYTES: Final = 2_000
"""Processor time and memory that a font may take."""


def prepare_font(path: Path, name: Text, face: str, ours: str) -> FontFile:
    """Return the font file at `path`, prepared for `face`: from the cache, or parsed now.

    Args:
        name: How the author's file names it.
        face: Such as `text-600`; of a variable font, this weight is taken.
        ours: The name of the font file that it replaces.

    Raises:
        BadFont: It cannot be used.
    """
    read = read_document(path, _MOST_BYTES)
    if read.value is None:
        raise BadFont(f"cannot be used: {read.findings[0].message}")
    digest = hashlib.sha256(read.value).hexdigest()
    stamp = f"{__version__}-{code_stamp()}"
    key = f"{digest[:32]}-{face}-{font_digest(ours)[:8]}-{stamp}.font"
    kept = read_cache(key)
    if kept is None:
        with announced(f"preparing {name} as {face}"):
            job = partial(_build, read.value, face, font_bytes(ours))
            try:
                kept = run_bounded(job, _MEGABYTES, _SECONDS)
            except BoundExceeded as error:
                raise BadFont(f"cannot be used: {error}") from None
        store_in_cache(key, kept)
    lent, _, data = kept.partition(b"\n")
    stem = re.sub("[^A-Za-z0-9]+", "-", path.stem).strip("-") or "font"
    file = FontFile(f"{stem}-{face}-{digest[:8]}.ttf", name.span)
    file.path, file.data, file.lent = path, data, lent.decode()
    return file


def _build(data: bytes, face: str, ours: bytes) -> bytes:
    """Return a line with the letters that a font lacked, and the prepared font."""
    try:
        font, lent = build_own_font(data, face, ours)
    except BadFont:
        raise
    except Exception as error:  # noqa: BLE001 - the library raises anything
        pass_memory_error(error)
        raise BadFont("is no font, or is damaged") from None
    return lent.encode() + b"\n" + font
