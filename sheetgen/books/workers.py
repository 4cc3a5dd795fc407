"""Run jobs and write their files as drafts, in this process or in worker processes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from sheetgen.books.planning import output_name
from sheetgen.books.storage import FOLDER, Storage
from sheetgen.bounds import MEGABYTES, over_memory
from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span, apply_strict, errors
from sheetgen.load.files import CHANGING, Digests, file_digest, record_reads
from sheetgen.load.rulesets.content import seeds_folder
from sheetgen.model.books import CombinedFile, Job
from sheetgen.model.pictures import Picture
from sheetgen.model.requests import PrintRequest
from sheetgen.model.seals import sealed
from sheetgen.prints.kinds import PrintContext, PrintResult, print_request
from sheetgen.records import frozen
from sheetgen.write import cannot_write, is_source, name_key, source_finding, write_draft

_CHUNK: Final = 16  # Jobs that go to a process at once: enough that the transfer costs nothing.
_CHUNK_SECONDS: Final = 0.2  # that this process works between two steps of its progress
_AHEAD: Final = 2  # Chunks for each process that run or wait; this bounds memory.


@frozen
class JobRun:
    """What all jobs of one run share."""

    book: str
    folder: str  # The book's folder; names in records are relative to it.
    drafts: str  # The folder of the run's drafts.
    out: str  # The output folder, if it is one of this machine; otherwise an address.
    stamp: str  # The `product_stamp` of the process that started it.
    since: int  # When it started, in nanoseconds.


class JobOutput(NamedTuple):
    """A finished file."""

    name: str
    draft: str  # The path of its draft.
    digest: str
    end: str = ""  # What follows the name of the print: the number of a picture, the extension.


class JobResult(NamedTuple):
    """The result of a job."""

    outputs: tuple[JobOutput, ...]
    findings: tuple[Finding, ...]
    record: str  # The path of the draft of its record; empty if there is none.
    failed: bool  # Whether anything that it should print is missing.
    inputs: frozenset[str] = frozenset()  # The outputs that it read; see `keys_inside`.


JobResults: TypeAlias = Generator[JobResult, None, None]

JobRunner: TypeAlias = Callable[[Iterator[Job], int, JobRun], JobResults]  # yields results in order


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
    return JobResult((), (Finding(codes.BROKEN_OFF, span, message, hint),), "", failed=True)


@lru_cache(maxsize=1)
def _open_run(run: JobRun) -> tuple[PrintContext, Digests]:
    return PrintContext(Path(run.drafts)), Digests(Path(run.folder), run.since)


def run_jobs(jobs: Sequence[Job], run: JobRun) -> tuple[JobResult, ...]:
    """Return the results of some jobs, in their order."""
    context, digests = _open_run(run)

    @cache
    def digest(path: str) -> Pair:
        name = digests.name(path)
        return name, digests.of_read(name)

    @cache
    def with_figures(used: frozenset[str]) -> frozenset[str]:
        """Return the real paths of folders of rulesets and designs, and of printed figures."""
        real = {os.path.realpath(folder) for folder in used}
        seeds = (seeds_folder(Path(folder)) for folder in real)
        return frozenset(real.union(str(folder) for folder in seeds if folder is not None))

    printed = [_run_job(job, context, run) for job in jobs]
    results: list[JobResult] = []
    # What the jobs share is examined once, after the last of them has read it.
    for job, (result, read, used) in zip(jobs, printed, strict=True):
        reads = tuple(map(digest, list_inputs(read, with_figures(used))))
        wrote = tuple((one.name, one.digest) for one in result.outputs)
        record = Record(job.id, run.book, job_key(job, digests, run.stamp), reads, wrote)
        try:
            results.append(result._replace(record=str(record.write_draft(Path(run.drafts)))))
        except OSError as error:
            findings = (*result.findings, cannot_write(FOLDER, error))
            results.append(result._replace(findings=findings, failed=True))
    return tuple(results)


def _run_job(
    job: Job, context: PrintContext, run: JobRun
) -> tuple[JobResult, set[str], frozenset[str]]:
    """Return the result of a job without a record, and the files and folders that it read."""
    results: list[PrintResult] = []
    place = Span(job.of[0]) if job.of else job.place
    with record_reads() as read:
        try:
            results.extend(print_request(job.full_request, context))
        except Exception as error:  # noqa: BLE001 - one print must not end a thousand others
            results = [PrintResult(findings=one.findings) for one in results]
            results.append(PrintResult(findings=(failed_print(place, error),)))
    findings = list(dict.fromkeys(finding for one in results for finding in one.findings))
    outputs: list[JobOutput] = []
    for name, one in name_prints(job, results):
        try:
            for part in one.parts():
                end = f"{part.tail}.{part.format}"
                identity = one.identify(job.request, part.format)
                content = sealed(f"{name}{end}", part.read(), identity)
                try:
                    draft = str(write_draft(Path(run.drafts), content))
                except OSError as error:
                    findings.append(cannot_write(f"{name}{end}", error))
                    continue
                digest = hashlib.sha256(content).hexdigest()
                outputs.append(JobOutput(f"{name}{end}", draft, digest, end))
        except Exception as error:  # noqa: BLE001 - pictures are rendered only now
            findings.append(failed_print(place, error))
        for kind, path in one.drafts.items():
            outputs.append(JobOutput(f"{name}.{kind}", str(path), file_digest(path), f".{kind}"))
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


def failed_print(span: Span, error: Exception) -> Finding:
    """Return the finding about a print that raised an unexpected exception."""
    if isinstance(error, MemoryError):
        message = over_memory("this print", MEGABYTES)
        hint = "give it more memory, or print less at once"
        return Finding(codes.BROKEN_OFF, span, message, hint)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    message = f"this print failed: {type(error).__name__}: {error} ({where})"
    return Finding(codes.BROKEN_OFF, span, message, "report this error, with this file")


FORMAT: Final = 2
_MOST_BYTES: Final = 4_000_000  # Largest record that is read: tens of thousands of names.
_OWN_FIELDS: Final = ("place", "beside", "of", "row", "theme", "pictures")  # do not go into keys
Pair = tuple[str, str]  # A name and a digest.


@frozen
class Record:
    """What a job was built from, and what it wrote."""

    id: str
    book: str  # Which book the job belongs to, as `BookPlan.name`; empty in old records.
    key: str  # Changes with the request and with the version of sheetgen.
    reads: tuple[Pair, ...]  # Files and folders that it was built from, and their digests.
    wrote: tuple[Pair, ...]

    def write_draft(self, drafts: Path) -> Path:
        """Write the record as JSON to a new file in a folder of drafts, or raise `OSError`."""
        facts = {"format": FORMAT} | {
            field.name: getattr(self, field.name) for field in dataclasses.fields(self)
        }
        # Line breaks come from the separators, because `indent` is slow.
        text = json.dumps(facts, ensure_ascii=False, separators=(",\n", ": "))
        return write_draft(drafts, text.encode("utf-8", "surrogateescape"))


class RecordFolder:
    """The records of one book beside its outputs."""

    def __init__(self, out: Storage, book: str) -> None:
        self.out, self.book = out, book
        self._foreign: set[str] | None = None

    def name(self, id_: str) -> str:
        """Return the name of a job's record."""
        key = "\0".join((self.book, id_)).encode("utf-8", "surrogateescape")
        return f"{FOLDER}/{hashlib.sha256(key).hexdigest()[:24]}.json"

    def read(self, id_: str) -> Checked[Record]:
        """Return the record of a job, None if there is none; a finding if it is damaged."""
        read = self._read(self.name(id_))
        return Checked(None) if read.value is not None and read.value.id != id_ else read

    def place(self, draft: Path | str, id_: str) -> None:
        """Move the draft of a job's record to its place, or raise `OSError`."""
        self.out.place(draft, self.name(id_))

    def find_strays(
        self, ids: Iterable[str]
    ) -> tuple[list[tuple[str, Record]], tuple[Finding, ...]]:
        """Return this book's records of jobs other than `ids`, and findings about damaged ones."""
        names = {f"{FOLDER}/{name}" for name in self.out.names(FOLDER) if name.endswith(".json")}
        listed = sorted(names.difference(map(self.name, ids)))
        strays: list[tuple[str, Record]] = []
        findings: list[Finding] = []
        foreign: set[str] = set()
        for name, read in zip(listed, self.out.map(self._read, listed), strict=True):
            findings += read.findings
            if read.value is None:
                continue
            if read.value.book in ("", self.book):
                strays.append((name, read.value))
            else:
                foreign.update(name_key(one) for one, _ in read.value.wrote)
        self._foreign = foreign
        return strays, tuple(findings)

    def belongs_to_other_book(self, name: str) -> bool:
        """Whether the record of another book names the output `name`."""
        if self._foreign is None:
            self.find_strays(())
        return name_key(name) in (self._foreign or ())

    def _read(self, name: str) -> Checked[Record]:
        content = self.out.read(name, _MOST_BYTES)
        if content is None:
            return Checked(None)
        path = self.out.address(name)
        try:
            facts = json.loads(content.decode("utf-8", "surrogateescape"))
            if b"\\u" in content:  # an escaped half of a character is no name, and no text
                json.dumps(facts, ensure_ascii=False).encode("utf-8", "surrogateescape")
            if facts.pop("format") != FORMAT:
                return Checked(None)
            pairs = {
                key: tuple((str(name), str(digest)) for name, digest in facts.pop(key))
                for key in ("reads", "wrote")
            }
            book = str(facts.get("book", ""))
            record = Record(str(facts["id"]), book, str(facts["key"]), **pairs)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Checked(None, (_refused(path, "it is damaged"),))
        for one, _ in record.wrote:
            if not self.out.accepts(one):
                return Checked(None, (_refused(path, f"`{one}` is not in the output folder"),))
        return Checked(record)


