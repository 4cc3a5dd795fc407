"""Bookmarks of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.syntax import text_string


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A title, and the number of the page object that it leads to."""

    title: str
    page: int


def outlines(marks: Sequence[Bookmark], file: PdfWriter) -> bytes:
    """Write bookmarks, one under the other; return what the catalogue says of them."""
    if not marks:
        return b""
    top = file.take(len(marks) + 1)
    ends = top + 1, len(marks), top + len(marks)
    file.add(top, b"<</Type/Outlines/First %d 0 R/Count %d/Last %d 0 R>>" % ends)
    for at, mark in enumerate(marks, start=top + 1):
        before = b"/Prev %d 0 R" % (at - 1) if at > top + 1 else b""
        after = b"/Next %d 0 R" % (at + 1) if at < ends[2] else b""
        title = text_string(mark.title)
        body = b"<</Title%s/Parent %d 0 R%s%s/Dest[%d 0 R/Fit]>>"
        file.add(at, body % (title, top, before, after, mark.page))
    return b"/Outlines %d 0 R/PageMode/UseOutlines" % top
