"""Parts of a ruleset as spreadsheets: gear, choices and traits, out and back as changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.load.catalogues import (
    CatalogueEntry,
    Place,
    SheetRow,
    WrittenEntry,
    entry_node,
    find_entries,
    model_of,
    read_entries,
)
from sheetgen.load.files import file_names, read_text, read_unsaved
from sheetgen.load.rows import guarded_cell
from sheetgen.load.rulesets.rulesets import is_ruleset, load_ruleset
from sheetgen.load.shapes import model_fields
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.format import format_flow
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.plugins.exchange.formats import (
    ExportRequest,
    ExportResult,
    ImportRequest,
    ImportResult,
)
from sheetgen.plugins.exchange.pasted.words import load_text_map
from sheetgen.plugins.exchange.rosters.cells import (
    flow_yaml,
    format_cell,
    put_entries,
)
from sheetgen.prints.characters import Character
from sheetgen.readback.merging import MergedFile
from sheetgen.readback.topics import Change
from sheetgen.render.table_texts import csv_text
from sheetgen.rules.index import file_stem, folded, index_of
from sheetgen.write import free_name

_BELOW: Final = ("numbers", "facts")  # mappings with a column for each name
_TRAITS: Final = ("skill", "adds")  # keys that name a trait


def list_parts(rules: Ruleset) -> dict[str, Place]:
    """Return the parts of a ruleset that have entries, by their names."""
    found: dict[str, Place] = {"gear": ("gear",)}
    found |= {str(i): ("choices", str(i), "entries") for i in rules.choices}
    found |= {str(i): ("groups", str(i), "traits") for i in rules.groups if str(i) not in found}
    return found


def find_part(request: ImportRequest, stem: str) -> str:
    """Return the part of the ruleset that a file holds, by `--as` or by its name; "" for none."""
    rules, parts = request.rules, list_parts(request.rules)
    labels = {folded(c.label): str(i) for i, c in rules.choices.items() if c.label}
    labels |= {folded(g.label): str(i) for i, g in rules.groups.items() if g.label}
    if request.what in rules.kinds or request.what == "character":
        return ""
    asked = request.what or stem.removeprefix(f"{file_stem(str(rules.id))}-")
    named = {folded(part): part for part in parts} | {k: v for k, v in labels.items() if v in parts}
    return named.get(folded(asked), "")


def _cells(node: Pairs) -> dict[str, str]:
    """Return the texts of an entry's cells by path."""
    found: dict[str, str] = {}
    for key, value in node.entries:
        if key.raw in _BELOW and isinstance(value, Pairs):
            found |= {f"{key.raw}.{k.raw}": _cell(v) for k, v in value.entries}
        else:
            found[key.raw] = _cell(value)
    return found


def _cell(node: Node) -> str:
    if isinstance(node, ScalarNode):
        return node.raw
    text = format_cell(node, is_text=False)
    return text if not isinstance(node, Pairs) else flow_yaml(node)


