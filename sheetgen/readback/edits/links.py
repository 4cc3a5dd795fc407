"""Edits of links between traits and of dice pinned to traits."""

from __future__ import annotations

from sheetgen.check.character.links import MOST_LETTERS
from sheetgen.load.yaml import edit
from sheetgen.readback.edits.working_copy import WorkingCopy
from sheetgen.readback.topics import Topic, normalize_text


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
    if old:
        _unlinked(work, key, old, trait)
    if new:
        there = work.entry(key, lambda raw: raw.lower() == new.lower())
        node = work.value_at(key)
        if there is None or node is None:
            work.put_entry(key, new, [name])
        elif not any(work.is_trait(i.raw, trait) for i in node.at((there,)).items):
            _append(work, key, there, name)


def _append(work: WorkingCopy, key: str, letter: str, name: str) -> None:
    work.text = edit.append_items(work.text, (work.key_name(key) or "", letter), [name])


def _unlinked(work: WorkingCopy, key: str, letter: str, trait: str) -> None:
    node = work.value_at(key)
    if node is None or node.place(letter) is None:
        return
    path = (work.key_name(key) or "", letter)
    below = node.at((letter,))
    for number, item in enumerate(below.items):
        if work.is_trait(item.raw, trait):
            work.drop((*path, number))
            return
    if below.kind == "leaf" and work.is_trait(below.raw, trait):
        work.drop(path)


def edit_pin(work: WorkingCopy, topic: Topic) -> None:
    """Write the die that is pinned to a trait."""
    key, trait, rule = work.find_key("pinned"), trait_at(work, topic), work.draft.rules.dice
    found = topic.value(topic.filled)
    words = topic.filled[topic.names[0]]
    if key is None or trait is None or rule is None:
        work.to_notes(topic, words, "has no place")
        return
    entry = work.entry(key, lambda raw: work.is_trait(raw, trait))
    if not found:
        if entry is not None:
            work.drop((work.key_name(key) or "", entry))
    elif found[0] in {f"d{rung}" for rung in rule.ladder}:
        work.put_entry(key, entry or work.draft.name_of(trait), found[0])
    else:
        known = ", ".join(f"d{rung}" for rung in rule.ladder)
        work.not_read(topic, words, f"a die of these rules ({known})")
