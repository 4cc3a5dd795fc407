"""Put outputs in their places: whole, and never over a file that somebody else made or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sheetgen.books import records
from sheetgen.books.cleaning import remove_outputs
from sheetgen.books.workers import JobOutput, cannot_write
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.spans import Span
from sheetgen.load.digests import file_digest
from sheetgen.write.drafts import place_draft
from sheetgen.write.files import changed_finding, may_replace


@dataclass(slots=True)
class OutputFolder:
    """The folder of the outputs, and what became of it in this run.

    Attributes:
        drafts: The folder of the drafts of this run.
        force: Whether outputs that somebody changed are replaced.
        owners: Keys (`name_key`) of names of outputs, and which jobs have them: their places in
            the plan, which are small, or their ids.
        written: Names of outputs that were written.
        unchanged: Of those that were there already, as they should be.
        removed: Of those that a job no longer makes.
    """

    out: Path
    drafts: Path
    force: bool = False
    owners: dict[str, int | str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def put(
        self, record: records.Record, outputs: Sequence[JobOutput], findings: list[Finding]
    ) -> bool:
        """Give the outputs of a job their places, then record what it did.

        Killed in between, the next run finds outputs that it wrote itself, and no record: it
        builds them again. What the job made under other names is removed if it is unchanged.

        Returns:
            Whether all of them have their places, and nothing went wrong before.
        """
        before = records.record_of(self.out, record.id)
        placed = [one for one in outputs if self._place(one, findings)]
        names = {one.name for one in outputs}
        old = [] if before is None else [pair for pair in before.wrote if pair[0] not in names]
        good = len(placed) == len(outputs) and not errors(findings)
        if good:
            self.removed += remove_outputs(self.out, old, self.owners, findings)
        else:
            # It is done again next time, whatever of it is here already.
            wrote = (*((one.name, one.digest) for one in placed), *old)
            record = replace(record, key="", wrote=wrote)
        try:
            records.write_record(self.out, record, self.drafts)
        except OSError as error:
            findings.append(cannot_write(str(self.out / records.FOLDER), error))
            return False
        return good

    def _place(self, one: JobOutput, findings: list[Finding]) -> bool:
        """Give an output its place, unless somebody's work is there."""
        target = self.out / one.name
        try:
            if not records.is_inside(self.out, one.name):
                message = "a link leads this output out of its folder"
                hint = "remove the link, or give the entry another `name`"
                findings.append(Finding(codes.CANNOT_WRITE, Span(str(target)), message, hint))
                return False
            if file_digest(target) == one.digest and not target.is_symlink():
                Path(one.draft).unlink(missing_ok=True)
                self.unchanged.append(one.name)
                return True
            if not self.force and not may_replace(target):
                findings.append(changed_finding(target))
                return False
            place_draft(Path(one.draft), target)
        except OSError as error:
            findings.append(cannot_write(str(target), error))
            return False
        self.written.append(one.name)
        return True
