"""Imposition: the places of cards on sheets of paper, front and back, and crop marks.

All lengths are points. x counts from the left and y from the top of the page as it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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

_LEAST_MARK: Final = 1.5 * MM
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
        block = (
            self.columns * across + (self.columns - 1) * self.gutter,
            self.rows * down + (self.rows - 1) * self.gutter,
        )
        return Box((room - block[0]) / 2, (height - block[1]) / 2, *block)

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
        if duplex == "fold" or (duplex == "long-edge") == (height >= width):
            moved = Box(width - box.x - box.width, box.y, box.width, box.height)
            turned = False
        else:  # turned over a horizontal edge: backs are upside down
            moved = Box(box.x, height - box.y - box.height, box.width, box.height)
            turned = True
        x, y = moved.x + offset[0], moved.y + offset[1]
        return CardSlot(page, Box(x, y, box.width, box.height), turned)

    def marks(self) -> Iterator[Line]:
        """Yield the crop marks of the fronts: outside the block, and where four cards meet.

        Backs have none: since paper drifts, they would contradict those of the fronts.
        """
        block, (width, height) = self.block, self.paper
        room = width / 2 if self.half else width
        off = max(OFF, self.bleed + 0.5 * MM)
        ups = _mark_length(block.y, off)
        downs = _mark_length(height - block.y - block.height, off)
        lefts = _mark_length(block.x, off)
        rights = _mark_length(room - block.x - block.width, off)
        for x in self._edges(0):
            if ups:
                yield x, block.y - off, x, block.y - off - ups
            if downs:
                bottom = block.y + block.height + off
                yield x, bottom, x, bottom + downs
        for y in self._edges(1):
            if lefts:
                yield block.x - off, y, block.x - off - lefts, y
            if rights:
                right = block.x + block.width + off
                yield right, y, right + rights, y
        if self.gutter == 0:
            yield from self._crosses()

    def _crosses(self) -> Iterator[Line]:
        inner_x, inner_y = self._edges(0)[1:-1], self._edges(1)[1:-1]
        for x in inner_x:
            for y in inner_y:
                yield x - CROSS / 2, y, x + CROSS / 2, y
                yield x, y - CROSS / 2, x, y + CROSS / 2

    def _edges(self, axis: int) -> list[float]:
        """Return the positions of the cuts, across (0) or down (1) the paper."""
        count = (self.columns, self.rows)[axis]
        start = (self.block.x, self.block.y)[axis]
        step = self.card[axis] + self.gutter
        starts = [start + n * step for n in range(count)]
        ends = [s + self.card[axis] for s in starts]
        if self.gutter == 0:
            return [*starts, ends[-1]]
        return sorted([*starts, *ends])


def _mark_length(room: float, off: float) -> float:
    """Return the length of a crop mark in a margin of `room`; 0 if there is too little."""
    length = min(MARK, room - off - 2 * MM)
    return length if length >= _LEAST_MARK else 0.0


def single_card_grid(card: Size, bleed: float) -> CardGrid:
    """Return the grid of one card a page with bleed, for printers on demand."""
    return CardGrid((card[0] + 2 * bleed, card[1] + 2 * bleed), card, 1, 1, 0, bleed)


def find_grids(
    card: Size, paper: Size, gutter: float, bleed: float, half: bool
) -> Iterator[CardGrid]:
    """Yield the grid with the most cards on portrait paper, then on landscape, if any fit."""
    for turned_paper in (paper, (paper[1], paper[0])):
        columns, rows = _fit_counts(card, turned_paper, gutter, bleed, half)
        if columns and rows:
            yield CardGrid(turned_paper, card, columns, rows, gutter, bleed, half)


def _fit_counts(
    card: Size, paper: Size, gutter: float, bleed: float, half: bool
) -> tuple[int, int]:
    room = ((paper[0] / 2 if half else paper[0]), paper[1])
    counts = []
    for axis in (0, 1):
        inner = room[axis] - 2 * MARGIN - 2 * bleed
        counts.append(max(0, int((inner + gutter + _NEAR) // (card[axis] + gutter))))
    return counts[0], counts[1]


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
    raise Misfit(_describe_misfit(card, paper, (columns, rows), grids, gutter, bleed, half))


def _describe_misfit(
    card: Size,
    paper: str,
    counts: tuple[int, int],
    grids: list[CardGrid],
    gutter: float,
    bleed: float,
    half: bool,
) -> str:
    columns, rows = counts
    need = [
        count * size + (count - 1) * gutter + 2 * bleed + 2 * MARGIN
        for count, size in zip(counts, card, strict=True)
    ]
    folded = " on half of the paper" if half else ""
    size = paper_points(paper)
    message = (
        f"{columns} × {rows} cards of {_mm(card[0])} × {_mm(card[1])} mm need"
        f" {_mm(need[0])} × {_mm(need[1])} mm with margins; {paper} has"
        f" {_mm(size[0])} × {_mm(size[1])} mm{folded}"
    )
    if grids:
        fitting = " or ".join(f"{g.columns} × {g.rows}{_orientation(g)}" for g in grids)
        return f"{message}; {fitting} would fit"
    sizes = [n for n, s in CARDS.items() if any(find_grids(s, size, gutter, bleed, half))]
    return f"{message}; these sizes would fit: {', '.join(sizes) or 'none'}"


def _orientation(grid: CardGrid) -> str:
    return " across" if grid.paper[0] > grid.paper[1] else ""


def _mm(points: float) -> str:
    return f"{points / MM:.1f}".removesuffix(".0")
