"""Printed figures of a source: CSV files whose rows name the line of the source."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.files import read_text
from sheetgen.load.rulesets.content import data_folder, rulesets_folder
from sheetgen.records import frozen

LINE = "line"
"""The column with the line of the source."""

FOLDERS = ("printed", "seeds")
"""Folders of printed figures, beside the ruleset's files."""


@frozen
class SeedRow:
    """A row, with its line in the source and its place in the CSV file."""

    line: int
    cells: Mapping[str, str]
    span: Span


@frozen
class Seeds:
    """All printed figures of one source, by file."""

    folder: Path
    files: Mapping[str, tuple[SeedRow, ...]]

    def columns(self, file: str) -> tuple[str, ...]:
        """Return the columns of `file` besides the line."""
        rows = self.files.get(file, ())
        return tuple(rows[0].cells) if rows else ()


def seeds_folder(ruleset: Path) -> Path | None:
    """Return the folder of the printed figures of a ruleset, or None."""
    own = [ruleset / name for name in FOLDERS]
    if ruleset.parent == rulesets_folder():
        own.append(data_folder() / "seeds" / ruleset.name)
    return next((folder for folder in own if os.path.isdir(folder)), None)


def load_seeds(folder: Path, *others: Path) -> Checked[Seeds]:
    """Return the CSV files in some folders, with findings about what cannot be read."""
    findings: list[Finding] = []
    files = {}
    for path in (p for one in (folder, *others) for p in sorted(one.glob("*.csv"))):
        read = read_text(path)
        findings += read.findings
        if read.value is not None:
            files[path.name] = _rows(path, read.value[0], findings)
    return Checked(Seeds(folder, files), tuple(findings))


def _rows(path: Path, text: str, findings: list[Finding]) -> tuple[SeedRow, ...]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[SeedRow] = []
    head: list[str] = []
    try:
        for cells in reader:
            span = Span(str(path), reader.line_num)
            if not head:
                head = cells
                if LINE not in head or len(set(head)) != len(head):
                    message = f"the first row names the columns, each once, one of them `{LINE}`"
                    findings.append(Finding(codes.MISSING_KEY, span, message))
                    return ()
            elif len(cells) != len(head):
                message = f"this row has {len(cells)} cells, the first has {len(head)}"
                hint = "put a text with a comma in it in double quotes"
                findings.append(Finding(codes.WRONG_TYPE, span, message, hint))
            else:
                _row(dict(zip(head, cells, strict=True)), span, rows, findings)
    except csv.Error as error:
        span = Span(str(path), max(1, reader.line_num))
        findings.append(Finding(codes.WRONG_TYPE, span, f"this is not CSV: {error}"))
    return tuple(rows)


def _row(cells: dict[str, str], span: Span, rows: list[SeedRow], findings: list[Finding]) -> None:
    line = cells.pop(LINE)
    if line.isascii() and line.isdigit() and len(line) < 9:
        rows.append(SeedRow(int(line), cells, span))
    else:
        message = f"`{LINE}` has to be the number of a line, not `{line}`"
        findings.append(Finding(codes.WRONG_TYPE, span, message))
