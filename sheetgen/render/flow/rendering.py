"""Pages that flow: one template is rendered as a PDF, by WeasyPrint, and as an HTML file.

WeasyPrint also turns drawings into form XObjects; it is corrected for both.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final

from sheetgen.model.pictures import Picture
from sheetgen.model.prints import Shape, Tokens
from sheetgen.model.requests import PageFormat
from sheetgen.model.tokens import CHARSET
from sheetgen.plan.fit import find_missing_letters, is_unseen, spell_out
from sheetgen.plan.pages.screen_blocks import SignPairs, TextMeasure, spell_signs, spell_silence
from sheetgen.records import frozen
from sheetgen.render.flow import layout
from sheetgen.render.fonts.fonts import SIGN_FACE, build_sign_font, measure_fonts, read_font_metrics
from sheetgen.render.html.styles import draw_step, svg_layer
from sheetgen.render.pdf.pdf_file import SharedPool, pack_shared, pdf_numbers
from sheetgen.units import MM

WIDEST: Final = 80  # millimetres of a column
LOGO: Final = "logo"  # the name of the picture that is a publisher's logo
SCENE: Final = "scene"  # the name of the picture over a screen
SIGN_STYLES: Final = "_shared/signs.css"
LOGO_SIZE: Final = (30 * MM, 10 * MM)  # width and height of its cell, in points


@frozen
class FlowTemplate:
    """A Jinja template of pages, with the style sheets of its PDF and of its HTML file."""

    template: str
    paper: tuple[str, ...]  # style sheets of the PDF, in this order
    screen: tuple[str, ...]  # style sheets of the HTML file, in this order


@frozen
class PageStyle:
    """The design of pages: templates, tokens and fonts."""

    texts: Mapping[str, str]  # templates and style sheets by name
    tokens: Tokens
    fonts: Mapping[str, bytes]  # font files, by face
    # Returns fonts that are WOFF2 already; others are compressed, which takes seconds
    find_packed: Callable[[], Mapping[str, bytes]] = dict
    css: str = ""  # styles that were computed for these pages
    # Files for `asset:NAME` addresses besides the fonts, by name
    assets: Mapping[str, bytes] = field(default_factory=dict)
    # Pictures by name, as `build_page_pictures` returns them; `assets` has their files
    pictures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    signs: SignPairs = ()  # words and shapes of the signs in texts

    def measure(self) -> TextMeasure:
        """Return what measures texts in these fonts."""
        return measure_fonts(self.fonts.__getitem__)


def add_page_signs(style: PageStyle, signs: SignPairs, shapes: Mapping[str, Shape]) -> PageStyle:
    """Return a style whose texts may have signs: words, and the names of `shapes`."""
    words = ((word, shapes[name].path) for word, name in signs)
    silent = ((spell_silence(at), shapes[name].path) for at, (_, name) in enumerate(signs))
    fonts = {**style.fonts, SIGN_FACE: build_sign_font((*words, *silent))}
    tokens = replace(style.tokens, faces={**style.tokens.faces, SIGN_FACE: SIGN_FACE})
    return replace(style, fonts=fonts, tokens=tokens, signs=signs)


def own_styles(tokens: Tokens) -> str:
    """Return the step of a page's title line, and a class for each width of a column."""
    step = draw_step(tokens, tokens.css["w-head"].removesuffix("pt"), 9.9, 9.95, 0.45)
    every = range(2, WIDEST + 1, 2)
    widths = "".join(f".w-{n} {{ width: calc({n}mm * var(--wide)) }}\n" for n in every)
    return f":root {{ --step: {svg_layer(step)} }}\n{widths}"


def render_flow(
    kind: PageFormat, template: FlowTemplate, style: PageStyle, context: Mapping[str, Any]
) -> bytes:
    """Return pages as one file; equal input gives equal bytes.

    Args:
        kind: `pdf` for a tagged PDF, `html` for one self-contained HTML file.
        context: `title`, `lang`, `paper`, `theme`, `credit`, `version`, and what the template
            shows.
    """
    if kind == "html":
        from sheetgen.render.html.page import render_page

        context = {"pictures": style.pictures, "measure": style.measure(), **context}
        texts = {**style.texts, "generated.css": style.css}
        styles = ("generated.css", *template.screen) if style.css else template.screen
        styles = (*styles, SIGN_STYLES) if style.signs else styles
        fonts = {**style.fonts, **style.find_packed()}
        page = render_page(texts, template.template, styles, style.tokens, fonts, context)
        return spell_signs(page.decode(), style.signs).encode() if style.signs else page
    return lay_out_flow(render_flow_markup(template, style, context), style, str(context["title"]))


def render_flow_markup(template: FlowTemplate, style: PageStyle, context: Mapping[str, Any]) -> str:
    """Return the HTML that the layout engine turns into a PDF; see `render_flow`."""
    from sheetgen.render.html.page import build_plate_styles, render_template

    shown = {"pictures": style.pictures, **context}
    paper = str(context["paper"])
    css = style.css + "".join(one["style"] for one in style.pictures.values())
    names = (*template.paper, SIGN_STYLES) if style.signs else template.paper
    styles = build_plate_styles(style.texts, names, style.tokens, paper, css)
    html = render_template(style.texts, template.template, {**shown, "styles": styles, "csp": ""})
    return spell_signs(html, style.signs)


