"""Pages that flow: one template is rendered as a PDF, by WeasyPrint, and as an HTML file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
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
from sheetgen.units import MM

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
    from sheetgen.render.html.markup import build_plate_styles, render_template

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
    from sheetgen.render.flow.corrections import correct_engine, fix_structure_tree
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
