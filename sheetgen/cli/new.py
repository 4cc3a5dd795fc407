"""`sheetgen new`: files to start from."""

from __future__ import annotations

import os
from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.content import ruleset_ids, starter_text
from sheetgen.rules.names import folded
from sheetgen.write.files import write

_LONGEST_STEM = 60
"""Letters of a name that go into a file's name; systems take 255 bytes of it."""


@click.group("new", no_args_is_help=True)
def command() -> None:
    """Write a file to start from."""


@command.command("character")
@click.argument("ruleset")
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path), help="The file to write.")
def character(ruleset: str, name: str, out: Path | None) -> None:
    """Write a commented character file for RULESET that checks clean."""
    if ruleset not in ruleset_ids():
        hint = suggestion(ruleset, ruleset_ids(), "rulesets")
        raise click.BadParameter(f"there is no ruleset `{ruleset}`; {hint}", param_hint="RULESET")
    if not any(c.isprintable() and not c.isspace() for c in name):
        raise click.BadParameter("a character needs a name", param_hint="NAME")
    stem = folded(name).replace(" ", "-")[:_LONGEST_STEM].rstrip("-") or "character"
    target = out or Path(f"{stem}.yaml")
    talk = console.Talk()
    if os.path.lexists(target):
        message = "something stands there already"
        finding = Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, "use --out")
        talk.say([finding])
        talk.leave()
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    shown = "".join(c if c.isprintable() else " " for c in quoted)
    content = starter_text(ruleset).replace("{name}", f'"{shown}"')
    failed = write(target, content.encode())
    if failed is not None:
        talk.say([failed])
    else:
        click.echo(str(target))
    talk.leave()
