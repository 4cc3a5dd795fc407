"""Tables of rows, checked one row at a time: a table of millions is never in memory at once."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Severity, Span, errors
from sheetgen.diag.visible import controls_in, has_controls, strip_controls
from sheetgen.load.files import read_lines
from sheetgen.model.seals import SEAL

if TYPE_CHECKING:
    from _csv import Reader as CsvReader


Cells = tuple[tuple[str, str], ...]  # the cells of a row by column
MOST_ROWS: Final = 10_000_000
MOST_COLUMNS: Final = 1_000
# Characters of a cell.
MOST_CELL: Final = 100_000
_MOST_FINDINGS: Final = 1_000
_SNIFFED: Final = 20  # lines that tell what stands between cells; titles may be above the heads
_CSV: Final = ".csv"
_PARQUET: Final = ".parquet"  # read by the plug-in `farm`
MOST_BYTES: Final = 4_000_000_000  # of a file
# Characters of a line; of quoted cells with line breaks, `csv` limits the length.
_MOST_LINE: Final = 10 * MOST_CELL

RawRow = tuple[int, Sequence[str]]
"""A row as its source has it: its line, or its number in a query's result, and its texts."""


def check_rows(
    rows: Iterable[RawRow], file: str, findings: list[Finding]
) -> Iterator[tuple[int, Cells]]:
    """Yield the lines and cells of sound rows of `file`; after many `findings`, reading ends."""
    columns: list[str] = []
    before, count = len(findings), 0
    try:
        for line, cells in rows:
            span = Span(file, line)
            if not any(cell.strip() for cell in cells):
                continue
            found = _check_row(cells, columns, span)
            findings += found
            if len(findings) - before > _MOST_FINDINGS:
                message = f"more than {_MOST_FINDINGS:,} rows have findings; the rest is not read"
                raise Refused(row_finding(span, message, "correct these first"))
            texts = [strip_controls(cell).strip() for cell in cells]
            if not columns:
                columns = texts
            elif not errors(found):
                count += 1
                if count > MOST_ROWS:
                    raise Refused(row_finding(span, f"more than {MOST_ROWS:,} rows"))
                texts += [""] * (len(columns) - len(texts))
                yield line, tuple(zip(columns, texts, strict=True))
    except Refused as error:
        findings.append(error.finding)
        if not columns:
            return
    if not columns:
        hint = "write their names in the first row"
        findings.append(row_finding(Span(file), "this file names no columns", hint))


def _check_row(cells: Sequence[str], columns: Sequence[str], span: Span) -> list[Finding]:
    """Return findings about one row; without `columns`, it names them."""
    if not columns and len(cells) > MOST_COLUMNS:
        message = f"{len(cells):,} columns; at most {MOST_COLUMNS:,} are read"
        raise Refused(row_finding(span, message, "check whether this is the right file"))
    if columns and len(cells) > len(columns):
        message = f"this row has {len(cells)} cells, but there are {len(columns)} columns"
        return [row_finding(span, message, "put a cell with a comma in it in quotes")]
    if any(len(cell) > MOST_CELL for cell in cells):
        message = f"a cell of this row has more than {MOST_CELL:,} characters"
        return [row_finding(span, message, "shorten it")]
    found: list[Finding] = []
    if not columns:
        texts = [strip_controls(cell).strip() for cell in cells]
        meanings = [" ".join(text.casefold().replace("_", " ").split()) for text in texts]
        found += find_equal_columns(texts, span, meanings)
    if has_controls(joined := "".join(cells)):
        message = f"this row has control characters, {controls_in(joined)}; they are left out"
        found.append(Finding(codes.CONTROLS, span, message, "remove them", Severity.WARNING))
    return found


