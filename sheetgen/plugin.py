"""How a package describes what it offers: commands, kinds of print, formats, codes of findings.

A plug-in is a package with an entry point in the group `sheetgen.plugins` that names a `Plugin`.
Functions are named as `module:function`, so that nothing is imported before it is used.
`registry.py` has what all plug-ins offer together.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import field
from importlib import import_module
from typing import Any, Final, Literal, TypeAlias

from sheetgen.records import frozen

GROUP: Final = "sheetgen.plugins"  # the group of the entry points of plug-ins


Hook: TypeAlias = Literal["proof", "finisher", "store", "book", "rows", "cluster", "form", "packs"]
"""What a plug-in may do for the core.

- `proof` compares a ruleset with the printed figures of its source: it takes a `Ruleset`, these
  figures and the options, and returns `Checked` differences.
- `finisher` prepares the PDF of a print for a printer or an archive: see `finish.saving`.
- `store` takes an address and returns a `Storage` for a book's outputs: see `books.storage`.
- `book` copies a book that is at an address: see `cli.build`.
- `rows` reads a table of rows that is no CSV file of this machine: see `books.planning`.
- `cluster` takes an address and a number of processes; in its context it gives a `JobRunner`, and
  the address of a page about the cluster.
- `form` takes the path of a character's file and returns its form, which `preview` serves: see
  `plugins.builder.site`.
- `packs` returns the lines of `sheetgen list packs`.
"""


@frozen
class Command:
    """A command of the command line."""

    name: str
    panel: str  # The heading in `sheetgen --help` that it stands under.
    function: str  # The function with the command's parameters, or a typer group.
    summary: str  # The first sentence of the command's help.


def list_commands(package: str, panels: Mapping[str, Mapping[str, str]]) -> tuple[Command, ...]:
    """Return the commands of a package by panel: summaries by `NAME MODULE`, or `NAME`.

    In the module, the function of a command is `NAME_command`; in one of its own, `command`.
    """
    found: list[Command] = []
    for panel, summaries in panels.items():
        for key, summary in summaries.items():
            name, _, module = key.partition(" ")
            place = f"{module}:{name}_command" if module else f"{name}:command"
            found.append(Command(name, panel, f"{package}.{place}", summary))
    return tuple(found)


@frozen
class ExchangeFormat:
    """A format of `sheetgen export` and `sheetgen import`."""

    summary: str  # What it is, for the help.
    exporter: str  # Takes an `ExportRequest`, returns an `ExportResult`.
    # Takes an `ImportRequest`, returns an `ImportResult`; empty if the format cannot be imported.
    importer: str = ""
    suffixes: tuple[str, ...] = ()  # Extensions of files, in lower case; `-` is the standard input.
    folder_marks: tuple[str, ...] = ()  # Names: one is in each folder that can be imported.
    encounters: bool = False  # Whether encounters have a place in it.


@frozen
class PrintEntry:
    """A kind of print, as books name it."""

    name: str  # The key of a book's entry, such as `cards`.
    kind: str  # The `PrintKind`.
    about: str  # What an entry lists, for the reference and for editors.
    rulesets: bool = True  # Whether an entry may name rulesets.
    # The type of files that become an entry of this kind in a book without a `book.yaml`:
    # `character`, `encounter` or `other`; empty for none.
    files: Literal["character", "encounter", "other", ""] = ""


@frozen
class DeckFormat:
    """A format of cards for a table on the internet."""

    summary: str  # What it is, for `sheetgen list formats`.
    # Takes a plan of single cards, what these are about by name, the name of the deck and the
    # request; yields the deck's files.
    writer: str
    unhosted: str = ""  # What is said if the format needs an address for its pictures and has none.


@frozen
class Plugin:
    """What a package offers."""

    name: str
    summary: str  # What it is for, in a few words; `sheetgen doctor` shows it.
    commands: tuple[Command, ...] = ()
    prints: tuple[PrintEntry, ...] = ()  # Kinds of print.
    # Formats of `export` and `import`, by name.
    formats: Mapping[str, ExchangeFormat] = field(default_factory=dict)
    decks: Mapping[str, DeckFormat] = field(default_factory=dict)  # Formats of decks, by name.
    # Functions that the core calls if a plug-in has them; see `Hook`.
    hooks: Mapping[Hook, str] = field(default_factory=dict)
    codes: tuple[str, ...] = ()  # Modules with the codes of the package's findings.


@frozen
class BrokenPlugin:
    """A plug-in that could not be loaded, and why; `absent` if its package is not there."""

    name: str
    reason: str
    absent: bool


def resolve(place: str) -> Any:
    """Return what `place` names: `module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def load_plugins() -> tuple[tuple[Plugin, ...], tuple[BrokenPlugin, ...]]:
    """Return the installed plug-ins, ours first, and those that cannot be loaded."""
    loaded: list[Plugin] = []
    broken: list[BrokenPlugin] = []
    own = f"{__package__}."
    for name, place in sorted(_entry_points(), key=lambda p: (not p[1].startswith(own), p[0])):
        try:
            plugin = resolve(place)
            if not isinstance(plugin, Plugin):
                raise TypeError(f"{place} is no Plugin")
            loaded.append(plugin)
        except Exception as error:  # noqa: BLE001 - a stranger's package may raise anything
            module = place.partition(":")[0]
            absent = isinstance(error, ModuleNotFoundError) and module.startswith(error.name or "?")
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            broken.append(BrokenPlugin(name, reason, absent))
    return tuple(loaded), tuple(broken)


def _entry_points() -> Iterator[tuple[str, str]]:
    """Yield entry points, each name once, in 1/15 of the time that `importlib.metadata` takes."""
    seen = set()
    for folder in sys.path:
        try:
            entries = sorted(os.scandir(folder or os.curdir), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if not entry.name.endswith((".dist-info", ".egg-info")):
                continue
            try:
                with open(os.path.join(entry.path, "entry_points.txt"), encoding="utf-8") as file:
                    lines = file.read().splitlines()
            except (OSError, ValueError):
                continue
            group = ""
            for line in map(str.strip, lines):
                name, place = (part.strip() for part in line.partition("=")[::2])
                if line.startswith("["):
                    group = line.strip("[]").strip()
                elif group != GROUP or "=" not in line or line.startswith(("#", ";")):
                    continue
                elif name not in seen:
                    seen.add(name)
                    yield name, place.partition("[")[0].strip()
