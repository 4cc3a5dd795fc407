"""Pages of pieces: as many as fit on a paper, with a title, a legend and a credit."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sheetgen.plan.imposition.imposition import MARGIN, CardGrid, Misfit
from sheetgen.plugins.tabletop.designs import PieceStyle, PieceSubject, SetText, fit_text, line
from sheetgen.plugins.tabletop.drawings import DASHES, PieceKind, draw_accent, fit_words
from sheetgen.plugins.tabletop.pen import Element, Pen, finish_document, register_fonts
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.units import MM, Box, paper_points

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

_SMALL: Final = "size-credit"
_NEAR: Final = 1e-6


@dataclass(frozen=True)
class PieceSheet:
    """Pieces of one kind and one ruleset.

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
    subjects: Sequence[PieceSubject]
    style: PieceStyle

    @cached_property
    def words(self) -> SetText:
        """The credit, on lines."""
        room = paper_points(self.paper)[0] - 2 * _SIDE - 20 * MM
        size = self.style.tokens.length(_SMALL)
        lines = fit_words(self.credit, self.style, (room, 60), size, 4).lines
        return SetText(lines, "text-400", size, True, _LEADING)

    def _height(self, paper: float) -> float:
        """Return the height of the room for pieces on a paper of a height."""
        return paper - _TOP - _FOOT - self.words.leading * len(self.words.lines) - self.kind.bleed

    @cached_property
    def grid(self) -> CardGrid:
        """The grid that takes fewest pages of the paper, upright or across.

        Raises:
            Misfit: Not one piece fits on the paper.
        """
        piece, bleed = (self.width, self.kind.height(self.width)), self.kind.bleed
        short, long = paper_points(self.paper)
        grids = []
        for wide, high in ((short, long), (long, short)):
            room = wide - 2 * (MARGIN + bleed), self._height(high) - 2 * bleed
            across, down = (
                int((length + GAP + _NEAR) // (size + GAP))
                for length, size in zip(room, piece, strict=True)
            )
            if across and down:
                grids.append(CardGrid((wide, high), piece, across, down, GAP))
        if not grids:
            size = " × ".join(f"{length / MM:.0f}" for length in piece)
            raise Misfit(f"pieces of {size} mm do not fit on {self.paper}")
        return min(grids, key=lambda grid: -(-len(self.subjects) // grid.count))

    def place(self, index: int) -> tuple[float, float]:
        """Return the upper left corner of a piece on its page."""
        box, block = self.grid.slot(index).box, self.grid.block
        space = (self._height(self.grid.paper[1]) - block.height) / 2
        return box.x, _TOP + self.kind.bleed + min(6 * MM, space) + box.y - block.y

    @property
    def pages(self) -> Sequence[Sequence[PieceSubject]]:
        """What is on each page."""
        starts = range(0, len(self.subjects), self.grid.count)
        return [self.subjects[start : start + self.grid.count] for start in starts]


def render_pieces(
    sheets: Sequence[PieceSheet], about: DocumentInfo, fonts: Mapping[str, bytes]
) -> tuple[bytes, list[tuple[PieceSubject, str]]]:
    """Return pieces as a tagged PDF, and whose names were shortened, on which kind.

    Equal sheets give equal bytes.

    Args:
        fonts: TrueType files by their names.
    """
    from reportlab.pdfgen.canvas import Canvas

    names = register_fonts(fonts)
    first = next(iter(names.values()))
    target, elements, shortened = io.BytesIO(), list[list[Element]](), []
    canvas = Canvas(
        target, bottomup=0, pageCompression=0, invariant=1, initialFontName=first, lang=about.lang
    )
    pen = Pen(canvas, names, sheets[0].style)
    count = sum(len(sheet.pages) for sheet in sheets)
    for sheet in sheets:
        pen.style = sheet.style
        for number, subjects in enumerate(sheet.pages):
            canvas.setPageSize(sheet.grid.paper)
            canvas._make_preamble()  # It flips the page, whose height it has to know.
            pen.elements = []
            elements.append(pen.elements)
            _draw_head(pen, sheet, first=number == 0)
            for index, subject in enumerate(subjects):
                with pen.group((1, 0, 0, 1, *sheet.place(index))):
                    complete = sheet.kind.draw(pen, subject, sheet.width)
                shortened += [] if complete else [(subject, sheet.kind.label)]
            words, (width, height) = sheet.words, sheet.grid.paper
            y = height - _FOOT - words.size * _LEADING * (len(words.lines) - 1)
            pen.write(words, _SIDE, y, tag="")
            shown = SetText((f"{len(elements)} / {count}",), words.face, words.size, True)
            pen.write(shown, width - _SIDE, height - _FOOT, align=1, tag="")
            canvas.showPage()
    canvas.save()
    data = finish_document(target.getvalue(), about, elements, [*pen.pictures.values()])
    return data, shortened


def _draw_head(pen: Pen, sheet: PieceSheet, *, first: bool) -> None:
    """Draw the title of a page, and the legend of its lines."""
    style, y, right = pen.style, 13 * MM, sheet.grid.paper[0] - _SIDE
    small, ink, tag = style.tokens.length(_SMALL), style.colour("ink"), "P" if first else ""
    x, labels, dashes = right, list[tuple[str, float]](), list[tuple[float, tuple[float, ...]]]()
    for label, dash in (("fold", DASHES), ("cut", ()), ("Print at 100 per cent", None)):
        if label != "fold" or sheet.kind.folded:
            x -= style.width(label, "text-400", small)
            labels.insert(0, (label, x))
            if dash is not None:
                x -= 10 * MM
                dashes.append((x, dash))
            x -= 4 * MM
    text = fit_text(sheet.title, style, (x - _SIDE - 4 * MM, 14), max(13.0, small + 2), 1)
    pen.write(text, _SIDE, y, tag="H1" if first else "", full=sheet.title)
    for label, x in labels:
        pen.write(SetText((label,), "text-400", small, True), x, y, tag=tag)
    for start, dashed in dashes:
        path = line(start, y - small * 0.25, start + 9 * MM, y - small * 0.25)
        pen.draw_path(path, stroke=ink, width=0.6, dash=dashed)
    below = y + 2.2 * MM
    weight = style.tokens.length("w-section")
    pen.draw_path(line(_SIDE, below, right, below), stroke=ink, width=weight)
    draw_accent(pen, Box(_SIDE, below, 18 * MM, 2.4))
