"""Continuation pages: sections of rows in their columns, and long texts, set on one plate.

A section that is wider than a column of the page is placed above the columns. All others follow
each other down the columns. A section that continues in the next column repeats its head.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count, cycle, pairwise, repeat
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.diag.findings import Finding
from sheetgen.model.filled import QUIET_ZONE, Backup
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import (
    Added,
    AddedTag,
    FilledPage,
    Filling,
    Place,
    Plate,
    Setting,
    Tokens,
)
from sheetgen.plan.fit import PADDING, find_missing_letters, fit, paragraphs, width, wrap
from sheetgen.plan.sheets.view import ShownText, View, numbered_family
from sheetgen.records import frozen
from sheetgen.units import MM, Box

_HEADER, _ROW_HEADER = "/A<</O/Table/Scope/Column>>", "/A<</O/Table/Scope/Row>>"


def continue_sections(
    moved: Sequence[Moved], plate: Plate, backup: Backup | None, repeated: Mapping[str, Setting]
) -> tuple[tuple[FilledPage, ...], tuple[int, ...]]:
    """Return `moved` on as many pages as it needs, and below it the codes of `backup`.

    The second value is the page on which each section begins, from 0.

    Args:
        repeated: Texts of each page, by place.
    """
    pen = _Pen(plate)
    starts: dict[int, int] = {}
    for one in moved:
        if moved_width(one) > pen.column * 1.25:  # others are narrowed to a column
            starts[id(one)] = pen.write(one)
    pen.split()
    for one in moved:
        if id(one) not in starts:
            starts[id(one)] = pen.write(one)
    if backup is not None:
        pen.draw(backup)
    else:
        pen.rule()
    pages = tuple(page.finish(repeated) for page in pen.pages)
    return pages, tuple(starts[id(one)] for one in moved)


class _Pen:
    """Sets sections down the page, column by column, page by page."""

    def __init__(self, plate: Plate) -> None:
        self._plate = plate
        self._mark = next(p for p in plate.places if p.name == "continuation.sections")
        box, size = self._mark.box, plate.tokens.roles[CONTINUED_TEXT].size
        self._count = 2 if size <= 11.5 else 1  # larger text needs the whole width
        self.column = (box.width - COLUMN_GAP * (self._count - 1)) / self._count
        self.pages: list[_Sheet] = []
        self._frames: list[Box] = []
        self._across = True
        self._next()

    def _columns(self, box: Box) -> Iterator[Box]:
        for number in range(self._count):
            yield replace(box, x=box.x + number * (self.column + COLUMN_GAP), width=self.column)

    def split(self) -> None:
        """Set all further sections in columns, below those that are set already."""
        box = self._mark.box
        below = replace(box, y=self._y, height=box.y + box.height - self._y)
        self._across = False
        self._frames = list(self._columns(below))
        self._next()

    def _next(self) -> None:
        if not self._frames:
            self.pages.append(_Sheet(self._plate, self._mark))
            box = self._mark.box
            self._frames = [box] if self._across else list(self._columns(box))
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
            least = head + sum(height for height, _ in lines[:3])
            if self._room < least and self._y > self._frame.y:
                self._next()
                continue
            page = self.pages[-1]
            first = len(self.pages) - 1 if first is None else first
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
        facts = f"{backup.file}, {backup.size:,} bytes, digest {backup.digest}"
        one = Moved(
            "Backup",
            f"{facts}\nThe code holds the file of this character as it was printed. Photograph it "
            "flat and in good light, and “sheetgen read” brings the file back from the photo.",
        )
        for number, code in enumerate(backup.codes):
            # A photo of the whole page shows modules of 0.65 mm.
            module = min(self._frame.width / (code.side - 2 * QUIET_ZONE), 0.65 * MM)
            margin, side = QUIET_ZONE * module, code.side * module
            lines = [] if number else list(list_moved_lines(one, self._plate, self._frame.width))
            above = COLUMN_GAP + sum(height for height, _ in lines)
            above += 0 if number else moved_head_height(one, self._plate)
            if self._room < above + side and self._y > self._frame.y:
                self._next()
            if not number:
                self.write(one)
            box = Box(self._frame.x - margin, self._y - margin, side, side)
            self.pages[-1].figure(code.picture, box)
            self._y += side - margin + COLUMN_GAP

    def rule(self) -> None:
        """Rule what is left of the last page, so that it has room to write."""
        pitch = 2.1 * self._plate.tokens.roles[CONTINUED_TEXT].size
        left = replace(self._frame, y=self._y, height=self._room)
        for frame in (left, *self._frames):
            for number in range(int(frame.height / pitch - 0.5)):  # level in all columns
                y = frame.y + frame.height - (number + 0.5) * pitch
                self.pages[-1].rule(frame.x, y, frame.width)


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
        self._texts: dict[str, Setting] = {}
        self._marks: dict[str, str] = {}
        self._pictures: dict[str, PreparedPicture] = {}

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
        row = self._tag("TR", body) if heads else -1
        size, left = self._plate.tokens.roles[CONTINUED_LABEL].size, x
        for column in columns if heads else ():
            texts: tuple[str, ...] = ()
            if column.head:
                right = self._plate.tokens.roles[column.role].align == "right"
                wide = column.width - _BEHIND_FIGURES * right
                box = Box(left, y + height - 1.6 * size, wide, 1.6 * size)
                role = f"{CONTINUED_LABEL}-right" if right else CONTINUED_LABEL
                texts = (self._text(column.head, box, role),)
            scope = "/A<</O/Table/Scope/Column>>" if texts else ""
            self._tag("TH" if texts else "TD", row, scope, texts)
            left += column.width + COLUMN_GAP / 2
        return _Section(columns, x, width, body, moved_pitch(one, self._plate), heads)

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
            role = self._plate.tokens.roles[column.role]
            wide = column.width - _BEHIND_FIGURES * (role.align == "right")
            boxes = (Box(x, y + n * 1.15 * role.size, wide, section.pitch) for n in count())
            texts = tuple(map(self._text, lines, boxes, repeat(column.role)))
            if number == 0 and not listed and not section.heads and texts:
                self._tag("TH", row, "/A<</O/Table/Scope/Row>>", texts)
            else:
                self._tag("LBody" if listed else "TD", row, texts=texts)
            x += column.width + COLUMN_GAP / 2
        self.rule(section.x, y + height, section.width)

    def rule(self, x: float, y: float, width: float) -> None:
        self._shape("rule", Box(x, y - 1, width, 2))

    def figure(self, picture: PreparedPicture, box: Box) -> None:
        """Set a picture."""
        name = f"continuation.picture.{len(self._places)}"
        self._places.append(Place(name, "picture", "", picture.alt, self._mark.page, box))
        self._pictures[name] = picture
        self._tag("Figure", texts=(name,))

    def _text(self, text: str, box: Box, role: str) -> str:
        name = f"continuation.text.{len(self._places)}"
        size = self._plate.tokens.roles[role].size
        self._places.append(Place(name, "mark", role, text[:60], self._mark.page, box))
        self._texts[name] = Setting(text, (text,), size)
        return name

    def _shape(self, shape: str, box: Box) -> None:
        name = f"continuation.rule.{len(self._places)}"
        self._places.append(Place(name, "mark", "", "", self._mark.page, box))
        self._marks[name] = shape

    def _tag(self, tag: str, parent: int = -1, extra: str = "", texts: tuple[str, ...] = ()) -> int:
        self._tags.append(AddedTag(tag, parent, extra, texts))
        return len(self._tags) - 1

    def finish(self, repeated: Mapping[str, Setting]) -> FilledPage:
        """Return the page, with texts that all pages repeat."""
        added = Added(self._mark.name, tuple(self._places), tuple(self._tags))
        plate = replace(self._plate, places=(*self._plate.places, *self._places), added=added)
        texts = {**repeated, **self._texts}
        return FilledPage(plate, Filling(texts, marks=self._marks, pictures=self._pictures))


CONTINUED_TEXT: Final = "continuation"
CONTINUED_TITLE: Final = "continuation-title"
CONTINUED_LABEL: Final = "continuation-label"
"""Roles of long texts, of titles of sections, and of heads of columns."""

COLUMN_GAP: Final = 11.34
"""Points between columns of the page: 4 mm, as on sheets; and below a section."""

_BEHIND_FIGURES: Final = 6.0
"""Points more behind a column of figures, which are at its right edge."""

_LETTER: Final = 4.4
"""The width of a letter of a text, roughly."""

_LOWEST, _TALLEST = 1.65, 1.9
"""Row to row, in sizes of the text: nobody writes here."""

MovedLine: TypeAlias = tuple[float, tuple[tuple[str, ...], ...]]
"""The height of a row, and the lines of each of its cells."""


def moved_width(one: Moved) -> float:
    """Return the width of the columns of a section, as on the sheet."""
    gaps = COLUMN_GAP / 2 * max(0, len(one.columns) - 1)
    return sum(column.width for column in one.columns) + gaps


def list_moved_lines(one: Moved, plate: Plate, room: float) -> Iterator[MovedLine]:
    """Yield the rows of a section, or the lines of its text, for a column `room` wide."""
    columns = fit_moved_columns(one, room)
    if not columns:
        role = plate.tokens.roles[CONTINUED_TEXT]
        leading = role.leading or 1.15 * role.size
        for line in paragraphs(one.text, room - 1, plate.metrics[role.face], role.size):
            yield leading, ((line,),)
        return
    pitch = moved_pitch(one, plate)
    for row in one.rows:
        cells, height = [], pitch
        for text, column in zip(row, columns, strict=True):
            role = plate.tokens.roles[column.role]
            cell = wrap(text, column.width - 2 * PADDING, plate.metrics[role.face], role.size)
            cells.append(cell)
            height = max(height, pitch + (len(cell) - 1) * 1.15 * role.size)
        yield height, tuple(cells)


def fit_moved_columns(one: Moved, room: float) -> tuple[MovedColumn, ...]:
    """Return the columns, which fill `room`.

    The widest one is narrowed, or the one widened whose longest text lacks most.
    """
    if not one.columns:
        return ()
    spare = room - moved_width(one)

    def lacks(number: int) -> tuple[float, float]:
        longest = max((len(row[number]) for row in one.rows), default=0) if spare > 0 else 0
        wide = one.columns[number].width
        return max(0.0, longest * _LETTER - wide), wide

    widest = max(range(len(one.columns)), key=lacks)
    return tuple(
        replace(column, width=max(40.0, column.width + spare)) if n == widest else column
        for n, column in enumerate(one.columns)
    )


def moved_pitch(one: Moved, plate: Plate) -> float:
    """Return the height of a row of one line."""
    largest = max(plate.tokens.roles[column.role].size for column in one.columns)
    return min(max(one.pitch, _LOWEST * largest), _TALLEST * largest)


def moved_head_height(one: Moved, plate: Plate) -> float:
    """Return the height of a section's title and of the heads of its columns.

    The heads are on the title's baseline, unless the first column has a head, too.
    """
    below = 1.6 * plate.tokens.roles[CONTINUED_LABEL].size if is_headed_first(one.columns) else 0.0
    return 1.9 * plate.tokens.roles[CONTINUED_TITLE].size + below


def is_headed_first(columns: Sequence[MovedColumn]) -> bool:
    """Whether the first of `columns` has a head, so that the title is above the heads."""
    return bool(columns) and columns[0].head != ""


def list_title_rules(tokens: Tokens, x: float, y: float, width: float) -> Iterator[tuple[str, Box]]:
    """Yield the shapes of the rule above a title, in the form of the face, and their boxes."""
    weight, index = map(tokens.length, ("w-section", "w-index"))
    kind = tokens.css["rule"]
    if kind in ("taper", "double"):
        high = weight * 1.9 if kind == "taper" else 2.6
        yield f"rule-{kind}", Box(x, y, width, high)
        return
    start = end = gap = 0.0
    if kind == "bevel":
        start, gap = index * 4, 1.5
        yield "rule-bevel", Box(x, y - index / 2, start, index)
    elif kind == "broken":
        start, end, gap = 12 * MM, 4 * MM + 1.5, 1.5
        for left, wide in ((x, start), (x + width - 4 * MM, 4 * MM)):
            yield "rule-block", Box(left, y - index * 0.36, wide, index * 0.72)
    yield "rule-section", Box(x + start + gap, y - 1, width - start - end - gap, 2)


_CELLS: Final = ("session", "gained", "what", "cost", "left")
"""The columns of a ledger."""


@frozen
class MovedColumn:
    """A column of moved rows.

    Attributes:
        head: Its heading; empty for a name or a text that explains itself.
        width: Points, as on the sheet.
        role: How its texts are set.
    """

    head: str
    width: float
    role: str


@frozen
class Moved:
    """A section, or the text of one place, that is moved to a continuation page.

    Attributes:
        text: All of it, for those who read no columns.
        columns: Of rows; empty for a text.
        rows: The texts of each row, by column.
        pitch: Points from row to row, as on the sheet.
        page: The page of the sheet that it continues, from 0.
        stem: The start of the names of its rows, or the name of its place.
    """

    label: str
    text: str
    columns: tuple[MovedColumn, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    pitch: float = 0
    page: int = 0
    stem: str = ""


def leave_free_row(view: View, stem: str, known: PlatePlaces) -> None:
    """Join purchases of a ledger that fills its rows on the sheet, so that a row stays free.

    Players write the next gain there. Where no two purchases fit one row, all rows stay.
    """
    most = next(n for n in count(1) if f"{stem}.{n}" not in known.above) - 1
    rows: list[dict[str, ShownText]] = []
    while True:
        found = ((cell, view.texts.get(f"{stem}.{len(rows) + 1}.{cell}")) for cell in _CELLS)
        row = {cell: shown for cell, shown in found if shown is not None}
        if not row:
            break
        rows.append(row)
    total = len(rows)
    while most and len(rows) >= most:
        joined = _shortest_joined(rows, stem, known)
        if joined is None:
            return
        at, row = joined
        rows[at : at + 2] = [row]
    for number in range(1, total + 1) if len(rows) < total else ():
        for cell in _CELLS:
            view.texts.pop(f"{stem}.{number}.{cell}", None)
        if number <= len(rows):
            cells = rows[number - 1].items()
            view.texts.update({f"{stem}.{number}.{cell}": shown for cell, shown in cells})


def _shortest_joined(
    rows: Sequence[dict[str, ShownText]], stem: str, known: PlatePlaces
) -> tuple[int, dict[str, ShownText]] | None:
    """Return the shortest two purchases, one below the other, as one row, and its place."""
    pairs: list[tuple[int, int, dict[str, str]]] = []
    for at, (one, other) in enumerate(pairwise(rows)):
        place = known.by_name.get(f"{stem}.{at + 1}.what")
        if place is None or {*one, *other} != {"what", "cost", "left"}:
            continue
        if not (one["cost"].text.isdecimal() and other["cost"].text.isdecimal()):
            continue
        what = f"{one['what'].text}, {other['what'].text}"
        if known.fitted(what, place, place.role)[1]:
            cost = str(int(one["cost"].text) + int(other["cost"].text))
            texts = {"what": what, "cost": cost, "left": other["left"].text}
            pairs.append((len(what), at, texts))
    if not pairs:
        return None
    _, at, texts = min(pairs, key=itemgetter(0, 1))
    label = rows[at]["what"].label
    return at, {cell: ShownText(text, label) for cell, text in texts.items()}


_ROLL: Final = "roll.text"
_DICE: Final = 8
"""The width of a pool in words, in widths of a die."""


def list_moved_rows(view: View, known: PlatePlaces) -> Iterator[Moved]:
    """Yield the author's texts that have no place, by section, in the columns of its rows."""
    places, drawn = known.by_name, known.families
    marked = {name.rpartition(".")[0] for name in view.ticks if name in places}  # shown by a box
    stems: dict[str, str] = {}
    sections: dict[str, dict[str, dict[str, str]]] = {}
    for name, shown in view.texts.items():
        if name in places or not shown.written or name in marked:
            continue
        stem, row, column = _parts(name)
        if row in known.above and numbered_family(name) not in drawn:
            continue  # this sheet shows the row without this column
        stems.setdefault(shown.label, stem)
        sections.setdefault(shown.label, {}).setdefault(row or name, {})[column] = shown.text
    for label, rows in sections.items():
        for row, cells in rows.items():  # dice are drawn on the sheet, and are words here
            dice = view.texts.get(f"{row}.{_ROLL}")
            if dice is not None and cells:
                cells[_ROLL] = dice.text
        yield _move_rows(label, stems[label], [*rows.values()], known)


