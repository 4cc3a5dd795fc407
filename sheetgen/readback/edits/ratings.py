"""Ratings that were raised or lowered: stated ones, advances, ranks that are named."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from sheetgen.check.character.ledger import offer_of
from sheetgen.check.character.ratings import RATED
from sheetgen.diag import codes
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.edit import Data, KeyPath, Spot
from sheetgen.model.build import code_text, step_die_text
from sheetgen.readback.edits.ledgers import EARLIER, session_names, written_session
from sheetgen.readback.edits.working_copy import WorkingCopy
from sheetgen.readback.topics import Topic, count_marked, named_rows, parse_rating
from sheetgen.rules.index import exact_form, folded, split_times


def edit_boxes(work: WorkingCopy, topic: Topic) -> None:
    """Write a rating as many boxes are marked."""
    _rated(work, topic, count_marked(topic.filled))


def edit_own(work: WorkingCopy, topic: Topic) -> None:
    """Write a rating that was typed."""
    found = topic.value(topic.filled)
    if isinstance(found, int) and found >= 0:
        _rated(work, topic, found)
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


def _rated(work: WorkingCopy, topic: Topic, count: int) -> None:
    group_id, trait = topic.place.of
    if work.draft.rules.groups[group_id].stated:
        _stated(work, topic, group_id, trait, count)
        return
    codes = work.find_key("codes", group_id)
    if codes is not None and (work.is_new or not can_advance(work, group_id)):
        current = topic.value(topic.current)
        delta = count - (current if isinstance(current, int) else 0)
        _coded(work, codes, trait, count if work.is_new else work.draft.own(trait) + delta)
    elif can_advance(work, group_id) or ranks_key(work, group_id) is not None:
        work.raised[trait] = count, topic
    else:
        work.to_notes(topic, rating_text(topic), "follows from choices alone")


def shown_rating(work: WorkingCopy, group: str, count: int) -> Data:
    """Return a rating as the author's file writes it."""
    if work.draft.rules.groups[group].rating == "dice":
        return code_text(count, pips=work.draft.rules.pips)
    if work.draft.rules.groups[group].rating == "die" and count > 0:
        return step_die_text(count)
    return count


def _stated(work: WorkingCopy, topic: Topic, group: str, trait: str, count: int) -> None:
    key = work.find_key("ratings", group)
    if key is None:
        work.to_notes(topic, str(count), "has no key in the file")
        return
    value = shown_rating(work, group, count + work.draft.base(trait))
    entry = work.entry(key, lambda raw: work.is_trait(raw, trait))
    _write_lost_steps(work, trait)
    if entry is None:
        work.put_entry(key, work.draft.name_of(trait), value)
        return
    path = (work.key_name(key) or "", entry)
    node = work.root().at(path)
    if node.kind == "map":
        rated = next((k.raw for k in node.keys if folded(k.raw) in RATED), None)
        part = rated or str(work.draft.rules.groups[group].rating)
        work.text = edit.add_entry(work.text, path, part, value)
    elif count == 0 and not work.draft.granted(trait) and trait not in work.draft.lost_steps:
        work.drop(path)
    else:
        work.text = edit.put_value(work.text, path, value)


def _write_lost_steps(work: WorkingCopy, trait: str) -> None:
    """Write which steps of a trait are lost: a bare number would count down from the rating."""
    for lost in work.draft.lost_steps.get(trait, ()):
        entry = work.entry(lost.key, lambda raw: work.is_trait(raw, trait))
        path = (work.key_name(lost.key) or "", entry or "")
        if entry is not None and work.root().at(path).kind != "list":
            work.text = edit.put_value(work.text, path, list(lost.steps))


def _coded(work: WorkingCopy, key: str, trait: str, count: int) -> None:
    group = work.draft.group_of(trait) or ""
    entry = work.entry(key, lambda raw: work.is_trait(raw, trait))
    shown = str(shown_rating(work, group, count))
    stated = work.draft.index.traits[trait][1].under is not None
    if count:
        value = f"+{shown}" if stated and not shown.startswith("+") else shown
        work.put_entry(key, entry or work.draft.name_of(trait), value)
    elif entry is not None:
        work.drop((work.key_name(key) or "", entry))


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
            rated = work.draft.rules.groups[group_id].rating
            work.put_entry(key, new[0], {str(rated): new[1]})
        elif not new[0]:
            work.drop((work.key_name(key) or "", entry))
        else:
            _named_row(work, key, entry, old, new)


