"""`sheetgen proof`: where a source's printed figures differ from what its rules compute."""

from __future__ import annotations

from typing import Annotated, Literal

import click
import typer

from sheetgen.cli import console
from sheetgen.cli.completion import rulesets
from sheetgen.cli.outputs import build_request, run_print
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    Force,
    Out,
    PagesTo,
    Paper,
    Settings,
    Strict,
    Theme,
)
from sheetgen.cli.rules.proof_text import proof_data, proof_markdown, proof_text
from sheetgen.cli.terminal import write_document, write_lines
from sheetgen.prints.context import PrintContext
from sheetgen.prints.proof import load_proof, print_proof


def command(
    ruleset: Annotated[
        str,
        typer.Argument(
            metavar="RULESET|FOLDER",
            help="The name of a ruleset, or its folder.",
            autocompletion=rulesets,
        ),
    ],
    form: Annotated[
        Literal["text", "json", "md"] | None,
        typer.Option(
            "--format",
            help="How to say it on stdout; text unless --to writes a file.",
            show_default=False,
        ),
    ] = None,
    kinds: PagesTo = NONE,
    paper: Paper = "a4",
    theme: Theme = "standard",
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Compare every printed figure of a source with what its rules compute.

    A difference is a result, not an error: the status is 0 when the comparison was made.
    """
    if form and kinds:
        raise click.UsageError("--format writes to stdout, --to writes files; use one of them")
    request = build_request(
        "proof", [ruleset], kinds, settings, paper=paper, theme=theme, strict=strict
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
