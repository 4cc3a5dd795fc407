"""Convert RGB and gray colours to CMYK by a simple rule.

Gray becomes black ink alone. Of any other colour, the part that is common to all three inks
becomes black. This is no colour management: a press prints such a colour a little darker than
a screen shows it.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from functools import cache
from math import inf
from typing import Any, Final

from sheetgen.finish.saving import list_of, remove_keys

MOST_INK: Final = 2.4
"""Most total ink of a printer that states none; above it the three colours are reduced."""

_FROM: Final = {"g": "k", "G": "K", "rg": "k", "RG": "K"}
_SPACES: Final = {"/DeviceRGB": 3, "/DeviceGray": 1, "/RGB": 3, "/G": 1}
_PLAIN: Final = ("/Pattern", "/DeviceCMYK", *_SPACES)


class NotReady(ValueError):
    """A file that cannot be converted; the message names the obstacle."""


def to_cmyk(numbers: Sequence[float], most: float = MOST_INK) -> tuple[float, float, float, float]:
    """Return the four components in CMYK, each 0 to 1, of a gray or RGB colour.

    Args:
        most: The most total ink; above it the three colours are reduced, black is not.
    """
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
    """Return a content stream with all its colours in CMYK.

    Args:
        spaces: Receives the names of the colour spaces that stay in use.

    Raises:
        NotReady: It contains an inline image.
    """
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
    """Convert all colours of a file to CMYK: of pages, forms and patterns.

    Args:
        most: The most total ink of a colour.

    Raises:
        NotReady: There are pictures or colour spaces that cannot be converted.
    """
    import pikepdf

    spaces: set[str] = set()
    done: set[tuple[int, int]] = set()
    contents = [stream for page in pdf.pages for stream in list_of(page.obj.get("/Contents"))]
    for one in pdf.objects:
        if not isinstance(one, pikepdf.Stream):
            continue
        if one.get("/Subtype") == "/Form" or one.get("/PatternType") == 1:
            contents.append(one)
        elif one.get("/Subtype") == "/Image" and not (
            _is_printable(one, most) or convert_picture(one, most)
        ):
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


def _is_printable(image: Any, most: float) -> bool:
    space = str(image.get("/ColorSpace", ""))
    if image.get("/ImageMask") is True or space == "/DeviceGray":
        return True
    return space == "/DeviceCMYK" and ink_of_picture(image) <= most


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

_THINNER: Final = (0.0, 0.04, 0.08, 0.16)
"""Total inks that are tried less for a picture: JPEG makes some pixels darker than they were."""


def convert_picture(image: Any, most: float) -> bool:
    """Convert an image to CMYK in place; return whether that is possible.

    Args:
        most: The most total ink of a pixel, as it will be unpacked.
    """
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
    from sheetgen.plugins.prepress.inspect.painting import CMYK
    from sheetgen.plugins.prepress.page_observer import NotMeasured, heaviest_colour

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
    paper = papers[pixels.mode]
    opaque = Image.new(pixels.mode, pixels.size, paper)
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
    remove_keys(image, "/DecodeParms", "/Decode", "/Intent")
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
    remove_keys(form, "/BBox", "/Matrix", "/Resources", "/Group", "/FormType")
    form.Subtype, form.Width, form.Height = pikepdf.Name.Image, pixels.width, pixels.height
    _replace(form, pixels)


_NEAR: Final = 1e-3
_DEPTH: Final = 8
_SCALE: Final = 4  # Pixels a point of a drawing, whose longer side has 400 points


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
    remove_keys(function, "/Range")
    return True
