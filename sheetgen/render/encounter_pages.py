"""The pages of a fight: as PDF, laid out by the engine, and as one HTML file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sheetgen.model.prints import Tokens
from sheetgen.plan.encounters import Fight
from sheetgen.plan.tables import Page, TableView
from sheetgen.render.table_pages import WIDEST, drawn_pages, own_styles, page_styles

TEMPLATE: Final = "_encounters/encounter.html.j2"
PAPER_STYLES: Final = ("_tables/tables.css", "_encounters/encounter.css", "_encounters/paper.css")
SCREEN_STYLES: Final = ("_tables/tables.css", "_encounters/encounter.css", "_encounters/screen.css")

WIDTH: Final = 182.0
"""Of a page between its margins, in millimetres; the narrower paper's."""

_UNSEEN: Final = dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " ")
"""What an author's names may hold, and no font draws."""

_GAP: Final = 6.0
_LETTER: Final = 1.38
"""Width of a letter of a table's words, in millimetres."""


def fight_pdf(
    fight: Fight,
    tables: Sequence[Page],
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
    from sheetgen.render.markup import design_styles, markup, stylesheet
    from sheetgen.render.pages import lay_out

    paper = str(told["paper"])
    generated = stylesheet(tokens, paper, "plate", lambda face: f"asset:{face}")
    styles = design_styles(texts, PAPER_STYLES, generated + own_styles(tokens) + page_styles(paper))
    context = {**_context(fight, tables, tokens, told), "styles": styles, "csp": ""}
    text = markup(texts, TEMPLATE, context).translate(_UNSEEN)
    identifier = fight.title.encode("utf-8", "replace")
    return lay_out(text, fonts, identifier=identifier, complaints=complaints)


def fight_html(
    fight: Fight,
    tables: Sequence[Page],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return one self-contained HTML file; see `render.html.page`."""
    from sheetgen.render.html import page

    used = {**texts, "generated.css": own_styles(tokens)}
    styles = ("generated.css", *SCREEN_STYLES)
    return page(used, TEMPLATE, styles, tokens, fonts, _context(fight, tables, tokens, told))


def _context(
    fight: Fight, tables: Sequence[Page], tokens: Tokens, told: Mapping[str, Any]
) -> dict[str, Any]:
    views = [view for page in drawn_pages(tables, tokens) for view in page.tables]
    # Tables of a page that is called like them have given up their name.
    names = [view.label or page.label for page in tables for view in page.tables]
    scale = float(tokens.css.get("wide", "1"))
    bands = [
        list(_spread(band, scale)) for band in _bands(list(zip(names, views, strict=True)), scale)
    ]
    return {**told, "fight": fight, "bands": bands}


Named = tuple[str, TableView]


def _bands(named: Sequence[Named], scale: float) -> list[list[Named]]:
    """Return tables side by side, as many as there is room for."""
    bands: list[list[Named]] = []
    room = 0.0
    for name, view in named:
        wide = _width(name, view) * scale
        if not bands or wide > room:
            bands.append([])
            room = WIDTH
        bands[-1].append((name, view))
        room -= wide + _GAP
    return bands


def _spread(band: Sequence[Named], scale: float) -> Iterator[tuple[str, TableView, str]]:
    """Yield tables; those with a text have a class for their width, others find their own."""
    widths = [_width(name, view) for name, view in band]
    left = WIDTH / scale - sum(widths) - _GAP / scale * (len(band) - 1)
    more = min(left / len(band), 24)
    for (name, view), wide in zip(band, widths, strict=True):
        even = int((wide + more) // 2 * 2)
        yield name, view, f"w-{even}" if view.text and even <= WIDEST else ""


def _width(name: str, view: TableView) -> float:
    """Return about how wide a table wants to be, in millimetres."""
    rows = [row for part in view.parts for row in part.rows]
    columns = [len(head.number + head.unit) for head in view.heads]
    for row in rows:
        for at, cell in enumerate(row.cells[: len(columns)]):
            if cell.span == 1:
                columns[at] = max(columns[at], len(cell.number + cell.unit))
    return min(WIDTH, max(sum(columns) * _LETTER + 2.4 * len(columns), len(name) * 2.4, 40))
