"""Output intents, and visible violations of the standards that a PDF claims to follow.

Only the rules of ISO 15930 and ISO 19005 that our own files could break are checked; a file
without a violation here may break others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sheetgen.finish.saving import walk_annotations


def conditions_of(pdf: Any) -> Iterator[str]:
    """Yield the subtype and the condition of each output intent."""
    for intent in pdf.Root.get("/OutputIntents", []):
        kind = str(intent.get("/S", "/?"))[1:41]
        name = str(intent.get("/OutputConditionIdentifier", ""))[:80] or "without a name"
        profile = ", with its profile" if "/DestOutputProfile" in intent else ""
        yield f"{kind}: {name}{profile}"


def faults_of(pdf: Any, claims: tuple[str, ...]) -> Iterator[str]:
    """Yield each claim that does not hold, and the reason."""
    kinds = [str(intent.get("/S", "")) for intent in pdf.Root.get("/OutputIntents", [])]
    for claim in claims:
        if claim.startswith("PDF/X"):
            yield from (f"{claim}: {why}" for why in _pdf_x_faults(pdf, claim, kinds))
        elif claim.startswith("PDF/A"):
            yield from (f"{claim}: {why}" for why in _pdf_a_faults(pdf, claim, kinds))


def _pdf_x_faults(pdf: Any, claim: str, kinds: list[str]) -> Iterator[str]:
    info = pdf.docinfo
    if kinds.count("/GTS_PDFX") != 1:
        yield "it needs one output intent"
    if str(info.get("/Trapped", "")) not in ("/True", "/False"):
        yield "it does not state whether it is trapped"
    for key in ("/Title", "/CreationDate", "/ModDate"):
        if key not in info:
            yield f"its information lacks {key[1:]}"
    if "/ID" not in pdf.trailer:
        yield "it has no identifier"
    if "X-1a" in claim or "X-3" in claim:
        most = "1.3" if ":2001" in claim or ":2002" in claim else "1.4"
        if pdf.pdf_version > most:
            yield f"its version is PDF {pdf.pdf_version}, not {most}"
    for number, page in enumerate(pdf.pages, 1):
        if "/TrimBox" not in page.obj and "/ArtBox" not in page.obj:
            yield f"page {number} has no TrimBox"
            break


def _pdf_a_faults(pdf: Any, claim: str, kinds: list[str]) -> Iterator[str]:
    if "/GTS_PDFA1" not in kinds:
        yield "it needs an output intent for its colours"
    if "/ID" not in pdf.trailer:
        yield "it has no identifier"
    form = pdf.Root.get("/AcroForm", {})
    if form.get("/NeedAppearances") is True or "/XFA" in form:
        yield "its form leaves its looks to the viewer"
    for one in walk_annotations(pdf):
        if str(one.get("/Subtype")) == "/Widget":
            if "/AA" in one or "/A" in one:
                yield "a field acts"
                break
            if "/N" not in one.get("/AP", {}):
                yield "a field has no appearance"
                break
    if claim.endswith("a"):
        root = pdf.Root
        if "/StructTreeRoot" not in root or root.get("/MarkInfo", {}).get("/Marked") is not True:
            yield "it is not tagged"
        if not str(root.get("/Lang", "")):
            yield "it does not name its language"
