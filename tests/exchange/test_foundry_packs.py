"""LevelDB packs: read back by us and by Foundry's own packer; damaged ones are refused."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sheetgen.plugins.exchange.foundry.documents import (
    BLOCK,
    DamagedPack,
    Room,
    make_id,
    pack_entries,
    read_pack,
    unpack_entries,
    write_pack,
)
from tests.exchange.foundry_cases import MOST, documents, exported, packs, requests_of
from tests.shelf import TESTS, skip_without

VIEWERS = TESTS / "viewers"
PACKER = """
import {extractPack, compilePack} from '@foundryvtt/foundryvtt-cli';
import {ClassicLevel} from 'classic-level';
const [one, out, again] = process.argv.slice(2);
await extractPack(one, out, {clean: true, log: false});
await compilePack(out, again, {log: false});
const level = new ClassicLevel(again);
await level.open();
await level.compactRange('!', '~');
await level.close();
"""


@pytest.mark.parametrize("size", [0, 1, BLOCK - 40, BLOCK - 7, BLOCK, BLOCK * 3 + 5])
def test_entries_of_any_size_are_read_back(size: int) -> None:
    entries = {f"!actors!{n:016}": b"x" * (size + n) for n in range(9)}
    files = write_pack(entries)
    assert read_pack(files, Room(MOST)) == entries
    assert files == write_pack(dict(reversed(entries.items())))


def test_ids_have_sixteen_letters_and_digits() -> None:
    ids = {make_id("one", str(n)) for n in range(1000)}
    assert len(ids) == 1000
    assert all(len(one) == 16 and one.isalnum() and one.isascii() for one in ids)


def test_embedded_documents_keep_their_order() -> None:
    items = [{"_id": make_id(str(n)), "name": f"{n}", "effects": []} for n in range(30)]
    actor = {"_id": make_id("actor"), "name": "One", "items": items, "effects": []}
    entries = pack_entries("Actor", [actor])
    assert len(entries) == 31
    parsed = {key: json.loads(value) for key, value in entries.items()}
    assert unpack_entries(parsed) == {"Actor": [actor]}


def packed(tmp_path: Path, files: dict[str, bytes]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return a pack as Foundry's packer unpacks it, and the files that it packs again."""
    one, out, again = tmp_path / "one", tmp_path / "out", tmp_path / "again"
    one.mkdir()
    for name, content in files.items():
        (one / name).write_bytes(content)
    script = tmp_path / "pack.mjs"
    script.write_text(PACKER, encoding="utf-8")
    (tmp_path / "node_modules").symlink_to(VIEWERS / "node_modules")
    subprocess.run(["node", script, one, out, again], check=True, capture_output=True)
    found = [json.loads(path.read_text("utf-8")) for path in out.iterdir()]
    return (
        {one["_key"]: one for one in found},
        {path.name: path.read_bytes() for path in again.iterdir()},
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["d6-pips", "hyperspace-d6"])
def test_foundrys_packer_reads_our_packs_and_we_read_its(tmp_path: Path, name: str) -> None:
    if not shutil.which("node") or not (VIEWERS / "node_modules" / "@foundryvtt").is_dir():
        skip_without("Foundry's packer", "npm has not fetched tests/viewers/node_modules")
    files = exported(requests_of(name)[0]).files
    for number, (folder, found) in enumerate(packs(files).items()):
        own = {p.rpartition("/")[2]: c for p, c in files.items() if p.startswith(f"{folder}/")}
        place = tmp_path / str(number)
        place.mkdir()
        theirs, again = packed(place, own)
        for some in found.values():
            for document in some:
                ours = {one["_id"]: one for one in (document, *document.get("items", ()))}
                key = next(k for k in theirs if k.endswith(f"!{document['_id']}"))
                assert without_keys(theirs[key]) == ours[document["_id"]]
        assert any(name.endswith(".ldb") for name in again)
        entries, ours_again = read_pack(again, Room(MOST)), read_pack(own, Room(MOST))
        assert {k: json.loads(v) for k, v in entries.items()} == {
            k: json.loads(v) for k, v in ours_again.items()
        }


def without_keys(value: Any) -> Any:
    """Return data without the keys that the packer adds."""
    if isinstance(value, dict):
        return {key: without_keys(below) for key, below in value.items() if key != "_key"}
    return [*map(without_keys, value)] if isinstance(value, list) else value


def test_a_damaged_pack_is_refused_or_read() -> None:
    files = write_pack({f"!actors!{n:016}": b'{"name": "One"}' * 40 for n in range(40)})
    draw = random.Random(5)
    for _ in range(300):
        damaged = bytearray(files["000003.log"])
        for _ in range(draw.randrange(1, 8)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        for name in ("000003.log", "000005.ldb"):
            with suppress(DamagedPack):
                read_pack({name: bytes(damaged[: draw.randrange(len(damaged))])}, Room(MOST))


def test_a_table_that_unpacks_to_more_than_the_bound_is_refused() -> None:
    block = bytes([128, 148, 235, 220, 3]) + bytes([0, 65]) + bytes([254, 1, 0]) * 9  # 1 GB claimed
    foot = bytes([0, 0, 0, len(block)]) + bytes(36) + bytes.fromhex("57fb808b247547db")
    with pytest.raises(DamagedPack, match="more than"):
        read_pack({"000005.ldb": block + b"\1" + bytes(4) + foot}, Room(10**6))
    with pytest.raises(DamagedPack, match="more than"):
        read_pack(write_pack({"!actors!a": bytes(3000)}), Room(2000))


def test_a_module_has_all_actors() -> None:
    request = requests_of("hyperspace-d6")[0]
    found = documents(exported(request).files)
    assert len(found) == len(request.characters)
