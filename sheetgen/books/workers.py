"""Run jobs and write their files as drafts, in this process or in worker processes."""

from __future__ import annotations

import hashlib
import os
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from sheetgen.books.naming import output_name
from sheetgen.books.records import Pair, Record, job_key, keys_inside, list_inputs, real_folders
from sheetgen.books.storage import FOLDER
from sheetgen.diag import book_codes
from sheetgen.diag.findings import Finding, apply_strict, errors
from sheetgen.diag.spans import Span
from sheetgen.load.digests import Digests, file_digest
from sheetgen.load.files import record_reads
from sheetgen.model.books import Job
from sheetgen.model.requests import PrintRequest
from sheetgen.model.seals import sealed
from sheetgen.prints.context import PrintContext, PrintResult
from sheetgen.prints.printing import print_request
from sheetgen.write.drafts import write_draft
from sheetgen.write.files import cannot_write, is_source, source_finding

_CHUNK: Final = 16
"""Jobs that go to a process at once: enough that the transfer costs nothing."""

_CHUNK_SECONDS: Final = 0.2
"""How long this process works between two steps of its progress, unless one job takes longer."""

_AHEAD: Final = 2
"""Chunks for each process that run or wait; this bounds memory."""


@dataclass(frozen=True, slots=True)
class JobRun:
    """What all jobs of one run share.

    Attributes:
        book: The name of the book, for records.
        folder: The book's folder; names in records are relative to it.
        drafts: The folder of the run's drafts.
        out: The output folder, if it is one of this machine; otherwise an address.
        stamp: The `product_stamp` of the process that started it.
        since: When it started, in nanoseconds.
    """

    book: str
    folder: str
    drafts: str
    out: str
    stamp: str
    since: int


class JobOutput(NamedTuple):
    """A finished file: its name, the path of its draft, its digest."""

    name: str
    draft: str
    digest: str


class JobResult(NamedTuple):
    """The result of a job.

    Attributes:
        record: The path of the draft of its record; empty if there is none.
        failed: Whether anything that it should print is missing.
        inputs: Keys of the files in the output folder that it read; see `keys_inside`.
    """

    outputs: tuple[JobOutput, ...]
    findings: tuple[Finding, ...]
    record: str
    failed: bool
    inputs: frozenset[str] = frozenset()


JobResults: TypeAlias = Generator[JobResult, None, None]

JobRunner: TypeAlias = Callable[[Iterator[Job], int, JobRun], JobResults]
"""Yields the results of some jobs in their order; called with them and their number."""


def run_here(jobs: Iterator[Job], count: int, run: JobRun) -> JobResults:
    """Yield the results of `count` jobs, run in this process in chunks of short duration."""
    size = 1
    while chunk := tuple(islice(jobs, min(size, count))):
        count -= len(chunk)
        begun = time.monotonic()
        results = run_jobs(chunk, run)
        pace = (time.monotonic() - begun) / len(chunk)
        size = max(1, min(_CHUNK, int(_CHUNK_SECONDS / max(pace, 1e-6))))
        yield from results


