"""Prepare a finished file for a printer (boxes, bleed, CMYK, PDF/X) or an archive (PDF/A-2)."""

from __future__ import annotations

import io
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from math import inf
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.finish import saving
from sheetgen.model.designs import Preset
from sheetgen.plugins.prepress.contents import (
    CMYK,
    GRAY,
    IDENTITY,
    RGB,
    Colour,
    ContentReader,
    GraphicsState,
    PaintObserver,
    Rect,
    TooMuch,
    distances,
    is_number,
    rect_of,
)
from sheetgen.plugins.prepress.page_observer import NotMeasured, heaviest_colour

VERSIONS: Final = {"x-1a": "PDF/X-1a:2003", "x-3": "PDF/X-3:2003"}
"""The version that a file of each variant claims; both are PDF 1.4."""

FOR_READERS: Final = (
    *("/AcroForm", "/StructTreeRoot", "/MarkInfo", "/Outlines", "/Names", "/Dests"),
    *("/OpenAction", "/AA", "/ViewerPreferences", "/PageLabels", "/PageMode", "/OutputIntents"),
)
_OF_PAGES: Final = ("/Annots", "/StructParents", "/Tabs", "/AA", "/Group")
_BOXES: Final = ("/MediaBox", "/CropBox", "/BleedBox", "/TrimBox")


class NotReady(ValueError):
    """A file that cannot be converted; the message names the obstacle."""


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
    """Return the PDF `data` as a printer needs it; `NotReady` if something cannot be converted."""
    import pikepdf

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
            last = pdf.pages[-1].obj
            boxes = {key[1:]: list(last[key]) for key in _BOXES if key in last}
            blank = pikepdf.Dictionary(Type=pikepdf.Name.Page, Resources={}, **boxes)
            page = pikepdf.Page(pdf.make_indirect(blank))
            pdf.pages.append(page)
            if ground:
                page.contents_add(_paint(ground, boxes["MediaBox"]))
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


def _add_bleed(page: Any, bleed: float, ground: bytes) -> None:
    """Extend a page by `bleed` points on each side.

    A page that has a bleed already (a single card) is left alone. Nothing is drawn into the
    bleed but the colour of tinted paper, which `ground` sets: preflight reports other colour that
    touches the edge.
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
    """Remove what PDF/X forbids, and claim the version; what stays transparent is `NotReady`."""
    import pikepdf

    saving.remove_keys(pdf.Root, *FOR_READERS)
    for page in pdf.pages:
        saving.remove_keys(page.obj, *_OF_PAGES)
    for one in pdf.objects:
        if not isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            continue
        if "/Group" in one and str(one.get("/Subtype", "")) == "/Form":
            del one["/Group"]
        soft = "/SMask" in one and str(one.SMask) != "/None"
        if soft and not (str(one.get("/Subtype")) == "/Image" and flatten_picture(one)):
            raise NotReady("soft edges")
        if any(is_number(one.get(key)) and one[key] < 1 for key in ("/ca", "/CA")):
            raise NotReady("colours that let through")
        if "/BM" in one and str(one.BM) not in ("/Normal", "/Compatible"):
            raise NotReady("colours that blend")
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


# The colour of tinted paper: that of the first thing on a page, if it covers all of it.

_NEAR_EDGE: Final = 0.1  # Points of tolerance at the edges of a page
_OPERATORS: Final = ((GRAY, b"g"), (RGB, b"rg"), (CMYK, b"k"))


def find_ground(pdf: Any, page: Any) -> bytes:
    """Return the operator that sets the colour of a page's paper; empty for white paper."""
    observer = _FirstPaint(rect_of(page.trimbox))
    with suppress(TooMuch):
        reader = ContentReader(pdf, observer)
        reader.read(page.obj.get("/Contents"), page.resources, GraphicsState(IDENTITY))
    colour = observer.colour
    if colour is None or colour.is_paper or colour.pattern is not None:
        return b""
    for space, operator in _OPERATORS:
        if colour.space == space and len(colour.numbers) == space.count:
            return b" ".join([*(b"%.5g" % number for number in colour.numbers), operator])
    return b""


