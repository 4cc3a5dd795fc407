"""`sheetgen booklet`: a PDF as sheets to be folded and stapled in the fold."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from sheetgen.cli import console
from sheetgen.cli.outputs import OutputFiles
from sheetgen.cli.parameters import OUTPUT, File, Force, Out, Strict, option
from sheetgen.model.requests import FilePart
from sheetgen.plugins.prepress.booklets import BOOKLET_PAPERS
from sheetgen.plugins.prepress.finishing import fold_booklet
from sheetgen.units import paper_points, parse_length


def command(
    file: File,
    paper: Annotated[
        str | None,
        option(
            "--paper",
            "The paper of the sheets. Default: one that holds two pages at their size.",
            choices=BOOKLET_PAPERS,
        ),
    ] = None,
    creep: Annotated[
        str,
        option(
            "--creep LENGTH",
            "Move the pages of each further sheet towards the fold, such as 0.1mm.",
            shown=True,
        ),
    ] = "0 mm",
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
) -> None:
    """Impose a PDF as a booklet: two pages on a side, in the order of folding.

    Print it on both sides at 100 per cent, flipped on the short edge. Fold the pile in the
    middle and staple the fold.

    Example: sheetgen booklet output/book.pdf

    Guide: docs/guides/print-shop.md
    """
    try:
        moved = float(parse_length(creep))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--creep") from None
    if not 0 <= moved <= float(parse_length("2mm")):
        raise typer.BadParameter("between 0 and 2 mm", param_hint="--creep")
    reporter = console.Reporter(strict)
    booklet = fold_booklet(file, paper_points(paper) if paper else None, moved)
    reporter.report(booklet.findings)
    if booklet.value is not None:
        with OutputFiles(out, reporter, [file], force=force) as files:
            files.write(f"{file.stem}-booklet", FilePart("", "pdf", partial(bytes, booklet.value)))
    reporter.exit()
