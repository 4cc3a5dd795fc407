"""Export to Foundry: a module. Start with `export_foundry`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sheetgen import __version__
from sheetgen.diag.findings import Finding
from sheetgen.exchange.formats import ExportRequest, ExportResult, no_place_note
from sheetgen.exchange.foundry.actors import ActorContext, make_actor
from sheetgen.exchange.foundry.documents import Document, make_id, pack_entries, plain_name
from sheetgen.exchange.foundry.journals import make_credits, make_journals
from sheetgen.exchange.foundry.leveldb import write_pack
from sheetgen.exchange.foundry.listed_things import make_things
from sheetgen.exchange.foundry.mapping import FoundryMap, load_foundry_map
from sheetgen.exchange.foundry.scope import Notes
from sheetgen.load.rulesets.exports import read_licences
from sheetgen.model.build import Build
from sheetgen.model.pictures import Picture, PreparedPicture, credit_pictures
from sheetgen.prints.context import file_stem
from sheetgen.render.pictures.prepare import build_picture_file, prepare_picture
from sheetgen.write.names import free_name, name_key

_PICTURE: Final = 245.0
"""The longer side of a picture in points: 1,020 pixels at 300 dpi."""

_SUFFIXES: Final = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg"}


def build_art_file(
    picture: Picture, findings: list[Finding]
) -> tuple[str, bytes, PreparedPicture] | None:
    """Return a picture as a file, small and without metadata: its extension, and its bytes."""
    part = _PICTURE / max(picture.width, picture.height)
    prepared = prepare_picture(picture, (picture.width * part, picture.height * part))
    findings += prepared.findings
    if prepared.value is None:
        return None
    media, content = build_picture_file(prepared.value)
    return _SUFFIXES.get(media, "png"), content, prepared.value


def module_id(request: ExportRequest) -> str:
    """Return the id of the module of a request, which is its folder's name."""
    stem = re.sub(r"[^a-z0-9]+", "-", str(request.rules.id).lower()).strip("-")
    return f"sheetgen-{stem}" if request.stock else f"sheetgen-{stem}-characters"


def export_foundry(request: ExportRequest) -> ExportResult:
    """Return a module: its manifest, packs, pictures and licence.

    The same request gives the same bytes, and a document has the same id each time. A ruleset
    without a map for a system has journals, roll tables and pictures only.
    """
    module, notes = module_id(request), Notes()
    read = load_foundry_map(request.rules)
    findings = [*read.findings]
    plan = read.value
    art = _Art(module, findings)
    packs: list[tuple[str, str, str, list[Document]]] = []
    if plan is not None:
        packs += _actor_packs(request, ActorContext(module, plan, notes), art)
        if request.stock:
            made = make_things(request.rules, request.options, ActorContext(module, plan, notes))
            items = [document for _, _, document in made]
            packs.append(("things", "Things", "Item", items))
    else:
        for build, _ in request.builds:
            art.add(build)
        if request.characters:
            what = "the actors of this ruleset"
            where = "only tables, screens and pictures are exported; see `exports/` in the guide"
            notes.add("system", no_place_note("foundry", what, where))
    remark = plan.remark if plan is not None else ""
    journals = [make_credits(request, module, remark, art.credits)]
    if request.stock:
        more, rolled = make_journals(request, module, findings)
        journals += more
        packs.append(("tables", "Roll tables", "RollTable", rolled))
    packs.append(("journals", "Journals", "JournalEntry", journals))
    packs = [pack for pack in packs if pack[3]]
    files = {"module.json": _dump(_manifest(request, module, plan, packs)), **art.files}
    licences = [request.rules.credit.long, read_licences(request.rules), art.credits]
    files["LICENSE.txt"] = ("\n\n".join(filter(None, licences)) + "\n").encode()
    for name, _, kind, documents in packs:
        for file, content in write_pack(pack_entries(kind, documents)).items():
            files[f"packs/{name}/{file}"] = content
    named = {f"{module}/{path}": content for path, content in sorted(files.items())}
    return ExportResult(named, (*findings, *notes.found.values()))


