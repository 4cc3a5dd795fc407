"""Render pages of odds as PDF or as HTML: grids of chances, each with a chart of curves."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import product
from typing import Any, Final

from sheetgen.model.computed import MOST_ROWS, ComputedGrid
from sheetgen.model.requests import PageFormat
from sheetgen.plan.pages.odds_chart import (
    LONGEST,
    Chart,
    names_in_rings,
    plan_chart,
    plan_grid_cells,
)
from sheetgen.plan.pages.screen_blocks import NAME, PLAIN
from sheetgen.render.flow.layout import PAGE_EDGE, Crowded, check_room
from sheetgen.render.flow.rendering import (
    FlowTemplate,
    PageStyle,
    lay_out_flow,
    own_styles,
    render_flow,
    render_flow_markup,
)
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

# Margins for labels around the frame of a chart, in millimetres.
LEFT, RIGHT, TOP, BOTTOM = 9.4, 3.0, 2.4, 8.0
RING: Final = 2.7  # type size of the names in rings, in millimetres
# Of the labels below the frame, and left of it.
_FOOT, _LEVEL = 3.7, 3.1
_SHORT: Final = 2  # letters of a label that may be centred at the edge of the picture

_FOLIO: Final = re.compile(r"\d+ / \d+")
# Letters of a line of the credit; shorter words may be part of it by chance.
_LEAST_CREDIT: Final = 6
_NUMBER_FIRST: Final = re.compile(r"(\d+)([^\W\d_]+)")


def render_odds(
    kind: PageFormat, grids: Sequence[ComputedGrid], style: PageStyle, context: Mapping[str, Any]
) -> bytes:
    """Return pages of odds as a file, a page for each grid."""
    # A class for each number of rows, which says how high one is; see `MOST_ROWS`.
    heights = (
        f"{place}.rows-{n} {{ --cell: {min(most, _ROWS / n):.2f}mm }}\n"
        for place, most in (("", _ROW), (".alone ", _ROW_ALONE))
        for n in range(1, MOST_ROWS + 1)
    )
    css = own_styles(style.tokens) + "".join(heights)
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
    size, measure = style.tokens.length("size-said"), style.measure()
    label = f"{grid.label}, continued"
    # As much of the text as has room on a page of A5 without a grid, page by page.
    most, apart = int(_TEXT[1] * MM / (1.35 * size)), [""]
    for word in grid.text.split():
        longer = f"{apart[-1]} {word}" if apart[1:] else word
        if apart[1:] and measure.count_lines(longer, size, _TEXT[0] * MM) <= most:
            apart[-1] = longer
        else:
            apart.append(word)
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


def _drawn(grids: Sequence[ComputedGrid], style: PageStyle) -> list[dict[str, Any]]:
    tokens, measure = style.tokens, style.measure()
    least = tokens.length("odds-least") * _POINT
    size, small, room = tokens.length("size-page"), tokens.length("size-said"), _TEXT[0] * MM
    drawn = []
    for number, grid in enumerate(grids, 1):
        # The sizes of the name and of the remark beside it, and whether the name is broken.
        told = measure.shrunk(grid.about, PLAIN, small, 0.55 * room)
        beside = room - min(measure.face_width(grid.about, PLAIN, told), 0.55 * room) - 14 * MM
        named = measure.shrunk(grid.label, NAME, size, beside)
        # Rows that are named by words, which are set smaller than codes; a code is a number and
        # what stands right behind it: `4D` is 4 and a small D.
        longest = max(map(len, grid.rows), default=0)
        found = [None if longest > 3 else _NUMBER_FIRST.fullmatch(row) for row in grid.rows]
        codes = [
            [(match[1], match[2])] if match else [(row, "")]
            for row, match in zip(grid.rows, found, strict=True)
        ]
        drawing = ""
        if grid.curves:
            chart = plan_chart(grid, *_CHART, max(RING, least))  # a ring: two letters high
            says = f"Curves of {grid.label}: the figures are those of the table beside them"
            drawing = draw_odds_curves(chart, says, tokens.colours, least)
        drawn.append(
            {
                "label": grid.label,
                "about": grid.about,
                "named": named,
                "told": told,
                "beside": beside / MM,
                "folded": measure.face_width(grid.label, NAME, named) > beside + 1,
                "text": grid.text,
                "columns": grid.columns,
                "rows": [*zip(codes, plan_grid_cells(grid), strict=True)] if grid.rows else [],
                "long": longest > 3,
                "numbered": grid.curves and names_in_rings(grid.rows) != grid.rows,
                "wordy": longest > LONGEST,
                "drawing": drawing,
                "number": number,
                "count": len(grids),
            }
        )
    return drawn


def draw_odds_curves(chart: Chart, alt: str, colours: Mapping[str, str], least: float = 0) -> str:
    """Return the chart as SVG, with a view box in millimetres.

    Args:
        alt: The text for screen readers.
        colours: Of the theme's tokens: `ink`, `accent`, `paper`.
        least: The smallest type size, in millimetres.
    """
    wide, high = chart.width + LEFT + RIGHT, chart.height + TOP + BOTTOM
    foot, side, ring = max(_FOOT, least), max(_LEVEL, least), max(RING, least)
    thin = f'stroke="{colours["ink"]}" stroke-width="0.18" fill="none"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-LEFT:g} {-TOP:g} {wide:g} {high:g}" '
        f'role="img" aria-label="{escape(alt)}" font-family="figure" fill="{colours["ink"]}">'
    )
    parts = [head, f"<title>{escape(alt)}</title>"]
    for place, (x, label) in enumerate(chart.across, 1):
        edge = {1: "start", len(chart.across): "end"}.get(place, "middle")
        anchor = edge if len(label) > _SHORT else "middle"  # A word must stay in the picture.
        parts.append(
            f'<path d="M{x:.2f} 0 V{chart.height:.2f}" {thin}/>'
            f'<text x="{x:.2f}" y="{chart.height + 0.9 + foot:.2f}" text-anchor="{anchor}" '
            f'font-size="{foot:.2f}" font-weight="700">{escape(label)}</text>'
        )
    for y, level in chart.levels:
        strong = level == 50
        line = f'stroke="{colours["accent"]}" stroke-width="0.7"' if strong else thin
        parts.append(
            f'<path d="M0 {y:.2f} H{chart.width:.2f}" {line}/>'
            f'<text x="-1.4" y="{y + 0.36 * side:.2f}" text-anchor="end" '
            f'font-size="{side:.2f}" font-weight="{700 if strong else 500}">{level}</text>'
        )
    for points in chart.curves:
        if len(points) > 1:
            path = " L".join(f"{x:.2f} {y:.2f}" for x, y in points)
            parts.append(
                f'<path d="M{path}" fill="none" stroke="{colours["ink"]}" stroke-width="0.45" '
                'stroke-linejoin="round"/>'
            )
        else:
            parts += (f'<circle cx="{x:.2f}" cy="{y:.2f}" r="0.6"/>' for x, y in points)
    for name in chart.names:
        parts.append(
            f'<rect x="{name.x - name.wide:.2f}" y="{name.y - name.high:.2f}" '
            f'width="{2 * name.wide:.2f}" height="{2 * name.high:.2f}" rx="{name.high:g}" '
            f'fill="{colours["paper"]}" stroke="{colours["ink"]}" stroke-width="0.25"/>'
            f'<text x="{name.x:.2f}" y="{name.y + 0.36 * ring:.2f}" text-anchor="middle" '
            f'font-size="{ring:.2f}" font-weight="700">{escape(name.text)}</text>'
        )
    return "".join((*parts, "</svg>"))
