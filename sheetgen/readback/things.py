"""Edits of choices and items, in rows or in lists."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sheetgen.check.character.dice import MOST_LETTERS, cheapest_dice
from sheetgen.check.character.draft import with_count
from sheetgen.check.character.results import compute_tracks, has_tags
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity, Span
from sheetgen.load.yaml import edit
from sheetgen.model.filled import ON
from sheetgen.model.rulesets.traits import Derived, ItemRows
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, items_of, raw_text
from sheetgen.readback.topics import (
    Topic,
    WorkingCopy,
    catalogue_of,
    choice_key,
    count_marked,
    die_text,
    excerpt,
    field_items,
    item_key,
    normalize_text,
    parse_choice,
    parse_number_field,
    parse_typed_name,
)
from sheetgen.rules.formulas.expressions import FormulaError, inputs
from sheetgen.rules.formulas.expressions import parse_formula as parsed
from sheetgen.rules.index import folded, split_times


class Thing(NamedTuple):
    """A choice or item of the character.

    Attributes:
        raw: Its text in the file; None if it has none.
        before: How many entries with the same text stand before it.
    """

    key: str
    raw: str | None
    because: str = ""
    before: int = 0


class Swap(NamedTuple):
    """A value that replaces another; either may be missing."""

    key: str
    old: Thing | None
    value: edit.Data | None
    shown: str


def edit_rows(work: WorkingCopy, topic: Topic) -> None:
    """Write the rows of a list: items, or choices of one catalogue."""
    rule = work.draft.rules.lists[topic.place.of[0]]
    of, _, catalogue = rule.of.partition(".")
    if of == "choices":
        key = work.find_key("choices", catalogue) or work.find_key("choice", catalogue)
        if key is not None:
            edit_picks(work, topic, key)
        return
    _owned(work, topic, work.find_key("items") or "", _changes(work, topic, ""), rule)


def edit_items(work: WorkingCopy, topic: Topic) -> None:
    """Write the items that are listed in one field."""
    key, draft = topic.place.of[0], work.draft
    before, after = field_items(topic, topic.current), field_items(topic, topic.filled)
    old, new = [item_key(draft, b) for b in before], [item_key(draft, a) for a in after]
    removed = [(before[n], nth) for n, nth in _without(old, new)]
    added = [after[n] for n, _ in _without(new, old)]
    removed += [("", 0)] * (len(added) - len(removed))
    added += [""] * (len(removed) - len(added))
    pairs = zip(removed, added, strict=True)
    _owned(work, topic, key, ((b, a, nth) for (b, nth), a in pairs), None)


def _without(keys: Sequence[str], others: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield the places of keys that others lack, and how many of the same are before them."""
    left, seen = Counter(others), Counter[str]()
    for place, key in enumerate(keys):
        if seen[key] >= left[key]:
            yield place, seen[key]
        seen[key] += 1


def _changes(work: WorkingCopy, topic: Topic, catalogue: str) -> Iterator[tuple[str, str, int]]:
    """Yield the rows that name another thing than before.

    A row is what it had, what it has, and how many rows before it had the same.
    """
    seen = Counter[str]()
    for field in topic.names:
        before, after = topic.current[field].strip(), topic.filled[field].strip()
        if catalogue:
            keys = [choice_key(work.draft, catalogue, text) for text in (before, after)]
        else:
            keys = [item_key(work.draft, text) if text else "" for text in (before, after)]
        if keys[0] != keys[1]:
            yield before, after, seen[keys[0]]
        seen[keys[0]] += 1


def edit_picks(work: WorkingCopy, topic: Topic, key: str) -> None:
    """Write the rows of a key of choices."""
    catalogue, picks = catalogue_of(work.draft, key), work.draft.picks
    swaps: list[Swap] = []
    for before, after, nth in _changes(work, topic, catalogue):
        old = None
        if before:
            id_ = choice_key(work.draft, catalogue, before).partition(" ")[0]
            found = [p for p in picks if p.catalogue == catalogue and p.entry == id_]
            node = work.draft.entries.get(key)
            listed = (p for p in (*found[nth:], *found[:nth]) if not p.because)
            there = filter(None, (_thing_at(node, key, pick.span) for pick in listed))
            because = next((p.because for p in picks if p.entry == id_ and p.because), "")
            old = next(there, Thing(key, None, because))
        value = choice_text(work, topic, catalogue, after) if after else None
        if after and value is None:
            continue  # The old value stays, since the new one cannot be read.
        if value is not None and not before:
            raws: list[str] = []
            for item in items_of(work.draft.entries.get(key)):
                raws += [item.raw] if isinstance(item, ScalarNode) else []
                if isinstance(item, Pairs):
                    raws += [f"{k.raw}: {raw_text(v)}" for k, v in item.entries]
            wanted = choice_key(work.draft, catalogue, after)
            if any(choice_key(work.draft, catalogue, raw) == wanted for raw in raws):
                continue  # The file picks it already, and another list of the sheet shows it.
        swaps.append(Swap(key, old, value, before))
    _swapped(work, topic, swaps)


