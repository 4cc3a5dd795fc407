"""Rosters and catalogues as spreadsheets, out and in.

A roster has what authors wrote by key, and the values that follow from it. CSV is that of RFC 4180
in UTF-8: a file for each kind of entries, and one for the ledgers. Each row becomes a YAML file
that is checked, and its findings are at row and column. Catalogues are the gear, the choices and
the traits of a ruleset; they come back as changes of its files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from sheetgen.check.character.values import PICTURE_KEYS
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.diag.words import suggestion
from sheetgen.load import catalogues
from sheetgen.load.catalogues import CatalogueEntry, SheetRow
from sheetgen.load.characters import RulesetCache, load_from_source
from sheetgen.load.files import file_names, read_text, read_unsaved
from sheetgen.load.rows import find_equal_columns, guarded_cell
from sheetgen.load.rulesets.rulesets import is_ruleset, load_ruleset
from sheetgen.load.shapes import model_fields
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.format import format_block, format_flow
from sheetgen.load.yaml.tree import parse_yaml, scalar
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode, raw_text
from sheetgen.plugins.exchange import formats
from sheetgen.plugins.exchange.formats import ExportRequest, ImportRequest, ImportResult
from sheetgen.plugins.exchange.pasted.reading import list_stored
from sheetgen.plugins.exchange.words import RATED_KINDS, VALUE, TextMap, Words, load_text_map
from sheetgen.prints.characters import Character
from sheetgen.readback.merging import MergedFile, check_text
from sheetgen.readback.topics import Change
from sheetgen.records import frozen
from sheetgen.render.flow.table_pages import csv_text
from sheetgen.rules.index import file_stem, folded, index_of
from sheetgen.write import free_name, name_key, portable_name, taken_finding

FIRST: Final = ("ruleset", "kind", "file")  # The columns before the keys of a file
RULES_KEYS: Final = ("ruleset", "kind", "options")
"""Keys that select the rules; an import writes them first."""

LEDGER_HEADS: Final = ("file", "name", "pool", "session", "what", "gained", "cost", "left")
MOST_ROWS: Final = 1_000  # Rows of a file that are imported: each is checked as a character
MOST_COLUMNS: Final = 2_000
MOST_CELL: Final = 100_000  # Characters of a cell that is imported
MOST_VALUES: Final = 100_000  # Values of all cells of an import
BAD_CELL_HINT: Final = "write it as `one; two`, `one: 1; two: 2`, or YAML in brackets"
_FLOW: Final = ("[", "{", '"')
_TRAITS: Final = ("skill", "adds")  # keys of a catalogue that name a trait


# Cells: values of YAML as texts, and back ------------------------------------------------------


class BadCell(ValueError):
    """A cell that cannot be read; the message is the reason."""


def count_values(text: str) -> int:
    """Return how many values a cell, or front matter, may have at the most."""
    return 1 + sum(map(text.count, ",;[{\n"))


def format_cell(node: Node, *, is_text: bool) -> str:
    """Return the text of a cell for the value `node`; one of a text key is written as it is."""
    if isinstance(node, ScalarNode):
        return node.raw if is_text or _is_plain(node) or not node.raw else flow_yaml(node)
    if isinstance(node, Pairs):
        return "; ".join(_pair_parts(node)) or flow_yaml(node)
    items: list[list[str]] = []
    for item in node.items:
        is_pair = isinstance(item, Pairs) and len(item.entries) == 1
        pairs = _pair_parts(item) if isinstance(item, Pairs) and is_pair else []
        items.append(pairs or ([raw_text(item)] if _is_plain(item) else []))
    # The text of one item would be read as a scalar, that of pairs alone as a mapping.
    named = not any(isinstance(item, ScalarNode) for item in node.items)
    if len(items) < 2 or named or not all(items):
        return flow_yaml(node)
    return "; ".join(part for parts in items for part in parts)


def _is_plain(node: Node) -> bool:
    """Whether a cell can hold the scalar `node` without quotes, alone or among others."""
    if not isinstance(node, ScalarNode) or not node.raw or node.raw != node.raw.strip():
        return False
    if node.quoted and not isinstance(scalar(node.raw), str):
        return False
    raw = node.raw
    return not (raw.startswith(_FLOW) or any(s in raw for s in (";", ": ", "\n")) or raw[-1] == ":")


def _pair_parts(node: Pairs) -> list[str]:
    plain = (replace(key, quoted=False) for key, _ in node.entries)  # keys are always texts
    if not all(_is_plain(part) for part in (*plain, *(value for _, value in node.entries))):
        return []
    return [f"{key.raw}: {raw_text(value)}" for key, value in node.entries]


def flow_yaml(node: Node) -> str:
    """Return `node` as YAML on one line."""
    if isinstance(node, Pairs):
        keys = (k.raw if k.raw.isdecimal() else format_flow(k.raw) for k, _ in node.entries)
        parts = zip(keys, (flow_yaml(value) for _, value in node.entries), strict=True)
        return "{" + ", ".join(map(": ".join, parts)) + "}"
    if not isinstance(node, ScalarNode):
        return "[" + ", ".join(map(flow_yaml, node.items)) + "]"
    if not node.quoted and not isinstance(node.value, str):
        return node.raw or "~"
    return format_flow(node.raw, '"' if node.quoted else "")


def parse_cell(text: str, *, is_text: bool) -> str:
    """Return the YAML of a cell, for behind `key: `; several lines are indented.

    Raises:
        BadCell: The cell cannot be read.
    """
    if len(text) > MOST_CELL:
        raise BadCell(f"it has {len(text):,} characters; at most {MOST_CELL:,} are read")
    text = text.replace("\r\n", "\n")
    if is_text:
        return format_block(text, "  ", "\n") or format_flow(text)
    text = text.strip()
    if text.startswith(_FLOW):
        root = parse_yaml(text, "").value
        node = root.root if root is not None else None
        if node is None or (isinstance(node, ScalarNode) and not node.quoted):
            raise BadCell("the brackets or quotes in it are not closed, or it is no YAML")
        return flow_yaml(node)

    def plain(part: str) -> str:
        return part if part and not isinstance(scalar(part), str) else format_flow(part)

    parts = [part.strip() for part in text.split(";") if part.strip()]
    if len(parts) == 1 and ": " not in text:
        return plain(parts[0])
    split = [part.partition(": ") for part in parts]
    pairs = [
        f"{format_flow(k.strip())}: {plain(v.strip())}" if sign else "" for k, sign, v in split
    ]
    if all(pairs):
        if len({key for key, _, _ in split}) < len(split):
            raise BadCell("it has the same name twice")
        return "{" + ", ".join(pairs) + "}"
    items = (f"{{{pair}}}" if pair else plain(one) for pair, one in zip(pairs, parts, strict=True))
    return "[" + ", ".join(items) + "]"


def _put_entries(text: str, path: edit.KeyPath, old: edit.Data, new: edit.Data) -> str:
    """Return `text` with a value changed, entry by entry, so that comments between them stay."""
    if isinstance(old, dict) and isinstance(new, dict) and old:
        for key in [k for k in old if k not in new]:
            text = edit.drop_entry(text, (*path, key))
        for key, value in new.items():
            if key not in old:
                text = edit.add_entry(text, path, key, value)
            elif old[key] != value:
                text = _put_entries(text, (*path, key), old[key], value)
        return text
    if isinstance(old, list) and isinstance(new, list) and old:
        if new[: len(old)] == old:
            return edit.append_items(text, path, new[len(old) :])
        if len(new) == len(old):
            for number, value in enumerate(new):
                if old[number] != value:
                    text = _put_entries(text, (*path, number), old[number], value)
            return text
    return edit.put_value(text, path, new)


def put_at(text: str, keys: tuple[str, ...], value: edit.Data, *, drop: bool) -> str:
    """Return `text` with the value at `keys` set or, to `drop` it, without it.

    Raises:
        CannotEdit: The place cannot be edited.
    """
    above = edit.root_of(text).data()
    for key in keys[:-1]:
        above = above.get(key) if isinstance(above, dict) else None
    if drop:
        return edit.drop_entry(text, keys)
    if not isinstance(above, dict):
        return edit.add_entry(text, keys[:-2], keys[-2], {keys[-1]: value})
    if keys[-1] in above:
        return _put_entries(text, keys, above[keys[-1]], value)
    return edit.add_entry(text, keys[:-1], keys[-1], value)


# Rosters, out ----------------------------------------------------------------------------------


@frozen
class RosterColumn:
    """A column: a key of the author's file, or a computed value."""

    head: str  # The text of the first row; in brackets for a computed value.
    id: str  # The id of the key, trait, derived value or pool.
    kind: str  # `first`, `key`, `total`, `derived`, `line` or `left`.


