"""What a PDF says about itself: information dictionary, XMP metadata, outlines (bookmarks).

ISO 32000-1, 14.3.3 (information dictionary), 14.3.2 (metadata streams), 12.3.3 (outlines).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.syntax import text_string

PRODUCER: Final = "sheetgen"
META: Final = "sheetgen_"
"""Prefix of the entries of a plan's `meta` in the information dictionary."""

_NOT_A_NAME: Final = re.compile(r"[^A-Za-z0-9_]")

_PACKET = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" pdfuaid:part="1"/>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="{producer}"/>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
<dc:language><rdf:Bag><rdf:li>{lang}</rdf:li></rdf:Bag></dc:language>
</rdf:Description></rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>"""


def format_information(title: str, subject: str, meta: Mapping[str, str]) -> bytes:
    """Return the information dictionary, its entries in a fixed order."""
    entries = {"Title": title, "Subject": subject, "Producer": PRODUCER}
    entries |= {META + _NOT_A_NAME.sub("_", key): value for key, value in meta.items()}
    return b"<<%s>>" % b"".join(
        b"/%s%s" % (key.encode(), text_string(value)) for key, value in entries.items()
    )


def format_xmp(title: str, subject: str, lang: str) -> bytes:
    """Return the metadata stream of an accessible PDF, a dictionary and its XMP packet."""
    packet = _PACKET.format(
        title=_xml_text(title), subject=_xml_text(subject), lang=_xml_text(lang), producer=PRODUCER
    ).encode()
    head = b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n" % len(packet)
    return head + packet + b"\nendstream"


def _xml_text(value: str) -> str:
    """Return `value` escaped, without the characters that XML cannot hold."""
    allowed = (c for c in value if c >= " " and not "\ud800" <= c <= "\udfff")
    return escape("".join(c for c in allowed if c not in "\ufffe\uffff"))


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
