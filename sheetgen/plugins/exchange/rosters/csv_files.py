"""Rosters as CSV (RFC 4180, UTF-8): a file for each kind of entries, and one for the ledgers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sheetgen.check.character.values import PICTURE_KEYS
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.characters import RulesetCache, load_from_source
from sheetgen.load.files import read_text
from sheetgen.load.rows.tables import csv_cells, find_equal_columns
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugins.exchange.formats import (
    ExportRequest,
    ExportResult,
    ImportRequest,
    ImportResult,
    find_pictures,
)
from sheetgen.plugins.exchange.rosters.rows import (
    LEDGER_HEADS,
    MOST_VALUES,
    RULES_KEYS,
    BadCell,
    computed_columns,
    computed_texts,
    count_values,
    is_text_key,
    list_ledger_lines,
    list_rosters,
    parse_cell,
)
from sheetgen.prints.characters import Character
from sheetgen.prints.context import file_stem
from sheetgen.readback.merging import check_text
from sheetgen.render.flow.table_texts import csv_text
from sheetgen.rules.index import folded, index_of

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
"""The start of a cell that a spreadsheet would compute, or that was marked as text before."""

_NUMBER: Final = re.compile(r"-?[0-9]{1,15}")


def export_csv(request: ExportRequest) -> ExportResult:
    """Return a roster for each kind of entries, and their ledgers."""
    stem = file_stem(str(request.rules.id))
    credit = f"{request.rules.credit.short} Licence: {request.rules.credit.licence}."
    files = {}
    for roster in list_rosters(request):
        heads = [column.head for column in roster.columns]
        rows = (roster.texts(one) for one in roster.entries)
        files[f"{stem}-{file_stem(roster.kind)}.csv"] = _format((heads, *rows), credit)
    lines = [
        tuple(map(str, row))
        for build, one in request.builds
        for row in list_ledger_lines(build, f"{file_stem(one.stem)}.yaml")
    ]
    if lines:
        files[f"{stem}-ledger.csv"] = _format((LEDGER_HEADS, *lines), credit)
    subjects = dict.fromkeys(files, request.names)
    return ExportResult(files, find_pictures("csv", request), subjects)


def _format(rows: Iterable[Iterable[str]], credit: str) -> bytes:
    return csv_text((map(_guarded, row) for row in rows), credit).encode()


def _guarded(text: str) -> str:
    """Return the text of a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def _unguarded(text: str) -> str:
    return text[1:] if text[:1] == "'" and _FORMULA.match(text[1:]) else text


def import_csv(request: ImportRequest) -> ImportResult:
    """Return a YAML file for each row of a roster."""
    read = read_text(request.path)
    if read.value is None:
        return ImportResult({}, read.findings)
    text = read.value[0].removeprefix("\ufeff")
    try:
        rows = list(_rows(text))
    except csv.Error as error:
        hint = "save it again as CSV with commas and double quotes"
        message = f"this is no CSV file: {error}"
        finding = Finding(codes.NOT_IMPORTED, Span(str(request.path)), message, hint)
        return ImportResult({}, (finding,))
    place = str(request.path)
    return report_no_rows(import_rows(request, rows, place), place)


def _rows(text: str) -> Iterator[ImportRow]:
    """Yield the rows with content, each with the line that it starts in."""
    reader = csv_cells(io.StringIO(text, newline=""), strict=False)
    line = 1
    for cells in reader:
        comment = cells and cells[0].startswith("#") and not any(cells[1:])
        if any(cells) and not comment:
            yield ImportRow(line, tuple(map(_unguarded, cells)))
        line = reader.line_num + 1


# Rows of a roster as YAML files: each row is checked, and its findings are at row and column.


MOST_ROWS: Final = 1_000
"""Rows of a file that are imported: each is checked as a character."""

