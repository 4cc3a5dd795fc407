"""Render the pages of an encounter as PDF or as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sheetgen.model.requests import PageFormat
from sheetgen.plan.pages.encounters import WIDTH, Fight, Run, StripView, TableSizes, columns_of
from sheetgen.plan.pages.screen_blocks import BOLD, NAME, TextMeasure
from sheetgen.plan.pages.tables import TablePage
from sheetgen.render.flow.layout import count_pages
from sheetgen.render.flow.rendering import (
    FlowTemplate,
    PageStyle,
    lay_out_flow,
    own_styles,
    render_flow,
    render_flow_markup,
)
from sheetgen.render.flow.table_pages import drawn_pages, page_styles
from sheetgen.units import MM

_COMMON: Final = ("_tables/tables.css", "_encounters/encounter.css")
TEMPLATE: Final = FlowTemplate(
    "_encounters/encounter.html.j2",
    paper=(*_COMMON, "_encounters/paper.css"),
    screen=(*_COMMON, "_encounters/screen.css"),
)
LEAST_LINES: Final = (3, 2, 1)  # to write notes on, by how close a page is set
# Width and height of a combatant's picture in points; `encounter.css` has the same.
FACE_SIZE: Final = (20 * MM, 20 * MM)
_GAPS: Final = 5.6  # millimetres beside the name of a combatant; `encounter.css` has the same
# Per cent of its size that a name is set at for its longest word; `encounter.css` has the same.
_SMALLER: Final = (100, 94, 88, 82, 76, 70)
# What a name on several lines is set at beside a player; `encounter.css` has the same.
_OF_PLAYER: Final = 0.84
# Where a page is set closest: the share of a player's row, the leading of its name, and
# millimetres below it. `_BESIDE`: millimetres behind it.
_CLOSEST, _LEADING, _BELOW, _BESIDE = 0.8, 1.12, 0.5, 2.4
# What an author's names may hold, and no font draws.
_UNSEEN: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")


def render_encounter(
    kind: PageFormat,
    fight: Fight,
    tables: Sequence[TablePage],
    style: PageStyle,
    context: Mapping[str, Any],
    complaints: list[str],
) -> bytes:
    """Return the pages of an encounter; in a PDF no strip is cut, and heads of columns repeat.

    Args:
        kind: `pdf` or `html`.
        context: See `render_flow`; also `author_notes`, and the `words` of the ruleset.
        complaints: Takes the engine's warnings, also of letters that no font has.
    """
    measure, tokens = style.measure(), style.tokens
    views = [view for page in drawn_pages(tables, tokens) for view in page.tables]
    # A page that has the same title as its only table prints the title once.
    names = [view.label or page.label for page in tables for view in page.tables]
    sizes = TableSizes(*map(tokens.length, ("size-head", "size-caps", "size-cell")))
    columns, widths = columns_of(list(zip(names, views, strict=True)), measure, sizes)
    css = own_styles(tokens)
    css += "".join(f".g-{at} {{ width: {wide}mm }}\n" for at, wide in enumerate(widths))
    css += page_styles(style, context) if kind == "pdf" else ""
    style = replace(style, css=css)
    context = {**context, "columns": columns, "fits": _fitting(style, measure)}
    size, room = tokens.length("size-line"), 2 * tokens.length("column") * MM

    def placed(run: Run) -> Run:
        """Return a run that is wider than its column of figures in the line of text."""
        text = "" if run.dice else f"{run.text}{run.small} {run.unit}"
        return replace(run, column=0) if measure.face_width(text, BOLD, size) > room else run

    def shown(one: StripView) -> StripView:
        return replace(one, lines=tuple(tuple(map(placed, line)) for line in one.lines))

    sections = (replace(one, strips=tuple(map(shown, one.strips))) for one in fight.sections)
    context["fight"] = replace(fight, sections=tuple(sections))
    context |= {"shapes": tokens.shapes, "colours": tokens.colours}
    if kind == "html":
        return render_flow(kind, TEMPLATE, style, {**context, "fit": 0, "least": LEAST_LINES[0]})
    html = _markup(style, context, _closeness(style, context))
    return lay_out_flow(html, style, fight.title, complaints)


def _markup(style: PageStyle, context: Mapping[str, Any], fit: int) -> str:
    least = 0 if fit and context["author_notes"] else LEAST_LINES[fit]
    context = {**context, "fit": fit, "least": least}
    return render_flow_markup(TEMPLATE, style, context).translate(_UNSEEN)


def _closeness(style: PageStyle, context: Mapping[str, Any]) -> int:
    """Return how close the page is set: as little as takes no page more than the closest."""
    files = {**style.fonts, **style.assets}
    pages = count_pages(_markup(style, context, 0), files)
    if pages == 1:
        return 0
    closest = min(len(LEAST_LINES) - 1, int(style.tokens.css["closest"]))
    least = count_pages(_markup(style, context, closest), files)
    if least == pages:
        return 0
    between = range(1, closest)
    found = (n for n in between if count_pages(_markup(style, context, n), files) == least)
    return next(found, closest)


def _fitting(style: PageStyle, measure: TextMeasure) -> Callable[..., str]:
    """Return a function for the classes of a name: one line, smaller, or broken and smaller.

    A player's name that is broken has to fit its row, or the row is as high as the name needs.
    """
    sizes = style.tokens.length("size-fighter"), (least := style.tokens.length("size-long"))
    high = (style.tokens.length("player") * _CLOSEST - _BELOW) * MM / _LEADING
    column, box, gutter = map(style.tokens.length, ("column", "init-box", "gutter"))
    beside = (WIDTH - (8 * column + box + gutter) - _GAPS) * MM

    def fits(name: str, of_player: bool = False) -> str:
        room = beside - (_BESIDE * MM if of_player else 0)
        for size, name_class in zip(sizes, ("", "long"), strict=True):
            if measure.face_width(name, NAME, size) <= room:
                return name_class
        usual = least * (_OF_PLAYER if of_player else 1)
        shares = [one for one in _SMALLER if measure.longest(name, NAME, usual * one / 100) <= room]
        for share in shares or _SMALLER[-1:]:
            size = usual * share / 100
            if not of_player or measure.count_lines(name, size, room, NAME) * size <= high:
                return f"folded s-{share}"
        return f"folded s-{(shares or _SMALLER)[-1]} tall"

    return fits
