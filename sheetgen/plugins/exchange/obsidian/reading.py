"""Changed properties of notes back into the authors' files.

A note records what was exported. A property that differs from the record was changed in the
vault; if the file has changed there as well, to something else, that is a conflict, and the file
keeps its own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.load.characters import RulesetCache
from sheetgen.load.files import files_below, read_text
from sheetgen.load.yaml.edit import (
    CannotEdit,
    Data,
    KeyPath,
    add_entry,
    append_items,
    drop_entry,
    parse_spots,
    put_value,
)
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, raw_text
from sheetgen.plugins.exchange.formats import ImportRequest, ImportResult
from sheetgen.plugins.exchange.obsidian.vault import OBSIDIAN_KEYS, RECORD, property_name
from sheetgen.plugins.exchange.rosters.csv_files import ImportRow, import_rows
from sheetgen.plugins.exchange.rosters.rows import (
    MOST_VALUES,
    BadCell,
    cell_texts,
    count_values,
    format_cell,
    is_text_key,
    parse_cell,
    scalar_texts,
    unquoted,
    written_texts,
)
from sheetgen.prints.characters import Character, load_character_file
from sheetgen.prints.context import file_stem
from sheetgen.readback.edits.working_copy import Change
from sheetgen.readback.merging import MergedFile, check_text
from sheetgen.rules.index import index_of
from sheetgen.write.files import free_name, name_key, portable_name

MOST_NOTES: Final = 1_000
_FENCE: Final = "---"


@dataclass(frozen=True, slots=True)
class _Note:
    """A note: its properties with their places, and what was exported.

    Attributes:
        file: The name of the author's file; empty if the note is to become a new one.
        typed: What the author had written, by key, as texts of cells.
        computed: Computed properties as they were exported.
    """

    path: Path
    properties: Mapping[str, tuple[ScalarNode, Node]]
    file: str
    typed: Mapping[str, str]
    computed: Mapping[str, str]

    def text(self, id_: str, *, is_text: bool) -> str:
        """Return a property as the text of a cell; an empty one as no text."""
        found = self.properties.get(property_name(id_))
        if found is None:
            return ""
        node = found[1]
        if isinstance(node, Many):
            exported = self.typed.get(id_, "")
            is_same = scalar_texts(node) == cell_texts(exported)
            changed = format_cell(unquoted(node), is_text=is_text) if node.items else ""
            return exported if is_same else changed
        return node.raw if isinstance(node, ScalarNode) and node.value is not None else ""


@dataclass(slots=True)
class _Result:
    request: ImportRequest
    rulesets: RulesetCache = field(default_factory=RulesetCache)
    texts: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    merged: list[tuple[MergedFile, str]] = field(default_factory=list)
    values: int = 0
    taken: set[str] = field(default_factory=set)


def import_vault(request: ImportRequest) -> ImportResult:
    """Return the files that change with the properties of a note, or of a vault's notes."""
    result = _Result(request)
    for number, path in enumerate(files_below(request.path, (".md",))):
        if number >= MOST_NOTES:
            message = f"only the first {MOST_NOTES:,} notes are read"
            finding = Finding(codes.TOO_MUCH, Span(str(request.path)), message, "import folders")
            result.findings.append(finding)
            break
        note = _read_note(path, result, is_named=path == request.path)
        if result.values > MOST_VALUES:
            message = f"the notes have more than {MOST_VALUES:,} values; the rest is not read"
            finding = Finding(codes.TOO_MUCH, Span(str(path)), message, "import folders")
            result.findings.append(finding)
            break
        if note is not None:
            _import_note(note, result)
    if not result.taken and not result.findings:
        message = "no note in it was exported from a character"
        hint = "export the characters again, and change the properties of those notes"
        place = Span(str(request.path))
        result.findings.append(Finding(codes.NOT_IMPORTED, place, message, hint))
    return ImportResult(result.texts, tuple(result.findings), tuple(result.merged))


def _read_note(path: Path, result: _Result, *, is_named: bool) -> _Note | None:
    """Return a note that was exported from a character; None for others.

    Args:
        is_named: Whether the user named this note, so that another one is a finding.
    """
    read = read_text(path)
    if read.value is None:
        result.findings += read.findings
        return None
    text = read.value[0].replace("\r\n", "\n")
    lines = text.split("\n")
    record = _find_record(lines)
    if record is None or lines[0].rstrip() != _FENCE or _FENCE not in lines[1:]:
        if is_named or RECORD in text:
            message = "this note has no properties, or no record of what was exported"
            hint = "export the character again, and change the properties of that note"
            result.findings.append(Finding(codes.NOT_IMPORTED, Span(str(path)), message, hint))
        return None
    end = lines.index(_FENCE, 1)
    front = "\n".join(["", *lines[1:end]]) + "\n"
    result.values += count_values(front)
    if result.values > MOST_VALUES:
        return None
    parsed = parse_yaml(front, str(path))
    result.findings += parsed.findings
    if parsed.value is None or not isinstance(parsed.value.root, Pairs):
        return None
    properties: dict[str, tuple[ScalarNode, Node]] = {}
    for key, node in parsed.value.root.entries:
        if property_name(key.raw) in properties:
            message = f"two properties are called `{key.raw}`; this one is not read"
            finding = Finding(codes.REPEATED_KEY, key.span, message, "rename one of the two")
            result.findings.append(finding)
        properties.setdefault(property_name(key.raw), (key, node))
    return _Note(path, properties, *record)


