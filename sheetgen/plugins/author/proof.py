"""`sheetgen proof`: where a source's printed figures differ from what its rules compute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Annotated, ClassVar, Final, Literal

import click

from sheetgen.cli import console, parameters
from sheetgen.cli.outputs import name_file, run_print
from sheetgen.cli.parameters import argument, option, rulesets
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, apply_strict, errors
from sheetgen.model.requests import PrintRequest, file_formats
from sheetgen.model.rulesets.prints import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TablePage, TableView
from sheetgen.plugins.author.comparisons import (
    INHERITED,
    ROUNDING,
    TEXT,
    TRUNCATED,
    UNDEFINED,
    UNPRICED,
    WRONG,
)
from sheetgen.prints.kinds import PrintContext, PrintKind, PrintResult, name_words
from sheetgen.prints.rulesets import CheckedRuleset, check_rulesets
from sheetgen.prints.tables import render_table_pages
from sheetgen.records import frozen
from sheetgen.render.flow.table_pages import format_markdown_table
from sheetgen.rules.index import file_stem

_SHOWN: Final = ("kind", "file", "line", "what", "printed", "computed", "rule", "ruling")
_WIDTHS: Final = ("lead w-20", "w-64", "w-56", "w-56", "", "w-14")


def command(
    ruleset: Annotated[
        str, argument("The name of a ruleset, or its folder.", "RULESET|FOLDER", complete=rulesets)
    ],
    form: Annotated[
        Literal["text", "json", "md"] | None,
        option("--format", "The format on stdout; text unless --to writes a file."),
    ] = None,
    kinds: parameters.PagesTo = parameters.NONE,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    paper: parameters.Paper = "a4",
    theme: parameters.Theme = "standard",
    out: parameters.FileOut = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Compare every printed figure of a source with what its rules compute.

    A difference is a result, not an error: the status is 0 when the comparison was made.

    Example: sheetgen proof RULESET

    Guide: docs/guides/proofs.md
    """
    folder, stem, kinds = name_file(out, kinds)
    if form and kinds:
        raise click.UsageError("--format writes to stdout, --to writes files; use one of them")
    request = ProofRequest(
        (ruleset,),
        formats=file_formats(kinds),
        options=console.sorted_options(settings),
        dpi=dpi,
        transparent=transparent,
        paper=paper,
        theme=theme,
        strict=strict,
    )
    if kinds:
        run_print(PROOF_KIND, request, folder, stem, force=force)
        return
    reporter = console.Reporter(strict)
    checked, findings = load_proof(request, PrintContext())
    reporter.report(findings)
    rules, differences = checked.rules, checked.differences
    if rules is not None and form == "json":
        listed = [{key: getattr(one, key) for key in _SHOWN} for one in differences]
        about = {"ruleset": str(rules.id), "version": rules.version}
        console.write_json({"_credit": rules.credit.short, **about, "differences": listed})
    elif rules is not None and form == "md":
        parts = [f"# Proof of {rules.title}", count_words(differences) + "."]
        for kind, rows in proof_rows(differences):
            table = format_markdown_table([HEADS, *rows], [True, *[False] * 5])
            parts += [f"## {KINDS[kind]}", table]
        console.write_document("\n\n".join([*parts, rules.credit.short]) + "\n")
    elif rules is not None:
        console.write_lines(*proof_text(rules, differences))
    reporter.exit()


def proof_text(rules: Ruleset, found: Sequence[Difference]) -> list[str]:
    """Return the list for people, as lines: a block for each difference, below its kind."""
    lines = [f"{rules.title}: {count_words(found)}"]
    for kind, rows in proof_rows(found):
        lines += ["", KINDS[kind]]
        for line, what, printed, computed, rule, ruling in rows:
            lines.append(f"  line {line}: {what}")
            text = f"prints {printed}" + (f"; computed {computed}" if computed != "–" else "")
            if kind == UNDEFINED:
                text = f"prints `{printed}`; {computed}"
            if kind == UNPRICED:
                text = printed
            by = f"  [{rule}]" if rule else ""
            lines.append(f"      {text}{by}" + (f"  ({ruling})" if ruling else ""))
    return [*lines, "", rules.credit.short]


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


@frozen
class ProofRequest(PrintRequest):
    """Proofs to print."""

    kind: ClassVar[str] = "proof"


def load_proof(
    request: PrintRequest, context: PrintContext
) -> tuple[CheckedRuleset, tuple[Finding, ...]]:
    """Return a ruleset with its differences, and all findings; no rules if there is no proof."""
    [checked] = check_rulesets(request, context)
    rules = checked.rules
    if rules is None:
        return checked, checked.findings
    if checked.seeds is None or not rules.proof:
        message = "this ruleset does not say what its printed figures are compared with"
        hint = "write a `proof.yaml`"
        if checked.seeds is None:
            message = "this ruleset has no printed figures to compare"
            hint = "put CSV files into its folder `printed`"
        missing = Finding(codes.MISSING_KEY, rules.place, message, hint)
        findings: tuple[Finding, ...] = (*checked.findings, missing)
    else:
        findings = apply_strict(checked.findings, request.strict)
    return (replace(checked, rules=None) if errors(findings) else checked), findings


def print_proof(request: ProofRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the list of differences of a ruleset as pages."""
    checked, findings = load_proof(request, context)
    if checked.rules is None:
        yield PrintResult(findings=findings)
        return
    tables = proof_rows(checked.differences)
    bands = tuple((_table(KINDS[kind], rows),) for kind, rows in tables)
    title, about = f"Proof of {checked.rules.title}", count_words(checked.differences)
    page = TablePage("proof", title, about, bands, wide=True)
    printed = render_table_pages([page], checked.rules, page.label, request)
    yield replace(
        printed,
        findings=(*findings, *printed.findings),
        words=name_words(checked.rules, request.kind),
        stem=file_stem(f"{checked.rules.id}-{request.kind}"),
    )


def count_words(differences: Sequence[Difference]) -> str:
    """Return how many differences there are of each kind, in words."""
    parts = [(kind, sum(one.kind == kind for one in differences)) for kind in KINDS]
    listed = ", ".join(f"{count} {kind}" for kind, count in parts if count)
    total = f"{len(differences)} difference{'s' if len(differences) != 1 else ''}"
    return f"{total}: {listed}" if differences else "no differences"


def proof_rows(differences: Sequence[Difference]) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield kinds with the cells of their lines; things without a price share one if they can."""
    for kind in KINDS:
        ours = [one for one in differences if one.kind == kind]
        rows: list[tuple[str, ...]] = [
            (str(one.line), one.what, one.printed, one.computed, one.rule, one.ruling)
            for one in ours
        ]
        if kind == UNPRICED:
            rows = []
            for _, together in groupby(ours, key=lambda one: (one.file, one.ruling, one.rule)):
                group = list(together)
                first, last = group[0], group[-1]
                lines = f"{first.line}–{last.line}" if len(group) > 1 else str(first.line)
                names = ", ".join(one.what.rstrip("*") for one in group)
                rows.append((lines, names, first.printed, "–", first.rule, first.ruling))
        if rows:
            yield kind, rows


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


PROOF_KIND: Final = PrintKind(
    ProofRequest,
    "Proof",
    print_proof,
    job="ruleset",
    read_entry=lambda _, shared: ProofRequest(**shared),
    word="proof",
)
