"""Rows of databases (by way of SQLAlchemy), of Parquet files, and of tables in object stores.

A book never holds the address of a database: it gives a name, and the person who builds the book
sets a variable of the environment for it. So no password is in a book, and a book of somebody
else reads no database that its reader did not name.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final

from sheetgen.books.storage import is_safe_name, is_store_address
from sheetgen.bounds import MEGABYTES, BoundExceeded, limit_memory, pass_memory_error, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Span
from sheetgen.diag.visible import mask_secrets
from sheetgen.diag.words import pip_hint
from sheetgen.load import rows as tables
from sheetgen.load.files import check_document, note_read
from sheetgen.model.books import Rows
from sheetgen.model.source import Text
from sheetgen.plugins.farm.stores import copy_object, hide_secrets
from sheetgen.write.files import open_spool

PREFIX: Final = "SHEETGEN_DATABASE_"
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")
_READING: Final = re.compile(r"\s*(select|with|values)\b", re.IGNORECASE)
_BATCH: Final = 100  # Rows that are in memory at once
_SECONDS: Final = 15  # processor time that a query may take; a million rows take about five seconds
_MOST_BYTES: Final = 1_000_000_000  # of all rows of a query

_READ_ONLY: Final = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}
"""What makes a session refuse changes, by kind of database."""

_PATIENCE: Final = 20  # seconds that a query may take from one row to the next
_TIME_LIMITS: Final = {
    "sqlite": "PRAGMA temp_store = MEMORY",  # which is bounded; its time is limited by a handler
    "postgresql": f"SET SESSION statement_timeout = '{_PATIENCE}s'",
    "mysql": f"SET SESSION max_execution_time = {1000 * _PATIENCE}",
    "mariadb": f"SET SESSION max_statement_time = {_PATIENCE}",
}
"""What makes a database end a query that takes too long."""

_SQLITE_STEPS: Final = 100_000  # its instructions between two looks at the clock: a millisecond
_MOST_GROUP: Final = 1_000_000_000  # bytes of a row group of Parquet when it is decompressed
_PARQUET_BATCH: Final = 1_000  # rows of Parquet that are in memory at once


def read_table(
    table: Rows, folder: Path, allowed: Sequence[str], findings: list[Finding]
) -> Iterator[tuple[int, tables.Cells]]:
    """Yield the rows of a table: the line of each, and its cells.

    Args:
        folder: The folder of the book.
        allowed: Addresses of folders and files in object stores that may be read.
        findings: Receives what is wrong, while rows are read.
    """
    if table.database is not None and table.query is not None:
        yield from tables.check_rows(
            read_query(table.database, table.query), str(table.database), findings
        )
    elif table.file is not None and is_store_address(table.file):
        yield from _read_object(table.file, allowed, findings)
    elif table.file is not None:
        yield from read_file(Path(os.path.normpath(folder / table.file)), findings)


def read_file(path: Path, findings: list[Finding]) -> Iterator[tuple[int, tables.Cells]]:
    """Yield the rows of a CSV or Parquet file; see `read_table`."""
    read = tables.read_csv if tables.is_csv(path.name) else _read_parquet
    return tables.check_rows(read(path), str(path), findings)


def _read_object(
    address: Text, allowed: Sequence[str], findings: list[Finding]
) -> Iterator[tuple[int, tables.Cells]]:
    masked = mask_secrets(address)
    inside = any(address == one or address.startswith(f"{one.rstrip('/')}/") for one in allowed)
    path = address.partition("://")[2].rpartition("@")[2]
    if not inside or "::" in address or not is_safe_name(path):  # it may lead elsewhere
        message = f"`{masked}` is not read: nobody allowed it"
        hint = "allow it: `--read` and the address of its folder"
        findings.append(Finding(codes.UNREADABLE, address.span, message, hint))
        return
    try:
        with copy_object(address) as copy:
            found: list[Finding] = []
            yield from read_file(copy, found)
            findings += [replace(one, span=replace(one.span, file=masked)) for one in found]
    except OSError as error:
        message = f"cannot read `{masked}`: {error.strerror}"
        hint = getattr(error, "hint", "check the address")
        findings.append(Finding(codes.UNREADABLE, address.span, message, hint))


def read_query(database: Text, query: Text) -> Iterator[tables.RawRow]:
    """Yield the rows of a query, the columns first; each cell is its value as text.

    Args:
        database: A name; the variable `SHEETGEN_DATABASE_NAME` holds the address.
        query: One statement that reads.

    Raises:
        Refused: The query cannot be run, or the rest of its rows cannot be read.
    """
    variable = f"{PREFIX}{database.upper()}"
    if not _NAME.fullmatch(database):
        message = "a book names a database, and does not hold its address"
        hint = f"write a name such as `guests`, and set {PREFIX}GUESTS to the address"
        raise _error(database, message, hint)
    if not (url := os.environ.get(variable, "")):
        hint = f"set {variable} to its address, such as sqlite:///guests.db"
        raise _error(database, f"there is no database `{database}`", hint)
    if not _READING.match(query) or ";" in query.strip().rstrip(";"):
        message = "this is not one statement that reads"
        raise _error(query, message, "write one `select`, without `;`")
    if find_spec("sqlalchemy") is None:
        raise _error(database, "SQLAlchemy is not installed", pip_hint("sqlalchemy"))
    import sqlalchemy

    engine = None
    try:
        engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
        if (kind := engine.dialect.name) not in _READ_ONLY:
            message = f"`{kind}` is no kind of database that is read, since it might be changed"
            hint = f"use one of {', '.join(_READ_ONLY)}, or export a table"
            raise _error(database, message, hint)
        file = engine.url.database
        if kind == "sqlite" and not (file and os.path.isfile(file)):
            raise _error(database, "there is no such file of a database", "check the address")
        with open_spool() as rows:  # thousands wait here, not in memory
            what = "running it"
            job = partial(_run_query, engine, query, rows)
            if wrong := run_bounded(job, seconds=_SECONDS, page_seconds=_SECONDS, what=what):
                raise ValueError(wrong)
            rows.seek(0)
            for number, line in enumerate(rows, start=1):
                yield number, json.loads(line)
    except (sqlalchemy.exc.SQLAlchemyError, ImportError, ValueError, OSError) as error:
        words = hide_secrets(str(error).replace(url, "***"), url)
        hint = f"try it in the database; it has {_PATIENCE} s for each row"
        raise _error(query, f"the query failed: {words}", hint) from None
    except BoundExceeded as error:
        hint = "let it return fewer or shorter rows"
        raise _error(query, f"the query is not run: {error}", hint) from None
    finally:
        if engine is not None:
            engine.dispose()


def _run_query(engine: Any, query: str, rows: BinaryIO) -> str:
    """Write the rows of a query as lines of JSON, the columns first; return what is wrong.

    Runs in a child process: one step of a query may take any time and memory.
    """
    import sqlalchemy

    try:
        with engine.connect() as session:
            kind = engine.dialect.name
            session.exec_driver_sql(_READ_ONLY[kind])
            session.exec_driver_sql(_TIME_LIMITS[kind])
            session.commit()
            end = time.monotonic() + _PATIENCE
            if kind == "sqlite":
                driver: Any = session.connection.driver_connection
                driver.set_progress_handler(lambda: time.monotonic() > end, _SQLITE_STEPS)
            options = {"stream_results": True, "yield_per": _BATCH, "no_parameters": True}
            result = session.execution_options(**options).exec_driver_sql(query)
            cells = list(result.keys())[: tables.MOST_COLUMNS + 1]
            for row in itertools.chain([None], result):
                if row is not None:
                    cells = [tables.format_value(v)[: tables.MOST_CELL + 1] for v in row]
                rows.write(json.dumps(cells).encode() + b"\n")
                if rows.tell() > _MOST_BYTES:
                    message = f"its rows take more than {_MOST_BYTES // 10**6:,} MB"
                    raise BoundExceeded(message)
                end = time.monotonic() + _PATIENCE
        rows.flush()
    except (sqlalchemy.exc.SQLAlchemyError, ValueError, OSError) as error:
        pass_memory_error(error)
        return str(getattr(error, "orig", None) or error)
    return ""


def _error(text: Text, message: str, hint: str) -> Refused:
    return Refused(Finding(codes.BAD_ROW, text.span, message, hint))


def _read_parquet(path: Path) -> Iterator[tables.RawRow]:
    """Yield the rows of a Parquet file as texts, the columns first, or raise `Refused`."""
    span = Span(str(path))
    if find_spec("pyarrow") is None:
        hint = pip_hint("pyarrow")
        raise Refused(Finding(codes.UNREADABLE, span, "pyarrow is not installed", hint))
    if refused := check_document(path, tables.MOST_BYTES):
        raise Refused(refused)
    import pyarrow
    from pyarrow import parquet

    note_read(path)
    try:
        with parquet.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
            size = file.metadata
            groups = range(size.num_row_groups)
            largest = max((size.row_group(at).total_byte_size for at in groups), default=0)
            wrong, hint = "", ""
            if size.num_rows > tables.MOST_ROWS:
                wrong = f"more than {tables.MOST_ROWS:,} rows"
            elif size.num_columns > tables.MOST_COLUMNS:
                wrong = f"{size.num_columns:,} columns; at most {tables.MOST_COLUMNS:,} are read"
            elif largest > _MOST_GROUP:
                most = f"{_MOST_GROUP / 1e6:,.0f} MB are read"
                wrong = f"a row group has {largest / 1e6:,.0f} MB; {most}"
                hint = "write it with smaller row groups"
            if wrong:
                raise Refused(tables.row_finding(span, wrong, hint))
            yield 1, file.schema_arrow.names
            batches, line = file.iter_batches(_PARQUET_BATCH, use_threads=False), 1
            while True:
                # The sizes in the file are not trusted, and a cell that is stored once may be in
                # all rows.
                with limit_memory():
                    batch = next(batches, None)
                    columns = [] if batch is None else [one.to_pylist() for one in batch.columns]
                if not columns:
                    break
                for values in zip(*columns, strict=True):
                    line += 1
                    yield line, list(map(tables.format_value, values))
    except MemoryError:  # Arrow's own is one, too
        message = f"{_PARQUET_BATCH:,} rows take more than {MEGABYTES} MB of memory"
        raise Refused(tables.row_finding(span, message, "shorten its cells")) from None
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        words = " ".join(str(error).split())[:200]
        raise Refused(tables.row_finding(span, f"this is not Parquet: {words}")) from None
