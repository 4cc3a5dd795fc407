"""Plan a book: list its jobs, and how their outputs are named."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Final

from sheetgen.books.jobs import Jobs
from sheetgen.books.naming import check_pattern, fill_pattern
from sheetgen.books.requests import build_entry_request
from sheetgen.books.row_jobs import RowContext, list_row_jobs
from sheetgen.books.storage import FolderStorage, Storage
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.authors.books import find_matching_files, read_book
from sheetgen.load.authors.sorts import BOOK_FILE
from sheetgen.load.files import note_read, record_reads
from sheetgen.load.rows.table_files import is_table
from sheetgen.load.rulesets.rulesets import find_ruleset
from sheetgen.model.books import (
    PRINTS,
    Book,
    BookEntry,
    Combined,
    CombinedFile,
    Job,
    PrintOptions,
    Rows,
)
from sheetgen.model.pictures import Picture
from sheetgen.model.requests import PrintRequest
from sheetgen.model.source import Text
from sheetgen.write.files import stays_inside
from sheetgen.write.stores import is_store_address

_ONE_FILE: Final = ("sheets", "encounters")
"""Kinds of print of which each file is a job."""

_ONE_JOB: Final = ("cards", "pieces")
"""Kinds of print of which an entry is one job."""


@dataclass(slots=True)
class BookPlan:
    """The jobs and combined files of a book.

    Attributes:
        name: Identifies the book among those that share an output folder: its title, or else the
            name of its folder, and the name of its file. Shards on other machines have the same.
        folder: Paths in the book are relative to it.
        out: Where the outputs are.
        incomplete: Entries with errors, of which jobs are missing.
        closed: Whether nothing is built, because the book's own `out` is no folder inside its own.
        pictures: The book's own logo, cover and card backs, by key.
        reads: Paths of the files that were read for the plan.
    """

    name: str
    folder: Path
    out: Storage
    jobs: Jobs
    title: str = ""
    combined_files: list[CombinedFile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    incomplete: set[str] = field(default_factory=set)
    closed: bool = False
    pictures: tuple[tuple[str, Picture], ...] = ()
    reads: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Context:
    """What the entries of a book are read with."""

    plan: BookPlan
    defaults: PrintOptions
    strict: bool
    rows: RowContext


def plan_book(
    path: Path, out: Storage | None = None, *, strict: bool = False, readable: Sequence[str] = ()
) -> BookPlan:
    """Return the plan of the book at `path`: its file, or a folder with a `book.yaml`.

    Args:
        out: Where the outputs are, in place of the book's own folder.
        strict: Whether prints with warnings are left out.
        readable: Addresses in object stores that `rows` may name.
    """
    with record_reads() as reads:
        plan = _plan_book(path, out, strict, readable)
    plan.reads |= reads
    for read in reads:
        note_read(Path(read))
    return plan


def _plan_book(path: Path, out: Storage | None, strict: bool, readable: Sequence[str]) -> BookPlan:
    file = path / BOOK_FILE if os.path.isdir(path) else path
    read = read_book(path)
    folder = file.parent
    book = read.value
    usual = Text(f"{file.stem}-output", Span(str(file)))
    own_out = (book.out if book else None) or usual
    wrong = _check_own_out(own_out, folder) if out is None else None
    title = book.title if book and book.title else Path(os.path.abspath(folder)).name
    name = f"{title}/{file.name}"
    own = folder / os.path.normpath(usual if wrong else own_out)
    plan = BookPlan(name, folder, out or FolderStorage(own), Jobs(folder), closed=bool(wrong))
    plan.findings += [*read.findings, *([wrong] if wrong else [])]
    if book is None:
        return plan
    plan.title = book.title or file.stem
    plan.pictures = _pictures(book, plan)
    rows = RowContext(folder, readable, plan.findings)
    context = _Context(plan, book.defaults or PrintOptions(), strict, rows)
    ids = _ids(book, plan)
    for id_, entry in zip(ids, book.entries, strict=True):
        for number, job in enumerate(_entry_jobs(id_, entry, context, file), start=1):
            plan.jobs.append(dataclasses.replace(job, number=number))
    titles = {id_: entry.title for id_, entry in zip(ids, book.entries, strict=True)}
    plan.combined_files += [
        _combined_file(number, one, titles, plan)
        for number, one in enumerate(book.combined, start=1)
    ]
    return plan


def _check_own_out(out: Text, folder: Path) -> Finding | None:
    """Return the finding that the outputs of a book would not be inside the book's folder.

    A book may come from a stranger, so that only the command line names other places.
    """
    hint = "name a folder inside the book's, or another with `--out`"
    normal = os.path.normpath(out)
    windows = PureWindowsPath(normal)  # knows slashes of both kinds
    if is_store_address(out):
        message, hint = "a book names a folder beside it", "name the store with `--out`"
    elif windows.anchor or ".." in windows.parts or out.startswith("~"):
        message = f"`{out}` is no folder inside the book's folder; nothing is written"
    elif normal != os.curdir and not stays_inside(folder, f"{normal}/"):
        message = f"a link leads `{out}` out of the book's folder; nothing is written"
        hint = "remove the link, or name its folder with `--out`"
    else:
        return None
    return Finding(codes.CANNOT_WRITE, out.span, message, hint)


def _pictures(book: Book, plan: BookPlan) -> tuple[tuple[str, Picture], ...]:
    """Return the book's own pictures by key."""
    keys = [key for key in ("logo", "cover", "back") if getattr(book, key) is not None]
    if not keys:
        return ()
    from sheetgen.load.pictures.brand import find_brand_pictures  # Most books have none.

    found = find_brand_pictures(keys, (book,))
    plan.findings += found.findings
    return tuple((found.value or {}).items())


