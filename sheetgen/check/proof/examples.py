"""Figures and worked examples of running text against the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sheetgen.check.proof.comparisons import Comparison, same, within
from sheetgen.check.proof.context import (
    ProofContext,
    dangling,
    evaluate_text,
    fill_text,
    require,
)
from sheetgen.check.proof.scope import ProofScope
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow, Seeds
from sheetgen.model.build import Value
from sheetgen.model.rulesets.proof import Against, Example, Proof
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import Inner, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import value_text
from sheetgen.rules.formulas.readings import TEXT, as_formula, figure_in, normal_text
from sheetgen.rules.names import folded

ABOUT = "about"
"""The column that tells one figure of running text from another."""

GIVEN = "given"
"""The column of the values that an example starts from."""

MOST_N = 12
"""The highest `n` for which printed formulas are evaluated."""


def compare_examples(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield a comparison for each single figure under `examples`."""
    rows = context.seeds.files[str(proof.file)]
    column = key_column(proof, context.seeds)
    for example in proof.examples:
        keys = {column: str(example.at), **proof.where}
        found = [row for row in rows if _has(row, keys)]
        if not found:
            hint = suggestion(example.at, [row.cells[column] for row in rows])
            raise dangling(example.at.span, f"`{proof.file}` has no `{example.at}`", hint)
        for row in found:
            context.cell(row, column)
            printed = context.cell(row, example.in_)
            given = re.findall(r"\d+", normal_text(row.cells.get(GIVEN, "")))
            if GIVEN in row.cells and sorted(map(int, given)) == sorted(example.given.values()):
                context.cell(row, GIVEN)
            if not example.unread:
                yield _compare(context, example, row, printed)


def _has(row: SeedRow, cells: dict[str, str]) -> bool:
    return all(folded(row.cells[c]) == folded(v) for c, v in cells.items())


def key_column(proof: Proof, seeds: Seeds) -> str:
    """Return the column of an example's `at`: the proof's `name`, or `about`."""
    return proof.name if proof.name in seeds.columns(str(proof.file)) else ABOUT


def _compare(context: ProofContext, example: Example, row: SeedRow, printed: str) -> Comparison:
    names: dict[str, Value] = {str(k): v for k, v in example.given.items()}
    if figure := re.search(r"\d+", normal_text(printed)):
        names["figure"] = int(figure[0])
    place = ""
    if example.against is not None:
        there, place = _there(example.against, context)
        names["there"] = there
        if figure := re.search(r"\d+", normal_text(str(there))):
            names["figure_there"] = int(figure[0])
    scope = ProofScope(context.rules, names, None, context.options)
    if example.formula is not None:
        computed = _compare_formulas(example, example.formula, printed, scope)
        agrees = not computed
    else:
        computed = fill_text(example.text or Text("", example.at.span), scope)
        agrees = (within if example.within else same)(printed, computed)
    settled = example.against or example.ruling or example.within or example.formula
    kind, rule = TEXT if settled else "", example.rule or place
    return Comparison(row, str(example.at), printed, computed, agrees, kind, rule, example.ruling)


def _compare_formulas(example: Example, formula: Text, printed: str, scope: ProofScope) -> str:
    """Return where a printed formula gives another value than ours; empty if it never does."""
    for n in range(1, MOST_N + 1):
        inner = Inner(scope, {"n": n})
        ours = evaluate_text(formula, inner)
        try:
            gives = value_of(as_formula(printed, example.reads), inner)
        except FormulaError as error:
            return f"cannot be worked out: {error}"
        if ours != gives:
            return f"{value_text(ours)} at {n}, where the printed formula gives {value_text(gives)}"
    return ""


def _there(against: Against, context: ProofContext) -> tuple[Value, str]:
    """Return the value of another printed cell, and its line."""
    require(against.file, context.seeds.files, "file")
    for row in context.seeds.files[str(against.file)]:
        if against.column not in row.cells or not against.row.keys() <= row.cells.keys():
            break
        if _has(row, dict(against.row)):
            cell = row.cells[against.column]
            read = figure_in(cell)
            integer = read is not None and read.value.denominator == 1
            value = int(normal_text(cell)) if integer and normal_text(cell).isdigit() else cell
            return value, f"line {row.line}"
    raise dangling(against.file.span, f"`{against.file}` has no such cell")
