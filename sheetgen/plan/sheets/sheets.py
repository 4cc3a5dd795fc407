"""Filled sheets: a view on a plate, and continuation pages for what does not fit.

On a continuation page a section that is wider than a column is above the columns. All others
follow each other down the columns; one that goes on in the next column repeats its head.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import accumulate, count, cycle, pairwise
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.model.filled import QUIET_ZONE, Backup
from sheetgen.model.pictures import PreparedPicture, credit_pictures
from sheetgen.model.prints import (
    Added,
    AddedTag,
    FilledPage,
    Filling,
    Live,
    Place,
    PlaceKind,
    Plan,
    Plate,
    Setting,
)
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import (
    PADDING,
    find_lowest,
    find_missing_letters,
    fit,
    paragraphs,
    width,
    wrap,
)
from sheetgen.plan.sheets.view import GIVES, ShownText, View, numbered_family
from sheetgen.records import frozen
from sheetgen.units import MM, Box


@dataclass
class FilledPlate:
    """A filled plate, the texts that do not fit it, findings, and letters that no font has."""

    filling: Filling
    moved: list[Moved] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    missing: str = ""


def fill_plate(
    view: View, plate: Plate, span: Span, pictures: Mapping[str, PreparedPicture] | None = None
) -> FilledPlate:
    """Return `plate` filled from `view`.

    A text that is too long for its place is cut there, and moved in full. Rows beyond those
    on the sheet, and texts of the author without a place, are moved too. Findings point at `span`.
    """
    known = plate_places(plate)
    places, shapes = known.by_name, plate.tokens.shapes
    moved: list[Moved] = []
    findings: list[Finding] = []

    def report(code: codes.Code, message: str) -> None:
        message = f"{message} on a continuation page"
        findings.append(Finding(code, span, message, severity=Severity.WARNING))

    texts: dict[str, Setting] = {}
    heads = {name for name, _ in known.heads}  # page 1 says what they repeat
    for name, shown in view.texts.items():
        place = places.get(name)
        if place is None:
            continue
        texts[name], complete = known.fitted(shown.text, place, shown.state)
        if not complete and name not in heads:
            # A text that is cut in its place.
            label = place.label if shown.label == place.name else shown.label
            moved.append(Moved(label, shown.text, page=place.page, stem=place.name))
            start = shown.text[:40] + ("…" if len(shown.text) > 40 else "")
            report(codes.OVERFLOW, f"{label}: `{start}` does not fit; all of it is")
    for one in list_moved_rows(view, known):
        moved.append(one)
        lines = "1 line is" if len(one.rows) == 1 else f"{len(one.rows)} lines are"
        report(codes.MORE_ROWS, f"{one.label}: {lines}")
    ticks: dict[str, str] = {}
    frames: dict[str, str] = {}
    marks: dict[str, str] = {}
    if view.blank and "die-outline" in shapes:  # a player shades it
        marks = {name: "die-outline" for name in places if re.fullmatch(r".+\.roll\.\d+", name)}
    for name, shape in view.ticks.items():
        place = places.get(name)
        if place is not None and place.kind == "tick":
            ticks[name] = shape or plate.tokens.ticks[place.role].on
        elif place is not None:
            marks[name] = shape
    for name, shape in view.frames.items():
        place = places.get(name)
        if place is not None and place.kind == "tick":
            frames[name] = shape
        elif place is not None and shape:
            marks[name] = shape  # a frame without a tick
    missing = known.missing("".join([shown.text for shown in view.texts.values()]))
    filling = Filling(_level_sizes(texts, places), ticks, frames, marks, pictures or {})
    return FilledPlate(filling, moved, findings, missing)


def _level_sizes(texts: dict[str, Setting], places: Mapping[str, Place]) -> dict[str, Setting]:
    """Return texts of which those in rows of a list, and fields side by side, have one size."""
    groups: dict[object, list[str]] = {}
    for name in texts:
        place, family = places[name], numbered_family(name)
        if place.kind == "text":
            beside = place.role, place.page, round(place.box.y), round(place.box.height)
            groups.setdefault(family if family != name else beside, []).append(name)
    for names in groups.values():
        least = min(texts[name].size for name in names)
        texts |= {n: texts[n]._replace(size=least) for n in names if texts[n].size > least}
    return texts


@frozen
class SheetContents:
    """A request for the plan of a sheet: its view, and the document's own data."""

    title: str  # the character's name; empty for a blank sheet
    identity: str  # the name and class or the like, for the heads of later pages
    digest: str  # of the source file
    view: View
    findings: tuple[Finding, ...] = ()  # findings about the build; errors make the print a draft
    live: Callable[[Plate], Live | None] | None = None  # what the sheet computes by itself
    # Pictures by place, ready to be printed.
    pictures: Mapping[str, PreparedPicture] = field(default_factory=dict)
    backup: Backup | None = None  # the source file as QR codes, which end the sheet
    signed: Callable[[str], str] = str  # puts signs into cells of rows that are moved


