"""Export a vault: notes of builds, and of a ruleset also its cards and tables; layouts; credits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.load.yaml.format import format_scalars
from sheetgen.model.build import Build, code_text, pick_line
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.model.source import Many, Node, ScalarNode
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult, find_pictures
from sheetgen.plugins.exchange.markdown import (
    escape_markdown,
    format_body,
    format_credit,
    format_thing,
    list_table_pages,
    list_things,
)
from sheetgen.plugins.exchange.rosters.rows import key_nodes, written_texts
from sheetgen.prints.characters import Character
from sheetgen.render.flow.table_texts import format_markdown
from sheetgen.rules.index import folded
from sheetgen.write.files import free_name, name_key, portable_name

VAULT_NOTE: Final = "sheetgen-vault.md"
"""The note by which `sheetgen import` knows a vault."""

_STEPS: Final = (
    "Exported by sheetgen. Notes of characters show a statblock if the plugin Fantasy Statblocks "
    "is installed: import the layouts in the folder `sheetgen-layouts` in its settings. "
    "`sheetgen import` brings changed properties back into the YAML files; what is written below "
    "the properties stays in the vault."
)


@dataclass(slots=True)
class _Vault:
    """A vault: notes by path, and paths by the name of what they are about."""

    root: str
    notes: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def reserve(self, folder: str, name: str) -> str:
        """Return a free path for a note."""
        stem = f"{self.root}/{note_name(folder)}/{note_name(name)}"
        path = free_name(stem, self.taken, gap=" ")
        self.taken.add(name_key(portable_name(path)))
        self.notes[path] = ""
        self.names.setdefault(name, path)
        return path

    def link(self, name: str) -> str | None:
        """Return the text of a link to the note about `name`, if there is one."""
        path = self.names.get(name)
        return f"{path}|{note_name(name)}" if path is not None else None


def export_vault(request: ExportRequest) -> ExportResult:
    """Return a vault: a folder for the ruleset, layouts, and a note about the vault."""
    vault = _Vault(note_name(request.rules.title))
    if request.stock:
        _add_things(vault, request)
        _add_tables(vault, request)
    paths = [
        vault.reserve(_folder(request.rules, request.kind_of(one)), build.name)
        for build, one in request.builds
    ]
    layouts: dict[str, StatblockLayout] = {}
    for path, (build, one) in zip(paths, request.builds, strict=True):
        kind = request.kind_of(one)
        assert one.rules is not None
        layout = layouts.setdefault(f"{one.rules.digest}", build_layout(one.rules, kind))
        links = filter(None, map(vault.link, _mentions(build)))
        ruleset = str(request.rules.id) if one.several and request.stock else ""
        vault.notes[path] = format_note(one, build, kind, layout, links, ruleset)
    files = {f"{path}.md": text.encode() for path, text in vault.notes.items()}
    for layout in layouts.values():
        data = {**layout.data, "_seal": PLACEHOLDER}
        name = f"sheetgen-layouts/{note_name(layout.name)}.json"
        files[name] = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
    head = format_properties({"tags": ["sheetgen/vault"]})
    files[f"{vault.root}/Credits.md"] = _credits_note(request.rules, head).encode()
    files[VAULT_NOTE] = f"{head}\n\n{_STEPS}\n".encode()
    return ExportResult(files, find_pictures("obsidian", request))


def _credits_note(rules: Ruleset, head: str) -> str:
    long = escape_obsidian(escape_markdown(rules.credit.long))
    return "\n\n".join([head, long, escape_obsidian(format_credit(rules)[1])]) + "\n"


def _folder(rules: Ruleset, kind: str) -> str:
    known = rules.kinds.get(kind)
    return known.label or known.one if known is not None else "Characters"


def _mentions(build: Build) -> Iterator[str]:
    """Yield the names of what a build chose and owns."""
    yield from (pick.name for pick in build.picks)
    yield from (item.name for item in build.items)


def _add_things(vault: _Vault, request: ExportRequest) -> None:
    """Add a note for each thing that has a card."""
    for folder, name, texts in list_things(request):
        tags = [property_name(str(request.rules.id)), property_name(folder)]
        head = format_properties({"tags": [f"sheetgen/{tag}" for tag in tags]})
        blocks = [*format_thing(texts), *format_credit(request.rules)]
        path = vault.reserve(folder, name)
        vault.notes[path] = "\n\n".join([head, *map(escape_obsidian, blocks)]) + "\n"


def _add_tables(vault: _Vault, request: ExportRequest) -> None:
    """Add a note for each page of reference tables."""
    rules = request.rules
    for page in list_table_pages(request):
        path = vault.reserve("Tables", page.label)
        tags = [f"sheetgen/{property_name(str(rules.id))}", "sheetgen/table"]
        text = format_markdown([page], page.label, escape_markdown(rules.credit.short))
        body = escape_obsidian(text.strip())
        vault.notes[path] = f"{format_properties({'tags': tags})}\n\n{body}\n"


# Notes about builds: properties, a statblock, tables, and a hidden record of what was exported.


RECORD: Final = "sheetgen-record:"
"""Begins the hidden comment with what was exported."""

OBSIDIAN_KEYS: Final = frozenset({"tags", "cssclasses", "statblock", "sheetgen"})
"""Properties of the note, not of the character."""

_MARKUP: Final = re.compile(r"(?<!\\)(%(?=%)|=(?==)|\$|#(?=[\w/])|\^(?=\w))")
_NOT_IN_NAMES: Final = re.compile(r"[#|^:%\[\]\\/<>*?\"\x00-\x1f]+")


def note_name(name: str) -> str:
    """Return a name as that of a note, which links and every file system accept."""
    return " ".join(_NOT_IN_NAMES.sub("-", name).split()).strip(" .-")[:100] or "unnamed"


def property_name(id_: str) -> str:
    """Return the name of a property: lower case, with hyphens."""
    return folded(id_.replace("_", " ")).replace(" ", "-") or "x"


def escape_obsidian(text: str) -> str:
    """Return Markdown in which no text of an author is a tag, a comment or mathematics."""
    return _MARKUP.sub(r"\\\1", text)


def format_properties(properties: Mapping[str, Any]) -> str:
    """Return front matter: texts quoted, numbers plain, lists of texts one a line."""
    lines = ["---"]
    for name, value in properties.items():
        if isinstance(value, list):
            lines.append(f"{name}:" if value else f"{name}: []")
            lines += [f"  - {_quoted(item)}" for item in value]
        else:
            lines.append(f"{name}: {value if isinstance(value, int) else _quoted(str(value))}")
    return "\n".join([*lines, "---"])


def _quoted(text: str) -> str:
    return next(format_scalars(text, flow=True, style='"'))


def format_note(
    one: Character,
    build: Build,
    kind: str,
    layout: StatblockLayout,
    links: Iterable[str],
    ruleset: str,
) -> str:
    """Return the note of a build.

    Args:
        links: Names of other notes that it mentions.
        ruleset: What it was checked by, if that is not what its file names.
    """
    rules = one.rules
    assert rules is not None
    typed = typed_properties(one) | ({"ruleset": ruleset} if ruleset else {})
    computed = computed_properties(build, rules, typed.keys())
    about = {
        "tags": [f"sheetgen/{property_name(str(rules.id))}", f"sheetgen/{property_name(kind)}"],
        "statblock": "inline",
        "sheetgen": kind,
    }
    blocks = [
        format_properties({**about, **typed, **computed}),
        format_statblock(layout, statblock_values(layout, build, rules)),
        escape_obsidian("\n\n".join(format_body(build, rules))),
        *_see_also(links),
        *map(escape_obsidian, format_credit(rules)),
        format_record(one, computed, ruleset),
    ]
    return "\n\n".join(blocks) + "\n"


def _see_also(links: Iterable[str]) -> Iterator[str]:
    found = [f"- [[{name}]]" for name in dict.fromkeys(links)]
    if found:
        yield "## See also\n\n" + "\n".join(found)


def typed_properties(one: Character) -> dict[str, Any]:
    """Return what the author wrote, by the name of the property."""
    nodes, texts = key_nodes(one), written_texts(one)
    return {property_name(id_): _property(nodes[id_], text) for id_, text in texts.items()}


def _property(node: Node, text: str) -> str | list[str] | int:
    """Return the value of a property: a list of plain texts is a list, a number a number."""
    if isinstance(node, Many) and node.items:
        texts = [item.raw for item in node.items if isinstance(item, ScalarNode)]
        if len(texts) == len(node.items) and not any(";" in t or "\n" in t for t in texts):
            return texts
    if isinstance(node, ScalarNode) and isinstance(node.value, int) and not node.quoted:
        return node.value if str(node.value) == node.raw else text
    return text


def computed_properties(build: Build, rules: Ruleset, taken: Iterable[str]) -> dict[str, str | int]:
    """Return ratings, derived values and points left by the name of the property.

    Args:
        taken: Names that are properties already.
    """
    found: dict[str, str | int] = {}
    used = set(taken) | OBSIDIAN_KEYS

    def put(name: str, kind: str, value: str | int) -> None:
        name = property_name(name)
        name = f"{kind}-{name}" if name in used or name in found else name
        found[name] = value

    for rating in build.ratings.values():
        if not (rating.own or (rating.total and rating.group == next(iter(rules.groups)))):
            continue
        text = rules.rating_text(rating.group, rating.total)
        if rules.groups[rating.group].rating == "dice":
            put(rating.id, "total", text)
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


def format_statblock(layout: StatblockLayout, values: Mapping[str, Any]) -> str:
    """Return the code block of the plugin Fantasy Statblocks."""
    lines = ["```statblock", f"layout: {_quoted(layout.name)}"]
    for name, value in values.items():
        if not isinstance(value, list):
            lines.append(f"{name}: {_statblock_text(value)}")
            continue
        lines.append(f"{name}:" if value else f"{name}: []")
        for item in value:
            if isinstance(item, tuple):
                lines.append(f"  - name: {_statblock_text(item[0])}")
                lines.append(f"    desc: {_statblock_text(item[1])}")
            else:
                lines.append(f"  - {_statblock_text(item)}")
    return "\n".join([*lines, "```"])


def _statblock_text(value: object) -> str:
    """Return a text of a statblock, which the plugin renders as Markdown; `[[` would be a link."""
    text = str(value).replace("[[", "[ [").replace("```", "'''")
    return _quoted(" ".join(text.split()))


def format_record(one: Character, computed: Mapping[str, str | int], ruleset: str) -> str:
    """Return a comment that Obsidian hides: what was exported, to find what was changed."""
    record = {
        "file": "" if one.several else f"{one.called}.yaml" if one.called else one.path.name,
        "typed": written_texts(one) | ({"ruleset": ruleset} if ruleset else {}),
        "computed": dict(computed),
    }
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("%", "\\u0025").replace("<", "\\u003c").replace("`", "\\u0060")
    return f"%%\n{RECORD} {text}\n%%"


# Layouts of Fantasy Statblocks: one for each kind of entries of a ruleset, as JSON.


_MOST_COLUMNS: Final = 10
"""Traits of a group that is a table; a larger group is a line of text."""


@dataclass(frozen=True, slots=True)
class StatblockLayout:
    """A layout: its name, by which notes find it, and its blocks."""

    name: str
    blocks: tuple[Mapping[str, Any], ...]

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that its blocks show, in order."""
        return tuple(name for block in self.blocks for name in block["properties"])

    @property
    def data(self) -> dict[str, Any]:
        """The content of the file that is imported in the plugin's settings."""
        id_ = "".join(c if c.isalnum() else "-" for c in self.name.lower())
        return {"name": self.name, "id": id_, "diceParsing": [], "blocks": list(self.blocks)}


