"""Edits of ratings, and of sessions and gains; other cells of a ledger are only compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Final

from sheetgen.check.character import values
from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ledger import GAIN, GAINED, offer_of, parse_die_steps, step_text
from sheetgen.check.character.ratings import RATED
from sheetgen.diag import codes
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.edit import CannotEdit, Data, KeyPath, Spot
from sheetgen.model.build import code_text, step_die_text
from sheetgen.model.rulesets.traits import Group
from sheetgen.readback.topics import (
    Change,
    Texts,
    Topic,
    WorkingCopy,
    named_rows,
    normalize_text,
    parse_number_field,
    parse_rating,
)
from sheetgen.rules.index import exact_form, folded, split_times

EARLIER: Final = "Earlier"  # the session of what is before the first session that is typed
_MOST_STEPS: Final = 100  # Steps that a row may name
COLUMNS: Final = ("session", "gained", "what", "cost")  # of a ledger, which are typed into


def ledger_cell(topic: Topic, texts: Texts, column: str) -> str:
    """Return the text of a cell; empty if the sheet does not have the column."""
    name = next((n for n in topic.names if n.endswith(f".{column}")), None)
    return normalize_text(texts[name]) if name is not None else ""


def typed_rows(topics: Sequence[Topic]) -> Iterator[tuple[Topic, Texts]]:
    """Yield the rows that the player changed, with what was printed there."""
    return ((t, t.printed) for t in topics if t.printed is not None and t.typed_fields)


def edit_ledger(work: WorkingCopy, pool: str, topics: Sequence[Topic]) -> bool:
    """Write the sessions of a pool and what was gained; return whether a gain was written."""
    changed, delta = _gains(work, pool, topics)
    adds = str(work.draft.rules.pools[pool].adds or "")
    if not adds:
        return False
    key = work.find_key(values.SESSIONS, adds)
    named = any(ledger_cell(t, t.filled, "session") for t, _ in typed_rows(topics))
    named = named or any(_gain_note(topic, topic.filled) for topic, _, _ in changed)
    if key is not None and (named or work.key_name(key) is not None):
        before = work.draft.numbers.get(adds, 0)
        if work.key_name(key) is None and before:
            work.append(key, [{"session": EARLIER, "gained": before}])
        session = ""  # in which each step was bought; a row without one belongs to that above
        for topic, printed in typed_rows(topics):
            session = ledger_cell(topic, topic.filled, "session") or session
            what = ledger_cell(topic, topic.filled, "what")
            step = _find_step(work.draft, what)
            if session and step is not None and what != ledger_cell(topic, printed, "what"):
                trait, first, last = step
                work.bought.setdefault(trait, []).extend([session] * (last - first + 1))
        _sessions(work, key, topics, {id(topic): (was, new) for topic, was, new in changed})
    elif delta:
        work.put_key(adds, max(0, work.draft.numbers.get(adds, 0) + delta))
    if delta and key is not None and work.key_name(adds) is not None:
        work.put_key(adds, max(0, work.draft.numbers.get(adds, 0) + delta))
    return bool(delta)


def _find_step(draft: Draft, what: str) -> tuple[str, int, int] | None:
    """Return the trait that a row says was raised, its first and its last new rating."""
    name, _, steps = what.rpartition(" ")
    begins, _, before = name.removesuffix(" to").rpartition(" ")
    is_change = name.endswith(" to")
    found = draft.index.all_traits.find(begins if is_change else name)
    if len(found) != 1:
        return None
    group = draft.group_of(found[0]) or ""
    first, _, last = steps.replace("-", "–").partition("–")
    if is_change:
        old, new = (parse_rating(text, draft.rules, group) for text in (before, steps))
        old = old + 1 if isinstance(old, int) else old
    else:
        old, new = (parse_rating(text, draft.rules, group) for text in (first, last or first))
    ends = isinstance(old, int) and isinstance(new, int) and 0 <= new - old < _MOST_STEPS
    return (found[0], int(old), int(new)) if ends else None


def _gains(
    work: WorkingCopy, pool: str, topics: Sequence[Topic]
) -> tuple[list[tuple[Topic, int, int]], int]:
    """Return the rows whose gain was changed, from and to what, and by how much the sum differs."""
    # Rows move as soon as something else is bought, so the sums are compared.
    lines = [line for line in work.draft.lines.get(pool, ()) if line.kind == GAIN]
    gain_texts = {GAINED, *(line.what for line in lines if line.what)}
    printed = filled = 0
    changed: list[tuple[Topic, int, int]] = []
    for topic in topics:
        cells = (ledger_cell(topic, texts, "gained") for texts in (topic.before, topic.filled))
        old, new = map(parse_number_field, cells)
        gains = _is_gain(topic, topic.before, gain_texts)
        if (old is not None and not gains) or (old or 0) == (new or 0):
            printed, filled = (
                n + (old if isinstance(old, int) and gains else 0) for n in (printed, filled)
            )
            continue
        if isinstance(new, str) or (new or 0) < 0:
            typed = ledger_cell(topic, topic.filled, "gained")
            work.not_read(topic, typed, "a whole number of what was gained")
            continue
        was = old if isinstance(old, int) else 0
        printed, filled = printed + was, filled + (new or 0)
        changed.append((topic, was, new or 0))
    label = work.draft.rules.pools[pool].label
    current = sum(line.gained for line in lines)
    is_full = any(text.strip() for text in topics[-1].before.values())  # rows may continue overleaf
    shown = (t for t in topics if _is_gain(t, t.current, gain_texts))
    numbers = [parse_number_field(ledger_cell(t, t.current, "gained")) for t in shown]
    since = (sum(n for n in numbers if isinstance(n, int)) if is_full else current) - printed
    if since and changed and since != filled - printed:
        message = f"{label} gained: printed {printed}, on the sheet {filled}, in the file {current}"
        hint = "change the file by hand if the sheet is right; it keeps its own"
        work.report(codes.CONFLICT, None, message, hint)
    elif any(topic.printed is None for topic, _, _ in changed):
        message = f"{label} gained: on the sheet {filled}, in the file {current}"
        work.report(codes.PRINTED_UNKNOWN, None, message, "write it into the file by hand")
    elif work.draft.rules.pools[pool].adds:
        work.merged_fields |= {n for t, _, _ in changed for n in t.names if n.endswith(".gained")}
        if not since:
            return changed, filled - printed
    return [], 0


def _is_gain(topic: Topic, texts: Texts, gain_texts: set[str]) -> bool:
    session = ledger_cell(topic, texts, "session")
    return bool(session) or ledger_cell(topic, texts, "what") in gain_texts


def _sessions(
    work: WorkingCopy, key: str, topics: Sequence[Topic], gains: Mapping[int, tuple[int, int]]
) -> None:
    """Write the sessions that were renamed, that gained something, or that are new."""
    node = work.value_at(key)
    written = [item.data() for item in node.items] if node is not None else []
    notes = [one.get("note") if isinstance(one, dict) else None for one in written]
    places: dict[int, int | None] = {}  # of the session that a row without a session's name shows
    for topic, _ in typed_rows(topics):
        note = _gain_note(topic, topic.before)
        unnamed = note and not ledger_cell(topic, topic.before, "session")
        places[id(topic)] = notes.index(note) if unnamed and note in notes else None
    for topic, printed in typed_rows(topics):
        old, new = (ledger_cell(topic, texts, "session") for texts in (printed, topic.filled))
        names = [values.session_name(one) for one in session_names(work, key)]
        unknown = bool(new) and values.session_name(new) not in names
        if unknown and old in names and ledger_cell(topic, printed, "gained"):
            place, before = places[id(topic)], work.text
            path = work.path(key, names.index(old) if place is None else place)
            try:
                work.text = edit.add_entry(work.text, path, "session", written_session(new))
                for id_, rule in work.draft.rules.character.items():
                    below = work.value_at(str(id_)) if rule.kind == "advances" else None
                    for there in below.keys if below is not None and below.kind == "map" else ():
                        if values.session_name(there.raw) == old:  # steps are listed under it
                            path, name = work.path(str(id_), there.raw), str(written_session(new))
                            work.text = edit.rename_key(work.text, path, name)
            except CannotEdit:
                work.text = before
        if id(topic) in gains:
            was, gained = gains[id(topic)]
            session, place = old if values.joined_sessions(old) else new, places[id(topic)]
            note = "" if new else _gain_note(topic, topic.filled)
            _gained(work, key, session, gained - was, note if place is None else "", place)
        elif unknown and not any(ledger_cell(topic, printed, c) for c in COLUMNS):
            work.append(key, [{"session": written_session(new)}])
        old, new = (_gain_note(topic, texts) for texts in (topic.before, topic.filled))
        place = places[id(topic)]
        if session := ledger_cell(topic, topic.filled, "session"):
            shown = [values.session_name(one) for one in session_names(work, key)]
            name = values.session_name(session)
            place = shown.index(name) if name in shown else None
        if old == new or place is None or ledger_cell(topic, topic.before, "cost"):
            continue
        path = work.path(key, place)
        if new:
            work.text = edit.add_entry(work.text, path, "note", new)
        elif not ledger_cell(topic, topic.filled, "what"):
            work.drop((*path, "note"))


def _gain_note(topic: Topic, texts: Texts) -> str:
    """Return the note of a row that gains: what it is for, if that is not something bought."""
    what = ledger_cell(topic, texts, "what")
    bought = ledger_cell(topic, texts, "cost") or _find_step(topic.draft, what) is not None
    return "" if bought or parse_die_steps(what) else what


def _gained(work: WorkingCopy, key: str, session: str, by: int, note: str, at: int | None) -> None:
    """Write what a session gained more or less; sessions of one row lose it from the last on."""
    name, names = work.key_name(key) or "", session_names(work, key)
    shown = [values.session_name(one) for one in names]
    places = [] if at is None else [at]
    sessions = [values.session_name(session)]
    if session and sessions[0] not in shown:
        joined = values.joined_sessions(session)
        sessions = [one for one in shown[::-1] if values.session_number(one) in joined] or sessions
    for place in places or [shown.index(one) for one in sessions if session and one in shown]:
        node = work.value_at(key)
        assert node is not None
        gained = parse_number_field(str(node.items[place].data().get("gained", "")))
        before = gained if isinstance(gained, int) else 0
        after = max(0, before + by)
        if after != before:
            work.text = edit.add_entry(work.text, (name, place), "gained", after)
        by -= after - before
    if by > 0:
        first = len(names) - names.count(EARLIER)
        last = max((int(s) for s in names if s.isdecimal()), default=first)
        entry: dict[str, Data] = {"gained": by}
        if session or _is_numbered(work, key):
            entry = {"session": written_session(session) if session else last + 1, **entry}
        work.append(key, [entry | {"note": note} if note else entry])


def _is_numbered(work: WorkingCopy, key: str) -> bool:
    rule = next(rule for id_, rule in work.draft.rules.character.items() if str(id_) == key)
    return values.numbers_sessions(work.draft.rules, map(str, rule.of))


def session_names(work: WorkingCopy, key: str | None = None) -> list[str]:
    """Return the sessions' names as written; without a key, of those that buy advances."""
    if key is None:
        advances = work.draft.rules.advances
        pool = work.draft.rules.pools[str(advances.pool)] if advances is not None else None
        key = work.find_key(values.SESSIONS, str(pool.adds)) if pool is not None else None
    node = work.value_at(key) if key is not None else None
    found = [item.data() for item in node.items] if node is not None and node.kind == "list" else []
    numbered = key is not None and _is_numbered(work, key)
    listed = enumerate(found, start=1)
    return [
        str(one.get("session", n if numbered else "")) for n, one in listed if isinstance(one, dict)
    ]


