"""How all commands are built: typer's parameters, click's plain help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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


def refuse_unknown(ctx: click.Context, args: Sequence[str], names: Iterable[str]) -> None:
    """Fail if the first of `args` is none of the commands `names`, with a near one as a hint."""
    if not args or args[0].startswith("-") or args[0] in names:
        return
    from sheetgen.diag.near import nearest

    near = nearest(args[0], names)
    hint = f"did you mean `{near}`?" if near else f"`{ctx.command_path} --help` lists all commands"
    ctx.fail(f"there is no command `{args[0]}`; {hint}")
