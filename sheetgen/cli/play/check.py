"""`sheetgen check`: findings about characters, rulesets, books and encounters."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.parameters import NONE, Format, Paths, Settings, Strict
from sheetgen.cli.terminal import write_lines
from sheetgen.diag.findings import Finding, errors
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
    skipped_file_note,
)
from sheetgen.load.designs.files import check_design
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.rulesets import is_ruleset
from sheetgen.prints.characters import Character, load_characters


def command(
    paths: Paths,
    strict: Strict = False,
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """Check characters against their rules and list all findings with their places.

    The folder of a ruleset (with a ruleset.yaml) is checked as a ruleset, its screens, tables
    and proofs included. Encounters, books and designs are checked as such.
    """
    options = set_options(settings)
    reporter = console.Reporter(strict)
    results: list[dict[str, Any]] = []

    def report(path: Path, found: Iterable[Finding], name: str = "") -> None:
        findings = reporter.apply_strict(found)
        if form == "text":
            reporter.report(findings)
            write_lines(f"{path}{name and f' ({name})'}: {console.counts(findings)}")
        else:
            reporter.reported |= dict.fromkeys(findings)
            results.append(_result(path, findings, name))

    sorted_ = sort_files(paths)
    for folder in sorted_.rulesets:
        report(folder, _of_ruleset(folder, options))
    for book in sorted_.books:
        report(book, _of_book(book, strict))
    for design in sorted_.designs:
        report(design, check_design(design))
    for other, sort in sorted_.others:
        report(other, [skipped_file_note(other, sort)])
    for fight in sorted_.encounters:
        report(fight, _of_encounter(fight, options))
    for path, found in groupby(
        load_characters(sorted_.characters, options), key=lambda one: one.path
    ):
        together = list(found)
        for character in together:
            reporter.remember(character.source)
            report(path, character.findings, _entry_name(character) if len(together) > 1 else "")
    if form == "json":
        console.write_json(results)
    reporter.exit()


def _of_book(path: Path, strict: bool) -> tuple[Finding, ...]:
    from sheetgen.books.planning import plan_book  # Characters need none of it.
    from sheetgen.prints.context import PrintContext
    from sheetgen.prints.sheet import load_row

    plan = plan_book(path, strict=strict)
    context = PrintContext()
    rows = (job.full_request for job in plan.jobs if job.row is not None)
    of_rows = [f for row in rows for one in load_row(row, context) for f in one.findings]
    return tuple(dict.fromkeys((*plan.findings, *of_rows)))


def _of_encounter(path: Path, options: Mapping[str, str]) -> tuple[Finding, ...]:
    from sheetgen.prints.encounter import check_encounter  # Characters need none of it.

    return check_encounter(path, options).findings


def _of_ruleset(folder: Path, options: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return all findings about a ruleset, its proof, starter and undefined words included."""
    from sheetgen.check.ruleset.rulesets import check_undefined_words  # Characters need none of it.
    from sheetgen.cli.rules.ruleset_scaffold import starter_findings
    from sheetgen.load.designs.game_faces import check_face
    from sheetgen.prints.rulesets import load_checked_ruleset

    read = load_checked_ruleset(os.path.join(os.curdir, folder), options, proof=True)
    if read.rules is None:
        return read.findings
    own = (*check_undefined_words(read.rules), *starter_findings(read.rules))
    return (*read.findings, *own, *check_face(read.rules))


def _result(path: Path, findings: Sequence[Finding], name: str = "") -> dict[str, Any]:
    return {
        "file": str(path),
        **({"name": name} if name else {}),
        "ok": not errors(findings),
        "findings": console.findings_data(findings),
    }


def _entry_name(one: Character) -> str:
    """Return what one of a file's entries is called in messages."""
    name = one.build.name if one.build else ""
    return name or "no name"


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
    patterns = [text for entry in entries if entry.template for text in entry.sheets]
    return [
        Path(path)
        for text in patterns
        for path in find_matching_files(text, book.parent).value or ()
    ]


def _templates(book: Path) -> list[Path]:
    read = read_book(book).value
    entries = read.entries if read is not None else ()
    return [book.parent / entry.template for entry in entries if entry.template]
