"""Filled files to authors' files: which sheet belongs to which, and what comes of it."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.diag import read_codes
from sheetgen.diag.findings import Finding, Severity, errors
from sheetgen.diag.spans import Span
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.files import yaml_files
from sheetgen.load.filled.filled import pdf_time_limit, read_filled
from sheetgen.model.filled import FilledSheet
from sheetgen.plan.sheets.view import build_blank_view
from sheetgen.prints.characters import Character, load_character_file
from sheetgen.readback.changes import Change
from sheetgen.readback.merging import (
    MergedFile,
    check_text,
    current_texts,
    find_changes,
    find_mismatches,
    merge_sheet,
)
from sheetgen.readback.topics import Texts
from sheetgen.rules.names import folded
from sheetgen.write.files import overwrite_file

_NAME = re.compile(r"[\w.-]+(\+[\w.-]+)*")
_BOM = b"\xef\xbb\xbf"


@dataclass
class SheetResult:
    """One sheet, and what it changed.

    Attributes:
        into: The file that it went to; None for none.
    """

    sheet: FilledSheet
    changes: list[Change] = field(default_factory=list)
    into: Path | None = None


@dataclass
class ReadbackResult:
    """All sheets of a run, the files that they went to, and what is to be said."""

    sheets: list[SheetResult] = field(default_factory=list)
    files: dict[str, MergedFile] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    originals: dict[str, tuple[Character, str]] = field(default_factory=dict)
    """By file: the character as it was, and the digest of its bytes."""


def read_back(
    paths: Iterable[Path], into: Path | None, chosen: Mapping[str, str], shelf: RulesetCache
) -> ReadbackResult:
    """Return what the sheets in `paths` say, put into the files that they belong to.

    Nothing is written yet.

    Args:
        into: A character's file, a folder of them, or None to look only.
    """
    reading = ReadbackResult()
    known = list(_known(into, shelf, chosen)) if into is not None and os.path.isdir(into) else None
    for path in paths:
        start = _processor_time()
        found = read_filled(path)
        reading.findings += found.findings
        sheets = found.value or ()
        most = pdf_time_limit(path) if sheets else 0
        for number, sheet in enumerate(sheets):
            if number and _processor_time() > start + most:
                reading.findings.append(_unreached(sheets[number:], most))
                break
            one = SheetResult(sheet)
            reading.sheets.append(one)
            if into is None:
                _look(reading, one, shelf, chosen)
                continue
            target = _target(reading, sheet, into, known, shelf, chosen)
            if target is not None:
                _into(reading, one, target, shelf, chosen)
    return reading


def _processor_time() -> float:
    """Return the processor time of this process and of those that it waited for, in seconds."""
    return sum(os.times()[:4])


def _unreached(sheets: Sequence[FilledSheet], most: int) -> Finding:
    """Return what is said of joined sheets that time is not enough for."""
    message = f"reading takes more than {most} s of processor time; {len(sheets):,} sheets of "
    message += f"this file were not read, from `{sheets[0].part}` on"
    hint = "save these in a file of their own, or print fewer characters in one file"
    return Finding(read_codes.TOO_LARGE, Span(sheets[0].file), message, hint)


def write_changed(reading: ReadbackResult) -> list[tuple[Path, Finding | None]]:
    """Write all files that changed; return each, and what was wrong with writing it."""
    done = []
    for name, merged in reading.files.items():
        if merged.after != merged.before:
            one, digest = reading.originals[name]
            content = merged.after.encode("utf-8")
            old = one.source.text.encode("utf-8") if one.source is not None else b""
            marked = bool(digest) and hashlib.sha256(_BOM + old).hexdigest() == digest
            failed = overwrite_file(merged.path, _BOM + content if marked else content, digest)
            done.append((merged.path, failed))
    return done


def _look(
    reading: ReadbackResult, one: SheetResult, shelf: RulesetCache, chosen: Mapping[str, str]
) -> None:
    """List what was changed, with no file to put it into."""
    sheet = one.sheet
    span = Span(sheet.file)
    if not _NAME.fullmatch(sheet.ruleset):
        message = f"{sheet.label} does not say which rules it was printed from"
        hint = "name the character's file with `--into`"
        reading.findings.append(Finding(read_codes.NOT_OURS, span, message, hint))
        return
    if not sheet.has_printed_values:
        message = f"{sheet.label} holds no record of edits"
        hint = "name the character's file with `--into` to compare its fields with that"
        reading.findings.append(
            Finding(read_codes.PRINTED_UNKNOWN, span, message, hint, Severity.NOTE)
        )
        return
    begun = check_text(Path(sheet.file), _beginning(sheet), shelf, chosen)
    if begun.rules is None or begun.build is None:
        reading.findings += errors(begun.findings)
        return
    one.changes += find_changes(sheet, begun, chosen)


def _beginning(sheet: FilledSheet) -> str:
    """Return a file that says the ruleset of a sheet, and nothing else."""
    parts = sheet.ruleset.split("+")
    return f"ruleset: {parts[0] if len(parts) == 1 else '[' + ', '.join(parts) + ']'}\n"


def _known(folder: Path, shelf: RulesetCache, chosen: Mapping[str, str]) -> Iterator[Character]:
    for path in yaml_files(folder):
        found = load_character_file(path, shelf, chosen)
        if len(found) == 1 and found[0].build is not None and found[0].kind is None:
            yield found[0]


def _target(
    reading: ReadbackResult,
    sheet: FilledSheet,
    into: Path,
    known: list[Character] | None,
    shelf: RulesetCache,
    chosen: Mapping[str, str],
) -> Path | None:
    """Return the file that a sheet goes to; None, and a finding, if there is none."""
    if known is not None:
        found = _found(sheet, known)
        if found is None:
            who = _who(sheet) or "nobody"
            message = f"{sheet.label}: no file in this folder is that of {who}"
            hint = "name the file itself with `--into`"
            reading.findings.append(Finding(read_codes.NOWHERE, Span(str(into)), message, hint))
            return None
        if not Path(os.path.realpath(found.path)).is_relative_to(os.path.realpath(into)):
            message = "a link leads out of the folder here; it is not followed"
            hint = "name the file itself with `--into`"
            reading.findings.append(
                Finding(read_codes.NOWHERE, Span(str(found.path)), message, hint)
            )
            return None
        reading.originals.setdefault(str(found.path), (found, _digest(found)))
        return found.path
    if str(into) in reading.originals:
        return into
    if not os.path.lexists(into):
        return _begun(reading, sheet, into, shelf, chosen)
    several = load_character_file(into, shelf, chosen)
    one = several[0]
    if len(several) > 1 or one.kind is not None:
        message = "several characters, or none, stand in this file; sheets go to files of one"
        reading.findings.append(Finding(read_codes.NOWHERE, Span(str(into)), message))
        return None
    if one.build is None:
        reading.findings += one.findings
        return None
    reading.originals[str(into)] = one, _digest(one)
    return into


def _digest(one: Character) -> str:
    return one.source.digest if one.source is not None else ""


def _begun(
    reading: ReadbackResult,
    sheet: FilledSheet,
    into: Path,
    shelf: RulesetCache,
    chosen: Mapping[str, str],
) -> Path | None:
    if sheet.character or not _NAME.fullmatch(sheet.ruleset):
        message = "there is no such file; a new one is begun from an empty sheet only"
        reading.findings.append(
            Finding(read_codes.NOWHERE, Span(str(into)), message, "check the path")
        )
        return None
    one = check_text(into, _beginning(sheet), shelf, chosen)
    if one.build is None:
        reading.findings += errors(one.findings)
        return None
    reading.originals[str(into)] = one, ""
    return into


def _who(sheet: FilledSheet) -> str:
    """Return the name of a sheet's character, as it was printed."""
    said = sheet.fields.get("name")
    if sheet.part and said is not None:
        return (said.printed if said.printed is not None else said.filled).strip()
    return sheet.character


