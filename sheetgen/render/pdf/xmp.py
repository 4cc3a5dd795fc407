"""The XMP metadata packet of a PDF, for programs that do not read PDF."""

from __future__ import annotations

from html import escape

_PACKET = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
{parts}</rdf:RDF></x:xmpmeta>
<?xpacket end="{end}"?>"""

_ACCESSIBLE = """\
<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" pdfuaid:part="1"/>
<rdf:Description rdf:about="" xmlns:pdf="http://ns.adobe.com/pdf/1.3/" pdf:Producer="{producer}"/>
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">{subject}</rdf:li></rdf:Alt></dc:description>
<dc:language><rdf:Bag><rdf:li>{lang}</rdf:li></rdf:Bag></dc:language>
</rdf:Description>"""


def xmp(title: str, subject: str, lang: str, producer: str) -> bytes:
    """Return the metadata packet of an accessible PDF."""
    title, subject, lang = (xmp_text(text, quote=True) for text in (title, subject, lang))
    return xmp_packet(
        _ACCESSIBLE.format(title=title, subject=subject, lang=lang, producer=producer)
    )


def xmp_packet(parts: str, *, read_only: bool = True) -> bytes:
    """Return a packet of `parts`, which are `rdf:Description` elements."""
    parts, end = (parts, "r") if read_only else (f"{parts}\n", "w")
    return _PACKET.format(parts=parts, end=end).encode()


def xmp_text(value: str, *, quote: bool = False) -> str:
    """Return `value` escaped for XML, without the characters that XML does not allow."""
    allowed = (c for c in value if c >= " " and not "\ud800" <= c <= "\udfff")
    return escape("".join(c for c in allowed if c not in "\ufffe\uffff"), quote=quote)
