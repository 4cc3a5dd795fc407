"""Render pages of tables, of odds, and short sheets, as PDF or as HTML.

Tables are also rendered as text: Markdown with aligned pipes, CSV, and data for JSON.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from itertools import product
from typing import Any, Final

from sheetgen.diag.visible import visible_json
from sheetgen.model.prints import Tokens
from sheetgen.model.requests import PageFormat
from sheetgen.model.rulesets.prints import MOST_ROWS, ComputedGrid, ComputedTable
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plan import tableflow
from sheetgen.plan.pages.screen_blocks import (
    LONGEST,
    NAME,
    PLAIN,
    Chart,
    names_in_rings,
    plan_chart,
    plan_grid_cells,
)
from sheetgen.plan.pages.tables import RowView, TablePage, TableView
from sheetgen.render.flow.layout import PAGE_EDGE, Crowded, check_room
from sheetgen.render.flow.rendering import (
    LOGO,
    LOGO_SIZE,
    FlowTemplate,
    PageStyle,
    lay_out_flow,
    own_styles,
    render_flow,
    render_flow_markup,
)
from sheetgen.units import MM, PAPER_SIZES

TEMPLATE: Final = FlowTemplate(
    "_tables/tables.html.j2",
    paper=("_tables/tables.css", "_tables/paper.css"),
    screen=("_tables/tables.css", "_shared/scroll.css", "_tables/screen.css"),
)
_MARGIN: Final = 14
_FOOT: Final = 15.0  # height of the lower margin in millimetres, where the credit is short
_ABOVE, _BELOW = 4.0, 7.6  # millimetres above and below the credit
# Shares of a line that the credit, and with it a logo, may take; the page number has the rest.
_CREDIT, _WITH_LOGO = 0.85, 0.93
# Millimetres before a logo, and what it adds to the height of the lower margin.
_BESIDE, _HIGHER = 4.0, 3.4
_LEADING: Final = 1.35  # of the credit; `tables.css` has the same
_GUTTER: Final = 10  # millimetres between two columns
_TOP: Final = 12  # height of the upper margin in millimetres
_SAFE: Final = 3.0  # points at the foot of a page that stay free
# Height of a title line in points, and of one whose remark has a line of its own.
_TITLE, _TIGHT_TITLE = 47.0, 56.0
# Millimetres between the name of a page and the remark about it, with the step of the line.
_CLEAR: Final = 18
_CURVES: Final = (76.0, 52.0)  # width and height of the frame of curves, in millimetres


def render_tables(
    kind: PageFormat,
    pages: Sequence[TablePage],
    style: PageStyle,
    context: Mapping[str, Any],
    split: list[tableflow.SplitTable] | None = None,
) -> bytes:
    """Return pages of tables as a file; in a PDF no row is cut, and heads repeat.

    `split` gets the tables of a PDF that are wider than the paper; `context`: see `render_flow`.
    """
    drawn, css = drawn_pages(pages, style.tokens), own_styles(style.tokens)
    leaves: list[tableflow.FlowLeaf] = []
    if kind == "pdf":
        leaves = _flow(drawn, style, context, split if split is not None else [])
        css += page_styles(style, context)
    context = {**context, "pages": drawn, "leaves": leaves}
    return render_flow(kind, TEMPLATE, replace(style, css=css), context)


def _flow(
    pages: Sequence[TablePage],
    style: PageStyle,
    context: Mapping[str, Any],
    split: list[tableflow.SplitTable],
) -> list[tableflow.FlowLeaf]:
    """Return the pages of a PDF with every table at its place.

    Portrait pages follow each other; landscape pages are before them if the first page is one.
    `split` gets the tables that have to be split.
    """
    tokens, measure = style.tokens, style.measure()
    names = {"head": "size-head", "about": "size-about", "words": "size-words"}
    names |= {"body": "size-body", "figure": "size-figure", "unit": "size-unit"}
    names |= {"note": "size-note", "lead": "lead", "row": "row-close", "pad": "pad"}
    names |= {"field": "unit-field", "gap": "gap", "hair": "w-hair", "rule": "w-head"}
    sizes = tableflow.FlowSizes(**{name: tokens.length(token) for name, token in names.items()})
    legend = sizes.note_lead if any(page.origins for page in pages) else 0.0
    short, long = PAPER_SIZES[str(context["paper"])]
    papers, large = {}, context["theme"] == "large-print"
    for wide, across, high in ((False, short, long), (True, long, short)):
        room = (high - _TOP - _foot(style, context, across)) * MM - _SAFE - legend
        papers[wide] = tableflow.FlowPaper((across - 2 * _MARGIN) * MM, room, _GUTTER * MM, wide)
    sections = []
    for page in pages:  # it is landscape if a table does not fit the width of portrait
        for wide in (False, True):
            paper, blocks = papers[wide], list[tableflow.FlowBlock]()
            for view in page.tables:
                picture = _VIEW_BOX.search(view.drawing)
                ratio = float(picture[2]) / float(picture[1]) if picture else 0.0
                full = tableflow.measure_table(view, paper.width, sizes, measure, ratio)
                half = tableflow.measure_table(view, paper.half, sizes, measure, ratio)
                # A chart has small letters, which grow with it.
                narrow = tableflow.is_half(half, full, sizes) and not (picture and large)
                blocks.append((half if narrow else None, full))
            if wide or not (page.wide or any(not full.fits for _, full in blocks)):
                break
        fitted: list[tableflow.FlowBlock] = []
        for block in blocks:  # a table that does not fit the width of landscape is split
            if block[1].fits:
                fitted.append(block)
                continue
            view = block[1].view
            parts = tableflow.fit_table(view, paper, sizes, measure, str(context["lang"]))
            fitted += [(None, part) for part in parts]
            if len(parts) > 1:
                counts = (sum(not head.label for head in part.view.heads) for part in parts)
                id_ = view.worked.id if view.worked else page.id
                split.append(tableflow.SplitTable(id_, view.label or page.label, tuple(counts)))
        room = paper.width - _CLEAR * MM
        size, small = tokens.length("size-page"), tokens.length("size-about")
        line = measure.face_width(page.label, NAME, size)
        tight = line + measure.face_width(page.about, PLAIN, small) > room
        above, again = _TIGHT_TITLE if tight else _TITLE, 1.9 * sizes.head
        named = measure.shrunk(page.label, NAME, size, room)
        told = measure.shrunk(page.about, PLAIN, small, paper.width)
        shown = page.label, page.about, tuple(fitted), above, again, wide, tight
        folded = measure.face_width(page.label, NAME, named) > room + 1
        sections.append(tableflow.FlowSection(*shown, named, told, folded))
    first = bool(sections) and sections[0].wide
    leaves: list[tableflow.FlowLeaf] = []
    for wide in (first, not first):
        some = [section for section in sections if section.wide is wide]
        leaves += tableflow.flow_tables(some, papers[wide], sizes, roomy=context["roomy"])
    return leaves


_VIEW_BOX: Final = re.compile(r'viewBox="\S+ \S+ (\S+) (\S+)"')


def drawn_pages(pages: Sequence[TablePage], tokens: Tokens) -> list[TablePage]:
    """Return `pages` with their charts drawn, without columns that have only dashes."""

    def drawn(view: TableView) -> TableView:
        if view.worked is not None and view.worked.table.chart:
            table, grid = view.worked.table, view.worked.grid
            lined = bool(table.lines) and not table.turned
            if grid is not None and (grid.curves or lined):
                says = f"Curves of {table.label}, by what is rolled against"
                drawing = draw_odds_curves(plan_chart(grid, *_CURVES, RING), says, tokens.colours)
                return replace(view, about="", drawing=drawing)
            if grid is None and lined:
                return replace(view, about="", drawing=_draw_chart(view.worked, tokens.colours))
        return tableflow.with_unbroken_counts(tableflow.without_empty_columns(view))

    return [
        replace(page, bands=tuple(tuple(map(drawn, band)) for band in page.bands)) for page in pages
    ]


def page_styles(style: PageStyle, context: Mapping[str, Any]) -> str:
    """Return the pages `tall` and `wide` of a paper, with the credit and numbers at their foot."""
    short, long = PAPER_SIZES[str(context["paper"])]
    share = _WITH_LOGO if LOGO in style.pictures else _CREDIT

    def page(wide: float, high: float) -> str:
        foot = _foot(style, context, wide)
        return (
            f"size: {wide}mm {high}mm; margin: {_TOP}mm {_MARGIN}mm {foot:.2f}mm; "
            f"@bottom-left {{ content: element(credit); vertical-align: top; "
            f"padding-top: {_ABOVE}mm; width: {share:.0%} }} "
            "@bottom-right { content: counter(page) ' / ' counter(pages); "
            "font: 400 var(--size-folio, var(--size-credit))/1.1 text; vertical-align: top; "
            f"padding-top: calc({_ABOVE}mm - .8 * (var(--size-folio) - var(--size-credit))) }}"
        )

    return f"@page tall {{ {page(short, long)} }}\n@page wide {{ {page(long, short)} }}\n"


def _foot(style: PageStyle, context: Mapping[str, Any], wide: float) -> float:
    """Return the lower margin of a page in millimetres: a long credit or a logo needs more."""
    share = _WITH_LOGO if LOGO in style.pictures else _CREDIT
    size, room = style.tokens.length("size-credit"), (wide - 2 * _MARGIN) * share * MM
    least = _FOOT
    if LOGO in style.pictures:
        room -= LOGO_SIZE[0] + _BESIDE * MM
        least += _HIGHER
    lines = len(style.measure().break_lines(str(context["credit"]), size, room))
    return max(least, _ABOVE + lines * size * _LEADING / MM + _BELOW)


# Width and height of a chart, its margins for ticks and for the names of lines, and the least
# distance between these names, in points.
_WIDTH, _HEIGHT = 366.0, 200.0
_LEFT, _RIGHT, _UPPER, _LOWER = 26.0, 72.0, 12.0, 22.0
_CLOSE: Final = 11.0


def _draw_chart(computed: ComputedTable, colours: Mapping[str, str]) -> str:
    """Return the lines of a computed table as SVG, each with its name at its end.

    The axis has ticks only at values that occur. A dashed line marks the tinted column.
    """
    table, rows, over = computed.table, computed.rows, computed.table.over
    most = Fraction(max((max(row.values) for row in rows), default=1) or 1)
    ink, spans = colours["ink"], max(1, over[-1] - over[0])

    def x_of(n: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (n - over[0]) / spans

    def y_of(value: int | Fraction) -> float:
        return _HEIGHT - _LOWER - (_HEIGHT - _UPPER - _LOWER) * float(Fraction(value) / most)

    ranges = (
        f"{row.labels[0]} from {row.cells[0]} at {over[0]} to {row.cells[-1]} at {over[-1]}"
        for row in rows
    )
    says = escape(f"{table.label}: " + "; ".join(ranges))
    left, foot, right = x_of(over[0]) - 6, y_of(0), x_of(over[-1])
    line = f'stroke="{ink}" stroke-width="0.5"'
    corner = f"M{left:.1f} {y_of(most):.1f} V{foot:.1f} H{right:.1f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" '
        f'role="img" aria-label="{says}" font-family="text" font-size="10" fill="{ink}">'
    )
    parts = [head, f'<title>{says}</title><path d="{corner}" fill="none" {line}/>']
    heights: list[float] = []
    ends = {0: "0"} | {row.values[-1]: row.cells[-1] for row in rows}
    for value, end in sorted(ends.items(), key=lambda pair: (pair[0] != 0, -pair[0])):
        at = y_of(value)
        if any(abs(at - other) < 9 for other in heights):
            continue
        heights.append(at)
        parts.append(f'<path d="M{left - 3:.1f} {at:.1f} H{left:.1f}" {line}/>')
        where = f'x="{left - 5:.1f}" y="{at + 3.2:.1f}"'
        parts.append(f'<text {where} text-anchor="end">{escape(end)}</text>')
    for n in over:
        x, weight = x_of(n), ' font-weight="700"' if n in table.tint else ""
        parts.append(f'<path d="M{x:.1f} {foot:.1f} V{foot + 3:.1f}" {line}/>')
        where = f'x="{x:.1f}" y="{foot + 13:.1f}"'
        parts.append(f'<text {where} text-anchor="middle"{weight}>{n}</text>')
    for place, n in enumerate(over):  # a dashed line up to the highest value of a tinted column
        if n not in table.tint:
            continue
        ranked = sorted(rows, key=lambda row: row.values[place], reverse=True)
        x, top = x_of(n), y_of(ranked[0].values[place])
        about = escape(table.about)
        parts.append(
            f'<path d="M{x:.1f} {top - 16:.1f} V{foot:.1f}" stroke="currentColor" '
            'stroke-width="0.5" stroke-dasharray="2 2" fill="none"/>'
            f'<text x="{x + 10:.1f}" y="{top - 20:.1f}" text-anchor="end">{about}</text>'
        )
        for side, row in zip((-5, 5), ranked, strict=False):
            anchor = "end" if side < 0 else "start"
            y = y_of(row.values[place]) + (-2 if side < 0 else 8.8)
            parts.append(
                f'<text x="{x + side:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
                f'font-weight="600">{escape(row.cells[place])}</text>'
            )
    names, above = [], []
    for row, drawn in sorted(zip(rows, table.lines, strict=True), key=lambda pair: pair[1].strong):
        colour = colours["accent" if drawn.strong else "ink"]
        width, size = (2.0, 2.4) if drawn.strong else (1.1, 1.4)
        points = [(x_of(n), y_of(value)) for n, value in zip(over, row.values, strict=True)]
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        parts += (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour}"/>' for x, y in points
        )
        names.append((points[-1][1], row.labels[0], colour))
    least = math.inf  # from the lowest name upwards, so that none is over the one below it
    for y, name, colour in sorted(names, reverse=True):
        least = min(y, least - _CLOSE)
        above.append(
            f'<text x="{right + 7:.1f}" y="{least + 3.4:.1f}" font-weight="600" font-size="10" '
            f'fill="{colour}">{escape(name)}</text>'
        )
    return "".join((*parts, *reversed(above), "</svg>"))


FOLDER: Final = "_odds"
ODDS: Final = FlowTemplate(
    "_odds/odds.html.j2",
    paper=("_odds/odds.css", "_odds/paper.css"),
    screen=("_odds/odds.css", "_shared/scroll.css", "_odds/screen.css"),
)
_TEXT: Final = (192.0, 100.0)  # width and height of a page's text, in millimetres on A5
_CHART: Final = (80.0, 78.0)  # width and height of a chart's frame, in millimetres on A5
_POINT: Final = 25.4 / 72
# Height of a row beside curves, of one without, and of all rows together, in millimetres on A5.
_ROW, _ROW_ALONE, _ROWS = 10.4, 16.0, 74.0

# Margins for labels around the frame of a chart, in millimetres.
LEFT, RIGHT, TOP, BOTTOM = 9.4, 3.0, 2.4, 8.0
RING: Final = 2.8  # type size of the names in rings, in millimetres
# Of the labels below the frame, and left of it.
_ACROSS_SIZE, _LEVEL_SIZE = 3.7, 3.1
_SHORT_LABEL: Final = 2  # letters of a label that may be centred at the edge of the picture

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
        return render_flow(kind, ODDS, style, {**context, "grids": _drawn_grids(grids, style)})
    try:
        return _lay_out_odds(grids, style, context)
    except Crowded:
        parts = [part for grid in grids for part in _parts_with_room(grid, style, context)]
        return _lay_out_odds(parts, style, context, roomy=False)


def _lay_out_odds(
    grids: Sequence[ComputedGrid],
    style: PageStyle,
    context: Mapping[str, Any],
    *,
    roomy: bool = True,
) -> bytes:
    """Return a page for each grid; raise `Crowded` if one reaches into its foot."""
    html = render_flow_markup(ODDS, style, {**context, "grids": _drawn_grids(grids, style)})
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
            _lay_out_odds(parts, style, context)
            break
    return parts


def _drawn_grids(grids: Sequence[ComputedGrid], style: PageStyle) -> list[dict[str, Any]]:
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
                "rows": [*zip(codes, plan_grid_cells(grid.cells), strict=True)],
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

    `alt` is the text for screen readers; `least`, the smallest type size in millimetres.
    """
    wide, high = chart.width + LEFT + RIGHT, chart.height + TOP + BOTTOM
    foot, side, ring = max(_ACROSS_SIZE, least), max(_LEVEL_SIZE, least), max(RING, least)
    thin = f'stroke="{colours["ink"]}" stroke-width="0.18" fill="none"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-LEFT:g} {-TOP:g} {wide:g} {high:g}" '
        f'role="img" aria-label="{escape(alt)}" font-family="figure" fill="{colours["ink"]}">'
    )
    parts = [head, f"<title>{escape(alt)}</title>"]
    for place, (x, label) in enumerate(chart.across, 1):
        edge = {1: "start", len(chart.across): "end"}.get(place, "middle")
        anchor = edge if len(label) > _SHORT_LABEL else "middle"  # A word must stay in the picture.
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


