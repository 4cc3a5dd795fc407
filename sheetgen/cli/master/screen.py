"""`sheetgen screen`: the game master's screen of a ruleset, and the players' side of it."""

from __future__ import annotations

from typing import Annotated

import typer

from sheetgen.cli.outputs import build_request, run_print, show_names
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    PDF,
    Archive,
    Force,
    Kinds,
    ListOnly,
    Out,
    PagesFor,
    Paper,
    RulesetName,
    Settings,
    Strict,
    Theme,
)
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.screen import print_screens


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
    listed: ListOnly = False,
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Print a ruleset's screen: panels to be read from across the table.

    RULESET is the name of one that comes with us, or the path of a folder. Each panel is one
    page, the long side of the paper across, at the largest size of type that it holds.
    """
    request = build_request(
        "screens",
        [ruleset],
        kinds,
        settings,
        preset=preset_name,
        archive=archive,
        only=tuple(names),
        paper=paper,
        theme=theme,
        strict=strict,
    )
    if listed:
        show_names(request, _listing)
    run_print(print_screens, request, out, force=force)


def _listing(rules: Ruleset) -> list[str]:
    """Return a line for each side, and below it one for each of its panels."""
    lines: list[str] = []
    for side, screen in rules.screens.items():
        lines.append(f"{side:<16} {screen.label}")
        lines += [f"  {id_:<14} {panel.title}" for id_, panel in screen.panels.items()]
    return lines
