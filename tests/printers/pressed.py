"""Small PDFs with all kinds of colours, pictures and gradients, and what a printer sees in them."""

from __future__ import annotations

import base64
import io
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name
from PIL import Image, ImageCms

from tests.printers.files import FONT

SIZE = 100
"""Points of a side of the page."""

Drawing = Callable[[pikepdf.Pdf, Any], bytes]


@dataclass(frozen=True)
class Sample:
    """A PDF of one page, and what is found in it.

    Attributes:
        draw: Fills the page's resources and returns its content.
        ink: The most ink, in per cent; None if it is not measured.
        colours: The families of its colours.
        codes: The findings for print on demand, of those that `ABOUT` lists.
    """

    draw: Drawing
    ink: float | None
    colours: set[str]
    codes: set[str] = field(default_factory=set)
    near: float = 2.0

    def data(self) -> bytes:
        """Return the file."""
        pdf = pikepdf.new()
        page = pdf.add_blank_page(page_size=(SIZE, SIZE))
        page.obj.Resources = Dictionary()
        content = self.draw(pdf, page.obj.Resources)
        page.obj.Contents = pdf.make_stream(content)
        target = io.BytesIO()
        pdf.save(target)
        return target.getvalue()


ABOUT = ("SG603", "SG608", "SG609", "SG611", "SG616", "SG627")
BOX = b"20 20 60 60 re f"


def plain(content: bytes) -> Drawing:
    """Return a drawing without resources."""
    return lambda _pdf, _resources: content


def entry(kind: str, name: str, value: Any, content: bytes) -> Drawing:
    """Return a drawing with one resource; `value` may be a function of the file."""

    def draw(pdf: pikepdf.Pdf, resources: Any) -> bytes:
        resources[kind] = Dictionary({f"{name}": value(pdf) if callable(value) else value})
        return content

    return draw


def several(**kinds: Any) -> Drawing:
    """Return a drawing of several resources: kind, names and values, and the `content`."""
    content = kinds.pop("content")

    def draw(pdf: pikepdf.Pdf, resources: Any) -> bytes:
        for kind, names in kinds.items():
            found = {f"/{n}": v(pdf) if callable(v) else v for n, v in names.items()}
            resources[f"/{kind}"] = Dictionary(found)
        return content

    return draw


def power(first: list[float], last: list[float]) -> Dictionary:
    return Dictionary(FunctionType=2, Domain=[0, 1], C0=first, C1=last, N=1)


def spot(name: str, alternate: list[float] | None = None) -> Array:
    inks = alternate or [0, 0.9, 0.8, 0]
    return Array([Name.Separation, Name(f"/{name}"), Name.DeviceCMYK, power([0] * 4, inks)])


def several_spots(*names: str) -> Callable[[pikepdf.Pdf], Any]:
    def make(pdf: pikepdf.Pdf) -> Any:
        tint = pdf.make_stream(b"{" + b" pop" * len(names) + b" 0 0 0 0}")
        tint.FunctionType, tint.Domain = 4, Array([0, 1] * len(names))
        tint.Range = Array([0, 1] * 4)
        return Array([Name.DeviceN, Array(Name(f"/{n}") for n in names), Name.DeviceCMYK, tint])

    return make


def profile(mode: str, count: int) -> Callable[[pikepdf.Pdf], Any]:
    def make(pdf: pikepdf.Pdf) -> Any:
        stream = pdf.make_stream(ImageCms.ImageCmsProfile(ImageCms.createProfile(mode)).tobytes())
        stream.N = count
        return Array([Name.ICCBased, stream])

    return make


def picture(
    samples: bytes, space: Any, size: tuple[int, int] = (2, 2), bits: int = 8, **more: Any
) -> Callable[[pikepdf.Pdf], Any]:
    def make(pdf: pikepdf.Pdf) -> Any:
        image = pdf.make_stream(samples)
        image.Type, image.Subtype = Name.XObject, Name.Image
        image.Width, image.Height = size
        if space is not None:
            image.ColorSpace = space(pdf) if callable(space) else space
            image.BitsPerComponent = bits
        for key, value in more.items():
            image[f"/{key}"] = value(pdf) if callable(value) else value
        return image

    return make


