"""Blocks of several panels packed into as few pages as their least type size allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.model.rulesets.prints import Panel, ScreenBlock
from sheetgen.model.source import Text
from sheetgen.plan.pages.screen_blocks import BETWEEN, LEAST, MOST, BlockLayout, PanelSizes
from sheetgen.rules.tables.compute import BlockRows

STEP: Final = 0.25
"""The step of type sizes that are tried, in points."""

COLUMNS: Final = 3

USUAL: Final = 1.5
"""The gap between two blocks, in type sizes, before rows of a page get air."""

MOST_AIR: Final = 0.42
"""The most that each row of a page gets, in type sizes."""

MORE_AIR: Final = 0.3
"""The most that rows of one column get besides, so that columns end at one height."""

EVEN: Final = 0.12
"""Columns whose heights differ by less than half of this share of the page are even."""

TRIES: Final = 4000
"""How many places are tried at most to fit blocks on a page in any order."""

_SPLIT: Final = 0.01
"""What a page's end within a panel costs, in squares of the share of a page that is empty."""


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
        pages: Each with its size, the largest that it has room for.
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
    drafts = [lay_out(PanelSizes(LEAST + at * STEP)) for at in range(_STEPS + 1)]
    return PackedPages(
        [
            _largest([draft[start:stop] for draft in drafts], high)
            for start, stop in _pages(blocks, high)
        ],
        [],
    )


_STEPS: Final = round((MOST - LEAST) / STEP)


def _pages(blocks: Sequence[PackedBlock], high: float) -> list[tuple[int, int]]:
    """Return the blocks of each page, in as few pages as possible that are about equally full."""
    sizes = PanelSizes(LEAST)
    best: list[tuple[int, float, list[tuple[int, int]]]] = [(0, 0.0, [])]
    for stop in range(1, len(blocks) + 1):
        found = []
        for start in range(stop - 1, -1, -1):
            full = sum(one.layout.height for one in blocks[start:stop]) / (COLUMNS * high)
            columns = page_columns(blocks[start:stop], sizes, high) if full <= 1 else []
            if not columns:
                break
            uneven = unevenness(columns, sizes, high)
            split = stop < len(blocks) and blocks[stop].topic is blocks[stop - 1].topic
            count, cost, pages = best[start]
            cost += (1 - full) ** 2 + uneven**2 / 3 + _SPLIT * split
            found.append((count + 1, cost, [*pages, (start, stop)]))
        best.append(min(found))
    return best[-1][2]


def _largest(
    drafts: Sequence[Sequence[PackedBlock]], high: float
) -> tuple[PanelSizes, list[PackedColumn]]:
    """Return a page in the largest size at which it holds its blocks; a draft is of each size."""
    for at in range(len(drafts) - 1, -1, -1):
        sizes = PanelSizes(LEAST + at * STEP)
        if all(_fits(one, high) for one in drafts[at]):
            columns = page_columns(drafts[at], sizes, high)
            if columns:
                return sizes, columns
    raise AssertionError("blocks of a page fit it at the least size")


def page_columns(
    blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float
) -> list[PackedColumn]:
    """Return the blocks of a page in columns, about equally high; none if they do not fit."""
    found: list[list[PackedColumn]] = []
    for fill in FILLS:
        columns = fill(blocks, sizes, high)
        if not columns:
            continue
        low, limit = max(one.layout.height for one in blocks), high
        while limit - low > 1:
            middle = (low + limit) / 2
            if tried := fill(blocks, sizes, middle):
                limit, columns = middle, tried
            else:
                low = middle
        found.append(columns)
    return min(found, key=lambda one: round(unevenness(one, sizes, high) / EVEN), default=[])


def unevenness(columns: Sequence[PackedColumn], sizes: PanelSizes, high: float) -> float:
    """Return by how much columns differ in height, as a share of the page."""
    heights = [column_height(column, sizes) for column in columns]
    return (max(heights) - (min(heights) if len(columns) == COLUMNS else 0.0)) / high


