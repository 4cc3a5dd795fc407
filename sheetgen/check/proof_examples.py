"""Figures and worked examples of running text against the rules."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.proofs import Bench, dangling, kind_of_texts, said, same
from sheetgen.diag.near import suggestion
from sheetgen.load.seeds import Seeds
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.proof import Against, Example, Proof
from sheetgen.rules.given import Given
from sheetgen.rules.names import folded
from sheetgen.rules.readings import TEXT, figure_in

ABOUT = "about"
"""The column that tells one figure of running text from another."""


def examples(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield the differences of single figures."""
    rows = bench.seeds.files[str(proof.file)]
    column = key_column(proof, bench.seeds)
    for example in proof.examples:
        found = [row for row in rows if folded(row.cells[column]) == folded(example.at)]
        if not found:
            hint = suggestion(example.at, [row.cells[column] for row in rows])
            raise dangling(example.at.span, f"`{proof.file}` has no `{example.at}`", hint)
        for row in found:
            yield from _one(proof, bench, example, row.line, row.cells[example.in_])


def key_column(proof: Proof, seeds: Seeds) -> str:
    """Return the column that an example's `at` stands in: `name` of the proof, or `about`."""
    return proof.name if proof.name in seeds.columns(str(proof.file)) else ABOUT


def _one(
    proof: Proof, bench: Bench, example: Example, line: int, printed: str
) -> Iterator[Difference]:
    names: dict[str, Value] = {str(k): v for k, v in example.given.items()}
    if example.against is not None:
        names["there"], place = _there(example.against, bench)
    computed = said(example.text, Given(bench.rules, names, None, bench.options))
    if same(printed, computed):
        return
    kind = TEXT if example.against or example.ruling else kind_of_texts(printed, computed)
    rule = example.rule
    if example.against is not None:
        rule = rule or place
    yield Difference(
        kind, str(proof.file), line, str(example.at), printed, computed, rule, example.ruling
    )


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
            whole = read is not None and read.value.denominator == 1 and cell.isdigit()
            return int(cell) if whole else cell, f"line {row.line}"
    raise dangling(against.file.span, f"`{against.file}` has no such cell")
