"""Read filled sheets back into the authors' files. Read this module first.

`read_back` finds the character's file that each sheet belongs to. `merge_sheet` applies each
changed topic to a working copy of the file, checks the new file, and puts typed text
that it does not show into the character's notes.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors, in_order
from sheetgen.load.characters import RulesetCache, load_from_source
from sheetgen.load.files import decode_text, find_unsaved, read_document, yaml_files
from sheetgen.load.filled import is_photo, pdf_time_limit, read_filled, read_photo
from sheetgen.load.yaml.edit import CannotEdit
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model import filled as filling
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.sheets.view import build_blank_view, build_view
from sheetgen.prints.characters import Character, check_loaded, load_character_file
from sheetgen.readback import ratings, things
from sheetgen.readback.topics import (
    COMPUTED,
    NOWHERE,
    Change,
    Texts,
    Topic,
    WorkingCopy,
    change_of,
    count_marked,
    excerpt,
    find_topics,
    normalize_text,
    place_of,
    shorten_pair,
)
from sheetgen.records import frozen
from sheetgen.rules.index import closest_names, file_stem, folded
from sheetgen.write import overwrite_file, write_new

APPLY: Final[Mapping[str, Callable[[WorkingCopy, Topic], None]]] = {
    "text": things.edit_text,
    "number": things.edit_number,
    "choice": things.edit_choice,
    "states": things.edit_state,
    "texts": things.edit_texts,
    "choices": lambda work, topic: things.edit_picks(work, topic, topic.place.of[0]),
    "items": things.edit_items,
    "rows": things.edit_rows,
    "boxes": lambda work, topic: ratings.rate(work, topic, count_marked(topic.filled)),
    "own": ratings.edit_own,
    "named": ratings.edit_named_ratings,
    "detail": things.edit_detail,
    "track": things.edit_track,
    "dice": things.edit_dice,
    "link": things.edit_link,
    "pin": things.edit_pin,
    NOWHERE: things.note_unplaced,
}
"""The function that writes each kind of topic into the file; ledgers are written by pool."""

_NAME = re.compile(r"[\w.-]+(\+[\w.-]+)*")
_BOM = b"\xef\xbb\xbf"
_OTHER: Final = re.compile(r"[^\w-]")  # the text in a code is untrusted: what no name needs


@dataclass
class MergedFile:
    """A character's file after sheets were merged into it; `findings` are about the sheets."""

    path: Path
    before: str
    after: str
    character: Character
    changes: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def check_text(path: Path, text: str, cache: RulesetCache, chosen: Mapping[str, str]) -> Character:
    """Return the checked character of the file text `text`, as if it were the file at `path`."""
    read = parse_yaml(text, str(path))
    if read.value is None:
        return Character(path, None, None, None, read.findings)
    loaded = load_from_source(path, read.value, read.findings, cache, chosen)
    return check_loaded(loaded[0], chosen, cache)


def current_texts(one: Character, sheet: filling.FilledSheet) -> Texts:
    """Return what a character would print now in each field of a sheet."""
    texts = _printed_texts(one)
    return {
        name: texts.get(name, "") if not f.box or texts.get(name) == filling.ON else ""
        for name, f in sheet.fields.items()
    }


def _printed_texts(one: Character) -> Texts:
    """Return what a character prints, by field, rows beyond the last one of a sheet included."""
    if one.build is None or one.rules is None:
        return {}
    view = build_view(one.build, one.rules)
    ticks = dict.fromkeys(view.ticks, filling.ON)
    return {name: shown.text for name, shown in view.texts.items()} | ticks


