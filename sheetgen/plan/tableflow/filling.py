"""Distribute tables over pages that are all about equally full."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.plan.pages.tables import TableView
from sheetgen.plan.tableflow.columns import FlowSizes, MeasuredTable

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


# Fill pages with tables from top to bottom, in one or two columns.


LEAST_ROWS: Final = 4
"""A table is broken only where at least as many rows are left on both sides."""

LEAST_BESIDE: Final = 2
"""The least rows of a table that continues in the next column."""

LEAST_STRIP: Final = 72.0
"""The least height of columns below the title of a section, before a page ends."""

CANDIDATES: Final = 5
"""How many of a section's next tables may fill what is left of a column."""

LEVEL: Final = (1.2, 1.0, 0.8, 0.6, 0.4, 0.2)
"""Space added around the rows of a column that is lower than the one beside it."""

MORE_GAP: Final = 16.0
"""The most that a gap between tables grows so that columns end at one height."""

_Queue = list[tuple[MeasuredTable, int]]
"""What is left to place: tables, each with the first row that is."""

_Piece = tuple[MeasuredTable, int, int, float, float]

_Pieces = list[_Piece]
"""A table, its first row, the row after its last one, its top and its height."""


@dataclass(frozen=True, slots=True)
class FilledStrip:
    """Pieces in columns, of which only the rows are known."""

    section: FlowSection | None
    continued: bool
    head: float
    columns: list[_Pieces]


@dataclass
class FilledLeaf:
    """A page that is being filled, and how much of its height is used."""

    strips: list[FilledStrip] = field(default_factory=list)
    used: float = 0.0


