"""`sheetgen proof`: where a source's printed figures differ from what its rules compute."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any, Literal

import click

from sheetgen.cli import console, parameters
from sheetgen.cli.completion import rulesets
from sheetgen.cli.outputs import build_request, run_print
from sheetgen.cli.parameters import argument, option
from sheetgen.cli.terminal import write_document, write_lines
from sheetgen.model.rulesets.proof import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.context import PrintContext
from sheetgen.prints.proof import HEADS, KINDS, count_words, load_proof, print_proof, proof_rows
from sheetgen.render.flow.table_texts import format_markdown_table
from sheetgen.rules.formulas.readings import UNDEFINED, UNPRICED


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
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Compare every printed figure of a source with what its rules compute.

    A difference is a result, not an error: the status is 0 when the comparison was made.
    """
    if form and kinds:
        raise click.UsageError("--format writes to stdout, --to writes files; use one of them")
    request = build_request(
        "proof",
        [ruleset],
        kinds,
        settings,
        dpi=dpi,
        transparent=transparent,
        paper=paper,
        theme=theme,
        strict=strict,
    )
    if kinds:
        run_print(print_proof, request, out, force=force)
        return
    reporter = console.Reporter(strict)
    checked, findings = load_proof(request, PrintContext())
    reporter.report(findings)
    rules, differences = checked.rules, checked.differences
    if rules is not None and form == "json":
        console.write_json(proof_data(rules, differences))
    elif rules is not None and form == "md":
        write_document(proof_markdown(rules, differences))
    elif rules is not None:
        write_lines(*proof_text(rules, differences))
    reporter.exit()


def proof_text(rules: Ruleset, found: Sequence[Difference]) -> list[str]:
    """Return the list for people, as lines: a block for each difference, below its kind."""
    lines = [f"{rules.title}: {count_words(found)}"]
    for kind, group in groupby(proof_rows(found), key=lambda pair: pair[0]):
        lines += ["", KINDS[kind]]
        for _, (line, what, printed, computed, rule, ruling) in group:
            lines.append(f"  line {line}: {what}")
            text = f"prints {printed}" + (f"; computed {computed}" if computed != "–" else "")
            if kind == UNDEFINED:
                text = f"prints `{printed}`; {computed}"
            if kind == UNPRICED:
                text = printed
            by = f"  [{rule}]" if rule else ""
            lines.append(f"      {text}{by}" + (f"  ({ruling})" if ruling else ""))
    return [*lines, "", rules.credit.short]


def proof_markdown(rules: Ruleset, found: Sequence[Difference]) -> str:
    """Return the list as Markdown, a table for each kind."""
    parts = [f"# Proof of {rules.title}", count_words(found) + "."]
    for kind, group in groupby(proof_rows(found), key=lambda pair: pair[0]):
        table = [HEADS, *(cells for _, cells in group)]
        parts += [f"## {KINDS[kind]}", format_markdown_table(table, [True, *[False] * 5])]
    return "\n\n".join([*parts, rules.credit.short]) + "\n"


def proof_data(rules: Ruleset, found: Sequence[Difference]) -> dict[str, Any]:
    """Return the list for JSON."""
    return {
        "_credit": rules.credit.short,
        "ruleset": str(rules.id),
        "version": rules.version,
        "differences": [
            {
                "kind": one.kind,
                "file": one.file,
                "line": one.line,
                "what": one.what,
                "printed": one.printed,
                "computed": one.computed,
                "rule": one.rule,
                "ruling": one.ruling,
            }
            for one in found
        ],
    }
