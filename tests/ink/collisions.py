"""Find ink that collides on finished pages. What is meant to touch is kept out by principle.

- Ink that a later fill covers is not seen: a label on a white disc may lie over a curve.
- Letters of one run stand as their font sets them, whatever their boxes do.
- The same letter painted twice at one place is one letter, drawn bolder.
- A rule as wide as its own words, at or under the middle of their letters, strikes or underlines.
- A unit belongs to its figure: up to two letters or signs, right beside it. So it may stand in the
  field that the figure is written in, and so may underscores, a line to write on.
- Words of one sentence are parted by a blank; punctuation joins. Runs of one style without a
  blank between them are different cells. Runs of different styles are a label and its figure, or
  words with stress: these may stand closer than cells, but two figures never may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from tests.ink.outlines import Box, box_of, grown, holds, met, met_in, overlap
from tests.ink.page_ink import MM, Collision, Edge, Glyph, PageInk, read_pages
from tests.ink.ruled_columns import find_outside_columns
from tests.ink.spacing import UNIT, find_near
from tests.ink.squares import Grid

CARD_MARGIN = 2.5 * MM
"""What a cutter may miss the trim by, and a thumb covers."""

SLACK = 0.3 * MM
"""Of a margin: descenders and round letters may reach into it by this."""

CUT = 0.5
"""Points of a letter beyond its clip path that one sees missing."""

TOUCH = 0.2
"""Points of a letter over a rule that ink of a printer does not close by itself."""

LABEL = 15 * MM
"""Largest ground of a label."""

COVERED = 1.0
"""Points of a label under a field: less is only the field's own frame."""


def find_collisions(content: bytes, margin: float = 8.0) -> list[Collision]:
    """Return what collides on the pages of a PDF, once for each pair of words.

    Args:
        margin: Millimetres of paper that printers leave.
    """
    found: dict[tuple[int, str, str], Collision] = {}
    for ink in read_pages(content):
        for one in _on_page(ink, margin * MM):
            found.setdefault((one.page, one.kind, one.words), one)
    return list(found.values())


def _on_page(ink: PageInk, margin: float) -> Iterator[Collision]:
    letters = [g for g in ink.glyphs if g.shape and not g.letter.isspace()]
    letters = list(_painted_once(letters))
    covered = {glyph: share for glyph in letters if (share := _covered(glyph, ink))}
    yield from _under_fills(covered, ink)
    letters = [glyph for glyph in letters if covered.get(glyph, 0) < 1]
    grid, edges = Grid(letters), Grid(ink.edges)
    for glyph in letters:
        yield from _over_text(glyph, grid, ink)
        yield from _over_edges(glyph, edges, ink)
        yield from _clipped(glyph, ink)
    yield from _outside(letters, ink, margin)
    yield from find_near(ink, letters, grid)
    yield from find_outside_columns(ink, letters)
    yield from _under_fields(grid, ink)
    yield from _fields_over_fields(ink)
    yield from _cut_labels(letters, ink)


def _painted_once(letters: Iterable[Glyph]) -> Iterator[Glyph]:
    """Yield letters without those that are painted at the same place again."""
    seen: set[tuple[object, ...]] = set()
    for glyph in letters:
        key = glyph.letter, *(round(value, 1) for value in glyph.box)
        if key not in seen:
            seen.add(key)
            yield glyph


def _covered(glyph: Glyph, ink: PageInk) -> float:
    """Return how much of a letter's outline is under fills that are painted later."""
    later = [f for f in ink.fills if f.order > glyph.order and min(overlap(f.box, glyph.box)) > CUT]
    points = [point for chain in glyph.outline for point in chain] if later else []
    return sum(any(fill.covers(p) for fill in later) for p in points) / max(1, len(points))


def _under_fills(covered: Mapping[Glyph, float], ink: PageInk) -> Iterator[Collision]:
    for glyph in covered:
        yield Collision(ink.number, "covered", f"“{ink.words(glyph)}”", glyph.box)


