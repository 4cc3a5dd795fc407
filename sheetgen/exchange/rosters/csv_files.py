"""Rosters as CSV (RFC 4180, UTF-8): a file for each kind of entries, and one for the ledgers."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Final

from sheetgen.diag import read_codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.exchange.formats import (
    ExportRequest,
    ExportResult,
    ImportRequest,
    ImportResult,
    find_pictures,
)
from sheetgen.exchange.rosters.reading import ImportRow, import_rows, report_no_rows
from sheetgen.exchange.rosters.rows import LEDGER_HEADS, list_ledger_lines, list_rosters
from sheetgen.load.files import read_text
from sheetgen.load.rows.table_files import csv_cells
from sheetgen.prints.context import file_stem
from sheetgen.render.flow.table_texts import csv_text

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
        finding = Finding(read_codes.NOT_IMPORTED, Span(str(request.path)), message, hint)
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