def build_layout(rules: Ruleset, kind: str) -> StatblockLayout:
    """Return the layout of the entries of a kind, by the rules of that kind."""
    blocks = []
    for number, block in enumerate(_blocks(rules), start=1):
        blocks.append({"type": block.pop("type"), "id": f"block-{number}", **block})
    return StatblockLayout(f"Sheetgen {rules.id} {kind}", tuple(blocks))


def _blocks(rules: Ruleset) -> Iterator[dict[str, Any]]:
    yield {"type": "heading", "properties": ["name"], "size": 1}
    yield {"type": "subheading", "properties": ["about"], "conditioned": True, "hasRule": True}
    for id_, group in rules.groups.items():
        label, name = group.label or str(id_), f"group-{id_}"
        if 0 < len(group.traits) <= _MOST_COLUMNS:
            heads = [t.short or t.name for t in group.traits.values()]
            table = {"type": "table", "properties": [name], "headers": heads, "calculate": False}
            yield {**table, "conditioned": True}
        else:
            yield _line(name, label)
    for id_, derived in rules.derived.items():
        if derived.label:
            yield _line(f"derived-{id_}", derived.label)
    yield {"type": "traits", "properties": ["items"], "heading": "Gear", "conditioned": True}
    for id_, key in rules.character.items():
        if key.kind == "texts":
            yield _line(f"key-{id_}", key.label or str(id_))
    for id_, pool in rules.pools.items():
        yield _line(f"left-{id_}", f"{pool.label} left")
    yield {"type": "text", "properties": ["notes"], "text": "", "conditioned": True}
    yield _line("credit", "Rules")


