"""The open files of an editor: their texts, findings, rules and schemas, also half typed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from sheetgen.books.checking import check_paths
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.inheritance import complete_source, stock_names
from sheetgen.check.character.values import OUR_KEYS
from sheetgen.diag.findings import DesignError, Finding, Hint, Span, errors, in_order, split_lines
from sheetgen.diag.words import begin_run
from sheetgen.load import characters
from sheetgen.load.cache import share_text, withdraw_text
from sheetgen.load.characters import RulesetCache, find_file_type, load_from_source
from sheetgen.load.files import read_text, read_unsaved, record_reads
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import ENTRIES, entries_of, kind_of, kind_rules
from sheetgen.load.rulesets.rulesets import (
    Folders,
    find_ruleset,
    load_ruleset,
    rulesets_of,
    switches_of,
)
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Many, Node, Pairs, Source, Text, items_of, raw_text
from sheetgen.plugins.editor.character_schemas import (
    NOTHING,
    Schema,
    describe_choices,
    describe_gear,
    describe_traits,
    escaped,
)
from sheetgen.plugins.editor.lsp.text import KEY, CursorPlace, OpenText, Step, find_place
from sheetgen.plugins.editor.schemas import BOOK, CHARACTER, ENCOUNTER, part_kind, schema_tree
from sheetgen.records import frozen
from sheetgen.registry import prints
from sheetgen.rules.formulas.expressions import COUNTING, NAMING, WRITING
from sheetgen.rules.index import folded, index_of, split_times
from sheetgen.rules.tables.things import known_names

Texts: TypeAlias = Mapping[str, str]  # The texts of open files by their real paths

_HEAD: Final = re.compile(
    r"^(?:ruleset|kind|options)[ \t]*:.*(?:\n(?:[ \t-].*|[ \t]*$))*", re.MULTILINE
)
"""The entries of a file that select its rules."""

_DESIGNS: Final = {"sheet.yaml": "sheet design", "card.yaml": "card design"}
_MOST_SCHEMAS: Final = 20


@frozen
class OpenFile:
    """A file in an editor, and what its names mean.

    Attributes:
        sort: One of the types that `find_file_type` returns.
        rules: The complete ruleset; None if it is unknown or has errors.
        kind: The kind of schema, such as `character`.
    """

    path: Path
    text: str
    sort: str
    rules: Ruleset | None = None
    kind: str = ""
    folders: Folders = ()


@dataclass
class RulesReader:
    """Reads rulesets, and keeps them until a file that they were read from changes.

    Attributes:
        rulesets: What the checks of characters share.
        schemas: Schemas by the ruleset's digest and the kind of file.
        usable: The last rules without errors, by the folder of a ruleset that is being edited.
        stamps: States of the files that were read, by path.
        typed: The same of files in which the author types; they count where another file is asked
            about.
    """

    rulesets: RulesetCache = field(default_factory=RulesetCache)
    schemas: dict[tuple[str, str], SchemaNode] = field(default_factory=dict)
    usable: dict[Path, Ruleset] = field(default_factory=dict)
    stamps: dict[str, object] = field(default_factory=dict)
    typed: dict[str, object] = field(default_factory=dict)

    def forget_changed(self, texts: Texts, asked: Path) -> None:
        """Forget all rulesets if a file that they were read from has changed."""
        left = {path: stamp for path, stamp in self.typed.items() if path != str(asked)}
        self.stamps = {**left, **self.stamps}
        if any(_stamp(path, texts) != stamp for path, stamp in self.stamps.items()):
            self.rulesets, self.stamps, self.typed = RulesetCache(), {}, {}

    def remember(self, reads: set[str], texts: Texts, without: Path) -> None:
        """Keep the states of files that were read, and of their folders."""
        for path in reads & {str(without)}:
            self.typed.setdefault(path, _stamp(path, texts))
        for path in reads - {str(without)}:
            for one in (path, os.path.dirname(path)):
                self.stamps.setdefault(one, _stamp(one, texts))

    def open_file(self, path: Path, text: str, texts: Texts, offset: int | None = None) -> OpenFile:
        """Return what the names in a file mean.

        Args:
            offset: Where the author types: a ruleset's file may have errors there.
        """
        self.forget_changed(texts, path)
        with read_unsaved(texts), record_reads() as reads:
            found = self._open(path, text)
            folder = found.folders[0] if found.sort == characters.PART and found.folders else None
            broken = folder is not None and self._complete((folder,), {}) is None
        self.remember(reads, texts, path)
        place = find_place(text, offset) if broken and offset is not None else None
        if place is None or folder is None:
            return found
        for other in _without_word(text, place):
            with read_unsaved({**texts, os.path.realpath(path): other}):
                loaded = load_ruleset((folder,), complete=True)
            if loaded.value is not None and not errors(loaded.findings):
                self.usable[folder] = loaded.value
                return replace(found, rules=loaded.value)
        return found

    def _open(self, path: Path, text: str) -> OpenFile:
        sort, folder = characters.find_file_type(path), characters.find_ruleset_above(path)
        found = OpenFile(path, text, sort)
        if sort == characters.PART and folder is not None:
            rules = self._complete((folder,), {}) or self.usable.get(folder)
            if rules is not None:
                self.usable[folder] = rules
            return replace(found, rules=rules, kind=part_kind(path, folder), folders=(folder,))
        if sort not in (characters.CHARACTER, characters.TEMPLATE, characters.ENCOUNTER):
            kind = BOOK if sort == characters.BOOK else _DESIGNS.get(path.name, "")
            first = (rulesets_folder() / ruleset_ids()[0],)
            return replace(found, rules=self._complete(first, {}), kind=kind) if kind else found
        entries = [match[0] for match in _HEAD.finditer(text.lstrip("\ufeff"))]
        plain = [entry for entry in entries if not entry.startswith("options")]
        # What is half typed among them is left out.
        heads = (parse_yaml("\n".join(e), str(path)).value for e in (entries, plain, plain[:1]))
        source = next((head for head in heads if head is not None), None)
        if source is None or not isinstance(source.root, Pairs):
            return found
        folders = rulesets_of(source, source.root, path).value or ()
        rules = self._complete(folders, switches_of(source.root, {})) if folders else None
        if rules is None:
            return replace(found, folders=folders)
        kind = ENCOUNTER
        if sort != characters.ENCOUNTER:
            kind = kind_of(source, rules, []) or CHARACTER
        return replace(found, rules=rules, kind=kind, folders=folders)

    def _complete(self, folders: Folders, switches: Mapping[str, bool]) -> Ruleset | None:
        key = folders, frozenset(switches.items())
        if key not in self.rulesets.loaded:
            loaded = load_ruleset(folders, complete=True, switches=switches)
            self.rulesets.put(folders, switches, loaded)
        found = self.rulesets.loaded[key]
        return None if errors(found.findings) else found.value

    def printed_rules(
        self, file: OpenFile, place: CursorPlace
    ) -> Iterator[tuple[str, tuple[str, ...], Ruleset]]:
        """Yield what the entry of a book at a place prints: kind of print, `kind`, and rules."""
        for text in _without_word(file.text, place):
            source = parse_yaml(text, str(file.path)).value
            root = source.root if source is not None else None
            listed = root.get(ENTRIES) if isinstance(root, Pairs) else None
            number = next((step for step in place.path if isinstance(step, int)), 0)
            entry = next(islice(items_of(listed) if listed is not None else (), number, None), None)
            if not isinstance(entry, Pairs):
                continue
            given = entry.get("kind")
            kinds = tuple(map(raw_text, items_of(given) if given is not None else ()))
            for key, node in entry.entries:
                for one in items_of(node) if key.raw in prints() else ():
                    found = find_ruleset(raw_text(one), one.span, file.path.parent).value
                    rules = self._complete(found, {}) if found else None
                    if rules is not None:
                        yield key.raw, kinds, rules
                        return

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
        """Return the checked character or other entry at a place; None if it cannot be read.

        Args:
            without: Whether to leave out the word at the place, or its line, which may be half
                typed.
        """
        if file.rules is None or file.sort != characters.CHARACTER:
            return None
        number = place.path[1] if place.path[:1] == (ENTRIES,) and len(place.path) > 1 else 0
        for text in _without_word(file.text, place) if without else (file.text,):
            source = parse_yaml(text, str(file.path)).value
            if source is not None and isinstance(source.root, Pairs):
                with read_unsaved(texts):
                    entries = load_from_source(file.path, source, (), self.rulesets)
                    entry = entries[min(int(number), len(entries) - 1)]
                    if entry.source is None or entry.rules is None:
                        return None
                    source, _ = complete_source(entry, {}, self.rulesets)
                    return check_draft(source, entry.rules)
        return None


def _stamp(path: str, texts: Texts) -> object:
    text = texts.get(os.path.realpath(path))
    if text is not None:
        return text
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _without_word(text: str, place: CursorPlace) -> Iterator[str]:
    """Yield `text` without what is typed at a place: the word, then the whole line."""
    yield text[: place.start] + text[place.end :]
    start = max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start)) + 1
    end = text.find("\n", place.end)
    yield text[:start] + (text[end:] if end >= 0 else "")


TRAIT, CHOICE, ITEM_OF_GEAR, ADVANCE = "trait", "choice", "item", "advance"
_SORTS_OF_KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("choice", "choices"), (CHOICE,)),
    **dict.fromkeys(("item", "items"), (ITEM_OF_GEAR,)),
    "advances": (TRAIT, ADVANCE, ITEM_OF_GEAR),
    **dict.fromkeys(
        ("ratings", "raises", "refunds", "losses", "details", "links", "pinned", "codes"), (TRAIT,)
    ),
}
"""What the names under a key of each kind may name."""


@frozen
class NamedThing:
    """Something that a word names.

    Attributes:
        trait: Its id, if it is a trait.
        place: Where the ruleset's files define it.
        describe: Returns Markdown about it: its text, price, limit and requirement.
    """

    trait: str
    place: Span | None
    describe: Callable[[], str]


def rules_of(file: OpenFile) -> Ruleset | None:
    """Return the rules whose keys a file has: those of its kind."""
    if file.rules is not None and file.kind in file.rules.kinds:
        return kind_rules(file.rules, file.kind)
    return file.rules


_IN_FORMULAS = ("number", "choice")


def formula_names(rules: Ruleset | None, path: tuple[Step, ...]) -> dict[str, str]:
    """Return the names that formulas may use: traits, values, options, functions; with Markdown.

    Args:
        path: The place in a file of rules. Tables and cards know things instead of a build.
    """
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
    if file.kind == ENCOUNTER:
        sorts: tuple[str, ...] = (TRAIT, CHOICE, ITEM_OF_GEAR)
        return list(_find(rules, whole, name, sorts, (), tuple(map(str, rules.choices))))
    found = find_key(rules, place.path)
    if found is None:
        return []
    id_, key, below = found
    if key.kind in ("choice", "choices") and any(isinstance(step, str) for step in below):
        return list(_find(rules, whole, name, (TRAIT,), (), ()))  # What the choice asks for.
    of = tuple(map(str, key.of)) or (id_,)
    groups = tuple(group for group in of if group in rules.groups)
    return list(_find(rules, whole, name, _SORTS_OF_KEYS.get(str(key.kind), ()), groups, of))


def _describe_source(source: Source) -> str:
    """Return Markdown with what a file of the ruleset says."""
    entries = source.root.entries if isinstance(source.root, Pairs) else ()
    written = [(key.raw, node) for key, node in entries if key.raw not in OUR_KEYS]
    return "\n".join(f"- {escaped(key)}: {escaped(_plain(node))}" for key, node in written)


def _plain(node: Node) -> str:
    if isinstance(node, Pairs):
        return ", ".join(f"{key.raw} {_plain(below)}" for key, below in node.entries)
    return ", ".join(map(_plain, node.items)) if isinstance(node, Many) else raw_text(node)


def _find(
    rules: Ruleset,
    whole: Ruleset,
    name: str,
    sorts: Iterable[str],
    groups: tuple[str, ...],
    of: tuple[str, ...],
) -> Iterator[NamedThing]:
    """Yield what a name means; `whole` are the rules that `rules` of a kind are made from."""
    index = index_of(rules)

    def thing(id_: str, holder: Mapping[Any, object], texts: Any, *of: Any) -> NamedThing:
        trait = id_ if texts is describe_traits else ""
        return NamedThing(trait, place_of_id(holder, id_), lambda: texts(whole, *of).get(id_, ""))

    for sort in sorts:
        if sort == TRAIT:
            for id_ in (index.among(groups) if groups else index.all_traits).find(name):
                group = index.traits[id_][0]
                yield thing(id_, whole.groups[group].traits, describe_traits, (group,))
        elif sort == CHOICE:
            for catalogue in filter(index.by_catalogue.__contains__, of):
                entries = whole.choices[catalogue].entries
                ids = index.by_catalogue[catalogue].find(name)
                yield from (thing(id_, entries, describe_choices, catalogue) for id_ in ids)
        elif sort == ITEM_OF_GEAR:
            yield from (thing(id_, whole.gear, describe_gear) for id_ in index.gear.find(name))
        else:
            named = whole.advances.named if whole.advances is not None else {}
            for id_ in index.advances.find(name):
                yield NamedThing("", place_of_id(named, id_), str)


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
    """Return the ids that the word at an offset of a ruleset's file may mean.

    They are the keys that define these ids: the one at the offset, or else all with that id.
    """
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
    """What a schema says about a place.

    Attributes:
        root: The schema of the file, for references.
        parts: All schemas that may hold there: those of `anyOf`, of both branches of an `if`, …
    """

    root: Schema
    parts: tuple[Schema, ...]

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
            if listed == NOTHING:
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
        titles = (f"**{escaped(part['title'])}**" for part in self.parts if "title" in part)
        return "\n\n".join((*islice(titles, 1), *islice(filter(None, texts), 1)))


def _node(root: Schema, schemas: list[Any]) -> SchemaNode:
    def parts(schema: Any, depth: int) -> Iterator[Schema]:
        if not isinstance(schema, dict) or not depth:
            return
        yield schema
        if "$ref" in schema:
            yield from parts(root["definitions"][schema["$ref"].rpartition("/")[2]], depth - 1)
        below = (schema.get("then"), schema.get("else"))
        for one in (*below, *schema.get("anyOf", ()), *schema.get("allOf", ())):
            yield from parts(one, depth - 1)

    return SchemaNode(root, tuple(part for one in schemas for part in parts(one, _MOST_DEPTH)))


@frozen
class Document:
    """A file that is open in the editor: its address, and the path that the address has."""

    uri: str
    path: str
    text: OpenText
    version: int | None = None
    saved: bool = True


@dataclass
class Session:
    """What the server knows of an editor.

    Attributes:
        documents: The open files by their real paths.
        findings: What the last check of each open file found, by its path.
        encoding: In whose code units the editor counts columns.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    encoding: str = "utf-16"
    reader: RulesReader = field(default_factory=RulesReader)

    def texts(self) -> dict[str, str]:
        """Return the texts of the open files by their real paths."""
        return {real: document.text.text for real, document in self.documents.items()}

    def put(self, uri: str, path: str, text: str, version: int | None, *, saved: bool) -> str:
        """Keep the text of an open file, and return its real path; share it while it is unsaved."""
        real = os.path.realpath(path)
        self.documents[real] = Document(uri, path, OpenText(text, self.encoding), version, saved)
        if saved:
            withdraw_text(real)
        else:
            share_text(real, text)
        return real

    def close(self, path: str) -> str:
        """Forget an open file, and return its real path."""
        real = os.path.realpath(path)
        closed = self.documents.pop(real, None)
        if closed is not None:
            self.findings.pop(closed.path, None)
        withdraw_text(real)
        return real

    def document(self, path: str) -> Document | None:
        """Return the open file at a path."""
        return self.documents.get(os.path.realpath(path))

    def open_file(self, document: Document, offset: int | None = None) -> OpenFile:
        """Return what the names in an open file mean, where its author types at an offset."""
        text = document.text.text
        return self.reader.open_file(Path(document.path), text, self.texts(), offset)

    def text_of(self, file: str) -> OpenText:
        """Return the text of a file, open or not; an empty one if it cannot be read."""
        document = self.document(file)
        if document is not None:
            return document.text
        read = read_text(Path(file)).value
        return OpenText(read[0] if read is not None else "", self.encoding)

    def all_findings(self) -> dict[str, tuple[Finding, ...]]:
        """Return the findings about all open files by the file that each is in.

        A finding that is in no file, such as one about a folder, is put into the file that was
        checked.
        """
        by_file: dict[str, dict[Finding, None]] = {}
        for checked, found in self.findings.items():
            by_file.setdefault(checked, {})
            for finding in found:
                file = os.path.abspath(finding.span.file)
                is_file = os.path.isfile(file) or os.path.realpath(file) in self.documents
                if finding.span.is_option or not is_file:
                    file = checked
                by_file.setdefault(file, {})[finding] = None
        return {file: in_order(found) for file, found in by_file.items()}

    def corrections(self, document: Document, start: int, end: int) -> Iterable[Correction]:
        """Yield the corrections of findings between two offsets of an open file."""
        lines = split_lines(document.text.text.lstrip("\ufeff"))
        for finding in self.all_findings().get(os.path.abspath(document.path), ()):
            first, last = document.text.span_offsets(finding.span)
            correction = find_correction(finding, lines)
            if correction is not None and first <= end and start <= last:
                yield correction


