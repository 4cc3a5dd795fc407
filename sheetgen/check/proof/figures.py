"""Single printed figures against formulas: worked examples, and figures that fit one another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sheetgen.check.proof.comparisons import (
    RATED,
    Comparison,
    first_number,
    same,
    split_cell,
    within,
)
from sheetgen.check.proof.context import ProofContext, dangling, evaluate_text, fill_text, require
from sheetgen.check.proof.scope import ProofScope
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow, Seeds
from sheetgen.model.build import Value
from sheetgen.model.rulesets.proof import Against, Example, Fit, Proof, ProofParts
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import Inner, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import BRACES, value_text
from sheetgen.rules.formulas.readings import TEXT, as_formula, figure_in, normal_text
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.tables.compute import compute_table
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import ThingScope, catalogues, thing_name, things, things_of_kind

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
        named = [row for row in rows if _has(row, {column: example.at})]
        found = [row for row in named if _has(row, proof.where)]
        if not found:
            hint = suggestion(example.at, [row.cells[column] for row in rows])
            raise dangling(example.at.span, f"`{proof.file}` has no `{example.at}`", hint)
        for row in found:
            context.cell(row, column)
            printed = context.cell(row, example.in_)
            given = re.findall(r"\d+", normal_text(row.cells.get(GIVEN, "")))
            apart = example.unread or any(
                one.at == example.at and one.in_ == GIVEN for one in proof.examples
            )
            if given and not apart:
                yield _compare_given(context, example, row, set(map(int, given)))
            if example.table is not None:
                yield _compare_with_table(context, example, row, printed, str(example.table))
            elif not example.unread:
                yield _compare(context, example, row, printed)


def _compare_given(
    context: ProofContext, example: Example, row: SeedRow, given: set[int]
) -> Comparison:
    """Compare the numbers that the source's example starts from with those of ours."""
    ours = _numbers_of(example)
    computed = ", ".join(map(str, sorted(ours)))
    what, printed = f"{example.at}, {GIVEN}", context.cell(row, GIVEN)
    return Comparison(row, what, printed, computed, given <= ours, "", "its numbers", "")


def _numbers_of(example: Example) -> set[int]:
    """Return the numbers that an example starts from: under `given`, or in its formulas."""
    texts = (match[1] for match in BRACES.finditer(example.text or ""))
    return {*example.given.values(), *(int(n) for text in texts for n in re.findall(r"\d+", text))}


def _compare_with_table(
    context: ProofContext, example: Example, row: SeedRow, printed: str, table: str
) -> Comparison:
    """Compare the figures of a cell with those in the words of a table's row."""
    shown = compute_table(context.rules, table, context.options)
    rows = [" ".join((*one.labels, *one.cells)) for one in shown.rows]
    first = [one.labels[0] if one.labels else one.cells[0] for one in shown.rows]
    if example.row:
        require(Text(example.row, example.at.span), first, "row")
        rows = [text for label, text in zip(first, rows, strict=True) if label == example.row]
    else:
        rows.append(shown.text)
    wanted = figures_in(printed)
    agrees = bool(wanted) and any(wanted <= figures_in(text) for text in rows)
    rule = example.rule or f"the table `{table}`"
    kind, ruling = TEXT if example.ruling else "", example.ruling
    return Comparison(
        row, str(example.at), printed, "; ".join(rows), agrees, kind, rule, ruling, table
    )


def figures_in(text: str) -> frozenset[str]:
    """Return the figures in a text, such as `10`, `-1d` and `75%`."""
    plain = re.sub(r"\b(one-half|1-half|half|halved)\b", "½", normal_text(text)).replace(" %", "%")
    return frozenset(re.findall(r"(?:(?<!\d)-)?\d+(?:/\d+)?d?(?:\+\d)?%?|[½¼¾]", plain))


def _has(row: SeedRow, cells: Mapping[str, str]) -> bool:
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
        if _has(row, against.row):
            cell = row.cells[against.column]
            read = figure_in(cell)
            integer = read is not None and read.value.denominator == 1
            value = int(normal_text(cell)) if integer and normal_text(cell).isdigit() else cell
            return value, f"line {row.line}"
    raise dangling(against.file.span, f"`{against.file}` has no such cell")


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