class _FirstPaint(PaintObserver):
    """Ends reading at the first thing that is painted; keeps the colour of what covers the page."""

    def __init__(self, trim: Rect) -> None:
        self.trim = trim
        self.colour: Colour | None = None

    def filled(self, box: Rect, colour: Colour) -> None:
        if max(distances(box, self.trim)) <= _NEAR_EDGE:
            self.colour = colour
        raise TooMuch

    def _end(self, *_: Any) -> None:
        raise TooMuch

    text = line = picture = _end  # type: ignore[assignment]


# PDF/A-2: without actions, and with an output intent for its colours. Tags, language and titles
# stay; a tagged file becomes PDF/A-2a, others become PDF/A-2b.


_PRINTED: Final = 4  # Flags of annotations
_HIDDEN: Final = 1 | 2 | 32 | 256  # invisible, hidden, no view, toggled view


def convert_to_archive(data: bytes) -> bytes:
    """Return `data` as PDF/A-2; fonts that are not embedded and CMYK pictures are `NotReady`."""
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
        for one in saving.walk_annotations(pdf):  # all are printed, and only links act
            one.F = (int(one.get("/F", 0)) | _PRINTED) & ~_HIDDEN
            saving.remove_keys(one, "/AA")
            if str(one.get("/Subtype")) == "/Widget":
                if "/N" not in one.get("/AP", {}):
                    left, foot, right, top = rect_of(one.Rect)
                    size = [0, 0, round(right - left, 2), round(top - foot, 2)]
                    look = {"/Type": pikepdf.Name.XObject, "/Subtype": pikepdf.Name.Form}
                    look |= {"/BBox": size, "/Resources": {}}
                    one.AP = {"/N": pdf.make_indirect(pikepdf.Stream(pdf, b"", look))}
                saving.remove_keys(one, "/A")
            elif "/A" in one and str(one.A.get("/S", "")) not in ("/URI", "/GoTo", "/Named"):
                del one["/A"]
        for one in pdf.objects:
            if not isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
                continue
            embedded = any(f"/FontFile{n}" in one for n in ("", "2", "3"))
            if one.get("/Type") == "/FontDescriptor" and not embedded:
                raise NotReady("a font that it does not carry")
            saving.remove_keys(one, "/Interpolate")  # viewers may not smooth pictures
            if one.get("/Subtype") == "/Image" and str(one.get("/ColorSpace")) == "/DeviceCMYK":
                raise NotReady("a picture in the colours of a press")
        kind = {"/N": 3, "/Alternate": pikepdf.Name.DeviceRGB}
        profile = pdf.make_indirect(pikepdf.Stream(pdf, srgb_profile(), kind))
        intent = saving.output_intent(pdf, "/GTS_PDFA1", "sRGB", "sRGB IEC61966-2.1")
        intent.DestOutputProfile = profile
        tagged = any(claim.startswith("PDF/UA") for claim in saving.claims_of(pdf))
        claims = {"pdfaid:part": "2", "pdfaid:conformance": "A" if tagged else "B"}
        saving.write_metadata(pdf, claims | ({"pdfuaid:part": "1"} if tagged else {}))
        return saving.save_pdf(pdf)


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


# CMYK by a simple rule: gray becomes black ink alone. Of any other colour, the part that is common
# to all three inks becomes black. This is no colour management: a press prints such a colour a
# little darker than a screen shows it.


MOST_INK: Final = 2.4
"""Most total ink of a printer that states none; above it the three colours are reduced."""

_FROM: Final = {"g": "k", "G": "K", "rg": "k", "RG": "K"}
_SPACES: Final = {"/DeviceRGB": 3, "/DeviceGray": 1, "/RGB": 3, "/G": 1}
_PLAIN: Final = ("/Pattern", "/DeviceCMYK", *_SPACES)


