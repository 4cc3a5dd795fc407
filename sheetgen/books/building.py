"""Build a book: run its jobs in chunks on an executor, and place the results in plan order.

Outputs that no job writes any more are removed. A file that somebody else made or changed is
neither replaced nor removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import deque
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sheetgen import write as disk
from sheetgen.books.planning import BookPlan, output_name
from sheetgen.books.storage import FOLDER, OutputState, Storage
from sheetgen.books.workers import (
    JobOutput,
    JobResult,
    JobRun,
    JobRunner,
    Pair,
    Record,
    RecordFolder,
    combined_key,
    is_fresh,
    job_key,
    keys_inside,
    name_prints,
    run_here,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, apply_strict, errors
from sheetgen.load.characters import RulesetCache, load_file
from sheetgen.load.designs.designs import product_stamp
from sheetgen.load.files import Digests, file_digest, record_reads
from sheetgen.load.rulesets.rulesets import find_ruleset, is_ruleset, switches_of
from sheetgen.model.books import CombinedFile, Job
from sheetgen.model.requests import CardRequest
from sheetgen.model.source import raw_text
from sheetgen.prints.kinds import PrintContext, find_kind, name_words, print_request
from sheetgen.records import frozen
from sheetgen.write import name_key

_NAME_THEM: Final = "give one of the two entries a `name` of its own, such as {entry}-{stem}"

_OTHER_SHARD, _FRESH, _STALE, _NEW = range(4)  # State of a job in a run.
JobReporter = Callable[[tuple[Finding, ...]], None]  # called with the findings of each output


@dataclass(slots=True)
class Placement:
    """The outputs of a job on their way to their places."""

    # id, entry: The ids of the job and of its entry.
    id: str
    entry: str = ""
    draft: Path | str = ""  # The path of the draft of its record; empty if there is none.
    outputs: Sequence[JobOutput] | None = None  # Drafts; None for nothing.
    findings: list[Finding] = field(default_factory=list)
    failed: bool = False  # Whether anything that the job prints is missing.
    new: bool = False  # Whether the job has no record yet.
    held: bool = False  # Whether it waits until all jobs have been run; see `OutputFolder.running`.
    complete: bool = False  # Whether all outputs are in their places, and there was no error.
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    wrote: Sequence[Pair] = ()  # Names and digests of the outputs that are in their places.
    old: Sequence[Pair] = ()  # Outputs that a complete job writes no more.


@dataclass(slots=True)
class OutputFolder:
    """The outputs of a book, and what one run did to them."""

    records: RecordFolder
    drafts: Path
    force: bool = False  # Whether outputs that somebody changed are replaced.
    # The job of each output by `name_key`: its place in the plan, which is small, or its id.
    owners: dict[str, int | str] = field(default_factory=dict)
    # Keys of files in the folder that the book reads: none is replaced, unless sheetgen wrote it.
    inputs: set[str] = field(default_factory=set)
    # Whether `inputs` may grow: until then, a forced run replaces only what sheetgen wrote.
    running: bool = False
    unsure: bool = False  # Whether `inputs` may lack some, because a job failed or was not run.
    # written, unchanged, removed: Names of outputs.
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    @property
    def out(self) -> Storage:
        """Where the outputs are."""
        return self.records.out

    def put(self, job: Placement) -> Placement:
        """Move the outputs of a job to their places, then write its record; return `job`.

        If the process is killed in between, the next run finds outputs that sheetgen wrote and
        no record, and builds them again. Several jobs may be put at once; `finish` follows.
        """
        if job.outputs is None:
            return job
        job.held = False
        for one in job.outputs if self.force and self.running else ():
            with contextlib.suppress(OSError):  # reported when it is placed
                state = None if job.held else self.out.compare(one.name, one.digest)
                job.held = job.held or state is OutputState.FOREIGN
        if job.held:
            return job
        try:
            before = None if job.new else self.records.read(job.id).value
            job.wrote = [(o.name, o.digest) for o in job.outputs if self._place(o, job)]
            names = {one.name for one in job.outputs}
            old = [] if before is None else [pair for pair in before.wrote if pair[0] not in names]
            complete = len(job.wrote) == len(names) and not errors(job.findings)
            draft = job.draft if complete and not old else ""
            if not draft:  # without a key, the next run builds it again
                wrote = (*job.wrote, *old)
                draft = Record(job.id, self.records.book, "", (), wrote).write_draft(self.drafts)
            self.records.place(draft, job.id)
            job.complete, job.old = complete, old
        except OSError as error:
            job.findings.append(disk.cannot_write(self.out.address(FOLDER), error))
        return job

    def finish(self, job: Placement) -> None:
        """Note what `put` did, and remove unchanged files that the job no longer writes.

        Jobs are finished in their order, one at a time: an old output may be one that a later job
        writes.
        """
        self.written += job.written
        self.unchanged += job.unchanged
        if job.complete and job.old:
            self.removed += remove_outputs(self.records, job.old, self.owners, job.findings)
            try:
                if job.draft:
                    self.records.place(job.draft, job.id)
            except OSError as error:
                job.findings.append(disk.cannot_write(self.out.address(FOLDER), error))

    def _place(self, one: JobOutput, job: Placement) -> bool:
        """Move an output to its place, unless a changed file is there."""
        address = self.out.address(one.name)
        try:
            if not self.out.accepts(one.name):
                hint = "remove the link, or give the entry another `name`"
                job.findings.append(disk.linked_finding(address, hint))
                return False
            found = self.out.compare(one.name, one.digest)
            if found is OutputState.SAME:
                disk.remove_file(Path(one.draft))
                job.unchanged.append(one.name)
                return True
            refused = None  # a file that sheetgen did not write
            if found is OutputState.FOREIGN and not self.force:
                refused = disk.changed_finding(address)
            elif found is OutputState.FOREIGN and name_key(one.name) in self.inputs:
                refused = disk.source_finding(address)
            elif found is OutputState.FOREIGN and self.unsure:
                refused = disk.unsure_finding(address)
            if refused is not None:
                job.findings.append(refused)
                return False
            if found is OutputState.OURS and self.records.belongs_to_other_book(one.name):
                message = "another book wrote this file; it is replaced"
                hint = "give one of the entries another `name`, or one of the books another `out`"
                place, warning = Span(address), Severity.WARNING
                job.findings.append(Finding(codes.SAME_OUTPUT, place, message, hint, warning))
            self.out.place(one.draft, one.name)
        except OSError as error:
            job.findings.append(disk.cannot_write(address, error))
            return False
        job.written.append(one.name)
        return True


@frozen
class BuildOptions:
    """How a book is built."""

    run: JobRunner = run_here
    shard: tuple[int, int] = (1, 1)  # Which part of how many, counted from 1.
    force: bool = False  # Whether all is built, and changed outputs are replaced.


@dataclass(slots=True)
class BuildResult:
    """What a build did."""

    outputs: OutputFolder
    failed: list[str] = field(default_factory=list)  # Ids of incomplete outputs.
    strays: list[tuple[str, Record]] = field(default_factory=list)  # Without a job, by path.
    findings: list[Finding] = field(default_factory=list)  # About bad records.
    waiting: list[str] = field(default_factory=list)  # For parts of shards.


def build_book(plan: BookPlan, options: BuildOptions, report: JobReporter) -> BuildResult:
    """Build what changed of a book; an `OSError` is about the output folder."""
    if plan.closed:
        unbuilt = OutputFolder(RecordFolder(plan.out, plan.name), Path())
        return BuildResult(unbuilt, [job.id for job in plan.jobs])
    with disk.drafts_in(plan.out.drafts) as drafts:
        builder = _Builder(plan, options, report, drafts)
        builder.run()
        builder.combine_all()
    result = builder.result
    if options.shard[1] == 1 and not plan.incomplete:
        ids = (one.id for one in (*plan.jobs, *plan.combined_files))
        strays, findings = builder.records.find_strays(ids)
        result.findings += findings
        for name, record in strays:
            # A row that is edited is another job, since its cells identify it. Mostly it writes the
            # file of the job before, whose record then names nothing that is left.
            others = (n for n, _ in record.wrote if name_key(n) not in result.outputs.owners)
            if any(map(plan.out.exists, others)):
                result.strays.append((name, record))
            else:
                plan.out.remove(name)
    return result


class _Builder:
    def __init__(
        self, plan: BookPlan, options: BuildOptions, report: JobReporter, drafts: Path
    ) -> None:
        self.plan, self.options, self.report, self.drafts = plan, options, report, drafts
        self.records = RecordFolder(plan.out, plan.name)
        self.outputs = OutputFolder(self.records, drafts, options.force)
        self.outputs.inputs |= keys_inside(plan.reads, plan.out.address(""))
        self.outputs.unsure = bool(plan.incomplete) or options.shard[1] > 1
        self.result = BuildResult(self.outputs)
        self.digests = Digests(plan.folder)
        self.stamp = product_stamp()
        places = str(plan.folder), str(drafts), plan.out.address("")
        self.job_run = JobRun(plan.name, *places, self.stamp, self.digests.since)
        self.parts: dict[str, dict[str, Sequence[Pair]]] = {
            id_: {} for file in plan.combined_files for id_ in file.of
        }

    def run(self) -> None:
        """Run all jobs of this shard that are not fresh, and place them in plan order."""
        out, jobs = self.plan.out, self.plan.jobs
        states = bytes(out.map(self._state, jobs))
        fresh = (job for job, state in zip(jobs, states, strict=True) if state == _FRESH)
        records = out.map(lambda job: self.records.read(job.id).value, fresh)
        running: deque[Job] = deque()

        def stale() -> Iterator[Job]:
            for job, state in zip(jobs, states, strict=True):
                if state >= _STALE:
                    running.append(job)
                    yield job

        count = states.count(_STALE) + states.count(_NEW)
        results = self.options.run(stale(), count, self.job_run)

        def begin() -> Iterator[Placement]:
            for number, state in enumerate(states):
                if state == _FRESH:
                    job, record, owners = jobs[number], next(records), self.outputs.owners
                    assert record is not None
                    names = [name for name, _ in record.wrote]
                    if any(name_key(name) in owners for name in names):
                        # A job before it took one of them: it is run again.
                        (result,) = run_here(iter([job]), 1, self.job_run)
                        yield self._claim(number, job, result, new=False)
                        continue
                    owners |= dict.fromkeys(map(name_key, names), number)
                    kept = Placement(job.id, job.entry, complete=True, unchanged=names)
                    yield replace(kept, wrote=record.wrote)
                elif state >= _STALE:
                    result = next(results)
                    self.outputs.inputs |= result.inputs
                    yield self._claim(number, running.popleft(), result, new=state == _NEW)

        held: list[Placement] = []
        with contextlib.closing(results):
            self.outputs.running = True
            for placed in self.plan.out.map(self.outputs.put, begin()):
                held += [placed] if placed.held else []
                self._finish(placed)
            self.outputs.running = False
            for placed in self.plan.out.map(self.outputs.put, held):
                self._finish(placed)

    def _state(self, job: Job) -> int:
        which, count = self.options.shard  # counted from 1; the shard of a job never changes
        number = int.from_bytes(hashlib.sha256(job.id.encode()).digest()[:8])
        if number % count + 1 != which:
            return _OTHER_SHARD
        if self.options.force:
            return _STALE
        read = self.records.read(job.id)
        self.result.findings += read.findings
        if read.value is None:
            return _NEW
        return _FRESH if self._is_fresh(job, read.value) else _STALE

    def _is_fresh(self, job: Job, record: Record | None) -> bool:
        return is_fresh(record, job_key(job, self.digests, self.stamp), self.plan.out, self.digests)

    def _owner(self, name: str) -> str:
        owner = self.outputs.owners[name_key(name)]
        return owner if isinstance(owner, str) else self.plan.jobs[owner].id

    def _claim(self, number: int, job: Job, result: JobResult, *, new: bool) -> Placement:
        """Claim the names of a job's outputs; those that jobs before it took get a number.

        The record of a job with such a name is left out, so that the next build runs it again: its
        names depend on the jobs before it.
        """
        findings, record = [*result.findings], result.record
        outputs = number_taken(result.outputs, self.outputs.owners)
        pairs = zip(result.outputs, outputs, strict=True)
        if numbered := [(a.name, b.name) for a, b in pairs if a != b]:
            record, (wanted, written) = "", numbered[0]
            found = disk.taken_finding(job.place, wanted, self._owner(wanted), written, _NAME_THEM)
            findings += apply_strict([found], job.request.strict)
        self.outputs.owners |= {name_key(one.name): number for one in outputs}
        placed = None if result.failed and not outputs else outputs
        return Placement(job.id, job.entry, record, placed, findings, result.failed, new)

    def _finish(self, placed: Placement) -> None:
        """Note the result of a job, in plan order; of one that is held, only its place."""
        if placed.entry in self.parts:
            self.parts[placed.entry][placed.id] = placed.wrote if placed.complete else ()
        if placed.held:
            return
        self.outputs.finish(placed)
        if placed.failed or errors(placed.findings):
            self.result.failed.append(placed.id)
            self.outputs.unsure |= self.outputs.running
        self.report(tuple(placed.findings))

    def combine_all(self) -> None:
        """Write the combined files of which a part changed, unless other shards lack parts."""
        lacking: set[str] = set()  # entries of which not all parts are there
        if self.options.shard[1] > 1 and self.plan.combined_files:
            self.parts = {id_: {} for id_ in self.parts}  # of all shards
            for number, job in enumerate(self.plan.jobs):
                if job.entry not in self.parts or job.id in self.result.failed:
                    continue
                read = self.records.read(job.id)
                self.result.findings += read.findings
                if read.value is None or not self._is_fresh(job, read.value):
                    lacking.add(job.entry)
                    continue
                self.parts[job.entry][job.id] = read.value.wrote
                self.outputs.owners |= {name_key(name): number for name, _ in read.value.wrote}
        for file in self.plan.combined_files:
            if not lacking.isdisjoint(file.of):
                self.result.waiting.append(file.name)
                self.report(())
                continue
            plan, name = self.plan, f"{file.name}.pdf"
            failed = [job.entry for job in plan.jobs if job.id in self.result.failed]
            missing = [id_ for id_ in file.of if id_ in plan.incomplete]
            missing += [id_ for id_ in failed if id_ in file.of]
            wrote = [(id_, pairs) for id_ in file.of for pairs in self.parts[id_].values()]
            parts = [(id_, one) for id_, pairs in wrote for one in pairs if one[0].endswith(".pdf")]
            findings: list[Finding] = []
            if missing or not parts:
                named = ", ".join(dict.fromkeys(missing)) or "all of it"
                message = f"`{name}` is not written: parts of {named} are missing"
                hint = "fix the errors of these entries first"
                findings.append(Finding(codes.PART_MISSING, file.place, message, hint))
            else:
                key = combined_key(
                    file, tuple(pair for _, pair in parts), self.stamp, plan.pictures
                )
                record = None if self.options.force else self.records.read(file.id).value
                if record is not None and is_fresh(record, key, plan.out, self.digests):
                    names = [name for name, _ in record.wrote]
                    self.outputs.owners |= dict.fromkeys(map(name_key, names), file.id)
                    self.outputs.unchanged += names
                elif name_key(name) in self.outputs.owners:
                    message = f"`{name}` is written for {self._owner(name)} already"
                    hint = "rename one of the two"
                    findings.append(Finding(codes.SAME_OUTPUT, file.place, message, hint))
                else:
                    findings += self._write_combined(file, parts, key)
            self.result.failed += [file.id] if errors(findings) else []
            self.report(tuple(findings))

    def _write_combined(
        self, file: CombinedFile, parts: Sequence[tuple[str, Pair]], key: str
    ) -> list[Finding]:
        from sheetgen.books.combining import combine_parts  # Most runs need none of it.

        request = next(job.request for job in self.plan.jobs if job.entry == parts[0][0])
        name, out, folder = f"{file.name}.pdf", self.plan.out, self.drafts / "parts"
        try:
            fetched = out.map(lambda one: out.fetch(*one[1], folder), parts)
            paths = [(id_, path) for (id_, _), path in zip(parts, fetched, strict=True)]
        except OSError as error:
            message = f"`{name}` is not written: {error.strerror}"
            return [Finding(codes.PART_MISSING, file.place, message, "build again with `--force`")]
        with record_reads() as read:
            # The rulesets that its parts are printed from; only a cover needs them.
            jobs = [job for job in self.plan.jobs if job.entry in file.of and file.cover]
            records = filter(None, (self.records.read(job.id).value for job in jobs))
            used = dict.fromkeys(name for one in records for name, _ in one.reads)
            folders = [path for one in used if is_ruleset(path := self.digests.path(one))]
            combined = combine_parts(file, paths, request, self.drafts, folders)
        findings = list(combined.findings)
        if combined.value is not None:
            self.outputs.owners[name_key(name)] = file.id
            output = JobOutput(name, str(combined.value), file_digest(combined.value))
            names = map(self.digests.name, sorted(read))
            reads = tuple((name, self.digests.of_read(name)) for name in names)
            record = Record(file.id, self.plan.name, key, reads, ((name, output.digest),))
            draft = record.write_draft(self.drafts)
            placed = self.outputs.put(Placement(file.id, draft=draft, outputs=[output]))
            self.outputs.finish(placed)
            findings += placed.findings
        return findings


def remove_strays(
    strays: Sequence[tuple[str, Record]],
    records: RecordFolder,
    owners: Collection[str],
    findings: list[Finding],
) -> list[str]:
    """Remove the outputs that stray records name, and these records; see `remove_outputs`."""
    removed: list[str] = []
    for name, record in strays:
        removed += remove_outputs(records, record.wrote, owners, findings)
        records.out.remove(name)
    return removed


def remove_outputs(
    records: RecordFolder, wrote: Sequence[Pair], owners: Collection[str], findings: list[Finding]
) -> list[str]:
    """Remove outputs that no job writes any more; return the names of the removed ones.

    A file that somebody changed is left alone and reported. A file that is no output of
    sheetgen, or belongs to another book, is left alone. `owners` are keys of names in use.
    """
    removed: list[str] = []
    for name, digest in wrote:
        foreign = name_key(name) in owners or records.belongs_to_other_book(name)
        if is_removable(records, name, digest, owners):
            records.out.remove(name)
            removed.append(name)
        elif not foreign and records.out.exists(name) and not _is_ours(records.out, name):
            message = "nothing builds this file any more, but it was changed; it is left alone"
            span, hint = Span(records.out.address(name)), "remove it if you do not need it"
            findings.append(Finding(codes.EDITED, span, message, hint, Severity.WARNING))
    return removed


def is_removable(records: RecordFolder, name: str, digest: str, owners: Collection[str]) -> bool:
    """Whether an output that a record names is unused and unchanged."""
    if name_key(name) in owners or not records.out.accepts(name):
        return False
    same = records.out.compare(name, digest) is OutputState.SAME and _is_ours(records.out, name)
    return same and not records.belongs_to_other_book(name)


def _is_ours(out: Storage, name: str) -> bool:
    try:
        return out.exists(name) and out.may_replace(name)
    except OSError:
        return False


def number_taken(outputs: Sequence[JobOutput], taken: Container[str]) -> list[JobOutput]:
    """Return outputs, with a number in the names of each print of which a name is taken."""
    if not any(name_key(one.name) in taken for one in outputs):
        return list(outputs)
    ends: dict[str, list[str]] = {}
    for one in outputs:
        ends.setdefault(one.name.removesuffix(one.end), []).append(one.end)
    free = {
        stem: disk.free_stem(stem, taken, of)
        for stem, of in ends.items()
        if any(name_key(f"{stem}{end}") in taken for end in of)
    }
    stems = (one.name.removesuffix(one.end) for one in outputs)
    renamed = zip(outputs, (free.get(stem, stem) for stem in stems), strict=True)
    return [one._replace(name=f"{stem}{one.end}") for one, stem in renamed]


def preview_build(
    plan: BookPlan, *, cleaned: bool = False, force: bool = False
) -> Iterator[str | Finding]:
    """Yield a line for each output and its state, and damaged records as findings.

    `cleaned` lists files that the book no longer has, too; `force` builds everything.
    """
    if plan.closed:
        return
    digests, stamp, context = Digests(plan.folder), product_stamp(), PrintContext()
    records = RecordFolder(plan.out, plan.name)
    owners: dict[str, int | str] = {}  # places in the plan, which are small
    old: list[Pair] = []
    for number, job in enumerate(plan.jobs):
        read = records.read(job.id)
        yield from read.findings
        record = read.value
        fresh = not force and is_fresh(record, job_key(job, digests, stamp), plan.out, digests)
        names = [name for name, _ in record.wrote] if record is not None and fresh else []
        of = ", ".join(job.of[:3]) + (" …" if len(job.of) > 3 else "")
        of = f"{of}, {job.row[0]}" if job.row is not None else of
        outputs = [JobOutput(name, "", "", os.path.splitext(name)[1]) for name in names]
        outputs = outputs or list(_list_outputs(job, context))
        for wanted, one in zip(outputs, number_taken(outputs, owners), strict=True):
            state = "up to date" if fresh else _state(plan.out, one.name, force=force)
            about = f"{job.request.kind} of {of}"
            if one != wanted:
                first = plan.jobs[int(owners[name_key(wanted.name)])].id
                about = f"{about}; `{wanted.name}` is for {first}"
            owners[name_key(one.name)] = number
            yield f"{state}: {plan.out.address(one.name)} ({about})"
        if record is not None and not fresh:
            old += record.wrote
    for file in plan.combined_files:
        name = f"{file.name}.pdf"
        owners[name_key(name)] = file.id
        state = _state(plan.out, name, force=force)
        state = "combined" if state == "to write" else state
        yield f"{state}: {plan.out.address(name)} ({', '.join(file.of)})"
    if cleaned and not plan.incomplete:
        strays, findings = records.find_strays(one.id for one in (*plan.jobs, *plan.combined_files))
        yield from findings
        old += [pair for _, record in strays for pair in record.wrote]
    for name, digest in dict.fromkeys(old):
        if is_removable(records, name, digest, owners):
            yield f"to remove: {plan.out.address(name)}"


def _state(out: Storage, name: str, *, force: bool) -> str:
    try:
        left = not force and not out.may_replace(name)
    except OSError:
        left = True
    return "changed since it was written, left alone" if left else "to write"


def _list_outputs(job: Job, context: PrintContext) -> Iterator[JobOutput]:
    """Yield a job's outputs, without drafts; one with pictures is laid out to count them."""
    request = job.full_request
    if request.picture_formats or request.outputs != request.formats:
        for name, result in name_prints(job, print_request(request, context)):
            ends = (f"{part.tail}.{part.format}" for part in result.parts())
            yield from (JobOutput(f"{name}{end}", "", "", end) for end in ends)
        return
    prints = list(_print_words(job, context.rulesets))
    several = len(prints) > 1
    for number, words in enumerate(prints, start=1):
        words |= {"entry": job.entry, "n": str(number if several else job.number)}
        for kind in job.request.formats:
            name = output_name(job.name, words, several=several)
            yield JobOutput(f"{name}.{kind}", "", "", f".{kind}")


