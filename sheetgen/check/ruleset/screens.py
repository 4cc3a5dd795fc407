"""Mistakes in screens: formulas in headings, and rows or columns that no table has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.tables import without_build
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.screens import DEFAULT_STRONG, ScreenBlock
from sheetgen.model.source import EMPTY_SOURCE, Text
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import formulas_in, placed_formulas
from sheetgen.rules.tables.screen_rows import NoSuchRow, rows_of

MOST_CELLS: Final = 3
"""The most cells of a line: a number or word, a text, a note; a grid has no limit."""


def check_screens(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each block that cannot be printed with the default options."""
    options, _ = resolve_options(EMPTY_SOURCE, rules, {})
    yield from _braces(rules)
    for block in _blocks(rules):
        try:
            rows = rows_of(rules, block, options)
            wide = max((len(row) for row in rows.rows), default=0) if rows else 0
            if rows is not None:
                yield from _idle(rules, block, shown=bool(rows.rows or rows.text))
                yield from _out_of_range(rules, block, options)
            if wide > MOST_CELLS and block.kind not in ("grid", "curves"):
                yield _too_wide(block, wide)
        except NoSuchRow as error:
            message = f"the block `{block.head}` cannot be computed: {error}"
            missing = next((name for name in block.tables if name not in rules.tables), None)
            hint = suggestion(missing, rules.tables, "tables") if missing is not None else ""
            yield Finding(codes.DANGLING, _named(block, str(error)), message, hint)
        except FormulaError:
            continue  # its formulas, and those of its tables, are checked one by one elsewhere


def _braces(rules: Ruleset) -> Iterator[Finding]:
    """Find formulas in headings and titles, which are printed as they are."""
    panels = [panel for screen in rules.screens.values() for panel in screen.panels.values()]
    for key, text in [
        *(("title", panel.title) for panel in panels),
        *(("head", block.head) for block in _blocks(rules)),
    ]:
        if "{" in text:
            message = f"`{key}` takes no formulas: its braces are printed as they are"
            hint = "remove them, or move them to `subtitle` or `about`"
            severity = Severity.WARNING
            yield Finding(codes.BAD_FORMULA, text.span, message, hint, severity=severity)


def _idle(rules: Ruleset, block: ScreenBlock, *, shown: bool) -> Iterator[Finding]:
    """Find a block without a row, and `over` where no table has computed rows."""
    if not shown:
        hint = "name `tables`, `rows` or `text`; `rows_from` and `only` may leave no row"
        yield Finding(codes.WRONG_TYPE, block.head.span, f"the block `{block.head}` is empty", hint)
    if block.over and not any(rules.tables[n].lines for n in block.tables if n in rules.tables):
        message = f"`over` of the block `{block.head}` has no effect: its tables have no `lines`"
        yield Finding(codes.WRONG_TYPE, block.head.span, message, "remove `over`")


def _out_of_range(
    rules: Ruleset, block: ScreenBlock, options: Mapping[str, Value]
) -> Iterator[Finding]:
    """Find `rows_to` and `strong` beyond the rows and columns of the block's tables."""
    every = rows_of(rules, replace(block, rows_from=1, rows_to=0, rows=()), options)
    if every is None or every.grid is not None or not block.tables:
        return
    wide = max((len(row) for row in every.rows), default=0)
    for key, value, most, what in (
        ("rows_to", block.rows_to, len(every.rows), "row"),
        ("strong", 0 if block.strong == DEFAULT_STRONG else block.strong, wide, "column"),
    ):
        if value > most:
            message = f"`{key}` of the block `{block.head}` is {value}, and its tables have "
            hint = f"write {most} or less, or leave `{key}` out"
            message += f"{most} {what}{'s' * (most != 1)}"
            yield Finding(codes.WRONG_TYPE, block.head.span, message, hint)


def _too_wide(block: ScreenBlock, wide: int) -> Finding:
    message = f"the block `{block.head}` has {wide} columns, and its kind shows {MOST_CELLS}"
    hint = "name those that it shows, `columns: […]`, or write `kind: grid`"
    return Finding(codes.WRONG_TYPE, block.head.span, message, hint)


def texts_of_screens(rules: Ruleset) -> Iterator[tuple[Text, set[str]]]:
    """Yield the formulas in panels and blocks, with the names that each may use."""
    known = without_build(rules)
    panels = [panel for screen in rules.screens.values() for panel in screen.panels.values()]
    for text in [*(p.subtitle for p in panels), *(t for b in _blocks(rules) for t in _texts(b))]:
        yield from ((formula, known) for formula in placed_formulas(text))
    for block in _blocks(rules):
        for note in block.notes.values():
            yield from ((formula, known | {"note"}) for formula in formulas_in(note))


def _blocks(rules: Ruleset) -> Iterator[ScreenBlock]:
    for screen in rules.screens.values():
        for panel in screen.panels.values():
            yield from (block for column in panel.columns for block in column)


def _texts(block: ScreenBlock) -> Iterator[Text | str]:
    yield block.about
    yield from (cell for row in block.rows for cell in row)
    if block.text is not None:
        yield block.text


def _named(block: ScreenBlock, message: str) -> Span:
    """Return the place of the word that a message quotes last, or of the block's heading."""
    words = (*block.tables, *block.columns, *block.only, *block.notes, *block.call)
    found = [w for w in words if isinstance(w, Text) and message.endswith(f"`{w}`")]
    return found[0].span if found else block.head.span
