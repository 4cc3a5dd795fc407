"""`sheetgen read`: filled sheets back into the authors' files."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

from sheetgen.cli import console
from sheetgen.cli.console import set_options, write_lines
from sheetgen.cli.parameters import NONE, Format, Settings, Strict, argument, flag, option
from sheetgen.diag.findings import Finding, errors, split_lines
from sheetgen.load.characters import RulesetCache
from sheetgen.prints.characters import Character
from sheetgen.readback import merging
from sheetgen.readback.topics import Change, shorten_pair

_WORDS: Final = {  # Text after a change that was not simply merged.
    "conflict": "conflict: in the file {current}",
    "unknown": "perhaps: in the file {current}",
    "noted": "to the notes",
    "kept": "not taken",
}

_OF_SHEETS: Final = ("file", "part", "character", "ruleset", "version")


def command(
    files: Annotated[
        list[Path],
        argument(
            "Filled sheets: PDF, saved HTML or its JSON; or photos of their QR codes.", "FILLED…"
        ),
    ],
    into: Path | None = option(
        "--into PATH",
        "The character's file, a folder of them, or a new file for an empty sheet.",
        default=None,
    ),
    dry_run: bool = flag("--dry-run", "Show the lines that would change; write nothing."),
    settings: Settings = NONE,
    strict: Strict = False,
    form: Format = "text",
) -> None:
    """Read filled sheets (PDF, saved HTML or its JSON) back into their characters' files.

    Shows the changes on each sheet, merges them and checks the result; comments, order and
    quotes of the file stay. A value that was changed in both is shown and left as it is in the
    file. Without --into nothing is written.

    From a photo of a sheet that was printed with --qr comes its character's file, byte for byte:
    into the folder of the photo, or --into. A file that exists is compared, and left as it is.

    Example: sheetgen read output/hero.pdf --into hero.yaml

    Guide: docs/guides/reading-back.md
    """
    options = set_options(settings)
    reporter = console.Reporter(strict)
    reading = merging.read_back(files, into, options, RulesetCache())
    written: dict[str, Finding | None] = {}
    if not dry_run:
        written = {str(path): failed for path, failed in merging.write_changed(reading)}
        written |= merging.write_restored(reading.restored)
    all_merged = reading.files.values()
    findings = [*reading.findings, *(f for merged in all_merged for f in merged.findings)]
    findings += filter(None, written.values())
    characters = [m.character for m in all_merged] + [r.character for r in reading.restored]
    found = [f for c in characters for f in c.findings]
    if form == "json":
        reporter.reported |= dict.fromkeys(reporter.apply_strict([*findings, *found]))
        data = {
            "sheets": [
                {key: getattr(one.sheet, key) for key in _OF_SHEETS}
                | {
                    "into": str(one.into) if one.into is not None else None,
                    "changes": [asdict(change) for change in one.changes],
                }
                for one in reading.sheets
            ],
            "files": [
                {
                    "file": str(one.path),
                    "changed": one.after != one.before,
                    "written": str(one.path) in written and one.after != one.before,
                    **_facts(str(one.path), one.before, one.after, one.character, reporter),
                }
                for one in all_merged
            ],
            "restored": [
                {
                    "photo": one.photo,
                    "file": (name := str(one.target)),
                    "written": name in written and written[name] is None,
                    **_facts(name, one.before, one.text, one.character, reporter),
                }
                for one in reading.restored
            ],
            "findings": console.findings_data(reporter.apply_strict(findings)),
        }
        console.write_json(data)
        reporter.stop()
    for one in reading.sheets:
        sheet = one.sheet
        rules = f"{sheet.ruleset} {sheet.version}".strip() or "unknown ruleset"
        write_lines(f"{sheet.label}: {sheet.character or 'no name'} ({rules})")
        write_lines(*map(format_change, one.changes))
        if not one.changes:
            known = sheet.has_printed_values or one.into is not None
            some = "the pages that are left of it" if sheet.lacks_pages else "it"
            none = f"nothing was changed on {some}" if known else "no edits are recorded in it"
            write_lines(f"  {none}")
    for merged in all_merged:
        reporter.lines[str(merged.path)] = split_lines(merged.before)
    reporter.report(findings)
    for one in reading.sheets:
        if one.into is None and one.changes:
            write_lines(f"next: sheetgen read {one.sheet.file} --into FILE.yaml", err=True)
    for merged in all_merged:
        _write_file_summary(merged, reporter, dry_run, written)
    for restored in reading.restored:
        _write_restored_summary(restored, reporter, dry_run, written)
    reporter.exit()


def _write_restored_summary(
    one: merging.RestoredFile, reporter: console.Reporter, dry_run: bool, written: Mapping[str, Any]
) -> None:
    name = str(one.target)
    reporter.lines[name] = split_lines(one.text)
    if one.before not in (None, one.text):
        write_lines(*(line.rstrip("\r\n") for line in _unified(name, one.before or "", one.text)))
        write_lines(f"{name}: differs from {one.photo}; not written")
        return
    reporter.report(one.character.findings)
    counts = console.counts(reporter.apply_strict(one.character.findings))
    size = f"{len(one.content):,} bytes of {one.photo}"
    if one.before is not None:
        write_lines(f"{name}: equal to the {size}; {counts}")
    elif dry_run:
        write_lines(f"{name}: {size} would be written; then {counts}")
    else:
        done = written.get(name) is None
        write_lines(f"{name}: {size} written; {counts}" if done else f"{name}: not written")


def _facts(
    name: str, before: str | None, after: str, one: Character, reporter: console.Reporter
) -> dict[str, Any]:
    findings = reporter.apply_strict(one.findings)
    return {
        "ok": not errors(findings),
        "diff": "".join(_unified(name, before, after)) if before is not None else "",
        "findings": console.findings_data(findings),
    }


def _write_file_summary(
    merged: merging.MergedFile,
    reporter: console.Reporter,
    dry_run: bool,
    written: Mapping[str, Any],
) -> None:
    name = str(merged.path)
    reporter.lines[name] = split_lines(merged.after)
    if dry_run:
        changed = _unified(name, merged.before, merged.after)
        write_lines(*(part for line in changed for part in line.rstrip("\r\n").split("\n")))
    reporter.report(merged.character.findings)
    counts = console.counts(reporter.apply_strict(merged.character.findings))
    done = sum(change.state in ("merged", "noted") for change in merged.changes)
    what = f"{done} change{'' if done == 1 else 's'}"
    if merged.after == merged.before:
        write_lines(f"{name}: nothing to change; {counts}")
    elif dry_run:
        write_lines(f"{name}: {what} would be written; then {counts}")
    elif written.get(name) is None:
        write_lines(f"{name}: {what} written; now {counts}")
    else:
        write_lines(f"{name}: not written")


def _unified(name: str, before: str, after: str) -> Iterator[str]:
    """Yield the lines that change, as `diff -u` shows them."""
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    for line in difflib.unified_diff(old, new, name, name, n=1):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def format_change(change: Change) -> str:
    """Return a change as a line: before, after, and what became of it."""
    before, after = shorten_pair(change.printed or "", change.filled)
    old = "?" if change.printed is None else _one_line(before)
    text = f"  {change.label}: {old} -> {_one_line(after)}"
    current = _one_line(shorten_pair(change.current, change.filled)[0])
    behind = _WORDS.get(change.state, "").format(current=current)
    return f"{text}  ({behind})" if behind else text


def _one_line(words: str) -> str:
    return words.strip().replace("\n", " / ") or "nothing"
