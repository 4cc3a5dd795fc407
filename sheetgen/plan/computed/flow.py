"""Layout of a sheet computed from a ruleset alone: pages, bands, columns and blocks.

The template of a sheet whose `sheet.yaml` has `flow` gets these pages as `flow`. A band has
columns of one width, with blocks or with the rows of one block. Heights come from the same
`flow`, so that style sheets and this arithmetic agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sheetgen.model.rulesets.ruleset import Ruleset

GRID: Final = 12
"""Columns of the grid."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SheetBlock:
    """A block of a sheet: a head, and rows below it.

    Attributes:
        kind: The macro of the template that draws it.
        height: The height of its head, or of the whole block if it has no rows.
        span: How many columns of the grid it needs.
        live: Whether it is used in play, and has an index tick.
        grows: How many empty rows like its last may be added if there is space.
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
        """The height with all rows."""
        return self.height + sum(float(row["height"]) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Band:
    """A strip across a page.

    Attributes:
        kind: `flow` for columns of blocks, `spread` for one block with its rows in columns, or
            the name of a macro.
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
    """A page, and the height that is left on it."""

    left: float
    bands: list[Band] = field(default_factory=list)


def shares(heights: Sequence[float], columns: int, gap: float) -> list[int]:
    """Return how many of `heights` go into each column, in order; the columns are balanced."""

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
    """Places bands on pages from the top."""

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
        """The height left on the page for a band, without the gap above it."""
        return self.page.left - self.gap

    def turn(self) -> None:
        """Start a new page."""
        self.pages.append(SheetPage(self.later))

    def put(self, band: Band) -> None:
        """Add a band, on a new page if it does not fit."""
        self.flush()
        if band.height > self.room and self.page.bands:
            self.turn()
        self.page.bands.append(band)
        self.page.left -= band.height + self.gap

    def pend(self, *blocks: SheetBlock) -> None:
        """Queue blocks, to be placed side by side with those before and after them."""
        self.pending += blocks

    def flush(self) -> None:
        """Place the queued blocks in columns of equal width."""
        blocks, self.pending = self.pending, []
        if not blocks:
            return
        # A row of several lines is one place: it grows, but is not repeated in columns.
        if len(blocks) == 1 and blocks[0].kind == "rows" and "lines" not in blocks[0].rows[-1]:
            self.spread(blocks[0])
            return
        fewest = min(GRID // block.span for block in blocks)
        self.flow(blocks, GRID // min(fewest, len(blocks)))

    def flow(self, blocks: Sequence[SheetBlock], span: int) -> None:
        """Add blocks in columns of `span`; the rest goes to further pages."""
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
        """Return the height of `blocks` in columns of `span`."""
        return self._columns(blocks, span).height

    def _columns(self, blocks: Sequence[SheetBlock], span: int) -> Band:
        heights = [block.total for block in blocks]
        columns = cut(blocks, shares(heights, GRID // span, self.gap))
        tallest = max(
            sum(b.total for b in column) + self.gap * (len(column) - 1) for column in columns
        )
        return Band("flow", span, tallest, columns, self.gap)

    def spread(self, block: SheetBlock) -> None:
        """Add a block with its rows in columns; the rest goes to further pages."""
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
        """Fill the space that is left on each page with rows of the blocks that may grow."""
        self.flush()
        for page in self.pages:
            for place, band in enumerate(page.bands):
                if band.kind == "spread":
                    page.bands[place] = _spread_out(page, band)
                elif band.kind == "flow":
                    page.bands[place] = _grown(page, band, self.gap)


def _spread_out(page: SheetPage, band: Band) -> Band:
    """Return a `spread` band with as many more rows as fit, equally many in each column."""
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
    """Return a `flow` band whose last blocks have more rows, up to one height."""
    if not any(column[-1].grows for column in band.columns):
        return band
    ends = [column[-1] for column in band.columns if column[-1].grows]
    high = max(_pitch(end.rows[-1]) for end in ends)
    spare = min(page.left, max(end.grows * _pitch(end.rows[-1]) for end in ends))
    tops = [sum(b.total for b in c) + gap * (len(c) - 1) for c in band.columns]
    most = band.height + max(0, int(spare // high)) * high
    columns = tuple(
        (*column[:-1], _longer(column[-1], most - top))
        for column, top in zip(band.columns, tops, strict=True)
    )
    page.left -= most - band.height
    return replace(band, height=most, columns=columns)


def _pitch(row: Row) -> float:
    """Return the height of a row, or of one line of a row of several."""
    return float(row.get("pitch", row["height"]))


def _longer(block: SheetBlock, room: float) -> SheetBlock:
    """Return `block` with as many empty rows, or lines of its last row, as fit into `room`."""
    if not block.grows:
        return block
    last = block.rows[-1]
    count = int((room + 0.01) // _pitch(last))
    if "lines" in last:
        height = last["height"] + count * _pitch(last)
        return replace(
            block,
            rows=(*block.rows[:-1], {**last, "lines": last["lines"] + count, "height": height}),
        )
    added = tuple({**last, "n": last["n"] + k} for k in range(1, count + 1))
    return replace(block, rows=(*block.rows, *added))


class Measured:
    """A part of a sheet that is laid out by `sizes`, in points, for the ruleset `rules`."""

    def __init__(self, rules: Ruleset, sizes: Mapping[str, Any]) -> None:
        self.rules = rules
        self.sizes = sizes

    def span(self, needs: float) -> int:
        """Return the fewest columns of the grid that are `needs` points wide."""
        spans = (int(span) for span in self.sizes["spans"] if needs <= self.width(span))
        return next(spans, GRID)

    def width(self, span: int) -> float:
        """Return the width of `span` columns of the grid, in points."""
        return (16 * span - 4) * 72 / 25.4

    def label(self, id_: str) -> str:
        """Return the label of a key of the character's file."""
        key = self.rules.character[id_]
        if not key.label and key.kind == "choice" and set(key.of[:1]) & set(self.rules.choices):
            return id_label(self.rules.choices[key.of[0]].one)
        return key.label or id_label(id_)


def id_label(id_: str) -> str:
    """Return an id as a label: `at_hand` is `At hand`."""
    return id_.replace("_", " ").capitalize()
