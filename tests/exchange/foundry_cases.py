"""What the tests of Foundry share: exports and imports in memory, and what the system knows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugins.exchange.export import select_exports
from sheetgen.plugins.exchange.formats import (
    ExportRequest,
    ExportResult,
    ImportRequest,
    ImportResult,
)
from sheetgen.plugins.exchange.foundry.documents import Document, Room, read_pack, unpack_entries
from sheetgen.plugins.exchange.foundry.export import export_foundry
from sheetgen.plugins.exchange.foundry.importing import import_foundry

CHARACTERS = rulesets_folder().parent / "characters"
MAPPED = ("d6-pips", "wound-points", "second-edition-update", "hyperspace-d6")
MOST = 10**9
MODELS: Mapping[str, Any] = yaml.safe_load(
    (Path(__file__).parent / "opend6_space.yaml").read_text("utf-8")
)
TYPES = {
    "str": str,
    "html": str,
    "bool": bool,
    "int": int,
    "num": (int, float),
    "map": dict,
    "list": list,
}
PEOPLE = {"vehicle-weapon", "vehicle-gear", "starship-weapon", "starship-gear"} ^ {*MODELS["items"]}


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
    entries = {folder: read_pack(pack, Room(MOST)) for folder, pack in found.items()}
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


def find_faults(document: Document) -> Iterator[str]:
    """Yield what the data models of the system refuse or drop in an actor or item."""
    form = document["type"]
    model = MODELS["actors"].get(form) or MODELS["items"].get(form)
    if model is None:
        yield f"no type `{form}`"
        return
    if not document["name"].strip():
        yield "no name"
    for fault in _model_faults(document["system"], model):
        yield f"{form}: {fault}"
    for item in document.get("items", ()):
        if item["type"] not in MODELS["held"].get(form, PEOPLE):
            yield f"a {form} holds no {item['type']}"
        yield from find_faults(item)


def _model_faults(value: Any, model: Any, way: str = "system") -> Iterator[str]:
    if isinstance(model, str):
        kind = model.split()[0]
        fits = isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "bool")
        if not fits and not (value is None and kind in ("int", "num")):
            yield f"{way} is {value!r}, not {kind}"
    elif not isinstance(value, dict):
        yield f"{way} is {value!r}, not an object"
    else:
        for name, below in value.items():
            if name in model:
                yield from _model_faults(below, model[name], f"{way}.{name}")
            else:
                yield f"{way}.{name} is unknown"
