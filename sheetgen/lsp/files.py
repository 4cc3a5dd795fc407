"""The rules, the schema and the build that belong to a text, also where it is half typed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.inheritance import complete_source
from sheetgen.check.schemas.files import BOOK, CHARACTER, ENCOUNTER, part_kind, schema_tree
from sheetgen.diag.findings import errors
from sheetgen.load.authors import sorts
from sheetgen.load.authors.characters import RulesetCache, load_from_source
from sheetgen.load.files import read_unsaved, record_reads
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import ENTRIES, kind_of
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import Folders, find_ruleset, load_ruleset, rulesets_of
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.lsp.schema_lookup import SchemaNode, schema_node
from sheetgen.lsp.text.places import CursorPlace, find_place
from sheetgen.model.books import PRINTS
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, Source, items_of, raw_text

Texts: TypeAlias = Mapping[str, str]
"""The texts of open files by their real paths."""

_HEAD: Final = re.compile(
    r"^(?:ruleset|kind|options)[ \t]*:.*(?:\n(?:[ \t-].*|[ \t]*$))*", re.MULTILINE
)
"""The entries of a file that select its rules."""

_DESIGNS: Final = {"sheet.yaml": "sheet design", "card.yaml": "card design"}
_MOST_SCHEMAS: Final = 20


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A file in an editor, and what its names mean.

    Attributes:
        sort: One of the types in `load.authors.sorts`.
        rules: The complete ruleset; None if it is unknown or has errors.
        kind: The kind of schema, such as `character`.
        folders: The folders of the ruleset.
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
            folder = found.folders[0] if found.sort == sorts.PART and found.folders else None
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
        sort = sorts.find_file_type(path)
        folder = sorts.find_ruleset_above(path)
        if sort in (sorts.CHARACTER, sorts.TEMPLATE, sorts.ENCOUNTER):
            return self._by_head(path, text, sort)
        if sort == sorts.PART and folder is not None:
            kind = part_kind(path, folder)
            return OpenFile(path, text, sort, self._edited(folder), kind, (folder,))
        kind = BOOK if sort == sorts.BOOK else _DESIGNS.get(path.name, "")
        if kind:
            first = (rulesets_folder() / ruleset_ids()[0],)
            return OpenFile(path, text, sort, self._complete(first, {}), kind)
        return OpenFile(path, text, sort)

    def _by_head(self, path: Path, text: str, sort: str) -> OpenFile:
        source = _head(path, text)
        if source is None or not isinstance(source.root, Pairs):
            return OpenFile(path, text, sort)
        folders = rulesets_of(source, source.root, path).value or ()
        rules = self._complete(folders, switches_of(source.root, {})) if folders else None
        if rules is None:
            return OpenFile(path, text, sort, folders=folders)
        kind = ENCOUNTER if sort == sorts.ENCOUNTER else kind_of(source, rules, []) or CHARACTER
        return OpenFile(path, text, sort, rules, kind, folders)

    def _complete(self, folders: Folders, switches: Mapping[str, bool]) -> Ruleset | None:
        """Return a ruleset with all its files."""
        key = folders, frozenset(switches.items())
        if key not in self.rulesets.loaded:
            loaded = load_ruleset(folders, complete=True, switches=switches)
            self.rulesets.put(folders, switches, loaded)
        found = self.rulesets.loaded[key]
        return None if errors(found.findings) else found.value

    def _edited(self, folder: Path) -> Ruleset | None:
        """Return the ruleset in a folder, or as it last was without errors."""
        rules = self._complete((folder,), {})
        if rules is not None:
            self.usable[folder] = rules
        return rules or self.usable.get(folder)

    def printed_rules(self, file: OpenFile, place: CursorPlace) -> Iterator[Ruleset]:
        """Yield the rulesets that the entry of a book at a place prints."""
        for text in _without_word(file.text, place):
            source = parse_yaml(text, str(file.path)).value
            root = source.root if source is not None else None
            listed = root.get(ENTRIES) if isinstance(root, Pairs) else None
            entries = items_of(listed) if listed is not None else ()
            number = next((step for step in place.path if isinstance(step, int)), 0)
            entry = entries[number] if number < len(entries) else None
            for key, node in entry.entries if isinstance(entry, Pairs) else ():
                for one in items_of(node) if key.raw in PRINTS else ():
                    found = find_ruleset(raw_text(one), one.span, file.path.parent).value
                    rules = self._complete(found, {}) if found else None
                    if rules is not None:
                        yield rules
                        return

    def schema(self, file: OpenFile) -> SchemaNode | None:
        """Return the schema of a file, if it is of a kind that has one."""
        if file.rules is None or not file.kind:
            return None
        key = file.rules.digest, file.kind
        if key not in self.schemas:
            if len(self.schemas) >= _MOST_SCHEMAS:
                self.schemas.clear()
            self.schemas[key] = schema_node(schema_tree(file.rules, file.kind))
        return self.schemas[key]

    def draft(
        self, file: OpenFile, place: CursorPlace, texts: Texts, *, without: bool = False
    ) -> Draft | None:
        """Return the checked character or other entry at a place; None if it cannot be read.

        Args:
            without: Whether to leave out the word at the place, or its line, which may be half
                typed.
        """
        if file.rules is None or file.sort != sorts.CHARACTER:
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


def _head(path: Path, text: str) -> Source | None:
    """Return the entries that select the rules of a file, which may be half typed elsewhere."""
    entries = [match[0] for match in _HEAD.finditer(text.lstrip("\ufeff"))]
    plain = [entry for entry in entries if not entry.startswith("options")]
    for listed in (entries, plain, plain[:1]):
        source = parse_yaml("\n".join(listed), str(path)).value
        if source is not None:
            return source
    return None


def _without_word(text: str, place: CursorPlace) -> Iterator[str]:
    """Yield `text` without what is typed at a place: the word, then the whole line."""
    yield text[: place.start] + text[place.end :]
    start = max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start)) + 1
    end = text.find("\n", place.end)
    yield text[:start] + (text[end:] if end >= 0 else "")
