"""Render pages of tables as PDF or as HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sheetgen.model.prints import Tokens
from sheetgen.plan.pages.screen_lines import NAME, PLAIN, TextMeasure
from sheetgen.plan.pages.tables import TablePage, TableView
from sheetgen.plan.tableflow.columns import with_unbroken_counts, without_empty_columns
from sheetgen.plan.tableflow.distribute import flow_tables, is_half
from sheetgen.plan.tableflow.measure import measure_table
from sheetgen.plan.tableflow.pieces import FlowBlock, FlowLeaf, FlowPaper, FlowSection
from sheetgen.plan.tableflow.sizes import FlowSizes
from sheetgen.plan.tableflow.wide_tables import SplitTable, fit_table
from sheetgen.render.flow.charts import draw_chart
from sheetgen.render.flow.rendering import LOGO, LOGO_SIZE, FlowTemplate, PageStyle, render_flow
from sheetgen.render.html.face_styles import draw_step
from sheetgen.render.html.styles import svg_layer
from sheetgen.rules.tables.compute import ComputedTable
from sheetgen.units import MM, PAPER_SIZES

TEMPLATE: Final = FlowTemplate(
    "_tables/tables.html.j2",
    paper=("_tables/tables.css", "_tables/paper.css"),
    screen=("_tables/tables.css", "_shared/scroll.css", "_tables/screen.css"),
)

_MARGIN: Final = 14
_FOOT: Final = 15.0
"""Height of the lower margin in millimetres, where the credit is short."""

_ABOVE: Final = 4.0
_BELOW: Final = 7.6
"""Millimetres above and below the credit."""

_CREDIT: Final = 0.85
_WITH_LOGO: Final = 0.93
"""Shares of a line that the credit, and with it a logo, may take; the page number has the rest."""

_BESIDE: Final = 4.0
_HIGHER: Final = 3.4
"""Millimetres before a logo, and what it adds to the height of the lower margin."""

_LEADING: Final = 1.35
"""Of the credit; `tables.css` has the same."""

_GUTTER: Final = 10
"""Millimetres between two columns."""

_TOP: Final = 12
"""Height of the upper margin in millimetres."""

_SAFE: Final = 3.0
"""Points at the foot of a page that stay free."""

_TITLE: Final = 47.0
_TIGHT_TITLE: Final = 56.0
"""Height of a title line in points; the second where its remark has a line of its own."""

_CLEAR: Final = 18
"""Millimetres between the name of a page and the remark about it, with the step of the line."""

WIDEST: Final = 80
_CURVES: Final = (76.0, 52.0)
"""Width and height of the frame of curves, in millimetres."""


def render_tables(
    kind: str,
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
    measure, sizes = style.measure(), _flow_sizes(style)
    foot = sizes.note_lead if any(page.origins for page in pages) else 0.0
    papers = {wide: _paper(style, context, foot, wide=wide) for wide in (False, True)}
    lang = str(context["lang"])
    sections = [_section(page, papers, sizes, measure, style, lang, split) for page in pages]
    first = bool(sections) and sections[0].wide
    leaves: list[FlowLeaf] = []
    for wide in (first, not first):
        leaves += flow_tables([s for s in sections if s.wide is wide], papers[wide], sizes)
    return leaves


def _flow_sizes(style: PageStyle) -> FlowSizes:
    names = {"head": "size-head", "about": "size-about", "words": "size-words"}
    names |= {"body": "size-body", "figure": "size-figure", "unit": "size-unit"}
    names |= {"note": "size-note", "lead": "lead", "row": "row-close", "pad": "pad"}
    names |= {"field": "unit-field", "gap": "gap", "hair": "w-hair", "rule": "w-head"}
    return FlowSizes(**{name: style.tokens.length(token) for name, token in names.items()})


def _paper(style: PageStyle, context: Mapping[str, Any], legend: float, *, wide: bool) -> FlowPaper:
    short, long = PAPER_SIZES[str(context["paper"])]
    across, high = (long, short) if wide else (short, long)
    foot = _foot(style, context, across)
    room = (high - _TOP - foot) * MM - _SAFE - legend
    return FlowPaper((across - 2 * _MARGIN) * MM, room, _GUTTER * MM, wide)


def _section(
    page: TablePage,
    papers: Mapping[bool, FlowPaper],
    sizes: FlowSizes,
    measure: TextMeasure,
    style: PageStyle,
    lang: str,
    split: list[SplitTable],
) -> FlowSection:
    """Return the tables of a page; it is landscape if one does not fit the width of portrait.

    A table that does not fit the width of landscape is split.
    """
    for wide in (False, True):
        paper, blocks = papers[wide], []
        for view in page.tables:
            ratio = _ratio(view.drawing)
            full = measure_table(view, paper.width, sizes, measure, ratio)
            half = measure_table(view, paper.half, sizes, measure, ratio)
            blocks.append(FlowBlock(half if is_half(half, full, sizes) else None, full))
        if wide or not (page.wide or any(not block.full.fits for block in blocks)):
            break
    fitted: list[FlowBlock] = []
    for block in blocks:
        view, room = block.full.view, paper.width
        parts = [block.full] if block.full.fits else fit_table(view, room, sizes, measure, lang)
        if len(parts) == 1 and parts[0] is block.full:
            fitted.append(block)
            continue
        fitted += [FlowBlock(None, part) for part in parts]
        if len(parts) > 1:
            counts = (sum(not head.label for head in part.view.heads) for part in parts)
            id_ = view.worked.id if view.worked else page.id
            split.append(SplitTable(id_, view.label or page.label, tuple(counts)))
    blocks = fitted
    title, about = style.tokens.length("size-page"), style.tokens.length("size-about")
    line = measure.face_width(page.label, NAME, title)
    line += measure.face_width(page.about, PLAIN, about)
    tight = line > paper.width - _CLEAR * MM
    above = _TIGHT_TITLE if tight else _TITLE
    again = 1.9 * sizes.head
    return FlowSection(page.label, page.about, tuple(blocks), above, again, wide, tight)


_VIEW_BOX: Final = re.compile(r'viewBox="\S+ \S+ (\S+) (\S+)"')


def _ratio(drawing: str) -> float:
    """Return the height of a picture by its width; 0 without one."""
    found = _VIEW_BOX.search(drawing)
    return float(found[2]) / float(found[1]) if found else 0.0


def drawn_pages(pages: Sequence[TablePage], tokens: Tokens) -> list[TablePage]:
    """Return `pages` with their charts drawn, without columns that have only dashes."""

    def drawn(view: TableView) -> TableView:
        if view.worked is not None and _can_be_drawn(view.worked):
            return replace(view, about="", drawing=_drawing(view.worked, tokens))
        return with_unbroken_counts(without_empty_columns(view))

    return [
        replace(page, bands=tuple(tuple(map(drawn, band)) for band in page.bands)) for page in pages
    ]


def _can_be_drawn(made: ComputedTable) -> bool:
    table = made.table
    curves = made.grid is not None and bool(made.grid.curves)
    return table.chart and (curves or (bool(table.lines) and not table.turned))


def _drawing(made: ComputedTable, tokens: Tokens) -> str:
    """Return the picture of a table that is drawn: its lines, or curves of odds."""
    if made.grid is None:
        return draw_chart(made, tokens.colours)
    from sheetgen.plan.pages.odds_chart import plan_chart  # Few tables are odds.
    from sheetgen.render.flow.odds_svg import NAME, draw_odds_curves

    says = f"Curves of {made.table.label}, by what is rolled against"
    return draw_odds_curves(plan_chart(made.grid, *_CURVES, NAME), says, tokens.colours)


def own_styles(tokens: Tokens) -> str:
    """Return the step of a page's title line, and a class for each width of a column."""
    line = tokens.css["w-head"].removesuffix("pt")
    step = svg_layer(draw_step(tokens, line, 9.9, 9.95, 0.45))
    widths = "\n".join(
        f".w-{n} {{ width: calc({n}mm * var(--wide)) }}" for n in range(2, WIDEST + 1, 2)
    )
    return f":root {{ --step: {step} }}\n{widths}\n"


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