def _owned(
    work: WorkingCopy,
    topic: Topic,
    key: str,
    changed: Iterable[tuple[str, str, int]],
    rule: ItemRows | None,
) -> None:
    swaps: list[Swap] = []
    for before, after, nth in changed:
        old = None
        if before:
            items, wanted = work.draft.items, item_key(work.draft, before)
            named = [(i, item_key(work.draft, with_count(i.name, i.count))) for i in items]
            begins = (i for i in items if i.name and before.startswith(i.name))
            found = [i for i, own in named if own == wanted]
            found = found or sorted(begins, key=lambda i: -len(i.name))[:1]
            found.sort(key=lambda i: i.key != key)
            places = ((i, work.draft.entries.get(i.key)) for i in (*found[nth:], *found[:nth]))
            there = filter(None, (_thing_at(node, i.key, i.span) for i, node in places))
            other = Thing(found[0].key if found else key, None, "a choice" if found else "")
            old = next(there, other)
        value: edit.Data | None = None
        if after:
            value = _named(work, topic, old.key if old else key, after, rule)
            if value is None:
                continue
        if old is not None and old.raw is not None and after:
            gear = work.draft.index.gear
            new, times = parse_typed_name(gear, after).id, parse_typed_name(gear, after).times
            if new and parse_typed_name(gear, old.raw).id == new:  # the same in another number
                plain = split_times(old.raw)[0]
                value = plain if times == 1 else f"{plain} x{times}"
        swaps.append(Swap(old.key if old else key, old, value, before))
    _swapped(work, topic, swaps)


def _named(
    work: WorkingCopy, topic: Topic, key: str, words: str, rule: ItemRows | None
) -> edit.Data | None:
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
        work.report(codes.TO_NOTES, topic, message, hint, Severity.WARNING)
        return None
    work.to_notes(topic, words, "is nothing that the rules know", draft.index.gear.hint(words))
    return None


def _thing_at(node: Node | None, key: str, span: Span) -> Thing | None:
    """Return the thing whose word is at a place below the node of its key."""
    place = span.line, span.column
    word = next((w for w in _words_below(node) if (w.span.line, w.span.column) == place), None)
    if word is None:
        return None
    tops = itertools.chain.from_iterable(
        (key for key, _ in one.entries) if isinstance(one, Pairs) else (one,)
        for one in items_of(node)
    )
    before = itertools.takewhile(lambda top: top is not word, tops)
    same = sum(isinstance(top, ScalarNode) and top.raw == word.raw for top in before)
    return Thing(key, word.raw, before=same)


def _words_below(node: Node | None) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        yield node
    elif node is not None:
        for below in node.items if isinstance(node, Many) else itertools.chain(*node.entries):
            yield from _words_below(below)


def _swapped(work: WorkingCopy, topic: Topic, swaps: Sequence[Swap]) -> None:
    """Replace values in the file, all at once, since two rows may change places."""
    places: list[tuple[str, int, edit.Data | None]] = []
    new: list[tuple[str, edit.Data]] = []
    for key, old, value, shown in swaps:
        if old is not None and old.raw is not None:
            used = [number for other, number, _ in places if other == key]
            node, words = work.value_at(key), list[str]()
            if node is not None and node.kind == "leaf":
                words = [node.raw]
            elif node is not None and node.kind == "map":
                words = [below.raw for below in node.keys]
            elif node is not None:
                words = [i.keys[0].raw if i.kind == "map" and i.keys else i.raw for i in node.items]
            found = [number for number, word in enumerate(words) if word == old.raw]
            free = (n for n in (*found[old.before :], *found[: old.before]) if n not in used)
            if (number := next(free, None)) is None:
                raise edit.CannotEdit("what the sheet shows is not found in the file")
            places.append((key, number, value))
            continue
        if old is not None:
            why = f"it comes with {old.because}" if old.because else "the file does not name it"
            message = f"{topic.label}: `{shown}` cannot be taken out; {why}"
            work.report(codes.NOT_UNDONE, topic, message, "change that in the file")
        if value is not None:
            new.append((key, value))
    places.sort(key=lambda place: (place[2] is None, -place[1]))  # first what keeps its place
    for key, number, value in places:
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
            work.put((name, number), value)
    for key, value in new:
        work.append(key, [value])


