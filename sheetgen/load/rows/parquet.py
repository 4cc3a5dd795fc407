"""Rows of Parquet files, by way of pyarrow, in batches."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.diag.words import pip_hint
from sheetgen.load.bounds import MEGABYTES, limit_memory
from sheetgen.load.files import check_document, note_read
from sheetgen.load.rows.tables import MOST_COLUMNS, MOST_ROWS, RawRow, RowError, row_finding

_MOST_BYTES: Final = 4_000_000_000
_MOST_GROUP: Final = 1_000_000_000
"""Bytes of a row group when it is decompressed."""

_BATCH: Final = 1_000
"""Rows that are in memory at once."""


def read_parquet(path: Path) -> Iterator[RawRow]:
    """Yield the rows of a Parquet file, the columns first; each cell is its value as text.

    Raises:
        RowError: The file, or the rest of it, cannot be read.
    """
    span = Span(str(path))
    if find_spec("pyarrow") is None:
        hint = pip_hint("pyarrow")
        raise RowError(Finding(codes.UNREADABLE, span, "pyarrow is not installed", hint))
    if refused := check_document(path, _MOST_BYTES):
        raise RowError(refused)
    import pyarrow
    from pyarrow import parquet

    note_read(path)
    try:
        with parquet.ParquetFile(path, memory_map=False, pre_buffer=False) as file:
            _check_size(file.metadata, span)
            yield RawRow(1, file.schema_arrow.names)
            batches = file.iter_batches(_BATCH, use_threads=False)
            line = 1
            while columns := _read_columns(batches):
                for values in zip(*columns, strict=True):
                    line += 1
                    yield RawRow(line, [format_value(value) for value in values])
    except MemoryError:  # Arrow's own is one, too
        message = f"{_BATCH:,} rows take more than {MEGABYTES} MB of memory"
        raise RowError(row_finding(span, message, "shorten its cells")) from None
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        words = " ".join(str(error).split())[:200]
        raise RowError(row_finding(span, f"this is not Parquet: {words}")) from None


def _read_columns(batches: Iterator[Any]) -> list[list[Any]]:
    """Return the columns of the next batch; none at the end.

    The sizes in the file are not trusted, and a cell that is stored once may be in all rows.

    Raises:
        MemoryError: It takes too much.
    """
    with limit_memory():
        batch = next(batches, None)
        return [column.to_pylist() for column in batch.columns] if batch is not None else []


def _check_size(metadata: Any, span: Span) -> None:
    groups = range(metadata.num_row_groups)
    largest = max((metadata.row_group(at).total_byte_size for at in groups), default=0)
    if metadata.num_rows > MOST_ROWS:
        raise RowError(row_finding(span, f"more than {MOST_ROWS:,} rows"))
    if metadata.num_columns > MOST_COLUMNS:
        message = f"{metadata.num_columns:,} columns; at most {MOST_COLUMNS:,} are read"
        raise RowError(row_finding(span, message))
    if largest > _MOST_GROUP:
        message = f"a row group has {largest / 1e6:,.0f} MB; {_MOST_GROUP / 1e6:,.0f} MB are read"
        raise RowError(row_finding(span, message, "write it with smaller row groups"))


def format_value(value: object) -> str:
    """Return a value of a database or a Parquet file as the text of a cell.

    Nothing is an empty cell; lists and mappings are as in YAML's brackets.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
