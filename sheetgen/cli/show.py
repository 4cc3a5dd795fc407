"""`sheetgen show`: a build with everything that follows from it, and its ledgers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sheetgen.cli import console
from sheetgen.cli.builds import as_data, as_text
from sheetgen.pipeline import characters


def show(
    file: Annotated[Path, typer.Argument(help="A character file.", metavar="FILE")],
    strict: console.Strict = False,
    options: console.Options = [],  # noqa: B006  (typer reads it, nobody changes it)
    form: console.AsFormat = console.Format.TEXT,
) -> None:
    """Show a build: ratings and where they come from, derived values, ledgers."""
    talk = console.Talk(strict)
    results = []
    for character in characters([file], console.chosen(options)):
        talk.read(character)
        talk.say(character.findings)
        if character.build is None or character.rules is None:
            continue
        if form is console.Format.TEXT:
            typer.echo(as_text(character.build, character.rules))
        else:
            data = as_data(character.build)
            data["findings"] = console.findings_data(talk.judged(character.findings))
            results.append(data)
    if form is console.Format.JSON:
        console.write_json(results[0] if len(results) == 1 else results)
    talk.leave()
