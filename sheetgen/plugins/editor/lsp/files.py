"""Files of an editor, also half typed: what their names mean, and which may be written."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from sheetgen.check.character.advancement import list_offers
from sheetgen.check.character.builds import build_rating, check_draft, complete_source, stock_names
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ledger import has_pool
from sheetgen.check.character.ratings import limit_of
from sheetgen.check.character.values import OUR_KEYS
from sheetgen.diag.findings import Span, errors
from sheetgen.load import characters
from sheetgen.load import files as loading
from sheetgen.load.characters import PART, RulesetCache, load_from_source
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import ENTRIES, entries_of, kind_of, kind_rules
from sheetgen.load.rulesets.rulesets import (
    Folders,
    find_ruleset,
    is_ruleset,
    load_ruleset,
    rulesets_of,
    switches_of,
)
from sheetgen.load.yaml.format import format_scalars
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import code_text
from sheetgen.model.requests import PrintRequest, SelectionRequest
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Many, Node, Pairs, Source, Text, items_of, raw_text
from sheetgen.plan.pages.tables import find_references
from sheetgen.plugins.editor import character_schemas as shapes
from sheetgen.plugins.editor.lsp.text import (
    ITEM,
    KEY,
    VALUE,
    CursorPlace,
    OpenText,
    Step,
    find_place,
)
from sheetgen.plugins.editor.schemas import BOOK, CHARACTER, ENCOUNTER, part_kind, schema_tree
from sheetgen.prints.kinds import find_kind
from sheetgen.prints.tables import ScreenRequest, TableRequest
from sheetgen.records import frozen
from sheetgen.registry import prints
from sheetgen.rules.formulas.evaluate import number_text
from sheetgen.rules.formulas.expressions import COUNTING, NAMING, WRITING
from sheetgen.rules.index import folded, index_of, split_times
from sheetgen.rules.tables.things import catalogues, known_names, things_of_kind

Texts: TypeAlias = Mapping[str, str]  # The texts of open files by their real paths

_HEAD: Final = re.compile(  # The entries of a file that select its rules.
    r"^(?:ruleset|kind|options)[ \t]*:.*(?:\n(?:[ \t-].*|[ \t]*$))*", re.MULTILINE
)

_DESIGNS: Final = {"sheet.yaml": "sheet design", "card.yaml": "card design"}
_MOST_SCHEMAS: Final = 20


@frozen
class OpenFile:
    """A file in an editor, and what its names mean."""

    path: Path
    text: str
    sort: str  # One of the types that `find_file_type` returns.
    rules: Ruleset | None = None  # The complete ruleset; None if it is unknown or has errors.
    kind: str = ""  # The kind of schema, such as `character`.
    folders: Folders = ()


@dataclass
class RulesReader:
    """Reads rulesets, and keeps them until a file that they were read from changes."""

    rulesets: RulesetCache = field(default_factory=RulesetCache)  # shared by checks
    # Schemas by the ruleset's digest and the kind of file.
    schemas: dict[tuple[str, str], SchemaNode] = field(default_factory=dict)
    # The last rules without errors, by the folder of a ruleset that is being edited.
    usable: dict[Path, Ruleset] = field(default_factory=dict)
    stamps: dict[str, loading.FileState] = field(default_factory=dict)  # of what was read
    # The same of files in which the author types; they count where another file is asked about.
    typed: dict[str, loading.FileState] = field(default_factory=dict)

    def forget_changed(self, texts: Texts, asked: Path) -> None:
        """Forget all rulesets if a file that they were read from has changed."""
        left = {path: stamp for path, stamp in self.typed.items() if path != str(asked)}
        self.stamps = {**left, **self.stamps}
        if any(loading.file_state(path, texts) != stamp for path, stamp in self.stamps.items()):
            self.rulesets, self.stamps, self.typed = RulesetCache(), {}, {}

    def remember(self, reads: set[str], texts: Texts, without: Path) -> None:
        """Keep the states of files that were read, and of their folders."""
        for path in reads & {str(without)}:
            self.typed.setdefault(path, loading.file_state(path, texts))
        for path in reads - {str(without)}:
            for one in (path, os.path.dirname(path)):
                self.stamps.setdefault(one, loading.file_state(one, texts))

    def open_file(self, path: Path, text: str, texts: Texts, offset: int | None = None) -> OpenFile:
        """Return what the names in a file mean; its rules may be wrong where the author types."""
        self.forget_changed(texts, path)
        with loading.read_unsaved(texts), loading.record_reads() as reads:
            found = self._open(path, text)
            folder = found.folders[0] if found.sort == characters.PART and found.folders else None
            broken = folder is not None and self.complete_rules((folder,), {}) is None
        self.remember(reads, texts, path)
        place = find_place(text, offset) if broken and offset is not None else None
        if place is None or folder is None:
            return found
        for other in _without_word(text, place):
            with loading.read_unsaved({**texts, os.path.realpath(path): other}):
                loaded = load_ruleset((folder,), complete=True)
            if loaded.value is not None and not errors(loaded.findings):
                self.usable[folder] = loaded.value
                return replace(found, rules=loaded.value)
        return found

    def _open(self, path: Path, text: str) -> OpenFile:
        sort, folder = characters.find_file_type(path), characters.find_ruleset_above(path)
        found = OpenFile(path, text, sort)
        if sort == characters.PART and folder is not None:
            rules = self.complete_rules((folder,), {}) or self.usable.get(folder)
            if rules is not None:
                self.usable[folder] = rules
            return replace(found, rules=rules, kind=part_kind(path, folder), folders=(folder,))
        if sort not in (characters.CHARACTER, characters.TEMPLATE, characters.ENCOUNTER):
            kind = BOOK if sort == characters.BOOK else _DESIGNS.get(path.name, "")
            first = (rulesets_folder() / ruleset_ids()[0],)
            return (
                replace(found, rules=self.complete_rules(first, {}), kind=kind) if kind else found
            )
        entries = [match[0] for match in _HEAD.finditer(text.lstrip("\ufeff"))]
        plain = [entry for entry in entries if not entry.startswith("options")]
        # What is half typed among them is left out.
        heads = (parse_yaml("\n".join(e), str(path)).value for e in (entries, plain, plain[:1]))
        source = next((head for head in heads if head is not None), None)
        if source is None or not isinstance(source.root, Pairs):
            return found
        folders = rulesets_of(source, source.root, path).value or ()
        rules = self.complete_rules(folders, switches_of(source.root, {})) if folders else None
        if rules is None:
            return replace(found, folders=folders)
        kind = ENCOUNTER
        if sort != characters.ENCOUNTER:
            kind = kind_of(source, rules, []) or CHARACTER
        return replace(found, rules=rules, kind=kind, folders=folders)

    def complete_rules(self, folders: Folders, switches: Mapping[str, bool]) -> Ruleset | None:
        """Return the complete ruleset of some folders; None if it has errors."""
        key = folders, frozenset(switches.items())
        if key not in self.rulesets.loaded:
            loaded = load_ruleset(folders, complete=True, switches=switches)
            self.rulesets.put(folders, switches, loaded)
        found = self.rulesets.loaded[key]
        return None if errors(found.findings) else found.value

    def schema(self, file: OpenFile) -> SchemaNode | None:
        """Return the schema of a file, if it is of a kind that has one."""
        if file.rules is None or not file.kind:
            return None
        key = file.rules.digest, file.kind
        if key not in self.schemas:
            if len(self.schemas) >= _MOST_SCHEMAS:
                self.schemas.clear()
            tree = schema_tree(file.rules, file.kind)
            self.schemas[key] = _node(tree, [tree])
        return self.schemas[key]

    def draft(
        self, file: OpenFile, place: CursorPlace, texts: Texts, *, without: bool = False
    ) -> Draft | None:
        """Return the checked entry at a place, perhaps `without` what is half typed there."""
        if file.rules is None or file.sort != characters.CHARACTER:
            return None
        number = place.path[1] if place.path[:1] == (ENTRIES,) and len(place.path) > 1 else 0
        for text in _without_word(file.text, place) if without else (file.text,):
            source = parse_yaml(text, str(file.path)).value
            if source is not None and isinstance(source.root, Pairs):
                with loading.read_unsaved(texts):
                    entries = load_from_source(file.path, source, (), self.rulesets)
                    entry = entries[min(int(number), len(entries) - 1)]
                    if entry.source is None or entry.rules is None:
                        return None
                    source, _ = complete_source(entry, {}, self.rulesets)
                    return check_draft(source, entry.rules)
        return None


def _without_word(text: str, place: CursorPlace) -> Iterator[str]:
    """Yield `text` without what is typed at a place: the word, then the whole line."""
    yield text[: place.start] + text[place.end :]
    start = max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start)) + 1
    end = text.find("\n", place.end)
    yield text[:start] + (text[end:] if end >= 0 else "")


TRAIT, CHOICE, ITEM_OF_GEAR, ADVANCE = "trait", "choice", "item", "advance"
_SORTS_OF_KEYS: dict[str, tuple[str, ...]] = {  # What the names under a key of each kind may name.
    **dict.fromkeys(("choice", "choices"), (CHOICE,)),
    **dict.fromkeys(("item", "items"), (ITEM_OF_GEAR,)),
    "advances": (TRAIT, ADVANCE, ITEM_OF_GEAR),
    **dict.fromkeys(
        ("ratings", "raises", "refunds", "losses", "details", "links", "pinned", "codes"), (TRAIT,)
    ),
}


@frozen
class NamedThing:
    """Something that a word names."""

    trait: str  # Its id, if it is a trait.
    place: Span | None  # Where the ruleset's files define it.
    describe: Callable[[], str]  # Returns Markdown: text, price, limit, requirement.


def rules_of(file: OpenFile) -> Ruleset | None:
    """Return the rules whose keys a file has: those of its kind."""
    if file.rules is not None and file.kind in file.rules.kinds:
        return kind_rules(file.rules, file.kind)
    return file.rules


_IN_FORMULAS = ("number", "choice")


def formula_names(rules: Ruleset | None, path: tuple[Step, ...]) -> dict[str, str]:
    """Return names for formulas, with Markdown; in tables and cards (`path`) of things."""
    functions = dict.fromkeys(sorted(NAMING | COUNTING | WRITING), "A function.")
    if rules is None:
        return functions
    index = index_of(rules)
    part, id_, *_ = (*path, "", "")
    if part in ("tables", "card_sets") and (holder := getattr(rules, str(part)).get(id_)):
        of = [holder.of] if isinstance(holder.of, Text) else holder.of or ()
        things = dict.fromkeys(sorted(known_names(rules, *map(str, of))), "Of the thing.")
        return {**things, **dict.fromkeys([*index.formulas, *sorted(COUNTING | WRITING)], "")}
    traits = {id_: rules.groups[group].label for id_, (group, *_) in index.traits.items()}
    values = {str(id_): derived.label for id_, derived in rules.derived.items()}
    pools = {str(id_): pool.label for id_, pool in rules.pools.items()}
    options = {str(id_): str(option.text) for id_, option in rules.options.items()}
    own = dict.fromkeys(index.formulas, "A formula of the ruleset.")
    own |= dict.fromkeys(map(str, rules.lookups), "A lookup of the ruleset.")
    keys = {str(id_): key.label for id_, key in rules.character.items() if key.kind in _IN_FORMULAS}
    lists = sorted(index.lists & {"gear", *rules.character, *rules.choices})
    own |= {f"{one}.{n}": "A number of things, for `sum`." for n in index.numbers for one in lists}
    return {**traits, **values, **keys, **pools, **options, **own, **functions}


def find_key(rules: Ruleset, path: tuple[Step, ...]) -> tuple[str, Key, tuple[Step, ...]] | None:
    """Return id and rules of the file's key that `path` is under, and the rest of the path."""
    if path[:1] == (ENTRIES,) and len(path) > 1:
        path = path[2:]
    ids = index_of(rules).keys.find(str(path[0])) if path else ()
    return (ids[0], rules.character[ids[0]], path[1:]) if ids else None