def trait_at(work: WorkingCopy, topic: Topic) -> str | None:
    """Return the trait of a row, also of one that the author named."""
    group, name = topic.place.of
    if not name.isdigit():
        return name if name in work.draft.index.traits else None
    own = [t for t, (_, of) in work.draft.own_traits.items() if of == group]
    number = int(name)
    return own[number - 1] if 1 <= number <= len(own) else None


def edit_link(work: WorkingCopy, topic: Topic) -> None:
    """Write the link that a trait is of."""
    key, trait = work.find_key("links"), trait_at(work, topic)
    old, new = (normalize_text(texts[topic.names[0]]) for texts in (topic.current, topic.filled))
    if key is None or trait is None:
        work.to_notes(topic, new, "has no place")
        return
    if len(new) > MOST_LETTERS:
        work.not_read(topic, new, "the name of a link, a letter or two")
        return
    name = work.draft.name_of(trait)
    node = work.value_at(key)
    if old and node is not None and node.place(old) is not None:
        below = node.at((old,))
        fits = [n for n, item in enumerate(below.items) if work.is_trait(item.raw, trait)]
        if fits:
            work.drop(work.path(key, old, fits[0]))
        elif below.kind == "leaf" and work.is_trait(below.raw, trait):
            work.drop(work.path(key, old))
    if new:
        there = work.entry(key, lambda raw: raw.lower() == new.lower())
        node = work.value_at(key)
        if there is None or node is None:
            work.put_entry(key, new, [name])
        elif not any(work.is_trait(i.raw, trait) for i in node.at((there,)).items):
            work.text = edit.append_items(work.text, work.path(key, there), [name])


def edit_pin(work: WorkingCopy, topic: Topic) -> None:
    """Write the die that is pinned to a trait."""
    key, trait, rule = work.find_key("pinned"), trait_at(work, topic), work.draft.rules.dice
    found = topic.value(topic.filled)
    words = topic.filled[topic.names[0]]
    if key is None or trait is None or rule is None:
        work.to_notes(topic, words, "has no place")
        return
    known = [f"d{rung}" for rung in rule.ladder]
    if not found or found[0] in known:
        work.put_trait(key, trait, found[0] if found else None)
    else:
        work.not_read(topic, words, f"a die of these rules ({', '.join(known)})")


_CUT = "…"


def parse_typed(topic: Topic, name: str) -> str:
    """Return the typed text of a field letter by letter; an empty text for blanks alone."""
    return topic.filled[name] if normalize_text(topic.filled[name]) else ""


def edit_text(work: WorkingCopy, topic: Topic) -> None:
    """Write a text, unless only its beginning came back from the sheet."""
    key, new = topic.place.of[0], parse_typed(topic, topic.names[0])
    old = normalize_text((topic.printed or topic.current)[topic.names[0]])
    cut = normalize_text(new).removesuffix(_CUT).rstrip()
    if new.rstrip().endswith(_CUT) and old.startswith(cut) and old != normalize_text(new):
        message = f"{topic.label}: only the beginning came back, `{excerpt(new)}`"
        work.report(codes.CUT_SHORT, topic, message, "change the text in the file")
    elif new:
        work.put_key(key, new)
    else:
        work.drop_key(key)


def edit_number(work: WorkingCopy, topic: Topic) -> None:
    """Write a whole number."""
    shown = topic.filled[topic.names[0]]
    found = parse_number_field(shown)
    if isinstance(found, str):
        work.not_read(topic, shown, "a whole number")
    elif found is None:
        work.drop_key(topic.place.of[0])
    else:
        work.put_key(topic.place.of[0], found)


