"""Edits of choices, items and texts, and of notes, which take all text without another place."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from sheetgen.check.character.draft import with_count
from sheetgen.check.character.items import has_tags
from sheetgen.check.character.ledger import MOST_LETTERS, cheapest_dice
from sheetgen.check.character.results import compute_tracks
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity, Span
from sheetgen.load.yaml import edit
from sheetgen.model.filled import ON
from sheetgen.model.rulesets.traits import Derived, ItemRows
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, items_of, raw_text
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
    count_marked,
    die_text,
    excerpt,
    field_items,
    is_only,
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
    """A choice or item of the character."""

    key: str
    raw: str | None  # Its text in the file; None if it has none.
    because: str = ""
    before: int = 0  # How many entries with the same text stand before it.


Swap: TypeAlias = tuple[str, Thing | None, edit.Data | None, str]  # key, thing, new value, shown


def edit_rows(work: WorkingCopy, topic: Topic) -> None:
    """Write the rows of a list: items, or choices of one catalogue."""
    rule, catalogue = work.draft.rules.lists[topic.place.of[0]], topic.catalogue
    if not catalogue:
        _owned(work, topic, work.find_key("items") or "", _changes(work, topic, ""), rule)
    elif key := work.find_key("choices", catalogue) or work.find_key("choice", catalogue):
        edit_picks(work, topic, key)


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
    """Yield rows that name another thing: before, after, how many rows above had the same."""
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
        swaps.append((key, old, value, before))
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
        swaps.append((old.key if old else key, old, value, before))
    _swapped(work, topic, swaps)


def _named(
    work: WorkingCopy, topic: Topic, key: str, words: str, rule: ItemRows | None
) -> edit.Data | None:
    """Return the text of an item for the file; None, and a finding, if there is none."""
    draft = work.draft
    found = parse_typed_name(draft.index.gear, words)
    kind = draft.rules.character.get(key)
    if found.id and kind is not None:
        fits = rule is None or has_tags(rule, draft.rules.gear[found.id].tags)
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
            work.put_key(key, value)
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
    else:
        work.put_key(key, new or None)


def edit_number(work: WorkingCopy, topic: Topic) -> None:
    """Write a whole number."""
    shown = topic.filled[topic.names[0]]
    found = parse_number_field(shown)
    if isinstance(found, str):
        work.not_read(topic, shown, "a whole number")
    else:
        work.put_key(topic.place.of[0], found)


def edit_choice(work: WorkingCopy, topic: Topic) -> None:
    """Write a choice that the rules know by the name that was typed."""
    shown = topic.filled[topic.names[0]].strip()
    value = choice_text(work, topic, topic.catalogue, shown) if shown else None
    if value is not None or not shown:
        work.put_key(topic.place.of[0], value)


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
    entries = work.draft.rules.choices[topic.catalogue].entries
    if len(found) < 2:
        work.put_key(key, str(entries[found[0]].name) if found else None)
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
        work.put_key(key, [*filter(None, typed), *work.draft.lists[key][len(topic.names) :]])
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
    source = str(work.draft.rules.tracks[topic.place.of[0]].marked or "")
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
    named = (n for n in _inputs(rules.derived.get(source)) if n in rules.character)
    keys = [n for n in named if rules.character[n].kind == "number"]
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
        noted = next((k.raw for k in work.root().at(path).keys if folded(k.raw) == "note"), None)
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
        work.put_key(key, new or None)
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


def note_unplaced(work: WorkingCopy, topic: Topic) -> None:
    """Note the text of a field that the ruleset does not have; only report a mark."""
    words = topic.filled[topic.names[0]]
    if words == ON:
        message = f"{topic.label}: it is marked; a character's file has no place for that"
        work.report(codes.NOT_RECORDED, topic, message, "", Severity.NOTE)
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
        # The notes may have the cells of a line among others: a row of an empty sheet has more.
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
_LOOSE: Final = ("number", "own", "link", "cell", COMPUTED, NOWHERE)  # case and blanks don't count
_AFTER: Final = {"what": "", "gained": "gained ", "cost": "cost ", "session": "session "}
"""Columns of a ledger in the order of a note, with the word before each."""


def keep_unplaced(work: WorkingCopy, topics: Sequence[Topic], view: Texts) -> dict[int, Change]:
    """Put every typed text that `view`, the print of the merged file, lacks into the notes.

    Returns the changes of topics whose text the file does not show, by the id of the topic.
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
        return _same_choice(topic, text, here)
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
    if topic.place.kind not in ("rows", "choices"):
        return False
    same = _same_choice if topic.catalogue else _same_item
    return any(same(topic, text, one) for one in siblings)


def _column(name: str) -> str:
    return name.rpartition(".")[2] if name.count(".") > 1 else ""


def _same_choice(topic: Topic, text: str, shown: str) -> bool:
    catalogue = topic.catalogue
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
    work.report(codes.COMPUTED, topic, message, "", Severity.NOTE)
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
        work.note_lines.append(f"{label}: {parts}")
        if not reported:
            message = f"{label}: `{excerpt(parts)}` has no place in the file; it goes to the notes"
            work.report(codes.TO_NOTES, topics[0], message, "", Severity.WARNING)
    elif emptied and not reported:
        lost = " · ".join(t.before[n].strip() for t, n in emptied)
        message = f"{label}: `{excerpt(lost)}` was emptied on the sheet; the file still says it"
        work.report(codes.NOT_UNDONE, topics[0], message, "change in the file what it follows from")
    for topic in topics:
        state = "noted" if any(topic.filled[n].strip() for t, n in row if t is topic) else "kept"
        unplaced[id(topic)] = change_of(topic, state)
