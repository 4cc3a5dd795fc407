"""PDF/A-2: a finished file as it can be kept, with nothing that acts and colours that are defined.

Tags, language and titles stay; a file that is tagged for readers is PDF/A-2a, others are
PDF/A-2b.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sheetgen.finish.controls import remove_buttons
from sheetgen.finish.inks import NotReady
from sheetgen.finish.inspect.claims import claims_of
from sheetgen.finish.inspect.painting import rect_of
from sheetgen.finish.profiles import srgb
from sheetgen.finish.saving import open_pdf, save_pdf, write_metadata

_PRINTED: Final = 4
_NOT_SEEN: Final = 1 | 2 | 32 | 256
"""Flags of annotations: invisible, hidden, no view, toggled view."""

_ALLOWED: Final = ("/URI", "/GoTo", "/Named")


def convert_to_archive(data: bytes) -> bytes:
    """Return the file `data` as PDF/A-2; equal files give equal bytes.

    Raises:
        NotReady: A font is not embedded, or colours are those of a press.
    """
    import pikepdf

    with open_pdf(data) as pdf:
        _silence(pdf)
        remove_buttons(pdf)
        form = pdf.Root.get("/AcroForm", {})
        for key in ("/NeedAppearances", "/XFA", "/CO"):
            if key in form:
                del form[key]
        for page in pdf.pages:
            for one in page.obj.get("/Annots", ()):
                _settle(pdf, one)
        _check(pdf)
        profile = pikepdf.Stream(pdf, srgb(), {"/N": 3, "/Alternate": pikepdf.Name.DeviceRGB})
        pdf.Root.OutputIntents = [
            pikepdf.Dictionary(
                Type=pikepdf.Name.OutputIntent,
                S=pikepdf.Name("/GTS_PDFA1"),
                OutputConditionIdentifier="sRGB",
                RegistryName="http://www.color.org",
                Info="sRGB IEC61966-2.1",
                DestOutputProfile=pdf.make_indirect(profile),
            )
        ]
        tagged = any(claim.startswith("PDF/UA") for claim in claims_of(pdf))
        claims = {"pdfaid:part": "2", "pdfaid:conformance": "A" if tagged else "B"}
        write_metadata(pdf, claims | ({"pdfuaid:part": "1"} if tagged else {}))
        return save_pdf(pdf)


def _silence(pdf: Any) -> None:
    """Take out all that acts: on opening, on pages, in fields."""
    root = pdf.Root
    for holder, keys in (
        (root, ("/OpenAction", "/AA")),
        (root.get("/Names", {}), ("/JavaScript", "/EmbeddedFiles")),
    ):
        for key in keys:
            if key in holder:
                del holder[key]
    for page in pdf.pages:
        if "/AA" in page.obj:
            del page.obj["/AA"]
    for field in _fields(root.get("/AcroForm", {}).get("/Fields", ())):
        for key in ("/A", "/AA"):
            if key in field:
                del field[key]


def _fields(top: Any) -> Iterator[Any]:
    for field in top:
        yield field
        yield from _fields(field.get("/Kids", ()))


def _settle(pdf: Any, one: Any) -> None:
    """Let an annotation be printed, show itself, and do nothing but lead somewhere."""
    one.F = (int(one.get("/F", 0)) | _PRINTED) & ~_NOT_SEEN
    if "/AA" in one:
        del one["/AA"]
    if str(one.get("/Subtype")) == "/Widget":
        if "/N" not in one.get("/AP", {}):
            one.AP = {"/N": _empty(pdf, one)}
        if "/A" in one:
            del one["/A"]
    elif "/A" in one and str(one.A.get("/S", "")) not in _ALLOWED:
        del one["/A"]


def _empty(pdf: Any, widget: Any) -> Any:
    """Return the look of a field with nothing in it."""
    import pikepdf

    left, foot, right, top = rect_of(widget.Rect)
    size = [0, 0, round(right - left, 2), round(top - foot, 2)]
    kind = {"/Type": pikepdf.Name.XObject, "/Subtype": pikepdf.Name.Form, "/BBox": size}
    return pdf.make_indirect(pikepdf.Stream(pdf, b"", {**kind, "/Resources": {}}))


def _check(pdf: Any) -> None:
    """Refuse what has no place in an archive and cannot be taken out.

    Raises:
        NotReady: There is some of it.
    """
    import pikepdf

    for one in pdf.objects:
        if not isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            continue
        embedded = any(f"/FontFile{n}" in one for n in ("", "2", "3"))
        if one.get("/Type") == "/FontDescriptor" and not embedded:
            raise NotReady("a font that it does not carry")
        if one.get("/Subtype") == "/Image" and str(one.get("/ColorSpace")) == "/DeviceCMYK":
            raise NotReady("a picture in the colours of a press")
