"""Orders of pages that flow: tables, screens, fights, odds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors, raise_warnings
from sheetgen.diag.near import suggestion
from sheetgen.model.books import Order
from sheetgen.plan.pages.references import list_page_names, plan_table_pages
from sheetgen.plan.pages.screens import list_panel_names
from sheetgen.prints.characters import stock_of
from sheetgen.prints.context import (
    OrderResult,
    Print,
    PrintContext,
    proof_for,
    request_of,
    words_of,
)
from sheetgen.prints.encounter import encounter_of, print_encounter
from sheetgen.prints.odds import grids_of, print_odds
from sheetgen.prints.screen import print_screens
from sheetgen.prints.tables import print_tables, proof_in
from sheetgen.rules.tables.stock import kind_of_tables


def order_tables(order: Order, desk: PrintContext, made: OrderResult) -> None:
    """Print reference tables."""
    for name in order.of:
        read = proof_for(name, order, desk, made)
        if (
            read is None
            or read.rules is None
            or not _known(list_page_names(read.rules), order, made)
        ):
            continue
        rules = read.rules
        kinds = (kind_of_tables(table.of) for table in rules.tables.values())
        stock = stock_of(rules, filter(None, kinds), dict(order.options))
        pages = plan_table_pages(
            rules, order.only, read.options, read.differences, (), cut=True, stock=stock
        )
        made.findings += pages.findings
        shown = [page for page in pages.value or () if any(page.bands)]
        title = f"{rules.title}, tables"
        if order.only:
            title = f"{', '.join(page.label for page in shown)}: {rules.title}"
        printed = print_tables(shown, rules, title, request_of(order))
        made.findings += printed.findings
        made.prints.append(Print(words_of(rules, "tables"), printed.value or {}))


def _known(known: Mapping[str, object] | tuple[str, ...], order: Order, made: OrderResult) -> bool:
    """Whether all that an order wants only is there."""
    for name in order.only:
        if name not in known:
            message, hint = f"there is no `{name}` among them", suggestion(name, known, "names")
            made.findings.append(Finding(codes.DANGLING, order.place, message, hint))
    return all(name in known for name in order.only)


def order_screens(order: Order, desk: PrintContext, made: OrderResult) -> None:
    """Print screens."""
    for name in order.of:
        read = proof_for(name, order, desk, made)
        if read is None or read.rules is None:
            continue
        rules, panels = read.rules, list_panel_names(read.rules)
        if not panels:
            message = f"{rules.title} has no screen"
            made.findings.append(Finding(codes.EMPTY, order.place, message))
        if not panels or not _known(panels, order, made):
            continue
        title = f"Screen: {rules.title}"
        printed = print_screens(rules, order.only, read.options, title, request_of(order))
        made.findings += printed.findings
        made.prints.append(Print(words_of(rules, "screen"), printed.value or {}))


def encounters(order: Order, desk: PrintContext, made: OrderResult) -> None:
    """Print the pages of fights."""
    for path in order.of:
        staged = encounter_of(Path(path), dict(order.options))
        made.findings += staged.findings
        found = raise_warnings(staged.findings) if order.strict else staged.findings
        if staged.encounter is None or errors(found):
            continue
        rules = staged.encounter.rules
        made.used(rules)
        otherwise = proof_in((Path(rules.composition.origins[-1].folder),)).differences
        printed = print_encounter(staged, request_of(order), {one.what: one for one in otherwise})
        made.findings += printed.findings
        words = {**words_of(rules, "encounter"), "stem": Path(path).stem}
        made.prints.append(Print({**words, "name": staged.encounter.title}, printed.files))


def order_odds(order: Order, desk: PrintContext, made: OrderResult) -> None:
    """Print grids of odds."""
    for name in order.of:
        read = proof_for(name, order, desk, made)
        if read is None or read.rules is None:
            continue
        rules = read.rules
        grids = grids_of(rules, read.options)
        made.findings += grids.findings
        if not grids.value:
            message = f"{rules.title} lists no odds"
            made.findings.append(Finding(codes.EMPTY, order.place, message))
            continue
        printed = print_odds(grids.value, rules, f"Odds: {rules.title}", request_of(order))
        made.findings += printed.findings
        made.prints.append(Print(words_of(rules, "odds"), printed.value or {}))
