"""Continuation pages: sections of rows in their columns, and long texts, set on one plate.

A section that is wider than a column of the page is placed above the columns. All others follow
each other down the columns. A section that continues in the next column repeats its head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.model.backups import QUIET_ZONE, Backup
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import Added, AddedTag, Place, Plate, Setting
from sheetgen.plan.sheets.continued_rows import (
    COLUMN_GAP,
    CONTINUED_LABEL,
    CONTINUED_TEXT,
    CONTINUED_TITLE,
    LARGEST_IN_COLUMNS,
    WRITTEN_PITCH,
    MovedLine,
    describe_backup,
    fit_moved_columns,
    is_headed_first,
    list_moved_lines,
    list_title_rules,
    moved_head_height,
    moved_pitch,
    moved_width,
)
from sheetgen.plan.sheets.overflow import Moved, MovedColumn
from sheetgen.units import MM, Box

_ANCHOR: Final = "continuation.sections"
"""The mark of the template on whose box the sections are set."""

_NARROW: Final = 1.25
"""How much wider than a column a section may be, to be narrowed to it."""

_LEAST: Final = 3
"""The least number of lines of a section in one column."""

_MODULE: Final = 0.65 * MM
"""The side of a module of a QR code, which a photo of the whole page shows."""

_HEADER, _ROW_HEADER = "/A<</O/Table/Scope/Column>>", "/A<</O/Table/Scope/Row>>"


@dataclass
class ContinuedPage:
    """A continuation page: its plate with the places added, and their content."""

    plate: Plate
    texts: dict[str, Setting] = field(default_factory=dict)
    marks: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, PreparedPicture] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContinuedSections:
    """Continuation pages, and the page on which each section begins, from 0."""

    pages: tuple[ContinuedPage, ...]
    starts: tuple[int, ...]


def continue_sections(
    moved: Sequence[Moved], plate: Plate, backup: Backup | None
) -> ContinuedSections:
    """Return `moved` on as many pages as it needs, and below it the codes of `backup`."""
    pen = _Pen(plate)
    starts: dict[int, int] = {}
    wide = [one for one in moved if moved_width(one) > pen.column * _NARROW]
    for one in wide:
        starts[id(one)] = pen.write(one)
    pen.split()
    for one in moved:
        if id(one) not in starts:
            starts[id(one)] = pen.write(one)
    if backup is not None:
        pen.draw(backup)
    else:
        pen.rule()
    return ContinuedSections(tuple(pen.finish()), tuple(starts[id(one)] for one in moved))


class _Pen:
    """Sets sections down the page, column by column, page by page."""

    def __init__(self, plate: Plate) -> None:
        self._plate = plate
        self._mark = next(place for place in plate.places if place.name == _ANCHOR)
        box, size = self._mark.box, plate.tokens.roles[CONTINUED_TEXT].size
        self._count = 2 if size <= LARGEST_IN_COLUMNS else 1
        self.column = (box.width - COLUMN_GAP * (self._count - 1)) / self._count
        self._pages: list[_Sheet] = []
        self._frames: list[Box] = []
        self._begin_page(across=True)

    def _begin_page(self, *, across: bool) -> None:
        self._pages.append(_Sheet(self._plate, self._mark))
        box = self._mark.box
        self._frames = [box] if across else list(self._columns(box))
        self._across = across
        self._frame = self._frames.pop(0)
        self._y = self._frame.y

    def _columns(self, box: Box) -> Iterator[Box]:
        for number in range(self._count):
            yield replace(box, x=box.x + number * (self.column + COLUMN_GAP), width=self.column)

    def split(self) -> None:
        """Set all further sections in columns, below those that are set already."""
        box = self._mark.box
        below = replace(box, y=self._y, height=box.y + box.height - self._y)
        self._across = False
        self._frames = list(self._columns(below))
        self._frame = self._frames.pop(0)
        self._y = self._frame.y

    def _next(self) -> None:
        if not self._frames:
            self._begin_page(across=self._across)
            return
        self._frame = self._frames.pop(0)
        self._y = self._frame.y

    @property
    def _room(self) -> float:
        return self._frame.y + self._frame.height - self._y

    def write(self, one: Moved) -> int:
        """Set a section; return the number of the page on which it begins."""
        lines = list(list_moved_lines(one, self._plate, self._frame.width))
        head = moved_head_height(one, self._plate)
        first = None
        while lines or first is None:
            least = head + sum(height for height, _ in lines[:_LEAST])
            if self._room < least and self._y > self._frame.y:
                self._next()
                continue
            page = self._pages[-1]
            first = len(self._pages) - 1 if first is None else first
            section = page.begin(one, self._frame.x, self._y, self._frame.width)
            self._y += head
            taken = 0
            while taken < len(lines) and (not taken or self._room >= lines[taken][0]):
                page.row(section, lines[taken], self._y)
                self._y += lines[taken][0]
                taken += 1
            lines = lines[taken:]
            self._y += COLUMN_GAP
        return first

    def draw(self, backup: Backup) -> None:
        """Set QR codes, the first below a head and a text that says what they are."""
        one = describe_backup(backup)
        for number, code in enumerate(backup.codes):
            module = min(self._frame.width / (code.side - 2 * QUIET_ZONE), _MODULE)
            margin, side = QUIET_ZONE * module, code.side * module
            lines = [] if number else list(list_moved_lines(one, self._plate, self._frame.width))
            above = COLUMN_GAP + sum(height for height, _ in lines)
            above += 0 if number else moved_head_height(one, self._plate)
            if self._room < above + side and self._y > self._frame.y:
                self._next()
            if not number:
                self.write(one)
            box = Box(self._frame.x - margin, self._y - margin, side, side)
            self._pages[-1].figure(code.picture, box)
            self._y += side - margin + COLUMN_GAP

    def rule(self) -> None:
        """Rule what is left of the last page, so that it has room to write."""
        pitch = WRITTEN_PITCH * self._plate.tokens.roles[CONTINUED_TEXT].size
        left = replace(self._frame, y=self._y, height=self._room)
        for frame in (left, *self._frames):
            for number in range(int(frame.height / pitch - 0.5)):  # level in all columns
                y = frame.y + frame.height - (number + 0.5) * pitch
                self._pages[-1].rule(frame.x, y, frame.width)

    def finish(self) -> Iterator[ContinuedPage]:
        """Yield the pages."""
        return (page.finish() for page in self._pages)


@dataclass
class _Section:
    """A part of a section on a page: its columns, and its structure elements."""

    columns: tuple[MovedColumn, ...]
    x: float
    width: float
    body: int
    pitch: float = 0
    heads: bool = False


class _Sheet:
    """One page: the places that are added, their texts and shapes, their structure."""

    def __init__(self, plate: Plate, mark: Place) -> None:
        self._plate, self._mark = plate, mark
        self._places: list[Place] = []
        self._tags: list[AddedTag] = []
        self._page = ContinuedPage(plate)

    def begin(self, one: Moved, x: float, y: float, width: float) -> _Section:
        """Set the head of a section, or of its part on this page."""
        size = self._plate.tokens.roles[CONTINUED_TITLE].size
        height = moved_head_height(one, self._plate)
        for shape, rule in list_title_rules(self._plate.tokens, x, y, width):
            self._shape(shape, rule)
        columns = fit_moved_columns(one, width)
        heads = any(column.head for column in columns)
        beside = heads and not is_headed_first(columns)
        box = Box(x, y, columns[0].width if beside else width, 1.9 * size)
        section = self._tag("Sect")
        self._tag("H3", section, texts=(self._text(one.label, box, CONTINUED_TITLE),))
        if not columns:
            return _Section((), x, width, section)
        body = self._tag("Table" if len(columns) > 1 else "L", section)
        if heads:
            self._heads(columns, x, y + height, body)
        return _Section(columns, x, width, body, moved_pitch(one, self._plate), heads)

    def _heads(self, columns: Sequence[MovedColumn], x: float, foot: float, body: int) -> None:
        row = self._tag("TR", body)
        size = self._plate.tokens.roles[CONTINUED_LABEL].size
        for column in columns:
            texts: tuple[str, ...] = ()
            if column.head:
                box = Box(x, foot - 1.6 * size, column.width, 1.6 * size)
                right = self._plate.tokens.roles[column.role].align == "right"
                role = f"{CONTINUED_LABEL}-right" if right else CONTINUED_LABEL
                texts = (self._text(column.head, box, role),)
            self._tag("TH" if texts else "TD", row, _HEADER if texts else "", texts)
            x += column.width + COLUMN_GAP / 2

    def row(self, section: _Section, line: MovedLine, y: float) -> None:
        """Set a row of a section, or a line of its text."""
        height, cells = line
        if not section.columns:
            box = Box(section.x, y, section.width, height)
            texts = tuple(self._text(text, box, CONTINUED_TEXT) for text in cells[0] if text)
            if texts:
                self._tag("P", section.body, texts=texts)
            return
        x, listed = section.x, len(section.columns) == 1
        row = self._tag("LI" if listed else "TR", section.body)
        for number, (column, lines) in enumerate(zip(section.columns, cells, strict=True)):
            texts = tuple(self._cell(column, lines, Box(x, y, column.width, section.pitch)))
            if listed:
                self._tag("LBody", row, texts=texts)
            elif number == 0 and not section.heads and texts:
                self._tag("TH", row, _ROW_HEADER, texts)
            else:
                self._tag("TD", row, texts=texts)
            x += column.width + COLUMN_GAP / 2
        self.rule(section.x, y + height, section.width)

    def rule(self, x: float, y: float, width: float) -> None:
        self._shape("rule", Box(x, y - 1, width, 2))

    def _cell(self, column: MovedColumn, lines: Sequence[str], box: Box) -> Iterator[str]:
        """Set the lines of a cell; `box` is that of the first."""
        leading = 1.15 * self._plate.tokens.roles[column.role].size
        for number, line in enumerate(lines):
            yield self._text(line, replace(box, y=box.y + number * leading), column.role)

    def figure(self, picture: PreparedPicture, box: Box) -> None:
        """Set a picture."""
        name = f"continuation.picture.{len(self._places)}"
        self._places.append(Place(name, "picture", "", picture.alt, self._mark.page, box))
        self._page.pictures[name] = picture
        self._tag("Figure", texts=(name,))

    def _text(self, text: str, box: Box, role: str) -> str:
        name = f"continuation.text.{len(self._places)}"
        size = self._plate.tokens.roles[role].size
        self._places.append(Place(name, "mark", role, text[:60], self._mark.page, box))
        self._page.texts[name] = Setting(text, (text,), size)
        return name

    def _shape(self, shape: str, box: Box) -> None:
        name = f"continuation.rule.{len(self._places)}"
        self._places.append(Place(name, "mark", "", "", self._mark.page, box))
        self._page.marks[name] = shape

    def _tag(self, tag: str, parent: int = -1, extra: str = "", texts: tuple[str, ...] = ()) -> int:
        self._tags.append(AddedTag(tag, parent, extra, texts))
        return len(self._tags) - 1

    def finish(self) -> ContinuedPage:
        """Return the page with its plate."""
        added = Added(_ANCHOR, tuple(self._places), tuple(self._tags))
        places = (*self._plate.places, *self._places)
        self._page.plate = replace(self._plate, places=places, added=added)
        return self._page
