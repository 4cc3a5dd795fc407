"""Rows of CSV files, and templates that they fill."""

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
"""The cells of a row by column."""

MOST_ROWS: Final = 50_000
MOST_COLUMNS: Final = 1_000
_PLACE: Final = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*)|(\$))")


def read_rows(path: Path) -> Checked[tuple[tuple[int, Cells], ...]]:
    """Return the rows of the CSV file at `path`: the line of each, and its cells.

    Empty lines are skipped.
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
            span = Span(str(path), reader.line_num)
            if not any(cell.strip() for cell in cells):
                continue
            if not columns and len(cells) > MOST_COLUMNS:
                message = f"{len(cells):,} columns; at most {MOST_COLUMNS:,} are read"
                findings.append(_bad_row(span, message, "check whether this is the right file"))
                return Checked(None, tuple(findings))
            if columns and len(cells) > len(columns):
                message = f"this row has {len(cells)} cells, but there are {len(columns)} columns"
                findings.append(_bad_row(span, message, "put a cell with a comma in it in quotes"))
                continue
            if len(rows) == MOST_ROWS:
                findings.append(_bad_row(span, f"more than {MOST_ROWS:,} rows"))
                break
            if has_controls("".join(cells)):
                message = f"this row has control characters, {controls_in(''.join(cells))}"
                message += "; they are left out"
                findings.append(
                    Finding(codes.CONTROLS, span, message, "remove them", Severity.WARNING)
                )
            texts = [strip_controls(cell).strip() for cell in cells]
            if columns:
                texts += [""] * (len(columns) - len(texts))
                rows.append((span.line, tuple(zip(columns, texts, strict=True))))
            else:
                columns = texts
                findings += _check_columns(columns, span)
    except csv.Error as error:
        span = Span(str(path), max(1, reader.line_num))
        findings.append(_bad_row(span, f"this is not CSV: {error}"))
    if not columns:
        hint = "write their names in the first row"
        findings.append(_bad_row(Span(str(path)), "this file names no columns", hint))
    return Checked(tuple(rows), tuple(findings))


def _bad_row(span: Span, message: str, hint: str = "") -> Finding:
    return Finding(book_codes.BAD_ROW, span, message, hint)


def _check_columns(columns: list[str], span: Span) -> list[Finding]:
    twice = sorted(name for name, count in Counter(columns).items() if name and count > 1)
    return [_bad_row(span, f"two columns are called `{name}`", "rename one") for name in twice]


def fill_template(template: Source, row: tuple[str, Cells]) -> Checked[Source]:
    """Return `template` with the cells of a row in it, as the source of one character.

    Findings point at the template and name the row.

    Args:
        row: A label for findings, and the cells.
    """
    label, cells = row
    filler = _Filler(label, dict(cells))
    root = filler.node(template.root) if template.root else None
    digest = hashlib.sha256(f"{template.digest}\0{cells!r}".encode()).hexdigest()
    source = dataclasses.replace(template, root=root, digest=digest)
    return Checked(source, tuple(filler.findings))


@dataclasses.dataclass
class _Filler:
    """Fills the nodes of a template with the cells of one row."""

    label: str
    cells: Mapping[str, str]
    findings: list[Finding] = dataclasses.field(default_factory=list)

    def node(self, node: Node) -> Node:
        """Return `node` with the cells in it; keys of empty cells are left out."""
        if isinstance(node, Many):
            return Many(node.span, tuple(self.node(item) for item in node.items))
        if isinstance(node, Pairs):
            pairs = ((key, self.node(value)) for key, value in node.entries)
            return Pairs(node.span, tuple(pair for pair in pairs if not _is_empty(pair[1])))
        return self.text(node) if "$" in node.raw else node

    def text(self, leaf: ScalarNode) -> Node:
        """Return a text with cells; a text that is one `$column` has the cell's own type."""
        text = _PLACE.sub(lambda match: self.cell(match, leaf), leaf.raw)
        if leaf.quoted or not _PLACE.fullmatch(leaf.raw):
            return ScalarNode(leaf.span, text, text, leaf.quoted)
        if text[:1] not in ("[", "{"):
            return ScalarNode(leaf.span, scalar(text), text, leaf.quoted)
        read = parse_yaml(text, leaf.span.file)
        for finding in read.findings:
            message = f"{self.label}: in this cell, {finding.message}"
            self.findings.append(_bad_row(leaf.span, message, finding.hint))
        if read.value is None or read.value.root is None:
            return leaf
        return _move(read.value.root, leaf.span)

    def cell(self, match: re.Match[str], leaf: ScalarNode) -> str:
        """Return the cell that `$column` names; `$$` is a dollar sign."""
        if match[3]:
            return "$"
        name = (match[1] or match[2] or "").strip()
        if name not in self.cells:
            message = f"{self.label}: there is no column `{name}`"
            hint = suggestion(name, self.cells, "columns")
            self.findings.append(_bad_row(leaf.span, message, hint))
        return self.cells.get(name, "")


def _is_empty(value: Node) -> bool:
    return isinstance(value, ScalarNode) and value.raw == "" and not value.quoted


def _move(node: Node, span: Span) -> Node:
    """Return a node of a cell with `span`, the place of the template's `$column`."""
    if isinstance(node, Many):
        return Many(span, tuple(_move(item, span) for item in node.items))
    if isinstance(node, Pairs):
        pairs = ((dataclasses.replace(k, span=span), _move(v, span)) for k, v in node.entries)
        return Pairs(span, tuple(pairs))
    return dataclasses.replace(node, span=span)