@frozen
class PlannedSheet:
    """A plan, the texts on continuation pages, findings, and letters that no font has."""

    plan: Plan
    moved: tuple[Moved, ...]
    findings: tuple[Finding, ...]
    missing: str = ""


def plan_sheet(
    request: SheetContents, sheet: Plate, more: Callable[[], Plate], rules: Ruleset, span: Span
) -> PlannedSheet:
    """Return the plan of a sheet with as many continuation pages as it needs.

    `more` returns the plate of a continuation page. Findings point at `span`.
    """
    wrong = errors(request.findings)
    draft = bool(wrong)
    for pool in rules.pools:
        leave_free_row(request.view, f"{pool}.ledger", plate_places(sheet))
    continue_in_free_rows(request.view, plate_places(sheet))
    filled = fill_plate(_add_heads(request, sheet, (), draft), sheet, span, request.pictures)
    others = [one for one in request.findings if one not in wrong]
    distinct: dict[tuple[str, str], Moved] = {}
    for one in filled.moved:
        distinct.setdefault((one.label, one.text), one)
    joined: dict[object, Moved] = {}  # further rows follow those that were cut
    ends: dict[object, set[str]] = {}  # the columns of what was cut
    for one in distinct.values():
        cut = joined.get(one.label)
        ends.setdefault(one.label, set()).add("" if one.columns else one.stem.rpartition(".")[2])
        (*_, key), single = sorted(ends[one.label]), len(ends[one.label] - {""}) == 1
        if cut is not None and not cut.columns and single and key in one.keys[: len(one.columns)]:
            said = [text for (text,) in cut.rows or ((cut.text,),)]
            above = (tuple(text if k == key else "" for k in one.keys) for text in said)
            rows = (*above, *one.rows)
            joined[one.label] = replace(one, text=f"{cut.text}\n{one.text}", rows=rows)
        elif cut is not None and not cut.columns and len(one.columns) < 2:
            rows = (*(cut.rows or ((cut.text,),)), *(one.rows or ((one.text,),)))
            joined[one.label] = replace(one, text=f"{cut.text}\n{one.text}", rows=rows)
        else:
            joined[one.label if cut is None else (one.label, one.text)] = one
    moved = [*joined.values(), *(list_mending(wrong, others) if draft else ())]
    if moved and request.view.blank:  # there is a page of steps, and room below them
        moved += list_gives(request.view, plate_places(sheet))
    if credit := credit_pictures(request.pictures.values()):
        shown = ShownText(credit, state="credit", written=False)  # as light as the print's own
        # The first foot of a page that has room, and that need not say what goes on elsewhere.
        known = plate_places(sheet)
        taken = {one.page for one in moved if known.mark_beside(one.stem, one.page) is None}
        feet = (known.by_name[name] for name, kind in known.heads if kind not in ("text", "stamp"))
        free = (place for place in feet if place.page not in taken)
        foot = next((p.name for p in free if known.fitted(credit, p, shown.state)[1]), "")
        if foot:
            request.view.texts[foot] = shown
            heads = _add_heads(request, sheet, (), draft)
            filled = fill_plate(heads, sheet, span, request.pictures)
        else:
            moved.append(Moved("Pictures", credit, stem="pictures"))
    for at, one in enumerate(moved):
        rows = tuple(tuple(request.signed(cell) for cell in row) for row in one.rows)
        moved[at] = replace(one, rows=rows)
    onward: tuple[FilledPage, ...] = ()
    if moved or request.backup is not None:
        plate, bare = more(), SheetContents(request.title, request.identity, "", View())
        head = fill_plate(_add_heads(bare, plate, (), draft), plate, Span("")).filling
        onward, starts = continue_sections(moved, plate, request.backup, head.texts)
        first = len(sheet.sizes) + 1
        on = [(one, first + start) for one, start in zip(moved, starts, strict=True)]
        filled = fill_plate(_add_heads(request, sheet, on, draft), sheet, span, request.pictures)
    live = request.live(sheet) if request.live is not None else None
    leaves = FilledPage(sheet, filled.filling, live=live), *onward
    total, before, numbered = sum(len(page.plate.sizes) for page in leaves), 0, []
    for page in leaves:
        texts, known = dict(page.filling.texts), plate_places(page.plate)
        for place in known.numbers:
            texts[place.name], _ = known.fitted(f"{before + place.page + 1} / {total}", place)
        before += len(page.plate.sizes)
        numbered.append(replace(page, filling=replace(page.filling, texts=texts)))
    plan = Plan(
        title=f"{request.title} · {rules.title}" if request.title else rules.title,
        lang=rules.lang,
        subject=rules.credit.short,
        leaves=tuple(numbered),
        meta={
            "ruleset": str(rules.id),
            "version": str(rules.version),
            "character": request.title,
            "source": request.digest,
        },
    )
    return PlannedSheet(plan, tuple(moved), tuple(filled.findings), filled.missing)