def written_session(shown: str) -> Data:
    """Return what an author writes for a session that is shown as `Session 3`, or has a name."""
    number = shown.removeprefix("Session ")
    plain_number = number.isdecimal() and number.isascii() and str(int(number)) == number
    return int(number) if plain_number and len(number) < 7 else shown


def shows_row(topic: Topic, view: Texts, name: str) -> bool:
    """Whether the ledger has a row with the texts of a row of the sheet, of which `name` is one."""
    cells = {c: ledger_cell(topic, topic.filled, c) for c in COLUMNS}
    expected = {c: {_compared_cell(c, text)} for c, text in cells.items() if text}
    if not (expected.get("what") or expected.get("session")):
        return False
    draft, found = topic.draft, _find_step(topic.draft, cells["what"])
    rule = draft.rules.advances
    if found is not None and rule is not None and draft.group_of(found[0]) in rule.groups:
        # How the ledger shows a step that is typed in a trait's own rating.
        trait, first, last = found
        offer = replace(offer_of(draft, rule, "trait", trait), before=first - 1, after=last)
        expected["what"].add(_compared_cell("what", f"{offer.what} {step_text(draft, offer)}"))
    number = values.session_number(cells["session"])
    rows = _rows_of_ledger(topic.place.of[0], view)
    sessions = {_compared_cell("session", row.get("session", "")) for row in rows}
    has_session = not cells["session"] or not sessions.isdisjoint(expected["session"])
    if has_session and not name.endswith(".gained") and _is_part_of_row(topic, cells, view):
        return True
    joined = {c: texts for c, texts in expected.items() if c not in ("session", "gained")}
    step = parse_die_steps(cells["what"])
    for row in rows:
        whole = parse_die_steps(row.get("what", ""))
        if step is not None and whole is not None and whole != step and whole.has(step):
            return True
        wanted = joined if number in values.joined_sessions(row.get("session", "")) else expected
        if all(_compared_cell(c, row.get(c, "")) in texts for c, texts in wanted.items()):
            return True
    return False