def _move_rows(label: str, stem: str, rows: list[dict[str, str]], known: PlatePlaces) -> Moved:
    """Return texts by column with the columns of the last row of the kind that the sheet draws."""
    roles = known.plate.tokens.roles
    keys = list(dict.fromkeys(key for row in rows for key in row))
    drawn: dict[str, Place] = {}
    for number in range(200, 0, -1):  # no sheet draws more rows of a list
        if drawn:
            break
        found = {key: known.by_name.get(f"{stem}.{number}.{key}".rstrip(".")) for key in keys}
        drawn = {key: p for key, p in found.items() if p and p.role and p.kind != "tick"}
        dice = known.by_name.get(f"{stem}.{number}.roll.1")
        if dice is not None and drawn and _ROLL in keys:
            box = replace(dice.box, width=_DICE * dice.box.width)
            drawn.setdefault(_ROLL, replace(dice, box=box, role="line", label=", roll"))
    columns: dict[str, MovedColumn] = {}
    for key, place in sorted(drawn.items(), key=lambda pair: pair[1].box.x):
        setting = roles[place.role]
        width = place.box.width + (setting.size if setting.unit else 0)
        width += _BEHIND_FIGURES * (setting.align == "right")
        columns[key] = MovedColumn(_head(place.label), width, place.role)
    for key in keys:
        named = MovedColumn("", 90, "line-strong"), MovedColumn("", 160, "line")
        columns.setdefault(key, named[key != "name"])
    units = {key: roles[c.role].unit if c.role in roles else "" for key, c in columns.items()}
    cells = tuple(
        tuple(
            f"{text}{unit}" if text.isdigit() else text
            for key, unit in units.items()
            for text in [row.get(key, "")]
        )
        for row in rows
    )
    text = "\n".join(" · ".join(row.values()) for row in rows)
    first = next(iter(drawn.values()), None)
    page, pitch = (first.page, first.box.height) if first is not None else (0, 0)
    return Moved(label, text, tuple(columns.values()), cells, pitch, page, stem)


