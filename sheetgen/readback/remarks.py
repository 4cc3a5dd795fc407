"""What has no place in a character, and what the rules compute otherwise: notes and findings."""

from __future__ import annotations

from collections.abc import Sequence

from sheetgen.diag import read_codes
from sheetgen.diag.findings import Severity
from sheetgen.model.filled import ON, FilledSheet
from sheetgen.readback.topics import Texts, Topic, plain
from sheetgen.readback.work import Work, short


def nowhere(work: Work, topic: Topic) -> None:
    """Keep words in a field that the rules know nothing of; a mark is only said."""
    words = topic.filled[topic.names[0]]
    if words == ON:
        message = f"{topic.label}: it is marked; a character's file has no place for that"
        work.say(read_codes.NO_PLACE, topic, message, severity=Severity.NOTE)
    else:
        work.to_notes(topic, words, "has no place")


def cells(work: Work, topics: Sequence[Topic], now: Texts) -> None:
    """Keep what was typed into computed columns of rows, a line for each row."""
    rows: dict[tuple[str, str], list[str]] = {key: list(v) for key, v in work.rows.items()}
    for topic in topics:
        name = topic.names[0]
        typed = plain(topic.filled[name])
        if topic.printed is None or not typed or not topic.changed or typed == plain(now[name]):
            continue
        rows.setdefault((topic.place.of[0], topic.place.of[1]), []).append(typed)
    for (list_, number), words in rows.items():
        label = f"{list_.replace('_', ' ').capitalize()} {number}"
        line = f"{label}: {' · '.join(words)}"
        work.lines.append(" / ".join(line.split("\n")))
        if (list_, number) not in work.rows:
            message = f"{label}: `{short(' · '.join(words))}` is not what the rules compute"
            hint = "it goes to the notes"
            work.say(read_codes.TO_NOTES, None, message, hint, Severity.WARNING)


def computed(
    work: Work, sheet: FilledSheet, names: Sequence[str], now: Texts, before: Texts | None
) -> None:
    """Say where a typed figure is not what follows from the rest, now that it is merged.

    Args:
        before: What was printed, where the sheet does not say it; None if nobody knows.
    """
    if before is None and not sheet.told:
        return
    for name in names:
        field = sheet.fields[name]
        known = field.printed if sheet.told else (before or {}).get(name, "")
        filled, has = plain(field.filled), plain(now.get(name, ""))
        if filled in (plain(known or ""), has):
            continue
        label = field.label or name
        if field.box:
            what = "marked" if filled else "not marked"
            message = f"{label}: {what} on the sheet; it follows from choices"
        else:
            message = f"{label}: `{short(filled)}` on the sheet; the rules make it `{has}`"
        work.say(read_codes.COMPUTED, None, message, severity=Severity.NOTE)


def notes_key(work: Work) -> str:
    """Return the key that takes what has no other place; empty if the rules have none."""
    keys = work.draft.rules.character.items()
    return next((str(id_) for id_, key in keys if key.kind == "text" and key.lines), "")


def without(topic: Topic, lines: Sequence[str]) -> None:
    """Take what was noted from this sheet before off the notes that are compared."""
    name = topic.names[0]
    kept = topic.current[name].rstrip("\n").split("\n")
    while kept and kept[-1] in lines and kept[-1] not in plain(topic.filled[name]).split("\n"):
        kept.pop()
    topic.current = {name: "\n".join(kept)}


def write_notes(work: Work, key: str) -> None:
    """Write all lines to the notes, each once."""
    lines = list(dict.fromkeys(line for line in work.lines if line.strip()))
    if not lines:
        return
    if not key:
        message = "these rules have no notes; copy by hand: " + short("; ".join(lines))
        work.say(read_codes.TO_NOTES, None, message)
        return
    node = work.node(key)
    there = node.raw if node is not None and node.kind == "leaf" else ""
    known = {line.strip() for line in there.split("\n")}
    new = [line for line in lines if line.strip() not in known]
    if new:
        work.put_key(key, "\n".join([*([there.rstrip("\n")] if there.strip() else []), *new]))
