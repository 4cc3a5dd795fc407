"""A proof: the printed figures of a source against the figures that the rules compute.

Each step under `STEPS` yields comparisons of one kind of printed figures. The driver below turns
those that differ into differences, with the rulings that settle them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sheetgen.check.proof.comparisons import Comparison
from sheetgen.check.proof.context import ProofContext, ProofError
from sheetgen.check.proof.figures import compare_examples, compare_fits, key_column
from sheetgen.check.proof.files import compare_files
from sheetgen.check.proof.tables import compare_table
from sheetgen.check.proof.things import compare_things
from sheetgen.check.proof.words import compare_names, compare_rows
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, in_order
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import Seeds
from sheetgen.model.rulesets.proof import Difference, Proof
from sheetgen.rules.formulas.expressions import FormulaError

STEPS: tuple[Callable[[Proof, ProofContext], Iterator[Comparison]], ...] = (
    compare_table,  # cells of a table, with the ruleset's table of the same rows
    compare_things,  # rows of a catalogue, with the ruleset's things
    compare_files,  # rows of characters and of the kinds, with files of a kind
    compare_names,  # words, with the names of the rules
    compare_rows,  # figures of a row, with what its own ratings give
    compare_examples,  # single figures of running text, with formulas
    compare_fits,  # figures that have to fit one another
)
"""The comparisons that one entry of `proof` may ask for."""


def compare_source(context: ProofContext) -> Checked[tuple[Difference, ...]]:
    """Return where the source differs from what the rules compute, by line of the source.

    Findings are mistakes in the ruleset's `proof`, or in the files. `context` notes which cells
    were compared.
    """
    found: list[Difference] = []
    findings: list[Finding] = []
    for proof in context.rules.proof:
        wrong = tuple(_missing(proof, context.seeds))
        findings += wrong
        for step in STEPS if not wrong else ():
            try:
                compared = step(proof, context.for_kind_of(proof))
                found += (c.difference(str(proof.file)) for c in compared if c.differs)
            except ProofError as error:
                findings.append(error.finding)
            except FormulaError as error:
                message = f"`{proof.file}` cannot be worked out: {error}"
                findings.append(Finding(codes.UNANSWERED, proof.file.span, message))
    order = sorted(dict.fromkeys(found), key=lambda d: (d.line, d.file, d.what, d.cell))
    return Checked(tuple(order), in_order(findings))


def unread(context: ProofContext) -> tuple[tuple[str, int, str], ...]:
    """Return the printed cells that were compared with nothing: file, line, column."""
    return tuple(
        (name, row.line, column)
        for name, rows in context.seeds.files.items()
        for row in rows
        for column, cell in row.cells.items()
        if cell not in ("", "-") and (row.span.file, row.span.line, column) not in context.seen
    )


def _missing(proof: Proof, seeds: Seeds) -> Iterator[Finding]:
    """Yield a finding for a file or a column that does not exist."""
    if proof.file not in seeds.files:
        hint = suggestion(proof.file, seeds.files, "files")
        message = f"there is no file `{proof.file}` of printed figures"
        yield Finding(codes.DANGLING, proof.file.span, message, hint)
        return
    known = seeds.columns(str(proof.file))
    named = [*proof.where, *proof.label, *proof.columns, *proof.cells, *proof.names]
    named += [*proof.within, *proof.unread, *proof.each, *proof.makes.values()]
    named += [c for c in (proof.formula, proof.trait, proof.rated, proof.worn, proof.armed) if c]
    named += [fit.each for fit in proof.fits if fit.each]
    named += [*proof.totals.values(), *(e.in_ for e in proof.examples)]
    named += [proof.name] if proof.of is not None else []
    named += [key_column(proof, seeds)] if proof.examples else []
    for column in dict.fromkeys(map(str, named)):
        if column not in known:
            message = f"`{proof.file}` has no column `{column}`"
            yield Finding(codes.DANGLING, proof.file.span, message, suggestion(column, known))