def _parts(name: str) -> tuple[str, str, str]:
    """Return the stem of a numbered name, its row, and its column; no row without a number."""
    parts = name.split(".")
    number = next((i for i, part in enumerate(parts) if part.isdigit()), None)
    if number is None:
        return name, "", ""
    return ".".join(parts[:number]), ".".join(parts[: number + 1]), ".".join(parts[number + 1 :])


def _head(label: str) -> str:
    """Return the heading of a column by the label of a place: `Row 3, spent on` is `Spent on`."""
    last = label.rpartition(", ")[2] if ", " in label else ""
    return "" if any(letter.isdigit() for letter in last) else last[:1].upper() + last[1:]


def moved_text(shown: ShownText, place: Place) -> Moved:
    """Return a text that is cut in its place."""
    label = place.label if shown.label == place.name else shown.label
    return Moved(label, shown.text, page=place.page, stem=place.name)


def list_mending(wrong: Iterable[Finding], others: Iterable[Finding]) -> list[Moved]:
    """Return what has to be mended in a draft: errors first, then warnings."""
    columns = (
        MovedColumn("Line", 24, "figure"),
        MovedColumn("Kind", 36, "line-strong"),
        MovedColumn("What", 300, "line"),
    )
    rows: list[tuple[str, ...]] = []
    for kind, found in (("error", wrong), ("warning", others)):
        for one in found:
            hint = f" ({one.hint})" if one.hint else ""
            quotes = cycle("“”")  # on paper, names are in quotation marks
            quoted = re.sub("`", lambda _: next(quotes), f"{one.message}{hint}")  # noqa: B023
            rows.append((str(one.span.line or ""), kind, quoted))
    text = "\n".join(f"line {line}, {kind}: {what}" for line, kind, what in rows)
    return [Moved("To be mended", text, columns, tuple(rows), stem="mending")] if rows else []


