"""Render pages of tables, and short sheets, as PDF or as HTML."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from typing import Any, Final

from sheetgen.model.computed import ComputedTable
from sheetgen.model.prints import Tokens
from sheetgen.model.requests import PageFormat
from sheetgen.plan.pages.screen_blocks import NAME, PLAIN
from sheetgen.plan.pages.tables import TablePage, TableView
from sheetgen.plan.tableflow.columns import (
    FlowSizes,
    SplitTable,
    fit_table,
    measure_table,
    with_unbroken_counts,
    without_empty_columns,
)
from sheetgen.plan.tableflow.filling import (
    FlowBlock,
    FlowLeaf,
    FlowPaper,
    FlowSection,
    flow_tables,
    is_half,
)
from sheetgen.render.flow.rendering import (
    LOGO,
    LOGO_SIZE,
    FlowTemplate,
    PageStyle,
    own_styles,
    render_flow,
)
from sheetgen.units import MM, PAPER_SIZES

TEMPLATE: Final = FlowTemplate(
    "_tables/tables.html.j2",
    paper=("_tables/tables.css", "_tables/paper.css"),
    screen=("_tables/tables.css", "_shared/scroll.css", "_tables/screen.css"),
)
_MARGIN: Final = 14
_FOOT: Final = 15.0  # height of the lower margin in millimetres, where the credit is short
# Millimetres above and below the credit.
_ABOVE: Final = 4.0
_BELOW: Final = 7.6
# Shares of a line that the credit, and with it a logo, may take; the page number has the rest.
_CREDIT: Final = 0.85
_WITH_LOGO: Final = 0.93
# Millimetres before a logo, and what it adds to the height of the lower margin.
_BESIDE: Final = 4.0
_HIGHER: Final = 3.4
_LEADING: Final = 1.35  # of the credit; `tables.css` has the same
_GUTTER: Final = 10  # millimetres between two columns
_TOP: Final = 12  # height of the upper margin in millimetres
_SAFE: Final = 3.0  # points at the foot of a page that stay free
_TITLE: Final = 47.0  # height of a title line in points
_TIGHT_TITLE: Final = 56.0  # of one whose remark has a line of its own
# Millimetres between the name of a page and the remark about it, with the step of the line.
_CLEAR: Final = 18
_CURVES: Final = (76.0, 52.0)  # width and height of the frame of curves, in millimetres


def render_tables(
    kind: PageFormat,
    pages: Sequence[TablePage],
    style: PageStyle,
    context: Mapping[str, Any],
    split: list[SplitTable] | None = None,
) -> bytes:
    """Return pages of tables as a file; in a PDF no row is cut, and heads repeat.

    Args:
        kind: `pdf` or `html`.
        context: See `render_flow`.
        split: Gets the tables of a PDF that are wider than the paper.
    """
    drawn, css = drawn_pages(pages, style.tokens), own_styles(style.tokens)
    leaves: list[FlowLeaf] = []
    if kind == "pdf":
        leaves = _flow(drawn, style, context, split if split is not None else [])
        css += page_styles(style, context)
    context = {**context, "pages": drawn, "leaves": leaves}
    return render_flow(kind, TEMPLATE, replace(style, css=css), context)


def _flow(
    pages: Sequence[TablePage],
    style: PageStyle,
    context: Mapping[str, Any],
    split: list[SplitTable],
) -> list[FlowLeaf]:
    """Return the pages of a PDF with every table at its place.

    Portrait pages follow each other; landscape pages are before them if the first page is one.
    """
    flow = _FlowPlanner(pages, style, context, split)
    sections = [flow.section(page) for page in pages]
    first = bool(sections) and sections[0].wide
    leaves: list[FlowLeaf] = []
    for wide in (first, not first):
        some = [section for section in sections if section.wide is wide]
        leaves += flow_tables(some, flow.papers[wide], flow.sizes)
    return leaves


class _FlowPlanner:
    """Measures of a PDF of tables; `split` gets those of its tables that have to be split."""

    def __init__(
        self,
        pages: Sequence[TablePage],
        style: PageStyle,
        context: Mapping[str, Any],
        split: list[SplitTable],
    ) -> None:
        self.split = split
        self._style, self._measure, self._lang = style, style.measure(), str(context["lang"])
        names = {"head": "size-head", "about": "size-about", "words": "size-words"}
        names |= {"body": "size-body", "figure": "size-figure", "unit": "size-unit"}
        names |= {"note": "size-note", "lead": "lead", "row": "row-close", "pad": "pad"}
        names |= {"field": "unit-field", "gap": "gap", "hair": "w-hair", "rule": "w-head"}
        lengths = {name: style.tokens.length(token) for name, token in names.items()}
        self.sizes = FlowSizes(**lengths)
        legend = self.sizes.note_lead if any(page.origins for page in pages) else 0.0
        short, long = PAPER_SIZES[str(context["paper"])]
        self.papers = {}
        for wide, across, high in ((False, short, long), (True, long, short)):
            room = (high - _TOP - _foot(style, context, across)) * MM - _SAFE - legend
            width = (across - 2 * _MARGIN) * MM
            self.papers[wide] = FlowPaper(width, room, _GUTTER * MM, wide)

    def section(self, page: TablePage) -> FlowSection:
        """Return the tables of a page; it is landscape if one does not fit the width of portrait.

        A table that does not fit the width of landscape is split.
        """
        sizes, measure = self.sizes, self._measure
        for wide in (False, True):
            paper, blocks = self.papers[wide], []
            for view in page.tables:
                picture = _VIEW_BOX.search(view.drawing)
                ratio = float(picture[2]) / float(picture[1]) if picture else 0.0
                full = measure_table(view, paper.width, sizes, measure, ratio)
                half = measure_table(view, paper.half, sizes, measure, ratio)
                blocks.append(FlowBlock(half if is_half(half, full, sizes) else None, full))
            if wide or not (page.wide or any(not block.full.fits for block in blocks)):
                break
        fitted: list[FlowBlock] = []
        for block in blocks:
            if block.full.fits:
                fitted.append(block)
                continue
            view = block.full.view
            parts = fit_table(view, paper.width, sizes, measure, self._lang)
            fitted += [FlowBlock(None, part) for part in parts]
            if len(parts) > 1:
                counts = (sum(not head.label for head in part.view.heads) for part in parts)
                id_ = view.worked.id if view.worked else page.id
                self.split.append(SplitTable(id_, view.label or page.label, tuple(counts)))
        tokens, room = self._style.tokens, paper.width - _CLEAR * MM
        size, small = tokens.length("size-page"), tokens.length("size-about")
        line = measure.face_width(page.label, NAME, size)
        tight = line + measure.face_width(page.about, PLAIN, small) > room
        above, again = _TIGHT_TITLE if tight else _TITLE, 1.9 * sizes.head
        named = measure.shrunk(page.label, NAME, size, room)
        told = measure.shrunk(page.about, PLAIN, small, paper.width)
        shown = page.label, page.about, tuple(fitted), above, again, wide, tight
        folded = measure.face_width(page.label, NAME, named) > room + 1
        return FlowSection(*shown, named, told, folded)


_VIEW_BOX: Final = re.compile(r'viewBox="\S+ \S+ (\S+) (\S+)"')


def drawn_pages(pages: Sequence[TablePage], tokens: Tokens) -> list[TablePage]:
    """Return `pages` with their charts drawn, without columns that have only dashes."""

    def drawn(view: TableView) -> TableView:
        if view.worked is not None and view.worked.table.chart:
            table, grid = view.worked.table, view.worked.grid
            lined = bool(table.lines) and not table.turned
            if grid is not None and (grid.curves or lined):
                from sheetgen.plan.pages.odds_chart import plan_chart  # Few tables are odds.
                from sheetgen.render.flow.odds_pages import RING, draw_odds_curves

                says = f"Curves of {table.label}, by what is rolled against"
                chart = plan_chart(grid, *_CURVES, RING)
                drawing = draw_odds_curves(chart, says, tokens.colours)
                return replace(view, about="", drawing=drawing)
            if grid is None and lined:
                return replace(view, about="", drawing=_draw_chart(view.worked, tokens.colours))
        return with_unbroken_counts(without_empty_columns(view))

    return [
        replace(page, bands=tuple(tuple(map(drawn, band)) for band in page.bands)) for page in pages
    ]


def page_styles(style: PageStyle, context: Mapping[str, Any]) -> str:
    """Return the pages `tall` and `wide` of a paper, with the credit and numbers at their foot.

    Args:
        context: With `paper` and `credit`; a credit of several lines makes the lower margin higher.
    """
    short, long = PAPER_SIZES[str(context["paper"])]

    def page(wide: float, high: float) -> str:
        foot = _foot(style, context, wide)
        return (
            f"size: {wide}mm {high}mm; margin: {_TOP}mm {_MARGIN}mm {foot:.2f}mm; "
            f"@bottom-left {{ content: element(credit); vertical-align: top; "
            f"padding-top: {_ABOVE}mm; width: {_share(style):.0%} }} "
            "@bottom-right { content: counter(page) ' / ' counter(pages); "
            f"font: 400 var(--size-credit)/{_LEADING} text; vertical-align: top; "
            f"padding-top: {_ABOVE}mm }}"
        )

    return f"@page tall {{ {page(short, long)} }}\n@page wide {{ {page(long, short)} }}\n"


def _share(style: PageStyle) -> float:
    return _WITH_LOGO if LOGO in style.pictures else _CREDIT


def _foot(style: PageStyle, context: Mapping[str, Any], wide: float) -> float:
    """Return the lower margin of a page in millimetres: a long credit or a logo needs more."""
    size, room = style.tokens.length("size-credit"), (wide - 2 * _MARGIN) * _share(style) * MM
    least = _FOOT
    if LOGO in style.pictures:
        room -= LOGO_SIZE[0] + _BESIDE * MM
        least += _HIGHER
    lines = len(style.measure().break_lines(str(context["credit"]), size, room))
    return max(least, _ABOVE + lines * size * _LEADING / MM + _BELOW)


# Width and height of a chart, its margins for ticks and for the names of lines, and the least
# distance between these names, in points.
_WIDTH, _HEIGHT = 366.0, 200.0
_LEFT, _RIGHT, _UPPER, _LOWER = 24.0, 72.0, 12.0, 22.0
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
        f'role="img" aria-label="{says}" font-family="text" font-size="9.5" fill="{ink}">'
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
        abreast = 2 if wide > _ABREAST and context["theme"] != "large-print" else 1
        foot = "@bottom-left { content: element(credit); width: 100%; vertical-align: top }"
        margins = f"{_SHORT_MARGIN}mm {_SHORT_MARGIN}mm {_SHORT_MARGIN + 4}mm"
        css += f"@page {{ size: {wide:g}mm {high:g}mm; margin: {margins}; {foot} }}\n"
        css += f":root {{ --abreast: {abreast} }}\n"
    return render_flow(kind, SHORT, replace(style, css=css), {**context, "sheets": sheets})
