"""Prepare a finished file for a printer (boxes, bleed, CMYK, PDF/X) or an archive (PDF/A-2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.finish import saving
from sheetgen.model.designs import Preset
from sheetgen.plugins.prepress.inks import (
    MOST_INK,
    NotReady,
    convert_to_cmyk,
    flatten_drawings,
    flatten_picture,
)
from sheetgen.plugins.prepress.inspect import painting
from sheetgen.plugins.prepress.inspect.contents import ContentReader
from sheetgen.plugins.prepress.inspect.geometry import IDENTITY, distances
from sheetgen.plugins.prepress.inspected import Rect

VERSIONS: Final = {"x-1a": "PDF/X-1a:2003", "x-3": "PDF/X-3:2003"}
"""The version that a file of each variant claims; both are PDF 1.4."""

_FOR_READERS: Final = (
    *("/AcroForm", "/StructTreeRoot", "/MarkInfo", "/Outlines", "/Names", "/Dests"),
    *("/OpenAction", "/AA", "/ViewerPreferences", "/PageLabels", "/PageMode", "/OutputIntents"),
)
_OF_PAGES: Final = ("/Annots", "/StructParents", "/Tabs", "/AA", "/Group")


def prepare_files(
    files: Mapping[str, bytes], name: str, preset: Preset | None, archive: bool = False
) -> Checked[Mapping[str, bytes]]:
    """Prepare a PDF for a printer or an archive; see `sheetgen.finish.saving.finish_files`."""
    data = files["pdf"]
    try:
        if preset is not None:
            data = prepare_for_printer(data, preset)
        if archive or (preset is not None and preset.variant == "a-2"):
            data = convert_to_archive(data)
    except NotReady as error:
        message = f"the PDF cannot be prepared: it contains {error}"
        finding = Finding(codes.NOT_TURNED, Span(name), message, "print it without --for")
        return Checked({k: v for k, v in files.items() if k != "pdf"}, (finding,))
    return Checked({**files, "pdf": data})


def prepare_for_printer(data: bytes, preset: Preset) -> bytes:
    """Return the PDF `data` as the printer of `preset` needs it; unchanged if nothing is to do.

    Raises:
        NotReady: Something in it cannot be converted; the message says what.
    """
    if not (preset.bleed or preset.colour == "cmyk" or preset.variant in VERSIONS):
        return data
    with saving.open_pdf(data) as pdf:
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
            return saving.save_pdf(pdf, version="1.4", packed=False)
        return saving.save_pdf(pdf)


def flatten(pdf: Any) -> None:
    """Draw the contents of fields on the pages, and remove fields and other annotations."""
    if "/AcroForm" in pdf.Root:
        pdf.flatten_annotations("print")
        saving.remove_keys(pdf.Root, "/AcroForm")
    for page in pdf.pages:
        saving.remove_keys(page.obj, "/Annots")


def _add_blank(pdf: Any, ground: bytes) -> None:
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
    saving.remove_keys(page.obj, "/CropBox", "/ArtBox")


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
    """Remove what PDF/X forbids, and claim the version; what is transparent is `NotReady`."""
    import pikepdf

    saving.remove_keys(pdf.Root, *_FOR_READERS)
    for page in pdf.pages:
        saving.remove_keys(page.obj, *_OF_PAGES)
    for one in pdf.objects:
        if isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            _remove_transparency(one)
    info = pdf.docinfo
    for key, usual in (("/Title", "Untitled"), ("/Creator", "sheetgen")):
        if not str(info.get(key, "")):
            info[key] = usual
    info["/CreationDate"] = info["/ModDate"] = saving.DATE
    info["/Trapped"] = pikepdf.Name("/False")
    info["/GTS_PDFXVersion"] = VERSIONS[preset.variant]
    intent = saving.output_intent(pdf, "/GTS_PDFX", preset.condition, preset.condition)
    intent.OutputCondition = preset.condition
    saving.write_metadata(pdf, {"pdfx:GTS_PDFXVersion": VERSIONS[preset.variant]})


def _remove_transparency(one: Any) -> None:
    """Remove the group of a form, put transparent pictures on paper; the rest is `NotReady`."""
    if "/Group" in one and str(one.get("/Subtype", "")) == "/Form":
        del one["/Group"]
    soft = "/SMask" in one and str(one.SMask) != "/None"
    if soft and not (str(one.get("/Subtype")) == "/Image" and flatten_picture(one)):
        raise NotReady("soft edges")
    for key in ("/ca", "/CA"):
        if painting.is_number(one.get(key)) and one[key] < 1:
            raise NotReady("colours that let through")
    if "/BM" in one and str(one.BM) not in ("/Normal", "/Compatible"):
        raise NotReady("colours that blend")


# The colour of tinted paper: that of the first thing on a page, if it covers all of it.

_NEAR_EDGE: Final = 0.1  # Points of tolerance at the edges of a page
_OPERATORS: Final = ((painting.GRAY, b"g"), (painting.RGB, b"rg"), (painting.CMYK, b"k"))


def find_ground(pdf: Any, page: Any) -> bytes:
    """Return the operator that sets the colour of a page's paper; empty for white paper."""
    observer = _FirstPaint(painting.rect_of(page.trimbox))
    try:
        reader = ContentReader(pdf, observer)
        reader.read(page.obj.get("/Contents"), page.resources, painting.GraphicsState(IDENTITY))
    except (_Painted, painting.TooMuch):
        pass
    colour = observer.colour
    if colour is None or colour.is_paper or colour.pattern is not None:
        return b""
    for space, operator in _OPERATORS:
        if colour.space == space and len(colour.numbers) == space.count:
            return b" ".join([*(b"%.5g" % number for number in colour.numbers), operator])
    return b""


