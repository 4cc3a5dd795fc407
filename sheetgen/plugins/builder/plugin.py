"""The plug-in `builder`: characters built in a browser, with nothing installed."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Plugin, list_commands

_SITE: Final = "Write a web page that builds, checks and prints characters, and needs no server."

PLUGIN: Final = Plugin(
    name="builder",
    summary="characters built in a browser",
    commands=list_commands("sheetgen.plugins.builder", {"Publish": {"site site": _SITE}}),
    hooks={"form": "sheetgen.plugins.builder.site:LocalForm"},
)
