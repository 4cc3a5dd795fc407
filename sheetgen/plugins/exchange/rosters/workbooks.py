"""Workbooks of rosters as YAML files. A workbook may come from a stranger: all is bounded."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sheetgen.bounds import (
    MEGABYTES,
    BoundExceeded,
    begin_next_page,
    pass_memory_error,
    run_bounded,
)
from sheetgen.check.character.results import unit_text
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.diag.visible import strip_controls
from sheetgen.diag.words import pip_hint
from sheetgen.load.catalogues import SheetRow
from sheetgen.load.files import read_document, unpack_archive
from sheetgen.load.rows import format_value
from sheetgen.model.build import Build, Rating, Value, picked_entry
from sheetgen.model.prints import LiveFigures
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plugins.exchange.formats import (
    ExportRequest,
    ExportResult,
    ImportRequest,
    ImportResult,
    find_pictures,
    no_place_note,
    refused,
)
from sheetgen.plugins.exchange.rosters.catalogues import (
    find_part,
    import_catalogue,
    list_catalogues,
)
from sheetgen.plugins.exchange.rosters.rows import (
    LEDGER_HEADS,
    MOST_COLUMNS,
    MOST_ROWS,
    Roster,
    import_rows,
    list_ledger_lines,
    list_rosters,
    report_no_rows,
)
from sheetgen.plugins.exchange.rosters.spreadsheet import (
    CELL_FUNCTIONS,
    TEXT,
    ValueSheet,
    build_value_sheet,
    code_formula,
    named_ratings,
    place_formula,
    sorted_columns,
    text_literal,
    written_number,
)
from sheetgen.prints.characters import Character
from sheetgen.readback.merging import MergedFile
from sheetgen.rules.index import file_stem
from sheetgen.write import free_name, name_key, pack_archive, taken_finding

if TYPE_CHECKING:
    from openpyxl import Workbook


MOST_BYTES: Final = 20_000_000
MOST_UNPACKED: Final = 100_000_000
MOST_SHEETS: Final = 30
MOST_PART: Final = 1_000_000
MOST_TAGS: Final = 600_000
_SECONDS: Final = 60  # Processor time for a workbook; its unpacked bytes say little about it
_BATCH: Final = 500  # Rows for which the time limit is extended


def import_xlsx(request: ImportRequest) -> ImportResult:
    """Return a YAML file for each row of the sheets that are rosters."""
    try:
        import openpyxl  # noqa: F401 - once here, not once in each child process
    except ImportError:
        return ImportResult({}, (missing_library(),))
    read = read_document(request.path, MOST_BYTES)
    if read.value is None:
        return ImportResult({}, read.findings)
    place = str(request.path)
    unpacked = unpack_archive(read.value, Span(place), MOST_UNPACKED)
    if unpacked.value is None:
        return ImportResult({}, unpacked.findings)
    if parts := [name for name, part in unpacked.value.items() if not _is_bounded(name, part)]:
        message = f"its part `{parts[0][:80]}` is larger than a roster needs"
        return refused(codes.TOO_MUCH, place, message, "copy the roster into a new workbook")
    try:
        sheets = run_bounded(partial(_read_sheets, read.value), MEGABYTES, _SECONDS)
    except BoundExceeded as error:
        return refused(codes.TOO_MUCH, place, str(error), "copy the roster into a new workbook")
    except ValueError as error:
        message = f"this workbook cannot be read: {error}"
        return refused(codes.NOT_IMPORTED, place, message, "save it again as XLSX")
    return _import_sheets(request, sheets, place)


def _read_sheets(content: bytes) -> dict[str, list[SheetRow]]:
    """Return the rows of possible rosters by their titles, or raise ValueError."""
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        sheets = book.worksheets[:MOST_SHEETS]
        others = (LEDGER, "credits")
        rosters = (s for s in sheets if s.title not in others and f" {VALUES}" not in s.title)
        return {sheet.title: list(_rows(sheet)) for sheet in rosters}
    except Exception as error:  # noqa: BLE001 - openpyxl raises whatever a file provokes
        pass_memory_error(error)
        raise ValueError(type(error).__name__) from None


def _is_bounded(name: str, part: bytes) -> bool:
    """Whether a part of a workbook can be read in time: openpyxl creates objects of most parts."""
    if name.startswith("xl/worksheets/sheet"):
        return True  # read row by row
    if name == "xl/sharedStrings.xml":
        return part.count(b"<") <= MOST_TAGS
    return len(part) <= MOST_PART


def _rows(sheet: Any) -> Iterator[SheetRow]:
    """Yield the rows with content; one more than may be imported, so that this is reported."""
    found = sheet.iter_rows(max_row=MOST_ROWS + 2, max_col=MOST_COLUMNS + 1, values_only=True)
    begin_next_page()
    for line, values in enumerate(found, start=1):
        if line % _BATCH == 0:
            begin_next_page()
        dated = datetime | date | time
        cells = [v.isoformat() if isinstance(v, dated) else format_value(v) for v in values]
        while cells and not cells[-1]:
            cells.pop()  # rows are filled up to the last column
        if cells:
            yield SheetRow(line, tuple(cells))


def _import_sheets(
    request: ImportRequest, sheets: dict[str, list[SheetRow]], place: str
) -> ImportResult:
    texts: dict[str, str] = {}
    taken: set[str] = set()
    findings: list[Finding] = []
    merged: list[tuple[MergedFile, str]] = []
    for title, rows in sheets.items():
        if not rows:
            continue
        there = f"{place}:{title}"
        part = find_part(request, title)
        read = import_catalogue(request, rows, there, part) if part else None
        result = read or import_rows(request, rows, there)
        merged += result.merged
        findings += result.findings
        for path, text in result.texts.items():
            name = free_name(path.removesuffix(".yaml"), taken, ".yaml")
            if name != path:
                hint = "name another file in one of the rows"
                span, other = Span(f"{place}:{title}"), "a row of another sheet"
                findings.append(taken_finding(span, path, other, name, hint))
            texts[name] = text
            taken.add(name_key(name))
    return report_no_rows(ImportResult(texts, tuple(findings), tuple(merged)), place)


LEDGER: Final = "ledger"
VALUES: Final = "values"  # What the names of sheets with formulas end in: `character values`
MOST_TEXT: Final = 32_000  # Characters of a cell; Excel takes 32,767
_MOST_BYTES: Final = 2_000_000_000
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "'")
_MODIFIED: Final = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_EPOCH: Final = rb"\g<1>1980-01-01T00:00:00Z"  # no clock is read


_Places = dict[tuple[str, str], str]
"""References to the values of an entry from other sheets, by kind and id."""


def export_xlsx(request: ExportRequest) -> ExportResult:
    """Return a workbook of all entries of a ruleset."""
    try:
        from openpyxl import Workbook
    except ImportError:
        return ExportResult({}, (missing_library(),))
    book = _Book(Workbook(), request)
    for roster in list_rosters(request):
        book.add_roster(roster)
    book.add_ledger()
    book.add_credits()
    name = f"{file_stem(str(request.rules.id))}.xlsx"
    findings = dict.fromkeys((*book.findings, *find_pictures("xlsx", request)))
    return ExportResult({name: _packed(book.book)}, tuple(findings), {name: request.names})


def export_catalogues_xlsx(request: ExportRequest) -> ExportResult:
    """Return a workbook with a sheet for each part of a ruleset."""
    try:
        from openpyxl import Workbook
    except ImportError:
        return ExportResult({}, (missing_library(),))
    book = _Book(Workbook(), request)
    for title, (heads, *rows) in list_catalogues(request):
        book.add_texts(title, heads, rows)
    book.add_credits()
    name = f"{file_stem(str(request.rules.id))}-catalogues.xlsx"
    return ExportResult({name: _packed(book.book)}, tuple(book.findings))


def missing_library() -> Finding:
    """Return the finding that openpyxl is not installed."""
    message = "workbooks need openpyxl, which is not installed"
    return Finding(codes.NO_WORKBOOKS, Span("--to"), message, pip_hint("openpyxl"))


class _Book:
    """A workbook that is written, sheet by sheet."""

    def __init__(self, book: Workbook, request: ExportRequest) -> None:
        self.book, self.request = book, request
        from openpyxl.styles import Protection

        self.findings: list[Finding] = []
        self.unlocked = Protection(locked=False)
        self.ledger_rows: dict[tuple[str, str], tuple[int, int]] = {}
        self.lines: list[tuple[str, tuple[tuple[str | int, ...], ...]]] = []
        row = 2
        for build, one in request.builds:
            file = _file(one)
            lines = tuple(list_ledger_lines(build, file))
            self.lines.append((file, lines))
            for pool, ledger in build.ledgers.items():
                count = sum(line[2] == ledger.label for line in lines)
                self.ledger_rows[file, pool] = row, row + count - 1
                row += count
        book.remove(book.active)

    def add_roster(self, roster: Roster) -> None:
        """Add the sheet of a roster, and sheets with the values of its entries."""
        sheet = self._new_sheet(roster.kind, [column.head for column in roster.columns])
        by_rules: dict[str, list[Character]] = {}
        for one in roster.entries:
            if one.build is not None and one.rules is not None:
                by_rules.setdefault(one.rules.digest, []).append(one)
        places: dict[int, _Places] = {}
        for number, entries in enumerate(by_rules.values(), start=1):
            title = f"{roster.kind[:20]} {VALUES}" + (f" {number}" if number > 1 else "")
            places |= self._add_values(title, entries)
        for row, one in enumerate(roster.entries, start=2):
            cells = zip(roster.columns, roster.texts(one), strict=True)
            for at, (column, text) in enumerate(cells, start=1):
                formula, typed = "", column.kind in ("first", "key")
                if not typed and text and one.rules is not None:
                    place = places[id(one)].get((column.kind, column.id), "")
                    formula = _shown(one.rules, column.kind, column.id, place) if place else ""
                self._put(sheet, row, at, formula or text, typed=typed)

    def _add_values(self, title: str, entries: Sequence[Character]) -> dict[int, _Places]:
        from openpyxl.utils import get_column_letter

        rules = entries[0].rules
        assert rules is not None
        builds = [one.build for one in entries if one.build is not None]
        values = build_value_sheet(rules, builds)
        order = list(sorted_columns(values))
        letters = [""] * len(order)
        for at, number in enumerate(order, start=3):
            letters[number] = get_column_letter(at)
        heads = ["file", "name", *(values.columns[number].head for number in order)]
        sheet = self._new_sheet(title, heads)
        for what, why in values.fixed.items():
            note = f"the formula of {what} ({why})"
            self.findings.append(no_place_note("xlsx", note, "its value stays as it is"))
        places = {}
        for row, (one, build) in enumerate(zip(entries, builds, strict=True), start=2):
            columns = zip(letters, values.columns, strict=True)
            places[id(one)] = {(c.kind, c.id): f"'{title}'!${x}${row}" for x, c in columns}
            self._put(sheet, row, 1, _file(one))
            self._put(sheet, row, 2, build.name)
            found = column_values(values, build)
            for at, number in enumerate(order, start=3):
                column, value = values.columns[number], found[number]
                if column.kind == "left" and value is not None:
                    first, last = self.ledger_rows[_file(one), column.id]
                    gained, cost = (f"SUM('{LEDGER}'!{c}{first}:{c}{last})" for c in "FG")
                    self._put(sheet, row, at, f"={gained}-{cost}" if last >= first else 0)
                elif column.formula and (value is not None or column.kind in ("price", "part")):
                    formula = place_formula(column.formula, partial(_cell, letters, row))
                    self._put(sheet, row, at, f"={formula}")
                elif value is not None:
                    typed = not column.formula and column.kind != "left"
                    plain = float(value) if isinstance(value, Fraction) else value
                    plain = plain if isinstance(plain, str | float) else int(plain)  # truth is 1, 0
                    self._put(sheet, row, at, plain, typed=typed, words=column.type == TEXT)
        return places

    def add_texts(self, title: str, heads: list[str], rows: Iterable[list[str]]) -> None:
        """Add a sheet of texts, none of which is a formula."""
        sheet = self._new_sheet(title, heads)
        for row, cells in enumerate(rows, start=2):
            for at, text in enumerate(cells, start=1):
                self._put(sheet, row, at, text, typed=at > 1, words=True)

    def add_ledger(self) -> None:
        """Add the sheet of all ledger lines; what is left is a formula."""
        if not self.ledger_rows:
            return
        sheet = self._new_sheet(LEDGER, LEDGER_HEADS)
        row, before = 2, ("", "")
        for file, lines in self.lines:
            for line in lines:
                for at, value in enumerate(line[:7], start=1):
                    self._put(sheet, row, at, value, typed=at > 3, words=isinstance(value, str))
                same = before == (file, str(line[2]))
                before = file, str(line[2])
                self._put(sheet, row, 8, f"={f'H{row - 1}+' if same else ''}F{row}-G{row}")
                row += 1

    def add_credits(self) -> None:
        """Add the sheet with the credit and the licence."""
        credit = self.request.rules.credit
        sheet = self._new_sheet("credits", ["credit", "value"])
        rows = {
            "rules": credit.short,
            "licence": credit.licence,
            "credit": credit.long,
            "changes": credit.changes,
            "note": "Cells in brackets, and those with formulas, are computed and not imported.",
        }
        for row, (name, text) in enumerate(rows.items(), start=2):
            self._put(sheet, row, 1, name)
            self._put(sheet, row, 2, text)

    def _new_sheet(self, title: str, heads: Iterable[str]) -> Any:
        sheet = self.book.create_sheet(re.sub(r"[\[\]:*?/\\']", " ", title)[:31])
        sheet.protection.sheet = True  # without a password: it prevents slips only
        sheet.protection.formatColumns = False
        sheet.freeze_panes = "C2"
        for at, head in enumerate(heads, start=1):
            self._put(sheet, 1, at, head)
        return sheet

    def _put(
        self, sheet: Any, row: int, at: int, value: Any, *, typed: bool = False, words: bool = False
    ) -> None:
        """Write a value; a text that begins with `=` is a formula only if we wrote it.

        A `typed` cell is unlocked; neither it nor one of `words` is ever a formula.
        """
        cell = sheet.cell(row, at)
        if isinstance(value, str):
            text = strip_controls(value).replace("\r", "")
            if len(text) > MOST_TEXT and not text.startswith("="):
                text = text[:MOST_TEXT]
                what = f"more than {MOST_TEXT:,} characters in a cell"
                self.findings.append(no_place_note("xlsx", what, "the text is cut off"))
            is_ours = text.startswith("=") and not (typed or words) and at > 2 and row > 1
            cell.value = text
            cell.data_type = "f" if is_ours else "s"
            if not is_ours and text.startswith(_FORMULA_SIGNS):
                cell.quotePrefix = True
        else:
            cell.value = value
        if typed:
            cell.protection = self.unlocked


def _file(one: Character) -> str:
    return f"{file_stem(one.stem)}.yaml"


def _cell(letters: Sequence[str], row: int, column: int) -> str:
    return f"${letters[column]}{row}"


def _shown(rules: Ruleset, kind: str, id_: str, place: str) -> str:
    """Return the formula of a value as prints write it."""
    form = unit = ""
    if kind == "total":
        group = next(g for g in rules.groups.values() if id_ in g.traits)
        form = ("code" if rules.pips else "dice") if group.rating == "dice" else str(group.rating)
    elif kind == "derived":
        form, rule = str(rules.derived[id_].as_ or ""), rules.derived[id_]
        unit = f"&{text_literal(unit_text(rule))}" if rule.unit else ""
    if form == "code":
        return f"={code_formula(place)}"
    if form == "dice":
        return f'=IF({place}<0,"−","")&ABS({place})&"D"'
    if form == "percent":
        return f'=INT({place}*100+0.5)&"%"{unit}'
    if form == "die":
        return f"={CELL_FUNCTIONS['step_die'].format(place)}{unit}"
    if form in ("signed", "fraction"):
        return f"={written_number(place, form)}{unit}"
    return f"={place}{unit}"


def _packed(book: Workbook) -> bytes:
    """Return the file: the same bytes for the same content, with a place for the seal."""
    target = io.BytesIO()
    book.save(target)
    entries = unpack_archive(target.getvalue(), Span(""), _MOST_BYTES).value or {}
    fixed = [(name, _MODIFIED.sub(_EPOCH, content)) for name, content in entries.items()]
    return pack_archive(fixed, PLACEHOLDER)


_NO_LIMIT: Final = 999  # What formulas see as the limit of a trait without one


def column_values(sheet: ValueSheet, build: Build) -> list[Value | None]:
    """Return the value of each column for a build; that of a computed one as the rules give it."""
    asks = [tuple(c.id.split(" ")) for c in sheet.columns if c.kind == "ask"]
    request = LiveFigures(tuple((ask[0], ask[1:]) for ask in asks))
    figures = build.figures(request) if build.figures is not None else {}
    ratings = dict(build.ratings)
    for id_ in sheet.rules.groups:
        for number, one in enumerate(named_ratings(build, sheet.rules, str(id_)), start=1):
            ratings[f"{id_}#{number}"] = one
    return [_VALUES[c.kind](c.id, build, ratings, figures) for c in sheet.columns]


_Getter = Callable[[str, Build, Mapping[str, Rating], Mapping[str, Any]], "Value | None"]


def _rating(read: Callable[[Rating], int]) -> _Getter:
    return lambda id_, _, ratings, __: read(ratings[id_]) if id_ in ratings else None


def _reached(
    id_: str, _: Build, ratings: Mapping[str, Rating], figures: Mapping[str, Any]
) -> Value | None:
    if id_ not in ratings:
        return None
    lost: list[int] = figures.get("gone", {}).get(ratings[id_].id, [])
    return max(ratings[id_].own, 0, *lost)


_VALUES: Final[Mapping[str, _Getter]] = {
    "own": _rating(lambda r: r.own),
    "free": _rating(lambda r: r.free),
    "stars": _rating(lambda r: r.stars),
    "limit": _rating(lambda r: _NO_LIMIT if r.limit is None else r.limit),
    "total": _rating(lambda r: r.total),
    "reached": _reached,
    "focus": lambda id_, _, __, figures: figures.get("focus", {}).get(id_, 0),
    "ask": lambda id_, _, __, figures: figures.get("a", {}).get(id_, 0),
    "option": lambda id_, build, _, __: build.options.get(id_),
    "pick": lambda id_, build, _, __: picked_entry(build.picks, id_),
    "number": lambda id_, build, _, __: build.numbers.get(id_, 0),
    "derived": lambda id_, b, _, __: b.derived[id_].value if id_ in b.derived else None,
    "left": lambda id_, b, _, __: b.ledgers[id_].left if id_ in b.ledgers else None,
    "price": lambda *_: None,
    "part": lambda *_: None,
}
