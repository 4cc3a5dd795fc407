"""Printed tables against computed ones, cell by cell, and the formulas printed beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from sheetgen.check.proof.proofs import Bench, dangling, kind_of_texts, ruling_of, same
from sheetgen.check.proof.things import agree
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.proof import Proof
from sheetgen.rules.formulas.evaluate import Inner, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.numbers import FORMS, as_figure
from sheetgen.rules.formulas.readings import TEXT, as_formula, kind_of_difference, normal_text
from sheetgen.rules.names import folded
from sheetgen.rules.tables.compute import ComputedTable, TableRow, compute_table
from sheetgen.rules.tables.tables import RulesetScope

MANY = 4
"""From so many differing cells on, a row is said as a whole."""


def cells(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield the differences between a printed table and that of the ruleset."""
    if proof.table is None:
        return
    if proof.table not in bench.rules.tables:
        hint = suggestion(proof.table, bench.rules.tables, "tables")
        raise dangling(proof.table.span, f"there is no table `{proof.table}`", hint)
    made = compute_table(bench.rules, str(proof.table), bench.options, turn=False)
    places = _places(proof, made)
    by_label = {normal_text(" ".join(row.labels).strip()): at for at, row in enumerate(made.rows)}
    for seed in bench.rows(proof):
        label = " ".join(bench.cell(seed, column) for column in proof.label)
        at = by_label.get(normal_text(label.strip()))
        if at is None:
            printed = ", ".join(seed.cells[column] for column in proof.columns)
            yield _of_row(proof, seed, made, -1, TEXT, printed, "no such row")
            continue
        for column in places:
            bench.cell(seed, column)
        yield from _row(proof, seed, made, at, places)
        if proof.formula:
            yield from _formula(proof, bench, seed, made, at)


def _places(proof: Proof, made: ComputedTable) -> Mapping[str, int]:
    heads = {folded(head): at for at, head in enumerate(made.columns)}
    places = {}
    for column, head in (*proof.columns.items(), *proof.within.items()):
        if folded(head) not in heads:
            hint = suggestion(head, made.columns, "columns")
            raise dangling(proof.file.span, f"`{made.id}` has no column `{head}`", hint)
        places[str(column)] = heads[folded(head)]
    return places


def _row(
    proof: Proof, seed: SeedRow, made: ComputedTable, at: int, places: Mapping[str, int]
) -> Iterator[Difference]:
    row = made.rows[at]
    wrong = [c for c, place in places.items() if not _agree(proof, seed, c, row.cells[place])]
    if len(wrong) >= MANY:
        printed = ", ".join(seed.cells[column] for column in places)
        computed = ", ".join(row.cells[place] for place in places.values())
        yield _of_row(proof, seed, made, at, TEXT, printed, computed)
        return
    for column in wrong:
        place = places[column]
        exact = row.values[place] if row.values else None
        printed, computed = seed.cells[column], row.cells[place]
        if exact is not None:
            kind = kind_of_difference(printed, exact)
        else:
            kind = kind_of_texts(printed, computed)
        head = made.columns[place]
        what = f"{_name(row)}, {head}"
        ruling = ruling_of(proof, _name(row), column)
        rule = _rule(row, made, exact, computed)
        yield Difference(
            *(kind, str(proof.file), seed.line, what, printed, computed, rule, ruling),
            *(made.id, at, place),
        )


def _agree(proof: Proof, seed: SeedRow, column: str, computed: str) -> bool:
    printed = seed.cells[column]
    return agree(proof, printed, computed) if column in proof.within else same(printed, computed)


def _name(row: TableRow) -> str:
    return " → ".join(label for label in row.labels if label)


def _rule(row: TableRow, made: ComputedTable, exact: Fraction | int | None, computed: str) -> str:
    """Return the formula of a row; with the whole figure, where the table shortens it."""
    if not row.formula:
        return "the sum of the rows above" if row.total else f"table `{made.id}`"
    whole = exact is not None and Fraction(exact).denominator == 1 and f"{exact}" != computed
    return f"{row.formula} = {exact:,}" if whole else row.formula


def _of_row(
    proof: Proof,
    seed: SeedRow,
    made: ComputedTable,
    at: int,
    kind: str,
    printed: str,
    computed: str,
) -> Difference:
    row = made.rows[at] if at >= 0 else TableRow((seed.cells[proof.label[0]],), ())
    ruling = ruling_of(proof, _name(row))
    rule = _rule(row, made, None, computed) if at >= 0 else f"table `{made.id}`"
    return Difference(
        *(kind, str(proof.file), seed.line, _name(row), printed, computed, rule, ruling),
        *(made.id, at, -1),
    )


def _formula(
    proof: Proof, bench: Bench, seed: SeedRow, made: ComputedTable, at: int
) -> Iterator[Difference]:
    """Yield a difference if the formula that is printed gives other figures than ours."""
    row, printed = made.rows[at], bench.cell(seed, proof.formula)
    if not printed or not row.values:
        return
    scope = RulesetScope(bench.rules, bench.options)
    write = FORMS[made.table.lines[at].as_]
    given = []
    try:
        formula = as_formula(printed, proof.reads)
        for n, value in zip(made.table.over, row.values, strict=True):
            gives = as_figure(value_of(formula, Inner(scope, {"n": n})))
            if gives != value:
                given.append((n, write(gives), write(value)))
    except FormulaError as error:
        message = f"cannot be worked out: {error}"
        yield _of_row(proof, seed, made, at, TEXT, printed, message)
        return
    if given:
        n, gives_text, ours = given[0]
        more = ", and so on" if len(given) > 1 else ""
        ruling = ruling_of(proof, _name(row), proof.formula)
        what = f"{_name(row)}, the formula printed for it"
        computed = f"{ours} at {n}, where the printed formula gives {gives_text}{more}"
        yield Difference(
            TEXT, str(proof.file), seed.line, what, printed, computed, row.formula, ruling
        )
