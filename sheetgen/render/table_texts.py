"""Tables as text: Markdown with aligned pipes, CSV, and data for JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sheetgen.diag.visible import visible_json
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plan.pages.tables import RowView, TablePage, TableView


def format_markdown(pages: Sequence[TablePage], title: str, credit: str) -> str:
    """Return all tables of `pages` as Markdown, pipes aligned, footnotes below."""
    blocks = [block for page in pages for block in format_markdown_page(page)]
    return "\n\n".join([f"# {_escaped(title)}", *blocks, credit]) + "\n"


def format_markdown_page(page: TablePage) -> Iterator[str]:
    """Yield the blocks of a page: its heading, its tables, and their footnotes."""
    yield f"## {_escaped(page.label)}"
    if page.about:
        yield f"*{_escaped(page.about)}*"
    for view in page.tables:
        if view.label:
            yield f"### {_escaped(view.label)}"
        if view.about:
            yield f"*{_escaped(view.about)}*"
        parts = [False] if any(part.label for part in view.parts) else []
        right = [*parts, *(cell.figure for cell in view.heads)]
        yield format_markdown_table(list(_grid(view, marks=True)), right)
        yield from (f"({note.mark}) {_escaped(note.text)}" for note in view.notes)
        if view.text:
            yield _escaped(view.text)


def format_markdown_table(rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    """Return `rows`, the first of them heads, with aligned pipes."""
    cells = [[_escaped(cell) for cell in row] for row in rows]
    widths = [max(3, *(len(row[at]) for row in cells)) for at in range(len(right))]
    columns = list(zip(widths, right, strict=True))
    rule = ["-" * (width - 1) + (":" if flush else "-") for width, flush in columns]
    lines = []
    for row in (cells[0], rule, *cells[1:]):
        pairs = zip(row, columns, strict=True)
        padded = (cell.rjust(w) if flush else cell.ljust(w) for cell, (w, flush) in pairs)
        lines.append("| " + " | ".join(padded) + " |")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Return `text` with nothing in it that Markdown or the HTML in it would take for a sign."""
    for sign in "\\|<*_`[":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def format_csv(view: TableView, credit: str) -> str:
    """Return a table as CSV; footnotes are in a last column, `Notes`, where there are some."""
    heads, *rows = _grid(view, marks=False)
    if view.notes:
        heads.append("Notes")
        texts = {note.mark: note.text for note in view.notes}
        found = [dict.fromkeys(mark for mark, _ in _marks(view, at)) for at in range(len(rows))]
        marked = {mark for marks in found for mark in marks}
        if found:  # the notes of no row, such as of heads, are in the first
            found[0] |= dict.fromkeys(mark for mark in texts if mark not in marked)
        for row, marks in zip(rows, found, strict=True):
            row.append("; ".join(texts[mark] for mark in marks if mark in texts))
    return csv_text((heads, *rows), credit)


def csv_text(rows: Iterable[Iterable[str]], credit: str) -> str:
    """Return rows as RFC 4180 says: commas, double quotes, CR LF.

    The last row has one cell, which begins with `#`: the credit and the file's seal.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows(rows)
    writer.writerow([f"# {credit} {PLACEHOLDER}"])
    return out.getvalue()


def format_json(pages: Sequence[TablePage], ruleset: str, version: int, credit: str) -> str:
    """Return all tables as JSON, with the credit."""
    tables: dict[str, Any] = {}
    for page, view in [(one, view) for one in pages for view in one.tables]:
        if view.worked is None:
            continue
        heads, *rows = _grid(view, marks=False)
        tables[view.worked.id] = {
            "page": page.id,
            "label": view.label or page.label,
            "about": view.about,
            "columns": heads,
            "rows": rows,
            "notes": {note.mark: note.text for note in view.notes},
            "marks": [
                {"row": at, "column": column, "head": heads[column], "mark": mark}
                for at in range(len(rows))
                for mark, column in _marks(view, at)
            ],
            "text": view.text,
        }
    data = {"_credit": credit, "ruleset": ruleset, "version": version, "tables": tables}
    data["_seal"] = PLACEHOLDER
    return visible_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n"


def _marks(view: TableView, at: int) -> Iterator[tuple[str, int]]:
    """Yield the marks in a row of the grid, each with its column there."""
    rows = [row for part in view.parts for row in part.rows]
    column = int(any(part.label for part in view.parts))
    for cell in rows[at].cells:
        if cell.mark:
            yield cell.mark, column
        column += cell.span


def _grid(view: TableView, *, marks: bool) -> Iterator[list[str]]:
    """Yield heads and rows of a table as texts; its parts become a first column."""
    named = any(part.label for part in view.parts)
    yield [*(["Group"] if named else []), *(cell.number + cell.unit for cell in view.heads)]
    label = ""
    for part in view.parts:
        label = part.label or label
        for row in part.rows:
            yield [*([label] if named else []), *row_texts(row, marks=marks)]


def row_texts(row: RowView, *, marks: bool) -> Iterator[str]:
    """Yield the texts of a row, and an empty one for each further column that a cell spans."""
    for cell in row.cells:
        mark = f" ({cell.mark})" if marks and cell.mark else ""
        yield from (f"{cell.number}{cell.unit}{mark}", *[""] * (cell.span - 1))
