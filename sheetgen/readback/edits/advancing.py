"""Steps that are bought one by one: advances, and ranks that are named in a list."""

from __future__ import annotations

from sheetgen.check.character.spending.advances import offer_of
from sheetgen.diag import codes, read_codes
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.spots import Data, Path, Spot
from sheetgen.readback.edits.working_copy import WorkingCopy
from sheetgen.readback.topics import Topic
from sheetgen.rules.names import folded, split_times


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
        work.report(read_codes.NOT_UNDONE, topic, message, "change in the file what it came with")
        return False
    new = (
        [f for f in checked.findings if f not in work.draft.findings] if checked is not None else []
    )
    why = next((f.message for f in new if f.code is codes.NO_ADVANCE), "the rules do not allow it")
    message = f"{topic.label}: `{words}` cannot be reached: {why}"
    work.report(read_codes.NOT_READ, topic, message, "what was typed goes to the notes")
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
        lists: list[tuple[Path, Spot]] = [((name,), node)] if node is not None else []
        if node is not None and node.kind == "map":
            lists = [((name, k.raw), v) for k, v in zip(node.keys, node.items, strict=True)]
        places: list[tuple[Path, str]] = []
        for path, below in lists:
            leaf = [(path, below.raw)] if below.kind == "leaf" else []
            numbered = [((*path, n), item.raw) for n, item in enumerate(below.items)]
            places += leaf or (numbered if below.kind == "list" else [])
        fits = [(p, raw) for p, raw in places if _names(work, raw, trait)]
        if not fits:
            return
        path, raw = fits[-1]
        plain, times = split_times(raw)
        if times > 1 and not work.is_trait(raw, trait):
            rest = plain if times == 2 else f"{plain} x{times - 1}"
            work.text = edit.put_value(work.text, path, rest)
        else:
            work.drop(path)


def _names(work: WorkingCopy, raw: str, trait: str) -> bool:
    return work.is_trait(raw, trait) or work.is_trait(split_times(raw)[0], trait)


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
        _append(work, key, _steps(work, trait, delta))
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


def _steps(work: WorkingCopy, trait: str, count: int) -> list[Data]:
    """Return the items of the list for `count` steps."""
    name = work.draft.name_of(trait)
    first: list[Data] = [found] if (found := _otherwise(work, trait)) else []
    count -= len(first)
    return [*first, *([name if count == 1 else f"{name} x{count}"] if count else [])]


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


def _append(work: WorkingCopy, key: str, names: list[Data]) -> None:
    """Add advances; if they are listed by session, to the last session."""
    node, name = work.value_at(key), work.key_name(key)
    if name is None or node is None or node.kind != "map":
        work.append(key, names)
        return
    last = _last_session(work) or node.keys[-1].raw
    there = next((k.raw for k in node.keys if _number(k.raw) == _number(last)), None)
    if there is None:
        work.text = edit.add_entry(work.text, (name,), last, names)
    else:
        work.text = edit.append_items(work.text, (name, there), names)


def _number(session: str) -> str:
    return folded(session).removeprefix("session ").lstrip("0")


def _last_session(work: WorkingCopy) -> str:
    key = work.find_key("sessions")
    node = work.value_at(key) if key is not None else None
    if node is None or node.kind != "list" or not node.items:
        return ""
    last = node.items[-1].data()
    return str(last.get("session", "")) if isinstance(last, dict) else ""
