"""Markdown: texts of builds, encounters and rulesets; and vaults of Obsidian, out and back.

A note of a vault records what was exported. A property that differs from the record was changed in
the vault; if the file has changed there as well, to something else, that is a conflict, and the
file keeps its own.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.load.catalogues import SheetRow
from sheetgen.load.characters import RulesetCache
from sheetgen.load.files import files_below, read_text
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.format import quote_yaml
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build, pick_line, rolled_text
from sheetgen.model.rulesets.prints import OddsGrid
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, items_of, raw_text
from sheetgen.plan.cards.kinds import build_thing_subject
from sheetgen.plan.pages.encounters import Run, TrackView, plan_fight
from sheetgen.plan.pages.tables import PlayerWords, TablePage, plan_table_pages
from sheetgen.plan.sheets.view import trait_notes
from sheetgen.plugins.exchange import formats, rosters
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult, find_pictures
from sheetgen.plugins.exchange.pasted.blocks import import_text
from sheetgen.prints.characters import Character, load_character_file, load_stock
from sheetgen.prints.encounter import CheckedEncounter
from sheetgen.readback.merging import MergedFile, check_text
from sheetgen.readback.topics import Change
from sheetgen.records import frozen
from sheetgen.render.flow.table_pages import (
    format_markdown,
    format_markdown_page,
    format_markdown_table,
)
from sheetgen.rules.index import file_stem, folded, index_of
from sheetgen.rules.tables.compute import kind_of_tables
from sheetgen.rules.tables.things import RulesetScope, ThingScope, tags_of, things
from sheetgen.write import free_name, name_key, portable_name

VAULT_NOTE: Final = "sheetgen-vault.md"  # The note by which `sheetgen import` knows a vault
RECORD: Final = "sheetgen-record:"  # Begins the hidden comment with what was exported
OBSIDIAN_KEYS: Final = frozenset({"tags", "cssclasses", "statblock", "sheetgen"})
"""Properties of the note, not of the character."""

MOST_NOTES: Final = 1_000
_MOST_COLUMNS: Final = 10  # Traits of a group that is a table; a larger group is a line of text
_FENCE: Final = "---"
_MARKUP: Final = re.compile(r"(?<!\\)(%(?=%)|=(?==)|\$|#(?=[\w/])|\^(?=\w))")
_NOT_IN_NAMES: Final = re.compile(r"[#|^:%\[\]\\/<>*?\"\x00-\x1f]+")
_STEPS: Final = (
    "Exported by sheetgen. Notes of characters show a statblock if the plugin Fantasy Statblocks "
    "is installed: import the layouts in the folder `sheetgen-layouts` in its settings. "
    "`sheetgen import` brings changed properties back into the YAML files; what is written below "
    "the properties stays in the vault."
)


def export_markdown(request: ExportRequest) -> ExportResult:
    """Return a text for each build and encounter; of a ruleset also its cards and tables."""
    files: dict[str, bytes] = {}
    subjects: dict[str, tuple[str, ...]] = {}

    def put(stem: str, text: str, subject: str = "") -> None:
        taken = [name_key(name) for name in files]
        name = free_name(file_stem(stem), taken, ".md")
        files[name], subjects[name] = text.encode(), (subject,)

    for encounter in request.encounters:
        text = format_encounter(encounter)
        put(encounter.stem, text, encounter.encounter.title if encounter.encounter else "")
    for build, one in request.builds:
        rules = one.rules or request.rules
        blocks = [f"# {escape_markdown(build.name or 'no name')}", *format_body(build, rules)]
        put(one.stem, "\n\n".join([*blocks, *format_credit(rules)]) + "\n", build.name)
    sets: dict[str, list[str]] = {}
    for label, name, texts in list_things(request) if request.stock else ():
        blocks = sets.setdefault(label, [f"# {escape_markdown(label)}"])
        blocks += [f"## {escape_markdown(name)}", *format_thing(texts)]
    for label, blocks in sets.items():
        text = "\n\n".join([*blocks, *format_credit(request.rules)]) + "\n"
        put(f"{request.rules.id}-{label}", text)
    if pages := [*list_table_pages(request)] if request.stock else []:
        credit = "\n\n".join(format_credit(request.rules))
        text = format_markdown(pages, request.rules.title, credit)
        put(f"{request.rules.id}-tables", text)
    return ExportResult(files, find_pictures("markdown", request), subjects)


def format_encounter(checked: CheckedEncounter) -> str:
    """Return an encounter as Markdown, the credit of its rules last."""
    encounter = checked.encounter
    assert encounter is not None
    rules, page = encounter.rules, encounter.rules.encounter
    assert page is not None
    fight = plan_fight(encounter.title, checked.players, checked.fighters, page)
    blocks = [f"# {escape_markdown(fight.title)}"]
    if encounter.notes:
        blocks.append(escape_markdown(encounter.notes))
    for section in fight.sections:
        heading = section.words
        columns = [*heading.figures, *heading.steps]
        rows = [["Name", page.init, *(column.label for column in columns)]]
        rows += ([one.name, "", *map(one.figure, columns)] for one in section.players)
        for strip in section.strips:
            rows.append([strip.name, *map(_run_text, (strip.corner, *strip.figures, *strip.steps))])
        blocks.append(f"## {escape_markdown(heading.label)}")
        blocks.append(format_markdown_table(rows, [False, *[True] * (len(rows[0]) - 1)]))
        for strip in section.strips:
            lines = [_track_text(track, strip.track_label) for track in strip.tracks]
            lines.append(escape_markdown(", ".join(f"{name} {v}" for name, v in strip.sides)))
            for runs in strip.lines:
                lines.append(escape_markdown(" ".join(f"{_run_text(r)}{r.end}" for r in runs)))
            listed = "\n".join(f"- {line}" for line in lines if line)
            if strip.about or listed:
                blocks.append(f"### {escape_markdown(strip.name)}")
            blocks += [escape_markdown(strip.about)] if strip.about else []
            blocks += [listed] if listed else []
    words = PlayerWords(rules.rulings)
    blocks += [b for table in checked.tables for b in format_markdown_page(words.page(table))]
    return "\n\n".join([*blocks, *format_credit(rules)]) + "\n"


def _track_text(track: TrackView, label: str) -> str:
    boxes = [f"{'☒' if marked else '☐'} {text}".strip() for text, marked in track.boxes]
    states = [f"{'☒' if marked else '☐'} {text}" for text, marked in track.states]
    states += [
        f"{label} {'☐' * count or '____'}" for label, count in (*track.counters, *track.behind)
    ]
    shown = escape_markdown(" ".join(filter(None, [*boxes, track.end, track.suffix, *states])))
    head = escape_markdown(" ".join(filter(None, (track.name, label))))
    return f"**{head}**: {shown}" if head and shown else shown


def _run_text(run: Run) -> str:
    return f"{run.text}{run.small} {run.unit}".strip()


_SIGNS = re.compile(r"[\\`*_\[\]<>|~]|&(?=#?\w+;)")
_SIGN_AT_START = re.compile(r"^(\s*)([#+=-])", re.MULTILINE)
_NUMBER_AT_START = re.compile(r"^(\s*)(\d+)(?=[.)])", re.MULTILINE)


def escape_markdown(text: str) -> str:
    """Return `text` as one paragraph in which nothing is markup; ends of lines are kept."""
    text = _SIGNS.sub(lambda found: f"\\{found[0]}", text.strip())
    text = _NUMBER_AT_START.sub(r"\2\\", _SIGN_AT_START.sub(r"\\\2", text))
    return "\\\n".join(line.strip() for line in text.splitlines() if line.strip())


def format_credit(rules: Ruleset) -> tuple[str, str]:
    """Return the credit and the licence of a ruleset as two blocks of Markdown."""
    licence = f"{rules.credit.short} Licence: {rules.credit.licence}."
    return "---", escape_markdown(licence)


def format_body(build: Build, rules: Ruleset) -> Iterator[str]:
    """Yield the blocks of a build: facts, tables with their headings, notes."""
    facts = [(p.catalogue, pick_line(p, build)) for p in build.picks]
    labels = {str(id_): key.label or str(id_) for id_, key in rules.character.items()}
    short = {id_: text for id_, text in build.texts.items() if "\n" not in text and id_ != "name"}
    named = [(labels.get(id_, id_), text) for id_, text in short.items()]
    named += [(key, one.summary) for key, one in build.pictures.items()]
    yield from _list_facts((k, v) for k, v in facts + named if v)
    for id_, group in rules.groups.items():
        held = [r for r in build.ratings.values() if r.group == id_ and (r.own or r.total)]
        if held:
            yield f"## {escape_markdown(group.label or str(id_))}"
            rows = [["Name", "Rating", "Own", "From"]]
            for one in held:
                own = rules.rating_text(one.group, one.own) if one.own != one.total else ""
                why = ", ".join(f"{p.why} {p.steps:+d}" for p in one.parts)
                name = f"{one.name} {trait_notes(build, rules, one.id)}".strip()
                rows.append([name, rules.rating_text(one.group, one.total), own, why])
            yield format_markdown_table(rows, [False, True, True, False])
    derived = [d for d in build.derived.values() if d.label]
    if derived:
        yield "## Derived values"
        cells = [[d.label, d.shown if d.value is not None else "?", d.how] for d in derived]
        yield format_markdown_table([["Name", "Value", "How"], *cells], [False, True, False])
    if build.items:
        yield "## Gear"
        rows = [["Name", "Count", "Attack", "Damage", "Notes"]]
        for item in build.items:
            dice = [rolled_text(item, what, pips=rules.pips) for what in ("attack", "damage")]
            notes = "; ".join(filter(None, (item.special, item.conditional)))
            rows.append([item.name, str(item.count), *dice, notes])
        yield format_markdown_table(rows, [False, True, True, True, False])
    for id_, listed in build.lists.items():
        if listed:
            yield f"## {escape_markdown(labels.get(id_, id_))}"
            yield "\n".join(f"- {escape_markdown(line)}" for line in listed)
    for ledger in build.ledgers.values():
        if ledger.lines:
            rows = [["Session", "What", "Gained", "Cost", "Left"]]
            for line in ledger.lines:
                figures = map(str, (line.gained, line.cost, line.left))
                rows.append([line.session, line.what, *figures])
            yield f"## {escape_markdown(ledger.label)}"
            yield format_markdown_table(rows, [False, False, True, True, True])
    for id_, text in build.texts.items():
        if "\n" in text:
            yield f"## {escape_markdown(labels.get(id_, id_))}"
            yield escape_markdown(text)


def _list_facts(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    lines = [f"- **{escape_markdown(name)}**: {escape_markdown(text)}" for name, text in facts]
    yield from ("\n".join(lines),) if lines else ()


def list_things(request: ExportRequest) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield the card set, the name and the texts of each thing that has a card.

    Raises:
        FormulaError: A text cannot be computed.
    """
    rules, scope = request.rules, RulesetScope(request.rules, request.options)
    for set_id, cards in rules.card_sets.items():
        for of in cards.of:
            for thing in things(rules, str(of)).values():
                if isinstance(thing, OddsGrid) or any(t in cards.without for t in tags_of(thing)):
                    continue
                subject = build_thing_subject(cards, ThingScope(rules, scope, thing))
                yield cards.label or str(set_id), subject.name, subject.texts