def file_of(mode: str, colours: list[Any], kind: str, **options: Any) -> bytes:
    """Return a picture of squares of colours as a file."""
    found = Image.new(mode, (16 * len(colours), 16))
    for at, colour in enumerate(colours):
        found.paste(colour, (16 * at, 0, 16 * at + 16, 16))
    target = io.BytesIO()
    found.save(target, kind, **options)
    return target.getvalue()


def jpeg(mode: str, colours: list[Any], space: Any, **more: Any) -> Any:
    data = file_of(mode, colours, "JPEG", quality=95)
    return picture(data, space, (16 * len(colours), 16), Filter=Name.DCTDecode, **more)


def packed_with_predictor(samples: bytes, stride: int) -> bytes:
    rows = (samples[at : at + stride] for at in range(0, len(samples), stride))
    return zlib.compress(b"".join(b"\0" + row for row in rows))


def tiling(content: bytes, *, coloured: bool = True, **resources: Any) -> Any:
    def make(pdf: pikepdf.Pdf) -> Any:
        pattern = pdf.make_stream(content)
        pattern.PatternType, pattern.PaintType, pattern.TilingType = 1, 1 if coloured else 2, 1
        pattern.BBox, pattern.XStep, pattern.YStep = Array([0, 0, 10, 10]), 10, 10
        pattern.Resources = Dictionary(
            {
                f"/{kind}": Dictionary({f"/{n}": v(pdf) for n, v in names.items()})
                for kind, names in resources.items()
            }
        )
        return pattern

    return make


def axial(space: Any, function: Any, **more: Any) -> Callable[[pikepdf.Pdf], Any]:
    def make(pdf: pikepdf.Pdf) -> Any:
        return pdf.make_indirect(
            Dictionary(
                ShadingType=2,
                ColorSpace=space(pdf) if callable(space) else space,
                Coords=[20, 0, 80, 0],
                Extend=[True, True],
                Function=function(pdf) if callable(function) else function,
                **more,
            )
        )

    return make


def sampled(pdf: pikepdf.Pdf) -> Any:
    table = pdf.make_stream(bytes([0, 0, 0, 0, 255, 255, 255, 51, 0, 0, 0, 0]))
    table.FunctionType, table.Size, table.BitsPerSample = 0, Array([3]), 8
    table.Domain, table.Range = Array([0, 1]), Array([0, 1] * 4)
    return table


def calculated(pdf: pikepdf.Pdf) -> Any:
    code = pdf.make_stream(b"{dup 0.5 gt {1 exch sub} if 2 mul dup dup 0}")
    code.FunctionType, code.Domain, code.Range = 4, Array([0, 1]), Array([0, 1] * 4)
    return code


def stitched(_: pikepdf.Pdf) -> Any:
    parts = [power([0] * 4, [1, 1, 0.5, 0]), power([1, 1, 0.5, 0], [0] * 4)]
    return Dictionary(
        FunctionType=3, Domain=[0, 1], Functions=parts, Bounds=[0.5], Encode=[0, 1, 0, 1]
    )


def mesh(kind: int, data: bytes, space: Any = Name.DeviceCMYK, **more: Any) -> Any:
    """Return a mesh in the box from 20 to 80, or a gradient of two variables."""
    count = 1 if space != Name.DeviceCMYK or "Function" in more else 4
    usual = {
        "BitsPerCoordinate": 8,
        "BitsPerComponent": 8,
        "BitsPerFlag": 8,
        "Decode": Array([20, 80, 20, 80, *[0, 1] * count]),
    }

    def make(pdf: pikepdf.Pdf) -> Any:
        shading = pdf.make_stream(data) if data else pdf.make_indirect(Dictionary())
        shading.ShadingType, shading.ColorSpace = kind, space
        for key, value in (usual | more if data else more).items():
            shading[f"/{key}"] = value(pdf) if callable(value) else value
        return shading

    return make


def triangle(*colours: bytes) -> bytes:
    places = ((0, 0), (255, 0), (0, 255))
    return b"".join(bytes([0, *at]) + one for at, one in zip(places, colours, strict=True))


