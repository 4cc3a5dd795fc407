"""Workbooks of rosters as YAML files. A workbook may come from a stranger: all is bounded."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sheetgen import bounds
from sheetgen.check.character.results import unit_text
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.diag.visible import strip_controls
from sheetgen.diag.words import pip_hint
from sheetgen.load.catalogues import SheetRow
from sheetgen.load.files import read_document, unpack_archive
from sheetgen.load.rows import format_value
from sheetgen.model.build import Build, Value, picked_entry
from sheetgen.model.prints import LiveFigures
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plugins.exchange import formats, rosters, spreadsheet
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult, ImportRequest
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
MOST_TEXT: Final = 32_000  # Characters of a cell; Excel takes 32,767
LEDGER: Final = "ledger"
VALUES: Final = "values"  # What the names of sheets with formulas end in: `character values`
_SECONDS: Final = 60  # Processor time for a workbook; its unpacked bytes say little about it
_BATCH: Final = 500  # Rows for which the time limit is extended
_MOST_BYTES: Final = 2_000_000_000
_NO_LIMIT: Final = 999  # What formulas see as the limit of a trait without one
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "'")
_MODIFIED: Final = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_EPOCH: Final = rb"\g<1>1980-01-01T00:00:00Z"  # no clock is read


def missing_library() -> Finding:
    """Return the finding that openpyxl is not installed."""
    message = "workbooks need openpyxl, which is not installed"
    return Finding(codes.NO_WORKBOOKS, Span("--to"), message, pip_hint("openpyxl"))


def import_xlsx(request: ImportRequest) -> formats.ImportResult:
    """Return a YAML file for each row of the sheets that are rosters."""
    try:
        import openpyxl  # noqa: F401 - once here, not once in each child process
    except ImportError:
        return formats.ImportResult({}, (missing_library(),))
    read = read_document(request.path, MOST_BYTES)
    if read.value is None:
        return formats.ImportResult({}, read.findings)
    place, hint = str(request.path), "copy the roster into a new workbook"
    unpacked = unpack_archive(read.value, Span(place), MOST_UNPACKED)
    if unpacked.value is None:
        return formats.ImportResult({}, unpacked.findings)
    for name, part in unpacked.value.items():
        if name.startswith("xl/worksheets/sheet"):
            continue  # read row by row; openpyxl creates objects of most other parts
        shared = name == "xl/sharedStrings.xml"
        if (shared and part.count(b"<") > MOST_TAGS) or (not shared and len(part) > MOST_PART):
            message = f"its part `{name[:80]}` is larger than a roster needs"
            return formats.refused(codes.TOO_MUCH, place, message, hint)
    try:
        sheets = bounds.run_bounded(partial(_read_sheets, read.value), bounds.MEGABYTES, _SECONDS)
    except bounds.BoundExceeded as error:
        return formats.refused(codes.TOO_MUCH, place, str(error), hint)
    except ValueError as error:
        message = f"this workbook cannot be read: {error}"
        return formats.refused(codes.NOT_IMPORTED, place, message, "save it again as XLSX")
    texts: dict[str, str] = {}
    taken: set[str] = set()
    findings: list[Finding] = []
    merged: list[tuple[MergedFile, str]] = []
    for title, rows in sheets.items():
        if not rows:
            continue
        there = f"{place}:{title}"
        if part_id := rosters.find_part(request, title):
            result = rosters.import_catalogue(request, rows, there, part_id)
        else:
            result = rosters.import_rows(request, rows, there)
        merged += result.merged
        findings += result.findings
        for path, text in result.texts.items():
            name = free_name(path.removesuffix(".yaml"), taken, ".yaml")
            if name != path:
                other, hint = "a row of another sheet", "name another file in one of the rows"
                findings.append(taken_finding(Span(there), path, other, name, hint))
            texts[name] = text
            taken.add(name_key(name))
    return rosters.report_no_rows(
        formats.ImportResult(texts, tuple(findings), tuple(merged)), place
    )


def _read_sheets(content: bytes) -> dict[str, list[SheetRow]]:
    """Return the rows of possible rosters by their titles, or raise ValueError."""
    from openpyxl import load_workbook

    try:
        books = [
            load_workbook(io.BytesIO(content), read_only=True, data_only=only, keep_links=False)
            for only in (True, False)  # values, and formulas that no program has computed yet
        ]
        found: dict[str, list[SheetRow]] = {}
        for sheet, formulas in zip(*(book.worksheets[:MOST_SHEETS] for book in books), strict=True):
            if sheet.title in (LEDGER, "credits") or f" {VALUES}" in sheet.title:
                continue
            # One row more than may be imported, so that this is reported.
            most = {"max_row": rosters.MOST_ROWS + 2, "max_col": rosters.MOST_COLUMNS + 1}
            rows = found[sheet.title] = []
            rows_of = (one.iter_rows(**most, values_only=True) for one in (sheet, formulas))
            both = zip(*rows_of, strict=True)
            for line, (values, written) in enumerate(both):
                if line % _BATCH == 0:
                    bounds.begin_next_page()
                pairs = zip(values, written, strict=True)
                shown = (getattr(w, "text", w) if v is None else v for v, w in pairs)
                dated = datetime | date | time
                cells = [v.isoformat() if isinstance(v, dated) else format_value(v) for v in shown]
                cells = [cell.removesuffix("T00:00:00") for cell in cells]
                while cells and not cells[-1]:
                    cells.pop()  # rows are filled up to the last column
                if cells:
                    rows.append(SheetRow(line + 1, tuple(cells)))
        return found
    except Exception as error:  # noqa: BLE001 - openpyxl raises whatever a file provokes
        bounds.pass_memory_error(error)
        raise ValueError(type(error).__name__) from None


_Places = dict[tuple[str, str], str]
"""References to the values of an entry from other sheets, by kind and id."""


def export_xlsx(request: ExportRequest) -> ExportResult:
    """Return a workbook of all entries of a ruleset."""
    if (book := _begin(request)) is None:
        return ExportResult({}, (missing_library(),))
    for roster in rosters.list_rosters(request):
        book.add_roster(roster)
    book.add_ledger()
    book.add_credits()
    name = f"{file_stem(str(request.rules.id))}.xlsx"
    findings = dict.fromkeys((*book.findings, *formats.find_pictures("xlsx", request)))
    return ExportResult({name: book.pack()}, tuple(findings), {name: request.names})


def export_catalogues_xlsx(request: ExportRequest) -> ExportResult:
    """Return a workbook with a sheet for each part of a ruleset."""
    if (book := _begin(request)) is None:
        return ExportResult({}, (missing_library(),))
    for title, (heads, *rows) in rosters.list_catalogues(request):
        sheet = book.new_sheet(title, heads)
        for row, cells in enumerate(rows, start=2):
            for at, text in enumerate(cells, start=1):
                book.put(sheet, row, at, text, typed=at > 1, words=True)
    book.add_credits()
    name = f"{file_stem(str(request.rules.id))}-catalogues.xlsx"
    return ExportResult({name: book.pack()}, tuple(dict.fromkeys(book.findings)))


def _begin(request: ExportRequest) -> _Book | None:
    try:
        from openpyxl import Workbook
    except ImportError:
        return None
    return _Book(Workbook(), request)


class _Book:
    """A workbook that is written, sheet by sheet."""

    def __init__(self, book: Workbook, request: ExportRequest) -> None:
        from openpyxl.styles import Protection

        self.book, self.request = book, request
        self.findings: list[Finding] = []
        self.unlocked = Protection(locked=False)
        self.ledger_rows: dict[tuple[str, str], tuple[int, int]] = {}
        self.lines: list[tuple[str, tuple[tuple[str | int, ...], ...]]] = []
        row = 2
        for build, one in request.builds:
            file = _file(one)
            lines = tuple(rosters.list_ledger_lines(build, file))
            self.lines.append((file, lines))
            for pool, ledger in build.ledgers.items():
                count = sum(line[2] == ledger.label for line in lines)
                self.ledger_rows[file, pool] = row, row + count - 1
                row += count
        book.remove(book.active)

    def add_roster(self, roster: rosters.Roster) -> None:
        """Add the sheet of a roster, and sheets with the values of its entries."""
        sheet = self.new_sheet(roster.kind, [column.head for column in roster.columns])
        by_rules: dict[str, list[tuple[Character, Build]]] = {}
        for one in roster.entries:
            if one.build is not None and one.rules is not None:
                by_rules.setdefault(one.rules.digest, []).append((one, one.build))
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
                self.put(sheet, row, at, formula or text, typed=typed)

    def _add_values(
        self, title: str, entries: Sequence[tuple[Character, Build]]
    ) -> dict[int, _Places]:
        """Add the sheet of values of entries of one ruleset; return where they are, by entry."""
        from openpyxl.utils import get_column_letter

        rules = entries[0][0].rules
        assert rules is not None
        values = spreadsheet.build_value_sheet(rules, [build for _, build in entries])
        order = list(spreadsheet.sorted_columns(values))
        letters = [""] * len(order)
        for at, number in enumerate(order, start=3):
            letters[number] = get_column_letter(at)
        heads = ["file", "name", *(values.columns[number].head for number in order)]
        sheet = self.new_sheet(title, heads)
        for what, why in values.fixed.items():
            note = f"the formula of {what} ({why})"
            self.findings.append(formats.no_place_note("xlsx", note, "its value stays as it is"))
        places: dict[int, _Places] = {}
        for row, (one, build) in enumerate(entries, start=2):
            cells = [f"${letter}{row}" for letter in letters]
            columns = zip(letters, values.columns, strict=True)
            places[id(one)] = {(c.kind, c.id): f"'{title}'!${x}${row}" for x, c in columns}
            self.put(sheet, row, 1, _file(one))
            self.put(sheet, row, 2, build.name)
            found = column_values(values, build)
            for at, number in enumerate(order, start=3):
                column, value = values.columns[number], found[number]
                if column.kind == "left" and value is not None:
                    first, last = self.ledger_rows[_file(one), column.id]
                    gained, cost = (f"SUM('{LEDGER}'!{c}{first}:{c}{last})" for c in "FG")
                    self.put(sheet, row, at, f"={gained}-{cost}" if last >= first else 0)
                elif column.formula and (value is not None or column.kind in ("price", "part")):
                    formula = spreadsheet.place_formula(column.formula, cells)
                    self.put(sheet, row, at, f"={formula}")
                elif value is not None:
                    typed = not column.formula and column.kind != "left"
                    plain = float(value) if isinstance(value, Fraction) else value
                    plain = plain if isinstance(plain, str | float) else int(plain)  # truth is 1, 0
                    words = column.type == spreadsheet.TEXT
                    self.put(sheet, row, at, plain, typed=typed, words=words)
        return places

    def add_ledger(self) -> None:
        """Add the sheet of all ledger lines; what is left is a formula."""
        if not self.ledger_rows:
            return
        sheet = self.new_sheet(LEDGER, rosters.LEDGER_HEADS)
        row, before = 2, ("", "")
        for file, lines in self.lines:
            for line in lines:
                for at, value in enumerate(line[:7], start=1):
                    self.put(sheet, row, at, value, typed=at > 3, words=isinstance(value, str))
                same = before == (file, str(line[2]))
                before = file, str(line[2])
                self.put(sheet, row, 8, f"={f'H{row - 1}+' if same else ''}F{row}-G{row}")
                row += 1

    def add_credits(self) -> None:
        credit = self.request.rules.credit
        sheet = self.new_sheet("credits", ["credit", "value"])
        rows = {
            "rules": credit.short,
            "licence": credit.licence,
            "credit": credit.long,
            "changes": credit.changes,
            "note": "Cells in brackets, and those with formulas, are computed and not imported.",
        }
        for row, texts in enumerate(rows.items(), start=2):
            for at, text in enumerate(texts, start=1):
                self.put(sheet, row, at, text)

    def new_sheet(self, title: str, heads: Iterable[str]) -> Any:
        sheet = self.book.create_sheet(re.sub(r"[\[\]:*?/\\']", " ", title)[:31])
        sheet.protection.sheet = True  # without a password: it prevents slips only
        sheet.protection.formatColumns = False
        sheet.freeze_panes = "C2"
        for at, head in enumerate(heads, start=1):
            self.put(sheet, 1, at, head)
        return sheet

    def put(
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
                self.findings.append(formats.no_place_note("xlsx", what, "the text is cut off"))
            is_ours = text.startswith("=") and not (typed or words) and at > 2 and row > 1
            cell.value = text
            cell.data_type = "f" if is_ours else "s"
            if not is_ours and text.startswith(_FORMULA_SIGNS):
                cell.quotePrefix = True
        else:
            cell.value = value
        if typed:
            cell.protection = self.unlocked

    def pack(self) -> bytes:
        """Return the file: the same bytes for the same content, with a place for the seal."""
        target = io.BytesIO()
        self.book.save(target)
        entries = unpack_archive(target.getvalue(), Span(""), _MOST_BYTES).value or {}
        fixed = [(name, _MODIFIED.sub(_EPOCH, content)) for name, content in entries.items()]
        return pack_archive(fixed, PLACEHOLDER)


def _file(one: Character) -> str:
    return f"{file_stem(one.stem)}.yaml"


def _shown(rules: Ruleset, kind: str, id_: str, place: str) -> str:
    """Return the formula of a value as prints write it."""
    form = unit = ""
    if kind == "total":
        group = next(g for g in rules.groups.values() if id_ in g.traits)
        form = ("code" if rules.pips else "dice") if group.rating == "dice" else str(group.rating)
    elif kind == "derived":
        form, rule = str(rules.derived[id_].as_ or ""), rules.derived[id_]
        unit = f"&{spreadsheet.text_literal(unit_text(rule))}" if rule.unit else ""
    if form == "code":
        return f"={spreadsheet.code_formula(place)}"
    if form == "dice":
        return f'=IF({place}<0,"−","")&ABS({place})&"D"'
    if form == "percent":
        return f'=INT({place}*100+0.5)&"%"{unit}'
    if form == "die":
        return f"={spreadsheet.CELL_FUNCTIONS['step_die'].format(place)}{unit}"
    if form in ("signed", "fraction"):
        return f"={spreadsheet.written_number(place, form)}{unit}"
    return f"={place}{unit}"


def column_values(sheet: spreadsheet.ValueSheet, build: Build) -> list[Value | None]:
    """Return the value of each column for a build; that of a computed one as the rules give it."""
    asks = [tuple(c.id.split(" ")) for c in sheet.columns if c.kind == "ask"]
    request = LiveFigures(tuple((ask[0], ask[1:]) for ask in asks))
    figures = build.figures(request) if build.figures is not None else {}
    ratings = dict(build.ratings)
    for id_ in sheet.rules.groups:
        named = spreadsheet.named_ratings(build, sheet.rules, str(id_))
        ratings |= {f"{id_}#{number}": one for number, one in enumerate(named, start=1)}

    def value_of(kind: str, id_: str) -> Value | None:
        match kind:
            case "focus" | "offered" | "ask":
                found: Value | None = figures.get("a" if kind == "ask" else kind, {}).get(id_, 0)
                return found
            case "option":
                return build.options.get(id_)
            case "pick":
                return picked_entry(build.picks, id_)
            case "number":
                return build.numbers.get(id_, 0)
            case "derived":
                return build.derived[id_].value if id_ in build.derived else None
            case "line":
                return build.lines.get(id_)
            case "rolled":
                item, part = id_.split()
                return next((i.rolled.get(part) for i in build.items if i.item == item), None)
            case "left":
                return build.ledgers[id_].left if id_ in build.ledgers else None
        if id_ not in ratings or kind in ("price", "part"):
            return None
        rating = ratings[id_]
        if kind == "reached":
            lost: list[int] = figures.get("gone", {}).get(rating.id, [])
            return max(rating.own, 0, *lost)
        if kind == "limit":
            return _NO_LIMIT if rating.limit is None else rating.limit
        steps = {"own": rating.own, "free": rating.free, "stars": rating.stars}
        return rating.total if kind == "total" else steps[kind]

    return [value_of(column.kind, column.id) for column in sheet.columns]
