"""`sheetgen encounter`: one page to run a fight from."""

from __future__ import annotations

from sheetgen.cli.outputs import build_request, run_print
from sheetgen.cli.parameters import (
    NONE,
    OUTPUT,
    PDF,
    File,
    Force,
    Kinds,
    Out,
    Paper,
    Settings,
    Strict,
    Theme,
)
from sheetgen.prints.encounter import print_encounters


def command(
    file: File,
    kinds: Kinds = PDF,
    paper: Paper = "a4",
    theme: Theme = "standard",
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Print an encounter: its combatants and the tables that it needs.

    FILE lists players and combatants: stock of the ruleset, your own, or all of another file.
    Each combatant is checked like a file of its kind.
    """
    request = build_request(
        "encounters", [file], kinds, settings, paper=paper, theme=theme, strict=strict
    )
    run_print(print_encounters, request, out, force=force)