def merge_sheet(
    sheet: filling.FilledSheet,
    into: MergedFile,
    cache: RulesetCache,
    chosen: Mapping[str, str],
    printed: Texts | None = None,
    is_new: bool = False,
) -> None:
    """Merge `sheet` into the file `into`; `printed` is for sheets that do not record what was."""
    one = into.character
    assert one.source is not None
    assert one.rules is not None
    draft = check_draft(one.source, one.rules, chosen)
    sheet = _with_rows_before(sheet, one) if sheet.lacks_pages else sheet
    topics, computed = find_topics(sheet, draft, current_texts(one, sheet), printed)
    if not any(topic.typed_fields or topic.changed for topic in (*topics, *computed)):
        return

    def recheck(text: str) -> Draft | None:
        read = parse_yaml(text, str(into.path))
        if read.value is None:
            return None
        loaded = load_from_source(into.path, read.value, (), cache, chosen)[0]
        if loaded.source is None or loaded.rules is None:
            return None
        return check_draft(loaded.source, loaded.rules, chosen)

    work = WorkingCopy(into.after, draft, is_new, recheck=recheck)
    work.track_topics = [topic for topic in topics if topic.place.kind == "track"]
    keys = draft.rules.character.items()
    notes_key = next((str(id_) for id_, key in keys if key.kind == "text" and key.lines), "")
    later = [t for t in topics if t.place.kind == "text" and t.place.of[0] == notes_key]
    touched = [t for t in topics if t.place.kind in APPLY and t.changed and not t.is_current]
    changes: dict[int, Change] = {}
    gains: list[Change | None] = []
    for topic in (t for t in touched if t not in later and not _is_dependent(t)):
        changes[id(topic)] = _apply(work, topic)
    for pool in dict.fromkeys(t.place.of[0] for t in topics if t.place.kind == "ledger"):
        _try_edit(work, None, lambda p=pool: gains.append(_apply_gains(work, p, topics)))  # type: ignore[misc]
    refused: list[Topic] = []
    _try_edit(work, None, lambda: refused.extend(ratings.buy_steps(work)))
    changes |= {id(topic): replace(changes[id(topic)], state="kept") for topic in refused}
    if last := [t for t in touched if _is_dependent(t)]:
        # They are read with the draft of the file that the other topics led to.
        before_others = work.draft
        work.draft = work.recheck(work.text) or before_others
        changes |= {id(topic): _apply(work, topic) for topic in last}
        work.draft = before_others
    moved: list[Change] = []
    _try_edit(work, None, lambda: moved.extend(ratings.keep_steps(work)))
    for topic in computed if is_new else ():
        if topic.typed_fields and topic.names[0].endswith(".total"):
            before = work.text
            _try_edit(work, topic, lambda t=topic: ratings.edit_total(work, t))  # type: ignore[misc]
            if work.text != before:
                changes[id(topic)] = change_of(topic, "merged")
    rest = [t for t in (*topics, *computed) if t not in later]
    shown = _printed_texts(check_text(into.path, work.text, cache, chosen))
    unplaced = things.keep_unplaced(work, rest, shown)
    for number, change in changes.items():
        other = unplaced.pop(number, None)
        changes[number] = other if other is not None and change.state == "kept" else change
    changes |= unplaced
    for topic in later:
        things.remove_noted(topic, work.note_lines)
        if topic.changed and not topic.is_current:
            changes[id(topic)] = _apply(work, topic)
    into.changes += [*changes.values(), *(one for one in gains if one is not None), *moved]
    _try_edit(work, None, lambda: things.write_notes(work, notes_key))
    into.after = work.text
    into.character = check_text(into.path, work.text, cache, chosen)
    into.findings += work.findings


def _with_rows_before(sheet: filling.FilledSheet, one: Character) -> filling.FilledSheet:
    """Return a sheet with the rows before its own, as in the file: rows have places in a list."""
    families: dict[tuple[str, str], set[int]] = {}
    for name in sheet.fields:
        for found in re.finditer(r"(?<=\.)\d{1,4}(?=\.|$)", name):
            family = name[: found.start()], name[found.end() :]
            families.setdefault(family, set()).add(int(found[0]))
    texts, fields = _printed_texts(one), dict(sheet.fields)
    for (begins, ends), numbers in families.items():
        for number in sorted(set(range(1, max(numbers))) - numbers):
            name = f"{begins}{number}{ends}"
            if name in texts:
                fields[name] = filling.Field(
                    name, texts[name], texts[name], texts[name] == filling.ON
                )
    return replace(sheet, fields=fields)