def find_things(file: OpenFile, place: CursorPlace) -> list[NamedThing]:
    """Return what the word at a place may name."""
    rules = rules_of(file)
    if rules is None:
        return []
    name, whole = split_times(place.word)[0], file.rules or rules
    step = place.path[-1] if place.path and place.sort != KEY else ""
    based = []
    for kind in whole.kinds.values():
        if kind.based_on and isinstance(step, str) and folded(step) == folded(kind.based_on):
            stock = [*entries_of(Path(whole.place.file).parent, kind)]
            for number in stock_names(stock, whole.spellings).find(place.word):
                source = stock[int(number)]
                named = source.get("name")
                at = named.span if named is not None else source.start
                based.append(NamedThing("", at, partial(_describe_source, source)))
    if based:
        return based
    index = index_of(rules)
    sorts: tuple[str, ...] = (TRAIT, CHOICE, ITEM_OF_GEAR)
    groups, of = tuple[str, ...](), tuple(map(str, rules.choices))
    if file.kind != ENCOUNTER:
        if (found := find_key(rules, place.path)) is None:
            return []
        id_, key, below = found
        of = tuple(map(str, key.of)) or (id_,)
        groups = tuple(group for group in of if group in rules.groups)
        sorts = _SORTS_OF_KEYS.get(str(key.kind), ())
        if key.kind in ("choice", "choices") and any(isinstance(step, str) for step in below):
            sorts, groups = (TRAIT,), ()  # What the choice asks for.
    things: list[NamedThing] = []

    def add(id_: str, holder: Mapping[Any, object], texts: Any, *of: Any) -> None:
        trait, at = id_ if texts is shapes.describe_traits else "", place_of_id(holder, id_)
        things.append(NamedThing(trait, at, lambda: texts(whole, *of).get(id_, "")))

    for sort in sorts:
        if sort == TRAIT:
            for id_ in (index.among(groups) if groups else index.all_traits).find(name):
                group = index.traits[id_][0]
                add(id_, whole.groups[group].traits, shapes.describe_traits, (group,))
        elif sort == CHOICE:
            for catalogue in filter(index.by_catalogue.__contains__, of):
                for id_ in index.by_catalogue[catalogue].find(name):
                    add(id_, whole.choices[catalogue].entries, shapes.describe_choices, catalogue)
        elif sort == ITEM_OF_GEAR:
            for id_ in index.gear.find(name):
                add(id_, whole.gear, shapes.describe_gear)
        else:
            steps = whole.advances.named if whole.advances is not None else {}
            for id_ in index.advances.find(name):
                things.append(NamedThing("", place_of_id(steps, id_), str))
    return things


