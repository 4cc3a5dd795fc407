"""Tables on paper: the widths of their columns, and pages that are all about equally full.

Widths are those of the fonts' advances. All lengths are points.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, pairwise
from math import ceil
from typing import Final, TypeAlias

from sheetgen.plan.fit import find_lowest, find_syllables
from sheetgen.plan.pages.screen_blocks import BOLD, NAME, PLAIN, SOFT_HYPHEN, TextMeasure
from sheetgen.plan.pages.tables import RUN_IN, PartView, RowView, TableCell, TableView
from sheetgen.records import frozen

BROKEN: Final = "broken"  # the class of a table that did not fit, so that its heads may wrap
SEMI: Final = "text-600"
# The space before what counts a name, as in `Name 4D+1, Name 2`, or compares it.
_COUNT: Final = re.compile(r"(?<=[^\W\d]) (?=[≤≥]|\d+(?:D(?:[+−]\d+)?)?(?:[,;]|$))")
PAD: Final = 6.0  # the space behind a cell of words
_FEW: Final = 4
_SHORT: Final = 92.0  # a column of words that is as wide may be broken into lines
_AFTER_LABEL: Final = 26.0


def cell_face(cell: TableCell) -> str:
    """Return the face of a cell that is no figure."""
    if cell.label:
        return PLAIN if "also" in cell.classes else SEMI
    return SEMI if "name" in cell.classes.split() or RUN_IN in cell.number else PLAIN


def column_needs(
    view: TableView, sizes: FlowSizes, measure: TextMeasure, *, breaks: int = 3
) -> list[tuple[float, float, str]]:
    """Return of each column the width at which no cell wraps, the least width, and its kind.

    Heads of columns of figures have one line without `breaks`. They are broken between words
    with 1, within them once with 2, and wherever they can be with 3.
    """
    width, words = measure.face_width, "of-words" in view.classes
    cells: list[list[TableCell]] = [[] for _ in view.heads]
    for row in view.rows:
        for at, cell in cell_starts(row):
            cells[at] += [cell] if cell.span == 1 else []
    needs = []
    for head, some in zip(view.heads, cells, strict=True):
        if head.figure and not head.classes.startswith("any"):
            size = sizes.words if words else sizes.body
            every = (width(cell.number, face, size) for cell in some for face in (PLAIN, BOLD))
            name = head.number.replace(SOFT_HYPHEN, "")
            whole = (measure.longest if breaks else width)(name, SEMI, sizes.body)
            least = measure.longest(head.number, SEMI, sizes.body)
            first = whole if breaks < 2 else max(least, _PART * whole if breaks < 3 else 0.0)
            wide = max([*every, first, 0.0]) + (sizes.field + (9.0 if words else 8.0))
            needs.append((wide, wide, "figure"))
            continue
        kind = "any" if head.classes.startswith("any") else "words"
        size = sizes.unit if kind == "any" else sizes.words if words else sizes.body
        texts = [(cell.number + ("m" if cell.mark else ""), cell_face(cell)) for cell in some]
        first = narrow = width(head.number, SEMI, sizes.body)
        if BROKEN in view.classes:
            narrow = measure.longest(head.number, SEMI, sizes.body)
        gap = PAD + (10.0 if kind == "any" else 0)
        full = least = max([*(width(text, face, size) for text, face in texts), first]) + gap
        if words and kind == "words":
            longest = (measure.longest(text, face, size) for text, face in texts)
            least = max([*longest, narrow]) + gap
        needs.append((full, least, kind))
    return needs


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
    full, kinds = [need[0] for need in needs], [need[2] for need in needs]
    if (spare := room - sum(full)) >= 0:
        return tuple(_spread(view, full, kinds, spare)), True
    narrow = 60.0 if BROKEN in view.classes else _SHORT  # of a column that is broken into lines
    # A column of words with a smaller share of the room is never broken into lines.
    short = narrow if BROKEN in view.classes else 0.24 * room
    lead = [at for at, (wide, _, kind) in enumerate(needs) if kind != "words" or wide <= short]
    lead = lead or [0]
    open_ = [at for at in range(len(needs)) if at not in lead]
    left = room - sum(full[at] for at in lead)
    if not open_:
        return tuple(room * wide / sum(full) for wide in full), False
    floor = [need[1] for need in needs]
    least = {at: max(floor[at], min(full[at], narrow)) for at in open_}
    fits = left >= sum(least.values())
    if left < sum(floor[at] for at in open_):  # even the longest words do not fit
        return tuple(room * wide / sum(floor) for wide in floor), False
    if not fits:
        least = {at: floor[at] for at in open_}
    more = left - sum(least.values())
    wish = {at: max(1.0, full[at] - least[at]) for at in open_}
    total = sum(wish.values())
    shares = {at: least[at] + more * wish[at] / total for at in open_}
    return tuple(shares.get(at, wide) for at, wide in enumerate(full)), fits


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


_TO_WRITE: Final = (12.0, 10.0, 8.0, 6.0, 4.5)  # points around rows to write in
_PART: Final = 0.72  # of a word that is broken once, the longer part with its hyphen
# The most lines of a name; one with more stands above its row, as wide as the table.
_TALL: Final = 3
LONG_WORD: Final = 9  # a word with more letters has a break at least this often


@frozen
class SplitTable:
    """A table whose columns were split over several parts, for a finding."""

    id: str
    label: str
    columns: tuple[int, ...]  # how many columns each part has, without those of labels


def fit_table(
    view: TableView, paper: FlowPaper, sizes: FlowSizes, measure: TextMeasure, lang: str
) -> list[MeasuredTable]:
    """Return a table in one part if it fits, or else in several with some of its columns each.

    The highest row of a part has room on a page, unless even one column has none.

    Words are hyphenated first. Then the type becomes smaller, down to the size of notes.
    """
    room = paper.width
    whole = measure_table(view, room, sizes, measure)
    if whole.fits or whole.picture:
        return [whole]

    # Below the page's name, and above the line that says that the table goes on.
    high = paper.height - 4 * sizes.about_height

    def fits(part: MeasuredTable) -> bool:
        most = max((part.height(sizes, at, at + 1) for at in range(len(part.lines))), default=0)
        return part.fits and most <= high

    keyed = _with_key_rows(view)
    view = _broken(view, room, sizes, measure, lang)
    smaller = sizes.scaled(sizes.note / sizes.words)
    whole = measure_table(view, room, sizes, measure)
    if whole.crowded and keyed:
        above = _broken(keyed, room, sizes, measure, lang)
        for one in (keyed, above):
            other = measure_table(one, room, sizes, measure)
            if other.fits and not other.crowded:
                return [replace(other, sizes=sizes)]
    for some in (sizes, smaller):
        whole = measure_table(view, room, some, measure)
        if whole.fits:
            return [replace(whole, sizes=some)]

    # As few parts as fit, and of these as even ones as fit. Each repeats the columns of labels, at
    # least the first column.
    labels, total = max(1, sum(head.label for head in view.heads)), len(view.heads)

    def measured(first: int, stop: int) -> MeasuredTable:
        """Return the labels and the columns from `first` to before `stop`, with footnotes."""

        def some(cells: Sequence[TableCell]) -> tuple[TableCell, ...]:
            own = len(cells) - (total - labels)
            return (*cells[:own], *cells[own + first - labels : own + stop - labels])

        part = view.with_rows(lambda row: replace(row, cells=some(row.cells)))
        marks = {mark for row in part.rows for cell in row.cells for mark in cell.mark.split(", ")}
        notes = tuple(note for note in view.notes if note.mark in marks)
        part = replace(part, heads=some(view.heads), notes=notes)
        return replace(measure_table(part, room, sizes, measure), sizes=sizes)

    stops, even = [labels], [labels]
    while stops[-1] < total:
        stop = stops[-1] + 1
        while stop < total and fits(measured(stops[-1], stop + 1)):
            stop += 1
        stops.append(stop)
    if len(stops) == 2:
        return [replace(whole, sizes=smaller)]
    for left in range(len(stops) - 1, 0, -1):
        even.append(even[-1] + -(-(total - even[-1]) // left))
    evenly = all(fits(measured(*span)) for span in pairwise(even))
    spans = [*pairwise(even if evenly else stops)]
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


def _with_key_rows(view: TableView) -> TableView | None:
    """Return a table of words with the name of each row above it, as wide as the table.

    None if the table has no names, or has parts, whose labels look alike.
    """
    if len(view.heads) < 3:
        return None
    rows, named = view.rows, view.heads[0].label or not view.heads[0].figure
    whole = all(row.cells and len(row.cells) == len(view.heads) for row in rows)
    if not named or not whole or any(part.label for part in view.parts):
        return None
    cells = [(row.cells[0], replace(row, cells=row.cells[1:])) for row in rows]
    parts = tuple(PartView(name.number, (row,)) for name, row in cells)
    return replace(view, heads=view.heads[1:], parts=parts)


def _broken(
    view: TableView, room: float, sizes: FlowSizes, measure: TextMeasure, lang: str
) -> TableView:
    """Return a table whose long words have soft hyphens; wide columns of figures are words."""
    hyphenate = _hyphenator(lang)
    heads = tuple(replace(head, number=hyphenate(head.number)) for head in view.heads)
    short = replace(view, heads=heads, classes=f"{view.classes} {BROKEN}")
    needs = column_needs(short, sizes, measure)
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
        at = (0, *range(len(heads) - len(one.cells) + 1, len(heads)))
        return replace(one, cells=tuple(map(cell, at, one.cells)))

    headed = tuple(
        replace(head, figure=False, classes="") if at in figures else head
        for at, head in enumerate(heads)
    )
    return replace(view.with_rows(row), heads=headed, classes=classes)


def _hyphenator(lang: str) -> Callable[[str], str]:
    """Return a function that puts soft hyphens into the long words of a text."""

    def pieces(word: str) -> Iterator[str]:
        start = 0
        for stop in (*find_syllables(word, lang), len(word)):
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


STAIR: Final = 1.6  # the weight of the stairs in odds, the most that lines add to a row


@frozen
class MeasuredTable:
    """A table at one width; heights of rows do not include padding."""

    view: TableView
    columns: tuple[float, ...]  # the widths of its columns
    lines: tuple[int, ...]  # how many lines each row has, over all parts
    heads: int  # how many lines the heads of columns have
    notes: int  # how many lines the notes below it have
    under: int  # how many lines the remark about it has below its name; 0 if it is beside the name
    fits: bool  # whether the table is no wider than its room
    after: float = 0.0  # free space behind the last column of a table with few figures
    field: float = 0.0  # the width of the fields behind numbers, for their units
    picture: float = 0.0  # the height of its drawing; 0 if it is not drawn
    sizes: FlowSizes | None = None  # the type sizes in its cells, if they are not those of its page
    title: int = 1  # how many lines its name has; `labels`: those of its parts
    labels: Mapping[str, int] | None = None
    # Whether a name has too many lines, or a word of a head is in more than two parts.
    crowded: bool = False

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
    """Return a table, or a drawing of a `ratio` of height to width, measured for a width."""
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
    needs = column_needs(view, sizes, measure, breaks=0)
    if sum(need[0] for need in needs) > room:  # only then heads of figures wrap
        ways = (column_needs(view, sizes, measure, breaks=n) for n in (1, 2))
        fitting = (one for one in ways if _share_room(view, one, room)[1])
        needs = next(fitting, []) or column_needs(view, sizes, measure)
        if BROKEN in view.classes and "of-words" in view.classes:
            # Names of many lines have the room that heads of figures leave.
            widths, _ = _share_room(view, needs, room)
            names = [
                measure.count_lines(row.cells[0].number, sizes.words, widths[0] - PAD, SEMI)
                for row in rows
            ]
            if max(names, default=0) > _TALL:
                needs = column_needs(view, sizes, measure, breaks=2)
    after, few = 0.0, [wide for wide, _, kind in needs if kind == "figure"]
    if "of-words" not in view.classes and 0 < len(few) <= _FEW and needs[-1][2] == "figure":
        # With space behind the last of few columns, figures are not far from their labels.
        # Together they fill a wide page, while one figure alone stays near its label.
        named = sum(wide for wide, _, kind in needs if kind != "figure")
        each = max(66.0, min(room / (len(few) + 1), len(few) * 48.0))
        full = named + _AFTER_LABEL + sum(max(each, one) for one in few)
        after = max(0.0, round(room - full, 2))
    widths, fits = _share_room(view, needs, room - after)
    columns = (*widths[:-1], widths[-1] + after)
    beside = sizes.field + (7.0 if "of-words" in view.classes else PAD)  # as in `paper.css`
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
    crowded = BROKEN in view.classes and (
        any(
            measure.count_lines(word, sizes.body, wide, SEMI) > 2
            for head, wide in zip(view.heads, rooms, strict=True)
            for word in head.number.split(" ")
        )
        or any(
            measure.count_lines(row.cells[0].number, sizes.words, columns[0] - PAD, SEMI) > _TALL
            for row in rows
        )
    )
    return MeasuredTable(*shown, title=title, labels=labels, crowded=crowded)


@frozen
class FlowSizes:
    """Type sizes and distances on pages of tables; `_tables/paper.css` uses the same."""

    head: float
    about: float
    words: float  # type size of words in cells; `lead` is their line height
    body: float
    figure: float
    unit: float
    note: float
    lead: float
    row: float  # height of a row of figures; `pad` is above and below words
    pad: float
    field: float  # the width of the field behind a number, for its unit
    gap: float  # the distance between two tables
    hair: float  # weight of lines between rows; `rule` is around a table
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


def flow_tables(
    sections: Sequence[FlowSection], paper: FlowPaper, sizes: FlowSizes, *, roomy: bool = False
) -> list[FlowLeaf]:
    """Return pages of one orientation, all about equally full.

    Rows of `roomy` tables are high enough to write in where that takes no page more.
    """
    if not sections:
        return []

    def lay(air: float, *heights: float) -> list[FilledLeaf]:
        return PageFiller(paper, sizes.aired(air), heights).lay(sections)

    usual = len(lay(0.0, paper.height))
    # Less space around rows may save a page that would hold only a table or two.
    air = _CLOSE if usual > 1 and len(lay(_CLOSE, paper.height)) < usual else 0.0
    count = len(lay(air, paper.height))
    if air == 0.0:
        airs = [3.0, 2.5, 2.0, 1.6, 1.2, 0.9, 0.6, 0.3, 0.0]
        airs = [*_TO_WRITE, *airs] if roomy else airs
        air = next(one for one in airs if len(lay(one, paper.height)) <= count)

    def broken(leaves: Sequence[FilledLeaf]) -> float:
        columns = [column for leaf in leaves for *_, all_ in leaf.strips for column in all_]
        ends = (column[-1] for column in columns if column)
        cut = [(table, stop) for table, _, stop in ends if stop < len(table.lines)]
        return sum(_CUT[stop in _part_ends(table)] for table, stop in cut)

    def faults(leaves: Sequence[FilledLeaf]) -> float:
        """Return how much of pages is empty, and how many tables are broken, above all in parts."""
        return broken(leaves) + sum((1 - leaf.used / paper.height) ** 2 for leaf in leaves)

    def best(air: float) -> list[FilledLeaf]:
        """Return pages with `air` around rows, each as high as is best for all of them."""

        def limited(limit: float) -> float | None:
            return limit if len(lay(air, limit)) <= count else None

        high = paper.height
        if count > 1:
            high = find_lowest(limited, 0.4 * high, high, 6) or high
        leaves, heights = lay(air, *[high] * count), [high] * count
        # From the last page but one up, each has another limit if all pages are better with it.
        for at in range(count - 2, -1, -1):
            before = heights
            for share in _SHARES:
                tried = [*before[:at], share * paper.height, *before[at + 1 :]]
                after = lay(air, *tried)
                if len(after) == len(leaves) and faults(after) < faults(leaves) - 0.001:
                    leaves, heights = after, tried
        return leaves

    leaves, most = best(air), air
    if broken(leaves):  # rows closer together may keep a table whole
        close = best(_CLOSER)
        if len(close) == len(leaves) and broken(close) < broken(leaves) - 0.01:
            leaves, air = close, _CLOSER
    made = []
    for leaf in leaves:  # rows have as much air as the height of the page allows
        for more in (*(most + step / 10 for step in range(28, 0, -2)), most, air):
            strips, used = PageFiller(paper, sizes.aired(more)).finish(leaf)
            if used <= paper.height:
                break
        made.append(FlowLeaf(paper.wide, paper.height, tuple(strips)))
    return made


# What a break within rows, and one between parts, is worth in empty pages.
_CUT: Final = (0.1, 0.04)
_CLOSE: Final = -0.6  # points less around rows than usual, to save a page
_CLOSER: Final = -0.9  # to keep a table whole
_SHARES: Final = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6)  # of the height of a page


def _part_ends(table: MeasuredTable) -> set[int]:
    return {*accumulate(len(part.rows) for part in table.view.parts)}


def is_half(half: MeasuredTable, full: MeasuredTable, sizes: FlowSizes) -> bool:
    """Return whether a table reads well in half the width."""
    return (
        half.fits and max((0, *half.lines)) <= 6 and half.height(sizes) <= 2.15 * full.height(sizes)
    )


LEAST_ROWS: Final = 4  # a table is broken only where at least as many rows are left on both sides
KEPT_ROWS: Final = 0.7  # so many of the rows that fit stay where a break between parts is preferred
_Queue = list[tuple[MeasuredTable, int]]  # tables to place, each with its first row
_Pieces = list[tuple[MeasuredTable, int, int]]  # with first row, and row after the last
# The section, whether it continues, the height of its title, and pieces in columns, of which only
# the rows are known.
_Strip: TypeAlias = "tuple[FlowSection | None, bool, float, list[_Pieces]]"


@dataclass
class FilledLeaf:
    """A page that is being filled, and how much of its height is used."""

    strips: list[_Strip] = field(default_factory=list)
    used: float = 0.0


class PageFiller:
    """Fill pages of a height from top to bottom."""

    def __init__(self, paper: FlowPaper, sizes: FlowSizes, heights: Sequence[float] = ()) -> None:
        self.paper, self.sizes, self.heights = paper, sizes, heights
        self.leaves: list[FilledLeaf] = []

    def lay(self, sections: Sequence[FlowSection]) -> list[FilledLeaf]:
        """Return pages with all tables of all sections, over as many pages as they need."""
        self.leaves = [FilledLeaf()]
        for section in sections:
            # Tables in the width of the page, by the ids of those of half the width.
            wide = {id(half): full for half, full in section.blocks if half}
            title = False  # whether the title of the section is already placed
            for count, tables in column_strips(section, self.sizes):
                queue: _Queue = [(table, 0) for table in tables]
                while queue:
                    leaf = self.leaves[-1]
                    fresh = not leaf.strips
                    head = 0.0 if title and not fresh else section.again if title else section.above
                    gap = 0.0 if fresh else self._gap(head)
                    # The last limit is for all further pages.
                    limit = self.heights[min(len(self.leaves), len(self.heights)) - 1]
                    room = limit - leaf.used - gap - head
                    columns, rest = self._fill(queue, count, room, fresh=fresh)
                    if not any(columns):
                        self.leaves.append(FilledLeaf())
                        continue
                    first, *others = columns
                    if others and not all(others) and not any(t.picture for t, *_ in first):
                        # No column is beside the first one, so its tables are as wide as the page.
                        columns = [[(wide[id(t)], start, stop) for t, start, stop in first]]
                    leaf.strips.append((section if head else None, title, head, columns))
                    leaf.used += gap + head + self._high(columns)
                    title, queue = True, rest
                    if rest:
                        self.leaves.append(FilledLeaf())
                title = True
        return self.leaves

    def _gap(self, head: float) -> float:
        return self.sizes.gap * (1.7 if head else 1.0)

    def finish(self, leaf: FilledLeaf) -> tuple[list[FlowStrip], float]:
        """Return the strips of a page with places for all pieces, and the height of all."""
        strips, top = list[FlowStrip](), 0.0
        for section, continued, head, columns in leaf.strips:
            top += self._gap(head) if strips else 0.0
            high, count = self._high(columns), len(columns)
            placed = tuple(self._column(one, at, count, high) for at, one in enumerate(columns))
            shown = round(top, 2), head, head + high, placed, section, continued
            strips.append(FlowStrip(*shown))
            top += head + high
        return strips, top

    def _stack(self, column: _Pieces) -> tuple[list[float], float]:
        """Return the tops of pieces one below the other, and the height of all."""
        tops, top, high = [], 0.0, 0.0
        for table, start, stop in column:
            tops.append(top)
            height = table.height(self.sizes, start, stop)
            high = top + height
            top += height + self.sizes.gap
        return tops, high

    def _high(self, columns: Sequence[_Pieces]) -> float:
        return max(self._stack(column)[1] for column in columns)

    def _fill(
        self, queue: _Queue, count: int, room: float, *, fresh: bool
    ) -> tuple[list[_Pieces], _Queue]:
        """Return the pieces of each column in `room`, of about equal height, and what is left."""
        table, start = queue[0]
        stop = start + LEAST_ROWS if self._may_break(table) else len(table.lines)
        least = table.height(self.sizes, start, min(stop, len(table.lines)))
        if not fresh and room < min(72.0, least):  # lower columns end the page
            return [[]] * count, queue

        def filled(high: float, fresh: bool) -> tuple[list[_Pieces], _Queue]:
            rest, columns = [*queue], []
            for _ in range(count):
                column, rest = self._one_column(rest, high, fresh=fresh)
                columns.append(column)
            return columns, rest

        columns, rest = filled(room, fresh)
        if rest or count == 1:
            return columns, rest

        def complete(high: float) -> list[_Pieces] | None:
            tried, left = filled(high, False)
            return None if left else tried

        return find_lowest(complete, 0.0, self._high(columns), 2) or columns, []

    def _one_column(self, queue: _Queue, room: float, *, fresh: bool) -> tuple[_Pieces, _Queue]:
        pieces: _Pieces = []
        rest, top = [*queue], 0.0
        while rest:
            table, start = rest[0]
            gap = self.sizes.gap if pieces else 0.0
            stop = len(table.lines)
            left = room - top - gap
            if table.height(self.sizes, start, stop) > left and not start:
                # The first of the next five tables that fits the column goes before.
                heights = (other.height(self.sizes, first) for other, first in rest[:5])
                at = next((at for at, height in enumerate(heights) if height <= left), 0)
                rest.insert(0, rest.pop(at))
                table, start = rest[0]
                stop = len(table.lines)
            if table.height(self.sizes, start, stop) > left:
                forced = fresh and not pieces
                stop = self._break(table, start, left, forced=forced)
                if stop <= start and not (forced and not table.lines):
                    break
            pieces.append((table, start, stop))
            top += gap + table.height(self.sizes, start, stop)
            if stop < len(table.lines):
                rest[0] = table, stop
                break
            rest = rest[1:]
        return pieces, rest

    def _may_break(self, table: MeasuredTable) -> bool:
        return len(table.lines) >= LONG_TABLE or table.height(self.sizes) > self.paper.height - 60

    def _break(self, table: MeasuredTable, start: int, room: float, *, forced: bool) -> int:
        """Return before which row a table is broken; `start` if it does not begin here."""
        total = len(table.lines)
        if not forced and not self._may_break(table):
            return start
        if forced and table.height(self.sizes, start) <= room:
            return total
        first = 2 if start else LEAST_ROWS
        for least, rest in ((first, LEAST_ROWS), (1, 0)) if forced else ((first, LEAST_ROWS),):
            for stop in range(total - rest, start + least - 1, -1):
                if table.height(self.sizes, start, stop) <= room:
                    return self._between_parts(table, start, stop, least)
        return min(total, start + 1) if forced else start

    def _between_parts(self, table: MeasuredTable, start: int, stop: int, least: int) -> int:
        """Return where parts meet before `stop` if most rows stay; no part's last row is alone."""
        ends = _part_ends(table)
        lowest = start + max(least, ceil((stop - start) * KEPT_ROWS))
        alone = stop + 1 in ends and stop - 1 >= start + least and stop - 1 not in ends
        return next((at for at in range(stop, lowest - 1, -1) if at in ends), stop - alone)

    def _column(self, pieces: _Pieces, at: int, count: int, high: float) -> FlowColumn:
        """Return a column; spare space is added around its rows, and the rest to its gaps."""
        width = self.paper.width if count == 1 else self.paper.half
        for air in (1.2, 1.0, 0.8, 0.6, 0.4, 0.2, 0.0):
            sizes = self.sizes.aired(air)
            tops, end = PageFiller(self.paper, sizes)._stack(pieces)
            if end <= high:
                break
        more = min(16.0, (high - end) / max(1, len(pieces) - 1))
        placed = []
        for place, (top, (table, start, stop)) in enumerate(zip(tops, pieces, strict=True)):
            last = stop == len(table.lines)
            view = replace(table.view, parts=table.parts(start, stop))
            if not last:
                view = replace(view, notes=(), text="")
            goes_on = "" if last or at < count - 1 else "goes on overleaf"
            top = round(top + place * more, 2)
            placed.append(FlowPiece(table, view, top, goes_on, continued=start > 0))
        return FlowColumn(at * (width + self.paper.gutter), width, tuple(placed), sizes)


