"""`sheetgen booklet`: a PDF as sheets to be folded and stapled in the fold."""

from __future__ import annotations

from typing import Annotated

import click
import typer

from sheetgen.cli import console
from sheetgen.cli.outputs import OutputFiles
from sheetgen.cli.parameters import OUTPUT, File, Force, Out, Strict
from sheetgen.finish.finishing import fold_booklet
from sheetgen.plan.imposition.booklets import PAPERS
from sheetgen.units import parse_length


def command(
    file: File,
    paper: Annotated[
        str | None,
        typer.Option(
            "--paper",
            help="Of the sheets; without it one that holds two pages as they are.",
            click_type=click.Choice(list(PAPERS)),
            show_default=False,
        ),
    ] = None,
    creep: Annotated[
        str,
        typer.Option(
            "--creep",
            metavar="LENGTH",
            help="Moves the pages of each further sheet to the fold, such as 0.1mm.",
        ),
    ] = "0 mm",
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
) -> None:
    """Impose a PDF as a booklet: two pages on a side, in the order of folding.

    Print it on both sides at 100 per cent, turned over the short edge, fold the pile in the
    middle and staple it there.
    """
    try:
        moved = float(parse_length(creep))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--creep") from None
    if not 0 <= moved <= float(parse_length("2mm")):
        raise typer.BadParameter("between 0 and 2 mm", param_hint="--creep")
    reporter = console.Reporter(strict)
    booklet = fold_booklet(file, PAPERS[paper] if paper else None, moved)
    reporter.report(booklet.findings)
    if booklet.value is not None:
        files = OutputFiles(out, reporter, [file], force=force)
        files.write(f"{file.stem}-booklet", "pdf", booklet.value)
    reporter.exit()