@frozen
class Roster:
    """All entries of one kind, and the columns that they need together."""

    kind: str
    entries: tuple[Character, ...]
    columns: tuple[RosterColumn, ...]
    ruleset: str = ""  # What they were checked by, if that is not what their files name.

    def texts(self, one: Character) -> list[str]:
        """Return the row of an entry."""
        written = written_texts(one) | {"kind": self.kind, "file": f"{file_stem(one.stem)}.yaml"}
        written |= {"ruleset": self.ruleset} if self.ruleset else {}
        texts = {(kind, id_): text for kind in ("first", "key") for id_, text in written.items()}
        texts |= computed_texts(one)
        return [texts.get((column.kind, column.id), "") for column in self.columns]


def list_rosters(request: ExportRequest) -> list[Roster]:
    """Return a roster for each kind of entries, characters first."""
    kinds: dict[str, list[Character]] = {}
    for one in request.characters:
        kinds.setdefault(request.kind_of(one), []).append(one)
    rosters = []
    for kind, entries in kinds.items():
        rules = [*{id(one.rules): one.rules for one in entries if one.rules is not None}.values()]
        used = dict.fromkeys(id_ for one in entries for id_ in written_texts(one))
        order = (str(id_) for each in rules for id_ in each.character)
        keys = dict.fromkeys((*(id_ for id_ in order if id_ in used), *used))
        columns = [RosterColumn(name, name, "first") for name in FIRST]
        columns += [RosterColumn(k.replace("_", " "), k, "key") for k in keys if k not in FIRST]
        columns += computed_columns(rules)
        ruleset = str(request.rules.id) if request.stock else ""
        rosters.append(Roster(kind, tuple(entries), tuple(columns), ruleset))
    return rosters


