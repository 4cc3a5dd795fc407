"""`sheetgen check`: what is wrong with characters, and where."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.diag.findings import errors
from sheetgen.pipeline import Character, characters


@click.command("check")
@console.paths_argument
@console.strict_option
@console.set_option
@console.format_option
def command(paths: tuple[Path, ...], strict: bool, options: Mapping[str, str], form: str) -> None:
    """Check characters against their rules; all findings at once, each with its place."""
    talk = console.Talk(strict)
    results = []
    for path, found in groupby(characters(paths, options), key=lambda one: one.path):
        together = list(found)
        for character in together:
            talk.read(character)
            findings = talk.judged(character.findings)
            name = _name(character) if len(together) > 1 else ""
            if form == "text":
                talk.say(findings)
                click.echo(f"{path}{name and f' ({name})'}: {console.counts(findings)}")
            else:
                talk.said |= dict.fromkeys(findings)
                results.append(
                    {
                        "file": str(path),
                        **({"name": name} if name else {}),
                        "ok": not errors(findings),
                        "findings": console.findings_data(findings),
                    }
                )
    if form == "json":
        console.write_json(results)
    talk.leave()


def _name(one: Character) -> str:
    """Return what one of a file's entries is called in messages."""
    name = one.build.name if one.build else ""
    return "".join(c if c.isprintable() else " " for c in name) or "no name"
