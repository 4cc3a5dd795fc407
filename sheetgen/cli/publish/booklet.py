"""`sheetgen booklet`: a PDF as sheets to be folded and stapled in the fold."""

from __future__ import annotations

from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.cli.outputs import Files
from sheetgen.finish.finishing import fold
from sheetgen.plan.imposition.booklets import PAPERS
from sheetgen.units import parse_length


@click.command("booklet")
@console.file_argument
@click.option(
    "--paper",
    type=click.Choice(list(PAPERS)),
    help="Of the sheets; without it one that holds two pages as they are.",
)
@click.option(
    "--creep",
    metavar="LENGTH",
    default="0 mm",
    show_default=True,
    help="Moves the pages of each further sheet to the fold, such as 0.1mm.",
)
@console.out_option
@console.force_option
@console.strict_option
def command(
    file: Path, paper: str | None, creep: str, out: Path, force: bool, strict: bool
) -> None:
    """Impose a PDF as a booklet: two pages on a side, in the order of folding.

    Print it on both sides at 100 per cent, turned over the short edge, fold the pile in the
    middle and staple it there.
    """
    try:
        moved = float(parse_length(creep))
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--creep") from None
    if not 0 <= moved <= float(parse_length("2mm")):
        raise click.BadParameter("between 0 and 2 mm", param_hint="--creep")
    talk = console.Reporter(strict)
    made = fold(file, PAPERS[paper] if paper else None, moved)
    talk.say(made.findings)
    if made.value is not None:
        Files(out, talk, [file], force=force).save(f"{file.stem}-booklet", "pdf", made.value)
    talk.leave()
