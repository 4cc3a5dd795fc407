"""`sheetgen sheet`: character sheets, filled or empty, as PDF and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click
import typer

from sheetgen.cli import parameters
from sheetgen.cli.completion import rulesets
from sheetgen.cli.outputs import build_request, run_print
from sheetgen.model.requests import PrintRequest
from sheetgen.prints.characters import load_characters
from sheetgen.prints.context import PrintContext, PrintResult
from sheetgen.prints.sheet import print_blanks, print_characters


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="[PATH…]", help="Characters: files, or folders of them.", readable=False
        ),
    ] = parameters.NONE,
    kinds: parameters.Kinds = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    blank: Annotated[
        str,
        typer.Option(
            "--blank",
            autocompletion=rulesets,
            metavar="RULESET",
            help="Print the empty sheet of this ruleset.",
            show_default=False,
        ),
    ] = "",
    paper: parameters.Paper = "a4",
    theme: parameters.Theme = "standard",
    flatten: Annotated[
        bool,
        typer.Option("--flatten", help="Draw all values; the PDF has no form fields."),
    ] = False,
    calc: Annotated[
        bool,
        typer.Option(
            "--calc/--no-calc",
            help="Recompute totals while typing, in PDF viewers that run scripts.",
        ),
    ] = True,
    qr: Annotated[
        bool,
        typer.Option(
            "--qr",
            help="Add the character's file as a QR code; `read` brings it back from a photo.",
        ),
    ] = False,
    preset_name: parameters.PagesFor = "",
    archive: parameters.Archive = False,
    draft: Annotated[
        bool, typer.Option("--draft", help="Print builds with errors too, with a stamp.")
    ] = False,
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Print character sheets as fillable PDF and as HTML."""
    if not paths and not blank:
        raise click.UsageError("name a character file, or use --blank RULESET")
    if qr and not paths:
        raise click.UsageError("--qr needs a character file: an empty sheet has none")
    request = build_request(
        "sheets",
        paths,
        kinds,
        settings,
        preset=preset_name,
        archive=archive,
        dpi=dpi,
        transparent=transparent,
        paper=paper,
        theme=theme,
        flatten=flatten,
        calc=calc,
        qr=qr,
        draft=draft,
        strict=strict,
    )

    def print_all(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
        if blank:
            yield from print_blanks(replace(request, of=(blank,)), context)
        characters = load_characters(paths, dict(request.options), context.rulesets)
        yield from print_characters(characters, request, context)

    run_print(print_all, request, out, force=force)
