"""Outputs into their places: nothing of somebody else's is replaced, nothing half of one stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sheetgen.books import records
from sheetgen.books.work import Output, unwritten
from sheetgen.diag import book_codes
from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.spans import Span
from sheetgen.load.digests import MISSING, file_digest
from sheetgen.write.drafts import settle


@dataclass(slots=True)
class Places:
    """The folder of the outputs, and what became of it in this run.

    Attributes:
        drafts: The folder of the drafts of this run.
        force: Whether outputs that somebody changed are replaced.
        taken: Names of outputs, and which jobs have them: their places in the plan, which
            are small, or their ids.
        written: Names of outputs that were written.
        kept: Of those that were there already, as they should be.
        removed: Of those that a job no longer makes.
    """

    out: Path
    drafts: Path
    force: bool = False
    taken: dict[str, int | str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)

    def put(
        self, record: records.Record, outputs: Sequence[Output], findings: list[Finding]
    ) -> bool:
        """Give the outputs of a job their places, and write down what it did.

        Returns:
            Whether all of them have their places, and nothing went wrong before.
        """
        before = records.record_of(self.out, record.id)
        there = {one.name: file_digest(self.out / one.name) for one in outputs}
        good = [one for one in outputs if self._may(one, there[one.name], before, findings)]
        was = tuple((one.name, there[one.name]) for one in good if there[one.name] != MISSING)
        was = tuple(pair for pair in was if pair not in record.wrote)
        try:
            records.keep(self.out, replace(record, was=was), self.drafts)
            placed = [one for one in good if self._place(one, there[one.name], findings)]
            if errors(findings) or len(placed) < len(outputs):
                # It is done again next time, whatever of it is here already.
                records.keep(self.out, replace(record, key="", was=was), self.drafts)
                return False
            self._remove(before, {one.name for one in outputs})
            if was:
                records.keep(self.out, record, self.drafts)
        except OSError as error:
            findings.append(unwritten(str(self.out / records.FOLDER), error))
            return False
        return True

    def _may(
        self, one: Output, there: str, before: records.Record | None, findings: list[Finding]
    ) -> bool:
        """Whether an output may take its place: what stands there is ours, or never was."""
        ours = {*(before.wrote if before else ()), *(before.was if before else ())}
        mine = {digest for name, digest in ours if name == one.name}
        if self.force or not mine or there in (MISSING, one.digest, *mine):
            return True
        message = "this file was changed since it was built; it is left alone"
        hint = "move it, or build with --force"
        span = Span(str(self.out / one.name))
        findings.append(Finding(book_codes.EDITED, span, message, hint))
        return False

    def _place(self, one: Output, there: str, findings: list[Finding]) -> bool:
        if there == one.digest:
            Path(one.draft).unlink(missing_ok=True)
            self.kept.append(one.name)
            return True
        try:
            settle(Path(one.draft), self.out / one.name)
        except OSError as error:
            findings.append(unwritten(str(self.out / one.name), error))
            return False
        self.written.append(one.name)
        return True

    def _remove(self, before: records.Record | None, names: set[str]) -> None:
        """Take away what a job made under other names, if it is as it was made."""
        for name, digest in before.wrote if before else ():
            if name not in names and name not in self.taken:
                path = self.out / name
                if file_digest(path) == digest:
                    path.unlink(missing_ok=True)
                    self.removed.append(name)
