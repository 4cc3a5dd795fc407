"""Bands of a panel: whose heads stand in one line across, and how high each is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sheetgen.plan.pages.screen_blocks import BlockLayout, PanelSizes

BETWEEN: Final = 0.95
"""The least room between two bands, in sizes of words; `LOOSE` is the most."""

LOOSE: Final = 1.9

Bands = list[list[tuple[int, BlockLayout]]]
"""By band: blocks that begin in it, each with its column."""


def bands_of(sets: Sequence[Sequence[BlockLayout]]) -> Bands:
    """Return what begins in each band, from top to bottom."""
    bands: Bands = []
    for column, blocks in enumerate(sets):
        at = 0
        for one in blocks:
            bands += [[] for _ in range(at + 1 - len(bands))]
            bands[at].append((column, one))
            at += max(1, one.block.bands)
    return bands


def heights(bands: Bands, sizes: PanelSizes) -> list[float]:
    """Return how high each band is; a block of several ends where its last band does."""
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
    """Return how high all bands are, with the least room between them."""
    return sum(heights(bands, sizes)) + (len(bands) - 1) * BETWEEN * sizes.base
