"""`sheetgen cards`: cards of all kinds that rules know, many to a page."""

from __future__ import annotations

from typing import Annotated, Literal

import click
import typer

from sheetgen.cli.completion import groups as group_names
from sheetgen.cli.completion import kinds, rulesets, stock_file_names
from sheetgen.cli.outputs import build_request, run_print
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    PDF,
    Archive,
    CardsFor,
    Force,
    Kinds,
    Out,
    Paper,
    Settings,
    Strict,
    Theme,
)
from sheetgen.plan.imposition.imposition import CARDS
from sheetgen.prints.cards import print_cards


def command(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH…|RULESET",
            help="Files or folders of yours, or a ruleset.",
            autocompletion=rulesets,
        ),
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            autocompletion=kinds,
            help="Of a ruleset: which of its kinds.",
            show_default=False,
        ),
    ] = "",
    groups: Annotated[
        list[str],
        typer.Option(
            "--group",
            autocompletion=group_names,
            help="Only those of this group.",
            show_default=False,
        ),
    ] = NONE,
    names: Annotated[
        list[str],
        typer.Option(
            "--name",
            autocompletion=stock_file_names,
            help="Only the one of this name.",
            show_default=False,
        ),
    ] = NONE,
    formats: Kinds = PDF,
    size: Annotated[
        str, typer.Option("--size", help="Of a card.", click_type=click.Choice(list(CARDS)))
    ] = "poker",
    paper: Paper = "a4",
    grid: Annotated[
        str,
        typer.Option("--grid", metavar="COLSxROWS", help="So many on a page.", show_default=False),
    ] = "",
    gutter: Annotated[
        str, typer.Option("--gutter", metavar="LENGTH", help="Between cards.")
    ] = "0 mm",
    bleed: Annotated[str, typer.Option("--bleed", metavar="LENGTH", help="Round each.")] = "0 mm",
    backs: Annotated[
        Literal["long-edge", "short-edge", "fold"] | None,
        typer.Option(
            "--backs",
            help="Second faces go behind their fronts; how the paper is turned.",
            show_default=False,
        ),
    ] = None,
    back_offset: Annotated[
        str,
        typer.Option(
            "--back-offset",
            metavar="X,Y",
            help="Moves backs, such as 0.5mm,-1mm.",
            show_default=False,
        ),
    ] = "",
    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="A sheet that finds your --back-offset.")
    ] = False,
    single: Annotated[
        bool, typer.Option("--single", help="One card a page, at trim plus bleed.")
    ] = False,
    no_marks: Annotated[bool, typer.Option("--no-marks", help="No crop marks.")] = False,
    theme: Theme = "standard",
    preset_name: CardsFor = "",
    archive: Archive = False,
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Print the cards of a ruleset, or of your own files, imposed on paper."""
    request = build_request(
        "cards",
        paths,
        formats,
        settings,
        preset=preset_name,
        archive=archive,
        of_kind=kind,
        groups=tuple(groups),
        only=tuple(names),
        size=size,
        paper=paper,
        grid=grid,
        gutter=gutter,
        bleed=bleed,
        backs=backs or "",
        back_offset=back_offset,
        calibrate=calibrate,
        single=single,
        marks=not no_marks,
        theme=theme,
        strict=strict,
    )
    run_print(print_cards, request, out, force=force)
