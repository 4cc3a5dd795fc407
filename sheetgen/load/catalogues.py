"""Catalogues in spreadsheets: gear, choices and traits as rows, each cell under a key of its model.

A ruleset may have `gear: {rows: gear.csv}`; the import of spreadsheets reads the same rows.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, get_args, get_origin

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.files import decode_foreign, note_read, read_document
from sheetgen.load.rows import csv_cells, find_equal_columns, is_credit_row, unguarded_cell
from sheetgen.load.shapes import model_fields
from sheetgen.load.yaml.format import format_flow
from sheetgen.load.yaml.tree import parse_yaml, read_source, scalar
from sheetgen.model.build import parse_figure
from sheetgen.model.rulesets.traits import Choice, Item, Trait
from sheetgen.model.source import DiceCode, Formula, Many, Node, Pairs, Price, ScalarNode, Step
from sheetgen.records import frozen

Place = tuple[str, ...]  # the keys of a part of a ruleset, such as `choices`, `spells`, `entries`
ROWS: Final = "rows"  # the key that names a file of rows, in place of entries
HEADS: Final = "heads"  # beside it: keys by the heads of columns that are called otherwise
MOST_BYTES: Final = 4_000_000
MOST_ROWS: Final = 5_000
_MOST_COLUMNS: Final = 200
_FIRST_ROWS: Final = 15  # rows among which the heads are
_MAPPINGS: Final = ("numbers", "facts")
_OTHERS: Final = {
    "id": ("key",),
    "name": ("item", "title", "entry", "thing"),
    "cost": ("price", "costs"),
    "text": ("description", "effect", "summary", "details", "desc"),
    "special": ("notes", "note", "properties", "remarks"),
    "tags": ("type", "category", "tag", "group"),
    "aliases": ("also called", "alias"),
    "short": ("abbreviation", "abbr"),
}
"""What spreadsheets call the keys of all catalogues."""

_AMOUNT: Final = re.compile(
    r"(?P<before>(?![dDwW]\d)[^\W\d]{0,4}[$€£¥₹]?)"
    r"\s?(?P<figure>[+-]?[\d][\d.,' \u00a0\u202f’]{0,20}|[½¼¾])"
    r"\s?(?P<unit>(?![dDwW]$)[^\W\d_][^\d;:()+*/×-]{0,15}|[%°'\"′″$€£¥₹])?"
)
"""A number with its unit; `1D`, `d6` and `5+` are none."""

_YES: Final = ("yes", "y", "true", "x", "1", "✓", "✔")
_NO: Final = ("no", "n", "false", "0", "✗", "✘")
ENTRY_ID: Final = re.compile(r"[a-z][a-z0-9_]*")
_GROUPED: Final = re.compile(r"\d{1,3}(?:([,.' ])\d{3})(?:\1\d{3}){0,5}")
_NOTHING: Final = ("", "-", "–", "—", "n/a", "na", "none")


@frozen
class SheetRow:
    """A row of a spreadsheet: its line, from 1, and its texts."""

    line: int
    cells: tuple[str, ...]


@frozen
class CatalogueEntry:
    """An entry: the YAML of its keys, and the columns that these are from.

    Attributes:
        values: The YAML of a value by its path, such as `cost` or `numbers.weight`.
        columns: Columns by path, from 1.
        texts: The texts of all its cells by path, empty ones too.
    """

    id: str
    line: int
    values: Mapping[str, str]
    columns: Mapping[str, int]
    texts: Mapping[str, str] = field(default_factory=dict)


@frozen
class Catalogued:
    """The entries of a spreadsheet, and which key each of its heads means."""

    entries: tuple[CatalogueEntry, ...]
    matched: Mapping[str, str] = field(default_factory=dict)


def model_of(path: Sequence[str]) -> Any:
    """Return the model of the entries at a place of a ruleset; None for other places."""
    match list(path):
        case ["gear"]:
            return Item
        case ["choices", _, "entries"]:
            return Choice
        case ["groups", _, "traits"]:
            return Trait
        case ["kinds", _, *below]:
            return model_of(below)
    return None


def read_sheet(path: Path) -> Checked[tuple[SheetRow, ...]]:
    """Return the rows of the CSV file at `path`, in whatever encoding, with content."""
    note_read(path)
    read = read_document(path, MOST_BYTES)
    if read.value is None:
        return Checked(None, read.findings)
    text, findings = decode_foreign(read.value, Span(str(path)))
    try:
        return Checked(tuple(split_rows(text)), tuple(findings))
    except csv.Error as error:
        hint = "save it again as CSV with commas and double quotes"
        message = f"this is no CSV file: {error}"
        return Checked(None, (Finding(codes.NOT_IMPORTED, Span(str(path)), message, hint),))


def split_rows(text: str) -> Iterator[SheetRow]:
    """Yield the rows of a CSV file that have content."""
    reader, line = csv_cells(io.StringIO(text, newline=""), strict=False), 1
    for cells in reader:
        if any(cell.strip() for cell in cells) and not is_credit_row(cells):
            yield SheetRow(line, tuple(map(unguarded_cell, cells)))
        line = reader.line_num + 1


def read_entries(
    rows: Sequence[SheetRow],
    place: str,
    model: Any,
    names: Mapping[str, Iterable[str]],
    numbers: Iterable[str] = (),
    findings: list[Finding] | None = None,
) -> Catalogued:
    """Return the entries of a spreadsheet.

    Args:
        names: Further heads by key.
        numbers: The numbers that the ruleset's things have.
        findings: Receives what is wrong, and a note about what was matched.
    """
    found = [] if findings is None else findings
    heads = _Heads(model, names, numbers)
    at = heads.find_row(rows[:_FIRST_ROWS])
    if at < 0 or len(rows) > MOST_ROWS or len(rows[at].cells) > _MOST_COLUMNS:
        message = "no row has a head for names, such as `name`"
        hint = "write the keys above the columns: `name`, `cost`, `text`"
        code = codes.NOT_IMPORTED
        if at >= 0:
            code, hint = codes.TOO_MUCH, "split it into several files"
            message = f"it has {len(rows):,} rows; {MOST_ROWS:,} rows and {_MOST_COLUMNS} columns "
            message += "are read"
        found.append(Finding(code, Span(place), message, hint))
        return Catalogued(())
    sheet = _Sheet(place, heads, rows[at], found)
    if sheet.is_torn():
        return Catalogued(())
    for row in rows[:at]:
        sheet.note_title(row)
    entries = tuple(filter(None, (sheet.entry(row) for row in rows[at + 1 :])))
    sheet.report_heads()
    return Catalogued(entries, sheet.matched)


class _Heads:
    """The keys that heads may mean."""

    def __init__(
        self, model: Any, names: Mapping[str, Iterable[str]], numbers: Iterable[str]
    ) -> None:
        self.fields = model_fields(model)
        self.known = {"id": "id", **{_plain(key): key for key in self.fields}}
        below = {_plain(name): f"numbers.{name}" for name in numbers if "numbers" in self.fields}
        self.known = below | self.known
        for key, others in (*_OTHERS.items(), *names.items()):
            path = key if key in self.fields or key == "id" else below.get(_plain(key), key)
            if path.partition(".")[0] in (*self.fields, "id"):
                for name in others:
                    self.known.setdefault(_plain(name), path)

    def find(self, head: str) -> str:
        """Return the path of a head; "" for none."""
        first, _, rest = head.strip().partition(".")
        if rest and first in self.fields:
            return head.strip()
        plain = _plain(head)
        bare = _plain(re.sub(r"\([^()]{0,30}\)|\[[^\]]{0,30}\]", "", head))
        found = self.known.get(plain) or self.known.get(bare)
        one = bare.removesuffix("s")
        return found or self.known.get(one) or self.known.get(f"{one}s") or ""

    def find_row(self, rows: Sequence[SheetRow]) -> int:
        """Return which row names the columns; -1 for none."""
        scores = []
        for row in rows:
            paths = [self.find(cell) for cell in row.cells if cell.strip()]
            scores.append(sum(map(bool, paths)) if "name" in paths and len(paths) > 1 else 0)
        return scores.index(max(scores)) if any(scores) else -1


@frozen
class _Sheet:
    """A spreadsheet whose heads are known."""

    place: str
    heads: _Heads
    row: SheetRow
    findings: list[Finding]
    matched: dict[str, str] = field(default_factory=dict)
    lacking: list[str] = field(default_factory=list)
    units: dict[int, str] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)

    def is_torn(self) -> bool:
        """Whether two heads mean one key; notes what each means."""
        paths = [self.heads.find(head) for head in self.row.cells]
        for head, path in zip(self.row.cells, paths, strict=True):
            if path:
                self.matched[head] = path
            elif head.strip():
                self.lacking.append(head)
        span = Span(self.place, self.row.line)
        twice = list(find_equal_columns(self.row.cells, span, paths))
        self.findings.extend(twice)
        return bool(twice)

    def report(
        self, row: SheetRow, at: int, message: str, hint: str, severity: Severity = Severity.WARNING
    ) -> None:
        """Add a finding about a cell; `at` counts from 0."""
        span = Span(self.place, row.line, at + 1)
        self.findings.append(Finding(codes.BAD_CELL, span, message, hint, severity))

    def note_title(self, row: SheetRow) -> None:
        """Report a row above the heads, or one between the rows, that is only a title."""
        text = next(cell.strip() for cell in row.cells if cell.strip())
        message = f"`{text[:60]}` is taken for a title, and not imported"
        self.report(row, 0, message, "", Severity.NOTE)

    def report_heads(self) -> None:
        """Report which key each head means, and which means none."""
        said = ", ".join(f"`{head}` is {path}" for head, path in self.matched.items())
        span = Span(self.place, self.row.line)
        if any(_plain(head) != _plain(path) for head, path in self.matched.items()):
            note = Finding(codes.UNKNOWN_COLUMN, span, said, "", Severity.NOTE)
            self.findings.append(note)
        for head in self.lacking:
            at = self.row.cells.index(head) + 1
            message = f"no key is called `{head}`; the column is not imported"
            hint = suggestion(head, self.heads.fields, "keys")
            found = replace(span, column=at)
            self.findings.append(
                Finding(codes.UNKNOWN_COLUMN, found, message, hint, Severity.WARNING)
            )

    def entry(self, row: SheetRow) -> CatalogueEntry | None:
        """Return the entry of a row; None for a title or the heads again."""
        cells = {self.heads.find(h): (at, c) for at, (h, c) in enumerate(self._cells(row))}
        cells = {path: (at, c) for path, (at, c) in cells.items() if path and c.strip()}
        if tuple(map(_plain, row.cells)) == tuple(map(_plain, self.row.cells)):
            return None
        filled = [cell for cell in row.cells if cell.strip()]
        if len(filled) == 1 and len(self.matched) > 2:
            self.note_title(row)
            return None
        if "name" not in cells:
            message = f"this row has no name: {'; '.join(filled)[:80]}"
            self.report(row, 0, message, "write a name", Severity.ERROR)
            return None
        at, name = cells["name"]
        id_at, own_id = cells.pop("id", (0, ""))
        id_ = own_id.strip() or make_entry_id(name)
        if not ENTRY_ID.fullmatch(id_):
            message = f"`{id_[:40]}` is no id: use lower-case letters, digits and `_`"
            self.report(row, id_at, message, f"write `{make_entry_id(id_)}`", Severity.ERROR)
            return None
        if id_ in self.ids:
            message = f"`{id_}` is in a row above already"
            self.report(row, at, message, "rename one, or give it an `id`", Severity.ERROR)
            return None
        self.ids.add(id_)
        if len(row.cells) > len(self.row.cells) and any(row.cells[len(self.row.cells) :]):
            message = "this row has more cells than there are heads; the last are not imported"
            self.report(row, len(self.row.cells), message, "put cells with a comma in quotes")
        values, columns = {}, {}
        for path, (at, text) in cells.items():
            if yaml := self._yaml(row, at, path, text.replace("\r\n", "\n").strip()):
                values[path], columns[path] = yaml, at + 1
        texts = {self.heads.find(head): cell for head, cell in self._cells(row)}
        return CatalogueEntry(id_, row.line, values, columns, texts)

    def _cells(self, row: SheetRow) -> Iterator[tuple[str, str]]:
        yield from zip(self.row.cells, row.cells, strict=False)

    def _yaml(self, row: SheetRow, at: int, path: str, text: str) -> str:
        """Return the YAML of a cell; "" with a finding if it is none."""
        key, _, rest = path.partition(".")
        spec = self.heads.fields[key]
        kinds = {spec.kind, *get_args(spec.kind)}
        kinds |= {inner for kind in kinds for inner in get_args(kind)}
        if key == "tags" and not text.startswith("["):
            return format_flow(
                [_joined_words(part) for part in re.split(r"[,;/|\n]", text) if part.strip()]
            )
        listed = get_origin(spec.kind) in (tuple, Mapping) or any(map(is_dataclass, kinds))
        if text.startswith(("[", "{", '"')) and listed and not rest:
            parsed = parse_yaml(f"key: {text}\n", "").value
            if parsed is None:
                self.report(row, at, "its brackets or quotes are not closed", "close them")
                return ""
            return text
        if get_origin(spec.kind) is tuple:
            return format_flow([p.strip() for p in re.split(r"[,;\n]", text) if p.strip()])
        if bool in kinds:
            if text.lower() not in (*_YES, *_NO, *_NOTHING):
                self.report(row, at, f"`{text[:40]}` is neither yes nor no", "write yes or no")
                return ""
            return "true" if text.lower() in _YES else "false"
        if {int, Price, Step} & kinds or (rest and key == "numbers" and Formula in kinds):
            if key == "numbers" and not any(letter.isnumeric() for letter in text):
                return format_flow(text)
            return self._amount(row, at, text, is_integer=key != "numbers")
        if key in _MAPPINGS and not rest:
            pairs = [part.partition(":") for part in re.split(r"[;\n]", text) if part.strip()]
            if not all(sign for _, sign, _ in pairs):
                self.report(row, at, f"`{text[:40]}` has no names", "write `one: 1; two: 2`")
                return ""
            return format_flow({name.strip(): value.strip() for name, _, value in pairs})
        if DiceCode in kinds and not isinstance(scalar(text or "x"), int):
            return format_flow("".join(text.split()).replace("d", "D"))
        return format_flow(text)

    def _amount(self, row: SheetRow, at: int, text: str, *, is_integer: bool) -> str:
        """Return a number without its unit; what may be two numbers is a finding."""
        if text.lower() in _NOTHING:
            return ""
        if not is_integer and parse_figure(text) is not None and "." not in text:
            return format_flow(text) if not text.isdecimal() else text
        found = _AMOUNT.fullmatch(text)
        figure = found["figure"].strip() if found else ""
        unit = ((found["before"] or "").strip() + (found["unit"] or "").strip()) if found else ""
        value = plain_figure(figure, is_integer=is_integer)
        if value is None:
            hint = "write digits only, such as 1000, without a sign between thousands"
            self.report(row, at, f"`{text[:40]}` is not one number", hint)
            return ""
        there = self.units.setdefault(at, unit) if unit else ""
        if unit and not there:
            self.units[at] = unit
        if unit and there and unit != there:
            message = f"`{text[:40]}` has another unit than `{there}` above; it is not imported"
            self.report(row, at, message, f"write it in {there}")
            return ""
        return value


def plain_figure(text: str, *, is_integer: bool) -> str | None:
    """Return a number as YAML has it; None if it is none, or may be two.

    `1,000` is a thousand where whole numbers are meant; elsewhere it may be one.
    """
    sign, text = (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)
    text = text.replace("\u00a0", " ").replace("\u202f", " ").replace("’", "'").strip()
    sign = "-" if sign == "-" else ""
    if re.fullmatch(r"\d{1,12}", text) or text in ("½", "¼", "¾"):
        return f"{sign}{text}"
    if (grouped := _GROUPED.fullmatch(text)) and (
        is_integer or grouped[1] in " '" or text.count(grouped[1]) > 1
    ):
        return f"{sign}{re.sub(r'[^0-9]', '', text)}"
    if re.fullmatch(r"\d{1,9}[.,]0{1,2}", text) and is_integer:
        return f"{sign}{re.split('[.,]', text)[0]}"
    if not is_integer and re.fullmatch(r"\d{1,9}[.,](\d{1,2}|\d{4})", text):
        return f"{sign}{Fraction(text.replace(',', '.'))}"
    return None


def make_entry_id(name: str) -> str:
    """Return the id of an entry that is known by its name."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    letters = "".join(f"{ord(sign):x}" for sign in name.strip()[:12])  # of other scripts
    id_ = _joined_words(plain if re.search(r"[A-Za-z0-9]", plain) else letters)
    return id_ if id_[0].isalpha() else f"x_{id_}"


