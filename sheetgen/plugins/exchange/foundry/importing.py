"""Import from Foundry: actors become YAML files. Start with `import_foundry`.

An actor that sheetgen exported contains the file that it was exported from. This file is written
again, with what has changed in Foundry since. Other actors are read by the ruleset's map.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from sheetgen.check.character.values import PICTURE_KEYS
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.load.archives import read_bundle
from sheetgen.load.cache import cache_path
from sheetgen.load.characters import RulesetCache
from sheetgen.load.pictures.reader import find_picture
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.pictures import PictureFile, PreparedPicture
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plugins.exchange.formats import (
    ImportRequest,
    ImportResult,
    find_ruleset_name,
    node_data,
)
from sheetgen.plugins.exchange.foundry.changes import ActorChanges, ActorReader, add_remarks
from sheetgen.plugins.exchange.foundry.documents import (
    Document,
    FoundDocument,
    get_leaf,
    read_documents,
    write_source,
)
from sheetgen.plugins.exchange.foundry.export import build_art_file
from sheetgen.plugins.exchange.foundry.mapping import (
    FoundryMap,
    Notes,
    find_other_system,
    load_foundry_map,
)
from sheetgen.prints.characters import Character
from sheetgen.prints.context import file_stem
from sheetgen.readback.merging import check_text
from sheetgen.write.files import drafts_in, free_name, name_key, portable_name, write_draft

MOST_ACTORS: Final = 500
MOST_ITEMS: Final = 30_000  # of all actors together
_MOST_SOURCE: Final = 200_000


def import_foundry(request: ImportRequest) -> ImportResult:
    """Return YAML files for a file, a pack or a module: one an actor."""
    findings: list[Finding] = []
    read, place = load_foundry_map(request.rules), Span(str(request.path))
    findings += read.findings
    if read.value is None:
        if not findings:
            message = f"{request.rules.title} has no map for a system of Foundry"
            hint = "write one, `exports/foundry-….yaml` in the ruleset's folder"
            findings.append(Finding(codes.NOT_IMPORTED, place, message, hint))
        return ImportResult({}, tuple(findings))
    documents = read_documents(request.path, findings)
    actors = [one for one in documents if one.kind == "Actor"]
    importer = _Importer(request, read.value, findings, actors)
    if len(actors) > MOST_ACTORS:
        message = f"there are {len(actors):,} actors; the first {MOST_ACTORS:,} are read"
        findings.append(Finding(codes.TOO_MUCH, place, message, "import the others apart"))
    others = Counter(one.kind for one in documents if one.kind != "Actor")
    for kind, count in others.items():
        message = f"{count:,} documents of the type {kind} are left: only actors are imported"
        findings.append(Finding(codes.NOT_IMPORTED, place, message, "", Severity.NOTE))
    left = MOST_ITEMS
    for one in actors[:MOST_ACTORS]:
        items = one.document.get("items")
        left -= len(items) if isinstance(items, list) else 0
        if left < 0:
            message = f"the actors hold more than {MOST_ITEMS:,} items; the rest is not read"
            findings.append(Finding(codes.TOO_MUCH, one.place, message, "import a part of it"))
            break
        importer.add(one)
    findings += importer.notes.found.values()
    left_out = any(
        f.code is codes.NOT_IMPORTED and f.severity is Severity.WARNING for f in findings
    )
    if not importer.texts and (left_out or not actors) and not errors(findings):
        message = "there is no actor in it that can be imported"
        hint = "name an exported actor, a pack or a module"
        findings.append(Finding(codes.NOT_IMPORTED, place, message, hint))
    return ImportResult(importer.texts, tuple(findings), pictures=importer.pictures)


@dataclass
class _Importer:
    """Adds actors as files, and the findings about them."""

    request: ImportRequest
    plan: FoundryMap
    findings: list[Finding]
    actors: list[FoundDocument]
    notes: Notes = field(default_factory=Notes)
    texts: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, bytes] = field(default_factory=dict)
    cache: RulesetCache = field(default_factory=RulesetCache)

    def add(self, found: FoundDocument) -> None:
        """Add the file of an actor."""
        document, rules = found.document, self.request.rules
        kind, why = _kind_of(document, self.plan, rules)
        if kind is None:
            hint = "import it with another ruleset, or write it by hand"
            finding = Finding(codes.NOT_IMPORTED, found.place, why, hint, Severity.WARNING)
            self.notes.add(why, finding)
            return
        own = self.cache.kind(rules, kind) if kind in rules.kinds else rules
        plan = self.plan.actors[kind]
        notes = Notes()
        fresh = ActorReader(document, plan, self.plan, own, notes, found.place).read()
        stem = file_stem(str(fresh.data["name"]))[:80] or "actor"
        name = free_name(stem, {name_key(portable_name(one)) for one in self.texts}, ".yaml")
        path = (self.request.into or Path()) / name

        def check(text: str) -> Character:
            return check_text(path, text, self.cache, self.request.options)

        source = _source_of(document, rules)
        head = {"ruleset": find_ruleset_name(rules, self.request.into)}
        changes = ActorChanges(document, kind, self.plan, own, found.place, check)
        if source is not None:
            data = changes.merge(source | head, fresh, notes)
        else:
            data = {**head, **({"kind": kind} if kind in rules.kinds else {}), **fresh.data}
            add_remarks(data, fresh.remarks, own)
        data = changes.settle(data, fresh.missed if source is None else ())
        self.findings += changes.findings
        for about, finding in notes.found.items():
            self.notes.add(about, finding)
        self._add_picture(document, data, path, found.place)
        self.texts[name] = write_source(data)
        checked = check(self.texts[name])
        self.findings += [f for f in checked.findings if f.code is not codes.NO_PICTURE]

    def _add_picture(
        self, document: Document, data: dict[str, Any], path: Path, place: Span
    ) -> None:
        """Add the picture of an actor beside its file; without one the file names none."""
        key = next((key for key in PICTURE_KEYS if key in data), PICTURE_KEYS[0])
        named = data.get(key)
        file = named.get("file") if isinstance(named, dict) else named
        if isinstance(file, str) and (path.parent / file).exists():
            return
        content = self._art.get(str(document.get("img")))
        made = self._picture_file(content, path.name) if content is not None else None
        if made is not None:
            suffix, content, _ = made
            new = path.with_suffix(f".{suffix}").name
            self.pictures[new] = content
            data[key] = {**named, "file": new} if isinstance(named, dict) else new
        elif named is not None:
            del data[key]
            written = write_source({key: named}).strip()
            message = f"its picture is not in what is imported; the file lacks `{written}`"
            hint = "copy the picture beside the file, and write this key again"
            code = codes.NO_NAME_FOR
            self.findings.append(Finding(code, place, message, hint, Severity.WARNING))

    @cached_property
    def _art(self) -> Mapping[str, bytes]:
        """Return the pictures of a module or an archive, by the paths that its actors have."""
        paths = {str(one.document.get("img")) for one in self.actors}
        ends = {
            f"/{path}"[m.start() :]: path for path in paths for m in re.finditer("/", f"/{path}")
        }
        read = read_bundle(self.request.path, lambda name: f"/{name}" in ends)
        self.findings += read.findings
        found = ((ends.get(f"/{name}"), content) for name, content in (read.value or {}).items())
        return {path: content for path, content in found if path is not None}

    def _picture_file(self, content: bytes, name: str) -> tuple[str, bytes, PreparedPicture] | None:
        """Return a stranger's picture as a file of ours; what is wrong with it is a finding."""
        with drafts_in(cache_path("drafts")) as drafts:
            draft = write_draft(drafts, content)
            span = Span(str(draft.with_name(name)))
            found = find_picture(PictureFile(Text(draft.name, span)), name)
            wrong = [f for f in found.findings if f.severity is not Severity.NOTE]
            place = Span(str(self.request.path))
            self.findings += [
                replace(f, span=place, message=f.message.replace(draft.name, name)) for f in wrong
            ]
            return build_art_file(found.value, self.findings) if found.value is not None else None