def _in_order(same: bool, further: int) -> Fill:
    def fill(blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float) -> list[PackedColumn]:
        columns = _columns(blocks, sizes, high, (further, same))
        return columns if len(columns) <= COLUMNS else []

    return fill


def _in_any_order(
    blocks: Sequence[PackedBlock], sizes: PanelSizes, high: float
) -> list[PackedColumn]:
    """Return the blocks in columns, the highest placed first and all ways tried up to a limit."""
    gap = BETWEEN * sizes.base
    heights = [one.layout.height + gap for one in blocks]
    queue = sorted(range(len(blocks)), key=lambda at: -heights[at])
    rooms, places = [high + gap] * COLUMNS, [0] * len(blocks)
    tries = TRIES

    def place(at: int) -> bool:
        nonlocal tries
        if at == len(queue):
            return True
        tries -= 1
        if tries < 0 or sum(heights[one] for one in queue[at:]) > sum(rooms):
            return False
        block = queue[at]
        for column in range(COLUMNS):
            if rooms[column] >= heights[block] and rooms[column] not in rooms[:column]:
                rooms[column] -= heights[block]
                places[block] = column
                if place(at + 1):
                    return True
                rooms[column] += heights[block]
        return False

    if not place(0):
        return []
    columns = [
        [one for one, at in zip(blocks, places, strict=True) if at == c] for c in range(COLUMNS)
    ]
    index = {id(one): at for at, one in enumerate(blocks)}
    return sorted(filter(None, columns), key=lambda column: index[id(column[0])])


Fill = Callable[[Sequence[PackedBlock], PanelSizes, float], list[PackedColumn]]

FILLS: Final = (_in_order(True, 1), _in_order(True, 4), _in_order(False, 5), _in_any_order)


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


def aired_columns(
    columns: Sequence[Sequence[PackedBlock]], sizes: PanelSizes, high: float
) -> list[PackedColumn]:
    """Return columns with the air in all rows that the height of the page allows.

    Rows of a column that ends early get a little more.
    """
    counts, spares = [], []
    for column in columns:
        counts.append(sum(len(one.layout.rows) for one in column if not one.layout.is_drawn))
        gaps = (len(column) - 1) * (USUAL - BETWEEN) * sizes.base
        spares.append(max(0.0, high - column_height(column, sizes) - gaps))
    rooms = [spare / max(1, count) for spare, count in zip(spares, counts, strict=True)]
    even = min(MOST_AIR * sizes.base, *rooms)
    aired = []
    for column, room in zip(columns, rooms, strict=True):
        air = round(min(even + MORE_AIR * sizes.base, room), 2)
        aired.append([replace(one, layout=one.layout.aired(air)) for one in column])
    return aired


def main_panels(columns: Sequence[Sequence[PackedBlock]]) -> list[PanelTopic]:
    """Return the panels that a page is called after, in reading order: those with most space."""
    high: dict[str, float] = {}
    panels: dict[str, PanelTopic] = {}
    for one in (one for column in columns for one in column):
        panels[one.topic.id] = one.topic
        high[one.topic.id] = high.get(one.topic.id, 0.0) + one.layout.height
    named = sorted(high, key=lambda id_: -high[id_])[:2]
    return [panels[id_] for id_ in panels if id_ in named]


def too_wide(one: BlockLayout) -> Finding:
    """Return the finding for a block that is wider than its column."""
    message = f"`{one.block.head}` is {one.too_wide:.0f} pt wider than its column at {LEAST:g} pt"
    hint = "show fewer columns, or give them shorter names"
    return Finding(codes.PANEL_FULL, one.block.head.span, message, hint)


def too_high(id_: Text, block: BlockLayout, over: float) -> Finding:
    """Return the finding for a block of a panel that is higher than its page."""
    message = f"the panel `{id_}` is {over:.0f} pt over its page at {LEAST:g} pt"
    hint = f"move rows of the block `{block.block.head}` to another block"
    return Finding(codes.PANEL_FULL, block.block.head.span, message, hint)