def _add_heads(
    request: SheetContents, plate: Plate, onward: Sequence[tuple[Moved, int]], draft: bool
) -> View:
    """Return the view with what pages repeat, and with the page where each moved section begins."""
    view = replace(request.view, texts=dict(request.view.texts))
    known = plate_places(plate)
    for name in known.drawable:
        if name not in request.pictures and not known.offers[name] & view.texts.keys():
            view.put(f"{TO_DRAW}{name}", known.by_name[name].label, written=False)
    stamp = "DRAFT" if draft else ""
    left: dict[int, list[tuple[Moved, int]]] = {}
    for one, page in onward:
        place = known.mark_beside(one.stem, one.page)
        if place is not None and place.name not in view.texts:
            words = f"continued on page {page}", f"on page {page}", f"p. {page}"
            where = known.first_that_fits(words, place)
            view.put(place.name, where, written=False)
        elif place is None:
            left.setdefault(one.page, []).append((one, page))
    for name, kind in known.heads:
        place = known.by_name[name]
        foot, on = "", left.get(place.page, ())
        if on:
            where = f"More on page {min(page for _, page in on)}"
            labels = ", ".join(dict.fromkeys(one.label for one, _ in on))
            foot = known.first_that_fits((f"{where}: {labels}", where), place)
        text = {"text": request.identity, "stamp": stamp}.get(kind, foot)
        view.put(name, text, written=False)
    return view


def continue_sections(
    moved: Sequence[Moved], plate: Plate, backup: Backup | None, repeated: Mapping[str, Setting]
) -> tuple[tuple[FilledPage, ...], tuple[int, ...]]:
    """Return `moved` on as many pages as it needs, and below it the codes of `backup`.

    The second value is the page on which each section begins, from 0. `repeated` are texts of
    each page, by place.
    """
    whole = pen = _Pen(plate)
    pen.write_all(moved)
    if len(pen.pages) > 1:
        whole = pen = _fill_last_page(plate, moved, pen)
    if len(pen.pages) == 1 and backup is None:
        box, step = pen.mark.box, plate.tokens.roles[CONTINUED_TEXT].size
        level = find_lowest(partial(_level, plate, moved), 0, box.height, step)
        pen = level or whole
    if backup is not None:
        pen.draw(backup)
    else:
        pen.rule()
    pages = tuple(page.finish(repeated) for page in pen.pages)
    return pages, tuple(pen.starts[id(one)] for one in moved)


def _fill_last_page(plate: Plate, moved: Sequence[Moved], usual: _Pen) -> _Pen:
    """Return sections whose last page is not nearly empty.

    Closer rows save that page, or else lines move to it from the page before.
    """
    close = _Pen(plate, close=True)
    close.write_all(moved)
    if len(close.pages) < len(usual.pages):
        return close
    least = _LEAST_ON_LAST * plate.tokens.roles[CONTINUED_TEXT].size
    pen = usual
    for share in (0.95, 0.9, 0.85, 0.8, 0.75, 0.7):
        if pen.lowest - pen.mark.box.y >= least:
            break
        fuller = _Pen(plate, short=(len(usual.pages) - 2, share))
        fuller.write_all(moved)
        if len(fuller.pages) > len(usual.pages):
            break
        pen = fuller
    return pen


# The least height of what is on the last of several pages, in sizes of its text.
_LEAST_ON_LAST: Final = 9.0


def _level(plate: Plate, moved: Sequence[Moved], height: float) -> _Pen | None:
    """Return sections in columns that end above `height`, if none of them is divided."""
    pen = _Pen(plate)
    pen.write_all(moved, height)
    box = pen.mark.box
    whole = len(pen.pages) == 1 and pen.parts == len(moved)
    return pen if whole and pen.lowest <= box.y + height else None


