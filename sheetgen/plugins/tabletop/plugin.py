"""The plug-in `tabletop`: handouts, the party on a page, tokens, tents and decks."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, DeckFormat, Plugin, PrintEntry

PLUGIN: Final = Plugin(
    name="tabletop",
    summary="handouts, the party on a page, tokens, tents and decks",
    commands=(
        Command(
            "pieces",
            "Game master",
            "sheetgen.plugins.tabletop.pieces:command",
            "Print pieces for the table: tokens, standees, tents and name badges.",
        ),
        Command(
            "party",
            "Game master",
            "sheetgen.plugins.tabletop.party:command",
            "Print the party: one table of all characters, with the values that the rules name.",
        ),
        Command(
            "handout",
            "Game master",
            "sheetgen.plugins.tabletop.handouts:command",
            "Print handouts: Markdown with stat blocks, tables, odds and cards of a game inside.",
        ),
    ),
    prints=(
        PrintEntry(
            "handouts",
            "sheetgen.plugins.tabletop.handouts:HANDOUT_KIND",
            "Handouts: Markdown files and patterns.",
            rulesets=False,
        ),
        PrintEntry(
            "party",
            "sheetgen.plugins.tabletop.party:PARTY_KIND",
            "Characters: files, folders and patterns.",
            rulesets=False,
        ),
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
