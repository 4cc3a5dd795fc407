"""`sheetgen cards`: cards of all kinds that rules know, many to a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click
import typer

from sheetgen.cli import console
from sheetgen.cli.completion import kinds, rulesets, stock_file_names
from sheetgen.cli.console import set_options
from sheetgen.cli.outputs import Files, file_stem
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
from sheetgen.cli.preset_option import check_archive, preset_of
from sheetgen.diag.findings import errors
from sheetgen.model.designs.presets import Preset
from sheetgen.plan.imposition.decks import DeckLayout
from sheetgen.plan.imposition.imposition import CARDS, CardGrid, Misfit
from sheetgen.plan.imposition.measures import MOST_OFFSET, parse_bounded_length
from sheetgen.prints.card_selection import Cut, NoSuchKind, SelectionRequest, card_grid, hand_of
from sheetgen.prints.cards import CardRequest, WantedCard, print_calibration, print_cards


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
        list[str], typer.Option("--group", help="Only those of this group.", show_default=False)
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
    preset = preset_of(preset_name)
    options = set_options(settings)
    check_archive(archive, preset)
    alone, folded = single and not grid, backs == "fold"
    cut = Cut(size, paper, grid, gutter, bleed, alone=alone, folded=folded)
    layout = DeckLayout(_grid(cut, preset), backs, _offset(back_offset), not no_marks)
    request = CardRequest(layout, size, tuple(formats), theme, preset.safe if preset else 0.0)
    talk = console.Reporter(strict)
    wish = SelectionRequest(kind, tuple(groups), tuple(names), strict)
    cards: list[WantedCard] = []
    sources: list[Path] = []
    for given in paths:
        try:
            hand = hand_of(given, wish, options)
        except NoSuchKind as error:
            raise typer.BadParameter(str(error), param_hint="--kind") from None
        for one in hand.seen:
            talk.read(one)
        talk.say(hand.findings)
        cards += hand.cards
        sources += hand.sources()
    if cards:
        deck = print_calibration(cards, request) if calibrate else print_cards(cards, request)
        talk.say(deck.findings)
        stem = "-".join([Path(paths[0]).stem, *([kind] if kind else []), *groups[:1], "cards"])
        stem = f"calibration-{paper}" if calibrate else stem
        Files(out, talk, sources, preset, archive, force=force).put(file_stem(stem), deck.files)
    elif not errors(talk.said):
        raise click.UsageError("nothing to print; `sheetgen list RULESET` says what there is")
    talk.leave()


def _grid(cut: Cut, preset: Preset | None) -> CardGrid:
    try:
        return card_grid(cut, preset)
    except Misfit as error:
        raise click.UsageError(str(error)) from None


def _offset(text: str) -> tuple[float, float]:
    if not text:
        return 0.0, 0.0
    across, _, along = text.partition(",")
    try:
        return _moved(across), _moved(along)
    except Misfit as error:
        message = f"{error}; write two lengths, such as 0.5mm,-1mm"
        raise typer.BadParameter(message, param_hint="--back-offset") from None


def _moved(text: str) -> float:
    return parse_bounded_length(text, "the offset", MOST_OFFSET, -MOST_OFFSET)