class _Pen:
    """Sets sections down the page, column by column, page by page."""

    def __init__(
        self, plate: Plate, *, close: bool = False, short: tuple[int, float] = (-1, 1.0)
    ) -> None:
        self._plate, self._close, self._short = plate, close, short
        self.mark = next(p for p in plate.places if p.name == "continuation.sections")
        box, size = self.mark.box, plate.tokens.roles[CONTINUED_TEXT].size
        self._count = 2 if size <= 11.5 else 1  # larger text needs the whole width
        self.column = (box.width - COLUMN_GAP * (self._count - 1)) / self._count
        self.pages: list[_Page] = []
        self.starts: dict[int, int] = {}  # the page of each section, by its identity
        self.parts = 0
        self.lowest = 0.0  # where the lowest section of the last page ends
        self._frames: list[Box] = []
        self._across = True
        self._next()

    @property
    def _high(self) -> float:
        """The height of this page, of which the one that is `short` uses a share."""
        number, share = self._short
        return self.mark.box.height * (share if len(self.pages) - 1 == number else 1.0)

    def _columns(self, box: Box) -> list[Box]:
        lefts = (box.x + number * (self.column + COLUMN_GAP) for number in range(self._count))
        return [replace(box, x=left, width=self.column) for left in lefts]

    def write_all(self, moved: Sequence[Moved], height: float | None = None) -> None:
        """Set sections, wide ones first. Columns of the first page end after `height` points."""
        wide = [one for one in moved if one.width > self.column * 1.25]  # others are narrowed
        narrow = [one for one in moved if one not in wide]
        if len(moved) == 1:
            wide, narrow = narrow or wide, []
        for one in wide:
            self.starts[id(one)] = self.write(one)
        if narrow:
            box = self.mark.box
            high = box.y + (height or self._high) - self._y
            self._across = False
            self._frames = self._columns(replace(box, y=self._y, height=high))
            self._next()
        for one in narrow:
            self.starts[id(one)] = self.write(one)

    def _next(self) -> None:
        if not self._frames:
            self.pages.append(_Page(self._plate, self.mark))
            box, self.lowest = replace(self.mark.box, height=self._high), 0.0
            self._frames = [box] if self._across else self._columns(box)
        self._frame = self._frames.pop(0)
        self._y = self._frame.y

    @property
    def _room(self) -> float:
        return self._frame.y + self._frame.height - self._y

    def write(self, one: Moved) -> int:
        """Set a section; return the number of the page on which it begins."""
        section = _fit_section(one, self._plate, self._frame.width, close=self._close)
        lines, first = [*section.lines], None
        while lines or first is None:
            least = section.head + sum(height for height, _ in lines[:3])
            if self._room < least and self._y > self.mark.box.y:
                self._next()
                continue
            page = self.pages[-1]
            first = len(self.pages) - 1 if first is None else first
            body = page.begin(section, self._frame.x, self._y)
            self.parts += 1
            self._y += section.head
            ends = [*accumulate(height for height, _ in lines)]
            taken = max(1, bisect_right(ends, self._room)) if lines else 0
            at, total = len(section.lines) - len(lines) + taken, len(section.lines)
            alone = at + 1 == total or (at not in section.starts and at + 1 in section.starts)
            taken -= taken > 3 and alone  # no line goes on alone
            for line in lines[:taken]:
                page.row(section, body, line, self._frame.x, self._y)
                self._y += line[0]
            lines = lines[taken:]
            self.lowest = max(self.lowest, self._y)
            self._y += _CLOSE_GAP if self._close else COLUMN_GAP
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
            above = COLUMN_GAP
            if not number:
                section = _fit_section(one, self._plate, self._frame.width)
                above += sum(height for height, _ in section.lines)
                above += section.head
            if self._room < above + side and self._y > self.mark.box.y:
                self._next()
            if not number:
                self.write(one)
            box = Box(self._frame.x - margin, self._y - margin, side, side)
            self.pages[-1].figure(code.picture, box)
            self._y += side - margin + COLUMN_GAP

    def rule(self) -> None:
        """Rule what is left of the last page, under a title, so that it has room to write."""
        role = self._plate.tokens.roles[CONTINUED_TEXT]
        pitch, box = max(7 * MM, 2.1 * role.size), self.mark.box  # for a pen
        left = replace(self._frame, y=self._y, height=box.y + box.height - self._y)
        frames = [left, *self._frames]
        if len(self.pages) == 1:  # below all columns
            y = self.lowest + COLUMN_GAP
            frames = [replace(box, y=y, height=box.y + box.height - y)]
        head = _fit_section(Moved("More notes", ""), self._plate, self._frame.width)
        for column, frame in enumerate(one for one in frames if one.height > 4 * pitch):
            if column:
                self.pages[-1].rule_title(frame.x, frame.y, frame.width)
            else:
                self.pages[-1].begin(replace(head, width=frame.width), frame.x, frame.y)
            for number in range(int((frame.height - head.head) / pitch)):  # level in all columns
                y = frame.y + frame.height - (number + 0.5) * pitch
                self.pages[-1].rule(frame.x, y, frame.width)


@frozen
class _Section:
    """A section in a column: the columns that fill it, the heights of its head and its rows."""

    label: str
    columns: tuple[MovedColumn, ...]
    width: float
    head: float
    pitch: float
    lines: tuple[MovedLine, ...]
    below: int = -1  # the column whose text stands below its row, if the others need the width
    starts: frozenset[int] = frozenset()  # the lines at which paragraphs of a text start


