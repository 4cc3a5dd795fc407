"""Preflight finds in each of many small PDFs what a press would print: inks, plates, fonts."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name
from PIL import Image, ImageMath

from sheetgen.load.designs.designs import load_presets
from sheetgen.plugins.prepress.inspection import Inspected, inspect_pdf
from sheetgen.plugins.prepress.page_observer import values_of
from sheetgen.plugins.prepress.preflight import preflight
from sheetgen.plugins.prepress.printers import find_ground
from tests.printers.files import FONT, small
from tests.printers.pressed import (
    ABOUT,
    HEAVY,
    INDEXED,
    SAMPLES,
    axial,
    letters,
    picture,
    power,
    shown,
    tiling,
)

pytestmark = pytest.mark.many

GHOSTSCRIPT = shutil.which("gs")
DPI = 144


@pytest.mark.parametrize("name", SAMPLES)
def test_inks_colours_and_findings(name: str) -> None:
    sample = SAMPLES[name]
    found = inspect_pdf(sample.data())
    drawn = found.pages[0].drawn
    assert drawn.colours == sample.colours
    if sample.ink is not None:
        assert drawn.ink == pytest.approx(sample.ink, abs=1)
    findings = preflight(found, "a.pdf", load_presets()["pod-book"])
    assert {one.code.id for one in findings if one.code.id in ABOUT} == sample.codes
    untold = sample.ink is None and "SG616" in sample.codes
    assert bool(found.unread) == untold


@pytest.mark.parametrize(
    ("program", "results"),
    [
        ("{360 mul sin 2 div 0.5 add}", [0.5, 1, 0]),
        ("{0.3 lt {1} {0} ifelse}", [1, 1, 0]),
        ("{dup 2 copy pop exch 3 1 roll pop pop % and so on\n}", [0, 0.25, 0.75]),
        ("{0.5 exch 1 index mul exch pop}", [0, 0.125, 0.375]),
        ("{pop true 4 3 idiv 1 eq and {7 4 mod 1 bitshift 8 div} if}", [0.75] * 3),
        ("{pop " + "dup mul " * 9000 + "}", None),
        ("{9 9 9 9 exp exp exp}", None),
        ("{0 div}", None),
        ("{" * 5000, None),
        ("{nonsense}", None),
    ],
)
def test_functions_in_postscript(program: str, results: list[float] | None) -> None:
    pdf = pikepdf.new()
    function = pdf.make_stream(program.encode())
    function.FunctionType = 4
    function.Domain, function.Range = pikepdf.Array([0, 1]), pikepdf.Array([0, 1])
    places = [0, 0.25, 0.75]
    if results is None:
        with pytest.raises((ValueError, ArithmeticError, LookupError)):
            values_of(function, places)
    else:
        found = [value for (value,) in values_of(function, places)]
        assert found == pytest.approx(results)


@pytest.mark.skipif(GHOSTSCRIPT is None, reason="no Ghostscript, which separates colours")
@pytest.mark.parametrize("name", [n for n, sample in SAMPLES.items() if sample.ink is not None])
def test_inks_are_those_of_ghostscript(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name]
    measured = inspect_pdf(sample.data()).pages[0].drawn.ink
    assert separated(sample.data(), tmp_path) == pytest.approx(measured, abs=sample.near)


def separated(data: bytes, folder: Path) -> float:
    """Return the most ink of the first page, in per cent, as Ghostscript separates it."""
    file = folder / "a.pdf"
    file.write_bytes(data)
    words = ["-q", "-dBATCH", "-dNOPAUSE", "-dSAFER", "-sDEVICE=tiffsep", f"-r{DPI}"]
    subprocess.run(
        [str(GHOSTSCRIPT), *words, f"-sOutputFile={folder}/p%d.tif", str(file)],
        check=True,
        capture_output=True,
    )
    plates = []
    for path in sorted(folder.glob("p1(*")):
        with Image.open(path) as plate:
            plates.append(plate.convert("L").point(lambda value: 255 - value))
    names = {f"p{at}": plate for at, plate in enumerate(plates)}
    total = ImageMath.lambda_eval(lambda inks: sum((inks[one] for one in names), 0), **names)
    return float(total.getextrema()[1]) / 2.55


def inspected(content: bytes = b"0 g 40 40 20 20 re f", **options: object) -> Inspected:
    return inspect_pdf(small(content, **options))  # type: ignore[arg-type]


def test_what_is_outside_of_the_crop_box_is_not_printed() -> None:
    heavy = b"1 1 1 1 k 0 0 20 20 re f 0.5 g 40 40 60 60 re f"
    for boxes, ink in (({}, 400), ({"/CropBox": Array([40, 40, 100, 100])}, 50)):
        assert inspected(heavy, more=boxes).pages[0].drawn.ink == ink
    bleed = {"/CropBox": Array([40, 40, 100, 100]), "/BleedBox": Array([10, 10, 110, 110])}
    assert inspected(heavy, more=bleed).pages[0].drawn.ink == 400


VIEWS = {
    "place": Array([0, Name.XYZ, None, None, None]),
    "go-to": Dictionary(S=Name.GoTo, D=pikepdf.String("start")),
    "name": pikepdf.String("start"),
}


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_no_action(view: str) -> None:
    link = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[20, 20, 40, 40], A=VIEWS["go-to"])
    found = inspected(
        root={"/OpenAction": VIEWS[view], "/AA": Dictionary()}, more={"/Annots": [link]}
    )
    assert found.live == ()
    assert "SG611" not in {one.code.id for one in preflight(found, "a.pdf", None)}


@pytest.mark.parametrize("kind", ["JavaScript", "Named", "Launch"])
def test_an_action_is_one_also_after_a_view(kind: str) -> None:
    action = Dictionary(S=Name(f"/{kind}"), JS="1", N=Name.Print)
    assert inspected(root={"/OpenAction": action}).live == ("an action on opening",)
    chain = Dictionary(S=Name.GoTo, D=pikepdf.String("start"), Next=action)
    assert inspected(root={"/OpenAction": chain}).live == ("an action on opening",)


def test_units_scale_pages_lines_and_pictures() -> None:
    image = picture(HEAVY * 1250, Name.DeviceCMYK, (50, 50))
    pdf = pikepdf.open(io.BytesIO(small(b"0.1 w 20 20 m 40 40 l S q 10 0 0 10 50 50 cm /X Do Q")))
    pdf.pages[0].obj.UserUnit = 4
    pdf.pages[0].obj.Resources.XObject = Dictionary(X=image(pdf))
    target = io.BytesIO()
    pdf.save(target)
    found = inspect_pdf(target.getvalue())
    page = found.pages[0]
    assert page.media == (0, 0, 800, 1200)
    assert page.drawn.line == pytest.approx(0.4)
    assert found.pictures[0].ppi == pytest.approx(90)
    (said,) = (one.message for one in preflight(found, "a.pdf", None) if one.code.id == "SG606")
    assert "its unit is 4 points (UserUnit)" in said


@pytest.mark.parametrize(
    ("turn", "near"), [(0, "left"), (90, "top"), (180, "right"), (270, "foot"), (-90, "foot")]
)
def test_sides_are_those_of_the_page_as_it_is_seen(turn: int, near: str) -> None:
    found = inspected(b"BT /F0 10 Tf 5 150 Td (I) Tj ET", more={"/Rotate": turn})
    page = found.pages[0]
    assert page.media[2:] == ((300, 200) if turn % 180 else (200, 300))
    assert min(page.drawn.text, key=lambda side: page.drawn.text[side]) == near


LAYERS = {
    "off": ({"OFF": True}, {}, False),
    "on": ({}, {}, True),
    "not-in-print": ({"AS": True}, {"PrintState": Name.OFF}, False),
    "only-in-print": ({"OFF": True, "AS": True}, {"PrintState": Name.ON}, True),
    "all-off": ({"BaseState": Name.OFF}, {}, False),
}


@pytest.mark.parametrize("how", ["content", "form", "membership"])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_that_are_off_are_not_printed(name: str, how: str) -> None:
    config, usage, printed = LAYERS[name]
    pdf = pikepdf.open(io.BytesIO(small()))
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name="L"))
    if usage:
        layer.Usage = Dictionary(Print=Dictionary({f"/{k}": v for k, v in usage.items()}))
    default = Dictionary(Order=[])
    for key, value in config.items():
        found = Dictionary(Event=Name.Print, OCGs=[layer], Category=[Name.Print])
        default[f"/{key}"] = {"OFF": [layer], "AS": [found]}.get(key, value)
    pdf.Root.OCProperties = Dictionary(OCGs=[layer], D=default)
    page = pdf.pages[0].obj
    drawn = b"1 0 0 rg BT /F0 9 Tf 50 50 Td (hidden) Tj ET 20 20 9 9 re f"
    if how == "form":
        form = pdf.make_stream(drawn)
        form.Subtype, form.BBox, form.OC = Name.Form, Array([0, 0, 200, 300]), layer
        form.Resources = page.Resources
        page.Resources = Dictionary(XObject=Dictionary(X=form))
        page.Contents = pdf.make_stream(b"/X Do")
    else:
        found = Dictionary(Type=Name.OCMD, OCGs=[layer]) if how == "membership" else layer
        page.Resources.Properties = Dictionary(L=found)
        page.Contents = pdf.make_stream(b"/OC /L BDC /Span BMC " + drawn + b" EMC EMC")
    target = io.BytesIO()
    pdf.save(target)
    found = inspect_pdf(target.getvalue())
    assert found.pages[0].drawn.colours == ({"rgb"} if printed else set())
    assert len(found.fonts) == int(printed)


def test_fonts_count_where_they_are_shown() -> None:
    resources = {"/Font": Dictionary(F0=FONT, F1=FONT)}
    for shown_, count in ((b"()", 0), (b"(a)", 1)):
        found = inspected(b"BT /F1 9 Tf 50 50 Td " + shown_ + b" Tj ET", resources=resources)
        assert len(found.fonts) == count


def test_a_glyph_may_use_a_font_of_its_own() -> None:
    pdf = pikepdf.open(io.BytesIO(small(b"BT /T 9 Tf 50 50 Td (a) Tj ET")))
    font = letters(b"1000 0 d0 BT /F0 500 Tf (x) Tj ET")(pdf)
    font.Resources = Dictionary(Font=Dictionary(F0=FONT))
    pdf.pages[0].obj.Resources.Font = Dictionary(T=font)
    target = io.BytesIO()
    pdf.save(target)
    found = inspect_pdf(target.getvalue())
    assert {one.kind: one.embedded for one in found.fonts} == {"Type1": False, "Type3": True}


@pytest.mark.parametrize(
    ("content", "ground"),
    [
        (b"0.2 0 0.1 0 k 0 0 200 300 re f", b"0.2 0 0.1 0 k"),
        (b"1 g 0 0 200 300 re f", b""),
        (b"/S sh", b""),
        (b"/Pattern cs /P scn 0 0 200 300 re f", b""),
        (b"/Pattern cs /G scn 0 0 200 300 re f", b""),
        (b"/I cs 1 sc 0 0 200 300 re f", b""),
    ],
)
def test_only_a_flat_colour_is_that_of_the_paper(content: bytes, ground: bytes) -> None:
    pdf = pikepdf.open(io.BytesIO(small(content)))
    shading = axial(Name.DeviceCMYK, power([0] * 4, [1, 0, 0, 0]))(pdf)
    resources = pdf.pages[0].obj.Resources
    resources.Shading = Dictionary(S=shading)
    resources.ColorSpace = Dictionary(I=INDEXED)
    tiles = tiling(b"1 1 0 0 k 0 0 9 9 re f")(pdf)
    resources.Pattern = Dictionary(P=tiles, G=Dictionary(PatternType=2, Shading=shading))
    assert find_ground(pdf, pdf.pages[0]) == ground


@pytest.mark.slow
def test_a_large_picture_is_read_in_blocks() -> None:
    """A picture of 400 MB, packed in 400 kB, is measured within the bounds of memory."""
    import zlib

    packer = zlib.compressobj(9)
    rows = [packer.compress(bytes(40_000)) for _ in range(9_999)]
    data = b"".join([*rows, packer.compress(b"\xff" * 40_000), packer.flush()])
    image = picture(data, Name.DeviceCMYK, (10_000, 10_000), Filter=Name.FlateDecode)
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(100, 100))
    page.obj.Resources = Dictionary()
    page.obj.Contents = pdf.make_stream(shown(image)(pdf, page.obj.Resources))
    target = io.BytesIO()
    pdf.save(target, compress_streams=False)
    found = inspect_pdf(target.getvalue())
    assert found.unread == ()
    assert found.pages[0].drawn.ink == 400


@pytest.mark.parametrize("filter_", [Name.DCTDecode, Name.JPXDecode, Name.FlateDecode])
def test_a_picture_that_cannot_be_read_is_told(filter_: Name) -> None:
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(100, 100))
    page.obj.Resources = Dictionary()
    image = picture(b"rubbish", Name.DeviceCMYK, Filter=filter_)
    page.obj.Contents = pdf.make_stream(shown(image)(pdf, page.obj.Resources))
    target = io.BytesIO()
    pdf.save(target, compress_streams=False)
    (said,) = inspect_pdf(target.getvalue()).unread
    assert said.startswith("page 1: the ink of a picture: its data cannot be read")


@pytest.mark.parametrize(
    ("printer", "size", "told"),
    [
        ("home-a4", (300, 200), False),
        ("home-a4", (300, 210), True),
        ("pod-book", (300, 200), True),
        ("", (300, 200), True),
    ],
)
def test_a_printer_at_home_takes_pages_of_both_orientations(
    printer: str, size: tuple[float, float], told: bool
) -> None:
    target = io.BytesIO()
    with (
        pikepdf.open(io.BytesIO(small())) as pdf,
        pikepdf.open(io.BytesIO(small(size=size))) as more,
    ):
        pdf.pages.extend(more.pages)
        pdf.save(target)
    preset = load_presets()[printer] if printer else None
    findings = preflight(inspect_pdf(target.getvalue()), "a.pdf", preset)
    assert ("SG618" in {one.code.id for one in findings}) is told
