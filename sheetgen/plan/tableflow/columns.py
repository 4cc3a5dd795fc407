"""Widths of the columns of a table, by the fonts' advance widths; all lengths are points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sheetgen.plan.pages.screen_blocks import BOLD, NAME, PLAIN, SOFT_HYPHEN, TextMeasure
from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TableView
from sheetgen.records import frozen

BROKEN: Final = "broken"
"""The class of a table that did not fit: the heads of its columns may have several lines."""

SEMI: Final = "text-600"

_COUNT: Final = re.compile(r"(?<=[^\W\d]) (?=[≤≥]|\d+(?:D(?:[+−]\d+)?)?(?:[,;]|$))")
"""The space before what counts a name, as in `Name 4D+1, Name 2`, or compares it."""

PAD: Final = 6.0
"""The space behind a cell of words."""

_FEW: Final = 4
_SHORT: Final = 92.0
"""A column of words that is as wide is not short: its texts may be broken into lines."""

_AFTER_LABEL: Final = 26.0


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
        every = (measure.face_width(c.number, face, size) for c in cells for face in (PLAIN, BOLD))
        first = (measure.longest if wrap else measure.face_width)(head.number, SEMI, sizes.body)
        wide = max([*every, first, 0.0]) + (sizes.field + (14.0 if words else 8.0))
        return wide, wide, kind
    size = sizes.unit if kind == "any" else sizes.words if words else sizes.body
    texts = [(cell.number + ("m" if cell.mark else ""), cell_face(cell)) for cell in cells]
    natural = [measure.face_width(text, face, size) for text, face in texts]
    least = [measure.longest(text, face, size) for text, face in texts]
    first = measure.face_width(head.number, SEMI, sizes.body)
    narrow = measure.longest(head.number, SEMI, sizes.body) if BROKEN in view.classes else first
    gap = PAD + (10.0 if kind == "any" else 0)
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
    full = {at for at, head in enumerate(view.heads) if head.figure or head.label}
    for row in view.rows:
        for at, cell in cell_starts(row):
            if cell.label or cell.mark or cell.number not in ("", "–"):
                full |= set(range(at, at + cell.span))
    if len(full) == len(view.heads):
        return view

    def shown(row: RowView) -> RowView:
        missing = len(view.heads) - len(row.cells)  # the first cell spans those that are missing
        kept = (c for at, c in enumerate(row.cells) if not at or at + missing in full)
        return replace(row, cells=tuple(kept))

    heads = tuple(head for at, head in enumerate(view.heads) if at in full)
    return replace(view.with_rows(shown), heads=heads)


def with_unbroken_counts(view: TableView) -> TableView:
    """Return a table in which no line begins with the count or the code of a name before it."""

    def cell(one: TableCell) -> TableCell:
        return replace(one, number=_COUNT.sub("\N{NO-BREAK SPACE}", one.number))

    shown = view.with_rows(lambda row: replace(row, cells=tuple(map(cell, row.cells))))
    return replace(shown, heads=tuple(map(cell, view.heads)))


def _share_room(
    view: TableView, needs: Sequence[tuple[float, float, str]], room: float
) -> tuple[tuple[float, ...], bool]:
    """Return the widths of columns, and whether they are enough."""
    full = [need[0] for need in needs]
    kinds = [need[2] for need in needs]
    spare = room - sum(full)
    if spare >= 0:
        return tuple(_spread(view, full, kinds, spare)), True
    # The least width of a column whose texts are broken into lines.
    narrow = 60.0 if BROKEN in view.classes else _SHORT
    # A column of words with a smaller share of the room is never broken into lines.
    short = narrow if BROKEN in view.classes else 0.24 * room
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
        elif len(figures) > _FEW and widths[last] < _SHORT:  # no gap between many figures
            return [wide + spare / len(widths) for wide in widths]
        widths[last] += spare
        return widths
    even = max(widths[at] for at in figures)
    gain = sum(even - widths[at] for at in figures)
    if gain <= spare:
        for at in figures:
            widths[at] = even
        spare -= gain
        few = len(figures) <= _FEW and kinds[-1] == "figure"
        # Many columns of figures grow to 48 points; more would make rows hard to read.
        most = (spare - _AFTER_LABEL) / len(figures) if few else 48.0 - even
        each = max(0.0, min(spare / len(figures), most))
        for at in figures:
            widths[at] += each
        spare -= each * len(figures)
    widths[0] += spare
    return widths


LONG_WORD: Final = 9
"""A word with more letters may be hyphenated, and has a break at least this often."""


@frozen
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

    # As few parts as fit, and of these as even ones as fit.
    first, total = _labels(view), len(view.heads)
    spans: list[tuple[int, int]] = []
    even: list[tuple[int, int]] = []
    at = first
    while at < total:
        stop = at + 1
        while stop < total and measured(at, stop + 1).fits:
            stop += 1
        spans.append((at, stop))
        at = stop
    if len(spans) == 1:
        return [replace(whole, sizes=smaller)]
    at = first
    for left in range(len(spans), 0, -1):
        even.append((at, at + -(-(total - at) // left)))
        at = even[-1][1]
    spans = even if all(measured(*span).fits for span in even) else spans
    tables = []
    for at, table in enumerate(measured(*span) for span in spans):
        part = f"part {at + 1} of {len(spans)}"
        label = f"{table.view.label}, {part}" if table.view.label else part.capitalize()
        named = replace(table.view, label=label, about="" if at else table.view.about)
        if at + 1 < len(spans):
            table = replace(table, notes=table.notes + (0 if named.text else 1))
            named = replace(named, text="More columns are in the next part.", remark="")
        tables.append(replace(table, view=named))
    return tables


def _labels(view: TableView) -> int:
    """Return how many columns of labels each part repeats: at least the first column."""
    return max(1, sum(head.label for head in view.heads))


def _part(view: TableView, first: int, stop: int) -> TableView:
    """Return the labels, and the columns from `first` to before `stop`, with their footnotes."""
    labels, total = _labels(view), len(view.heads)

    def some(cells: Sequence[TableCell]) -> tuple[TableCell, ...]:
        own = len(cells) - (total - labels)
        return (*cells[:own], *cells[own + first - labels : own + stop - labels])

    shown = view.with_rows(lambda row: replace(row, cells=some(row.cells)))
    marks = {mark for row in shown.rows for cell in row.cells for mark in cell.mark.split(", ")}
    notes = tuple(note for note in view.notes if note.mark in marks)
    return replace(shown, heads=some(view.heads), notes=notes)


def _broken(
    view: TableView,
    room: float,
    sizes: FlowSizes,
    measure: TextMeasure,
    hyphenate: Callable[[str], str],
) -> TableView:
    """Return a table whose long words have soft hyphens; wide columns of figures are words."""
    heads = tuple(replace(head, number=hyphenate(head.number)) for head in view.heads)
    short = replace(view, heads=heads, classes=f"{view.classes} {BROKEN}")
    needs = [column_needs(short, view.rows, at, sizes, measure) for at in range(len(heads))]
    wide = {at for at, (_, least, _) in enumerate(needs) if least > 0.2 * room}
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

    headed = tuple(
        replace(head, figure=False, classes="") if at in figures else head
        for at, head in enumerate(heads)
    )
    return replace(view.with_rows(row), heads=headed, classes=classes)


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


STAIR: Final = 1.6
"""The weight of the stairs in odds, the most that lines add to a row."""


@frozen
class MeasuredTable:
    """A table at one width; heights of rows do not include padding.

    Attributes:
        columns: The widths of its columns.
        lines: How many lines each row has, over all parts.
        heads: How many lines the heads of columns have.
        notes: How many lines the notes below it have.
        under: How many lines the remark about it has below its name; 0 if it is beside the name.
        title: How many lines its name has; `labels`: those of its parts.
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
    title: int = 1
    labels: Mapping[str, int] | None = None

    @property
    def words(self) -> bool:
        """Whether it has columns of words, whose rows have lines of any number."""
        return "of-words" in self.view.classes

    def named(self, sizes: FlowSizes) -> float:
        """Return the height of its name and of the remark below that."""
        name = round(self.title * sizes.head * 1.42 + 3, 2) if self.view.label else 0.0
        return name + self.under * sizes.about_height

    def notes_height(self, sizes: FlowSizes) -> float:
        """Return the height of all notes below it."""
        return self.notes * sizes.note_lead + 4 if self.notes else 0.0

    def height(self, sizes: FlowSizes, start: int = 0, stop: int | None = None) -> float:
        """Return its height, or that of a piece with the rows from `start` to before `stop`."""
        if self.picture:
            return self.named(sizes) + self.picture + self.notes_height(sizes)
        total = len(self.lines)
        stop = total if stop is None else stop
        # Each row has the hairline above it; rows of words have lines of any number.
        figures = sizes.row + (STAIR if "of-odds" in self.view.classes else 0.1)
        rows = sum(
            lines * sizes.lead + 2 * sizes.pad + sizes.hair if self.words else figures
            for lines in self.lines[start:stop]
        )
        parts = self.parts(start, stop)
        counts = [(self.labels or {}).get(part.label, 1) for part in parts if part.label]
        labels = sum(round(lines * sizes.about * 1.45 + 4, 2) for lines in counts)
        edges = len(parts) * sizes.hair + sizes.rule
        heads = self.named(sizes) + (self.heads * round(sizes.body * 1.3, 2) + (3 + sizes.rule))
        foot = self.notes_height(sizes) if stop == total else sizes.note_lead + 2
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
    remarks = [f"{note.mark} {note.text}" for note in view.notes] + [view.text] * bool(view.text)
    notes = sum(measure.count_lines(text, sizes.note, room) for text in remarks)
    name = measure.face_width(view.label, NAME, sizes.head)
    name += 34.0 if view.origin else 0.0  # the mark of an overlay
    about = measure.face_width(view.about, PLAIN, sizes.about)
    apart = bool(view.about) and (not view.label or name + about + 12 > room)
    under = measure.count_lines(view.about, sizes.about, room) if apart else 0
    # Where its mark or the end of a name that goes on may need a line, too.
    tail = ", continued" if name > 0.8 * room else ""
    title = measure.count_lines(view.label + tail, sizes.head, room, NAME)
    if ratio:
        picture = ratio * room
        return MeasuredTable(view, (), (), 0, notes, under, True, picture=picture, title=title)
    rows = view.rows
    # The field behind numbers is as wide as the longest unit with its mark.
    units = [
        measure.face_width(cell.unit, PLAIN, sizes.unit)
        + measure.face_width(cell.mark, BOLD, 0.75 * sizes.words)
        + (0.5 if cell.mark else 0.0)
        for cells in (view.heads, *(row.cells for row in rows))
        for cell in cells
        if cell.figure
    ]
    sizes = replace(sizes, field=round(max(units, default=0.0) + 1.0, 2))
    needs: list[tuple[float, float, str]] = []
    for wrap in (False, True):  # Heads of figures wrap only where the room asks for it.
        if not needs or sum(need[0] for need in needs) > room:
            needs = [
                column_needs(view, rows, at, sizes, measure, wrap=wrap)
                for at in range(len(view.heads))
            ]
    after = _space_after(view, needs, room)
    widths, fits = _share_room(view, needs, room - after)
    columns = (*widths[:-1], widths[-1] + after)
    beside = sizes.field + (12.0 if "of-words" in view.classes else PAD)  # as in `paper.css`
    rooms = [
        wide - (beside if head.figure else PAD)
        for head, wide in zip(view.heads, columns, strict=True)
    ]
    rooms[-1] -= after
    heads = max(
        measure.count_lines(head.number, sizes.body, wide, SEMI)
        for head, wide in zip(view.heads, rooms, strict=True)
    )
    lines = []
    for row in rows:
        counts = [1]
        for at, cell in cell_starts(row):
            if not cell.figure:
                wide = sum(columns[at : at + cell.span]) - PAD + 0.05
                text = cell.number + ("m" if cell.mark else "")
                counts.append(measure.count_lines(text, sizes.words, wide, cell_face(cell)))
        lines.append(max(counts))
    labels = {
        part.label: measure.count_lines(part.label, sizes.about, room, BOLD)
        for part in view.parts
        if part.label
    }
    shown = view, columns, tuple(lines), heads, notes, under, fits, after, sizes.field
    return MeasuredTable(*shown, title=title, labels=labels)