_RULESET: Final = re.compile(r"^\ufeff?[\"']?ruleset\b", re.MULTILINE | re.IGNORECASE)


@dataclass
class OpenFilesChecker:
    """Checks open files; `reads` has the real paths of the files that the check of each read."""

    reader: RulesReader = field(default_factory=RulesReader)
    reads: dict[str, set[str]] = field(default_factory=dict)

    def check(self, path: str, texts: Texts) -> tuple[Finding, ...]:
        """Return what `sheetgen check` finds in a file, in order; nothing in files of others.

        Args:
            texts: The unsaved texts by the real paths of their files.
        """
        begin_run()
        self.reader.forget_changed(texts, Path(path))
        with read_unsaved(texts), record_reads() as reads:
            try:
                paths = [Path(path)] if is_ours(Path(path), texts) else []
                checked = check_paths(paths, {}, rulesets=self.reader.rulesets)
                found = in_order(finding for one in checked for finding in one.findings)
            except DesignError as error:
                found = error.findings
        self.reader.remember(reads, texts, Path(path))
        self.reads[path] = set(map(os.path.realpath, reads))
        return found

    def dependents(self, path: str) -> set[str]:
        """Return the open files whose last check may have read the file at a real path."""
        if path in map(os.path.realpath, self.reader.stamps):
            return set(self.reads)  # The rulesets of all of them are read once.
        return {other for other, reads in self.reads.items() if path in reads}


