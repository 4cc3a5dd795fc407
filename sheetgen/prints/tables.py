"""Print a ruleset's reference tables: load, check, compare with the source, plan, render."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import RULESET, Finding, Severity, errors
from sheetgen.model.requests import FileFormat, PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.pages.signs import SignWriter
from sheetgen.plan.pages.tables import PlayerWords, TablePage, list_page_names, plan_table_pages
from sheetgen.plan.tableflow.columns import SplitTable
from sheetgen.prints.characters import load_stock
from sheetgen.prints.context import PrintResult, file_stem, name_words
from sheetgen.prints.kinds import PrintKind
from sheetgen.prints.rulesets import (
    CheckedRuleset,
    find_unknown_parts,
    load_page_style,
    page_context,
    print_rulesets,
    render_pages,
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
    words_for = partial(PlayerWords, rules.rulings, notes=request.notes)
    shown = words_for(signs=SignWriter(rules))
    printed = render_table_pages([*map(shown.page, pages)], rules, title, request)
    of = (view.worked.table.of for page in pages for view in page.tables if view.worked)
    about_rows = about_stock if any(map(kind_of_tables, of)) else ()
    yield PrintResult(findings=(*findings, *about_rows, *printed.findings))
    if errors(printed.findings):
        return
    if {"md", "csv", "json"}.intersection(request.formats):
        text_title, credit = title if request.only else rules.title, rules.credit.short
        pages = plan(cut=False)[0]
        # As they are read, and as they are computed with.
        read, data = ([*map(words_for(data=kept).page, pages)] for kept in (False, True))
        texts: list[tuple[str, FileFormat, str]] = []
        if request.wants("md"):
            texts.append((stem, "md", format_markdown(read, text_title, credit)))
        if request.wants("json"):
            as_json = format_json(data, str(rules.id), rules.version, credit)
            texts.append((stem, "json", as_json))
        for view in (view for page in data for view in page.tables if request.wants("csv")):
            if view.worked is not None:
                name = f"{file_stem(str(rules.id))}-{view.worked.id}"
                texts.append((name, "csv", format_csv(view, credit)))
        for name, format_, text in sorted(texts):
            yield PrintResult({format_: text.encode()}, words=words, stem=name)
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
    others = "HTML or CSV" if request.kind == TableRequest.kind else "HTML"
    findings = [*style.findings, *printed.findings]
    for table in split:
        place = next((k.span for k in rules.tables if k == table.id and isinstance(k, Text)), None)
        counts = ", ".join(map(str, table.columns))
        message = f"{table.label} is wider than the paper: its columns are in parts of {counts}"
        hint = f"shorten its texts, leave columns out, or print it as {others}"
        span, note = place or rules.place, Severity.NOTE
        findings.append(Finding(codes.SPLIT_TABLE, span, message, hint, note))
    return replace(printed, findings=tuple(findings))


TABLE_KIND: Final = PrintKind(
    TableRequest,
    "Tables",
    partial(print_rulesets, print_one=_print),
    job="ruleset",
    read_entry=lambda entry, shared: TableRequest(**shared, only=tuple(map(str, entry.only))),
    word=TableRequest.kind,
)