def _fit_section(one: Moved, plate: Plate, room: float, *, close: bool = False) -> _Section:
    """Return a section for a column `room` wide, with its rows or the lines of its text.

    The widest of its columns is narrowed, or the one widened whose longest text lacks most. If
    little would be left of the widest, it goes below the others, as wide as all. The heads of
    columns are on the title's baseline, unless the first column has a head, too.
    """
    roles, lines = plate.tokens.roles, list[MovedLine]()
    head, pitch = 1.9 * roles[CONTINUED_TITLE].size, 0.0
    if not one.columns:
        role = roles[CONTINUED_TEXT]
        leading = role.leading or 1.15 * role.size
        texts, starts = list[str](), set[int]()
        for text in one.text.splitlines() or [""]:
            starts.add(len(texts))
            texts += paragraphs(text, room - 1, plate.metrics[role.face], role.size)
        lines = [(leading, ((line,),)) for line in texts]
        return _Section(one.label, (), room, head, pitch, tuple(lines), starts=frozenset(starts))
    spare, columns = room - one.width, [*one.columns]
    wides = [column.width for column in columns]
    widest = one.open_column if spare > 0 else wides.index(max(wides))
    wide = columns[widest].width + spare
    below = widest if spare < 0 and wide < _NARROWEST * room and len(columns) > 2 else -1
    if below >= 0:
        others = one.width - wides[below] - COLUMN_GAP / 2
        columns = [replace(c, width=c.width * min(1.0, room / others)) for c in columns]
        columns[below] = replace(columns[below], width=room, head="")
    else:
        columns[widest] = replace(columns[widest], width=max(40.0, wide))
    head += 1.6 * roles[CONTINUED_LABEL].size if columns[0].head else 0.0
    largest = max(roles[column.role].size for column in columns)
    pitch = min(max(one.pitch, _LOWEST * largest), (_LOWEST if close else _TALLEST) * largest)
    for row in one.rows:
        cells, height = [], pitch
        for text, column in zip(row, columns, strict=True):
            role = roles[column.role]
            cell = wrap(text, column.width - 2 * PADDING, plate.metrics[role.face], role.size)
            cells.append(cell)
            if len(cells) - 1 != below:
                height = max(height, pitch + (len(cell) - 1) * 1.15 * role.size)
        if below >= 0:
            height += (len(cells[below]) * 1.15 + 0.25) * roles[columns[below].role].size
        lines.append((height, tuple(cells)))
    return _Section(one.label, tuple(columns), room, head, pitch, tuple(lines), below)


