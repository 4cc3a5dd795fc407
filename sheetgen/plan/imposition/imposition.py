"""Imposition: the places of cards on sheets of paper, front and back, and crop marks.

All lengths are points. x counts from the left and y from the top of the page as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final, Literal, TypeAlias

from sheetgen.records import frozen
from sheetgen.units import MM, Box, paper_points

Size: TypeAlias = tuple[float, float]
"""Width and height."""

Line: TypeAlias = tuple[float, float, float, float]
"""Start and end: x, y, x, y."""

Duplex: TypeAlias = Literal["long-edge", "short-edge", "fold"]
"""How backs get behind fronts: the paper is turned over a long or a short edge, or folded."""

CARDS: Final[dict[str, Size]] = {
    "poker": (63 * MM, 88 * MM),
    "tarot": (70 * MM, 120 * MM),
    "index": (76.2 * MM, 127 * MM),
    "a6": paper_points("a6"),
    "half-letter": paper_points("half-letter"),
}

MARGIN: Final = 5 * MM
"""The margin on each side that most home printers cannot print on."""

MARK: Final = 5 * MM
"""The length of a crop mark, if there is space for it."""

OFF: Final = 1.5 * MM
"""The distance between a crop mark and the trim box."""

CROSS: Final = 2 * MM
"""Size of the cross where four cards meet."""
_NEAR: Final = 1e-6


class Misfit(ValueError):
    """An imposition that does not fit the paper; the message says what would fit."""


@frozen
class CardSlot:
    """The place of one card.

    Attributes:
        page: The page of the document.
        box: The trim box.
        turned: Whether the card is upside down.
    """

    page: int
    box: Box
    turned: bool = False


@frozen
class CardGrid:
    """A centred grid of cards on one side of a sheet of paper, with or without gutters.

    Attributes:
        paper: Width and height; wider than high for landscape.
        card: Trim size.
        gutter: The distance between cards.
        bleed: Around each card, within the gutter; without a gutter, around the block.
        half: Whether only the left half of the paper is used, for folding.
    """

    paper: Size
    card: Size
    columns: int
    rows: int
    gutter: float = 0
    bleed: float = 0
    half: bool = False

    @property
    def count(self) -> int:
        """The number of cards on a side."""
        return self.columns * self.rows

    @property
    def block(self) -> Box:
        """The box around all trim boxes."""
        (width, height), (across, down) = self.paper, self.card
        room = width / 2 if self.half else width
        wide = self.columns * across + (self.columns - 1) * self.gutter
        high = self.rows * down + (self.rows - 1) * self.gutter
        return Box((room - wide) / 2, (height - high) / 2, wide, high)

    def slot(self, index: int, page: int = 0) -> CardSlot:
        """Return the place of the front of card `index` of a side; rows count from the top."""
        row, column = divmod(index, self.columns)
        block, (across, down) = self.block, self.card
        x = block.x + column * (across + self.gutter)
        y = block.y + row * (down + self.gutter)
        return CardSlot(page, Box(x, y, across, down))

    def back(self, index: int, page: int, duplex: Duplex, offset: Size = (0.0, 0.0)) -> CardSlot:
        """Return the place of the back of card `index`, which is behind its front.

        Args:
            index: The card's number on its side.
            page: The page of the backs; for folding, that of the fronts.
            duplex: How the paper is turned.
            offset: How far backs are moved right and down, to correct a printer's drift.
        """
        width, height = self.paper
        box = self.slot(index).box
        # Turned over a horizontal edge, backs are upside down.
        turned = duplex != "fold" and (duplex == "long-edge") != (height >= width)
        x = box.x if turned else width - box.x - box.width
        y = height - box.y - box.height if turned else box.y
        return CardSlot(page, Box(x + offset[0], y + offset[1], box.width, box.height), turned)

    def marks(self) -> Iterator[Line]:
        """Yield the crop marks of the fronts: outside the block, and where four cards meet.

        Backs have none: since paper drifts, they would contradict those of the fronts.
        """
        block, (width, height) = self.block, self.paper
        room = width / 2 if self.half else width
        off = max(OFF, self.bleed + 0.5 * MM)
        bottom, right = block.y + block.height, block.x + block.width
        for x in self._edges(0):
            if ups := _mark_length(block.y, off):
                yield x, block.y - off, x, block.y - off - ups
            if downs := _mark_length(height - block.y - block.height, off):
                yield x, bottom + off, x, bottom + off + downs
        for y in self._edges(1):
            if lefts := _mark_length(block.x, off):
                yield block.x - off, y, block.x - off - lefts, y
            if rights := _mark_length(room - block.x - block.width, off):
                yield right + off, y, right + off + rights, y
        if self.gutter == 0:
            for x, y in product(self._edges(0)[1:-1], self._edges(1)[1:-1]):
                yield x - CROSS / 2, y, x + CROSS / 2, y
                yield x, y - CROSS / 2, x, y + CROSS / 2

    def _edges(self, axis: int) -> list[float]:
        """Return the positions of the cuts, across (0) or down (1) the paper."""
        count = (self.columns, self.rows)[axis]
        start = (self.block.x, self.block.y)[axis]
        step = self.card[axis] + self.gutter
        starts = [start + n * step for n in range(count)]
        ends = [s + self.card[axis] for s in starts]
        return [*starts, ends[-1]] if self.gutter == 0 else sorted([*starts, *ends])


def _mark_length(room: float, off: float) -> float:
    """Return the length of a crop mark in a margin of `room`; 0 if there is too little."""
    length = min(MARK, room - off - 2 * MM)
    return length if length >= 1.5 * MM else 0.0


def single_card_grid(card: Size, bleed: float) -> CardGrid:
    """Return the grid of one card a page with bleed, for printers on demand."""
    return CardGrid((card[0] + 2 * bleed, card[1] + 2 * bleed), card, 1, 1, 0, bleed)


def find_grids(
    card: Size, paper: Size, gutter: float, bleed: float, half: bool
) -> Iterator[CardGrid]:
    """Yield the grid with the most cards on portrait paper, then on landscape, if any fit."""
    for turned_paper in (paper, (paper[1], paper[0])):
        room = turned_paper[0] / 2 if half else turned_paper[0], turned_paper[1]
        columns, rows = (
            int((room[axis] - 2 * MARGIN - 2 * bleed + gutter + _NEAR) // (card[axis] + gutter))
            for axis in (0, 1)
        )
        if columns > 0 and rows > 0:
            yield CardGrid(turned_paper, card, columns, rows, gutter, bleed, half)


def impose(
    card: Size,
    paper: str,
    *,
    gutter: float = 0,
    bleed: float = 0,
    counts: tuple[int, int] | None = None,
    half: bool = False,
) -> CardGrid:
    """Return the grid of cards on a paper: as many as fit, or `counts` columns and rows.

    Args:
        card: Trim size.
        paper: A name of `units.PAPER_SIZES`.
        gutter: The distance between cards: 0, or at least twice the bleed.
        bleed: Around each card.
        counts: Columns and rows.
        half: Whether the right half of the paper is left to the backs, for folding.

    Raises:
        Misfit: The cards do not fit; the message says what would.
    """
    if 0 < gutter < 2 * bleed - _NEAR:
        raise Misfit(
            f"a gutter of {_mm(gutter)} mm is too narrow for {_mm(bleed)} mm of bleed on both"
            f" sides; use {_mm(2 * bleed)} mm, or none"
        )
    size = paper_points(paper)
    grids = sorted(find_grids(card, size, gutter, bleed, half), key=lambda g: -g.count)
    columns, rows = counts or (1, 1)
    for grid in grids:
        if grid.columns >= columns and grid.rows >= rows:
            return replace(grid, columns=columns, rows=rows) if counts else grid
    need = [
        count * side + (count - 1) * gutter + 2 * bleed + 2 * MARGIN
        for count, side in zip((columns, rows), card, strict=True)
    ]
    message = (
        f"{columns} × {rows} cards of {_mm(card[0])} × {_mm(card[1])} mm need"
        f" {_mm(need[0])} × {_mm(need[1])} mm with margins; {paper} has"
        f" {_mm(size[0])} × {_mm(size[1])} mm{' on half of the paper' if half else ''}"
    )
    turned = {False: "", True: " across"}
    fitting = [f"{g.columns} × {g.rows}{turned[g.paper[0] > g.paper[1]]}" for g in grids]
    if fitting:
        raise Misfit(f"{message}; {' or '.join(fitting)} would fit")
    sizes = [n for n, s in CARDS.items() if any(find_grids(s, size, gutter, bleed, half))]
    raise Misfit(f"{message}; these sizes would fit: {', '.join(sizes) or 'none'}")


def _mm(points: float) -> str:
    return f"{points / MM:.1f}".removesuffix(".0")