def _is_part_of_row(topic: Topic, cells: Mapping[str, str], view: Texts) -> bool:
    """Whether a row of the ledger, such as `NAME 1–3`, has the step of a typed one, `NAME 3`."""
    draft, step = topic.draft, _find_step(topic.draft, cells["what"])
    if step is None or draft.group_of(step[0]) not in draft.rules.groups:
        return False
    trait, first, last = step
    for row in _rows_of_ledger(topic.place.of[0], view):
        whole = _find_step(draft, row.get("what", ""))
        if whole is not None and whole[0] == trait and whole[1] <= first and last <= whole[2]:
            price = sum(draft.price(trait, n) for n in range(first, last + 1))
            return cells["cost"] in ("", str(price))
    return False


def still_pays(topic: Topic, view: Texts) -> bool:
    """Whether a row that was emptied on the sheet is still in the ledger."""
    lost = {c: ledger_cell(topic, topic.before, c) for c in ("what", "cost", "session")}
    return any(
        all(row.get(c, "").strip() == text for c, text in lost.items())
        for row in _rows_of_ledger(topic.place.of[0], view)
    )


def _rows_of_ledger(pool: str, view: Texts) -> Iterable[Mapping[str, str]]:
    rows: dict[str, dict[str, str]] = {}
    for name, text in view.items():
        parts = name.split(".")
        if parts[:2] == [pool, "ledger"] and len(parts) == 4:
            rows.setdefault(parts[2], {})[parts[3]] = text
    return rows.values()