def patch(*colours: bytes, inner: bool = False) -> bytes:
    """Return a patch with straight sides, of a Coons or (`inner`) a tensor mesh."""
    sides = [(0, 85 * n) for n in range(4)] + [(85 * n, 255) for n in (1, 2, 3)]
    sides += [(255, 85 * n) for n in (2, 1, 0)] + [(85 * n, 0) for n in (2, 1)]
    sides += [(85, 85), (85, 170), (170, 170), (170, 85)] if inner else []
    return bytes([0, *(number for at in sides for number in at)]) + b"".join(colours)


def plane(kind: int, data: bytes) -> Callable[[pikepdf.Pdf], Any]:
    """Return a function of two variables."""

    def make(pdf: pikepdf.Pdf) -> Any:
        function = pdf.make_stream(data)
        function.FunctionType, function.Domain = kind, Array([0, 1, 0, 1])
        function.Range = Array([0, 1] * 4)
        if kind == 0:
            function.Size, function.BitsPerSample = Array([2, 2]), 8
        return function

    return make


def small_bits(*corners: tuple[int, ...]) -> bytes:
    """Return corners of a mesh with flags of 2, coordinates of 12 and components of 4 bits."""
    found = b""
    for x, y, *inks in corners:
        text = f"00{x:012b}{y:012b}" + "".join(f"{ink:04b}" for ink in inks)
        text += "0" * (-len(text) % 8)
        found += int(text, 2).to_bytes(len(text) // 8)
    return found


def form(content: bytes, **more: Any) -> Callable[[pikepdf.Pdf], Any]:
    def make(pdf: pikepdf.Pdf) -> Any:
        found = pdf.make_stream(content)
        found.Subtype, found.BBox = Name.Form, Array([0, 0, SIZE, SIZE])
        for key, value in more.items():
            found[f"/{key}"] = value(pdf) if callable(value) else value
        return found

    return make


def mask_of(content: bytes) -> Callable[[pikepdf.Pdf], Any]:
    group = Dictionary(S=Name.Transparency, CS=Name.DeviceGray)
    make = form(content, Group=group)

    def state(pdf: pikepdf.Pdf) -> Any:
        return Dictionary(SMask=Dictionary(S=Name.Luminosity, G=make(pdf)))

    return state


def letters(content: bytes) -> Callable[[pikepdf.Pdf], Any]:
    """Return a Type 3 font whose letter `a` is drawn by `content`."""

    def make(pdf: pikepdf.Pdf) -> Any:
        return Dictionary(
            Type=Name.Font,
            Subtype=Name.Type3,
            FontBBox=[0, 0, 1000, 1000],
            FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            CharProcs=Dictionary(a=pdf.make_stream(content)),
            Encoding=Dictionary(Type=Name.Encoding, Differences=[97, Name("/a")]),
            FirstChar=97,
            LastChar=97,
            Widths=[1000],
        )

    return make


CMYK, RGB, GRAY = Name.DeviceCMYK, Name.DeviceRGB, Name.DeviceGray
SHOW = b"q 60 0 0 60 20 20 cm /X Do Q"
HEAVY = bytes([255, 255, 255, 255] + [0, 0, 0, 51] * 3)
TYPED = b"BT /F 30 Tf 20 40 Td (aa) Tj ET"


def shown(make: Any, content: bytes = SHOW) -> Drawing:
    return entry("/XObject", "/X", make, content)


def shaded(make: Any) -> Drawing:
    return entry("/Shading", "/S", make, b"20 20 60 60 re W n /S sh")


def clipped(box: bytes, before: bytes = b"", **more: Any) -> Drawing:
    """Return a part of a gradient whose ink grows from left to right, from none to 400 %."""

    def make(pdf: pikepdf.Pdf) -> Any:
        shading = axial(CMYK, STRONG)(pdf)
        for key, value in more.items():
            shading[f"/{key}"] = value
        return shading

    return entry("/Shading", "/S", make, before + box + b" re W n /S sh")


def filled(space: Any, components: bytes) -> Drawing:
    return entry("/ColorSpace", "/C", space, b"/C cs " + components + b" scn " + BOX)


def inline(space: bytes, samples: bytes, more: bytes = b"") -> bytes:
    data = samples.hex().encode()
    head = b"q 60 0 0 60 20 20 cm BI /W 2 /H 1 /BPC 8 /CS " + space + b" /F /AHx " + more
    return head + b" ID " + data + b"> EI Q"


def over(first: bytes, second: bytes, *, mode: int = 1, **state: Any) -> Drawing:
    settings = {f"/{k}": v for k, v in {"OP": True, "op": True, "OPM": mode, **state}.items()}
    content = first + b" 10 10 60 60 re f /G gs " + second + b" 30 30 60 60 re f"
    return entry("/ExtGState", "/G", Dictionary(settings), content)


INDEXED = Array([Name.Indexed, CMYK, 1, pikepdf.String(bytes([255, 255, 255, 255, 128, 0, 0, 0]))])
PLATES = ("Orange", "Black")
STRONG = power([0] * 4, [1] * 4)
TWO = Dictionary(
    FunctionType=3,
    Domain=[0, 1],
    Functions=[power([0.3] * 4, [0.3] * 4), STRONG],
    Bounds=[0.5],
    Encode=[0, 1, 1, 1],
)
SQUARE = ((0, 0), (255, 0), (0, 255), (255, 255))
TO_BOX = [60, 0, 0, 60, 20, 20]
RED_BOX = b"1 0 0 rg 0 0 9 9 re f"

SAMPLES: dict[str, Sample] = {
    # Flat colours.
    "gray": Sample(plain(b"0.25 g " + BOX), 75, {"gray"}),
    "cmyk": Sample(plain(b"0.4 0.5 0.6 0.2 k " + BOX), 170, {"cmyk"}),
    "rgb": Sample(plain(b"1 0 0 rg " + BOX), None, {"rgb"}, {"SG608"}),
    "spot": Sample(filled(spot("Orange"), b"0.8"), 80, {"spot"}, {"SG608"}),
    "separation-black": Sample(filled(spot("Black", [0, 0, 0, 1]), b"0.9"), 90, {"cmyk"}),
    "registration": Sample(filled(spot("All", [1, 1, 1, 1]), b"1"), 400, {"cmyk"}, {"SG609"}),
    "nothing": Sample(filled(spot("None"), b"1"), 0, set()),
    "device-n": Sample(filled(several_spots(*PLATES), b"1 0.5"), 150, {"spot"}, {"SG608"}),
    "device-n-of-process": Sample(
        filled(several_spots("Cyan", "Magenta", "Yellow"), b"1 1 0.8"), 280, {"cmyk"}, {"SG609"}
    ),
    "indexed": Sample(filled(INDEXED, b"1"), 50, {"cmyk"}),
    "icc-rgb": Sample(filled(profile("sRGB", 3), b"1 0 0"), None, {"icc"}, {"SG608"}),
    "lab": Sample(
        filled(Array([Name.Lab, Dictionary(WhitePoint=[0.9505, 1, 1.089])]), b"50 20 20"),
        None,
        {"lab"},
        {"SG608"},
    ),
    # Pictures.
    "picture-cmyk": Sample(shown(picture(HEAVY, CMYK)), 400, {"cmyk"}, {"SG609"}),
    "picture-gray": Sample(shown(picture(b"\0\x80\xff\xff", GRAY)), 100, {"gray"}),
    "picture-rgb": Sample(shown(picture(b"\0" * 12, RGB)), None, {"rgb"}, {"SG608"}),
    "picture-decode": Sample(
        shown(picture(HEAVY, CMYK, Decode=[1, 0] * 4)), 380, {"cmyk"}, {"SG609"}
    ),
    "picture-half-decode": Sample(shown(picture(HEAVY, CMYK, Decode=[0, 0.5] * 4)), 200, {"cmyk"}),
    "picture-indexed": Sample(
        shown(picture(b"\x00\x80", INDEXED, (1, 2), bits=1)), 400, {"cmyk"}, {"SG609"}
    ),
    "picture-indexed-in-part": Sample(
        shown(picture(b"\x80\x80", INDEXED, (1, 2), bits=1)), 50, {"cmyk"}
    ),
    "picture-of-4-bits": Sample(
        shown(picture(b"\x0f\xff\x00", CMYK, (1, 1), bits=4)), 300, {"cmyk"}, {"SG609"}
    ),
    "picture-of-16-bits": Sample(
        shown(picture(b"\xff\xff\x80\x00\xff\xff\x00\x00", CMYK, (1, 1), bits=16)),
        250,
        {"cmyk"},
        {"SG609"},
    ),
    "picture-spot": Sample(
        shown(picture(b"\x66\0\0\xcc", spot("Orange"))), 80, {"spot"}, {"SG608"}
    ),
    "picture-device-n": Sample(
        shown(picture(b"\xff\xff\0\0\xff\0\0\xff", several_spots(*PLATES))),
        200,
        {"spot"},
        {"SG608"},
    ),
    "picture-icc-rgb": Sample(
        shown(picture(b"\0" * 12, profile("sRGB", 3))), None, {"icc"}, {"SG608"}
    ),
    "picture-predictor": Sample(
        shown(
            picture(
                packed_with_predictor(HEAVY, 8),
                CMYK,
                Filter=Name.FlateDecode,
                DecodeParms=Dictionary(Predictor=15, Colors=4, Columns=2),
            )
        ),
        400,
        {"cmyk"},
        {"SG609"},
    ),
    "run-lengths": Sample(
        shown(picture(b"\xfd\x33\x80", GRAY, Filter=Name.RunLengthDecode)), 80, {"gray"}
    ),
    "jpeg-gray": Sample(shown(jpeg("L", [40, 255], GRAY)), 84, {"gray"}),
    "jpeg-cmyk-inverted": Sample(
        shown(jpeg("CMYK", [(255, 255, 255, 102), (0, 0, 0, 0)], CMYK, Decode=[1, 0] * 4)),
        340,
        {"cmyk"},
        {"SG609"},
    ),
    "jpeg-cmyk": Sample(
        shown(jpeg("CMYK", [(255, 255, 255, 102), (200, 200, 200, 255)], CMYK)),
        65,
        {"cmyk"},
        near=6,
    ),
    "jpeg-in-letters": Sample(
        shown(
            picture(
                base64.a85encode(file_of("CMYK", [(255, 255, 255, 102)], "JPEG", quality=95))
                + b"~>",
                CMYK,
                (16, 16),
                Filter=Array([Name.ASCII85Decode, Name.DCTDecode]),
                Decode=[1, 0] * 4,
            )
        ),
        340,
        {"cmyk"},
        {"SG609"},
    ),
    "jpeg-rgb": Sample(shown(jpeg("RGB", [(9, 9, 9)], RGB)), None, {"rgb"}, {"SG608"}),
    "jpeg-2000": Sample(
        shown(picture(file_of("L", [51, 255], "JPEG2000"), GRAY, (32, 16), Filter=Name.JPXDecode)),
        80,
        {"gray"},
    ),
    "soft-mask": Sample(
        shown(
            picture(HEAVY, CMYK, SMask=picture(b"\x40\xff\xff\xff", GRAY)),
        ),
        100,
        {"cmyk"},
    ),
    "hard-mask": Sample(
        shown(
            picture(HEAVY, CMYK, Mask=picture(b"\x80\x00", None, ImageMask=True)),
        ),
        20,
        {"cmyk"},
    ),
    "masked-colours": Sample(shown(picture(HEAVY, CMYK, Mask=[250, 255] * 4)), 20, {"cmyk"}),
    "stencil": Sample(
        shown(
            picture(b"\x40\x80", None, ImageMask=True),
            b"0.5 0.5 0.5 0 k " + SHOW,
        ),
        150,
        {"cmyk"},
    ),
    "clipped": Sample(shown(picture(HEAVY, CMYK), b"51 20 29 60 re W n " + SHOW), 20, {"cmyk"}),
    "inline-cmyk": Sample(plain(inline(b"/CMYK", HEAVY[:8])), 400, {"cmyk"}, {"SG609"}),
    "inline-rgb": Sample(plain(inline(b"/RGB", b"\0" * 6)), None, {"rgb"}, {"SG608"}),
    "inline-named": Sample(
        entry("/ColorSpace", "/C", spot("Orange"), inline(b"/C", b"\x80\0")),
        50,
        {"spot"},
        {"SG608"},
    ),
    # Gradients.
    "axial": Sample(
        shaded(axial(CMYK, power([0] * 4, [0.9, 0.8, 0.7, 0.1]))), 250, {"cmyk"}, {"SG609"}
    ),
    "axial-rgb": Sample(shaded(axial(RGB, power([1, 1, 1], [1, 0, 0]))), None, {"rgb"}, {"SG608"}),
    "axial-spot": Sample(shaded(axial(spot("Orange"), power([0], [0.7]))), 70, {"spot"}, {"SG608"}),
    "axial-stitched": Sample(shaded(axial(CMYK, stitched)), 250, {"cmyk"}, {"SG609"}, near=4),
    "axial-sampled": Sample(shaded(axial(CMYK, sampled)), 320, {"cmyk"}, {"SG609"}, near=5),
    "axial-calculated": Sample(shaded(axial(CMYK, calculated)), 300, {"cmyk"}, {"SG609"}, near=4),
    "mesh": Sample(
        shaded(mesh(4, triangle(b"\xff\xff\xff\0", b"\xff\0\0\0", b"\0\0\xff\0"))),
        300,
        {"cmyk"},
        {"SG609"},
        near=3,
    ),
    "mesh-of-small-bits": Sample(
        shaded(
            mesh(
                4,
                small_bits((0, 0, 15, 15, 15, 3), (4095, 0, 0, 0, 0, 0), (0, 4095, 15, 0, 0, 0)),
                BitsPerFlag=2,
                BitsPerCoordinate=12,
                BitsPerComponent=4,
            )
        ),
        320,
        {"cmyk"},
        {"SG609"},
        near=3,
    ),
    "mesh-of-a-function": Sample(
        shaded(mesh(4, triangle(b"\0", b"\xff", b"\0"), Function=stitched)),
        250,
        {"cmyk"},
        {"SG609"},
        near=4,
    ),
    "lattice": Sample(
        shaded(
            mesh(
                5,
                b"".join(bytes([*at, 255 if at == (255, 255) else 0]) for at in SQUARE),
                spot("Orange"),
                VerticesPerRow=2,
            )
        ),
        100,
        {"spot"},
        {"SG608"},
    ),
    "patch": Sample(
        shaded(mesh(6, patch(b"\xff\xff\xff\x66", b"\0" * 4, b"\xff\0\0\0", b"\0\0\0\xff"))),
        340,
        {"cmyk"},
        {"SG609"},
        near=4,
    ),
    "tensor-patch": Sample(
        shaded(mesh(7, patch(*[b"\x33\x33\0\0"] * 3, b"\xff\xff\x80\0", inner=True))),
        250,
        {"cmyk"},
        {"SG609"},
        near=4,
    ),
    "plane-calculated": Sample(
        shaded(mesh(1, b"", Function=plane(4, b"{2 copy mul 0}"), Matrix=Array(TO_BOX))),
        300,
        {"cmyk"},
        {"SG609"},
        near=4,
    ),
    "plane-sampled": Sample(
        shaded(
            mesh(1, b"", Function=plane(0, bytes(12) + b"\xff\xff\xff\x33"), Matrix=Array(TO_BOX))
        ),
        320,
        {"cmyk"},
        {"SG609"},
        near=4,
    ),
    "mesh-that-ends-early": Sample(
        shaded(mesh(6, patch(b"\xff" * 4)[:20])), None, {"cmyk"}, {"SG616"}
    ),
    # A gradient has the ink of the part that is painted.
    "axial-light-end": Sample(clipped(b"20 20 12 60"), 80, {"cmyk"}),
    "axial-turned": Sample(clipped(b"20 20 12 60", b"0 1 -1 0 100 0 cm "), 80, {"cmyk"}),
    # The bounding box of a turned strip holds more ink than the strip.
    "axial-in-a-turned-clip": Sample(
        clipped(b"20 -40 12 80", b".7071 .7071 -.7071 .7071 40 10 cm "), 80, {"cmyk"}
    ),
    "radial-in-a-turned-clip": Sample(
        clipped(
            b"-15 -15 30 30",
            b".7071 .7071 -.7071 .7071 50 50 cm ",
            ShadingType=3,
            Coords=[0, 0, 0, 0, 0, 60],
        ),
        141,
        {"cmyk"},
        near=5,
    ),
    "pattern-in-a-turned-shape": Sample(
        entry(
            "/Pattern",
            "/P",
            lambda pdf: Dictionary(
                PatternType=2,
                Matrix=Array([0.7071, 0.7071, -0.7071, 0.7071, 40, 10]),
                Shading=axial(CMYK, STRONG)(pdf),
            ),
            b".7071 .7071 -.7071 .7071 40 10 cm /Pattern cs /P scn 20 -30 12 60 re f",
        ),
        80,
        {"cmyk"},
    ),
    "axial-in-a-turned-form": Sample(
        several(
            Shading={"S": axial(CMYK, STRONG)},
            XObject={
                "X": form(
                    b"/S sh",
                    BBox=Array([20, -40, 32, 40]),
                    Matrix=Array([0.7071, 0.7071, -0.7071, 0.7071, 40, 10]),
                )
            },
            content=b"/X Do",
        ),
        80,
        {"cmyk"},
    ),
    "axial-beyond-its-end": Sample(clipped(b"82 20 10 60", Extend=[True, False]), 0, {"cmyk"}),
    "axial-extended": Sample(clipped(b"82 20 10 60"), 400, {"cmyk"}, {"SG609"}),
    "axial-first-of-two-colours": Sample(clipped(b"20 20 30 60", Function=TWO), 120, {"cmyk"}),
    "radial-middle": Sample(
        clipped(b"40 40 20 20", ShadingType=3, Coords=[50, 50, 0, 50, 50, 50]),
        113,
        {"cmyk"},
        near=5,
    ),
    "radial-of-two-centres": Sample(
        clipped(b"20 20 60 60", ShadingType=3, Coords=[60, 50, 0, 50, 50, 40]),
        400,
        {"cmyk"},
        {"SG609"},
    ),
    "pattern-light-end": Sample(
        entry(
            "/Pattern",
            "/P",
            lambda pdf: Dictionary(
                PatternType=2,
                Matrix=Array([0, 2, -1, 0, 100, -40]),
                Shading=axial(CMYK, STRONG, Background=[1, 0, 0, 0])(pdf),
            ),
            b"1 0 0 1 0 20 cm /Pattern cs /P scn 20 0 60 12 re f",
        ),
        107,
        {"cmyk"},
    ),
    "gradient-pattern": Sample(
        entry(
            "/Pattern",
            "/P",
            lambda pdf: Dictionary(
                PatternType=2, Shading=axial(CMYK, power([0] * 4, [1, 1, 0.6, 0]))(pdf)
            ),
            b"/Pattern cs /P scn " + BOX,
        ),
        260,
        {"cmyk"},
        {"SG609"},
    ),
    "gradient-pattern-rgb": Sample(
        entry(
            "/Pattern",
            "/P",
            lambda pdf: Dictionary(
                PatternType=2, Shading=axial(RGB, power([1, 1, 1], [0, 0, 1]))(pdf)
            ),
            b"/Pattern CS /P SCN 8 w 20 20 60 60 re S",
        ),
        None,
        {"rgb"},
        {"SG608"},
    ),
    # Tiling patterns, forms, glyphs and masks.
    "tiles": Sample(
        entry("/Pattern", "/P", tiling(b"1 1 1 0 k 0 0 5 5 re f"), b"/Pattern cs /P scn " + BOX),
        300,
        {"cmyk"},
        {"SG609"},
    ),
    "tiles-rgb": Sample(
        entry("/Pattern", "/P", tiling(RED_BOX), b"/Pattern cs /P scn " + BOX),
        None,
        {"rgb"},
        {"SG608"},
    ),
    "tiles-of-a-picture": Sample(
        entry(
            "/Pattern",
            "/P",
            tiling(b"9 0 0 9 0 0 cm /X Do", XObject={"X": picture(HEAVY, CMYK)}),
            b"/Pattern cs /P scn " + BOX,
        ),
        400,
        {"cmyk"},
        {"SG609"},
    ),
    "tiles-without-colour": Sample(
        several(
            ColorSpace={"C": Array([Name.Pattern, CMYK])},
            Pattern={"P": tiling(b"1 0 0 rg 0 0 5 5 re f", coloured=False)},
            content=b"/C cs 0.5 0.5 0.5 0.5 /P scn " + BOX,
        ),
        200,
        {"cmyk"},
    ),
    "form": Sample(shown(form(b"1 1 1 1 k " + BOX), b"/X Do"), 400, {"cmyk"}, {"SG609"}),
    "glyph-in-colour": Sample(
        entry("/Font", "/F", letters(b"1000 0 d0 1 0 0 rg 0 0 900 900 re f"), TYPED),
        None,
        {"rgb"},
        {"SG608"},
    ),
    "glyph-as-shape": Sample(
        entry(
            "/Font",
            "/F",
            letters(b"1000 0 0 0 999 999 d1 1 0 0 rg 0 0 900 900 re f"),
            b"0.3 0.3 0.3 0 k " + TYPED,
        ),
        90,
        {"cmyk"},
    ),
    "mask-group-in-rgb": Sample(
        entry(
            "/ExtGState", "/G", mask_of(b"1 1 0.9 rg 0 0 90 90 re f"), b"/G gs 0 0 0 0.5 k " + BOX
        ),
        50,
        {"cmyk", "rgb"},
        {"SG608"},
    ),
    # Overprint and transparency.
    "overprint": Sample(over(b"1 0 0 0 k", b"0 1 0.9 0 k"), 290, {"cmyk"}, {"SG609"}),
    "overprint-off": Sample(over(b"1 1 0 0 k", b"0 0 1 0.9 k", OP=False, op=False), 200, {"cmyk"}),
    "overprint-mode-0": Sample(over(b"1 1 0 0 k", b"0 0 1 0.9 k", mode=0), 200, {"cmyk"}),
    "white-overprint": Sample(over(b"1 0 0 0 k", b"0 0 0 0 k"), 100, {"cmyk"}, {"SG627"}),
    "alpha": Sample(over(b"0 0 0 0 k", b"1 1 1 0.2 k", OP=False, op=False, ca=0.5), 160, {"cmyk"}),
    "alpha-of-a-group": Sample(
        several(
            XObject={
                "X": form(
                    b"/H gs 1 1 1 1 k " + BOX,
                    Group=Dictionary(S=Name.Transparency),
                    Resources=Dictionary(ExtGState=Dictionary(H=Dictionary(ca=0.5))),
                )
            },
            ExtGState={"G": Dictionary(ca=0.5)},
            content=b"/G gs /X Do",
        ),
        100,
        {"cmyk"},
    ),
    "multiply": Sample(
        over(b"1 0.5 0 0 k", b"0 0.5 1 0 k", OP=False, op=False, BM=Name.Multiply),
        275,
        {"cmyk"},
        {"SG609"},
    ),
    "transfer-function": Sample(
        entry("/ExtGState", "/G", Dictionary(TR=power([1], [0])), b"/G gs 0.8 g " + BOX),
        None,
        {"gray"},
        {"SG616"},
    ),
    # Fonts.
    "not-embedded": Sample(entry("/Font", "/F", FONT, b"0 g " + TYPED), 100, {"gray"}, {"SG603"}),
    "not-shown": Sample(
        entry("/Font", "/F", FONT, b"BT /F 30 Tf 20 40 Td () Tj ET 0.5 g " + BOX), 50, {"gray"}
    ),
    "invisible": Sample(
        entry("/Font", "/F", FONT, b"BT 3 Tr /F 30 Tf 20 40 Td (aa) Tj ET 0.5 g " + BOX),
        50,
        {"gray"},
    ),
}
