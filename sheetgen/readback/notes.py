"""Edits of a character's notes, which take all text that has no other place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.model.filled import ON
from sheetgen.readback.ratings import shows_row, still_pays
from sheetgen.readback.topics import (
    COMPUTED,
    NOWHERE,
    Change,
    Texts,
    Topic,
    WorkingCopy,
    all_listed,
    catalogue_of,
    change_of,
    choice_key,
    excerpt,
    field_items,
    is_only,
    item_key,
    normalize_text,
    parse_choice,
    parse_typed_name,
)


def note_unplaced(work: WorkingCopy, topic: Topic) -> None:
    """Note the text of a field that the ruleset does not have; only report a mark."""
    words = topic.filled[topic.names[0]]
    if words == ON:
        message = f"{topic.label}: it is marked; a character's file has no place for that"
        work.report(codes.NOT_RECORDED, topic, message, severity=Severity.NOTE)
    else:
        work.to_notes(topic, words, "has no place")


def remove_noted(topic: Topic, lines: Sequence[str]) -> None:
    """Remove from the compared notes what an earlier reading of this sheet noted."""
    name = topic.names[0]
    left, typed = topic.current[name].rstrip("\n"), normalize_text(topic.filled[name])
    while True:
        ends = (n for n in lines if f"\n{left}".endswith(f"\n{normalize_text(n)}"))
        line = next((n for n in ends if not _holds(typed, n)), None)
        if line is None:
            break
        left = left[: -len(normalize_text(line))].rstrip("\n")
    shortened = topic.printed is not None and _begins(normalize_text(topic.printed[name]), typed)
    if typed and _begins(left, typed) and not shortened:
        left = typed  # The lines below came from an earlier reading.
    topic.current = {name: left}


def _begins(text: str, lines: str) -> bool:
    return f"{text}\n".startswith(f"{lines}\n")


def _holds(text: str, line: str) -> bool:
    return f"\n{normalize_text(line)}\n" in f"\n{normalize_text(text)}\n"


def write_notes(work: WorkingCopy, key: str) -> None:
    """Write all lines to the notes, each once."""
    lines = list(dict.fromkeys(line for line in work.note_lines if line.strip()))
    if not lines:
        return
    if not key:
        message = "these rules have no notes; copy by hand: " + "; ".join(lines)
        work.report(codes.TO_NOTES, None, message)
        return
    node = work.value_at(key)
    there = node.raw if node is not None and node.kind == "leaf" else ""
    new = []
    for line in lines:
        # The notes may hold the cells of a line already, among others of the same row: one that was
        # noted from an empty sheet has more, its name, or what is left.
        label, _, words = line.partition(": ")
        ends = f" · {normalize_text(words)}\n" in f"{normalize_text(there)}\n"
        among = ends and f"\n{label}: " in f"\n{there}"
        left = f"\n{normalize_text(line)}, left " in f"\n{there}"
        if not (among or left or _holds(there, line)):
            new.append(line)
    if new:
        work.put_key(key, "\n".join([*([there.rstrip("\n")] if there.strip() else []), *new]))


_FIGURE: Final = re.compile(r"[+−-]?\d{1,9}(?:[dD](?:\+\d)?)?", re.ASCII)
_LISTS: Final = ("texts", "choices", "rows", "named")
_STEPS: Final = ("number", "own", "dice", "pin")
_LOOSE: Final = ("number", "own", "link", "cell", COMPUTED, NOWHERE)
"""Kinds whose values are the same in any case and with any blanks between."""

_AFTER: Final = {"what": "", "gained": "gained ", "cost": "cost ", "session": "session "}
"""Columns of a ledger in the order of a note, with the word before each."""


def keep_unplaced(work: WorkingCopy, topics: Sequence[Topic], view: Texts) -> dict[int, Change]:
    """Put every typed text that `view` does not show into the notes, or report it.

    Returns the changes of topics whose text the file does not show, by the id of the topic.

    Args:
        topics: All topics of the sheet, also the computed ones.
        view: What the merged file prints, by field.
    """
    unplaced: dict[int, Change] = {}
    rows: dict[tuple[str, ...], list[tuple[Topic, str]]] = {}
    unknown: list[Topic] = []
    after = work.recheck(work.text)
    for topic in topics:
        if topic.place.kind == "own" and after is not None:
            figure = _FIGURE.fullmatch(topic.filled[topic.names[0]].strip())
            if figure and after.own(topic.place.of[1]) == topic.value(topic.filled):
                continue  # A sheet leaves out an own rating that equals the total.
        marks = topic.boxes if topic.place.kind != COMPUTED else frozenset()
        names = [n for n in topic.typed_fields if n not in work.conflicting and n not in marks]
        missing = [n for n in names if not _is_shown(work, topic, n, view)]
        if not missing:
            continue
        if topic.printed is None:
            unknown.append(topic)
            unplaced[id(topic)] = change_of(topic, "unknown")
            continue
        for name in missing:
            if topic.place.kind == COMPUTED and _compared(work, topic, name, view):
                topic.current = {n: view.get(n, "") for n in topic.names}
                typed_figure = not topic.boxes and topic.filled[topic.names[0]].strip()
                unplaced[id(topic)] = change_of(topic, "conflict" if typed_figure else "kept")
            else:
                rows.setdefault(_row_of(topic, name) or (name,), []).append((topic, name))
    for row in rows.values():
        _row(work, row, unplaced)
    if unknown:
        labels = ", ".join(dict.fromkeys(topic.label for topic in unknown[:5]))
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        message = f"{labels}{more}: the sheet and the file differ; what was printed is not known"
        hint = "change the file by hand if the sheet is right"
        work.report(codes.PRINTED_UNKNOWN, None, message, hint)
    return unplaced


def _is_shown(work: WorkingCopy, topic: Topic, name: str, view: Texts) -> bool:
    """Whether the merged file prints what was typed in a field, there or in its list."""
    text, here, kind = topic.filled[name], view.get(name, ""), topic.place.kind
    if name in work.merged_fields or normalize_text(text) == normalize_text(here):
        return True
    if kind == "ledger":
        return shows_row(topic, view, name) if text.strip() else not still_pays(topic, view)
    if kind in _LISTS:
        return _is_listed(topic, name, view)
    if not text.strip() and kind not in _STEPS:
        return normalize_text(here) != normalize_text(topic.before[name])
    if kind in _LOOSE and _loose(text) == _loose(here):
        return True
    if kind in _STEPS:
        known = topic.value({n: view.get(n, "") for n in topic.names}) == topic.value(topic.filled)
        return known and bool(_FIGURE.fullmatch(text.strip() or "0") or kind in ("dice", "pin"))
    if kind == "choice":
        return _same_choice(topic, catalogue_of(topic.draft, topic.place.of[0]), text, here)
    if kind == "items":
        if _loose(", ".join(all_listed(topic, topic.filled))) != _loose(text):
            return False
        left = Counter(field_items(topic, {name: here}))
        for piece in field_items(topic, topic.filled):
            alike = (s for s in left if _same_item(topic, piece, s))
            one = piece if left[piece] else next(alike, "")
            if not left[one]:
                return False
            left[one] -= 1
        return True
    return False


def _is_listed(topic: Topic, name: str, view: Texts) -> bool:
    """Whether the list has the text of a row, as often as the sheet has it."""
    column, parts = _column(name), name.split(".")
    sheet = [topic.filled[n].strip() for n in topic.names if _column(n) == column]
    # The texts in the same column of all rows of the list.
    family = re.compile(rf"{re.escape(parts[0])}\.\d+" + "".join(rf"\.{p}" for p in parts[2:]))
    siblings = [shown.strip() for other, shown in view.items() if family.fullmatch(other)]
    text = topic.filled[name].strip()
    if not text:  # it was emptied
        return siblings.count(old := topic.before[name].strip()) <= sheet.count(old)
    if sheet.count(text) <= siblings.count(text):
        return True
    of, catalogue = "", ""
    if topic.place.kind == "rows":
        of, _, catalogue = topic.draft.rules.lists[topic.place.of[0]].of.partition(".")
    elif topic.place.kind == "choices":
        of, catalogue = "choices", catalogue_of(topic.draft, topic.place.of[0])
    if of == "choices":
        return any(_same_choice(topic, catalogue, text, one) for one in siblings)
    return bool(of) and any(_same_item(topic, text, one) for one in siblings)


def _column(name: str) -> str:
    return name.rpartition(".")[2] if name.count(".") > 1 else ""


def _same_choice(topic: Topic, catalogue: str, text: str, shown: str) -> bool:
    found, _ = parse_choice(topic.draft, catalogue, text)
    names = topic.draft.index.by_catalogue[catalogue]
    same = choice_key(topic.draft, catalogue, text) == choice_key(topic.draft, catalogue, shown)
    return bool(found.id) and same and is_only(names, text, found.detail)


def _same_item(topic: Topic, text: str, shown: str) -> bool:
    found, gear = parse_typed_name(topic.draft.index.gear, text), topic.draft.index.gear
    same = bool(found.id) and item_key(topic.draft, text) == item_key(topic.draft, shown)
    return same and is_only(gear, text, found.detail)


def _loose(text: str) -> str:
    return " ".join(text.split()).casefold()


def _row_of(topic: Topic, name: str) -> tuple[str, str] | None:
    """Return the list or pool, and the row, that a field is a cell of."""
    parts = name.split(".")
    if topic.place.kind in ("rows", "cell"):
        return parts[0], parts[1]
    return (parts[0], parts[2]) if parts[1:2] == ["ledger"] and len(parts) == 4 else None


def _compared(work: WorkingCopy, topic: Topic, name: str, view: Texts) -> bool:
    """Report a typed figure, a mark or an emptied field that the rules compute otherwise."""
    text, has = topic.filled[name].strip(), view.get(name, "").strip()
    known = bool(_FIGURE.fullmatch(text)) and not work.is_new
    if text and not known and not topic.boxes:
        return False
    if topic.boxes:
        what = "marked" if text else "not marked"
        message = f"{topic.label}: {what} on the sheet; it follows from choices"
    elif text:
        message = f"{topic.label}: `{text}` on the sheet; the rules make it `{has}`"
    else:
        message = f"{topic.label}: emptied on the sheet; the rules make it `{excerpt(has)}`"
    work.report(codes.COMPUTED, topic, message, severity=Severity.NOTE)
    return True


def _row(work: WorkingCopy, row: Sequence[tuple[Topic, str]], unplaced: dict[int, Change]) -> None:
    """Put what was typed in a row, or in one field, into the notes; report what was emptied."""
    first, name = row[0]
    found, rules = _row_of(first, name), first.draft.rules
    words = [topic.filled[n] for topic, n in row if topic.filled[n].strip()]
    label, parts = first.label, " · ".join(words)
    if found is not None and found[0] not in rules.pools:
        label = f"{found[0].replace('_', ' ').capitalize()} {found[1]}"
    elif found is not None:
        label = f"{rules.pools[found[0]].label} ledger, row {found[1]}"
        cells: dict[str, str] = {}
        for topic, one in row:
            names = topic.names if topic.place.kind == "ledger" else [one]
            own = (n for n in names if n in topic.typed_fields)
            cells |= {n.rpartition(".")[2]: topic.filled[n] for n in own}
        said = []
        for column in (*_AFTER, *(c for c in cells if c not in _AFTER)):
            if (text := cells.get(column, "")).strip():
                before = _AFTER.get(column, f"{column} ")
                said.append(text if text.lower().startswith(before) else f"{before}{text}")
        parts = ", ".join(said)
    topics = list({id(topic): topic for topic, _ in row}.values())
    reported = any(topic.names[0] in work.reported for topic in topics)
    emptied = [(t, n) for t, n in row if not t.filled[n].strip()]
    if parts:
        line = f"{label}: {parts}"
        work.note_lines.append(line)
        if not reported:
            message = f"{label}: `{excerpt(parts)}` has no place in the file; it goes to the notes"
            work.report(codes.TO_NOTES, topics[0], message, severity=Severity.WARNING)
    elif emptied and not reported:
        lost = " · ".join(t.before[n].strip() for t, n in emptied)
        message = f"{label}: `{excerpt(lost)}` was emptied on the sheet; the file still says it"
        hint = "change in the file what it follows from"
        work.report(codes.NOT_UNDONE, topics[0], message, hint)
    for topic in topics:
        state = "noted" if any(topic.filled[n].strip() for t, n in row if t is topic) else "kept"
        unplaced[id(topic)] = change_of(topic, state)