def _compared_cell(column: str, text: str) -> str:
    """Return the text of a cell for comparison: without case, blanks and kinds of dashes."""
    if column == "session":
        return values.session_name(text)
    return " ".join(text.split()).casefold().replace("–", "-")


def edit_own(work: WorkingCopy, topic: Topic) -> None:
    """Write a rating that was typed."""
    found = topic.value(topic.filled)
    if isinstance(found, int) and topic.filled[topic.names[0]].strip():
        found -= work.draft.base(topic.place.of[1]) if topic.names[0].endswith(".total") else 0
    if isinstance(found, int) and found >= 0:
        rate(work, topic, found)
    else:
        group = work.draft.rules.groups[topic.place.of[0]]
        dice = group.rating == "dice"
        expected = f"a code of dice, such as {'+1D+2' if work.draft.rules.pips else '+1D'}"
        work.not_read(topic, topic.filled[topic.names[0]], expected if dice else "a whole number")


def edit_total(work: WorkingCopy, topic: Topic) -> None:
    """Write a new character's rating of which only the total was typed."""
    group, trait = topic.place.of[0].split(".")[:2]
    key, checked = work.find_key("codes", group), work.recheck(work.text)
    under = work.draft.index.traits[trait][1].under if trait in work.draft.index.traits else None
    count = parse_rating(topic.filled[topic.names[0]], work.draft.rules, group)
    if key is None or checked is None or under is None or not isinstance(count, int):
        return
    if not checked.own(trait) and count > checked.total(str(under)):
        _coded(work, key, trait, count - checked.total(str(under)))


