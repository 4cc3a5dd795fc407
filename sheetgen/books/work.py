"""One job, done: carried out, its files written as drafts. This runs in any process."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sheetgen.books.naming import output_name
from sheetgen.diag import book_codes, codes
from sheetgen.diag.findings import Finding, errors, raise_warnings
from sheetgen.diag.spans import Span
from sheetgen.load.digests import file_digest
from sheetgen.load.noted import noted
from sheetgen.load.rulesets.content import data_folder
from sheetgen.load.rulesets.seeds import seeds_folder
from sheetgen.model.books import Job
from sheetgen.model.seals import sealed
from sheetgen.prints.context import OrderResult, PrintContext
from sheetgen.prints.orders import carried_out
from sheetgen.write.drafts import draft


@dataclass(frozen=True, slots=True)
class Output:
    """A finished file: what it is to be called, where its draft is, its digest."""

    name: str
    draft: str
    digest: str


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a job.

    Attributes:
        reads: Files and folders that it was made from, as paths.
        failed: Whether something that it should print was not.
    """

    id: str
    outputs: tuple[Output, ...]
    findings: tuple[Finding, ...]
    reads: tuple[str, ...]
    failed: bool


_PULSE: Final = 0.5
"""Seconds between two looks whether the parent lives."""

_desks: dict[str, PrintContext] = {}
"""The desk of this process, by run: rulesets and plates are found once."""


def work(jobs: Sequence[Job], drafts: str) -> tuple[Done, ...]:
    """Return what became of some jobs, in their order.

    Args:
        drafts: The folder of the run's drafts.
    """
    if drafts not in _desks:
        _desks.clear()
        _desks[drafts] = PrintContext(Path(drafts))
    return tuple(_done(job, _desks[drafts], Path(drafts)) for job in jobs)


def end_with(parent: int) -> None:
    """Let this process end when the one that started it has: it might wait for work for ever."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(_PULSE)
        os._exit(1)

    if hasattr(os, "getppid") and os.getppid() == parent:
        threading.Thread(target=look, daemon=True).start()


def _done(job: Job, desk: PrintContext, drafts: Path) -> Done:
    with noted() as read:
        try:
            made = carried_out(job.whole, desk)
        except Exception as error:  # noqa: BLE001 - one print must not end a thousand others
            made = OrderResult(findings=[_broken(job, error)])
    findings = list(dict.fromkeys(made.findings))
    outputs: list[Output] = []
    for number, one in enumerate(made.prints, start=1):
        count = number if len(made.prints) > 1 else job.number
        words = {**one.words, "entry": job.entry, "n": str(count)}
        name = output_name(job.name, words, several=len(made.prints) > 1)
        for kind, content in one.files.items():
            content = sealed(f"{name}.{kind}", content)
            try:
                at = draft(drafts, content)
            except OSError as error:
                findings.append(unwritten(f"{name}.{kind}", error))
                continue
            digest = hashlib.sha256(content).hexdigest()
            outputs.append(Output(f"{name}.{kind}", str(at), digest))
        for kind, at in one.drafts.items():
            outputs.append(Output(f"{name}.{kind}", str(at), file_digest(at)))
    judged = raise_warnings(findings) if job.order.strict else tuple(findings)
    return Done(job.id, tuple(outputs), judged, _reads(read, made), bool(errors(judged)))


def _broken(job: Job, error: Exception) -> Finding:
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    message = f"this print broke off: {type(error).__name__}: {error} ({where})"
    span = Span(job.of[0]) if job.of else job.place
    return Finding(book_codes.BROKEN_OFF, span, message, "please report it, with this file")


def unwritten(name: str, error: OSError) -> Finding:
    """Return that a file cannot be written, and why."""
    reason = (error.strerror or str(error)).lower()
    return Finding(
        codes.CANNOT_WRITE, Span(name), f"cannot write it: {reason}", "choose another --out"
    )


def _reads(read: set[str], made: OrderResult) -> tuple[str, ...]:
    """Return what a job was made from: its files, and whole folders of rulesets and designs."""
    folders = {Path(os.path.realpath(folder)) for folder in made.rulesets}
    folders |= {found for folder in folders if (found := seeds_folder(folder)) is not None}
    folders |= {data_folder() / "templates" / design for design in made.designs}
    files = {Path(os.path.realpath(path)) for path in read}
    loose = {path for path in files if not any(path.is_relative_to(f) for f in folders)}
    return tuple(sorted(str(path) for path in {*folders, *loose} if not _is_shared(path)))


def _is_shared(path: Path) -> bool:
    """Whether a path is among the templates, which count as a whole."""
    top = data_folder() / "templates"
    return path.is_relative_to(top) and path.relative_to(top).parts[0].startswith("_")
