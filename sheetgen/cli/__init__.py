"""The command line: the list of commands, each loaded from its own module when it is used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final

import click
import typer
from typer.core import TyperGroup

from sheetgen.cli.console import Reporter, announce, write_lines, write_usage_error
from sheetgen.cli.parameters import CONTEXT, command_of, option
from sheetgen.cli.settings import load_settings
from sheetgen.cli.slips import asks_for_help, explain_usage, refuse_swallowed, refuse_unknown
from sheetgen.diag.findings import DesignError, Refused
from sheetgen.diag.notices import send_notices_to
from sheetgen.diag.words import begin_run
from sheetgen.plugin import resolve
from sheetgen.registry import commands, find_broken, find_command
from sheetgen.render.flow.layout import NoEngine


class Commands(TyperGroup):
    """A group that loads a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(commands())

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command `name`: a function with its parameters, or a typer group."""
        found = find_command(name)
        if found is None:
            return None
        return command_of(resolve(found.function), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each panel."""
        for panel, entries in groupby(commands().values(), key=lambda command: command.panel):
            with formatter.section(panel):
                formatter.write_dl([(command.name, command.summary) for command in entries])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest a near match for a name that there is not."""
        if not args or find_command(args[0]) is None:
            refuse_unknown(ctx, args, (*commands(), "help"))
        refuse_swallowed(ctx, args)
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None and name != "config":
            settings = load_settings()
            ctx.default_map = {name: settings.defaults(name, command)}
            if settings.findings and not {"-h", "--help"} & {*rest}:
                raise DesignError(settings.findings)
        return name, command, rest

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; click's own messages go through `terminal`, too."""
        words = [*(sys.argv[1:] if args is None else args)]
        if asks_for_help(words):
            words = [*(word for word in words if word != "help"), "--help"]
        run = partial(super().main, words, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        try:
            status: Any = run()
        except click.ClickException as error:
            write_usage_error(explain_usage(error, self, words))
            status = error.exit_code
        except click.Abort:
            write_lines("interrupted", err=True)
            status = 1
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if the layout engine is missing, report what to install."""
        begin_run()
        try:
            with send_notices_to(announce):
                try:
                    return super().invoke(ctx)
                finally:
                    if broken := find_broken():
                        Reporter().report(broken)
        except (NoEngine, Refused, DesignError) as error:
            found = error.findings if isinstance(error, DesignError) else ()
            found = (error.finding(),) if isinstance(error, NoEngine) else found
            found = (error.finding,) if isinstance(error, Refused) else found
            Reporter().stop(*found)


def _version(asked: bool) -> None:
    if asked:
        from sheetgen import __version__

        write_lines(f"sheetgen {__version__}")
        raise typer.Exit


def _credits(asked: bool) -> None:
    if asked:
        from sheetgen.load.rulesets.rulesets import load_credits

        for number, credit in enumerate(load_credits()):
            write_lines(*[""] * bool(number), *credit.split("\n"))
        raise typer.Exit


_root = typer.Typer(
    cls=Commands,
    name="sheetgen",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings=CONTEXT,
)

_BEGIN: Final = """\
Begin with these:

\b
sheetgen list                         the rulesets that there are
sheetgen new character RULESET NAME   a file to fill in
sheetgen check FILE                   its mistakes, line by line
sheetgen sheet FILE                   its sheet, as PDF

`sheetgen help COMMAND` explains a command, `sheetgen explain CODE` a finding. The folder docs/ of
the source has guides and the reference; docs/start.md comes first."""


@_root.callback(epilog=_BEGIN)
def _main(
    version: bool = option(
        "--version", "Show the version.", is_eager=True, callback=_version, default=False
    ),
    credit: bool = option(
        "--credits",
        "Show the credits and licences of all rulesets.",
        is_eager=True,
        callback=_credits,
        default=False,
    ),
) -> None:
    """Print character sheets, cards and tables from characters and rules that are data."""


app = typer.main.get_command(_root)
