"""`sheetgen screen`: the game master's screen of a ruleset, and the players' side of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.outputs import Files, file_stem
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    PDF,
    Archive,
    Force,
    Kinds,
    Out,
    PagesFor,
    Paper,
    RulesetName,
    Settings,
    Strict,
    Theme,
)
from sheetgen.cli.preset_option import check_archive, preset_of
from sheetgen.cli.terminal import say
from sheetgen.diag.near import suggestion
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.screens import list_panel_names
from sheetgen.prints.requests import PrintRequest
from sheetgen.prints.screen import print_screens
from sheetgen.prints.tables import proof_of


def command(
    ruleset: RulesetName,
    paper: Paper = "a4",
    names: Annotated[
        list[str],
        typer.Option(
            "--panels",
            metavar="NAME",
            help="A panel or a side, such as gm; may be given several times. All without it.",
            show_default=False,
        ),
    ] = NONE,
    theme: Theme = "standard",
    preset_name: PagesFor = "",
    archive: Archive = False,
    kinds: Kinds = PDF,
    listed: Annotated[
        bool, typer.Option("--list", help="Say which sides and panels there are.")
    ] = False,
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Print a ruleset's screen: panels to be read from across the table.

    RULESET is the name of one that comes with us, or the path of a folder. Each panel is one
    page, the long side of the paper across, at the largest size of type that it holds.
    """
    preset = preset_of(preset_name)
    options = set_options(settings)
    check_archive(archive, preset)
    talk = console.Reporter(strict)
    read = proof_of(ruleset, options)
    talk.say(read.findings)
    rules = read.rules
    if rules is None:
        talk.leave()
        return
    _know(names, rules)
    if listed:
        say(*_listing(rules))
        talk.leave()
        return
    title = f"Screen: {rules.title}"
    request = PrintRequest(tuple(dict.fromkeys(kinds)), theme, paper)
    printed = print_screens(rules, names, read.options, title, request)
    talk.say(printed.findings)
    stem = "-".join([file_stem(str(rules.id)), "screen", *names])
    Files(out, talk, (), preset, archive, force=force).put(stem, printed.value or {})
    talk.leave()


def _know(names: Sequence[str], rules: Ruleset) -> None:
    known = list_panel_names(rules)
    if not known:
        raise typer.BadParameter(f"{rules.title} has no screen", param_hint="RULESET")
    for name in names:
        if name not in known:
            hint = suggestion(name, known, "panels")
            message = f"{rules.title} has no panel `{name}`; {hint}"
            raise typer.BadParameter(message, param_hint="--panels")


def _listing(rules: Ruleset) -> list[str]:
    """Return a line for each side, and below it one for each of its panels."""
    lines = []
    for side, screen in rules.screens.items():
        lines.append(f"{side:<16} {screen.label}")
        lines += [f"  {id_:<14} {panel.title}" for id_, panel in screen.panels.items()]
    return lines