def _find_record(lines: list[str]) -> tuple[str, dict[str, str], dict[str, str]] | None:
    """Return the file's name, and what was typed and computed; None if there is no record."""
    found = next((line for line in reversed(lines) if line.startswith(RECORD)), None)
    try:
        data: Any = json.loads(found.removeprefix(RECORD)) if found is not None else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    file, typed, computed = (data.get(key) for key in ("file", "typed", "computed"))
    if not (isinstance(file, str) and isinstance(typed, dict) and isinstance(computed, dict)):
        return None
    return file, _texts(typed), _texts(computed)


def _texts(data: Mapping[Any, Any]) -> dict[str, str]:
    return {str(name): str(value) for name, value in data.items()}


def _import_note(note: _Note, result: _Result) -> None:
    """Merge a note into the author's file, or write a new one."""
    folder = result.request.into or Path()
    name = portable_name(note.file.replace("/", "-")) if note.file else ""
    if name and name_key(name) in result.taken:
        message = f"another note is of `{name}`, too; this one is not imported"
        hint = "keep one of the two notes, or rename the file of one and export it again"
        finding = Finding(codes.SAME_OUTPUT, Span(str(note.path)), message, hint)
        result.findings.append(finding)
        return
    name = name or free_name(property_name(note.path.stem), result.taken, ".yaml")
    result.taken.add(name_key(name))
    written = portable_name(f"{file_stem(name.removesuffix('.yaml'))}.yaml")
    path = folder / name if (folder / name).exists() else folder / written
    if path.exists():
        found = load_character_file(path, result.rulesets, result.request.options)
        if len(found) == 1 and found[0].source is not None and found[0].rules is not None:
            _merge(note, path, found[0], result)
            return
        message = f"`{path}` cannot be read, or holds several entries; the note is not imported"
        hint = "import into another folder"
        result.findings.append(Finding(codes.NOWHERE, Span(str(note.path)), message, hint))
        return
    _write_new(note, name, result)


def _write_new(note: _Note, name: str, result: _Result) -> None:
    """Write a new file from what the author had typed, as the properties have it now."""
    keys = [*note.typed, *(p for p in note.properties if p not in _known(note))]
    cells = {key: note.text(key, is_text=False) for key in keys}
    kind = note.text("sheetgen", is_text=True)
    heads = ("file", "kind", *(key.replace("_", " ") for key in cells))
    rows = [ImportRow(1, heads), ImportRow(2, (name, kind, *cells.values()))]
    found = import_rows(result.request, rows, str(note.path))
    span = Span(str(note.path))
    result.findings += [_moved(finding, note, span) for finding in found.findings]
    result.texts |= found.texts


def _moved(finding: Finding, note: _Note, otherwise: Span) -> Finding:
    """Return a finding about a cell at the property that it is about."""
    _, mark, rest = finding.message.partition("column `")
    key, _, message = rest.partition("`: ")
    found = note.properties.get(property_name(key)) if mark else None
    span = found[0].span if found is not None else otherwise
    text = message if mark else finding.message
    return Finding(finding.code, span, text, finding.hint, finding.severity, finding.rule)


def _known(note: _Note) -> frozenset[str]:
    """Return the properties that are not an author's keys."""
    exported = {property_name(id_) for id_ in note.typed}
    return OBSIDIAN_KEYS | exported | note.computed.keys() | {"aliases"}


def _merge(note: _Note, path: Path, one: Character, result: _Result) -> None:
    rules, source = one.rules, one.source
    assert rules is not None
    assert source is not None
    read = read_text(path)
    digest = read.value[1] if read.value else hashlib.sha256(source.text.encode()).hexdigest()
    merged = MergedFile(path, source.text, source.text, one)
    current = written_texts(one)
    for id_ in dict.fromkeys([*note.typed, *_new_keys(note, one)]):
        is_text = is_text_key(rules, id_)
        before, now = note.typed.get(id_, ""), note.text(id_, is_text=is_text)
        there = current.get(id_, "")
        if now not in (before, there):
            change = _apply(note, merged, id_, before, now, there, is_text=is_text)
            merged.changes.append(change)
    _report_others(note, one, result)
    if merged.changes:
        options = result.request.options
        merged.character = check_text(path, merged.after, result.rulesets, options)
        result.merged.append((merged, digest))


