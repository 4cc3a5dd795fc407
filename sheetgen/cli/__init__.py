"""The command line: one command is one file, and thin. This file is the list of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final

import click

from sheetgen.cli.progress import preparing
from sheetgen.cli.terminal import complain, say
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.notices import heard_by
from sheetgen.render.flow.engine import NoEngine

COMMANDS: Final = {
    "check": "play.check",
    "show": "play.show",
    "advance": "play.advance",
    "diff": "play.diff",
    "sheet": "play.sheet",
    "read": "play.read",
    "cards": "master.cards",
    "encounter": "master.encounter",
    "tables": "rules.tables",
    "screen": "master.screen",
    "odds": "master.odds",
    "build": "publish.build",
    "watch": "publish.watch",
    "booklet": "publish.booklet",
    "preflight": "publish.preflight",
    "proof": "rules.proof",
    "list": "rules.list",
    "new": "play.new",
    "explain": "rules.explain",
    "doctor": "tools.doctor",
}
"""Commands in the order of `--help`, and the module of each; it is loaded when needed."""


class Commands(click.Group):
    """A group that loads a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command `name`; each module calls its own `command`."""
        if name not in COMMANDS:
            return None
        command = import_module(f"sheetgen.cli.{COMMANDS[name]}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a near match is named where there is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from sheetgen.diag.near import suggestion

            hint = suggestion(args[0], COMMANDS, "commands")
            ctx.fail(f"there is no command `{args[0]}`; {hint}")
        return super().resolve_command(ctx, args)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; click's own messages go through our terminal, too."""
        run = partial(super().main, args, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        try:
            status: Any = run()
        except click.ClickException as error:
            complain(error)
            status = error.exit_code
        except click.Abort:
            say("interrupted", err=True)
            status = 1
        sys.exit(status if isinstance(status, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; without the engine that lays out, a finding says what to install."""
        try:
            with heard_by(preparing):
                return super().invoke(ctx)
        except NoEngine as error:
            from sheetgen.diag.spans import Span

            _end([error.finding(Span(" ".join(["sheetgen", *_command(ctx)])))])
        except DesignError as error:
            _end(error.findings)


def _end(findings: Iterable[Finding]) -> None:
    """Print `findings` and end the command."""
    from sheetgen.cli.console import Reporter

    talk = Reporter()
    talk.say(findings)
    talk.leave()


def _command(ctx: click.Context) -> list[str]:
    return [ctx.invoked_subcommand] if ctx.invoked_subcommand else []


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from sheetgen import __version__
        from sheetgen.load.rulesets.rulesets import credits

        say(f"sheetgen {__version__}")
        for credit in credits():
            say("", *credit.split("\n"))
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version, and whose rules these are.",
)
def app() -> None:
    """Print character sheets, cards and tables from characters and rules that are data."""
