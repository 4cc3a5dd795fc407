"""Imposition: where cards stand on sheets of paper, front and back, and where to cut.

All lengths are points; x counts from the left, y from the top, as a reader looks at the
page. Nothing here knows what is on a card.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from sheetgen.units import MM, Box

Size: TypeAlias = tuple[float, float]
"""Width and height."""

Line: TypeAlias = tuple[float, float, float, float]
"""From where to where: x, y, x, y."""

Duplex: TypeAlias = Literal["long-edge", "short-edge", "fold"]
"""How backs come behind fronts: paper turned over its long or its short edge, or folded."""

PAPERS: Final[dict[str, Size]] = {"a4": (210 * MM, 297 * MM), "letter": (215.9 * MM, 279.4 * MM)}

CARDS: Final[dict[str, Size]] = {
    "poker": (63 * MM, 88 * MM),
    "tarot": (70 * MM, 120 * MM),
    "index": (76.2 * MM, 127 * MM),
    "a6": (105 * MM, 148 * MM),
    "half-letter": (139.7 * MM, 215.9 * MM),
}

MARGIN: Final = 5 * MM
"""What most home printers cannot reach, on each side."""

MARK: Final = 5 * MM
"""Length of a crop mark, where there is room for it."""

OFF: Final = 1.5 * MM
"""Between a crop mark and what is cut."""

CROSS: Final = 2 * MM
"""Size of the cross where four cards meet."""

_LEAST_MARK: Final = 1.5 * MM
_NEAR: Final = 1e-6


class Misfit(ValueError):
    """A layout that the paper cannot hold; the message says what would fit."""


@dataclass(frozen=True, slots=True)
class CardSlot:
    """The place of one card: its trim box, and how far it is turned.

    Attributes:
        page: Of the document.
        turned: Whether it stands on its head.
    """

    page: int
    box: Box
    turned: bool = False


@dataclass(frozen=True, slots=True)
class CardGrid:
    """Cards on one side of a sheet of paper, butted or with gutters, in the middle.

    Attributes:
        paper: As it lies: wider than high for landscape.
        card: Trim size.
        gutter: Between neighbours.
        bleed: Round each card, within the gutter; where there is no gutter, round the
            whole block only.
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
        """How many cards a side holds."""
        return self.columns * self.rows

    @property
    def block(self) -> Box:
        """The box round all trim boxes."""
        (width, height), (across, down) = self.paper, self.card
        room = width / 2 if self.half else width
        block = (
            self.columns * across + (self.columns - 1) * self.gutter,
            self.rows * down + (self.rows - 1) * self.gutter,
        )
        return Box((room - block[0]) / 2, (height - block[1]) / 2, *block)

    def slot(self, index: int, page: int = 0) -> CardSlot:
        """Return where the front of card `index` of a side stands: rows from the top."""
        row, column = divmod(index, self.columns)
        block, (across, down) = self.block, self.card
        x = block.x + column * (across + self.gutter)
        y = block.y + row * (down + self.gutter)
        return CardSlot(page, Box(x, y, across, down))

    def back(self, index: int, page: int, duplex: Duplex, offset: Size = (0.0, 0.0)) -> CardSlot:
        """Return where the back of card `index` stands, so that it lies behind its front.

        Args:
            index: Of the card on its side.
            page: Of the backs; for folding the same as that of the fronts.
            duplex: How the paper is turned.
            offset: How far backs are moved right and down, against a printer's drift.
        """
        width, height = self.paper
        box = self.slot(index).box
        if duplex == "fold" or (duplex == "long-edge") == (height >= width):
            moved = Box(width - box.x - box.width, box.y, box.width, box.height)
            turned = False
        else:  # turned over a level edge: what is up in front is down behind
            moved = Box(box.x, height - box.y - box.height, box.width, box.height)
            turned = True
        x, y = moved.x + offset[0], moved.y + offset[1]
        return CardSlot(page, Box(x, y, box.width, box.height), turned)

    def marks(self) -> Iterator[Line]:
        """Yield the crop marks of the fronts: outside the block, and where four cards meet.

        Backs get none: paper drifts, and a second set that disagrees is worse than none.
        """
        block, (width, height) = self.block, self.paper
        room = width / 2 if self.half else width
        off = max(OFF, self.bleed + 0.5 * MM)
        ups = _mark(block.y, off)
        downs = _mark(height - block.y - block.height, off)
        lefts = _mark(block.x, off)
        rights = _mark(room - block.x - block.width, off)
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
        """Return all cuts across (0) or down (1) the paper, each once."""
        count = (self.columns, self.rows)[axis]
        start = (self.block.x, self.block.y)[axis]
        step = self.card[axis] + self.gutter
        starts = [start + n * step for n in range(count)]
        ends = [s + self.card[axis] for s in starts]
        if self.gutter == 0:
            return [*starts, ends[-1]]
        return sorted([*starts, *ends])


