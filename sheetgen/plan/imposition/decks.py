"""Pages of cards: fronts, backs, crop marks, a note at the foot, and the calibration sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, TypeVar, get_args

from sheetgen.load.designs.designs import load_presets
from sheetgen.model.pictures import credit_pictures
from sheetgen.model.prints import CardFace, CardNote, CardPage, CardPlan, PlacedFace, Plate
from sheetgen.model.requests import CardRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import width as width_of
from sheetgen.plan.fit import wrap
from sheetgen.plan.imposition.imposition import (
    CARDS,
    CardGrid,
    Duplex,
    Line,
    Misfit,
    impose,
    single_card_grid,
)
from sheetgen.records import frozen
from sheetgen.units import MM, Box, parse_length

NOTE_ROLE: Final = "card-note"
"""The role of notes outside the cards."""


T = TypeVar("T")


@frozen
class DeckLayout:
    """The layout of a deck.

    Attributes:
        duplex: How backs get behind fronts; None to print every face as a front.
        offset: How far backs are moved right and down.
        marks: Whether there are crop marks.
        safe: The printer's safe zone in points, which the note keeps clear of.
    """

    grid: CardGrid
    duplex: Duplex | None = None
    offset: tuple[float, float] = (0.0, 0.0)
    marks: bool = True
    safe: float = 0.0


def plan_deck(cards: Sequence[Sequence[CardFace]], layout: DeckLayout, rules: Ruleset) -> CardPlan:
    """Return the document of `cards`; a single card's name is its title."""
    width, height = (f"{length / MM:.1f}".removesuffix(".0") for length in layout.grid.card)
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


_EDGES: Final = {"long-edge": "long", "short-edge": "short"}


def plan_deck_pages(
    cards: Iterable[Sequence[CardFace]], layout: DeckLayout, notes: Sequence[str]
) -> Iterator[CardPage]:
    """Yield the pages of `cards`, each with one face or more.

    With duplex, a card's second face is printed behind its first. Every sheet then has a
    back page, blank if no card of the sheet has a second face, so that a printer does not
    print a front behind another.
    """
    grid = layout.grid
    bled = grid.card[0] + 2 * grid.bleed, grid.card[1] + 2 * grid.bleed
    if grid.count == 1 and grid.paper == bled:
        yield from (page for card in cards for page in _singles(card, layout))
    elif layout.duplex is None:
        for faces in batched([*chain.from_iterable(cards)], grid.count):
            yield _fronts(faces, layout, notes)
    else:
        pairs = [pair for card in cards for pair in batched(card, 2)]
        for some in batched(pairs, grid.count):
            yield from _both(some, layout, notes)


def batched(things: Sequence[T], count: int) -> Iterator[Sequence[T]]:
    """Yield `things` in runs of `count`, as `itertools.batched` of Python 3.12."""
    return (things[start : start + count] for start in range(0, len(things), count))


def _singles(card: Sequence[CardFace], layout: DeckLayout) -> Iterator[CardPage]:
    """Yield one page for each face, and a blank back for a front without a second face."""
    grid = layout.grid
    trim, bleed = grid.slot(0).box, Box(0, 0, *grid.paper)
    for number, face in enumerate(card):
        placed = _placed(face, trim)
        if layout.duplex is not None and number % 2:
            slot = grid.back(0, 0, layout.duplex, layout.offset)
            placed = _placed(face, slot.box, slot.turned)
        yield CardPage(grid.paper, (placed,), trim=trim, bleed=bleed)
    if layout.duplex is not None and len(card) % 2:
        yield CardPage(grid.paper, (), trim=trim, bleed=bleed)


def _placed(face: CardFace, box: Box, turned: bool = False) -> PlacedFace:
    """Return a face in the trim `box`.

    A face that was scaled down (see `load_card`) is as far from the top as from the sides.
    """
    sides = (box.width - face.size[0]) / 2
    foot = box.height - face.size[1] - sides
    inner = Box(box.x + sides, box.y + (foot if turned else sides), *face.size)
    return PlacedFace(face, inner, turned)


def _fronts(faces: Sequence[CardFace], layout: DeckLayout, notes: Sequence[str]) -> CardPage:
    grid = layout.grid
    placed = tuple(_placed(face, grid.slot(n).box) for n, face in enumerate(faces))
    marks, lines = _around(layout, tuple(notes), faces[0].strips[0].plate)
    return CardPage(grid.paper, placed, marks, lines)


