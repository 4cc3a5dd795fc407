"""`sheetgen screen`: the game master's screen of a ruleset, and the players' side of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from sheetgen.cli import parameters
from sheetgen.cli.completion import named_rules, quiet
from sheetgen.cli.console import sorted_options
from sheetgen.cli.outputs import run_print, show_names
from sheetgen.model.requests import file_formats
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.screens import list_panel_names
from sheetgen.prints.screen import SCREEN_KIND, ScreenRequest, find_wrong_panels


@quiet
def _panels(ctx: typer.Context) -> Iterable[str]:
    rules = named_rules(ctx)
    return list_panel_names(rules) if rules is not None else ()


def command(
    ruleset: parameters.RulesetName,
    paper: parameters.Paper = "a4",
    names: Annotated[
        list[str],
        parameters.option(
            "--panels NAME",
            "A panel or a side, such as gm; several with commas. Default: all.",
            _panels,
        ),
    ] = parameters.NONE,
    theme: parameters.Theme = "standard",
    preset_name: parameters.PagesFor = "",
    archive: parameters.Archive = False,
    kinds: parameters.Kinds = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    listed: parameters.ListOnly = False,
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Print a ruleset's game master's screen: panels to read from across the table.

    RULESET is the name of a ruleset that comes with sheetgen, or the path of a folder. Each
    panel is one page in landscape format, set in the largest type size that fits.

    Example: sheetgen screen RULESET --panels gm

    Guide: docs/guides/screens.md
    """
    request = ScreenRequest(
        (ruleset,),
        formats=file_formats(kinds),
        options=sorted_options(settings),
        preset=preset_name,
        archive=archive,
        dpi=dpi,
        transparent=transparent,
        only=tuple(name.strip() for words in names for name in words.split(",")),
        paper=paper,
        theme=theme,
        strict=strict,
    )
    if listed:
        show_names(request, _listing, find_wrong_panels)
    run_print(SCREEN_KIND, request, out, force=force)


def _listing(rules: Ruleset) -> list[str]:
    lines: list[str] = []
    for side, screen in rules.screens.items():
        lines.append(f"{side:<16} {screen.label}")
        lines += [f"  {id_:<14} {panel.title}" for id_, panel in screen.panels.items()]
    return lines
