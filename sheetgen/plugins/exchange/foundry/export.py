"""Export to Foundry: a module with its actors, items, journals and tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sheetgen import __version__
from sheetgen.diag.findings import Finding
from sheetgen.load.rulesets.kinds import read_licences
from sheetgen.materials.plates import build_picture_file, prepare_picture
from sheetgen.model.build import Build, Owned, Value, parse_code, pick_line
from sheetgen.model.pictures import Picture, PreparedPicture, credit_pictures
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Choice, Item
from sheetgen.plan.pages.screens import find_panel_topics
from sheetgen.plan.pages.tables import PlayerWords, TablePage, TableView
from sheetgen.plugins.exchange import formats
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult, no_place_note
from sheetgen.plugins.exchange.foundry import documents, mapping
from sheetgen.plugins.exchange.foundry.documents import Document, make_id, paragraph, put_leaf
from sheetgen.plugins.exchange.markdown import list_table_pages
from sheetgen.prints.characters import Character
from sheetgen.records import frozen
from sheetgen.render.flow.table_pages import row_texts
from sheetgen.rules.formulas.evaluate import Scope, holds, number_text
from sheetgen.rules.index import file_stem, index_of
from sheetgen.rules.tables.things import RulesetScope, ThingScope, tags_of, things
from sheetgen.write import free_name, name_key

_PICTURE: Final = 245.0  # The longer side of a picture in points: 1,020 pixels at 300 dpi
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


def export_foundry(request: ExportRequest) -> ExportResult:
    """Return a module: its manifest, packs, pictures and licence.

    The same request gives the same bytes, and a document has the same id each time. A ruleset
    without a map for a system has journals, roll tables and pictures only.
    """
    stem = re.sub(r"[^a-z0-9]+", "-", str(request.rules.id).lower()).strip("-")
    module = f"sheetgen-{stem}" if request.stock else f"sheetgen-{stem}-characters"
    read, notes = mapping.load_foundry_map(request.rules), mapping.Notes()
    plan, findings = read.value, [*read.findings]
    art = _Art(module, findings)
    packs: list[tuple[str, str, str, list[Document]]] = []
    if plan is not None:
        context = ActorContext(module, plan, notes)
        packs += _actor_packs(request, context, art)
        if request.stock:
            made = make_things(request.rules, request.options, context)
            packs.append(("things", "Things", "Item", [*made]))
    else:
        for build, _ in request.builds:
            art.add(build)
        if request.characters:
            what = "the actors of this ruleset"
            where = "only tables, screens and pictures are exported; see `exports/` in the guide"
            notes.add("system", no_place_note("foundry", what, where))
    remark = plan.remark if plan is not None else ""
    credit, title = request.rules.credit, request.rules.title
    lines = [(title, credit.long), ("Licence", credit.licence), ("Changes", credit.changes)]
    lines += [("Pictures", art.credits), ("In this system", remark)]
    body = "".join(paragraph(label, text) for label, text in lines if text)
    journals = [_journal(module, f"{title}: read me", [("Read me", body)])]
    if request.stock:
        more, rolled = make_journals(request, module, findings)
        journals += more
        packs.append(("tables", "Roll tables", "RollTable", rolled))
    packs.append(("journals", "Journals", "JournalEntry", journals))
    packs = [pack for pack in packs if pack[3]]
    title = title if request.stock else f"{title}: characters"
    least = str(plan.foundry) if plan is not None else "13"
    system = {"system": str(plan.system)} if plan is not None else {}
    manifest: dict[str, Any] = {
        "id": module,
        "title": title,
        "description": credit.long,
        "version": f"{request.rules.version}.0.0",
        "authors": [{"name": f"sheetgen {__version__}"}],
        "license": "LICENSE.txt",
        "compatibility": {"minimum": least, "verified": least},
        "packs": [
            {"name": name, "label": f"{request.rules.title}: {label}", "path": f"packs/{name}"}
            | {"type": kind, **(system if kind in ("Actor", "Item") else {})}
            for name, label, kind, _ in packs
        ],
        "packFolders": [{"name": title, "sorting": "a", "packs": [pack[0] for pack in packs]}],
    }
    if plan is not None:
        needed = {"id": str(plan.system), "type": "system", "compatibility": {}}
        manifest["relationships"] = {"systems": [needed]}
    text = json.dumps(manifest, ensure_ascii=False, indent=2)
    files = {"module.json": f"{text}\n".encode(), **art.files}
    licences = [credit.long, read_licences(request.rules), art.credits]
    files["LICENSE.txt"] = ("\n\n".join(filter(None, licences)) + "\n").encode()
    for name, _, kind, packed in packs:
        for file, content in documents.write_pack(documents.pack_entries(kind, packed)).items():
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
        return "; ".join(self.lines)

    def add(self, build: Build) -> str:
        """Add the first picture of a build; return its path for Foundry, empty without one."""
        for picture in build.pictures.values():
            if picture.digest not in self.found:
                self.found[picture.digest] = ""
                if made := build_art_file(picture, self.findings):
                    stem = f"art/{file_stem(build.name)}"
                    path = free_name(stem, [name_key(name) for name in self.files], f".{made[0]}")
                    self.files[path] = made[1]
                    self.found[picture.digest] = f"modules/{self.module}/{path}"
                    if credit := credit_pictures(made[2:]):
                        self.lines[credit] = None
            return self.found[picture.digest]
        return ""


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
            actor["folder"] = make_id(context.module, "folder", kind, group)
            folder = {"_id": actor["folder"], "name": documents.plain_name(group), "type": "Actor"}
            more = {"folder": None, "sorting": "a", "sort": 0, "color": None}
            folders.setdefault((kind, group), folder | more)
        found.setdefault(kind, []).append(actor)
    for kind, actors in found.items():
        known = request.rules.kinds.get(kind)
        label = known.label if known is not None else "Characters"
        shown = [folder for (of, _), folder in folders.items() if of == kind]
        yield file_stem(label), label, "Actor", [*shown, *actors]


_DICE: Final = (4, 6, 8, 10, 12, 20, 100)
_ROLLED: Final = re.compile(r"(\d{1,3})(?:\s*[–-]\s*(\d{1,3}))?")


def make_journals(
    request: ExportRequest, module: str, findings: list[Finding]
) -> tuple[list[Document], list[Document]]:
    """Return the journals of tables and of each side of the screen; and roll tables."""
    rules = request.rules
    words, pages = PlayerWords(rules.rulings), [*list_table_pages(request, findings)]
    bodies = []
    for page in pages:
        parts = [paragraph("", page.about)] if page.about else []
        for view in page.tables:
            parts += [f"<h2>{documents.escape_html(view.label)}</h2>"] if view.label else []
            parts += [paragraph("", view.about)] if view.about else []
            parts.append(
                documents.table_html(list(_cells(view)), [c.number + c.unit for c in view.heads])
            )
            parts += [paragraph(note.mark, note.text) for note in view.notes]
            parts += [paragraph("", view.text)] if view.text else []
        bodies.append((page.label, "".join(parts)))
    journals = [_journal(module, f"{rules.title}: tables", bodies)] if pages else []
    sides: dict[str, list[tuple[str, str]]] = {}
    for topic in find_panel_topics(rules, (), request.options, findings):
        blocks = []
        for block, rows in (one for column in topic.columns for one in column):
            blocks.append(f"<h3>{documents.escape_html(words.text(str(block.head)))}</h3>")
            cells = [[cell.replace("*", "") for cell in row] for row in rows.rows]
            blocks.append(documents.table_html(cells, rows.heads if block.kind == "grid" else ()))
            blocks += [paragraph("", rows.text)] if rows.text else []
        sides.setdefault(topic.side, []).append((str(topic.panel.title), "".join(blocks)))
    for side, bodies in sides.items():
        journals.append(_journal(module, f"{rules.title}: screen, {side}", bodies))
    tables = (_rolled(view, page, module) for page in pages for view in page.tables)
    return journals, [table for table in tables if table is not None]


_LOOSE: Final = {"folder": None, "sort": 0, "ownership": {"default": 0}, "flags": {}}


def _journal(module: str, name: str, pages: Sequence[tuple[str, str]]) -> Document:
    """Return a journal of pages, each a title and its HTML."""
    journal = make_id(module, "journal", name)
    return {
        "_id": journal,
        "name": documents.plain_name(name),
        "pages": [
            {
                "_id": make_id(journal, title, str(number)),
                "name": documents.plain_name(title),
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
        **_LOOSE,
    }


def _cells(view: TableView) -> Iterator[list[str]]:
    for part in view.parts:
        if part.label:
            yield [part.label, *[""] * (len(view.heads) - 1)]
        yield from ([*row_texts(row, marks=True)] for row in part.rows)


def _rolled(view: TableView, page: TablePage, module: str) -> Document | None:
    """Return a table whose first cells are the faces of one die; other rows go below it."""
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
        return None
    name = view.label or page.label
    table = make_id(module, "table", page.id, name)
    return {
        "_id": table,
        "name": documents.plain_name(name),
        "description": "".join(paragraph("", text) for text in below if text),
        "formula": f"1d{ends[-1]}",
        "replacement": True,
        "displayRoll": True,
        "results": [
            {
                "_id": make_id(table, str(number)),
                "type": "text",
                "name": "",
                "description": documents.escape_html(text),
                "weight": last - first + 1,
                "range": [first, last],
                "drawn": False,
                "flags": {},
            }
            for number, (first, last, text) in enumerate(spans)
        ],
        **_LOOSE,
    }


def make_things(
    rules: Ruleset, options: Mapping[str, Value], context: ActorContext
) -> Iterator[Document]:
    """Yield the listed things as items, each from the first map that takes it."""
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
            scope, special = ThingScope(rules, outer, thing), ""
            names: Mapping[str, Value] = {}
            text: list[str] = []
            if isinstance(thing, Item):  # as if somebody owned one
                parts = ("special", "conditional", "modifies")
                special, *changes = (str(scope.value(name) or "") for name in parts)
                owned = Owned(
                    key="",
                    item=str(id_),
                    name=str(thing.name),
                    span=thing.name.span,
                    tags=tuple(map(str, thing.tags)),
                    dice=thing.dice,
                    damage=thing.dice,  # without the trait that it adds
                    bonus=thing.bonus,
                    acting=0,
                    special=special,
                    conditional=", ".join(filter(None, changes)),
                )
                names = mapping.owned_names(owned, rules, attributes)
                text = [*owned_text(owned, rules)]
            if isinstance(thing, Item | Choice):
                text.append(str(scope.value("text") or ""))
            if isinstance(thing, Item) and thing.adds:
                text.append(f"+ {scope.short(str(thing.adds))}")
            within, key = mapping.PartScope(scope, names), f"{of} {id_}"
            name = str(thing.name) if isinstance(thing, Item | Choice) else str(id_)
            part = ItemPart(name, names, text, special)
            yield make_item(part, item, within, context, f"{context.module} {key}")


SCHEMA: Final = 1  # The version of what is in the flags
_NARROW: Final = re.compile(r"(.+?)\s*\((.+)\)\s*(\S+)")  # `Trait (narrow use) CODE`
_ALWAYS: Final = ("ruleset", "kind", "name", "portrait", "art")


@frozen
class ActorContext:
    """What all actors of a module share."""

    module: str
    plan: mapping.FoundryMap
    notes: mapping.Notes


@frozen
class ItemPart:
    """A thing of a build or a ruleset that becomes an item: its names in formulas, and its text."""

    name: str
    names: Mapping[str, Value]
    text: Sequence[str]
    special: str = ""


def make_actor(
    build: Build, one: Character, kind: str, context: ActorContext, key: str, image: str = ""
) -> Document:
    """Return the actor of a build; `kind` is a key of the map's `actors`, `image` a path.

    Args:
        key: The text that the actor's id is computed from, unique in the module.
    """
    rules, plan = one.rules, context.plan.actors[kind]
    assert rules is not None
    scope, notes = mapping.ExportScope(build, rules), context.notes
    system: Document = {}
    for leaf, trait in plan.rated.items():
        rating = build.ratings.get(str(trait))
        put_leaf(system, leaf, rating.total * context.plan.pips if rating else 0)
    _put_leaves(system, plan, scope, notes)
    for leaf, name in plan.words.items():
        put_leaf(system, leaf, str(scope.value(str(name)) or ""))
    items: list[Document] = []
    seen: Counter[str] = Counter()
    for of in dict.fromkeys(str(each.of) for each in plan.items):
        maps = [each for each in plan.items if each.of == of]
        for part in _parts(build, rules, of, plan.attributes):
            within = mapping.PartScope(scope, part.names)
            tags = {name.removeprefix("tag.") for name in part.names if name.startswith("tag.")}
            item = next((each for each in maps if not each.where or tags & {*each.where}), None)
            when = item.when if item is not None else None
            if item is not None and (not when or notes.compute(when, within, holds)):
                place = f"{of} {part.name}"
                seen[place] += 1
                made = make_item(part, item, within, context, f"{key} {place} {seen[place]}")
                items.append(made)
    rest = [*_remaining(build, one, plan, notes)]
    for number, (leaf, keys) in enumerate(plan.prose.items()):
        parts: list[str] = []
        for id_ in map(str, keys):
            label = rules.character[id_].label if id_ in rules.character else id_
            if text := build.texts.get(id_, ""):
                parts.append(paragraph(label, text))
            if lines := build.lists.get(id_, ()):
                listed = "".join(f"<li>{documents.escape_html(line)}</li>" for line in lines)
                parts.append(f"{paragraph(label, '')}<ul>{listed}</ul>")
        if keys or not number:
            put_leaf(system, leaf, "".join([*parts, *([] if number else rest)]))
    if plan.remarks is not None and not plan.prose and rest:
        form = notes.text(plan.remarks, scope)
        items.append(_item("Notes", form, {"description": "".join(rest)}, key, "remarks"))
    title = documents.plain_name(build.name)
    token: Document = {"name": title, "actorLink": plan.linked, "disposition": plan.disposition}
    token |= {"texture": {"src": image}} if image else {}
    head = {"ruleset": str(rules.id), **({"kind": kind} if one.kind is not None else {})}
    source = documents.write_source(head | formats.source_data(one.source) | head)
    flags = {"sheetgen": SCHEMA, "ruleset": str(rules.id), "source": source}
    return {
        "_id": make_id(context.module, "actor", key),
        "name": title,
        "type": notes.text(plan.type, scope),
        "folder": None,
        "sort": 0,
        "ownership": {"default": 0},
        "prototypeToken": token,
        "system": system,
        "items": [item | {"sort": 100_000 * n} for n, item in enumerate(items, start=1)],
        "effects": [],
        "flags": {context.module: flags},
    } | ({"img": image} if image else {})


def _put_leaves(
    system: Document, plan: mapping.ActorMap | mapping.ItemMap, scope: Scope, notes: mapping.Notes
) -> None:
    for leaf, formula in plan.values.items():
        value = notes.value(formula, scope)
        if isinstance(value, bool | int | str):
            put_leaf(system, leaf, value)
    for leaf, words in plan.texts.items():
        put_leaf(system, leaf, notes.text(words, scope))


def make_item(
    part: ItemPart, item: mapping.ItemMap, scope: mapping.PartScope, context: ActorContext, key: str
) -> Document:
    """Return the item of a part; its id is computed from `key`."""
    system: Document = {}
    notes = context.notes
    for leaf, name in item.rated.items():
        value = scope.value(str(name))
        put_leaf(system, leaf, value * context.plan.pips if isinstance(value, int) else 0)
    _put_leaves(system, item, scope, notes)
    for word, leaves in item.numbers_after.items():
        pattern = rf"\b{re.escape(word)}\s+" + "/".join([r"([^\s/;,]{0,20})"] * len(leaves))
        match = re.search(pattern, part.special)
        for number, leaf in enumerate(leaves, start=1):
            put_leaf(system, str(leaf), match[number] if match else "")
    put_leaf(system, "description", "".join(paragraph("", line) for line in part.text if line))
    return _item(part.name, notes.text(item.type, scope), system, context.module, key)


def _item(name: str, form: str, system: Document, *key: str) -> Document:
    item = {"_id": make_id(*key, "item"), "name": documents.plain_name(name), "type": form}
    return {**item, "system": system, "effects": [], "flags": {}}


def _parts(
    build: Build, rules: Ruleset, of: str, attributes: Mapping[str, str]
) -> Iterator[ItemPart]:
    index = index_of(rules)
    if of in rules.groups:
        for rating in build.ratings.values():
            if rating.group == of:
                trait = index.traits[rating.id][1] if rating.id in index.traits else None
                text = (rating.detail, str(trait.text) if trait is not None else "")
                above = str(trait.under or "") if trait is not None else ""
                names = mapping.attribute_names(above, attributes)
                names |= {"name": rating.name, "own": rating.own, "total": rating.total}
                yield ItemPart(index.titles.get(rating.id, rating.name), names, text)
    for owned in build.items:
        if owned.key == of:
            names = mapping.owned_names(owned, rules, attributes)
            yield ItemPart(owned.name, names, [*owned_text(owned, rules)], owned.special)
    for pick in build.picks:
        if pick.key == of:
            line = pick_line(pick, build)
            yield ItemPart(line, {"name": line}, (pick.text,))
    for line in build.lists.get(of, ()):
        match = _NARROW.fullmatch(line)
        found = index.all_traits.find(match[1]) if match else ()
        own = parse_code(match[3], pips=rules.pips) if match else ""
        if match is not None and len(found) == 1 and isinstance(own, int):
            above = str(index.traits[found[0]][1].under or "")
            own -= build.ratings[above].total if above in build.ratings else 0
            names = mapping.attribute_names(above, attributes)
            names |= {"name": match[2], "skill": index.titles[found[0]], "own": own}
            yield ItemPart(match[2], names, (line,))
        else:
            yield ItemPart(line.partition(":")[0][:60], {"name": line}, (line,))


def owned_text(owned: Owned, rules: Ruleset) -> Iterator[str]:
    """Yield what an item does besides its numbers."""
    yield owned.special
    yield owned.conditional
    yield from (f"{name} {text}" for name, text in owned.rolled.items())
    changes = ((rules.derived[id_].label, n) for id_, n in owned.modifies.items() if n)
    yield ", ".join(f"{label} {number_text(n) if n < 0 else f'+{n}'}" for label, n in changes)


def _remaining(
    build: Build, one: Character, plan: mapping.ActorMap, notes: mapping.Notes
) -> Iterator[str]:
    """Yield as HTML what the system has no place for, and report each kind of it once."""
    rules = one.rules
    assert rules is not None
    index, where = index_of(rules), "it is in the text"
    placed = {*_ALWAYS, *map(str, plan.covers), *plan.read, *map(str, plan.words.values())}
    placed |= {str(key) for some in plan.prose.values() for key in some}
    placed |= {str(item.of) for item in plan.items}
    traits = map(str, plan.rated.values())
    rated = {index.traits[trait][0] for trait in traits if trait in index.traits}
    for id_, rule in rules.character.items():
        of = {*map(str, rule.of or (id_,))}
        if rule.kind in ("codes", "raises", "ratings") and of & (rated | placed):
            placed.add(str(id_))
    for raw, value in formats.source_data(one.source).items():
        found = index.keys.find(raw)
        key = found[0] if found else raw
        if key in placed or value in ("", None, [], {}):
            continue
        label = rules.character[key].label if key in rules.character else raw.capitalize()
        notes.add(f"key {key}", no_place_note("foundry", f"`{key}`", where))
        yield paragraph(label, documents.plain_value(value))
    shown = [build.derived[str(i)] for i in plan.figures if str(i) in build.derived]
    if shown:
        labels = ", ".join(value.label for value in shown)
        notes.add("figures", no_place_note("foundry", labels, "the text shows them"))
        yield documents.table_html((value.label, value.shown) for value in shown)