def _line(name: str, label: str) -> dict[str, Any]:
    return {"type": "property", "properties": [name], "display": label, "conditioned": True}


def statblock_values(layout: StatblockLayout, build: Build, rules: Ruleset) -> dict[str, Any]:
    """Return the value of every property of a layout; items are pairs of name and text."""
    found: dict[str, Any] = {
        "name": build.name,
        "about": ", ".join(pick_line(pick, build) for pick in build.picks[:3]),
        "items": list(_items(build, rules)),
        "notes": build.texts.get("notes", ""),
        "credit": f"{rules.credit.short} Licence: {rules.credit.licence}.",
    }
    for id_, group in rules.groups.items():
        named = [r for r in build.ratings.values() if r.group == id_]
        if 0 < len(group.traits) <= _MOST_COLUMNS:
            kept = [build.ratings[str(t)] for t in group.traits]
            found[f"group-{id_}"] = [rules.rating_text(r.group, r.total) for r in kept]
        else:
            held = [f"{r.name} {rules.rating_text(r.group, r.total)}" for r in named if r.own]
            found[f"group-{id_}"] = ", ".join(held)
    found |= {f"derived-{d.id}": d.shown for d in build.derived.values()}
    found |= {f"key-{id_}": "; ".join(lines) for id_, lines in build.lists.items()}
    found |= {f"left-{id_}": str(ledger.left) for id_, ledger in build.ledgers.items()}
    return {name: found.get(name, "") for name in layout.properties}


def _items(build: Build, rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield items; the plugin shows only one of several with the same name."""
    seen: dict[str, int] = {}
    for item in build.items:
        seen[item.name] = seen.get(item.name, 0) + 1
        number = f" ({seen[item.name]})" if seen[item.name] > 1 else ""
        parts = [
            f"{item.count} of them" if item.count > 1 else "",
            f"attack {code_text(item.attack, pips=rules.pips)}" if item.attack is not None else "",
            f"damage {code_text(item.damage, pips=rules.pips)}" if item.damage is not None else "",
            item.special,
            item.conditional,
        ]
        yield f"{item.name}{number}", "; ".join(filter(None, parts))
