"""Pages of pieces: as many as fit on a paper, with a title, a legend and a credit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.plan.imposition.imposition import MARGIN, Misfit
from sheetgen.plan.pieces.kinds import PieceKind
from sheetgen.plan.pieces.marks import (
    WORD_FACES,
    GroupMark,
    Mark,
    PathMark,
    PieceStyle,
    WordsMark,
    fit_text,
)
from sheetgen.plan.pieces.parts import DASHES, HAIR, Piece
from sheetgen.plan.pieces.shapes import BARS, line, stretch
from sheetgen.plan.pieces.subjects import PieceSubject
from sheetgen.units import MM, Box, paper_points

PAPERS: Final = ("a4", "letter", "a3", "tabloid", "a5")
"""Papers that pieces are printed on."""

GAP: Final = 3 * MM
"""The least distance of two pieces."""

_TOP: Final = 21 * MM
"""Where pieces begin, below the title of a page."""

_SIDE: Final = 10 * MM
"""The distance of titles and credits from the sides of the paper."""

_FOOT: Final = 7 * MM
"""The distance of the last line of the credit from the foot of the paper."""

_LEADING: Final = 1.35
"""Of the credit, in sizes of its type."""

_NEAR: Final = 1e-6


@dataclass(frozen=True, slots=True)
class PiecesPage:
    """A page.

    Attributes:
        marks: What is drawn, in reading order.
        faces: The name of the font file of each face.
    """

    size: tuple[float, float]
    marks: tuple[Mark, ...]
    faces: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PieceSheet:
    """What the pages of one kind and one ruleset have in common.

    Attributes:
        width: Of a piece, in points.
        title: Of the pages.
        credit: The short credit of the ruleset.
    """

    kind: PieceKind
    width: float
    paper: str
    title: str
    credit: str


@dataclass(frozen=True, slots=True)
class PiecesPlan:
    """A document of pieces.

    Attributes:
        subject: The short credit of the rulesets.
        meta: Metadata of the file.
    """

    title: str
    lang: str
    subject: str
    pages: tuple[PiecesPage, ...]
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PiecesGrid:
    """Places of pieces of one size on a paper, centred below the title."""

    paper: tuple[float, float]
    piece: tuple[float, float]
    columns: int
    rows: int
    top: float
    height: float

    @property
    def count(self) -> int:
        """The number of pieces on a page."""
        return self.columns * self.rows

    def place(self, index: int) -> tuple[float, float]:
        """Return the upper left corner of a piece."""
        row, column = divmod(index, self.columns)
        wide = self.columns * (self.piece[0] + GAP) - GAP
        high = self.rows * (self.piece[1] + GAP) - GAP
        x = (self.paper[0] - wide) / 2 + column * (self.piece[0] + GAP)
        return x, self.top + min(6 * MM, (self.height - high) / 2) + row * (self.piece[1] + GAP)


def find_grid(
    piece: tuple[float, float], paper: str, bleed: float, foot: float, count: int
) -> PiecesGrid:
    """Return the grid that takes fewest pages of a paper, upright or across.

    Args:
        foot: The height of the credit.
        count: The number of pieces.

    Raises:
        Misfit: Not one piece fits.
    """
    short, long = paper_points(paper)
    grids = []
    for wide, high in ((short, long), (long, short)):
        height = high - _TOP - _FOOT - foot - bleed
        room = wide - 2 * (MARGIN + bleed), height - 2 * bleed
        across, down = (
            int((length + GAP + _NEAR) // (size + GAP))
            for length, size in zip(room, piece, strict=True)
        )
        grids.append(PiecesGrid((wide, high), piece, across, down, _TOP + bleed, height))
    fitting = [grid for grid in grids if grid.count]
    if not fitting:
        size = " × ".join(f"{length / MM:.0f}" for length in piece)
        raise Misfit(f"pieces of {size} mm do not fit on {paper}")
    return min(fitting, key=lambda grid: -(-count // grid.count))  # upright, if both are equal


def plan_piece_pages(
    sheet: PieceSheet, subjects: Sequence[PieceSubject], style: PieceStyle
) -> tuple[list[PiecesPage], list[PieceSubject]]:
    """Return the pages of one kind, and the subjects whose names were shortened.

    Raises:
        Misfit: Not one piece fits on the paper.
    """
    kind, credit = sheet.kind, _wrap_credit(sheet, style)
    foot = style.points("size-credit") * _LEADING * len(credit)
    size = sheet.width, kind.height(sheet.width)
    grid = find_grid(size, sheet.paper, kind.bleed, foot, len(subjects))
    pages, shortened = [], []
    for start in range(0, len(subjects), grid.count):
        marks = list(_head(sheet, grid, style, first=start == 0))
        for index, subject in enumerate(subjects[start : start + grid.count]):
            piece = kind.draw(subject, sheet.width, style)
            shortened += [subject] if piece.shortened else []
            place = (1, 0, 0, 1, *grid.place(index))
            marks.append(GroupMark(tuple(_with_lines(piece, style)), place))
        marks.append(_credit(credit, grid, style))
        pages.append(PiecesPage(grid.paper, tuple(marks), style.faces))
    return pages, shortened


def number_pages(pages: Sequence[PiecesPage]) -> Iterator[PiecesPage]:
    """Yield pages with their numbers at the foot, set as the credit is."""
    for number, page in enumerate(pages, 1):
        credit = page.marks[-1]
        assert isinstance(credit, WordsMark)
        x, y = page.size[0] - _SIDE, page.size[1] - _FOOT
        words = replace(credit, lines=(f"{number} / {len(pages)}",), x=x, y=y, align="right")
        yield replace(page, marks=(*page.marks, words))


def _with_lines(piece: Piece, style: PieceStyle) -> Iterator[Mark]:
    yield from piece.marks
    colour = style.colour("line")
    yield from (PathMark(path, stroke=colour, width=HAIR, dash=DASHES) for path in piece.folds)
    yield PathMark(piece.cut, stroke=colour, width=HAIR)


def _wrap_credit(sheet: PieceSheet, style: PieceStyle) -> tuple[str, ...]:
    room = paper_points(sheet.paper)[0] - 2 * _SIDE - 20 * MM
    size = style.points("size-credit")
    return fit_text(sheet.credit, style, (room, 60), size, 4, WORD_FACES).lines


def _credit(lines: tuple[str, ...], grid: PiecesGrid, style: PieceStyle) -> WordsMark:
    size = style.points("size-credit")
    y = grid.paper[1] - _FOOT - size * _LEADING * (len(lines) - 1)
    colour = style.colour("ink")
    return WordsMark(lines, _SIDE, y, "text-400", size, colour, leading=size * _LEADING)


def _head(sheet: PieceSheet, grid: PiecesGrid, style: PieceStyle, *, first: bool) -> Iterator[Mark]:
    """Yield the title of a page, and the legend of its lines."""
    small, ink = style.points("size-credit"), style.colour("ink")
    y, right = 13 * MM, grid.paper[0] - _SIDE
    x, legend = right, list[Mark]()
    for label, dash in reversed(_legend(sheet.kind)):
        x -= style.width(label, "text-400", small)
        tag = "P" if first else ""
        legend.insert(0, WordsMark((label,), x, y, "text-400", small, ink, tag=tag))
        if dash is not None:
            x -= 10 * MM
            path = line(x, y - small * 0.25, x + 9 * MM, y - small * 0.25)
            legend.append(PathMark(path, stroke=ink, width=0.6, dash=dash))
        x -= 4 * MM
    text = fit_text(sheet.title, style, (x - _SIDE - 4 * MM, 14), max(13.0, small + 2), 1)
    full, tag = text.replacement(sheet.title), "H1" if first else ""
    yield WordsMark(text.lines, _SIDE, y, text.face, text.size, ink, tag=tag, full=full)
    yield from legend
    below = y + 2.2 * MM
    yield PathMark(line(_SIDE, below, right, below), stroke=ink, width=style.points("w-section"))
    bar = stretch(BARS[style.tokens.css["rule"]], Box(_SIDE, below, 18 * MM, 2.4))
    yield PathMark(bar, fill=style.colour("accent"))


def _legend(kind: PieceKind) -> list[tuple[str, tuple[float, ...] | None]]:
    folds: list[tuple[str, tuple[float, ...] | None]] = []
    if kind.folded:
        folds = [("fold", DASHES)]
    return [("Print at 100 per cent", None), ("cut", ()), *folds]
