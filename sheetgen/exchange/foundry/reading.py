"""Documents of Foundry in files of strangers: JSON, NeDB packs, LevelDB packs, modules."""

from __future__ import annotations

import html
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes, read_codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.exchange.foundry.documents import JOINER, Document, unpack_entries
from sheetgen.exchange.foundry.leveldb import DamagedPack, Room, read_pack
from sheetgen.load.archives import MOST_BYTES, read_bundle

MOST_PACKED: Final = 2 * MOST_BYTES
"""Bytes that the packs of an import may have, unpacked: their blocks, and the entries in them."""

MOST_VALUES: Final = 1_500_000
"""Values that all JSON of an import may have together."""

_WANTED: Final = re.compile(r"(?i)(?:^|/)(?:[^/]+\.(?:json|db|log|ldb|sst)|CURRENT)$")
_NO_DOCUMENTS: Final = {"module.json", "system.json", "world.json", "package.json"}


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document, and the file that it is in."""

    place: Span
    kind: str
    document: Document


def read_documents(path: Path, findings: list[Finding]) -> list[FoundDocument]:
    """Return the documents of a file, a folder or an archive; what cannot be read is a finding."""
    bundle = read_bundle(path, lambda name: _WANTED.search(name) is not None)
    findings += bundle.findings
    reader = _BundleReader(path, findings)
    folders: dict[str, dict[str, bytes]] = defaultdict(dict)
    for name, content in (bundle.value or {}).items():
        folder, _, file = name.rpartition("/")
        folders[folder][file] = content
    found: list[FoundDocument] = []
    for folder, files in folders.items():
        if "CURRENT" in files:
            found += reader.pack(folder, files)
            continue
        for name, content in files.items():
            if name not in _NO_DOCUMENTS and not name.lower().endswith((".log", ".ldb", ".sst")):
                found += reader.file(f"{folder}/{name}".lstrip("/"), content)
    return found


class _BundleReader:
    """Reads JSON until the bound of values is reached."""

    def __init__(self, path: Path, findings: list[Finding]) -> None:
        self.path, self.findings, self.left = path, findings, MOST_VALUES
        self.room = Room(MOST_PACKED)
        self.reported: set[tuple[str, str]] = set()

    def pack(self, folder: str, files: dict[str, bytes]) -> Iterator[FoundDocument]:
        """Yield the documents of a LevelDB folder."""
        try:
            entries = read_pack(files, self.room)
        except DamagedPack as error:
            self.report(folder, str(error))
            return
        parsed = {key: self.parse(value, folder) for key, value in entries.items()}
        for kind, documents in unpack_entries(parsed).items():
            for document in documents:
                yield FoundDocument(self.place(folder), kind, document)

    def file(self, name: str, content: bytes) -> Iterator[FoundDocument]:
        """Yield the documents of a JSON file, or of an old pack with one a line."""
        if name.lower().endswith(".db"):
            last: dict[Any, Any] = {}
            for number, text in enumerate(_split_documents(content)):
                if self.left < 0:
                    break
                document = self.parse(text, name) if text.strip() else None
                if isinstance(document, dict) and "$$indexCreated" not in document:
                    last[str(document.get("_id", number))] = document
            parsed: Iterable[Any] = [one for one in last.values() if not one.get("$$deleted")]
        else:
            value = self.parse(content, name)
            parsed = value if isinstance(value, list) else [value]
        for document in parsed:
            if isinstance(document, dict) and isinstance(document.get("name"), str):
                kind = "Actor" if isinstance(document.get("items"), list) else "Item"
                yield FoundDocument(self.place(name), kind, document)
            elif document is not None:
                self.report(name, "this is no document of Foundry: it has no name")

    def parse(self, content: bytes, name: str) -> Any:
        """Return the value of a JSON text; None and a finding if it cannot be read."""
        self.left -= 1 + sum(map(content.count, (b",", b"[", b"{")))
        if self.left < 0:
            if self.left > -(10**12):
                message = f"there are more than {MOST_VALUES:,} values"
                finding = Finding(codes.TOO_MUCH, self.place(name), message, "import a part of it")
                self.findings.append(finding)
                self.left = -(10**13)
            return None
        try:
            return json.loads(content.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
            self.report(name, f"this is no JSON: {reason}")
            return None

    def place(self, name: str) -> Span:
        """Return the place of a file of the bundle."""
        return Span(str(self.path) if name in ("", self.path.name) else f"{self.path}/{name}")

    def report(self, name: str, message: str) -> None:
        """Add the finding that something is not imported, once a file and reason."""
        if (name, message) in self.reported:
            return
        self.reported.add((name, message))
        hint = "export it from Foundry again"
        severity = Severity.WARNING
        code = read_codes.NOT_IMPORTED
        self.findings.append(Finding(code, self.place(name), message[:300], hint, severity))


def _split_documents(content: bytes) -> Iterator[bytes]:
    """Yield the documents of an old pack: one a line, or indented from a line `{` to one `}`."""
    lines: list[bytes] = []
    for line in io.BytesIO(content):
        lines.append(line)
        if lines[0].strip() != b"{" or line.rstrip() == b"}":
            yield b"".join(lines)
            lines = []
    yield b"".join(lines)


_MOST_HTML: Final = 20_000
_BREAK: Final = re.compile(r"(?i)</?(?:p|br|li|tr|div|ul|ol|table|h[1-6])\b[^<>]*>")
_CELL: Final = re.compile(r"(?i)<t[dh]\b[^<>]*>")
_TAG: Final = re.compile(r"<[^<>]*>")
_LINK: Final = re.compile(r"@\w{1,40}\[[^\[\]]{0,200}\](?:\{([^{}]{0,200})\})?")


def html_lines(text: Any) -> list[str]:
    """Return the lines of HTML without tags; links keep their labels. Nothing of it is rendered."""
    if not isinstance(text, str):
        return []
    plain = _BREAK.sub("\n", text[:_MOST_HTML])
    plain = html.unescape(_TAG.sub("", _CELL.sub(" ", plain)))
    plain = _LINK.sub(lambda found: found[1] or "", plain).replace(JOINER, "")
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return ["".join(c for c in line if c.isprintable()) for line in lines if line]
