"""Loading of books, and of the files that their patterns match."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.diag.visible import strip_controls
from sheetgen.diag.words import suggestion
from sheetgen.load import characters
from sheetgen.load.files import yaml_files
from sheetgen.load.rows import Cells, row_finding
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import parse_yaml, read_source, scalar
from sheetgen.model.books import Book, BookEntry
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source, Text, move_node
from sheetgen.registry import prints

# The type of files of other kinds, such as NPCs: each becomes a deck of cards.
OTHER: Final = "other"
FORMAT: Final = 1
MOST_FILES: Final = 200_000
_MAGIC: Final = ("*", "?", "[")
_PLACE: Final = re.compile(r"\$(?:\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*)|(\$))")


def read_book(path: Path) -> Checked[Book]:
    """Return the book in a file, or of a folder: its `book.yaml`, or its files; or findings."""
    if os.path.isdir(path):
        inner = path / characters.BOOK_FILE
        if os.path.isfile(inner):
            return read_book(inner)
        files = build_folder_book(path)
        if files.entries:
            return Checked(files)
        names = [inside.name for inside in yaml_files(path)]
        few = ", ".join(f"`{name}`" for name in names[:3]) + (", …" if names[3:] else "")
        why = f"no file of this folder has `ruleset:` ({few})"
        why = why if names else "this folder has no .yaml file"
        message = f"there is nothing to build here: {why}"
        hint = f"name another folder, or list what to build in a `{characters.BOOK_FILE}`"
        return Checked(None, (Finding(codes.NOTHING_FOUND, Span(str(path)), message, hint),))
    read = read_source(path)
    findings = list(read.findings)
    if read.value is None or not isinstance(read.value.root, Pairs):
        return Checked(None, tuple(findings))
    if other := characters.report_other_type(read.value, characters.BOOK):
        return Checked(None, (*findings, other))
    shaper = Shaper()
    book = shaper.read(read.value.root, Book, "book")
    findings += shaper.findings
    if book is not None and book.format != FORMAT:
        message = f"format {book.format} is not read by this version, only {FORMAT}"
        findings.append(Finding(codes.WRONG_TYPE, read.value.start, message, "write `format: 1`"))
    if book is not None and not book.entries:
        hint = "add an entry, such as `- sheets: FILE.yaml`"
        message = "there is nothing to build"
        findings.append(Finding(codes.NOTHING_FOUND, read.value.start, message, hint))
    return Checked(book, tuple(findings))


def may_be_book(path: Path) -> bool:
    """Whether a path is a folder, or a file that is a book or may become one."""
    if os.path.isdir(path):
        return True
    source = read_source(path).value
    other = source is not None and characters.report_other_type(source, characters.BOOK)
    return os.path.exists(path) and not other


def build_folder_book(folder: Path) -> Book:
    """Return a book of a folder's files that name a ruleset: sheets, encounters, decks."""
    files: dict[str, list[Text]] = {characters.CHARACTER: [], OTHER: [], characters.ENCOUNTER: []}
    for path in yaml_files(folder):
        if characters.is_starter(path):
            continue
        source = read_source(path).value
        name = Text(path.relative_to(folder).as_posix(), Span(str(path)))
        if source is None or not isinstance(source.root, Pairs):
            files[characters.CHARACTER].append(name)  # to report it
        elif source.root.get("ruleset") is not None:
            keys = characters.plain_keys(source.root)
            other = OTHER if characters.other_kind(keys) else characters.CHARACTER
            is_encounter = characters.type_by_keys(keys) == characters.ENCOUNTER
            files[characters.ENCOUNTER if is_encounter else other].append(name)
    kinds: dict[str, str] = {one.files: name for name, one in prints().items() if one.files}
    entries = []
    for type_, paths in files.items():
        decks = [(path,) for path in paths] if type_ == OTHER else [tuple(paths)] if paths else []
        entries += [BookEntry(prints={kinds[type_]: deck}) for deck in decks]
    title = strip_controls(os.path.basename(os.path.realpath(folder)))
    return Book(entries=tuple(entries), title=title)


def find_matching_files(pattern: Text, beside: Path) -> Checked[tuple[str, ...]]:
    """Return the files of a path beside a folder: a file, a folder's files, or a pattern's."""
    if not any(sign in pattern for sign in _MAGIC):
        path = Path(os.path.normpath(beside / pattern))
        if os.path.isdir(path):
            return _check_found(yaml_files(path), pattern, "this folder has no .yaml file")
        return Checked((str(path),))
    top, below = Path(pattern), str(pattern)
    if top.is_absolute():
        beside, below = Path(top.anchor), str(top.relative_to(top.anchor))
    while below.startswith("../"):
        beside, below = beside / "..", below.removeprefix("../")
    hidden = any(part.startswith(".") for part in Path(below).parts)  # only if it names them
    paths = []
    try:
        for count, path in enumerate(sorted(beside.glob(below))):
            if count > MOST_FILES:
                raise ValueError("it matches too many files")
            inside = path.relative_to(beside).parts
            shown = hidden or not any(part.startswith(".") for part in inside)
            if shown and os.path.isfile(path):
                paths.append(Path(os.path.normpath(path)))
    except (ValueError, NotImplementedError, OSError) as error:
        message = f"`{pattern}` is not a pattern: {error}"
        return Checked(None, (Finding(codes.NOTHING_FOUND, pattern.span, message),))
    return _check_found(paths, pattern, f"no file matches `{pattern}`")


def _check_found(paths: Iterable[Path], pattern: Text, message: str) -> Checked[tuple[str, ...]]:
    if files := tuple(map(str, paths)):
        return Checked(files)
    hint = "write paths relative to the book's folder"
    return Checked(None, (Finding(codes.NOTHING_FOUND, pattern.span, message, hint),))


def fill_template(template: Source, row: tuple[str, Cells]) -> Checked[Source]:
    """Return `template` with a labelled row's cells in it; findings name the row."""
    (label, cells), findings = row, list[Finding]()
    known = dict(cells)

    def fill(node: Node) -> Node:
        if isinstance(node, Many):
            return Many(node.span, tuple(map(fill, node.items)))
        if isinstance(node, Pairs):
            pairs = ((key, fill(value)) for key, value in node.entries)
            return Pairs(node.span, tuple(one for one in pairs if not _is_empty(one[1])))
        if "$" not in node.raw:
            return node

        def cell(match: re.Match[str]) -> str:
            if match[3]:
                return "$"
            if (name := (match[1] or match[2] or "").strip()) not in known:
                hint = suggestion(name, known, "columns")
                message = f"{label}: there is no column `{name}`"
                findings.append(row_finding(node.span, message, hint))
            return known.get(name, "")

        text = _PLACE.sub(cell, node.raw)
        if node.quoted or not _PLACE.fullmatch(node.raw):
            return ScalarNode(node.span, text, text, node.quoted)
        # One `$column` has the cell's own type.
        if text[:1] not in ("[", "{"):
            return ScalarNode(node.span, scalar(text), text, node.quoted)
        read = parse_yaml(text, node.span.file)
        for finding in read.findings:
            message = f"{label}: in this cell, {finding.message}"
            findings.append(row_finding(node.span, message, finding.hint))
        root = read.value.root if read.value is not None else None
        return move_node(root, node.span) if root is not None else node

    root = fill(template.root) if template.root else None
    digest = hashlib.sha256(f"{template.digest}\0{cells!r}".encode()).hexdigest()
    return Checked(replace(template, root=root, digest=digest), tuple(findings))


def _is_empty(value: Node) -> bool:  # its key is left out
    return isinstance(value, ScalarNode) and value.raw == "" and not value.quoted
