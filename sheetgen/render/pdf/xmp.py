"""What a file says of itself to programs that do not read PDF."""

from __future__ import annotations

from html import escape

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


def xmp(title: str, subject: str, lang: str, producer: str) -> bytes:
    """Return the metadata packet of an accessible PDF."""
    return _PACKET.format(
        title=_text(title), subject=_text(subject), lang=_text(lang), producer=producer
    ).encode()


def _text(value: str) -> str:
    """Return `value` for XML, without what XML has no way to say."""
    allowed = (c for c in value if c >= " " and not "\ud800" <= c <= "\udfff")
    return escape("".join(c for c in allowed if c not in "\ufffe\uffff"))