def computed_columns(several: Iterable[Ruleset]) -> Iterator[RosterColumn]:
    """Yield the columns of all computed values of several rules."""
    found: list[tuple[str, str, str, str]] = []  # kind, id, label, and the label's group
    for rules in several:
        titles = index_of(rules).titles
        for group_id, group in rules.groups.items():
            of = group.label or str(group_id)
            found += (("total", str(trait), titles[str(trait)], of) for trait in group.traits)
        for id_, derived in rules.derived.items():  # others are only for formulas
            if label := derived.label or (derived.place and derived.use):
                found.append(("derived", str(id_), label, "derived"))
        lines = rules.texts.items()
        found += (("line", str(id_), line.label, "text") for id_, line in lines if line.label)
        pools = rules.pools.items()
        found += (("left", str(id_), f"{pool.label} left", "pool") for id_, pool in pools)
    taken: set[str] = set()
    for kind, id_, label, of in dict.fromkeys(found):
        yield RosterColumn(f"({label})" if label not in taken else f"({of}: {label})", id_, kind)
        taken.add(label)


def key_nodes(one: Character) -> Mapping[str, Node]:
    """Return what the author wrote by the id of the key; by its name if the rules lack it."""
    source, rules = one.entry, one.rules
    if source is None or rules is None or not isinstance(source.root, Pairs):
        return {}
    keys = index_of(rules).keys
    return {next(iter(keys.find(k.raw)), k.raw): node for k, node in source.root.entries}


def is_text_key(rules: Ruleset, id_: str) -> bool:
    """Whether the key `id_` holds one text."""
    return id_ in rules.character and rules.character[id_].kind == "text"


def written_texts(one: Character) -> dict[str, str]:
    """Return what the author wrote as texts of cells, by key; `RULES_KEYS` are first."""
    rules, nodes = one.rules, key_nodes(one)
    if rules is None:
        return {}
    order = [*(id_ for id_ in RULES_KEYS if id_ in nodes), *nodes]
    return {id_: format_cell(nodes[id_], is_text=is_text_key(rules, id_)) for id_ in order}


def computed_texts(one: Character) -> dict[tuple[str, str], str]:
    """Return totals, derived values and points left as texts, by kind and id."""
    build, rules = one.build, one.rules
    if build is None or rules is None:
        return {}
    found = {("total", r.id): rules.rating_text(r.group, r.total) for r in build.ratings.values()}
    found |= {("derived", d.id): d.shown for d in build.derived.values()}
    found |= {("line", id_): text for id_, text in build.lines.items()}
    return found | {("left", p): str(ledger.left) for p, ledger in build.ledgers.items()}


def list_ledger_lines(build: Build, file: str) -> Iterator[tuple[str | int, ...]]:
    """Yield the rows of the ledgers of a build, under `LEDGER_HEADS`."""
    for ledger in build.ledgers.values():
        for line in ledger.lines:
            cells = (line.session, line.what, line.gained, line.cost, line.left)
            yield file, build.name, ledger.label, *cells


def export_csv(request: ExportRequest) -> formats.ExportResult:
    """Return a roster for each kind of entries, and their ledgers."""
    stem, files = file_stem(str(request.rules.id)), {}
    for roster in list_rosters(request):
        rows = [[column.head for column in roster.columns], *map(roster.texts, roster.entries)]
        files[f"{stem}-{file_stem(roster.kind)}.csv"] = _format_csv(rows, request.rules)
    lines = [
        [*map(str, row)]
        for build, one in request.builds
        for row in list_ledger_lines(build, f"{file_stem(one.stem)}.yaml")
    ]
    if lines:
        files[f"{stem}-ledger.csv"] = _format_csv([[*LEDGER_HEADS], *lines], request.rules)
    subjects = dict.fromkeys(files, request.names)
    return formats.ExportResult(files, formats.find_pictures("csv", request), subjects)


