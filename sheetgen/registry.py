"""The registry: what the core and all plug-ins offer. The core is described as a plug-in is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.codes import CODES, Code, codes_of
from sheetgen.diag.findings import Finding, Refused, Severity, Span
from sheetgen.plugin import (
    BrokenPlugin,
    Command,
    DeckFormat,
    Hook,
    Plugin,
    PrintEntry,
    list_commands,
    load_plugins,
    resolve,
)

PANELS: Final = ("Play", "Game master", "Publish", "Exchange", "Rules", "Tools")
"""The headings of `sheetgen --help`, in their order; those of other plug-ins follow."""

_COMMANDS: Final = {  # The first sentence of each command's help, by panel; see `list_commands`.
    "Play": {
        "check characters": "Check characters against their rules and list all findings with "
        "their places.",
        "show characters": "Show a build: ratings and where they come from, derived values, "
        "ledgers.",
        "advance characters": "List what a character can buy now, with prices, or price the way "
        "--to another build.",
        "diff characters": "Compare two files of a character, before and after: what changed and "
        "what it cost.",
        "sheet": "Print character sheets as fillable PDF and as HTML.",
        "rules pages": "Print the rules that characters use, with their own figures.",
        "read": "Read filled sheets (PDF, saved HTML or its JSON) back into their characters' "
        "files.",
        "new": "Write a new file to start from.",
    },
    "Game master": {
        "cards": "Print the cards of a ruleset or of your own files, imposed on paper.",
        "encounter pages": "Print an encounter: its combatants and the tables that it needs.",
        "screen pages": "Print a ruleset's game master's screen: panels to read from across the "
        "table.",
        "odds": "Compute how likely a roll is, as an exact fraction.",
    },
    "Publish": {
        "build": "Build everything that a book lists; what has not changed is kept.",
        "watch build": "Build a book, and again after each change to it, its files, their rules "
        "or templates.",
    },
    "Rules": {
        "tables pages": "Print a ruleset's reference tables, computed from its formulas and data.",
        "list lists": "List rulesets, themes, faces, sheets and presets, or the parts of a "
        "ruleset.",
        "explain lists": "Explain the CODE of a finding, such as SG204; without one, list all "
        "codes.",
    },
    "Tools": {
        "config settings": "Show the defaults that hold in this folder, and where each is from.",
        "doctor": "Report what is installed, what is missing, and what works without it.",
    },
}

_AT: Final = "sheetgen.prints"
_PRINTS: Final = (
    PrintEntry(
        "sheets",
        f"{_AT}.sheet:SHEET_KIND",
        "Characters' files, folders, patterns, or tables of rows (CSV, Parquet).",
        rulesets=False,
        files="character",
    ),
    PrintEntry("blanks", f"{_AT}.sheet:BLANK_KIND", "Rulesets whose empty sheet is printed."),
    PrintEntry(
        "cards",
        f"{_AT}.cards:CARD_KIND",
        "Rulesets, or files, folders and patterns.",
        files="other",
    ),
    PrintEntry(
        "rules",
        f"{_AT}.tables:RULES_KIND",
        "Characters whose rules are printed: files, folders and patterns.",
        rulesets=False,
    ),
    PrintEntry("tables", f"{_AT}.tables:TABLE_KIND", "Rulesets whose pages of tables are printed."),
    PrintEntry("screens", f"{_AT}.tables:SCREEN_KIND", "Rulesets whose screens are printed."),
    PrintEntry(
        "encounters",
        f"{_AT}.encounter:ENCOUNTER_KIND",
        "Encounters' files, folders and patterns.",
        rulesets=False,
        files="encounter",
    ),
    PrintEntry("odds", f"{_AT}.odds:ODDS_KIND", "Rulesets whose odds are printed."),
)

PLUGIN: Final = Plugin(
    name="core",
    summary="check, print and read back",
    commands=list_commands("sheetgen.cli", _COMMANDS),
    prints=_PRINTS,
)


@cache
def _load() -> tuple[tuple[Plugin, ...], tuple[BrokenPlugin, ...]]:
    return load_plugins()


def plugins() -> tuple[Plugin, ...]:
    """Return the core and the plug-ins that can be loaded."""
    return (PLUGIN, *_load()[0])


def broken_plugins() -> tuple[BrokenPlugin, ...]:
    """Return the plug-ins that cannot be loaded."""
    return _load()[1]


def find_broken() -> tuple[Finding, ...]:
    """Return a warning for each plug-in that failed, not for deleted ones, if any was needed."""
    broken = broken_plugins() if _load.cache_info().currsize else ()
    return tuple(
        Finding(
            codes.BROKEN_PLUGIN,
            Span(f"plug-in {one.name}"),
            f"the plug-in `{one.name}` cannot be loaded: {one.reason}",
            "update or uninstall its package; `sheetgen doctor` lists plug-ins",
            Severity.WARNING,
        )
        for one in broken
        if not one.absent
    )


@cache
def prints() -> Mapping[str, PrintEntry]:
    """Return all kinds of print by name."""
    return {entry.name: entry for plugin in plugins() for entry in plugin.prints}


@cache
def deck_formats() -> Mapping[str, DeckFormat]:
    """Return all formats of decks of cards for online tables by name."""
    return {name: one for plugin in plugins() for name, one in plugin.decks.items()}


@cache
def all_codes() -> Mapping[str, Code]:
    """Return the codes of findings of the core and of all plug-ins by id."""
    modules = [import_module(name) for plugin in plugins() for name in plugin.codes]
    more = {code.id: code for module in modules for code in codes_of(vars(module))}
    return {**CODES, **more}


def find_hook(name: Hook) -> Any:
    """Return the function of a plug-in for `name`; None if no plug-in has one."""
    place = next((plugin.hooks[name] for plugin in plugins() if name in plugin.hooks), "")
    return resolve(place) if place else None


def require_hook(name: Hook, place: Span) -> Any:
    """Return the function of a plug-in for `name`, one of those of our plug-in `farm`.

    Args:
        place: What asks for it.

    Raises:
        Refused: No plug-in has one.
    """
    if (found := find_hook(name)) is None:
        message = "this needs the plug-in `farm`, which is not installed"
        hint = "install sheetgen with `sheetgen.plugins.farm`; `sheetgen doctor` lists plug-ins"
        raise Refused(Finding(codes.BROKEN_PLUGIN, place, message, hint))
    return found


@cache
def commands() -> Mapping[str, Command]:
    """Return all commands by name, in the order of `--help`."""
    found = [command for plugin in plugins() for command in plugin.commands]
    panels = [*dict.fromkeys((*PANELS, *(command.panel for command in found)))]
    return {c.name: c for c in sorted(found, key=lambda command: panels.index(command.panel))}


def find_command(name: str) -> Command | None:
    """Return the command `name`; the core's are found without loading plug-ins."""
    own = next((command for command in PLUGIN.commands if command.name == name), None)
    return own or commands().get(name)