def _mark(room: float, off: float) -> float:
    """Return how long a crop mark may be beside `room`; 0 where there is too little."""
    length = min(MARK, room - off - 2 * MM)
    return length if length >= _LEAST_MARK else 0.0


def single_card_grid(card: Size, bleed: float) -> CardGrid:
    """Return the layout of one card a page, as printers on demand want it: trim and bleed."""
    return CardGrid((card[0] + 2 * bleed, card[1] + 2 * bleed), card, 1, 1, 0, bleed)


def find_grids(
    card: Size, paper: Size, gutter: float = 0, bleed: float = 0, half: bool = False
) -> Iterator[CardGrid]:
    """Yield the fullest layout of `card` on `paper` upright, then across, if any fit."""
    for lying in (paper, (paper[1], paper[0])):
        columns, rows = _most(card, lying, gutter, bleed, half)
        if columns and rows:
            yield CardGrid(lying, card, columns, rows, gutter, bleed, half)


def _most(card: Size, paper: Size, gutter: float, bleed: float, half: bool) -> tuple[int, int]:
    room = ((paper[0] / 2 if half else paper[0]), paper[1])
    counts = []
    for axis in (0, 1):
        inner = room[axis] - 2 * max(MARGIN, 0) - 2 * bleed
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
    """Return how cards of a size stand on a paper; as many as fit, or the `wanted` grid.

    Args:
        card: Trim size.
        paper: A name of `PAPERS`.
        gutter: Between cards; with bleed at least twice the bleed, or nothing.
        bleed: Round each card.
        wanted: Columns and rows.
        half: Leave the right half of the paper to the backs, for folding.

    Raises:
        Misfit: It does not fit; the message says what would.
    """
    if 0 < gutter < 2 * bleed - _NEAR:
        raise Misfit(
            f"a gutter of {_mm(gutter)} mm is too narrow for {_mm(bleed)} mm of bleed on both"
            f" sides; take {_mm(2 * bleed)} mm, or none"
        )
    found = sorted(find_grids(card, PAPERS[paper], gutter, bleed, half), key=lambda g: -g.count)
    if counts is not None:
        columns, rows = counts
        fitting = [g for g in found if g.columns >= columns and g.rows >= rows]
        if fitting:
            best = fitting[0]
            return CardGrid(best.paper, card, columns, rows, gutter, bleed, half)
        raise Misfit(_misfit(card, paper, counts, found, gutter, bleed, half))
    if not found:
        raise Misfit(_misfit(card, paper, (1, 1), found, gutter, bleed, half))
    return found[0]


def _misfit(
    card: Size,
    paper: str,
    wanted: tuple[int, int],
    found: list[CardGrid],
    gutter: float,
    bleed: float,
    half: bool,
) -> str:
    columns, rows = wanted
    need = [
        count * size + (count - 1) * gutter + 2 * bleed + 2 * MARGIN
        for count, size in zip(wanted, card, strict=True)
    ]
    folded = " on half of the paper" if half else ""
    message = (
        f"{columns} × {rows} cards of {_mm(card[0])} × {_mm(card[1])} mm need"
        f" {_mm(need[0])} × {_mm(need[1])} mm with margins; {paper} has"
        f" {_mm(PAPERS[paper][0])} × {_mm(PAPERS[paper][1])} mm{folded}"
    )
    if found:
        grids = " or ".join(f"{g.columns} × {g.rows}{_lying(g)}" for g in found)
        return f"{message}; {grids} would fit"
    sizes = [n for n, s in CARDS.items() if any(find_grids(s, PAPERS[paper], gutter, bleed, half))]
    return f"{message}; these sizes would fit: {', '.join(sizes) or 'none'}"


def _lying(grid: CardGrid) -> str:
    return " across" if grid.paper[0] > grid.paper[1] else ""


def _mm(points: float) -> str:
    return f"{points / MM:.1f}".removesuffix(".0")
