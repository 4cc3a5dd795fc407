"""Distribute tables over pages that are all about equally full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

from sheetgen.plan.fit import find_lowest
from sheetgen.plan.pages.tables import TableView
from sheetgen.plan.tableflow.columns import FlowSizes, MeasuredTable
from sheetgen.records import frozen


def flow_tables(
    sections: Sequence[FlowSection], paper: FlowPaper, sizes: FlowSizes
) -> list[FlowLeaf]:
    """Return pages of one orientation, all about equally full."""
    if not sections:
        return []

    def lay(air: float, *heights: float) -> list[FilledLeaf]:
        return PageFiller(paper, sizes.aired(air), heights).lay(sections)

    usual = len(lay(0.0, paper.height))
    # Less space around rows may save a page that would hold only a table or two.
    air = -0.6 if usual > 1 and len(lay(-0.6, paper.height)) < usual else 0.0
    count = len(lay(air, paper.height))
    if air == 0.0:
        airs = (3.0, 2.5, 2.0, 1.6, 1.2, 0.9, 0.6, 0.3, 0.0)
        air = next(one for one in airs if len(lay(one, paper.height)) <= count)
    high = paper.height
    if count > 1:

        def limited(limit: float) -> float | None:
            return limit if len(lay(air, limit)) <= count else None

        high = find_lowest(limited, 0.4 * high, high, 6) or high
    leaves, heights = lay(air, *[high] * count), [high] * count

    # From the last page but one up, each has another limit if all pages are fuller with it.
    for at in range(count - 2, -1, -1):
        before = heights
        for share in (1.0, 0.95, 0.9, 0.85, 0.8, 0.75):
            tried = [*before[:at], share * paper.height, *before[at + 1 :]]
            after = lay(air, *tried)
            if len(after) == len(leaves) and _empty(after, paper) < _empty(leaves, paper) - 0.001:
                leaves, heights = after, tried
    made = []
    for leaf in leaves:  # rows have as much air as the height of the page allows
        for more in (*(air + step / 10 for step in range(28, 0, -2)), air):
            strips, used = PageFiller(paper, sizes.aired(more)).finish(leaf)
            if used <= paper.height:
                break
        made.append(FlowLeaf(paper.wide, paper.height, tuple(strips)))
    return made


def _empty(leaves: Sequence[FilledLeaf], paper: FlowPaper) -> float:
    return sum((1 - leaf.used / paper.height) ** 2 for leaf in leaves)


def is_half(half: MeasuredTable, full: MeasuredTable, sizes: FlowSizes) -> bool:
    """Return whether a table reads well in half the width."""
    return (
        half.fits and max((0, *half.lines)) <= 6 and half.height(sizes) <= 2.15 * full.height(sizes)
    )


LEAST_ROWS: Final = 4
"""A table is broken only where at least as many rows are left on both sides."""

_Queue = list[tuple[MeasuredTable, int]]
"""What is left to place: tables, each with the first row that is."""

_Pieces = list[tuple[MeasuredTable, int, int, float, float]]
"""A table, its first row, the row after its last one, its top and its height."""


@frozen
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
            # The last limit is for all further pages.
            limit = self.heights[min(len(self.leaves), len(self.heights)) - 1]
            room = limit - leaf.used - gap - head
            columns, rest = self._fill(queue, count, room, fresh=fresh)
            if not any(columns):
                self.leaves.append(FilledLeaf())
                continue
            if sum(map(bool, columns)) < count and not any(t.picture for t, *_ in columns[0]):
                # No column is beside the first one, so its tables are as wide as the page.
                full = [(wide[id(t)], start, stop, 0.0, 0.0) for t, start, stop, *_ in columns[0]]
                columns = [self._stacked(full)]
            strip = FilledStrip(section if head else None, title, head, columns)
            leaf.strips.append(strip)
            leaf.used += gap + head + self._high(*columns)
            title, queue = True, rest
            if rest:
                self.leaves.append(FilledLeaf())

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
        table, start = queue[0]
        stop = start + LEAST_ROWS if self._may_break(table) else len(table.lines)
        least = table.height(self.sizes, start, min(stop, len(table.lines)))
        if not fresh and room < min(72.0, least):  # lower columns end the page
            return [[] for _ in range(count)], queue

        def filled(high: float, fresh: bool) -> tuple[list[_Pieces], _Queue]:
            rest, columns = [*queue], []
            for _ in range(count):
                column, rest = self._one_column(rest, high, fresh=fresh)
                columns.append(column)
            return columns, rest

        columns, rest = filled(room, fresh)
        if rest or count == 1:
            return columns, rest

        def complete(high: float) -> list[_Pieces] | None:
            tried, left = filled(high, False)
            return None if left else tried

        return find_lowest(complete, 0.0, self._high(*columns), 2) or columns, []

    def _one_column(self, queue: _Queue, room: float, *, fresh: bool) -> tuple[_Pieces, _Queue]:
        pieces: _Pieces = []
        rest, top = [*queue], 0.0
        while rest:
            table, start = rest[0]
            gap = self.sizes.gap if pieces else 0.0
            stop = len(table.lines)
            left = room - top - gap
            if table.height(self.sizes, start, stop) > left and not start:
                # The first of the next five tables that fits the column goes before.
                for at, (other, first) in enumerate(rest[:5]):
                    if other.height(self.sizes, first) <= left:
                        rest = [rest[at], *rest[:at], *rest[at + 1 :]]
                        break
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

    def _may_break(self, table: MeasuredTable) -> bool:
        return len(table.lines) >= LONG_TABLE or table.height(self.sizes) > self.paper.height - 60

    def _break(self, table: MeasuredTable, start: int, room: float, *, forced: bool) -> int:
        """Return before which row a table is broken; `start` if it does not begin here."""
        total = len(table.lines)
        if not forced and not self._may_break(table):
            return start
        if forced and table.height(self.sizes, start) <= room:
            return total
        first = 2 if start else LEAST_ROWS
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
        for air in (1.2, 1.0, 0.8, 0.6, 0.4, 0.2):
            flow = PageFiller(self.paper, self.sizes.aired(air))
            airy = flow._stacked(pieces)
            if flow._high(airy) <= high:
                pieces, sizes = airy, flow.sizes
                break
        spare = high - self._high(pieces)
        more = min(16.0, spare / max(1, len(pieces) - 1))
        placed = []
        for place, (table, start, stop, top, _) in enumerate(pieces):
            view, last = table.view, stop == len(table.lines)
            if start or not last:
                view = replace(view, parts=table.parts(start, stop))
            if not last:
                view = replace(view, notes=(), text="")
            goes_on = "" if last or at < count - 1 else "goes on overleaf"
            top = round(top + place * more, 2)
            placed.append(FlowPiece(table, view, top, goes_on, continued=start > 0))
        return FlowColumn(at * (width + self.paper.gutter), width, tuple(placed), sizes)


LONG_TABLE: Final = 14
"""A table with fewer rows than this is broken only if no page is high enough for it."""


def column_strips(
    section: FlowSection, sizes: FlowSizes
) -> Iterator[tuple[int, list[MeasuredTable]]]:
    """Yield tables that are in columns together, with how many columns they have."""
    for halved, group in groupby(section.blocks, key=lambda block: block.half is not None):
        run = [*group]
        halves = [block.half for block in run if block.half is not None]
        full = [block.full for block in run]
        if not halved:
            yield from ((1, [table]) for table in full)
            continue
        short = len(run) == 1 and len(halves[0].lines) < LONG_TABLE
        stacked = short or (len(run) == 2 and _is_uneven(halves, full, sizes))
        drawn = any(table.picture for table in halves)
        yield (1, full) if stacked and not drawn else (2, halves)


def _is_uneven(
    halves: Sequence[MeasuredTable], full: Sequence[MeasuredTable], sizes: FlowSizes
) -> bool:
    """Return whether two tables are better one below the other than side by side.

    The lower one would leave its column half empty, and both are not much higher in full width.
    """
    low, high = sorted(table.height(sizes) for table in halves)
    below = sum(table.height(sizes) for table in full) + sizes.gap
    return low < 0.6 * high and below <= 1.25 * high


@frozen
class FlowBlock:
    """A table measured for half the width of the page, if it fits there, and for all of it."""

    half: MeasuredTable | None
    full: MeasuredTable


@frozen
class FlowSection:
    """Tables below one title.

    Attributes:
        above: The height of its title line.
        again: The height of its title line on a page that it continues on.
        named, remark: The sizes of its name and of the remark beside it.
        folded: Whether the name is broken.
    """

    label: str
    about: str
    blocks: tuple[FlowBlock, ...]
    above: float
    again: float
    wide: bool = False
    tight: bool = False
    named: float = 0.0
    remark: float = 0.0
    folded: bool = False


@frozen
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


@frozen
class FlowColumn:
    """Pieces one below the other, with the sizes of their rows."""

    left: float
    width: float
    pieces: tuple[FlowPiece, ...]
    sizes: FlowSizes


@frozen
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


@frozen
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


@frozen
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
