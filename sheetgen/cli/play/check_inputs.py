"""The files that `check` is given, each with those of its sort."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.load.authors.books import BOOK as BOOK_FILE
from sheetgen.load.authors.books import find_matching_files, read_book
from sheetgen.load.authors.sorts import (
    BOOK,
    CHARACTER,
    DESIGN,
    ENCOUNTER,
    PART,
    TABLE,
    TEMPLATE,
    find_file_type,
    find_ruleset_above,
)
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.rulesets import is_ruleset


@dataclass
class Sorted:
    """Files by sort, each once; of folders only those with nothing in them are left."""

    rulesets: list[Path] = field(default_factory=list)
    books: list[Path] = field(default_factory=list)
    encounters: list[Path] = field(default_factory=list)
    characters: list[Path] = field(default_factory=list)
    designs: list[Path] = field(default_factory=list)
    others: list[tuple[Path, str]] = field(default_factory=list)


def sort_files(paths: Sequence[Path]) -> Sorted:
    """Return the files that `paths` mean, by sort; templates of rows are left to their book."""
    found = Sorted()
    for given in paths:
        files = [] if is_ruleset(given) else list(yaml_files(given))
        if is_ruleset(given):
            _put(given, found.rulesets)
        elif not files:
            found.characters.append(given)
        for path in files:
            _sort(path, found)
    templates = {os.path.realpath(path) for book in found.books for path in _templates(book)}
    found.characters = [p for p in found.characters if os.path.realpath(p) not in templates]
    return found


def _sort(path: Path, found: Sorted) -> None:
    sort = find_file_type(path)
    folder = find_ruleset_above(path) if sort == PART else None
    lists = {BOOK: found.books, DESIGN: found.designs, ENCOUNTER: found.encounters}
    if folder is not None:
        _put(folder, found.rulesets)
    elif sort in (TEMPLATE, TABLE) and (book := _book_of(path)) is not None:
        _put(book, found.books)
    elif sort in lists:
        _put(path, lists[sort])
    elif sort == CHARACTER:
        found.characters.append(path)
    else:
        found.others.append((path, sort))


def _put(path: Path, among: list[Path]) -> None:
    if all(os.path.realpath(path) != os.path.realpath(other) for other in among):
        among.append(path)


def _book_of(path: Path) -> Path | None:
    """Return the book beside a template or table of rows that has it in an entry."""
    book = path.parent / BOOK_FILE
    if not os.path.isfile(book):
        return None
    known = {os.path.realpath(part) for part in (*_templates(book), *_tables(book))}
    return book if os.path.realpath(path) in known else None


def _tables(book: Path) -> list[Path]:
    read = read_book(book).value
    entries = read.entries if read is not None else ()
    said = [text for entry in entries if entry.template for text in entry.sheets]
    return [
        Path(path) for text in said for path in find_matching_files(text, book.parent).value or ()
    ]


def _templates(book: Path) -> list[Path]:
    read = read_book(book).value
    entries = read.entries if read is not None else ()
    return [book.parent / entry.template for entry in entries if entry.template]