def _apply(
    note: _Note, merged: MergedFile, id_: str, before: str, now: str, there: str, *, is_text: bool
) -> Change:
    """Edit the file for one changed property; return what became of it."""
    label = id_.replace("_", " ")
    span = note.properties.get(property_name(id_), (None, None))[0]
    place = span.span if span is not None else Span(str(note.path))
    state = "merged"
    if there not in (before, now):
        message = f"{label}: exported `{before}`, in the note `{now}`, in the file `{there}`"
        hint = "the file keeps its own; change it by hand if the note is right"
        finding = Finding(codes.CONFLICT, place, message, hint, Severity.WARNING)
        merged.findings.append(finding)
        state = "conflict"
    elif there != now:
        try:
            merged.after = edit_key(merged.after, merged.character, id_, now, is_text=is_text)
        except CannotEdit as why:
            message = f"{label}: this place in the file cannot be edited: {why}"
            hint = "make this change by hand"
            merged.findings.append(Finding(codes.NOT_EDITED, place, message, hint))
            state = "kept"
        except BadCell as why:
            hint = "write it as `one; two`, `one: 1; two: 2`, or YAML in brackets"
            merged.findings.append(Finding(codes.BAD_CELL, place, f"{label}: {why}", hint))
            state = "kept"
    return Change(label, (id_,), before, now, there, state)


def _new_keys(note: _Note, one: Character) -> Iterator[str]:
    """Yield the author's keys that were added as properties."""
    assert one.rules is not None
    known = _known(note)
    for id_ in map(str, one.rules.character):
        if property_name(id_) in note.properties.keys() - known:
            yield id_


def _report_others(note: _Note, one: Character, result: _Result) -> None:
    """Report changed computed properties, and properties that the rules have no key for."""
    assert one.rules is not None
    keys = {property_name(str(id_)) for id_ in one.rules.character}
    for name, (key, node) in note.properties.items():
        raw = raw_text(node)
        if name in note.computed and name not in keys and raw != note.computed[name]:
            message = f"`{key.raw}` is computed from other properties and is not imported"
            hint = "change the property that it follows from"
            code, severity = codes.COMPUTED_CELL, Severity.WARNING
        elif name not in _known(note) | keys:
            message, hint = f"{one.rules.title} has no key `{key.raw}`; it stays in the vault", ""
            code, severity = codes.UNKNOWN_COLUMN, Severity.NOTE
        else:
            continue
        result.findings.append(Finding(code, key.span, message, hint, severity))


# Edit the key of an author's file that a changed property belongs to; comments stay.


def edit_key(text: str, one: Character, id_: str, cell: str, *, is_text: bool) -> str:
    """Return the text of a file with the value of the key `id_` changed to that of a cell.

    Args:
        one: The character of the file, by whose rules names of keys are understood.
        cell: The new value as the text of a cell; empty to remove the key.

    Raises:
        CannotEdit: The place cannot be edited.
        BadCell: The cell cannot be read.
    """
    root = parse_spots(text)
    if root is None or root.kind != "map" or one.rules is None:
        raise CannotEdit("the file has no keys")
    keys = index_of(one.rules).keys
    name = next((k.raw for k in root.keys if id_ in (k.raw, *keys.find(k.raw))), None)
    if not cell.strip():
        return drop_entry(text, (name,)) if name is not None else text
    new = _data(parse_cell(cell, is_text=is_text))
    if name is None:
        return add_entry(text, (), id_.replace("_", " "), new)
    return _put(text, (name,), root.at((name,)).data(), new)


def _data(yaml: str) -> Data:
    spot = parse_spots(f"key: {yaml}\n")
    return spot.at(("key",)).data() if spot is not None else None


def _put(text: str, path: KeyPath, old: Data, new: Data) -> str:
    """Return `text` with a value changed, entry by entry, so that comments between them stay."""
    if isinstance(old, dict) and isinstance(new, dict) and old:
        for key in [k for k in old if k not in new]:
            text = drop_entry(text, (*path, key))
        for key, value in new.items():
            if key not in old:
                text = add_entry(text, path, key, value)
            elif old[key] != value:
                text = _put(text, (*path, key), old[key], value)
        return text
    if isinstance(old, list) and isinstance(new, list) and old:
        if new[: len(old)] == old:
            return append_items(text, path, new[len(old) :])
        if len(new) == len(old):
            for number, value in enumerate(new):
                if old[number] != value:
                    text = _put(text, (*path, number), old[number], value)
            return text
    return put_value(text, path, new)
