"""Printed figures that have to fit one another, such as a price and the prices of its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.check.proof.proofs import Bench, dangling, said, split_cell
from sheetgen.check.proof.scope import Asked
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.proof import Fit, Proof, ProofParts
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.readings import TEXT
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, catalogues, thing_name, things, things_of_kind

_RATED: Final = re.compile(r"(.+?)\s+(\d+)D?\*?")
_WHOLE: Final = re.compile(r"[+-]?\d[\d,]*")


def fitting(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield the rows whose printed figures break a condition under `fits`."""
    for fit in proof.fits:
        for row in bench.rows(proof):
            names: dict[str, Value] = {f"cell.{c}": text for c, text in row.cells.items()}
            names |= {f"figure.{c}": _first(text) for c, text in row.cells.items()}
            names["name"] = _name(proof, bench, row)
            if fit.parts is not None:
                names["parts"] = _sum(fit.parts, bench)
            if not fit.each:
                yield from _one(proof, bench, fit, row, names)
                continue
            for word in _rated(proof, bench, row, fit.each):
                yield from _one(proof, bench, fit, row, {**names, **word})


def _name(proof: Proof, bench: Bench, row: SeedRow) -> str:
    """Return what the rules call the thing of a row; as printed where `of` names none."""
    printed = row.cells.get(proof.name, "")
    found = (
        things_of_kind(bench.rules, str(proof.of)).find(printed)
        if proof.of in catalogues(bench.rules)
        else ()
    )
    return thing_name(things(bench.rules, str(proof.of))[found[0]]) if found else printed


def _one(
    proof: Proof, bench: Bench, fit: Fit, row: SeedRow, names: Mapping[str, Value]
) -> Iterator[Difference]:
    scope = Asked(bench.rules, names, None, bench.options)
    try:
        holds = value_of(fit.that, scope)
    except FormulaError as error:
        raise dangling(fit.that.span, f"`{fit.that}`: {error}") from None
    if not holds:
        what, printed, computed = (
            said(text, scope) for text in (fit.what, fit.printed, fit.computed)
        )
        note = said(fit.note, scope) if fit.note is not None else ""
        yield Difference(
            *(TEXT, str(proof.file), row.line, what, printed, computed, fit.rule, fit.ruling),
            *(fit.table, -1, -1, note),
        )


def _rated(proof: Proof, bench: Bench, row: SeedRow, column: str) -> Iterator[Mapping[str, Value]]:
    """Yield each `Word 3D` of a column: its name, its code, and the printed code below it."""
    index = index_of(bench.rules)
    for piece in split_cell(bench.cell(row, column)):
        match = _RATED.fullmatch(piece)
        for id_ in index.all_traits.find(match[1])[:1] if match else ():
            under = str(index.traits[id_][1].under or "")
            if match and under in proof.totals:
                below = _first(bench.cell(row, proof.totals[under]))
                short = index.traits[under][1].short or index.titles[under]
                yield {"word": match[1], "code": int(match[2]), "below": below, "under": short}


def _first(text: str) -> int:
    """Return the whole number that a cell begins with; 0 where there is none."""
    digits = _WHOLE.match(text)
    return int(digits[0].replace(",", "")) if digits else 0


def _sum(parts: ProofParts, bench: Bench) -> int:
    """Return what the rows of a file are worth together; rows that are no things count nothing."""
    if parts.file not in bench.seeds.files:
        hint = suggestion(parts.file, bench.seeds.files, "files")
        raise dangling(parts.file.span, f"there is no file `{parts.file}`", hint)
    if parts.of not in catalogues(bench.rules):
        hint = suggestion(parts.of, catalogues(bench.rules))
        raise dangling(parts.of.span, f"there is nothing called `{parts.of}`", hint)
    columns = bench.seeds.columns(str(parts.file))
    for column in filter(None, (parts.name, parts.times)):
        if column not in columns:
            hint = suggestion(column, columns)
            raise dangling(parts.file.span, f"`{parts.file}` has no column `{column}`", hint)
    known, scope = things(bench.rules, str(parts.of)), RulesetScope(bench.rules, bench.options)
    total = 0
    for row in bench.seeds.files[str(parts.file)]:
        times = row.cells[parts.times] if parts.times else ""
        for id_ in things_of_kind(bench.rules, str(parts.of)).find(row.cells[parts.name])[:1]:
            try:
                worth = value_of(parts.value, ThingScope(bench.rules, scope, known[id_]))
            except FormulaError as error:
                raise dangling(parts.value.span, f"`{parts.value}`: {error}") from None
            # a text such as `45m` says which thing, not how many
            total += int(worth) * (int(times) if times.isdecimal() else 1)
    return total
