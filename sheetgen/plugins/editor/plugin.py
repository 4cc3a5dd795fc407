"""The plug-in `editor`: editors, and a preview in the browser."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, Plugin

PLUGIN: Final = Plugin(
    name="editor",
    summary="editors, and a preview in the browser",
    commands=(
        Command(
            "schema",
            "Tools",
            "sheetgen.plugins.editor.schemas:command",
            "Print a JSON Schema of an author's file, so that editors complete and explain names.",
        ),
        Command(
            "lsp",
            "Tools",
            "sheetgen.plugins.editor.commands:lsp_command",
            "Run the language server: an editor starts it and talks to it over stdin and stdout.",
        ),
        Command(
            "preview",
            "Tools",
            "sheetgen.plugins.editor.commands:preview_command",
            "Show a print and its findings in the browser, and follow each change to its files.",
        ),
    ),
)