def _print_words(job: Job, rulesets: RulesetCache) -> Iterator[dict[str, str]]:
    """Yield the words for the name of each print of a job, as the job itself would set them."""
    request = job.full_request
    first, kind = Path(request.of[0]).stem, find_kind(request.kind)
    if job.row is not None:
        cells = dict(job.row[1])
        yield {"stem": first, "name": cells.get("name", ""), **cells}
    elif request.joined:
        yield {"stem": first} | _ruleset_words(job, rulesets, kind.name, "ruleset")
    elif kind.job == "file":
        for one in load_file(Path(request.of[0]), rulesets):
            names = {"ruleset": str(one.rules.id)} if one.rules is not None else {}
            name = raw_text(one.source.get(kind.title_key)) if one.source is not None else ""
            yield {"stem": first, "name": name or first, **names}
    elif kind.job == "entry":
        words = _ruleset_words(job, rulesets, kind.name, "name", "ruleset")
        part = request.of_kind if isinstance(request, CardRequest) else ""
        part = part or kind.name
        stem = "-".join(dict.fromkeys([first, part, kind.name]))
        yield {"name": first, **words, "kind": part, "stem": stem}
    else:
        words = _ruleset_words(job, rulesets, kind.word)
        yield {"stem": f"{first}-{kind.word}", "name": first, **words}


def _ruleset_words(job: Job, rulesets: RulesetCache, what: str, *only: str) -> dict[str, str]:
    """Return `name_words` of the ruleset that a job prints, all or `only` some of them."""
    request = job.full_request
    path = Path(request.of[-1])
    if os.path.isfile(path) or (os.path.isdir(path) and not is_ruleset(path)):
        rules = next((one.ruleset or one.rules for one in load_file(path, rulesets)), None)
    else:
        found = find_ruleset(request.of[-1], request.place, Path(request.beside)).value
        switches = switches_of(None, dict(request.options))
        rules = rulesets.load(found, switches).value if found is not None else None
    words = name_words(rules, what) if rules is not None else {}
    return {key: words[key] for key in only or words if key in words}
