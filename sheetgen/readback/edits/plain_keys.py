"""Edits of plain keys: texts, numbers, choices, states, lists of texts, tracks, dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sheetgen.check.character.ratings.dice import cheapest_dice
from sheetgen.check.character.results.lists import compute_tracks
from sheetgen.diag import read_codes
from sheetgen.load.yaml import edit
from sheetgen.load.yaml.spots import Data
from sheetgen.model.filled import ON
from sheetgen.model.rulesets.derived import Derived
from sheetgen.readback.edits.working_copy import WorkingCopy, excerpt
from sheetgen.readback.topics import (
    Topic,
    count_marked,
    die_text,
    normalize_text,
    parse_number_field,
)
from sheetgen.readback.words import catalogue_of, parse_choice
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.expressions import parse_formula as parsed
from sheetgen.rules.formulas.trees import inputs
from sheetgen.rules.names import folded

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
        work.report(read_codes.CUT_SHORT, topic, message, "change the text in the file")
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


def choice_text(work: WorkingCopy, topic: Topic, catalogue: str, shown: str) -> Data | None:
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


def topic_marks(topic: Topic, texts: Mapping[str, str]) -> list[str]:
    """Return the states that are marked."""
    return [name.rpartition(".")[2] for name in topic.names if texts[name] == ON]


def edit_state(work: WorkingCopy, topic: Topic) -> None:
    """Write the state that is marked; report several."""
    key = topic.place.of[0]
    found = topic_marks(topic, topic.filled)
    entries = work.draft.rules.choices[catalogue_of(work.draft, key)].entries
    if len(found) == 1:
        work.put_key(key, str(entries[found[0]].name))
    elif not found:
        work.drop_key(key)
    else:
        names = ", ".join(str(entries[one].name) for one in found)
        message = f"{topic.label}: {len(found)} are marked: {names}"
        kept = topic_marks(topic, topic.current) or ["nothing"]
        shown = ", ".join(str(entries[one].name) if one in entries else one for one in kept)
        hint = f"mark the one that counts; until then the file keeps {shown}"
        work.report(read_codes.NOT_READ, topic, message, hint)


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
    there: list[int] = [n for n, item in enumerate(items) if item.raw or item.kind != "leaf"]
    single = node is not None and node.kind == "leaf" and node.raw != ""
    there = [-1] if single else there
    drops: list[int] = []
    news: list[Data] = []
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
            work.text = edit.put_value(work.text, path, new)
    _dropped(work, key, drops)
    if news:
        work.append(key, news)


def _dropped(work: WorkingCopy, key: str, numbers: Sequence[int]) -> None:
    name = work.key_name(key) or ""
    for number_ in sorted(numbers, reverse=True):
        work.drop((name,) if number_ < 0 else (name, number_))


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
        work.report(read_codes.NOT_READ, topic, message, "write it into the file by hand")


def _solved(work: WorkingCopy, topic: Topic, source: str, count: int) -> bool:
    """Find the number that gives a derived value the marked count; return whether there is one."""
    rules, draft = work.draft.rules, work.draft
    derived = rules.derived.get(source)
    keys = [n for n in _inputs(derived) if _is_number(work, n)]
    if len(keys) != 1:
        return False
    place = work.track_topics.index(topic) if topic in work.track_topics else 0
    earlier = [t for t in work.track_topics[:place] if keys[0] in _inputs(_source(work, t))]
    begins, before = draft.numbers.get(keys[0], 0), work.text
    places = sum(len(t.names) for t in (*earlier, topic))
    likely = [begins + count - count_marked(topic.current), count, *range(begins + places + 1)]
    for value in dict.fromkeys([None, *(v for v in likely if v >= 0)]):
        work.text = before
        if value is not None:  # None: another track has led to this count already.
            work.put_key(keys[0], value)
        checked = work.recheck(work.text)
        if checked is not None and _as_marked(compute_tracks(checked), [*earlier, topic]):
            return True
    work.text = before
    return False


def _as_marked(found: Mapping[str, tuple[int, int]], topics: Sequence[Topic]) -> bool:
    """Whether as many boxes are marked as on the sheet, of all these tracks."""
    return all(found[t.place.of[0]][1] == count_marked(t.filled) for t in topics)


def _source(work: WorkingCopy, topic: Topic) -> Derived | None:
    rules = work.draft.rules
    return rules.derived.get(str(rules.tracks[topic.place.of[0]].marked or ""))


def _inputs(derived: Derived | None) -> frozenset[str]:
    try:
        return inputs(parsed(derived.value)) if derived and derived.value else frozenset()
    except FormulaError:
        return frozenset()


def _is_number(work: WorkingCopy, name: str) -> bool:
    key = work.draft.rules.character.get(name)
    return key is not None and key.kind == "number"


def edit_detail(work: WorkingCopy, topic: Topic) -> None:
    """Write the note beside a trait, where the author wrote it or would write it."""
    trait, new = topic.place.of[1], parse_typed(topic, topic.names[0])
    ratings = work.find_key("ratings", topic.place.of[0])
    entry = work.entry(ratings, lambda raw: work.is_trait(raw, trait)) if ratings else None
    if ratings is not None and entry is not None:
        path = (work.key_name(ratings) or "", entry)
        long = work.root().at(path)
        noted = next((k.raw for k in long.keys if folded(k.raw) == "note"), None)
        if noted is not None:
            if new:
                work.text = edit.put_value(work.text, (*path, noted), new)
            else:
                work.drop((*path, noted))
            return
    key = work.find_key("details")
    if key is None:
        work.to_notes(topic, new, "has no place")
        return
    entry = work.entry(key, lambda raw: work.is_trait(raw, trait))
    if new:
        work.put_entry(key, entry or work.draft.name_of(trait), new)
    elif entry is not None:
        work.drop((work.key_name(key) or "", entry))


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
    simple = node is not None and node.kind == "list"
    more, less = Counter(new) - Counter(old), Counter(old) - Counter(new)
    if node is None or not simple or not set(old) <= {f"d{f}" for f in rule.ladder}:
        work.put_key(key, new) if new else work.drop_key(key)
    else:
        _changed_dice(
            work, work.key_name(key) or "", old, list(less.elements()), list(more.elements())
        )
    history = work.find_key("dice_history")
    if history is not None and work.key_name(history) is not None:
        _recorded(work, history, target)


def _changed_dice(
    work: WorkingCopy, name: str, old: list[str], less: list[str], more: list[str]
) -> None:
    places: list[int] = []
    for die in less:
        places.append(next(n for n, o in enumerate(old) if o == die and n not in places))
    for place, die in zip(places, more, strict=False):
        work.text = edit.put_value(work.text, (name, place), die)
    for place in sorted(places[len(more) :], reverse=True):
        work.drop((name, place))
    if len(more) > len(less):
        work.text = edit.append_items(work.text, (name,), more[len(less) :])


def _recorded(work: WorkingCopy, history: str, target: list[int]) -> None:
    rule, draft = work.draft.rules.dice, work.draft
    have = sorted(draft.dice, reverse=True)
    assert rule is not None
    if len(have) > len(target) or any(h > w for h, w in zip(have, target, strict=False)):
        return  # No die can be given up; the check reports it.
    steps = cheapest_dice(draft, rule, target, have)
    purchases = [f"d{s.before} -> d{s.after}" if s.before else f"buy d{s.after}" for s in steps]
    if purchases:
        work.append(history, list(purchases))
