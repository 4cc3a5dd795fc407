"""`sheetgen lsp`: the language server for editors."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import click

from sheetgen.diag.words import pip_hint


def command() -> None:
    """Run the language server: an editor starts it and talks to it over stdin and stdout.

    It shows what `sheetgen check` finds while you type, completes names with their prices, and
    explains them. The manual has settings for VS Code, Neovim, Helix and Emacs.

    Example: sheetgen lsp

    Guide: docs/guides/editors.md
    """
    if find_spec("pygls") is None:
        raise click.ClickException(f"the server needs pygls; {pip_hint('pygls')}")
    from sheetgen.plugins.editor.lsp import server  # The other commands do without pygls.

    try:
        server.create_server().serve(sys.stdin.buffer, sys.stdout.buffer)
    except (ValueError, MemoryError):  # the head of a message is none, or of a huge one
        message = "the editor sent what is no message; restart the server"
        raise click.ClickException(message) from None
