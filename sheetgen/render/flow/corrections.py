"""Fix WeasyPrint's structure tree for PDF/UA (ISO 32000-1, 14.7; ISO 14289-1).

This is for pages that flow; `plates/plate_compiler.py` builds the structure tree of a plate.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from sheetgen.render.flow.layout import load_engine

# Elements that a table or a list must keep even if they are empty.
_EMPTY_TOO: Final = ("/Table", "/TR", "/TH", "/TD", "/L", "/LI", "/Lbl", "/LBody")
_IN_ITEM: Final = ("/Lbl", "/LBody")
_REFERENCE: Final = re.compile(rb"(\d+) 0 R")


def fix_structure_tree(pdf: Any) -> None:
    """Set the scope of table headers, and put what is in list items and links where it belongs.

    Empty elements and those of page margins are removed.

    `pdf` is WeasyPrint's file, a `pydyf.PDF`.
    """
    tree = _TagTree(pdf)
    for element in [*tree.below(tree.top)]:
        if element["S"] == "/TH":
            element["A"]["Scope"] = "/Row" if tree.heads_its_row(element) else "/Column"
        elif element["S"] == "/Figure":
            # WeasyPrint gives pixels from the top; PDF needs points from the lower edge.
            box, height = element["A"]["BBox"], float(tree.at(element["Pg"])["MediaBox"][3])
            left, top, right, bottom = (float(side) * 0.75 for side in box)
            box[:] = [round(v, 2) for v in (left, height - bottom, right, height - top)]
            tree.move_links(element)
        elif element["S"] == "/LI":
            tree.fill_body(element)
    tree.prune(tree.top)
    tree.drop_margins()


class _TagTree:
    """The structure tree of one file."""

    def __init__(self, pdf: Any) -> None:
        self.pdf = pdf
        self.root = self.at(pdf.catalog["StructTreeRoot"])
        self.top = self.at(self.root["K"][0])

    def at(self, reference: Any) -> Any:
        """Return the object that `reference` refers to; an empty one for anything else."""
        match = _REFERENCE.fullmatch(reference) if isinstance(reference, bytes) else None
        return self.pdf.objects[int(match[1])] if match else {}

    def kids(self, element: Any) -> Iterator[Any]:
        """Yield the elements directly below one."""
        for kid in element.get("K", ()):
            found = self.at(kid)
            if "S" in found:
                yield found

    def below(self, element: Any) -> Iterator[Any]:
        """Yield all elements below one, in reading order."""
        for kid in self.kids(element):
            yield kid
            yield from self.below(kid)

    def heads_its_row(self, header: Any) -> bool:
        """Return whether a cell of the same row names this one as its header."""
        name = header.get("ID")
        return name is not None and any(
            any(one.data == name.data for one in cell["A"].get("Headers", ()))
            for cell in self.kids(self.at(header["P"]))
            if cell["S"] == "/TD"
        )

    def fill_body(self, item: Any) -> None:
        """Put what is in a list item into its body: WeasyPrint does so for plain text alone."""
        kids = [*self.kids(item)]
        if all(kid["S"] in _IN_ITEM for kid in kids):
            return
        body = type(item)({**item, "S": "/LBody", "K": type(item["K"])()})
        self.pdf.add_object(body)
        body["P"] = item.reference
        kept = [kid for kid in kids if kid["S"] == "/Lbl"]
        for kid in (one for one in kids if one["S"] != "/Lbl"):
            for moved in self.kids(kid) if kid["S"] == "/LBody" else [kid]:
                moved["P"] = body.reference
                body["K"].append(moved.reference)
        item["K"][:] = [one.reference for one in [*kept, body]]

    def move_links(self, figure: Any) -> None:
        """Give the link of a picture to the element of the link around it."""
        link = self.at(figure["P"])
        for kid in [*figure["K"]] if link["S"] == "/Link" else ():
            if self.at(kid).get("Type") == "/OBJR":
                figure["K"].remove(kid)
                link["K"].append(kid)
                numbers = self.at(self.root["ParentTree"])["Nums"]
                place = 2 * int(self.at(self.at(kid)["Obj"])["StructParent"]) + 1
                numbers[place] = link.reference

    def prune(self, element: Any) -> bool:
        """Remove all empty elements below; return whether anything is left."""
        kept = []
        for kid in element["K"]:
            found = self.at(kid)
            if "S" not in found or self.prune(found):
                kept.append(kid)
            else:
                found.free = "f"
        element["K"][:] = kept
        return bool(kept) or element["S"] in _EMPTY_TOO

    def drop_margins(self) -> None:
        """Turn the content of page margins into artifacts: no element refers to it."""
        known = {self.top.number, *(element.number for element in self.below(self.top))}
        marked: dict[int, set[int]] = {}
        elements: list[Any] = [one for one in self.pdf.objects if isinstance(one, dict)]
        for element in elements:
            if element.get("Type") == "/StructElem" and element.number not in known:
                numbers = {kid for kid in element["K"] if isinstance(kid, int)}
                marked.setdefault(self.at(element["Pg"]).number, set()).update(numbers)
                element.free = "f"
        parents = self.at(self.root["ParentTree"])["Nums"]
        for number, mcids in marked.items():
            page = self.pdf.objects[number]
            stream = self.at(page["Contents"]).stream
            for at, part in enumerate(stream):  # `/P <</MCID 7>> BDC`
                begun = isinstance(part, dict) and part.get("MCID") in mcids
                if begun and stream[at + 1] == b"BDC":
                    stream[at - 1 : at + 2] = ["/Artifact", b"", b"BMC"]
            entry = parents[2 * int(page["StructParents"]) + 1]
            entry[:] = ["null" if n in mcids else one for n, one in enumerate(entry)]


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


@cache
def correct_engine() -> None:
    """Change WeasyPrint's class of drawings, once in a process.

    The engine draws masks only on shapes that have a width and a height, and gives strokes with
    gradients no width. Stops of gradients take the numbers of any colour space for RGB, and the
    colours of an archive have to be defined: all colours become sRGB.

    Raises:
        NoEngine: The engine cannot be loaded.
    """
    load_engine()
    import weasyprint.svg
    from weasyprint.svg import SVG, defs
    from weasyprint.svg.bounding_box import is_valid_bounding_box
    from weasyprint.svg.utils import parse_url

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
        self.stream = outer.set_alpha_state(*_mask_box(self, mask, box, font_size), mode)
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


def _mask_box(svg: Any, mask: Any, box: Any, font_size: float) -> tuple[float, ...]:
    """Return the left, top, width and height of the box outside of which a mask hides all."""
    from weasyprint.svg.utils import size

    user = mask.get("maskUnits") == _USER_SPACE
    sides = (svg.inner_width, svg.inner_height) if user else (1, 1)
    x, y = (size(mask.get(k, "-10%"), font_size, s) for k, s in zip("xy", sides, strict=True))
    keys = zip(("width", "height"), sides, strict=True)
    wide, high = (size(mask.get(key, "120%"), font_size, side) for key, side in keys)
    if user:
        return x, y, wide, high
    return box[0] + x * box[2], box[1] + y * box[3], wide * box[2], high * box[3]


def mend_gradients(pikepdf: Any, pdf: Any) -> None:
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
