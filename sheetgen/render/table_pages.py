"""Pages of tables as PDF, laid out by the engine, and as one HTML file, from one template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote

from sheetgen.model.prints import Tokens
from sheetgen.plan.tables import Page
from sheetgen.render.charts import chart
from sheetgen.rules.worked import Worked

TEMPLATE: Final = "_tables/tables.html.j2"
PAPER_STYLES: Final = ("_tables/tables.css", "_tables/paper.css")
SCREEN_STYLES: Final = ("_tables/tables.css", "_tables/screen.css")

_SIZES: Final = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Papers on their short side, in millimetres."""

_MARGIN: Final = 14
WIDEST: Final = 80

_STEP: Final = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9.9 9.9' width='9.9pt' height='9.9pt'>"
    "<path d='M-.5 9.95 L9.45 .45 H11' fill='none' stroke='{ink}' stroke-width='{line}'/></svg>"
)


def tables_html(
    pages: Sequence[Page],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return one self-contained HTML file; see `render.html.page`."""
    from sheetgen.render.html import page

    used = {**texts, "generated.css": own_styles(tokens)}
    styles = ("generated.css", *SCREEN_STYLES)
    context = {**told, "pages": drawn_pages(pages, tokens)}
    return page(used, TEMPLATE, styles, tokens, fonts, context)


def tables_pdf(
    pages: Sequence[Page],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return a tagged PDF; tables flow, repeat their heads, and no row of them is cut.

    Args:
        fonts: Font files, by face.
        told: `title`, `lang`, `paper`, `theme`, `credit`, `version`.
    """
    from sheetgen.render.markup import design_styles, markup, stylesheet
    from sheetgen.render.pages import lay_out

    generated = stylesheet(tokens, str(told["paper"]), "plate", lambda face: f"asset:{face}")
    own = own_styles(tokens) + page_styles(str(told["paper"]))
    styles = design_styles(texts, PAPER_STYLES, generated + own)
    context = {**told, "styles": styles, "csp": "", "pages": drawn_pages(pages, tokens)}
    return lay_out(markup(texts, TEMPLATE, context), fonts, identifier=str(told["title"]).encode())


def drawn_pages(pages: Sequence[Page], tokens: Tokens) -> list[Page]:
    """Return `pages` with their charts drawn."""

    def drawn(band: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            replace(v, about="", drawing=chart(v.made, tokens.colours))
            if v.made is not None and _can_be_drawn(v.made)
            else v
            for v in band
        )

    return [replace(page, bands=tuple(drawn(band) for band in page.bands)) for page in pages]


def _can_be_drawn(made: Worked) -> bool:
    table = made.table
    return table.chart and bool(table.lines) and not table.turned


def own_styles(tokens: Tokens) -> str:
    """Return the step of a page's title line, and a class for each width of a column."""
    line = tokens.css["w-head"].removesuffix("pt")
    step = quote(_STEP.format(ink=tokens.colours["ink"], line=line), safe=" ='/:.,-")
    widths = "\n".join(
        f".w-{n} {{ width: calc({n}mm * var(--wide)) }}" for n in range(2, WIDEST + 1, 2)
    )
    drawn = f'url("data:image/svg+xml,{step}") 0 0 / 100% 100% no-repeat'
    return f":root {{ --step: {drawn} }}\n{widths}\n"


def page_styles(paper: str) -> str:
    """Return the pages `tall` and `wide` of a paper, with the credit and numbers at their foot."""
    short, long = _SIZES[paper]
    foot = (
        f"margin: 12mm {_MARGIN}mm 15mm; "
        "@bottom-left { content: element(credit); vertical-align: top; padding-top: 4mm; "
        "width: 85% } "
        "@bottom-right { content: counter(page) ' / ' counter(pages); "
        "font: 400 var(--size-credit)/1.35 text; vertical-align: top; padding-top: 4mm }"
    )
    return (
        f"@page tall {{ size: {short}mm {long}mm; {foot} }}\n"
        f"@page wide {{ size: {long}mm {short}mm; {foot} }}\n"
    )