def rate(work: WorkingCopy, topic: Topic, count: int) -> None:
    """Write a rating of `count` steps."""
    group, trait = topic.place.of
    rule, advanced = work.draft.rules.groups[group], work.draft.advance_steps(trait)
    bought = sum(advance.trait == trait for advance in work.draft.advanced)
    steps = count - work.draft.own(trait)  # Advances are bought, or given back, where they can be.
    priced, can = rule.price is not None, can_advance(work, group) and not work.is_new
    if not rule.stated or (can and -bought <= steps and not (steps > 0 and priced)):
        codes = work.find_key("codes", group)
        if codes is not None and (work.is_new or not can_advance(work, group)):
            current = topic.value(topic.current)
            delta = count - (current if isinstance(current, int) else 0)
            _coded(work, codes, trait, count if work.is_new else work.draft.own(trait) + delta)
        elif can_advance(work, group) or ranks_key(work, group) is not None:
            work.raised[trait] = count, topic
        else:
            work.to_notes(topic, rating_text(topic), "follows from choices alone")
        return
    count -= advanced
    if can and steps < 0:  # Below creation: its advances are given back, not the named ones.
        work.raised[trait] = count + advanced, topic
        count += bought
        if count < 0:
            return
    key = work.find_key("ratings", group)
    if key is None:
        work.to_notes(topic, str(count), "has no key in the file")
        return
    value = shown_rating(work, group, count + work.draft.base(trait))
    entry = work.trait_entry(key, trait)
    for lost in work.draft.lost_steps.get(trait, ()):
        # Which steps are lost: a bare number would count down from the rating.
        named = work.trait_entry(lost.key, trait)
        path = work.path(lost.key, named or "")
        if named is not None and work.root().at(path).kind != "list":
            work.put(path, list(lost.steps))
    if entry is None:
        work.put_entry(key, work.draft.name_of(trait), value)
        return
    is_map = work.root().at(work.path(key, entry)).kind == "map"
    none = count == 0 and not work.draft.granted(trait) and trait not in work.draft.lost_steps
    if none and not is_map:
        work.drop(work.path(key, entry))
    else:
        put_stated(work, group, key, entry, value)


def put_stated(work: WorkingCopy, group: str, key: str, entry: str, value: Data) -> None:
    """Write the rating of an entry that is there, in its long form if it has one."""
    path = work.path(key, entry)
    node = work.root().at(path)
    if node.kind == "map":
        rated = next((k.raw for k in node.keys if folded(k.raw) in RATED), None)
        part = rated or rating_word(work.draft.rules.groups[group])
        work.text = edit.add_entry(work.text, path, part, value)
    else:
        work.put(path, value)


def rating_word(group: Group) -> str:
    """Return the word for the rating in its long form, `{dots: 3, note: …}`."""
    return str(group.rating) if group.rating in RATED else RATED[0]


def keep_steps(work: WorkingCopy) -> list[Change]:
    """Write the ratings anew whose base changed, and return them: the steps above it stay.

    A file states such a rating with its base in it; a sheet shows the steps, and adds them up.
    What was typed on this sheet was written above the old base, too.
    """
    draft, index, moves = work.draft, work.draft.index, dict[str, int]()
    changes: dict[str, Change] = {}
    for _ in index.stated:  # a base may follow from a rating that moves
        before = work.text
        checked = work.recheck(before)
        based = checked.stated if checked is not None else {}
        for trait in (t for t in based if t in index.stated and index.typed_part(t) == "own"):
            assert checked is not None
            group, rating = draft.group_of(trait) or "", based[trait].rating
            moved = checked.base(trait) - draft.base(trait) - moves.get(trait, 0)
            key = work.find_key("ratings", group)
            entry = work.trait_entry(key, trait) if key is not None else None
            if not moved or rating is None or not (key and entry):
                continue
            moves[trait] = moves.get(trait, 0) + moved
            put_stated(work, group, key, entry, new := shown_rating(work, group, rating + moved))
            known = draft.stated.get(trait)
            if known is not None and known.rating == rating + moved - moves[trait]:
                old = str(shown_rating(work, group, known.rating))
                name = draft.name_of(trait)
                changes[trait] = Change(name, (), old, str(new), old, "merged")
        if work.text == before:
            break
    return [*changes.values()]


def shown_rating(work: WorkingCopy, group: str, count: int) -> Data:
    """Return a rating as the author's file writes it."""
    if work.draft.rules.groups[group].rating == "dice":
        return code_text(count, pips=work.draft.rules.pips)
    if work.draft.rules.groups[group].rating == "die" and count > 0:
        return step_die_text(count)
    return count


def _coded(work: WorkingCopy, key: str, trait: str, count: int) -> None:
    shown = str(shown_rating(work, work.draft.group_of(trait) or "", count))
    stated = work.draft.index.traits[trait][1].under is not None
    value = f"+{shown}" if stated and not shown.startswith("+") else shown
    work.put_trait(key, trait, value if count else None)


