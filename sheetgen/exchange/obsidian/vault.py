"""Export a vault: notes of builds, and of a ruleset also its cards and tables; layouts; credits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from sheetgen.exchange.formats import ExportRequest, ExportResult, find_pictures
from sheetgen.exchange.markdown import escape_markdown, format_credit
from sheetgen.exchange.obsidian.layouts import StatblockLayout, build_layout
from sheetgen.exchange.obsidian.notes import (
    escape_obsidian,
    format_note,
    format_properties,
    note_name,
    property_name,
)
from sheetgen.exchange.things import format_thing, list_table_pages, list_things
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.render.flow.table_texts import format_markdown
from sheetgen.write.names import free_name, name_key, portable_name

VAULT_NOTE: Final = "sheetgen-vault.md"
"""The note by which `sheetgen import` knows a vault."""

_STEPS: Final = (
    "Exported by sheetgen. Notes of characters show a statblock if the plugin Fantasy Statblocks "
    "is installed: import the layouts in the folder `sheetgen-layouts` in its settings. "
    "`sheetgen import` brings changed properties back into the YAML files; what is written below "
    "the properties stays in the vault."
)


@dataclass(slots=True)
class _Vault:
    """A vault: notes by path, and paths by the name of what they are about."""

    root: str
    notes: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def reserve(self, folder: str, name: str) -> str:
        """Return a free path for a note."""
        stem = f"{self.root}/{note_name(folder)}/{note_name(name)}"
        path = free_name(stem, self.taken, gap=" ")
        self.taken.add(name_key(portable_name(path)))
        self.notes[path] = ""
        self.names.setdefault(name, path)
        return path

    def link(self, name: str) -> str | None:
        """Return the text of a link to the note about `name`, if there is one."""
        path = self.names.get(name)
        return f"{path}|{note_name(name)}" if path is not None else None


def export_vault(request: ExportRequest) -> ExportResult:
    """Return a vault: a folder for the ruleset, layouts, and a note about the vault."""
    vault = _Vault(note_name(request.rules.title))
    if request.stock:
        _add_things(vault, request)
        _add_tables(vault, request)
    paths = [
        vault.reserve(_folder(request.rules, request.kind_of(one)), build.name)
        for build, one in request.builds
    ]
    layouts: dict[str, StatblockLayout] = {}
    for path, (build, one) in zip(paths, request.builds, strict=True):
        kind = request.kind_of(one)
        assert one.rules is not None
        layout = layouts.setdefault(f"{one.rules.digest}", build_layout(one.rules, kind))
        links = filter(None, map(vault.link, _mentions(build)))
        ruleset = str(request.rules.id) if one.several and request.stock else ""
        vault.notes[path] = format_note(one, build, kind, layout, links, ruleset)
    files = {f"{path}.md": text.encode() for path, text in vault.notes.items()}
    for layout in layouts.values():
        data = {**layout.data, "_seal": PLACEHOLDER}
        name = f"sheetgen-layouts/{note_name(layout.name)}.json"
        files[name] = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
    head = format_properties({"tags": ["sheetgen/vault"]})
    files[f"{vault.root}/Credits.md"] = _credits_note(request.rules, head).encode()
    files[VAULT_NOTE] = f"{head}\n\n{_STEPS}\n".encode()
    return ExportResult(files, find_pictures("obsidian", request))


def _credits_note(rules: Ruleset, head: str) -> str:
    long = escape_obsidian(escape_markdown(rules.credit.long))
    return "\n\n".join([head, long, escape_obsidian(format_credit(rules)[1])]) + "\n"


def _folder(rules: Ruleset, kind: str) -> str:
    known = rules.kinds.get(kind)
    return known.label or known.one if known is not None else "Characters"


def _mentions(build: Build) -> Iterator[str]:
    """Yield the names of what a build chose and owns."""
    yield from (pick.name for pick in build.picks)
    yield from (item.name for item in build.items)


def _add_things(vault: _Vault, request: ExportRequest) -> None:
    """Add a note for each thing that has a card."""
    for folder, name, texts in list_things(request):
        tags = [property_name(str(request.rules.id)), property_name(folder)]
        head = format_properties({"tags": [f"sheetgen/{tag}" for tag in tags]})
        blocks = [*format_thing(texts), *format_credit(request.rules)]
        path = vault.reserve(folder, name)
        vault.notes[path] = "\n\n".join([head, *map(escape_obsidian, blocks)]) + "\n"


def _add_tables(vault: _Vault, request: ExportRequest) -> None:
    """Add a note for each page of reference tables."""
    rules = request.rules
    for page in list_table_pages(request):
        path = vault.reserve("Tables", page.label)
        tags = [f"sheetgen/{property_name(str(rules.id))}", "sheetgen/table"]
        text = format_markdown([page], page.label, escape_markdown(rules.credit.short))
        body = escape_obsidian(text.strip())
        vault.notes[path] = f"{format_properties({'tags': tags})}\n\n{body}\n"