def to_cmyk(numbers: Sequence[float], most: float = MOST_INK) -> tuple[float, float, float, float]:
    """Return a gray or RGB colour in CMYK, each 0 to 1; beyond `most` ink, black alone stays."""
    lights = [min(1.0, max(0.0, number)) for number in numbers]
    black, colours = 1 - max(lights), [0.0, 0.0, 0.0]
    if len(set(lights)) > 1 and black < 1:  # a float may be too dark to be told from black
        colours = [(1 - light - black) / (1 - black) for light in lights]
        if sum(colours) + black > most:
            thinner = max(most - black, 0.0) / sum(colours)
            colours = [colour * thinner for colour in colours]
    cyan, magenta, yellow, key = (round(ink, 4) + 0.0 for ink in (*colours, black))
    return cyan, magenta, yellow, key


def _convert_stream(content: Any, spaces: set[str], most: float) -> bytes:
    """Return content with all colours in CMYK; `spaces` receives the names of those that stay."""
    import pikepdf

    rows: list[Any] = []
    counts = {"cs": 0, "CS": 0}
    for operands, operator in pikepdf.parse_content_stream(content):
        name = str(operator)
        letter = _FROM.get(name, "")
        if name in ("sc", "scn", "SC", "SCN") and counts["cs" if name[0] == "s" else "CS"]:
            letter = "k" if name[0] == "s" else "K"
        if letter:
            inks = to_cmyk([float(number) for number in operands], most)
            rows.append((list(inks), pikepdf.Operator(letter)))
            continue
        if name in counts:
            space = str(operands[0])
            counts[name] = _SPACES.get(space, 0)
            spaces.add(space)
            if counts[name]:  # the operator of the colour sets the space, too
                continue
        elif name == "INLINE IMAGE":
            raise NotReady("a picture within the content")
        rows.append((operands, operator))
    return bytes(pikepdf.unparse_content_stream(rows))


def convert_to_cmyk(pdf: Any, most: float = MOST_INK) -> None:
    """Convert all colours of pages, forms and patterns, to `most` ink; others are `NotReady`."""
    import pikepdf

    spaces: set[str] = set()
    done: set[tuple[int, int]] = set()
    contents = [
        stream for page in pdf.pages for stream in saving.list_of(page.obj.get("/Contents"))
    ]
    for one in pdf.objects:
        if not isinstance(one, pikepdf.Stream):
            continue
        if one.get("/Subtype") == "/Form" or one.get("/PatternType") == 1:
            contents.append(one)
        elif one.get("/Subtype") == "/Image":
            space = str(one.get("/ColorSpace", ""))
            printable = one.get("/ImageMask") is True or space == "/DeviceGray"
            printable = printable or (space == "/DeviceCMYK" and ink_of_picture(one) <= most)
            if not printable and not convert_picture(one, most):
                raise NotReady("a picture in colours of screens")
    for stream in contents:
        if stream.objgen not in done:
            done.add(stream.objgen)
            stream.write(_convert_stream(stream, spaces, most))
    for one in pdf.objects:
        if isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
            resources = one.get("/Resources", one)
            if isinstance(resources, pikepdf.Dictionary):
                _remove_unused_spaces(resources, spaces)
                patterns = dict(resources.get("/Pattern", {})).values()
                shadings = [*dict(resources.get("/Shading", {})).values()]
                shadings += [pattern.Shading for pattern in patterns if "/Shading" in pattern]
                if not all(_convert_shading(shading, most) for shading in shadings):
                    raise NotReady("a shading")


