"""Files of rows: CSV and Parquet, by their endings; CSV is read line by line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.load.files import read_lines
from sheetgen.load.rows.parquet import read_parquet
from sheetgen.load.rows.tables import MOST_CELL, Cells, RawRow, RowError, check_rows, row_finding
from sheetgen.model.seals import SEAL

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

_CSV: Final = ".csv"
_PARQUET: Final = ".parquet"


def is_table(path: str) -> bool:
    """Whether a path is that of a table of rows."""
    return path.lower().endswith((_CSV, _PARQUET))


def read_rows(path: Path, findings: list[Finding]) -> Iterator[tuple[int, Cells]]:
    """Yield the rows of a CSV or Parquet file: the line of each, and its cells.

    Empty rows are skipped.

    Args:
        findings: Receives what is wrong, while rows are read.
    """
    read = read_parquet if path.name.lower().endswith(_PARQUET) else read_csv
    return check_rows(read(path), str(path), findings)


_MOST_BYTES: Final = 4_000_000_000
_MOST_LINE: Final = 10 * MOST_CELL
"""Characters of a line; of quoted cells with line breaks, `csv` limits the length."""


def read_csv(path: Path) -> Iterator[RawRow]:
    """Yield the rows of a CSV file, the columns first.

    Raises:
        RowError: The file, or the rest of it, cannot be read.
    """
    read = read_lines(path, _MOST_BYTES, _MOST_LINE)
    if read.value is None:
        raise RowError(read.findings[0])
    try:
        reader = csv_cells(read.value)
    except OSError as error:
        raise RowError(row_finding(Span(str(path), 1), f"this is not CSV: {error}")) from None
    try:
        for cells in reader:
            if any("\udc80" <= letter <= "\udcff" for cell in cells for letter in cell):
                raise RowError(_not_utf8(cells, Span(str(path), reader.line_num)))
            if is_credit_row(cells):
                continue
            lines = (cell.replace("\r\n", "\n") if "\r" in cell else cell for cell in cells)
            yield RawRow(reader.line_num, list(lines))
    except (csv.Error, OSError) as error:
        span = Span(str(path), max(1, reader.line_num))
        raise RowError(row_finding(span, f"this is not CSV: {error}")) from None


def csv_cells(lines: Iterable[str], *, strict: bool = True) -> CsvReader:
    """Return a reader of lines of CSV; the heads tell what stands between cells.

    Spreadsheets of many countries write semicolons, and tabs come from the clipboard.
    """
    left = iter(lines)
    heads = next(left, "")
    between = max(",;\t", key=lambda mark: _count_cells(heads, mark))
    return csv.reader(chain([heads], left), delimiter=between, strict=strict)


def is_credit_row(cells: Sequence[str]) -> bool:
    """Whether a row is the one that our own CSV files end with: the credit and the seal."""
    return bool(cells) and cells[0].startswith("#") and SEAL in cells[0] and not any(cells[1:])


def _count_cells(line: str, mark: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=mark), ()))
    except csv.Error:  # a cell without this mark is too long; the reader reports others
        return 0


def _not_utf8(cells: list[str], span: Span) -> Finding:
    byte = next(ord(c) - 0xDC00 for cell in cells for c in cell if "\udc80" <= c <= "\udcff")
    message = f"byte 0x{byte:02x} is not UTF-8 text"
    return Finding(codes.NOT_UTF8, span, message, "save the file as UTF-8")
