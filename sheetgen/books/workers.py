"""Run jobs and write their files as drafts, in this process or in worker processes."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from sheetgen.books.naming import output_name
from sheetgen.diag import book_codes
from sheetgen.diag.findings import Finding, errors, raise_warnings
from sheetgen.diag.spans import Span
from sheetgen.load.digests import file_digest
from sheetgen.load.files import record_reads
from sheetgen.load.rulesets.content import data_folder
from sheetgen.load.rulesets.seeds import seeds_folder
from sheetgen.model.books import Job
from sheetgen.model.seals import sealed
from sheetgen.prints.context import PrintContext, PrintResult
from sheetgen.prints.printing import print_request
from sheetgen.write.drafts import write_draft
from sheetgen.write.files import cannot_write

_CHUNK: Final = 16
"""Jobs that go to a process at once: enough that the transfer costs nothing."""

_AHEAD: Final = 2
"""Chunks for each process that run or wait; this bounds memory."""

_PARENT_CHECK: Final = 0.5
"""Seconds between two checks whether the parent process lives."""


@dataclass(frozen=True, slots=True)
class JobOutput:
    """A finished file: its name, the path of its draft, its digest."""

    name: str
    draft: str
    digest: str


@dataclass(frozen=True, slots=True)
class JobResult:
    """The result of a job.

    Attributes:
        reads: Files and folders that it was built from, as paths.
        failed: Whether anything that it should print is missing.
    """

    outputs: tuple[JobOutput, ...]
    findings: tuple[Finding, ...]
    reads: tuple[str, ...]
    failed: bool


JobResults: TypeAlias = Generator[JobResult, None, None]

JobRunner: TypeAlias = Callable[[Iterator[Job], int, str], JobResults]
"""Yields the results of some jobs in their order; called with them, their number, and the folder
of the run's drafts."""


def run_here(jobs: Iterator[Job], count: int, drafts: str) -> JobResults:
    """Yield the results of `count` jobs, run in this process."""
    for job in islice(jobs, count):
        yield from run_jobs((job,), drafts)