def _describe_source(source: Source) -> str:
    """Return Markdown with what a file of the ruleset says."""
    entries = source.root.entries if isinstance(source.root, Pairs) else ()
    written = [(key.raw, node) for key, node in entries if key.raw not in OUR_KEYS]
    return "\n".join(
        f"- {shapes.escaped(key)}: {shapes.escaped(_plain(node))}" for key, node in written
    )


def _plain(node: Node) -> str:
    if isinstance(node, Pairs):
        return ", ".join(f"{key.raw} {_plain(below)}" for key, below in node.entries)
    return ", ".join(map(_plain, node.items)) if isinstance(node, Many) else raw_text(node)


def place_of_id(mapping: Mapping[Any, object], id_: str) -> Span | None:
    """Return where a key of a mapping of the ruleset is written."""
    return next((key.span for key in mapping if key == id_ and isinstance(key, Text)), None)


def find_definitions(file: OpenFile, offset: int) -> list[Span]:
    """Return where the word at an offset is defined."""
    place, rules = find_place(file.text, offset), rules_of(file)
    if ids := find_ids(file, offset):
        return [id_.span for id_ in ids]
    if place is None:
        return []
    if place.path[:1] == ("ruleset",):
        return [Span(str(Path(folder) / "ruleset.yaml")) for folder in file.folders]
    if rules is None:
        return []
    spans = [thing.place for thing in find_things(file, place)]
    if file.kind == ENCOUNTER and place.path[:1] == ("tables",):
        spans = [place_of_id(rules.tables, place.word)]
    if not spans:
        in_fight = file.kind == ENCOUNTER and place.path[:1] == ("combatants",)
        kinds = [kind_rules(rules, str(id_)) for id_ in rules.kinds] if in_fight else [rules]
        path = (*place.path[2 if in_fight else 0 :], place.word)
        keys = ((one, found) for one in kinds if (found := find_key(one, path)) and not found[2])
        spans = [place_of_id(one.character, found[0]) for one, found in keys]
    return list(dict.fromkeys(span for span in spans if span is not None))


