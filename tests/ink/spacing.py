"""Find letters that are too near to others which mean something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tests.ink.outlines import grown, overlap
from tests.ink.page_ink import MM, THIN, Collision, Edge, Glyph, PageInk
from tests.ink.squares import Grid

APART, FIGURES_APART = 1 * MM, 2 * MM

LINES_APART = 1.0
"""Points between the ink of two lines."""

LINE_BESIDE = 0.4
"""Points between letters and the line between two columns."""

SAME_LINE = 0.6
"""Points between the baselines of letters that are read as one line."""

CLOSED_UP = 0.16
"""Of the size: letters of one word are nearer, and a blank is wider."""

UNIT = 2
"""Letters of a unit, or of a mark beside a figure."""

SUPERSCRIPTS = 0.75
"""Of the size of the text that a footnote's mark stands by."""


def find_near(ink: PageInk, letters: Sequence[Glyph], grid: Grid[Glyph]) -> Iterator[Collision]:
    """Yield letters that mean different things, and are too near: beside and below each other."""
    for one, other, gap in (*_beside(ink, letters), *_below(grid, letters)):
        words = f"“{ink.words(one)}” and “{ink.words(other)}”, {gap / MM:.1f} mm"
        yield Collision(ink.number, "too near", words, one.box)
    for one, edge in _by_lines(ink, letters):
        words = f"“{ink.words(one)}” and {edge.what}"
        yield Collision(ink.number, "too near", words, one.box)


def _by_lines(ink: PageInk, letters: Iterable[Glyph]) -> Iterator[tuple[Glyph, Edge]]:
    """Yield letters and upright lines beside them, without room between the two."""
    edges = Grid([edge for edge in ink.edges if _is_upright(edge)])
    for one in letters:
        for edge in edges.near(grown(one.box, LINE_BESIDE)):
            high = min(one.box[3] - one.box[1], edge.box[3] - edge.box[1])
            across, down = overlap(one.box, edge.box)
            beside = one.level and across < 0 and down > high / 2 and one.letter.isalnum()
            middle = (edge.box[0] + edge.box[2]) / 2, (one.box[1] + one.box[3]) / 2
            if beside and not ink.hidden(middle, edge.order):
                yield one, edge


def _is_upright(edge: Edge) -> bool:
    left, top, right, foot = edge.of
    return edge.what != "an edge" and right - left < THIN < foot - top


def _beside(ink: PageInk, letters: Iterable[Glyph]) -> Iterator[tuple[Glyph, Glyph, float]]:
    for line in _lines((*letters, *(g for g in ink.glyphs if g.letter.isspace()))):
        line.sort(key=lambda g: (g.box[0], g.box[2]))
        for before, one, other in zip([None, *line], line, line[1:], strict=False):
            if one.order == other.order or one.letter.isspace() or other.letter.isspace():
                continue
            gap = other.box[0] - one.box[2]
            if gap < FIGURES_APART and gap < _least(before, one, other, ink):
                yield one, other, gap


def _lines(glyphs: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    """Yield level letters whose baselines are equal but for a rounding."""
    line: list[Glyph] = []
    for glyph in sorted((g for g in glyphs if g.level), key=lambda g: g.base):
        if line and glyph.base - line[-1].base > SAME_LINE:
            yield line
            line = []
        line.append(glyph)
    yield line


def _least(before: Glyph | None, one: Glyph, other: Glyph, ink: PageInk) -> float:
    """Return how far two neighbours have to be apart; `before` is to the left of both."""
    words, others = (ink.words(glyph) for glyph in (one, other))
    if other.letter.isdigit() and _is_figure(before, one, words):
        small, large = sorted((one, other), key=lambda glyph: glyph.size)
        mark = small.size < SUPERSCRIPTS * large.size and len(ink.words(small)) <= UNIT
        return 0.0 if mark and small.letter.isdigit() else FIGURES_APART
    if not (one.letter.isalnum() and other.letter.isalnum()):
        return 0.0
    if min(len(words), len(others)) <= UNIT:
        return 0.0
    same = one.style == other.style and one.letter.isalpha() and other.letter.isalpha()
    return APART if same else CLOSED_UP * one.size


def _is_figure(before: Glyph | None, one: Glyph, words: str) -> bool:
    """Whether `one` ends a figure: it is its last digit, or its unit."""
    if one.letter.isdigit():
        return True
    if len(words) > UNIT or before is None or not one.letter.isalpha():
        return words[:1].isdigit() and one.letter.isalpha()
    return before.letter.isdigit() and one.box[0] - before.box[2] < CLOSED_UP * before.size


def _below(grid: Grid[Glyph], letters: Iterable[Glyph]) -> Iterator[tuple[Glyph, Glyph, float]]:
    """Yield a letter and one of the next line."""
    for one in letters:
        left, _, right, foot = one.box
        for other in grid.near((left, foot - one.size / 4, right, foot + LINES_APART)):
            gap = other.box[1] - foot
            apart = other.base - one.base > min(one.size, other.size) / 2
            if apart and gap < LINES_APART and overlap(one.box, other.box)[0] > 0:
                yield one, other, gap
