"""`sheetgen sheet`: character sheets, filled or empty, as PDF and HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click

from sheetgen.cli import parameters
from sheetgen.cli.outputs import printing_command
from sheetgen.cli.parameters import argument, flag, option, rulesets, word
from sheetgen.model.requests import SharedOptions
from sheetgen.prints.sheet import SHORT_PAPERS, SheetRequest
from sheetgen.units import PaperName


@printing_command
def command(
    shared: SharedOptions,
    paths: Annotated[
        list[Path], argument("Characters: files, or folders of them.", "[PATH…]")
    ] = parameters.NONE,
    blank: str = word("--blank RULESET", "Print the empty sheet of this ruleset.", rulesets),
    short: bool = flag(
        "--short", "Print what each character has and nothing else, several on a page."
    ),
    paper: Literal[PaperName, "a5", "half-letter"] = option(
        "--paper",
        "The size of the paper; the halves are for short sheets.",
        shown=True,
        default="a4",
    ),
    flatten: bool = flag("--flatten", "Draw all values; the PDF has no form fields."),
    calc: bool = option(
        "--calc/--no-calc",
        "Recompute totals while typing, in PDF viewers that run scripts.",
        shown=True,
        default=True,
    ),
    qr: bool = flag(
        "--qr", "Add the character's file as a QR code; `read` brings it back from a photo."
    ),
    rules: bool = flag("--rules", "Print the rules that the character uses behind the sheet."),
    draft: bool = flag("--draft", "Print builds with errors too, with a stamp."),
) -> SheetRequest:
    """Print character sheets as fillable PDF and as HTML.

    Example: sheetgen sheet hero.yaml --paper letter

    Guide: docs/guides/sheets.md
    """
    if not paths and not blank:
        raise click.UsageError("name a character file, or use --blank RULESET")
    if qr and not paths:
        raise click.UsageError("--qr needs a character file: an empty sheet has none")
    if rules and not paths:
        raise click.UsageError("--rules needs a character file: an empty sheet uses none")
    if short and (blank or qr or rules):
        raise click.UsageError(
            "--short prints what a character has; leave out --blank, --qr, --rules"
        )
    if paper in SHORT_PAPERS and not short:
        raise click.UsageError(f"--paper {paper} holds a short sheet; add --short")
    return SheetRequest(
        tuple(map(str, paths)),
        **shared,
        blank=blank,
        short=short,
        flatten=flatten,
        calc=calc,
        qr=qr,
        rules=rules,
        draft=draft,
    )
