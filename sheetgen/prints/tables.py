"""Print a ruleset's reference tables: load, check, compare with the source, plan, render."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import RULESET, Finding, Severity, errors
from sheetgen.model.books import BookEntry
from sheetgen.model.requests import FileFormat, PrintRequest, SharedOptions
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.pages.screen_blocks import SignWriter
from sheetgen.plan.pages.tables import PlayerWords, TablePage, list_page_names, plan_table_pages
from sheetgen.plan.tableflow import SplitTable
from sheetgen.prints.characters import load_stock
from sheetgen.prints.context import PrintContext, PrintResult, file_stem, name_words
from sheetgen.prints.kinds import PrintKind
from sheetgen.prints.pages import load_page_style, page_context, render_pages
from sheetgen.prints.rulesets import (
    CheckedRuleset,
    find_unknown_parts,
    print_rulesets,
    use_known_names,
)
from sheetgen.records import frozen
from sheetgen.render.flow.table_pages import render_tables
from sheetgen.render.table_texts import format_csv, format_json, format_markdown
from sheetgen.rules.tables.compute import kind_of_tables


@frozen
class TableRequest(PrintRequest):
    """Tables to print.

    Attributes:
        only: Only these pages or tables.
        numbers: What tables are computed for instead of their own rows; empty for these.
        notes: Whether to print what a source prints otherwise, and what it leaves open.
    """

    kind: ClassVar[str] = "tables"

    only: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    notes: bool = False


def print_tables(request: TableRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the tables of each ruleset of a request, or only the pages that it names."""
    return print_rulesets(request, context, _print)


def find_wrong_tables(request: TableRequest, rules: Ruleset) -> tuple[Finding, ...]:
    """Return a finding for each page or table of a request that the ruleset does not have."""
    names, place = list_page_names(rules), request.at(RULESET)
    return find_unknown_parts(request.only, names, "table", place, rules.title)


def _print(request: TableRequest, checked: CheckedRuleset, rules: Ruleset) -> Iterator[PrintResult]:
    if wrong := find_wrong_tables(request, rules):
        yield PrintResult(findings=wrong)
        return
    request = replace(request, only=use_known_names(request.only, list_page_names(rules)))
    kinds = (kind_of_tables(table.of) for table in rules.tables.values())
    about_stock: list[Finding] = []
    stock = load_stock(rules, filter(None, kinds), dict(request.options), about_stock)

    def plan(*, cut: bool) -> tuple[list[TablePage], tuple[Finding, ...]]:
        pages = plan_table_pages(
            rules,
            request.only,
            checked.options,
            checked.differences,
            request.numbers,
            cut=cut,
            stock=stock,
        )
        return [page for page in pages.value or () if any(page.bands)], pages.findings

    pages, findings = plan(cut=True)
    labels = ", ".join(page.label for page in pages)
    title = f"{labels}: {rules.title}" if request.only else f"{rules.title}, tables"
    words = name_words(rules, request.kind)
    parts = [file_stem(str(rules.id)), *(request.only or (request.kind,))]
    stem = "-".join(parts).replace(" ", "-")
    codes, notes = rules.rulings, request.notes
    shown = PlayerWords(codes, notes=notes, signs=SignWriter(rules))
    plain, data = (PlayerWords(codes, notes=notes, data=kept) for kept in (False, True))
    printed = render_table_pages([*map(shown.page, pages)], rules, title, request)
    of = (view.worked.table.of for page in pages for view in page.tables if view.worked)
    about_rows = about_stock if any(map(kind_of_tables, of)) else ()
    yield PrintResult(findings=(*findings, *about_rows, *printed.findings))
    if errors(printed.findings):
        return
    if {"md", "csv", "json"}.intersection(request.formats):
        text_title = title if request.only else rules.title
        pages = plan(cut=False)[0]
        read, kept = ([*map(one.page, pages)] for one in (plain, data))
        texts = _render_texts(read, kept, rules, request, stem, text_title)
        for name, format_, content in sorted(texts):
            yield PrintResult({format_: content}, words=words, stem=name)
    yield replace(printed, findings=(), words=words, stem=stem)


def render_table_pages(
    pages: Sequence[TablePage], rules: Ruleset, title: str, request: PrintRequest
) -> PrintResult:
    """Return pages of tables as PDF and HTML, as far as the request has these formats."""
    style = load_page_style(request, rules)
    if style.value is None:
        return PrintResult(findings=style.findings)
    context = page_context(rules, title, request)
    split: list[SplitTable] = []
    parts = pages, style.value, context, split
    printed = render_pages(request, lambda one: render_tables(one, *parts))
    text = request.kind == TableRequest.kind
    found = (_describe_split(table, rules, text=text) for table in split)
    return replace(printed, findings=(*style.findings, *printed.findings, *found))


def _describe_split(table: SplitTable, rules: Ruleset, *, text: bool) -> Finding:
    place = next((k.span for k in rules.tables if k == table.id and isinstance(k, Text)), None)
    counts = ", ".join(map(str, table.columns))
    message = f"{table.label} is wider than the paper: its columns are in parts of {counts}"
    others = "HTML or CSV" if text else "HTML"
    hint = f"shorten its texts, leave columns out, or print it as {others}"
    return Finding(codes.SPLIT_TABLE, place or rules.place, message, hint, Severity.NOTE)


def _render_texts(
    pages: Sequence[TablePage],
    data: Sequence[TablePage],
    rules: Ruleset,
    request: PrintRequest,
    stem: str,
    title: str,
) -> Iterator[tuple[str, FileFormat, bytes]]:
    """Yield the stem, the format and the content of each text file.

    Args:
        pages: As they are read.
        data: As they are computed with.
    """
    credit = rules.credit.short
    if request.wants("md"):
        yield stem, "md", format_markdown(pages, title, credit).encode()
    if request.wants("json"):
        yield stem, "json", format_json(data, str(rules.id), rules.version, credit).encode()
    for view in (view for page in data for view in page.tables):
        if request.wants("csv") and view.worked is not None:
            name = f"{file_stem(str(rules.id))}-{view.worked.id}"
            yield name, "csv", format_csv(view, credit).encode()


def _read_entry(entry: BookEntry, shared: SharedOptions) -> TableRequest:
    return TableRequest(**shared, only=tuple(map(str, entry.only)))


TABLE_KIND: Final = PrintKind(
    TableRequest,
    "Tables",
    print_tables,
    job="ruleset",
    read_entry=_read_entry,
    word=TableRequest.kind,
)