class PageFiller:
    """Fill pages of a height from top to bottom."""

    def __init__(self, paper: FlowPaper, sizes: FlowSizes, heights: Sequence[float] = ()) -> None:
        self.paper, self.sizes, self.heights = paper, sizes, heights
        self.leaves: list[FilledLeaf] = []

    def lay(self, sections: Sequence[FlowSection]) -> list[FilledLeaf]:
        """Return pages with all tables of all sections."""
        self.leaves = [FilledLeaf()]
        for section in sections:
            wide = {id(block.half): block.full for block in section.blocks if block.half}
            for number, (count, tables) in enumerate(column_strips(section, self.sizes)):
                self._place(section, count, tables, wide, title=number > 0)
        return self.leaves

    def _place(
        self,
        section: FlowSection,
        count: int,
        tables: Sequence[MeasuredTable],
        wide: Mapping[int, MeasuredTable],
        *,
        title: bool,
    ) -> None:
        """Place tables of a section in columns, over as many pages as they need.

        Args:
            wide: Tables in the width of the page, by the ids of those of half the width.
            title: Whether the title of the section is already placed.
        """
        queue: _Queue = [(table, 0) for table in tables]
        while queue:
            leaf = self.leaves[-1]
            fresh = not leaf.strips
            head = 0.0 if title and not fresh else section.again if title else section.above
            gap = 0.0 if fresh else self._gap(head)
            room = self._limit() - leaf.used - gap - head
            columns, rest = self._fill(queue, count, room, fresh=fresh)
            if not any(columns):
                self.leaves.append(FilledLeaf())
                continue
            if sum(map(bool, columns)) < count and not any(t.picture for t, *_ in columns[0]):
                columns = [self._in_full_width(columns[0], wide)]
            strip = FilledStrip(section if head else None, title, head, columns)
            leaf.strips.append(strip)
            leaf.used += gap + head + self._high(*columns)
            title, queue = True, rest
            if rest:
                self.leaves.append(FilledLeaf())

    def _in_full_width(self, column: _Pieces, wide: Mapping[int, MeasuredTable]) -> _Pieces:
        """Return pieces of a column that has none beside it, with tables as wide as the page."""
        return self._stacked(
            [(wide[id(table)], start, stop, 0.0, 0.0) for table, start, stop, *_ in column]
        )

    def _limit(self) -> float:
        """Return the height that is filled of the last page; the last limit is for all others."""
        return self.heights[min(len(self.leaves), len(self.heights)) - 1]

    def _gap(self, head: float) -> float:
        return self.sizes.gap * (1.7 if head else 1.0)

    def finish(self, leaf: FilledLeaf) -> tuple[list[FlowStrip], float]:
        """Return the strips of a page with places for all pieces, and the height of all."""
        strips: list[FlowStrip] = []
        top = 0.0
        for strip in leaf.strips:
            top += self._gap(strip.head) if strips else 0.0
            columns = [self._stacked(column) for column in strip.columns]
            high = self._high(*columns)
            placed = tuple(
                self._column(column, at, len(columns), high) for at, column in enumerate(columns)
            )
            height = strip.head + high
            strips.append(
                FlowStrip(round(top, 2), strip.head, height, placed, strip.section, strip.continued)
            )
            top += height
        return strips, top

    def _stacked(self, column: _Pieces) -> _Pieces:
        """Return pieces one below the other, with the heights of these sizes."""
        placed: _Pieces = []
        top = 0.0
        for table, start, stop, *_ in column:
            high = table.height(self.sizes, start, stop)
            placed.append((table, start, stop, top, high))
            top += high + self.sizes.gap
        return placed

    def _fill(
        self, queue: _Queue, count: int, room: float, *, fresh: bool
    ) -> tuple[list[_Pieces], _Queue]:
        """Return the pieces of each column in `room`, of about equal height, and what is left."""
        if not fresh and room < min(LEAST_STRIP, self._least(queue)):
            return [[] for _ in range(count)], queue
        columns, rest = self._columns(queue, count, room, fresh=fresh)
        if rest or count == 1:
            return columns, rest
        low, high = 0.0, self._high(*columns)
        while high - low > 2:
            middle = (low + high) / 2
            tried, left = self._columns(queue, count, middle, fresh=False)
            if left:
                low = middle
            else:
                high, columns = middle, tried
        return columns, []

    def _least(self, queue: _Queue) -> float:
        table, start = queue[0]
        stop = len(table.lines)
        if self._may_break(table):
            stop = min(stop, start + LEAST_ROWS)
        return table.height(self.sizes, start, stop)

    def _columns(
        self, queue: _Queue, count: int, room: float, *, fresh: bool
    ) -> tuple[list[_Pieces], _Queue]:
        rest, columns = [*queue], []
        for _ in range(count):
            column, rest = self._one_column(rest, room, fresh=fresh)
            columns.append(column)
        return columns, rest

    def _one_column(self, queue: _Queue, room: float, *, fresh: bool) -> tuple[_Pieces, _Queue]:
        pieces: _Pieces = []
        rest, top = [*queue], 0.0
        while rest:
            table, start = rest[0]
            gap = self.sizes.gap if pieces else 0.0
            stop = len(table.lines)
            left = room - top - gap
            if table.height(self.sizes, start, stop) > left and not start:
                rest = self._fitting_first(rest, left)
                table, start = rest[0]
                stop = len(table.lines)
            if table.height(self.sizes, start, stop) > left:
                forced = fresh and not pieces
                stop = self._break(table, start, left, forced=forced)
                if stop <= start and not (forced and not table.lines):
                    break
            high = table.height(self.sizes, start, stop)
            pieces.append((table, start, stop, top + gap, high))
            top += gap + high
            if stop < len(table.lines):
                rest[0] = table, stop
                break
            rest = rest[1:]
        return pieces, rest

    def _fitting_first(self, queue: _Queue, room: float) -> _Queue:
        """Return the queue with the first of its next tables that fits a column as its head."""
        for at, (table, start) in enumerate(queue[:CANDIDATES]):
            if table.height(self.sizes, start) <= room:
                return [queue[at], *queue[:at], *queue[at + 1 :]]
        return queue

    def _may_break(self, table: MeasuredTable) -> bool:
        return len(table.lines) >= LONG_TABLE or table.height(self.sizes) > self.paper.height - 60

    def _break(self, table: MeasuredTable, start: int, room: float, *, forced: bool) -> int:
        """Return before which row a table is broken; `start` if it does not begin here."""
        total = len(table.lines)
        if not forced and not self._may_break(table):
            return start
        if forced and table.height(self.sizes, start) <= room:
            return total
        first = LEAST_BESIDE if start else LEAST_ROWS
        tries = ((first, LEAST_ROWS), (1, 0)) if forced else ((first, LEAST_ROWS),)
        for least, rest in tries:
            for stop in range(total - rest, start + least - 1, -1):
                if table.height(self.sizes, start, stop) <= room:
                    return stop
        return min(total, start + 1) if forced else start

    def _high(self, *columns: _Pieces) -> float:
        return max((top + high for column in columns for *_, top, high in column), default=0.0)

    def _column(self, pieces: _Pieces, at: int, count: int, high: float) -> FlowColumn:
        """Return a column; spare space is added around its rows, and the rest to its gaps."""
        width = self.paper.width if count == 1 else self.paper.half
        sizes = self.sizes
        for air in LEVEL:
            flow = PageFiller(self.paper, self.sizes.aired(air))
            airy = flow._stacked(pieces)
            if flow._high(airy) <= high:
                pieces, sizes = airy, flow.sizes
                break
        spare = high - self._high(pieces)
        more = min(MORE_GAP, spare / max(1, len(pieces) - 1))
        return FlowColumn(
            at * (width + self.paper.gutter),
            width,
            tuple(
                self._piece(piece, round(piece[3] + place * more, 2), overleaf=at == count - 1)
                for place, piece in enumerate(pieces)
            ),
            sizes,
        )

    def _piece(self, piece: _Piece, top: float, *, overleaf: bool) -> FlowPiece:
        table, start, stop, *_ = piece
        view, last = table.view, stop == len(table.lines)
        if start or not last:
            view = replace(view, parts=table.parts(start, stop))
        if not last:
            view = replace(view, notes=(), text="")
        goes_on = "goes on overleaf" if overleaf and not last else ""
        return FlowPiece(table, view, top, goes_on, continued=start > 0)


