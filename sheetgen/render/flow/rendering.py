"""Pages that flow: one template is rendered as a PDF, by WeasyPrint, and as an HTML file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final

from sheetgen.model.designs.tokens import CHARSET
from sheetgen.model.prints import Shape, Tokens
from sheetgen.model.requests import PageFormat
from sheetgen.plan.fit import find_missing_letters, is_unseen, spell_out
from sheetgen.plan.pages.screen_blocks import TextMeasure
from sheetgen.plan.pages.signs import SignPairs, spell_signs, spell_silence
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import SIGN_FACE, build_sign_font, measure_fonts, read_font_metrics
from sheetgen.render.html.styles import draw_step, svg_layer
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
    css: str = ""  # styles that were computed for these pages
    # Files for `asset:NAME` addresses besides the fonts, by name
    assets: Mapping[str, bytes] = field(default_factory=dict)
    # Pictures by name, as `build_page_pictures` returns them; `assets` has their files
    pictures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    signs: SignPairs = ()  # words and shapes of the signs in texts

    def measure(self) -> TextMeasure:
        """Return what measures texts in these fonts."""
        return measure_fonts(self.fonts.__getitem__)


def add_signs(style: PageStyle, signs: SignPairs, shapes: Mapping[str, Shape]) -> PageStyle:
    """Return a style whose texts may have signs: words, and the names of `shapes`."""
    words = ((word, shapes[name].path) for word, name in signs)
    silent = ((spell_silence(at), shapes[name].path) for at, (_, name) in enumerate(signs))
    fonts = {**style.fonts, SIGN_FACE: build_sign_font((*words, *silent))}
    tokens = replace(style.tokens, faces={**style.tokens.faces, SIGN_FACE: SIGN_FACE})
    return replace(style, fonts=fonts, tokens=tokens, signs=signs)


def own_styles(tokens: Tokens) -> str:
    """Return the step of a page's title line, and a class for each width of a column."""
    line = tokens.css["w-head"].removesuffix("pt")
    step = svg_layer(draw_step(tokens, line, 9.9, 9.95, 0.45))
    widths = "\n".join(
        f".w-{n} {{ width: calc({n}mm * var(--wide)) }}" for n in range(2, WIDEST + 1, 2)
    )
    return f":root {{ --step: {step} }}\n{widths}\n"


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
        parts = template.template, styles, style.tokens, style.fonts, context
        page = render_page(texts, *parts)
        return spell_signs(page.decode(), style.signs).encode() if style.signs else page
    html = render_flow_markup(template, style, context)
    return lay_out_flow(html, style, str(context["title"]))


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
    from sheetgen.render.flow.drawings import correct_engine
    from sheetgen.render.flow.layout import lay_out

    if any(ord(c) not in CHARSET for c in set(html) if not (c.isascii() or is_unseen(c))):
        faces = map(read_font_metrics, style.fonts.values())
        known = {point for face in faces for point in face.advances}
        if complaints is not None:  # the engine does not see what is spelled out
            lost = find_missing_letters(html, known)
            complaints += (f".notdef glyph instead of {letter}" for letter in lost)
        html = spell_out(html, known)
    name = hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:32].encode()
    correct_engine()
    return lay_out(
        html,
        {**style.fonts, **style.assets},
        identifier=name,
        complaints=complaints,
        finish=fix_structure_tree,
        inspect=inspect,
    )


# Elements that a table or a list must keep even if they are empty.
_EMPTY_TOO: Final = ("/Table", "/TR", "/TH", "/TD", "/L", "/LI", "/Lbl", "/LBody")
_IN_ITEM: Final = ("/Lbl", "/LBody")
_REFERENCE: Final = re.compile(rb"(\d+) 0 R")


def fix_structure_tree(pdf: Any) -> None:
    """Fix WeasyPrint's structure tree for PDF/UA (ISO 32000-1, 14.7; ISO 14289-1).

    Set the scope of table headers, and put what is in list items and links where it belongs. Empty
    elements and those of page margins are removed. A plate has a tree of its own; see
    `plate_compiler`.

    Args:
        pdf: WeasyPrint's file, a `pydyf.PDF`.
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
