"""A vault of Obsidian: notes of builds, cards and tables out, and changed properties back.

A note records what was exported. A property that differs from the record was changed in the
vault; if the file has changed there as well, to something else, that is a conflict, and the file
keeps its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.load.catalogues import SheetRow
from sheetgen.load.characters import RulesetCache
from sheetgen.load.files import files_below, read_text
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.format import format_scalars
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build, pick_line, rolled_text
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, raw_text
from sheetgen.plugins.exchange import formats, markdown
from sheetgen.plugins.exchange.pasted.blocks import import_text
from sheetgen.plugins.exchange.rosters.cells import (
    MOST_VALUES,
    BadCell,
    cell_texts,
    count_values,
    format_cell,
    parse_cell,
    put_entries,
    scalar_texts,
    unquoted,
)
from sheetgen.plugins.exchange.rosters.rows import (
    import_rows,
    is_text_key,
    key_nodes,
    written_texts,
)
from sheetgen.prints.characters import Character, load_character_file
from sheetgen.readback.merging import MergedFile, check_text
from sheetgen.readback.topics import Change
from sheetgen.records import frozen
from sheetgen.render.table_texts import format_markdown
from sheetgen.rules.index import file_stem, folded, index_of
from sheetgen.write import free_name, name_key, portable_name

VAULT_NOTE: Final = "sheetgen-vault.md"  # The note by which `sheetgen import` knows a vault
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


def export_vault(request: formats.ExportRequest) -> formats.ExportResult:
    """Return a vault: a folder for the ruleset, layouts, and a note about the vault."""
    vault = _Vault(note_name(request.rules.title))
    if request.stock:
        _add_things(vault, request)
        _add_tables(vault, request)
    paths = []
    for build, one in request.builds:
        known = request.rules.kinds.get(request.kind_of(one))
        folder = known.label or known.one if known is not None else "Characters"
        paths.append(vault.reserve(folder, build.name))
    layouts: dict[str, StatblockLayout] = {}
    called = Counter(name_key(one.path.name) for _, one in request.builds)
    for path, (build, one) in zip(paths, request.builds, strict=True):
        kind = request.kind_of(one)
        assert one.rules is not None
        layout = layouts.setdefault(f"{one.rules.digest}", build_layout(one.rules, kind))
        mentioned = [*(pick.name for pick in build.picks), *(item.name for item in build.items)]
        links = filter(None, map(vault.link, mentioned))
        ruleset = str(request.rules.id) if one.several and request.stock else ""
        file = one.path.name if called[name_key(one.path.name)] == 1 else f"{one.stem}.yaml"
        file = "" if one.several else file
        vault.notes[path] = format_note(one, build, kind, layout, links, ruleset, file)
    files = {f"{path}.md": text.encode() for path, text in vault.notes.items()}
    for layout in layouts.values():
        data = {**layout.data, "_seal": PLACEHOLDER}
        name = f"sheetgen-layouts/{note_name(layout.name)}.json"
        files[name] = (json.dumps(data, ensure_ascii=False, indent=1) + "\n").encode()
    head = format_properties({"tags": ["sheetgen/vault"]})
    credit = [request.rules.credit.long, markdown.format_credit(request.rules)[1]]
    credit[0] = markdown.escape_markdown(credit[0])
    note = "\n\n".join([head, *map(escape_obsidian, credit)])
    files[f"{vault.root}/Credits.md"] = f"{note}\n".encode()
    files[VAULT_NOTE] = f"{head}\n\n{_STEPS}\n".encode()
    return formats.ExportResult(files, formats.find_pictures("obsidian", request))


def _add_things(vault: _Vault, request: formats.ExportRequest) -> None:
    for folder, name, texts in markdown.list_things(request):
        tags = [property_name(str(request.rules.id)), property_name(folder)]
        head = format_properties({"tags": [f"sheetgen/{tag}" for tag in tags]})
        blocks = [*markdown.format_thing(texts), *markdown.format_credit(request.rules)]
        path = vault.reserve(folder, name)
        vault.notes[path] = "\n\n".join([head, *map(escape_obsidian, blocks)]) + "\n"


def _add_tables(vault: _Vault, request: formats.ExportRequest) -> None:
    rules = request.rules
    for page in markdown.list_table_pages(request):
        path = vault.reserve("Tables", page.label)
        tags = [f"sheetgen/{property_name(str(rules.id))}", "sheetgen/table"]
        text = format_markdown([page], page.label, markdown.escape_markdown(rules.credit.short))
        body = escape_obsidian(text.strip())
        vault.notes[path] = f"{format_properties({'tags': tags})}\n\n{body}\n"


RECORD: Final = "sheetgen-record:"  # Begins the hidden comment with what was exported
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
    file: str,
) -> str:
    """Return the note of a build, with links to other notes.

    Args:
        ruleset: What it was checked by, if that is not what its file names.
        file: The file that it is imported into; empty for a new one.
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
    linked = [f"- [[{name}]]" for name in dict.fromkeys(links)]
    blocks = [
        format_properties({**about, **typed, **computed}),
        format_statblock(layout, statblock_values(layout, build, rules)),
        escape_obsidian("\n\n".join(markdown.format_body(build, rules))),
        *(["## See also\n\n" + "\n".join(linked)] if linked else []),
        *map(escape_obsidian, markdown.format_credit(rules)),
        format_record(one, computed, ruleset, file),
    ]
    return "\n\n".join(blocks) + "\n"


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
    """Return ratings, derived values and points left by names of properties not `taken` yet."""
    found: dict[str, str | int] = {}
    used = set(taken) | OBSIDIAN_KEYS

    def put(name: str, kind: str, value: str | int) -> None:
        name, taken = property_name(name), used | found.keys()
        found[name if name not in taken else free_name(f"{kind}-{name}", taken)] = value

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
        plain = not isinstance(value, list)
        head = f" {_statblock_text(value)}" if plain else "" if value else " []"
        lines.append(f"{name}:{head}")
        for item in () if plain else value:
            parts = map(_statblock_text, item if isinstance(item, tuple) else (item,))
            form = "  - name: {}\n    desc: {}" if isinstance(item, tuple) else "  - {}"
            lines.append(form.format(*parts))
    return "\n".join([*lines, "```"])


