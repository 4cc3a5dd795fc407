"""`sheetgen check`: what is wrong with characters, and where."""

from __future__ import annotations

import typer

from sheetgen.cli import console
from sheetgen.diag.findings import errors
from sheetgen.pipeline import characters


def check(
    paths: console.Paths,
    strict: console.Strict = False,
    options: console.Options = [],  # noqa: B006  (typer reads it, nobody changes it)
    form: console.AsFormat = console.Format.TEXT,
) -> None:
    """Check characters against their rules; all findings at once, each with its place."""
    talk = console.Talk(strict)
    results = []
    for character in characters(paths, console.chosen(options)):
        talk.read(character)
        findings = talk.judged(character.findings)
        if form is console.Format.TEXT:
            talk.say(findings)
            typer.echo(f"{character.path}: {console.counts(findings)}")
        else:
            talk.said |= dict.fromkeys(findings)
            results.append(
                {
                    "file": str(character.path),
                    "ok": not errors(findings),
                    "findings": console.findings_data(findings),
                }
            )
    if form is console.Format.JSON:
        console.write_json(results)
    talk.leave()
