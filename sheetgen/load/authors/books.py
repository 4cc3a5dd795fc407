"""Loading of books, and of the files that their patterns match."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from sheetgen.diag import book_codes, codes
from sheetgen.diag.controls import strip_controls
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.authors import sorts
from sheetgen.load.files import yaml_files
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.model.books import Book, BookEntry
from sheetgen.model.source import Pairs, Text

FORMAT: Final = 1
MOST_FILES: Final = 200_000
_MAGIC: Final = ("*", "?", "[")


def read_book(path: Path) -> Checked[Book]:
    """Return the book in the file at `path`, or findings about all mistakes in it.

    The book of a folder is its `book.yaml`, or one built from the folder's files.
    """
    if os.path.isdir(path):
        inner = path / sorts.BOOK_FILE
        if os.path.isfile(inner):
            return read_book(inner)
        files = build_folder_book(path)
        return Checked(files) if files.entries else Checked(None, (_nothing_to_build(path),))
    read = read_source(path)
    findings = list(read.findings)
    if read.value is None or not isinstance(read.value.root, Pairs):
        return Checked(None, tuple(findings))
    if other := sorts.report_other_type(read.value, sorts.BOOK):
        return Checked(None, (*findings, other))
    shaper = Shaper()
    book = shaper.read(read.value.root, Book, "book")
    findings += shaper.findings
    if book is not None and book.format != FORMAT:
        message = f"format {book.format} is not read by this version, only {FORMAT}"
        findings.append(Finding(codes.WRONG_TYPE, read.value.start, message, "write `format: 1`"))
    if book is not None and not book.entries:
        hint = "add an entry, such as `- sheets: FILE.yaml`"
        findings.append(
            Finding(book_codes.NOTHING_FOUND, read.value.start, "there is nothing to build", hint)
        )
    return Checked(book, tuple(findings))


def _nothing_to_build(folder: Path) -> Finding:
    names = [path.name for path in yaml_files(folder)]
    few = ", ".join(f"`{name}`" for name in names[:3]) + (", …" if names[3:] else "")
    message = "there is nothing to build here: this folder has no .yaml file"
    if names:
        message = f"there is nothing to build here: no file of this folder has `ruleset:` ({few})"
    hint = f"name another folder, or list what to build in a `{sorts.BOOK_FILE}`"
    return Finding(book_codes.NOTHING_FOUND, Span(str(folder)), message, hint)


def build_folder_book(folder: Path) -> Book:
    """Return a book of all files of a folder that name a ruleset.

    Characters become sheets, encounters pages, and other files a deck each.
    """
    files: dict[str, list[Text]] = {}
    for path in yaml_files(folder):
        source = read_source(path).value
        if source is None or not isinstance(source.root, Pairs):
            files.setdefault("sheets", []).append(_relative(path, folder))  # to report it
        elif source.root.get("ruleset") is not None:
            files.setdefault(_print_kind(source.root), []).append(_relative(path, folder))
    entries = [BookEntry(cards=(path,)) for path in files.get("cards", ())]
    if sheets := files.get("sheets"):
        entries.insert(0, BookEntry(sheets=tuple(sheets)))
    if fights := files.get("encounters"):
        entries.append(BookEntry(encounters=tuple(fights)))
    title = strip_controls(os.path.basename(os.path.realpath(folder)))
    return Book(entries=tuple(entries), title=title)


def _relative(path: Path, folder: Path) -> Text:
    return Text(path.relative_to(folder).as_posix(), Span(str(path)))


def _print_kind(root: Pairs) -> str:
    keys = sorts.plain_keys(root)
    if sorts.type_by_keys(keys) == sorts.ENCOUNTER:
        return "encounters"
    return "cards" if sorts.other_kind(keys) else "sheets"


def find_matching_files(pattern: Text, beside: Path) -> Checked[tuple[str, ...]]:
    """Return the files of an author's path: a file, a folder's files, or those of a pattern.

    Args:
        pattern: Relative to `beside`; `*`, `?`, `[…]` and `**` make it a pattern.
    """
    if not any(sign in pattern for sign in _MAGIC):
        path = Path(os.path.normpath(beside / pattern))
        if os.path.isdir(path):
            return _check_found(yaml_files(path), pattern, "this folder has no .yaml file")
        return Checked((str(path),))
    try:
        paths = [*_match(pattern, beside)]
    except (ValueError, NotImplementedError, OSError) as error:
        message = f"`{pattern}` is not a pattern: {error}"
        return Checked(None, (Finding(book_codes.NOTHING_FOUND, pattern.span, message),))
    return _check_found(paths, pattern, f"no file matches `{pattern}`")


def _check_found(paths: Iterable[Path], pattern: Text, message: str) -> Checked[tuple[str, ...]]:
    if files := tuple(map(str, paths)):
        return Checked(files)
    hint = "write paths relative to the book's folder"
    return Checked(None, (Finding(book_codes.NOTHING_FOUND, pattern.span, message, hint),))


def _match(text: str, beside: Path) -> Iterator[Path]:
    """Yield the files of a pattern, sorted; hidden files only if it names them."""
    top = Path(text)
    start = Path(top.anchor) if top.is_absolute() else beside
    pattern = str(top.relative_to(top.anchor)) if top.is_absolute() else str(text)
    while pattern.startswith("../"):
        start, pattern = start / "..", pattern.removeprefix("../")
    hidden = any(part.startswith(".") for part in Path(pattern).parts)
    for count, path in enumerate(sorted(start.glob(pattern))):
        if count > MOST_FILES:
            raise ValueError("it matches too many files")
        below = path.relative_to(start).parts
        if os.path.isfile(path) and (hidden or not any(part.startswith(".") for part in below)):
            yield Path(os.path.normpath(path))
