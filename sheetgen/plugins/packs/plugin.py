"""The plug-in `packs`: what somebody made for a game in one file, and added to a project."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, Plugin

PLUGIN: Final = Plugin(
    name="packs",
    summary="rulesets, characters and pictures in one file, to pass on and to add",
    commands=(
        Command(
            "pack",
            "Exchange",
            "sheetgen.plugins.packs.commands:pack_command",
            "Pack a folder into one file that others can add: a ruleset, characters, pictures.",
        ),
        Command(
            "add",
            "Exchange",
            "sheetgen.plugins.packs.commands:add_command",
            "Check packs and copy them into `packs/` of this folder.",
        ),
        Command(
            "remove",
            "Exchange",
            "sheetgen.plugins.packs.commands:remove_command",
            "Remove a pack from `packs/` of this folder.",
        ),
    ),
    hooks={"packs": "sheetgen.plugins.packs.commands:list_packs"},
)
