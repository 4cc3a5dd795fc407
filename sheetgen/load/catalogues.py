"""Catalogues in spreadsheets: gear, choices and traits as rows, each cell under a key of its model.

A ruleset may have `gear: {rows: gear.csv}`; the import of spreadsheets reads the same rows.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
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
from sheetgen.model.source import DiceCode, Formula, Node, Pairs, Price, ScalarNode, Step, move_node
from sheetgen.records import frozen

Place = tuple[str, ...]  # the keys of a part of a ruleset, such as `choices`, `spells`, `entries`
ROWS: Final = "rows"  # the key that names a file of rows, in place of entries
HEADS: Final = "heads"  # beside it: keys by the heads of columns that are called otherwise
MOST_BYTES: Final = 4_000_000
MOST_ROWS: Final = 5_000
_MOST_COLUMNS: Final = 200
FIRST_ROWS: Final = 15  # rows among which the heads are
MAPPINGS: Final = ("numbers", "facts")  # mappings with a column for each name
# What spreadsheets call the keys of all catalogues.
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
# A number with its unit; `1D`, `d6` and `5+` are none.
_AMOUNT: Final = re.compile(
    r"(?P<before>(?![dDwW]\d)[^\W\d]{0,4}[$€£¥₹]?)"
    r"\s?(?P<figure>[+-]?[\d][\d.,' \u00a0\u202f’]{0,20}|[½¼¾])"
    r"\s?(?P<unit>(?![dDwW]$)[^\W\d_][^\d;:()+*/×-]{0,15}|[%°'\"′″$€£¥₹])?"
)
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
    """An entry: the YAML of its keys, and the columns that these are from."""

    id: str
    line: int
    values: dict[str, str]  # The YAML of a value by its path, such as `cost` or `numbers.weight`.
    columns: Mapping[str, int]  # Columns by path, from 1.
    texts: Mapping[str, str]  # The texts of all its cells by path, empty ones too.


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
    rows, line = [], 1
    try:
        reader = csv_cells(io.StringIO(text, newline=""), strict=False)
        for cells in reader:
            if any(cell.strip() for cell in cells) and not is_credit_row(cells):
                rows.append(SheetRow(line, tuple(map(unguarded_cell, cells))))
            line = reader.line_num + 1
    except csv.Error as error:
        hint = "save it again as CSV with commas and double quotes"
        message = f"this is no CSV file: {error}"
        return Checked(None, (Finding(codes.NOT_IMPORTED, Span(str(path)), message, hint),))
    return Checked(tuple(rows), tuple(findings))


class CatalogueReader:
    """Reads the entries of a spreadsheet.

    Attributes:
        findings: Receives what is wrong, and a note about what was matched.
        heads, paths: The row of heads, and the path that each means; "" for none.
        units: The unit of a column's numbers, which all of them have.
    """

    def __init__(
        self,
        place: str,
        model: Any,
        names: Mapping[str, Iterable[str]],
        numbers: Iterable[str],
        findings: list[Finding],
    ) -> None:
        """Find what heads may mean by a model, further `names` by key and the rules' `numbers`."""
        self.place, self.findings, self.fields = place, findings, model_fields(model)
        below = {_plain(name): f"numbers.{name}" for name in numbers if "numbers" in self.fields}
        self.known = {**below, "id": "id", **{_plain(key): key for key in self.fields}}
        for key, others in (*_OTHERS.items(), *names.items()):
            path = key if key in self.fields or key == "id" else below.get(_plain(key), key)
            if path.partition(".")[0] in (*self.fields, "id"):
                for name in others:
                    self.known.setdefault(_plain(name), path)
        self.heads: tuple[str, ...] = ()
        self.paths: list[str] = []
        self.units: dict[int, str] = {}
        self.ids: set[str] = set()

    def read(self, rows: Sequence[SheetRow]) -> list[CatalogueEntry]:
        """Return the entries in some rows, of which one has the heads."""
        findings, scores = self.findings, []
        for row in rows[:FIRST_ROWS]:
            paths = self._find_paths(row.cells)
            scores.append(sum(map(bool, paths)) if "name" in paths and any(row.cells[1:]) else 0)
        if not any(scores):
            message = "no row has a head for names, such as `name`"
            hint = "write the keys above the columns: `name`, `cost`, `text`"
            findings.append(Finding(codes.NOT_IMPORTED, Span(self.place), message, hint))
            return []
        at = scores.index(max(scores))
        heads, span = rows[at].cells, Span(self.place, rows[at].line)
        if len(rows) > MOST_ROWS or len(heads) > _MOST_COLUMNS:
            message = f"it has {len(rows):,} rows; {MOST_ROWS:,} rows and {_MOST_COLUMNS} columns "
            hint = "split it into several files"
            findings.append(Finding(codes.TOO_MUCH, Span(self.place), f"{message}are read", hint))
            return []
        self.heads, self.paths = heads, self._find_paths(heads)
        if twice := [*find_equal_columns(heads, span, self.paths)]:
            findings += twice
            return []
        for row in rows[:at]:
            self._note_title(row)
        entries = [one for row in rows[at + 1 :] if (one := self._entry(row)) is not None]
        matched = {head: path for head, path in zip(heads, self.paths, strict=True) if path}
        if any(_plain(head) != _plain(path) for head, path in matched.items()):
            said = ", ".join(f"`{head}` is {path}" for head, path in matched.items())
            findings.append(Finding(codes.UNKNOWN_COLUMN, span, said, "", Severity.NOTE))
        for head in (head for head in heads if head.strip() and head not in matched):
            message = f"no key is called `{head}`; the column is not imported"
            hint = suggestion(head, self.fields, "keys")
            found = replace(span, column=heads.index(head) + 1)
            findings.append(Finding(codes.UNKNOWN_COLUMN, found, message, hint, Severity.WARNING))
        return entries

    def _find_paths(self, heads: Sequence[str]) -> list[str]:
        """Return the paths of heads; the first that says what the entries are has their names."""
        paths = [self._find(head) for head in heads]
        if "name" not in paths and any(paths) and heads[0].strip() and not paths[0]:
            paths[0] = "name"
        own = [key for key, one in self.fields.items() if get_origin(one.kind) is not Mapping]
        for at, head in enumerate(heads):  # what only this game has are facts
            if "facts" in self.fields and "name" in paths and head.strip() and not paths[at]:
                near = suggestion(head, own, "keys").startswith("did you mean")
                paths[at] = "" if near else f"facts.{head.strip()}"
        return paths

    def _find(self, head: str) -> str:
        """Return the path of a head; "" for none."""
        first, _, rest = head.strip().partition(".")
        if rest and first in self.fields:
            return head.strip()
        bare = _plain(re.sub(r"\([^()]{0,30}\)|\[[^\]]{0,30}\]", "", head))
        one = bare.removesuffix("s")
        forms = (self.known.get(form) for form in (_plain(head), bare, one, f"{one}s"))
        path = next(filter(None, forms), "")
        whole = get_origin(self.fields[path].kind) is Mapping if path in self.fields else False
        return path if not whole or _plain(head) == _plain(path) else ""

    def _report(
        self, row: SheetRow, at: int, message: str, hint: str, severity: Severity = Severity.WARNING
    ) -> None:
        """Add a finding about a cell; `at` counts from 0."""
        span = Span(self.place, row.line, at + 1)
        self.findings.append(Finding(codes.BAD_CELL, span, message, hint, severity))

    def _note_title(self, row: SheetRow) -> None:
        """Report a row above the heads, or one between the rows, that is only a title."""
        text = next(cell.strip() for cell in row.cells if cell.strip())
        message = f"`{text[:60]}` is taken for a title, and not imported"
        self._report(row, 0, message, "", Severity.NOTE)

    def _entry(self, row: SheetRow) -> CatalogueEntry | None:
        """Return the entry of a row; None for a title or the heads again."""
        if tuple(map(_plain, row.cells)) == tuple(map(_plain, self.heads)):
            return None
        filled = [cell for cell in row.cells if cell.strip()]
        if len(filled) == 1 and sum(map(bool, self.paths)) > 2:
            self._note_title(row)
            return None
        texts = dict(zip(self.paths, row.cells, strict=False))
        cells = {p: (self.paths.index(p), c) for p, c in texts.items() if p and c.strip()}
        if "name" not in cells:
            message = f"this row has no name: {'; '.join(filled)[:80]}"
            self._report(row, 0, message, "write a name", Severity.ERROR)
            return None
        at, name = cells["name"]
        id_at, own_id = cells.pop("id", (0, ""))
        id_ = own_id.strip() or make_entry_id(name)
        if not ENTRY_ID.fullmatch(id_):
            message = f"`{id_[:40]}` is no id: use lower-case letters, digits and `_`"
            self._report(row, id_at, message, f"write `{make_entry_id(id_)}`", Severity.ERROR)
            return None
        if id_ in self.ids:
            message = f"`{id_}` is in a row above already"
            self._report(row, at, message, "rename one, or give it an `id`", Severity.ERROR)
            return None
        self.ids.add(id_)
        if any(row.cells[len(self.heads) :]):
            message = "this row has more cells than there are heads; the last are not imported"
            self._report(row, len(self.heads), message, "put cells with a comma in quotes")
        values = {}
        for path, (at, text) in cells.items():
            if yaml := self._yaml(row, at, path, text.replace("\r\n", "\n").strip()):
                values[path] = yaml
        return CatalogueEntry(id_, row.line, values, {p: cells[p][0] + 1 for p in values}, texts)

    def _yaml(self, row: SheetRow, at: int, path: str, text: str) -> str:
        """Return the YAML of a cell; "" with a finding if it is none."""
        key, _, rest = path.partition(".")
        kind = self.fields[key].kind
        kinds = {kind, *get_args(kind)}
        kinds |= {inner for one in kinds for inner in get_args(one)}
        if key == "tags" and not text.startswith("["):
            tags = (part for part in re.split(r"[,;/|\n]", text) if part.strip())
            return format_flow([_joined_words(tag) for tag in tags])
        listed = get_origin(kind) in (tuple, Mapping) or any(map(is_dataclass, kinds))
        if text.startswith(("[", "{", '"')) and listed and not rest:
            if parse_yaml(f"key: {text}\n", "").value is not None:
                return text
            self._report(row, at, "its brackets or quotes are not closed", "close them")
        elif get_origin(kind) is tuple:
            return format_flow([p.strip() for p in re.split(r"[,;\n]", text) if p.strip()])
        elif bool in kinds:
            if text.lower() in (*_YES, *_NO, *_NOTHING):
                return "true" if text.lower() in _YES else "false"
            self._report(row, at, f"`{text[:40]}` is neither yes nor no", "write yes or no")
        elif {int, Price, Step} & kinds or (rest and key == "numbers" and Formula in kinds):
            if key == "numbers" and not any(letter.isnumeric() for letter in text):
                return format_flow(text)
            is_integer = key != "numbers"
            if text.lower() in _NOTHING:
                return ""
            if not is_integer and parse_figure(text) is not None and "." not in text:
                return text if text.isdecimal() else format_flow(text)
            found = _AMOUNT.fullmatch(text)
            value = plain_figure(found["figure"].strip(), is_integer=is_integer) if found else None
            if found is None or value is None:
                hint = "write digits only, such as 1000, without a sign between thousands"
                self._report(row, at, f"`{text[:40]}` is not one number", hint)
                return ""
            unit = found["before"].strip() + (found["unit"] or "").strip()
            if unit and unit != (first := self.units.setdefault(at, unit)):
                message = f"`{text[:40]}` has another unit than `{first}` above; it is not imported"
                self._report(row, at, message, f"write it in {first}")
                return ""
            return value
        elif key in MAPPINGS and not rest:
            pairs = [part.partition(":") for part in re.split(r"[;\n]", text) if part.strip()]
            if all(sign for _, sign, _ in pairs):
                return format_flow({name.strip(): value.strip() for name, _, value in pairs})
            self._report(row, at, f"`{text[:40]}` has no names", "write `one: 1; two: 2`")
        elif DiceCode in kinds and not isinstance(scalar(text or "x"), int):
            return format_flow("".join(text.split()).replace("d", "D"))
        else:
            return format_flow(text)
        return ""