def edit_named_ratings(work: WorkingCopy, topic: Topic) -> None:
    """Write the traits that the author names, row by row."""
    group_id = topic.place.of[0]
    key = work.find_key("ratings", group_id)
    if key is None:
        return

    def entry_of(name: str) -> str | None:
        called = exact_form(name)
        return work.entry(key, lambda raw: exact_form(raw) == called) if name else None

    before = {number: (name, count) for number, name, count in named_rows(topic, topic.current)}
    after = {number: (name, count) for number, name, count in named_rows(topic, topic.filled)}
    for number in dict.fromkeys((*before, *after)):
        old, new = before.get(number, ("", 0)), after.get(number, ("", 0))
        if old == new:
            continue
        entry = entry_of(old[0])
        if entry is None and not new[0]:
            message = f"{topic.label}, row {number}: {new[1]} marked beside no name"
            work.report(codes.NOT_READ, topic, message, "type its name")
        elif new[0] != old[0] and entry_of(new[0]):
            work.to_notes(topic, new[0], "is the name of another row")
        elif entry is None:
            group = work.draft.rules.groups[group_id]
            alone = group.open is not None and group.open.needs is None
            rated: Data = new[1] if alone else {rating_word(group): new[1]}
            work.put_entry(key, new[0], rated)
        elif not new[0]:
            work.drop(work.path(key, entry))
        else:
            path = work.path(key, entry)
            if old[0] != new[0]:
                work.text = edit.rename_key(work.text, path, new[0])
                path = work.path(key, new[0])
            node = work.root().at(path)
            if old[1] != new[1] and node.kind == "map":
                named = next((k.raw for k in node.keys if folded(k.raw) in RATED), RATED[1])
                work.text = edit.add_entry(work.text, path, named, new[1])
            elif old[1] != new[1]:
                work.put(path, new[1])


def can_advance(work: WorkingCopy, group: str) -> bool:
    """Whether steps of the traits of a group are bought as advances."""
    rule = work.draft.rules.advances
    return rule is not None and group in rule.groups and work.find_key("advances") is not None


def ranks_key(work: WorkingCopy, group: str) -> str | None:
    """Return the key that lists the raised traits of a group: in any number, if there is one."""
    keys = work.draft.rules.character.items()
    raised = [(str(i), key) for i, key in keys if key.kind == "raises" and group in key.of]
    free = (id_ for id_, key in raised if key.count is None and key.from_ is None)
    return next(free, next((id_ for id_, _ in raised), None))


def rating_text(topic: Topic) -> str:
    """Return a rating as the sheet shows it."""
    found = topic.value(topic.filled)
    typed = next((topic.filled[n] for n in topic.names if topic.filled[n]), "")
    return str(found) if topic.place.kind == "boxes" else typed or "nothing"


def remove_steps(work: WorkingCopy, key: str, trait: str, count: int) -> None:
    """Remove the last `count` steps of a trait from a list, or from lists by session."""
    for _ in range(count):
        node, name = work.value_at(key), work.key_name(key) or ""
        lists: list[tuple[KeyPath, Spot]] = [((name,), node)] if node is not None else []
        if node is not None and node.kind == "map":
            lists = [((name, k.raw), v) for k, v in zip(node.keys, node.items, strict=True)]
        places: list[tuple[KeyPath, str]] = []
        for path, below in lists:
            leaf = [(path, below.raw)] if below.kind == "leaf" else []
            numbered = [((*path, n), item.raw) for n, item in enumerate(below.items)]
            places += leaf or (numbered if below.kind == "list" else [])
        fits = [
            (path, raw)
            for path, raw in places
            if work.is_trait(raw, trait) or work.is_trait(split_times(raw)[0], trait)
        ]
        if not fits:
            return
        path, raw = fits[-1]
        plain, times = split_times(raw)
        if times > 1 and not work.is_trait(raw, trait):
            rest = plain if times == 2 else f"{plain} x{times - 1}"
            work.text = edit.put_value(work.text, path, rest)
        else:
            work.drop(path)