def _statblock_text(value: object) -> str:
    # The plugin renders it as Markdown, in which `[[` would be a link.
    text = str(value).replace("[[", "[ [").replace("```", "'''")
    return _quoted(" ".join(text.split()))


def format_record(
    one: Character, computed: Mapping[str, str | int], ruleset: str, file: str
) -> str:
    """Return a comment that Obsidian hides: what was exported, to find what was changed."""
    record = {
        "file": file,
        "typed": written_texts(one) | ({"ruleset": ruleset} if ruleset else {}),
        "computed": dict(computed),
    }
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("%", "\\u0025").replace("<", "\\u003c").replace("`", "\\u0060")
    return f"%%\n{RECORD} {text}\n%%"


_MOST_COLUMNS: Final = 10  # Traits of a group that is a table; a larger group is a line of text


@frozen
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
    blocks = (
        {"type": block.pop("type"), "id": f"block-{number}", **block}
        for number, block in enumerate(_blocks(rules), start=1)
    )
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
        parts = [f"{item.count} of them"] if item.count > 1 else []
        rolled = {name: rolled_text(item, name, pips=rules.pips) for name in ("attack", "damage")}
        parts += [f"{name} {text}" for name, text in rolled.items() if text]
        parts += filter(None, (item.special, item.conditional))
        yield f"{item.name}{number}", "; ".join(parts)


MOST_NOTES: Final = 1_000
_FENCE: Final = "---"


@frozen
class _Note:
    """A note: its properties with their places, and what was exported.

    Attributes:
        file: The name of the author's file; empty if the note is to become a new one.
        typed, computed: What the author had written, by key, as texts of cells; and the rest.
    """

    path: Path
    properties: Mapping[str, tuple[ScalarNode, Node]]
    file: str
    typed: Mapping[str, str]
    computed: Mapping[str, str]

    def text(self, id_: str, *, is_text: bool) -> str:
        """Return a property as the text of a cell; an empty one as no text."""
        found = self.properties.get(property_name(id_))
        if found is None:
            return ""
        node = found[1]
        if isinstance(node, Many):
            exported = self.typed.get(id_, "")
            is_same = scalar_texts(node) == cell_texts(exported)
            changed = format_cell(unquoted(node), is_text=is_text) if node.items else ""
            return exported if is_same else changed
        return node.raw if isinstance(node, ScalarNode) and node.value is not None else ""


@dataclass(slots=True)
class _Result:
    """What an import has read so far."""

    request: formats.ImportRequest
    rulesets: RulesetCache = field(default_factory=RulesetCache)
    texts: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    merged: list[tuple[MergedFile, str]] = field(default_factory=list)
    values: int = 0
    taken: set[str] = field(default_factory=set)

    def report(self, code: codes.Code, place: Path | Span, message: str, hint: str) -> None:
        """Add an error."""
        span = place if isinstance(place, Span) else Span(str(place))
        self.findings.append(Finding(code, span, message, hint))