def _space_after(view: TableView, needs: Sequence[tuple[float, float, str]], room: float) -> float:
    """Return the space behind the last column of a table with few figures.

    Without it figures would be far from their labels.
    """
    figures = [wide for wide, _, kind in needs if kind == "figure"]
    if "of-words" in view.classes or not 0 < len(figures) <= _FEW or needs[-1][2] != "figure":
        return 0.0
    labels = sum(wide for wide, _, kind in needs if kind != "figure")
    # Together they fill a wide page, while one figure alone stays near its label.
    each = max(66.0, min(room / (len(figures) + 1), len(figures) * 48.0))
    wide = labels + _AFTER_LABEL + sum(max(each, one) for one in figures)
    return max(0.0, round(room - wide, 2))


@frozen
class FlowSizes:
    """Type sizes and distances on pages of tables; `_tables/paper.css` uses the same.

    Attributes:
        words, lead: Type size and line height of words in cells.
        row, pad: Height of a row of figures; padding above and below words.
        field: The width of the field behind a number, for its unit.
        gap: The distance between two tables.
        hair, rule: Weights of lines between rows and around a table.
    """

    head: float
    about: float
    words: float
    body: float
    figure: float
    unit: float
    note: float
    lead: float
    row: float
    pad: float
    field: float
    gap: float
    hair: float
    rule: float

    def aired(self, air: float) -> FlowSizes:
        """Return the same sizes with `air` points more around each row."""
        row, pad, gap = self.row + 2 * air, self.pad + air, self.gap + 3 * air
        return replace(self, row=row, pad=pad, gap=gap)

    def scaled(self, factor: float) -> FlowSizes:
        """Return the same sizes with smaller or larger type in cells."""
        names = ("words", "body", "figure", "unit")
        return replace(self, **{name: round(getattr(self, name) * factor, 2) for name in names})

    @property
    def about_height(self) -> float:
        """The height of a line below a table's name."""
        return round(self.about * 1.3, 2)

    @property
    def note_lead(self) -> float:
        """The line height of notes."""
        return round(self.note * 1.36, 2)
