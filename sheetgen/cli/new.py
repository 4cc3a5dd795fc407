"""`sheetgen new`: files to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sheetgen.cli import console
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.content import ruleset_ids, starter_text
from sheetgen.rules.names import folded
from sheetgen.write.files import write

app = typer.Typer(help="Write a file to start from.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def new() -> None:
    """Write a file to start from."""


@app.command("character")
def character(
    ruleset: Annotated[str, typer.Argument(help="Such as keyword-dots.")],
    name: Annotated[str, typer.Argument(help="The character's name.")],
    out: Annotated[Path | None, typer.Option(help="The file to write.")] = None,
) -> None:
    """Write a commented character file that checks clean."""
    if ruleset not in ruleset_ids():
        hint = suggestion(ruleset, ruleset_ids(), "rulesets")
        raise typer.BadParameter(f"there is no ruleset `{ruleset}`; {hint}", param_hint="RULESET")
    stem = folded(name).replace(" ", "-") or "character"
    target = out or Path(f"{stem}.yaml")
    talk = console.Talk()
    if target.exists():
        message = "a file stands there already"
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
        typer.echo(str(target))
    talk.leave()
