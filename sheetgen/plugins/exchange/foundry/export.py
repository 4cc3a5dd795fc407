"""Export to Foundry: a module. Start with `export_foundry`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sheetgen import __version__
from sheetgen.diag.findings import Finding
from sheetgen.load.rulesets.kinds import read_licences
from sheetgen.model.build import Build, Owned, Value
from sheetgen.model.pictures import Picture, PreparedPicture, credit_pictures
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Choice, Item
from sheetgen.plan.pages.screens import find_panel_topics
from sheetgen.plan.pages.tables import PlayerWords, TablePage, TableView, plan_table_pages
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult, no_place_note
from sheetgen.plugins.exchange.foundry.actors import (
    ActorContext,
    ItemPart,
    make_actor,
    make_item,
    owned_text,
)
from sheetgen.plugins.exchange.foundry.documents import (
    Document,
    escape_html,
    make_id,
    pack_entries,
    paragraph,
    plain_name,
    table_html,
)
from sheetgen.plugins.exchange.foundry.leveldb import write_pack
from sheetgen.plugins.exchange.foundry.mapping import (
    FoundryMap,
    Notes,
    PartScope,
    load_foundry_map,
    owned_names,
)
from sheetgen.prints.characters import load_stock
from sheetgen.prints.context import file_stem
from sheetgen.render.flow.table_texts import row_texts
from sheetgen.render.pictures.prepare import build_picture_file, prepare_picture
from sheetgen.rules.tables.compute import kind_of_tables
from sheetgen.rules.tables.figures import RulesetScope
from sheetgen.rules.tables.things import ThingScope, tags_of, things
from sheetgen.write.files import free_name, name_key

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


# Journals and roll tables of Foundry: a ruleset's tables, screens and credit.


_DICE: Final = (4, 6, 8, 10, 12, 20, 100)
_ROLLED: Final = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")


def make_journals(
    request: ExportRequest, module: str, findings: list[Finding]
) -> tuple[list[Document], list[Document]]:
    """Return the journals of tables and of each side of the screen; and roll tables."""
    rules = request.rules
    kinds = (kind_of_tables(table.of) for table in rules.tables.values())
    stock = load_stock(rules, filter(None, kinds))
    planned = plan_table_pages(rules, (), request.options, stock=stock)
    findings += planned.findings
    words = PlayerWords(rules.rulings)
    pages = [words.page(page) for page in planned.value or () if any(page.bands)]
    journals = []
    if pages:
        bodies = [(page.label, _page_html(page)) for page in pages]
        journals.append(_journal(module, f"{rules.title}: tables", bodies))
    sides: dict[str, list[tuple[str, str]]] = {}
    for topic in find_panel_topics(rules, (), request.options, findings):
        blocks = []
        for block, rows in (one for column in topic.columns for one in column):
            blocks.append(f"<h3>{escape_html(words.text(str(block.head)))}</h3>")
            cells = [[cell.replace("*", "") for cell in row] for row in rows.rows]
            blocks.append(table_html(cells, rows.heads if block.kind == "grid" else ()))
            blocks += [paragraph("", rows.text)] if rows.text else []
        sides.setdefault(topic.side, []).append((str(topic.panel.title), "".join(blocks)))
    for side, bodies in sides.items():
        journals.append(_journal(module, f"{rules.title}: screen, {side}", bodies))
    rolled = [
        table for page in pages for view in page.tables for table in _rolled(view, page, module)
    ]
    return journals, rolled


def make_credits(request: ExportRequest, module: str, remark: str, pictures: str) -> Document:
    """Return the journal with the credit of the rules and the steps for the reader."""
    credit = request.rules.credit
    lines = [(request.rules.title, credit.long), ("Licence", credit.licence)]
    lines += [("Changes", credit.changes), ("Pictures", pictures), ("In this system", remark)]
    body = "".join(paragraph(label, text) for label, text in lines if text)
    return _journal(module, f"{request.rules.title}: read me", [("Read me", body)])


def _journal(module: str, name: str, pages: Sequence[tuple[str, str]]) -> Document:
    """Return a journal of pages, each a title and its HTML."""
    journal = make_id(module, "journal", name)
    return {
        "_id": journal,
        "name": plain_name(name),
        "pages": [
            {
                "_id": make_id(journal, title, str(number)),
                "name": plain_name(title),
                "type": "text",
                "title": {"show": True, "level": 1},
                "text": {"content": body, "format": 1},
                "sort": 100_000 * number,
                "ownership": {"default": -1},
                "flags": {},
            }
            for number, (title, body) in enumerate(pages, start=1)
        ],
        "categories": [],
        "folder": None,
        "sort": 0,
        "ownership": {"default": 0},
        "flags": {},
    }


def _page_html(page: TablePage) -> str:
    parts = [paragraph("", page.about)] if page.about else []
    for view in page.tables:
        parts += [f"<h2>{escape_html(view.label)}</h2>"] if view.label else []
        parts += [paragraph("", view.about)] if view.about else []
        parts.append(table_html(list(_cells(view)), [c.number + c.unit for c in view.heads]))
        parts += [paragraph(note.mark, note.text) for note in view.notes]
        parts += [paragraph("", view.text)] if view.text else []
    return "".join(parts)


def _cells(view: TableView) -> Iterator[list[str]]:
    for part in view.parts:
        if part.label:
            yield [part.label, *[""] * (len(view.heads) - 1)]
        yield from ([*row_texts(row, marks=True)] for row in part.rows)


def _rolled(view: TableView, page: TablePage, module: str) -> Iterator[Document]:
    """Yield a table whose first cells are the faces of one die; other rows go below it."""
    spans: list[tuple[int, int, str]] = []
    below = [view.text]
    for first, *rest in _cells(view):
        text = "; ".join(filter(None, rest))
        match = _ROLLED.fullmatch(first)
        if match is None:
            below.append(f"{first}: {text}")
        else:
            spans.append((int(match[1]), int(match[2] or match[1]), text))
    spans.sort()
    ends = [0, *(last for _, last, _ in spans)]
    if ends[-1] not in _DICE or any(s != e + 1 for (s, _, _), e in zip(spans, ends, strict=False)):
        return
    name = view.label or page.label
    table = make_id(module, "table", page.id, name)
    yield {
        "_id": table,
        "name": plain_name(name),
        "description": "".join(paragraph("", text) for text in below if text),
        "formula": f"1d{ends[-1]}",
        "replacement": True,
        "displayRoll": True,
        "results": [
            {
                "_id": make_id(table, str(number)),
                "type": "text",
                "name": "",
                "description": escape_html(text),
                "weight": last - first + 1,
                "range": [first, last],
                "drawn": False,
                "flags": {},
            }
            for number, (first, last, text) in enumerate(spans)
        ],
        "folder": None,
        "sort": 0,
        "ownership": {"default": 0},
        "flags": {},
    }


# Export of what a ruleset lists, such as its gear, as items. Start with `make_things`.


def make_things(
    rules: Ruleset, options: Mapping[str, Value], context: ActorContext
) -> Iterator[tuple[str, str, Document]]:
    """Yield the listed things as items, each from the first map that takes it: of, id and item."""
    outer = RulesetScope(rules, options)
    actors = context.plan.actors
    actor = actors.get("character") or next(iter(actors.values()), None)
    attributes = actor.attributes if actor is not None else {}
    taken: set[tuple[str, str]] = set()
    for item in context.plan.things:
        of = str(item.of)
        for id_, thing in things(rules, of).items():
            tags = {*map(str, tags_of(thing))}
            if (of, str(id_)) in taken or (item.where and not tags & {*item.where}):
                continue
            taken.add((of, str(id_)))
            scope = ThingScope(rules, outer, thing)
            owned = _as_owned(str(id_), thing, scope) if isinstance(thing, Item) else None
            names = owned_names(owned, rules, attributes) if owned is not None else {}
            text = [*owned_text(owned, rules)] if owned is not None else []
            if isinstance(thing, Item | Choice):
                text.append(str(scope.value("text") or ""))
            if isinstance(thing, Item) and thing.adds:
                text.append(f"+ {scope.short(str(thing.adds))}")
            special = owned.special if owned is not None else ""
            within, key = PartScope(scope, names), f"{of} {id_}"
            name = str(thing.name) if isinstance(thing, Item | Choice) else str(id_)
            part = ItemPart(name, names, text, special)
            made = make_item(part, item, within, context, f"{context.module} {key}")
            yield of, str(id_), made


def _as_owned(id_: str, item: Item, scope: ThingScope) -> Owned:
    """Return a listed item as if somebody owned one; its damage lacks the trait that it adds."""
    special, conditional, changes = (
        str(scope.value(name) or "") for name in ("special", "conditional", "modifies")
    )
    return Owned(
        key="",
        item=id_,
        name=str(item.name),
        span=item.name.span,
        tags=tuple(map(str, item.tags)),
        dice=item.dice,
        damage=item.dice,
        bonus=item.bonus,
        acting=0,
        special=special,
        conditional=", ".join(filter(None, (conditional, changes))),
    )
