"""Random builds of every ruleset: spreadsheets compute them, and each format brings them back.

`pytest tests/exchange/test_random_builds.py --builds 500` tries more of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sheetgen.exchange.rosters.workbook import export_xlsx
from sheetgen.exchange.selection import select_exports
from sheetgen.load.rulesets.content import ruleset_ids
from tests.cli.commands import run
from tests.exchange.foundry_cases import MAPPED, comparable, documents, files_of, find_faults
from tests.exchange.office import differences, recalculated
from tests.exchange.random_builds import write_random_builds
from tests.exchange.test_rosters import rows_of


@pytest.mark.parametrize("id_", ruleset_ids())
def test_a_spreadsheet_computes_them(id_: str, builds: int, tmp_path: Path) -> None:
    write_random_builds(id_, builds, 2, tmp_path)
    compared = 0
    for request in select_exports([str(tmp_path)], {}).requests:
        ((name, content),) = export_xlsx(request).files.items()
        (tmp_path / name).write_bytes(content)
        book = recalculated(tmp_path / name, tmp_path / "again")
        count, wrong = differences(request, book)
        compared += count
        assert wrong == []
    assert compared > 10 * builds
    print(f"{id_}: {compared:,} cells of {builds} builds are equal")


def sheet_rows(path: Path) -> list[Any]:
    book = load_workbook(path)
    return [(s.title, sorted(s.iter_rows(values_only=True), key=repr)) for s in book]


def actors(folder: Path) -> list[Any]:
    every = documents(files_of(folder))
    assert [fault for one in every for fault in find_faults(one)] == []
    found = [comparable(one) for one in every]
    return sorted(found, key=lambda one: json.dumps(one, sort_keys=True))


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "csv": ("*.csv", rows_of),
    "xlsx": ("*.xlsx", sheet_rows),
    "obsidian": ("**/*.md", Path.read_bytes),
    "foundry": ("*", actors),
}
"""Files of each format, and what of them is compared."""


def exported(folder: Path, format_: str, out: Path) -> dict[str, Any]:
    done = run("export", str(folder), "--to", format_, "--out", str(out))
    assert done.status == 0, done.err
    pattern, read = READERS[format_]
    return {path.relative_to(out).as_posix(): read(path) for path in sorted(out.glob(pattern))}


@pytest.mark.parametrize("format_", READERS)
@pytest.mark.parametrize("id_", ruleset_ids())
def test_they_come_back_equal(id_: str, format_: str, builds: int, tmp_path: Path) -> None:
    if format_ == "foundry" and id_ not in MAPPED:
        return
    first, again = tmp_path / "first", tmp_path / "again"
    first.mkdir()
    write_random_builds(id_, builds, 4, first)
    out = tmp_path / "out"
    before = exported(first, format_, out)
    for path in [out] if format_ == "obsidian" else sorted(out.iterdir()):
        if not path.name.endswith("-ledger.csv"):
            run("import", str(path), "--ruleset", id_, "--into", str(again))
    assert len([*again.glob("*.yaml")]) == builds
    assert exported(again, format_, tmp_path / "second") == before
