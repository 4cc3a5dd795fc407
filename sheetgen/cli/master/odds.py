"""`sheetgen odds`: exact odds of a roll, and the grids of odds that a ruleset lists."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import click
import typer

from sheetgen.cli import console, parameters
from sheetgen.cli.console import Reporter, set_options
from sheetgen.cli.master.odds_text import grid_data, grid_lines, odds_data, odds_lines
from sheetgen.cli.outputs import build_request, run_print
from sheetgen.cli.parameters import argument, option
from sheetgen.cli.terminal import write_lines
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import JOINT, is_ruleset
from sheetgen.prints.odds import EXPRESSION, OddsRequest, answer_question, compute_grids, print_odds
from sheetgen.prints.rulesets import load_checked_ruleset
from sheetgen.rules.odds.wild import MODES
from sheetgen.rules.odds.words import WINNERS
from sheetgen.units import PaperName


def command(
    expression: Annotated[
        str, argument('A question such as "5D vs 14 cover 5", or a ruleset.', "EXPRESSION|RULESET")
    ],
    ruleset: parameters.Ruleset = "",
    roll: Annotated[str, option("--roll NAME", "A roll of the ruleset, such as damage.")] = "",
    behind: Annotated[
        list[str],
        option(
            "--behind WHAT", "Add to the target number, such as cover or 'cover 5'; several times."
        ),
    ] = parameters.NONE,
    wild: Annotated[
        str | None,
        option(
            "--wild",
            "Add a wild die: it rolls again on its highest face, and this is what its 1 does.",
            choices=MODES,
        ),
    ] = None,
    ties: Annotated[
        str | None, option("--ties", "The side that wins equal totals.", choices=WINNERS)
    ] = None,
    table: Annotated[bool, option("--table", "Show how likely each number is, as bars.")] = False,
    form: parameters.Format = "text",
    kinds: parameters.PagesTo = parameters.NONE,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    paper: Annotated[
        Literal["a5", PaperName], option("--paper", "The size of the paper.", shown=True)
    ] = "a5",
    theme: parameters.Theme = "standard",
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Compute how likely a roll is, as an exact fraction: "4D+2 vs 15", "5D vs 14 cover 5".

    Both sides may be dice ("4D vs 3D"). Dice with symbols have the names of their ruleset. For
    a RULESET it shows the odds that the ruleset lists; --to prints them.
    """
    if kinds:
        request = build_request(
            "odds",
            [expression],
            kinds,
            settings,
            dpi=dpi,
            transparent=transparent,
            paper=paper,
            theme=theme,
            strict=strict,
        )
        run_print(print_odds, request, out, force=force)
        return
    options, reporter = set_options(settings), Reporter(strict)
    if _is_ruleset(expression):
        _show_grids(expression, options, form, reporter)
        return
    if not ruleset and (roll or options):
        raise click.UsageError("--roll and --set need a ruleset; name it with --ruleset")
    question = " ".join((expression, *behind))
    reporter.lines[EXPRESSION] = [question]
    found = answer_question(OddsRequest(question, ruleset, roll, wild or "", ties or "", options))
    reporter.report(found.findings)
    if found.value is None:
        if any(finding.span.file == EXPRESSION for finding in found.findings):
            sys.exit(console.EXIT_BAD_USAGE)
    elif form == "json":
        console.write_json(odds_data(found.value))
    else:
        write_lines(*odds_lines(found.value, table=table))
    reporter.exit()


def _is_ruleset(word: str) -> bool:
    """Whether a word is a ruleset, a folder of one, or several, `a+b`."""
    known = ruleset_ids()
    return is_ruleset(Path(word)) or all(part.strip() in known for part in word.split(JOINT))


def _show_grids(name: str, options: Mapping[str, str], form: str, reporter: Reporter) -> None:
    """Write the grids of odds that a ruleset lists to stdout."""
    checked = load_checked_ruleset(name, options)
    reporter.report(checked.findings)
    if checked.rules is not None:
        grids = compute_grids(checked.rules, checked.options)
        reporter.report(grids.findings)
        if grids.value == ():
            message = f"{checked.rules.title} lists no odds; write a grid under `odds` in odds.yaml"
            raise typer.BadParameter(message, param_hint="RULESET")
        if form == "json":
            console.write_json(grid_data(grids.value or ()))
        else:
            write_lines(*grid_lines(grids.value or ()))
    reporter.exit()
