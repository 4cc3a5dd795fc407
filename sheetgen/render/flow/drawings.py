"""Turn a cleaned SVG drawing into a form XObject, with WeasyPrint and corrections of it."""

from __future__ import annotations

import contextlib
import io
import math
import re
from functools import cache
from typing import Any, Final

from sheetgen.model.pictures import Picture
from sheetgen.render.flow.layout import lay_out, load_engine
from sheetgen.render.pdf.pdf_file import SharedPool, pack_shared, pdf_numbers

_SIDE: Final = 400.0  # the longer side of a converted drawing in points; the press scales it
_MOST_REPEATS: Final = 100_000  # most tiles of a pattern in a drawing
# The least length of a dash and its gap in points; a line of a drawing has few thousands.
_LEAST_DASH: Final = 0.05

_PAGE: Final = """<!doctype html><html lang="en"><head><title>Drawing</title><style>
@page {{ size: {0:.3f}pt {1:.3f}pt; margin: 0 }}
html, body {{ margin: 0 }}
img {{ display: block; width: {0:.3f}pt; height: {1:.3f}pt }}
</style></head><body><img src="asset:drawing" alt=""></body></html>"""
_USER_SPACE: Final = "userSpaceOnUse"
_MOST_STRETCH: Final = 1000.0
_MARGIN: Final = 1.25  # room around the tile of a gradient, also for strokes
# The colour of a press that editors append to the colour of the screen.
_ICC: Final = re.compile(r"\s*icc-color\([^)]*\)\s*$")
_XYZ_TO_RGB: Final = (
    (3.2404542, -1.5371385, -0.4985314),
    (-0.9692660, 1.8760108, 0.0415560),
    (0.0556434, -0.2040259, 1.0572252),
)
_D50_TO_D65: Final = (
    (0.9555766, -0.0230393, 0.0631636),
    (-0.0282895, 1.0099416, 0.0210077),
    (0.0122982, -0.0204830, 1.3299098),
)


def lay_out_drawing(svg: bytes, picture: Picture) -> bytes:
    """Return a drawing as the packed objects of a form XObject in a unit square."""
    import pikepdf

    scale = _SIDE / max(picture.width, picture.height)
    wide, high = max(picture.width * scale, 1), max(picture.height * scale, 1)
    html = _PAGE.format(wide, high)
    warnings: list[str] = []
    with contextlib.suppress(ImportError, AttributeError):  # another version of the engine
        correct_engine()
    laid = lay_out(html, {"drawing": svg}, variant=None, complaints=warnings)
    with pikepdf.open(io.BytesIO(laid)) as pdf:
        page = pdf.pages[0]
        page.contents_coalesce()
        _mend_gradients(pikepdf, pdf)
        _check_drawing(pikepdf, pdf, wide * high)
        pool = SharedPool()
        resources, refs = pool.build_template(page.Resources)
        # Without marked content: the figure that shows the drawing is marked as one.
        unmarked = [
            (operands, operator)
            for operands, operator in pikepdf.parse_content_stream(page)
            if str(operator) not in ("BDC", "BMC", "EMC")
        ]
        content = bytes(pikepdf.unparse_content_stream(unmarked))
        matrix = b"%.9f 0 0 %.9f 0 0" % (1 / wide, 1 / high)
        entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %s]/Matrix[%s]/Resources %s"
        head = entries % (pdf_numbers(wide, high), matrix, resources)
        pool.put_stream(head, content, refs)
        return pack_shared(pool, {})


def _check_drawing(pikepdf: Any, pdf: Any, extent: float) -> None:
    """Raise `ValueError` if viewers cannot draw a file in bounded time; `extent`: of its page."""
    streams = [one for one in pdf.objects if isinstance(one, pikepdf.Stream)]
    tiles = [one for one in streams if "/PatternType" in one]
    for tile in tiles:
        a, b, c, d, *_ = map(float, tile.get("/Matrix", (1, 0, 0, 1, 0, 0)))
        size = abs((a * d - b * c) * float(tile.XStep) * float(tile.YStep))
        if size * _MOST_REPEATS < extent:
            raise ValueError("a pattern is too fine")
    forms = (one for one in streams if one.get("/Subtype") == "/Form")
    for content in (pdf.pages[0], *forms, *tiles):
        scales = [1.0]
        for operands, operator in pikepdf.parse_content_stream(content):
            name = str(operator)
            if name in ("inf", "-inf", "nan") or any(one is None for one in operands):
                raise ValueError("a number is not finite")
            if name == "q":
                scales.append(scales[-1])
            elif name == "Q" and len(scales) > 1:
                scales.pop()
            elif name == "cm":
                a, b, c, d = map(float, operands[:4])
                scales[-1] *= abs(a * d - b * c) ** 0.5
            elif name == "d" and 0 < sum(map(float, operands[0])) * scales[-1] < _LEAST_DASH:
                raise ValueError("dashes are too fine")


