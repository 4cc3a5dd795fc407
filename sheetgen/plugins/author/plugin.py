"""The plug-in `author`: proofs of rulesets against their sources."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, Plugin

_COMMANDS: Final = (
    Command(
        "proof",
        "Rules",
        "sheetgen.plugins.author.proof:command",
        "Compare every printed figure of a source with what its rules compute.",
    ),
)

PLUGIN: Final = Plugin(
    name="author",
    summary="proofs of rulesets against their sources",
    commands=_COMMANDS,
    hooks={"proof": "sheetgen.plugins.author.comparing:compare_figures"},
)
