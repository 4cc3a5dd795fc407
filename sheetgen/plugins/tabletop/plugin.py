"""The plug-in `tabletop`: handouts, the party on a page, tokens, tents and decks."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import DeckFormat, Plugin, PrintEntry, list_commands

_HERE: Final = "sheetgen.plugins.tabletop"
_GAME_MASTER: Final = {
    "pieces": "Print pieces for the table: tokens, standees, tents and name badges.",
    "party": "Print the party: one table of all characters, with the values that the rules name.",
    "handout handouts": "Print handouts: Markdown with stat blocks, tables, odds and cards "
    "of a game inside.",
}
_MARKDOWN: Final = "Handouts: Markdown files and patterns."
_CHARACTERS: Final = "Characters: files, folders and patterns."
_ANY: Final = "Encounters, other files, folders and patterns, or rulesets."

PLUGIN: Final = Plugin(
    name="tabletop",
    summary="handouts, the party on a page, tokens, tents and decks",
    commands=list_commands(_HERE, {"Game master": _GAME_MASTER}),
    prints=(
        PrintEntry("handouts", f"{_HERE}.handouts:HANDOUT_KIND", _MARKDOWN, rulesets=False),
        PrintEntry("party", f"{_HERE}.party:PARTY_KIND", _CHARACTERS, rulesets=False),
        PrintEntry("pieces", f"{_HERE}.pieces:PIECE_KIND", _ANY),
    ),
    decks={
        "tts": DeckFormat(
            "cards: a saved object of Tabletop Simulator, with its card sheets",
            f"{_HERE}.decks:write_tts",
            "the saved object names its pictures by their files; the game needs an address",
        ),
        "cgs": DeckFormat("cards: a game of Card Game Simulator", f"{_HERE}.decks:write_cgs"),
    },
)
