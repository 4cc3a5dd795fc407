"""Open and save finished PDFs, write their metadata, and read their trees of names and numbers."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.model.designs import Preset
from sheetgen.model.requests import FileFormat
from sheetgen.registry import find_hook
from sheetgen.render.pdf.pdf_file import xmp_packet, xmp_text

# The date of every file that needs one: no clock is read, so that equal input gives equal bytes.
DATE: Final = "D:20000101000000+00'00'"

_NAMES: Final = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "pdf": "http://ns.adobe.com/pdf/1.3/",
    "pdfaid": "http://www.aiim.org/pdfa/ns/id/",
    "pdfuaid": "http://www.aiim.org/pdfua/ns/id/",
    "pdfx": "http://ns.adobe.com/pdfx/1.3/",
    "pdfxid": "http://www.npes.org/pdfx/ns/id/",
    "xmp": "http://ns.adobe.com/xap/1.0/",
}
# PDF/A requires a description of every schema that it does not define itself.
_UA_SCHEMA: Final = """<rdf:Description rdf:about=""
 xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
 xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"
 xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Which part of PDF/UA the file follows</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"""


def open_pdf(data: bytes) -> Any:
    """Return the file `data`, open; the caller closes it."""
    import pikepdf

    return pikepdf.open(io.BytesIO(data))


def save_pdf(pdf: Any, *, version: str = "1.7", packed: bool = True) -> bytes:
    """Return `pdf` as bytes, equal for equal files; `packed`: in object streams, unlike PDF 1.4."""
    import pikepdf

    mode = pikepdf.ObjectStreamMode
    target = io.BytesIO()
    pdf.remove_unreferenced_resources()
    pdf.save(
        target,
        force_version=version,
        fix_metadata_version=False,
        object_stream_mode=mode.generate if packed else mode.disable,
        deterministic_id=True,
    )
    return target.getvalue()


def write_metadata(pdf: Any, claims: dict[str, str]) -> None:
    """Write the XMP packet: the information dictionary, and `claims` such as `pdfaid:part`."""
    import pikepdf

    info = {key[1:]: str(value) for key, value in pdf.docinfo.items()}
    lang = str(pdf.Root.get("/Lang", ""))
    single = {
        "pdf:Producer": info.get("Producer", ""),
        "xmp:CreatorTool": info.get("Creator", ""),
        "pdf:Trapped": info.get("Trapped", "").lstrip("/"),
        "xmp:CreateDate": _date(info.get("CreationDate", "")),
        "xmp:ModifyDate": _date(info.get("ModDate", "")),
        **claims,
    }
    described = {name: xmp_text(value) for name, value in single.items() if value}
    for name, value in (("title", info.get("Title", "")), ("description", info.get("Subject", ""))):
        if value:
            item = f'<rdf:li xml:lang="x-default">{xmp_text(value)}</rdf:li>'
            described[f"dc:{name}"] = f"<rdf:Alt>{item}</rdf:Alt>"
    if lang:
        described["dc:language"] = f"<rdf:Bag><rdf:li>{xmp_text(lang)}</rdf:li></rdf:Bag>"
    parts = []
    for name, content in described.items():
        prefix = name.partition(":")[0]
        head = f'<rdf:Description rdf:about="" xmlns:{prefix}="{_NAMES[prefix]}">'
        parts.append(f"{head}<{name}>{content}</{name}></rdf:Description>")
    if "pdfaid:part" in claims and "pdfuaid:part" in claims:
        parts.append(_UA_SCHEMA)
    packet = xmp_packet("\n".join(parts), read_only=False)
    kind = {"/Type": pikepdf.Name.Metadata, "/Subtype": pikepdf.Name.XML}
    pdf.Root.Metadata = pdf.make_indirect(pikepdf.Stream(pdf, packet, kind))


def _date(date: str) -> str:
    match = re.match(r"D:(....)(..)(..)(..)(..)(..)", date)
    return "{}-{}-{}T{}:{}:{}+00:00".format(*match.groups()) if match else ""


_IN_METADATA: Final = {
    "pdfa_part": re.compile(r"pdfaid:part(?:=[\"']|>)\s*(\d)"),
    "pdfa_level": re.compile(r"pdfaid:conformance(?:=[\"']|>)\s*([ABUF])"),
    "ua": re.compile(r"pdfuaid:part(?:=[\"']|>)\s*(\d)"),
    "x": re.compile(r"pdfxid:GTS_PDFXVersion(?:=[\"']|>)\s*([^<\"']{1,40})"),
}


def claims_of(pdf: Any) -> tuple[str, ...]:
    """Return the standards that a file claims to follow, PDF/X first."""
    import pikepdf

    stream = pdf.Root.get("/Metadata")
    metadata = stream.read_bytes() if isinstance(stream, pikepdf.Stream) else b""
    packet = metadata[:200_000].decode("utf-8", "replace")
    claimed = {name: match[1] for name, p in _IN_METADATA.items() if (match := p.search(packet))}
    claims = []
    version = str(pdf.docinfo.get("/GTS_PDFXVersion", "")) or claimed.get("x", "")
    if version:
        claims.append(version[:40] if version.startswith("PDF/X") else f"PDF/X ({version[:40]})")
    if "pdfa_part" in claimed:
        claims.append(f"PDF/A-{claimed['pdfa_part']}{claimed.get('pdfa_level', '').lower()}")
    if "ua" in claimed:
        claims.append(f"PDF/UA-{claimed['ua']}")
    return tuple(claims)


def tree_pairs(node: Any, key: str) -> Iterator[tuple[Any, Any]]:
    """Yield the keys and values of a name tree (`/Names`) or of a number tree (`/Nums`)."""
    entries = list(node.get(key, ()))
    yield from zip(entries[::2], entries[1::2], strict=False)
    for kid in node.get("/Kids", ()):
        yield from tree_pairs(kid, key)


def list_of(value: Any) -> list[Any]:
    """Return the objects of an array, or of a key that may have one object or none."""
    import pikepdf

    if value is None:
        return []
    return list(value) if isinstance(value, pikepdf.Array) else [value]


def walk_annotations(pdf: Any) -> Iterator[Any]:
    """Yield the annotations of all pages."""
    for page in pdf.pages:
        yield from page.obj.get("/Annots", ())


def walk_fields(fields: Any) -> Iterator[Any]:
    """Yield form fields and those below them."""
    for field in fields:
        yield field
        yield from walk_fields(field.get("/Kids", ()))


def remove_keys(holder: Any, *keys: str) -> None:
    """Remove keys from a dictionary, as far as it has them."""
    for key in keys:
        if key in holder:
            del holder[key]


def output_intent(pdf: Any, subtype: str, condition: str, info: str) -> Any:
    """Set the only output intent of a file, and return it."""
    import pikepdf

    pdf.Root.OutputIntents = [
        pikepdf.Dictionary(
            Type=pikepdf.Name.OutputIntent,
            S=pikepdf.Name(subtype),
            OutputConditionIdentifier=condition,
            RegistryName="http://www.color.org",
            Info=info,
        )
    ]
    return pdf.Root.OutputIntents[0]


def precise_numbers(*values: float) -> bytes:
    """Return numbers for a content stream that places whole pages, to four decimals."""
    return b" ".join(f"{value + 0.0:.4f}".rstrip("0").rstrip(".").encode() for value in values)


def finish_files(
    files: Mapping[FileFormat, bytes], name: str, preset: Preset | None, archive: bool = False
) -> Checked[Mapping[FileFormat, bytes]]:
    """Return the files of one print, with the PDF prepared for a printer, or for an archive.

    `name` is the file that findings name.
    """
    if "pdf" not in files or (preset is None and not archive):
        return Checked(files)
    if (prepare := find_hook("finisher")) is None:
        message = "no plug-in is installed that prepares PDFs for printers and archives"
        finding = Finding(codes.NOT_TURNED, Span(name), message, "print it without --for")
        return Checked({k: v for k, v in files.items() if k != "pdf"}, (finding,))
    done: Checked[Mapping[FileFormat, bytes]] = prepare(files, name, preset, archive)
    return done
