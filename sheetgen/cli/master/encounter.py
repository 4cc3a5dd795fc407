"""`sheetgen encounter`: one page to run a fight from."""

from __future__ import annotations

from pathlib import Path

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.outputs import Files, file_stem
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
from sheetgen.diag.spans import split_lines
from sheetgen.prints.encounter import encounter_of, print_encounter
from sheetgen.prints.requests import PrintRequest
from sheetgen.prints.tables import proof_in


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
    """Print what a fight needs: who is in it, and the tables for it.

    FILE names players and combatants: those that come with the rules, your own, or all of
    another file. Each is checked as a file of its kind is.
    """
    options = set_options(settings)
    talk = console.Reporter(strict)
    checked = encounter_of(file, options)
    if checked.encounter is not None:
        source = checked.encounter.source
        talk.lines[source.file] = split_lines(source.text)
    talk.say(checked.findings)
    if not checked.ok or (strict and checked.findings):
        talk.leave()
        return
    assert checked.encounter is not None
    origins = checked.encounter.rules.composition.origins
    differences = proof_in((Path(origins[-1].folder),)).differences
    otherwise = {one.what: one for one in differences}
    request = PrintRequest(tuple(dict.fromkeys(kinds)), theme, paper)
    printed = print_encounter(checked, request, otherwise)
    talk.say(printed.findings)
    Files(out, talk, [file], force=force).put(file_stem(file.stem), printed.files, file)
    talk.leave()
