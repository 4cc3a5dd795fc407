"""The output folder: place finished files, and remove those that no job writes any more.

A file that somebody else made or changed is neither replaced nor removed.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sheetgen.books.planning import BookPlan
from sheetgen.books.records import FOLDER, Pair, Record, RecordFolder, is_inside
from sheetgen.books.workers import JobOutput
from sheetgen.diag import book_codes, codes
from sheetgen.diag.findings import Finding, Severity, errors
from sheetgen.diag.spans import Span
from sheetgen.load.digests import file_digest
from sheetgen.write.drafts import place_draft
from sheetgen.write.files import cannot_write, changed_finding, may_replace, remove_file
from sheetgen.write.names import name_key


@dataclass(slots=True)
class OutputFolder:
    """The output folder of a book, and what one run did to it.

    Attributes:
        drafts: The folder of the drafts of this run.
        force: Whether outputs that somebody changed are replaced.
        owners: Keys (`name_key`) of names of outputs, and the job that each belongs to: its place
            in the plan, which is small, or its id.
        written: Names of outputs that were written.
        unchanged: Names of outputs that were up to date.
        removed: Names of outputs that a job no longer writes.
    """

    records: RecordFolder
    drafts: Path
    force: bool = False
    owners: dict[str, int | str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    @property
    def out(self) -> Path:
        """The path of the folder."""
        return self.records.out

    def put(self, record: Record, outputs: Sequence[JobOutput], findings: list[Finding]) -> bool:
        """Move the outputs of a job to their places, then write its record.

        If the process is killed in between, the next run finds outputs that sheetgen wrote and
        no record, and builds them again. Unchanged files that the job wrote under other names
        are removed.

        Returns:
            Whether all of them have their places, and there was no error before.
        """
        before = self.records.get(record.id)
        placed = [one for one in outputs if self._place(one, findings)]
        names = {one.name for one in outputs}
        old = [] if before is None else [pair for pair in before.wrote if pair[0] not in names]
        good = len(placed) == len(outputs) and not errors(findings)
        if good:
            self.removed += remove_outputs(self.records, old, self.owners, findings)
        else:  # without a key, the next run builds it again
            wrote = (*((one.name, one.digest) for one in placed), *old)
            record = replace(record, key="", wrote=wrote)
        try:
            self.records.write(record, self.drafts)
        except OSError as error:
            findings.append(cannot_write(self.out / FOLDER, error))
            return False
        return good

    def _place(self, one: JobOutput, findings: list[Finding]) -> bool:
        """Move an output to its place, unless a changed file is there."""
        target = self.out / one.name
        try:
            if not is_inside(self.out, one.name):
                message = "a link leads this output out of its folder"
                hint = "remove the link, or give the entry another `name`"
                findings.append(Finding(codes.CANNOT_WRITE, Span(str(target)), message, hint))
                return False
            if file_digest(target) == one.digest and not target.is_symlink():
                remove_file(Path(one.draft))
                self.unchanged.append(one.name)
                return True
            if not self.force and not may_replace(target):
                findings.append(changed_finding(target))
                return False
            place_draft(Path(one.draft), target)
        except OSError as error:
            findings.append(cannot_write(target, error))
            return False
        self.written.append(one.name)
        return True


def find_strays(
    plan: BookPlan, records: RecordFolder
) -> tuple[list[tuple[Path, Record]], tuple[Finding, ...]]:
    """Return the records of jobs that a book no longer has, with their paths, and findings."""
    return records.find_strays(one.id for one in (*plan.jobs, *plan.combined_files))


def remove_strays(
    strays: Sequence[tuple[Path, Record]],
    records: RecordFolder,
    owners: Collection[str],
    findings: list[Finding],
) -> list[str]:
    """Remove the outputs that stray records name, and these records; see `remove_outputs`."""
    removed: list[str] = []
    for path, record in strays:
        removed += remove_outputs(records, record.wrote, owners, findings)
        remove_file(path)
    return removed


def remove_outputs(
    records: RecordFolder,
    wrote: Sequence[Pair],
    owners: Collection[str],
    findings: list[Finding],
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
        path = records.out / name
        if name_key(name) in owners or records.belongs_to_other_book(name):
            continue
        if is_removable(records, name, digest, owners):
            remove_file(path)
            removed.append(name)
        elif os.path.lexists(path) and not _is_ours(path):
            message = "nothing builds this file any more, but it was changed; it is left alone"
            span, hint = Span(str(path)), "remove it if you do not need it"
            findings.append(Finding(book_codes.EDITED, span, message, hint, Severity.WARNING))
    return removed


def is_removable(records: RecordFolder, name: str, digest: str, owners: Collection[str]) -> bool:
    """Whether an output that a record names is unused and unchanged."""
    if name_key(name) in owners or not is_inside(records.out, name):
        return False
    path = records.out / name
    unchanged = _is_ours(path) and file_digest(path) == digest
    return unchanged and not records.belongs_to_other_book(name)


def _is_ours(path: Path) -> bool:
    """Whether sheetgen wrote a file, and nobody changed it since."""
    try:
        return path.is_file() and may_replace(path)
    except OSError:
        return False