def _is_dependent(topic: Topic) -> bool:
    """Whether a topic depends on others: boxes that ratings give, traits that rows name."""
    of = topic.place.of
    return topic.place.kind == "track" or (topic.place.kind in ("link", "pin") and of[1].isdigit())


def _apply_gains(work: WorkingCopy, pool: str, topics: list[Topic]) -> Change | None:
    """Write the sessions and gains of a pool; return the change, if there is one."""
    before = work.text
    rows = [t for t in topics if t.place.kind == "ledger" and t.place.of[0] == pool]
    gained = ratings.edit_ledger(work, pool, rows)
    if work.text == before:
        return None
    label = work.draft.rules.pools[pool].label
    old = str(work.draft.numbers.get(str(work.draft.rules.pools[pool].adds), ""))
    columns = (".session", ".gained")
    typed = {
        n: normalize_text(t.filled[n]) for t in rows for n in t.typed_fields if n.endswith(columns)
    }
    words = ", ".join(filter(None, typed.values()))
    what = "gained" if gained else "sessions"
    return Change(f"{label} {what}", tuple(typed), "", words, old, "merged")


def _apply(work: WorkingCopy, topic: Topic) -> Change:
    change = change_of(topic, "merged")
    if topic.file_changed and not work.is_new:
        unknown = topic.printed is None
        code = codes.PRINTED_UNKNOWN if unknown else codes.CONFLICT
        before = "" if unknown else f"printed `{excerpt(change.printed or '')}`, "
        filled, current = shorten_pair(change.filled, change.current)
        message = f"{topic.label}: {before}on the sheet `{filled}`, in the file `{current}`"
        work.conflicting.update(topic.names)
        hint = "change the file by hand if the sheet is right; it keeps its own"
        work.report(code, topic, message, hint)
        return replace(change, state="unknown" if unknown else "conflict")
    before_text, raised, lines = work.text, dict(work.raised), len(work.note_lines)
    _try_edit(work, topic, lambda: APPLY[topic.place.kind](work, topic))
    if work.text != before_text or work.raised != raised:
        return change
    return replace(change, state="noted" if len(work.note_lines) > lines else "kept")


def _try_edit(work: WorkingCopy, topic: Topic | None, edit: Callable[[], None]) -> None:
    """Call `edit`; if the file cannot be edited there, restore it and report that."""
    before = work.text
    try:
        edit()
    except CannotEdit as why:
        work.text = before
        label = f"{topic.label}: " if topic is not None else ""
        message = f"{label}this place in the file cannot be edited: {why}"
        work.report(codes.NOT_EDITED, topic, message, "make this change by hand")


def plain_changes(sheet: filling.FilledSheet) -> list[Change]:
    """Return the fields that changed since a sheet of unknown rules was printed."""
    return [
        Change(one.label or name, (name,), one.printed, one.filled, "", "seen")
        for name, one in sheet.fields.items()
        if one.printed is not None and one.printed != one.filled
    ]


