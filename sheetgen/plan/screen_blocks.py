"""How high the blocks of a panel are at some size of type, and where their words break.

All lengths are points. Lines are broken here, by the fonts' own advances, and stay so on
paper: what was measured is what is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.model.screens import Block
from sheetgen.plan.fit import width
from sheetgen.rules.screen_rows import STRONG, Rows

KINDS: Final = ("numbers", "words", "list", "grid", "stations", "stairs")
"""A number first, a word first, close lines, figures in columns, and two drawn things."""

PLAIN, BOLD, FIGURE, HEAD, NAME = "text-400", "text-700", "figure-800", "figure-700", "figure-800"

HEIGHTS: Final = {"numbers": 1.66, "words": 1.52, "list": 1.36, "grid": 1.4}
"""Of a row of one line, in sizes of its words."""

CAPITALS: Final = {"numbers": 1.34, "words": 1.06, "list": 0.97, "grid": 0.99}
"""How far below the upper edge of a row its words stand, in their sizes."""

SAFE: Final = 1.012
"""Kerning may make a text wider than its letters are."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of type on one panel; `base` is that of words."""

    base: float

    @property
    def note(self) -> float:
        """Of what follows a word."""
        return max(LEAST_NOTE, round(self.base * 0.84, 2))

    @property
    def figure(self) -> float:
        """Of a number that stands first."""
        return round(self.base * 1.48, 2)

    @property
    def head(self) -> float:
        """Of the name of a block."""
        return round(self.base * 1.22, 2)

    @property
    def headed(self) -> float:
        """The height of a block's name, with the line below it."""
        return round(self.base * 1.95, 2)


LEAST_NOTE: Final = 11.0
LEAST: Final = 13.0
MOST: Final = 18.0

Run = tuple[str, bool]
"""Words, and whether they are bold."""

Line = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its lines, smaller lines below them, and where it stands in its block."""

    lines: tuple[Line, ...]
    small: tuple[Line, ...] = ()
    left: float = 0.0
    wide: float = 0.0
    classes: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a block, its height and whether a line stands below it."""

    cells: tuple[Cell, ...]
    height: float


@dataclass(frozen=True, slots=True)
class Set:
    """A block as it is set at one size.

    Attributes:
        size: Of its words; figures in columns and drawn things may be smaller than others.
        too_wide: By how much it is wider than its column at that.
    """

    block: Block
    heads: tuple[Cell, ...]
    rows: tuple[Row, ...]
    text: tuple[Line, ...]
    height: float
    size: float
    too_wide: float = 0.0


def runs(text: str) -> Iterator[Run]:
    """Yield the parts of a text with `*bold*` words."""
    for place, part in enumerate(text.split(STRONG)):
        if part:
            yield part, place % 2 == 1


class Measure:
    """Widths of texts in the faces of one theme."""

    def __init__(self, faces: Mapping[str, FaceMetrics]) -> None:
        self.faces = faces

    def line(self, line: Line, size: float) -> float:
        """Return how wide a line of words is."""
        return sum(self.plain(text, BOLD if bold else PLAIN, size) for text, bold in line)

    def plain(self, text: str, face: str, size: float) -> float:
        """Return how wide a text in one face is."""
        return width(text, self.faces[face], size) * SAFE

    def said(self, text: str, size: float) -> float:
        """Return how wide a text with bold words is on one line."""
        return self.line(tuple(runs(text)), size)

    def broken(self, text: str, size: float, room: float) -> tuple[Line, ...]:
        """Return a text with bold words in lines of at most `room`."""
        lines: list[Line] = []
        line: list[Run] = []
        words = [(w, bold) for part, bold in runs(text) for w in _words(part)]
        for word, bold in words:
            longer = [*line, (word, bold)]
            if line and self.line(_trimmed(longer), size) > room:
                lines.append(_trimmed(line))
                line = [(word.lstrip(), bold)] if word.strip() else []
            else:
                line = longer
        return (*lines, _trimmed(line)) if line else tuple(lines)


def _words(text: str) -> Iterator[str]:
    """Yield words, each with the blank before it."""
    word = ""
    for char in text:
        if char == " " and word.strip():
            yield word
            word = ""
        word += char
    if word:
        yield word


def _trimmed(line: Sequence[Run]) -> Line:
    """Return a line without blanks at its ends, its runs of one weight laid together."""
    found: list[Run] = []
    for text, bold in line:
        if found and found[-1][1] == bold:
            found[-1] = found[-1][0] + text, bold
        else:
            found.append((text, bold))
    if found:
        found[0] = found[0][0].lstrip(), found[0][1]
        found[-1] = found[-1][0].rstrip(), found[-1][1]
    return tuple(run for run in found if run[0])


def lead_of(block: Block, rows: Rows, sizes: Sizes, measure: Measure) -> float:
    """Return the width that the first cells of a block of lines need, with the gap behind."""
    if block.kind not in ("numbers", "words", "list"):
        return 0.0
    gap = 0.62 * sizes.base
    if block.kind == "numbers":
        widths = [measure.plain(row[0], FIGURE, sizes.figure) for row in rows.rows]
        return max(*widths, 1.9 * sizes.base) * 0.99 + gap
    firsts = [_first(block, row[0]) for row in rows.rows if len(row) > 1]
    return max((measure.said(text, sizes.base) for text in firsts), default=0) + gap


def _first(block: Block, text: str) -> str:
    bold = block.kind in ("words", "list") and (not block.tables or block.strong == 1)
    return f"*{text}*" if bold and STRONG not in text else text