def plain_figure(text: str, *, is_integer: bool) -> str | None:
    """Return a number as YAML has it, `1,000` as a thousand if whole; None for none or two."""
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
    root: Pairs, folder: Path, findings: list[Finding], digests: list[str], above: Place = ()
) -> Pairs:
    """Return a ruleset's tree with the entries of the files that `rows` names."""
    entries = []
    for key, node in root.entries:
        path = (*above, key.raw)
        if isinstance(node, Pairs) and len(path) < 6:
            model, name = model_of(path), node.get(ROWS)
            if model is None:
                node = expand_rows(node, folder, findings, digests, path)
            elif isinstance(name, ScalarNode):
                node = _read_rows(node, name, model, folder, findings, digests)
        entries.append((key, node))
    return Pairs(root.span, tuple(entries))


def _read_rows(
    node: Pairs,
    name: ScalarNode,
    model: Any,
    folder: Path,
    findings: list[Finding],
    digests: list[str],
) -> Pairs:
    """Return a part of a ruleset with the entries of the file that it names."""
    path, own = folder / name.raw, [e for e in node.entries if e[0].raw not in (ROWS, HEADS)]
    if not name.raw.lower().endswith(".csv") or not path.resolve().is_relative_to(folder.resolve()):
        message = f"`{name.raw}` is no CSV file in the ruleset's folder"
        hint = "save it as CSV beside the ruleset's files"
        findings.append(Finding(codes.UNREADABLE, name.span, message, hint))
        return Pairs(node.span, tuple(own))
    read = read_sheet(path)
    digests += [name.raw, repr(read.value)]
    given, names = node.get(HEADS), dict[str, list[str]]()
    for head, target in given.entries if isinstance(given, Pairs) else ():
        names.setdefault(getattr(target, "raw", ""), []).append(head.raw)
    found = [*read.findings]
    reader, there = CatalogueReader(str(path), model, names, (), found), {key.raw for key, _ in own}
    for entry in reader.read(read.value) if read.value is not None else ():
        span = Span(str(path), entry.line)
        if entry.id in there:
            message = f"`{entry.id}` is in {Path(node.span.file).name} too"
            found.append(Finding(codes.REPEATED_KEY, span, message, "keep one of the two"))
        else:
            own.append((ScalarNode(span, entry.id, entry.id), entry_node(entry, str(path))))
    findings += [one for one in found if one.severity is not Severity.NOTE]
    return Pairs(node.span, tuple(own))