def find_mismatches(sheet: filling.FilledSheet, one: Character) -> list[Finding]:
    """Return why a sheet may not belong to a character's file; with an error it is not merged."""
    span = Span(str(one.path))
    rules = one.rules
    assert rules is not None
    findings = []
    if sheet.ruleset and sheet.ruleset != str(rules.id):
        message = f"{sheet.label} is of `{sheet.ruleset}`; the file is of `{rules.id}`"
        hint = "check that this is the right file"
        findings.append(Finding(codes.OTHER_RULES, span, message, hint))
    elif sheet.version and sheet.version != str(rules.version):
        message = (
            f"{sheet.label} is of version {sheet.version} of the rules; this is {rules.version}"
        )
        hint = "look at each change: a name may mean something else by now"
        findings.append(Finding(codes.OTHER_RULES, span, message, hint, Severity.WARNING))
    name = one.build.name if one.build is not None else ""
    filled = sheet.fields[filling.NAME].filled if filling.NAME in sheet.fields else ""
    known = (folded(sheet.character), folded(filled))
    of_file = one.source is not None and sheet.digest == one.source.digest
    if sheet.character and name and folded(name) not in known and not of_file:
        message = f"{sheet.label} is of {sheet.character}; the file is of {name}"
        hint = f"name the file of {sheet.character} with `--into`; if {name} was called so when "
        hint += "the sheet was printed, write the old name into the file while it is read"
        findings.append(Finding(codes.OTHER_RULES, span, message, hint))
    elif not sheet.character and not sheet.ruleset and not sheet.digest and name:
        message = f"{sheet.label} does not say whose it is; it is read as the sheet of {name}"
        hint = "look whether it is the right file"
        at = Span(sheet.file)
        findings.append(Finding(codes.OTHER_RULES, at, message, hint, Severity.WARNING))
    if sheet.lacks_pages:
        message = f"{sheet.label} has {len(sheet.fields)} of {sheet.printed_fields} fields; "
        message += "pages are missing"
        hint = "read the whole sheet if something was typed on them"
        at = Span(sheet.file)
        findings.append(Finding(codes.MIXED_SHEETS, at, message, hint, Severity.WARNING))
    return list(in_order(findings))


@dataclass
class SheetResult:
    """One filled sheet, and its changes; `into` is the file that it went to, None for none."""

    sheet: filling.FilledSheet
    changes: list[Change] = field(default_factory=list)
    into: Path | None = None


@dataclass
class ReadbackResult:
    """The sheets of a run, the merged files by name, and findings about the sheets."""

    sheets: list[SheetResult] = field(default_factory=list)
    files: dict[str, MergedFile] = field(default_factory=dict)
    restored: list[RestoredFile] = field(default_factory=list)  # from QR codes
    findings: list[Finding] = field(default_factory=list)
    # The character before merging, and the digest of its file (empty for a new one), by file.
    originals: dict[str, tuple[Character, str]] = field(default_factory=dict)


def read_back(
    paths: Iterable[Path], into: Path | None, chosen: Mapping[str, str], rulesets: RulesetCache
) -> ReadbackResult:
    """Read the filled sheets in `paths`; merge each into `into`, a file or one in it, or none.

    Pictures of printed sheets give back the files in their QR codes. Nothing is written;
    `write_changed` and `write_restored` do that.
    """
    reader = _SheetReader(into, chosen, rulesets)
    photos = []
    for path in paths:
        if is_photo(path):
            photos.append(path)
        else:
            reader.read(path)
    reader.restore(photos)
    return reader.result


def write_changed(result: ReadbackResult) -> list[tuple[Path, Finding | None]]:
    """Write the files that changed; return each, with a finding if it could not be written."""
    written = []
    for name, merged in result.files.items():
        if merged.after != merged.before:
            one, digest = result.originals[name]
            content = merged.after.encode("utf-8")
            old = one.source.text.encode("utf-8") if one.source is not None else b""
            has_bom = bool(digest) and hashlib.sha256(_BOM + old).hexdigest() == digest
            failed = overwrite_file(merged.path, _BOM + content if has_bom else content, digest)
            written.append((merged.path, failed))
    return written


