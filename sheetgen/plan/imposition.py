"""Imposition: cards on sheets of paper, front and back, crop marks, notes, the calibration sheet.

All lengths are points. x counts from the left and y from the top of the page as it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Final, Literal, TypeAlias, TypeVar, get_args

from sheetgen.load.designs.designs import load_presets
from sheetgen.model.pictures import credit_pictures
from sheetgen.model.prints import CardFace, CardNote, CardPage, CardPlan, PlacedFace, Plate
from sheetgen.model.requests import CardRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import width as width_of
from sheetgen.plan.fit import wrap
from sheetgen.records import frozen
from sheetgen.units import MM, Box, paper_points, parse_length

Size: TypeAlias = tuple[float, float]  # width and height
Line: TypeAlias = tuple[float, float, float, float]  # start and end: x, y, x, y
# How backs get behind fronts: the paper is turned over a long or a short edge, or folded.
Duplex: TypeAlias = Literal["long-edge", "short-edge", "fold"]
CARDS: Final[dict[str, Size]] = {
    "poker": (63 * MM, 88 * MM),
    "tarot": (70 * MM, 120 * MM),
    "index": (76.2 * MM, 127 * MM),
    "a6": paper_points("a6"),
    "half-letter": paper_points("half-letter"),
}
MARGIN: Final = 5 * MM  # the margin on each side that most home printers cannot print on
MARK: Final = 5 * MM  # the length of a crop mark, if there is space for it
OFF: Final = 1.5 * MM  # the distance between a crop mark and the trim box
CROSS: Final = 2 * MM  # size of the cross where four cards meet
_NEAR: Final = 1e-6


class Misfit(ValueError):
    """An imposition that does not fit the paper; the message says what would fit."""


@frozen
class CardSlot:
    """The place of one card: its trim box, and whether the card is upside down."""

    box: Box
    turned: bool = False


@frozen
class CardGrid:
    """A centred grid of cards on one side of a sheet of paper, with or without gutters."""

    paper: Size  # width and height; wider than high for landscape
    card: Size  # trim size
    columns: int
    rows: int
    gutter: float = 0  # the distance between cards
    bleed: float = 0  # around each card, within the gutter; without a gutter, around the block
    half: bool = False  # whether only the left half of the paper is used, for folding

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

    def slot(self, index: int) -> CardSlot:
        """Return the place of the front of card `index` of a side; rows count from the top."""
        row, column = divmod(index, self.columns)
        block, (across, down) = self.block, self.card
        x = block.x + column * (across + self.gutter)
        y = block.y + row * (down + self.gutter)
        return CardSlot(Box(x, y, across, down))

    def back(self, index: int, duplex: Duplex, offset: Size = (0.0, 0.0)) -> CardSlot:
        """Return the place of the back of card `index`, which is behind its front.

        It is moved right and down by `offset`, to correct a printer's drift.
        """
        width, height = self.paper
        box = self.slot(index).box
        # Turned over a horizontal edge, backs are upside down.
        turned = duplex != "fold" and (duplex == "long-edge") != (height >= width)
        x = box.x if turned else width - box.x - box.width
        y = height - box.y - box.height if turned else box.y
        return CardSlot(Box(x + offset[0], y + offset[1], box.width, box.height), turned)

    def marks(self) -> Iterator[Line]:
        """Yield the crop marks of the fronts: outside the block, and where four cards meet.

        Backs have none: since paper drifts, they would contradict those of the fronts.
        """
        block, (width, height) = self.block, self.paper
        room = width / 2 if self.half else width
        off = max(OFF, self.bleed + 0.5 * MM)
        bottom, right = block.y + block.height, block.x + block.width
        # The length of a mark in each margin; none where there is too little room.
        margins = block.y, height - block.y - block.height, block.x, room - block.x - block.width
        lengths = (min(MARK, margin - off - 2 * MM) for margin in margins)
        ups, downs, lefts, rights = (n if n >= 1.5 * MM else 0.0 for n in lengths)
        for x in self._edges(0):
            if ups:
                yield x, block.y - off, x, block.y - off - ups
            if downs:
                yield x, bottom + off, x, bottom + off + downs
        for y in self._edges(1):
            if lefts:
                yield block.x - off, y, block.x - off - lefts, y
            if rights:
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
    if grids:
        turned = {False: "", True: " across"}
        fitting = (f"{g.columns} × {g.rows}{turned[g.paper[0] > g.paper[1]]}" for g in grids)
        raise Misfit(f"{message}; {' or '.join(fitting)} would fit")
    sizes = [n for n, s in CARDS.items() if any(find_grids(s, size, gutter, bleed, half))]
    raise Misfit(f"{message}; these sizes would fit: {', '.join(sizes) or 'none'}")


def _mm(points: float) -> str:
    return f"{points / MM:.1f}".removesuffix(".0")


NOTE_ROLE: Final = "card-note"  # the role of notes outside the cards
T = TypeVar("T")
_EDGES: Final = {"long-edge": "long", "short-edge": "short"}


@frozen
class DeckLayout:
    """The layout of a deck."""

    grid: CardGrid
    duplex: Duplex | None = None  # how backs get behind fronts; None to print every face as a front
    offset: tuple[float, float] = (0.0, 0.0)  # how far backs are moved right and down
    marks: bool = True  # whether there are crop marks
    safe: float = 0.0  # the printer's safe zone in points, which the note keeps clear of


def plan_deck(cards: Sequence[Sequence[CardFace]], layout: DeckLayout, rules: Ruleset) -> CardPlan:
    """Return the document of `cards`; a single card's name is its title."""
    width, height = map(_mm, layout.grid.card)
    size = f"Print at 100 per cent. Cards {width} × {height} mm."
    strips = (strip for card in cards for face in card for strip in face.strips)
    pictures = (one for strip in strips for one in strip.filling.pictures.values())
    credit = f"{rules.credit.short} {credit_pictures(pictures)}".strip()
    notes = f"{size} {credit}", f"{size} {rules.credit.short}", size
    name = cards[0][0].name if len(cards) == 1 else "Cards"
    return CardPlan(
        title=f"{name} · {rules.title}",
        lang=rules.lang,
        subject=credit,
        pages=tuple(plan_deck_pages(cards, layout, notes)),
        meta={"ruleset": str(rules.id), "version": str(rules.version)},
        duplex=_EDGES.get(layout.duplex or "", ""),
    )


