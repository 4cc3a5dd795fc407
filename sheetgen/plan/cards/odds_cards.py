"""A grid of odds as what a card is about: rows of chances, with the heads of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from sheetgen.model.build import Value
from sheetgen.model.rulesets.odds import OddsGrid
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.runs import FIGURE
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.grid import HALF, ComputedGrid, GridError, cell_text, compute_grid

HEADS, ROWS = "heads", "rows"
"""Lists that a card of a grid has: one row of column heads, and the rows of the grid."""

_SIGNS: Final = {"<": "under ", ">": "over ", "–": "0"}
"""How signs of a cell are said."""


def build_odds_texts(
    rules: Ruleset, grid: OddsGrid, options: Mapping[str, Value]
) -> Mapping[str, str]:
    """Return the texts of a card about a grid of odds, worked out exactly.

    `heads.1.N.label` names a column; `rows.R.code`, where all are such as 3D, else
    `rows.R.label`, names a row. A chance is `rows.R.N.good` from one half on, else
    `rows.R.N.value`, in whole per cent; `rows.R.N.share` is the fraction itself.
    `rows.R.said` and `heads.1.said` are for screen readers.

    Raises:
        FormulaError: A row, a column or a formula of its roll cannot be worked out.
    """
    try:
        made = compute_grid(rules, "", replace(grid, curves=False), options)
    except GridError as error:
        raise FormulaError(f"`{error.place}`: {error}") from None
    return dict(_told(made))


def _told(grid: ComputedGrid) -> Iterator[tuple[str, str]]:
    for number, column in enumerate(grid.columns, 1):
        yield f"{HEADS}.1.{number}.label", column
    yield f"{HEADS}.1.said", f"Per cent, against {', '.join(grid.columns)}"
    name = "code" if all(FIGURE.fullmatch(row) for row in grid.rows) else "label"
    for place, (row, cells) in enumerate(zip(grid.rows, grid.cells, strict=True), 1):
        yield f"{ROWS}.{place}.{name}", row
        said = []
        for number, (column, chance) in enumerate(zip(grid.columns, cells, strict=True), 1):
            text = cell_text(chance)
            column_of = f"{ROWS}.{place}.{number}"
            yield f"{column_of}.{'good' if chance >= HALF else 'value'}", text
            yield f"{column_of}.share", str(chance)
            said.append(f"{column} {_SIGNS.get(text[0], text[0])}{text[1:]}%")
        yield f"{ROWS}.{place}.said", f"{row}: {', '.join(said)}"
