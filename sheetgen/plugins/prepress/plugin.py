"""The plug-in `prepress`: what a print shop needs."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, Plugin

PLUGIN: Final = Plugin(
    name="prepress",
    summary="what a print shop needs",
    commands=(
        Command(
            "booklet",
            "Publish",
            "sheetgen.plugins.prepress.booklets:command",
            "Impose a PDF as a booklet: two pages on a side, in the order of folding.",
        ),
        Command(
            "preflight",
            "Publish",
            "sheetgen.plugins.prepress.preflight:command",
            "Check a PDF as a print shop does, and list what it would refuse.",
        ),
    ),
    hooks={"finisher": "sheetgen.plugins.prepress.printers:prepare_files"},
)