def is_ours(path: Path, texts: Texts) -> bool:
    """Whether an open file is for sheetgen: an editor sends all YAML files, also those of others.

    `sheetgen check` takes a file for a character unless something shows another type.
    """
    text = texts.get(os.path.realpath(path), "")
    return find_file_type(path) != characters.CHARACTER or _RULESET.search(text) is not None


@frozen
class Correction:
    """An edit that does what the hint of a finding says: `text` in the place of a span."""

    title: str
    span: Span
    text: str
    finding: Finding


def find_correction(finding: Finding, lines: list[str]) -> Correction | None:
    """Return the edit that corrects a finding in the lines of a file; None without one."""
    hint = finding.hint
    if not isinstance(hint, Hint) or not (hint.old or hint.at):
        return None
    if not hint.old:
        end = Span(finding.span.file, len(lines), len(lines[-1]) + 1, 0)
        text = f"\n{hint.new}" if lines[-1] else f"{hint.new}\n"
        return Correction(hint.label, end, text, finding)
    span = hint.at or finding.span
    if not 1 <= span.line <= len(lines):
        return None
    place = lines[span.line - 1][span.column - 1 : span.column - 1 + span.width]
    if place.count(hint.old) != 1:
        return None
    at = span.within(place.index(hint.old), len(hint.old))
    return Correction(hint.label, at, hint.new, finding)
