"""`sheetgen odds`: how likely a roll is, exactly; and a ruleset's printed odds."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import click
import typer

from sheetgen.cli import console
from sheetgen.cli.completion import rulesets
from sheetgen.cli.console import set_options
from sheetgen.cli.master.odds_text import grid_data, grid_lines, odds_data, odds_lines
from sheetgen.cli.outputs import Files, file_stem
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    PAGE_KINDS,
    Force,
    Format,
    Out,
    Settings,
    Strict,
    Theme,
)
from sheetgen.cli.terminal import say
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import JOINT, is_ruleset
from sheetgen.prints.odds import PLACE, Ask, ask, grids_of, load_checked_rules, print_odds
from sheetgen.prints.requests import PrintRequest
from sheetgen.rules.odds.wild import MODES
from sheetgen.rules.odds.words import WINNERS
from sheetgen.units import PaperName


def command(
    expression: Annotated[
        str,
        typer.Argument(
            metavar="EXPRESSION|RULESET",
            help='A question such as "5D vs 14 cover 5", or whose odds.',
        ),
    ],
    ruleset: Annotated[
        str,
        typer.Option(
            "--ruleset",
            autocompletion=rulesets,
            metavar="RULESET",
            help="Whose dice they are.",
            show_default=False,
        ),
    ] = "",
    roll: Annotated[
        str,
        typer.Option(
            "--roll", metavar="NAME", help="Which of its rolls, such as damage.", show_default=False
        ),
    ] = "",
    behind: Annotated[
        list[str],
        typer.Option(
            "--behind",
            metavar="WHAT",
            help="What makes the target number higher, such as cover or 'cover 5'; several times.",
            show_default=False,
        ),
    ] = NONE,
    wild: Annotated[
        str | None,
        typer.Option(
            "--wild",
            help="One die rolls again on its highest face; this is what its 1 does.",
            click_type=click.Choice(MODES),
            show_default=False,
        ),
    ] = None,
    ties: Annotated[
        str | None,
        typer.Option(
            "--ties",
            help="Who wins equal totals.",
            click_type=click.Choice(WINNERS),
            show_default=False,
        ),
    ] = None,
    table: Annotated[
        bool, typer.Option("--table", help="Show how likely each number is, as bars.")
    ] = False,
    form: Format = "text",
    kinds: Annotated[
        list[str],
        typer.Option(
            "--to",
            help="Print the odds of RULESET, as grids and curves; may be given twice.",
            click_type=PAGE_KINDS,
            show_default=False,
        ),
    ] = NONE,
    paper: Annotated[Literal["a5", PaperName], typer.Option("--paper")] = "a5",
    theme: Theme = "standard",
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Say how likely a roll is, as an exact fraction: "4D+2 vs 15", "5D vs 14 cover 5 actions 2".

    Both sides may be dice ("4D vs 3D"), and dice with symbols are named as their ruleset
    names them. Of a RULESET it says the odds that it lists; --to prints them.
    """
    options = set_options(settings)
    talk = console.Reporter(strict)
    if kinds or _is_ruleset(expression):
        request = PrintRequest(tuple(dict.fromkeys(kinds)), theme, paper)
        _page(Files(out, talk, force=force), expression, form, request, options)
        return
    if not ruleset and (roll or options):
        raise click.UsageError("--roll and --set are of a ruleset; name it with --ruleset")
    whole = " ".join((expression, *behind))
    talk.lines[PLACE] = [whole]
    asked = Ask(whole, ruleset, roll, wild or "", ties or "", options)
    found = ask(asked)
    talk.say(found.findings)
    if found.value is None:
        if any(finding.span.file == PLACE for finding in found.findings):
            sys.exit(console.EXIT_BAD_USAGE)
        talk.leave()
        return
    if form == "json":
        console.write_json(odds_data(found.value))
    else:
        say(*odds_lines(found.value, table=table))
    talk.leave()


def _is_ruleset(said: str) -> bool:
    """Whether a word is a ruleset, a folder of one, or several, `a+b`."""
    known = ruleset_ids()
    if is_ruleset(Path(said)):
        return True
    return all(part.strip() in known for part in said.split(JOINT))


def _page(
    files: Files,
    name: str,
    form: str,
    request: PrintRequest,
    options: Mapping[str, str],
) -> None:
    """Say or print the grids of a ruleset."""
    talk = files.talk
    given = load_checked_rules(name, options)
    talk.say(given.findings)
    rules = given.rules
    if rules is None:
        talk.leave()
        return
    made = grids_of(rules, given.options)
    talk.say(made.findings)
    if made.value == ():
        message = f"{rules.title} lists no odds; write a grid under `odds` in odds.yaml"
        raise typer.BadParameter(message, param_hint="RULESET")
    if not request.kinds and made.value:
        if form == "json":
            console.write_json(grid_data(made.value))
        else:
            say(*grid_lines(made.value))
    elif made.value:
        printed = print_odds(made.value, rules, f"Odds: {rules.title}", request)
        talk.say(printed.findings)
        files.put(file_stem(f"{rules.id}-odds"), dict(sorted((printed.value or {}).items())))
    talk.leave()