def _format_csv(rows: Iterable[Iterable[str]], rules: Ruleset) -> bytes:
    credit = f"{rules.credit.short} Licence: {rules.credit.licence}."
    return csv_text((map(guarded_cell, row) for row in rows), credit).encode()


# Rosters, in -----------------------------------------------------------------------------------


def import_csv(request: ImportRequest) -> ImportResult:
    """Return a YAML file for each row of a roster, or the changes to a part of the ruleset."""
    read = catalogues.read_sheet(request.path)
    if read.value is None:
        return ImportResult({}, read.findings)
    place = str(request.path)
    if part := find_part(request, request.path.stem):
        result = import_catalogue(request, read.value, place, part)
    else:
        result = report_no_rows(import_rows(request, read.value, place), place)
    return replace(result, findings=(*read.findings, *result.findings))


def import_rows(request: ImportRequest, rows: Sequence[SheetRow], place: str) -> ImportResult:
    """Return a YAML file for each of `rows` of a file or a sheet; the first row is the heads."""
    above = rows[: catalogues.FIRST_ROWS]  # titles may be above the heads
    full = next((n for n, r in enumerate(above) if sum(map(bool, r.cells)) > 2), 0)
    rows = rows[next((n for n, r in enumerate(above) if "name" in map(folded, r.cells)), full) :]
    heads = rows[0].cells if rows else ()
    below = rows[1].cells if len(rows) > 1 else ()
    pairs = [*zip_longest(heads, below, fillvalue="")]
    if any(n and not h for h, n in pairs) and any(folded(h) == "name" and not n for h, n in pairs):
        heads = tuple(under or head for head, under in pairs)  # heads of several columns above
        rows = rows[1:]
    heads, called = _find_names(request, rows, heads, place)
    if "name" not in (head.strip().casefold() for head in heads):
        message = "the first row has no column `name`"
        hint = "write the keys of a character's file into the first row, such as `name`"
        return formats.refused(codes.NOT_IMPORTED, place, message, hint)
    message = ""
    if len(rows) - 1 > MOST_ROWS or len(heads) > MOST_COLUMNS:
        message = f"it has {len(rows) - 1:,} rows and {len(heads):,} columns; "
        message += f"{MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns are read"
    elif sum(count_values(cell) for row in rows for cell in row.cells if cell) > MOST_VALUES:
        message = f"its cells have more than {MOST_VALUES:,} values"
    if message:
        return formats.refused(codes.TOO_MUCH, place, message, "split it into several files")
    meanings = [head.strip() if head.startswith("(") else folded(head) for head in heads]
    if twice := tuple(find_equal_columns(heads, Span(place, rows[0].line), meanings)):
        return ImportResult({}, twice)
    sheet = _RosterSheet(request, place, heads, findings=called)
    for row in rows[1:]:
        sheet.add(row)
    return ImportResult(sheet.texts, tuple(sheet.findings))


def _find_names(
    request: ImportRequest, rows: Sequence[SheetRow], heads: tuple[str, ...], place: str
) -> tuple[tuple[str, ...], list[Finding]]:
    """Return the heads with `name` over the names, if another word is there; a note says so."""
    if any(folded(head) == "name" for head in heads) or not heads:
        return heads, []
    base, own = request.rules, request.what
    rules = RulesetCache().kind(base, own) if own in base.kinds else base
    words = Words(rules, load_text_map(base).value or TextMap(), base)
    found = [words.find(head.strip()) for head in heads]
    if found[0] or sum(map(bool, found)) * 2 < len(heads):
        return heads, []
    texts = [row.cells[0].strip() for row in rows[1:] if any(row.cells)]
    if not all(re.search(r"[^\W\d]", text) for text in texts) or len({*texts}) < len(texts):
        return heads, []
    message = f"`{heads[0]}` is name"
    note = Finding(codes.UNKNOWN_COLUMN, Span(place, rows[0].line, 1), message, "", Severity.NOTE)
    return ("name", *heads[1:]), [note]


def report_no_rows(result: ImportResult, place: str) -> ImportResult:
    """Return a result, with a finding if nothing was read and nothing says so."""
    if result.texts or result.findings:
        return result
    message = "it has no rows below the heads"
    return formats.refused(codes.NOT_IMPORTED, place, message, "fill in a roster")


