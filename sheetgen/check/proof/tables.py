"""Printed tables against computed ones, cell by cell, and the formulas printed beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sheetgen.check.proof.comparisons import Comparison, all_within, kind_of_texts, ruling_of, same
from sheetgen.check.proof.context import ProofContext, dangling, require
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.rulesets.proof import Proof
from sheetgen.rules.formulas.evaluate import Inner, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.numbers import FORMS, as_figure
from sheetgen.rules.formulas.readings import TEXT, as_formula, kind_of_difference, normal_text
from sheetgen.rules.names import folded
from sheetgen.rules.tables.compute import ComputedTable, TableRow, compute_table
from sheetgen.rules.tables.tables import RulesetScope

MANY = 4
"""From this number of differing cells on, one difference reports the whole row."""


def compare_table(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of a printed table with that of the ruleset."""
    if proof.table is None:
        return
    require(proof.table, context.rules.tables, "table")
    table = compute_table(context.rules, str(proof.table), context.options, turn=False)
    places = _places(proof, table)
    by_label = {normal_text(" ".join(row.labels).strip()): at for at, row in enumerate(table.rows)}
    for seed in context.rows(proof):
        label = " ".join(context.cell(seed, column) for column in proof.label)
        at = by_label.get(normal_text(label.strip()))
        if at is None:
            name, printed = seed.cells[proof.label[0]], _join(seed, proof.columns)
            yield Comparison(
                *(seed, name, printed, "no such row", False, TEXT, f"table `{table.id}`"),
                *(ruling_of(proof, name), table.id),
            )
            continue
        for column in places:
            context.cell(seed, column)
        row = _PrintedRow(proof, seed, table, at)
        yield from row.compare_cells(places)
        if proof.formula:
            yield from row.compare_formula(context)


def _places(proof: Proof, table: ComputedTable) -> Mapping[str, int]:
    heads = {folded(head): at for at, head in enumerate(table.columns)}
    places = {}
    for column, head in (*proof.columns.items(), *proof.within.items()):
        if folded(head) not in heads:
            hint = suggestion(head, table.columns, "columns")
            raise dangling(proof.file.span, f"`{table.id}` has no column `{head}`", hint)
        places[str(column)] = heads[folded(head)]
    return places


def _join(seed: SeedRow, columns: Mapping[str, object]) -> str:
    return ", ".join(seed.cells[column] for column in columns)


@dataclass(frozen=True, slots=True)
class _PrintedRow:
    """A printed row, and the row of the computed table that has its label."""

    proof: Proof
    seed: SeedRow
    table: ComputedTable
    at: int

    @property
    def row(self) -> TableRow:
        return self.table.rows[self.at]

    @property
    def name(self) -> str:
        return " → ".join(label for label in self.row.labels if label)

    def compare_cells(self, places: Mapping[str, int]) -> Iterator[Comparison]:
        """Yield a comparison for each cell that differs, or one for the whole row."""
        wrong = [c for c, place in places.items() if not self._agrees(c, self.row.cells[place])]
        if len(wrong) >= MANY:
            computed = ", ".join(self.row.cells[place] for place in places.values())
            yield self._of_whole_row(_join(self.seed, places), computed)
            return
        for column in wrong:
            place = places[column]
            exact = self.row.values[place] if self.row.values else None
            printed, computed = self.seed.cells[column], self.row.cells[place]
            kind = kind_of_texts(printed, computed)
            kind = kind_of_difference(printed, exact) if exact is not None else kind
            what = f"{self.name}, {self.table.columns[place]}"
            ruling = ruling_of(self.proof, self.name, column)
            rule = self._rule(exact, computed)
            yield Comparison(
                *(self.seed, what, printed, computed, False, kind, rule, ruling),
                *(self.table.id, self.at, place),
            )

    def _agrees(self, column: str, computed: str) -> bool:
        printed = self.seed.cells[column]
        if column in self.proof.within:
            return all_within(self.proof, printed, computed)
        return same(printed, computed)

    def _rule(self, exact: Fraction | int | None, computed: str) -> str:
        """Return the formula of the row; with the exact figure, where the table shortens it."""
        row = self.row
        if not row.formula:
            return "the sum of the rows above" if row.total else f"table `{self.table.id}`"
        integer = exact is not None and Fraction(exact).denominator == 1
        return f"{row.formula} = {exact:,}" if integer and f"{exact}" != computed else row.formula

    def _of_whole_row(self, printed: str, computed: str) -> Comparison:
        rule, ruling = self._rule(None, computed), ruling_of(self.proof, self.name)
        return Comparison(
            *(self.seed, self.name, printed, computed, False, TEXT, rule, ruling),
            *(self.table.id, self.at),
        )

    def compare_formula(self, context: ProofContext) -> Iterator[Comparison]:
        """Yield a comparison if the printed formula gives other figures than ours."""
        row, printed = self.row, context.cell(self.seed, self.proof.formula)
        if not printed or not row.values:
            return
        scope = RulesetScope(context.rules, context.options)
        given = []
        try:
            formula = as_formula(printed, self.proof.reads)
            for n, value in zip(self.table.table.over, row.values, strict=True):
                gives = as_figure(value_of(formula, Inner(scope, {"n": n})))
                if gives != value:
                    given.append((n, gives, value))
        except FormulaError as error:
            yield self._of_whole_row(printed, f"cannot be worked out: {error}")
            return
        if given:
            n, gives, ours = given[0]
            write = FORMS[self.table.table.lines[self.at].as_]
            more = ", and so on" if len(given) > 1 else ""
            computed = f"{write(ours)} at {n}, where the printed formula gives {write(gives)}{more}"
            what = f"{self.name}, the formula printed for it"
            ruling = ruling_of(self.proof, self.name, self.proof.formula)
            yield Comparison(self.seed, what, printed, computed, False, TEXT, row.formula, ruling)