def _joined_words(name: str) -> str:
    words = re.findall(r"[^\W_]+", re.sub(r"['’`]", "", name).casefold())
    return "_".join(words) or "x"


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", name.casefold()))


# Rows in place of entries, in a ruleset --------------------------------------------------------


def expand_rows(
    root: Pairs,
    folder: Path,
    findings: list[Finding],
    digests: list[str],
    above: tuple[str, ...] = (),
) -> Pairs:
    """Return a ruleset's tree with the entries of the files that `rows` names."""
    entries = []
    for key, node in root.entries:
        path = (*above, key.raw)
        if isinstance(node, Pairs) and len(path) < 6:
            model, name = model_of(path), node.get(ROWS)
            if model is not None and isinstance(name, ScalarNode):
                node = _expand(node, name, model, folder, findings, digests)
            elif model is None:
                node = expand_rows(node, folder, findings, digests, path)
        entries.append((key, node))
    return Pairs(root.span, tuple(entries))


def _expand(
    node: Pairs,
    name: ScalarNode,
    model: Any,
    folder: Path,
    findings: list[Finding],
    digests: list[str],
) -> Pairs:
    path = folder / name.raw
    real, top = path.resolve(), folder.resolve()
    if not name.raw.lower().endswith(".csv") or not real.is_relative_to(top):
        message = f"`{name.raw}` is no CSV file in the ruleset's folder"
        hint = "save it as CSV beside the ruleset's files"
        findings.append(Finding(codes.UNREADABLE, name.span, message, hint))
        return Pairs(node.span, tuple(e for e in node.entries if e[0].raw not in (ROWS, HEADS)))
    read = read_sheet(path)
    findings += [f for f in read.findings if f.severity is not Severity.NOTE]
    digests += [name.raw, repr(read.value)]
    given = node.get(HEADS)
    pairs = given.entries if isinstance(given, Pairs) else ()
    names: dict[str, list[str]] = {}
    for head, target in pairs:
        names.setdefault(target.raw if isinstance(target, ScalarNode) else "", []).append(head.raw)
    own = [e for e in node.entries if e[0].raw not in (ROWS, HEADS)]
    if read.value is None:
        return Pairs(node.span, tuple(own))
    found: list[Finding] = []
    listed = read_entries(read.value, str(path), model, names, (), found)
    findings += [one for one in found if one.severity is not Severity.NOTE]
    there = {key.raw for key, _ in own}
    for entry in listed.entries:
        span = Span(str(path), entry.line)
        if entry.id in there:
            message = f"`{entry.id}` is in {Path(node.span.file).name} too"
            findings.append(Finding(codes.REPEATED_KEY, span, message, "keep one of the two"))
            continue
        own.append((ScalarNode(span, entry.id, entry.id), entry_node(entry, str(path))))
    return Pairs(node.span, tuple(own))