def _remove_unused_spaces(resources: Any, used: set[str]) -> None:
    """Remove unused colour spaces: WeasyPrint lists one on every page. Others are `NotReady`."""
    import pikepdf

    if not isinstance(resources.get("/ColorSpace"), pikepdf.Dictionary):
        return
    for name in list(resources.ColorSpace.keys()):
        if name not in used:
            del resources.ColorSpace[name]
        elif str(resources.ColorSpace[name]) not in _PLAIN:
            raise NotReady(f"the colour space {name[1:]}")
    if not len(resources.ColorSpace):
        del resources["/ColorSpace"]


_STEPS: Final = 33  # Colours of each component in the table that pictures are converted with
_QUALITY: Final = 92
_NEAR: Final = 1e-3
_DEPTH: Final = 8
_SCALE: Final = 4  # Pixels a point of a drawing, whose longer side has 400 points
_THINNER: Final = (0.0, 0.04, 0.08, 0.16)
"""Total inks that are tried less for a picture: JPEG makes some pixels darker than they were."""


def convert_picture(image: Any, most: float) -> bool:
    """Convert an image to CMYK, with at most so much ink; return whether that is possible."""
    import pikepdf

    pixels = _pixels(image)
    if pixels is None:
        return False
    lights = pixels.convert("RGB")
    for less in _THINNER:
        _replace(image, lights.filter(_table(round(most - less, 4))))
        if ink_of_picture(image) <= most:
            return True
    image.Filter = pikepdf.Name.FlateDecode  # nothing changes without loss
    _replace(image, lights.filter(_table(round(most - _THINNER[1], 4))))
    return True


def ink_of_picture(image: Any) -> float:
    """Return the total ink of the heaviest pixel of a CMYK picture; infinite if it is unknown."""
    try:
        colour = heaviest_colour(image, CMYK, (0, 0, 1, 1), lambda: None)
    except NotMeasured:
        return inf
    return sum(colour.inks.values())


def flatten_picture(image: Any) -> bool:
    """Put a transparent image on white paper, in place; return whether that is possible."""
    from PIL import Image

    pixels, mask = _pixels(image), _pixels(image.SMask)
    if pixels is None or mask is None:
        return False
    papers: dict[str, Any] = {"CMYK": (0, 0, 0, 0), "L": 255, "RGB": (255, 255, 255)}
    opaque = Image.new(pixels.mode, pixels.size, papers[pixels.mode])
    opaque.paste(pixels, mask=mask.convert("L").resize(pixels.size))
    del image["/SMask"]
    _replace(image, opaque)
    return True


def _pixels(image: Any) -> Any:
    """Return the pixels of an image; None if they cannot be read."""
    import pikepdf

    if "/Decode" in image and str(image.get("/ColorSpace")) != "/DeviceCMYK":
        return None
    mask = image.get("/SMask")
    if mask is not None:  # pikepdf would apply it
        del image["/SMask"]
    try:
        pixels = pikepdf.PdfImage(image).as_pil_image()
    except (pikepdf.PdfError, ValueError, NotImplementedError, OSError, TypeError):
        return None
    finally:
        if mask is not None:
            image.SMask = mask
    return pixels if pixels.mode in ("L", "RGB", "CMYK") else pixels.convert("RGB")


@cache
def _table(most: float) -> Any:
    """Return the table of inks for colours; those between its steps are interpolated."""
    from PIL import ImageFilter

    return ImageFilter.Color3DLUT.generate(
        _STEPS, lambda *light: to_cmyk(light, most), channels=4, target_mode="CMYK"
    )


def _replace(image: Any, pixels: Any) -> None:
    """Replace the pixels of an image, compressed as they were: as JPEG, or without loss."""
    import pikepdf

    spaces = {"L": "/DeviceGray", "RGB": "/DeviceRGB", "CMYK": "/DeviceCMYK"}
    jpeg = str(image.get("/Filter", "")) == "/DCTDecode"
    saving.remove_keys(image, "/DecodeParms", "/Decode", "/Intent")
    image.ColorSpace, image.BitsPerComponent = pikepdf.Name(spaces[pixels.mode]), 8
    if not jpeg:
        data = zlib.compress(pixels.tobytes(), 9)
        image.write(data, filter=pikepdf.Name.FlateDecode)
        return
    file = io.BytesIO()
    pixels.save(file, "JPEG", quality=_QUALITY, subsampling=0)
    image.write(file.getvalue(), filter=pikepdf.Name.DCTDecode)
    if pixels.mode == "CMYK":  # Pillow writes them inverted, as others do
        image.Decode = [1, 0, 1, 0, 1, 0, 1, 0]


