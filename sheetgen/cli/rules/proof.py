"""`sheetgen proof`: where a source's printed figures and its rules part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click
import typer

from sheetgen.cli import console
from sheetgen.cli.completion import rulesets
from sheetgen.cli.console import set_options
from sheetgen.cli.outputs import Files, file_stem
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    PAGE_KINDS,
    Force,
    Out,
    Paper,
    Settings,
    Strict,
    Theme,
)
from sheetgen.cli.rules.proof_text import as_page, proof_data, proof_markdown, proof_text
from sheetgen.cli.terminal import say, say_document
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.spans import Span
from sheetgen.prints.requests import PrintRequest
from sheetgen.prints.tables import print_tables, proof_of


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
    kinds: Annotated[
        list[str],
        typer.Option(
            "--to",
            help="Write the list as a file; may be given twice.",
            click_type=PAGE_KINDS,
            show_default=False,
        ),
    ] = NONE,
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
    options = set_options(settings)
    if form and kinds:
        raise click.UsageError("--format says it on stdout, --to writes files; take one")
    talk = console.Reporter(strict)
    read = proof_of(ruleset, options)
    talk.say(read.findings)
    rules = read.rules
    if rules is not None and (read.seeds is None or not rules.proof):
        talk.say([_nothing(read.seeds, rules.place)])
    elif rules is not None and not errors(talk.judged(read.findings)):
        found = read.differences
        if kinds:
            request = PrintRequest(tuple(dict.fromkeys(kinds)), theme, paper)
            page = as_page(rules, found)
            printed = print_tables([page], rules, page.label, request)
            talk.say(printed.findings)
            files = dict(sorted((printed.value or {}).items()))
            Files(out, talk, force=force).put(file_stem(f"{rules.id}-proof"), files)
        elif form == "json":
            console.write_json(proof_data(rules, found))
        elif form == "md":
            say_document(proof_markdown(rules, found))
        else:
            say(*proof_text(rules, found))
    talk.leave()


def _nothing(seeds: Path | None, place: Span) -> Finding:
    if seeds is None:
        message = "this ruleset has no printed figures to compare"
        return Finding(codes.MISSING_KEY, place, message, "put CSV files into its folder `printed`")
    message = "this ruleset does not say what its printed figures are compared with"
    return Finding(codes.MISSING_KEY, place, message, "write a `proof.yaml`")
