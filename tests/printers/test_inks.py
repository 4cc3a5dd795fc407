"""Colours as inks: gray is black alone, and paper is never soaked."""

from __future__ import annotations

import io
import random

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sheetgen.finish.saving import finish_files
from sheetgen.load.designs.designs import load_presets
from sheetgen.plugins.prepress.inspection import inspect_pdf
from sheetgen.plugins.prepress.printers import (
    MOST_INK,
    NotReady,
    convert_to_cmyk,
    flatten_picture,
    to_cmyk,
)
from tests.printers import pressed
from tests.printers.files import small

lights = st.floats(0, 1)


@given(lights, lights, lights)
def test_ink_stays_below_its_limit(red: float, green: float, blue: float) -> None:
    found = to_cmyk((red, green, blue))
    assert all(0 <= ink <= 1 for ink in found)
    assert sum(found) <= MOST_INK + 0.001


@given(lights)
def test_gray_is_black_alone(light: float) -> None:
    assert to_cmyk((light,)) == to_cmyk((light, light, light)) == (0, 0, 0, round(1 - light, 4))


@given(lights, lights, lights)
def test_a_colour_that_is_not_thinned_comes_back(red: float, green: float, blue: float) -> None:
    cyan, magenta, yellow, black = to_cmyk((red, green, blue))
    if cyan + magenta + yellow + black < MOST_INK - 0.001:
        back = [(1 - ink) * (1 - black) for ink in (cyan, magenta, yellow)]
        assert back == pytest.approx([red, green, blue], abs=0.001)


@pytest.mark.parametrize("most", [1.6, 2.0, 2.4])
@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_pictures_stay_below_the_limit_of_the_printer_once_packed(kind: str, most: float) -> None:
    """JPEG makes some pixels darker than they were, next to light ones above all."""
    draw = random.Random(7)
    pixels = Image.new("RGB", (64, 64))
    pixels.putdata([(draw.randrange(256), draw.choice([0, 90, 255]), 20) for _ in range(64 * 64)])
    file = io.BytesIO()
    pixels.save(file, "JPEG", quality=80)
    with pikepdf.new() as pdf:
        image = pdf.make_stream(file.getvalue() if kind == "JPEG" else pixels.tobytes())
        if kind == "JPEG":
            image.Filter = pikepdf.Name.DCTDecode
        image.Type, image.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
        image.Width, image.Height, image.BitsPerComponent = 64, 64, 8
        image.ColorSpace = pikepdf.Name.DeviceRGB
        page = pdf.add_blank_page()
        page.obj.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=image))
        page.obj.Contents = pdf.make_stream(b"90 0 0 90 0 0 cm /X Do")
        convert_to_cmyk(pdf, most)
        target = io.BytesIO()
        pdf.save(target)
    drawn = inspect_pdf(target.getvalue()).pages[0].drawn
    assert drawn.colours == {"cmyk"}
    assert 100 * most - 20 < drawn.ink <= 100 * most


def test_pictures_in_inks_are_made_lighter_too() -> None:
    image = pressed.picture(pressed.HEAVY, pikepdf.Name.DeviceCMYK)
    data = pressed.Sample(pressed.shown(image), 400, {"cmyk"}).data()
    with pikepdf.open(io.BytesIO(data)) as pdf:
        convert_to_cmyk(pdf)
        target = io.BytesIO()
        pdf.save(target)
    assert inspect_pdf(target.getvalue()).pages[0].drawn.ink <= 240


def inked(content: bytes, **more: object) -> bytes:
    with pikepdf.open(io.BytesIO(small(content, **more))) as pdf:  # type: ignore[arg-type]
        convert_to_cmyk(pdf)
        return bytes(pdf.pages[0].Contents.read_bytes())


def test_every_way_to_set_a_colour_is_turned() -> None:
    said = inked(
        b"1 0 0 rg 0.5 G /DeviceRGB cs 0 0 1 sc /DeviceGray CS 0 SC 0 0 1 0 k 0 0 9 9 re f"
    )
    assert said.split() == (
        b"0 1 1 0 k 0 0 0 0.5 K 1 1 0 0 k 0 0 0 1 K 0 0 1 0 k 0 0 9 9 re f".split()
    )


