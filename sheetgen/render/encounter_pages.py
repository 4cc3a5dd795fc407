"""The pages of a fight: as PDF, laid out by the engine, and as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sheetgen.model.prints import Tokens
from sheetgen.plan.encounters import Fight
from sheetgen.plan.tables import Page
from sheetgen.render.table_pages import drawn_pages, own_styles, page_styles

TEMPLATE: Final = "_encounters/encounter.html.j2"
PAPER_STYLES: Final = ("_tables/tables.css", "_encounters/encounter.css", "_encounters/paper.css")
SCREEN_STYLES: Final = ("_tables/tables.css", "_encounters/encounter.css", "_encounters/screen.css")

SIDE_BY_SIDE: Final = 3
"""Tables below a fight."""


def fight_pdf(
    fight: Fight,
    tables: Sequence[Page],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return a tagged PDF; no strip is cut, and heads of columns stand on every page.

    Args:
        told: `title`, `lang`, `paper`, `theme`, `credit`, `version`, `said` (the author's
            notes), `words` (the ruleset's).
    """
    from sheetgen.render.markup import design_styles, markup, stylesheet
    from sheetgen.render.pages import lay_out

    paper = str(told["paper"])
    generated = stylesheet(tokens, paper, "plate", lambda face: f"asset:{face}")
    styles = design_styles(texts, PAPER_STYLES, generated + own_styles(tokens) + page_styles(paper))
    context = {**_context(fight, tables, tokens, told), "styles": styles, "csp": ""}
    return lay_out(markup(texts, TEMPLATE, context), fonts, identifier=fight.title.encode())


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
    named = list(zip(names, views, strict=True))
    bands = [named[at : at + SIDE_BY_SIDE] for at in range(0, len(named), SIDE_BY_SIDE)]
    return {**told, "fight": fight, "bands": bands}
