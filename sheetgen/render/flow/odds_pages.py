"""Render pages of odds as PDF or as HTML: grids of chances, each with a chart of curves."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, Final

from sheetgen.model.requests import PageFormat
from sheetgen.model.rulesets.prints import MOST_ROWS, ComputedGrid
from sheetgen.plan.pages.odds_chart import LONGEST, names_in_rings, plan_chart, plan_grid_cells
from sheetgen.plan.pages.screen_blocks import NAME, PLAIN, TextMeasure
from sheetgen.render.flow.layout import PAGE_EDGE, Crowded, check_room
from sheetgen.render.flow.odds_svg import NAME as RING
from sheetgen.render.flow.odds_svg import draw_odds_curves
from sheetgen.render.flow.rendering import (
    FlowTemplate,
    PageStyle,
    lay_out_flow,
    render_flow,
    render_flow_markup,
)
from sheetgen.render.flow.table_pages import own_styles
from sheetgen.units import MM, PAPER_SIZES

FOLDER: Final = "_odds"
TEMPLATE: Final = FlowTemplate(
    "_odds/odds.html.j2",
    paper=("_odds/odds.css", "_odds/paper.css"),
    screen=("_odds/odds.css", "_shared/scroll.css", "_odds/screen.css"),
)
_TEXT: Final = (192.0, 100.0)  # width and height of a page's text, in millimetres on A5
_CHART: Final = (80.0, 78.0)  # width and height of a chart's frame, in millimetres on A5
_POINT: Final = 25.4 / 72
# Height of a row beside curves, of one without, and of all rows together, in millimetres on A5.
_ROW: Final = 10.4
_ROW_ALONE: Final = 16.0
_ROWS: Final = 74.0

_FOLIO: Final = re.compile(r"\d+ / \d+")
# Letters of a line of the credit; shorter words may be part of it by chance.
_LEAST_CREDIT: Final = 6
_NUMBER_FIRST: Final = re.compile(r"(\d+)([^\W\d_]+)")


def render_odds(
    kind: PageFormat, grids: Sequence[ComputedGrid], style: PageStyle, context: Mapping[str, Any]
) -> bytes:
    """Return pages of odds as a file, a page for each grid."""
    css = own_styles(style.tokens) + _heights()
    if kind == "pdf":
        high, wide = PAPER_SIZES[str(context["paper"])]
        _, usual = PAPER_SIZES["a5"]  # The styles are written for this paper.
        css += f"@page odds {{ size: {wide:g}mm {high:g}mm; margin: 0 }}\n"
        css += f":root {{ --k: {wide / usual:.4f}; --high: {high:g}mm; --across: {wide:g}mm }}\n"
    style = replace(style, css=css)
    if kind != "pdf":
        drawn = _drawn(grids, style)
        return render_flow(kind, TEMPLATE, style, {**context, "grids": drawn})
    try:
        return _lay_out(grids, style, context)
    except Crowded:
        parts = [part for grid in grids for part in _parts_with_room(grid, style, context)]
        return _lay_out(parts, style, context, roomy=False)


def _lay_out(
    grids: Sequence[ComputedGrid],
    style: PageStyle,
    context: Mapping[str, Any],
    *,
    roomy: bool = True,
) -> bytes:
    """Return a page for each grid; raise `Crowded` if one reaches into its foot."""
    html = render_flow_markup(TEMPLATE, style, {**context, "grids": _drawn(grids, style)})
    credit = str(context["credit"])

    def is_foot(words: str) -> bool:
        of_credit = len(words) > _LEAST_CREDIT and words in credit
        return of_credit or words == PAGE_EDGE or _FOLIO.fullmatch(words) is not None

    def check(document: Any) -> None:
        try:
            check_room(document)
        except Crowded as error:
            pairs = [pair for pair in error.pairs if any(map(is_foot, pair))]
            if pairs:
                raise Crowded(pairs) from None

    return lay_out_flow(html, style, str(context["title"]), inspect=check if roomy else None)


def _parts_with_room(
    grid: ComputedGrid, style: PageStyle, context: Mapping[str, Any]
) -> list[ComputedGrid]:
    """Return a grid in as few parts as have room; a long text has pages of its own behind it."""
    size, label = style.tokens.length("size-said"), f"{grid.label}, continued"
    apart = ["", *_text_pages(grid.text, size, style.measure())]
    parts = [grid]
    for texts, count in product(([grid.text], apart), range(1, len(grid.rows) + 1)):
        high = -(-len(grid.rows) // count)
        parts = []
        for at in range(0, len(grid.rows), high):
            cut = slice(at, at + high)
            rows, cells, curves = grid.rows[cut], grid.cells[cut], grid.curves[cut]
            text = texts[0] if at + high >= len(grid.rows) else ""
            part = replace(grid, label=label if at else grid.label, text=text, rows=rows)
            parts.append(replace(part, cells=cells, curves=curves))
        bare = replace(grid, label=label, rows=(), cells=(), curves=())
        parts += [replace(bare, text=text) for text in texts[1:]]
        with contextlib.suppress(Crowded):
            _lay_out(parts, style, context)
            break
    return parts


def _text_pages(text: str, size: float, measure: TextMeasure) -> Iterator[str]:
    """Yield as much of a text as has room on a page of A5 without a grid."""
    most = int(_TEXT[1] * MM / (1.35 * size))
    page = ""
    for word in text.split():
        longer = f"{page} {word}" if page else word
        if page and measure.count_lines(longer, size, _TEXT[0] * MM) > most:
            yield page
            longer = word
        page = longer
    if page:
        yield page


def _drawn(grids: Sequence[ComputedGrid], style: PageStyle) -> list[dict[str, Any]]:
    tokens, measure = style.tokens, style.measure()
    least = tokens.length("odds-least") * _POINT
    room = _TEXT[0] * MM

    def title(label: str, about: str) -> dict[str, Any]:
        """Return the sizes of a name and of the remark beside it, and if the name is broken."""
        size, small = tokens.length("size-page"), tokens.length("size-said")
        told = measure.shrunk(about, PLAIN, small, 0.55 * room)
        beside = room - min(measure.face_width(about, PLAIN, told), 0.55 * room) - 14 * MM
        named = measure.shrunk(label, NAME, size, beside)
        folded = measure.face_width(label, NAME, named) > beside + 1
        return {"named": named, "told": told, "beside": beside / MM, "folded": folded}

    return [
        {
            "label": grid.label,
            "about": grid.about,
            **title(grid.label, grid.about),
            "text": grid.text,
            "columns": grid.columns,
            "rows": [*zip(_codes(grid.rows), plan_grid_cells(grid), strict=True)]
            if grid.rows
            else [],
            "long": _long(grid.rows),
            "numbered": grid.curves and names_in_rings(grid.rows) != grid.rows,
            "wordy": max(map(len, grid.rows), default=0) > LONGEST,
            "drawing": _curves(grid, tokens.colours, least) if grid.curves else "",
            "number": number,
            "count": len(grids),
        }
        for number, grid in enumerate(grids, 1)
    ]


def _curves(grid: ComputedGrid, colours: Mapping[str, str], least: float) -> str:
    chart = plan_chart(grid, *_CHART, max(RING, least))  # a ring is as high as two of its letters
    says = f"Curves of {grid.label}: the figures are those of the table beside them"
    return draw_odds_curves(chart, says, colours, least)


def _heights() -> str:
    """Return a class for each number of rows, which says how high one is; see `MOST_ROWS`."""
    lines = (
        f"{place}.rows-{n} {{ --cell: {min(most, _ROWS / n):.2f}mm }}"
        for place, most in (("", _ROW), (".alone ", _ROW_ALONE))
        for n in range(1, MOST_ROWS + 1)
    )
    return "\n".join(lines) + "\n"


def _long(rows: Sequence[str]) -> bool:
    """Whether rows are named by words, which are set smaller than codes."""
    return max(map(len, rows), default=0) > 3


def _codes(rows: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return each row as numbers and what stands right behind them: `4D` is 4 and a small D."""
    found = [None if _long(rows) else _NUMBER_FIRST.fullmatch(row) for row in rows]
    return [
        [(match[1], match[2])] if match else [(row, "")]
        for row, match in zip(rows, found, strict=True)
    ]
