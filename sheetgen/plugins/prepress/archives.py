"""Convert a finished file to PDF/A-2: without actions, and with an output intent for its colours.

Tags, language and titles stay; a tagged file becomes PDF/A-2a, others become PDF/A-2b.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sheetgen.finish.saving import (
    claims_of,
    open_pdf,
    output_intent,
    remove_keys,
    save_pdf,
    tree_pairs,
    walk_annotations,
    walk_fields,
    write_metadata,
)
from sheetgen.plugins.prepress.inks import NotReady
from sheetgen.plugins.prepress.inspect.painting import rect_of


def convert_to_archive(data: bytes) -> bytes:
    """Return the PDF `data` as PDF/A-2; equal files give equal bytes.

    Raises:
        NotReady: A font is not embedded, or a picture is in CMYK.
    """
    import pikepdf

    with open_pdf(data) as pdf:
        form = pdf.Root.get("/AcroForm", {})
        remove_keys(pdf.Root, "/OpenAction", "/AA")
        remove_keys(pdf.Root.get("/Names", {}), "/JavaScript", "/EmbeddedFiles")
        for field in walk_fields(form.get("/Fields", ())):
            remove_keys(field, "/A", "/AA")
        _remove_buttons(pdf)
        remove_keys(form, "/NeedAppearances", "/XFA", "/CO")
        for page in pdf.pages:
            remove_keys(page.obj, "/AA")
        for one in walk_annotations(pdf):
            _make_printable(pdf, one)
        _check(pdf)
        kind = {"/N": 3, "/Alternate": pikepdf.Name.DeviceRGB}
        profile = pdf.make_indirect(pikepdf.Stream(pdf, srgb_profile(), kind))
        intent = output_intent(pdf, "/GTS_PDFA1", "sRGB", "sRGB IEC61966-2.1")
        intent.DestOutputProfile = profile
        tagged = any(claim.startswith("PDF/UA") for claim in claims_of(pdf))
        claims = {"pdfaid:part": "2", "pdfaid:conformance": "A" if tagged else "B"}
        write_metadata(pdf, claims | ({"pdfuaid:part": "1"} if tagged else {}))
        return save_pdf(pdf)


def _make_printable(pdf: Any, one: Any) -> None:
    """Make an annotation visible and printed; it keeps only links."""
    import pikepdf

    printed, hidden = 4, 1 | 2 | 32 | 256  # invisible, hidden, no view, toggled view
    one.F = (int(one.get("/F", 0)) | printed) & ~hidden
    remove_keys(one, "/AA")
    if str(one.get("/Subtype")) == "/Widget":
        if "/N" not in one.get("/AP", {}):
            left, foot, right, top = rect_of(one.Rect)
            size = [0, 0, round(right - left, 2), round(top - foot, 2)]
            kind = {"/Type": pikepdf.Name.XObject, "/Subtype": pikepdf.Name.Form, "/BBox": size}
            empty = pikepdf.Stream(pdf, b"", {**kind, "/Resources": {}})
            one.AP = {"/N": pdf.make_indirect(empty)}
        remove_keys(one, "/A")
    elif "/A" in one and str(one.A.get("/S", "")) not in ("/URI", "/GoTo", "/Named"):
        del one["/A"]


def _check(pdf: Any) -> None:
    """Remove smoothing of pictures; check for what PDF/A forbids and cannot be removed.

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
        remove_keys(one, "/Interpolate")  # viewers may not smooth pictures
        if one.get("/Subtype") == "/Image" and str(one.get("/ColorSpace")) == "/DeviceCMYK":
            raise NotReady("a picture in the colours of a press")


@cache
def srgb_profile() -> bytes:
    """Return the sRGB profile, with a fixed date instead of the current time."""
    from PIL import ImageCms

    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    profile[24:36] = bytes.fromhex("07d0 0001 0001 0000 0000 0000")  # the first of January 2000
    profile[84:100] = bytes(16)  # an optional digest of the rest
    return bytes(profile)


def _remove_buttons(pdf: Any) -> None:
    """Remove buttons, and fields that scripts write to or show, with their tags."""
    import pikepdf

    removed = []
    for one in walk_annotations(pdf):
        button = str(one.get("/FT", "")) == "/Btn" and int(one.get("/Ff", 0)) & 1 << 16
        if button or str(one.get("/T", "")).startswith("sheetgen-"):
            removed.append(one)
    if not removed:
        return
    ids = {one.objgen for one in removed}
    for page in pdf.pages:
        _remove_from(page.obj, "/Annots", ids)
    parents = tree_pairs(pdf.Root.get("/StructTreeRoot", {}).get("/ParentTree", {}), "/Nums")
    tags = {int(number): tag for number, tag in parents if isinstance(tag, pikepdf.Dictionary)}
    for one in removed:
        if "/Parent" in one:
            _remove_from(one.Parent, "/Kids", ids)
        tag = tags.get(int(one.get("/StructParent", -1)))
        if tag is not None and "/P" in tag:
            _remove_from(tag.P, "/K", {tag.objgen})
    _remove_from(pdf.Root.AcroForm, "/Fields", ids)


def _remove_from(holder: Any, key: str, ids: set[tuple[int, int]]) -> None:
    import pikepdf

    if isinstance(holder.get(key), pikepdf.Array):
        left = [one for one in holder[key] if getattr(one, "objgen", (0, 0)) not in ids]
        holder[key] = pikepdf.Array(left)
