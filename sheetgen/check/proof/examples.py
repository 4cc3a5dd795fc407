"""Figures and worked examples of running text against the rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sheetgen.check.proof.proofs import Bench, dangling, kind_of_texts, said, same, within
from sheetgen.check.proof.scope import Asked
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow, Seeds
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
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
"""The column of what an example starts from."""


MOST_N = 12
"""Up to which `n` printed formulas are worked out."""


def examples(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield the differences of single figures."""
    rows = bench.seeds.files[str(proof.file)]
    column = key_column(proof, bench.seeds)
    for example in proof.examples:
        found = [row for row in rows if folded(row.cells[column]) == folded(example.at)]
        found = [row for row in found if _counts(row, proof)]
        if not found:
            hint = suggestion(example.at, [row.cells[column] for row in rows])
            raise dangling(example.at.span, f"`{proof.file}` has no `{example.at}`", hint)
        for row in found:
            bench.cell(row, column)
            printed = bench.cell(row, example.in_)
            _note_given(bench, row, example)
            if not example.unread:
                yield from _one(proof, bench, example, row.line, printed)


def _counts(row: SeedRow, proof: Proof) -> bool:
    return all(folded(row.cells[c]) == folded(v) for c, v in proof.where.items())


def _note_given(bench: Bench, row: SeedRow, example: Example) -> None:
    """Note that what an example starts from is read, if it is what the proof gives."""
    printed = re.findall(r"\d+", normal_text(row.cells.get(GIVEN, "")))
    if sorted(map(int, printed)) == sorted(example.given.values()):
        bench.cell(row, GIVEN) if GIVEN in row.cells else None


def key_column(proof: Proof, seeds: Seeds) -> str:
    """Return the column that an example's `at` stands in: `name` of the proof, or `about`."""
    return proof.name if proof.name in seeds.columns(str(proof.file)) else ABOUT


def _one(
    proof: Proof, bench: Bench, example: Example, line: int, printed: str
) -> Iterator[Difference]:
    names: dict[str, Value] = {str(k): v for k, v in example.given.items()}
    if figure := re.search(r"\d+", normal_text(printed)):
        names["figure"] = int(figure[0])
    place = ""
    if example.against is not None:
        there, place = _there(example.against, bench)
        names |= {"there": there}
        if figure := re.search(r"\d+", normal_text(str(there))):
            names["figure_there"] = int(figure[0])
    scope = Asked(bench.rules, names, None, bench.options)
    if example.formula is not None:
        agrees, computed = _formula(example, printed, scope)
    else:
        computed = said(example.text or Text("", example.at.span), scope)
        agrees = within(printed, computed) if example.within else same(printed, computed)
    if agrees:
        return
    settled = example.against or example.ruling or example.within or example.formula
    kind = TEXT if settled else kind_of_texts(printed, computed)
    rule = example.rule or place
    yield Difference(
        kind, str(proof.file), line, str(example.at), printed, computed, rule, example.ruling
    )


def _formula(example: Example, printed: str, scope: Asked) -> tuple[bool, str]:
    """Return whether a printed formula gives what ours does; what ours is, and where not."""
    assert example.formula is not None
    for n in range(1, MOST_N + 1):
        inner = Inner(scope, {"n": n})
        try:
            ours = value_of(example.formula, inner)
        except FormulaError as error:
            raise dangling(example.formula.span, f"`{example.formula}`: {error}") from None
        try:
            gives = value_of(as_formula(printed, example.reads), inner)
        except FormulaError as error:
            return False, f"cannot be worked out: {error}"
        if ours != gives:
            return (
                False,
                f"{value_text(ours)} at {n}, where the printed formula gives {value_text(gives)}",
            )
    return True, ""


def _there(against: Against, bench: Bench) -> tuple[Value, str]:
    """Return what the source prints in another cell, and where that is."""
    rows = bench.seeds.files.get(str(against.file))
    if rows is None:
        hint = suggestion(against.file, bench.seeds.files, "files")
        raise dangling(against.file.span, f"there is no file `{against.file}`", hint)
    for row in rows:
        if against.column not in row.cells or not against.row.keys() <= row.cells.keys():
            break
        if all(folded(row.cells[c]) == folded(v) for c, v in against.row.items()):
            cell = row.cells[against.column]
            read = figure_in(cell)
            whole = read is not None and read.value.denominator == 1 and normal_text(cell).isdigit()
            return int(normal_text(cell)) if whole else cell, f"line {row.line}"
    raise dangling(against.file.span, f"`{against.file}` has no such cell")
