"""`sheetgen cards`: cards of every kind of a ruleset, many on a page."""

from __future__ import annotations

from typing import Annotated, Literal

import click
import typer

from sheetgen.cli import parameters
from sheetgen.cli.completion import groups as group_names
from sheetgen.cli.completion import kinds, rulesets, stock_file_names
from sheetgen.cli.outputs import build_request, run_print
from sheetgen.plan.imposition.imposition import CARDS
from sheetgen.prints.cards import print_cards


def command(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH…|RULESET",
            help="Your files or folders, or a ruleset.",
            autocompletion=rulesets,
        ),
    ],
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            autocompletion=kinds,
            help="The kind of cards; `sheetgen list RULESET` shows all.",
            show_default=False,
        ),
    ] = "",
    groups: Annotated[
        list[str],
        typer.Option(
            "--group",
            autocompletion=group_names,
            help="Only cards of this group; may be given several times.",
            show_default=False,
        ),
    ] = parameters.NONE,
    names: Annotated[
        list[str],
        typer.Option(
            "--name",
            autocompletion=stock_file_names,
            help="Only the card of this name; may be given several times.",
            show_default=False,
        ),
    ] = parameters.NONE,
    formats: Annotated[
        list[str],
        typer.Option(
            "--to",
            click_type=parameters.CARD_KINDS,
            help="File format, or an online table's; may be given several times.",
        ),
    ] = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    each: Annotated[
        bool, typer.Option("--each", help="One picture a card, at trim size plus bleed.")
    ] = False,
    base_url: Annotated[
        str,
        typer.Option(
            "--base-url",
            metavar="URL",
            help="The address at which a deck's pictures will be (tts, cgs).",
            show_default=False,
        ),
    ] = "",
    size: Annotated[
        str,
        typer.Option("--size", help="The size of a card.", click_type=click.Choice(list(CARDS))),
    ] = "poker",
    paper: parameters.Paper = "a4",
    grid: Annotated[
        str,
        typer.Option(
            "--grid", metavar="COLSxROWS", help="The number of cards on a page.", show_default=False
        ),
    ] = "",
    gutter: Annotated[
        str, typer.Option("--gutter", metavar="LENGTH", help="The space between cards.")
    ] = "0 mm",
    bleed: Annotated[
        str, typer.Option("--bleed", metavar="LENGTH", help="The bleed around each card.")
    ] = "0 mm",
    backs: Annotated[
        Literal["long-edge", "short-edge", "fold"] | None,
        typer.Option(
            "--backs",
            help="Print backs: second faces, else the game's own; how the paper is turned.",
            show_default=False,
        ),
    ] = None,
    back_offset: Annotated[
        str,
        typer.Option(
            "--back-offset",
            metavar="X,Y",
            help="Move the backs, such as 0.5mm,-1mm.",
            show_default=False,
        ),
    ] = "",
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate", help="Print a sheet that measures the --back-offset of your printer."
        ),
    ] = False,
    single: Annotated[
        bool, typer.Option("--single", help="Print one card a page, at trim size plus bleed.")
    ] = False,
    notes: parameters.Notes = False,
    no_marks: Annotated[bool, typer.Option("--no-marks", help="Print no crop marks.")] = False,
    theme: parameters.Theme = "standard",
    preset_name: parameters.CardsFor = "",
    archive: parameters.Archive = False,
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Print the cards of a ruleset or of your own files, imposed on paper."""
    request = build_request(
        "cards",
        paths,
        formats,
        settings,
        preset=preset_name,
        archive=archive,
        dpi=dpi,
        transparent=transparent,
        each=each,
        base_url=base_url,
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
        notes=notes,
        theme=theme,
        strict=strict,
    )
    run_print(print_cards, request, out, force=force)