_DOTTED: Final = re.compile(r"\w+(?:\.\w+)*")
_SPELLINGS: Final = "spellings"


def find_ids(file: OpenFile, offset: int) -> list[Text]:
    """Return the ids that the word at an offset may mean: the key there, or all with it."""
    rules = file.rules
    if rules is None or file.kind not in ("ruleset", "module"):
        return []
    holders = [getattr(rules, field.name) for field in fields(rules) if field.name != _SPELLINGS]
    holders += [group.traits for group in rules.groups.values()]
    holders += [catalogue.entries for catalogue in rules.choices.values()]
    holders += [rules.odds.rolls, rules.odds.grids] if rules.odds is not None else []
    mappings = (holder for holder in holders if isinstance(holder, Mapping))
    known = [key for holder in mappings for key in holder if isinstance(key, Text)]
    text = OpenText(file.text)
    for id_ in known:
        start, end = text.span_offsets(id_.span)
        if id_.span.file == str(file.path) and start <= offset <= end:
            return [id_] if file.text[start:end] == id_ else []
    words = (m for m in re.finditer(r"\w+", file.text) if m.start() <= offset <= m.end())
    if (word := next(words, None)) is None:
        return []
    # A part of a name with dots, such as `choices.knack`, or all of it, such as an option's.
    dotted = next(m for m in _DOTTED.finditer(file.text) if m.start() <= word.start() < m.end())
    # The name of a formula has its parameters behind it.
    found = ([i for i in known if i.partition("(")[0] == name] for name in (dotted[0], word[0]))
    return next(filter(None, found), [])


