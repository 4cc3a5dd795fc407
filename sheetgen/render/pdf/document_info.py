"""What a PDF says about itself: information dictionary, XMP metadata, outlines (bookmarks).

ISO 32000-1, 14.3.3 (information dictionary), 14.3.2 (metadata streams), 12.3.3 (outlines).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.syntax import text_string
from sheetgen.render.pdf.xmp import format_xmp

PRODUCER: Final = "sheetgen"
META: Final = "sheetgen_"
"""Prefix of the entries of a plan's `meta` in the information dictionary."""

_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9_]")


def format_information(title: str, subject: str, meta: Mapping[str, str]) -> bytes:
    """Return the information dictionary, its entries in a fixed order."""
    entries = {"Title": title, "Subject": subject, "Producer": PRODUCER}
    entries |= {META + _NOT_A_NAME.sub("_", key): value for key, value in meta.items()}
    return b"<<%s>>" % _text_entries(entries)


def format_identity(meta: Mapping[str, str], fields: int) -> bytes:
    """Return the dictionary that tells a sheet from others in its file; see `OWNER`."""
    entries = {_NOT_A_NAME.sub("_", key): value for key, value in meta.items()}
    return b"<<%s/fields %d>>" % (_text_entries(entries), fields)


def _text_entries(entries: Mapping[str, str]) -> bytes:
    return b"".join(b"/%s%s" % (key.encode(), text_string(v)) for key, v in entries.items())


def format_metadata(title: str, subject: str, lang: str) -> bytes:
    """Return the metadata stream of an accessible PDF, a dictionary and its XMP packet."""
    packet = format_xmp(title, subject, lang, PRODUCER)
    head = b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n" % len(packet)
    return head + packet + b"\nendstream"


def write_outlines(bookmarks: Sequence[tuple[str, int]], file: PdfWriter) -> bytes:
    """Write bookmarks, one below the other; return the catalogue's entries for them.

    Args:
        bookmarks: The title of each, and the number of the page object that it leads to.
    """
    if not bookmarks:
        return b""
    top = file.take(len(bookmarks) + 1)
    ends = top + 1, len(bookmarks), top + len(bookmarks)
    file.add(top, b"<</Type/Outlines/First %d 0 R/Count %d/Last %d 0 R>>" % ends)
    for number, (title, page) in enumerate(bookmarks, start=top + 1):
        before = b"/Prev %d 0 R" % (number - 1) if number > top + 1 else b""
        after = b"/Next %d 0 R" % (number + 1) if number < ends[2] else b""
        body = b"<</Title%s/Parent %d 0 R%s%s/Dest[%d 0 R/Fit]>>"
        file.add(number, body % (text_string(title), top, before, after, page))
    return b"/Outlines %d 0 R/PageMode/UseOutlines" % top
