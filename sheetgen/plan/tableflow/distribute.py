"""Distribute tables over pages that are all about equally full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sheetgen.plan.tableflow.filling import FilledLeaf, PageFiller
from sheetgen.plan.tableflow.measure import MeasuredTable
from sheetgen.plan.tableflow.pieces import FlowLeaf, FlowPaper, FlowSection
from sheetgen.plan.tableflow.sizes import FlowSizes

TALLER: Final = 2.15
"""How much higher a table may become in half the width."""

AIRS: Final = (3.0, 2.5, 2.0, 1.6, 1.2, 0.9, 0.6, 0.3, 0.0)
"""Space added around rows, the first that takes no more pages than none does."""

MOST_AIR: Final = 28
"""The most that a row of a page gets above and below, in tenths of a point."""

TIGHT: Final = -0.6
"""Space around rows where it saves a page that would hold only a table or two."""


def flow_tables(
    sections: Sequence[FlowSection], paper: FlowPaper, sizes: FlowSizes
) -> list[FlowLeaf]:
    """Return pages of one orientation, all about equally full."""
    if not sections:
        return []

    def lay(air: float, *heights: float) -> list[FilledLeaf]:
        return PageFiller(paper, sizes.aired(air), heights).lay(sections)

    usual = len(lay(0.0, paper.height))
    air = TIGHT if usual > 1 and len(lay(TIGHT, paper.height)) < usual else 0.0
    count = len(lay(air, paper.height))
    if air == 0.0:
        air = next(one for one in AIRS if len(lay(one, paper.height)) <= count)
    low, high = 0.4 * paper.height, paper.height
    while count > 1 and high - low > 6:
        middle = (low + high) / 2
        low, high = (low, middle) if len(lay(air, middle)) <= count else (middle, high)
    heights = [high] * count
    for at in range(count - 2, -1, -1):
        heights = _evened(heights, at, lambda some: lay(air, *some), paper)
    return [_aired(leaf, paper, sizes, air) for leaf in lay(air, *heights)]


def _evened(
    heights: list[float], at: int, lay: Callable[[list[float]], list[FilledLeaf]], paper: FlowPaper
) -> list[float]:
    """Return the limits of pages, with another one for this page if all are fuller with it."""

    def empty(leaves: Sequence[FilledLeaf]) -> float:
        return sum((1 - leaf.used / paper.height) ** 2 for leaf in leaves)

    leaves = lay(heights)
    best = empty(leaves)
    for share in (1.0, 0.95, 0.9, 0.85, 0.8, 0.75):
        tried = [*heights]
        tried[at] = share * paper.height
        after = lay(tried)
        if len(after) == len(leaves) and empty(after) < best - 0.001:
            best, heights = empty(after), tried
    return heights


def _aired(leaf: FilledLeaf, paper: FlowPaper, sizes: FlowSizes, air: float) -> FlowLeaf:
    """Return a page whose rows have as much air as its height allows."""
    for more in (*(air + step / 10 for step in range(MOST_AIR, 0, -2)), air):
        flow = PageFiller(paper, sizes.aired(more))
        strips, used = flow.finish(leaf)
        if used <= paper.height:
            break
    return FlowLeaf(paper.wide, paper.height, tuple(strips))


def is_half(half: MeasuredTable, full: MeasuredTable, sizes: FlowSizes) -> bool:
    """Return whether a table reads well in half the width."""
    return (
        half.fits
        and max((0, *half.lines)) <= 6
        and (half.height(sizes) <= TALLER * full.height(sizes))
    )
