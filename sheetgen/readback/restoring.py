"""Restore characters' files from the QR codes of their printed sheets; no file is overwritten."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sheetgen.diag import read_codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.files import decode_text, read_document
from sheetgen.load.filled.photos import read_photo
from sheetgen.model.backups import BackupDamaged, BackupPart, join_payloads
from sheetgen.prints.characters import Character
from sheetgen.prints.context import file_stem
from sheetgen.readback.merging import check_text
from sheetgen.write.files import write_new

_OTHER: Final = re.compile(r"[^\w-]")
"""What the name of a file does not need; the text in a code is untrusted."""


@dataclass(frozen=True, slots=True)
class RestoredFile:
    """A character's file as its sheet was printed from it.

    Attributes:
        photo: The picture with its code.
        target: Where it is written.
        content: The file, byte for byte.
        before: The text of the file at `target`; None if there is none.
        character: The character in it, checked.
    """

    photo: str
    target: Path
    content: bytes
    before: str | None
    character: Character

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.content.decode("utf-8-sig", "replace")


def restore_files(
    photos: Iterable[Path],
    into: Path | None,
    known: Iterable[Character],
    chosen: Mapping[str, str],
    rulesets: RulesetCache,
) -> tuple[list[RestoredFile], list[Finding]]:
    """Return the files in the codes of pictures, and findings; nothing is written.

    Args:
        into: A file, a folder, or None for the folder of each picture.
        known: The characters in the folder `into`.
    """
    findings: list[Finding] = []
    parts: dict[bytes, list[BackupPart]] = {}
    seen: dict[bytes, Path] = {}
    for path in photos:
        read = read_photo(path)
        findings += read.findings
        for part in read.value or ():
            parts.setdefault(part.digest, []).append(part)
            seen.setdefault(part.digest, path)
    restored: list[RestoredFile] = []
    for digest, some in parts.items():
        photo = seen[digest]
        try:
            content = join_payloads(some)
        except BackupDamaged as error:
            hint = "photograph all codes of the sheet: flat, sharp, in even light"
            findings.append(Finding(read_codes.BAD_CODE, Span(str(photo)), str(error), hint))
            continue
        one = _place(content, photo, into, known, chosen, rulesets)
        if isinstance(one, Finding):
            findings.append(one)
        elif any(one.target == other.target for other in restored):
            message = f"{one.target.name} was in another code of this run; this one is not written"
            hint = "read this picture alone, with `--into` and another name"
            findings.append(Finding(read_codes.NOWHERE, Span(str(photo)), message, hint))
        else:
            restored.append(one)
            findings += _compare(one)
    return restored, findings


def _place(
    content: bytes,
    photo: Path,
    into: Path | None,
    known: Iterable[Character],
    chosen: Mapping[str, str],
    rulesets: RulesetCache,
) -> RestoredFile | Finding:
    """Return a file with the place where it belongs."""
    decoded = decode_text(content, Span(str(photo)))
    if decoded.value is None:
        return decoded.findings[0]
    text, digest = decoded.value
    folder = into if into is not None else photo.parent
    one = check_text(folder / "restored.yaml", text, rulesets, chosen)
    name = one.build.name if one.build is not None else ""
    target = folder
    if into is None or os.path.isdir(into):
        same = (c for c in known if c.source is not None and c.source.digest == digest)
        named = (c for c in known if name and c.build is not None and c.build.name == name)
        found = next(same, None) or next(named, None)
        stem = next(filter(None, (_OTHER.sub("", file_stem(s)) for s in (name, photo.stem))), "")
        target = found.path if found is not None else folder / f"{stem or 'character'}.yaml"
    before = None
    if os.path.lexists(target):
        there = read_document(target)
        if there.value is None:
            return there.findings[0]
        before = there.value.decode("utf-8-sig", "replace")
        if hashlib.sha256(there.value).hexdigest() == digest:
            content = there.value
    one = check_text(target, text, rulesets, chosen)
    return RestoredFile(str(photo), target, content, before, one)


def _compare(one: RestoredFile) -> list[Finding]:
    if one.before is None or one.before == one.text:
        return []
    message = "this file is not the one in the code; it is left as it is"
    hint = "name a new file with `--into` to write the one in the code"
    return [Finding(read_codes.DIFFERS, Span(str(one.target)), message, hint, Severity.WARNING)]


def write_restored(restored: Iterable[RestoredFile]) -> dict[str, Finding | None]:
    """Write the files that do not exist; return each, with a finding if that is not possible."""
    return {
        str(one.target): write_new(one.target, one.content)
        for one in restored
        if one.before is None
    }