@cache
def correct_engine() -> None:
    """Change WeasyPrint's class of drawings, once in a process.

    The engine draws masks only on shapes that have a width and a height, and gives strokes with
    gradients no width. Stops of gradients take the numbers of any colour space for RGB, and the
    colours of an archive have to be defined: all colours become sRGB.
    """
    load_engine()
    import weasyprint.svg
    from weasyprint.svg import SVG, defs
    from weasyprint.svg.bounding_box import is_valid_bounding_box
    from weasyprint.svg.utils import parse_url, size

    draw, set_state = SVG.draw_node, SVG.set_graphical_state

    def set_graphical_state(self: Any, node: Any, font_size: float, context: Any = None) -> Any:
        if width := self.length(node.get("stroke-width", "1px"), font_size):
            self.stream.set_line_width(width)
        return set_state(self, node, font_size, context)

    def draw_node(
        self: Any, node: Any, font_size: float, fill_stroke: bool = True, context: Any = None
    ) -> None:
        mask = self.masks.get(parse_url(node.get("mask")).fragment) if fill_stroke else None
        if mask is None:
            draw(self, node, font_size, fill_stroke, context)
            return
        kept = {key: node.attrib.pop(key) for key in ("mask", "transform") if key in node.attrib}
        box = self.calculate_bounding_box(node, font_size)
        if not is_valid_bounding_box(box):
            box = 0, 0, self.inner_width, self.inner_height
        outer = self.stream
        outer.push_state()
        node.attrib["transform"] = kept.get("transform", "")
        self.transform(node, font_size)
        del node.attrib["transform"]
        mode = "alpha" if mask.get("mask-type") == "alpha" else "luminosity"
        # The left, top, width and height of the box outside of which the mask hides all.
        user = mask.get("maskUnits") == _USER_SPACE
        sides = (self.inner_width, self.inner_height) * 2 if user else (1, 1, 1, 1)
        usual = {"x": "-10%", "y": "-10%", "width": "120%", "height": "120%"}.items()
        lengths = zip(usual, sides, strict=True)
        x, y, wide, high = (size(mask.get(k, o), font_size, side) for (k, o), side in lengths)
        if not user:
            x, y = box[0] + x * box[2], box[1] + y * box[3]
            wide, high = wide * box[2], high * box[3]
        self.stream = outer.set_alpha_state(x, y, wide, high, mode)
        if mask.get("maskContentUnits", _USER_SPACE) != _USER_SPACE:
            self.stream.transform(box[2], 0, 0, box[3], box[0], box[1])
        for child in mask:
            self.draw_node(child, font_size)
        self.stream = outer
        draw(self, node, font_size, fill_stroke, context)
        outer.pop_state()
        node.attrib.update(kept)

    SVG.draw_node, SVG.set_graphical_state = draw_node, set_graphical_state
    parse = defs.color

    def color(text: str | None) -> Any:
        found = parse(_ICC.sub("", text or ""))
        return _to_srgb(found if hasattr(found, "space") else parse("black"))  # `currentColor`

    weasyprint.svg.color = defs.color = color


def _to_srgb(color: Any) -> Any:
    """Return a colour of CSS in sRGB; where it cannot be converted, as it is."""
    space, numbers = color.space, [number or 0.0 for number in color.coordinates]
    if space in ("hsl", "hwb"):
        return color.to("srgb")
    if space == "device-cmyk":
        rgb = [(1 - ink) * (1 - numbers[3]) for ink in numbers[:3]]
    elif space in ("lab", "lch", "xyz-d50", "oklab", "oklch", "xyz-d65"):
        d65 = space in ("oklab", "oklch", "xyz-d65")
        rgb = list(color.to("xyz-d65" if d65 else "xyz-d50").coordinates)
        for matrix in (_XYZ_TO_RGB,) if d65 else (_D50_TO_D65, _XYZ_TO_RGB):
            rgb = [sum(a * b for a, b in zip(row, rgb, strict=True)) for row in matrix]
        rgb = [n * 12.92 if n <= 0.0031308 else 1.055 * n ** (1 / 2.4) - 0.055 for n in rgb]
    else:
        return color
    return type(color)("srgb", [min(max(n, 0.0), 1.0) for n in rgb], color.alpha)


def _mend_gradients(pikepdf: Any, pdf: Any) -> None:
    """Widen the tiles that the engine draws gradients in, so that none is ever repeated.

    Those of turned gradients are too small: the engine takes two corners of a shape for the
    corners of its tile. The middle is right, and so is the distance to the corners, but for the
    stretch of the tile's matrix. The others end at the shape's edge, where MuPDF repeats them.
    """
    for tile in pdf.objects:
        if not isinstance(tile, pikepdf.Stream) or "/PatternType" not in tile:
            continue
        groups = list(tile.Resources.get("/XObject", {}).values())
        if len(groups) != 1 or not groups[0].Resources.get("/Shading"):
            continue
        a, b, c, d, *_ = map(float, tile.Matrix)
        total, extent = a * a + b * b + c * c + d * d, abs(a * d - b * c)
        if not extent:
            continue
        turned = math.sqrt(max(total * total - 4 * extent * extent, 0)) if b or c else 0
        stretch = (total + turned) / (2 * extent) if turned else 1
        left, foot, right, top = map(float, tile.BBox)
        reach = math.hypot(right - left, top - foot) / 2 * min(stretch, _MOST_STRETCH) * _MARGIN
        x, y = (left + right) / 2, (foot + top) / 2
        masks = (one.get("/SMask") for one in groups[0].Resources.get("/ExtGState", {}).values())
        for one in (tile, groups[0], *(mask.G for mask in masks if mask is not None)):
            one.BBox = [x - reach, y - reach, x + reach, y + reach]
        tile.XStep = tile.YStep = 2 * reach