_MOST_DEPTH = 12  # References within references that are followed; models may contain themselves


@frozen
class SchemaNode:
    """What a schema says about a place."""

    root: shapes.Schema  # The schema of the file, for references.
    parts: tuple[shapes.Schema, ...]  # All that may hold there, such as those of `anyOf`.

    def at(self, path: tuple[Step, ...]) -> SchemaNode:
        """Return the node at `path` below this one: by a key's name, its spellings, or any key."""
        node = self
        for step in path:
            found: list[Any] = []
            for part in node.parts:
                like = part.get("patternProperties", {}).items()
                if isinstance(step, int):
                    found += [part["items"]] if "items" in part else []
                elif step in part.get("properties", {}):
                    found.append(part["properties"][step])
                elif spelt := [below for one, below in like if below and re.search(one, step)]:
                    found += spelt
                elif isinstance(part.get("additionalProperties"), dict):
                    found.append(part["additionalProperties"])
            node = _node(self.root, found)
        return node

    def keys(self) -> dict[str, str]:
        """Return the keys that a mapping here may have, with Markdown about each."""
        keys: dict[str, str] = {}
        for part in self.parts:
            for key, below in part.get("properties", {}).items():
                keys[key] = keys.get(key) or _node(self.root, [below]).text()
        return keys

    def values(self) -> dict[str, str]:
        """Return the values that may be here, in words of YAML, with Markdown about each."""
        values: dict[str, str] = {}
        for part in self.parts:
            listed = part.get("enum", ())
            if listed == shapes.NOTHING:
                continue
            texts = part.get("markdownEnumDescriptions", [""] * len(listed))
            for value, text in zip(listed, texts, strict=True):
                if value not in (None, ""):
                    shown = str(value).lower() if isinstance(value, bool) else str(value)
                    values.setdefault(shown, text)
            if part.get("type") == "boolean":
                values |= {"true": "", "false": ""}
        return values

    def text(self) -> str:
        """Return Markdown about the place, or ""."""
        texts = (p.get("markdownDescription") or p.get("description") for p in self.parts)
        titles = (f"**{shapes.escaped(part['title'])}**" for part in self.parts if "title" in part)
        return "\n\n".join((*islice(titles, 1), *islice(filter(None, texts), 1)))