@dataclass(slots=True)
class _RosterSheet:
    """A table that is imported: its heads, and what its rows become."""

    request: ImportRequest
    place: str
    heads: tuple[str, ...]
    cache: RulesetCache = field(default_factory=RulesetCache)
    # The rules of files by the lines that they begin with; `words` by their digest.
    rules: dict[str, Ruleset] = field(default_factory=dict)
    words: dict[str, Words] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)  # Keys of the names of `texts`.
    findings: list[Finding] = field(default_factory=list)
    # Pairs of heads that the rules of a row read as one key.
    same: set[tuple[str, str]] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)  # Lines of rows with cells in both.

    def report(
        self, row: SheetRow, column: int, code: codes.Code, message: str, hint: str,
        severity: Severity = Severity.ERROR, rule: str = "",
    ) -> None:  # fmt: skip
        """Add a finding about a cell; `column` counts from 0."""
        message = f"row {row.line}, column `{self.heads[column]}`: {message}"
        span = Span(self.place, row.line, column + 1)
        self.findings.append(Finding(code, span, message, hint, severity, rule))

    def rules_of(self, head: str) -> Ruleset:
        """Return the rules for a file that begins with the lines `head`."""
        if head not in self.rules:
            self.rules[head] = self.request.rules
            if (source := parse_yaml(f"{head}name: x\n", "").value) is not None:
                path = (self.request.into or Path()) / "x.yaml"
                entries = load_from_source(path, source, (), self.cache, self.request.options)
                rules = (entry.rules for entry in entries if entry.rules)
                self.rules[head] = next(rules, self.request.rules)
        return self.rules[head]

    def words_of(self, rules: Ruleset) -> Words:
        """Return the words of `rules`, which are found once."""
        if (words := self.words.get(rules.digest)) is None:
            plan = load_text_map(self.request.rules).value or TextMap()
            words = self.words[rules.digest] = Words(rules, plan, self.request.rules)
        return words

    def add(self, row: SheetRow) -> None:
        """Add the file of a row, its findings, and one about computed cells that differ."""
        cells = zip(self.heads, row.cells, strict=False)
        named = {head.strip().casefold(): text.strip() for head, text in cells}
        lines: list[str] = []
        columns: dict[int, int] = {}
        for at, key, value in self.list_keys(row):
            for part in f"{key}: {value}".split("\n"):
                lines.append(part)
                columns[len(lines)] = at
        if row.line in self.refused:
            return
        stem = portable_name(file_stem(named.get("file", "").removesuffix(".yaml")))
        stem = stem or portable_name(file_stem(named.get("name", ""))) or f"row-{row.line}"
        wanted, name = f"{stem}.yaml", free_name(stem, self.taken, ".yaml")
        if name != wanted:
            at = next((n for n, head in enumerate(self.heads) if head == "file"), 0)
            hint = "name another file in this row"
            found = taken_finding(Span(""), wanted, "a row above", name, hint)
            self.report(row, at, found.code, found.message, found.hint, found.severity)
        self.texts[name] = "\n".join(lines) + "\n"
        self.taken.add(name_key(name))
        path = (self.request.into or Path()) / name
        one = check_text(path, self.texts[name], self.cache, self.request.options)
        for found in one.findings:
            if found.span.file == str(path):
                what = found.code, found.message, found.hint, found.severity, found.rule
                self.report(row, columns.get(found.span.line, 0), *what)
            else:
                self.findings.append(found)
        if one.rules is None or one.build is None:
            return
        computed, texts = {c.head: c for c in computed_columns([one.rules])}, computed_texts(one)
        differences = []
        for at, (head, text) in enumerate(zip(self.heads, row.cells, strict=False)):
            column = computed.get(head)
            now = texts.get((column.kind, column.id), text) if column is not None else text
            if text.strip() and now != text and not text.startswith("="):
                differences.append((at, f"{head[1:-1]} {text} (by the rules {now})"))
        if differences:
            listed = ", ".join(what for _, what in differences[:3])
            more = f" and {len(differences) - 3} more" if len(differences) > 3 else ""
            message = f"these computed cells are not imported: {listed}{more}"
            hint, at = "change the columns without brackets", differences[0][0]
            self.report(row, at, codes.COMPUTED_CELL, message, hint, Severity.WARNING)

    def list_keys(self, row: SheetRow) -> Iterator[tuple[int, str, str]]:
        """Yield column, key and YAML of what an author would write."""
        cells = {
            head.strip(): (at, text)
            for at, (head, text) in enumerate(zip(self.heads, row.cells, strict=False))
            if text.strip()
        }
        request = self.request
        name = format_flow(formats.find_ruleset_name(request.rules, request.into))
        cells.setdefault("ruleset", (0, name))
        if request.what in request.rules.kinds:
            cells.setdefault("kind", (0, request.what))
        head_yaml = ""
        for key in RULES_KEYS:
            at, text = cells.pop(key, (0, ""))
            if not text or (key == "kind" and text == "character"):
                continue
            if yaml := self._yaml(row, at, text, is_text=key == "kind"):
                head_yaml += f"{key}: {yaml}\n"
                yield at, key, yaml
        rules = self.rules_of(head_yaml)
        index, seen = index_of(rules), {"file": ""}
        left: dict[int, str] = {}  # what no key takes, by its column
        keys: dict[str, tuple[int, str]] = {}  # column and text by key
        traits: dict[str, tuple[int, dict[str, str | int]]] = {}  # of columns of their own, by key
        for head, (at, text) in cells.items():
            ids, rated = index.keys.find(head), ("", "", "")
            id_ = ids[0] if len(ids) == 1 else head
            if not ids and not head.startswith("("):
                words = self.words_of(rules)
                found = list_stored(words.find(head))
                labels = [one.id for one in found if one.sort == "key"]
                if len(found) == 1 and found[0].sort == "trait":
                    of = words.rated.get(words.group_of(found[0].id), "")
                    rated = (of, index.titles[found[0].id], found[0].id) if of else rated
                    id_ = ": ".join(rated[:2]) if of else id_
                elif len(labels) == 1:
                    id_ = labels[0]
            if id_ == "file" or head.startswith("("):
                continue
            if (first := seen.setdefault(id_, head)) != head:
                if (first, head) not in self.same:
                    message = (
                        f"`{first}` and `{head}` are the same key; rows with both are left out"
                    )
                    self.report(row, at, codes.BAD_ROW, message, "put the cells into one column")
                self.same.add((first, head))
                self.refused.add(row.line)
            elif rated[0]:
                rating = self.words_of(rules).rating(rated[2], text.strip())
                taken = text.strip() if rating is None else rating
                traits.setdefault(rated[0], (at, {}))[1][rated[1]] = taken
            elif not ids and id_ == head and id_ not in PICTURE_KEYS:
                left[at] = f"{head}: {text.strip()}"
            else:
                keys[id_] = at, text
        notes = self.words_of(rules).notes_key if left else ""
        if left and (takes := notes and rules.character[notes].kind == "text"):
            at, text = keys.get(notes, (min(left), ""))
            keys[notes] = at, "\n".join(filter(None, (text.strip(), *left.values())))
        for at, text in left.items():
            head, _, _ = text.partition(":")
            where = "the cell is kept in the notes" if takes else "the cell is not imported"
            hint = suggestion(head, [str(i).replace("_", " ") for i in rules.character], "keys")
            message = f"{rules.title} has no key `{head}`; {where}"
            self.report(row, at, codes.UNKNOWN_COLUMN, message, hint, Severity.WARNING)
        for id_, (at, text) in keys.items():
            text, is_text = _listed(rules, id_, text), is_text_key(rules, id_)
            if yaml := self._yaml(row, at, text, is_text=is_text):
                yield at, id_.replace("_", " "), yaml
        for key, (at, ratings) in traits.items():
            if key in seen:
                message = f"`{seen[key]}` has ratings, too; these columns are not imported"
                self.report(row, at, codes.BAD_ROW, message, "put the ratings into one column")
            else:
                yield at, key.replace("_", " "), format_flow(ratings)

    def _yaml(self, row: SheetRow, at: int, text: str, *, is_text: bool) -> str:
        """Return the YAML of a cell; empty, with a finding, if it cannot be read."""
        try:
            return parse_cell(text, is_text=is_text)
        except BadCell as why:
            self.report(row, at, codes.BAD_CELL, str(why), BAD_CELL_HINT)
            return ""