def _ids(book: Book, plan: BookPlan) -> list[str]:
    """Return a unique id for each entry; one without an id is named after its kind of print."""
    ids: list[str] = []
    for number, entry in enumerate(book.entries, start=1):
        sort = next((sort for sort in PRINTS if getattr(entry, sort)), "entry")
        id_ = str(entry.id) if entry.id else sort
        if id_ in ids and entry.id:
            message = f"two entries have the id `{id_}`"
            plan.findings.append(
                Finding(codes.REPEATED_KEY, entry.id.span, message, "rename one of the two")
            )
        ids.append(id_ if id_ not in ids else f"{id_}-{number}")
    return ids


def _entry_jobs(id_: str, entry: BookEntry, context: _Context, file: Path) -> Iterator[Job]:
    sorts = [sort for sort in PRINTS if getattr(entry, sort)]
    place = (
        getattr(entry, sorts[0])[0].span
        if sorts
        else entry.template.span
        if entry.template
        else entry.id.span
        if entry.id
        else Span(str(file))
    )
    before = len(context.plan.findings)
    sorts += ["sheets"] if entry.rows is not None else []
    if not sorts and errors(context.plan.findings):
        context.plan.incomplete.add(id_)  # an unknown key of it is reported already
        return
    if len(sorts) != 1:
        message = f"the entry `{id_}` needs one of the keys {', '.join(PRINTS)}"
        hint = "make two entries of it" if sorts else f"write `{PRINTS[0]}: …`, or `rows: …`"
        context.plan.findings.append(Finding(codes.MISSING_KEY, place, message, hint))
        context.plan.incomplete.add(id_)
        return
    defaults, beside = context.defaults, str(context.plan.folder)
    request, wrong = build_entry_request(
        sorts[0], entry, defaults, place, beside, strict=context.strict
    )
    request = dataclasses.replace(request, pictures=context.plan.pictures)
    rows = sorts[0] == "sheets" and (entry.template is not None or entry.rows is not None)
    context.plan.findings += [*wrong, *check_pattern(entry.name, columns=rows)]
    sound = len(context.plan.findings) == before
    # An entry with errors is split too, to find all mistakes at once.
    yield from (job for job in _split(id_, entry, request, context) if sound)
    if len(context.plan.findings) > before:
        context.plan.incomplete.add(id_)


def _split(id_: str, entry: BookEntry, request: PrintRequest, context: _Context) -> Iterator[Job]:
    values: tuple[Text, ...] = getattr(entry, request.kind)
    name = str(entry.name) if entry.name else ""
    if entry.rows is not None:
        yield from list_row_jobs(id_, entry.rows, entry, request, context.rows)
        return
    if request.kind in _ONE_JOB or request.joined:
        find = _card_sources if request.kind in _ONE_JOB else _paths
        of = tuple(path for text in values for path in find(text, context))
        if of:
            usual = "{entry}" if request.joined else "{stem}"
            yield Job(id_, id_, request, of, request.place, name or usual)
        return
    if request.kind not in _ONE_FILE:
        for ruleset in values:
            of = (str(ruleset),)
            yield Job(f"{id_}/{ruleset}", id_, request, of, ruleset.span, name or "{stem}")
        return
    paths = {path: text for text in values for path in _paths(text, context)}
    for path, text in paths.items():
        if is_table(path):
            beside = os.path.relpath(path, context.plan.folder)
            table = Rows(file=Text(beside, text.span))
            yield from list_row_jobs(id_, table, entry, request, context.rows)
        else:
            own = context.plan.jobs.id(id_, path)
            yield Job(own, id_, request, (path,), text.span, name or "{stem}")


def _paths(text: Text, context: _Context) -> tuple[str, ...]:
    found = find_matching_files(text, context.plan.folder)
    context.plan.findings += found.findings
    return found.value or ()


def _card_sources(text: Text, context: _Context) -> tuple[str, ...]:
    """Return the source of cards or pieces: a ruleset as it is named, or files."""
    if find_ruleset(text, text.span, context.plan.folder).value is not None:
        own = "/" in text or text.startswith(".")  # the book's own folder is `.`
        return (os.path.join(context.plan.folder, text) if own else str(text),)
    return _paths(text, context)


def _combined_file(
    number: int, one: Combined, ids: Mapping[str, str], plan: BookPlan
) -> CombinedFile:
    for id_ in one.of:
        if id_ not in ids:
            hint = suggestion(str(id_), ids, "entries")
            message = f"there is no entry `{id_}`"
            plan.findings.append(Finding(codes.DANGLING, id_.span, message, hint))
    plan.findings += check_pattern(one.name, columns=False)
    of = tuple(str(id_) for id_ in one.of if id_ in ids) or tuple(ids)
    title = one.title or (one.cover.title if one.cover else "") or plan.title
    name = fill_pattern(str(one.name).removesuffix(".pdf"), {"entry": f"combined-{number}"})
    titles = tuple(ids[id_] for id_ in of)
    identifier, place = f"combined/{name}", one.name.span
    return CombinedFile(
        identifier, name, place, of, title, one.cover, one.numbers, titles, one.duplex
    )