LONG_TABLE: Final = 14  # a table with fewer rows is broken only if no page is high enough


def column_strips(
    section: FlowSection, sizes: FlowSizes
) -> Iterator[tuple[int, list[MeasuredTable]]]:
    """Yield tables that are in columns together, with how many columns they have."""
    for halved, group in groupby(section.blocks, key=lambda block: block[0] is not None):
        run = [*group]
        halves, full = [half for half, _ in run if half is not None], [one for _, one in run]
        if not halved:
            yield from ((1, [table]) for table in full)
            continue
        stacked = len(run) == 1 and len(halves[0].lines) < LONG_TABLE
        if len(run) == 2:
            # Two tables are better one below the other if the lower one would leave its column half
            # empty, and both are not much higher in full width.
            low, high = sorted(table.height(sizes) for table in halves)
            below = sum(table.height(sizes) for table in full) + sizes.gap
            stacked = low < 0.6 * high and below <= 1.25 * high
        drawn = any(table.picture for table in halves)
        yield (1, full) if stacked and not drawn else (2, halves)


# A table measured for half the width of the page, if it fits there, and for all of it.
FlowBlock: TypeAlias = tuple[MeasuredTable | None, MeasuredTable]


@frozen
class FlowSection:
    """Tables below one title."""

    label: str
    about: str
    blocks: tuple[FlowBlock, ...]
    above: float  # the height of its title line
    again: float  # the height of its title line on a page that it continues on
    wide: bool = False
    tight: bool = False
    named: float = 0.0  # type size of its name; `remark` is that of the remark beside it
    remark: float = 0.0
    folded: bool = False  # whether the name is broken


