"""What prints that flow over pages share: their design, and rendering one in each format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from sheetgen import __version__
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.designs.designs import TABLES, load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.model.prints import Tokens
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.context import PrintResult
from sheetgen.render.flow.pages import LayoutError


class FlowDesign(NamedTuple):
    """Templates and style sheets by name, design tokens, and font files by face."""

    texts: Mapping[str, str]
    tokens: Tokens
    fonts: Mapping[str, bytes]


def load_flow_design(request: PrintRequest, *folders: str, paper: str = "") -> Checked[FlowDesign]:
    """Return the design of pages in the theme of a request, with templates of more `folders`."""
    look = load_page_design(request.theme, paper or request.paper, *folders)
    if look.value is None:
        return Checked(None, look.findings)
    texts, tokens, faces = look.value
    fonts = {face: font_bytes(name) for face, name in faces.items()}
    return Checked(FlowDesign(texts, tokens, fonts))


def page_context(rules: Ruleset, title: str, request: PrintRequest) -> dict[str, Any]:
    """Return the context that templates of all pages have: title, language, look and credit."""
    return {
        "title": title,
        "lang": rules.lang,
        "paper": request.paper,
        "theme": request.theme,
        "credit": rules.credit.short,
        "version": __version__,
    }


def render_pages(
    request: PrintRequest,
    renderers: Mapping[str, Callable[..., bytes]],
    *parts: Any,
    folder: str = TABLES,
) -> PrintResult:
    """Return pages in every format of a request that has a renderer.

    Args:
        renderers: By format; each is called with all of `parts`.
        folder: Of the templates, for findings.
    """
    try:
        wanted = (format_ for format_ in request.formats if format_ in renderers)
        return PrintResult({format_: renderers[format_](*parts) for format_ in wanted})
    except LayoutError as error:
        span = Span(f"templates/{folder}")
        return PrintResult(findings=(Finding(codes.BAD_TEMPLATE, span, str(error)),))