def plan_deck_pages(
    cards: Iterable[Sequence[CardFace]], layout: DeckLayout, notes: Sequence[str]
) -> Iterator[CardPage]:
    """Yield the pages of `cards`, each with one face or more.

    With duplex, a card's second face is printed behind its first. Every sheet then has a
    back page, blank if no card of the sheet has a second face, so that a printer does not
    print a front behind another.
    """
    grid, duplex, offset = layout.grid, layout.duplex, layout.offset
    bled = grid.card[0] + 2 * grid.bleed, grid.card[1] + 2 * grid.bleed
    if grid.count == 1 and grid.paper == bled:  # a page for each face
        trim, bleed = grid.slot(0).box, Box(0, 0, *grid.paper)
        for card in cards:
            for number, face in enumerate(card):
                behind = duplex is not None and number % 2
                slot = grid.back(0, duplex, offset) if duplex and behind else grid.slot(0)
                yield CardPage(grid.paper, (_placed(face, slot),), trim=trim, bleed=bleed)
            if duplex is not None and len(card) % 2:
                yield CardPage(grid.paper, (), trim=trim, bleed=bleed)
        return
    pairs = [pair for card in cards for pair in _batched(card, 1 if duplex is None else 2)]
    for some in _batched(pairs, grid.count):
        fronts = tuple(_placed(pair[0], grid.slot(n)) for n, pair in enumerate(some))
        marks, lines = _around(layout, tuple(notes), some[0][0].strips[0].plate)
        if duplex is None:
            yield CardPage(grid.paper, fronts, marks, lines)
            continue
        seconds = [(n, pair[1]) for n, pair in enumerate(some) if len(pair) > 1]
        backs = tuple(_placed(face, grid.back(n, duplex, offset)) for n, face in seconds)
        if duplex == "fold":
            fold = grid.paper[0] / 2
            marks += ((fold, 0.0, fold, grid.paper[1]),) if layout.marks else ()
            yield CardPage(grid.paper, (*fronts, *backs), marks, lines)
        else:
            yield CardPage(grid.paper, fronts, marks, lines)
            yield CardPage(grid.paper, backs)