SHORT: Final = FlowTemplate(
    "_short/short.html.j2",
    paper=("_short/short.css", "_short/paper.css"),
    screen=("_short/short.css", "_short/screen.css"),
)
_SHORT_MARGIN: Final = 10
_ABREAST: Final = 180  # millimetres of paper that two blocks abreast need


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
        large = context["theme"] == "large-print"
        abreast = 2 if wide > _ABREAST and not large else 1
        foot = "@bottom-left { content: element(credit); width: 100%; vertical-align: top }"
        # The credit takes two lines on half a sheet, and in large print.
        below = 9 if large else 4 if wide > _ABREAST else 7
        margins = f"{_SHORT_MARGIN}mm {_SHORT_MARGIN}mm {_SHORT_MARGIN + below}mm"
        css += f"@page {{ size: {wide:g}mm {high:g}mm; margin: {margins}; {foot} }}\n"
        css += f":root {{ --abreast: {abreast} }}\n"
    return render_flow(kind, SHORT, replace(style, css=css), {**context, "sheets": sheets})


def format_markdown(pages: Sequence[TablePage], title: str, credit: str) -> str:
    """Return all tables of `pages` as Markdown, pipes aligned, footnotes below."""
    blocks = [block for page in pages for block in format_markdown_page(page)]
    return "\n\n".join([f"# {_escaped(title)}", *blocks, credit]) + "\n"


