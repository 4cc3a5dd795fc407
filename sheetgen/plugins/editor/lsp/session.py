"""The open files of an editor: their texts, their findings, and answers about places in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import DesignError, Finding, Hint, Span, in_order, split_lines
from sheetgen.diag.words import begin_run
from sheetgen.load.cache import share_text, withdraw_text
from sheetgen.load.characters import CHARACTER, find_file_type
from sheetgen.load.files import read_text, read_unsaved, record_reads
from sheetgen.plugins.editor.lsp.files import OpenFile, RulesReader, Texts
from sheetgen.plugins.editor.lsp.text import OpenText
from sheetgen.records import frozen


@frozen
class Document:
    """A file that is open in the editor: its address, and the path that the address has."""

    uri: str
    path: str
    text: OpenText
    version: int | None = None
    saved: bool = True


@dataclass
class Session:
    """What the server knows of an editor.

    Attributes:
        documents: The open files by their real paths.
        findings: What the last check of each open file found, by its path.
        encoding: In whose code units the editor counts columns.
    """

    documents: dict[str, Document] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    encoding: str = "utf-16"
    reader: RulesReader = field(default_factory=RulesReader)

    def texts(self) -> dict[str, str]:
        """Return the texts of the open files by their real paths."""
        return {real: document.text.text for real, document in self.documents.items()}

    def put(self, uri: str, path: str, text: str, version: int | None, *, saved: bool) -> str:
        """Keep the text of an open file, and return its real path; share it while it is unsaved."""
        real = os.path.realpath(path)
        self.documents[real] = Document(uri, path, OpenText(text, self.encoding), version, saved)
        if saved:
            withdraw_text(real)
        else:
            share_text(real, text)
        return real

    def close(self, path: str) -> str:
        """Forget an open file, and return its real path."""
        real = os.path.realpath(path)
        closed = self.documents.pop(real, None)
        if closed is not None:
            self.findings.pop(closed.path, None)
        withdraw_text(real)
        return real

    def document(self, path: str) -> Document | None:
        """Return the open file at a path."""
        return self.documents.get(os.path.realpath(path))

    def open_file(self, document: Document, offset: int | None = None) -> OpenFile:
        """Return what the names in an open file mean, where its author types at an offset."""
        text = document.text.text
        return self.reader.open_file(Path(document.path), text, self.texts(), offset)

    def text_of(self, file: str) -> OpenText:
        """Return the text of a file, open or not; an empty one if it cannot be read."""
        document = self.document(file)
        if document is not None:
            return document.text
        read = read_text(Path(file)).value
        return OpenText(read[0] if read is not None else "", self.encoding)

    def all_findings(self) -> dict[str, tuple[Finding, ...]]:
        """Return the findings about all open files by the file that each is in."""
        return findings_by_file(self.findings, self.texts())

    def corrections(self, document: Document, start: int, end: int) -> Iterable[Correction]:
        """Yield the corrections of findings between two offsets of an open file."""
        lines = split_lines(document.text.text.lstrip("\ufeff"))
        for finding in self.all_findings().get(os.path.abspath(document.path), ()):
            first, last = document.text.span_offsets(finding.span)
            correction = find_correction(finding, lines)
            if correction is not None and first <= end and start <= last:
                yield correction


_RULESET: Final = re.compile(r"^\ufeff?[\"']?ruleset\b", re.MULTILINE | re.IGNORECASE)


@dataclass
class OpenFilesChecker:
    """Checks open files; `reads` has the real paths of the files that the check of each read."""

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


@frozen
class Correction:
    """An edit that does what the hint of a finding says: `text` in the place of a span."""

    title: str
    span: Span
    text: str
    finding: Finding


def find_correction(finding: Finding, lines: list[str]) -> Correction | None:
    """Return the edit that corrects a finding in the lines of a file; None without one."""
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