def list_table_pages(
    request: ExportRequest, findings: list[Finding] | None = None
) -> Iterator[TablePage]:
    """Yield the pages of reference tables, in players' words; `findings` receives what is wrong."""
    rules = request.rules
    kinds = filter(None, (kind_of_tables(table.of) for table in rules.tables.values()))
    words, stock = PlayerWords(rules.rulings), load_stock(rules, kinds)
    planned = plan_table_pages(rules, (), request.options, stock=stock)
    if findings is not None:
        findings += planned.findings
    yield from (words.page(page) for page in planned.value or () if any(page.bands))


def format_thing(texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of a thing as blocks: a list of its facts, and its sections."""
    yield from _list_facts(
        (name.replace("_", " "), text)
        for name, text in texts.items()
        if text.strip() and name != "name" and "." not in name
    )
    for name, label in texts.items():
        stem, _, last = name.rpartition(".")
        if last == "label" and f"{stem}.text" in texts:
            yield f"### {escape_markdown(label)}"
            yield escape_markdown(texts[f"{stem}.text"])


# Vaults of Obsidian -----------------------------------------------------------------------------


def export_vault(request: formats.ExportRequest) -> formats.ExportResult:
    """Return a vault: a folder for the ruleset, layouts, and a note about the vault."""
    rules, ruleset = request.rules, str(request.rules.id)
    root = note_name(rules.title)
    notes: dict[str, str] = {}
    names: dict[str, str] = {}  # paths by the name of what they are about
    taken: set[str] = set()

    def reserve(folder: str, name: str) -> str:
        path = free_name(f"{root}/{note_name(folder)}/{note_name(name)}", taken, gap=" ")
        taken.add(name_key(portable_name(path)))
        notes[path] = ""
        names.setdefault(name, path)
        return path

    def add(folder: str, name: str, tag: str, blocks: Iterable[str]) -> None:
        head = format_properties({"tags": [_tag(ruleset), _tag(tag)]})
        notes[reserve(folder, name)] = "\n\n".join([head, *map(escape_obsidian, blocks)]) + "\n"

    if request.stock:
        for folder, name, texts in list_things(request):
            parts = [*format_thing(texts), *format_credit(rules)]
            add(folder, name, folder, parts)
        for page in list_table_pages(request):
            short = escape_markdown(rules.credit.short)
            text = format_markdown([page], page.label, short)
            add("Tables", page.label, "table", [text.strip()])
    paths = []
    for build, one in request.builds:
        known = rules.kinds.get(request.kind_of(one))
        folder = known.label or known.one if known is not None else "Characters"
        paths.append(reserve(folder, build.name))
    layouts: dict[str, tuple[str, list[dict[str, Any]]]] = {}  # names and blocks
    called = Counter(name_key(one.path.name) for _, one in request.builds)
    for path, (build, one) in zip(paths, request.builds, strict=True):
        kind = request.kind_of(one)
        assert one.rules is not None
        listed = [*_list_blocks(one.rules, build)]
        blocks = [
            {"type": type_, "id": f"block-{number}", "properties": [name], **more}
            for number, (type_, name, _, more) in enumerate(listed, start=1)
        ]
        layout = f"Sheetgen {one.rules.id} {kind}", blocks
        layout = layouts.setdefault(one.rules.digest, layout)
        statblock = _format_statblock(layout[0], {name: value for _, name, value, _ in listed})
        mentioned = [*(pick.name for pick in build.picks), *(item.name for item in build.items)]
        links = [f"{names[name]}|{note_name(name)}" for name in mentioned if name in names]
        checked = ruleset if one.several and request.stock else ""
        file = one.path.name if called[name_key(one.path.name)] == 1 else f"{one.stem}.yaml"
        file = "" if one.several else file
        notes[path] = _format_note(one, build, kind, statblock, links, checked, file)
    files = {f"{path}.md": text.encode() for path, text in notes.items()}
    for name, blocks in layouts.values():
        id_ = "".join(c if c.isalnum() else "-" for c in name.lower())
        data = {"name": name, "id": id_, "diceParsing": [], "blocks": blocks, "_seal": PLACEHOLDER}
        text = json.dumps(data, ensure_ascii=False, indent=1)
        files[f"sheetgen-layouts/{note_name(name)}.json"] = f"{text}\n".encode()
    head = format_properties({"tags": ["sheetgen/vault"]})
    credit = escape_markdown(rules.credit.long), format_credit(rules)[1]
    note = "\n\n".join([head, *map(escape_obsidian, credit)])
    files[f"{root}/Credits.md"] = f"{note}\n".encode()
    files[VAULT_NOTE] = f"{head}\n\n{_STEPS}\n".encode()
    return formats.ExportResult(files, formats.find_pictures("obsidian", request))


def note_name(name: str) -> str:
    """Return a name as that of a note, which links and every file system accept."""
    return " ".join(_NOT_IN_NAMES.sub("-", name).split()).strip(" .-")[:100] or "unnamed"


def property_name(id_: str) -> str:
    """Return the name of a property: lower case, with hyphens."""
    return folded(id_.replace("_", " ")).replace(" ", "-") or "x"


def _tag(name: str) -> str:
    return f"sheetgen/{property_name(name)}"


def escape_obsidian(text: str) -> str:
    """Return Markdown in which no text of an author is a tag, a comment or mathematics."""
    return _MARKUP.sub(r"\\\1", text)


def format_properties(properties: Mapping[str, Any]) -> str:
    """Return front matter: texts quoted, numbers plain, lists of texts one a line."""
    lines = [_FENCE]
    for name, value in properties.items():
        if isinstance(value, list):
            lines.append(f"{name}:" if value else f"{name}: []")
            lines += [f"  - {quote_yaml(item)}" for item in value]
        else:
            lines.append(f"{name}: {value if isinstance(value, int) else quote_yaml(str(value))}")
    return "\n".join([*lines, _FENCE])


def _format_note(
    one: Character,
    build: Build,
    kind: str,
    statblock: str,
    links: Iterable[str],
    ruleset: str,
    file: str,
) -> str:
    """Return the note of a build, with links to other notes.

    Args:
        ruleset: What it was checked by, if that is not what its file names.
        file: The file that it is imported into; empty for a new one.
    """
    rules, nodes, texts = one.rules, rosters.key_nodes(one), rosters.written_texts(one)
    assert rules is not None
    named = {"ruleset": ruleset} if ruleset else {}
    typed = {property_name(id_): _property(nodes[id_], text) for id_, text in texts.items()} | named
    computed = computed_properties(build, rules, typed.keys())
    about = {"tags": [_tag(str(rules.id)), _tag(kind)], "statblock": "inline", "sheetgen": kind}
    linked = [f"- [[{name}]]" for name in dict.fromkeys(links)]
    # A comment that Obsidian hides: what was exported, to find what was changed.
    record = {"file": file, "typed": texts | named, "computed": computed}
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("%", "\\u0025").replace("<", "\\u003c").replace("`", "\\u0060")
    blocks = [
        format_properties({**about, **typed, **computed}),
        statblock,
        escape_obsidian("\n\n".join(format_body(build, rules))),
        *(["## See also\n\n" + "\n".join(linked)] if linked else []),
        *map(escape_obsidian, format_credit(rules)),
        f"%%\n{RECORD} {text}\n%%",
    ]
    return "\n\n".join(blocks) + "\n"


def _property(node: Node, text: str) -> str | list[str] | int:
    """Return the value of a property: a list of plain texts is a list, a number a number."""
    if isinstance(node, Many) and node.items:
        texts = _scalar_texts(node)
        if texts is not None and not any(";" in t or "\n" in t for t in texts):
            return texts
    if isinstance(node, ScalarNode) and isinstance(node.value, int) and not node.quoted:
        return node.value if str(node.value) == node.raw else text
    return text


def _scalar_texts(node: Node) -> list[str] | None:
    """Return the texts of a list of scalars, or of one scalar; None for other values."""
    items = items_of(node)
    texts = [item.raw for item in items if isinstance(item, ScalarNode)]
    return texts if len(texts) == len(items) else None


def computed_properties(build: Build, rules: Ruleset, taken: Iterable[str]) -> dict[str, str | int]:
    """Return ratings, derived values and points left by names of properties not `taken` yet."""
    found: dict[str, str | int] = {}
    used = set(taken) | OBSIDIAN_KEYS

    def put(name: str, kind: str, value: str | int) -> None:
        name, taken = property_name(name), used | found.keys()
        found[name if name not in taken else free_name(f"{kind}-{name}", taken)] = value

    for rating in build.ratings.values():
        if not (rating.own or (rating.total and rating.group == next(iter(rules.groups)))):
            continue
        if rules.groups[rating.group].rating == "dice":
            put(rating.id, "total", rules.rating_text(rating.group, rating.total))
            put(f"{rating.id} {'pips' if rules.pips else 'dice'}", "total", rating.total)
        else:
            put(rating.id, "total", rating.total)
    for derived in build.derived.values():
        if derived.value is not None and derived.label:
            whole = isinstance(derived.value, int) and not rules.derived[derived.id].as_
            put(derived.id, "derived", int(derived.value) if whole else derived.shown)
    for pool, ledger in build.ledgers.items():
        put(f"{pool} left", "pool", ledger.left)
    return found


def _format_statblock(layout: str, values: Mapping[str, Any]) -> str:
    """Return the code block of the plugin Fantasy Statblocks."""

    def quoted(value: object) -> str:
        # The plugin renders it as Markdown, in which `[[` would be a link.
        text = str(value).replace("[[", "[ [").replace("```", "'''")
        return quote_yaml(" ".join(text.split()))

    lines = ["```statblock", f"layout: {quote_yaml(layout)}"]
    for name, value in values.items():
        if not isinstance(value, list):
            lines.append(f"{name}: {quoted(value)}")
            continue
        lines.append(f"{name}:" if value else f"{name}: []")
        for item in value:
            if isinstance(item, tuple):
                lines.append("  - name: {}\n    desc: {}".format(*map(quoted, item)))
            else:
                lines.append(f"  - {quoted(item)}")
    return "\n".join([*lines, "```"])


def _list_blocks(
    rules: Ruleset, build: Build
) -> Iterator[tuple[str, str, str | list[Any], dict[str, Any]]]:
    """Yield type, property, value for a build and settings of the blocks of a kind's layout.

    Items are pairs of name and text.
    """

    def line(name: str, label: str, value: str) -> tuple[str, str, str, dict[str, Any]]:
        return "property", name, value, {"display": label, "conditioned": True}

    yield "heading", "name", build.name, {"size": 1}
    about = ", ".join(pick_line(pick, build) for pick in build.picks[:3])
    yield "subheading", "about", about, {"conditioned": True, "hasRule": True}
    for id_, group in rules.groups.items():
        if 0 < len(group.traits) <= _MOST_COLUMNS:
            kept = [build.ratings[str(t)] for t in group.traits]
            texts = [rules.rating_text(r.group, r.total) for r in kept]
            heads = [t.short or t.name for t in group.traits.values()]
            more = {"headers": heads, "calculate": False, "conditioned": True}
            yield "table", f"group-{id_}", texts, more
        else:
            held = [r for r in build.ratings.values() if r.group == id_ and r.own]
            text = ", ".join(f"{r.name} {rules.rating_text(r.group, r.total)}" for r in held)
            yield line(f"group-{id_}", group.label or str(id_), text)
    for id_, derived in rules.derived.items():
        if derived.label:
            text = build.derived[id_].shown if id_ in build.derived else ""
            yield line(f"derived-{id_}", derived.label, text)
    items, seen = [], Counter[str]()  # the plugin shows only one of several with the same name
    for item in build.items:
        seen[item.name] += 1
        number = f" ({seen[item.name]})" if seen[item.name] > 1 else ""
        parts = [f"{item.count} of them"] if item.count > 1 else []
        rolled = {name: rolled_text(item, name, pips=rules.pips) for name in ("attack", "damage")}
        parts += [f"{name} {text}" for name, text in rolled.items() if text]
        parts += filter(None, (item.special, item.conditional))
        items.append((f"{item.name}{number}", "; ".join(parts)))
    yield "traits", "items", items, {"heading": "Gear", "conditioned": True}
    for id_, key in rules.character.items():
        if key.kind == "texts":
            text = "; ".join(build.lists.get(id_, ()))
            yield line(f"key-{id_}", key.label or str(id_), text)
    for id_, pool in rules.pools.items():
        left = str(build.ledgers[id_].left) if id_ in build.ledgers else ""
        yield line(f"left-{id_}", f"{pool.label} left", left)
    yield "text", "notes", build.texts.get("notes", ""), {"text": "", "conditioned": True}
    yield line("credit", "Rules", f"{rules.credit.short} Licence: {rules.credit.licence}.")


@frozen
class _Note:
    """A note: its properties with their places, and what was exported."""

    path: Path
    properties: Mapping[str, tuple[ScalarNode, Node]]
    file: str  # The name of the author's file; empty if the note is to become a new one.
    # typed, computed: What the author had written, by key, as texts of cells; and the rest.
    typed: Mapping[str, str]
    computed: Mapping[str, str]

    def text(self, id_: str, *, is_text: bool) -> str:
        """Return a property as the text of a cell; an empty one as no text."""
        _, node = self.properties.get(property_name(id_), (None, None))
        if not isinstance(node, Many):
            return node.raw if isinstance(node, ScalarNode) and node.value is not None else ""
        exported = self.typed.get(id_, "")
        try:
            cell = rosters.parse_cell(exported, is_text=False)
            parsed = parse_yaml(f"key: {cell}\n", "").value
        except rosters.BadCell:
            parsed = None
        root = parsed.root if parsed is not None else None
        before = _scalar_texts(root.entries[0][1]) if isinstance(root, Pairs) else None
        if _scalar_texts(node) == before:
            return exported
        # All texts of a property are quoted, an author's are not.
        items = (replace(i, quoted=False) if isinstance(i, ScalarNode) else i for i in node.items)
        plain = replace(node, items=tuple(items))
        return rosters.format_cell(plain, is_text=is_text) if node.items else ""

    @property
    def known(self) -> frozenset[str]:
        """The properties that are not an author's keys."""
        exported = {property_name(id_) for id_ in self.typed}
        return OBSIDIAN_KEYS | exported | self.computed.keys() | {"aliases"}


def import_vault(request: formats.ImportRequest) -> formats.ImportResult:
    """Return the files that change with the properties of a note, or of a vault's notes."""
    if os.path.isfile(request.path):
        text = read_text(request.path).value
        if text is not None and RECORD not in text[0]:
            return import_text(request)  # nobody exported it from a character
    found = _VaultImport(request)
    for number, path in enumerate(files_below(request.path, (".md",))):
        if number >= MOST_NOTES:
            message = f"only the first {MOST_NOTES:,} notes are read"
            found.report(codes.TOO_MUCH, request.path, message, "import folders")
            break
        note = found.read(path)
        if found.values > rosters.MOST_VALUES:
            message = f"the notes have more than {rosters.MOST_VALUES:,} values; "
            message += "the rest is not read"
            found.report(codes.TOO_MUCH, path, message, "import folders")
            break
        if note is not None:
            found.add(note)
    if not found.taken and not found.findings:
        message = "no note in it was exported from a character"
        hint = "export the characters again, and change the properties of those notes"
        found.report(codes.NOT_IMPORTED, request.path, message, hint)
    return formats.ImportResult(found.texts, tuple(found.findings), tuple(found.merged))


class _VaultImport:
    """What an import has read so far."""

    def __init__(self, request: formats.ImportRequest) -> None:
        self.request, self.rulesets = request, RulesetCache()
        self.texts: dict[str, str] = {}
        self.findings: list[Finding] = []
        self.merged: list[tuple[MergedFile, str]] = []
        self.values = 0
        self.taken: set[str] = set()

    def report(self, code: codes.Code, place: Path | Span, message: str, hint: str) -> None:
        span = place if isinstance(place, Span) else Span(str(place))
        self.findings.append(Finding(code, span, message, hint))

    def read(self, path: Path) -> _Note | None:
        """Return a note that was exported from a character; another one named is a finding."""
        read = read_text(path)
        if read.value is None:
            self.findings += read.findings
            return None
        text = read.value[0].replace("\r\n", "\n")
        lines = text.split("\n")
        record = next((line for line in reversed(lines) if line.startswith(RECORD)), RECORD)
        try:
            data: Any = json.loads(record.removeprefix(RECORD))
        except (ValueError, RecursionError):
            data = None
        data = data if isinstance(data, dict) else {}
        file, *both = (data.get(key) for key in ("file", "typed", "computed"))
        is_record = isinstance(file, str) and all(isinstance(one, dict) for one in both)
        if not is_record or lines[0].rstrip() != _FENCE or _FENCE not in lines[1:]:
            if path == self.request.path or RECORD in text:
                message = "this note has no properties, or no record of what was exported"
                hint = "export the character again, and change the properties of that note"
                self.report(codes.NOT_IMPORTED, path, message, hint)
            return None
        front = "\n".join(["", *lines[1 : lines.index(_FENCE, 1)]]) + "\n"
        self.values += rosters.count_values(front)
        if self.values > rosters.MOST_VALUES:
            return None
        parsed = parse_yaml(front, str(path))
        self.findings += parsed.findings
        if parsed.value is None or not isinstance(parsed.value.root, Pairs):
            return None
        properties: dict[str, tuple[ScalarNode, Node]] = {}
        for key, node in parsed.value.root.entries:
            if property_name(key.raw) in properties:
                message = f"two properties are called `{key.raw}`; this one is not read"
                self.report(codes.REPEATED_KEY, key.span, message, "rename one of the two")
            properties.setdefault(property_name(key.raw), (key, node))
        typed, computed = ({str(name): str(v) for name, v in one.items()} for one in both)
        return _Note(path, properties, file, typed, computed)

    def add(self, note: _Note) -> None:
        """Merge a note into the author's file, or write a new one."""
        folder = self.request.into or Path()
        name = portable_name(note.file.replace("/", "-"))
        name = name or free_name(property_name(note.path.stem), self.taken, ".yaml")
        written = f"{portable_name(file_stem(name.removesuffix('.yaml')))}.yaml"
        path = folder / name if os.path.exists(folder / name) else folder / written
        keys = {name_key(name), name_key(path.name)}
        if keys & self.taken:
            message = f"another note is of `{name}`, too; this one is not imported"
            hint = "keep one of the two notes, or rename the file of one and export it again"
            self.report(codes.SAME_OUTPUT, note.path, message, hint)
            return
        self.taken |= keys
        if not os.path.exists(path):
            self._write_new(note, name)
            return
        found = load_character_file(path, self.rulesets, self.request.options)
        if len(found) == 1 and found[0].source is not None and found[0].rules is not None:
            self._merge(note, found[0], found[0].rules, found[0].source.text)
            return
        message = f"`{path}` cannot be read, or holds several entries; the note is not imported"
        self.report(codes.NOWHERE, note.path, message, "import into another folder")

    def _write_new(self, note: _Note, name: str) -> None:
        """Write a new file from what the author had typed, as the properties have it now."""
        keys = [*note.typed, *(p for p in note.properties if p not in note.known)]
        cells = {key: note.text(key, is_text=False) for key in keys}
        kind = note.text("sheetgen", is_text=True)
        heads = ("file", "kind", *(key.replace("_", " ") for key in cells))
        rows = [SheetRow(1, heads), SheetRow(2, (name, kind, *cells.values()))]
        found = rosters.import_rows(self.request, rows, str(note.path))
        for finding in found.findings:  # those about a cell belong to its property
            _, mark, rest = finding.message.partition("column `")
            key, _, message = rest.partition("`: ")
            named = note.properties.get(property_name(key)) if mark else None
            span = named[0].span if named is not None else Span(str(note.path))
            moved = replace(finding, span=span, message=message if mark else finding.message)
            self.findings.append(moved)
        self.texts |= found.texts

    def _merge(self, note: _Note, one: Character, rules: Ruleset, text: str) -> None:
        """Edit the file for each property that was changed; report those that stay."""
        _, digest = read_text(one.path).value or ("", "")
        merged = MergedFile(one.path, text, text, one)
        current = rosters.written_texts(one)
        added = note.properties.keys() - note.known
        new = (i for i in map(str, rules.character) if property_name(i) in added)
        for id_ in dict.fromkeys([*note.typed, *new]):
            is_text = rosters.is_text_key(rules, id_)
            before, now = note.typed.get(id_, ""), note.text(id_, is_text=is_text)
            there = current.get(id_, "")
            if now in (before, there):
                continue
            label, state, finding = id_.replace("_", " "), "merged", None
            key, _ = note.properties.get(property_name(id_), (None, None))
            place = key.span if key is not None else Span(str(note.path))
            if there != before:
                message = (
                    f"{label}: exported `{before}`, in the note `{now}`, in the file `{there}`"
                )
                hint = "change the file by hand if the note is right; it keeps its own"
                state, severity = "conflict", Severity.WARNING
                finding = Finding(codes.CONFLICT, place, message, hint, severity)
            else:
                try:
                    merged.after = _edit_key(merged.after, rules, id_, now, is_text=is_text)
                except edit.CannotEdit as why:
                    message = f"{label}: this place in the file cannot be edited: {why}"
                    finding = Finding(codes.NOT_EDITED, place, message, "make this change by hand")
                    state = "kept"
                except rosters.BadCell as why:
                    hint = rosters.BAD_CELL_HINT
                    finding = Finding(codes.BAD_CELL, place, f"{label}: {why}", hint)
                    state = "kept"
            merged.findings += [finding] if finding is not None else []
            merged.changes.append(Change(label, (id_,), before, now, there, state))
        self._report_others(note, rules)
        if merged.changes:
            options = self.request.options
            merged.character = check_text(one.path, merged.after, self.rulesets, options)
            self.merged.append((merged, digest))

    def _report_others(self, note: _Note, rules: Ruleset) -> None:
        """Report changed computed properties, and properties that the rules have no key for."""
        keys = {property_name(str(id_)) for id_ in rules.character}
        for name, (key, node) in note.properties.items():
            computed = note.computed.get(name)
            if computed is not None and name not in keys and raw_text(node) != computed:
                message = f"`{key.raw}` is computed from other properties and is not imported"
                hint = "change the property that it follows from"
                code, severity = codes.COMPUTED_CELL, Severity.WARNING
            elif name not in note.known | keys:
                message, hint = f"{rules.title} has no key `{key.raw}`; it stays in the vault", ""
                code, severity = codes.UNKNOWN_COLUMN, Severity.NOTE
            else:
                continue
            self.findings.append(Finding(code, key.span, message, hint, severity))


def _edit_key(text: str, rules: Ruleset, id_: str, cell: str, *, is_text: bool) -> str:
    """Return the text of a character's file with a key changed to a cell; removed if it is empty.

    Raises:
        CannotEdit: The place cannot be edited.
        BadCell: The cell cannot be read.
    """
    keys, there = index_of(rules).keys, edit.root_of(text).data()
    name = next((raw for raw in there if id_ in (raw, *keys.find(raw))), id_.replace("_", " "))
    if not cell.strip():
        return edit.drop_entry(text, (name,)) if name in there else text
    spot = edit.parse_spots(f"key: {rosters.parse_cell(cell, is_text=is_text)}\n")
    value = spot.at(("key",)).data() if spot is not None else None
    return rosters.put_at(text, (name,), value, drop=False)
