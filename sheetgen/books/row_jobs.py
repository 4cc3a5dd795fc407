"""List the jobs of a table of rows: a sheet for each row, which fills in a template."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.load.rows.table_files import is_table, read_rows
from sheetgen.load.rows.tables import Cells, check_rows
from sheetgen.model.books import BookEntry, Job, Rows
from sheetgen.model.requests import PrintRequest
from sheetgen.write.stores import is_store_address


@dataclass(frozen=True, slots=True)
class RowContext:
    """What the tables of a book are read with.

    Attributes:
        folder: Paths are relative to it.
        readable: Addresses in object stores that may be read.
        findings: Receives what is wrong.
    """

    folder: Path
    readable: Sequence[str]
    findings: list[Finding]


def list_row_jobs(
    id_: str, table: Rows, entry: BookEntry, request: PrintRequest, context: RowContext
) -> Iterator[Job]:
    """Yield the jobs of the rows of a table, while it is read."""
    name = table.file or table.database
    place = name.span if name is not None else request.place
    if entry.template is None:
        message = "a table of rows needs a `template`: the file that its rows fill"
        context.findings.append(Finding(codes.MISSING_KEY, place, message))
        return
    template, pattern = context.folder / entry.template, str(entry.name or "{name}")
    file = Path(name or "")
    seen: set[int] = set()
    copies: Counter[int] = Counter()
    for line, cells in _read(table, place, context):
        digest = hashlib.sha256(repr(cells).encode("utf-8", "replace")).digest()[:8]
        number = int.from_bytes(digest)
        if number in seen:  # identified by its cells: rows may be inserted before it
            copies[number] += 1
        seen.add(number)
        own = f"{id_}/{file.stem}-{digest.hex()}-{copies[number] + 1}"
        row = f"{file.name}:{line}", cells
        yield Job(own, id_, request, (str(template),), entry.template.span, pattern, row=row)


def _read(table: Rows, place: Span, context: RowContext) -> Iterator[tuple[int, Cells]]:
    """Return the rows of a file, of an object in a store, or of a query."""
    file, database, query = table.file, table.database, table.query
    if file is None and database is not None and query is not None:
        from sheetgen.load.rows.database import read_query  # Most books have none.

        return check_rows(read_query(database, query), str(database), context.findings)
    if file is None or database is not None or query is not None:
        message, hint = "`rows` needs a file, or a database and a query", "write `rows: people.csv`"
        context.findings.append(Finding(codes.MISSING_KEY, place, message, hint))
    elif is_store_address(file):
        from sheetgen.load.remote import read_remote_rows  # Most books have none.

        return read_remote_rows(file, context.readable, context.findings)
    elif is_table(file):
        return read_rows(Path(os.path.normpath(context.folder / file)), context.findings)
    else:
        message, hint = "this is not a table of rows", "name a .csv or .parquet file"
        context.findings.append(Finding(codes.WRONG_TYPE, file.span, message, hint))
    return iter(())
