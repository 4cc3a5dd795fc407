"""`sheetgen cards`: cards of all kinds that rules know, many to a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.cli.outputs import Files, file_stem
from sheetgen.cli.preset_option import archive_option, card_defaults, check_archive, for_option
from sheetgen.diag.findings import errors
from sheetgen.model.designs.presets import Preset
from sheetgen.plan.imposition.decks import DeckLayout
from sheetgen.plan.imposition.imposition import CARDS, CardGrid, Duplex, Misfit
from sheetgen.plan.imposition.measures import MOST_OFFSET, length_of
from sheetgen.prints.card_selection import Cut, NoSuchKind, SelectionRequest, card_grid, hand_of
from sheetgen.prints.cards import CardRequest, WantedCard, print_calibration, print_cards


@click.command("cards")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…|RULESET")
@click.option("--kind", default="", help="Of a ruleset: which of its kinds.")
@click.option("--group", "groups", multiple=True, help="Only those of this group.")
@click.option("--name", "names", multiple=True, help="Only the one of this name.")
@click.option(
    "--to",
    "formats",
    multiple=True,
    type=click.Choice(["pdf", "html"]),
    default=["pdf"],
    show_default=True,
    help="What to write; may be given twice.",
)
@click.option(
    "--size", type=click.Choice(list(CARDS)), default="poker", show_default=True, help="Of a card."
)
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--grid", metavar="COLSxROWS", default="", help="So many on a page.")
@click.option(
    "--gutter", metavar="LENGTH", default="0 mm", show_default=True, help="Between cards."
)
@click.option("--bleed", metavar="LENGTH", default="0 mm", show_default=True, help="Round each.")
@click.option(
    "--backs",
    type=click.Choice(["long-edge", "short-edge", "fold"]),
    help="Second faces go behind their fronts; how the paper is turned.",
)
@click.option("--back-offset", metavar="X,Y", default="", help="Moves backs, such as 0.5mm,-1mm.")
@click.option("--calibrate", is_flag=True, help="A sheet that finds your --back-offset.")
@click.option("--single", is_flag=True, help="One card a page, at trim plus bleed.")
@click.option("--no-marks", is_flag=True, help="No crop marks.")
@click.option("--theme", default="standard", show_default=True, help="`sheetgen list themes`.")
@for_option("cards", card_defaults)
@archive_option
@console.out_option
@console.force_option
@console.strict_option
@console.set_option
def command(
    paths: tuple[str, ...],
    kind: str,
    groups: tuple[str, ...],
    names: tuple[str, ...],
    formats: tuple[str, ...],
    size: str,
    paper: str,
    grid: str,
    gutter: str,
    bleed: str,
    backs: Duplex | None,
    back_offset: str,
    calibrate: bool,
    single: bool,
    no_marks: bool,
    theme: str,
    preset: Preset | None,
    archive: bool,
    out: Path,
    force: bool,
    strict: bool,
    options: Mapping[str, str],
) -> None:
    """Print the cards of a ruleset, or of your own files, imposed on paper."""
    check_archive(archive, preset)
    alone, folded = single and not grid, backs == "fold"
    cut = Cut(size, paper, grid, gutter, bleed, alone=alone, folded=folded)
    layout = DeckLayout(_grid(cut, preset), backs, _offset(back_offset), not no_marks)
    request = CardRequest(layout, size, formats, theme, preset.safe if preset else 0.0)
    talk = console.Reporter(strict)
    wish = SelectionRequest(kind, groups, names, strict)
    cards: list[WantedCard] = []
    sources: list[Path] = []
    for given in paths:
        try:
            hand = hand_of(given, wish, options)
        except NoSuchKind as error:
            raise click.BadParameter(str(error), param_hint="--kind") from None
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
        raise click.BadParameter(message, param_hint="--back-offset") from None


def _moved(text: str) -> float:
    return length_of(text, "the offset", MOST_OFFSET, -MOST_OFFSET)
