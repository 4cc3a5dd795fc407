"""Mistakes in a ruleset's tables: without a column, of another length, not to be worked out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import Table
from sheetgen.model.source import Text
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled, formulas_in, placed_formulas
from sheetgen.rules.formulas.numbers import FORMS
from sheetgen.rules.odds.grid import chance_names
from sheetgen.rules.tables.compute import compute_table
from sheetgen.rules.tables.stock import kind_of_tables, lists_of_kind, names_of_kind
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import (
    ODDS,
    Thing,
    ThingScope,
    carded,
    catalogues,
    known_names,
    thing_name,
    things,
)


def check_tables(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each table that cannot be printed."""
    for id_, table in rules.tables.items():
        span = id_.span if isinstance(id_, Text) else rules.place
        wrong = _shape(table)
        if wrong:
            yield Finding(codes.WRONG_TYPE, span, f"the table `{id_}` {wrong}", _HINT)
        elif kind := kind_of_tables(table.of):
            yield from _of_kind(rules, table, kind)
        elif _known(rules, table):
            yield from _worked(rules, str(id_), span)


def _of_kind(rules: Ruleset, table: Table, kind: str) -> Iterator[Finding]:
    """Yield names in a table of a kind that mean nothing."""
    if kind not in rules.kinds:
        assert isinstance(table.of, Text)
        hint = suggestion(kind, rules.kinds, "kinds")
        yield Finding(codes.DANGLING, table.of.span, f"there is no kind `{kind}`", hint)
        return
    lists = lists_of_kind(rules, kind)
    for each in (column.each for column in table.cells):
        if each is not None and each not in lists:
            hint = suggestion(each, lists, "lists")
            yield Finding(codes.DANGLING, each.span, f"{kind} has no list `{each}`", hint)


def _known(rules: Ruleset, table: Table) -> bool:
    """Whether its catalogue and its ways to write are there; if not, that is said already."""
    written = all(line.as_ in FORMS for line in table.lines)
    return written and (table.of is None or str(table.of) in catalogues(rules))


_HINT = "it has `columns` and `rows`, or `over` and `lines`, or `of` and `cells`"


def _shape(table: Table) -> str:
    """Return what is wrong with the parts that a table has, or nothing."""
    if table.lines:
        if not table.over:
            return "has no column: `over` is missing"
        lacking = [line for line in table.lines if line.value is None and not line.total]
        return f"has a row `{lacking[0].label}` without a value" if lacking else ""
    if table.odds is not None:
        return ""
    if table.of is not None:
        return "" if table.cells else "has no column: `cells` is missing"
    if not table.columns or not table.rows:
        return "has no column" if not table.columns else "has no row"
    uneven = next((row for row in table.rows if len(row) != len(table.columns)), None)
    if uneven is None:
        return ""
    return f"has a row with {len(uneven)} cells and {len(table.columns)} columns"


def _worked(rules: Ruleset, id_: str, span: Span) -> Iterator[Finding]:
    try:
        compute_table(rules, id_)
    except FormulaError as error:
        message = f"the table `{id_}` cannot be worked out: {error}"
        yield Finding(codes.UNANSWERED, span, message)


def card_sets(rules: Ruleset) -> Iterator[Finding]:
    """Yield findings for sets of cards without names or things, and texts without a value."""
    for made in rules.card_sets.values():
        if "name" not in made.texts:
            message = "these cards have no text for `name`"
            yield Finding(codes.MISSING_KEY, made.card.span, message, 'write `name: "{name}"`')
        for of in made.of:
            if of not in carded(rules):
                hint = suggestion(of, carded(rules))
                what = "grid of odds" if of.startswith(f"{ODDS}.") else "catalogue"
                message = f"there is no {what} `{of}`"
                message = "the rules have no grid of odds" if of == ODDS else message
                yield Finding(codes.DANGLING, of.span, message, hint)
            for text in made.texts.values():
                yield from _filled(text, things(rules, str(of)).values(), rules)


def _filled(text: Text, things_: Iterable[Thing], rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for the first thing that `text` cannot be worked out for."""
    for thing in things_:
        try:
            filled(text, ThingScope(rules, RulesetScope(rules), thing))
        except FormulaError as error:
            message = f"`{text}` cannot be worked out for {thing_name(thing)}: {error}"
            yield Finding(codes.UNANSWERED, text.span, message)
            return


def without_build(rules: Ruleset) -> set[str]:
    """Return the names that formulas see without a build: options, prices of advances, chances."""
    named = rules.advances.named if rules.advances else ()
    return {*rules.options, *chance_names(rules), *(f"price.{name}" for name in named)}


def texts_of_tables(rules: Ruleset) -> Iterator[tuple[Text, set[str]]]:
    """Yield the formulas in the texts of tables, and the names that each may use."""
    known = without_build(rules)
    for text in _own_texts(rules):
        yield from ((formula, known) for formula in placed_formulas(text))
    for table in rules.tables.values():
        kind = kind_of_tables(table.of)
        if kind and kind not in rules.kinds:
            continue
        names, lists = (
            (names_of_kind(rules, kind), lists_of_kind(rules, kind))
            if kind
            else (known | known_names(rules, str(table.of)), {})
        )
        for column in (c for c in table.cells if c.each is None or c.each in lists):
            more = lists.get(str(column.each), set())
            yield from ((text, names | more) for text in formulas_in(column.text))


def texts_of_cards(rules: Ruleset) -> Iterator[tuple[Text, set[str]]]:
    """Yield the formulas in the texts of cards, and the names that each may use."""
    for made in rules.card_sets.values():
        names = without_build(rules) | known_names(rules, *map(str, made.of))
        for text in made.texts.values():
            yield from ((formula, names) for formula in formulas_in(text))


def _own_texts(rules: Ruleset) -> Iterator[Text | str]:
    """Yield the texts of tables and of their pages that may hold formulas of options."""
    for table in rules.tables.values():
        yield from (table.label, table.about, table.text)
        yield from (cell for row in table.rows for cell in row)
        yield from (line.label for line in table.lines)
    yield from (reference.about for reference in rules.references.values())
