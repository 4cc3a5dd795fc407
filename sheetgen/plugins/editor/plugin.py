"""The plug-in `editor`: editors, and a preview in the browser."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Plugin, list_commands

_TOOLS: Final = {
    "schema schemas": "Print a JSON Schema of an author's file, so that editors complete "
    "and explain names.",
    "lsp commands": "Run the language server: an editor starts it and talks to it over "
    "stdin and stdout.",
    "preview commands": "Show a print and its findings in the browser, and follow "
    "each change to its files.",
}

PLUGIN: Final = Plugin(
    name="editor",
    summary="editors, and a preview in the browser",
    commands=list_commands("sheetgen.plugins.editor", {"Tools": _TOOLS}),
)