def _node(root: shapes.Schema, schemas: list[Any]) -> SchemaNode:
    def parts(schema: Any, depth: int) -> Iterator[shapes.Schema]:
        if not isinstance(schema, dict) or not depth:
            return
        yield schema
        if "$ref" in schema:
            yield from parts(root["definitions"][schema["$ref"].rpartition("/")[2]], depth - 1)
        below = (schema.get("then"), schema.get("else"))
        for one in (*below, *schema.get("anyOf", ()), *schema.get("allOf", ())):
            yield from parts(one, depth - 1)

    return SchemaNode(root, tuple(part for one in schemas for part in parts(one, _MOST_DEPTH)))


_QUOTED: Final = re.compile(r"^[\s\-?:,\[\]{}#&*!|>'\"%@`]|: | #|:$")
_QUOTED_IN_FLOW: Final = re.compile(r"[,\[\]{}]")


_TABLES: Final = (".csv", ".parquet")
_FILES: Final = {"template": loading.SUFFIXES, **dict.fromkeys(("rows", "file"), _TABLES)}
_ENTRY_ID: Final = re.compile(r"\bid[ \t]*:[ \t]*[\"']?([\w-]+)")


@frozen
class Completion:
    """Something that may be written: `text` between the offsets `start` and `end`."""

    label: str  # What the editor lists.
    text: str
    start: int
    end: int
    sort: str = VALUE  # KEY, or VALUE for all else.
    about: str = ""  # Markdown.


def list_completions(
    file: OpenFile, offset: int, reader: RulesReader, texts: Texts
) -> list[Completion]:
    """Return what may be written at an offset of a file."""
    if (found := find_place(file.text, offset)) is None:
        return []
    place: CursorPlace = found

    def key_of(key: str, about: str) -> Completion:
        text = _written(key, place)
        if not re.match(r"\s*:", file.text[place.end : place.end + 20]):
            text += ": "
        return Completion(key, text, place.start, place.end, KEY, about)

    def value_of(value: str, about: str = "", before: str = "") -> Completion:
        text = before + _written(value, place)
        return Completion(value, text, place.start, place.end, VALUE, about)

    if place.path == ("ruleset",) or place.path[:-1] == ("ruleset",):
        return [value_of(name) for name in _rulesets(file)]
    schema = reader.schema(file)
    if schema is None:
        return [key_of("ruleset", "The ruleset.")] if place.sort == KEY and not place.path else []
    node = schema.at(place.path)
    before = file.text[place.start : offset]
    braces = file.sort == PART and before.rfind("{") > before.rfind("}")
    if place.sort != KEY and (
        braces or any(p.get("$comment") == shapes.FORMULA for p in node.parts)
    ):
        # The name at the cursor in a formula, or in the braces of a text.
        name, rest = re.findall(r"[\w.]*$", before)[0], re.findall(r"^\w*", file.text[offset:])[0]
        place = replace(place, start=offset - len(name), end=offset + len(rest))
        names = formula_names(rules_of(file), place.path if file.sort == PART else ())
        return [value_of(name, names[name]) for name in names]
    written = {folded(other) for other in place.others}
    keys = {key: about for key, about in node.keys().items() if folded(key) not in written}
    values = node.values()
    if place.sort == VALUE and not values:
        values = dict.fromkeys(_higher_ratings(file, place, reader, texts), "")
    if file.kind == BOOK:
        names = dict.fromkeys(_names_in_book(file, place, reader), "")
        values = {**names, **values} if "kind" in place.path else {**values, **names}
        printed = written.intersection(prints())
        keys = {key: text for key, text in keys.items() if not printed or key not in prints()}
    elif file.kind == ENCOUNTER and place.path[-1:] == ("file",):
        values = dict.fromkeys(_files_beside(file, loading.SUFFIXES), "")
    if place.sort == KEY and (keys or not any("items" in part for part in node.parts)):
        return [key_of(key, about) for key, about in keys.items()]
    if place.sort == KEY:
        item = "- " if not place.flow else ""
        return [value_of(v, about, item) for v, about in node.at((0,)).values().items()]
    left = {v: about for v, about in values.items() if folded(v) not in written or not v}
    more = [key for key in keys if key not in values] if place.sort == ITEM else []
    return [value_of(v, left[v]) for v in left] + [key_of(key, keys[key]) for key in more]


