"""The pages of a fight: as PDF, laid out by the engine, and as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from sheetgen.model.prints import Tokens
from sheetgen.plan.pages.encounter_tables import MM, WIDTH, TableSizes, columns_of
from sheetgen.plan.pages.encounters import Fight
from sheetgen.plan.pages.screen_lines import NAME, TextMeasure
from sheetgen.plan.pages.tables import TablePage, TableView
from sheetgen.render.flow.flowing import (
    Flowing,
    PageStyle,
    flowing_html,
    flowing_markup,
    font_metrics,
    render_flow,
)
from sheetgen.render.flow.pages import count_pages
from sheetgen.render.flow.table_pages import drawn_pages, own_styles, page_styles

_COMMON: Final = ("_tables/tables.css", "_encounters/encounter.css")
KIND: Final = Flowing(
    "_encounters/encounter.html.j2",
    paper=(*_COMMON, "_encounters/paper.css"),
    screen=(*_COMMON, "_encounters/screen.css"),
)

LEAST_LINES: Final = (3, 2, 1)
"""To write notes on, by how close a page is set."""

_UNSEEN: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")
"""What an author's names may hold, and no font draws."""


def fight_pdf(
    fight: Fight,
    tables: Sequence[TablePage],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
    complaints: list[str],
) -> bytes:
    """Return a tagged PDF; no strip is cut, and heads of columns stand on every page.

    Args:
        told: `title`, `lang`, `paper`, `theme`, `credit`, `version`, `said` (the author's
            notes), `words` (the ruleset's).
        complaints: Takes the engine's warnings, of letters too that no font has.
    """
    measure = _measure(fonts)
    grid, own = _grid(tables, tokens, measure)
    look = PageStyle(texts, tokens, fonts, own + page_styles(told, tokens, fonts))
    context = {**told, **_context(fight, grid, tokens, measure)}
    fullest = _closeness(look, context)
    text = _text(look, context, fullest)
    return render_flow(text, look, fight.title, complaints)


def _text(look: PageStyle, context: Mapping[str, Any], fit: int) -> str:
    told = {**context, "fit": fit, "least": 0 if fit and context["said"] else LEAST_LINES[fit]}
    return flowing_markup(KIND, look, told).translate(_UNSEEN)


def _closeness(look: PageStyle, context: Mapping[str, Any]) -> int:
    """Return how close the page is set: as little as takes no page more than the closest."""
    pages = count_pages(_text(look, context, 0), look.fonts)
    if pages == 1:
        return 0
    closest = len(LEAST_LINES) - 1
    least = count_pages(_text(look, context, closest), look.fonts)
    if least == pages:
        return 0
    between = range(1, closest)
    found = (n for n in between if count_pages(_text(look, context, n), look.fonts) == least)
    return next(found, closest)


def fight_html(
    fight: Fight,
    tables: Sequence[TablePage],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return one self-contained HTML file."""
    measure = _measure(fonts)
    grid, own = _grid(tables, tokens, measure)
    told = {**told, **_context(fight, grid, tokens, measure)}
    return flowing_html(
        KIND, PageStyle(texts, tokens, fonts, own), {**told, "fit": 0, "least": LEAST_LINES[0]}
    )


def _context(fight: Fight, bands: Any, tokens: Tokens, measure: TextMeasure) -> dict[str, Any]:
    return {
        "fight": fight,
        "bands": bands,
        "fits": _fitting(tokens, measure),
        "shapes": tokens.shapes,
        "colours": tokens.colours,
    }


def _measure(fonts: Mapping[str, bytes]) -> TextMeasure:
    return TextMeasure({face: font_metrics(data) for face, data in fonts.items()})


def _grid(
    tables: Sequence[TablePage], tokens: Tokens, measure: TextMeasure
) -> tuple[list[list[tuple[str, TableView, int]]], str]:
    """Return tables in rows, each with the number of its column, and the styles of columns."""
    views = [view for page in drawn_pages(tables, tokens) for view in page.tables]
    # Tables of a page that is called like them have given up their name.
    names = [view.label or page.label for page in tables for view in page.tables]
    sizes = TableSizes(*(_points(tokens, name) for name in ("size-head", "size-caps", "size-cell")))
    rows, widths = columns_of(list(zip(names, views, strict=True)), measure, sizes)
    grid = [[(name, view, at) for at, (name, view) in enumerate(row)] for row in rows]
    styles = "".join(f".g-{at} {{ width: {wide}mm }}\n" for at, wide in enumerate(widths))
    return grid, own_styles(tokens) + styles


def _points(tokens: Tokens, name: str) -> float:
    return float(tokens.css[name].removesuffix("pt"))


def _fitting(tokens: Tokens, measure: TextMeasure) -> Callable[[str], str]:
    """Return what tells the class of a name: on one line, smaller, or on two lines."""
    lengths = {name: float(tokens.css[name].removesuffix("mm")) for name in ("column", "init-box")}
    room = (WIDTH - 8 * lengths["column"] - lengths["init-box"] - 9.6) * MM
    sizes = _points(tokens, "size-fighter"), _points(tokens, "size-long")

    def fits(name: str) -> str:
        for size, said in zip(sizes, ("", "long"), strict=True):
            if measure.face_width(name, NAME, size) <= room:
                return said
        return "folded"

    return fits
