"""A plan is built: jobs in chunks on an executor, settled one by one, in the plan's order."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from sheetgen.books import records
from sheetgen.books.cleaning import find_strays
from sheetgen.books.placing import OutputFolder
from sheetgen.books.planning import BookPlan
from sheetgen.books.workers import JobOutput, JobResult, run_jobs
from sheetgen.diag import book_codes, codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.load.digests import Digests, file_digest, product_stamp
from sheetgen.model.books import CombinedFile, Job
from sheetgen.write.drafts import drafts_in
from sheetgen.write.names import name_key

_CHUNK: Final = 16
"""Jobs that go to a process at once: so many that handing over costs nothing."""

_AHEAD: Final = 2
"""Chunks for each process that are under way or wait: memory is that of these."""

_OTHERS, _FRESH, _STALE = range(3)
"""What a job is to a run: of another shard, done already, still to be done."""


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How a plan is built.

    Attributes:
        executor: Where jobs are done; None for here.
        workers: How many of them it does at once.
        shard: Which part of how many, counted from 1.
        force: Whether all is built, and outputs that somebody changed are replaced.
    """

    executor: Executor | None = None
    workers: int = 1
    shard: tuple[int, int] = (1, 1)
    force: bool = False


@dataclass(slots=True)
class BuildResult:
    """What a build did.

    Attributes:
        outputs: What became of the folder of the outputs.
        failed: Ids of jobs and combined files of which something is missing.
        strays: Records of jobs that the book no longer has, and where these are.
        findings: Findings about records that cannot be used.
        waiting: Names of combined files that wait for parts of other shards.
    """

    outputs: OutputFolder
    failed: list[str] = field(default_factory=list)
    strays: list[tuple[Path, records.Record]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)


JobReporter = Callable[[str, tuple[Finding, ...]], None]
"""Is told each job when it is settled, and what is to be said of it."""


def build_book(plan: BookPlan, how: BuildOptions, tell: JobReporter) -> BuildResult:
    """Build a plan; what is fresh stays as it is.

    Raises:
        OSError: Nothing can be written to the folder of the outputs.
    """
    with drafts_in(plan.out / records.FOLDER / "drafts") as drafts:
        builder = _Builder(plan, how, tell, drafts)
        builder.run()
        builder.combine_all()
    builder.look_for_strays()
    return builder.result


def shard_of(id_: str, count: int) -> int:
    """Return to which of `count` shards a job belongs, counted from 1: always the same."""
    return int.from_bytes(hashlib.sha256(id_.encode()).digest()[:8]) % count + 1


