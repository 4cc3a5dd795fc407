"""`sheetgen lsp` and `sheetgen preview`: an editor's server, and a page that follows the editor."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import click

from sheetgen.cli import console
from sheetgen.cli.parameters import argument, option
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.diag.words import pip_hint
from sheetgen.load.files import read_document


def lsp_command() -> None:
    """Run the language server: an editor starts it and talks to it over stdin and stdout.

    It shows what `sheetgen check` finds while you type, completes names, and explains them
    with their prices. The manual has settings for VS Code, Neovim, Helix and Emacs.

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


def preview_command(
    path: Annotated[
        Path,
        argument("A file, a folder of files, a ruleset's folder, or a book.", "FILE|FOLDER|BOOK"),
    ],
    port: Annotated[
        int,
        option("--port", "The port of the page; 0: any free one.", shown=True, min=0, max=65535),
    ] = 0,
    no_open: Annotated[
        bool, option("--no-open", "Do not open the browser; print the address only.")
    ] = False,
) -> None:
    """Show a print and its findings in the browser, and follow each change to its files.

    Only this machine can open the page. Ends with Ctrl+C.

    Example: sheetgen preview hero.yaml

    Guide: docs/guides/preview.md
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        hint = pip_hint("starlette", "uvicorn")
        raise click.ClickException(f"the page needs starlette and uvicorn; {hint}")
    from sheetgen.plugins.editor.preview import server  # Help needs none of it.

    reporter = console.Reporter()
    if not os.path.lexists(path):
        reporter.stop(*read_document(path).findings)
    try:
        listener = socket.create_server((server.LOOPBACK, port))
    except OSError as error:
        message = f"port {port} cannot be used: {os.strerror(error.errno or 0).lower()}"
        hint = "leave it out, and a free port is found"
        reporter.stop(Finding(codes.PORT_TAKEN, Span("--port"), message, hint))

    def announce(address: str) -> None:
        console.write_lines(address)
        console.write_lines("follows your files; Ctrl+C ends", err=True)
        if not no_open:
            webbrowser.open(address)

    try:
        asyncio.run(server.serve_preview(path, listener, announce))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends; a second Ctrl+C is no failure
        console.write_lines("", err=True)