def list_catalogues(request: ExportRequest) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the name and the rows of each part of a ruleset, with all that its files say."""
    folders = [Path(origin.folder) for origin in request.rules.composition.origins]
    for part, place in list_parts(request.rules).items():
        entries = {id_: _cells(one.node) for id_, one in find_entries(folders, place).items()}
        if entries:
            order = [*model_fields(model_of(place))]
            used = dict.fromkeys(path for cells in entries.values() for path in cells)
            heads = sorted(used, key=lambda path: order.index(path.partition(".")[0]))
            rows = [[id_, *(cells.get(h, "") for h in heads)] for id_, cells in entries.items()]
            yield part, [["id", *heads], *rows]


def export_catalogues(request: ExportRequest) -> ExportResult:
    """Return a CSV file for each part of a ruleset."""
    credit = f"{request.rules.credit.short} Licence: {request.rules.credit.licence}."
    stem, files = file_stem(str(request.rules.id)), {}
    for part, rows in list_catalogues(request):
        text = csv_text((map(guarded_cell, row) for row in rows), credit)
        files[f"{stem}-{file_stem(part)}.csv"] = text.encode()
    return ExportResult(files)


def import_catalogue(
    request: ImportRequest, rows: Sequence[SheetRow], place: str, part: str
) -> ImportResult:
    """Return what changes in the files of a ruleset, and a file for new entries."""
    rules, where = request.rules, list_parts(request.rules)[part]
    findings: list[Finding] = []
    plan = load_text_map(rules)
    names = plan.value.names if plan.value is not None else {}
    model, numbers = model_of(where), index_of(rules).numbers
    listed = read_entries(rows, place, model, names, numbers, findings)
    changes = _Changes(request, where, place, findings)
    for entry in listed.entries:
        changes.add(_with_ids(entry, rules, place, findings))
    gone = [id_ for id_ in changes.own if id_ not in {entry.id for entry in listed.entries}]
    if gone and listed.entries and any(h.strip() == "id" for h in listed.matched):
        message = f"rows are gone, and stay in the ruleset: {', '.join(gone[:8])}"
        hint = "remove them from the files by hand"
        findings.append(Finding(codes.NOT_EDITED, Span(place), message, hint, Severity.WARNING))
    return changes.result()


def _with_ids(
    entry: CatalogueEntry, rules: Ruleset, place: str, findings: list[Finding]
) -> CatalogueEntry:
    """Return an entry that names traits by their ids."""
    values = dict(entry.values)
    for key in (key for key in _TRAITS if key in values):
        traits = index_of(rules).all_traits
        found = traits.find(values[key].strip('"'))
        if len(found) == 1:
            values[key] = found[0]
            continue
        span = Span(place, entry.line, entry.columns[key])
        message = f"there is no trait `{values.pop(key)}`; the cell is not imported"
        hint = traits.hint(entry.values[key])
        findings.append(Finding(codes.BAD_CELL, span, message, hint, Severity.WARNING))
    return CatalogueEntry(entry.id, entry.line, values, entry.columns, entry.texts)


@dataclass
class _Changes:
    """What an import changes: files in the folder of the ruleset, or a new one."""

    request: ImportRequest
    place: Place
    file: str
    findings: list[Finding]
    own: dict[str, WrittenEntry] = field(default_factory=dict)
    base: dict[str, WrittenEntry] = field(default_factory=dict)
    merged: dict[Path, MergedFile] = field(default_factory=dict)
    digests: dict[Path, str] = field(default_factory=dict)
    new: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the entries that are there."""
        folders = [Path(one.folder) for one in self.request.rules.composition.origins]
        into = self.request.into
        inside = [f for f in folders if into is None or f.resolve() == into.resolve()]
        self.own = find_entries(inside, self.place)
        self.base = find_entries([f for f in folders if f not in inside], self.place)

    def add(self, entry: CatalogueEntry) -> None:
        """Add an entry: as changes to the one with its id, or as a new one."""
        node = entry_node(entry, self.file)
        there = self.own.get(entry.id) or self.base.get(entry.id)
        if there is None:
            self.new[entry.id] = _data(node)
            return
        before, now = _cells(there.node), _cells(node)
        cells = {path: text for path, text in entry.texts.items() if path not in ("", "id")}
        changed = [
            path
            for path, text in cells.items()
            if not _is_same(before.get(path, ""), text)
            and not _is_same(before.get(path, ""), now.get(path, ""))
            and (path in now or (not text.strip() and "id" in entry.texts))
        ]
        if changed and there.path.suffix == ".csv":
            message = f"`{entry.id}` is a row of {there.path.name}; it is not changed"
            span, hint = Span(self.file, entry.line), "change that file"
            self.findings.append(Finding(codes.NOT_EDITED, span, message, hint))
            return
        if changed and entry.id in self.base and entry.id not in self.own:
            what = ", ".join(f"{path} {now.get(path, '')}" for path in changed[:4])
            message = f"`{entry.id}` is of the base, and differs: {what}; it is not changed"
            hint = f"write it in a module, under `change: {{{'.'.join(self.place)}.{entry.id}.…}}`"
            span = Span(self.file, entry.line)
            self.findings.append(Finding(codes.CONFLICT, span, message, hint, Severity.WARNING))
            return
        for path in changed:
            self._edit(
                there.path, entry, path, before.get(path, ""), now.get(path, ""), _data(node)
            )

    def _edit(
        self, path: Path, entry: CatalogueEntry, name: str, old: str, now: str, data: Any
    ) -> None:
        file = self.merged.get(path)
        if file is None:
            read = read_text(path)
            text, self.digests[path] = read.value or ("", "")
            one = Character(path, None, None, None, ())
            file = self.merged[path] = MergedFile(path, text, text, one)
        first, _, rest = name.partition(".")
        keys = (*self.place, entry.id, first, *([rest] if rest else []))
        value = data.get(first, {}).get(rest) if rest else data.get(first)
        state = "merged"
        try:
            if not now:
                file.after = edit.drop_entry(file.after, keys)
                file.changes.append(Change(f"{entry.id} {name}", keys, old, now, old, state))
                return
            root = edit.root_of(file.after)
            above = edit.data_at(root.data(), keys[:-1]) if _has(root.data(), keys[:-1]) else None
            if above is None:
                file.after = edit.add_entry(file.after, keys[:-2], first, {rest: value})
            elif keys[-1] in above:
                file.after = put_entries(file.after, keys, above[keys[-1]], value)
            else:
                file.after = edit.add_entry(file.after, keys[:-1], keys[-1], value)
        except edit.CannotEdit as why:
            message = f"{entry.id}: {name} cannot be edited: {why}"
            span = Span(self.file, entry.line, entry.columns.get(name, 1))
            self.findings.append(
                Finding(codes.NOT_EDITED, span, message, "make this change by hand")
            )
            state = "kept"
        label = f"{entry.id} {name}"
        file.changes.append(Change(label, keys, old, now, old, state))

    def result(self) -> ImportResult:
        """Return the changed files and the new one, after the ruleset was loaded with them."""
        texts: dict[str, str] = {}
        into = self.request.into
        if self.new:
            data: Any = self.new
            lines = [f"{'  ' * at}{key}:" for at, key in enumerate(self.place)]
            indent = "  " * len(self.place)
            lines += [f"{indent}{id_}: {_flow(one)}" for id_, one in data.items()]
            stem = file_stem(self.place[-2] if len(self.place) > 1 else self.place[0])
            taken = file_names(into) if into is not None and into.is_dir() else set()
            texts[free_name(stem, taken, ".yaml")] = "\n".join(lines) + "\n"
        folder = Path(self.request.rules.composition.origins[-1].folder)
        if self.merged and is_ruleset(folder):
            unsaved = {str(path.resolve()): file.after for path, file in self.merged.items()}
            with read_unsaved(unsaved):
                loaded = load_ruleset(folder, complete=True)
                found = [*loaded.findings, *(check_ruleset(loaded.value) if loaded.value else ())]
            for path, file in self.merged.items():
                wrong = tuple(f for f in errors(found) if Path(f.span.file) == path)
                file.character = Character(path, None, None, None, wrong)
        merged = tuple((file, self.digests[path]) for path, file in self.merged.items())
        if not (texts or merged or errors(self.findings)):
            note = Finding(codes.NOT_IMPORTED, Span(self.file), "nothing in it is new or changed")
            self.findings.append(Finding(note.code, note.span, note.message, "", Severity.NOTE))
        return ImportResult(texts, tuple(self.findings), merged)


def _data(node: Pairs) -> dict[str, Any]:
    """Return an entry as data."""
    spot = edit.parse_spots(f"k: {flow_yaml(node)}\n")
    data: dict[str, Any] = spot.at(("k",)).data() if spot is not None else {}
    return data


def _flow(data: Mapping[str, Any]) -> str:
    return format_flow(dict(data))


def _is_same(old: str, now: str) -> bool:
    return " ".join(old.split()) == " ".join(now.split())


def _has(data: Any, keys: Place) -> bool:
    for key in keys:
        if not isinstance(data, dict) or key not in data:
            return False
        data = data[key]
    return isinstance(data, dict)