class _Painted(Exception):
    """Something is painted; what follows does not matter."""


class _FirstPaint(painting.PaintObserver):
    """Ends reading at the first thing that is painted."""

    def __init__(self, trim: Rect) -> None:
        self.trim = trim
        self.colour: painting.Colour | None = None

    def filled(self, box: Rect, colour: painting.Colour) -> None:
        """Keep the colour of what covers the page."""
        if max(distances(box, self.trim)) <= _NEAR_EDGE:
            self.colour = colour
        raise _Painted

    def text(self, *_: Any) -> None:
        raise _Painted

    def line(self, *_: Any) -> None:
        raise _Painted

    def picture(self, *_: Any) -> None:
        raise _Painted


# PDF/A-2: without actions, and with an output intent for its colours. Tags, language and titles
# stay; a tagged file becomes PDF/A-2a, others become PDF/A-2b.


def convert_to_archive(data: bytes) -> bytes:
    """Return the PDF `data` as PDF/A-2; equal files give equal bytes.

    Raises:
        NotReady: A font is not embedded, or a picture is in CMYK.
    """
    import pikepdf

    with saving.open_pdf(data) as pdf:
        form = pdf.Root.get("/AcroForm", {})
        saving.remove_keys(pdf.Root, "/OpenAction", "/AA")
        saving.remove_keys(pdf.Root.get("/Names", {}), "/JavaScript", "/EmbeddedFiles")
        for field in saving.walk_fields(form.get("/Fields", ())):
            saving.remove_keys(field, "/A", "/AA")
        _remove_buttons(pdf)
        saving.remove_keys(form, "/NeedAppearances", "/XFA", "/CO")
        for page in pdf.pages:
            saving.remove_keys(page.obj, "/AA")
        for one in saving.walk_annotations(pdf):
            _make_printable(pdf, one)
        _check(pdf)
        kind = {"/N": 3, "/Alternate": pikepdf.Name.DeviceRGB}
        profile = pdf.make_indirect(pikepdf.Stream(pdf, srgb_profile(), kind))
        intent = saving.output_intent(pdf, "/GTS_PDFA1", "sRGB", "sRGB IEC61966-2.1")
        intent.DestOutputProfile = profile
        tagged = any(claim.startswith("PDF/UA") for claim in saving.claims_of(pdf))
        claims = {"pdfaid:part": "2", "pdfaid:conformance": "A" if tagged else "B"}
        saving.write_metadata(pdf, claims | ({"pdfuaid:part": "1"} if tagged else {}))
        return saving.save_pdf(pdf)


def _make_printable(pdf: Any, one: Any) -> None:
    """Make an annotation visible and printed; it keeps only links."""
    import pikepdf

    printed, hidden = 4, 1 | 2 | 32 | 256  # invisible, hidden, no view, toggled view
    one.F = (int(one.get("/F", 0)) | printed) & ~hidden
    saving.remove_keys(one, "/AA")
    if str(one.get("/Subtype")) == "/Widget":
        if "/N" not in one.get("/AP", {}):
            left, foot, right, top = painting.rect_of(one.Rect)
            size = [0, 0, round(right - left, 2), round(top - foot, 2)]
            kind = {"/Type": pikepdf.Name.XObject, "/Subtype": pikepdf.Name.Form, "/BBox": size}
            empty = pikepdf.Stream(pdf, b"", {**kind, "/Resources": {}})
            one.AP = {"/N": pdf.make_indirect(empty)}
        saving.remove_keys(one, "/A")
    elif "/A" in one and str(one.A.get("/S", "")) not in ("/URI", "/GoTo", "/Named"):
        del one["/A"]


def _check(pdf: Any) -> None:
    """Remove smoothing of pictures; raise `NotReady` for what PDF/A forbids besides."""
    import pikepdf

    for one in pdf.objects:
        if not isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            continue
        embedded = any(f"/FontFile{n}" in one for n in ("", "2", "3"))
        if one.get("/Type") == "/FontDescriptor" and not embedded:
            raise NotReady("a font that it does not carry")
        saving.remove_keys(one, "/Interpolate")  # viewers may not smooth pictures
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
    for one in saving.walk_annotations(pdf):
        button = str(one.get("/FT", "")) == "/Btn" and int(one.get("/Ff", 0)) & 1 << 16
        if button or str(one.get("/T", "")).startswith("sheetgen-"):
            removed.append(one)
    if not removed:
        return
    ids = {one.objgen for one in removed}
    for page in pdf.pages:
        _remove_from(page.obj, "/Annots", ids)
    parents = saving.tree_pairs(pdf.Root.get("/StructTreeRoot", {}).get("/ParentTree", {}), "/Nums")
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
