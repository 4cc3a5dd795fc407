"""`sheetgen encounter`: one page to run a fight from."""

from __future__ import annotations

from sheetgen.cli import parameters
from sheetgen.cli.console import sorted_options
from sheetgen.cli.outputs import run_print
from sheetgen.model.requests import file_formats
from sheetgen.prints.encounter import ENCOUNTER_KIND, EncounterRequest


def command(
    file: parameters.File,
    kinds: parameters.Kinds = parameters.PDF,
    dpi: parameters.Dpi = 300,
    transparent: parameters.Transparent = False,
    paper: parameters.Paper = "a4",
    theme: parameters.Theme = "standard",
    notes: parameters.Notes = False,
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Print an encounter: its combatants and the tables that it needs.

    FILE lists players and combatants: stock of the ruleset, your own, or all of another file.
    Each combatant is checked like a file of its kind.

    Example: sheetgen encounter fight.yaml

    Guide: docs/guides/encounters.md
    """
    request = EncounterRequest(
        (str(file),),
        formats=file_formats(kinds),
        options=sorted_options(settings),
        dpi=dpi,
        transparent=transparent,
        paper=paper,
        theme=theme,
        notes=notes,
        strict=strict,
    )
    run_print(ENCOUNTER_KIND, request, out, force=force)
