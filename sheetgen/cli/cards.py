"""`sheetgen cards`: cards of every kind of a ruleset, many on a page."""

from __future__ import annotations

from typing import Annotated

from sheetgen.cli import parameters
from sheetgen.cli.outputs import printing_command
from sheetgen.cli.parameters import argument, card_kinds, flag, option, rulesets, word
from sheetgen.model.requests import Backs, CardRequest, SharedOptions, deck_names
from sheetgen.registry import deck_formats
from sheetgen.units import CARD_SIZES, CardSize


@printing_command
def command(
    shared: SharedOptions,
    paths: Annotated[
        list[str],
        argument("Your files or folders, or a ruleset.", "PATH…|RULESET", complete=rulesets),
    ],
    kind: str = word("--kind", "The kind of cards; `sheetgen list RULESET` shows all.", card_kinds),
    every: bool = flag("--all", "Of a character: a card for each thing that it has."),
    groups: parameters.Groups = parameters.NONE,
    names: parameters.Names = parameters.NONE,
    kinds: list[str] = option(
        "--to",
        "File format, or an online table's; may be given several times.",
        shown=True,
        choices=(*parameters.PAGE_KINDS, *deck_formats()),
        default=parameters.PDF,
    ),
    each: bool = flag("--each", "One picture a card, at trim size plus bleed."),
    base_url: str = word(
        "--base-url URL", "The address at which a deck's pictures will be (tts, cgs)."
    ),
    size: CardSize | None = option(
        "--size",
        "The size of a card.",
        shown="poker; half-letter in large print",
        choices=CARD_SIZES,
        default=None,
    ),
    grid: str = word("--grid COLSxROWS", "The number of cards on a page."),
    gutter: str = option("--gutter LENGTH", "The space between cards.", shown=True, default="0 mm"),
    bleed: str = option(
        "--bleed LENGTH", "The bleed around each card.", shown=True, default="0 mm"
    ),
    backs: Backs | None = option(
        "--backs",
        "Print backs: second faces, else the game's own; how the paper is turned.",
        default=None,
    ),
    back_offset: str = word("--back-offset X,Y", "Move the backs, such as 0.5mm,-1mm."),
    calibrate: bool = flag(
        "--calibrate", "Print a sheet that measures the --back-offset of your printer."
    ),
    single: bool = flag("--single", "Print one card a page, at trim size plus bleed."),
    notes: parameters.Notes = False,
    no_marks: bool = flag("--no-marks", "Print no crop marks."),
    preset_name: parameters.CardsFor = "",
) -> CardRequest:
    """Print the cards of a ruleset or of your own files, imposed on paper.

    A character has one card; `--all` adds one for each of its powers, items, companions and so
    on, with its own figures.

    Example: sheetgen cards RULESET --kind gear

    Guide: docs/guides/cards.md
    """
    return CardRequest(
        tuple(paths),
        **shared,
        decks=deck_names(kinds),
        each=each,
        base_url=base_url,
        of_kind=kind,
        every=every,
        groups=tuple(groups),
        only=tuple(names),
        size=size or "",
        grid=grid,
        gutter=gutter,
        bleed=bleed,
        backs=backs or "",
        back_offset=back_offset,
        calibrate=calibrate,
        single=single,
        marks=not no_marks,
        notes=notes,
    )