def as_lines(
    block: Block, rows: Rows, sizes: Sizes, measure: Measure, room: float, lead: float
) -> Set:
    """Return a block of lines, set in `room`; notes stand beside if all of them can."""
    base, kind = sizes.base, str(block.kind)
    notes = [row[2] if len(row) > 2 else "" for row in rows.rows]
    word = max((measure.said(row[1], base) for row in rows.rows if len(row) > 1), default=0)
    beside = lead + word + 0.6 * base
    widest = max((measure.said(note, sizes.note) for note in notes), default=0)
    apart = any(notes) and (block.beside or beside + widest <= room)
    beside = max(beside, min(room - widest, beside * 1.12)) if apart else beside
    made = []
    over = max(0.0, beside + widest - room) if apart else 0.0
    for row, note in zip(rows.rows, notes, strict=True):
        first = _first(block, row[0])
        cells = [Cell((tuple(runs(first)),), (), 0, lead, "first")]
        words = row[1] if len(row) > 1 else ""
        place = lead if first else 0.0
        lines = measure.broken(words, base, room - place)
        below = () if apart or not note else measure.broken(note, sizes.note, room - place)
        cells.append(Cell(lines, below, place, room - place, "said"))
        if apart and note:
            cells.append(Cell((tuple(runs(note)),), (), beside, room - beside, "note"))
        wide = max((measure.line(line, base) for line in lines), default=0)
        over = max(over, wide - (room - place), lead + 3 * base - room)
        made.append(Row(tuple(cells), _height(kind, sizes, len(lines), len(below))))
    return _set(block, (), made, rows.text, sizes, measure, room, over)


def _height(kind: str, sizes: Sizes, lines: int, small: int) -> float:
    more = max(0, lines - 1) * LEADING * sizes.base
    below = small * LEADING * sizes.note + (0.2 * sizes.base if small else 0)
    return round(HEIGHTS[kind] * sizes.base + more + below, 2)


LEADING: Final = 1.15
"""From line to line within a cell, in sizes."""


def as_grid(block: Block, rows: Rows, sizes: Sizes, measure: Measure, room: float) -> Set:
    """Return figures in columns, which end flush with the block."""
    labels = [row[0] for row in rows.rows] + [rows.heads[0]]
    count = max(1, len(rows.heads) - 1)
    figures = [text for row in rows.rows for text in row[1:]]

    def needed(size: float) -> tuple[float, float]:
        """Return the width that labels, and that all figures need."""
        widths = [measure.plain(text, PLAIN, size) for text in figures]
        widths += [measure.plain(text, HEAD, size) for text in rows.heads[1:]]
        lead = max(measure.plain(text, BOLD, size) for text in labels) + 0.3 * size
        return lead, count * (max(widths, default=0) + 0.35 * size)

    size = _shrunk(sizes.base, room, lambda one: sum(needed(one)))
    lead, wide = needed(size)
    each, over = (room - lead) / count, lead + wide - room

    def row(cells: Sequence[str], *, head: bool) -> tuple[Cell, ...]:
        first = Cell((((cells[0], True),),), (), 0, lead, "first")
        rest = [
            Cell((((text, head),),), (), lead + at * each, each, "figure")
            for at, text in enumerate(cells[1:])
        ]
        return (first, *rest)

    made = [Row(row(cells, head=False), _height("grid", sizes, 1, 0)) for cells in rows.rows]
    return _set(block, row(rows.heads, head=True), made, rows.text, sizes, measure, room, over, size)


def as_drawn(block: Block, rows: Rows, sizes: Sizes, measure: Measure, room: float) -> Set:
    """Return a row of stations, or of stairs; each cell is one of them."""
    count = max(1, len(rows.rows))

    def needed(size: float) -> float:
        widths = [measure.plain(row[0], BOLD, size) for row in rows.rows]
        return sum(widths) + 0.55 * size * (count - 1)

    size = _shrunk(sizes.base, room, needed)
    widths = [measure.plain(row[0], BOLD, size) for row in rows.rows]
    gap = (room - sum(widths)) / max(1, count - 1)
    cells = tuple(
        Cell(
            (((row[0], True),),),
            (((row[1] if len(row) > 1 else "", True),),),
            sum(widths[:at]) + at * gap,
            widths[at],
        )
        for at, row in enumerate(rows.rows)
    )
    steps = 0.42 * (count - 1) if block.kind == "stairs" else 0.0
    height = (2.65 if block.kind == "stations" else 3.55 + steps) * sizes.base
    made = [Row(cells, round(height, 2))]
    over = needed(size) - room
    return _set(block, (), made, rows.text, sizes, measure, room, over, size)


def _shrunk(size: float, room: float, needed: Callable[[float], float]) -> float:
    """Return the largest size from `size` down at which `needed` is no more than `room`."""
    while size > LEAST and needed(size) > room:
        size = max(LEAST, size - 0.25)
    return size


def _set(
    block: Block,
    heads: tuple[Cell, ...],
    rows: Sequence[Row],
    text: str,
    sizes: Sizes,
    measure: Measure,
    room: float,
    over: float,
    size: float = 0.0,
) -> Set:
    lines = measure.broken(text, sizes.note, room) if text else ()
    named = measure.plain(str(block.head), NAME, sizes.head)
    named += measure.plain(block.about, PLAIN, sizes.note) + sizes.base if block.about else 0
    over = max(over, named - room)
    height = sizes.headed + sum(row.height for row in rows)
    height += HEIGHTS["grid"] * sizes.base if heads else 0
    height += len(lines) * LEADING * sizes.note + (0.35 * sizes.base if lines else 0)
    return Set(block, heads, tuple(rows), lines, round(height, 2), size or sizes.base, max(0.0, over))