def _refused(path: str, why: str) -> Finding:
    message = f"this record of a build is not used: {why}"
    return Finding(codes.BAD_RECORD, Span(path), message, "delete it")


def job_key(job: Job, digests: Digests, stamp: str) -> str:
    """Return a key that changes with a job's request, its name or sheetgen, not its inputs."""
    named = (*job.of, job.request.theme)
    of = [digests.name(name) if os.path.exists(name) else name for name in named]
    cells = job.row[1] if job.row is not None else ()  # the number of their line does not count
    number = job.number if "{n}" in job.name else 0
    return _hash([stamp, job.name, number, _request_key(job.request), of, cells])


@lru_cache(maxsize=64)
def _request_key(request: PrintRequest) -> str:
    """Return the key of the part of a request that many jobs share."""
    names = (field.name for field in dataclasses.fields(request) if field.name not in _OWN_FIELDS)
    values = {name: getattr(request, name) for name in names}
    return _hash({"kind": request.kind, "pictures": _picture_facts(request.pictures), **values})


def _picture_facts(pictures: Iterable[tuple[str, Picture]]) -> list[tuple[object, ...]]:
    return [(k, p.digest, p.alt, p.credit, p.fit, p.focus) for k, p in pictures]


def combined_key(
    file: CombinedFile, parts: tuple[Pair, ...], stamp: str, pictures: Iterable[tuple[str, Picture]]
) -> str:
    """Return a key that changes with a combined file, one of its parts, or the book's pictures."""
    facts = dataclasses.asdict(file)
    del facts["place"]
    return _hash([stamp, facts, parts, _picture_facts(pictures)])


