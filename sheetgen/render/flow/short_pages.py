"""Render short sheets as PDF or as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sheetgen.model.requests import PageFormat
from sheetgen.render.flow.rendering import FlowTemplate, PageStyle, render_flow
from sheetgen.render.flow.table_pages import own_styles
from sheetgen.units import PAPER_SIZES

TEMPLATE: Final = FlowTemplate(
    "_short/short.html.j2",
    paper=("_short/short.css", "_short/paper.css"),
    screen=("_short/short.css", "_short/screen.css"),
)
_MARGIN: Final = 10
_ABREAST: Final = 180
"""Millimetres of paper that two blocks abreast need."""


def render_short_sheets(
    kind: PageFormat,
    sheets: Sequence[Mapping[str, Any]],
    style: PageStyle,
    context: Mapping[str, Any],
) -> bytes:
    """Return short sheets as a file: blocks as high as what they hold, several on a page."""
    css = own_styles(style.tokens)
    if kind == "pdf":
        wide, high = PAPER_SIZES[str(context["paper"])]
        abreast = 2 if wide > _ABREAST and context["theme"] != "large-print" else 1
        foot = "@bottom-left { content: element(credit); width: 100%; vertical-align: top }"
        margins = f"{_MARGIN}mm {_MARGIN}mm {_MARGIN + 4}mm"
        css += f"@page {{ size: {wide:g}mm {high:g}mm; margin: {margins}; {foot} }}\n"
        css += f":root {{ --abreast: {abreast} }}\n"
    return render_flow(kind, TEMPLATE, replace(style, css=css), {**context, "sheets": sheets})
