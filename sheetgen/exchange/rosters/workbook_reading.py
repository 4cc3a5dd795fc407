"""Workbooks of rosters as YAML files. A workbook may come from a stranger: all is bounded."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import date, datetime, time
from functools import partial
from typing import Any, Final

from sheetgen.diag import codes, read_codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.exchange.formats import ImportRequest, ImportResult
from sheetgen.exchange.rosters.reading import (
    MOST_COLUMNS,
    MOST_ROWS,
    ImportRow,
    import_rows,
    report_no_rows,
)
from sheetgen.exchange.rosters.workbook import LEDGER, VALUES, missing_library
from sheetgen.load.archives import unpack_archive
from sheetgen.load.bounds import (
    MEGABYTES,
    BoundExceeded,
    begin_next_page,
    pass_memory_error,
    run_bounded,
)
from sheetgen.load.files import read_document
from sheetgen.load.rows.parquet import format_value

MOST_BYTES: Final = 20_000_000
MOST_UNPACKED: Final = 100_000_000
MOST_SHEETS: Final = 30
MOST_PART: Final = 1_000_000
MOST_TAGS: Final = 600_000
_SECONDS: Final = 60
"""Processor time for a workbook; its unpacked bytes say little about it."""

_BATCH: Final = 500
"""Rows for which the time limit is extended."""


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
        hint = "copy the roster into a new workbook"
        return ImportResult({}, (Finding(codes.TOO_MUCH, Span(place), message, hint),))
    try:
        sheets = run_bounded(partial(_read_sheets, read.value), MEGABYTES, _SECONDS)
    except BoundExceeded as error:
        hint = "copy the roster into a new workbook"
        return ImportResult({}, (Finding(codes.TOO_MUCH, Span(place), str(error), hint),))
    except ValueError as error:
        message, hint = f"this workbook cannot be read: {error}", "save it again as XLSX"
        return ImportResult({}, (Finding(read_codes.NOT_IMPORTED, Span(place), message, hint),))
    return _import_sheets(request, sheets, place)


def _read_sheets(content: bytes) -> dict[str, list[ImportRow]]:
    """Return the rows of the sheets that may be rosters, by their titles.

    Raises:
        ValueError: The workbook cannot be read.
    """
    from openpyxl import load_workbook

    try:
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        return {sheet.title: list(_rows(sheet)) for sheet in _rosters(book)}
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


def _rosters(book: Any) -> Iterator[Any]:
    """Yield the sheets that may be rosters."""
    for sheet in book.worksheets[:MOST_SHEETS]:
        if sheet.title != LEDGER and sheet.title != "credits" and f" {VALUES}" not in sheet.title:
            yield sheet


def _rows(sheet: Any) -> Iterator[ImportRow]:
    """Yield the rows with content; one more than may be imported, so that this is reported."""
    found = sheet.iter_rows(max_row=MOST_ROWS + 2, max_col=MOST_COLUMNS + 1, values_only=True)
    begin_next_page()
    for line, values in enumerate(found, start=1):
        if line % _BATCH == 0:
            begin_next_page()
        cells = list(map(_text, values))
        while cells and not cells[-1]:
            cells.pop()  # rows are filled up to the last column
        if cells:
            yield ImportRow(line, tuple(cells))


def _text(value: Any) -> str:
    """Return the value of a cell as an author would write it."""
    dated = isinstance(value, datetime | date | time)
    return value.isoformat() if dated else format_value(value)


def _import_sheets(
    request: ImportRequest, sheets: dict[str, list[ImportRow]], place: str
) -> ImportResult:
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    for title, rows in sheets.items():
        if not rows:
            continue
        result = import_rows(request, rows, f"{place}:{title}")
        findings += result.findings
        for path, text in result.texts.items():
            if path in texts:
                message = f"`{path}` is already written for a row of another sheet"
                hint = "name another file in one of the rows"
                span = Span(f"{place}:{title}")
                findings.append(Finding(codes.SAME_OUTPUT, span, message, hint))
            texts.setdefault(path, text)
    return report_no_rows(ImportResult(texts, tuple(findings)), place)