@frozen
class FlowPiece:
    """Rows of a table at their place in a column."""

    table: MeasuredTable  # the table with all rows, and the widths of its columns
    view: TableView  # the table with only these rows; notes are with the last ones
    top: float
    goes_on: str = ""  # the text below rows that are not the last, such as `goes on overleaf`
    continued: bool = False  # whether other pieces of the table are before this one


@frozen
class FlowColumn:
    """Pieces one below the other, with the sizes of their rows."""

    left: float
    width: float
    pieces: tuple[FlowPiece, ...]
    sizes: FlowSizes


@frozen
class FlowStrip:
    """Columns side by side below the title of a section, if one starts or continues here."""

    top: float
    head: float  # the height of the title, which is above the columns
    height: float
    columns: tuple[FlowColumn, ...]
    section: FlowSection | None = None
    continued: bool = False


@frozen
class FlowLeaf:
    """A page of this height."""

    wide: bool
    height: float
    strips: tuple[FlowStrip, ...]

    @property
    def origins(self) -> tuple[str, ...]:
        """The titles of the overlays that tables of this page come from."""
        views = (p.view for s in self.strips for c in s.columns for p in c.pieces)
        return tuple(dict.fromkeys(view.origin for view in views if view.origin))


@frozen
class FlowPaper:
    """The room on pages of one orientation."""

    width: float
    height: float
    gutter: float
    wide: bool

    @property
    def half(self) -> float:
        """The width of one of two columns."""
        return (self.width - self.gutter) / 2
