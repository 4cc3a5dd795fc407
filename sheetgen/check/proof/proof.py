"""A source's printed figures against what its rules compute: every difference, none by heart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from sheetgen.check.proof.examples import examples, key_column
from sheetgen.check.proof.files import filed
from sheetgen.check.proof.fits import fitting
from sheetgen.check.proof.proofs import Bench, Broken
from sheetgen.check.proof.tables import cells
from sheetgen.check.proof.things import compare_things
from sheetgen.check.proof.words import check_words
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, in_order
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import Seeds
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.expressions import FormulaError


def proofread(
    rules: Ruleset, seeds: Seeds, options: Mapping[str, Value] | None = None
) -> Checked[tuple[Difference, ...]]:
    """Return where `seeds` differ from what `rules` compute, by line of the source.

    Findings are mistakes in what the ruleset says under `proof`, or in the files.
    """
    return compare_source(Bench(rules, seeds, dict(options or {})))


def compare_source(bench: Bench) -> Checked[tuple[Difference, ...]]:
    """Return the differences, and note in `bench` which cells were compared."""
    rules, seeds = bench.rules, bench.seeds
    found: list[Difference] = []
    findings: list[Finding] = []
    for proof in rules.proof:
        wrong = tuple(_broken(proof, seeds))
        findings += wrong
        if wrong:
            continue
        for step in STEPS:
            try:
                found += step(proof, bench.under(proof))
            except Broken as error:
                findings.append(error.finding)
            except FormulaError as error:
                message = f"`{proof.file}` cannot be worked out: {error}"
                findings.append(Finding(codes.UNANSWERED, proof.file.span, message))
    return Checked(_merged(found), in_order(findings))


STEPS: tuple[Callable[[Proof, Bench], Iterator[Difference]], ...] = (
    cells,
    compare_things,
    filed,
    check_words,
    examples,
    fitting,
)
"""What one entry of `proof` may compare."""


def unread(bench: Bench) -> tuple[tuple[str, int, str], ...]:
    """Return the printed cells that were compared with nothing: file, line, column."""
    return tuple(
        (name, row.line, column)
        for name, rows in bench.seeds.files.items()
        for row in rows
        for column, cell in row.cells.items()
        if cell not in ("", "-") and (row.span.file, row.span.line, column) not in bench.seen
    )


def _broken(proof: Proof, seeds: Seeds) -> Iterator[Finding]:
    """Yield a finding for a file or a column that is not there."""
    if proof.file not in seeds.files:
        hint = suggestion(proof.file, seeds.files, "files")
        message = f"there is no file `{proof.file}` of printed figures"
        yield Finding(codes.DANGLING, proof.file.span, message, hint)
        return
    known = seeds.columns(str(proof.file))
    asked = [*proof.where, *proof.label, *proof.columns, *proof.cells, *proof.names]
    asked += [*proof.within, *proof.unread, *proof.each, *proof.makes.values()]
    asked += [c for c in (proof.formula, proof.trait, proof.rated, proof.worn, proof.armed) if c]
    asked += [fit.each for fit in proof.fits if fit.each]
    asked += [*proof.totals.values(), *(e.in_ for e in proof.examples)]
    asked += [proof.name] if proof.of is not None else []
    asked += [key_column(proof, seeds)] if proof.examples else []
    for column in dict.fromkeys(map(str, asked)):
        if column not in known:
            message = f"`{proof.file}` has no column `{column}`"
            yield Finding(codes.DANGLING, proof.file.span, message, suggestion(column, known))


def _merged(found: Iterable[Difference]) -> tuple[Difference, ...]:
    """Return `found` in the order of the source, each once."""
    return tuple(sorted(dict.fromkeys(found), key=lambda d: (d.line, d.file, d.what, d.cell)))
