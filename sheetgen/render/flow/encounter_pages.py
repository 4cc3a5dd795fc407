"""Render the pages of an encounter as PDF or as HTML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sheetgen.model.requests import PageFormat
from sheetgen.plan.pages.encounters import WIDTH, Fight, TableSizes, columns_of
from sheetgen.plan.pages.screen_blocks import NAME, TextMeasure
from sheetgen.plan.pages.tables import TablePage, TableView
from sheetgen.render.flow.layout import count_pages
from sheetgen.render.flow.rendering import (
    FlowTemplate,
    PageStyle,
    lay_out_flow,
    render_flow,
    render_flow_markup,
)
from sheetgen.render.flow.table_pages import drawn_pages, own_styles, page_styles
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
_OF_THREE_LINES: Final = 2.8  # the width of three lines, with what is lost where a line breaks
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
    columns, css = _grid(tables, style, measure)
    css += page_styles(style, context) if kind == "pdf" else ""
    style = replace(style, css=css)
    context = {**context, "fight": fight, "columns": columns, "fits": _fitting(style, measure)}
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


def _grid(
    tables: Sequence[TablePage], style: PageStyle, measure: TextMeasure
) -> tuple[list[list[tuple[str, TableView]]], str]:
    """Return tables in columns, and the styles of these."""
    views = [view for page in drawn_pages(tables, style.tokens) for view in page.tables]
    # A page that has the same title as its only table prints the title once.
    names = [view.label or page.label for page in tables for view in page.tables]
    sizes = TableSizes(*map(style.tokens.length, ("size-head", "size-caps", "size-cell")))
    columns, widths = columns_of(list(zip(names, views, strict=True)), measure, sizes)
    styles = "".join(f".g-{at} {{ width: {wide}mm }}\n" for at, wide in enumerate(widths))
    return columns, own_styles(style.tokens) + styles


def list_shortened_names(names: Sequence[str], style: PageStyle) -> tuple[str, ...]:
    """Return those of the players' names that do not fit on the three lines that they have."""
    measure, room = style.measure(), _OF_THREE_LINES * _room(style)
    size, fits = _OF_PLAYER * style.tokens.length("size-long"), _fitting(style, measure)
    sizes = (size * (int(fits(name).partition(" s-")[2] or 0) / 100) for name in names)
    pairs = zip(names, sizes, strict=True)
    return tuple(name for name, set_at in pairs if measure.face_width(name, NAME, set_at) > room)


def _room(style: PageStyle) -> float:
    """Return the width of the name of a combatant."""
    column, box, gutter = map(style.tokens.length, ("column", "init-box", "gutter"))
    return (WIDTH - (8 * column + box + gutter) - _GAPS) * MM


def _fitting(style: PageStyle, measure: TextMeasure) -> Callable[[str], str]:
    """Return a function for the classes of a name: one line, smaller, or broken and smaller."""
    room = _room(style)
    sizes = style.tokens.length("size-fighter"), (least := style.tokens.length("size-long"))

    def fits(name: str) -> str:
        for size, name_class in zip(sizes, ("", "long"), strict=True):
            if measure.face_width(name, NAME, size) <= room:
                return name_class
        wide = max((measure.face_width(word, NAME, least) for word in name.split()), default=0)
        share = next((one for one in _SMALLER if wide * one <= 100 * room), _SMALLER[-1])
        return f"folded s-{share}"

    return fits
