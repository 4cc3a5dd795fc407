"""`sheetgen sheet`: character sheets, filled or empty, as PDF and HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click
import typer

from sheetgen.cli.completion import rulesets
from sheetgen.cli.outputs import build_request, run_print
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    PDF,
    Archive,
    Force,
    Kinds,
    Out,
    PagesFor,
    Paper,
    Settings,
    Strict,
    Theme,
)
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
    ] = NONE,
    kinds: Kinds = PDF,
    blank: Annotated[
        str,
        typer.Option(
            "--blank",
            autocompletion=rulesets,
            metavar="RULESET",
            help="Write its empty sheet.",
            show_default=False,
        ),
    ] = "",
    paper: Paper = "a4",
    theme: Theme = "standard",
    flatten: Annotated[
        bool, typer.Option("--flatten", help="Draw everything; no form to fill in.")
    ] = False,
    calc: Annotated[
        bool,
        typer.Option(
            "--calc/--no-calc", help="Let totals follow what is typed, in viewers that run scripts."
        ),
    ] = True,
    preset_name: PagesFor = "",
    archive: Archive = False,
    draft: Annotated[
        bool, typer.Option("--draft", help="Print builds with errors too, stamped.")
    ] = False,
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Print character sheets as fillable PDF and as HTML."""
    if not paths and not blank:
        raise click.UsageError("name a character file, or use --blank RULESET")
    request = build_request(
        "sheets",
        paths,
        kinds,
        settings,
        preset=preset_name,
        archive=archive,
        paper=paper,
        theme=theme,
        flatten=flatten,
        calc=calc,
        draft=draft,
        strict=strict,
    )

    def print_all(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
        if blank:
            yield from print_blanks(replace(request, of=(blank,)), context)
        characters = load_characters(paths, dict(request.options), context.rulesets)
        yield from print_characters(characters, request, context)

    run_print(print_all, request, out, force=force)
