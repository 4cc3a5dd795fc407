"""Journals and roll tables of Foundry: a ruleset's tables, screens and credit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sheetgen.diag.findings import Finding
from sheetgen.exchange.formats import ExportRequest
from sheetgen.exchange.foundry.documents import (
    Document,
    escape_html,
    make_id,
    paragraph,
    plain_name,
    table_html,
)
from sheetgen.plan.pages.player_words import PlayerWords
from sheetgen.plan.pages.references import plan_table_pages
from sheetgen.plan.pages.screen_topics import find_panel_topics
from sheetgen.plan.pages.tables import TablePage, TableView
from sheetgen.prints.characters import load_stock
from sheetgen.render.flow.table_texts import row_texts
from sheetgen.rules.tables.stock import kind_of_tables

_DICE: Final = (4, 6, 8, 10, 12, 20, 100)
_ROLLED: Final = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")


def make_journals(
    request: ExportRequest, module: str, findings: list[Finding]
) -> tuple[list[Document], list[Document]]:
    """Return the journals of tables and of each side of the screen; and roll tables."""
    rules = request.rules
    kinds = (kind_of_tables(table.of) for table in rules.tables.values())
    stock = load_stock(rules, filter(None, kinds))
    planned = plan_table_pages(rules, (), request.options, stock=stock)
    findings += planned.findings
    words = PlayerWords(rules.rulings)
    pages = [words.page(page) for page in planned.value or () if any(page.bands)]
    journals = []
    if pages:
        bodies = [(page.label, _page_html(page)) for page in pages]
        journals.append(_journal(module, f"{rules.title}: tables", bodies))
    sides: dict[str, list[tuple[str, str]]] = {}
    for topic in find_panel_topics(rules, (), request.options, findings):
        blocks = []
        for block, rows in (one for column in topic.columns for one in column):
            blocks.append(f"<h3>{escape_html(words.text(str(block.head)))}</h3>")
            cells = [[cell.replace("*", "") for cell in row] for row in rows.rows]
            blocks.append(table_html(cells, rows.heads if block.kind == "grid" else ()))
            blocks += [paragraph("", rows.text)] if rows.text else []
        sides.setdefault(topic.side, []).append((str(topic.panel.title), "".join(blocks)))
    for side, bodies in sides.items():
        journals.append(_journal(module, f"{rules.title}: screen, {side}", bodies))
    rolled = [
        table for page in pages for view in page.tables for table in _rolled(view, page, module)
    ]
    return journals, rolled


def make_credits(request: ExportRequest, module: str, remark: str, pictures: str) -> Document:
    """Return the journal with the credit of the rules and the steps for the reader."""
    credit = request.rules.credit
    lines = [(request.rules.title, credit.long), ("Licence", credit.licence)]
    lines += [("Changes", credit.changes), ("Pictures", pictures), ("In this system", remark)]
    body = "".join(paragraph(label, text) for label, text in lines if text)
    return _journal(module, f"{request.rules.title}: read me", [("Read me", body)])


def _journal(module: str, name: str, pages: Sequence[tuple[str, str]]) -> Document:
    """Return a journal of pages, each a title and its HTML."""
    journal = make_id(module, "journal", name)
    return {
        "_id": journal,
        "name": plain_name(name),
        "pages": [
            {
                "_id": make_id(journal, title, str(number)),
                "name": plain_name(title),
                "type": "text",
                "title": {"show": True, "level": 1},
                "text": {"content": body, "format": 1},
                "sort": 100_000 * number,
                "ownership": {"default": -1},
                "flags": {},
            }
            for number, (title, body) in enumerate(pages, start=1)
        ],
        "categories": [],
        "folder": None,
        "sort": 0,
        "ownership": {"default": 0},
        "flags": {},
    }


def _page_html(page: TablePage) -> str:
    parts = [paragraph("", page.about)] if page.about else []
    for view in page.tables:
        parts += [f"<h2>{escape_html(view.label)}</h2>"] if view.label else []
        parts += [paragraph("", view.about)] if view.about else []
        parts.append(table_html(list(_cells(view)), [c.number + c.unit for c in view.heads]))
        parts += [paragraph(note.mark, note.text) for note in view.notes]
        parts += [paragraph("", view.text)] if view.text else []
    return "".join(parts)


def _cells(view: TableView) -> Iterator[list[str]]:
    for part in view.parts:
        if part.label:
            yield [part.label, *[""] * (len(view.heads) - 1)]
        yield from ([*row_texts(row, marks=True)] for row in part.rows)


def _rolled(view: TableView, page: TablePage, module: str) -> Iterator[Document]:
    """Yield a table whose first cells are the faces of one die; other rows go below it."""
    spans: list[tuple[int, int, str]] = []
    below = [view.text]
    for first, *rest in _cells(view):
        text = "; ".join(filter(None, rest))
        match = _ROLLED.fullmatch(first)
        if match is None:
            below.append(f"{first}: {text}")
        else:
            spans.append((int(match[1]), int(match[2] or match[1]), text))
    spans.sort()
    ends = [0, *(last for _, last, _ in spans)]
    if ends[-1] not in _DICE or any(s != e + 1 for (s, _, _), e in zip(spans, ends, strict=False)):
        return
    name = view.label or page.label
    table = make_id(module, "table", page.id, name)
    yield {
        "_id": table,
        "name": plain_name(name),
        "description": "".join(paragraph("", text) for text in below if text),
        "formula": f"1d{ends[-1]}",
        "replacement": True,
        "displayRoll": True,
        "results": [
            {
                "_id": make_id(table, str(number)),
                "type": "text",
                "name": "",
                "description": escape_html(text),
                "weight": last - first + 1,
                "range": [first, last],
                "drawn": False,
                "flags": {},
            }
            for number, (first, last, text) in enumerate(spans)
        ],
        "folder": None,
        "sort": 0,
        "ownership": {"default": 0},
        "flags": {},
    }
