"""`sheetgen sheet`: character sheets, filled or empty, as PDF and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import click

from sheetgen.cli import parameters
from sheetgen.cli.completion import rulesets
from sheetgen.cli.console import sorted_options
from sheetgen.cli.outputs import run_print
from sheetgen.cli.parameters import argument, option
from sheetgen.model.requests import file_formats
from sheetgen.prints.characters import load_characters
from sheetgen.prints.context import PrintContext, PrintResult
from sheetgen.prints.sheet import SHEET_KIND, SheetRequest, print_blanks, print_characters
from sheetgen.prints.short import SHORT_PAPERS, print_short_sheets
from sheetgen.units import PaperName


def command(
    paths: Annotated[
        list[Path], argument("Characters: files, or folders of them.", "[PATH…]")
    ] = parameters.NONE,
    kinds: parameters.Kinds = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    blank: Annotated[
        str, option("--blank RULESET", "Print the empty sheet of this ruleset.", rulesets)
    ] = "",
    short: Annotated[
        bool,
        option("--short", "Print what each character has and nothing else, several on a page."),
    ] = False,
    paper: Annotated[
        Literal[PaperName, "a5", "half-letter"],
        option("--paper", "The size of the paper; the halves are for short sheets.", shown=True),
    ] = "a4",
    theme: parameters.Theme = "standard",
    flatten: Annotated[
        bool, option("--flatten", "Draw all values; the PDF has no form fields.")
    ] = False,
    calc: Annotated[
        bool,
        option(
            "--calc/--no-calc",
            "Recompute totals while typing, in PDF viewers that run scripts.",
            shown=True,
        ),
    ] = True,
    qr: Annotated[
        bool,
        option(
            "--qr", "Add the character's file as a QR code; `read` brings it back from a photo."
        ),
    ] = False,
    rules: Annotated[
        bool, option("--rules", "Print the rules that the character uses behind the sheet.")
    ] = False,
    preset_name: parameters.PagesFor = "",
    archive: parameters.Archive = False,
    draft: Annotated[
        bool, option("--draft", "Print builds with errors too, with a stamp.")
    ] = False,
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
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
    request = SheetRequest(
        tuple(map(str, paths)),
        formats=file_formats(kinds),
        options=sorted_options(settings),
        preset=preset_name,
        archive=archive,
        dpi=dpi,
        transparent=transparent,
        paper=paper,
        theme=theme,
        flatten=flatten,
        calc=calc,
        qr=qr,
        rules=rules,
        draft=draft,
        strict=strict,
    )

    def print_all(request: SheetRequest, context: PrintContext) -> Iterator[PrintResult]:
        if blank:
            yield from print_blanks(replace(request, of=(blank,)), context)
        characters = load_characters(paths, dict(request.options), context.rulesets)
        if short:
            yield from print_short_sheets(characters, request)
        else:
            yield from print_characters(characters, request, context)

    run_print(replace(SHEET_KIND, printer=print_all), request, out, force=force)
