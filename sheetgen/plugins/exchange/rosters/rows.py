"""Rosters: what authors wrote by key, and the values that follow from it; as CSV, out and in.

CSV is that of RFC 4180 in UTF-8: a file for each kind of entries, and one for the ledgers. Each row
becomes a YAML file that is checked, and its findings are at row and column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sheetgen.check.character.values import PICTURE_KEYS
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.catalogues import SheetRow, read_sheet
from sheetgen.load.characters import RulesetCache, load_from_source
from sheetgen.load.rows import find_equal_columns, guarded_cell
from sheetgen.load.yaml.format import format_flow
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs
from sheetgen.plugins.exchange.formats import (
    ExportRequest,
    ExportResult,
    ImportRequest,
    ImportResult,
    find_pictures,
    find_ruleset_name,
    refused,
)
from sheetgen.plugins.exchange.pasted.words import TextMap, Words, load_text_map
from sheetgen.plugins.exchange.rosters.catalogues import find_part, import_catalogue
from sheetgen.plugins.exchange.rosters.cells import (
    MOST_VALUES,
    BadCell,
    count_values,
    format_cell,
    parse_cell,
)
from sheetgen.prints.characters import Character
from sheetgen.readback.merging import check_text
from sheetgen.records import frozen
from sheetgen.render.table_texts import csv_text
from sheetgen.rules.index import file_stem, folded, index_of
from sheetgen.write import free_name, name_key, portable_name, taken_finding

FIRST: Final = ("ruleset", "kind", "file")  # The columns before the keys of a file
RULES_KEYS: Final = ("ruleset", "kind", "options")
"""Keys that select the rules; an import writes them first."""

LEDGER_HEADS: Final = ("file", "name", "pool", "session", "what", "gained", "cost", "left")


@frozen
class RosterColumn:
    """A column: a key of the author's file, or a computed value.

    Attributes:
        head: The text of the first row; in brackets for a computed value.
        id: The id of the key, trait, derived value or pool.
        kind: `first`, `key`, `total`, `derived` or `left`.
    """

    head: str
    id: str
    kind: str


@frozen
class Roster:
    """All entries of one kind, and the columns that they need together.

    Attributes:
        ruleset: What they were checked by, if that is not what their files name.
    """

    kind: str
    entries: tuple[Character, ...]
    columns: tuple[RosterColumn, ...]
    ruleset: str = ""

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
    ruleset = str(request.rules.id) if request.stock else ""
    return [Roster(k, tuple(found), tuple(_columns(found)), ruleset) for k, found in kinds.items()]


def _columns(entries: Iterable[Character]) -> Iterator[RosterColumn]:
    yield from (RosterColumn(name, name, "first") for name in FIRST)
    rules = list({id(one.rules): one.rules for one in entries if one.rules is not None}.values())
    order = dict.fromkeys(str(id_) for each in rules for id_ in each.character)
    used = dict.fromkeys(id_ for one in entries for id_ in written_texts(one))
    for id_ in (*(i for i in order if i in used), *(i for i in used if i not in order)):
        if id_ not in FIRST:
            yield RosterColumn(id_.replace("_", " "), id_, "key")
    yield from computed_columns(rules)


def computed_columns(rules: Iterable[Ruleset]) -> Iterator[RosterColumn]:
    """Yield the columns of all computed values of several rules."""
    taken: set[str] = set()
    for kind, id_, label, group in dict.fromkeys(c for each in rules for c in _computed(each)):
        head = f"({label})" if label not in taken else f"({group}: {label})"
        taken.add(label)
        yield RosterColumn(head, id_, kind)


def _computed(rules: Ruleset) -> Iterator[tuple[str, str, str, str]]:
    """Yield kind, id, label and group of each computed column."""
    titles = index_of(rules).titles
    for group_id, group in rules.groups.items():
        for trait in group.traits:
            yield "total", str(trait), titles[str(trait)], group.label or str(group_id)
    for id_, derived in rules.derived.items():
        if label := derived.label or (derived.place and derived.use):  # others: only for formulas
            yield "derived", str(id_), label, "derived"
    for id_, pool in rules.pools.items():
        yield "left", str(id_), f"{pool.label} left", "pool"


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
    return found | {("left", p): str(ledger.left) for p, ledger in build.ledgers.items()}


def list_ledger_lines(build: Build, file: str) -> Iterator[tuple[str | int, ...]]:
    """Yield the rows of the ledgers of a build, under `LEDGER_HEADS`."""
    for ledger in build.ledgers.values():
        for line in ledger.lines:
            cells = (line.session, line.what, line.gained, line.cost, line.left)
            yield file, build.name, ledger.label, *cells


def export_csv(request: ExportRequest) -> ExportResult:
    """Return a roster for each kind of entries, and their ledgers."""
    stem = file_stem(str(request.rules.id))
    credit = f"{request.rules.credit.short} Licence: {request.rules.credit.licence}."
    files = {}
    for roster in list_rosters(request):
        heads = [column.head for column in roster.columns]
        rows = (roster.texts(one) for one in roster.entries)
        files[f"{stem}-{file_stem(roster.kind)}.csv"] = _format((heads, *rows), credit)
    lines = [
        tuple(map(str, row))
        for build, one in request.builds
        for row in list_ledger_lines(build, f"{file_stem(one.stem)}.yaml")
    ]
    if lines:
        files[f"{stem}-ledger.csv"] = _format((LEDGER_HEADS, *lines), credit)
    subjects = dict.fromkeys(files, request.names)
    return ExportResult(files, find_pictures("csv", request), subjects)


def _format(rows: Iterable[Iterable[str]], credit: str) -> bytes:
    return csv_text((map(guarded_cell, row) for row in rows), credit).encode()


def import_csv(request: ImportRequest) -> ImportResult:
    """Return a YAML file for each row of a roster, or the changes to a part of the ruleset."""
    read = read_sheet(request.path)
    if read.value is None:
        return ImportResult({}, read.findings)
    rows = read.value
    place = str(request.path)
    if part := find_part(request, request.path.stem):
        result = import_catalogue(request, rows, place, part)
    else:
        result = report_no_rows(import_rows(request, rows, place), place)
    return replace(result, findings=(*read.findings, *result.findings))


MOST_ROWS: Final = 1_000  # Rows of a file that are imported: each is checked as a character
MOST_COLUMNS: Final = 2_000
_FIRST_ROWS: Final = 15  # rows among which the heads are


@dataclass(slots=True)
class _RosterSheet:
    """A table that is imported: its heads, and what its rows become.

    Attributes:
        taken: Keys of the names of `texts`.
        same: Pairs of heads that the rules of a row read as one key.
        refused: Lines of rows with cells in both.
    """

    request: ImportRequest
    place: str
    heads: tuple[str, ...]
    cache: RulesetCache = field(default_factory=RulesetCache)
    rules: dict[str, Ruleset] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    same: set[tuple[str, str]] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    words: dict[str, Words] = field(default_factory=dict)

    def report(
        self, row: SheetRow, column: int, code: codes.Code, message: str, hint: str,
        severity: Severity = Severity.ERROR, rule: str = "",
    ) -> None:  # fmt: skip
        """Add a finding about a cell; `column` counts from 0."""
        message = f"row {row.line}, column `{self.heads[column]}`: {message}"
        span = Span(self.place, row.line, column + 1)
        self.findings.append(Finding(code, span, message, hint, severity, rule))

    def find_trait(self, rules: Ruleset, head: str) -> tuple[str, str] | None:
        """Return the key and the name of the trait whose ratings are in a column."""
        words, found = self._words(rules), self._words(rules).find(head)
        if head.startswith("(") or len(found) != 1 or found[0].sort != "trait":
            return None
        key = words.rated.get(words.group_of(found[0].id))
        return (key, index_of(rules).titles[found[0].id]) if key else None

    def find_label(self, rules: Ruleset, head: str) -> str:
        """Return the key that a head means by its label; the head if it is none."""
        found = [m.id for m in self._words(rules).find(head) if m.sort == "key"]
        return found[0] if len(found) == 1 and not head.startswith("(") else head

    def _words(self, rules: Ruleset) -> Words:
        if rules.digest not in self.words:
            plan = load_text_map(self.request.rules).value or TextMap()
            self.words[rules.digest] = Words(rules, plan, self.request.rules)
        return self.words[rules.digest]

    def load_rules(self, head: str) -> Ruleset:
        """Return the rules for a file that begins with the lines `head`."""
        if head not in self.rules:
            self.rules[head] = self.request.rules
            if (source := parse_yaml(f"{head}name: x\n", "").value) is not None:
                path = (self.request.into or Path()) / "x.yaml"
                entries = load_from_source(path, source, (), self.cache, self.request.options)
                rules = (entry.rules for entry in entries if entry.rules)
                self.rules[head] = next(rules, self.request.rules)
        return self.rules[head]


def import_rows(request: ImportRequest, rows: Sequence[SheetRow], place: str) -> ImportResult:
    """Return a YAML file for each of `rows` of a file or a sheet; the first row is the heads."""
    first = (n for n, row in enumerate(rows[:_FIRST_ROWS]) if "name" in map(folded, row.cells))
    rows = rows[next(first, 0) :]  # titles may be above the heads
    heads = rows[0].cells if rows else ()
    if "name" not in (head.strip().casefold() for head in heads):
        message = "the first row has no column `name`"
        hint = "write the keys of a character's file into the first row, such as `name`"
        return refused(codes.NOT_IMPORTED, place, message, hint)
    if len(rows) - 1 > MOST_ROWS or len(heads) > MOST_COLUMNS:
        message = f"it has {len(rows) - 1:,} rows and {len(heads):,} columns; "
        message += f"{MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns are read"
        return refused(codes.TOO_MUCH, place, message, "split it into several files")
    if sum(count_values(cell) for row in rows for cell in row.cells if cell) > MOST_VALUES:
        message = f"its cells have more than {MOST_VALUES:,} values"
        return refused(codes.TOO_MUCH, place, message, "split it into several files")
    meanings = [head.strip() if head.startswith("(") else folded(head) for head in heads]
    if twice := tuple(find_equal_columns(heads, Span(place, rows[0].line), meanings)):
        return ImportResult({}, twice)
    sheet = _RosterSheet(request, place, heads)
    for row in rows[1:]:
        _import_row(sheet, row)
    return ImportResult(sheet.texts, tuple(sheet.findings))


def report_no_rows(result: ImportResult, place: str) -> ImportResult:
    """Return a result, with a finding if nothing was read and nothing says so."""
    nothing = "it has no rows below the heads", "fill in a roster"
    said = result.texts or result.findings
    return result if said else refused(codes.NOT_IMPORTED, place, *nothing)


def _import_row(sheet: _RosterSheet, row: SheetRow) -> None:
    cells = zip(sheet.heads, row.cells, strict=False)
    named = {head.strip().casefold(): text.strip() for head, text in cells}
    lines: list[str] = []
    columns: dict[int, int] = {}
    for at, key, value in _row_keys(sheet, row):
        for part in f"{key}: {value}".split("\n"):
            lines.append(part)
            columns[len(lines)] = at
    if row.line in sheet.refused:
        return
    text = "\n".join(lines) + "\n"
    stem = portable_name(file_stem(named.get("file", "").removesuffix(".yaml")))
    stem = stem or portable_name(file_stem(named.get("name", ""))) or f"row-{row.line}"
    wanted, path = f"{stem}.yaml", free_name(stem, sheet.taken, ".yaml")
    if path != wanted:
        at = next((n for n, head in enumerate(sheet.heads) if head == "file"), 0)
        hint = "name another file in this row"
        found = taken_finding(Span(""), wanted, "a row above", path, hint)
        sheet.report(row, at, found.code, found.message, found.hint, found.severity)
    sheet.texts[path] = text
    sheet.taken.add(name_key(path))
    folder = sheet.request.into or Path()
    one = check_text(folder / path, text, sheet.cache, sheet.request.options)
    for found in one.findings:
        if found.span.file == str(folder / path):
            what = found.code, found.message, found.hint, found.severity, found.rule
            sheet.report(row, columns.get(found.span.line, 0), *what)
        else:
            sheet.findings.append(found)
    _compare_computed(sheet, row, one)


def _row_keys(sheet: _RosterSheet, row: SheetRow) -> Iterator[tuple[int, str, str]]:
    """Yield column, key and YAML of what an author would write."""
    cells = {
        head.strip(): (at, text)
        for at, (head, text) in enumerate(zip(sheet.heads, row.cells, strict=False))
        if text.strip()
    }
    request = sheet.request
    name = format_flow(find_ruleset_name(request.rules, request.into))
    cells.setdefault("ruleset", (0, name))
    if request.what in request.rules.kinds:
        cells.setdefault("kind", (0, request.what))
    head_yaml = ""
    for key in RULES_KEYS:
        at, text = cells.pop(key, (0, ""))
        if not text or (key == "kind" and text == "character"):
            continue
        yaml = _cell_yaml(sheet, row, at, text, is_text=key == "kind")
        head_yaml += f"{key}: {yaml}\n" if yaml else ""
        yield from ((at, key, yaml),) if yaml else ()
    rules = sheet.load_rules(head_yaml)
    keys, seen = index_of(rules).keys, {"file": ""}
    traits: dict[str, tuple[int, dict[str, str]]] = {}  # of columns of their own, by key
    for head, (at, text) in cells.items():
        ids = keys.find(head)
        id_ = ids[0] if len(ids) == 1 else head
        rated = None if ids else sheet.find_trait(rules, head)
        if rated is not None:
            id_ = ": ".join(rated)
        elif not ids:
            id_ = sheet.find_label(rules, head)
            ids = (id_,) if id_ != head else ()
        if id_ == "file" or head.startswith("("):
            continue
        if (first := seen.setdefault(id_, head)) != head:
            if (first, head) not in sheet.same:
                message = f"`{first}` and `{head}` are the same key; rows with both are left out"
                sheet.report(row, at, codes.BAD_ROW, message, "put the cells into one column")
            sheet.same.add((first, head))
            sheet.refused.add(row.line)
            continue
        if rated is not None:
            traits.setdefault(rated[0], (at, {}))[1][rated[1]] = text.strip()
            continue
        if not ids and id_ not in PICTURE_KEYS:
            hint = suggestion(head, [str(i).replace("_", " ") for i in rules.character], "keys")
            message = f"{rules.title} has no key `{head}`; the cell is not imported"
            sheet.report(row, at, codes.UNKNOWN_COLUMN, message, hint, Severity.WARNING)
            continue
        yaml = _cell_yaml(sheet, row, at, text, is_text=is_text_key(rules, id_))
        yield from ((at, id_.replace("_", " "), yaml),) if yaml else ()
    yield from _rating_keys(sheet, row, traits, seen)


def _rating_keys(
    sheet: _RosterSheet,
    row: SheetRow,
    traits: Mapping[str, tuple[int, dict[str, str]]],
    seen: Mapping[str, str],
) -> Iterator[tuple[int, str, str]]:
    """Yield the keys of the ratings that have columns of their own."""
    for key, (at, rated) in traits.items():
        if key in seen:
            message = f"`{seen[key]}` has ratings, too; these columns are not imported"
            sheet.report(row, at, codes.BAD_ROW, message, "put the ratings into one column")
        else:
            yield at, key.replace("_", " "), format_flow(rated)


def _cell_yaml(sheet: _RosterSheet, row: SheetRow, at: int, text: str, *, is_text: bool) -> str:
    """Return the YAML of a cell; empty, with a finding, if it cannot be read."""
    try:
        return parse_cell(text, is_text=is_text)
    except BadCell as why:
        hint = "write it as `one; two`, `one: 1; two: 2`, or YAML in brackets"
        sheet.report(row, at, codes.BAD_CELL, str(why), hint)
        return ""


def _compare_computed(sheet: _RosterSheet, row: SheetRow, one: Character) -> None:
    """Report the computed cells of a row that differ from what the rules give."""
    if one.rules is None or one.build is None:
        return
    texts = computed_texts(one)
    heads = {column.head: (column.kind, column.id) for column in computed_columns([one.rules])}
    differences = [
        (at, f"{head[1:-1]} {text} (by the rules {texts[heads[head]]})")
        for at, (head, text) in enumerate(zip(sheet.heads, row.cells, strict=False))
        if text.strip() and head in heads and texts.get(heads[head], text) != text
    ]
    if differences:
        listed = ", ".join(what for _, what in differences[:3])
        more = f" and {len(differences) - 3} more" if len(differences) > 3 else ""
        message = f"these computed cells are not imported: {listed}{more}"
        what = codes.COMPUTED_CELL, message, "change the columns without brackets"
        sheet.report(row, differences[0][0], *what, Severity.WARNING)