def run_in_processes(
    start: Callable[[int], Executor], workers: int, jobs: Iterator[Job], count: int, run: JobRun
) -> JobResults:
    """Yield the results of `count` jobs in their order; a few chunks run at a time.

    A job that ends its process becomes a finding; the others go on.

    Args:
        start: Starts an executor with a number of processes.
        workers: How many jobs run at once.
    """
    if count < 2:
        yield from run_here(jobs, count, run)
        return
    size = max(1, min(_CHUNK, -(-count // (4 * workers))))
    ahead: deque[tuple[tuple[Job, ...], Future[tuple[JobResult, ...]]]] = deque()
    executor = start(workers)
    try:
        while True:
            while len(ahead) < _AHEAD * workers and (chunk := tuple(islice(jobs, size))):
                try:
                    future = executor.submit(run_jobs, chunk, run)
                except BrokenProcessPool:
                    executor.shutdown(cancel_futures=True)
                    executor = start(workers)
                    future = executor.submit(run_jobs, chunk, run)
                ahead.append((chunk, future))
            if not ahead:
                return
            chunk, future = ahead.popleft()
            try:
                yield from future.result()
            except BrokenProcessPool:  # this chunk or another one is to blame
                yield from _run_alone(start, chunk, run)
            except (OSError, MemoryError):
                yield from run_here(iter(chunk), len(chunk), run)
    finally:
        executor.shutdown(cancel_futures=True)


def _run_alone(
    start: Callable[[int], Executor], chunk: tuple[Job, ...], run: JobRun
) -> Iterator[JobResult]:
    """Yield the results of a chunk that runs in a process of its own; if that ends, split it."""
    try:
        with start(1) as executor:
            yield from executor.submit(run_jobs, chunk, run).result()
    except BrokenProcessPool:
        if len(chunk) == 1:
            yield lost_result(chunk[0])
            return
        middle = len(chunk) // 2
        yield from _run_alone(start, chunk[:middle], run)
        yield from _run_alone(start, chunk[middle:], run)


def lost_result(job: Job) -> JobResult:
    """Return the result of a job that ends the process that runs it."""
    message = "the process that printed this file ended without a result"
    span = Span(job.of[0]) if job.of else job.place
    hint = "print it alone with `sheetgen sheet` to see why"
    return JobResult((), (Finding(book_codes.BROKEN_OFF, span, message, hint),), "", failed=True)


@lru_cache(maxsize=1)
def _open_run(run: JobRun) -> tuple[PrintContext, Digests]:
    """Return the print context of this process, and the digests of what its jobs read."""
    return PrintContext(Path(run.drafts)), Digests(Path(run.folder), run.since)


def run_jobs(jobs: Sequence[Job], run: JobRun) -> tuple[JobResult, ...]:
    """Return the results of some jobs, in their order."""
    context, digests = _open_run(run)

    @cache
    def digest(path: str) -> Pair:
        name = digests.name(path)
        return name, digests.of_read(name)

    folders = cache(real_folders)
    printed = [_run_job(job, context, run) for job in jobs]
    # What the jobs share is examined once, after the last of them has read it.
    return tuple(
        _write_record(job, one, tuple(map(digest, list_inputs(read, folders(used)))), digests, run)
        for job, (one, read, used) in zip(jobs, printed, strict=True)
    )


def _write_record(
    job: Job, result: JobResult, reads: tuple[Pair, ...], digests: Digests, run: JobRun
) -> JobResult:
    """Return the result of a job with the draft of its record."""
    wrote = tuple((one.name, one.digest) for one in result.outputs)
    record = Record(job.id, run.book, job_key(job, digests, run.stamp), reads, wrote)
    try:
        return result._replace(record=str(record.write_draft(Path(run.drafts))))
    except OSError as error:
        finding = cannot_write(FOLDER, error)
        return result._replace(findings=(*result.findings, finding), failed=True)


def _run_job(
    job: Job, context: PrintContext, run: JobRun
) -> tuple[JobResult, set[str], frozenset[str]]:
    """Return the result of a job without a record, and the files and folders that it read."""
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
            outputs += _write_drafts(one, job.request, name, Path(run.drafts), findings)
        except Exception as error:  # noqa: BLE001 - pictures are rendered only now
            findings.append(_broken(job, error))
        for kind, draft in one.drafts.items():
            outputs.append(JobOutput(f"{name}.{kind}", str(draft), file_digest(draft)))
    sources = {one for one in outputs if is_source(os.path.join(run.out, one.name), read)}
    findings += [source_finding(os.path.join(run.out, one.name)) for one in sorted(sources)]
    judged = apply_strict(findings, job.request.strict)
    kept = tuple(one for one in outputs if one not in sources)
    inside = keys_inside(read, run.out)
    result = JobResult(kept, judged, "", failed=bool(errors(judged)), inputs=inside)
    return result, read, frozenset().union(*(one.inputs for one in results))


def name_prints(job: Job, results: Iterable[PrintResult]) -> Iterator[tuple[str, PrintResult]]:
    """Yield the prints of a job with their names, without tails and extensions."""
    prints = [one for one in results if one.words]
    several = len(prints) > 1
    for number, one in enumerate(prints, start=1):
        words = {**one.words, "entry": job.entry, "n": str(number if several else job.number)}
        yield output_name(job.name, words, several=several), one


def _write_drafts(
    result: PrintResult,
    request: PrintRequest,
    stem: str,
    drafts: Path,
    findings: list[Finding],
) -> Iterator[JobOutput]:
    """Write the files of a print as drafts, one by one."""
    for part in result.parts():
        name = f"{stem}{part.tail}.{part.format}"
        content = sealed(name, part.read(), result.identify(request, part.format))
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
