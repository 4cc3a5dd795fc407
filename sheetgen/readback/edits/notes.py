"""Edits of a character's notes, which take all text that has no other place."""

from __future__ import annotations

from collections.abc import Sequence

from sheetgen.diag import read_codes
from sheetgen.diag.findings import Severity
from sheetgen.model.filled import ON
from sheetgen.readback.edits.working_copy import WorkingCopy
from sheetgen.readback.topics import Topic, normalize_text


def note_unplaced(work: WorkingCopy, topic: Topic) -> None:
    """Note the text of a field that the ruleset does not have; only report a mark."""
    words = topic.filled[topic.names[0]]
    if words == ON:
        message = f"{topic.label}: it is marked; a character's file has no place for that"
        work.report(read_codes.NO_PLACE, topic, message, severity=Severity.NOTE)
    else:
        work.to_notes(topic, words, "has no place")


def find_notes_key(work: WorkingCopy) -> str:
    """Return the key of the notes; empty if the ruleset has none."""
    keys = work.draft.rules.character.items()
    return next((str(id_) for id_, key in keys if key.kind == "text" and key.lines), "")


def remove_noted(topic: Topic, lines: Sequence[str]) -> None:
    """Remove from the compared notes what an earlier reading of this sheet noted."""
    name = topic.names[0]
    left, typed = topic.current[name].rstrip("\n"), normalize_text(topic.filled[name])
    while True:
        found = (n for n in lines if _ends(left, normalize_text(n)) and not _holds(typed, n))
        line = next(found, None)
        if line is None:
            break
        left = left[: -len(normalize_text(line))].rstrip("\n")
    shortened = topic.printed is not None and _begins(normalize_text(topic.printed[name]), typed)
    if typed and _begins(left, typed) and not shortened:
        left = typed  # The lines below came from an earlier reading.
    topic.current = {name: left}


def _begins(text: str, lines: str) -> bool:
    return f"{text}\n".startswith(f"{lines}\n")


def _ends(text: str, line: str) -> bool:
    return f"\n{text}".endswith(f"\n{line}")


def _holds(text: str, line: str) -> bool:
    return f"\n{normalize_text(line)}\n" in f"\n{normalize_text(text)}\n"


def _holds_row(text: str, line: str) -> bool:
    """Whether the notes hold the cells of `line` already, among others of the same row.

    A row that was noted from an empty sheet has more: its name, or what is left.
    """
    label, _, words = line.partition(": ")
    beginning, end = f"\n{label}: ", f" · {normalize_text(words)}\n"
    if beginning in f"\n{text}" and end in f"{normalize_text(text)}\n":
        return True
    return f"\n{normalize_text(line)}, left " in f"\n{text}"


def write_notes(work: WorkingCopy, key: str) -> None:
    """Write all lines to the notes, each once."""
    lines = list(dict.fromkeys(line for line in work.note_lines if line.strip()))
    if not lines:
        return
    if not key:
        message = "these rules have no notes; copy by hand: " + "; ".join(lines)
        work.report(read_codes.TO_NOTES, None, message)
        return
    node = work.value_at(key)
    there = node.raw if node is not None and node.kind == "leaf" else ""
    new = [line for line in lines if not _holds(there, line) and not _holds_row(there, line)]
    if new:
        work.put_key(key, "\n".join([*([there.rstrip("\n")] if there.strip() else []), *new]))
