"""The plug-in `packs`: what somebody made for a game in one file, and added to a project."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, Plugin

PLUGIN: Final = Plugin(
    name="packs",
    summary="rulesets, characters and pictures in one file, to pass on and to add",
    commands=tuple(
        Command(name, "Exchange", f"sheetgen.plugins.packs.packs:{name}_command", about)
        for name, about in (
            (
                "pack",
                "Pack a folder into one file that others can add: a ruleset, characters, pictures.",
            ),
            ("add", "Check packs and copy them into `packs/` of this folder."),
            ("remove", "Remove a pack from `packs/` of this folder."),
        )
    ),
    hooks={
        "packs": "sheetgen.plugins.packs.packs:list_packs",
        "check_pack": "sheetgen.plugins.packs.packs:check_pack",
    },
)
