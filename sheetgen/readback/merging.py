"""Merge a filled sheet into its author's file. Read this module first.

`merge_sheet` applies each changed topic to a working copy of the file (`edits/`), checks the new
file, and puts typed text that it does not show into the character's notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, in_order
from sheetgen.load.characters import RulesetCache, load_from_source
from sheetgen.load.yaml.edit import CannotEdit
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.filled import NAME, ON, Field, FilledSheet
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import Character, check_loaded
from sheetgen.readback.edits import ledgers, notes, ratings, things
from sheetgen.readback.edits.notes import keep_unplaced
from sheetgen.readback.edits.working_copy import (
    Change,
    WorkingCopy,
    change_of,
    excerpt,
    shorten_pair,
)
from sheetgen.readback.topics import NOWHERE, Texts, Topic, find_topics, normalize_text
from sheetgen.rules.index import folded

Apply = Callable[[WorkingCopy, Topic], None]

APPLY: Final[Mapping[str, Apply]] = {
    "text": things.edit_text,
    "number": things.edit_number,
    "choice": things.edit_choice,
    "states": things.edit_state,
    "texts": things.edit_texts,
    "choices": things.edit_choices,
    "items": things.edit_items,
    "rows": things.edit_rows,
    "boxes": ratings.edit_boxes,
    "own": ratings.edit_own,
    "named": ratings.edit_named_ratings,
    "detail": things.edit_detail,
    "track": things.edit_track,
    "dice": things.edit_dice,
    "link": things.edit_link,
    "pin": things.edit_pin,
    NOWHERE: notes.note_unplaced,
}
"""The function that writes each kind of topic into the file; ledgers are written by pool."""


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


def current_texts(one: Character, sheet: FilledSheet) -> Texts:
    """Return what a character would print now in each field of a sheet."""
    texts = _printed_texts(one)
    return {
        name: texts.get(name, "") if not f.box or texts.get(name) == ON else ""
        for name, f in sheet.fields.items()
    }


def _printed_texts(one: Character) -> Texts:
    """Return what a character prints, by field, rows beyond the last one of a sheet included."""
    if one.build is None or one.rules is None:
        return {}
    view = build_view(one.build, one.rules)
    ticks = dict.fromkeys(view.ticks, ON)
    return {name: shown.text for name, shown in view.texts.items()} | ticks


def merge_sheet(
    sheet: FilledSheet,
    into: MergedFile,
    cache: RulesetCache,
    chosen: Mapping[str, str],
    printed: Texts | None = None,
    is_new: bool = False,
) -> None:
    """Merge the changes of `sheet` into the file `into`, and check the new file.

    Args:
        printed: What was printed in each field, if the sheet does not record it but the
            caller knows.
        is_new: Whether the file is new.
    """
    one = into.character
    assert one.source is not None
    assert one.rules is not None
    draft = check_draft(one.source, one.rules, chosen)
    sheet = _with_rows_before(sheet, one) if sheet.lacks_pages else sheet
    current = current_texts(one, sheet)
    topics, computed = find_topics(sheet, draft, current, printed)
    if not any(topic.typed_fields or topic.changed for topic in (*topics, *computed)):
        return
    work = WorkingCopy(
        into.after, draft, is_new, recheck=lambda text: _recheck(into.path, text, cache, chosen)
    )
    work.track_topics = [topic for topic in topics if topic.place.kind == "track"]
    notes_key = notes.find_notes_key(work)
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
    for topic in computed if is_new else ():
        if topic.typed_fields and topic.names[0].endswith(".total"):
            before = work.text
            _try_edit(work, topic, lambda t=topic: ratings.edit_total(work, t))  # type: ignore[misc]
            if work.text != before:
                changes[id(topic)] = change_of(topic, "merged")
    rest = [t for t in (*topics, *computed) if t not in later]
    shown = _printed_texts(check_text(into.path, work.text, cache, chosen))
    unplaced = keep_unplaced(work, rest, shown)
    for number, change in changes.items():
        other = unplaced.pop(number, None)
        changes[number] = other if other is not None and change.state == "kept" else change
    changes |= unplaced
    for topic in later:
        notes.remove_noted(topic, work.note_lines)
        if topic.changed and not topic.is_current:
            changes[id(topic)] = _apply(work, topic)
    into.changes += [*changes.values(), *(one for one in gains if one is not None)]
    _try_edit(work, None, lambda: notes.write_notes(work, notes_key))
    into.after = work.text
    into.character = check_text(into.path, work.text, cache, chosen)
    into.findings += work.findings


def _with_rows_before(sheet: FilledSheet, one: Character) -> FilledSheet:
    """Return a sheet without some pages with the rows before its own, as the file has them.

    Rows are written by their place in the list, which may begin on a page that is missing.
    """
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
                fields[name] = Field(name, texts[name], texts[name], texts[name] == ON)
    return replace(sheet, fields=fields)


def _recheck(path: Path, text: str, cache: RulesetCache, chosen: Mapping[str, str]) -> Draft | None:
    read = parse_yaml(text, str(path))
    if read.value is None:
        return None
    loaded = load_from_source(path, read.value, (), cache, chosen)[0]
    if loaded.source is None or loaded.rules is None:
        return None
    return check_draft(loaded.source, loaded.rules, chosen)


def _is_dependent(topic: Topic) -> bool:
    """Whether a topic depends on others: boxes that ratings give, traits that rows name."""
    of = topic.place.of
    return topic.place.kind == "track" or (topic.place.kind in ("link", "pin") and of[1].isdigit())


def _apply_gains(work: WorkingCopy, pool: str, topics: list[Topic]) -> Change | None:
    """Write the sessions and gains of a pool; return the change, if there is one."""
    before = work.text
    rows = [t for t in topics if t.place.kind == "ledger" and t.place.of[0] == pool]
    gained = ledgers.edit_ledger(work, pool, rows)
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
        work.report(
            code, topic, message, "change the file by hand if the sheet is right; it keeps its own"
        )
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


def find_changes(sheet: FilledSheet, one: Character, chosen: Mapping[str, str]) -> list[Change]:
    """Return the changes on a sheet since it was printed; `one` is a character of its ruleset."""
    assert one.source is not None
    assert one.rules is not None
    draft = check_draft(one.source, one.rules, chosen)
    printed = {name: field.printed or "" for name, field in sheet.fields.items()}
    topics, computed = find_topics(sheet, draft, printed, printed)
    return [change_of(t, "seen") for t in (*topics, *computed) if t.typed_fields]


def plain_changes(sheet: FilledSheet) -> list[Change]:
    """Return the fields that changed since a sheet of unknown rules was printed."""
    return [
        Change(one.label or name, (name,), one.printed, one.filled, "", "seen")
        for name, one in sheet.fields.items()
        if one.printed is not None and one.printed != one.filled
    ]


def find_mismatches(sheet: FilledSheet, one: Character) -> list[Finding]:
    """Return why a sheet may not belong to a character's file; with an error it is not merged."""
    span = Span(str(one.path))
    rules = one.rules
    assert rules is not None
    findings = []
    if sheet.ruleset and sheet.ruleset != str(rules.id):
        message = f"{sheet.label} is of `{sheet.ruleset}`; the file is of `{rules.id}`"
        findings.append(
            Finding(codes.OTHER_RULES, span, message, "check that this is the right file")
        )
    elif sheet.version and sheet.version != str(rules.version):
        message = (
            f"{sheet.label} is of version {sheet.version} of the rules; this is {rules.version}"
        )
        hint = "look at each change: a name may mean something else by now"
        findings.append(Finding(codes.OTHER_RULES, span, message, hint, Severity.WARNING))
    name = one.build.name if one.build is not None else ""
    filled = sheet.fields[NAME].filled if NAME in sheet.fields else ""
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
