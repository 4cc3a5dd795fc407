"""`sheetgen tables`, `screen`, `encounter` and `rules`: prints that flow over pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from sheetgen.cli import parameters
from sheetgen.cli.outputs import pages_command, printing_command, show_names
from sheetgen.model.requests import FORMATS_OF_FILES, PrintRequest, SharedOptions
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.screens import list_panel_names
from sheetgen.plan.pages.tables import find_references, list_page_names
from sheetgen.prints import tables

MOST_COLUMNS = 30  # Nobody reads a table that is wider


@printing_command
def tables_command(
    shared: SharedOptions,
    ruleset: parameters.RulesetName,
    names: Annotated[
        list[str], parameters.argument("Pages or tables. Default: all.", "[NAME…]")
    ] = parameters.NONE,
    kinds: list[str] = parameters.option(
        "--to",
        "File format; may be given several times.",
        shown=True,
        choices=FORMATS_OF_FILES,
        default=parameters.PDF,
    ),
    over: str = parameters.word(
        "--over FROM-TO",
        "Compute the tables for these numbers instead of their own rows, such as 1-20.",
    ),
    notes: parameters.Notes = False,
    listed: parameters.ListOnly = False,
    out: Path = parameters.option(
        "--out",
        "The folder to write to, or the only file; `-` writes md, csv or json to stdout.",
        shown=True,
        default=parameters.OUTPUT,
    ),
) -> tables.TableRequest:
    """Print a ruleset's reference tables, computed from its formulas and data.

    RULESET is the name of a ruleset that comes with sheetgen, or the path of a folder. NAME is
    one of its pages or tables.

    Example: sheetgen tables RULESET --to html

    Guide: docs/guides/tables.md
    """
    first, _, last = over.partition("-")
    if over and not (first.isascii() and first.isdigit() and last.isascii() and last.isdigit()):
        raise typer.BadParameter(f"`{over}` is not FROM-TO, such as 1-20", param_hint="--over")
    numbers = range(int(first[:9]), int(last[:9]) + 1) if over else range(0)
    if over and not 1 <= len(numbers) <= MOST_COLUMNS:
        message = f"`{over}` has to be a rising range of at most {MOST_COLUMNS} numbers"
        raise typer.BadParameter(message, param_hint="--over")
    only, columns = tuple(names), tuple(numbers)
    request = tables.TableRequest((ruleset,), **shared, only=only, numbers=columns, notes=notes)
    if listed:
        show_names(request, _list_tables, tables.find_wrong_tables)
    return request


def _list_tables(rules: Ruleset) -> Iterator[str]:
    shown: set[str] = set()
    for id_, reference in find_references(rules).items():
        yield f"{id_:<20} {reference.label}"
        for name in (str(name) for band in reference.bands for name in band):
            shown.add(name)
            if name in rules.tables and name != id_:
                yield f"  {name:<18} {rules.tables[name].label}".rstrip()
    others = {*list_page_names(rules)} - shown
    for id_, table in rules.tables.items():
        if id_ in others:
            yield f"{id_:<20} {table.label}".rstrip()


@parameters.quiet
def _panels(ctx: typer.Context) -> Iterable[str]:
    rules = parameters.named_rules(ctx)
    return list_panel_names(rules) if rules is not None else ()


@printing_command
def screen_command(
    shared: SharedOptions,
    ruleset: parameters.RulesetName,
    names: list[str] = parameters.option(
        "--panels NAME",
        "A panel or a side, such as gm; several with commas. Default: all.",
        _panels,
        default=parameters.NONE,
    ),
    listed: parameters.ListOnly = False,
) -> tables.ScreenRequest:
    """Print a ruleset's game master's screen: panels to read from across the table.

    RULESET is the name of a ruleset that comes with sheetgen, or the path of a folder. Each
    panel is one page in landscape format, set in the largest type size that fits.

    Example: sheetgen screen RULESET --panels gm

    Guide: docs/guides/screens.md
    """
    only = tuple(name.strip() for words in names for name in words.split(","))
    request = tables.ScreenRequest((ruleset,), **shared, only=only)
    if listed:
        show_names(request, _list_panels, tables.find_wrong_panels)
    return request


def _list_panels(rules: Ruleset) -> Iterator[str]:
    for side, screen in rules.screens.items():
        yield f"{side:<16} {screen.label}"
        yield from (f"  {id_:<14} {panel.title}" for id_, panel in screen.panels.items())


@partial(printing_command, presets=False)
def encounter_command(
    shared: SharedOptions, file: parameters.File, notes: parameters.Notes = False
) -> PrintRequest:
    """Print an encounter: its combatants and the tables that it needs.

    FILE lists players and combatants: stock of the ruleset, your own, or all of another file.
    Each combatant is checked like a file of its kind.

    Example: sheetgen encounter fight.yaml

    Guide: docs/guides/encounters.md
    """
    from sheetgen.prints.encounter import EncounterRequest  # The others need none of it.

    return EncounterRequest((str(file),), **shared, notes=notes)


rules_command: Final = pages_command(
    tables.RULES_KIND,
    """Print the rules that characters use, with their own figures.

    Choices, powers, gear, conditions, traits and values that a character has, each with its text
    from the ruleset. `sheetgen sheet --rules` prints them behind the sheet.

    Example: sheetgen rules hero.yaml

    Guide: docs/guides/sheets.md
    """,
)
