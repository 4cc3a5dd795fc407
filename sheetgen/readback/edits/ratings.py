"""Ratings that were raised or lowered: stated ones, advances, ranks that are named."""

from __future__ import annotations

from functools import partial

from sheetgen.check.character.ratings.stated import RATED
from sheetgen.diag import read_codes
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.spots import Data
from sheetgen.model.codes import code_text
from sheetgen.readback.edits.advancing import can_advance, ranks_key, rating_text
from sheetgen.readback.edits.working_copy import WorkingCopy
from sheetgen.readback.topics import Topic, count_marked, named_rows, parse_rating
from sheetgen.rules.names import exact_form, folded


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


def _shown(work: WorkingCopy, group: str, count: int) -> Data:
    """Return a rating as the author of a file writes it."""
    if work.draft.rules.groups[group].rating == "dice":
        return code_text(count, pips=work.draft.rules.pips)
    return count


def _stated(work: WorkingCopy, topic: Topic, group: str, trait: str, count: int) -> None:
    key = work.find_key("ratings", group)
    if key is None:
        work.to_notes(topic, str(count), "has no key in the file")
        return
    value = _shown(work, group, count)
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
    shown = str(_shown(work, group, count))
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
    before = {number: (name, count) for number, name, count in named_rows(topic, topic.current)}
    after = {number: (name, count) for number, name, count in named_rows(topic, topic.filled)}
    for number in dict.fromkeys((*before, *after)):
        old, new = before.get(number, ("", 0)), after.get(number, ("", 0))
        if old == new:
            continue
        entry = work.entry(key, partial(_is_called, old[0]))
        if entry is None and not new[0]:
            message = f"{topic.label}, row {number}: {new[1]} marked beside no name"
            work.report(read_codes.NOT_READ, topic, message, "type its name")
        elif new[0] != old[0] and work.entry(key, partial(_is_called, new[0])):
            work.to_notes(topic, new[0], "is the name of another row")
        elif entry is None:
            rated = work.draft.rules.groups[group_id].rating
            work.put_entry(key, new[0], {str(rated): new[1]})
        elif not new[0]:
            work.drop((work.key_name(key) or "", entry))
        else:
            _named_row(work, key, entry, old, new)


def _is_called(name: str, raw: str) -> bool:
    return bool(name) and exact_form(raw) == exact_form(name)


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
    rated = next((k.raw for k in node.keys if folded(k.raw) in RATED), None)
    if node.kind == "map":
        work.text = edit.add_entry(work.text, path, rated or RATED[1], new[1])
    else:
        work.text = edit.put_value(work.text, path, new[1])
