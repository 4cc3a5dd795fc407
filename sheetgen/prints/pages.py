"""What prints that flow over pages share: their design, and rendering one in each format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sheetgen import __version__
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.designs.designs import TABLES, load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.own_themes import find_theme
from sheetgen.load.pictures.brand import find_brand
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.context import PrintResult
from sheetgen.render.flow.cover_pages import LOGO
from sheetgen.render.flow.layout import LayoutError
from sheetgen.render.flow.rendering import PageStyle
from sheetgen.render.pictures.prepare import prepare_picture


def load_page_style(
    request: PrintRequest, rules: Ruleset, *folders: str, paper: str = ""
) -> Checked[PageStyle]:
    """Return the design of pages in the theme of a request, with the face of `rules`.

    Args:
        folders: More folders of templates.
    """
    design = load_page_design(request.theme, paper or request.paper, *folders, rules=rules)
    if design.value is None:
        return Checked(None, design.findings)
    texts, tokens, faces = design.value
    fonts = {face: font_bytes(name) for face, name in faces.items()}
    return Checked(PageStyle(texts, tokens, fonts))


def load_page_logo(
    request: PrintRequest, rules: Ruleset
) -> tuple[PreparedPicture | None, tuple[Finding, ...]]:
    """Return the logo of pages, if they have one, and findings about it."""
    found = find_brand(request, ("logo",), far=(rules,))
    logo = (found.value or {}).get("logo")
    if logo is None:
        return None, found.findings
    made = prepare_picture(logo, LOGO)
    return made.value, (*found.findings, *made.findings)


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
    request: PrintRequest, render: Callable[..., bytes], *parts: Any, folder: str = TABLES
) -> PrintResult:
    """Return pages as PDF and HTML, as far as the request has these formats.

    Args:
        render: Called with the format and all of `parts`.
        folder: Of the templates, for findings.
    """
    try:
        formats = [format_ for format_ in request.formats if format_ in ("pdf", "html")]
        return PrintResult({format_: render(format_, *parts) for format_ in formats})
    except LayoutError as error:
        span = Span(f"templates/{folder}")
        return PrintResult(findings=(Finding(codes.BAD_TEMPLATE, span, str(error)),))
