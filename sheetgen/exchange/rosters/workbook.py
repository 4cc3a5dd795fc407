"""Rosters as a workbook: derived values, prices and ledgers are formulas that recompute."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sheetgen.diag import read_codes
from sheetgen.diag.controls import strip_controls
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.diag.words import pip_hint
from sheetgen.exchange.formats import ExportRequest, ExportResult, find_pictures, no_place_note
from sheetgen.exchange.rosters.column_values import column_values
from sheetgen.exchange.rosters.rows import LEDGER_HEADS, Roster, list_ledger_lines, list_rosters
from sheetgen.exchange.rosters.values import (
    ValueSheet,
    build_value_sheet,
    place_formula,
    sorted_columns,
)
from sheetgen.load.archives import unpack_archive
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.prints.characters import Character
from sheetgen.prints.context import file_stem
from sheetgen.rules.formulas.spreadsheet import TEXT, code_formula
from sheetgen.write.archives import pack_archive

if TYPE_CHECKING:
    from openpyxl import Workbook

LEDGER: Final = "ledger"
VALUES: Final = "values"
"""What the names of sheets with formulas end in: `character values`."""

MOST_TEXT: Final = 32_000
"""Characters of a cell; Excel takes 32,767."""

_MOST_BYTES: Final = 2_000_000_000
_FORMULA_SIGNS: Final = ("=", "+", "-", "@", "'")
_MODIFIED: Final = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")
_EPOCH: Final = rb"\g<1>1980-01-01T00:00:00Z"  # no clock is read


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the values of an entry are: a sheet, its letters by column, and the row."""

    sheet: str
    letters: Sequence[str]
    columns: ValueSheet
    row: int

    def cell(self, kind: str, id_: str) -> str:
        """Return the reference of a value from another sheet; empty if there is none."""
        for letter, column in zip(self.letters, self.columns.columns, strict=True):
            if (column.kind, column.id) == (kind, id_):
                return f"'{self.sheet}'!${letter}${self.row}"
        return ""


def export_xlsx(request: ExportRequest) -> ExportResult:
    """Return a workbook of all entries of a ruleset."""
    try:
        from openpyxl import Workbook
    except ImportError:
        return ExportResult({}, (missing_library(),))
    book = _Book(Workbook(), request)
    for roster in list_rosters(request):
        book.add_roster(roster)
    book.add_ledger()
    book.add_credits()
    name = f"{file_stem(str(request.rules.id))}.xlsx"
    findings = dict.fromkeys((*book.findings, *find_pictures("xlsx", request)))
    return ExportResult({name: _packed(book.book)}, tuple(findings), {name: request.names})


def missing_library() -> Finding:
    """Return the finding that openpyxl is not installed."""
    message = "workbooks need openpyxl, which is not installed"
    return Finding(read_codes.NO_WORKBOOKS, Span("--to"), message, pip_hint("openpyxl"))