def _listed(rules: Ruleset, id_: str, text: str) -> str:
    """Return a list with commas, as people write one, in the form of our cells."""
    key = next((key for name, key in rules.character.items() if name == id_), None)
    parts = [part.strip() for part in re.split(r"[,;\n]", text) if part.strip()]
    if key is None or text.startswith(_FLOW):
        return text
    if key.kind in RATED_KINDS:
        pairs = [re.fullmatch(rf"([^:]{{1,60}}?)[\s:=]+\(?({VALUE.pattern})\)?", p) for p in parts]
        if found := [f"{pair[1]}: {''.join(pair[2].split())}" for pair in pairs if pair]:
            return "; ".join(found) if len(found) == len(parts) else text
    names = index_of(rules)
    known = {"items": [names.gear], "raises": [names.all_traits]}.get(key.kind, [])
    if key.kind == "choices":
        known = [names.by_catalogue[str(of)] for of in key.of or (id_,)]
    is_list = "," in text and all(any(one.find(part) for one in known) for part in parts)
    return "; ".join(parts) if is_list else text


# Catalogues ------------------------------------------------------------------------------------


def list_parts(rules: Ruleset) -> dict[str, catalogues.Place]:
    """Return the parts of a ruleset that have entries, by their names."""
    found: dict[str, catalogues.Place] = {"gear": ("gear",)}
    found |= {str(i): ("choices", str(i), "entries") for i in rules.choices}
    found |= {str(i): ("groups", str(i), "traits") for i in rules.groups if str(i) not in found}
    return found