class _Page:
    """One page: the places that are added, their texts and shapes, their structure."""

    def __init__(self, plate: Plate, mark: Place) -> None:
        self._plate, self._mark = plate, mark
        self._places: list[Place] = []
        self._tags: list[AddedTag] = []
        self._texts: dict[str, Setting] = {}
        self._marks: dict[str, str] = {}
        self._pictures: dict[str, PreparedPicture] = {}

    def begin(self, one: _Section, x: float, y: float) -> int:
        """Set the head of a section, or of its part on this page; return the tag of its body."""
        roles, columns = self._plate.tokens.roles, one.columns
        self.rule_title(x, y, one.width)
        heads = any(column.head for column in columns)
        beside = heads and not columns[0].head
        wide = columns[0].width if beside else one.width
        box = Box(x, y, wide, 1.9 * roles[CONTINUED_TITLE].size)
        section = self._tag("Sect")
        self._tag("H3", section, texts=(self._text(one.label, box, CONTINUED_TITLE),))
        if not columns:
            return section
        body = self._tag("Table" if len(columns) > 1 else "L", section)
        row = self._tag("TR", body) if heads else -1
        high = 1.6 * roles[CONTINUED_LABEL].size
        for number, column in enumerate(columns if heads else ()):
            if column.head:
                right = roles[column.role].align == "right"
                box = Box(x, y + one.head - high, column.width - _BEHIND_FIGURES * right, high)
                role = f"{CONTINUED_LABEL}-right" if right else CONTINUED_LABEL
                self._tag("TH", row, _HEADER, (self._text(column.head, box, role),))
            else:
                self._tag("TD", row)
            if number != one.below:
                x += column.width + COLUMN_GAP / 2
        return body

    def row(self, one: _Section, body: int, line: MovedLine, x: float, y: float) -> None:
        """Set a row of a section, or a line of its text."""
        height, cells = line
        if not one.columns:
            box = Box(x, y, one.width, height)
            texts = tuple(self._text(text, box, CONTINUED_TEXT) for text in cells[0] if text)
            if texts:
                self._tag("P", body, texts=texts)
            return
        left, listed = x, len(one.columns) == 1
        row = self._tag("LI" if listed else "TR", body)
        heads = any(column.head for column in one.columns)
        for number, (column, lines) in enumerate(zip(one.columns, cells, strict=True)):
            role = self._plate.tokens.roles[column.role]
            wide = column.width - _BEHIND_FIGURES * (role.align == "right")
            step, first = 1.15 * role.size, Box(left, y, wide, one.pitch)
            if number == one.below:
                top = y + height - len(lines) * step - (one.pitch - step) / 2
                first = Box(x, top, wide, step)
            else:
                left += column.width + COLUMN_GAP / 2
            boxes = (replace(first, y=first.y + n * step) for n in count())
            placed = zip(lines, boxes, strict=False)
            texts = tuple(self._text(text, box, column.role) for text, box in placed)
            if number == 0 and not listed and not heads and texts:
                self._tag("TH", row, _ROW_HEADER, texts)
            else:
                self._tag("LBody" if listed else "TD", row, texts=texts)
        self.rule(x, y + height, one.width)

    def rule(self, x: float, y: float, width: float) -> None:
        self._shape("rule", Box(x, y - 1, width, 2))

    def rule_title(self, x: float, y: float, width: float) -> None:
        """Set the rule above a title, in the form of the face."""
        tokens = self._plate.tokens
        weight, index = map(tokens.length, ("w-section", "w-index"))
        kind = tokens.css["rule"]
        if kind in ("taper", "double"):
            high = weight * 1.9 if kind == "taper" else 2.6
            self._shape(f"rule-{kind}", Box(x, y, width, high))
            return
        start = end = gap = 0.0
        if kind == "bevel":
            start, gap = index * 4, 1.5
            self._shape("rule-bevel", Box(x, y - index / 2, start, index))
        elif kind == "broken":
            start, end, gap = 12 * MM, 4 * MM + 1.5, 1.5
            for left, wide in ((x, start), (x + width - 4 * MM, 4 * MM)):
                self._shape("rule-block", Box(left, y - index * 0.36, wide, index * 0.72))
        box = Box(x + start + gap, y - 1, width - start - end - gap, 2)
        self._shape("rule-section", box)

    def figure(self, picture: PreparedPicture, box: Box) -> None:
        name = self._place("picture", box, "picture", "", picture.alt)
        self._pictures[name] = picture
        self._tag("Figure", texts=(name,))

    def _text(self, text: str, box: Box, role: str) -> str:
        name = self._place("text", box, "mark", role, text[:60])
        self._texts[name] = Setting(text, (text,), self._plate.tokens.roles[role].size)
        return name

    def _shape(self, shape: str, box: Box) -> None:
        self._marks[self._place("rule", box)] = shape

    def _place(
        self, of: str, box: Box, kind: PlaceKind = "mark", role: str = "", label: str = ""
    ) -> str:
        name = f"continuation.{of}.{len(self._places)}"
        self._places.append(Place(name, kind, role, label, self._mark.page, box))
        return name

    def _tag(self, tag: str, parent: int = -1, extra: str = "", texts: tuple[str, ...] = ()) -> int:
        self._tags.append(AddedTag(tag, parent, extra, texts))
        return len(self._tags) - 1

    def finish(self, repeated: Mapping[str, Setting]) -> FilledPage:
        """Return the page, with texts that all pages repeat."""
        added = Added(self._mark.name, tuple(self._places), tuple(self._tags))
        plate = replace(self._plate, places=(*self._plate.places, *self._places), added=added)
        texts = {**repeated, **self._texts}
        return FilledPage(plate, Filling(texts, marks=self._marks, pictures=self._pictures))


_HEADER, _ROW_HEADER = "/A<</O/Table/Scope/Column>>", "/A<</O/Table/Scope/Row>>"
CONTINUED_TEXT: Final = "continuation"
CONTINUED_TITLE: Final = "continuation-title"
# Roles of long texts, of titles of sections, and of heads of columns.
CONTINUED_LABEL: Final = "continuation-label"
COLUMN_GAP: Final = 11.34  # points between columns, 4 mm as on sheets, and below a section
_CLOSE_GAP: Final = 7.0  # the least of it, where that saves a page
_BEHIND_FIGURES: Final = 6.0  # points more behind a column of figures, which are at its right edge
_LETTER: Final = 4.4  # the width of a letter of a text, roughly
_NARROWEST: Final = 0.2  # the least of the room that is left of a column that is narrowed
_LOWEST, _TALLEST = 1.65, 1.9  # row to row, in sizes of the text: nobody writes here
MovedLine: TypeAlias = tuple[float, tuple[tuple[str, ...], ...]]  # height, lines of each cell


_CELLS: Final = ("session", "gained", "what", "cost", "left")  # the columns of a ledger


@frozen
class MovedColumn:
    """A column of moved rows."""

    head: str  # its heading; empty for a name or a text that explains itself
    width: float  # points, as on the sheet
    role: str  # how its texts are set