def _names_in_book(file: OpenFile, place: CursorPlace, reader: RulesReader) -> Iterator[str]:
    """Yield names at a place of a book: ids of entries, files, or what an entry prints some of."""
    key = next((str(step) for step in reversed(place.path) if isinstance(step, str)), "")
    if place.path[:1] == ("combined",) and key == "of":
        yield from _ENTRY_ID.findall(file.text)
    elif key in prints():
        kind = find_kind(key)
        files = () if kind.job == "ruleset" else loading.SUFFIXES
        yield from _files_beside(file, (*files, *_TABLES) if kind.joins else files)
    elif key in _FILES:
        yield from _files_beside(file, _FILES[key])
    if key not in ("kind", "only", "group"):
        return
    number = next((step for step in place.path if isinstance(step, int)), 0)
    for text in _without_word(file.text, place):
        source = parse_yaml(text, str(file.path)).value
        listed = items_of(source.get(ENTRIES)) if source is not None else ()
        entry = listed[number] if number < len(listed) else None
        for name, node in entry.entries if isinstance(entry, Pairs) else ():
            for one in items_of(node) if name.raw in prints() else ():
                found = find_ruleset(raw_text(one), one.span, file.path.parent).value
                rules = reader.complete_rules(found, {}) if found else None
                if rules is not None and isinstance(entry, Pairs):
                    kinds = tuple(map(raw_text, items_of(entry.get("kind"))))
                    yield from _names_in_print(key, find_kind(name.raw).request, kinds, rules)
                    return


def _names_in_print(
    key: str, request: type[PrintRequest], kinds: Collection[str], rules: Ruleset
) -> Iterator[str]:
    """Yield the kinds, names (`only`) or groups of what a print shows of a ruleset."""
    if key == "kind":
        yield from map(str, (*rules.kinds, *rules.card_sets))
    elif request is TableRequest and key == "only":
        yield from (*find_references(rules), *map(str, rules.tables))
    elif request is ScreenRequest and key == "only":
        yield from (id_ for one in rules.screens.values() for id_ in one.panels)
        yield from rules.screens
    elif issubclass(request, SelectionRequest):
        folder = Path(rules.place.file).parent
        for id_, kind in rules.kinds.items():
            for source in entries_of(folder, kind) if id_ in kinds or not kinds else ():
                value = source.get("name" if key == "only" else "group")
                yield from (raw_text(value),) if value is not None else ()
        sets = [one for id_, one in rules.card_sets.items() if id_ in kinds or not kinds]
        for of in (of for one in sets for of in one.of) if key == "only" else ():
            yield from things_of_kind(rules, of).shown.values() if of in catalogues(rules) else ()


def _files_beside(file: OpenFile, suffixes: tuple[str, ...]) -> list[str]:
    """Return the names of the files with these suffixes in the folder of a file, without it."""
    names = sorted(loading.file_names(file.path.parent))
    return [name for name in names if name.endswith(suffixes) and name != file.path.name]


def _written(text: str, place: CursorPlace) -> str:
    """Return a name as YAML: in quotes where it needs them."""
    if _QUOTED.search(text) or (place.flow and _QUOTED_IN_FLOW.search(text)):
        return next(format_scalars(text, flow=place.flow))
    return text


def _rulesets(file: OpenFile) -> Iterator[str]:
    """Yield the rulesets that a file may name: those that come with us, and folders beside it."""
    yield from ruleset_ids()
    folder = file.path.parent
    try:
        yield from (
            f"./{name}" for name in sorted(loading.file_names(folder)) if is_ruleset(folder / name)
        )
    except OSError:
        return
    if is_ruleset(folder.parent):
        yield ".."


