"""Printed figures that have to fit one another, such as a price and the prices of its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.check.proof.comparisons import RATED, Comparison, first_number, split_cell
from sheetgen.check.proof.context import (
    ProofContext,
    dangling,
    evaluate_text,
    fill_text,
    require,
)
from sheetgen.check.proof.scope import ProofScope
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.rulesets.proof import Fit, Proof, ProofParts
from sheetgen.rules.formulas.readings import TEXT
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, catalogues, thing_name, things, things_of_kind


def compare_fits(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield the rows whose printed figures break a condition under `fits`."""
    for fit in proof.fits:
        for row in context.rows(proof):
            names: dict[str, Value] = {f"cell.{c}": text for c, text in row.cells.items()}
            names |= {f"figure.{c}": first_number(text) for c, text in row.cells.items()}
            names["name"] = _name(proof, context, row)
            if fit.parts is not None:
                names["parts"] = _sum(fit.parts, context)
            for word in _rated(proof, context, row, fit.each) if fit.each else ({},):
                scope = ProofScope(context.rules, {**names, **word}, None, context.options)
                if not evaluate_text(fit.that, scope):
                    yield _broken(fit, row, scope)


def _broken(fit: Fit, row: SeedRow, scope: ProofScope) -> Comparison:
    what, printed, computed = (
        fill_text(text, scope) for text in (fit.what, fit.printed, fit.computed)
    )
    note = fill_text(fit.note, scope) if fit.note is not None else ""
    return Comparison(
        *(row, what, printed, computed, False, TEXT, fit.rule, fit.ruling, fit.table), note=note
    )


def _name(proof: Proof, context: ProofContext, row: SeedRow) -> str:
    """Return the rules' name for the thing of a row, or the printed one where there is none."""
    printed, of = row.cells.get(proof.name, ""), str(proof.of)
    found = (
        things_of_kind(context.rules, of).find(printed) if of in catalogues(context.rules) else ()
    )
    return thing_name(things(context.rules, of)[found[0]]) if found else printed


def _rated(
    proof: Proof, context: ProofContext, row: SeedRow, column: str
) -> Iterator[Mapping[str, Value]]:
    """Yield each `Word 3D` of a column: its name, its code, and the printed code below it."""
    index = index_of(context.rules)
    for piece in split_cell(context.cell(row, column)):
        match = RATED.fullmatch(piece)
        for id_ in index.all_traits.find(match[1])[:1] if match else ():
            under = str(index.traits[id_][1].under or "")
            if match and under in proof.totals:
                below = first_number(context.cell(row, proof.totals[under]))
                short = index.traits[under][1].short or index.titles[under]
                yield {"word": match[1], "code": int(match[2]), "below": below, "under": short}


def _sum(parts: ProofParts, context: ProofContext) -> int:
    """Return the sum of the values of a file's rows; rows that name no thing count nothing."""
    require(parts.file, context.seeds.files, "file")
    require(parts.of, catalogues(context.rules))
    columns = context.seeds.columns(str(parts.file))
    for column in filter(None, (parts.name, parts.times)):
        if column not in columns:
            message = f"`{parts.file}` has no column `{column}`"
            raise dangling(parts.file.span, message, suggestion(column, columns))
    known, scope = (
        things(context.rules, str(parts.of)),
        RulesetScope(context.rules, context.options),
    )
    total = 0
    for row in context.seeds.files[str(parts.file)]:
        times = row.cells[parts.times] if parts.times else ""
        for id_ in things_of_kind(context.rules, str(parts.of)).find(row.cells[parts.name])[:1]:
            worth = evaluate_text(parts.value, ThingScope(context.rules, scope, known[id_]))
            # A text such as `45m` says which thing, not how many.
            total += int(worth) * (int(times) if times.isdecimal() else 1)
    return total