def find_equal_columns(
    heads: Sequence[str], span: Span, meanings: Sequence[str]
) -> Iterator[Finding]:
    """Yield a finding for each head at `span` that means what one before it does; "" is nothing."""
    first: dict[str, str] = {}
    for at, (head, meaning) in enumerate(zip(heads, meanings, strict=True), start=1):
        same = first.setdefault(meaning, head) if meaning else head
        if meaning and at > 1 + meanings.index(meaning):
            message = f"two columns are called `{head}`"
            if head != same:
                message = f"the columns `{same}` and `{head}` are the same"
            place = Span(span.file, span.line, at)
            yield row_finding(place, message, "rename one, or put their cells into one column")


def row_finding(span: Span, message: str, hint: str = "") -> Finding:
    """Return a finding about a row or a table."""
    return Finding(codes.BAD_ROW, span, message, hint)


def is_csv(path: str) -> bool:
    """Whether a path is that of a CSV file."""
    return path.lower().endswith(_CSV)


def is_table(path: str) -> bool:
    """Whether a path is that of a table of rows."""
    return path.lower().endswith((_CSV, _PARQUET))


def read_csv(path: Path) -> Iterator[RawRow]:
    """Yield the rows of a CSV file, the columns first; raises Refused: the rest cannot be read."""
    read = read_lines(path, MOST_BYTES, _MOST_LINE)
    if read.value is None:
        raise Refused(read.findings[0])
    try:
        reader = csv_cells(read.value)
    except OSError as error:
        raise Refused(row_finding(Span(str(path), 1), f"this is not CSV: {error}")) from None
    try:
        for cells in reader:
            letters = (letter for cell in cells for letter in cell)
            if wrong := next((one for one in letters if "\udc80" <= one <= "\udcff"), ""):
                span, hint = Span(str(path), reader.line_num), "save the file as UTF-8"
                message = f"byte 0x{ord(wrong) - 0xDC00:02x} is not UTF-8 text"
                raise Refused(Finding(codes.NOT_UTF8, span, message, hint))
            if is_credit_row(cells):
                continue
            lines = (cell.replace("\r\n", "\n") if "\r" in cell else cell for cell in cells)
            yield reader.line_num, list(lines)
    except (csv.Error, OSError) as error:
        span = Span(str(path), max(1, reader.line_num))
        raise Refused(row_finding(span, f"this is not CSV: {error}")) from None


def csv_cells(lines: Iterable[str], *, strict: bool = True) -> CsvReader:
    """Return a reader of CSV; the first lines tell what stands between cells: `,`, `;` or a tab."""
    left = iter(lines)
    first = list(islice(left, _SNIFFED))
    plain = _QUOTED.sub("", "".join(first)).splitlines()  # lists in cells have marks of their own

    def weigh(mark: str) -> tuple[int, int, int]:
        """Return how many lines a mark divides alike, the heads too; how often; the first line."""
        counts = Counter(line.count(mark) for line in plain if mark in line)
        alike, often = max(((n, count) for count, n in counts.items() if n > 1), default=(0, 0))
        return alike, often, plain[0].count(mark) if plain else 0

    between = max(",;\t", key=weigh)
    return csv.reader(chain(first, left), delimiter=between, strict=strict)


# A cell in quotes; a quote within other words is an inch.
_QUOTED: Final = re.compile(r'(?:^|(?<=[,;\t]))"(?:[^"]|"")*"(?=[,;\t\r\n]|\Z)', re.MULTILINE)
# The start of a cell that a spreadsheet would compute, or that was marked as text before.
_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
_INTEGER: Final = re.compile(r"-?[0-9]{1,15}")


def guarded_cell(text: str) -> str:
    """Return the text of a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _INTEGER.fullmatch(text) else text


def unguarded_cell(text: str) -> str:
    """Return the text of a cell that `guarded_cell` marked."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text[1:]) else text


def is_credit_row(cells: Sequence[str]) -> bool:
    """Whether a row is the one that our own CSV files end with: the credit and the seal."""
    return bool(cells) and cells[0].startswith("#") and SEAL in cells[0] and not any(cells[1:])


def format_value(value: object) -> str:
    """Return a value of a database or a Parquet file as a cell; lists are as in YAML."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
