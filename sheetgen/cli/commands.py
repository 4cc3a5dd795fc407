"""How all commands are built: typer's parameters, click's plain help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import click
import typer

CONTEXT: Final = {"help_option_names": ["-h", "--help"]}
PLAIN: Final[dict[str, Any]] = {
    "add_completion": False,
    "rich_markup_mode": None,  # rich's help takes 60 ms to import
    "pretty_exceptions_enable": False,
    "context_settings": CONTEXT,
}


def command_of(function: Callable[..., None], name: str) -> click.Command:
    """Return the command `name` that calls `function`, by its annotated parameters."""
    app = typer.Typer(**PLAIN)
    app.command(name)(function)
    return typer.main.get_command(app)