def entry_node(entry: CatalogueEntry, file: str) -> Pairs:
    """Return an entry as a tree whose values are at their cells."""
    below: dict[str, list[tuple[ScalarNode, Node]]] = {}
    for path, yaml in entry.values.items():
        key, _, rest = path.partition(".")
        span = Span(file, entry.line, entry.columns[path])
        parsed = parse_yaml(f"k: {yaml}\n", file).value
        if parsed is not None and isinstance(parsed.root, Pairs):
            value = move_node(parsed.root.entries[0][1], span)
            name = rest or key
            below.setdefault(key if rest else "", []).append((ScalarNode(span, name, name), value))
    top, span = below.pop("", []), Span(file, entry.line)
    for key, pairs in below.items():
        top.append((ScalarNode(span, key, key), Pairs(span, tuple(pairs))))
    return Pairs(span, tuple(top))


def find_entries(folders: Iterable[Path], place: Place) -> dict[str, Pairs]:
    """Return the entries of a part in the files of some folders."""
    found: dict[str, Pairs] = {}
    for folder, path in ((f, path) for f in folders for path in sorted(f.glob("*.yaml"))):
        read = read_source(path)
        node: Node | None = read.value.root if read.value is not None else None
        node = expand_rows(node, folder, [], []) if isinstance(node, Pairs) else None
        for name in place:
            node = node.get(name) if isinstance(node, Pairs) else None
        entries = node.entries if isinstance(node, Pairs) else ()
        found |= {key.raw: entry for key, entry in entries if isinstance(entry, Pairs)}
    return found