def _hash(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def is_fresh(record: Record | None, key: str, out: Storage, digests: Digests) -> bool:
    """Whether neither the inputs nor the outputs of a job have changed."""
    if record is None or record.key != key or not record.wrote:
        return False
    read = all(digest != CHANGING and digests.of(name) == digest for name, digest in record.reads)
    return read and all(out.is_current(name, digest) for name, digest in record.wrote)


def list_inputs(read: set[str], folders: frozenset[str]) -> list[str]:
    """Return what a job was built from: files, and whole folders of rulesets and designs."""
    inside = tuple(os.path.join(folder, "") for folder in folders)
    files = {path for path in map(os.path.realpath, read) if not path.startswith(inside)}
    # What all templates share is part of `product_stamp`.
    shared = str(data_folder() / "templates" / "_")
    return sorted(path for path in folders | files if not path.startswith(shared))


def keys_inside(read: Iterable[str], out: str) -> frozenset[str]:
    """Return the `name_key`s of files read in the output folder, by their names and links."""
    return frozenset(key for keys in (_key_inside(path, out) for path in read) for key in keys)


@lru_cache(maxsize=4096)
def _key_inside(path: str, out: str) -> tuple[str, ...]:
    pairs = [(seen(path), seen(out)) for seen in (os.path.abspath, os.path.realpath)]
    inside = [(file, top) for file, top in pairs if file.startswith(top.rstrip(os.sep) + os.sep)]
    names = (os.path.relpath(file, top) for file, top in inside)
    return tuple(name_key(name.replace(os.sep, "/")) for name in names)
