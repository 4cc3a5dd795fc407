"""Recalculate a workbook with LibreOffice, and compare it with what the rules compute."""

from __future__ import annotations

import shutil
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

from sheetgen.check.character.advancement import list_offers
from sheetgen.check.character.builds import check_draft
from sheetgen.plugins.exchange.formats import ExportRequest
from sheetgen.plugins.exchange.spreadsheet import build_value_sheet, sorted_columns
from sheetgen.plugins.exchange.workbooks import column_values
from tests.shelf import skip_without


def recalculated(workbook: Path, folder: Path) -> Any:
    """Return the workbook with the values that LibreOffice computes."""
    from openpyxl import load_workbook

    office = shutil.which("soffice")
    if office is None:
        skip_without("soffice", "workbooks are recalculated with it")
    folder.mkdir(parents=True, exist_ok=True)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(folder)]
    subprocess.run([*command, str(workbook)], check=True, capture_output=True, timeout=300)
    return load_workbook(folder / workbook.name, data_only=True)


def differences(request: ExportRequest, book: Any) -> tuple[int, list[str]]:
    """Return how many cells were compared, and those that differ."""
    compared, found = 0, []
    kinds = dict.fromkeys(map(request.kind_of, request.characters))
    for kind in kinds:
        entries = [c for c in request.characters if request.kind_of(c) == kind and c.rules]
        groups: dict[str, list[Any]] = {}
        for one in entries:
            groups.setdefault(one.rules.digest, []).append(one)
        for number, group in enumerate(groups.values(), start=1):
            sheet = book[f"{kind[:20]} values" + (f" {number}" if number > 1 else "")]
            values = build_value_sheet(group[0].rules, [one.build for one in group])
            order = list(sorted_columns(values))
            for row, one in enumerate(group, start=2):
                draft = check_draft(one.source, one.rules)
                prices = {o.id: o.price for o in list_offers(draft) if o.kind == "trait"}
                expected = column_values(values, one.build)
                for at, place in enumerate(order, start=3):
                    column, value = values.columns[place], expected[place]
                    if column.kind == "price" and column.id in prices:
                        value = prices[column.id]
                    if value is None:
                        continue
                    compared += 1
                    cell = sheet.cell(row, at).value
                    if not _same(cell, value):
                        found.append(f"{one.build.name}, {column.head}: {cell} for {value}")
        compared += _compare_roster(request, kind, entries, book, found)
    return compared, found


def _compare_roster(
    request: ExportRequest, kind: str, entries: list[Any], book: Any, found: list[str]
) -> int:
    from sheetgen.plugins.exchange.rosters import list_rosters

    roster = next(r for r in list_rosters(request) if r.kind == kind)
    compared = 0
    for row, one in enumerate(roster.entries, start=2):
        for at, (column, text) in enumerate(
            zip(roster.columns, roster.texts(one), strict=True), start=1
        ):
            cell = book[kind].cell(row, at).value
            shown = "" if cell is None else str(cell)
            compared += bool(text)
            if column.kind == "derived" and text and not _same_text(shown, text):
                found.append(f"{one.build.name}, {column.head}: {shown} for {text}")
            elif column.kind != "derived" and text.strip() != shown.strip():
                found.append(f"{one.build.name}, {column.head}: {shown!r} for {text!r}")
    return compared


def _same(cell: Any, value: Any) -> bool:
    if isinstance(value, str):
        return bool((cell or "") == value)  # an empty text is an empty cell
    if not isinstance(cell, int | float):
        return False
    return abs(cell - float(Fraction(value))) < 1e-9


def _same_text(cell: str, text: str) -> bool:
    if cell == text:
        return True
    try:
        return _same(float(cell), Fraction(text.replace("−", "-")))
    except ValueError:
        return False  # in days, in thousands: text is compared exactly
