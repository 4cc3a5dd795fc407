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
    """Print what a fight needs: describe_character is in it, and the tables for it.

    FILE names players and combatants: those that come with the rules, your own, or all of
    another file. Each is checked as a file of its kind is.
    """
    request = build_request(
        "encounters", [file], kinds, settings, paper=paper, theme=theme, strict=strict
    )
    run_print(print_encounters, request, out, force=force)
