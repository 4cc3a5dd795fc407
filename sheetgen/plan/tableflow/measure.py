"""Measured tables: their columns, and the heights of their rows; all lengths are points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.plan.pages.screen_lines import NAME, PLAIN, TextMeasure
from sheetgen.plan.pages.tables import PartView, RowView, TableView
from sheetgen.plan.tableflow.columns import (
    PAD,
    SEMI,
    cell_face,
    cell_starts,
    column_needs,
    share_room,
    space_after,
    unit_field,
)
from sheetgen.plan.tableflow.sizes import FlowSizes

STAIR: Final = 1.6
"""The weight of the stairs in odds, the most that lines add to a row."""

WORDS_PAD = 12.0
"""The space behind a figure in a table with words, as in `paper.css`."""

_MODULE = 34.0
"""The width of the mark of an overlay behind a table's name."""


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A table at one width; heights of rows do not include padding.

    Attributes:
        columns: The widths of its columns.
        lines: How many lines each row has, over all parts.
        heads: How many lines the heads of columns have.
        notes: How many lines the notes below it have.
        under: How many lines the remark about it has below its name; 0 if it is beside the name.
        fits: Whether the table is no wider than its room.
        after: Free space behind the last column of a table with few figures.
        field: The width of the fields behind numbers, for their units.
        picture: The height of its drawing; 0 if it is not drawn.
        sizes: The type sizes in its cells, if they are not those of its page.
    """

    view: TableView
    columns: tuple[float, ...]
    lines: tuple[int, ...]
    heads: int
    notes: int
    under: int
    fits: bool
    after: float = 0.0
    field: float = 0.0
    picture: float = 0.0
    sizes: FlowSizes | None = None

    @property
    def words(self) -> bool:
        """Whether it has columns of words, whose rows have lines of any number."""
        return "of-words" in self.view.classes

    def named(self, sizes: FlowSizes) -> float:
        """Return the height of its name and of the remark below that."""
        if not self.view.label:
            return self.under * sizes.about_height
        return sizes.name_height + self.under * sizes.about_height

    def row_height(self, at: int, sizes: FlowSizes) -> float:
        """Return the height of a row, with the hairline above it."""
        if not self.words:
            return sizes.row + (STAIR if "of-odds" in self.view.classes else 0.1)
        return self.lines[at] * sizes.lead + 2 * sizes.pad + sizes.hair

    def head_height(self, sizes: FlowSizes) -> float:
        """Return the height of the heads of columns."""
        return self.heads * round(sizes.body * 1.3, 2) + sizes.heads_pad

    def notes_height(self, sizes: FlowSizes) -> float:
        """Return the height of all notes below it."""
        return self.notes * sizes.note_lead + 4 if self.notes else 0.0

    def height(self, sizes: FlowSizes, start: int = 0, stop: int | None = None) -> float:
        """Return its height, or that of a piece with the rows from `start` to before `stop`."""
        if self.picture:
            return self.named(sizes) + self.picture + self.notes_height(sizes)
        total = len(self.lines)
        stop = total if stop is None else stop
        rows = sum(self.row_height(at, sizes) for at in range(start, stop))
        parts = self.parts(start, stop)
        labels = sum(1 for part in parts if part.label) * sizes.part_height
        edges = len(parts) * sizes.hair + sizes.rule
        heads = self.named(sizes) + self.head_height(sizes)
        foot = self.notes_height(sizes) if stop == total else sizes.goes_on_height
        return heads + rows + labels + edges + foot

    def parts(self, start: int, stop: int) -> tuple[PartView, ...]:
        """Return its parts with only the rows from `start` to before `stop`."""
        if start == 0 and stop == len(self.lines):
            return self.view.parts
        found, at = [], 0
        for part in self.view.parts:
            rows = part.rows[max(0, start - at) : max(0, stop - at)]
            if rows:
                found.append(replace(part, rows=rows))
            at += len(part.rows)
        return tuple(found)


def measure_table(
    view: TableView, room: float, sizes: FlowSizes, measure: TextMeasure, ratio: float = 0.0
) -> MeasuredTable:
    """Return a table measured for a width of `room`.

    Args:
        ratio: The height of its drawing by its width; 0 for a table.
    """
    remarks = [f"{note.mark} {note.text}" for note in view.notes] + (
        [view.text] if view.text else []
    )
    notes = sum(measure.count_lines(text, sizes.note, room) for text in remarks)
    name = measure.face_width(view.label, NAME, sizes.head)
    name += _MODULE if view.origin else 0.0
    about = measure.face_width(view.about, PLAIN, sizes.about)
    apart = bool(view.about) and (not view.label or name + about + 12 > room)
    under = measure.count_lines(view.about, sizes.about, room) if apart else 0
    if ratio:
        return MeasuredTable(view, (), (), 0, notes, under, True, picture=ratio * room)
    rows = [row for part in view.parts for row in part.rows]
    sizes = replace(sizes, field=unit_field(view, rows, sizes, measure))
    needs: list[tuple[float, float, str]] = []
    for wrap in (False, True):  # Heads of figures wrap only where the room asks for it.
        if not needs or sum(need[0] for need in needs) > room:
            needs = [
                column_needs(view, rows, at, sizes, measure, wrap=wrap)
                for at in range(len(view.heads))
            ]
    after = space_after(view, needs, room)
    widths, fits = share_room(view, needs, room - after)
    columns = (*widths[:-1], widths[-1] + after)
    heads = max(
        measure.count_lines(head.number, sizes.body, wide, SEMI)
        for head, wide in zip(view.heads, _head_rooms(view, columns, after, sizes), strict=True)
    )
    lines = tuple(_row_lines(row, columns, sizes, measure) for row in rows)
    fields = after, sizes.field
    return MeasuredTable(view, columns, lines, heads, notes, under, fits, *fields)


def _head_rooms(
    view: TableView, columns: Sequence[float], after: float, sizes: FlowSizes
) -> list[float]:
    """Return the width of each column that its head may take."""
    beside = WORDS_PAD if "of-words" in view.classes else PAD
    rooms = [
        wide - (sizes.field + beside if head.figure else PAD)
        for head, wide in zip(view.heads, columns, strict=True)
    ]
    return [*rooms[:-1], rooms[-1] - after]


def _row_lines(
    row: RowView, columns: Sequence[float], sizes: FlowSizes, measure: TextMeasure
) -> int:
    most = 1
    for at, cell in cell_starts(row):
        if not cell.figure:
            wide = sum(columns[at : at + cell.span]) - PAD + 0.05
            text = cell.number + ("m" if cell.mark else "")
            most = max(most, measure.count_lines(text, sizes.words, wide, cell_face(cell)))
    return most
