"""Packs of items alone become the gear of an overlay: it is clean, prints, and goes out equal."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from sheetgen.plugins.exchange.foundry.documents import (
    Document,
    get_leaf,
    html_lines,
    list_leaves,
    pack_entries,
)
from sheetgen.plugins.exchange.foundry.leveldb import write_pack
from sheetgen.plugins.exchange.foundry.mapping import is_same_leaf, leaf_text
from tests.cli.commands import run
from tests.exchange.foreign_actors import Stranger
from tests.exchange.foundry_cases import (
    MAPPED,
    documents,
    exported,
    find_faults,
    requests_of,
)
from tests.exchange.test_foundry_hostile import WRONG, bounded, places, zipped

WEAPONS = 62


def foreign_items() -> list[Document]:
    """Return weapons of many strangers, and a few other items."""
    found = []
    for number in range(WEAPONS):
        one = Stranger(number)
        one.weapons = [""] * number
        found.append(one.weapon("weapon"))
    armour = {"pr": 3, "er": 3}
    found.append(Stranger(1).item("Oilskin", "armor", armour))
    found.append(Stranger(2).item("Ration", "gear", {}))
    found.append(Stranger(3).item("Odd thing", "species-template", {"value": 1}))
    return found


def write_as(form: str, items: list[Document], folder: Path) -> Path:
    """Write a pack in one of the forms that an import takes; return its path."""
    lines = "".join(json.dumps(one) + "\n" for one in items)
    path = folder / f"weapons.{form.partition(' ')[0]}"
    if form == "db indented":
        path.write_text("\n".join(json.dumps(one, indent=4) for one in items), encoding="utf-8")
    elif form == "json":
        path.write_text(json.dumps(items), encoding="utf-8")
    elif form == "db":
        path.write_text(lines, encoding="utf-8")
    elif form == "zip":
        manifest = b'{"id": "m", "title": "M"}'
        return zipped(path, {"m/module.json": manifest, "m/packs/w.db": lines.encode()})
    else:
        path = folder / "weapons"
        path.mkdir()
        numbered = [one | {"_id": f"{n:016}", "effects": []} for n, one in enumerate(items)]
        for name, content in write_pack(pack_entries("Item", numbered)).items():
            (path / name).write_bytes(content)
    return path


def by_name(folder: Path) -> dict[str, Document]:
    """Return the items of a ruleset's module by name."""
    [request] = requests_of(f"{folder}/")
    items = documents(exported(request).files, "Item")
    assert not [fault for one in items for fault in find_faults(one)]
    return {one["name"]: one for one in items}


@pytest.mark.parametrize("form", ["db", "db indented", "json", "zip", "folder"])
def test_a_pack_of_items_becomes_an_overlay(tmp_path: Path, form: str) -> None:
    items = foreign_items()
    path, into = write_as(form, items, tmp_path), tmp_path / "own"
    done = run("import", str(path), "--ruleset", "d6-pips", "--into", str(into))
    assert "Traceback" not in done.err
    assert "species-template" in done.err
    assert "Odd thing" in done.err
    assert {one.name for one in into.iterdir()} == {"ruleset.yaml", "gear-weapons.yaml"}
    assert run("check", str(into), "--strict").status == 0
    gear = yaml.safe_load((into / "gear-weapons.yaml").read_text("utf-8"))["gear"]
    assert len(gear) == len(items) - 1
    assert sum("weapon" in one.get("tags", ()) for one in gear.values()) == WEAPONS