def import_vault(request: formats.ImportRequest) -> formats.ImportResult:
    """Return the files that change with the properties of a note, or of a vault's notes."""
    if request.path.is_file() and not _has_record(request.path):
        return import_text(request)  # nobody exported it from a character
    result = _Result(request)
    for number, path in enumerate(files_below(request.path, (".md",))):
        if number >= MOST_NOTES:
            message = f"only the first {MOST_NOTES:,} notes are read"
            result.report(codes.TOO_MUCH, request.path, message, "import folders")
            break
        note = _read_note(path, result, is_named=path == request.path)
        if result.values > MOST_VALUES:
            message = f"the notes have more than {MOST_VALUES:,} values; the rest is not read"
            result.report(codes.TOO_MUCH, path, message, "import folders")
            break
        if note is not None:
            _import_note(note, result)
    if not result.taken and not result.findings:
        message = "no note in it was exported from a character"
        hint = "export the characters again, and change the properties of those notes"
        result.report(codes.NOT_IMPORTED, request.path, message, hint)
    return formats.ImportResult(result.texts, tuple(result.findings), tuple(result.merged))


def _has_record(path: Path) -> bool:
    read = read_text(path)
    return read.value is None or RECORD in read.value[0]


def _read_note(path: Path, result: _Result, *, is_named: bool) -> _Note | None:
    """Return a note that was exported from a character; another one that is named is a finding."""
    read = read_text(path)
    if read.value is None:
        result.findings += read.findings
        return None
    text = read.value[0].replace("\r\n", "\n")
    lines = text.split("\n")
    record = _find_record(lines)
    if record is None or lines[0].rstrip() != _FENCE or _FENCE not in lines[1:]:
        if is_named or RECORD in text:
            message = "this note has no properties, or no record of what was exported"
            hint = "export the character again, and change the properties of that note"
            result.report(codes.NOT_IMPORTED, path, message, hint)
        return None
    end = lines.index(_FENCE, 1)
    front = "\n".join(["", *lines[1:end]]) + "\n"
    result.values += count_values(front)
    if result.values > MOST_VALUES:
        return None
    parsed = parse_yaml(front, str(path))
    result.findings += parsed.findings
    if parsed.value is None or not isinstance(parsed.value.root, Pairs):
        return None
    properties: dict[str, tuple[ScalarNode, Node]] = {}
    for key, node in parsed.value.root.entries:
        if property_name(key.raw) in properties:
            message = f"two properties are called `{key.raw}`; this one is not read"
            result.report(codes.REPEATED_KEY, key.span, message, "rename one of the two")
        properties.setdefault(property_name(key.raw), (key, node))
    return _Note(path, properties, *record)


def _find_record(lines: list[str]) -> tuple[str, dict[str, str], dict[str, str]] | None:
    """Return the file's name, and what was typed and computed; None if there is no record."""
    found = next((line for line in reversed(lines) if line.startswith(RECORD)), None)
    try:
        data: Any = json.loads(found.removeprefix(RECORD)) if found is not None else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    file, typed, computed = (data.get(key) for key in ("file", "typed", "computed"))
    if not (isinstance(file, str) and isinstance(typed, dict) and isinstance(computed, dict)):
        return None
    both = [{str(name): str(value) for name, value in of.items()} for of in (typed, computed)]
    return file, both[0], both[1]


def _import_note(note: _Note, result: _Result) -> None:
    """Merge a note into the author's file, or write a new one."""
    folder = result.request.into or Path()
    name = portable_name(note.file.replace("/", "-"))
    name = name or free_name(property_name(note.path.stem), result.taken, ".yaml")
    written = f"{portable_name(file_stem(name.removesuffix('.yaml')))}.yaml"
    path = folder / name if (folder / name).exists() else folder / written
    keys = {name_key(name), name_key(path.name)}
    if keys & result.taken:
        message = f"another note is of `{name}`, too; this one is not imported"
        hint = "keep one of the two notes, or rename the file of one and export it again"
        result.report(codes.SAME_OUTPUT, note.path, message, hint)
        return
    result.taken |= keys
    if path.exists():
        found = load_character_file(path, result.rulesets, result.request.options)
        if len(found) == 1 and found[0].source is not None and found[0].rules is not None:
            _merge(note, path, found[0], result)
            return
        message = f"`{path}` cannot be read, or holds several entries; the note is not imported"
        hint = "import into another folder"
        result.report(codes.NOWHERE, note.path, message, hint)
        return
    _write_new(note, name, result)


def _write_new(note: _Note, name: str, result: _Result) -> None:
    """Write a new file from what the author had typed, as the properties have it now."""
    keys = [*note.typed, *(p for p in note.properties if p not in _known(note))]
    cells = {key: note.text(key, is_text=False) for key in keys}
    kind = note.text("sheetgen", is_text=True)
    heads = ("file", "kind", *(key.replace("_", " ") for key in cells))
    rows = [SheetRow(1, heads), SheetRow(2, (name, kind, *cells.values()))]
    found = import_rows(result.request, rows, str(note.path))
    for finding in found.findings:  # those about a cell belong to its property
        _, mark, rest = finding.message.partition("column `")
        key, _, message = rest.partition("`: ")
        named = note.properties.get(property_name(key)) if mark else None
        span = named[0].span if named is not None else Span(str(note.path))
        moved = replace(finding, span=span, message=message if mark else finding.message)
        result.findings.append(moved)
    result.texts |= found.texts


