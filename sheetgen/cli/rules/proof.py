"""`sheetgen proof`: where a source's printed figures and its rules part."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.cli.outputs import Files, file_stem
from sheetgen.cli.rules.proof_text import as_page, proof_data, proof_markdown, proof_text
from sheetgen.cli.terminal import say, say_document
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.spans import Span
from sheetgen.prints.sheet import PrintRequest
from sheetgen.prints.tables import print_tables, proof_of


@click.command("proof")
@click.argument("ruleset", metavar="RULESET|FOLDER")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "md"]),
    default=None,
    help="How to say it on stdout; text unless --to writes a file.",
)
@click.option(
    "--to",
    "kinds",
    multiple=True,
    type=click.Choice(["pdf", "html"]),
    help="Write the list as a file; may be given twice.",
)
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--theme", default="standard", show_default=True, help="`sheetgen list themes`.")
@console.out_option
@console.force_option
@console.strict_option
@console.set_option
def command(
    ruleset: str,
    form: str | None,
    kinds: tuple[str, ...],
    paper: str,
    theme: str,
    out: Path,
    force: bool,
    strict: bool,
    options: Mapping[str, str],
) -> None:
    """Compare every printed figure of a source with what its rules compute.

    A difference is a result, not an error: the status is 0 when the comparison was made.
    """
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