class _SheetReader:
    def __init__(
        self, into: Path | None, chosen: Mapping[str, str], rulesets: RulesetCache
    ) -> None:
        self.into, self.chosen, self.rulesets = into, chosen, rulesets
        self.result = ReadbackResult()
        self.known: list[Character] | None = None
        if into is not None and os.path.isdir(into):
            files = (load_character_file(path, rulesets, chosen) for path in yaml_files(into))
            single = (found[0] for found in files if len(found) == 1)
            self.known = [one for one in single if one.build is not None and one.kind is None]

    def report(self, code: codes.Code, path: Path | str, message: str, hint: str = "") -> None:
        self.result.findings.append(Finding(code, Span(str(path)), message, hint))

    def read(self, path: Path) -> None:
        """Read the sheets in one file; stop when the processor time for it is used up."""
        start = sum(os.times()[:4])  # of this process and its finished children, in seconds
        found = read_filled(path)
        self.result.findings += found.findings
        sheets = found.value or ()
        limit = pdf_time_limit(path) if sheets else 0
        into = self.into
        targets = [self._find_target(one, into) for one in sheets] if into is not None else []
        rivals = self._find_rivals(sheets, targets)
        for number, sheet in enumerate(sheets):
            if number and sum(os.times()[:4]) > start + limit:
                message = f"reading takes more than {limit} s of processor time; "
                message += f"{len(sheets) - number:,} sheets of this file were not read, "
                message += f"from `{sheet.part}` on"
                hint = "save these in a file of their own, or print fewer characters in one file"
                self.report(codes.TOO_LARGE, sheet.file, message, hint)
                break
            one = SheetResult(sheet)
            self.result.sheets.append(one)
            if not targets or number in rivals:
                self._list_changes(one)
            elif (target := targets[number]) is not None:
                self._merge(one, target)

    def _find_rivals(
        self, sheets: Sequence[filling.FilledSheet], targets: Sequence[Path | None]
    ) -> set[int]:
        """Return sheets that are copies of one and disagree: nothing says which is right."""
        seen: dict[tuple[str, ...], tuple[int, str]] = {}
        found: dict[tuple[int, int], list[str]] = {}
        for number, sheet in enumerate(sheets):
            whose = sheet.ruleset, sheet.digest, sheet.character
            if self.known is not None:
                whose = "", "", str(targets[number] or number)
            elif targets:  # all go into one file, if they are of its character
                whose = sheet.ruleset, "", folded(sheet.character) or sheet.digest
            elif not (sheet.digest or sheet.character):
                continue  # an empty sheet, of anybody
            for name, one in sheet.fields.items():
                typed = normalize_text(one.filled)
                if typed == normalize_text(one.printed or ""):
                    continue
                first, text = seen.setdefault((*whose, name), (number, typed))
                if text != typed:
                    values = f"`{excerpt(text)}` and `{excerpt(typed)}`"
                    found.setdefault((first, number), []).append(f"{one.label or name}, {values}")
        for (first, number), texts in found.items():
            message = f"{sheets[first].label} and `{sheets[number].part}` are copies of one sheet "
            message += f"with different values: {texts[0]}"
            message += f"; and {len(texts) - 1} more" if len(texts) > 1 else ""
            hint = "save the copy that is right in a file of its own, and read that"
            self.report(codes.MIXED_SHEETS, sheets[first].file, message, hint)
        return {number for pair in found for number in pair}

    def _list_changes(self, one: SheetResult) -> None:
        sheet = one.sheet
        if not _NAME.fullmatch(sheet.ruleset):
            message = f"{sheet.label} does not say which rules it was printed from"
            hint = "name the character's file with `--into`"
            self.report(codes.NOT_OURS, sheet.file, message, hint)
            one.changes += plain_changes(sheet)
        elif not sheet.has_printed_values:
            message = f"{sheet.label} holds no record of edits"
            hint = "name the character's file with `--into` to compare its fields with that"
            code, span = codes.PRINTED_UNKNOWN, Span(sheet.file)
            self.result.findings.append(Finding(code, span, message, hint, Severity.NOTE))
        else:
            empty = check_text(Path(sheet.file), _new_text(sheet), self.rulesets, self.chosen)
            if empty.rules is None or empty.build is None:
                self.result.findings += errors(empty.findings)
            else:
                assert empty.source is not None
                draft = check_draft(empty.source, empty.rules, self.chosen)
                before = {name: field.printed or "" for name, field in sheet.fields.items()}
                topics, computed = find_topics(sheet, draft, before, before)
                typed = (topic for topic in (*topics, *computed) if topic.typed_fields)
                one.changes += (change_of(topic, "seen") for topic in typed)

    def _find_target(self, sheet: filling.FilledSheet, into: Path) -> Path | None:
        """Return the file that a sheet goes to; None, and a finding, if there is none."""
        if self.known is not None:
            # The character that the sheet was printed from: by digest, or else by name.
            hint, known = "name the file itself with `--into`", self.known
            built = [(one, one.build) for one in known if one.build is not None]
            called = closest_names(sheet.character, (build.name for _, build in built))
            same = (one for one in known if sheet.digest and _digest(one) == sheet.digest)
            named = (c for c, b in built if b.name in called and sheet.ruleset in ("", b.ruleset))
            one = next(same, None) or next(named, None)
            if one is None:
                who = sheet.character or "its character; the sheet does not name it"
                message = f"{sheet.label}: no file in this folder is that of {who}"
                self.report(codes.NOWHERE, into, message, hint)
                return None
            if not Path(os.path.realpath(one.path)).is_relative_to(os.path.realpath(into)):
                message = "a link leads out of the folder here; it is not followed"
                self.report(codes.NOWHERE, one.path, message, hint)
                return None
            self.result.originals.setdefault(str(one.path), (one, _digest(one)))
            return one.path
        if str(into) in self.result.originals:
            return into
        if not os.path.lexists(into) and find_unsaved(into) is None:
            if sheet.character or not _NAME.fullmatch(sheet.ruleset):
                message = "there is no such file; a new one is begun from an empty sheet only"
                self.report(codes.NOWHERE, into, message, "check the path")
                return None
            one, digest = check_text(into, _new_text(sheet), self.rulesets, self.chosen), ""
            wrong = errors(one.findings)
        else:
            several = load_character_file(into, self.rulesets, self.chosen)
            one, digest, wrong = several[0], _digest(several[0]), several[0].findings
            if len(several) > 1 or one.kind is not None:
                message = "several characters, or none, are in this file"
                self.report(codes.NOWHERE, into, f"{message}; sheets go to files of one")
                return None
        if one.build is None:
            self.result.findings += wrong
            return None
        self.result.originals[str(into)] = one, digest
        return into

    def _merge(self, one: SheetResult, target: Path) -> None:
        name = str(target)
        original, digest = self.result.originals[name]
        assert original.source is not None
        merged = self.result.files.get(name)
        if merged is None:
            text = original.source.text
            merged = MergedFile(target, text if digest else "", text, original)
            self.result.files[name] = merged
        mismatches = find_mismatches(one.sheet, original)
        self.result.findings += mismatches
        if errors(mismatches):
            if _NAME.fullmatch(one.sheet.ruleset):
                self._list_changes(one)
            else:
                one.changes += plain_changes(one.sheet)
            return
        one.into = target
        # What was printed on the sheet, if the file that it was printed from tells it.
        assert original.rules is not None
        printed: Texts | None = None
        if digest and one.sheet.digest == digest:
            printed = current_texts(original, one.sheet)
            self._report_false_record(one.sheet, original.rules, printed)
        elif not digest:
            blank = build_blank_view(original.rules).texts
            printed = {n: blank[n].text if n in blank else "" for n in one.sheet.fields}
        before = len(merged.changes)
        merge_sheet(one.sheet, merged, self.rulesets, self.chosen, printed, is_new=not digest)
        one.changes += merged.changes[before:]

    def _report_false_record(
        self, sheet: filling.FilledSheet, rules: Ruleset, printed: Texts
    ) -> None:
        """Report a sheet without edits that differs from its file: a program recorded no edits."""
        fields = sheet.fields
        if any(one.filled != one.printed for one in fields.values()):
            return
        differ = [
            f"{one.label or name}, `{excerpt(one.filled)}` instead of `{excerpt(printed[name])}`"
            for name, one in fields.items()
            if normalize_text(one.filled) != normalize_text(printed[name])
            and place_of(name, rules, fields.keys()).kind not in (COMPUTED, "ledger")
        ]
        if differ:
            more = f"; and {len(differ) - 1} more" if len(differ) > 1 else ""
            message = f"{sheet.label} records no edit, but differs from its file: {differ[0]}{more}"
            hint = "compare them by hand: another program may have recorded edits as printed"
            span, severity = Span(sheet.file), Severity.WARNING
            finding = Finding(codes.PRINTED_UNKNOWN, span, message, hint, severity)
            self.result.findings.append(finding)

    def restore(self, photos: Iterable[Path]) -> None:
        """Read the files in the codes of pictures; nothing is written."""
        into, known, chosen, rulesets = self.into, self.known or (), self.chosen, self.rulesets
        findings, restored = self.result.findings, self.result.restored
        parts: dict[bytes, list[filling.BackupPart]] = {}
        seen: dict[bytes, Path] = {}
        for path in photos:
            read = read_photo(path)
            findings += read.findings
            for part in read.value or ():
                parts.setdefault(part.digest, []).append(part)
                seen.setdefault(part.digest, path)
        for digest, some in parts.items():
            photo = seen[digest]
            try:
                content = filling.join_payloads(some)
            except filling.BackupDamaged as error:
                hint = "photograph all codes of the sheet: flat, sharp, in even light"
                findings.append(Finding(codes.BAD_CODE, Span(str(photo)), str(error), hint))
                continue
            decoded = decode_text(content, Span(str(photo)))
            if decoded.value is None:
                findings.append(decoded.findings[0])
                continue
            text, own = decoded.value
            target = into if into is not None else photo.parent
            if into is None or os.path.isdir(into):  # the file is to be found in a folder
                build = check_text(target / "restored.yaml", text, rulesets, chosen).build
                name = build.name if build is not None else ""
                same = (c for c in known if c.source is not None and c.source.digest == own)
                named = (c for c in known if name and c.build is not None and c.build.name == name)
                stems = (_OTHER.sub("", file_stem(one)) for one in (name, photo.stem))
                usual = target / f"{next(filter(None, stems), 'character')}.yaml"
                found = next(same, None) or next(named, None)
                target = found.path if found is not None else usual
            before = None
            if os.path.lexists(target):
                there = read_document(target)
                if there.value is None:
                    findings.append(there.findings[0])
                    continue
                before = there.value.decode("utf-8-sig", "replace")
                if hashlib.sha256(there.value).hexdigest() == own:
                    content = there.value
            if any(target == other.target for other in restored):
                message = f"{target.name} was in another code of this run; this one is not written"
                hint = "read this picture alone, with `--into` and another name"
                findings.append(Finding(codes.NOWHERE, Span(str(photo)), message, hint))
                continue
            checked = check_text(target, text, rulesets, chosen)
            restored.append(one := RestoredFile(str(photo), target, content, before, checked))
            if before not in (None, one.text):
                message = "this file is not the one in the code; it is left as it is"
                hint = "name a new file with `--into` to write the one in the code"
                place, warning = Span(str(target)), Severity.WARNING
                findings.append(Finding(codes.DIFFERS, place, message, hint, warning))


def _new_text(sheet: filling.FilledSheet) -> str:
    """Return a character's file that names the ruleset of a sheet, and nothing else."""
    parts = sheet.ruleset.split("+")
    return f"ruleset: {parts[0] if len(parts) == 1 else '[' + ', '.join(parts) + ']'}\n"


def _digest(one: Character) -> str:
    return one.source.digest if one.source is not None else ""


@frozen
class RestoredFile:
    """A character's file as its sheet was printed from it."""

    photo: str  # The picture with its code.
    target: Path
    content: bytes
    before: str | None  # The text of the file at `target`; None if there is none.
    character: Character

    @property
    def text(self) -> str:
        """The text of the file."""
        return self.content.decode("utf-8-sig", "replace")


def write_restored(restored: Iterable[RestoredFile]) -> dict[str, Finding | None]:
    """Write the files that do not exist; return each, with a finding if that is not possible."""
    return {
        str(one.target): write_new(one.target, one.content)
        for one in restored
        if one.before is None
    }