def _middle(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _over_text(glyph: Glyph, grid: Grid[Glyph], ink: PageInk) -> Iterator[Collision]:
    for other in grid.near(glyph.box):
        if other.run <= glyph.run or min(overlap(glyph.box, other.box)) < TOUCH:
            continue
        if met(glyph.outline, other.outline) is not None:
            words = f"“{ink.words(glyph)}” and “{ink.words(other)}”"
            yield Collision(ink.number, "text over text", words, glyph.box)


def _over_edges(glyph: Glyph, edges: Grid[Edge], ink: PageInk) -> Iterator[Collision]:
    for edge in edges.near(glyph.box):
        if min(overlap(glyph.box, edge.box)) < 0 or _decorates(edge, glyph, ink):
            continue
        thick = min(edge.box[2] - edge.box[0], edge.box[3] - edge.box[1])
        met_at = met_in(glyph.outline, grown(edge.box, -min(TOUCH, thick / 2) + 1e-6))
        if met_at is None or ink.hidden(met_at, edge.order) or ink.hidden(met_at, glyph.order):
            continue
        if _barely(glyph, edge):
            continue
        words = f"“{ink.words(glyph)}”"
        yield Collision(ink.number, f"text over {edge.what}", words, glyph.box)


def _barely(glyph: Glyph, edge: Edge) -> bool:
    """Whether a letter only reaches an edge, and does not cross it visibly."""
    flat = edge.box[3] - edge.box[1] <= edge.box[2] - edge.box[0]
    if flat:
        return min(glyph.box[3] - edge.box[1], edge.box[3] - glyph.box[1]) < TOUCH
    return min(glyph.box[2] - edge.box[0], edge.box[2] - glyph.box[0]) < TOUCH


def _decorates(edge: Edge, glyph: Glyph, ink: PageInk) -> bool:
    """Whether a rule strikes or underlines the run that `glyph` belongs to."""
    left, top, right, foot = edge.of
    if foot - top > 0.12 * glyph.size or foot < glyph.base - 0.75 * glyph.size:
        return False
    line = [g for g in ink.runs[glyph.run] if abs(g.base - glyph.base) < 0.5]
    starts, ends = min(g.box[0] for g in line), max(g.box[2] for g in line)
    return left > starts - 2 and right < ends + 2 and right - left > 0.8 * (ends - starts)


def _clipped(glyph: Glyph, ink: PageInk) -> Iterator[Collision]:
    if any(
        glyph.box[side] < glyph.clip[side] - CUT or glyph.box[side + 2] > glyph.clip[side + 2] + CUT
        for side in (0, 1)
    ):
        words = f"“{glyph.letter}” of “{ink.words(glyph)}”"
        yield Collision(ink.number, "clipped", words, glyph.box)


def _cut_labels(letters: Iterable[Glyph], ink: PageInk) -> Iterator[Collision]:
    """Yield labels whose ground, such as a disc on a curve, is cut by a clip path."""
    for fill in ink.fills:
        whole = box_of(fill.outline) or fill.box
        cut = max(abs(a - b) for a, b in zip(whole, fill.box, strict=True)) > CUT
        if not cut or max(whole[2] - whole[0], whole[3] - whole[1]) > LABEL:
            continue
        for glyph in letters:
            if glyph.order > fill.order and holds(fill.box, _middle(glyph.box)):
                yield Collision(ink.number, "clipped", f"“{ink.words(glyph)}”", glyph.box)
                break


def _outside(letters: Iterable[Glyph], ink: PageInk, margin: float) -> Iterator[Collision]:
    """Yield text in the margin: of paper the part that printers leave, of cards that of cutters.

    What lies wholly outside the trim speaks to who cuts.
    """
    small = min(ink.trim[2] - ink.trim[0], ink.trim[3] - ink.trim[1]) < 140 * MM
    cut = small or ink.trim != ink.size
    edge = (CARD_MARGIN if cut else margin) - SLACK
    nearest: dict[str, tuple[float, Box]] = {}
    for glyph in letters:
        box, trim = glyph.box, ink.trim
        least = min(*(box[n] - trim[n] for n in (0, 1)), *(trim[n] - box[n] for n in (2, 3)))
        if least >= edge:
            continue
        words = ink.words(glyph)
        shown = ink.trim == ink.size or holds(trim, _middle(box))
        if shown and least < nearest.get(words, (edge, box))[0]:
            nearest[words] = least, box
    for words, (least, box) in nearest.items():
        yield Collision(ink.number, "text in the margin", f"“{words}”, {least / MM:.1f} mm", box)


def _under_fields(grid: Grid[Glyph], ink: PageInk) -> Iterator[Collision]:
    """Yield words of the page that a field's box covers; its own text is painted later."""
    for name, box in ink.fields:
        for glyph in grid.near(box):
            word = ink.word(glyph)
            if glyph.order >= ink.static or len(word) <= UNIT or not any(map(str.isalnum, word)):
                continue
            if min(overlap(glyph.box, box)) > COVERED:
                words = f"“{name}” over “{ink.words(glyph)}”"
                yield Collision(ink.number, "a field over a label", words, glyph.box)
                break


def _fields_over_fields(ink: PageInk) -> Iterator[Collision]:
    """Yield fields over each other, but for a track's steps: they are filled at some boxes only."""
    for (name, box), (other, its) in combinations(ink.fields, 2):
        steps = name.rpartition(".")[0]
        if steps.endswith(".step") and other.startswith(f"{steps}."):
            continue
        if min(overlap(box, its)) > COVERED:
            words = f"“{name}” over “{other}”"
            yield Collision(ink.number, "a field over a field", words, box)
