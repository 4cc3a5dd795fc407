"""Prepare a finished file for a printer: page boxes, bleed, CMYK, and PDF/X."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sheetgen.finish.saving import (
    DATE,
    open_pdf,
    output_intent,
    remove_keys,
    save_pdf,
    write_metadata,
)
from sheetgen.model.designs.presets import Preset
from sheetgen.plugins.prepress.grounds import find_ground
from sheetgen.plugins.prepress.inks import (
    MOST_INK,
    NotReady,
    convert_to_cmyk,
    flatten_drawings,
    flatten_picture,
)
from sheetgen.plugins.prepress.inspect.painting import is_number

VERSIONS: Final = {"x-1a": "PDF/X-1a:2003", "x-3": "PDF/X-3:2003"}
"""The version that a file of each variant claims; both are PDF 1.4."""

_FOR_READERS: Final = (
    *("/AcroForm", "/StructTreeRoot", "/MarkInfo", "/Outlines", "/Names", "/Dests"),
    *("/OpenAction", "/AA", "/ViewerPreferences", "/PageLabels", "/PageMode", "/OutputIntents"),
)
_OF_PAGES: Final = ("/Annots", "/StructParents", "/Tabs", "/AA", "/Group")


def prepare_for_printer(data: bytes, preset: Preset) -> bytes:
    """Return the PDF `data` as the printer of `preset` needs it; unchanged if nothing is to do.

    Raises:
        NotReady: Something in it cannot be converted; the message says what.
    """
    if not (preset.bleed or preset.colour == "cmyk" or preset.variant in VERSIONS):
        return data
    with open_pdf(data) as pdf:
        if preset.flatten:
            flatten(pdf)
        ground = b""
        for page in pdf.pages if preset.bleed else ():
            ground = find_ground(pdf, page)
            _add_bleed(page, preset.bleed, ground)
        if preset.flatten and preset.takes == "pages":
            _turn_alike(pdf)
        for _ in range(-len(pdf.pages) % preset.pages):
            _add_blank(pdf, ground)
        if preset.variant in VERSIONS:
            flatten_drawings(pdf)
        if preset.colour == "cmyk":
            convert_to_cmyk(pdf, preset.ink / 100 or MOST_INK)
        if preset.variant in VERSIONS:
            _as_pdf_x(pdf, preset)
            return save_pdf(pdf, version="1.4", packed=False)
        return save_pdf(pdf)


def flatten(pdf: Any) -> None:
    """Draw the contents of fields on the pages, and remove fields and other annotations."""
    if "/AcroForm" in pdf.Root:
        pdf.flatten_annotations("print")
        remove_keys(pdf.Root, "/AcroForm")
    for page in pdf.pages:
        remove_keys(page.obj, "/Annots")


def _add_blank(pdf: Any, ground: bytes) -> None:
    """Add a blank page of the size and the colour of the last."""
    import pikepdf

    last = pdf.pages[-1].obj
    boxes = {key[1:]: list(last[key]) for key in _BOXES if key in last}
    blank = pikepdf.Dictionary(Type=pikepdf.Name.Page, Resources={}, **boxes)
    page = pikepdf.Page(pdf.make_indirect(blank))
    pdf.pages.append(page)
    if ground:
        page.contents_add(_paint(ground, boxes["MediaBox"]))


_BOXES: Final = ("/MediaBox", "/CropBox", "/BleedBox", "/TrimBox")


def _add_bleed(page: Any, bleed: float, ground: bytes) -> None:
    """Extend a page by `bleed` points on each side.

    A page that has a bleed already (a single card) is left alone. Nothing is drawn into the
    bleed but the colour of tinted paper: preflight reports other colour that touches the edge.

    Args:
        ground: The operator that sets this colour; empty for white paper.
    """
    trim = [float(side) for side in page.trimbox]
    outer = [float(side) for side in page.bleedbox]
    if any(abs(a - b) > 0.5 for a, b in zip(trim, outer, strict=True)):
        return
    left, foot, right, top = (float(side) for side in page.mediabox)
    size = [right - left, top - foot]
    outer = [0, 0, *(round(length + 2 * bleed, 4) for length in size)]
    before, after = b"q 1 0 0 1 %.6g %.6g cm\n" % (bleed - left, bleed - foot), b"\nQ"
    if ground:
        before = _paint(ground, outer) + before
    page.contents_add(before, prepend=True)
    page.contents_add(after)
    inner = [bleed, bleed, *(round(length + bleed, 4) for length in size)]
    page.obj.MediaBox, page.obj.BleedBox, page.obj.TrimBox = outer, outer, inner
    remove_keys(page.obj, "/CropBox", "/ArtBox")


def _turn_alike(pdf: Any) -> None:
    """Turn landscape pages among portrait ones, their heads to the left: a book is cut alike."""
    sizes = [[float(side) for side in page.mediabox] for page in pdf.pages]
    wide = [right - left > (top - foot) * 1.01 for left, foot, right, top in sizes]
    if all(wide):
        return
    for page, (left, _, _, top), turned in zip(pdf.pages, sizes, wide, strict=True):
        if not turned:
            continue
        page.contents_add(b"q 0 1 -1 0 %.6g %.6g cm\n" % (top, -left), prepend=True)
        page.contents_add(b"\nQ")
        for key in (key for key in _BOXES if key in page.obj):
            x0, y0, x1, y1 = (float(side) for side in page.obj[key])
            page.obj[key] = [round(n, 4) for n in (top - y1, x0 - left, top - y0, x1 - left)]


def _paint(ground: bytes, box: Sequence[Any]) -> bytes:
    left, foot, right, top = map(float, box)
    return b"q %s %.6g %.6g %.6g %.6g re f Q\n" % (ground, left, foot, right - left, top - foot)


def _as_pdf_x(pdf: Any, preset: Preset) -> None:
    """Remove what PDF/X forbids, and claim the version.

    Raises:
        NotReady: Something is transparent.
    """
    import pikepdf

    remove_keys(pdf.Root, *_FOR_READERS)
    for page in pdf.pages:
        remove_keys(page.obj, *_OF_PAGES)
    for one in pdf.objects:
        if isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            _remove_transparency(one)
    info = pdf.docinfo
    for key, usual in (("/Title", "Untitled"), ("/Creator", "sheetgen")):
        if not str(info.get(key, "")):
            info[key] = usual
    info["/CreationDate"] = info["/ModDate"] = DATE
    info["/Trapped"] = pikepdf.Name("/False")
    info["/GTS_PDFXVersion"] = VERSIONS[preset.variant]
    intent = output_intent(pdf, "/GTS_PDFX", preset.condition, preset.condition)
    intent.OutputCondition = preset.condition
    write_metadata(pdf, {"pdfx:GTS_PDFXVersion": VERSIONS[preset.variant]})


def _remove_transparency(one: Any) -> None:
    """Remove the transparency group of a form; put transparent pictures on paper.

    Raises:
        NotReady: Something is transparent.
    """
    if "/Group" in one and str(one.get("/Subtype", "")) == "/Form":
        del one["/Group"]
    soft = "/SMask" in one and str(one.SMask) != "/None"
    if soft and not (str(one.get("/Subtype")) == "/Image" and flatten_picture(one)):
        raise NotReady("soft edges")
    for key in ("/ca", "/CA"):
        if is_number(one.get(key)) and one[key] < 1:
            raise NotReady("colours that let through")
    if "/BM" in one and str(one.BM) not in ("/Normal", "/Compatible"):
        raise NotReady("colours that blend")