_HEAD: Final = re.compile(r"header\d*\.(text|stamp)|continued\d*|stamp")
"""Places that a sheet repeats on its pages: the identity, the stamp of a draft, the foot."""

TO_DRAW: Final = "to_draw."
"""The start of the names of places for the label of a picture, which is printed without one."""

_MOST: Final = 2000
"""The most settings in the cache; a few hundred are common to most sheets of a plate."""


@frozen
class PlatePlaces:
    """The places of a plate.

    Attributes:
        by_name: All places by name.
        families: Names of places, without the numbers of rows.
        above: What names of places begin with, up to each dot: `xp.ledger.3` of
            `xp.ledger.3.cost`.
        heads: Names of the places repeated on each page, and what each repeats.
        numbers: Places for page numbers.
        marks: Places beside heads for the page that continues a section, by list or text and page.
        drawable: Names of the pictures whose place has a label.
        letters: Letters that a face of the plate has a glyph for.
    """

    plate: Plate
    by_name: Mapping[str, Place]
    families: frozenset[str]
    above: frozenset[str]
    heads: tuple[tuple[str, str], ...]
    numbers: tuple[Place, ...]
    marks: Mapping[tuple[str, int], Place]
    drawable: tuple[str, ...]
    letters: frozenset[str]
    _set: dict[tuple[str, str, str], tuple[Setting, bool]] = field(default_factory=dict)
    _same: dict[Setting, Setting] = field(default_factory=dict)

    def fitted(self, text: str, place: Place, role_name: str) -> tuple[Setting, bool]:
        """Return the setting of `text` in `place`, in a role, and whether it is complete."""
        key = place.name, role_name, text
        cached = self._set.get(key)
        if cached is None:
            role = self.plate.tokens.roles[role_name]
            setting, complete = fit(text, place, role, self.plate.metrics[role.face])
            if role_name != place.role:
                setting = Setting(setting.value, setting.lines, setting.size, role_name)
            if len(self._set) >= _MOST:
                self._set.clear()
                self._same.clear()
            cached = self._set[key] = self._same.setdefault(setting, setting), complete
        return cached

    def first_that_fits(self, texts: Iterable[str], place: Place) -> str:
        """Return the first of `texts` that fits `place` on one line, or the last."""
        role = self.plate.tokens.roles[place.role]
        text = ""
        for text in texts:
            if width(text, self.plate.metrics[role.face], role.size) <= place.box.width - 1:
                break
        return text

    def mark_beside(self, stem: str, page: int) -> Place | None:
        """Return the place on `page` for the page that continues a list or a text."""
        while stem:
            place = self.marks.get((stem, page))
            if place is not None:
                return place
            stem = stem.rpartition(".")[0]
        return None

    def missing(self, text: str) -> str:
        """Return the letters of `text` without a glyph, each once, in order."""
        if self.letters.issuperset(text):
            return ""
        return find_missing_letters(text, frozenset(map(ord, self.letters)))


_DOT: Final = re.compile(r"\.")


@lru_cache(maxsize=16)
def plate_places(plate: Plate) -> PlatePlaces:
    """Return the index of the places of `plate`; those of the last plates are cached."""
    points = {point for metrics in plate.metrics.values() for point in metrics.advances}
    return PlatePlaces(
        plate,
        {place.name: place for place in plate.places},
        frozenset(numbered_family(place.name) for place in plate.places),
        frozenset(
            place.name[: dot.start()] for place in plate.places for dot in _DOT.finditer(place.name)
        ),
        tuple(
            (place.name, place.name.rpartition(".")[2])
            for place in plate.places
            if _HEAD.fullmatch(place.name)
        ),
        tuple(place for place in plate.places if place.name.startswith("page.")),
        {
            (stem, place.page): place
            for place in plate.places
            if place.name.startswith("onward.")
            for stem in place.name.removeprefix("onward.").split("_and_")
        },
        tuple(p.name.removeprefix(TO_DRAW) for p in plate.places if p.name.startswith(TO_DRAW)),
        frozenset(map(chr, points)) | {"\n", "\t"},
    )