def _batched(things: Sequence[T], count: int) -> Iterator[Sequence[T]]:
    """Yield `things` in runs of `count`, as `itertools.batched` of Python 3.12."""
    return (things[start : start + count] for start in range(0, len(things), count))


def _placed(face: CardFace, slot: CardSlot) -> PlacedFace:
    """Return a face in a slot.

    A face that was scaled down (see `load_card`) is as far from the top as from the sides.
    """
    sides = (slot.box.width - face.size[0]) / 2
    foot = slot.box.height - face.size[1] - sides
    top = slot.box.y + (foot if slot.turned else sides)
    return PlacedFace(face, Box(slot.box.x + sides, top, *face.size), slot.turned)


@lru_cache(maxsize=8)
def _around(
    layout: DeckLayout, texts: tuple[str, ...], plate: Plate
) -> tuple[tuple[Line, ...], tuple[CardNote, ...]]:
    """Return the crop marks of a page, and the first of `texts` that fits below them as its note.

    They are those of the page before.
    """
    marks = tuple(layout.grid.marks()) if layout.marks else ()
    role, grid, side = plate.tokens.roles[NOTE_ROLE], layout.grid, 8 * MM
    metrics, leading = plate.metrics[role.face], 1.3 * role.size
    across = grid.paper[0] / 2 if grid.half else grid.paper[0]
    cards = grid.block.y + grid.block.height + grid.bleed
    foot = max([cards, *(y for _, y0, _, y1 in marks for y in (y0, y1))])
    last = grid.paper[1] - max(6 * MM, layout.safe + 0.3 * role.size)  # with room for descenders
    for text in texts:
        lines = wrap(text, across - 2 * side, metrics, role.size)[::-1]
        if last - (len(lines) - 1) * leading - role.size >= foot:
            longest = max(width_of(line, metrics, role.size) for line in lines)
            x = min(grid.block.x, across - side - longest)
            placed = ((line, x, last - n * leading) for n, line in enumerate(lines))
            return marks, tuple(CardNote(*one, plate) for one in placed)
    return marks, ()


STEPS = (-2.0, -1.0, 0.0, 1.0, 2.0)  # offsets of the crosses of a calibration sheet, in millimetres


def plan_calibration(layout: DeckLayout, rules: Ruleset, plate: Plate) -> CardPlan:
    """Return a sheet that shows how far a printer's backs drift.

    The front has crosses, the back crosses moved by known amounts. Held against the light,
    the pair that meets shows the value for `--back-offset`.
    """
    paper, duplex = layout.grid.paper, layout.duplex or "long-edge"
    across, down = paper[0] / 6, paper[1] / 6
    fronts: list[Line] = []
    backs: list[Line] = []
    notes: list[CardNote] = []

    def cross(x: float, y: float) -> list[Line]:
        half = 2 * MM
        return [(x - half, y, x + half, y), (x, y - half, x, y + half)]

    for row, lower in enumerate(STEPS, 1):
        for column, right in enumerate(STEPS, 1):
            x, y = column * across, row * down
            fronts += cross(x, y)
            turned = duplex == "fold" or (duplex == "long-edge") == (paper[1] >= paper[0])
            left, top = (paper[0] - x, y) if turned else (x, paper[1] - y)
            backs += cross(left + right * MM, top + lower * MM)
            words = f"{right:g}mm,{lower:g}mm"
            notes.append(CardNote(words, left + 5 * MM, top + 5 * MM, plate))
    text = "Print both sides at 100 per cent and hold them against the light."
    front = CardPage(paper, (), tuple(fronts), (CardNote(text, 12 * MM, 10 * MM, plate),))
    both = front, CardPage(paper, (), tuple(backs), tuple(notes))
    meta, edge = {"ruleset": str(rules.id), "version": str(rules.version)}, _EDGES.get(duplex, "")
    return CardPlan("Calibration sheet", rules.lang, rules.credit.short, both, meta, edge)


