"""Tables of rows, checked one row at a time: a table of millions is never in memory at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sheetgen.diag import book_codes, codes
from sheetgen.diag.controls import controls_in, has_controls, strip_controls
from sheetgen.diag.findings import Finding, Severity, errors
from sheetgen.diag.spans import Span
from sheetgen.records import frozen

Cells = tuple[tuple[str, str], ...]
"""The cells of a row by column."""

MOST_ROWS: Final = 10_000_000
MOST_COLUMNS: Final = 1_000
MOST_CELL: Final = 100_000
"""Characters of a cell."""

_MOST_FINDINGS: Final = 1_000


@frozen
class RawRow:
    """A row as its source has it.

    Attributes:
        line: Its line in the file, or its number in the result of a query.
        cells: Its texts; of the first row, the names of the columns.
    """

    line: int
    cells: Sequence[str]


class RowError(Exception):
    """The rest of a table cannot be read; the finding gives the reason."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def check_rows(
    rows: Iterable[RawRow], file: str, findings: list[Finding]
) -> Iterator[tuple[int, Cells]]:
    """Yield the lines and the cells of rows that are sound.

    Args:
        file: What findings name.
        findings: Receives what is wrong. After many errors, reading ends.
    """
    columns: list[str] = []
    before, count = len(findings), 0
    try:
        for row in rows:
            span = Span(file, row.line)
            if not any(cell.strip() for cell in row.cells):
                continue
            found = _check_row(row, columns, span)
            findings += found
            if len(findings) - before > _MOST_FINDINGS:
                message = f"more than {_MOST_FINDINGS:,} rows have findings; the rest is not read"
                raise RowError(row_finding(span, message, "correct these first"))
            texts = [strip_controls(cell).strip() for cell in row.cells]
            if not columns:
                columns = texts
            elif not errors(found):
                count += 1
                if count > MOST_ROWS:
                    raise RowError(row_finding(span, f"more than {MOST_ROWS:,} rows"))
                texts += [""] * (len(columns) - len(texts))
                yield row.line, tuple(zip(columns, texts, strict=True))
    except RowError as error:
        findings.append(error.finding)
        if not columns:
            return
    if not columns:
        hint = "write their names in the first row"
        findings.append(row_finding(Span(file), "this file names no columns", hint))


def _check_row(row: RawRow, columns: Sequence[str], span: Span) -> list[Finding]:
    """Return findings about one row; without `columns`, it names them."""
    cells = row.cells
    if not columns and len(cells) > MOST_COLUMNS:
        message = f"{len(cells):,} columns; at most {MOST_COLUMNS:,} are read"
        raise RowError(row_finding(span, message, "check whether this is the right file"))
    if columns and len(cells) > len(columns):
        message = f"this row has {len(cells)} cells, but there are {len(columns)} columns"
        return [row_finding(span, message, "put a cell with a comma in it in quotes")]
    if any(len(cell) > MOST_CELL for cell in cells):
        message = f"a cell of this row has more than {MOST_CELL:,} characters"
        return [row_finding(span, message, "shorten it")]
    found = [] if columns else _check_columns(cells, span)
    if has_controls(joined := "".join(cells)):
        message = f"this row has control characters, {controls_in(joined)}; they are left out"
        found.append(Finding(codes.CONTROLS, span, message, "remove them", Severity.WARNING))
    return found


def _check_columns(cells: Sequence[str], span: Span) -> list[Finding]:
    texts = [strip_controls(cell).strip() for cell in cells]
    meanings = [" ".join(text.casefold().replace("_", " ").split()) for text in texts]
    return [*find_equal_columns(texts, span, meanings)]


def find_equal_columns(
    heads: Sequence[str], span: Span, meanings: Sequence[str]
) -> Iterator[Finding]:
    """Yield a finding for each column that means the same as one before it.

    Args:
        span: The row of the heads.
        meanings: What each column is, equal for equal columns; empty for one that is left out.
    """
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
    return Finding(book_codes.BAD_ROW, span, message, hint)