class _Art:
    """The pictures of a module, ready to be shown: cropped as on paper, without metadata."""

    def __init__(self, module: str, findings: list[Finding]) -> None:
        self.module, self.findings = module, findings
        self.files: dict[str, bytes] = {}
        self.found: dict[str, str] = {}
        self.lines: dict[str, None] = {}

    @property
    def credits(self) -> str:
        """The credits of all pictures."""
        return "; ".join(self.lines)

    def add(self, build: Build) -> str:
        """Add the first picture of a build; return its path for Foundry, empty without one."""
        for picture in build.pictures.values():
            if picture.digest not in self.found:
                self.found[picture.digest] = self._file(picture, file_stem(build.name))
            return self.found[picture.digest]
        return ""

    def _file(self, picture: Picture, stem: str) -> str:
        made = build_art_file(picture, self.findings)
        if made is None:
            return ""
        suffix, content, prepared = made
        path = free_name(f"art/{stem}", [name_key(name) for name in self.files], f".{suffix}")
        self.files[path] = content
        if credit := credit_pictures((prepared,)):
            self.lines[credit] = None
        return f"modules/{self.module}/{path}"


def _actor_packs(
    request: ExportRequest, context: ActorContext, art: _Art
) -> Iterator[tuple[str, str, str, list[Document]]]:
    """Yield a pack of actors for each kind: name, label, type and documents."""
    found: dict[str, list[Document]] = {}
    folders: dict[tuple[str, str], Document] = {}
    seen: Counter[str] = Counter()
    for build, one in request.builds:
        kind = request.kind_of(one)
        if kind not in context.plan.actors:
            what = f"files of the kind {kind}"
            context.notes.add(kind, no_place_note("foundry", what, "they are left out"))
            continue
        group = build.texts.get("group", "")
        key = f"{kind} {group} {build.name}"
        seen[key] += 1
        actor = make_actor(build, one, kind, context, f"{key} {seen[key]}", art.add(build))
        if group:
            folder = folders.setdefault((kind, group), _folder(context.module, kind, group))
            actor["folder"] = folder["_id"]
        found.setdefault(kind, []).append(actor)
    for kind, actors in found.items():
        known = request.rules.kinds.get(kind)
        label = known.label if known is not None else "Characters"
        shown = [folder for (of, _), folder in folders.items() if of == kind]
        yield file_stem(label), label, "Actor", [*shown, *actors]


def _folder(module: str, kind: str, group: str) -> Document:
    document = {"_id": make_id(module, "folder", kind, group), "name": plain_name(group)}
    return document | {"type": "Actor", "folder": None, "sorting": "a", "sort": 0, "color": None}


def _manifest(
    request: ExportRequest,
    module: str,
    plan: FoundryMap | None,
    packs: list[tuple[str, str, str, list[Document]]],
) -> dict[str, Any]:
    rules = request.rules
    what = "" if request.stock else ": characters"
    least = str(plan.foundry) if plan is not None else "13"
    system = {"system": str(plan.system)} if plan is not None else {}
    manifest: dict[str, Any] = {
        "id": module,
        "title": f"{rules.title}{what}",
        "description": rules.credit.long,
        "version": f"{rules.version}.0.0",
        "authors": [{"name": f"sheetgen {__version__}"}],
        "license": "LICENSE.txt",
        "compatibility": {"minimum": least, "verified": least},
        "packs": [
            {
                "name": name,
                "label": f"{rules.title}: {label}",
                "path": f"packs/{name}",
                "type": kind,
                **(system if kind in ("Actor", "Item") else {}),
            }
            for name, label, kind, _ in packs
        ],
        "packFolders": [
            {"name": f"{rules.title}{what}", "sorting": "a", "packs": [pack[0] for pack in packs]}
        ],
    }
    if plan is not None:
        needed = {"id": str(plan.system), "type": "system", "compatibility": {}}
        manifest["relationships"] = {"systems": [needed]}
    return manifest


def _dump(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
