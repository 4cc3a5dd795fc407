"""The plug-in `exchange`: files of other programs, out and in."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Command, ExchangeFormat, Plugin

_COMMANDS: Final = (
    Command(
        "export",
        "Exchange",
        "sheetgen.plugins.exchange.export:command",
        "Export characters, NPCs, encounters or a ruleset to the files of another program.",
    ),
    Command(
        "import",
        "Exchange",
        "sheetgen.plugins.exchange.import_file:command",
        "Import a file of another program as YAML files, and check them.",
    ),
)

_HERE: Final = "sheetgen.plugins.exchange"

_FORMATS: Final = {
    "json": ExchangeFormat("a file a build, with its JSON Schema", f"{_HERE}.export:export_json"),
    "csv": ExchangeFormat(
        "rosters and ledgers",
        f"{_HERE}.rosters:export_csv",
        f"{_HERE}.rosters:import_csv",
        (".csv",),
    ),
    "xlsx": ExchangeFormat(
        "a workbook whose formulas recompute",
        f"{_HERE}.workbooks:export_xlsx",
        f"{_HERE}.workbooks:import_xlsx",
        (".xlsx",),
    ),
    "catalogues": ExchangeFormat(
        "gear, choices and traits of a ruleset as CSV",
        f"{_HERE}.rosters:export_catalogues",
    ),
    "catalogues-xlsx": ExchangeFormat(
        "the same as a workbook", f"{_HERE}.workbooks:export_catalogues_xlsx"
    ),
    "obsidian": ExchangeFormat(
        "a vault of notes with statblocks",
        f"{_HERE}.markdown:export_vault",
        f"{_HERE}.markdown:import_vault",
        (".md",),
        ("sheetgen-vault.md", ".obsidian"),
    ),
    "markdown": ExchangeFormat(
        "a text a build or encounter",
        f"{_HERE}.markdown:export_markdown",
        f"{_HERE}.pasted.blocks:import_text",
        (".txt", ".text", ".markdown", ".wiki", "-"),
        encounters=True,
    ),
    "foundry": ExchangeFormat(
        "a module of the virtual table Foundry",
        f"{_HERE}.foundry.export:export_foundry",
        f"{_HERE}.foundry.importing:import_foundry",
        (".json", ".db", ".zip"),
        ("module.json", "CURRENT", "packs"),
    ),
}

PLUGIN: Final = Plugin(
    name="exchange",
    summary="files of other programs, out and in",
    commands=_COMMANDS,
    formats=_FORMATS,
)
