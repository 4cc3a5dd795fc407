"""Files of rows, by their endings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import Finding
from sheetgen.load.rows.csv_files import read_csv
from sheetgen.load.rows.parquet import read_parquet
from sheetgen.load.rows.tables import Cells, check_rows

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
