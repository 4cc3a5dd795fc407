"""Files of strangers: what is wrong, too large or leads astray ends in findings, and soon."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sheetgen.bounds import run_bounded
from sheetgen.plugins.exchange.formats import ImportRequest, ImportResult
from sheetgen.plugins.exchange.foundry.documents import write_pack
from sheetgen.plugins.exchange.foundry.importing import import_foundry
from tests.cli.commands import run
from tests.exchange.foundry_cases import CHARACTERS, complete, documents, exported, requests_of

pytestmark = pytest.mark.slow

MOST_SECONDS = 10
MOST_MEGABYTES = 1_000


def bounded(path: Path, rules: str = "d6-pips") -> ImportResult:
    """Return the result of an import, in a process that ends at the bounds."""
    request = ImportRequest(path, complete(rules), path.parent)
    return run_bounded(lambda: import_foundry(request), MOST_MEGABYTES, MOST_SECONDS)


def ids_of(path: Path) -> set[str]:
    """Return the codes of the findings of an import."""
    return {one.code.id for one in bounded(path).findings}


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    """Write an archive."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    path.write_bytes(target.getvalue())
    return path


ACTOR = {"name": "One", "type": "npc", "system": {"attributes": {"agi": {"base": 9}}}, "items": []}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "SG833"),
        (b"{", "SG833"),
        (b"\xff\xfe\x00", "SG833"),
        (b"[1, 2, null]", "SG833"),
        (b'{"name": 1}', "SG833"),
        (b"9" * 5000, "SG833"),
        (b"[" * 200_000, "SG833"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "SG833"),
        (b"[" + b",".join([b"{}"] * 1_000_000) + b"]", "SG004"),
        (json.dumps({**ACTOR, "items": [{}] * 1_000_000}).encode(), "SG004"),
        (json.dumps({**ACTOR, "system": {}}).encode(), "SG833"),
        (json.dumps({**ACTOR, "type": "container"}).encode(), "SG833"),
        (json.dumps({**ACTOR, "_stats": {"systemId": "other"}}).encode(), "SG833"),
    ],
    ids=range(13),
)
def test_what_is_no_actor_is_a_finding(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "actor.json"
    path.write_bytes(content)
    assert code in ids_of(path)


def test_too_many_actors_are_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "actors.json"
    path.write_text(json.dumps([{**ACTOR, "name": f"A{n}"} for n in range(600)]), "utf-8")
    result = bounded(path)
    assert "SG004" in {one.code.id for one in result.findings}
    assert len(result.texts) == 500


def test_an_actor_with_many_items_is_read_in_part(tmp_path: Path) -> None:
    path = tmp_path / "actor.json"
    items = [{"name": f"Thing {n}", "type": "gear", "system": {}} for n in range(30_000)]
    path.write_text(json.dumps({**ACTOR, "items": items}), encoding="utf-8")
    result = bounded(path)
    assert any("28,000 more items" in one for one in result.texts.values())


def test_an_archive_that_leads_out_of_itself_is_not_read(tmp_path: Path) -> None:
    actor = json.dumps(ACTOR).encode()
    names = ("../up.json", "/etc/one.json", "a/../../b.json", "c:/d.json", "..\\e.json")
    path = zipped(tmp_path / "bad.zip", {**dict.fromkeys(names, actor), "good.json": actor})
    result = bounded(path)
    assert [*result.texts] == ["one.yaml"]
    assert sum("leads out of the archive" in one.message for one in result.findings) == len(names)


def test_bombs_are_refused(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "bomb.zip", {f"{n}.json": bytes(10**7) for n in range(30)})
    assert bomb.stat().st_size < 1_000_000
    assert "SG004" in ids_of(bomb)
    many = zipped(tmp_path / "many.zip", {f"{n}.json": b"" for n in range(25_000)})
    assert "SG004" in ids_of(many)
    broken = tmp_path / "broken.zip"
    broken.write_bytes(bomb.read_bytes()[:5000])
    assert "SG833" in ids_of(broken)


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text(json.dumps(ACTOR), encoding="utf-8")
    folder = tmp_path / "packs"
    folder.mkdir()
    (folder / "in.json").symlink_to(tmp_path / "out.json")
    (folder / "round").symlink_to(folder)
    assert not bounded(folder).texts


def test_a_damaged_pack_is_a_finding(tmp_path: Path) -> None:
    entries = {f"!actors!{n}": b"{" for n in range(3)} | {"!": b"[]", "": b"1", "!actors!": b"7"}
    for name, content in write_pack(entries).items():
        (tmp_path / name).write_bytes(content)
    assert "SG833" in ids_of(tmp_path)
    (tmp_path / "000009.ldb").write_bytes(b"x" * 100)
    assert "SG833" in ids_of(tmp_path)


WRONG: list[Any] = [
    None, True, -1, 10**30, 1e308, float("nan"), "", "7", "x" * 5000, "\u202e\x00\ud800", [], [[]],
    {}, {"value": {"value": 3}}, ["9"], "{1}", "=1+1", "- a", "a: b", "? x", "!!python/none x",
]  # fmt: skip


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the ways to all values inside."""
    if not isinstance(value, dict | list):
        return [way]
    keys = value.items() if isinstance(value, dict) else enumerate(value)
    found = [place for key, one in keys for place in places(one, (*way, key))]
    return [way, *found] if way else found


@pytest.mark.parametrize("name", ["d6-pips", "hyperspace-d6"])
def test_values_of_wrong_types_are_read_or_reported(tmp_path: Path, name: str) -> None:
    draw = Random(19)
    actors = [
        *documents(exported(requests_of(name)[0]).files),
        *documents(exported(requests_of(CHARACTERS / name)[0]).files),
    ]
    changed = []
    for _ in range(180):
        actor = copy.deepcopy(draw.choice(actors))
        actor["flags"] = {} if draw.randrange(3) else actor["flags"]
        for _ in range(draw.randrange(1, 6)):
            way = draw.choice(places(actor))
            inner: Any = actor
            try:
                for key in way[:-1]:
                    inner = inner[key]
                inner[way[-1]] = copy.deepcopy(draw.choice(WRONG))
            except (KeyError, TypeError, IndexError):  # it was replaced before
                continue
        changed.append(actor)
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(changed), encoding="utf-8")
    result = bounded(path, name)
    assert len(result.texts) > 100
    for text in result.texts.values():
        (tmp_path / "one.yaml").write_text(text, encoding="utf-8")


def test_a_source_in_flags_is_read_as_a_strangers_file(tmp_path: Path) -> None:
    deep = "a: " + "[" * 5000
    alias = "a: &a [1]\nb: [*a, *a]\n"
    for text in (
        deep,
        alias,
        "ruleset: d6-pips\nname: !!python/object:os.system x",
        "- 1",
        "x" * 999,
    ):
        flags = {"m": {"sheetgen": 1, "ruleset": "d6-pips", "source": text}}
        path = tmp_path / "actor.json"
        path.write_text(json.dumps({**ACTOR, "flags": flags}), encoding="utf-8")
        result = bounded(path)
        assert len(result.texts) == 1


def test_the_command_reports_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text("{", encoding="utf-8")
    done = run("import", str(path), "--ruleset", "d6-pips", "--into", str(tmp_path / "in"))
    assert "SG833" in done.out + done.err
    assert not (tmp_path / "in").exists()


def test_an_old_pack_of_many_lines_is_read_in_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sheetgen.plugins.exchange.foundry.documents.MOST_VALUES", 1000)
    path = tmp_path / "a.db"
    path.write_bytes(b"1\n" * 100_000)
    assert "more than 1,000 values" in bounded(path).findings[0].message
