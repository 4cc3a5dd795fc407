"""Widths of the columns of a table, by the fonts' advance widths; all lengths are points."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from sheetgen.plan.pages.screen_lines import BOLD, PLAIN, TextMeasure
from sheetgen.plan.pages.tables import RowView, TableCell, TableView
from sheetgen.plan.tableflow.sizes import FlowSizes

BROKEN: Final = "broken"
"""The class of a table that did not fit: the heads of its columns may have several lines."""

SEMI: Final = "text-600"

NO_BREAK: Final = "\N{NO-BREAK SPACE}"

_COUNT: Final = re.compile(r"(?<=[^\W\d]) (?=[≤≥]|\d+(?:D(?:[+−]\d+)?)?(?:[,;]|$))")
"""The space before what counts a name, as in `Name 4D+1, Name 2`, or compares it."""

PAD: Final = 6.0
"""The space behind a cell of words."""

_FIGURE_GAP: Final = 8.0

_WORDS_GAP: Final = 14.0

_FORMULA_GAP: Final = 10.0

_SHORT: Final = 0.24
"""A column of words with at most this share of the room is never broken into lines."""

_WIDEST_FIGURE: Final = 48.0
"""The widest that a column of figures becomes if there is space left."""

_LEAST_WORDS: Final = 92.0
"""The least width of a column whose texts are broken into lines."""

_LEAST_BROKEN: Final = 60.0
"""The same in a table that does not fit otherwise."""

_FEW: Final = 4

_FEW_WIDE: Final = 66.0

_EACH_WIDER: Final = 48.0
"""A column of few figures is at most as wide as their number times this: together they fill
a wide page, while one figure alone stays near its label."""

_AFTER_LABEL: Final = 26.0


def space_after(view: TableView, needs: Sequence[tuple[float, float, str]], room: float) -> float:
    """Return the space behind the last column of a table with few figures.

    Without it figures would be far from their labels.
    """
    figures = [wide for wide, _, kind in needs if kind == "figure"]
    if "of-words" in view.classes or not 0 < len(figures) <= _FEW or needs[-1][2] != "figure":
        return 0.0
    labels = sum(wide for wide, _, kind in needs if kind != "figure")
    count = len(figures)
    each = max(_FEW_WIDE, min(room / (count + 1), count * _EACH_WIDER))
    wide = labels + _AFTER_LABEL + sum(max(each, one) for one in figures)
    return max(0.0, round(room - wide, 2))


def unit_field(
    view: TableView, rows: Sequence[RowView], sizes: FlowSizes, measure: TextMeasure
) -> float:
    """Return the width of the field behind numbers: that of the longest unit with its mark."""
    units = [
        measure.face_width(cell.unit, PLAIN, sizes.unit)
        + measure.face_width(cell.mark, BOLD, 0.75 * sizes.words)
        + (0.5 if cell.mark else 0.0)
        for cells in (view.heads, *(row.cells for row in rows))
        for cell in cells
        if cell.figure
    ]
    return round(max(units, default=0.0) + 1.0, 2)


def cell_face(cell: TableCell) -> str:
    """Return the face of a cell that is no figure."""
    if cell.label:
        return PLAIN if "also" in cell.classes else SEMI
    return SEMI if "name" in cell.classes.split() else PLAIN


def column_needs(
    view: TableView,
    rows: Sequence[RowView],
    at: int,
    sizes: FlowSizes,
    measure: TextMeasure,
    *,
    wrap: bool = True,
) -> tuple[float, float, str]:
    """Return the width at which no cell of a column wraps, the least width, and its kind.

    Args:
        wrap: Whether the head of a column of figures may have several lines.
    """
    head = view.heads[at]
    cells = [
        cell for row in rows for place, cell in cell_starts(row) if place == at and cell.span == 1
    ]
    kind = "any" if head.classes.startswith("any") else "figure" if head.figure else "words"
    words = "of-words" in view.classes
    if kind == "figure":
        size = sizes.words if words else sizes.body
        wide = max((measure.face_width(c.number, PLAIN, size) for c in cells), default=0.0)
        bold = max((measure.face_width(c.number, BOLD, size) for c in cells), default=0.0)
        wide = max(wide, bold)
        first = (measure.longest if wrap else measure.face_width)(head.number, SEMI, sizes.body)
        more = sizes.field + (_WORDS_GAP if words else _FIGURE_GAP)
        return max(wide, first) + more, max(wide, first) + more, kind
    size = sizes.unit if kind == "any" else sizes.words if words else sizes.body
    texts = [(cell.number + ("m" if cell.mark else ""), cell_face(cell)) for cell in cells]
    natural = [measure.face_width(text, face, size) for text, face in texts]
    least = [measure.longest(text, face, size) for text, face in texts]
    first = measure.face_width(head.number, SEMI, sizes.body)
    narrow = measure.longest(head.number, SEMI, sizes.body) if BROKEN in view.classes else first
    gap = PAD + (_FORMULA_GAP if kind == "any" else 0)
    full = max([*natural, first]) + gap
    fixed = kind == "any" or (not words)
    return full, full if fixed else max([*least, narrow]) + gap, kind


def cell_starts(row: RowView) -> list[tuple[int, TableCell]]:
    """Return the cells of a row, each with the column where it starts."""
    found, at = [], 0
    for cell in row.cells:
        found.append((at, cell))
        at += cell.span
    return found


def without_empty_columns(view: TableView) -> TableView:
    """Return a table without the columns of words in which every cell is empty or a dash."""
    rows = [row for part in view.parts for row in part.rows]
    full = {at for at, head in enumerate(view.heads) if head.figure or head.label}
    for row in rows:
        for at, cell in cell_starts(row):
            if cell.label or cell.mark or cell.number not in ("", "–"):
                full |= set(range(at, at + cell.span))
    if len(full) == len(view.heads):
        return view

    def shown(row: RowView) -> RowView:
        missing = len(view.heads) - len(row.cells)  # the first cell spans those that are missing
        kept = (c for at, c in enumerate(row.cells) if not at or at + missing in full)
        return replace(row, cells=tuple(kept))

    return replace(
        view,
        heads=tuple(head for at, head in enumerate(view.heads) if at in full),
        parts=tuple(replace(part, rows=tuple(map(shown, part.rows))) for part in view.parts),
    )


def with_unbroken_counts(view: TableView) -> TableView:
    """Return a table in which no line begins with the count or the code of a name before it."""

    def cell(one: TableCell) -> TableCell:
        return replace(one, number=_COUNT.sub(NO_BREAK, one.number))

    def row(one: RowView) -> RowView:
        return replace(one, cells=tuple(map(cell, one.cells)))

    parts = (replace(part, rows=tuple(map(row, part.rows))) for part in view.parts)
    return replace(view, heads=tuple(map(cell, view.heads)), parts=tuple(parts))


def share_room(
    view: TableView, needs: Sequence[tuple[float, float, str]], room: float
) -> tuple[tuple[float, ...], bool]:
    """Return the widths of columns, and whether they are enough."""
    full = [need[0] for need in needs]
    kinds = [need[2] for need in needs]
    spare = room - sum(full)
    if spare >= 0:
        return tuple(_spread(view, full, kinds, spare)), True
    narrow = _LEAST_BROKEN if BROKEN in view.classes else _LEAST_WORDS
    short = narrow if BROKEN in view.classes else _SHORT * room
    lead = [at for at, (wide, _, kind) in enumerate(needs) if kind != "words" or wide <= short]
    lead = lead or [0]
    open_ = [at for at in range(len(needs)) if at not in lead]
    left = room - sum(full[at] for at in lead)
    if not open_:
        return tuple(room * wide / sum(full) for wide in full), False
    least = {at: max(needs[at][1], min(full[at], narrow)) for at in open_}
    fits = left >= sum(least.values())
    if left < sum(needs[at][1] for at in open_):  # even the longest words do not fit
        floor = [needs[at][1] for at in range(len(needs))]
        return tuple(room * wide / sum(floor) for wide in floor), False
    if not fits:
        least = {at: needs[at][1] for at in open_}
    more = left - sum(least.values())
    wish = {at: max(1.0, full[at] - least[at]) for at in open_}
    total = sum(wish.values())
    return tuple(
        least[at] + more * wish[at] / total if at in wish else full[at] for at in range(len(needs))
    ), fits


def _spread(
    view: TableView, full: Sequence[float], kinds: Sequence[str], spare: float
) -> list[float]:
    """Return widths with the spare space: in columns of figures, or else in the last one."""
    widths = list(full)
    figures = [at for at, kind in enumerate(kinds) if kind == "figure"]
    if "of-words" in view.classes or not figures:
        last = max((at for at, kind in enumerate(kinds) if kind == "words"), default=0)
        if kinds[-1] == "words":
            # columns of short words move apart a little; the last one has the rest
            each = min(18.0, spare / (2 * max(1, len(kinds) - 1)))
            for at in range(len(kinds) - 1):
                widths[at] += each
                spare -= each
        widths[last] += spare
        return widths
    even = max(widths[at] for at in figures)
    gain = sum(even - widths[at] for at in figures)
    if gain <= spare:
        for at in figures:
            widths[at] = even
        spare -= gain
        few = len(figures) <= _FEW and kinds[-1] == "figure"
        most = (spare - _AFTER_LABEL) / len(figures) if few else _WIDEST_FIGURE - even
        each = max(0.0, min(spare / len(figures), most))
        for at in figures:
            widths[at] += each
        spare -= each * len(figures)
    widths[0] += spare
    return widths