def find_part(request: ImportRequest, stem: str) -> str:
    """Return the part of the ruleset that a file holds, by `--as` or by its name; "" for none."""
    rules, parts = request.rules, list_parts(request.rules)
    if request.what in rules.kinds or request.what == "character":
        return ""
    named = {folded(part): part for part in parts}
    labels = [*((one.label, str(id_)) for id_, one in rules.choices.items())]
    labels += ((one.label, str(id_)) for id_, one in rules.groups.items())
    named |= {folded(label): id_ for label, id_ in labels if label and id_ in parts}
    asked = request.what or stem.removeprefix(f"{file_stem(str(rules.id))}-")
    return named.get(folded(asked), "")


def _cells(node: Pairs) -> dict[str, str]:
    below: dict[str, Node] = {}
    for key, value in node.entries:
        if key.raw in catalogues.MAPPINGS and isinstance(value, Pairs):
            below |= {f"{key.raw}.{k.raw}": one for k, one in value.entries}
        else:
            below[key.raw] = value
    return {
        path: flow_yaml(one) if isinstance(one, Pairs) else format_cell(one, is_text=True)
        for path, one in below.items()
    }


def list_catalogues(request: ExportRequest) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the name and the rows of each part of a ruleset, with all that its files say."""
    folders = [Path(origin.folder) for origin in request.rules.composition.origins]
    for part, place in list_parts(request.rules).items():
        found = catalogues.find_entries(folders, place)
        if entries := {id_: _cells(one) for id_, one in found.items()}:
            order = [*model_fields(catalogues.model_of(place))]
            used = dict.fromkeys(path for cells in entries.values() for path in cells)
            heads = sorted(used, key=lambda path: order.index(path.partition(".")[0]))
            rows = [[id_, *(cells.get(h, "") for h in heads)] for id_, cells in entries.items()]
            yield part, [["id", *heads], *rows]


def export_catalogues(request: ExportRequest) -> formats.ExportResult:
    """Return a CSV file for each part of a ruleset."""
    stem, parts = file_stem(str(request.rules.id)), list_catalogues(request)
    files = {f"{stem}-{file_stem(part)}.csv": _format_csv(r, request.rules) for part, r in parts}
    return formats.ExportResult(files)


def import_catalogue(
    request: ImportRequest, rows: Sequence[SheetRow], place: str, part: str
) -> ImportResult:
    """Return what changes in the files of a ruleset, and a file for new entries."""
    where, index = list_parts(request.rules)[part], index_of(request.rules)
    plan = load_text_map(request.rules).value or TextMap()
    changes = _CatalogueChanges(request, where, place)
    model, names, numbers = catalogues.model_of(where), plan.names, index.numbers
    reader = catalogues.CatalogueReader(place, model, names, numbers, changes.findings)
    entries = reader.read(rows)
    for entry in entries:
        for key in (key for key in _TRAITS if key in entry.values):
            raw = entry.values[key]
            found = index.all_traits.find(raw.strip('"'))
            if len(found) == 1:
                entry.values[key] = found[0]
            else:
                del entry.values[key]
                span = Span(place, entry.line, entry.columns[key])
                message = f"there is no trait `{raw}`; the cell is not imported"
                hint = index.all_traits.hint(raw)
                finding = Finding(codes.BAD_CELL, span, message, hint, Severity.WARNING)
                changes.findings.append(finding)
        changes.add(entry)
    gone = [id_ for id_ in changes.own if id_ not in {entry.id for entry in entries}]
    if gone and entries and any(head.strip() == "id" for head in reader.heads):
        message = f"rows are gone, and stay in the ruleset: {', '.join(gone[:8])}"
        hint, severity = "remove them from the files by hand", Severity.WARNING
        changes.findings.append(Finding(codes.NOT_EDITED, Span(place), message, hint, severity))
    return changes.result()


@dataclass
class _CatalogueChanges:
    """What an import changes: files in the folder of the ruleset, or a new one.

    Attributes:
        own, base: The entries that are there: in the folder, and in those of its base.
        merged: Files that change, each with the digest of what was read.
        new: New entries as data.
    """

    request: ImportRequest
    place: catalogues.Place
    file: str
    findings: list[Finding] = field(default_factory=list)
    merged: dict[Path, tuple[MergedFile, str]] = field(default_factory=dict)
    new: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        folders = [Path(one.folder) for one in self.request.rules.composition.origins]
        into = self.request.into
        inside = [f for f in folders if into is None or f.resolve() == into.resolve()]
        self.own = catalogues.find_entries(inside, self.place)
        self.base = catalogues.find_entries([f for f in folders if f not in inside], self.place)

    def add(self, entry: CatalogueEntry) -> None:
        """Add an entry: as changes to the one with its id, or as a new one."""
        node = catalogues.entry_node(entry, self.file)
        there = self.own.get(entry.id) or self.base.get(entry.id)
        if there is None:
            self.new[entry.id] = formats.node_data(node)
            return
        before, now, span = _cells(there), _cells(node), Span(self.file, entry.line)
        changed = [
            name
            for name, text in entry.texts.items()
            if name not in ("", "id")
            and before.get(name, "").split() not in (text.split(), now.get(name, "").split())
            and (name in now or (not text.strip() and "id" in entry.texts))
        ]
        path = Path(there.span.file)
        if changed and path.suffix == ".csv":
            message = f"`{entry.id}` is a row of {path.name}; it is not changed"
            self.findings.append(Finding(codes.NOT_EDITED, span, message, "change that file"))
        elif changed and entry.id not in self.own:
            what = ", ".join(f"{name} {now.get(name, '')}" for name in changed[:4])
            message = f"`{entry.id}` is of the base, and differs: {what}; it is not changed"
            hint = f"write it in a module, under `change: {{{'.'.join(self.place)}.{entry.id}.…}}`"
            self.findings.append(Finding(codes.CONFLICT, span, message, hint, Severity.WARNING))
        else:
            for name in changed:
                texts = before.get(name, ""), now.get(name, "")
                self._edit(path, entry, name, *texts, formats.node_data(node))

    def _edit(
        self, path: Path, entry: CatalogueEntry, name: str, old: str, now: str, data: dict[str, Any]
    ) -> None:
        if path not in self.merged:
            text, digest = read_text(path).value or ("", "")
            unchecked = Character(path, None, None, None, ())
            self.merged[path] = MergedFile(path, text, text, unchecked), digest
        file = self.merged[path][0]
        first, _, rest = name.partition(".")
        keys = (*self.place, entry.id, first, *([rest] if rest else []))
        value = data.get(first, {}).get(rest) if rest else data.get(first)
        state = "merged"
        try:
            file.after = put_at(file.after, keys, value, drop=not now)
        except edit.CannotEdit as why:
            message = f"{entry.id}: {name} cannot be edited: {why}"
            span = Span(self.file, entry.line, entry.columns.get(name, 1))
            finding = Finding(codes.NOT_EDITED, span, message, "make this change by hand")
            self.findings.append(finding)
            state = "kept"
        file.changes.append(Change(f"{entry.id} {name}", keys, old, now, old, state))

    def result(self) -> ImportResult:
        """Return the changed files and the new one, after the ruleset was loaded with them."""
        texts: dict[str, str] = {}
        into = self.request.into
        if self.new:
            lines = [f"{'  ' * at}{key}:" for at, key in enumerate(self.place)]
            indent = "  " * len(self.place)
            lines += [f"{indent}{id_}: {format_flow(one)}" for id_, one in self.new.items()]
            stem = file_stem(self.place[-2] if len(self.place) > 1 else self.place[0])
            taken = file_names(into) if into is not None and os.path.isdir(into) else set()
            texts[free_name(stem, taken, ".yaml")] = "\n".join(lines) + "\n"
        folder = Path(self.request.rules.composition.origins[-1].folder)
        merged = tuple(self.merged.values())
        if merged and is_ruleset(folder):
            with read_unsaved({str(one.path.resolve()): one.after for one, _ in merged}):
                loaded = load_ruleset(folder, complete=True)
                found = [*loaded.findings, *(check_ruleset(loaded.value) if loaded.value else ())]
            for one, _ in merged:
                wrong = tuple(f for f in errors(found) if Path(f.span.file) == one.path)
                one.character = Character(one.path, None, None, None, wrong)
        if not (texts or merged or errors(self.findings)):
            message, severity = "nothing in it is new or changed", Severity.NOTE
            note = Finding(codes.NOT_IMPORTED, Span(self.file), message, "", severity)
            self.findings.append(note)
        return ImportResult(texts, tuple(self.findings), merged)