def lay_out_flow(
    html: str,
    style: PageStyle,
    title: str,
    complaints: list[str] | None = None,
    inspect: Callable[[Any], None] | None = None,
) -> bytes:
    """Return markup as a tagged PDF; see `lay_out`."""
    if any(ord(c) not in CHARSET for c in set(html) if not (c.isascii() or is_unseen(c))):
        faces = map(read_font_metrics, style.fonts.values())
        known = {point for face in faces for point in face.advances}
        if complaints is not None:  # the engine does not see what is spelled out
            lost = find_missing_letters(html, known)
            complaints += (f".notdef glyph instead of {letter}" for letter in lost)
        html = spell_out(html, known)
    name = hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:32].encode()
    with corrected_engine():
        return layout.lay_out(
            html,
            {**style.fonts, **style.assets},
            identifier=name,
            complaints=complaints,
            finish=fix_structure_tree,
            inspect=inspect,
        )


# Elements that a table or a list must keep even if they are empty.
_EMPTY_TOO: Final = ("/Table", "/TR", "/TH", "/TD", "/L", "/LI", "/Lbl", "/LBody")
_REFERENCE: Final = re.compile(rb"(\d+) 0 R")


def fix_structure_tree(pdf: Any) -> None:
    """Fix WeasyPrint's structure tree for PDF/UA (ISO 32000-1, 14.7; ISO 14289-1).

    Set the scope of table headers, and put what is in list items and links where it belongs. Empty
    elements and those of page margins are removed. `pdf` is WeasyPrint's file, a `pydyf.PDF`. A
    plate has a tree of its own; see `plate_compiler`.
    """
    tree = _TagTree(pdf)
    for element in [*tree.below(tree.top)]:
        if element["S"] == "/TH":
            name, row = element.get("ID"), tree.kids(tree.at(element["P"]))
            heads_its_row = name is not None and any(
                one.data == name.data
                for cell in row
                if cell["S"] == "/TD"
                for one in cell["A"].get("Headers", ())
            )
            element["A"]["Scope"] = "/Row" if heads_its_row else "/Column"
        elif element["S"] == "/Figure":
            # WeasyPrint gives pixels from the top; PDF needs points from the lower edge.
            box, height = element["A"]["BBox"], float(tree.at(element["Pg"])["MediaBox"][3])
            left, top, right, bottom = (float(side) * 0.75 for side in box)
            box[:] = [round(v, 2) for v in (left, height - bottom, right, height - top)]
            link = tree.at(element["P"])  # the link around a picture gets that of the picture
            for kid in [*element["K"]] if link["S"] == "/Link" else ():
                if tree.at(kid).get("Type") == "/OBJR":
                    element["K"].remove(kid)
                    link["K"].append(kid)
                    numbers = tree.at(tree.root["ParentTree"])["Nums"]
                    place = 2 * int(tree.at(tree.at(kid)["Obj"])["StructParent"]) + 1
                    numbers[place] = link.reference
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

    def kids(self, element: Any) -> list[Any]:
        """Return the elements directly below one."""
        return [found for kid in element.get("K", ()) if "S" in (found := self.at(kid))]

    def below(self, element: Any) -> Iterator[Any]:
        """Yield all elements below one, in reading order."""
        for kid in self.kids(element):
            yield kid
            yield from self.below(kid)

    def fill_body(self, item: Any) -> None:
        """Put what is in a list item into its body: WeasyPrint does so for plain text alone."""
        kids = self.kids(item)
        if all(kid["S"] in ("/Lbl", "/LBody") for kid in kids):
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
    with contextlib.ExitStack() as corrected:
        with contextlib.suppress(ImportError, AttributeError):  # another version of the engine
            corrected.enter_context(corrected_engine())
        laid = layout.lay_out(html, {"drawing": svg}, variant=None, complaints=warnings)
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
        pool.put_stream(entries % (pdf_numbers(wide, high), matrix, resources), content, refs)
        return pack_shared(pool, {})


def _check_drawing(pikepdf: Any, pdf: Any, extent: float) -> None:
    """Raise `ValueError` if viewers cannot draw a file in bounded time; `extent`: of its page."""
    streams = [one for one in pdf.objects if isinstance(one, pikepdf.Stream)]
    tiles = [one for one in streams if "/PatternType" in one]
    for tile in tiles:
        a, b, c, d, *_ = map(float, tile.get("/Matrix", (1, 0, 0, 1, 0, 0)))
        if abs((a * d - b * c) * float(tile.XStep) * float(tile.YStep)) * _MOST_REPEATS < extent:
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


@contextlib.contextmanager
def corrected_engine() -> Iterator[None]:
    """Change WeasyPrint's class of drawings for a block; plates are laid out without the changes.

    The engine draws masks only on shapes that have a width and a height, and gives strokes with
    gradients no width. Stops of gradients take the numbers of any colour space for RGB, and the
    colours of an archive have to be defined: all colours become sRGB.
    """
    layout.load_engine()
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

    parse = defs.color

    def color(text: str | None) -> Any:
        found = parse(_ICC.sub("", text or ""))
        return _to_srgb(found if hasattr(found, "space") else parse("black"))  # `currentColor`

    SVG.draw_node, SVG.set_graphical_state = draw_node, set_graphical_state
    weasyprint.svg.color = defs.color = color
    try:
        yield
    finally:
        SVG.draw_node, SVG.set_graphical_state = draw, set_state
        weasyprint.svg.color = defs.color = parse


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
