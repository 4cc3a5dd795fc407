"""What the tests of Foundry share: exports and imports in memory, and what the system knows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sheetgen.exchange.formats import ExportRequest, ExportResult, ImportRequest, ImportResult
from sheetgen.exchange.foundry.documents import Document, unpack_entries
from sheetgen.exchange.foundry.export import export_foundry
from sheetgen.exchange.foundry.importing import import_foundry
from sheetgen.exchange.foundry.leveldb import read_pack
from sheetgen.exchange.selection import select_exports
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset

CHARACTERS = rulesets_folder().parent / "characters"
MAPPED = ("d6-pips", "wound-points", "second-edition-update", "hyperspace-d6")
MOST = 10**9

NUMBER, TEXT, FLAG = int, str, bool
_ATTRIBUTES = {
    f"attributes.{a}.base": NUMBER for a in ["agi", "str", "mec", "kno", "per", "tec", "met"]
}
_COMMON = {
    **_ATTRIBUTES,
    **dict.fromkeys(
        ["move.value", "wounds.value", "characterpoints.value", "fatepoints.value"], NUMBER
    ),
    **dict.fromkeys(["wounds.body_points.max", "wounds.body_points.current"], NUMBER),
    "credits.value": NUMBER,
    **dict.fromkeys(["chartype.content", "species.content", "description.content"], TEXT),
}
_VEHICLE = {
    **_ATTRIBUTES,
    **dict.fromkeys(["maneuverability.score", "toughness.score", "shields.value"], NUMBER),
    **dict.fromkeys(["crew.value", "sensors.types.scan.score"], NUMBER),
    **dict.fromkeys(["sensors.value", "embedded_pilot.value"], FLAG),
    **dict.fromkeys(["vehicle_type.value", "skill.value"], TEXT),
}
_OWNED = {"cost": NUMBER, "quantity": NUMBER, "equipped.value": FLAG, "description": TEXT}
_SKILL = {"attribute": TEXT, "base": NUMBER, "description": TEXT}
_MOUNTED = {
    **_OWNED,
    **dict.fromkeys(["damage.score", "fire_control.score", "crew.value", "linked.value"], NUMBER),
    **dict.fromkeys(["damage.type", "skill.value"], TEXT),
}
LEAVES: Mapping[str, Mapping[str, type]] = {
    "character": {
        **_COMMON,
        "background.content": TEXT,
        "gender.content": TEXT,
        "metaphysicsextranormal.value": FLAG,
    },
    "npc": _COMMON,
    "vehicle": _VEHICLE,
    "starship": _VEHICLE,
    "skill": _SKILL,
    "specialization": {**_SKILL, "skill": TEXT},
    "weapon": {
        **_OWNED,
        **dict.fromkeys(["range.short", "range.medium", "range.long", "subtype"], TEXT),
        **dict.fromkeys(["damage.type", "stats.attribute", "stats.skill"], TEXT),
        "damage.score": NUMBER,
    },
    "armor": {**_OWNED, "pr": NUMBER, "er": NUMBER},
    "gear": _OWNED,
    "vehicle-gear": _OWNED,
    "starship-gear": _OWNED,
    "vehicle-weapon": _MOUNTED,
    "starship-weapon": _MOUNTED,
    **{name: {"description": TEXT} for name in ["specialability", "advantage", "disadvantage"]},
}
"""The leaves of the system's data models that we write, with their types."""


@cache
def complete(name: str) -> Ruleset:
    """Return a shipped ruleset with its tables, loaded once."""
    found = load_ruleset(rulesets_folder() / name, complete=True)
    assert found.value is not None
    return found.value


def requests_of(*names: str | Path) -> list[ExportRequest]:
    """Return the requests of an export."""
    return select_exports([*map(str, names)], {}).requests


def exported(request: ExportRequest) -> ExportResult:
    """Return the files of a module."""
    return export_foundry(request)


def documents(files: Mapping[str, bytes], kind: str = "Actor") -> list[Document]:
    """Return the documents of a type in all packs of a module."""
    return [one for pack in packs(files).values() for one in pack.get(kind, [])]


def packs(files: Mapping[str, bytes]) -> dict[str, dict[str, list[Document]]]:
    """Return the documents of each pack of a module by type."""
    found: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        folder, _, name = path.rpartition("/")
        if "/packs/" in f"{folder}/":
            found.setdefault(folder, {})[name] = content
    entries = {folder: read_pack(pack, MOST) for folder, pack in found.items()}
    return {
        folder: unpack_entries({key: json.loads(value) for key, value in some.items()})
        for folder, some in entries.items()
    }


def imported(path: Path, content: Any, rules: str) -> ImportResult:
    """Return what an import of JSON gives."""
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return import_foundry(ImportRequest(path, complete(rules), path.parent))


def leaves(data: Any, way: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the leaves of nested data."""
    if isinstance(data, dict):
        for key, below in data.items():
            yield from leaves(below, f"{way}.{key}" if way else key)
    else:
        yield way, data


def comparable(actor: Document) -> Document:
    """Return an actor without what names its module and the place of its picture."""
    gone = ("_id", "folder", "img", "prototypeToken", "flags")
    kept = {key: value for key, value in actor.items() if key not in gone}
    flags = next(iter(actor["flags"].values()), {})
    kept["items"] = [{k: v for k, v in i.items() if k != "_id"} for i in actor["items"]]
    return kept | {"source": flags.get("source")}


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a folder by path."""
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {f"x/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in paths}
