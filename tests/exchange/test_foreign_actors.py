"""What strangers wrote comes in, is reported where the rules have no place for it, and goes out."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.plugins.exchange.formats import ImportRequest
from sheetgen.plugins.exchange.foundry.importing import import_foundry
from sheetgen.rules.index import index_of
from tests.cli.commands import run
from tests.exchange.foreign_actors import foreign_actors
from tests.exchange.foundry_cases import comparable, complete, documents, exported, requests_of

FOLDER = "SHEETGEN_FOREIGN_PACKS"
"""A folder of packs that others published; they are not ours to ship."""

CASES = [("d6-pips", "npc", 26, 62), ("hyperspace-d6", "npc", 26, 62)]
CASES += [("hyperspace-d6", "starship", 16, 62)]


def round_trip(path: Path, rules: str, folder: Path) -> list[dict[str, Any]]:
    """Import a pack, export it, and do both again; return the entries that were written."""
    found: list[list[Any]] = []
    entries: list[dict[str, Any]] = []
    for number in range(2):
        result = import_foundry(ImportRequest(path, complete(rules), folder))
        target = folder / f"in{number}"
        target.mkdir(parents=True)
        for name, text in result.texts.items():
            (target / name).write_text(text, encoding="utf-8")
        entries = entries or [yaml.safe_load(text) for text in result.texts.values()]
        requests = requests_of(*sorted(target.iterdir()))
        actors = [one for request in requests for one in documents(exported(request).files)]
        assert len(actors) == len(result.texts)
        found.append(sorted(map(comparable, actors), key=lambda one: json.dumps(one)))
        path = folder / f"again{number}.json"
        path.write_text(json.dumps(actors), encoding="utf-8")
    assert found[0] == found[1]
    return entries


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "form", "count", "weapons"), CASES)
def test_actors_of_strangers(
    rules: str, form: str, count: int, weapons: int, tmp_path: Path
) -> None:
    actors, names = foreign_actors(form, count, weapons)
    assert len(names) == weapons
    path = tmp_path / "pack.db"
    path.write_text("".join(json.dumps(one) + "\n" for one in actors), encoding="utf-8")
    result = import_foundry(ImportRequest(path, complete(rules), tmp_path))
    assert len(result.texts) == count
    index = index_of(complete(rules))
    reported = " ".join(one.message for one in result.findings).casefold()
    for actor, text in zip(actors, result.texts.values(), strict=True):
        for item in (one for one in actor["items"] if isinstance(one, dict) and one["name"]):
            name = " ".join(item["name"].split())
            if item["type"] == "skill" and index.all_traits.find(name):
                continue
            assert name in text, (name, text)
            if item["type"] != "starship-gear" and len(index.gear.find(name)) != 1:
                assert name.casefold() in reported
    entries = round_trip(path, rules, tmp_path / "x")
    assert len(entries) == count
    kind = "vehicle" if form == "starship" else "npc"
    files = sorted((tmp_path / "x" / "in0").iterdir())
    done = run("cards", *map(str, files), "--kind", kind, "--out", str(tmp_path / "out"))
    assert "Traceback" not in done.err
    assert [*(tmp_path / "out").glob("*.pdf")], done.err


@pytest.mark.skipif(FOLDER not in os.environ, reason=f"{FOLDER} names no folder of packs")
def test_packs_that_others_published(tmp_path: Path) -> None:
    for number, path in enumerate(sorted(Path(os.environ[FOLDER]).iterdir())):
        assert round_trip(path, "hyperspace-d6", tmp_path / str(number)) is not None
