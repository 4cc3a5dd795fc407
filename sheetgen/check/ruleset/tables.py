"""Mistakes in a ruleset's tables and cards: missing columns, uneven rows, values that fail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sheetgen.check.ruleset.references import check_known_names
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import Table
from sheetgen.model.source import Text, text_place
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled, formulas_in, placed_formulas
from sheetgen.rules.formulas.numbers import FORMS
from sheetgen.rules.odds.grid import chance_names
from sheetgen.rules.tables.compute import OTHERS, compute_table, rows_of_things
from sheetgen.rules.tables.stock import kind_of_tables, lists_of_kind, names_of_kind
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import (
    ODDS,
    Thing,
    ThingScope,
    carded,
    catalogues,
    known_names,
    tags_of,
    thing_name,
    things,
)


def check_tables(rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for each table that cannot be printed."""
    for id_, table in rules.tables.items():
        span = text_place(id_, rules.place)
        wrong = _shape(table)
        if wrong:
            yield Finding(codes.WRONG_TYPE, span, f"the table `{id_}` {wrong}", _HINT)
            continue
        yield from _out_of_place(id_, table, span)
        if kind := kind_of_tables(table.of):
            yield from _of_kind(rules, table, kind)
        elif _known(rules, table):
            yield from _worked(rules, str(id_), span)


def check_rows_left_out(rules: Ruleset) -> Iterator[Finding]:
    """Warn of things that no table shows, though tables show the rest of their catalogue."""
    by_catalogue: dict[str, list[Table]] = {}
    for table in rules.tables.values():
        if table.of is not None and not kind_of_tables(table.of):
            by_catalogue.setdefault(str(table.of), []).append(table)
    for of, tables in by_catalogue.items():
        found = things(rules, of)
        shown = {id(thing) for table in tables for thing in rows_of_things(table, found)}
        tags = dict.fromkeys(str(tag) for table in tables for tag in (*table.where, *table.parts))
        meant = [tag for tag in tags if tag != OTHERS]
        for id_, thing in found.items():
            hidden = any({str(id_), *tags_of(thing)} & set(table.without) for table in tables)
            if id(thing) not in shown and not hidden and meant:
                message = f"no table shows {thing_name(thing)}; they show other things of `{of}`"
                hint = f"give it one of their tags: {', '.join(meant)}"
                place = text_place(id_, rules.place)
                yield Finding(codes.DANGLING, place, message, hint, severity=Severity.WARNING)


def _of_kind(rules: Ruleset, table: Table, kind: str) -> Iterator[Finding]:
    """Yield a finding for each unknown name in a table of a kind."""
    assert isinstance(table.of, Text)
    kinds = [*check_known_names([(Text(kind, table.of.span), rules.kinds, "kind")], rules.place)]
    yield from kinds
    if not kinds:
        lists = lists_of_kind(rules, kind)
        names = ((column.each, lists, f"list of {kind}") for column in table.cells)
        yield from check_known_names(names, rules.place)


def _known(rules: Ruleset, table: Table) -> bool:
    """Whether its catalogue and number formats exist; findings about these are made elsewhere."""
    written = all(line.as_ in FORMS for line in table.lines)
    return written and (table.of is None or str(table.of) in catalogues(rules))


_HINT = "it has `columns` and `rows`, or `over` and `lines`, or `of` and `cells`"


def _shape(table: Table) -> str:
    """Return what is wrong with the table's parts, or an empty text."""
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


def _out_of_place(id_: str, table: Table, span: Span) -> Iterator[Finding]:
    """Find tinted columns that are not there, and labels without a column."""
    for n in table.tint:
        if n not in table.over:
            message = f"`tint` of the table `{id_}` has {n}, and `over` has not"
            yield Finding(codes.WRONG_TYPE, span, message, "name values of `over`")
    for line in table.lines:
        if len(line.also) > len(table.heads):
            message = f"the row `{line.label}` has {len(line.also)} in `also`, and the table "
            message += f"`{id_}` has {len(table.heads)} in `heads`"
            yield Finding(codes.WRONG_TYPE, span, message, "name a heading for each of `also`")


def _worked(rules: Ruleset, id_: str, span: Span) -> Iterator[Finding]:
    try:
        compute_table(rules, id_)
    except FormulaError as error:
        message = f"the table `{id_}` cannot be computed: {error}"
        yield Finding(codes.UNANSWERED, span, message)


def check_card_sets(rules: Ruleset) -> Iterator[Finding]:
    """Yield findings for sets of cards without names or things, and texts without a value."""
    for cards in rules.card_sets.values():
        if "name" not in cards.texts:
            message = "these cards have no text for `name`"
            yield Finding(codes.MISSING_KEY, cards.card.span, message, 'write `name: "{name}"`')
        for of in cards.of:
            if of not in carded(rules):
                hint = suggestion(of, carded(rules))
                what = "grid of odds" if of.startswith(f"{ODDS}.") else "catalogue"
                message = f"there is no {what} `{of}`"
                message = "the rules have no grid of odds" if of == ODDS else message
                yield Finding(codes.DANGLING, of.span, message, hint)
            for text in cards.texts.values():
                yield from _filled(text, things(rules, str(of)).values(), rules)


def _filled(text: Text, things_: Iterable[Thing], rules: Ruleset) -> Iterator[Finding]:
    """Yield a finding for the first thing for which `text` cannot be computed."""
    for thing in things_:
        try:
            filled(text, ThingScope(rules, RulesetScope(rules), thing))
        except FormulaError as error:
            message = f"`{text}` cannot be computed for {thing_name(thing)}: {error}"
            yield Finding(codes.UNANSWERED, text.span, message)
            return


def without_build(rules: Ruleset) -> set[str]:
    """Return the names that formulas see without a build: options, prices of advances, odds."""
    named = rules.advances.named if rules.advances else ()
    return {*rules.options, *chance_names(rules), *(f"price.{name}" for name in named)}


def texts_of_tables(rules: Ruleset) -> Iterator[tuple[Text, set[str]]]:
    """Yield the formulas in the texts of tables, with the names that each may use."""
    known = without_build(rules)
    for text in _own_texts(rules):
        yield from ((formula, known) for formula in placed_formulas(text))
    for table in rules.tables.values():
        kind = kind_of_tables(table.of)
        if kind and kind not in rules.kinds:
            continue
        names, lists = (
            ({*names_of_kind(rules, kind)}, lists_of_kind(rules, kind))
            if kind
            else (known | known_names(rules, str(table.of)), {})
        )
        for column in (c for c in table.cells if c.each is None or c.each in lists):
            more = lists.get(str(column.each), set())
            yield from ((text, names | more) for text in formulas_in(column.text))


def texts_of_cards(rules: Ruleset) -> Iterator[tuple[Text, set[str]]]:
    """Yield the formulas in the texts of cards, with the names that each may use."""
    known = carded(rules)
    for cards in rules.card_sets.values():
        if not set(cards.of) <= set(known):
            continue
        names = without_build(rules) | known_names(rules, *map(str, cards.of))
        for text in cards.texts.values():
            yield from ((formula, names) for formula in formulas_in(text))


def _own_texts(rules: Ruleset) -> Iterator[Text | str]:
    """Yield the texts of tables and of their pages that may hold formulas of options."""
    for table in rules.tables.values():
        yield from (table.label, table.about, table.text)
        yield from (cell for row in table.rows for cell in row)
        yield from (line.label for line in table.lines)
    yield from (reference.about for reference in rules.references.values())