@pytest.mark.parametrize(
    ("content", "resources", "reason"),
    [
        (
            b"/S sh",
            {"/Shading": pikepdf.Dictionary(S={"/ShadingType": 1})},
            "a shading",
        ),
        (
            b"/C cs 1 1 1 sc 0 0 9 9 re f",
            {"/ColorSpace": pikepdf.Dictionary(C=[pikepdf.Name.Lab, pikepdf.Dictionary()])},
            "colour space C",
        ),
    ],
)
def test_what_has_no_plain_way_is_refused(
    content: bytes, resources: dict[str, object], reason: str
) -> None:
    with pytest.raises(NotReady, match=reason):
        inked(content, resources=resources)
    data = small(content, resources=resources)  # type: ignore[arg-type]
    finished = finish_files({"pdf": data, "html": b""}, "a.pdf", load_presets()["pod-book"])
    assert finished.value == {"html": b""}
    assert [finding.code.id for finding in finished.findings] == ["SG617"]


def picture(
    pdf: pikepdf.Pdf, image: Image.Image, mask: Image.Image | None = None
) -> pikepdf.Stream:
    made = pdf.make_stream(
        image.tobytes(),
        Subtype=pikepdf.Name.Image,
        Width=image.width,
        Height=image.height,
        ColorSpace=pikepdf.Name("/DeviceRGB" if image.mode == "RGB" else "/DeviceGray"),
        BitsPerComponent=8,
    )
    if mask is not None:
        made.SMask = picture(pdf, mask)
    return made


def as_jpeg(stream: pikepdf.Stream, image: Image.Image) -> None:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=95)
    stream.write(file.getvalue(), filter=pikepdf.Name.DCTDecode)


@pytest.mark.parametrize("jpeg", [False, True])
def test_a_picture_becomes_ink(jpeg: bool) -> None:
    image = Image.new("RGB", (16, 16), (255, 0, 0))
    image.paste((128, 128, 128), (8, 0, 16, 16))
    mask = Image.new("L", (16, 16), 255)
    mask.paste(0, (0, 8, 16, 16))
    with pikepdf.open(io.BytesIO(small(b"q 99 0 0 99 0 0 cm /I Do Q"))) as pdf:
        made = picture(pdf, image, mask)
        if jpeg:
            as_jpeg(made, image)
        pdf.pages[0].obj.Resources["/XObject"] = pikepdf.Dictionary(I=made)
        convert_to_cmyk(pdf)
        assert made.ColorSpace == "/DeviceCMYK"
        assert flatten_picture(made)
        assert "/SMask" not in made
        shown = pikepdf.PdfImage(made).as_pil_image()
        red, gray, paper = (shown.getpixel(place) for place in ((2, 2), (13, 2), (4, 13)))
    for found, wanted in ((red, (0, 255, 255, 0)), (gray, (0, 0, 0, 127)), (paper, (0, 0, 0, 0))):
        assert all(abs(a - b) < 12 for a, b in zip(found, wanted, strict=True)), (found, wanted)


def test_a_gradient_becomes_ink() -> None:
    part = {"/FunctionType": 2, "/Domain": [0, 1], "/N": 1, "/C0": [1, 0, 0], "/C1": [0, 0, 1]}
    function = {"/FunctionType": 3, "/Functions": [pikepdf.Dictionary(part)], "/Domain": [0, 1]}
    shading = pikepdf.Dictionary(
        {
            "/ShadingType": 2,
            "/ColorSpace": pikepdf.Name.DeviceRGB,
            "/Function": pikepdf.Dictionary(function),
        }
    )
    with pikepdf.open(io.BytesIO(small(b"/S sh", resources={"/Shading": {"/S": shading}}))) as pdf:
        convert_to_cmyk(pdf)
        made = pdf.pages[0].Resources.Shading.S
        assert made.ColorSpace == "/DeviceCMYK"
        ends = [[float(n) for n in made.Function.Functions[0][key]] for key in ("/C0", "/C1")]
        assert ends == [[0, 1, 1, 0], [1, 1, 0, 0]]