def _kind_of(document: Document, plan: FoundryMap, rules: Ruleset) -> tuple[str | None, str]:
    """Return the kind of an actor; or None, and why it is none."""
    if why := find_other_system(document, plan):
        return None, why
    form = document.get("type")
    data = document.get("system", document.get("data"))
    kinds = [k for k, one in plan.actors.items() if form in (one.reads or (str(one.type),))]
    if not kinds:
        return None, f"{rules.title} has no file for an actor of the type `{str(form)[:40]}`"
    if all(get_leaf(data, leaf) is None for leaf in plan.actors[kinds[0]].rated):
        return None, f"an actor without the values of {plan.system}"
    return kinds[0], ""


def _source_of(document: Document, rules: Ruleset) -> dict[str, Any] | None:
    """Return the file that an actor was exported from; None if it was not, or by other rules."""
    flags = document.get("flags")
    for flag in flags.values() if isinstance(flags, dict) else ():
        ours = isinstance(flag, dict) and "sheetgen" in flag and flag.get("ruleset") == rules.id
        text = flag.get("source") if ours else None
        if isinstance(text, str) and len(text) <= _MOST_SOURCE:
            parsed = parse_yaml(text, "flags")
            root = node_data(parsed.value.root) if parsed.value and parsed.value.root else None
            return root if isinstance(root, dict) else None
    return None
