"""`sheetgen explain`: what a code of a finding means."""

from __future__ import annotations

from typing import Annotated

import typer

from sheetgen.diag.codes import CODES
from sheetgen.diag.near import suggestion


def explain(
    code: Annotated[str, typer.Argument(help="Such as SG204; nothing for all of them.")] = "",
) -> None:
    """Say what a code means and how to mend what it found."""
    if not code:
        for known in CODES.values():
            typer.echo(f"{known.id}  {known.title}")
        return
    found = CODES.get(code.strip().upper())
    if found is None:
        hint = suggestion(code.upper(), CODES)
        raise typer.BadParameter(f"there is no code `{code}`; {hint}", param_hint="CODE")
    typer.echo(f"{found.id}: {found.title}\n\n{found.about}")
