"""The command line: the list of commands, each loaded from its own module when it is used."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import click
import typer
from typer.core import TyperGroup

from sheetgen.cli.console import announce, write_lines, write_usage_error
from sheetgen.cli.parameters import CONTEXT, command_of, option, refuse_unknown
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.notices import send_notices_to
from sheetgen.diag.words import begin_run
from sheetgen.render.flow.layout import NoEngine


class Entry(NamedTuple):
    """A command's module and its summary for `--help`, which imports no command."""

    module: str
    summary: str


PANELS: Final[dict[str, dict[str, Entry]]] = {
    "Play": {
        "check": Entry(
            "play.check",
            "Check characters against their rules and list all findings with their places.",
        ),
        "show": Entry(
            "play.show", "Show a build: ratings and where they come from, derived values, ledgers."
        ),
        "advance": Entry(
            "play.advance",
            "List what a character can buy now, with prices, or price the way --to another build.",
        ),
        "diff": Entry(
            "play.diff",
            "Compare two files of a character, before and after: what changed and what it cost.",
        ),
        "sheet": Entry("play.sheet", "Print character sheets as fillable PDF and as HTML."),
        "read": Entry(
            "play.read",
            "Read filled sheets (PDF, saved HTML or its JSON) back into their characters' files.",
        ),
        "new": Entry("play.new", "Write a new file to start from."),
    },
    "Game master": {
        "cards": Entry(
            "master.cards", "Print the cards of a ruleset or of your own files, imposed on paper."
        ),
        "encounter": Entry(
            "master.encounter", "Print an encounter: its combatants and the tables that it needs."
        ),
        "pieces": Entry(
            "master.pieces", "Print pieces for the table: tokens, standees, tents and name badges."
        ),
        "screen": Entry(
            "master.screen",
            "Print a ruleset's game master's screen: panels to read from across the table.",
        ),
        "odds": Entry("master.odds", "Compute how likely a roll is, as an exact fraction."),
    },
    "Publish": {
        "build": Entry(
            "publish.build", "Build everything that a book lists; what has not changed is kept."
        ),
        "watch": Entry(
            "publish.watch",
            "Build a book, and again after each change to it, its files, their rules or templates.",
        ),
        "booklet": Entry(
            "publish.booklet",
            "Impose a PDF as a booklet: two pages on a side, in the order of folding.",
        ),
        "preflight": Entry(
            "publish.preflight", "Check a PDF as a print shop does, and list what it would refuse."
        ),
    },
    "Exchange": {
        "export": Entry(
            "exchange.export",
            "Export characters, NPCs, encounters or a ruleset to the files of another program.",
        ),
        "import": Entry(
            "exchange.import_file",
            "Import a file of another program as YAML files, and check them.",
        ),
    },
    "Rules": {
        "tables": Entry(
            "rules.tables",
            "Print a ruleset's reference tables, computed from its formulas and data.",
        ),
        "proof": Entry(
            "rules.proof", "Compare every printed figure of a source with what its rules compute."
        ),
        "list": Entry(
            "rules.list",
            "List rulesets, themes, faces, sheets and presets, or the parts of a ruleset.",
        ),
        "explain": Entry(
            "rules.explain",
            "Explain the CODE of a finding, such as SG204; without one, list all codes.",
        ),
    },
    "Tools": {
        "schema": Entry(
            "tools.schema",
            "Print a JSON Schema of an author's file, so that editors complete and explain names.",
        ),
        "lsp": Entry(
            "tools.lsp",
            "Run the language server: an editor starts it and talks to it over stdin and stdout.",
        ),
        "preview": Entry(
            "tools.preview",
            "Show a print and its findings in the browser, and follow each change to its files.",
        ),
        "doctor": Entry(
            "tools.doctor", "Report what is installed, what is missing, and what works without it."
        ),
    },
}
"""Commands by task, in the order of `--help`. A test compares each summary with its command."""

COMMANDS: Final = {name: entry for panel in PANELS.values() for name, entry in panel.items()}


class Commands(TyperGroup):
    """A group that loads a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the command `name`: the function `command` of its module, or the group `app`."""
        if name not in COMMANDS:
            return None
        module = import_module(f"sheetgen.cli.{COMMANDS[name].module}")
        if hasattr(module, "app"):
            group = typer.main.get_command(module.app)
            group.name = name
            return group
        return command_of(module.command, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each panel."""
        for panel, entries in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl([(name, entry.summary) for name, entry in entries.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest a near match for a name that there is not."""
        refuse_unknown(ctx, args, (*COMMANDS, "help"))
        return super().resolve_command(ctx, args)

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
        if words[:1] == ["help"]:
            words = [*words[1:], "--help"]
        run = partial(super().main, words, prog_name, complete_var, standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        try:
            status: Any = run()
        except click.ClickException as error:
            write_usage_error(error)
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
                return super().invoke(ctx)
        except NoEngine as error:
            from sheetgen.diag.findings import Span

            _end([error.finding(Span(" ".join(["sheetgen", *_command(ctx)])))])
        except DesignError as error:
            _end(error.findings)


def _end(findings: Iterable[Finding]) -> None:
    """Print `findings` and end the command."""
    from sheetgen.cli.console import Reporter

    reporter = Reporter()
    reporter.report(findings)
    reporter.exit()


def _command(ctx: click.Context) -> list[str]:
    return [ctx.invoked_subcommand] if ctx.invoked_subcommand else []


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
    version: Annotated[
        bool,
        option(
            "--version",
            "Show the version.",
            is_eager=True,
            callback=_version,
        ),
    ] = False,
    credit: Annotated[
        bool,
        option(
            "--credits",
            "Show the credits and licences of all rulesets.",
            is_eager=True,
            callback=_credits,
        ),
    ] = False,
) -> None:
    """Print character sheets, cards and tables from characters and rules that are data."""


app = typer.main.get_command(_root)
