"""`sheetgen explain`: what a code of a finding means."""

from __future__ import annotations

import click

from sheetgen.cli.terminal import say
from sheetgen.diag.codes import CODES
from sheetgen.diag.near import suggestion


@click.command("explain")
@click.argument("code", default="")
def command(code: str) -> None:
    """Say what a CODE such as SG204 means; without one, list them all."""
    if not code:
        for known in CODES.values():
            say(f"{known.id}  {known.title}")
        return
    found = CODES.get(code.strip().upper())
    if found is None:
        hint = suggestion(code.upper(), CODES)
        raise click.BadParameter(f"there is no code `{code}`; {hint}", param_hint="CODE")
    say(f"{found.id}: {found.title}", "", found.about)