@pytest.mark.parametrize("rules", MAPPED)
def test_items_go_out_as_they_came_in_or_are_reported(tmp_path: Path, rules: str) -> None:
    items = foreign_items()
    path, into = write_as("db", items, tmp_path), tmp_path / "own"
    done = run("import", str(path), "--ruleset", rules, "--into", str(into))
    gear = yaml.safe_load((into / "gear-weapons.yaml").read_text("utf-8"))["gear"]
    out = by_name(into)
    for item, entry in zip(items, gear.values(), strict=False):
        mine = out[entry["name"]]
        assert mine["type"] == item["type"]
        name = " ".join(item["name"].split())
        assert entry["name"] == name or f"several `{name}`" in done.err
        system = item.get("system", item.get("data"))
        assert {*html_lines(system.get("description"))} <= {
            *html_lines(mine["system"]["description"])
        }
        carried = entry.get("text", "")
        for leaf, value in list_leaves(system):
            unlike = not is_same_leaf(value, get_leaf(mine["system"], leaf))
            if unlike and leaf not in ("description", "label", "quantity", "equipped.value"):
                if leaf.endswith(".type") and leaf != "damage.type":
                    continue
                assert f"{leaf} {leaf_text(value)}" in carried
                assert f"`{leaf}` of the type `{item['type']}`" in done.err
    again = tmp_path / "again.json"
    again.write_text(json.dumps([*out.values()]), encoding="utf-8")
    run("import", str(again), "--ruleset", rules, "--into", str(tmp_path / "second"))
    assert by_name(tmp_path / "second").keys() == out.keys()
    for name, one in by_name(tmp_path / "second").items():
        assert one["system"] == out[name]["system"]
    twice = run("import", str(path), "--ruleset", f"{into}/", "--into", str(into))
    assert "listed already" in twice.err


def test_gear_of_a_pack_prints(tmp_path: Path) -> None:
    path, into = write_as("db", foreign_items(), tmp_path), tmp_path / "own"
    run("import", str(path), "--ruleset", "d6-pips", "--into", str(into))
    done = run("cards", str(into), "--kind", "gear", "--out", str(tmp_path / "out"))
    assert [*(tmp_path / "out").glob("*.pdf")], done.err
    run("tables", f"{into}/", "gear", "--to", "md", "--out", str(tmp_path / "out"))
    [table] = (tmp_path / "out").glob("*.md")
    assert "Oilskin" in table.read_text("utf-8")


@pytest.mark.parametrize("rules", MAPPED)
def test_items_of_our_own_modules_are_listed_already(tmp_path: Path, rules: str) -> None:
    [request] = requests_of(rules)
    path = tmp_path / "own.json"
    path.write_text(json.dumps(documents(exported(request).files, "Item")), encoding="utf-8")
    result = bounded(path, rules)
    assert not result.texts
    assert any("listed already" in one.message for one in result.findings)


def test_many_items_are_read_in_part(tmp_path: Path) -> None:
    path = tmp_path / "many.json"
    items = [{"name": f"Thing {n}", "type": "gear", "system": {"cost": n}} for n in range(100_000)]
    path.write_text(json.dumps(items), encoding="utf-8")
    result = bounded(path)
    assert "SG004" in {one.code.id for one in result.findings}
    gear = yaml.safe_load(result.texts["gear-many.yaml"])["gear"]
    assert [one["cost"] for one in gear.values()] == [*range(1000)]


def test_leaves_and_names_without_end_are_cut(tmp_path: Path) -> None:
    deep = '{"' + "k" * 40_000
    nested = (deep + '":') * 300 + "1" + "}" * 300
    wide = json.dumps({f"k{n}": {} for n in range(400_000)})
    items = (f'{{"name": "N", "type": "weapon", "system": {one}}}' for one in (nested, wide))
    path = tmp_path / "deep.json"
    path.write_text(f"[{', '.join(items)}]", encoding="utf-8")
    result = bounded(path)
    assert len(yaml.safe_load(result.texts["gear-deep.yaml"])["gear"]) == 2
    assert all(len(one.message) < 500 for one in result.findings)


def test_wrong_values_of_items_leave_the_overlay_clean(tmp_path: Path) -> None:
    draw = Random(19)
    items: list[Any] = foreign_items() * 8
    for number, item in enumerate(items):
        items[number] = copy.deepcopy(item)
        for way in draw.sample(places(items[number]), 3):
            inner: Any = items[number]
            try:
                for key in way[:-1]:
                    inner = inner[key]
                wrong = draw.choice([*WRONG, "}{", {"a": [{}]}, "<p>" + "word " * 900])
                inner[way[-1]] = copy.deepcopy(wrong)
            except (KeyError, TypeError, IndexError):  # it was replaced before
                continue
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    result = bounded(path)
    for name, text in result.texts.items():
        (tmp_path / "own").mkdir(exist_ok=True)
        (tmp_path / "own" / name).write_text(text, encoding="utf-8")
    assert run("check", str(tmp_path / "own"), "--strict").status == 0
    assert len(by_name(tmp_path / "own")) > 200