def format_markdown_page(page: TablePage) -> Iterator[str]:
    """Yield the blocks of a page: its heading, its tables, and their footnotes."""
    yield f"## {_escaped(page.label)}"
    if page.about:
        yield f"*{_escaped(page.about)}*"
    for view in page.tables:
        if view.label:
            yield f"### {_escaped(view.label)}"
        if view.about:
            yield f"*{_escaped(view.about)}*"
        right = [*([False] * _is_parted(view)), *(cell.figure for cell in view.heads)]
        yield format_markdown_table(list(_grid(view, marks=True)), right)
        yield from (f"({note.mark}) {_escaped(note.text)}" for note in view.notes)
        if view.text:
            yield _escaped(view.text)


def format_markdown_table(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return `rows`, the first of them heads, with aligned pipes."""
    cells = [[_escaped(cell) for cell in row] for row in rows]
    widths = [max(3, *(len(row[at]) for row in cells)) for at in range(len(right))]
    columns = list(zip(widths, right, strict=True))
    rule = ["-" * (width - 1) + (":" if flush else "-") for width, flush in columns]
    lines = []
    for row in (cells[0], rule, *cells[1:]):
        pairs = zip(row, columns, strict=True)
        padded = (cell.rjust(w) if flush else cell.ljust(w) for cell, (w, flush) in pairs)
        lines.append("| " + " | ".join(padded) + " |")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Return `text` with nothing in it that Markdown or the HTML in it would take for a sign."""
    for sign in "\\|<*_`[":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def format_csv(view: TableView, credit: str) -> str:
    """Return a table as CSV; footnotes are in a last column, `Notes`, where there are some."""
    heads, *rows = _grid(view, marks=False)
    if view.notes:
        heads.append("Notes")
        texts = {note.mark: note.text for note in view.notes}
        found = [dict.fromkeys(mark for mark, _ in _marks(view, at)) for at in range(len(rows))]
        marked = {mark for marks in found for mark in marks}
        if found:  # the notes of no row, such as of heads, are in the first
            found[0] |= dict.fromkeys(mark for mark in texts if mark not in marked)
        for row, marks in zip(rows, found, strict=True):
            row.append("; ".join(texts[mark] for mark in marks if mark in texts))
    return csv_text((heads, *rows), credit)


def csv_text(rows: Iterable[Iterable[str]], credit: str) -> str:
    """Return rows as RFC 4180 says: commas, double quotes, CR LF.

    The last row has one cell, which begins with `#`: the credit and the file's seal.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows(rows)
    writer.writerow([f"# {credit} {PLACEHOLDER}"])
    return out.getvalue()


def format_json(pages: Sequence[TablePage], ruleset: str, version: int, credit: str) -> str:
    """Return all tables as JSON, with the credit."""
    tables: dict[str, Any] = {}
    for page, view in [(one, view) for one in pages for view in one.tables]:
        if view.worked is None:
            continue
        heads, *rows = _grid(view, marks=False)
        tables[view.worked.id] = {
            "page": page.id,
            "label": view.label or page.label,
            "about": view.about,
            "columns": heads,
            "rows": rows,
            "notes": {note.mark: note.text for note in view.notes},
            "marks": [
                {"row": at, "column": column, "head": heads[column], "mark": mark}
                for at in range(len(rows))
                for mark, column in _marks(view, at)
            ],
            "text": view.text,
        }
    data = {"_credit": credit, "ruleset": ruleset, "version": version, "tables": tables}
    data["_seal"] = PLACEHOLDER
    return visible_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n"


def _marks(view: TableView, at: int) -> Iterator[tuple[str, int]]:
    """Yield the marks in a row of the grid, each with its column there."""
    column = int(_is_parted(view))
    for cell in view.rows[at].cells:
        if cell.mark:
            yield cell.mark, column
        column += cell.span


def _grid(view: TableView, *, marks: bool) -> Iterator[list[str]]:
    """Yield heads and rows of a table as texts; its parts become a first column."""
    named, label = _is_parted(view), ""
    yield [*(["Group"] * named), *(cell.number + cell.unit for cell in view.heads)]
    for part in view.parts:
        label = part.label or label
        yield from ([*([label] * named), *row_texts(row, marks=marks)] for row in part.rows)


def _is_parted(view: TableView) -> bool:
    return any(part.label for part in view.parts)


def row_texts(row: RowView, *, marks: bool) -> Iterator[str]:
    """Yield the texts of a row, and an empty one for each further column that a cell spans."""
    for cell in row.cells:
        mark = f" ({cell.mark})" if marks and cell.mark else ""
        yield from (f"{cell.number}{cell.unit}{mark}", *[""] * (cell.span - 1))
