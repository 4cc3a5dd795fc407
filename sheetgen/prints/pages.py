"""What prints that flow over pages share: their design, and rendering one in each format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from sheetgen import __version__
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding, Span
from sheetgen.load.designs.designs import TABLES, load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.themes import find_theme, list_signs, load_sign_shapes
from sheetgen.load.pictures.reader import find_brand
from sheetgen.materials.pictures import build_page_pictures, build_picture_file, prepare_picture
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.requests import PageFormat, PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.context import PrintResult
from sheetgen.render.flow.layout import LayoutError
from sheetgen.render.flow.rendering import LOGO, LOGO_SIZE, PageStyle, add_signs


def load_page_style(
    request: PrintRequest, rules: Ruleset, *folders: str, paper: str = ""
) -> Checked[PageStyle]:
    """Return the design of pages in the theme of a request, with the face and logo of `rules`.

    Args:
        folders: More folders of templates.
    """
    design = load_page_design(request.theme, paper or request.paper, *folders, rules=rules)
    if design.value is None:
        return Checked(None, design.findings)
    texts, tokens, faces = design.value
    fonts = {face: font_bytes(name) for face, name in faces.items()}
    style = PageStyle(texts, tokens, fonts)
    try:
        shapes = load_sign_shapes(find_theme(request.theme), rules)
    except DesignError as error:
        return Checked(None, error.findings)
    if shapes:
        style = add_signs(style, list_signs(rules), shapes)
    found = find_brand(request, (LOGO,), far=(rules,))
    logo = (found.value or {}).get(LOGO)
    if logo is None:
        return Checked(style, found.findings)
    made = prepare_picture(logo, LOGO_SIZE)
    if made.value is not None:
        style = add_pictures(style, {LOGO: made.value})
    return Checked(style, (*found.findings, *made.findings))


def add_pictures(style: PageStyle, pictures: Mapping[str, PreparedPicture]) -> PageStyle:
    """Return a style whose template can show pictures by their names."""
    files = {name: build_picture_file(picture)[1] for name, picture in pictures.items()}
    return replace(
        style,
        assets={**style.assets, **files},
        pictures={**style.pictures, **build_page_pictures(pictures)},
    )


def page_context(rules: Ruleset, title: str, request: PrintRequest) -> dict[str, Any]:
    """Return the context that templates of all pages have: title, language, style and credit."""
    return {
        "title": title,
        "lang": rules.lang,
        "paper": request.paper,
        "theme": find_theme(request.theme).base,
        "credit": rules.credit.short,
        "version": __version__,
    }


def render_pages(
    request: PrintRequest, render: Callable[[PageFormat], bytes], folder: str = TABLES
) -> PrintResult:
    """Return pages as PDF and HTML, as far as the request has these formats.

    Args:
        folder: Of the templates, for findings.
    """
    try:
        return PrintResult({format_: render(format_) for format_ in request.page_formats})
    except LayoutError as error:
        span = Span(f"templates/{folder}")
        return PrintResult(findings=(Finding(codes.BAD_TEMPLATE, span, str(error)),))