def buy_steps(work: WorkingCopy) -> list[Topic]:
    """Buy the steps that were raised, give back those that were lowered; return what failed.

    Traits come before the traits under them, then in the order of the ruleset, so that each step
    has the price that a reader of the sheet expects.
    """
    draft = work.recheck(work.text) if work.raised else None
    if draft is None:  # Nothing was raised, or the text cannot be read.
        return []
    order = [str(t) for group in draft.rules.groups.values() for t in group.traits]
    listed = [t for t in order if t in work.raised]
    listed.sort(key=lambda t: draft.index.traits[t][1].under is not None)
    failed = []
    for down in (True, False):
        for trait in listed:
            count, topic = work.raised[trait]
            before, delta = work.text, count - draft.own(trait)
            if (delta < 0) is down and delta:
                _stepped(work, topic.place.of[0], trait, delta)
                checked = work.recheck(work.text)
                if checked is not None and checked.own(trait) == count:
                    continue
                work.text, words = before, rating_text(topic)  # the rules do not accept the step
                failed.append(topic)
                if checked is not None and count < work.draft.own(trait):
                    message = f"{work.draft.name_of(trait)} was lowered, and no step in the file "
                    hint = "change in the file what it came with"
                    work.report(codes.NOT_UNDONE, topic, f"{message}raised it", hint)
                    continue
                found = checked.findings if checked is not None else ()
                new = (f for f in found if f not in work.draft.findings)
                refused = (f.message for f in new if f.code is codes.NO_ADVANCE)
                why = next(refused, "the rules do not allow it")
                message = f"{topic.label}: `{words}` cannot be reached: {why}"
                hint = "look into the notes, where what was typed goes"
                work.report(codes.NOT_READ, topic, message, hint)
                if topic.place.kind == "boxes":  # `keep_unplaced` notes only typed texts
                    work.note_lines.append(f"{topic.label}: {words}")
    return failed


def _stepped(work: WorkingCopy, group: str, trait: str, delta: int) -> None:
    for id_, of in work.draft.rules.character.items() if work.is_new else ():
        # The traits of a new file are picks at creation, as many as there may be.
        if of.kind != "raises" or group not in of.of or of.count is None or of.from_:
            continue
        checked, node = work.recheck(work.text), work.value_at(str(id_))
        count_made = len(node.items) if node is not None else 0
        if checked is not None and delta > 0 and count_made < checked.eval_int(of.count):
            work.append(str(id_), [work.draft.name_of(trait)])
            delta -= checked.eval_int(of.by) if of.by is not None else 1
            break
    if not delta:
        return
    advances = can_advance(work, group)
    key = work.find_key("advances") if advances else ranks_key(work, group)
    assert key is not None
    if delta < 0:
        remove_steps(work, key, trait, -delta)
    elif advances:
        rule, first = work.draft.rules.advances, list[str]()
        assert rule is not None
        if offer_of(work.draft, rule, "trait", trait).refused:
            # A named advance may give the first step of a trait that cannot be raised yet.
            gives = ((i, n) for i, n in rule.named.items() if set(map(str, n.raise_)) == {trait})
            offers = ((n, offer_of(work.draft, rule, "named", str(i))) for i, n in gives)
            first = [str(named.name) for named, offer in offers if not offer.refused][:1]
        steps = [*first, *[work.draft.name_of(trait)] * (delta - len(first))]
        sessions = work.bought.get(trait, [])[-delta:]
        sessions = [""] * (delta - len(sessions)) + sessions
        for session, some in groupby(zip(sessions, steps, strict=True), itemgetter(0)):
            counted = ((n, len(list(same))) for n, same in groupby(name for _, name in some))
            names: list[Data] = [n if count == 1 else f"{n} x{count}" for n, count in counted]
            append_advances(work, key, names, session)
    else:
        work.append(key, [work.draft.name_of(trait)] * delta)


def append_advances(work: WorkingCopy, key: str, names: list[Data], session: str) -> None:
    """Add advances to a session; without one, to the last session if they are listed so."""
    node, name = work.value_at(key), work.key_name(key)
    if name is None or node is None or node.kind != "map":
        listed = node.items if node is not None else ()
        earlier: dict[str, Data] = {EARLIER: [item.data() for item in listed]} if listed else {}
        if session and (not earlier or EARLIER in session_names(work)):
            work.put_key(key, {**earlier, str(written_session(session)): names})
        else:
            work.append(key, names)
        return
    last = str(written_session(session)) if session else ""
    last = last or next(reversed(session_names(work)), "") or node.keys[-1].raw

    def number(session: str) -> str:
        return folded(session).removeprefix("session ").lstrip("0")

    there = next((k.raw for k in node.keys if number(k.raw) == number(last)), None)
    if there is None:
        work.text = edit.add_entry(work.text, (name,), last, names)
    else:
        work.text = edit.append_items(work.text, (name, there), names)