def _named_row(
    work: WorkingCopy, key: str, entry: str, old: tuple[str, int], new: tuple[str, int]
) -> None:
    path = (work.key_name(key) or "", entry)
    if old[0] != new[0]:
        work.text = edit.rename_key(work.text, path, new[0])
        path = (path[0], new[0])
    if old[1] == new[1]:
        return
    node = work.root().at(path)
    if node.kind == "map":
        rated = next((k.raw for k in node.keys if folded(k.raw) in RATED), RATED[1])
        work.text = edit.add_entry(work.text, path, rated, new[1])
    else:
        work.text = edit.put_value(work.text, path, new[1])


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


def try_rating(work: WorkingCopy, topic: Topic, trait: str, count: int, before: str) -> bool:
    """Whether the rules accept the new text; if not, restore the text and report that."""
    checked = work.recheck(work.text)
    if checked is not None and checked.own(trait) == count:
        return True
    work.text = before
    name, words = work.draft.name_of(trait), rating_text(topic)
    if checked is not None and count < work.draft.own(trait):
        message = f"{name} was lowered, and no step in the file raised it"
        work.report(codes.NOT_UNDONE, topic, message, "change in the file what it came with")
        return False
    new = (
        [f for f in checked.findings if f not in work.draft.findings] if checked is not None else []
    )
    why = next((f.message for f in new if f.code is codes.NO_ADVANCE), "the rules do not allow it")
    message = f"{topic.label}: `{words}` cannot be reached: {why}"
    work.report(codes.NOT_READ, topic, message, "look into the notes, where what was typed goes")
    if topic.place.kind == "boxes":  # `unplaced_text` notes only typed texts
        work.note_lines.append(f"{topic.label}: {words}")
    return False


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

    Traits that others stand under come first, then the order of the ruleset, so that each step
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
                if not try_rating(work, topic, trait, count, before):
                    failed.append(topic)
    return failed


def _stepped(work: WorkingCopy, group: str, trait: str, delta: int) -> None:
    delta = _picked(work, group, trait, delta) if work.is_new else delta
    if not delta:
        return
    advances = can_advance(work, group)
    key = work.find_key("advances") if advances else ranks_key(work, group)
    assert key is not None
    if delta < 0:
        remove_steps(work, key, trait, -delta)
    elif advances:
        first = [found] if (found := _otherwise(work, trait)) else []
        steps = [*first, *[work.draft.name_of(trait)] * (delta - len(first))]
        sessions = work.bought.get(trait, [])[-delta:]
        sessions = [""] * (delta - len(sessions)) + sessions
        for session, some in groupby(zip(sessions, steps, strict=True), itemgetter(0)):
            counted = ((n, len(list(same))) for n, same in groupby(name for _, name in some))
            names: list[Data] = [n if count == 1 else f"{n} x{count}" for n, count in counted]
            append_advances(work, key, names, session)
    else:
        work.append(key, [work.draft.name_of(trait)] * delta)


def _picked(work: WorkingCopy, group: str, trait: str, delta: int) -> int:
    """Add a trait of a new file to the picks at creation; return the steps that are left."""
    for id_, key in work.draft.rules.character.items():
        if key.kind != "raises" or group not in key.of or key.count is None or key.from_:
            continue
        checked, node = work.recheck(work.text), work.value_at(str(id_))
        count_made = len(node.items) if node is not None else 0
        if checked is not None and delta > 0 and count_made < checked.eval_int(key.count):
            work.append(str(id_), [work.draft.name_of(trait)])
            return delta - (checked.eval_int(key.by) if key.by is not None else 1)
    return delta


def _otherwise(work: WorkingCopy, trait: str) -> str:
    """Return the named advance that gives the first step of a trait that cannot be raised yet."""
    rule = work.draft.rules.advances
    assert rule is not None
    if not offer_of(work.draft, rule, "trait", trait).refused:
        return ""
    for id_, named in rule.named.items():
        if set(map(str, named.raise_)) == {trait}:
            offer = offer_of(work.draft, rule, "named", str(id_))
            if not offer.refused:
                return str(named.name)
    return ""


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
