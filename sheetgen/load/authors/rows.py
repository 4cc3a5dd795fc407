"""Rows of CSV files, and templates that each of them fills."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sheetgen.diag import book_codes, codes
from sheetgen.diag.controls import controls_in, has_controls, strip_controls
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.files import read_text
from sheetgen.load.yaml.tree import parse_yaml, scalar
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source

Cells = tuple[tuple[str, str], ...]
"""The cells of a row, by column."""

MOST_ROWS: Final = 50_000
MOST_COLUMNS: Final = 1_000
_PLACE: Final = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*)|(\$))")


def read_rows(path: Path) -> Checked[tuple[tuple[int, Cells], ...]]:
    """Return the rows of the CSV file at `path`: the line of each, and its cells.

    Lines without any cell are passed over.
    """
    read = read_text(path)
    if read.value is None:
        return Checked(None, read.findings)
    findings: list[Finding] = []
    rows: list[tuple[int, Cells]] = []
    reader = csv.reader(io.StringIO(read.value[0], newline=""), strict=True)
    columns: list[str] = []
    try:
        for cells in reader:
            line = reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not columns and len(cells) > MOST_COLUMNS:
                message = f"{len(cells):,} columns; at most {MOST_COLUMNS:,} are read"
                hint = "is this the right file?"
                findings.append(Finding(book_codes.BAD_ROW, Span(str(path), line), message, hint))
                return Checked(None, tuple(findings))
            if not columns:
                findings += _controls(cells, Span(str(path), line))
                columns = [strip_controls(cell).strip() for cell in cells]
                findings += _columns(columns, Span(str(path), line))
            elif len(cells) > len(columns):
                message = f"this row has {len(cells)} cells, and there are {len(columns)} columns"
                hint = "put a cell with a comma in it in quotes"
                findings.append(Finding(book_codes.BAD_ROW, Span(str(path), line), message, hint))
            elif len(rows) == MOST_ROWS:
                message = f"more than {MOST_ROWS:,} rows"
                findings.append(Finding(book_codes.BAD_ROW, Span(str(path), line), message))
                break
            else:
                findings += _controls(cells, Span(str(path), line))
                cells = [strip_controls(cell) for cell in cells]
                padded = [cell.strip() for cell in cells] + [""] * (len(columns) - len(cells))
                rows.append((line, tuple(zip(columns, padded, strict=True))))
    except csv.Error as error:
        place = Span(str(path), max(1, reader.line_num))
        findings.append(Finding(book_codes.BAD_ROW, place, f"this is not CSV: {error}"))
    if not columns:
        message = "this file names no columns"
        findings.append(
            Finding(
                book_codes.BAD_ROW, Span(str(path)), message, "write their names in the first row"
            )
        )
    return Checked(tuple(rows), tuple(findings))


def _columns(columns: list[str], span: Span) -> list[Finding]:
    twice = sorted(name for name, count in Counter(columns).items() if name and count > 1)
    return [
        Finding(book_codes.BAD_ROW, span, f"two columns are called `{name}`", "rename one")
        for name in twice
    ]


def _controls(cells: list[str], span: Span) -> list[Finding]:
    row = "".join(cells)
    if not has_controls(row):
        return []
    message = f"this row has control characters, {controls_in(row)}; they are left out"
    return [Finding(codes.CONTROLS, span, message, "remove them", Severity.WARNING)]


def fill_template(template: Source, row: tuple[str, Cells]) -> Checked[Source]:
    """Return `template` with the cells of a row in it, as the source of one character.

    Findings about it point at the template, and say which row.
    """
    label, cells = row
    known = dict(cells)
    findings: list[Finding] = []
    root = _filled(template.root, known, label, findings) if template.root else None
    digest = hashlib.sha256(f"{template.digest}\0{cells!r}".encode()).hexdigest()
    made = dataclasses.replace(template, root=root, digest=digest)
    return Checked(made, tuple(findings))


def _filled(node: Node, known: Mapping[str, str], label: str, findings: list[Finding]) -> Node:
    if isinstance(node, Many):
        items = (_filled(item, known, label, findings) for item in node.items)
        return Many(node.span, tuple(items))
    if isinstance(node, Pairs):
        pairs = ((key, _filled(value, known, label, findings)) for key, value in node.entries)
        return Pairs(node.span, tuple(entry for entry in pairs if not _is_empty(entry[1])))
    return _leaf(node, known, label, findings)


def _is_empty(value: Node) -> bool:
    """Whether a value is that of an empty cell: then its key is not there."""
    return isinstance(value, ScalarNode) and value.raw == "" and not value.quoted


def _leaf(leaf: ScalarNode, known: Mapping[str, str], label: str, findings: list[Finding]) -> Node:
    if "$" not in leaf.raw:
        return leaf

    def cell(match: re.Match[str]) -> str:
        if match[3]:
            return "$"
        name = (match[1] or match[2] or "").strip()
        if name not in known:
            hint = suggestion(name, known, "columns")
            message = f"{label}: there is no column `{name}`"
            findings.append(Finding(book_codes.BAD_ROW, leaf.span, message, hint))
        return known.get(name, "")

    text = _PLACE.sub(cell, leaf.raw)
    whole = not leaf.quoted and _PLACE.fullmatch(leaf.raw) is not None
    if whole and text[:1] in ("[", "{"):
        return _parsed(text, leaf, label, findings)
    value = scalar(text) if whole else text
    return ScalarNode(leaf.span, value, text, leaf.quoted)


def _parsed(text: str, leaf: ScalarNode, label: str, findings: list[Finding]) -> Node:
    """Return a cell that holds a list or a mapping; all in it stands where the `$column` does."""
    read = parse_yaml(text, leaf.span.file)
    for finding in read.findings:
        message = f"{label}: in this cell, {finding.message}"
        findings.append(Finding(book_codes.BAD_ROW, leaf.span, message, finding.hint))
    if read.value is None or read.value.root is None:
        return leaf
    return _placed(read.value.root, leaf.span)


def _placed(node: Node, span: Span) -> Node:
    if isinstance(node, Many):
        return Many(span, tuple(_placed(item, span) for item in node.items))
    if isinstance(node, Pairs):
        pairs = ((_key(key, span), _placed(value, span)) for key, value in node.entries)
        return Pairs(span, tuple(pairs))
    return _key(node, span)


def _key(leaf: ScalarNode, span: Span) -> ScalarNode:
    return ScalarNode(span, leaf.value, leaf.raw, leaf.quoted)