def edit_choice(work: WorkingCopy, topic: Topic) -> None:
    """Write a choice that the rules know by the name that was typed."""
    key, shown = topic.place.of[0], topic.filled[topic.names[0]].strip()
    if not shown:
        work.drop_key(key)
        return
    value = choice_text(work, topic, catalogue_of(work.draft, key), shown)
    if value is not None:
        work.put_key(key, value)


def choice_text(work: WorkingCopy, topic: Topic, catalogue: str, shown: str) -> edit.Data | None:
    """Return the value of a choice for the file; None, and a finding, if there is none."""
    rules = work.draft.rules.choices[catalogue]
    found, trait = parse_choice(work.draft, catalogue, shown)
    if not found.id:
        if rules.open:
            return shown
        hint = work.draft.index.by_catalogue[catalogue].hint(found.name)
        work.to_notes(topic, shown, f"is no {rules.one}", hint)
        return None
    entry = rules.entries[found.id]
    name = found.name if found.times == 1 else f"{found.name} x{found.times}"
    if entry.asks in work.draft.rules.groups and found.detail:
        if not trait:
            group = work.draft.rules.groups[str(entry.asks)]
            hint = work.draft.index.among((str(entry.asks),)).hint(found.detail)
            work.to_notes(topic, shown, f"names no {group.one}", hint)
            return None
        return {name: work.draft.name_of(trait)}
    if found.detail and (entry.asks is not None or entry.may_say):
        return {name: found.detail}
    return name


def edit_state(work: WorkingCopy, topic: Topic) -> None:
    """Write the state that is marked; report several."""
    key = topic.place.of[0]
    found, before = (
        [name.rpartition(".")[2] for name in topic.names if texts[name] == ON]
        for texts in (topic.filled, topic.current)
    )
    entries = work.draft.rules.choices[catalogue_of(work.draft, key)].entries
    if len(found) == 1:
        work.put_key(key, str(entries[found[0]].name))
    elif not found:
        work.drop_key(key)
    else:
        names = ", ".join(str(entries[one].name) for one in found)
        message = f"{topic.label}: {len(found)} are marked: {names}"
        kept = (str(entries[one].name) if one in entries else one for one in before or ["nothing"])
        hint = f"mark the one that counts; until then the file keeps {', '.join(kept)}"
        work.report(codes.NOT_READ, topic, message, hint)


def edit_texts(work: WorkingCopy, topic: Topic) -> None:
    """Write a list of texts, row by row."""
    key = topic.place.of[0]
    node = work.value_at(key)
    if node is not None and node.kind == "map":  # names with notes: rewritten as a list of texts
        typed = (parse_typed(topic, field) for field in topic.names)
        beyond = work.draft.lists[key][len(topic.names) :]
        work.put_key(key, [*filter(None, typed), *beyond])
        return
    items = node.items if node is not None and node.kind == "list" else ()
    single = node is not None and node.kind == "leaf" and node.raw != ""
    there = [n for n, item in enumerate(items) if item.raw or item.kind != "leaf"]
    there = [-1] if single else there
    drops: list[int] = []
    news: list[edit.Data] = []
    name = work.key_name(key) or ""
    for place, field in enumerate(topic.names):
        new = parse_typed(topic, field)
        if place >= len(there):
            news += [new] if new else []
        elif normalize_text(new) == normalize_text(topic.current[field]):
            continue
        elif not new:
            drops.append(there[place])
        else:
            path = (name,) if single else (name, there[place])
            work.put(path, new)
    for number in reversed(drops):
        work.drop((name,) if single else (name, number))
    if news:
        work.append(key, news)


def edit_track(work: WorkingCopy, topic: Topic) -> None:
    """Write how many boxes of a track are marked, under the key that says so."""
    rule = work.draft.rules.tracks[topic.place.of[0]]
    source = str(rule.marked or "")
    off_track = max(0, work.draft.numbers.get(source, 0) - len(topic.names))
    count = count_marked(topic.filled) + off_track
    key = work.draft.rules.character.get(source)
    if key is not None and key.kind == "flag":
        if count or work.key_name(source) is not None:
            work.put_key(source, count > 0)
    elif key is not None:
        work.put_key(source, count)
    elif not _solved(work, topic, source, count):
        message = f"{topic.label}: no value of the file gives {count} marked boxes"
        work.report(codes.NOT_READ, topic, message, "write it into the file by hand")