def _known(note: _Note) -> frozenset[str]:
    """Return the properties that are not an author's keys."""
    exported = {property_name(id_) for id_ in note.typed}
    return OBSIDIAN_KEYS | exported | note.computed.keys() | {"aliases"}


def _merge(note: _Note, path: Path, one: Character, result: _Result) -> None:
    rules, source = one.rules, one.source
    assert rules is not None
    assert source is not None
    read = read_text(path)
    digest = read.value[1] if read.value else hashlib.sha256(source.text.encode()).hexdigest()
    merged = MergedFile(path, source.text, source.text, one)
    current = written_texts(one)
    added = note.properties.keys() - _known(note)
    new = (i for i in map(str, rules.character) if property_name(i) in added)
    for id_ in dict.fromkeys([*note.typed, *new]):
        is_text = is_text_key(rules, id_)
        before, now = note.typed.get(id_, ""), note.text(id_, is_text=is_text)
        there = current.get(id_, "")
        if now not in (before, there):
            change = _apply(note, merged, id_, before, now, there, is_text=is_text)
            merged.changes.append(change)
    _report_others(note, one, result)
    if merged.changes:
        options = result.request.options
        merged.character = check_text(path, merged.after, result.rulesets, options)
        result.merged.append((merged, digest))


def _apply(
    note: _Note, merged: MergedFile, id_: str, before: str, now: str, there: str, *, is_text: bool
) -> Change:
    """Edit the file for one changed property; return what became of it."""
    label = id_.replace("_", " ")
    span = note.properties.get(property_name(id_), (None, None))[0]
    place = span.span if span is not None else Span(str(note.path))
    state = "merged"
    if there not in (before, now):
        message = f"{label}: exported `{before}`, in the note `{now}`, in the file `{there}`"
        hint = "change the file by hand if the note is right; it keeps its own"
        finding = Finding(codes.CONFLICT, place, message, hint, Severity.WARNING)
        merged.findings.append(finding)
        state = "conflict"
    elif there != now:
        try:
            merged.after = edit_key(merged.after, merged.character, id_, now, is_text=is_text)
        except edit.CannotEdit as why:
            message = f"{label}: this place in the file cannot be edited: {why}"
            hint = "make this change by hand"
            merged.findings.append(Finding(codes.NOT_EDITED, place, message, hint))
            state = "kept"
        except BadCell as why:
            hint = "write it as `one; two`, `one: 1; two: 2`, or YAML in brackets"
            merged.findings.append(Finding(codes.BAD_CELL, place, f"{label}: {why}", hint))
            state = "kept"
    return Change(label, (id_,), before, now, there, state)


def _report_others(note: _Note, one: Character, result: _Result) -> None:
    """Report changed computed properties, and properties that the rules have no key for."""
    assert one.rules is not None
    keys = {property_name(str(id_)) for id_ in one.rules.character}
    for name, (key, node) in note.properties.items():
        raw = raw_text(node)
        if name in note.computed and name not in keys and raw != note.computed[name]:
            message = f"`{key.raw}` is computed from other properties and is not imported"
            hint = "change the property that it follows from"
            code, severity = codes.COMPUTED_CELL, Severity.WARNING
        elif name not in _known(note) | keys:
            message, hint = f"{one.rules.title} has no key `{key.raw}`; it stays in the vault", ""
            code, severity = codes.UNKNOWN_COLUMN, Severity.NOTE
        else:
            continue
        result.findings.append(Finding(code, key.span, message, hint, severity))


def edit_key(text: str, one: Character, id_: str, cell: str, *, is_text: bool) -> str:
    """Return the text of a character's file with a key changed to a cell; removed if it is empty.

    Raises:
        CannotEdit: The place cannot be edited.
        BadCell: The cell cannot be read.
    """
    root = edit.parse_spots(text)
    if root is None or root.kind != "map" or one.rules is None:
        raise edit.CannotEdit("the file has no keys")
    keys = index_of(one.rules).keys
    name = next((k.raw for k in root.keys if id_ in (k.raw, *keys.find(k.raw))), None)
    if not cell.strip():
        return edit.drop_entry(text, (name,)) if name is not None else text
    spot = edit.parse_spots(f"key: {parse_cell(cell, is_text=is_text)}\n")
    new = spot.at(("key",)).data() if spot is not None else None
    if name is None:
        return edit.add_entry(text, (), id_.replace("_", " "), new)
    return put_entries(text, (name,), root.at((name,)).data(), new)
