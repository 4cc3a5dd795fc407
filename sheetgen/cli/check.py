"""`sheetgen check`: what is wrong with characters, and where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.diag.findings import errors
from sheetgen.pipeline import characters


@click.command("check")
@console.paths_argument
@console.strict_option
@console.set_option
@console.format_option
def command(paths: tuple[Path, ...], strict: bool, options: Mapping[str, str], form: str) -> None:
    """Check characters against their rules; all findings at once, each with its place."""
    talk = console.Talk(strict)
    results = []
    for character in characters(paths, options):
        talk.read(character)
        findings = talk.judged(character.findings)
        if form == "text":
            talk.say(findings)
            click.echo(f"{character.path}: {console.counts(findings)}")
        else:
            talk.said |= dict.fromkeys(findings)
            results.append(
                {
                    "file": str(character.path),
                    "ok": not errors(findings),
                    "findings": console.findings_data(findings),
                }
            )
    if form == "json":
        console.write_json(results)
    talk.leave()