@frozen
class Moved:
    """A section, or the text of one place, that is moved to a continuation page."""

    label: str
    text: str  # all of it, for those who read no columns
    columns: tuple[MovedColumn, ...] = ()  # of rows; empty for a text
    rows: tuple[tuple[str, ...], ...] = ()  # the texts of each row, by column
    pitch: float = 0  # points from row to row, as on the sheet
    page: int = 0  # the page of the sheet that it continues, from 0
    stem: str = ""  # the start of the names of its rows, or the name of its place
    keys: tuple[str, ...] = ()  # the ends of the names of its columns

    @property
    def width(self) -> float:
        """The width of its columns, as on the sheet."""
        gaps = COLUMN_GAP / 2 * max(0, len(self.columns) - 1)
        return sum(column.width for column in self.columns) + gaps

    @property
    def open_column(self) -> int:
        """The column that takes the room that is left: its longest text lacks most."""

        def lacks(number: int) -> tuple[float, float]:
            longest = max((len(row[number]) for row in self.rows), default=0)
            wide = self.columns[number].width
            return max(0.0, longest * _LETTER - wide), wide

        return max(range(len(self.columns)), key=lacks)


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
        # The shortest two purchases, one below the other, become one row.
        pairs: list[tuple[int, int, dict[str, str]]] = []
        for at, (one, other) in enumerate(pairwise(rows)):
            place = known.by_name.get(f"{stem}.{at + 1}.what")
            if place is None or {*one, *other} != {"what", "cost", "left"}:
                continue
            costs, what = (one["cost"].text, other["cost"].text), one["what"].text
            what += f", {other['what'].text}"
            if all(map(str.isdecimal, costs)) and known.fitted(what, place)[1]:
                texts = {"what": what, "cost": str(sum(map(int, costs)))}
                pairs.append((len(what), at, {**texts, "left": other["left"].text}))
        if not pairs:
            return
        _, at, texts = min(pairs, key=itemgetter(0, 1))
        label = rows[at]["what"].label
        rows[at : at + 2] = [{cell: ShownText(text, label) for cell, text in texts.items()}]
    for number in range(1, total + 1) if len(rows) < total else ():
        for cell in _CELLS:
            view.texts.pop(f"{stem}.{number}.{cell}", None)
        if number <= len(rows):
            cells = rows[number - 1].items()
            view.texts.update({f"{stem}.{number}.{cell}": shown for cell, shown in cells})


def continue_in_free_rows(view: View, known: PlatePlaces) -> None:
    """Continue the text of a named row in the free rows below it, if its own is too short.

    That saves a continuation page of a line or two. Such texts are not read back.
    """
    for name, shown in [*view.texts.items()]:
        row, _, column = name.rpartition(".")
        stem, _, number = row.rpartition(".")
        place = known.by_name.get(name)
        if place is None or not number.isdecimal() or f"{row}.name" not in view.texts:
            continue
        if column == "name" or place.kind != "text" or known.fitted(shown.text, place)[1]:
            continue
        words, parts = shown.text.split(" "), dict[str, str]()
        for at in count(int(number)):
            below = known.by_name.get(f"{stem}.{at}.{column}")
            taken = any(other.startswith(f"{stem}.{at}.") for other in view.texts)
            if below is None or (parts and taken) or not words:
                break
            sizes = (n for n in range(len(words), 0, -1))
            most = next((n for n in sizes if known.fitted(" ".join(words[:n]), below)[1]), 0)
            parts[below.name], words = " ".join(words[:most]), words[most:]
        if not words:
            for part, text in parts.items():
                view.put(part, text, shown.label, written=False)


_ROLL: Final = "roll.text"
_DICE: Final = 8  # the width of a pool in words, in widths of a die


def list_moved_rows(view: View, known: PlatePlaces) -> Iterator[Moved]:
    """Yield the author's texts that have no place, by section, in the columns of its rows."""
    places, drawn = known.by_name, known.families
    marked = {name.rpartition(".")[0] for name in view.ticks if name in places}  # shown by a box
    stems: dict[str, str] = {}
    sections: dict[str, dict[str, dict[str, str]]] = {}
    for name, shown in view.texts.items():
        if name in places or not shown.written or name in marked:
            continue
        numbered = _NUMBERED.fullmatch(name)  # without a number, a name has no row
        row, stem, column = numbered.groups("") if numbered else ("", name, "")
        if row in known.above and numbered_family(name) not in drawn:
            continue  # this sheet shows the row without this column
        stems.setdefault(shown.label, stem)
        cells = sections.setdefault(shown.label, {}).setdefault(row or name, {})
        if title := view.texts.get(f"{name}.title"):  # what a step is about, where its box is not
            cells["name"] = title.text
        cells[column] = shown.text
    for label, rows in sections.items():
        for row, cells in rows.items():  # dice are drawn on the sheet, and are words here
            dice = view.texts.get(f"{row}.{_ROLL}")
            if dice is not None and cells:
                cells[_ROLL] = dice.text
        yield _move_rows(label, stems[label], [*rows.values()], known)


def list_gives(view: View, known: PlatePlaces) -> Iterator[Moved]:
    """Yield what the entries of choices give, by choice, if the sheet has no place for it."""
    choices: dict[str, list[dict[str, str]]] = {}
    for name, shown in view.texts.items():
        entry = view.texts.get(name.removesuffix(GIVES))
        if name.endswith(GIVES) and entry is not None and name not in known.by_name:
            row = {"name": entry.text, "text": shown.text}
            choices.setdefault(shown.label, []).append(row)
    for label, rows in choices.items():
        yield _move_rows(label, "", rows, known)


