"""The command line: one command is one file, and thin. This file is the list of them."""

from __future__ import annotations

from typing import Annotated

import typer

from sheetgen import __version__
from sheetgen.cli import advance, check, explain, listing, new, sheet, show

app = typer.Typer(
    name="sheetgen",
    help="Print character sheets, cards and tables from characters and rules that are data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("check")(check.check)
app.command("show")(show.show)
app.command("advance")(advance.advance)
app.command("sheet")(sheet.sheet)
app.command("list")(listing.listing)
app.add_typer(new.app, name="new")
app.command("explain")(explain.explain)


def _version(wanted: bool) -> None:
    if wanted:
        from sheetgen.load.content import credits

        typer.echo(f"sheetgen {__version__}\n")
        typer.echo("\n\n".join(credits()))
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Version and credits."),
    ] = False,
) -> None:
    """Print character sheets, cards and tables from characters and rules that are data."""