def run_in_processes(
    start: Callable[[int], Executor], workers: int, jobs: Iterator[Job], count: int, drafts: str
) -> JobResults:
    """Yield the results of `count` jobs in their order; a few chunks run at a time.

    A job that ends its process becomes a finding; the others go on.

    Args:
        start: Starts an executor with a number of processes.
        workers: How many jobs run at once.
        drafts: The folder of the run's drafts.
    """
    if count < 2:
        yield from run_here(jobs, count, drafts)
        return
    size = max(1, min(_CHUNK, -(-count // (4 * workers))))
    ahead: deque[tuple[tuple[Job, ...], Future[tuple[JobResult, ...]]]] = deque()
    executor = start(workers)
    try:
        while True:
            while len(ahead) < _AHEAD * workers and (chunk := tuple(islice(jobs, size))):
                try:
                    future = executor.submit(run_jobs, chunk, drafts)
                except BrokenProcessPool:
                    executor.shutdown(cancel_futures=True)
                    executor = start(workers)
                    future = executor.submit(run_jobs, chunk, drafts)
                ahead.append((chunk, future))
            if not ahead:
                return
            chunk, future = ahead.popleft()
            try:
                yield from future.result()
            except BrokenProcessPool:  # this chunk or another one is to blame
                yield from _run_alone(start, chunk, drafts)
            except (OSError, MemoryError):
                yield from run_here(iter(chunk), len(chunk), drafts)
    finally:
        executor.shutdown(cancel_futures=True)


def _run_alone(
    start: Callable[[int], Executor], chunk: tuple[Job, ...], drafts: str
) -> Iterator[JobResult]:
    """Yield the results of a chunk that runs in a process of its own; if that ends, split it."""
    try:
        with start(1) as executor:
            yield from executor.submit(run_jobs, chunk, drafts).result()
    except BrokenProcessPool:
        if len(chunk) == 1:
            yield lost_result(chunk[0])
            return
        middle = len(chunk) // 2
        yield from _run_alone(start, chunk[:middle], drafts)
        yield from _run_alone(start, chunk[middle:], drafts)


def lost_result(job: Job) -> JobResult:
    """Return the result of a job that ends the process that runs it."""
    message = "the process that printed this file ended without a result"
    span = Span(job.of[0]) if job.of else job.place
    hint = "print it alone with `sheetgen sheet` to see why"
    return JobResult((), (Finding(book_codes.BROKEN_OFF, span, message, hint),), (), failed=True)


_contexts: dict[str, PrintContext] = {}
"""The print context of this process, by the folder of the run's drafts."""


def run_jobs(jobs: Sequence[Job], drafts: str) -> tuple[JobResult, ...]:
    """Return the results of some jobs, in their order.

    Args:
        drafts: The folder of the run's drafts.
    """
    if drafts not in _contexts:
        _contexts.clear()
        _contexts[drafts] = PrintContext(Path(drafts))
    return tuple(_run_job(job, _contexts[drafts], Path(drafts)) for job in jobs)


def exit_with_parent(parent: int) -> None:
    """End this process when its parent ends; otherwise it might wait for work for ever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK)
        os._exit(1)

    if hasattr(os, "getppid") and os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()


def _run_job(job: Job, context: PrintContext, drafts: Path) -> JobResult:
    results: list[PrintResult] = []
    with record_reads() as read:
        try:
            results.extend(print_request(job.full_request, context))
        except Exception as error:  # noqa: BLE001 - one print must not end a thousand others
            results = [PrintResult(findings=one.findings) for one in results]
            results.append(PrintResult(findings=(_broken(job, error),)))
    findings = list(dict.fromkeys(finding for one in results for finding in one.findings))
    outputs: list[JobOutput] = []
    for name, one in name_prints(job, results):
        try:
            outputs += _write_drafts(one, name, drafts, findings)
        except Exception as error:  # noqa: BLE001 - pictures are rendered only now
            findings.append(_broken(job, error))
        for kind, draft in one.drafts.items():
            outputs.append(JobOutput(f"{name}.{kind}", str(draft), file_digest(draft)))
    judged = raise_warnings(findings) if job.request.strict else tuple(findings)
    return JobResult(tuple(outputs), judged, _inputs(read, results), bool(errors(judged)))


def name_prints(job: Job, results: Iterable[PrintResult]) -> Iterator[tuple[str, PrintResult]]:
    """Yield the prints of a job with their names, without tails and extensions."""
    prints = [one for one in results if one.words]
    several = len(prints) > 1
    for number, one in enumerate(prints, start=1):
        words = {**one.words, "entry": job.entry, "n": str(number if several else job.number)}
        yield output_name(job.name, words, several=several), one


def _write_drafts(
    result: PrintResult, stem: str, drafts: Path, findings: list[Finding]
) -> Iterator[JobOutput]:
    """Write the files of a print as drafts, one by one."""
    for part in result.parts():
        name = f"{stem}{part.tail}.{part.format}"
        content = sealed(name, part.read())
        try:
            draft = write_draft(drafts, content)
        except OSError as error:
            findings.append(cannot_write(name, error))
            continue
        yield JobOutput(name, str(draft), hashlib.sha256(content).hexdigest())


def _broken(job: Job, error: Exception) -> Finding:
    return failed_print(Span(job.of[0]) if job.of else job.place, error)


def failed_print(span: Span, error: Exception) -> Finding:
    """Return the finding about a print that raised an unexpected exception."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    message = f"this print failed: {type(error).__name__}: {error} ({where})"
    return Finding(book_codes.BROKEN_OFF, span, message, "report this error, with this file")


def _inputs(read: set[str], results: Sequence[PrintResult]) -> tuple[str, ...]:
    """Return what a job was built from: files, and whole folders of rulesets and designs."""
    templates = data_folder() / "templates"
    folders = {Path(os.path.realpath(folder)) for one in results for folder in one.inputs}
    folders |= {seeds for folder in folders if (seeds := seeds_folder(folder)) is not None}
    files = {Path(os.path.realpath(path)) for path in read}
    loose = {path for path in files if not any(path.is_relative_to(f) for f in folders)}
    # What all templates share is part of `product_stamp`.
    return tuple(
        sorted(
            str(path)
            for path in {*folders, *loose}
            if not path.is_relative_to(templates)
            or not path.relative_to(templates).parts[0].startswith("_")
        )
    )
