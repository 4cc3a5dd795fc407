"""Random builds of every ruleset: spreadsheets compute them, and each format brings them back.

`pytest tests/exchange/test_random_builds.py --builds 500` tries more of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from openpyxl import load_workbook

from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.yaml.edit import parse_spots
from sheetgen.plugins.exchange.export import select_exports
from sheetgen.plugins.exchange.workbooks import export_xlsx
from tests.cli.commands import run
from tests.exchange.foundry_cases import MAPPED, comparable, documents, files_of, find_faults
from tests.exchange.office import differences, recalculated
from tests.exchange.random_builds import write_random_builds
from tests.exchange.test_rosters import rows_of

pytestmark = pytest.mark.slow


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


def commented(path: Path) -> dict[str, Any]:
    """Write a file again with a key a line, and comments; return its data."""
    data: dict[str, Any] = json.loads(path.read_text("utf-8"))
    lines = ["# the first line"]
    for key, value in data.items():
        if isinstance(value, dict) and value:
            lines.append(f"{key}:  # the parts of {key}")
            lines += [f"  {json.dumps(k)}: {json.dumps(v)}  # {k} part" for k, v in value.items()]
        else:
            lines.append(f"{key}: {json.dumps(value)}  # a note on {key}")
    path.write_text("\n".join([*lines, "# the last line"]) + "\n", encoding="utf-8")
    return data


@pytest.mark.parametrize("id_", ruleset_ids())
def test_changed_properties_come_back_with_comments_kept(
    id_: str, builds: int, tmp_path: Path
) -> None:
    """Change the name and one part of a mapping in each note."""
    draw = Random(7)
    files, vault = tmp_path / "files", tmp_path / "vault"
    files.mkdir()
    written = {path.name: commented(path) for path in write_random_builds(id_, builds, 6, files)}
    run("export", str(files), "--to", "obsidian", "--out", str(vault))
    expected: dict[str, tuple[dict[str, Any], str]] = {}
    for note in sorted(vault.glob("*/*/*.md")):
        text = note.read_text("utf-8")
        record = re.search(r'sheetgen-record: ({"file":"([^"]+)".*})', text)
        assert record is not None
        data, typed = written[record[2]], json.loads(record[1])["typed"]
        dropped = ""
        new = {**data, "name": f"New {record[2]}"}
        front, end, rest = text.partition("\n---\n")
        front = re.sub(r"(?m)^name: .*$", f'name: "{new["name"]}"', front, count=1)
        parts = [k for k, v in data.items() if isinstance(v, dict) and len(v) > 1 and k in typed]
        parts = [
            k for k in parts if typed[k].count("; ") == len(data[k]) - 1 and f"\n{k}: " in front
        ]
        if parts:
            key = draw.choice(parts)
            dropped = draw.choice([*data[key]])
            kept = {k: v for k, v in data[key].items() if k != dropped}
            cell = "; ".join(p for p in typed[key].split("; ") if p.split(": ")[0] != dropped)
            line = f"{key}: {json.dumps(cell)}".replace("\\", "\\\\")
            front = re.sub(rf"(?m)^{key}: .*$", line, front, count=1)
            new[key] = kept
        note.write_text(front + end + rest, encoding="utf-8")
        expected[record[2]] = new, dropped
    assert len(expected) == builds
    before = {name: comments(files / name) for name in expected}
    done = run("import", str(vault), "--ruleset", id_, "--into", str(files))
    assert "SG83" not in done.err, done.err
    for name, (data, dropped) in expected.items():
        parsed = parse_spots((files / name).read_text("utf-8"))
        assert parsed is not None
        is_refused = re.search(rf"{name}:\d+:\d+: error", done.err)  # errors leave a file alone
        assert parsed.data() == (written[name] if is_refused else data)
        lost = before[name] - comments(files / name)
        assert lost <= {f"# {dropped} part"}


def comments(path: Path) -> set[str]:
    return set(re.findall(r"(?m)(?:^|  )(# (?:the|a note|.* part).*)$", path.read_text("utf-8")))
