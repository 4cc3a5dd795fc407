"""The plug-in `tabletop`: tokens, tents and decks for the table."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, Plugin, PrintEntry

_COMMANDS: Final = (
    Command(
        "pieces",
        "Game master",
        "sheetgen.plugins.tabletop.pieces:command",
        "Print pieces for the table: tokens, standees, tents and name badges.",
    ),
)

_PRINTS: Final = (
    PrintEntry(
        "pieces",
        "sheetgen.plugins.tabletop.prints:PIECE_KIND",
        "Encounters, other files, folders and patterns, or rulesets.",
    ),
)

PLUGIN: Final = Plugin(
    name="tabletop",
    summary="tokens, tents and decks for the table",
    commands=_COMMANDS,
    prints=_PRINTS,
)
