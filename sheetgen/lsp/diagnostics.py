"""The findings of `sheetgen check` about open files, from their unsaved texts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import DesignError, Finding, Hint, in_order
from sheetgen.diag.near import begin_run
from sheetgen.diag.spans import Span
from sheetgen.load.authors.sorts import CHARACTER, find_file_type
from sheetgen.load.files import read_unsaved, record_reads
from sheetgen.lsp.files import RulesReader, Texts

_RULESET: Final = re.compile(r"^\ufeff?[\"']?ruleset\b", re.MULTILINE | re.IGNORECASE)


@dataclass
class OpenFilesChecker:
    """Checks open files, and keeps which files each depends on.

    Attributes:
        reads: The real paths of the files that were read, by the path of the open file.
    """

    reader: RulesReader = field(default_factory=RulesReader)
    reads: dict[str, set[str]] = field(default_factory=dict)

    def check(self, path: str, texts: Texts) -> tuple[Finding, ...]:
        """Return what `sheetgen check` finds in a file, in order; nothing in files of others.

        Args:
            texts: The unsaved texts by the real paths of their files.
        """
        begin_run()
        self.reader.forget_changed(texts, Path(path))
        with read_unsaved(texts), record_reads() as reads:
            try:
                paths = [Path(path)] if is_ours(Path(path), texts) else []
                checked = check_paths(paths, {}, rulesets=self.reader.rulesets)
                found = in_order(finding for one in checked for finding in one.findings)
            except DesignError as error:
                found = error.findings
        self.reader.remember(reads, texts, Path(path))
        self.reads[path] = set(map(os.path.realpath, reads))
        return found

    def dependents(self, path: str) -> set[str]:
        """Return the open files whose last check may have read the file at a real path."""
        if path in map(os.path.realpath, self.reader.stamps):
            return set(self.reads)  # The rulesets of all of them are read once.
        return {other for other, reads in self.reads.items() if path in reads}

    def forget(self, path: str) -> None:
        """Forget a file that was closed."""
        self.reads.pop(path, None)


def is_ours(path: Path, texts: Texts) -> bool:
    """Whether an open file is for sheetgen: an editor sends all YAML files, also those of others.

    `sheetgen check` takes a file for a character unless something shows another type.
    """
    text = texts.get(os.path.realpath(path), "")
    return find_file_type(path) != CHARACTER or _RULESET.search(text) is not None


def findings_by_file(
    findings: Mapping[str, Iterable[Finding]], texts: Texts
) -> dict[str, tuple[Finding, ...]]:
    """Return the findings about several open files by the file that each is in.

    A finding that is in no file, such as one about a folder, is put into the file that was checked.
    """
    by_file: dict[str, dict[Finding, None]] = {}
    for checked, found in findings.items():
        by_file.setdefault(checked, {})
        for finding in found:
            file = os.path.abspath(finding.span.file)
            is_file = os.path.isfile(file) or os.path.realpath(file) in texts
            if finding.span.is_option or not is_file:
                file = checked
            by_file.setdefault(file, {})[finding] = None
    return {file: in_order(found) for file, found in by_file.items()}


@dataclass(frozen=True, slots=True)
class Correction:
    """An edit that does what the hint of a finding says.

    Attributes:
        span: What `text` replaces.
    """

    title: str
    span: Span
    text: str
    finding: Finding


def find_correction(finding: Finding, lines: list[str]) -> Correction | None:
    """Return the edit that corrects a finding; None if its hint is words only.

    Args:
        lines: The lines of the file, as spans count them.
    """
    hint = finding.hint
    if not isinstance(hint, Hint) or not (hint.old or hint.at):
        return None
    if not hint.old:
        end = Span(finding.span.file, len(lines), len(lines[-1]) + 1, 0)
        text = f"\n{hint.new}" if lines[-1] else f"{hint.new}\n"
        return Correction(hint.label, end, text, finding)
    span = hint.at or finding.span
    if not 1 <= span.line <= len(lines):
        return None
    place = lines[span.line - 1][span.column - 1 : span.column - 1 + span.width]
    if place.count(hint.old) != 1:
        return None
    at = span.within(place.index(hint.old), len(hint.old))
    return Correction(hint.label, at, hint.new, finding)