# Which tables of a section are side by side, and which are as wide as the page.


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


# Pages of tables: sections to distribute, and pieces of tables at their places; in points.


@dataclass(frozen=True, slots=True)
class FlowBlock:
    """A table measured for half the width of the page, if it fits there, and for all of it."""

    half: MeasuredTable | None
    full: MeasuredTable


@dataclass(frozen=True, slots=True)
class FlowSection:
    """Tables below one title.

    Attributes:
        above: The height of its title line.
        again: The height of its title line on a page that it continues on.
    """

    label: str
    about: str
    blocks: tuple[FlowBlock, ...]
    above: float
    again: float
    wide: bool = False
    tight: bool = False


@dataclass(frozen=True, slots=True)
class FlowPiece:
    """Rows of a table at their place in a column.

    Attributes:
        table: The table with all rows, and the widths of its columns.
        view: The table with only these rows; notes are with the last ones.
        goes_on: The text below rows that are not the last, such as `goes on overleaf`.
        continued: Whether other pieces of the table are before this one.
    """

    table: MeasuredTable
    view: TableView
    top: float
    goes_on: str = ""
    continued: bool = False


@dataclass(frozen=True, slots=True)
class FlowColumn:
    """Pieces one below the other, with the sizes of their rows."""

    left: float
    width: float
    pieces: tuple[FlowPiece, ...]
    sizes: FlowSizes


@dataclass(frozen=True, slots=True)
class FlowStrip:
    """Columns side by side below the title of a section, if one starts or continues here.

    Attributes:
        head: The height of the title, which is above the columns.
    """

    top: float
    head: float
    height: float
    columns: tuple[FlowColumn, ...]
    section: FlowSection | None = None
    continued: bool = False


@dataclass(frozen=True, slots=True)
class FlowLeaf:
    """A page of this height."""

    wide: bool
    height: float
    strips: tuple[FlowStrip, ...]

    @property
    def origins(self) -> tuple[str, ...]:
        """The titles of the overlays that tables of this page come from."""
        views = (p.view for s in self.strips for c in s.columns for p in c.pieces)
        return tuple(dict.fromkeys(view.origin for view in views if view.origin))


@dataclass(frozen=True, slots=True)
class FlowPaper:
    """The room on pages of one orientation."""

    width: float
    height: float
    gutter: float
    wide: bool

    @property
    def half(self) -> float:
        """The width of one of two columns."""
        return (self.width - self.gutter) / 2
