"""The outputs of a book: place finished files, and remove those that no job writes any more.

A file that somebody else made or changed is neither replaced nor removed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.books.storage import FOLDER, OutputState, Storage
from sheetgen.books.workers import JobOutput, Pair, Record, RecordFolder
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.write import (
    cannot_write,
    changed_finding,
    linked_finding,
    name_key,
    remove_file,
    source_finding,
    unsure_finding,
)


@dataclass(slots=True)
class Placement:
    """The outputs of a job on their way to their places.

    Attributes:
        id, entry: The ids of the job and of its entry.
        draft: The path of the draft of its record; empty if there is none.
        outputs: Drafts of its outputs; None if there is nothing to place.
        failed: Whether anything that the job prints is missing.
        new: Whether the job has no record yet.
        held: Whether it waits until all jobs have been run; see `OutputFolder.running`.
        complete: Whether all outputs are in their places, and there was no error.
        wrote: Names and digests of the outputs that are in their places.
        old: Outputs that the job wrote before and writes no more; only if it is complete.
    """

    id: str
    entry: str = ""
    draft: Path | str = ""
    outputs: Sequence[JobOutput] | None = None
    findings: list[Finding] = field(default_factory=list)
    failed: bool = False
    new: bool = False
    held: bool = False
    complete: bool = False
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    wrote: Sequence[Pair] = ()
    old: Sequence[Pair] = ()


@dataclass(slots=True)
class OutputFolder:
    """The outputs of a book, and what one run did to them.

    Attributes:
        force: Whether outputs that somebody changed are replaced.
        owners: Keys (`name_key`) of names of outputs, and the job that each belongs to: its place
            in the plan, which is small, or its id.
        inputs: Keys of the names of files in the folder that are read for the book. None of them is
            replaced, unless sheetgen wrote it.
        running: Whether jobs are still to be run, and `inputs` may grow. A forced run replaces a
            file that sheetgen did not write only after that.
        unsure: Whether `inputs` may lack some, because a job failed or was not run.
        written, unchanged, removed: Names of outputs.
    """

    records: RecordFolder
    drafts: Path
    force: bool = False
    owners: dict[str, int | str] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)
    running: bool = False
    unsure: bool = False
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    @property
    def out(self) -> Storage:
        """Where the outputs are."""
        return self.records.out

    def put_all(self, jobs: Iterator[Placement]) -> Iterator[Placement]:
        """Yield each job when it is put; one that is held is yielded again at the end."""
        held: list[Placement] = []
        self.running = True
        for job in self.out.map(self.put, jobs):
            held += [job] if job.held else []
            yield job
        self.running = False
        yield from self.out.map(self.put, held)

    def put(self, job: Placement) -> Placement:
        """Move the outputs of a job to their places, then write its record; return `job`.

        If the process is killed in between, the next run finds outputs that sheetgen wrote and
        no record, and builds them again. Several jobs may be put at once; `finish` follows.
        """
        if job.outputs is None:
            return job
        job.held = self.force and self.running and any(map(self._is_foreign, job.outputs))
        if job.held:
            return job
        try:
            before = None if job.new else self.records.get(job.id)
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
            job.findings.append(cannot_write(self.out.address(FOLDER), error))
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
                job.findings.append(cannot_write(self.out.address(FOLDER), error))

    def _place(self, one: JobOutput, job: Placement) -> bool:
        """Move an output to its place, unless a changed file is there."""
        address = self.out.address(one.name)
        try:
            if not self.out.accepts(one.name):
                hint = "remove the link, or give the entry another `name`"
                job.findings.append(linked_finding(address, hint))
                return False
            found = self.out.compare(one.name, one.digest)
            if found is OutputState.SAME:
                remove_file(Path(one.draft))
                job.unchanged.append(one.name)
                return True
            if found is OutputState.FOREIGN and (finding := self._refuse(one.name, address)):
                job.findings.append(finding)
                return False
            if found is OutputState.OURS and self.records.belongs_to_other_book(one.name):
                message = "another book wrote this file; it is replaced"
                hint = "give one of the entries another `name`, or one of the books another `out`"
                span = Span(address)
                job.findings.append(
                    Finding(codes.SAME_OUTPUT, span, message, hint, Severity.WARNING)
                )
            self.out.place(one.draft, one.name)
        except OSError as error:
            job.findings.append(cannot_write(address, error))
            return False
        job.written.append(one.name)
        return True

    def _is_foreign(self, one: JobOutput) -> bool:
        try:
            return self.out.compare(one.name, one.digest) is OutputState.FOREIGN
        except OSError:  # reported when it is placed
            return False

    def _refuse(self, name: str, address: str) -> Finding | None:
        """Return the finding that a file is not replaced, although sheetgen did not write it."""
        if not self.force:
            return changed_finding(address)
        if name_key(name) in self.inputs:
            return source_finding(address)
        return unsure_finding(address) if self.unsure else None


def drop_replaced(
    strays: Sequence[tuple[str, Record]], records: RecordFolder, owners: Collection[str]
) -> list[tuple[str, Record]]:
    """Return stray records with outputs that are left; remove the others.

    A row that is edited is another job, since its cells identify it. Mostly it writes the file of
    the job before, whose record then names nothing that is left.
    """
    kept = []
    for name, record in strays:
        if any(name_key(n) not in owners and records.out.exists(n) for n, _ in record.wrote):
            kept.append((name, record))
        else:
            records.out.remove(name)
    return kept


def list_removable(
    strays: Sequence[tuple[str, Record]], records: RecordFolder, owners: Collection[str]
) -> list[str]:
    """Return the names of the outputs that `remove_strays` would remove."""
    pairs = dict.fromkeys(pair for _, record in strays for pair in record.wrote)
    found = (name for name, digest in pairs if is_removable(records, name, digest, owners))
    return list(dict.fromkeys(found))


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
    sheetgen, or belongs to another book, is left alone.

    Args:
        wrote: Names and digests from a record.
        owners: Keys (`name_key`) of names that the book's jobs write.
        findings: Receives a warning for each changed file.
    """
    removed: list[str] = []
    for name, digest in wrote:
        if name_key(name) in owners or records.belongs_to_other_book(name):
            continue
        if is_removable(records, name, digest, owners):
            records.out.remove(name)
            removed.append(name)
        elif records.out.exists(name) and not _is_ours(records.out, name):
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
    """Whether sheetgen wrote an output, and nobody changed it since."""
    try:
        return out.exists(name) and out.may_replace(name)
    except OSError:
        return False
