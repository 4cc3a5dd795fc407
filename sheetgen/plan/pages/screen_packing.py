"""Blocks of several panels packed into as few pages as their least type size allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.screens import Panel, ScreenBlock
from sheetgen.model.source import Text
from sheetgen.plan.pages.screen_bands import BETWEEN
from sheetgen.plan.pages.screen_blocks import LEAST, MOST, BlockLayout, PanelSizes
from sheetgen.rules.tables.screen_rows import BlockRows

STEP: Final = 0.25
"""The step of type sizes that are tried, in points."""

COLUMNS: Final = 3

ORDERS: Final = ((4, True), (5, False), (8, False), (14, False), (40, False))
"""How many of the next blocks may fill what is left of a column, and whether only those of the
same panel: the first order that needs no more pages than any other is used."""


@dataclass(frozen=True, slots=True)
class PanelTopic:
    """A panel of the ruleset, which may share pages with others.

    Attributes:
        side: The label of its side.
        columns: Its blocks, with their rows.
        fixed: Whether it has a page of its own, its columns as they are written: blocks without
            a heading continue those beside them.
    """

    side: str
    id: Text
    panel: Panel
    columns: list[list[tuple[ScreenBlock, BlockRows]]]
    fixed: bool


@dataclass(frozen=True, slots=True)
class PackedBlock:
    """A block, and the panel that it is from."""

    topic: PanelTopic
    layout: BlockLayout


PackedColumn = list[PackedBlock]

LayOut = Callable[[PanelSizes], list[PackedBlock]]
"""Return all blocks in reading order, at one size."""


@dataclass(frozen=True, slots=True)
class PackedPages:
    """Pages of columns.

    Attributes:
        pages: Each with its size: those with space left are larger.
        misfits: Blocks that are too wide or too high even at the least size.
    """

    pages: list[tuple[PanelSizes, list[PackedColumn]]]
    misfits: list[PackedBlock]


def pack_blocks(lay_out: LayOut, high: float) -> PackedPages:
    """Return blocks in columns of `high`, in as few pages as possible and as large as possible."""
    least = PanelSizes(LEAST)
    blocks = lay_out(least)
    misfits = [one for one in blocks if not _fits(one, high)]
    if misfits or not blocks:
        return PackedPages([], misfits)
    counts = [_page_count(_columns(blocks, least, high, order)) for order in ORDERS]
    count = min(counts)
    orders = [order for order, pages in zip(ORDERS, counts, strict=True) if pages == count]
    size = MOST
    while size > LEAST:
        sizes = PanelSizes(size)
        blocks = lay_out(sizes)
        fits = all(_fits(one, high) for one in blocks)
        if fits and any(_page_count(_columns(blocks, sizes, high, o)) <= count for o in orders):
            break
        size = max(LEAST, size - STEP)
    sizes = PanelSizes(size)
    blocks = lay_out(sizes)
    ways = [_balance(blocks, sizes, high, order, count) for order in orders]
    columns = max(
        (one for one in ways if _page_count(one) <= count),
        key=lambda one: min(column_height(column, sizes) for column in one),
    )
    pages = [columns[at : at + COLUMNS] for at in range(0, len(columns), COLUMNS)]
    return PackedPages([_enlarge(page, sizes, lay_out, high) for page in pages], [])


def _balance(
    blocks: Sequence[PackedBlock],
    sizes: PanelSizes,
    high: float,
    order: tuple[int, bool],
    count: int,
) -> list[PackedColumn]:
    """Return blocks in the lowest columns that need no more than `count` pages, or in full ones."""
    low, limit = max(one.layout.height for one in blocks), high
    while limit - low > 1:
        middle = (low + limit) / 2
        if len(_columns(blocks, sizes, middle, order)) <= count * COLUMNS:
            limit = middle
        else:
            low = middle
    return _columns(blocks, sizes, limit, order)


def _enlarge(
    page: list[PackedColumn], sizes: PanelSizes, lay_out: LayOut, high: float
) -> tuple[PanelSizes, list[PackedColumn]]:
    """Return a page in the largest size at which each column still has the same blocks."""
    size = sizes.base + STEP
    while size <= MOST:
        larger = PanelSizes(size)
        blocks = {(id(one.topic), id(one.layout.block)): one for one in lay_out(larger)}
        columns = [[blocks[id(one.topic), id(one.layout.block)] for one in c] for c in page]
        fits = all(_fits(one, high) for column in columns for one in column)
        if not fits or any(column_height(column, larger) > high for column in columns):
            break
        sizes, page = larger, columns
        size += STEP
    return sizes, page


def _page_count(columns: Sequence[PackedColumn]) -> int:
    return -(-len(columns) // COLUMNS)


def _fits(one: PackedBlock, high: float) -> bool:
    return one.layout.too_wide <= 0.05 and one.layout.height <= high


def column_height(column: Sequence[PackedBlock], sizes: PanelSizes) -> float:
    """Return the height of a column with the least gaps between its blocks."""
    gaps = (len(column) - 1) * BETWEEN * sizes.base
    return sum(one.layout.height for one in column) + gaps


def _columns(
    blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float, order: tuple[int, bool]
) -> list[PackedColumn]:
    """Return blocks in columns; the highest that fits moves before one that does not."""
    further, same = order
    rest: list[PackedBlock] = [*blocks]
    columns: list[PackedColumn] = [[]]
    while rest:
        left = high - column_height(columns[-1], sizes)
        left -= BETWEEN * sizes.base if columns[-1] else 0.0
        if rest[0].layout.height <= left:
            columns[-1].append(rest.pop(0))
            continue
        near = [one for one in rest[:further] if not same or one.topic is rest[0].topic]
        fitting = [one for one in near if one.layout.height <= left]
        if fitting:
            best = max(fitting, key=lambda one: one.layout.height)
            columns[-1].append(best)
            rest = [one for one in rest if one is not best]
        else:
            columns.append([])
    return columns


def too_wide(one: BlockLayout) -> Finding:
    """Return the finding for a block that is wider than its column."""
    message = f"`{one.block.head}` is {one.too_wide:.0f} pt wider than its column at {LEAST:g} pt"
    hint = "show fewer columns, or give them shorter names"
    return Finding(codes.PANEL_FULL, one.block.head.span, message, hint)


def too_high(id_: Text, block: BlockLayout, over: float) -> Finding:
    """Return the finding for a block of a panel that is higher than its page."""
    message = f"the panel `{id_}` is {over:.0f} pt over its page at {LEAST:g} pt"
    hint = f"move rows of the block `{block.block.head}` to another block"
    span = block.block.head.span
    return Finding(codes.PANEL_FULL, span if isinstance(span, Span) else id_.span, message, hint)
