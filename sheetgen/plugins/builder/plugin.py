"""The plug-in `builder`: characters built in a browser, with nothing installed."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, Plugin

PLUGIN: Final = Plugin(
    name="builder",
    summary="characters built in a browser",
    commands=(
        Command(
            "site",
            "Publish",
            "sheetgen.plugins.builder.site:site_command",
            "Write a web page that builds, checks and prints characters, and needs no server.",
        ),
    ),
    hooks={"form": "sheetgen.plugins.builder.site:LocalForm"},
)