class WrongOption(Exception):
    """An option of the request that cannot be met; the message says why."""

    def __init__(self, option: str, message: object) -> None:
        super().__init__(str(message))
        self.option = option


def plan_layout(request: CardRequest) -> DeckLayout:
    """Return how cards are imposed, of a size that the preset's printer cuts.

    Raises:
        WrongOption: The cards do not fit the paper or the printer, or a length is wrong.
    """
    preset = load_presets().get(request.preset)
    sizes = preset.cards if preset is not None and preset.cards else CARDS
    if request.size not in sizes:
        printer = f"{preset.name} cuts" if preset is not None and preset.cards else "there are"
        message = f"there is no size `{request.size}`; {printer} the sizes {', '.join(sizes)}"
        raise WrongOption("--size", message)

    def length(
        option: str, text: str, what: str, most: float, least: float = 0, example: str = ""
    ) -> float:
        try:
            return parse_bounded_length(text, what, most, least)
        except Misfit as error:
            raise WrongOption(option, f"{error}{example}") from None

    gutter = length("--gutter", request.gutter, "the gutter", MOST_GUTTER)
    bleed = length("--bleed", request.bleed, "the bleed", MOST_BLEED)
    folded = request.backs == "fold"
    try:
        if request.each or (request.single and not request.grid):
            if folded:
                message = "a page with a single card cannot be folded; use other backs, or a grid"
                raise WrongOption("--backs", message)
            grid = single_card_grid(sizes[request.size], bleed)
        else:
            counts = parse_grid(request.grid) if request.grid else None
            size, paper = sizes[request.size], request.paper
            grid = impose(size, paper, gutter=gutter, bleed=bleed, counts=counts, half=folded)
    except Misfit as error:
        raise WrongOption("--grid", error) from None
    duplex: Mapping[str, Duplex] = {name: name for name in get_args(Duplex)}
    right = lower = 0.0
    if request.back_offset:
        across, _, down = request.back_offset.partition(",")
        how = "the offset", MOST_OFFSET, -MOST_OFFSET, "; write two lengths, such as 0.5mm,-1mm"
        right, lower = (length("--back-offset", text, *how) for text in (across, down))
    safe = preset.safe if preset is not None else 0.0
    return DeckLayout(grid, duplex.get(request.backs), (right, lower), request.marks, safe)


MOST_GUTTER: Final = 100 * MM
MOST_BLEED: Final = 25 * MM
MOST_OFFSET: Final = 50 * MM  # the largest offset of backs; no printer drifts further
_GRID: Final = re.compile(r"([0-9]{1,2})\s*[xX×]\s*([0-9]{1,2})")


def parse_grid(text: str) -> tuple[int, int]:
    """Return the columns and rows of a grid such as `3x3`.

    Raises:
        Misfit: The text is not a grid, or the grid is empty.
    """
    match = _GRID.fullmatch(text.strip())
    counts = (int(match[1]), int(match[2])) if match else (0, 0)
    if min(counts) < 1:
        raise Misfit(f"the grid `{text}` is not COLSxROWS, such as 3x3")
    return counts


def parse_bounded_length(text: str, what: str, most: float, least: float = 0) -> float:
    """Return a length such as `3mm` in points.

    Args:
        what: The name of the length, for the message.

    Raises:
        Misfit: The text is not a length, or not between `least` and `most`.
    """
    try:
        length = float(parse_length(text))
    except ValueError as error:
        raise Misfit(f"{what}: {error}") from None
    if not least <= length <= most:
        raise Misfit(f"{what} `{text}` has to be {least / MM:g} to {most / MM:g} mm")
    return length
