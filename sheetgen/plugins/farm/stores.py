"""What a book reads and writes elsewhere: object stores, and rows of databases and Parquet files.

Credentials of stores are fsspec's matter: it finds them in the environment, in its configuration or
in the address. Messages mask them. A book never holds the address of a database: it gives a name,
and the person who builds the book sets a variable of the environment for it. So no password is in a
book, and a book of somebody else reads no database that its reader did not name.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import os
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar
from urllib.parse import unquote

from sheetgen.books import storage
from sheetgen.bounds import MEGABYTES, BoundExceeded, limit_memory, pass_memory_error, run_bounded
from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Span
from sheetgen.diag.visible import mask_secrets
from sheetgen.diag.words import pip_hint
from sheetgen.load import rows as tables
from sheetgen.load.cache import cache_path
from sheetgen.load.characters import BOOK_FILE
from sheetgen.load.files import SUFFIXES, check_document, confine_reads, file_digest, note_read
from sheetgen.model.books import Rows
from sheetgen.model.seals import is_sealed
from sheetgen.model.source import Text
from sheetgen.write import drafts_in, open_spool, remove_file

LOCAL: Final = "local"  # The address that starts a cluster on this machine
_MOST_BYTES: Final = 4_000_000_000  # Bytes of a book's folder, and of a table of rows
_MOST_FILES: Final = 200_000
_MOST_FILE: Final = 300_000_000
_MOST_WORDS: Final = 300
_SHORTEST_SECRET: Final = 3

_THREADS: Final = 16  # operations of a store that run at once
_T = TypeVar("_T")
_R = TypeVar("_R")


class StoreError(OSError):
    """An object store cannot be used; `strerror` gives the reason, `hint` what to do."""

    def __init__(self, message: str, hint: str = "check the address and the credentials") -> None:
        super().__init__(None, message)
        self.hint = hint


def hide_secrets(text: str, address: str) -> str:
    """Return a message on one line without the credentials of an address, or parts of them."""
    masked, rest = mask_secrets(address).partition("?")[0], address.partition("://")[2].lstrip("/")
    user = (rest.rpartition("@")[0] or rest) if "***" in masked else ""
    query = address.partition("?")[2]
    hidden = {user, *user.split(":"), *user.partition(":"), query, *re.split("[&=]", query)}
    for part in sorted(hidden | set(map(unquote, hidden)), key=len, reverse=True):
        text = text.replace(part, "***") if len(part) >= _SHORTEST_SECRET else text
    return " ".join(mask_secrets(text).split())[:_MOST_WORDS]


class _ObjectStore(storage.Storage):
    """A `Storage` in an object store: a folder of it; names are relative, with slashes.

    All methods raise `StoreError` if the store cannot be used. Drafts are in the cache folder of
    this machine.
    """

    def __init__(self, address: str) -> None:
        """Open the folder at an address; the store is not asked yet."""
        if find_spec("fsspec") is None:
            raise StoreError("fsspec is not installed", pip_hint("fsspec"))
        from fsspec.core import url_to_fs

        self.drafts = cache_path(storage.DRAFTS)
        self._masked = mask_secrets(address.rstrip("/"))
        self._given = address
        # Python would print what goes wrong while it frees a half-made file system.
        usual, sys.unraisablehook = sys.unraisablehook, lambda _: None
        try:
            self._files, root = url_to_fs(address, use_listings_cache=False)
        except Exception as error:  # noqa: BLE001 - each protocol has errors of its own
            # Its frames hold the object; freed here, its `__del__` fails before the hook is back.
            error.__traceback__ = None
            hint = f"{pip_hint('s3fs')} (for s3)" if isinstance(error, ImportError) else ""
            raise StoreError(self._message(error), *filter(None, [hint])) from None
        finally:
            sys.unraisablehook = usual
        self._root = str(root).rstrip("/")

    def __str__(self) -> str:
        return self._masked

    def address(self, name: str) -> str:
        return f"{self._masked}/{name}"

    def accepts(self, name: str) -> bool:
        return storage.is_output_name(name)

    def exists(self, name: str) -> bool:
        return self.size(name) is not None

    def is_current(self, name: str, digest: str) -> bool:  # to compare it means to load it
        return self.exists(name)

    def compare(self, name: str, digest: str) -> storage.OutputState:
        content = self._read(name, _MOST_FILE)
        if content is None:
            return storage.OutputState.NONE
        if hashlib.sha256(content).hexdigest() == digest:
            return storage.OutputState.SAME
        return storage.OutputState.OURS if is_sealed(content) else storage.OutputState.FOREIGN

    def may_replace(self, name: str) -> bool:
        return self.compare(name, "") in (storage.OutputState.NONE, storage.OutputState.OURS)

    def read(self, name: str, most: int) -> bytes | None:
        content = self._read(name, most)
        return b"" if content is not None and len(content) > most else content

    def _read(self, name: str, most: int) -> bytes | None:
        with contextlib.suppress(FileNotFoundError):
            content: bytes = self._call(self._files.cat_file, name, start=0, end=most + 1)
            return content
        return None

    def size(self, name: str) -> int | None:
        with contextlib.suppress(FileNotFoundError):
            info = self._call(self._files.info, name)
            return int(info["size"] or 0) if info["type"] == "file" else None
        return None

    def names(self, folder: str) -> set[str]:
        with contextlib.suppress(FileNotFoundError):
            paths = self._call(self._files.ls, folder, detail=False)
            return {str(path).rpartition("/")[2] for path in paths}
        return set()

    def walk(self, without: str) -> Iterator[tuple[str, int]]:
        """Yield names and sizes of all objects, but hidden ones and the folder `without`."""
        folders = [""]
        while folders:
            try:
                listed = self._call(self._files.ls, folders.pop(), detail=True)
            except FileNotFoundError:
                raise StoreError("there is no such folder in the store") from None
            for one in sorted(listed, key=lambda one: str(one["name"])):
                name = str(one["name"]).strip("/").removeprefix(self._root.strip("/")).strip("/")
                if not name or name == without or name.rpartition("/")[2].startswith("."):
                    continue
                if one["type"] == "directory":
                    folders.append(name)
                else:
                    yield name, int(one["size"] or 0)

    def place(self, draft: Path | str, name: str) -> None:
        self._call(lambda path: self._files.put_file(str(draft), path), name)
        remove_file(Path(draft))

    def fetch(self, name: str, digest: str, folder: Path) -> Path:
        path = folder / name
        self.download(name, path)
        if file_digest(path) != digest:
            raise FileNotFoundError(errno.ENOENT, "it was changed since it was written")
        return path

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        ahead: deque[Future[_R]] = deque()
        with ThreadPoolExecutor(_THREADS) as executor:
            try:
                for item in items:
                    ahead.append(executor.submit(function, item))
                    if len(ahead) > 2 * _THREADS:
                        yield ahead.popleft().result()
                while ahead:
                    yield ahead.popleft().result()
            finally:
                executor.shutdown(cancel_futures=True)

    def download(self, name: str, file: Path) -> None:
        """Write an object to a new file; `FileNotFoundError` if there is no such object."""
        file.parent.mkdir(parents=True, exist_ok=True)
        self._call(lambda path: self._files.get_file(path, str(file)), name)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._call(self._files.rm_file, name)

    def _call(self, method: Callable[..., _T], name: str, **options: Any) -> _T:
        path = f"{self._root}/{name}" if name else self._root
        try:
            return method(path, **options)
        except FileNotFoundError:
            raise
        except Exception as error:  # noqa: BLE001 - each protocol has errors of its own
            raise StoreError(self._message(error)) from None

    def _message(self, error: Exception) -> str:
        text = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return hide_secrets(text, self._given) or type(error).__name__


open_object_store: Final = _ObjectStore


@contextlib.contextmanager
def open_book(address: str, out: str | None, cluster: str) -> Iterator[Path]:
    """Copy a book's folder, enter the copy, and yield the book's path; or raise `Refused`.

    In the block, author's files are read below the copy only, whatever paths they name. The copy
    is removed at the end, or by the next run if this one is killed. What is below `out` is not
    copied.
    """
    if out is None:
        message = "a book of an object store has no output folder of its own"
        raise _refused(address, message, "name a folder or store with `--out`")
    if cluster not in ("", LOCAL):
        message = "other machines do not see the copy of a book of an object store"
        raise _refused(address, message, f"build with `--cluster {LOCAL}`, or from a shared folder")
    folder, _, last = address.rstrip("/").rpartition("/")
    file = last if last.lower().endswith(SUFFIXES) else ""
    folder = folder if file else address.rstrip("/")
    inner = out.removeprefix(f"{folder}/")
    with contextlib.ExitStack() as stack:
        try:
            store = _ObjectStore(folder)
            copy = stack.enter_context(drafts_in(cache_path("books")))
            copy /= str(store).rpartition("/")[2] or "book"
            names = _list_objects(store, "" if inner == out else inner.rstrip("/"))
            for _ in store.map(lambda name: store.download(name, copy / name), names):
                pass
            stack.enter_context(contextlib.chdir(copy))
        except OSError as error:
            hint = getattr(error, "hint", "check the address")
            raise _refused(address, error.strerror or str(error), hint) from error
        own = () if storage.is_store_address(out) else (storage.strip_file_protocol(out),)
        roots = (copy, data_folder(), cache_path(""), *own)
        stack.enter_context(confine_reads(roots))
        yield Path(file or (BOOK_FILE if os.path.isfile(copy / BOOK_FILE) else "."))


def _refused(address: str, message: str, hint: str) -> Refused:
    return Refused(Finding(codes.UNREADABLE, Span(mask_secrets(address)), message, hint))


def _list_objects(store: _ObjectStore, without: str) -> Iterator[str]:
    total = 0
    for count, (name, size) in enumerate(store.walk(without), start=1):
        if not storage.is_safe_name(name):
            raise StoreError(f"no file can be called `{name[:80]}`", "rename the object")
        if size > _MOST_FILE:
            message = f"`{name}` has {size / 1e6:,.0f} MB; {_MOST_FILE / 1e6:.0f} MB are read"
            raise StoreError(message, "check that this is the right folder")
        total += size
        if count > _MOST_FILES or total > _MOST_BYTES:
            message = f"more than {_MOST_FILES:,} objects or {_MOST_BYTES / 1e6:,.0f} MB"
            raise StoreError(message, "name the folder of the book alone")
        yield name


@contextlib.contextmanager
def copy_object(address: str) -> Iterator[Path]:
    """Copy a large object here for the block, and yield its path; or raise `OSError`."""
    folder, _, name = address.rpartition("/")
    store = _ObjectStore(folder)
    size = store.size(name)
    if size is None or size > _MOST_BYTES:
        few = f"it has {(size or 0) / 1e6:,.0f} MB; {_MOST_BYTES / 1e6:,.0f} MB are read"
        raise StoreError("there is no such object" if size is None else few)
    with drafts_in(cache_path("rows")) as drafts:
        store.download(name, drafts / name)
        yield drafts / name


PREFIX: Final = "SHEETGEN_DATABASE_"
_DATABASE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,60}")
_READING: Final = re.compile(r"\s*(select|with|values)\b", re.IGNORECASE)
_BATCH: Final = 100  # Rows that are in memory at once
_SECONDS: Final = 15  # processor time that a query may take; a million rows take about five seconds
_MOST_RESULT: Final = 1_000_000_000  # of all rows of a query

_READ_ONLY: Final = {  # What makes a session refuse changes, by kind of database.
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}

_PATIENCE: Final = 20  # seconds that a query may take from one row to the next
_TIME_LIMITS: Final = {  # What makes a database end a query that takes too long.
    "sqlite": "PRAGMA temp_store = MEMORY",  # which is bounded; its time is limited by a handler
    "postgresql": f"SET SESSION statement_timeout = '{_PATIENCE}s'",
    "mysql": f"SET SESSION max_execution_time = {1000 * _PATIENCE}",
    "mariadb": f"SET SESSION max_statement_time = {_PATIENCE}",
}

_SQLITE_STEPS: Final = 100_000  # its instructions between two looks at the clock: a millisecond
_MOST_GROUP: Final = 1_000_000_000  # bytes of a row group of Parquet when it is decompressed
_PARQUET_BATCH: Final = 1_000  # rows of Parquet that are in memory at once


def read_table(
    table: Rows, folder: Path, allowed: Sequence[str], findings: list[Finding]
) -> Iterator[tuple[int, tables.Cells]]:
    """Yield the lines and cells of a table's rows; stores are read at `allowed` addresses."""
    if table.database is not None and table.query is not None:
        yield from tables.check_rows(
            read_query(table.database, table.query), str(table.database), findings
        )
    elif table.file is not None and storage.is_store_address(table.file):
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
    if not inside or "::" in address or not storage.is_safe_name(path):  # it may lead elsewhere
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
    """Yield the rows of a query, the columns first, each cell as text; or raise `Refused`.

    The variable `SHEETGEN_DATABASE_NAME` holds the address of a database.
    """
    variable = f"{PREFIX}{database.upper()}"
    if not _DATABASE.fullmatch(database):
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
    """Write a query's rows as lines of JSON, in a child process; return what is wrong."""
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
                driver.set_authorizer(_authorize)
            options = {"stream_results": True, "yield_per": _BATCH, "no_parameters": True}
            result = session.execution_options(**options).exec_driver_sql(query)
            cells = list(result.keys())[: tables.MOST_COLUMNS + 1]
            for row in itertools.chain([None], result):
                if row is not None:
                    cells = [tables.format_value(v)[: tables.MOST_CELL + 1] for v in row]
                rows.write(json.dumps(cells).encode() + b"\n")
                if rows.tell() > _MOST_RESULT:
                    raise BoundExceeded(f"its rows take more than {_MOST_RESULT // 10**6:,} MB")
                end = time.monotonic() + _PATIENCE
        rows.flush()
    except (sqlalchemy.exc.SQLAlchemyError, ValueError, OSError) as error:
        pass_memory_error(error)
        return str(getattr(error, "orig", None) or error)
    return ""


def _authorize(action: int, name: str | None, other: str | None, *_: str | None) -> int:
    """Refuse what would show paths or addresses in memory; search indices use two pragmas."""
    import sqlite3

    if action == sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK if name in ("page_size", "data_version") else sqlite3.SQLITE_DENY
    refused = action == sqlite3.SQLITE_FUNCTION and other in ("fts3_tokenizer", "load_extension")
    return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK


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
                # The file's sizes are not trusted: a cell that is stored once may be in all rows.
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
