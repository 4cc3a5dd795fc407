"""Which tables of a section are side by side, and which are as wide as the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sheetgen.plan.tableflow.measure import MeasuredTable
from sheetgen.plan.tableflow.pieces import FlowBlock, FlowSection
from sheetgen.plan.tableflow.sizes import FlowSizes

LONG_TABLE: Final = 14
"""A table with fewer rows than this is broken only if no page is high enough for it."""

UNEVEN: Final = 0.6
"""A table that is lower than this share of the one beside it leaves its column half empty."""

MOST_HIGHER: Final = 1.25
"""How much higher than such columns their two tables may be in the full width."""


def column_strips(
    section: FlowSection, sizes: FlowSizes
) -> Iterator[tuple[int, list[MeasuredTable]]]:
    """Yield tables that are in columns together, with how many columns they have."""
    run: list[FlowBlock] = []

    def done() -> Iterator[tuple[int, list[MeasuredTable]]]:
        halves = [block.half for block in run if block.half is not None]
        alone = len(halves) == 1 and len(halves[0].lines) < LONG_TABLE
        if alone and not halves[0].picture:
            yield 1, [run[0].full]
        elif len(run) == 2 and _is_uneven(run, sizes):
            yield 1, [block.full for block in run]
        elif halves:
            yield 2, halves
        run.clear()

    for block in section.blocks:
        if block.half is None:
            yield from done()
            yield 1, [block.full]
        else:
            run.append(block)
    yield from done()


def _is_uneven(run: Sequence[FlowBlock], sizes: FlowSizes) -> bool:
    """Return whether two tables are better one below the other than side by side."""
    halves = [block.half for block in run if block.half is not None]
    low, high = sorted(table.height(sizes) for table in halves)
    full = sum(block.full.height(sizes) for block in run) + sizes.gap
    drawn = any(table.picture for table in halves)
    return not drawn and low < UNEVEN * high and full <= MOST_HIGHER * high
