"""Render pages of odds as PDF or as HTML: grids of chances, each with a chart of curves."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sheetgen.model.computed import MOST_ROWS, ComputedGrid
from sheetgen.model.prints import Tokens
from sheetgen.model.requests import PageFormat
from sheetgen.plan.pages.odds_chart import LONGEST, names_in_rings, plan_chart, plan_grid_cells
from sheetgen.render.flow.layout import PAGE_EDGE, Crowded, check_room
from sheetgen.render.flow.odds_svg import NAME, draw_odds_curves
from sheetgen.render.flow.rendering import (
    FlowTemplate,
    PageStyle,
    lay_out_flow,
    render_flow,
    render_flow_markup,
)
from sheetgen.render.flow.table_pages import own_styles
from sheetgen.units import PAPER_SIZES

FOLDER: Final = "_odds"
TEMPLATE: Final = FlowTemplate(
    "_odds/odds.html.j2",
    paper=("_odds/odds.css", "_odds/paper.css"),
    screen=("_odds/odds.css", "_shared/scroll.css", "_odds/screen.css"),
)
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
        drawn = _drawn(grids, style.tokens)
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
    html = render_flow_markup(TEMPLATE, style, {**context, "grids": _drawn(grids, style.tokens)})
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
    """Return a grid in as few parts as have room on a page each."""
    parts = [grid]
    for count in range(1, len(grid.rows) + 1):
        high = -(-len(grid.rows) // count)
        parts = []
        for at in range(0, len(grid.rows), high):
            cut = slice(at, at + high)
            rows, cells, curves = grid.rows[cut], grid.cells[cut], grid.curves[cut]
            label = f"{grid.label}, continued" if at else grid.label
            text = grid.text if at + high >= len(grid.rows) else ""
            part = replace(grid, label=label, text=text, rows=rows, cells=cells, curves=curves)
            parts.append(part)
        with contextlib.suppress(Crowded):
            _lay_out(parts, style, context)
            break
    return parts


def _drawn(grids: Sequence[ComputedGrid], tokens: Tokens) -> list[dict[str, Any]]:
    least = tokens.length("odds-least") * _POINT
    return [
        {
            "label": grid.label,
            "about": grid.about,
            "text": grid.text,
            "columns": grid.columns,
            "rows": [*zip(_codes(grid.rows), plan_grid_cells(grid), strict=True)],
            "long": _long(grid.rows),
            "numbered": grid.curves and names_in_rings(grid.rows) != grid.rows,
            "wordy": max(map(len, grid.rows)) > LONGEST,
            "drawing": _curves(grid, tokens.colours, least) if grid.curves else "",
            "number": number,
            "count": len(grids),
        }
        for number, grid in enumerate(grids, 1)
    ]


def _curves(grid: ComputedGrid, colours: Mapping[str, str], least: float) -> str:
    chart = plan_chart(grid, *_CHART, max(NAME, least))  # a ring is as high as two of its letters
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
    return max(map(len, rows)) > 3


def _codes(rows: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return each row as numbers and what stands right behind them: `4D` is 4 and a small D."""
    found = [None if _long(rows) else _NUMBER_FIRST.fullmatch(row) for row in rows]
    return [
        [(match[1], match[2])] if match else [(row, "")]
        for row, match in zip(rows, found, strict=True)
    ]
