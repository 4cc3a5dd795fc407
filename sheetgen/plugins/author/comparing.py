"""A proof: the printed figures of a source against the figures that the rules compute.

Each step under `STEPS` yields comparisons of one kind of printed figures. The driver below turns
those that differ into differences, with the rulings that settle them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, in_order
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.content import SeedRow, Seeds
from sheetgen.model.build import Value
from sheetgen.model.rulesets.proof import Against, Difference, Example, Proof, ProofParts
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plugins.author.comparisons import (
    TEXT,
    Comparison,
    ProofContext,
    ProofError,
    ProofScope,
    as_formula,
    dangling,
    evaluate_text,
    figure_in,
    fill_text,
    first_number,
    normal_text,
    rated_pieces,
    require,
    same,
    within,
)
from sheetgen.plugins.author.printed_tables import (
    compare_files,
    compare_names,
    compare_rows,
    compare_table,
    compare_things,
)
from sheetgen.rules.formulas.evaluate import BRACES, Inner, value_of, value_text
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import folded, index_of
from sheetgen.rules.tables.compute import compute_table
from sheetgen.rules.tables.things import (
    RulesetScope,
    ThingScope,
    catalogues,
    thing_name,
    things,
    things_of_kind,
)

# Single printed figures against formulas: worked examples, and figures that fit one another.


ABOUT = "about"  # The column that tells one figure of running text from another
GIVEN = "given"  # The column of the values that an example starts from
MOST_N = 12  # The highest `n` for which printed formulas are evaluated


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
                # The numbers that the source's example starts from, with those of ours.
                formulas = (match[1] for match in BRACES.finditer(example.text or ""))
                numbers = (int(n) for text in formulas for n in re.findall(r"\d+", text))
                ours = {*example.given.values(), *numbers}
                what, cell = f"{example.at}, {GIVEN}", context.cell(row, GIVEN)
                computed, agrees = ", ".join(map(str, sorted(ours))), set(map(int, given)) <= ours
                yield Comparison(row, what, cell, computed, agrees, "", "its numbers", "")
            if example.table is not None:
                yield _compare_with_table(context, example, row, printed, str(example.table))
            elif not example.unread:
                yield _compare(context, example, row, printed)


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
    of = str(proof.of)
    known = things_of_kind(context.rules, of) if of in catalogues(context.rules) else None
    for fit in proof.fits:
        for row in context.rows(proof):
            names: dict[str, Value] = {f"cell.{c}": text for c, text in row.cells.items()}
            names |= {f"figure.{c}": first_number(text) for c, text in row.cells.items()}
            printed = row.cells.get(proof.name, "")
            found = known.find(printed) if known is not None else ()
            names["name"] = thing_name(things(context.rules, of)[found[0]]) if found else printed
            if fit.parts is not None:
                names["parts"] = _sum(fit.parts, context)
            for word in _rated(proof, context, row, fit.each) if fit.each else ({},):
                scope = ProofScope(context.rules, {**names, **word}, None, context.options)
                if not evaluate_text(fit.that, scope):
                    texts = fit.what, fit.printed, fit.computed
                    what, said, computed = (fill_text(text, scope) for text in texts)
                    note = fill_text(fit.note, scope) if fit.note is not None else ""
                    yield Comparison(
                        *(row, what, said, computed, False, TEXT, fit.rule, fit.ruling, fit.table),
                        note=note,
                    )


def _rated(
    proof: Proof, context: ProofContext, row: SeedRow, column: str
) -> Iterator[Mapping[str, Value]]:
    """Yield each `Word 3D` of a column: its name, its code, and the printed code below it."""
    index = index_of(context.rules)
    for word, code in rated_pieces(context.cell(row, column)):
        for id_ in index.all_traits.find(word)[:1]:
            under = str(index.traits[id_][1].under or "")
            if under in proof.totals:
                below = first_number(context.cell(row, proof.totals[under]))
                short = index.traits[under][1].short or index.titles[under]
                yield {"word": word, "code": code, "below": below, "under": short}


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


def compare_figures(
    rules: Ruleset, seeds: Seeds, options: Mapping[str, Value]
) -> Checked[tuple[Difference, ...]]:
    """Return where the source of a ruleset differs from what its rules compute."""
    return compare_source(ProofContext(rules, seeds, dict(options)))


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
