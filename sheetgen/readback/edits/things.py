"""Edits of choices and items, in rows or in lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from sheetgen.check.character.draft.records import with_count
from sheetgen.check.character.results.lists import has_tags
from sheetgen.diag import read_codes
from sheetgen.diag.findings import Severity
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.spots import CannotEdit, Data, Spot
from sheetgen.model.rulesets.derived import ItemRows
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, items_of, raw_text
from sheetgen.readback.edits.plain_keys import choice_text
from sheetgen.readback.edits.working_copy import WorkingCopy
from sheetgen.readback.topics import Topic, field_items
from sheetgen.readback.words import catalogue_of, choice_key, item_key, parse_typed_name
from sheetgen.rules.names import split_times


class Thing(NamedTuple):
    """A choice or item of the character; `raw` is its text in the file, None if it has none."""

    key: str
    raw: str | None
    because: str = ""


class Swap(NamedTuple):
    """A value that replaces another; either may be missing."""

    key: str
    old: Thing | None
    value: Data | None
    shown: str


def edit_choices(work: WorkingCopy, topic: Topic) -> None:
    """Write the rows of a key of choices."""
    _picked(work, topic, topic.place.of[0])


def edit_rows(work: WorkingCopy, topic: Topic) -> None:
    """Write the rows of a list: items, or choices of one catalogue."""
    rule = work.draft.rules.lists[topic.place.of[0]]
    of, _, catalogue = rule.of.partition(".")
    if of == "choices":
        key = work.find_key("choices", catalogue) or work.find_key("choice", catalogue)
        if key is not None:
            _picked(work, topic, key)
        return
    _owned(work, topic, work.find_key("items") or "", _changes(work, topic, ""), rule)


def edit_items(work: WorkingCopy, topic: Topic) -> None:
    """Write the items that are listed in one field."""
    key, draft = topic.place.of[0], work.draft
    before, after = field_items(topic, topic.current), field_items(topic, topic.filled)
    old, new = [item_key(draft, b) for b in before], [item_key(draft, a) for a in after]
    removed = [b for b, k in zip(before, old, strict=True) if k in (Counter(old) - Counter(new))]
    added = [a for a, k in zip(after, new, strict=True) if k in (Counter(new) - Counter(old))]
    _owned(work, topic, key, zip_longest(removed, added, fillvalue=""), None)


def _changes(work: WorkingCopy, topic: Topic, catalogue: str) -> Iterator[tuple[str, str]]:
    """Yield the rows that name another thing than before: what they had, and what they have."""
    for field in topic.names:
        before, after = topic.current[field].strip(), topic.filled[field].strip()
        if catalogue:
            keys = {choice_key(work.draft, catalogue, text) for text in (before, after)}
        else:
            keys = {item_key(work.draft, text) if text else "" for text in (before, after)}
        if len(keys) > 1:
            yield before, after


def _picked(work: WorkingCopy, topic: Topic, key: str) -> None:
    catalogue = catalogue_of(work.draft, key)
    swaps: list[Swap] = []
    for before, after in _changes(work, topic, catalogue):
        old = _pick(work, key, catalogue, before) if before else None
        value = choice_text(work, topic, catalogue, after) if after else None
        if after and value is None:
            continue  # The old value stays, since the new one cannot be read.
        if value is not None and _has(work, key, catalogue, after) and not before:
            continue
        swaps.append(Swap(key, old, value, before))
    _swapped(work, topic, swaps)


def _has(work: WorkingCopy, key: str, catalogue: str, words: str) -> bool:
    """Whether the file picks it already, and another list of the sheet shows it."""
    node = work.draft.entries.get(key)
    key_text = choice_key(work.draft, catalogue, words)
    return any(choice_key(work.draft, catalogue, raw) == key_text for raw in _raws(node))


def _raws(node: Node | None) -> Iterator[str]:
    for item in items_of(node):
        if isinstance(item, ScalarNode):
            yield item.raw
        elif isinstance(item, Pairs):
            yield from (f"{k.raw}: {raw_text(v)}" for k, v in item.entries)


def _pick(work: WorkingCopy, key: str, catalogue: str, shown: str) -> Thing:
    draft, key_text = work.draft, choice_key(work.draft, catalogue, shown)
    id_ = key_text.partition(" ")[0]
    for pick in draft.picks:
        if pick.catalogue == catalogue and pick.entry == id_:
            raw = _raw_at(draft.entries.get(key), pick.span.line, pick.span.column)
            if not pick.because and raw is not None:
                return Thing(key, raw)
    because = next((p.because for p in draft.picks if p.entry == id_ and p.because), "")
    return Thing(key, None, because)


def _owned(
    work: WorkingCopy,
    topic: Topic,
    key: str,
    changed: Iterable[tuple[str, str]],
    rule: ItemRows | None,
) -> None:
    swaps: list[Swap] = []
    for before, after in changed:
        old = _item(work, key, before) if before else None
        value: Data | None = None
        if after:
            value = _named(work, topic, old.key if old else key, after, rule)
            if value is None:
                continue
        count = parse_typed_name(work.draft.index.gear, after)
        if old is not None and old.raw is not None and after and _same(work, old.raw, after):
            plain = split_times(old.raw)[0]
            value = plain if count.times == 1 else f"{plain} x{count.times}"
        swaps.append(Swap(old.key if old else key, old, value, before))
    _swapped(work, topic, swaps)


def _same(work: WorkingCopy, raw: str, words: str) -> bool:
    """Whether two texts name the same thing, perhaps in another number."""
    gear = work.draft.index.gear
    return parse_typed_name(gear, raw).id == parse_typed_name(gear, words).id != ""


def _named(
    work: WorkingCopy, topic: Topic, key: str, words: str, rule: ItemRows | None
) -> Data | None:
    """Return the text of an item for the file; None, and a finding, if there is none."""
    draft = work.draft
    found = parse_typed_name(draft.index.gear, words)
    kind = draft.rules.character.get(key)
    if found.id and kind is not None:
        item = draft.rules.gear[found.id]
        fits = rule is None or has_tags(rule, item.tags)
        if not fits and any(owned.item == found.id for owned in draft.items):
            return None  # Another list of the sheet shows it.
        return found.name if found.times == 1 else f"{found.name} x{found.times}"
    free = kind is not None and kind.open and kind.pool is None
    if free and (rule is None or rule.where is None):
        return words  # In another list no print would show it.
    if rule is not None:
        hint = draft.index.gear.hint(found.name)
        message = f"{topic.label}: the rules know no `{words}`; it goes to the notes"
        work.report(read_codes.TO_NOTES, topic, message, hint, Severity.WARNING)
        return None
    work.to_notes(topic, words, "is nothing that the rules know", draft.index.gear.hint(words))
    return None


def _item(work: WorkingCopy, key: str, shown: str) -> Thing:
    draft, key_text = work.draft, item_key(work.draft, shown)
    found = [i for i in draft.items if item_key(draft, with_count(i.name, i.count)) == key_text]
    begins = (i for i in draft.items if i.name and shown.startswith(i.name))
    found = found or sorted(begins, key=lambda i: -len(i.name))[:1]
    found.sort(key=lambda i: i.key != key)
    for item in found:
        raw = _raw_at(draft.entries.get(item.key), item.span.line, item.span.column)
        if raw is not None:
            return Thing(item.key, raw)
    return Thing(found[0].key if found else key, None, "a choice" if found else "")


def _raw_at(node: Node | None, line: int, column: int) -> str | None:
    """Return the word at a place below `node`, as the author wrote it."""
    if isinstance(node, ScalarNode):
        here = (node.span.line, node.span.column) == (line, column)
        return node.raw if here else None
    below: list[Node] = []
    if isinstance(node, Many):
        below = list(node.items)
    elif isinstance(node, Pairs):
        below = [part for entry in node.entries for part in entry]
    return next((r for n in below if (r := _raw_at(n, line, column)) is not None), None)


def _swapped(work: WorkingCopy, topic: Topic, swaps: Sequence[Swap]) -> None:
    """Replace values in the file, all at once, since two rows may change places."""
    places: list[tuple[str, int, Data | None]] = []
    new: list[tuple[str, Data]] = []
    for key, old, value, shown in swaps:
        if old is not None and old.raw is not None:
            used = [number for other, number, _ in places if other == key]
            places.append((key, _number(work.value_at(key), old.raw, used), value))
            continue
        if old is not None:
            why = f"it comes with {old.because}" if old.because else "the file does not name it"
            message = f"{topic.label}: `{shown}` cannot be taken out; {why}"
            work.report(read_codes.NOT_UNDONE, topic, message, "change that in the file")
        if value is not None:
            new.append((key, value))
    places.sort(key=lambda place: (place[2] is None, -place[1]))  # first what keeps its place
    for key, number, value in places:
        _put(work, key, number, value)
    for key, value in new:
        work.append(key, [value])


def _put(work: WorkingCopy, key: str, number: int, value: Data | None) -> None:
    """Replace item `number` under `key` by `value`, or remove it."""
    name, node = work.key_name(key) or "", work.value_at(key)
    if node is None or node.kind == "leaf":
        work.put_key(key, value) if value is not None else work.drop_key(key)
    elif node.kind == "map":
        work.drop((name, node.keys[number].raw))
        if value is not None:
            work.append(key, [value])
    elif value is None:
        work.drop((name, number))
    else:
        work.text = edit.put_value(work.text, (name, number), value)


def _number(node: Spot | None, raw: str, used: Sequence[int]) -> int:
    """Return the number of the first item that begins with `raw` and is not `used`."""
    words: list[str] = []
    if node is not None and node.kind == "leaf":
        words = [node.raw]
    elif node is not None and node.kind == "map":
        words = [key.raw for key in node.keys]
    elif node is not None:
        words = [i.keys[0].raw if i.kind == "map" and i.keys else i.raw for i in node.items]
    for number, word in enumerate(words):
        if word == raw and number not in used:
            return number
    raise CannotEdit("what the sheet shows is not found in the file")