def entry_node(entry: CatalogueEntry, file: str) -> Pairs:
    """Return an entry as a tree whose values are at their cells."""
    below: dict[str, list[tuple[ScalarNode, Node]]] = {}
    for path, yaml in entry.values.items():
        key, _, rest = path.partition(".")
        span = Span(file, entry.line, entry.columns[path])
        parsed = parse_yaml(f"k: {yaml}\n", file).value
        root = parsed.root if parsed is not None else None
        if isinstance(root, Pairs):
            value = _moved(root.entries[0][1], span)
            name = rest or key
            below.setdefault(key if rest else "", []).append((ScalarNode(span, name, name), value))
    top = below.pop("", [])
    span = Span(file, entry.line)
    for key, pairs in below.items():
        top.append((ScalarNode(span, key, key), Pairs(span, tuple(pairs))))
    return Pairs(span, tuple(top))


def _moved(node: Node, span: Span) -> Node:
    """Return a value with all its parts at one place."""
    if isinstance(node, Pairs):
        return Pairs(span, tuple((replace(k, span=span), _moved(v, span)) for k, v in node.entries))
    if isinstance(node, Many):
        return Many(span, tuple(_moved(item, span) for item in node.items))
    return replace(node, span=span)


@frozen
class WrittenEntry:
    """An entry in a file of a ruleset."""

    path: Path
    node: Pairs


def find_entries(folders: Iterable[Path], place: Place) -> dict[str, WrittenEntry]:
    """Return the entries of a part, with the files that have them."""
    found: dict[str, WrittenEntry] = {}
    for folder, path in ((f, path) for f in folders for path in sorted(f.glob("*.yaml"))):
        read = read_source(path)
        node: Node | None = read.value.root if read.value is not None else None
        node = expand_rows(node, folder, [], []) if isinstance(node, Pairs) else None
        for name in place:
            node = node.get(name) if isinstance(node, Pairs) else None
        for key, entry in node.entries if isinstance(node, Pairs) else ():
            if isinstance(entry, Pairs):
                found[key.raw] = WrittenEntry(Path(entry.span.file), entry)
    return found