_NUMBERED: Final = re.compile(r"((?:(.*?)\.)?\d+)(?:\.(.*))?")


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
            drawn.setdefault(_ROLL, replace(dice, box=box, role="line", label=", dice"))
    columns: dict[str, MovedColumn] = {}
    units = dict.fromkeys(keys, "")
    for key, place in sorted(drawn.items(), key=lambda pair: pair[1].box.x):
        role = roles[place.role]
        width = place.box.width + (role.size if role.unit else 0)
        width += _BEHIND_FIGURES * (role.align == "right")
        # The end of a label is the heading: `Row 3, spent on` is `Spent on`.
        head = place.label.rpartition(", ")[2] if ", " in place.label else ""
        head = "" if any(letter.isdigit() for letter in head) else head[:1].upper() + head[1:]
        columns[key], units[key] = MovedColumn(head, width, place.role), role.unit
    for key in keys:
        wide = max(90, 8.5 * roles["line-strong"].size)
        named = MovedColumn("", wide, "line-strong"), MovedColumn("", 160, "line")
        columns.setdefault(key, named[key != "name"])
    every = ([(row.get(key, ""), units[key]) for key in columns] for row in rows)
    cells = tuple(tuple(t + unit if t.isdigit() else t for t, unit in row) for row in every)
    text = "\n".join(" · ".join(row.values()) for row in rows)
    first = next(iter(drawn.values()), None)
    page, pitch = (first.page, first.box.height) if first is not None else (0, 0)
    return Moved(label, text, tuple(columns.values()), cells, pitch, page, stem, tuple(columns))


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


# Places that a sheet repeats on its pages: the identity, the stamp of a draft, the foot.
_HEAD: Final = re.compile(r"header\d*\.(text|stamp)|continued\d*|stamp")
TO_DRAW: Final = "to_draw."  # the start of names of places for labels of missing pictures
_MOST: Final = 2000  # the most settings in the cache; few hundred are common to most sheets


class PlatePlaces:
    """The places of a plate, by name, by what they are for, and what fits them."""

    def __init__(self, plate: Plate) -> None:
        self.plate = plate
        self.by_name: Mapping[str, Place] = {place.name: place for place in plate.places}
        names = self.by_name.keys()
        # Names of places, without the numbers of rows.
        self.families = frozenset(map(numbered_family, names))
        # What names of places begin with, up to each dot: `xp.ledger.3` of `xp.ledger.3.cost`.
        dots = ((name, dot.start()) for name in names for dot in re.finditer(r"\.", name))
        self.above = frozenset(name[:at] for name, at in dots)
        # Names of the places that are repeated on each page, and what each repeats.
        self.heads = [(n, n.rpartition(".")[2]) for n in names if _HEAD.fullmatch(n)]
        self.numbers = [place for place in plate.places if place.name.startswith("page.")]
        # Places beside heads for the page that continues a section, by list or text, and page.
        self.marks = {
            (stem, place.page): place
            for place in plate.places
            if place.name.startswith("onward.")
            for stem in place.name.removeprefix("onward.").split("_and_")
        }
        # Pictures whose place has a label.
        self.drawable = [n.removeprefix(TO_DRAW) for n in names if n.startswith(TO_DRAW)]
        # What an empty sheet has in the frames of these pictures: entries of choices to tick.
        self.offers = {name: set(self._offers_in(self.by_name[name])) for name in self.drawable}
        points = {point for metrics in plate.metrics.values() for point in metrics.advances}
        self.letters = frozenset(map(chr, points)) | {"\n", "\t"}  # that a face has a glyph for
        self._set: dict[tuple[str, str, str], tuple[Setting, bool]] = {}
        self._same: dict[Setting, Setting] = {}

    def _offers_in(self, frame: Place) -> Iterator[str]:
        for name, place in self.by_name.items():
            right, down = place.box.x - frame.box.x, place.box.y - frame.box.y
            inside = 0 <= right < frame.box.width and 0 <= down < frame.box.height
            if name.startswith("offer.") and place.page == frame.page and inside:
                yield name

    def fitted(self, text: str, place: Place, state: str = "") -> tuple[Setting, bool]:
        """Return the setting of `text` in `place`, in a state, and whether it is complete."""
        key = place.name, state, text
        cached = self._set.get(key)
        if cached is None:
            roles, swapped = self.plate.tokens.roles, f"{place.role}-{state}"
            role = roles[swapped if state and swapped in roles else place.role]
            setting, complete = fit(text, place, role, self.plate.metrics[role.face])
            if state and swapped in roles:
                setting = Setting(setting.value, setting.lines, setting.size, swapped)
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


@lru_cache(maxsize=16)
def plate_places(plate: Plate) -> PlatePlaces:
    """Return the index of the places of `plate`; those of the last plates are cached."""
    return PlatePlaces(plate)
