"""Mistakes in the panels of a screen: wrong formulas, and rows or columns that no table has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.tables import without_build
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.screens import ScreenBlock
from sheetgen.model.source import Source, Text
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import formulas_in, placed_formulas
from sheetgen.rules.tables.screen_rows import NoSuchRow, rows_of

MOST_CELLS: Final = 3
"""Of a line: a number or word, a text, a note; a grid has as many as its table."""


def check_screens(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each block that cannot be printed as the ruleset is played by default."""
    options, _ = resolve_options(Source("", "", None, ""), rules, {})
    for block in _blocks(rules):
        try:
            rows = rows_of(rules, block, options)
            wide = max((len(row) for row in rows.rows), default=0) if rows else 0
            if rows is not None:
                yield from _idle(rules, block, shown=bool(rows.rows or rows.text))
            if wide > MOST_CELLS and block.kind not in ("grid", "curves"):
                yield _too_wide(block, wide)
        except NoSuchRow as error:
            message = f"the block `{block.head}` cannot be worked out: {error}"
            missing = next((name for name in block.tables if name not in rules.tables), None)
            hint = suggestion(missing, rules.tables, "tables") if missing is not None else ""
            yield Finding(codes.DANGLING, _named(block, str(error)), message, hint)
        except FormulaError:
            # Its formulas, and those of its tables, are looked at one by one elsewhere.
            continue


def _idle(rules: Ruleset, block: ScreenBlock, *, shown: bool) -> Iterator[Finding]:
    """Find a block without a row, and `over` where no table computes figures."""
    if not shown:
        hint = "name `tables`, `rows` or `text`; `rows_from` and `only` may leave no row"
        yield Finding(codes.WRONG_TYPE, block.head.span, f"the block `{block.head}` is empty", hint)
    if block.over and not any(rules.tables[n].lines for n in block.tables if n in rules.tables):
        message = f"`over` of the block `{block.head}` means nothing: its tables have no `lines`"
        yield Finding(codes.WRONG_TYPE, block.head.span, message, "take `over` out")


def _too_wide(block: ScreenBlock, wide: int) -> Finding:
    message = f"the block `{block.head}` has {wide} columns, and its kind shows {MOST_CELLS}"
    hint = "name those that it shows, `columns: […]`, or write `kind: grid`"
    return Finding(codes.WRONG_TYPE, block.head.span, message, hint)


def texts_of_screens(rules: Ruleset) -> Iterator[tuple[Text, set[str]]]:
    """Yield the formulas in blocks, and the names that each may use."""
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
    """Return where the word stands that a message quotes last, or the head of the block."""
    words = (*block.tables, *block.columns, *block.only, *block.notes, *block.call)
    found = [w for w in words if isinstance(w, Text) and message.endswith(f"`{w}`")]
    return found[0].span if found else block.head.span
