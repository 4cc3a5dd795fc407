"""Pages of odds as PDF and as one HTML file, from one template: grids with curves beside."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sheetgen.model.prints import Tokens
from sheetgen.plan.pages.odds_chart import LONGEST, names_in_rings, plan_chart, plan_grid_cells
from sheetgen.render.flow.flowing import Flowing, PageStyle, flowing_html, flowing_pdf
from sheetgen.render.flow.odds_svg import NAME, curves_svg
from sheetgen.render.flow.table_pages import own_styles
from sheetgen.rules.odds.grid import MOST_ROWS, ComputedGrid

FOLDER: Final = "_odds"

KIND: Final = Flowing(
    "_odds/odds.html.j2",
    paper=("_odds/odds.css", "_odds/paper.css"),
    screen=("_odds/odds.css", "_odds/screen.css"),
)

_SIZES: Final = {"a5": (210.0, 148.0), "a4": (297.0, 210.0), "letter": (279.4, 215.9)}
"""Papers on their long side, in millimetres; the first is what all else is measured for."""

_CHART: Final = (80.0, 78.0)
"""Width and height of a chart's frame, in millimetres on A5."""

_POINT: Final = 25.4 / 72

_ROW: Final = 10.4
_ROWS: Final = 74.0
"""Height of a row, and of all rows together, in millimetres on A5."""

_NUMBER_FIRST: Final = re.compile(r"(\d+)([^\W\d_]+)")


def odds_html(
    grids: Sequence[ComputedGrid],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return one self-contained HTML file."""
    look = PageStyle(texts, tokens, fonts, own_styles(tokens) + _heights())
    return flowing_html(KIND, look, {**told, "grids": _drawn(grids, tokens)})


def odds_pdf(
    grids: Sequence[ComputedGrid],
    texts: Mapping[str, str],
    tokens: Tokens,
    fonts: Mapping[str, bytes],
    told: Mapping[str, Any],
) -> bytes:
    """Return a tagged PDF, a page for each grid.

    Args:
        fonts: Font files, by face.
        told: `title`, `lang`, `paper`, `theme`, `credit`, `version`.
    """
    wide, high = _SIZES[str(told["paper"])]
    usual, _ = _SIZES["a5"]
    own = own_styles(tokens) + _heights()
    own += f"@page odds {{ size: {wide:g}mm {high:g}mm; margin: 0 }}\n"
    own += f":root {{ --k: {wide / usual:.4f}; --high: {high:g}mm; --across: {wide:g}mm }}\n"
    look = PageStyle(texts, tokens, fonts, own)
    return flowing_pdf(KIND, look, {**told, "grids": _drawn(grids, tokens)})


def _drawn(grids: Sequence[ComputedGrid], tokens: Tokens) -> list[dict[str, Any]]:
    least = float(tokens.css["odds-least"].removesuffix("pt")) * _POINT
    return [
        {
            "label": grid.label,
            "about": grid.about,
            "text": grid.text,
            "columns": grid.columns,
            "rows": [*zip(_codes(grid.rows), plan_grid_cells(grid), strict=True)],
            "long": _long(grid.rows),
            "numbered": grid.curves and names_in_rings(grid.rows) != grid.rows,
            "wordy": max(map(len, grid.rows)) > LONGEST,
            "drawing": _curves(grid, tokens.colours, least) if grid.curves else "",
            "number": number,
            "count": len(grids),
        }
        for number, grid in enumerate(grids, 1)
    ]


def _curves(grid: ComputedGrid, colours: Mapping[str, str], least: float) -> str:
    chart = plan_chart(grid, *_CHART, max(NAME, least))  # a ring is as high as two of its letters
    says = f"Curves of {grid.label}: the figures are those of the table beside them"
    return curves_svg(chart, says, colours, least)


def _heights() -> str:
    """Return a class for each number of rows, which says how high one is; see `MOST_ROWS`."""
    lines = (
        f".rows-{n} {{ --cell: {min(_ROW, _ROWS / n):.2f}mm }}" for n in range(1, MOST_ROWS + 1)
    )
    return "\n".join(lines) + "\n"


def _long(rows: Sequence[str]) -> bool:
    """Whether rows are named by words, which are set smaller than codes."""
    return max(map(len, rows)) > 3


def _codes(rows: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return each row as numbers and what stands right behind them: `4D` is 4 and a small D."""
    found = [None if _long(rows) else _NUMBER_FIRST.fullmatch(row) for row in rows]
    return [
        [(match[1], match[2])] if match else [(row, "")]
        for row, match in zip(rows, found, strict=True)
    ]
