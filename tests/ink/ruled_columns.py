"""Find text that leaves its column: the room between rules of one width, one below the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tests.ink.outlines import Box
from tests.ink.page_ink import MM, Collision, Edge, Glyph, PageInk

LEAST = 3
"""Rules of a column."""

ROW, UNEVEN = 40.0, 1.3
"""Points between two rules of a column, and how uneven rows may be; more is another section."""

WIDTH = 20 * MM
SAME = 0.6
"""Points between ends of rules that are equal but for a rounding."""

OUTSIDE = 0.5 * MM


def find_outside_columns(ink: PageInk, letters: Sequence[Glyph]) -> Iterator[Collision]:
    """Yield lines of text that begin in a column and end beyond it, or the other way round."""
    lines: dict[tuple[int, float], list[Glyph]] = defaultdict(list)
    for glyph in letters:
        lines[glyph.run, round(glyph.base, 1)].append(glyph)
    columns = list(_columns(ink.edges))
    for line in lines.values():
        left, right = min(g.box[0] for g in line), max(g.box[2] for g in line)
        for column in columns:
            shared = min(right, column[2]) - max(left, column[0])
            within = column[1] < line[0].base < column[3]
            beyond = max(column[0] - left, right - column[2])
            if within and shared > OUTSIDE and beyond > OUTSIDE and line[0].level:
                words = f"“{ink.words(line[0])}”, {beyond / MM:.1f} mm"
                yield Collision(ink.number, "text outside its column", words, line[0].box)


def _columns(edges: Sequence[Edge]) -> Iterator[Box]:
    """Yield what several rules of equal width have between them."""
    same: dict[tuple[int, int], list[Box]] = defaultdict(list)
    for rule in _joined([e for e in edges if e.what != "an edge" and _is_flat(e.box)]):
        if rule[2] - rule[0] > WIDTH:
            same[round(rule[0] / SAME), round(rule[2] / SAME)].append(rule)
    for rules in same.values():
        chain: list[Box] = []
        for rule in sorted(rules, key=lambda box: box[1]):
            if chain and not _is_next(chain, rule):
                yield from _column(chain)
                chain = []
            chain.append(rule)
        yield from _column(chain)


def _is_next(chain: Sequence[Box], rule: Box) -> bool:
    """Whether a rule ends the next row of a column: rows are about as high as each other."""
    gap = rule[1] - chain[-1][1]
    before = chain[-1][1] - chain[-2][1] if len(chain) > 1 else gap
    return gap <= ROW and before / UNEVEN <= gap <= before * UNEVEN


def _column(rules: Sequence[Box]) -> Iterator[Box]:
    if len({round(rule[1]) for rule in rules}) >= LEAST:
        yield rules[0][0], rules[0][1], rules[0][2], rules[-1][3]


def _joined(edges: Sequence[Edge]) -> Iterator[Box]:
    """Yield rules in one line, such as those of a table's cells, as one."""
    before: Box | None = None
    for box in sorted((e.box for e in edges), key=lambda b: (round(b[1], 1), b[0])):
        if before and abs(box[1] - before[1]) < SAME and box[0] - before[2] < SAME:
            before = before[0], before[1], max(before[2], box[2]), before[3]
            continue
        if before:
            yield before
        before = box
    if before:
        yield before


def _is_flat(box: Box) -> bool:
    return box[3] - box[1] < 3 < box[2] - box[0]