class _Book:
    """A workbook that is written, sheet by sheet."""

    def __init__(self, book: Workbook, request: ExportRequest) -> None:
        self.book, self.request = book, request
        from openpyxl.styles import Protection

        self.findings: list[Finding] = []
        self.unlocked = Protection(locked=False)
        self.ledger_rows: dict[tuple[str, str], tuple[int, int]] = {}
        self.lines = [
            (f"{file_stem(one.stem)}.yaml", build, tuple(list_ledger_lines(build, _file(one))))
            for build, one in request.builds
        ]
        row = 2
        for file, build, lines in self.lines:
            for pool, ledger in build.ledgers.items():
                count = sum(line[2] == ledger.label for line in lines)
                self.ledger_rows[file, pool] = row, row + count - 1
                row += count
        book.remove(book.active)

    def add_roster(self, roster: Roster) -> None:
        """Add the sheet of a roster, and sheets with the values of its entries."""
        sheet = self._new_sheet(roster.kind, [column.head for column in roster.columns])
        by_rules: dict[str, list[Character]] = {}
        for one in roster.entries:
            if one.build is not None and one.rules is not None:
                by_rules.setdefault(one.rules.digest, []).append(one)
        places: dict[int, _Place] = {}
        for number, entries in enumerate(by_rules.values(), start=1):
            title = f"{roster.kind[:20]} {VALUES}" + (f" {number}" if number > 1 else "")
            places |= self._add_values(title, entries)
        for row, one in enumerate(roster.entries, start=2):
            for at, (column, text) in enumerate(
                zip(roster.columns, roster.texts(one), strict=True), start=1
            ):
                formula = ""
                if column.kind not in ("first", "key") and text and one.rules is not None:
                    place = places[id(one)].cell(column.kind, column.id)
                    formula = _shown(one.rules, column.kind, column.id, place) if place else ""
                self._put(sheet, row, at, formula or text, typed=column.kind in ("first", "key"))

    def _add_values(self, title: str, entries: Sequence[Character]) -> dict[int, _Place]:
        from openpyxl.utils import get_column_letter

        rules = entries[0].rules
        assert rules is not None
        builds = [one.build for one in entries if one.build is not None]
        values = build_value_sheet(rules, builds)
        order = list(sorted_columns(values))
        letters = [""] * len(order)
        for at, number in enumerate(order, start=3):
            letters[number] = get_column_letter(at)
        heads = ["file", "name", *(values.columns[number].head for number in order)]
        sheet = self._new_sheet(title, heads)
        for what, why in values.fixed.items():
            note = f"the formula of {what} ({why})"
            self.findings.append(no_place_note("xlsx", note, "its value stays as it is"))
        places = {}
        for row, (one, build) in enumerate(zip(entries, builds, strict=True), start=2):
            places[id(one)] = _Place(title, letters, values, row)
            self._put(sheet, row, 1, _file(one))
            self._put(sheet, row, 2, build.name)
            found = column_values(values, build)
            for at, number in enumerate(order, start=3):
                column, value = values.columns[number], found[number]
                if column.kind == "left" and value is not None:
                    first, last = self.ledger_rows[_file(one), column.id]
                    gained, cost = (f"SUM('{LEDGER}'!{c}{first}:{c}{last})" for c in "FG")
                    self._put(sheet, row, at, f"={gained}-{cost}" if last >= first else 0)
                elif column.formula and (value is not None or column.kind in ("price", "part")):
                    formula = place_formula(column.formula, partial(_cell, letters, row))
                    self._put(sheet, row, at, f"={formula}")
                elif value is not None:
                    typed = not column.formula and column.kind != "left"
                    self._put(sheet, row, at, _plain(value), typed=typed, words=column.type == TEXT)
        return places

    def add_ledger(self) -> None:
        """Add the sheet of all ledger lines; what is left is a formula."""
        if not self.ledger_rows:
            return
        sheet = self._new_sheet(LEDGER, LEDGER_HEADS)
        row, before = 2, ("", "")
        for file, _, lines in self.lines:
            for line in lines:
                for at, value in enumerate(line[:7], start=1):
                    self._put(sheet, row, at, value, typed=at > 3, words=isinstance(value, str))
                same = before == (file, str(line[2]))
                before = file, str(line[2])
                self._put(sheet, row, 8, f"={f'H{row - 1}+' if same else ''}F{row}-G{row}")
                row += 1

    def add_credits(self) -> None:
        """Add the sheet with the credit and the licence."""
        credit = self.request.rules.credit
        sheet = self._new_sheet("credits", ["credit", "value"])
        rows = {
            "rules": credit.short,
            "licence": credit.licence,
            "credit": credit.long,
            "changes": credit.changes,
            "note": "Cells in brackets, and those with formulas, are computed and not imported.",
        }
        for row, (name, text) in enumerate(rows.items(), start=2):
            self._put(sheet, row, 1, name)
            self._put(sheet, row, 2, text)

    def _new_sheet(self, title: str, heads: Iterable[str]) -> Any:
        sheet = self.book.create_sheet(re.sub(r"[\[\]:*?/\\']", " ", title)[:31])
        sheet.protection.sheet = True  # without a password: it prevents slips only
        sheet.protection.formatColumns = False
        sheet.freeze_panes = "C2"
        for at, head in enumerate(heads, start=1):
            self._put(sheet, 1, at, head)
        return sheet

    def _put(
        self, sheet: Any, row: int, at: int, value: Any, *, typed: bool = False, words: bool = False
    ) -> None:
        """Write a value; a text that begins with `=` is a formula only if we wrote it.

        Args:
            typed: Whether the cell is unlocked, and never a formula.
            words: Whether a text is never a formula.
        """
        cell = sheet.cell(row, at)
        if isinstance(value, str):
            text = strip_controls(value).replace("\r", "")
            if len(text) > MOST_TEXT and not text.startswith("="):
                text = text[:MOST_TEXT]
                what = f"more than {MOST_TEXT:,} characters in a cell"
                self.findings.append(no_place_note("xlsx", what, "the text is cut off"))
            is_ours = text.startswith("=") and not (typed or words) and at > 2 and row > 1
            cell.value = text
            cell.data_type = "f" if is_ours else "s"
            if not is_ours and text.startswith(_FORMULA_SIGNS):
                cell.quotePrefix = True
        else:
            cell.value = value
        if typed:
            cell.protection = self.unlocked


def _file(one: Character) -> str:
    return f"{file_stem(one.stem)}.yaml"


def _cell(letters: Sequence[str], row: int, column: int) -> str:
    return f"${letters[column]}{row}"


def _plain(value: Value) -> int | float | str:
    """Return a value for a cell; truth is 1 and 0, as in formulas."""
    if isinstance(value, Fraction):
        return float(value)
    return value if isinstance(value, str) else int(value)


def _shown(rules: Ruleset, kind: str, id_: str, place: str) -> str:
    """Return the formula of a value as prints write it."""
    form = ""
    if kind == "total":
        group = next(g for g in rules.groups.values() if id_ in g.traits)
        form = ("code" if rules.pips else "dice") if group.rating == "dice" else ""
    elif kind == "derived":
        form = str(rules.derived[id_].as_ or "")
    if form == "code":
        return f"={code_formula(place)}"
    if form == "dice":
        return f'=IF({place}<0,"−","")&ABS({place})&"D"'
    if form == "percent":
        return f'=INT({place}*100+0.5)&"%"'
    return f"={place}"


def _packed(book: Workbook) -> bytes:
    """Return the file: the same bytes for the same content, with a place for the seal."""
    target = io.BytesIO()
    book.save(target)
    entries = unpack_archive(target.getvalue(), Span(""), _MOST_BYTES).value or {}
    fixed = [(name, _MODIFIED.sub(_EPOCH, content)) for name, content in entries.items()]
    return pack_archive(fixed, PLACEHOLDER)