def flatten_drawings(pdf: Any) -> None:
    """Turn drawings with transparency, which fill a unit square, into pictures on white paper."""
    import pikepdf

    for one in pdf.objects:
        if isinstance(one, pikepdf.Stream) and one.get("/Subtype") == "/Form" and "/Matrix" in one:
            wide, high = (float(one.BBox[n]) for n in (2, 3))
            unit = abs(float(one.Matrix[0]) * wide - 1) + abs(float(one.Matrix[3]) * high - 1)
            if unit < _NEAR and _is_transparent(one, 0):
                _draw(one, wide, high)


def _is_transparent(form: Any, depth: int) -> bool:
    resources = form.get("/Resources", {})
    for state in dict(resources.get("/ExtGState", {})).values():
        clear = any(float(state.get(key, 1)) < 1 for key in ("/ca", "/CA"))
        if clear or str(state.get("/SMask", "/None")) != "/None":
            return True
    inner = dict(resources.get("/XObject", {})).values()
    return depth < _DEPTH and any("/SMask" in o or _is_transparent(o, depth + 1) for o in inner)


def _draw(form: Any, wide: float, high: float) -> None:
    """Replace a form by an image of it, in place."""
    import pikepdf
    import pypdfium2

    file = io.BytesIO()
    with pikepdf.new() as alone:
        page = alone.add_blank_page(page_size=(wide, high))
        page.obj.Resources = pikepdf.Dictionary(
            XObject=pikepdf.Dictionary(D=alone.copy_foreign(form))
        )
        page.obj.Contents = alone.make_stream(b"%f 0 0 %f 0 0 cm /D Do" % (wide, high))
        alone.save(file)
    with pypdfium2.PdfDocument(file.getvalue()) as document:
        pixels = document[0].render(scale=_SCALE).to_pil().convert("RGB")
    saving.remove_keys(form, "/BBox", "/Matrix", "/Resources", "/Group", "/FormType")
    form.Subtype, form.Width, form.Height = pikepdf.Name.Image, pixels.width, pixels.height
    _replace(form, pixels)


def _convert_shading(shading: Any, most: float) -> bool:
    """Convert a gradient to CMYK in place; return whether that is possible."""
    import pikepdf

    space = str(shading.get("/ColorSpace"))
    if space == "/DeviceCMYK":
        return True
    if space not in _SPACES or int(shading.get("/ShadingType", 0)) not in (2, 3):
        return False
    function = shading.Function
    listed = isinstance(function, pikepdf.Array)
    if listed or not _convert_function(function, most, _SPACES[space]):
        return False
    shading.ColorSpace = pikepdf.Name.DeviceCMYK
    if "/Background" in shading:
        shading.Background = list(to_cmyk([float(n) for n in shading.Background], most))
    return True


def _convert_function(function: Any, most: float, count: int) -> bool:
    """Convert the colours at the ends of each part of a gradient (7.10.3, 7.10.4)."""
    kind = int(function.get("/FunctionType", -1))
    if kind == 3:
        return all(_convert_function(part, most, count) for part in function.Functions)
    if kind != 2:
        return False
    for key in ("/C0", "/C1"):
        numbers = [float(number) for number in function.get(key, [0.0] * count)]
        if len(numbers) == count:  # a part may be shared, and converted already
            function[key] = list(to_cmyk(numbers, most))
    saving.remove_keys(function, "/Range")
    return True