@lru_cache(maxsize=8)
def _around(
    layout: DeckLayout, notes: tuple[str, ...], plate: Plate
) -> tuple[tuple[Line, ...], tuple[CardNote, ...]]:
    """Return the crop marks and the note of a page, which are those of the page before."""
    marks = tuple(layout.grid.marks()) if layout.marks else ()
    return marks, tuple(_notes(layout, marks, notes, plate))


def _both(
    pairs: Sequence[Sequence[CardFace]], layout: DeckLayout, notes: Sequence[str]
) -> Iterator[CardPage]:
    assert layout.duplex is not None
    front = _fronts([pair[0] for pair in pairs], layout, notes)
    backs = []
    for n, pair in enumerate(pairs):
        if len(pair) > 1:
            slot = layout.grid.back(n, 0, layout.duplex, layout.offset)
            backs.append(_placed(pair[1], slot.box, slot.turned))
    if layout.duplex == "fold":
        fold = layout.grid.paper[0] / 2
        line = (fold, 0.0, fold, layout.grid.paper[1])
        marks = (*front.marks, line) if layout.marks else ()
        yield CardPage(front.size, (*front.placed, *backs), marks, front.notes)
        return
    yield front
    yield CardPage(front.size, tuple(backs))


def _notes(
    layout: DeckLayout, marks: Sequence[Line], texts: Sequence[str], plate: Plate
) -> Iterator[CardNote]:
    """Yield the lines of the note: the first of `texts` that fits below the crop marks."""
    role, grid, side = plate.tokens.roles[NOTE_ROLE], layout.grid, 8 * MM
    metrics, leading = plate.metrics[role.face], 1.3 * role.size
    across = grid.paper[0] / 2 if grid.half else grid.paper[0]
    cards = grid.block.y + grid.block.height + grid.bleed
    foot = max([cards, *(y for _, y0, _, y1 in marks for y in (y0, y1))])
    last = grid.paper[1] - max(6 * MM, layout.safe + 0.3 * role.size)  # with room for descenders
    for text in texts:
        lines = wrap(text, across - 2 * side, metrics, role.size)
        if last - (len(lines) - 1) * leading - role.size < foot:
            continue
        longest = max(width_of(line, metrics, role.size) for line in lines)
        x = min(grid.block.x, across - side - longest)
        for number, line in enumerate(reversed(lines)):
            yield CardNote(line, x, last - number * leading, plate)
        return


STEPS = (-2.0, -1.0, 0.0, 1.0, 2.0)
"""Offsets of the crosses of a calibration sheet, in millimetres."""


def plan_calibration(layout: DeckLayout, rules: Ruleset, plate: Plate) -> CardPlan:
    """Return a sheet that shows how far a printer's backs drift.

    The front has crosses, the back crosses moved by known amounts. Held against the light,
    the pair that meets shows the value for `--back-offset`.

    Args:
        layout: Provides the paper and the duplex mode.
        rules: Provides the credit.
        plate: Provides the fonts.
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
        WrongOption: The paper cannot hold them, the printer does not cut them, or a length is
            wrong.
    """
    preset = load_presets().get(request.preset)
    sizes = preset.cards if preset is not None and preset.cards else CARDS
    if request.size not in sizes:
        printer = f"{preset.name} cuts" if preset is not None and preset.cards else "there are"
        message = f"there is no size `{request.size}`; {printer} the sizes {', '.join(sizes)}"
        raise WrongOption("--size", message)
    gutter = _length("--gutter", request.gutter, "the gutter", MOST_GUTTER)
    bleed = _length("--bleed", request.bleed, "the bleed", MOST_BLEED)
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
    backs, offset = duplex.get(request.backs), _back_offset(request.back_offset)
    safe = preset.safe if preset is not None else 0.0
    return DeckLayout(grid, backs, offset, request.marks, safe)


def _back_offset(text: str) -> tuple[float, float]:
    if not text:
        return 0.0, 0.0
    across, _, down = text.partition(",")
    try:
        right, lower = (
            parse_bounded_length(length, "the offset", MOST_OFFSET, -MOST_OFFSET)
            for length in (across, down)
        )
        return right, lower
    except Misfit as error:
        message = f"{error}; write two lengths, such as 0.5mm,-1mm"
        raise WrongOption("--back-offset", message) from None


def _length(option: str, text: str, what: str, most: float) -> float:
    try:
        return parse_bounded_length(text, what, most)
    except Misfit as error:
        raise WrongOption(option, error) from None


MOST_GUTTER: Final = 100 * MM
MOST_BLEED: Final = 25 * MM
MOST_OFFSET: Final = 50 * MM
"""The largest offset of backs; no printer drifts further."""

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