_MOST_STEPS = 12  # Ratings that are offered for one trait


def _higher_ratings(
    file: OpenFile, place: CursorPlace, reader: RulesReader, texts: Texts
) -> Iterator[str]:
    """Yield the higher ratings of the trait at a place, as they are written."""
    rules = rules_of(file)
    found = find_key(rules, place.path) if rules is not None else None
    if found is None or len(found[2]) != 1 or found[1].kind not in ("ratings", "codes"):
        return
    draft = reader.draft(file, place, texts, without=True)
    traits = draft.index.all_traits.find(str(found[2][0])) if draft is not None else ()
    if draft is None or found[0] not in draft.rules.character or len(traits) != 1:
        return
    group, own, limit = draft.group_rule(traits[0]), draft.own(traits[0]), limit_of(draft, *traits)
    dice = draft.in_dice(traits[0])
    if draft.is_stated(traits[0]) and group.price is not None and group.pool is not None:
        steps = range(own + 1, own + _MOST_STEPS + 1)
    else:
        die = 3 if draft.rules.pips and dice else 1
        steps = range(die, die * (_MOST_STEPS + 1), die)
    for step in steps:
        if limit is None or step <= limit:
            yield code_text(step, pips=draft.rules.pips) if dice else str(step)


def hover_text(
    file: OpenFile, offset: int, reader: RulesReader, texts: Texts
) -> tuple[str, int, int] | None:
    """Return Markdown about the word at an offset, and the offsets of the word; None for none."""
    place = find_place(file.text, offset)
    if place is None or not place.word:
        return None
    draft, parts = reader.draft(file, place, texts), list[str]()
    for thing in find_things(file, place):
        if thing.trait and draft is not None and draft.group_of(thing.trait):
            parts.append(_rating(draft, thing.trait))
            offers = (one for one in list_offers(draft, (thing.trait,)) if one.kind == "trait")
            if (offer := next(offers, None)) is not None:
                step = offer.refused
                if not step and has_pool(draft, offer.pool):
                    left = number_text(draft.left(offer.pool) - offer.price)
                    label = draft.rules.pools[offer.pool].label
                    step = f"{number_text(offer.price)} {label}, {left} left after it"
                parts += [f"Next step: {shapes.escaped(step)}"] if step else []
        parts.append(thing.describe())
    if not parts:
        schema, is_key = reader.schema(file), place.sort == KEY
        if schema is None:
            return None
        node = schema.at((*place.path, place.word) if is_key else place.path)
        parts.append(node.text() if is_key else node.values().get(place.word, node.text()))
        found = find_key(draft.rules, (*place.path, place.word)) if draft is not None else None
        if draft is not None and found is not None and not found[2] and is_key:
            # The points that the key pays with or earns.
            for id_, pool in draft.rules.pools.items():
                if found[0] in (pool.adds, found[1].pool, id_) and id_ in draft.lines:
                    gained = sum(line.gained for line in draft.lines[str(id_)])
                    rest = draft.left(str(id_))
                    numbers = f"{gained} gained, {gained - rest} spent, {rest} left"
                    parts.append(f"{shapes.escaped(pool.label)}: {numbers.replace('-', '−')}")
    text = "\n\n".join(dict.fromkeys(filter(None, parts)))
    return (text, place.start, place.end) if text else None


def _rating(draft: Draft, trait: str) -> str:
    """Return a trait's rating, and where it comes from."""
    rating = build_rating(draft, trait)
    shown = partial(draft.rules.rating_text, rating.group)
    text = f"**{shapes.escaped(rating.name)}**"
    if rating.total or rating.own:
        text += f" {shown(rating.total)}"
    if 0 < rating.own != rating.total:
        text += f" ({shown(rating.own)} of its own)"
    if rating.limit is not None:
        text += f", at most {shown(rating.limit)}"
    parts = (
        f"- {shapes.escaped(part.why)}: {'−' if part.steps < 0 else '+'}{shown(abs(part.steps))}"
        for part in rating.parts
    )
    return "\n".join((text, "", *parts)) if rating.parts else text
