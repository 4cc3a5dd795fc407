"""Answers about odds, and grids of them, as text for people and as data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from sheetgen.cli.console import is_utf8
from sheetgen.rules.formulas.numbers import decimal, exact_percent
from sheetgen.rules.odds.answers import Answer, Distribution
from sheetgen.rules.odds.grid import ComputedGrid, cell_text
from sheetgen.rules.odds.sums import goal

WIDE = 40
"""Characters of the longest bar."""


def odds_lines(found: Answer, *, table: bool) -> Iterator[str]:
    """Yield the lines of an answer; with `table` how its numbers are spread, too."""
    yield found.reading
    yield found.rolling.title
    yield ""
    labels = [f"{'  ' if chance.part else ''}{chance.label}" for chance in found.chances]
    spreads = [spread for spread in found.spreads if any(n for n, _, _ in spread.rows)]
    if not found.chances and not spreads:  # no dice at all: the total is 0
        spreads = list(found.spreads)
    means = [f"mean {spread.label}" for spread in spreads]
    wide = max(map(len, [*labels, *means]), default=0)
    for label, chance in zip(labels, found.chances, strict=True):
        exact = "" if chance.value.denominator == 1 else f"   {chance.value}"
        yield f"{label:<{wide}}  {exact_percent(chance.value):>6}{exact}"
    for label, spread in zip(means, spreads, strict=True):
        exact = f"   {spread.mean}".replace("-", "−") if spread.mean.denominator > 1 else ""
        yield f"{label:<{wide}}  {decimal(spread.mean):>6}{exact}"
    for spread in spreads if table else ():
        yield ""
        yield from _bars(spread, found)


def _bars(spread: Distribution, found: Answer) -> Iterator[str]:
    """Yield a line for each number: how likely it is, how likely it or more, and a bar."""
    full, light = ("█", "░") if is_utf8() else ("#", "-")
    roll, question = found.rolling.roll, found.question
    target = goal(question) + (roll.beat != roll.under) if question.target is not None else None
    wide = max(len(spread.label), 4)
    most = max(chance for _, chance, _ in spread.rows)
    yield f"{spread.label:>{wide}}  exactly  or {'less' if roll.under else 'more'}"
    for number, chance, more in spread.rows:
        failed = target is not None and (number < target) != roll.under
        bar = (light if failed else full) * int(Fraction(WIDE) * chance / most + Fraction(1, 2))
        shown = str(number).replace("-", "−")
        beyond = 1 - more + chance if roll.under else more
        shares = f"{exact_percent(chance):>7}  {exact_percent(beyond):>7}"
        yield f"{shown:>{wide}}  {shares}  {bar}".rstrip()
    if spread.endless:
        yield f"{'more':>{wide}}  without end"


def odds_data(found: Answer) -> dict[str, Any]:
    """Return an answer for JSON: fractions as text, exactly, and per cent to one decimal."""
    return {
        "expression": found.question.text,
        "understood": found.reading,
        "roll": found.rolling.title,
        "chances": [
            {"id": c.id, "label": c.label, "exact": str(c.value), "percent": _rounded(c.value)}
            for c in found.chances
        ],
        "numbers": [
            {
                "label": spread.label,
                "mean": str(spread.mean),
                "endless": spread.endless,
                "spread": [
                    {"number": number, "exactly": str(chance), "or_more": str(more)}
                    for number, chance, more in spread.rows
                ],
            }
            for spread in found.spreads
        ],
    }


def _rounded(chance: Fraction) -> float:
    return float(int(chance * 1000 + Fraction(1, 2))) / 10


def grid_lines(grids: Sequence[ComputedGrid]) -> Iterator[str]:
    """Yield the lines of grids, one below the other."""
    for place, grid in enumerate(grids):
        if place:
            yield ""
        yield f"{grid.label} ({grid.about})" if grid.about else grid.label
        first = max(len(row) for row in grid.rows)
        wide = [max(len(column), 3) for column in grid.columns]
        heads = "  ".join(f"{c:>{w}}" for c, w in zip(grid.columns, wide, strict=True))
        yield f"{'':<{first}}  {heads}"
        for row, cells in zip(grid.rows, grid.cells, strict=True):
            shown = (f"{cell_text(c):>{w}}" for c, w in zip(cells, wide, strict=True))
            yield f"{row:<{first}}  {'  '.join(shown)}"


def grid_data(grids: Sequence[ComputedGrid]) -> list[dict[str, Any]]:
    """Return grids for JSON, exactly."""
    return [
        {
            "id": grid.id,
            "label": grid.label,
            "columns": list(grid.columns),
            "rows": [
                {"row": row, "exact": [str(c) for c in cells], "percent": [*map(_rounded, cells)]}
                for row, cells in zip(grid.rows, grid.cells, strict=True)
            ],
        }
        for grid in grids
    ]
