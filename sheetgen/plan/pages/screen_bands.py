"""Bands of a panel, across its columns: the blocks that start in each, and its height."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sheetgen.plan.pages.screen_blocks import BlockLayout
from sheetgen.plan.pages.screen_lines import PanelSizes

BETWEEN: Final = 0.85
"""The least gap between two bands, in type sizes; `LOOSE` is the largest."""

LOOSE: Final = 2.6

Bands = list[list[tuple[int, BlockLayout]]]
"""For each band, the blocks that start in it, each with its column."""


def bands_of(sets: Sequence[Sequence[BlockLayout]]) -> Bands:
    """Return the blocks that start in each band, from top to bottom."""
    bands: Bands = []
    for column, blocks in enumerate(sets):
        at = 0
        for one in blocks:
            bands += [[] for _ in range(at + 1 - len(bands))]
            bands[at].append((column, one))
            at += max(1, one.block.bands)
    return bands


def heights(bands: Bands, sizes: PanelSizes) -> list[float]:
    """Return the height of each band; a block over several bands ends with the last of them."""
    high = [0.0] * len(bands)
    gap = BETWEEN * sizes.base
    for at, band in enumerate(bands):
        for _, one in band:
            if one.block.bands <= 1:
                high[at] = max(high[at], one.height)
    for at, band in enumerate(bands):
        for _, one in band:
            last = min(at + max(1, one.block.bands), len(bands))
            there = sum(high[at:last]) + (last - at - 1) * gap
            high[last - 1] += max(0.0, one.height - there)
    return high


def bands_height(bands: Bands, sizes: PanelSizes) -> float:
    """Return the height of all bands with the least gaps between them."""
    return sum(heights(bands, sizes)) + (len(bands) - 1) * BETWEEN * sizes.base
