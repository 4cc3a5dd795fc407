"""The open files of an editor: their texts, their findings, and answers about places in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import split_lines
from sheetgen.load.files import read_text
from sheetgen.load.shared_texts import share_text, withdraw_all_texts, withdraw_text
from sheetgen.lsp.diagnostics import Correction, find_correction, findings_by_file
from sheetgen.lsp.files import OpenFile, RulesReader
from sheetgen.lsp.text.positions import OpenText


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is open in the editor.

    Attributes:
        uri: Its address, as the editor writes it.
        path: Its path, as the address has it.
        saved: Whether the text is as on disk.
    """

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
        document = Document(uri, path, OpenText(text, self.encoding), version, saved)
        self.documents[real] = document
        if saved:
            withdraw_text(real)
        else:
            share_text(real, text)
        return real

    def save(self, path: str) -> str:
        """Note that an open file was saved, and return its real path."""
        real = os.path.realpath(path)
        withdraw_text(real)
        return real

    def close(self, path: str) -> str:
        """Forget an open file, and return its real path."""
        real = os.path.realpath(path)
        closed = self.documents.pop(real, None)
        if closed is not None:
            self.findings.pop(closed.path, None)
        withdraw_text(real)
        return real

    def end(self) -> None:
        """Stop sharing unsaved texts."""
        withdraw_all_texts()

    def document(self, path: str) -> Document | None:
        """Return the open file at a path."""
        return self.documents.get(os.path.realpath(path))

    def open_file(self, document: Document, offset: int | None = None) -> OpenFile:
        """Return what the names in an open file mean, where its author types at an offset."""
        text = document.text.text
        return self.reader.open_file(Path(document.path), text, self.texts(), offset)

    def prepare(self, document: Document) -> None:
        """Read the rules and the schema of a file before they are asked for."""
        self.reader.schema(self.open_file(document))

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