def _found(sheet: FilledSheet, known: list[Character]) -> Character | None:
    who = folded(_who(sheet))
    same = [
        one for one in known if not sheet.part and sheet.digest and _digest(one) == sheet.digest
    ]
    for one in known:
        assert one.build is not None
        named = bool(who) and folded(one.build.name) == who
        if named and (sheet.part or sheet.ruleset in ("", one.build.ruleset)):
            same.append(one)
    return same[0] if same else None


def _into(
    reading: ReadbackResult,
    one: SheetResult,
    target: Path,
    shelf: RulesetCache,
    chosen: Mapping[str, str],
) -> None:
    name = str(target)
    start, digest = reading.originals[name]
    assert start.source is not None
    into = reading.files.get(name)
    if into is None:
        begins = start.source.text if digest else ""
        into = reading.files[name] = MergedFile(target, begins, start.source.text, start)
    wrong = find_mismatches(one.sheet, start)
    reading.findings += wrong
    one.into = target
    if errors(wrong):
        return
    printed = _printed(one.sheet, start, digest, chosen)
    before = len(into.changes)
    merge_sheet(one.sheet, into, shelf, chosen, printed, begun=not digest)
    one.changes += into.changes[before:]


def _printed(
    sheet: FilledSheet, start: Character, digest: str, chosen: Mapping[str, str]
) -> Texts | None:
    """Return what was printed, if it can be known from the file that it was printed from."""
    assert start.source is not None
    assert start.rules is not None
    if digest and sheet.digest == digest:
        return current_texts(start, sheet)
    if not digest:
        blank = build_blank_view(start.rules)
        return {n: blank.texts[n].text if n in blank.texts else "" for n in sheet.fields}
    return None