class _Builder:
    def __init__(self, plan: BookPlan, how: BuildOptions, tell: JobReporter, drafts: Path) -> None:
        self.plan, self.how, self.tell, self.out = plan, how, tell, plan.out
        self.drafts = drafts
        self.outputs = OutputFolder(plan.out, drafts, how.force)
        self.result = BuildResult(self.outputs)
        self.digests = Digests(plan.folder)
        self.stamp = product_stamp()
        entries = (id_ for whole in plan.combined_files for id_ in whole.of)
        self.parts: dict[str, list[records.Pair]] = {id_: [] for id_ in entries}

    # -- jobs -----------------------------------------------------------------------

    def run(self) -> None:
        """Do all jobs of this shard that are not fresh, and settle them in the plan's order."""
        every = self.plan.jobs
        states = bytes(map(self._state, every))
        stale = (job for job, state in zip(every, states, strict=True) if state == _STALE)
        done = self._done(stale, states.count(_STALE))
        for number, (job, state) in enumerate(zip(every, states, strict=True)):
            if state == _FRESH:
                self._still(number, job)
            elif state == _STALE:
                self._settle(number, job, next(done))

    def _state(self, job: Job) -> int:
        which, count = self.how.shard
        if count > 1 and shard_of(job.id, count) != which:
            return _OTHERS
        return _STALE if self.how.force or self._fresh(job) is None else _FRESH

    def _fresh(self, job: Job) -> records.Record | None:
        """Return the record of a job; None if it has to be done."""
        read = records.read_record(self.out, job.id)
        self.result.findings += read.findings
        fresh = records.is_fresh(read.value, self._key(job), self.out, self.digests)
        return read.value if fresh else None

    def _key(self, job: Job) -> str:
        return records.job_key(job, self.digests, self.stamp)

    def _done(self, jobs: Iterator[Job], count: int) -> Iterator[JobResult]:
        """Yield what became of the jobs, in their order; a few chunks are under way at a time."""
        executor = self.how.executor
        if executor is None or count == 1:
            for job in jobs:
                yield from run_jobs((job,), str(self.drafts))
            return
        size = max(1, min(_CHUNK, -(-count // (4 * self.how.workers))))
        ahead: deque[tuple[tuple[Job, ...], Future[tuple[JobResult, ...]] | None]] = deque()
        while chunk := tuple(islice(jobs, size)):
            ahead.append((chunk, _given(executor, chunk, self.drafts)))
            if len(ahead) >= _AHEAD * self.how.workers:
                yield from _taken(*ahead.popleft(), self.drafts)
        while ahead:
            yield from _taken(*ahead.popleft(), self.drafts)

    def _still(self, number: int, job: Job) -> None:
        """Note a job that is fresh, unless a job before it took one of its names."""
        record = records.record_of(self.out, job.id)
        assert record is not None
        names = [name for name, _ in record.wrote]
        if lost := [name for name in names if name_key(name) in self.outputs.owners]:
            records.drop_record(self.out, job.id)
            self.tell(job.id, self._clash(job, lost))
            return
        self.outputs.owners |= dict.fromkeys(map(name_key, names), number)
        self.parts.get(job.entry, []).extend(record.wrote)
        self.outputs.unchanged += names
        self.tell(job.id, ())

    def _clash(self, job: Job, names: Sequence[str]) -> tuple[Finding, ...]:
        """Return that a job wants names that others before it have; it failed."""
        self.result.failed.append(job.id)
        return tuple(
            Finding(
                codes.SAME_OUTPUT,
                job.place,
                f"`{name}` is written for {self._holder(name)} already",
                "let the `name` of one of the two entries say more, such as {n}",
            )
            for name in names
        )

    def _holder(self, name: str) -> str:
        """Return the id of what has the name of an output."""
        which = self.outputs.owners[name_key(name)]
        return which if isinstance(which, str) else self.plan.jobs[which].id

    def _settle(self, number: int, job: Job, done: JobResult) -> None:
        taken = self.outputs.owners
        outputs = [one for one in done.outputs if name_key(one.name) not in taken]
        lost = [one.name for one in done.outputs if name_key(one.name) in taken]
        findings = [*done.findings, *(self._clash(job, lost) if lost else ())]
        taken |= {name_key(one.name): number for one in outputs}
        if outputs or not done.failed:
            names = map(self.digests.name, done.reads)
            reads = tuple((name, self.digests.of_read(name)) for name in names)
            wrote = tuple((one.name, one.digest) for one in outputs)
            whole = self.outputs.put(
                records.Record(job.id, self._key(job), reads, wrote), outputs, findings
            )
            if whole and not lost:
                self.parts.get(job.entry, []).extend(wrote)
        if (done.failed or errors(findings)) and job.id not in self.result.failed:
            self.result.failed.append(job.id)
        self.tell(job.id, tuple(findings))

    # -- combined files, and what is left over ---------------------------------------

    def combine_all(self) -> None:
        """Write the combined files of which a part changed, unless other shards lack parts."""
        lacking = self._gather() if self.how.shard[1] > 1 and self.plan.combined_files else set()
        for whole in self.plan.combined_files:
            if lacking.isdisjoint(whole.of):
                self._whole(whole)
            else:
                self.result.waiting.append(whole.name)
                self.tell(whole.id, ())

    def _gather(self) -> set[str]:
        """Collect the parts that all shards made; return entries of which others lack some."""
        lacking: set[str] = set()
        self.parts = {id_: [] for id_ in self.parts}
        for number, job in enumerate(self.plan.jobs):
            if job.entry not in self.parts or job.id in self.result.failed:
                continue
            record = self._fresh(job)
            if record is None:
                lacking.add(job.entry)
                continue
            self.parts[job.entry].extend(record.wrote)
            self.outputs.owners |= {name_key(name): number for name, _ in record.wrote}
        return lacking

    def _whole(self, whole: CombinedFile) -> None:
        lost = [id_ for id_ in whole.of if id_ in self.plan.incomplete]
        lost += [
            j.entry for j in self.plan.jobs if j.entry in whole.of and j.id in self.result.failed
        ]
        every = ((id_, pair) for id_ in whole.of for pair in self.parts[id_])
        found = [(id_, pair) for id_, pair in every if pair[0].endswith(".pdf")]
        parts = tuple(pair for _, pair in found)
        if lost or not parts:
            named = ", ".join(dict.fromkeys(lost)) or "all of it"
            message = f"`{whole.name}.pdf` is not written: of {named} something is missing"
            finding = Finding(book_codes.PART_MISSING, whole.place, message, "mend that first")
            self.result.failed.append(whole.id)
            self.tell(whole.id, (finding,))
            return
        key = records.whole_key(whole, parts, self.stamp)
        record = None if self.how.force else records.record_of(self.out, whole.id)
        if record is not None and records.is_fresh(record, key, self.out, self.digests):
            names = [name for name, _ in record.wrote]
            self.outputs.owners |= dict.fromkeys(map(name_key, names), whole.id)
            self.outputs.unchanged += names
            self.tell(whole.id, ())
            return
        self._combine(whole, [(id_, self.out / name) for id_, (name, _) in found], key)

    def _combine(self, whole: CombinedFile, parts: Sequence[tuple[str, Path]], key: str) -> None:
        from sheetgen.books.combining import combine_parts  # Most runs need none of it.

        findings, name = [], f"{whole.name}.pdf"
        if name_key(name) in self.outputs.owners:
            message = f"`{name}` is written for {self._holder(name)} already"
            findings.append(Finding(codes.SAME_OUTPUT, whole.place, message, "rename one"))
        else:
            look = next(job.order for job in self.plan.jobs if job.entry == parts[0][0])
            made = combine_parts(whole, parts, look, self.drafts)
            findings += made.findings
            if made.value is not None:
                self.outputs.owners[name_key(name)] = whole.id
                output = JobOutput(name, str(made.value), file_digest(made.value))
                record = records.Record(whole.id, key, (), ((name, output.digest),))
                self.outputs.put(record, [output], findings)
        self.result.failed += [whole.id] if errors(findings) else []
        self.tell(whole.id, tuple(findings))

    def look_for_strays(self) -> None:
        """Find what an earlier book built and this one does not have."""
        if self.how.shard[1] == 1 and not self.plan.incomplete:
            self.result.strays, refused = find_strays(self.plan)
            self.result.findings += refused


def _given(
    executor: Executor, chunk: tuple[Job, ...], drafts: Path
) -> Future[tuple[JobResult, ...]] | None:
    try:
        return executor.submit(run_jobs, chunk, str(drafts))
    except (BrokenProcessPool, RuntimeError):
        return None


def _taken(
    chunk: tuple[Job, ...], future: Future[tuple[JobResult, ...]] | None, drafts: Path
) -> tuple[JobResult, ...]:
    """Return the results of a chunk; one whose process died is done here, one by one."""
    try:
        if future is not None:
            return future.result()
    except (BrokenProcessPool, OSError, MemoryError):
        pass
    return tuple(done for job in chunk for done in run_jobs((job,), str(drafts)))