def _solved(work: WorkingCopy, topic: Topic, source: str, count: int) -> bool:
    """Find the number that gives a derived value the marked count; return whether there is one."""
    rules, draft = work.draft.rules, work.draft
    derived = rules.derived.get(source)
    keys = [n for n in _inputs(derived) if n in rules.character]
    keys = [n for n in keys if rules.character[n].kind == "number"]
    if len(keys) != 1:
        return False
    place = work.track_topics.index(topic) if topic in work.track_topics else 0
    sources = ((t, rules.tracks[t.place.of[0]].marked) for t in work.track_topics[:place])
    earlier = [t for t, of in sources if keys[0] in _inputs(rules.derived.get(str(of or "")))]
    begins, before = draft.numbers.get(keys[0], 0), work.text
    places = sum(len(t.names) for t in (*earlier, topic))
    likely = [begins + count - count_marked(topic.current), count, *range(begins + places + 1)]
    for value in dict.fromkeys([None, *(v for v in likely if v >= 0)]):
        work.text = before
        if value is not None:  # None: another track has led to this count already.
            work.put_key(keys[0], value)
        if (checked := work.recheck(work.text)) is not None:
            tracks, shown = compute_tracks(checked), (*earlier, topic)
            if all(tracks[t.place.of[0]][1] == count_marked(t.filled) for t in shown):
                return True
    work.text = before
    return False


def _inputs(derived: Derived | None) -> frozenset[str]:
    try:
        return inputs(parsed(derived.value)) if derived and derived.value else frozenset()
    except FormulaError:
        return frozenset()


def edit_detail(work: WorkingCopy, topic: Topic) -> None:
    """Write the note beside a trait, where the author wrote it or would write it."""
    trait, new = topic.place.of[1], parse_typed(topic, topic.names[0])
    ratings = work.find_key("ratings", topic.place.of[0])
    entry = work.trait_entry(ratings, trait) if ratings is not None else None
    if ratings is not None and entry is not None:
        path = work.path(ratings, entry)
        long = work.root().at(path)
        noted = next((k.raw for k in long.keys if folded(k.raw) == "note"), None)
        if noted is not None:
            work.put((*path, noted), new) if new else work.drop((*path, noted))
            return
    key = work.find_key("details")
    if key is None:
        work.to_notes(topic, new, "has no place")
    else:
        work.put_trait(key, trait, new or None)


def edit_dice(work: WorkingCopy, topic: Topic) -> None:
    """Write the dice, and the cheapest purchases if the file records purchases."""
    rule, key = work.draft.rules.dice, topic.place.of[0]
    assert rule is not None
    names = {f"d{faces}": faces for faces in rule.ladder}
    shown = dict(topic.filled)
    for field in topic.names:
        if die_text(shown[field]) not in ("", *names):
            work.not_read(topic, shown[field], f"a die of these rules ({', '.join(names)})")
            shown[field] = topic.current[field]
    target = [names[die] for die in topic.value(shown) if die in names]
    node = work.value_at(key)
    old = [item.raw.strip().lower() for item in node.items] if node is not None else []
    new = [f"d{faces}" for faces in target]
    more, less = list((Counter(new) - Counter(old)).elements()), Counter(old) - Counter(new)
    if node is None or node.kind != "list" or not set(old) <= names.keys():
        work.put_key(key, new) if new else work.drop_key(key)
    else:
        places: list[int] = []
        for die in less.elements():
            places.append(next(n for n, o in enumerate(old) if o == die and n not in places))
        for place, die in zip(places, more, strict=False):
            work.put(work.path(key, place), die)
        for place in sorted(places[len(more) :], reverse=True):
            work.drop(work.path(key, place))
        if len(more) > len(places):
            work.append(key, [*more[len(places) :]])
    history, have = work.find_key("dice_history"), sorted(work.draft.dice, reverse=True)
    if history is None or work.key_name(history) is None:
        return
    if len(have) > len(target) or any(h > w for h, w in zip(have, target, strict=False)):
        return  # No die can be given up; the check reports it.
    steps = cheapest_dice(work.draft, rule, target, have)
    purchases = [f"d{s.before} -> d{s.after}" if s.before else f"buy d{s.after}" for s in steps]
    if purchases:
        work.append(history, [*purchases])
