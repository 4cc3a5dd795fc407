"""The plug-in `packs`: what somebody made for a game in one file, and added to a project."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Plugin, list_commands

_EXCHANGE: Final = {
    "pack packs": "Pack a folder into one file that others can add: a ruleset, "
    "characters, pictures.",
    "add packs": "Check packs and copy them into `packs/` of this folder.",
    "remove packs": "Remove a pack from `packs/` of this folder.",
}

PLUGIN: Final = Plugin(
    name="packs",
    summary="rulesets, characters and pictures in one file, to pass on and to add",
    commands=list_commands("sheetgen.plugins.packs", {"Exchange": _EXCHANGE}),
    hooks={"packs": "sheetgen.plugins.packs.packs:list_packs"},
)
