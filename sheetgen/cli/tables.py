"""`sheetgen tables`: a ruleset's reference tables, as PDF, HTML and text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sheetgen.cli import parameters
from sheetgen.cli.console import sorted_options
from sheetgen.cli.outputs import run_print, show_names
from sheetgen.model.requests import FORMATS_OF_FILES, file_formats
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.tables import find_references, list_page_names
from sheetgen.prints.tables import TABLE_KIND, TableRequest, find_wrong_tables

MOST_COLUMNS = 30  # Nobody reads a table that is wider


def command(
    ruleset: parameters.RulesetName,
    names: Annotated[
        list[str], parameters.argument("Pages or tables. Default: all.", "[NAME…]")
    ] = parameters.NONE,
    kinds: Annotated[
        list[str],
        parameters.option(
            "--to",
            "File format; may be given several times.",
            shown=True,
            choices=FORMATS_OF_FILES,
        ),
    ] = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    paper: parameters.Paper = "a4",
    theme: parameters.Theme = "standard",
    preset_name: parameters.PagesFor = "",
    archive: parameters.Archive = False,
    over: Annotated[
        str,
        parameters.option(
            "--over FROM-TO",
            "Compute the tables for these numbers instead of their own rows, such as 1-20.",
        ),
    ] = "",
    notes: parameters.Notes = False,
    listed: parameters.ListOnly = False,
    out: Annotated[
        Path,
        parameters.option(
            "--out", "The folder to write to; `-` writes md, csv or json to stdout.", shown=True
        ),
    ] = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Print a ruleset's reference tables, computed from its formulas and data.

    RULESET is the name of a ruleset that comes with sheetgen, or the path of a folder. NAME is
    one of its pages or tables.

    Example: sheetgen tables RULESET --to html

    Guide: docs/guides/tables.md
    """
    request = TableRequest(
        (ruleset,),
        formats=file_formats(kinds),
        options=sorted_options(settings),
        preset=preset_name,
        archive=archive,
        dpi=dpi,
        transparent=transparent,
        only=tuple(names),
        numbers=_parse_range(over),
        notes=notes,
        paper=paper,
        theme=theme,
        strict=strict,
    )
    if listed:
        show_names(request, _listing, find_wrong_tables)
    run_print(TABLE_KIND, request, out, force=force)


def _parse_range(text: str) -> tuple[int, ...]:
    if not text:
        return ()
    first, _, last = text.partition("-")
    if not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        raise typer.BadParameter(f"`{text}` is not FROM-TO, such as 1-20", param_hint="--over")
    numbers = range(int(first[:9]), int(last[:9]) + 1)
    if not 1 <= len(numbers) <= MOST_COLUMNS:
        message = f"`{text}` has to be a rising range of at most {MOST_COLUMNS} numbers"
        raise typer.BadParameter(message, param_hint="--over")
    return tuple(numbers)


def _listing(rules: Ruleset) -> Iterator[str]:
    shown: set[str] = set()
    for id_, reference in find_references(rules).items():
        yield f"{id_:<20} {reference.label}"
        for name in (str(name) for band in reference.bands for name in band):
            shown.add(name)
            if name in rules.tables and name != id_:
                yield f"  {name:<18} {rules.tables[name].label}".rstrip()
    others = {*list_page_names(rules)} - shown
    for id_, table in rules.tables.items():
        if id_ in others:
            yield f"{id_:<20} {table.label}".rstrip()
