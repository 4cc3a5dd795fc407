"""Pages that are worked out from a ruleset alone: which part stands where, engine-free.

A sheet whose `sheet.yaml` has `flow` is told `flow`: pages of bands. A band holds columns of
one width, and these hold blocks, or the rows of one block. How high everything is says `flow`
too, so that style sheets and this arithmetic agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

GRID: Final = 12
"""Columns of the grid."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SheetBlock:
    """A part of a sheet: a head, and rows below it.

    Attributes:
        kind: Which macro of the template draws it.
        height: Of its head, or of all of it where it has no rows.
        span: How many columns of the grid it needs.
        live: Whether it is touched in play, and bears an index tick.
        grows: How many empty rows like its last may be added where there is room.
    """

    kind: str
    title: str
    height: float
    span: int = 4
    rows: tuple[Row, ...] = ()
    live: bool = False
    grows: int = 0
    hint: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> float:
        """How high it is with its rows."""
        return self.height + sum(float(row["height"]) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Band:
    """What stands across a page.

    Attributes:
        kind: `flow`: columns of blocks; `spread`: one block, its rows in columns; or a macro.
        columns: Blocks, or rows.
        before: The gap above it.
    """

    kind: str
    span: int
    height: float
    columns: tuple[tuple[Any, ...], ...]
    before: float
    block: SheetBlock | None = None


@dataclass
class SheetPage:
    """A page with what is left of its height."""

    left: float
    bands: list[Band] = field(default_factory=list)


def shares(heights: Sequence[float], columns: int, gap: float) -> list[int]:
    """Return how many of `heights`, in order, go into each column, so that the highest is least."""

    def filled(most: float) -> list[int]:
        counts, top = [0], 0.0
        for height in heights:
            need = height + (gap if counts[-1] else 0)
            if counts[-1] and top + need > most + 0.01:
                counts.append(0)
                top, need = 0.0, height
            counts[-1] += 1
            top += need
        return counts

    if not heights:
        return []
    edges = range(len(heights))
    sums = {
        sum(heights[i:j]) + gap * (j - i - 1) for i in edges for j in range(i + 1, len(heights) + 1)
    }
    fits = (most for most in sorted(sums) if len(filled(most)) <= columns)
    return filled(next(fits))


def cut(things: Sequence[Any], counts: Iterable[int]) -> tuple[tuple[Any, ...], ...]:
    """Return `things` in runs of `counts`."""
    runs, start = [], 0
    for count in counts:
        runs.append(tuple(things[start : start + count]))
        start += count
    return tuple(runs)


class PageLayout:
    """Puts bands on pages, from the top."""

    def __init__(self, first: float, later: float, gap: float) -> None:
        self.pages = [SheetPage(first)]
        self.later = later
        self.gap = gap
        self.pending: list[SheetBlock] = []

    @property
    def page(self) -> SheetPage:
        """The page that is being filled."""
        return self.pages[-1]

    @property
    def room(self) -> float:
        """What is left of it for a band, its gap taken off."""
        return self.page.left - self.gap

    def turn(self) -> None:
        """Begin a page."""
        self.pages.append(SheetPage(self.later))

    def put(self, band: Band) -> None:
        """Add a band; on a new page, if there is no room."""
        self.flush()
        if band.height > self.room and self.page.bands:
            self.turn()
        self.page.bands.append(band)
        self.page.left -= band.height + self.gap

    def pend(self, *blocks: SheetBlock) -> None:
        """Keep blocks, to be put side by side with those before and after them."""
        self.pending += blocks

    def flush(self) -> None:
        """Put what is kept in columns, as wide as the widest needs and as there are blocks for."""
        blocks, self.pending = self.pending, []
        if not blocks:
            return
        if len(blocks) == 1 and blocks[0].kind == "rows":
            self.spread(blocks[0])
            return
        fewest = min(GRID // block.span for block in blocks)
        self.flow(blocks, GRID // min(fewest, len(blocks)))

    def flow(self, blocks: Sequence[SheetBlock], span: int) -> None:
        """Add blocks in columns of `span`; those that find no room go overleaf."""
        self.flush()
        rest = list(blocks)
        while rest:
            for count in range(len(rest), 0, -1):
                band = self._columns(rest[:count], span)
                if band.height <= self.room or (count == 1 and not self.page.bands):
                    break
            else:
                self.turn()
                continue
            self.put(band)
            rest = rest[count:]

    def height(self, blocks: Sequence[SheetBlock], span: int) -> float:
        """Return how high `blocks` are in columns of `span`."""
        return self._columns(blocks, span).height

    def _columns(self, blocks: Sequence[SheetBlock], span: int) -> Band:
        heights = [block.total for block in blocks]
        columns = cut(blocks, shares(heights, GRID // span, self.gap))
        tallest = max(
            sum(b.whole for b in column) + self.gap * (len(column) - 1) for column in columns
        )
        return Band("flow", span, tallest, columns, self.gap)

    def spread(self, block: SheetBlock) -> None:
        """Add a block whose rows stand in columns; what finds no room goes on overleaf."""
        self.flush()
        rest, title = list(block.rows), block.title
        across = GRID // block.span
        while rest:
            high = max(row["height"] for row in rest)
            deep = -(-len(rest) // across)
            fit = int((self.room - block.height + 0.01) // high)
            if fit < min(deep, 3) and self.page.bands:
                self.turn()
                continue
            deep = min(deep, max(1, fit))
            now, rest = rest[: deep * across], rest[deep * across :]
            columns = tuple(tuple(now[i : i + deep]) for i in range(0, len(now), deep))
            part = replace(block, title=title, rows=tuple(now))
            height = block.height + deep * high
            self.put(Band("spread", block.span, height, columns, self.gap, part))
            title = f"{block.title}, continued"

    def grow(self) -> None:
        """Let the blocks that may grow take what is left of their pages."""
        self.flush()
        for page in self.pages:
            for place, band in enumerate(page.bands):
                made = _spread_out(page, band) if band.kind == "spread" else band
                page.bands[place] = _grown(page, made, self.gap) if band.kind == "flow" else made


def _spread_out(page: SheetPage, band: Band) -> Band:
    """Return a block in columns with as many more rows as find room, each column alike."""
    block = band.block
    if block is None or not block.grows or page.left < 0:
        return band
    last = block.rows[-1]
    across = GRID // band.span
    deep = min(block.grows, int(page.left // last["height"]))
    count = (len(band.columns[0]) + deep) * across - len(block.rows)
    rows = (*block.rows, *({**last, "n": last["n"] + k} for k in range(1, count + 1)))
    deep = len(rows) // across
    columns = tuple(rows[i : i + deep] for i in range(0, len(rows), deep))
    more = (deep - len(band.columns[0])) * last["height"]
    page.left -= more
    return replace(band, height=band.height + more, columns=columns)


def _grown(page: SheetPage, band: Band, gap: float) -> Band:
    """Return columns whose last blocks have more rows, to one height, if there is room."""
    if not any(column[-1].grows for column in band.columns):
        return band
    ends = [column[-1] for column in band.columns if column[-1].grows]
    high = max(end.rows[-1]["height"] for end in ends)
    spare = min(page.left, max(end.grows for end in ends) * high)
    tops = [sum(b.whole for b in c) + gap * (len(c) - 1) for c in band.columns]
    most = band.height + max(0, int(spare // high)) * high
    columns = tuple(
        (*column[:-1], _longer(column[-1], most - top))
        for column, top in zip(band.columns, tops, strict=True)
    )
    page.left -= most - band.height
    return replace(band, height=most, columns=columns)


def _longer(block: SheetBlock, room: float) -> SheetBlock:
    """Return `block` with as many empty rows as it may have in `room`."""
    if not block.grows:
        return block
    last = block.rows[-1]
    count = int((room + 0.01) // last["height"])
    added = tuple({**last, "n": last["n"] + k} for k in range(1, count + 1))
    return replace(block, rows=(*block.rows, *added))
