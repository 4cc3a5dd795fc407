"""Check files of any sort: characters, rulesets, books, encounters, designs and themes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import Finding, errors
from sheetgen.load import characters as sources
from sheetgen.load.files import files_below, yaml_files
from sheetgen.load.rulesets.rulesets import PACK_FILE, is_ruleset
from sheetgen.model.source import Source
from sheetgen.prints.characters import load_characters, load_stock_characters
from sheetgen.records import frozen
from sheetgen.registry import find_hook, prints

_CHECKED: Final = (  # Types of files that are checked; a note says that others are passed over.
    sources.PART,
    sources.BOOK,
    sources.DESIGN,
    sources.THEME,
    sources.ENCOUNTER,
    sources.PACK,
    sources.HANDOUT,
    sources.CHARACTER,
)


@frozen
class CheckedPath:
    """The findings about a file or a ruleset's folder, or about one of a file's entries."""

    path: Path
    findings: tuple[Finding, ...]
    name: str = ""  # The entry's name where the file has several.
    source: Source | None = None  # A character's file, for excerpts.


def check_paths(
    paths: Sequence[Path],
    options: Mapping[str, str],
    *,
    strict: bool = False,
    rulesets: sources.RulesetCache | None = None,
) -> Iterator[CheckedPath]:
    """Yield findings about the files of `paths`, characters last; `strict` is about books."""
    files, others = sort_files(paths)
    for folder in files[sources.PART]:  # with its proof, its starter and undefined words
        from sheetgen.check.ruleset.rulesets import check_starter, check_undefined_words
        from sheetgen.load.designs.designs import check_own_designs
        from sheetgen.load.designs.themes import check_face
        from sheetgen.prints.rulesets import load_checked_ruleset  # Characters need none of it.

        read = load_checked_ruleset(os.path.join(os.curdir, folder), options, proof=True)
        found = list(read.findings)
        if read.rules is not None:
            found += (*check_undefined_words(read.rules), *check_starter(read.rules))
            found += (*check_face(read.rules), *check_own_designs(read.rules))
        if read.rules is not None and not errors(found):  # What comes with it is right, too.
            kinds = ((read.rules, kind) for kind in read.rules.kinds)
            stock = (one for of in kinds for one in load_stock_characters(*of, options))
            found += dict.fromkeys(f for one in stock for f in errors(one.findings))
        yield CheckedPath(folder, tuple(found))
    for book in files[sources.BOOK]:
        from sheetgen.books.planning import plan_book  # Characters need none of it.
        from sheetgen.prints.kinds import PrintContext, find_kind

        plan, context = plan_book(book, strict=strict), PrintContext()
        requests = (job.full_request for job in plan.jobs)
        wrong = (f for one in requests for f in find_kind(one.kind).check(one, context))
        yield CheckedPath(book, tuple(dict.fromkeys((*plan.findings, *wrong))))
    for design in files[sources.DESIGN]:
        from sheetgen.load.designs.designs import check_design  # Characters need none of it.

        yield CheckedPath(design, check_design(design))
    for theme in files[sources.THEME]:
        from sheetgen.load.pictures import check_theme  # Characters need none of it.

        yield CheckedPath(theme, check_theme(theme))
    for other, type_ in others:
        yield CheckedPath(other, (sources.skipped_file_note(other, type_),))
    for encounter in files[sources.ENCOUNTER]:
        from sheetgen.prints.encounter import check_encounter  # Characters need none of it.

        yield CheckedPath(encounter, check_encounter(encounter, options).findings)
    for pack in files[sources.PACK]:
        check, note = find_hook("check_pack"), sources.skipped_file_note(pack, sources.PACK)
        yield CheckedPath(pack, check(pack) if check is not None else (note,))
    for page in files[sources.HANDOUT]:
        from sheetgen.prints.kinds import PrintContext, find_kind

        suffix = page.suffix.lower()
        readers = [kind for kind in map(find_kind, prints()) if suffix in kind.suffixes]
        of, chosen = (str(page),), tuple(options.items())
        asked = ((kind, kind.request(of=of, options=chosen)) for kind in readers)
        about = [f for kind, one in asked for f, _ in kind.read_files(one, PrintContext())]
        note = sources.skipped_file_note(page, sources.HANDOUT)
        yield CheckedPath(page, about[0] if about else (note,))
    characters = load_characters(files[sources.CHARACTER], options, rulesets)
    for path, of_file in groupby(characters, key=lambda one: one.path):
        together = list(of_file)
        for one in together:
            called = (one.build.name if one.build else "") or "no name"
            yield CheckedPath(path, one.findings, called if together[1:] else "", one.source)


def sort_files(
    paths: Sequence[Path],
) -> tuple[Mapping[sources.FileType, Sequence[Path]], Sequence[tuple[Path, sources.FileType]]]:
    """Return the files that `paths` mean by type, and those that are passed over.

    All but characters are there once; a part of a ruleset stands for the ruleset's folder. Of
    folders only those with nothing in them are left, as characters. Templates of rows are left to
    their book.
    """
    found: dict[sources.FileType, list[Path]] = {type_: [] for type_ in _CHECKED}
    others: list[tuple[Path, sources.FileType]] = []
    for given in paths:
        files = [] if is_ruleset(given) else list(yaml_files(given))
        below = [*files_below(given, (*sources.MANUALS, PACK_FILE))] if os.path.isdir(given) else []
        more = [
            one for one in below if sources.find_file_type(one) in (sources.PACK, sources.HANDOUT)
        ]
        files += [one for one in more if one not in files]
        if is_ruleset(given):
            found[sources.PART].append(given)
        elif not files:
            found[sources.CHARACTER].append(given)
        for path in files:
            type_, checked = sources.find_file_type(path, path != given), path
            if type_ == sources.PART and (folder := sources.find_ruleset_above(path)) is not None:
                checked = folder
            elif type_ in (sources.TEMPLATE, sources.TABLE) and _is_row_part(path):
                type_, checked = sources.BOOK, path.parent / sources.BOOK_FILE
            elif type_ == sources.PART or type_ not in _CHECKED:
                others.append((path, type_))
                continue
            found[type_].append(checked)
    for type_ in (type_ for type_ in _CHECKED if type_ != sources.CHARACTER):
        once: dict[str, Path] = {}
        for path in found[type_]:
            once.setdefault(os.path.realpath(path), path)
        found[type_] = [*once.values()]
    templates = {
        os.path.realpath(path) for book in found[sources.BOOK] for path in _rows_of(book)[0]
    }
    found[sources.CHARACTER] = [
        p for p in found[sources.CHARACTER] if os.path.realpath(p) not in templates
    ]
    return found, others


def _is_row_part(path: Path) -> bool:
    """Whether the book beside a template or a table of rows has it in an entry."""
    book = path.parent / sources.BOOK_FILE
    parts = chain(*_rows_of(book)) if os.path.isfile(book) else ()
    return os.path.realpath(path) in map(os.path.realpath, parts)


def _rows_of(book: Path) -> tuple[list[Path], list[Path]]:
    from sheetgen.load.books import find_matching_files, read_book  # Characters need none of it.

    read = read_book(book).value
    entries = read.entries if read is not None else ()
    templates = [book.parent / entry.template for entry in entries if entry.template]
    values = (texts for entry in entries if entry.template for texts in entry.prints.values())
    patterns = [text for texts in values for text in texts]
    patterns += [one.rows.file for one in entries if one.rows is not None and one.rows.file]
    found = (find_matching_files(text, book.parent).value or () for text in patterns)
    return templates, [Path(path) for paths in found for path in paths]
