"""What a preview can show: the entries of a file, folder or book, and the prints of each."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sheetgen.books.planning import plan_book
from sheetgen.diag.findings import Finding
from sheetgen.load.authors.characters import LoadedEntry, RulesetCache, load_file
from sheetgen.load.authors.sorts import (
    BOOK,
    BOOK_FILE,
    CHARACTER,
    ENCOUNTER,
    PART,
    find_file_type,
    find_ruleset_above,
)
from sheetgen.load.changes import FileState, file_state
from sheetgen.load.files import read_text, record_reads, yaml_files
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, ScalarNode
from sheetgen.plan.pages.screen_topics import list_panel_names
from sheetgen.prints.pieces.printing import USUAL

_MOST: Final = 2_000
"""Files of a folder that are listed."""

RULESET: Final = "ruleset"

_KIND: Final = re.compile(r"^kind[ \t]*:[ \t]*[\"']?(?P<kind>\w+)", re.MULTILINE)
"""The kind that a file names."""

_KINDS: Final = {
    "sheets": "Sheet",
    "blanks": "Empty sheet",
    "cards": "Cards",
    "tables": "Tables",
    "screens": "Screen",
    "encounters": "Encounter",
    "pieces": "Pieces",
    "odds": "Odds",
}


@dataclass(frozen=True, slots=True)
class PreviewChoice:
    """A print of an entry, by an id that is unique in it."""

    id: str
    label: str
    request: PrintRequest


@dataclass(frozen=True, slots=True)
class PreviewEntry:
    """A file, a ruleset or a job of a book.

    Attributes:
        id: Its path relative to the folder, or the job's id.
        sort: The type of the file, or RULESET, or BOOK for a job.
        request: What a job prints; None for a file.
        label: What the page calls it: the kind that a file names, or its type.
    """

    id: str
    sort: str
    path: Path
    request: PrintRequest | None = None
    label: str = ""


class EntryList:
    """The entries of a file, folder or book. Files are only read again if they have changed.

    Attributes:
        entries: By their ids.
        findings: About the books among them.
        watched: The states of the files and folders that the list was made from.
    """

    def __init__(self, path: Path) -> None:
        self.entries: dict[str, PreviewEntry] = {}
        self.findings: tuple[Finding, ...] = ()
        self.watched: dict[str, FileState] = {}
        self._path = path
        real = os.path.realpath(path)
        self._folder = os.path.join(real if os.path.isdir(path) else os.path.dirname(real), "")
        self._types: dict[tuple[str, FileState], str] = {}

    def refresh(self, unsaved: dict[str, str], since: int) -> None:
        """Make the list again if a file or folder changed; see `file_state`."""
        known = self.watched
        if known and all(file_state(path, unsaved) == state for path, state in known.items()):
            return
        self.findings, self.watched = (), {}
        paths = [Path(one) for one in islice(self._files(), _MOST)]
        watched = {str(self._path), *(str(path.parent) for path in paths), *map(str, paths)}
        self.watched = {path: file_state(path, unsaved, since) for path in sorted(watched)}
        with record_reads() as read:  # a book reads tables of rows, too
            found = [entry for path in paths for entry in self._entries_of(path)]
        more = (path for path in map(os.path.abspath, read) if path not in self.watched)
        self.watched |= {path: file_state(path, unsaved, since) for path in more}
        found.sort(key=lambda entry: (_ORDER.index(entry.sort), entry.id))
        self.entries = {entry.id: entry for entry in found}

    def _files(self) -> Iterator[Path]:
        path = self._path
        if os.path.isdir(path) and (path / BOOK_FILE).is_file():
            yield path / BOOK_FILE
            return
        sort = find_file_type(path) if not os.path.isdir(path) else ""
        top = (find_ruleset_above(path) if sort == PART else None) or path
        real = self._folder if top == path else os.path.join(os.path.realpath(top), "")
        for file in yaml_files(top):
            # A folder from somebody else may hold links to files that are none of theirs.
            if os.path.realpath(file).startswith(real):
                yield file

    def _entries_of(self, path: Path) -> Iterator[PreviewEntry]:
        key = str(path), self.watched[str(path)]
        if key not in self._types:
            self._types[key] = find_file_type(path)
        sort = self._types[key]
        if sort == BOOK:
            plan = plan_book(path)
            self.findings += tuple(plan.findings)
            for job in islice(plan.jobs, _MOST):
                yield PreviewEntry(job.id, BOOK, path, job.full_request)
        elif sort == PART:
            folder = find_ruleset_above(path)
            if folder is not None:
                yield PreviewEntry(self._id(folder), RULESET, folder)
        elif sort in (CHARACTER, ENCOUNTER):
            named = _KIND.search(read.value[0]) if (read := read_text(path)).value else None
            label = named["kind"].replace("_", " ") if named is not None else sort
            yield PreviewEntry(self._id(path), sort, path, label=label)

    def _id(self, path: Path) -> str:
        top = self._path if os.path.isdir(self._path) else self._path.parent
        name = os.path.relpath(path, top)
        return os.path.basename(os.path.abspath(path)) if name == os.curdir else name


_ORDER: Final = (RULESET, BOOK, ENCOUNTER, CHARACTER)


def list_choices(entry: PreviewEntry, rulesets: RulesetCache) -> tuple[PreviewChoice, ...]:
    """Return the prints of an entry, the usual one first; only that if its ruleset has errors."""
    if entry.request is not None:
        return (PreviewChoice(entry.request.kind, _KINDS[entry.request.kind], entry.request),)
    if entry.sort == RULESET:
        folder = os.path.join(os.curdir, entry.path)
        rules = load_ruleset(entry.path, complete=True).value
        return (_choice("blanks", folder), *(_of_ruleset(rules, folder) if rules else ()))
    file = str(entry.path)
    pieces = _choice("pieces", file, USUAL, size="")
    if entry.sort == ENCOUNTER:
        return _choice("encounters", file), pieces
    loaded = load_file(entry.path, rulesets)[0]
    if loaded.kind is not None:
        own = () if loaded.kind.card else (_choice("sheets", file),)
        return (_choice("cards", file), *own, pieces)
    return (_choice("sheets", file), *_of_character(loaded, file), pieces)


def _of_character(loaded: LoadedEntry, file: str) -> Iterator[PreviewChoice]:
    """Yield cards of what a character has, and the tables, screen and odds of its ruleset."""
    root = loaded.source.root if loaded.source is not None else None
    named = root.get("ruleset") if isinstance(root, Pairs) else None
    if loaded.rules is None or not isinstance(named, ScalarNode):
        return
    folders = tuple(Path(origin.folder) for origin in loaded.rules.composition.origins)
    rules = load_ruleset(folders, complete=True).value
    if rules is None:
        return
    for id_, cards in rules.card_sets.items():
        if any(str(of).partition(".")[0] in _OWNED for of in cards.of):
            yield _choice("cards", file, str(id_), cards.label)
    for choice in _of_ruleset(rules, named.raw, str(Path(file).parent)):
        if choice.request.kind != "cards":
            yield choice


_OWNED: Final = ("choices", "gear")
"""Parts of a ruleset of which a character has some."""


def _of_ruleset(rules: Ruleset, name: str, beside: str = os.curdir) -> Iterator[PreviewChoice]:
    """Yield what a ruleset prints besides an empty sheet, if it has the data for it."""
    for id_, kind in rules.kinds.items():
        if kind.folder and os.path.isdir(Path(rules.place.file).parent / kind.folder):
            yield _choice("cards", name, str(id_), kind.label)
    for id_, cards in rules.card_sets.items():
        yield _choice("cards", name, str(id_), cards.label)
    if rules.references:
        yield _choice("tables", name, beside=beside)
    if list_panel_names(rules):
        yield _choice("screens", name, beside=beside)
    if rules.odds is not None and rules.odds.grids:
        yield _choice("odds", name, beside=beside)


def _choice(kind: str, of: str, of_kind: str = "", label: str = "", **more: Any) -> PreviewChoice:
    id_ = f"{kind}-{of_kind}" if label else kind
    request = PrintRequest(kind, (of,), of_kind=of_kind, calc=False, **more)
    return PreviewChoice(id_, label[:1].upper() + label[1:] or _KINDS[kind], request)
