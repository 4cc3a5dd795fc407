"""Tables with more columns than a page has room for: hyphenated, set smaller, or split."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sheetgen.plan.pages.screen_lines import SOFT_HYPHEN, TextMeasure
from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TableView
from sheetgen.plan.tableflow.columns import BROKEN, column_needs
from sheetgen.plan.tableflow.measure import MeasuredTable, measure_table
from sheetgen.plan.tableflow.sizes import FlowSizes

MOST_UNBROKEN: Final = 0.2
"""A column whose texts cannot be broken takes at most this share of the room."""

LONG_WORD: Final = 9
"""A word with more letters may be hyphenated, and has a break at least this often."""


@dataclass(frozen=True, slots=True)
class SplitTable:
    """A table whose columns were split over several parts, for a finding.

    Attributes:
        columns: How many columns each part has, without those of labels.
    """

    id: str
    label: str
    columns: tuple[int, ...]


def fit_table(
    view: TableView, room: float, sizes: FlowSizes, measure: TextMeasure, lang: str
) -> list[MeasuredTable]:
    """Return a table in one part if it fits, or else in several with some of its columns each.

    Words are hyphenated first. Then the type becomes smaller, down to the size of notes.
    """
    whole = measure_table(view, room, sizes, measure)
    if whole.fits or whole.picture:
        return [whole]
    view = _broken(view, room, sizes, measure, _hyphenator(lang))
    smaller = sizes.scaled(sizes.note / sizes.words)
    for some in (sizes, smaller):
        whole = measure_table(view, room, some, measure)
        if whole.fits:
            return [replace(whole, sizes=some)]

    def measured(first: int, stop: int) -> MeasuredTable:
        return replace(measure_table(_part(view, first, stop), room, sizes, measure), sizes=sizes)

    spans = _spans(view, lambda first, stop: measured(first, stop).fits)
    if len(spans) == 1:
        return [replace(whole, sizes=smaller)]
    return [_named(measured(*span), at, len(spans)) for at, span in enumerate(spans)]


def _spans(view: TableView, fits: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Return the first column of each part, and that after its last: as few and even as fit."""
    first, total = _labels(view), len(view.heads)
    spans: list[tuple[int, int]] = []
    at = first
    while at < total:
        stop = at + 1
        while stop < total and fits(at, stop + 1):
            stop += 1
        spans.append((at, stop))
        at = stop
    even, at = [], first
    for left in range(len(spans), 0, -1):
        stop = at + -(-(total - at) // left)
        even.append((at, stop))
        at = stop
    return even if all(fits(*span) for span in even) else spans


def _named(table: MeasuredTable, at: int, count: int) -> MeasuredTable:
    """Return a part with its number behind its name, and a remark if others are below it."""
    view = table.view
    part = f"part {at + 1} of {count}"
    label = f"{view.label}, {part}" if view.label else part.capitalize()
    view = replace(view, label=label, about="" if at else view.about)
    if at + 1 < count:
        view = replace(view, text="More columns are in the next part.", remark="")
        return replace(table, view=view, notes=table.notes + (0 if table.view.text else 1))
    return replace(table, view=view)


def _labels(view: TableView) -> int:
    """Return how many columns of labels each part repeats: at least the first column."""
    return max(1, sum(head.label for head in view.heads))


def _part(view: TableView, first: int, stop: int) -> TableView:
    """Return the labels, and the columns from `first` to before `stop`, with their footnotes."""
    labels, total = _labels(view), len(view.heads)

    def some(cells: Sequence[TableCell]) -> tuple[TableCell, ...]:
        own = len(cells) - (total - labels)
        return (*cells[:own], *cells[own + first - labels : own + stop - labels])

    parts = tuple(
        replace(part, rows=tuple(replace(row, cells=some(row.cells)) for row in part.rows))
        for part in view.parts
    )
    rows = [row for part in parts for row in part.rows]
    marks = {mark for row in rows for cell in row.cells for mark in cell.mark.split(", ")}
    notes = tuple(note for note in view.notes if note.mark in marks)
    return replace(view, heads=some(view.heads), parts=parts, notes=notes)


def _broken(
    view: TableView,
    room: float,
    sizes: FlowSizes,
    measure: TextMeasure,
    hyphenate: Callable[[str], str],
) -> TableView:
    """Return a table whose long words have soft hyphens; wide columns of figures are words."""
    rows = [row for part in view.parts for row in part.rows]
    heads = tuple(replace(head, number=hyphenate(head.number)) for head in view.heads)
    short = replace(view, heads=heads, classes=f"{view.classes} {BROKEN}")
    needs = [column_needs(short, rows, at, sizes, measure) for at in range(len(heads))]
    wide = {at for at, (_, least, _) in enumerate(needs) if least > MOST_UNBROKEN * room}
    figures = {at for at in wide if needs[at][2] != "words"}
    classes = view.classes.replace("of-figures", "of-words") if wide else view.classes
    classes = f"{classes} {BROKEN}"

    def cell(at: int, one: TableCell) -> TableCell:
        if one.figure and at not in figures:
            return one
        text = hyphenate(one.number + one.unit)
        kept = "" if at in figures else one.classes
        return replace(one, number=text, unit="", figure=False, classes=kept)

    def row(one: RowView) -> RowView:
        missing = len(heads) - len(one.cells)
        at = (0, *range(missing + 1, len(heads)))
        return replace(one, cells=tuple(map(cell, at, one.cells)))

    def part(one: PartView) -> PartView:
        return replace(one, rows=tuple(map(row, one.rows)))

    headed = tuple(
        replace(head, figure=False, classes="") if at in figures else head
        for at, head in enumerate(heads)
    )
    return replace(view, heads=headed, parts=tuple(map(part, view.parts)), classes=classes)


def _hyphenator(lang: str) -> Callable[[str], str]:
    """Return a function that puts soft hyphens into the long words of a text."""
    import pyphen  # Few tables need it.

    known = pyphen.language_fallback(lang)
    rules = pyphen.Pyphen(lang=known, left=3, right=3) if known else None

    def pieces(word: str) -> Iterator[str]:
        start = 0
        for stop in (*(rules.positions(word) if rules else ()), len(word)):
            while stop - start > LONG_WORD:
                yield word[start : start + LONG_WORD - 1]
                start += LONG_WORD - 1
            yield word[start:stop]
            start = stop

    def hyphenate(text: str) -> str:
        words = text.split(" ")
        return " ".join(
            SOFT_HYPHEN.join(pieces(word)) if len(word) > LONG_WORD else word for word in words
        )

    return hyphenate
