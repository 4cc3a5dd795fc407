"""Render pages of tables as PDF or as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, Final

from sheetgen.model.prints import Tokens
from sheetgen.plan.pages.screen_lines import NAME, PLAIN
from sheetgen.plan.pages.tables import TablePage, TableView
from sheetgen.render.flow.charts import draw_chart
from sheetgen.render.flow.rendering import FlowTemplate, PageStyle, render_flow
from sheetgen.render.html.face_styles import draw_step
from sheetgen.render.html.styles import svg_layer
from sheetgen.rules.tables.compute import ComputedTable
from sheetgen.units import MM, PAPER_SIZES

TEMPLATE: Final = FlowTemplate(
    "_tables/tables.html.j2",
    paper=("_tables/tables.css", "_tables/paper.css"),
    screen=("_tables/tables.css", "_tables/screen.css"),
)

_MARGIN: Final = 14
_FOOT: Final = 15.0
"""Height of the lower margin in millimetres, where the credit is short."""

_ABOVE: Final = 4.0
_BELOW: Final = 7.6
"""Millimetres above and below the credit."""

_CREDIT: Final = 0.85
"""Share of a line that the credit may take; the page number has the rest."""

_LEADING: Final = 1.35
"""Of the credit; `tables.css` has the same."""

_GUTTER: Final = 11
"""Millimetres between tables side by side; `paper.css` has the same."""

_LEAST_SHARE: Final = 56
"""Millimetres that a table or a chart gets at least beside others."""

_CLEAR: Final = 18
"""Millimetres between the name of a page and what is said about it, with the step of the line."""

WIDEST: Final = 80
_CURVES: Final = (76.0, 52.0)
"""Width and height of the frame of curves, in millimetres."""


def render_tables(
    kind: str, pages: Sequence[TablePage], style: PageStyle, context: Mapping[str, Any]
) -> bytes:
    """Return pages of tables as a file; in a PDF no row is cut, and heads repeat.

    Args:
        kind: `pdf` or `html`.
        context: See `render_flow`.
    """
    tokens = style.tokens
    drawn, css, tight = drawn_pages(pages, tokens), own_styles(tokens), []
    if kind == "pdf":
        paper = str(context["paper"])
        drawn = [_beside(page, paper, tokens) for page in drawn]
        css += page_styles(style, context) + _share_styles(drawn)
        tight = [page.id for page in pages if _is_tight(page, style, paper)]
    context = {**context, "pages": drawn, "tight": tight}
    return render_flow(kind, TEMPLATE, replace(style, css=css), context)


def _beside(page: TablePage, paper: str, tokens: Tokens) -> TablePage:
    """Return a page whose tables of figures have the width that they need beside others.

    Where these would get too little, the tables are printed below each other.
    """
    room = PAPER_SIZES[paper][page.wide] - 2 * _MARGIN
    bands: list[tuple[TableView, ...]] = []
    for band in page.bands:
        gaps = _GUTTER * (len(band) - 1)
        equal = (room - gaps) / len(band)
        needs = [
            0 if view.drawing else ceil(view.width * float(tokens.css["wide"])) for view in band
        ]
        wide = {at: need for at, need in enumerate(needs) if need > equal}
        if len(band) == 1 or not wide:
            bands.append(band)
            continue
        left = (room - gaps - sum(wide.values())) / max(1, len(band) - len(wide))
        if left >= _LEAST_SHARE:
            shares = (wide.get(at, int(left)) for at in range(len(band)))
            bands.append(tuple(replace(v, share=n) for v, n in zip(band, shares, strict=True)))
        else:
            bands += [(replace(v, share=int(equal)) if v.drawing else v,) for v in band]
    return replace(page, bands=tuple(bands))


def _share_styles(pages: Sequence[TablePage]) -> str:
    shares = sorted({view.share for page in pages for view in page.tables if view.share})
    return "".join(
        f".band > .block.share-{n} {{ flex-basis: {n}mm; width: {n}mm }}\n" for n in shares
    )


def _is_tight(page: TablePage, style: PageStyle, paper: str) -> bool:
    """Return whether the name of a page and what is said about it do not share a line."""
    measure, title, about = style.measure(), style.points("size-page"), style.points("size-about")
    wide = measure.face_width(page.label, NAME, title)
    wide += measure.face_width(page.about, PLAIN, about)
    room = (PAPER_SIZES[paper][page.wide] - 2 * _MARGIN - _CLEAR) * 72 / 25.4
    return wide > room


def drawn_pages(pages: Sequence[TablePage], tokens: Tokens) -> list[TablePage]:
    """Return `pages` with their charts drawn."""

    def drawn(band: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            replace(v, about="", drawing=_drawing(v.worked, tokens))
            if v.worked is not None and _can_be_drawn(v.worked)
            else v
            for v in band
        )

    return [replace(page, bands=tuple(drawn(band) for band in page.bands)) for page in pages]


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
    measure, size = style.measure(), style.points("size-credit")

    def page(wide: float, high: float) -> str:
        room = (wide - 2 * _MARGIN) * _CREDIT * MM
        lines = len(measure.break_lines(str(context["credit"]), size, room))
        foot = max(_FOOT, _ABOVE + lines * size * _LEADING / MM + _BELOW)
        return (
            f"size: {wide}mm {high}mm; margin: 12mm {_MARGIN}mm {foot:.2f}mm; "
            "@top-left { content: string(of-page, first-except); vertical-align: bottom; "
            "padding-bottom: 1.2mm; font: 700 var(--size-note)/1.2 figure; width: 100% } "
            f"@bottom-left {{ content: element(credit); vertical-align: top; "
            f"padding-top: {_ABOVE}mm; width: {_CREDIT:.0%} }} "
            "@bottom-right { content: counter(page) ' / ' counter(pages); "
            f"font: 400 var(--size-credit)/{_LEADING} text; vertical-align: top; "
            f"padding-top: {_ABOVE}mm }}"
        )

    return f"@page tall {{ {page(short, long)} }}\n@page wide {{ {page(long, short)} }}\n"
