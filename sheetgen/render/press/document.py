"""The objects that every pressed PDF has once: page tree, structure tree, metadata, catalogue.

ISO 32000-1, 7.7 (document structure) and 14.7 (logical structure).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import (
    PdfWriter,
    format_information,
    format_metadata,
    text_string,
)

# Object numbers that are the same in each file: catalogue, page tree, root of the structure tree,
# its Document element, parent tree, information, metadata, and one for the caller.
CATALOG, PAGES, TAGS, DOCUMENT, PARENTS, INFO, METADATA, SPARE = range(1, 9)


@frozen
class DocumentInfo:
    """Title, language, subject and metadata of a file; see `Plan`."""

    title: str
    lang: str
    subject: str
    meta: Mapping[str, str] = field(default_factory=dict)


def list_references(numbers: Iterable[int]) -> bytes:
    """Return references to objects, with spaces between them."""
    return b" ".join([b"%d 0 R" % number for number in numbers])


def write_trees(
    file: PdfWriter,
    info: DocumentInfo,
    pages: Sequence[int],
    tags: Sequence[int],
    parents: bytes,
    keys: int,
) -> None:
    """Write the page tree, the structure tree and the metadata.

    Args:
        pages, tags: Numbers of the pages, and of the structure elements below Document.
        parents: Entry of the parent tree: `/Kids[…]` or `/Nums[…]`.
        keys: How many keys the parent tree has.
    """
    body = b"<</Type/Pages/Count %d/Kids[%s]>>"
    file.add(PAGES, body % (len(pages), list_references(pages)))
    body = b"<</Type/StructTreeRoot/K %d 0 R/ParentTree %d 0 R/ParentTreeNextKey %d>>"
    file.add(TAGS, body % (DOCUMENT, PARENTS, keys))
    file.add(DOCUMENT, b"<</S/Document/P %d 0 R/K[%s]>>" % (TAGS, list_references(tags)))
    file.add(PARENTS, b"<<%s>>" % parents)
    file.add(INFO, format_information(info.title, info.subject, info.meta))
    file.stream(METADATA, format_metadata(info.title, info.subject, info.lang))


def finish_file(file: PdfWriter, lang: str, preferences: bytes, entries: bytes) -> bytes:
    """Write the catalogue and end the file; return it if it is in memory.

    Args:
        preferences, entries: More entries of the viewer preferences (12.2) and of the catalogue.
    """
    body = (
        b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/Metadata %d 0 R/Lang%s"
        b"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true%s>>%s>>"
    )
    file.add(CATALOG, body % (PAGES, TAGS, METADATA, text_string(lang), preferences, entries))
    return file.finish(CATALOG, INFO)
