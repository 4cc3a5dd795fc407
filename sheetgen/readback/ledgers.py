"""Ledger rows that were typed: what was gained has a key; words and costs are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sheetgen.check.ledger import GAIN
from sheetgen.check.sessions import SESSIONS
from sheetgen.diag import read_codes
from sheetgen.load import yaml_edit
from sheetgen.load.yaml_marks import Data
from sheetgen.model.build import Build
from sheetgen.readback.topics import Texts, Topic, number_of, plain
from sheetgen.readback.work import Work
from sheetgen.rules.names import folded


def cell(topic: Topic, texts: Texts, column: str) -> str:
    """Return what stands in a column of a row; nothing where the sheet does not have it."""
    name = next((n for n in topic.names if n.endswith(f".{column}")), None)
    return plain(texts[name]) if name is not None else ""


def typed_rows(topics: Sequence[Topic]) -> Iterator[tuple[Topic, Texts]]:
    """Yield the rows that the player changed, with what was printed there."""
    for topic in topics:
        if topic.printed is not None and any(
            plain(topic.filled[n]) != plain(topic.printed[n]) for n in topic.names
        ):
            yield topic, topic.printed


def gain(work: Work, pool: str, topics: Sequence[Topic]) -> bool:
    """Write what was gained of a pool; whether something was.

    Rows move as soon as something else is bought, so the sums are compared.
    """
    lines = [line for line in work.draft.lines.get(pool, ()) if line.kind == GAIN]
    words = {line.what for line in lines if line.what}
    printed = filled = 0
    changed: list[tuple[Topic, int, int]] = []
    for topic in topics:
        before = topic.printed if topic.printed is not None else topic.current
        old, new = (number_of(cell(topic, t, "gained")) for t in (before, topic.filled))
        gains = cell(topic, before, "what") in words or cell(topic, before, "session")
        if (old is not None and not gains) or old == new:
            printed, filled = (
                n + (old if isinstance(old, int) and gains else 0) for n in (printed, filled)
            )
            continue
        if isinstance(new, str):
            work.not_read(topic, new, "a whole number of what was gained")
            continue
        was = old if isinstance(old, int) else 0
        printed, filled = printed + was, filled + (new or 0)
        changed.append((topic, was, new or 0))
    current = sum(line.gained for line in lines)
    shown = _shown_now(topics, words)
    since = shown - printed
    if not changed or filled == printed or since == filled - printed:
        return False
    label = work.draft.rules.pools[pool].label
    if since:
        message = f"{label} gained: printed {printed}, on the sheet {filled}, in the file {current}"
        work.say(read_codes.CONFLICT, None, message, "the file keeps what it says")
        return False
    if any(topic.printed is None for topic, _, _ in changed):
        message = f"{label} gained: on the sheet {filled}, in the file {current}"
        work.say(read_codes.PRINTED_UNKNOWN, None, message, "write it into the file by hand")
        return False
    return _written(work, pool, changed, filled - printed)


def _shown_now(topics: Sequence[Topic], words: set[str]) -> int:
    """Return the sum of the gains that the file would print in these rows today."""
    total = 0
    for topic in topics:
        number = number_of(cell(topic, topic.current, "gained"))
        gains = cell(topic, topic.current, "what") in words or cell(topic, topic.current, "session")
        total += number if isinstance(number, int) and gains else 0
    return total


def _written(work: Work, pool: str, changed: list[tuple[Topic, int, int]], delta: int) -> bool:
    adds = str(work.draft.rules.pools[pool].adds or "")
    if not adds:
        for topic, _, new in changed:
            if new:
                work.to_notes(topic, f"gained {new}", "has no key in the file")
        return False
    sessions = work.key_of(SESSIONS, adds)
    listed = sessions is not None and work.name(sessions) is not None
    if listed and sessions is not None:
        for topic, was, new in changed:
            _session(work, sessions, topic, was, new)
    if not listed or work.name(adds) is not None:
        work.put_key(adds, max(0, work.draft.numbers.get(adds, 0) + delta))
    return True


def _session(work: Work, key: str, topic: Topic, was: int, new: int) -> None:
    """Write what one session gained: a new one, or another number for one that is listed."""
    name, node = work.name(key) or "", work.node(key)
    items = node.items if node is not None and node.kind == "list" else []
    said = cell(topic, topic.filled, "session")
    found = [item.data() for item in items]
    numbers = [
        str(one.get("session", n)) for n, one in enumerate(found, 1) if isinstance(one, dict)
    ]
    place = next((n for n, s in enumerate(numbers) if said and _bare(s) == _bare(said)), None)
    if place is not None and (was or new):
        if "gained" in found[place]:
            work.text = yaml_edit.put(work.text, (name, place, "gained"), new)
        else:
            work.text = yaml_edit.add(work.text, (name, place), "gained", new)
    elif new:
        last = max((int(_bare(s)) for s in numbers if _bare(s).isdecimal()), default=len(numbers))
        called: Data = said or last + 1
        if isinstance(called, str) and _bare(called).isdecimal():
            called = int(_bare(called))
        work.append(key, [{"session": called, "gained": new}])


def _bare(session: str) -> str:
    return folded(session).removeprefix("session ").lstrip("0")


def words(work: Work, pool: str, topics: Sequence[Topic], build: Build) -> None:
    """Keep in the notes what was typed into rows and is not what the rules compute."""
    ledger = build.ledgers.get(pool)
    known = {(folded(line.what), line.cost) for line in ledger.lines} if ledger else set()
    adds = str(work.draft.rules.pools[pool].adds or "")
    sessions = work.key_of(SESSIONS, adds)
    listed = sessions is not None and work.name(sessions) is not None
    for topic, printed in typed_rows(topics):
        what, cost, session = (cell(topic, topic.filled, c) for c in ("what", "cost", "session"))
        same = all(
            cell(topic, printed, c) == cell(topic, topic.filled, c) for c in ("what", "cost")
        )
        fresh = session if session != cell(topic, printed, "session") and not listed else ""
        price = number_of(cost)
        names = {what_ for what_, _ in known}
        if (same or not (what or cost)) and not fresh:
            continue
        if (folded(what), price if isinstance(price, int) else 0) in known and not fresh:
            continue
        if not cost and folded(what) in names | {""} and not fresh:
            continue
        parts = [what, f"cost {cost}" if cost else "", f"session {_bare(session)}" if fresh else ""]
        said = ", ".join(part for part in parts if part)
        work.to_notes(topic, said, "has no key in the file")
