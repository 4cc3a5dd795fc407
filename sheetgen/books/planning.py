"""A book to jobs: which orders there are, and what their outputs are called."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sheetgen.books.jobs import Jobs
from sheetgen.books.looks import order_of
from sheetgen.books.naming import fill_pattern, wrong_in
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.authors.books import BOOK, TABLE, matching_files, read_book
from sheetgen.load.authors.rows import read_rows
from sheetgen.load.rulesets.rulesets import find_ruleset
from sheetgen.model.books import (
    PRINTS,
    Book,
    BookEntry,
    Combined,
    CombinedFile,
    Job,
    Order,
    PrintOptions,
)
from sheetgen.model.source import Text

_ONE_FILE: Final = ("sheets", "encounters")
"""Sorts of which each file is a job; of others what an entry names is one."""


@dataclass(slots=True)
class BookPlan:
    """All that a book wants.

    Attributes:
        folder: That its paths count from.
        out: Where its outputs go.
        lost: Entries of which something is wrong, so that not all of them is here.
    """

    title: str
    folder: Path
    out: Path
    jobs: Jobs
    wholes: list[CombinedFile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    lost: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Here:
    """Where an entry stands, and what it is read with."""

    plan: BookPlan
    defaults: PrintOptions
    strict: bool


def plan_of(path: Path, out: Path | None = None, *, strict: bool = False) -> BookPlan:
    """Return the plan of a book's file, or of a folder with a `book.yaml`.

    Args:
        out: Instead of the folder that the book says.
        strict: Whether warnings keep things from being printed.
    """
    file = path / BOOK if os.path.isdir(path) else path
    read = read_book(path)
    folder = file.parent
    out_ = out or folder / f"{file.stem}-output"
    plan = BookPlan("", folder, out_, Jobs(folder), findings=list(read.findings))
    book = read.value
    if book is None:
        return plan
    plan.title = book.title or file.stem
    plan.out = out or (folder / book.out if book.out else plan.out)
    here = _Here(plan, book.defaults or PrintOptions(), strict)
    ids = _ids(book, plan)
    for id_, entry in zip(ids, book.entries, strict=True):
        for number, job in enumerate(_jobs(id_, entry, here, file), start=1):
            plan.jobs.append(dataclasses.replace(job, number=number))
    titles = {id_: entry.title for id_, entry in zip(ids, book.entries, strict=True)}
    wholes = enumerate(book.combined, start=1)
    plan.wholes += [_whole(number, one, titles, plan) for number, one in wholes]
    return plan


def _ids(book: Book, plan: BookPlan) -> list[str]:
    """Return the id of each entry, made up where it has none; none twice."""
    ids: list[str] = []
    for number, entry in enumerate(book.entries, start=1):
        sort = next((sort for sort in PRINTS if getattr(entry, sort)), "entry")
        id_ = str(entry.id) if entry.id else sort
        if id_ in ids and entry.id:
            message = f"two entries are called `{id_}`"
            plan.findings.append(Finding(codes.REPEATED_KEY, entry.id.span, message, "rename one"))
        ids.append(id_ if id_ not in ids else f"{id_}-{number}")
    return ids


def _jobs(id_: str, entry: BookEntry, here: _Here, file: Path) -> Iterator[Job]:
    """Yield the jobs of an entry; what is wrong with it is noted, the rest of it is done."""
    sorts = [sort for sort in PRINTS if getattr(entry, sort)]
    place = (
        getattr(entry, sorts[0])[0].span
        if sorts
        else entry.id.span
        if entry.id
        else Span(str(file))
    )
    before = len(here.plan.findings)
    if not sorts and errors(here.plan.findings):
        here.plan.lost.add(id_)  # a key of it that means nothing is told already
        return
    if len(sorts) != 1:
        message = f"the entry `{id_}` has to say one of {', '.join(PRINTS)}"
        hint = "make two entries of it" if sorts else f"write `{PRINTS[0]}: …`"
        here.plan.findings.append(Finding(codes.MISSING_KEY, place, message, hint))
        here.plan.lost.add(id_)
        return
    beside = str(here.plan.folder)
    order, wrong = order_of(sorts[0], entry, here.defaults, place, beside, strict=here.strict)
    rows = sorts[0] == "sheets" and entry.template is not None
    here.plan.findings += [*wrong, *wrong_in(entry.name, columns=rows)]
    sound = len(here.plan.findings) == before
    # Also of what is not sound: to find all at once.
    yield from (job for job in _split(id_, entry, order, here) if sound)
    if len(here.plan.findings) > before:
        here.plan.lost.add(id_)


def _split(id_: str, entry: BookEntry, order: Order, here: _Here) -> Iterator[Job]:
    said: tuple[Text, ...] = getattr(entry, order.kind)
    name = str(entry.name) if entry.name else ""
    if order.kind == "cards" or order.joined:
        find = _decked if order.kind == "cards" else _paths
        of = tuple(path for text in said for path in find(text, here))
        if of:
            usual = "{entry}" if order.joined else "{stem}"
            yield Job(id_, id_, order, of, order.place, name or usual)
        return
    if order.kind not in _ONE_FILE:
        for ruleset in said:
            of = (str(ruleset),)
            yield Job(f"{id_}/{ruleset}", id_, order, of, ruleset.span, name or "{stem}")
        return
    paths = {path: text for text in said for path in _paths(text, here)}
    for path, text in paths.items():
        if path.lower().endswith(TABLE):
            yield from _rows(id_, Path(path), text, entry, order, here)
        else:
            own = here.plan.jobs.id(id_, path)
            yield Job(own, id_, order, (path,), text.span, name or "{stem}")


def _paths(text: Text, here: _Here) -> tuple[str, ...]:
    found = matching_files(text, here.plan.folder)
    here.plan.findings += found.findings
    return found.value or ()


def _decked(text: Text, here: _Here) -> tuple[str, ...]:
    """Return what a deck is of: a ruleset as it is named, or files."""
    if find_ruleset(text, text.span, here.plan.folder).value is not None:
        path = here.plan.folder / text
        return (str(path) if "/" in text else str(text),)
    return _paths(text, here)


def _rows(
    id_: str, path: Path, text: Text, entry: BookEntry, order: Order, here: _Here
) -> Iterator[Job]:
    if entry.template is None:
        message = "a CSV file needs a `template`: the file that its rows fill"
        here.plan.findings.append(Finding(codes.MISSING_KEY, text.span, message))
        return
    read = read_rows(path)
    here.plan.findings += read.findings
    template, name = here.plan.folder / entry.template, str(entry.name or "{name}")
    of, place = (str(template),), entry.template.span
    again: Counter[str] = Counter()
    for line, cells in read.value or ():
        row = f"{path.name}:{line}", cells
        called = hashlib.sha256(repr(cells).encode()).hexdigest()[:16]
        again[called] += 1  # a row is known by its cells: others may come before it
        own = f"{id_}/{path.stem}-{called}-{again[called]}"
        yield Job(own, id_, order, of, place, name, row=row)


def _whole(number: int, one: Combined, ids: Mapping[str, str], plan: BookPlan) -> CombinedFile:
    for id_ in one.of:
        if id_ not in ids:
            hint = suggestion(str(id_), ids, "entries")
            message = f"there is no entry `{id_}`"
            plan.findings.append(Finding(codes.DANGLING, id_.span, message, hint))
    plan.findings += wrong_in(one.name, columns=False)
    of = tuple(str(id_) for id_ in one.of if id_ in ids) or tuple(ids)
    title = one.title or (one.cover.title if one.cover else "") or plan.title
    name = fill_pattern(str(one.name).removesuffix(".pdf"), {"entry": f"combined-{number}"})
    titles = tuple(ids[id_] for id_ in of)
    place = one.name.span
    return CombinedFile(f"combined/{name}", name, place, of, title, one.cover, one.numbers, titles)
