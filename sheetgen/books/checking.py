"""Check files of any sort: characters, rulesets, books, encounters, designs and themes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from sheetgen.diag.findings import Finding
from sheetgen.load.characters import (
    BOOK,
    BOOK_FILE,
    CHARACTER,
    DESIGN,
    ENCOUNTER,
    PART,
    TABLE,
    TEMPLATE,
    THEME,
    FileType,
    RulesetCache,
    find_file_type,
    find_ruleset_above,
    skipped_file_note,
)
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.rulesets import is_ruleset
from sheetgen.model.books import BookEntry
from sheetgen.model.source import Source
from sheetgen.prints.characters import load_characters
from sheetgen.records import frozen


@frozen
class CheckedPath:
    """The findings about a file or a ruleset's folder, or about one of a file's entries.

    Attributes:
        name: The entry's name where the file has several.
        source: The author's file, for excerpts; None where it is no character's.
    """

    path: Path
    findings: tuple[Finding, ...]
    name: str = ""
    source: Source | None = None


def check_paths(
    paths: Sequence[Path],
    options: Mapping[str, str],
    *,
    strict: bool = False,
    rulesets: RulesetCache | None = None,
) -> Iterator[CheckedPath]:
    """Yield the findings about all files that `paths` mean, characters last.

    Args:
        strict: Whether a book's warnings are errors.
        rulesets: Rulesets that characters' files share with earlier checks.
    """
    sorted_ = sort_files(paths)
    for folder in sorted_.rulesets:
        yield CheckedPath(folder, _of_ruleset(folder, options))
    for book in sorted_.books:
        from sheetgen.books.planning import plan_book  # Characters need none of it.
        from sheetgen.prints.context import PrintContext
        from sheetgen.prints.kinds import find_kind

        plan, context = plan_book(book, strict=strict), PrintContext()
        requests = (job.full_request for job in plan.jobs)
        wrong = (f for one in requests for f in find_kind(one.kind).check(one, context))
        yield CheckedPath(book, tuple(dict.fromkeys((*plan.findings, *wrong))))
    for design in sorted_.designs:
        from sheetgen.load.designs.files import check_design  # Characters need none of it.

        yield CheckedPath(design, check_design(design))
    for theme in sorted_.themes:
        from sheetgen.load.pictures.reader import check_theme  # Characters need none of it.

        yield CheckedPath(theme, check_theme(theme))
    for other, sort in sorted_.others:
        yield CheckedPath(other, (skipped_file_note(other, sort),))
    for encounter in sorted_.encounters:
        from sheetgen.prints.encounter import check_encounter  # Characters need none of it.

        yield CheckedPath(encounter, check_encounter(encounter, options).findings)
    characters = load_characters(sorted_.characters, options, rulesets)
    for path, found in groupby(characters, key=lambda one: one.path):
        together = list(found)
        for one in together:
            called = (one.build.name if one.build else "") or "no name"
            yield CheckedPath(path, one.findings, called if together[1:] else "", one.source)


def _of_ruleset(folder: Path, options: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return all findings about a ruleset, its proof, starter and undefined words included."""
    from sheetgen.check.ruleset.kinds import check_starter
    from sheetgen.check.ruleset.rulesets import check_undefined_words  # Characters need none of it.
    from sheetgen.load.designs.files import check_own_designs
    from sheetgen.load.designs.themes import check_face
    from sheetgen.prints.rulesets import load_checked_ruleset

    read = load_checked_ruleset(os.path.join(os.curdir, folder), options, proof=True)
    if read.rules is None:
        return read.findings
    own = (*check_undefined_words(read.rules), *check_starter(read.rules))
    return (*read.findings, *own, *check_face(read.rules), *check_own_designs(read.rules))


@dataclass
class Sorted:
    """Files by sort, each once; of folders only those with nothing in them are left."""

    rulesets: list[Path] = field(default_factory=list)
    books: list[Path] = field(default_factory=list)
    encounters: list[Path] = field(default_factory=list)
    characters: list[Path] = field(default_factory=list)
    designs: list[Path] = field(default_factory=list)
    themes: list[Path] = field(default_factory=list)
    others: list[tuple[Path, FileType]] = field(default_factory=list)


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
    lists = {BOOK: found.books, DESIGN: found.designs, THEME: found.themes}
    lists[ENCOUNTER] = found.encounters
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
    from sheetgen.load.books import find_matching_files

    entries = _entries(book)
    values = (texts for entry in entries if entry.template for texts in entry.prints.values())
    patterns = [text for texts in values for text in texts]
    patterns += [one.rows.file for one in entries if one.rows is not None and one.rows.file]
    return [
        Path(path)
        for text in patterns
        for path in find_matching_files(text, book.parent).value or ()
    ]


def _templates(book: Path) -> list[Path]:
    return [book.parent / entry.template for entry in _entries(book) if entry.template]


def _entries(book: Path) -> tuple[BookEntry, ...]:
    from sheetgen.load.books import read_book  # Characters need none of it.

    read = read_book(book).value
    return read.entries if read is not None else ()
