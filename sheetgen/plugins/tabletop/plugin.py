"""The plug-in `tabletop`: tokens, tents and decks for the table."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, DeckFormat, Plugin, PrintEntry

PLUGIN: Final = Plugin(
    name="tabletop",
    summary="tokens, tents and decks for the table",
    commands=(
        Command(
            "pieces",
            "Game master",
            "sheetgen.plugins.tabletop.pieces:command",
            "Print pieces for the table: tokens, standees, tents and name badges.",
        ),
    ),
    prints=(
        PrintEntry(
            "pieces",
            "sheetgen.plugins.tabletop.pieces:PIECE_KIND",
            "Encounters, other files, folders and patterns, or rulesets.",
        ),
    ),
    decks={
        "tts": DeckFormat(
            "cards: a saved object of Tabletop Simulator, with its card sheets",
            "sheetgen.plugins.tabletop.decks:write_tts",
            "the saved object names its pictures by their files; the game needs an address",
        ),
        "cgs": DeckFormat(
            "cards: a game of Card Game Simulator", "sheetgen.plugins.tabletop.decks:write_cgs"
        ),
    },
)
