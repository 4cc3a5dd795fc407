"""Print a proof: the differences between a source's printed figures and its rules, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, apply_strict, errors
from sheetgen.diag.spans import Span
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.proof import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TablePage, TableView
from sheetgen.prints.context import PrintContext, PrintResult, file_stem, name_words
from sheetgen.prints.rulesets import CheckedRuleset, check_rulesets
from sheetgen.prints.tables import render_table_pages
from sheetgen.rules.formulas.readings import (
    INHERITED,
    ROUNDING,
    TEXT,
    TRUNCATED,
    UNDEFINED,
    UNPRICED,
    WRONG,
)

KINDS: Final = {
    WRONG: "Wrong figures",
    TRUNCATED: "Cut off where others are rounded",
    INHERITED: "Follows from printed figures that are cut off",
    ROUNDING: "Rounded to fewer digits than others",
    TEXT: "One place against another",
    UNDEFINED: "Names that nothing defines",
    UNPRICED: "Without a price",
}
"""The headings of kinds of differences, in the order of the list."""

HEADS: Final = ("Line", "What", "Printed", "Computed", "By", "Ruling")


def load_proof(
    request: PrintRequest, context: PrintContext
) -> tuple[CheckedRuleset, tuple[Finding, ...]]:
    """Return a ruleset with its differences, and all findings; no rules if there is no proof."""
    [checked] = check_rulesets(request, context)
    rules = checked.rules
    if rules is None:
        return checked, checked.findings
    if checked.seeds is None or not rules.proof:
        findings = (*checked.findings, _no_proof(checked.seeds, rules.place))
    else:
        findings = apply_strict(checked.findings, request.strict)
    return (replace(checked, rules=None) if errors(findings) else checked), findings


def print_proof(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the list of differences of a ruleset as pages."""
    checked, findings = load_proof(request, context)
    if checked.rules is None:
        yield PrintResult(findings=findings)
        return
    page = _proof_page(checked.rules, checked.differences)
    printed = render_table_pages([page], checked.rules, page.label, request)
    yield replace(
        printed,
        findings=(*findings, *printed.findings),
        words=name_words(checked.rules, "proof"),
        stem=file_stem(f"{checked.rules.id}-proof"),
    )


def count_words(differences: Sequence[Difference]) -> str:
    """Return how many differences there are of each kind, in words."""
    parts = [(kind, sum(one.kind == kind for one in differences)) for kind in KINDS]
    listed = ", ".join(f"{count} {kind}" for kind, count in parts if count)
    total = f"{len(differences)} difference{'s' if len(differences) != 1 else ''}"
    return f"{total}: {listed}" if differences else "no differences"


def proof_rows(differences: Sequence[Difference]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield kind and cells of each line; things without a price share one where they can."""
    for kind in KINDS:
        ours = [one for one in differences if one.kind == kind]
        if kind != UNPRICED:
            for one in ours:
                line = str(one.line)
                yield kind, (line, one.what, one.printed, one.computed, one.rule, one.ruling)
            continue
        for _, together in groupby(ours, key=lambda one: (one.file, one.ruling, one.rule)):
            group = list(together)
            first, last = group[0], group[-1]
            lines = f"{first.line}–{last.line}" if len(group) > 1 else str(first.line)
            names = ", ".join(one.what.rstrip("*") for one in group)
            yield kind, (lines, names, first.printed, "–", first.rule, first.ruling)


def _no_proof(seeds: Path | None, place: Span) -> Finding:
    if seeds is None:
        message = "this ruleset has no printed figures to compare"
        return Finding(codes.MISSING_KEY, place, message, "put CSV files into its folder `printed`")
    message = "this ruleset does not say what its printed figures are compared with"
    return Finding(codes.MISSING_KEY, place, message, "write a `proof.yaml`")


def _proof_page(rules: Ruleset, differences: Sequence[Difference]) -> TablePage:
    """Return the list as a page of tables, one for each kind."""
    bands = tuple(
        (_table(KINDS[kind], [cells for _, cells in group]),)
        for kind, group in groupby(proof_rows(differences), key=lambda pair: pair[0])
    )
    title, about = f"Proof of {rules.title}", count_words(differences)
    return TablePage("proof", title, about, bands, wide=True)


_WIDTHS: Final = ("lead w-20", "w-64", "w-56", "w-56", "", "w-14")


def _table(label: str, lines: Sequence[tuple[str, ...]]) -> TableView:
    heads = tuple(TableCell(h, classes=c) for h, c in zip(HEADS, _WIDTHS, strict=True))
    body = tuple(
        RowView(
            (TableCell(cells[0], label=True), *(TableCell(c, classes="said") for c in cells[1:]))
        )
        for cells in lines
    )
    parts = (PartView("", body),)
    return TableView(None, label, "", heads, parts, (), "", "fixed of-words", len(lines) < 6)
