"""`sheetgen sheet`: character sheets, filled or empty, as PDF and HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import click
import typer

from sheetgen.cli import console
from sheetgen.cli.completion import rulesets
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
    Settings,
    Strict,
    Theme,
)
from sheetgen.cli.preset_option import check_archive, preset_of
from sheetgen.cli.terminal import say
from sheetgen.diag.findings import Severity, errors
from sheetgen.diag.spans import Span
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import find_ruleset, load_ruleset
from sheetgen.prints.characters import Character, characters
from sheetgen.prints.requests import PrintRequest
from sheetgen.prints.sheet import print_blank, print_sheet
from sheetgen.render.plates.plate_store import PlateStore


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="[PATH…]", help="Characters: files, or folders of them.", readable=False
        ),
    ] = NONE,
    kinds: Kinds = PDF,
    blank: Annotated[
        str,
        typer.Option(
            "--blank",
            autocompletion=rulesets,
            metavar="RULESET",
            help="Write its empty sheet.",
            show_default=False,
        ),
    ] = "",
    paper: Paper = "a4",
    theme: Theme = "standard",
    flatten: Annotated[
        bool, typer.Option("--flatten", help="Draw everything; no form to fill in.")
    ] = False,
    calc: Annotated[
        bool,
        typer.Option(
            "--calc/--no-calc", help="Let totals follow what is typed, in viewers that run scripts."
        ),
    ] = True,
    preset_name: PagesFor = "",
    archive: Archive = False,
    draft: Annotated[
        bool, typer.Option("--draft", help="Print builds with errors too, stamped.")
    ] = False,
    out: Out = OUTPUT,
    force: Force = False,
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Print character sheets as fillable PDF and as HTML."""
    preset = preset_of(preset_name)
    options = set_options(settings)
    if not paths and not blank:
        raise click.UsageError("name a character file, or use --blank RULESET")
    calc = calc and not archive and (preset is None or preset.scripts)
    formats = tuple(dict.fromkeys(kinds))
    request = PrintRequest(formats, theme, paper, flatten, draft, calc=calc)
    talk = console.Reporter(strict)
    check_archive(archive, preset)
    sources = [file for path in paths for file in yaml_files(path)]
    files = Files(out, talk, sources, preset, archive, force=force)
    rack = PlateStore()
    if blank:
        _blank(blank, request, options, files, rack)
    for character in characters(paths, options):
        talk.read(character)
        talk.say(character.findings)
        if _printable(character, request, talk):
            # With --strict a warning makes a draft, too.
            judged = replace(character, findings=talk.judged(character.findings))
            printed = print_sheet(judged, request, rack)
            talk.say(printed.findings)
            files.put(file_stem(character.stem), printed.files, character.path)
    talk.leave()


def _printable(character: Character, request: PrintRequest, talk: console.Reporter) -> bool:
    """Whether a character is printed; one with errors only as a draft."""
    wrong = [f for f in talk.judged(character.findings) if f.severity is Severity.ERROR]
    if not wrong or character.build is None:
        return character.build is not None
    if any(finding.span.is_option for finding in wrong):
        return False
    if not request.draft:
        say(f"{character.path}: not printed; --draft prints it all the same", "", err=True)
    return request.draft


def _blank(
    name: str, request: PrintRequest, options: Mapping[str, str], files: Files, rack: PlateStore
) -> None:
    """Print the empty sheet of a ruleset, of several (`a+b`), or of one in a folder."""
    found = find_ruleset(name, Span("--blank"), Path())
    if found.value is None:
        [wrong, *_] = found.findings
        said = f"{wrong.message}; {wrong.hint}" if wrong.hint else wrong.message
        raise typer.BadParameter(said, param_hint="--blank")
    loaded = load_ruleset(found.value, switches=switches_of(None, options))
    files.talk.say(loaded.findings)
    if loaded.value is not None and not errors(loaded.findings):
        printed = print_blank(loaded.value, request, options, rack)
        files.talk.say(printed.findings)
        files.put(file_stem(f"{loaded.value.id}-blank"), printed.files)