MOST_COLUMNS: Final = 2_000


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A row of a table.

    Attributes:
        line: Its place in the file, from 1.
        cells: Its texts.
    """

    line: int
    cells: tuple[str, ...]


@dataclass(slots=True)
class _RosterSheet:
    """A table that is imported: its heads, and what its rows become.

    Attributes:
        same: Pairs of heads that the rules of a row read as one key.
        refused: Lines of rows with cells in both.
    """

    request: ImportRequest
    place: str
    heads: tuple[str, ...]
    cache: RulesetCache = field(default_factory=RulesetCache)
    rules: dict[str, Ruleset] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    same: set[tuple[str, str]] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)

    def report(self, row: ImportRow, column: int, finding: Finding) -> None:
        """Add a finding about a cell; `column` counts from 0."""
        where = f"row {row.line}, column `{self.heads[column]}`" if self.heads else ""
        span = Span(self.place, row.line, column + 1)
        self.findings.append(replace(finding, span=span, message=f"{where}: {finding.message}"))

    def load_rules(self, head: str) -> Ruleset:
        """Return the rules for a file that begins with the lines `head`."""
        if head not in self.rules:
            read = parse_yaml(f"{head}name: x\n", "")
            path = (self.request.into or Path()) / "x.yaml"
            entries = (
                load_from_source(path, read.value, (), self.cache, self.request.options)
                if read.value is not None
                else ()
            )
            self.rules[head] = next((e.rules for e in entries if e.rules), self.request.rules)
        return self.rules[head]


def import_rows(request: ImportRequest, rows: Sequence[ImportRow], place: str) -> ImportResult:
    """Return a YAML file for each of `rows`; the first of them is the heads.

    Args:
        place: The file, or the file and the name of a sheet.
    """
    heads = rows[0].cells if rows else ()
    if "name" not in (head.strip().casefold() for head in heads):
        message = "the first row has no column `name`"
        hint = "write the keys of a character's file into the first row, such as `name`"
        return ImportResult({}, (Finding(codes.NOT_IMPORTED, Span(place), message, hint),))
    if len(rows) - 1 > MOST_ROWS or len(heads) > MOST_COLUMNS:
        message = f"it has {len(rows) - 1:,} rows and {len(heads):,} columns; "
        message += f"{MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns are read"
        hint = "split it into several files"
        return ImportResult({}, (Finding(codes.TOO_MUCH, Span(place), message, hint),))
    if sum(count_values(cell) for row in rows for cell in row.cells if cell) > MOST_VALUES:
        message = f"its cells have more than {MOST_VALUES:,} values"
        hint = "split it into several files"
        return ImportResult({}, (Finding(codes.TOO_MUCH, Span(place), message, hint),))
    meanings = [head.strip() if head.startswith("(") else folded(head) for head in heads]
    if twice := tuple(find_equal_columns(heads, Span(place, rows[0].line), meanings)):
        return ImportResult({}, twice)
    sheet = _RosterSheet(request, place, heads)
    for row in rows[1:]:
        _import_row(sheet, row)
    return ImportResult(sheet.texts, tuple(sheet.findings))


def report_no_rows(result: ImportResult, place: str) -> ImportResult:
    """Return a result, with a finding if nothing was read and nothing says so."""
    if result.texts or result.findings:
        return result
    message, hint = "it has no rows below the heads", "fill in a roster"
    return ImportResult({}, (Finding(codes.NOT_IMPORTED, Span(place), message, hint),))


def _import_row(sheet: _RosterSheet, row: ImportRow) -> None:
    cells = zip(sheet.heads, row.cells, strict=False)
    named = {head.strip().casefold(): text.strip() for head, text in cells}
    text, columns = _row_yaml(sheet, row)
    if row.line in sheet.refused:
        return
    stem = file_stem(named.get("file", "").removesuffix(".yaml"))[:100]
    stem = stem or file_stem(named.get("name", ""))[:100] or f"row-{row.line}"
    path = f"{stem}.yaml"
    if path in sheet.texts:
        at = next((n for n, head in enumerate(sheet.heads) if head == "file"), 0)
        message = f"`{path}` is already written for a row above"
        finding = Finding(codes.SAME_OUTPUT, Span(""), message, "name another file in this row")
        sheet.report(row, at, finding)
        return
    sheet.texts[path] = text
    folder = sheet.request.into or Path()
    one = check_text(folder / path, text, sheet.cache, sheet.request.options)
    for finding in one.findings:
        if finding.span.file == str(folder / path):
            sheet.report(row, columns.get(finding.span.line, 0), finding)
        else:
            sheet.findings.append(finding)
    _compare_computed(sheet, row, one)


def _row_yaml(sheet: _RosterSheet, row: ImportRow) -> tuple[str, Mapping[int, int]]:
    """Return the YAML of a row, and the column of each of its lines."""
    lines: list[str] = []
    columns: dict[int, int] = {}
    for at, key, value in _row_keys(sheet, row):
        for part in f"{key}: {value}".split("\n"):
            lines.append(part)
            columns[len(lines)] = at
    return "\n".join(lines) + "\n", columns


def _row_keys(sheet: _RosterSheet, row: ImportRow) -> Iterator[tuple[int, str, str]]:
    """Yield column, key and YAML of what an author would write."""
    cells = {
        head.strip(): (at, text)
        for at, (head, text) in enumerate(zip(sheet.heads, row.cells, strict=False))
        if text.strip()
    }
    cells.setdefault("ruleset", (0, str(sheet.request.rules.id)))
    head_yaml = ""
    for key in RULES_KEYS:
        at, text = cells.pop(key, (0, ""))
        if not text or (key == "kind" and text == "character"):
            continue
        yaml = _cell_yaml(sheet, row, at, text, is_text=key == "kind")
        head_yaml += f"{key}: {yaml}\n" if yaml else ""
        yield from ((at, key, yaml),) if yaml else ()
    rules = sheet.load_rules(head_yaml)
    keys, seen = index_of(rules).keys, {"file": ""}
    for head, (at, text) in cells.items():
        ids = keys.find(head)
        id_ = ids[0] if len(ids) == 1 else head
        if id_ == "file" or head.startswith("("):
            continue
        if (first := seen.setdefault(id_, head)) != head:
            if (first, head) not in sheet.same:
                message = f"`{first}` and `{head}` are the same key; rows with both are left out"
                hint = "put the cells into one column"
                sheet.report(row, at, Finding(codes.BAD_ROW, Span(""), message, hint))
            sheet.same.add((first, head))
            sheet.refused.add(row.line)
            continue
        if not ids and id_ not in PICTURE_KEYS:
            hint = suggestion(head, [str(i).replace("_", " ") for i in rules.character], "keys")
            message = f"{rules.title} has no key `{head}`; the cell is not imported"
            finding = Finding(codes.UNKNOWN_COLUMN, Span(""), message, hint, Severity.WARNING)
            sheet.report(row, at, finding)
            continue
        yaml = _cell_yaml(sheet, row, at, text, is_text=is_text_key(rules, id_))
        yield from ((at, id_.replace("_", " "), yaml),) if yaml else ()


def _cell_yaml(sheet: _RosterSheet, row: ImportRow, at: int, text: str, *, is_text: bool) -> str:
    """Return the YAML of a cell; empty, with a finding, if it cannot be read."""
    try:
        return parse_cell(text, is_text=is_text)
    except BadCell as why:
        hint = "write it as `one; two`, `one: 1; two: 2`, or YAML in brackets"
        sheet.report(row, at, Finding(codes.BAD_CELL, Span(""), str(why), hint))
        return ""


def _compare_computed(sheet: _RosterSheet, row: ImportRow, one: Character) -> None:
    """Report the computed cells of a row that differ from what the rules give."""
    if one.rules is None or one.build is None:
        return
    texts = computed_texts(one)
    heads = {column.head: (column.kind, column.id) for column in computed_columns([one.rules])}
    differences = [
        (at, f"{head[1:-1]} {text} (by the rules {texts[heads[head]]})")
        for at, (head, text) in enumerate(zip(sheet.heads, row.cells, strict=False))
        if text.strip() and head in heads and texts.get(heads[head], text) != text
    ]
    if differences:
        listed = ", ".join(what for _, what in differences[:3])
        more = f" and {len(differences) - 3} more" if len(differences) > 3 else ""
        message = f"these computed cells are not imported: {listed}{more}"
        hint = "change the columns without brackets"
        finding = Finding(codes.COMPUTED_CELL, Span(""), message, hint, Severity.WARNING)
        sheet.report(row, differences[0][0], finding)
