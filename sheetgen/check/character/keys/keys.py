"""The keys of a character file: which of the ruleset's each is, and the plain ones."""

from __future__ import annotations

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.elsewhere import place_for
from sheetgen.check.character.keys.sessions import read_sessions
from sheetgen.check.character.keys.torn import OUR_KEYS, as_list, indented, names_only
from sheetgen.check.character.keys.values import (
    amount,
    blank,
    flag,
    parse_number,
    parse_text,
    parse_texts,
)
from sheetgen.diag import codes
from sheetgen.diag.near import nearest, suggestion
from sheetgen.diag.slips import torn_name
from sheetgen.diag.words import a, repeated
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, Pairs, ScalarNode, Text
from sheetgen.rules.names import folded, split_times

LISTS = ("raises", "choices", "items", "advances")
"""Kinds of keys whose values are lists of names."""
MOST_NAMED = 12
"""Choices that a hint names; of more it says how to list them."""


def read_keys(draft: Draft) -> None:
    """Match the file's keys with the ruleset's; unknown and missing ones are findings."""
    root = draft.source.root
    for key, node in indented(draft, root.entries) if isinstance(root, Pairs) else ():
        if key.raw in OUR_KEYS:
            continue
        found = draft.index.keys.find(key.raw)
        if not found:
            _unknown(draft, key, node)
        elif found[0] in draft.entries:
            if key.span.file != draft.source.file:
                continue  # of what the file is based on, under another name of the same key
            first = draft.names[found[0]]
            message = repeated(key.raw, key.span, first, first.span)
            draft.say(codes.REPEATED_KEY, key.span, message, "put both under one key")
        else:
            draft.entries[found[0]] = _listed(draft, found[0], key, node)
            draft.names[found[0]] = Text(key.raw, key.span)


def missing_keys(draft: Draft) -> None:
    """Find the keys that are needed and neither stand there nor come from a choice."""
    picked = {pick.catalogue for pick in draft.picks}
    for id_, key in draft.rules.character.items():
        brought = key.kind == "choice" and picked.intersection(key.of)
        there = id_ in draft.entries and not _empty(key, draft.entries[id_])
        if is_required(draft, key) and not there and not brought:
            name = draft.written(id_)
            hint = key.why or _example(key, name) + _others(draft, id_, key)
            message = f"`{name}` is missing"
            draft.say(codes.MISSING_KEY, draft.at(id_), message, hint)


def is_required(draft: Draft, key: Key) -> bool:
    """Whether `key` has to stand there: one of picks does not where there are none to make."""
    no_picks = key.kind == "raises" and key.count is not None and not draft.whole(key.count)
    return key.required and not no_picks


def _empty(key: Key, node: Node) -> bool:
    text_of = node.raw if key.kind == "text" and isinstance(node, ScalarNode) else "…"
    return blank(node) or not text_of.strip()


def _listed(draft: Draft, id_: str, name: ScalarNode, node: Node) -> Node:
    """Return `node`; names without dashes or brackets are a list, and a finding."""
    if draft.rules.character[id_].kind not in LISTS:
        return node
    known = (draft.index.all_traits, draft.index.gear, *draft.index.by_catalogue.values())
    if draft.rules.character[id_].kind == "raises":
        node = names_only(draft, name, node)
    return as_list(draft, name, node, lambda word: any(names.find(word) for names in known))


def plain_keys(draft: Draft) -> None:
    """Read texts, numbers, flags and lists of texts."""
    for id_, node in draft.entries.items():
        key, name = draft.rules.character[id_], draft.written(id_)
        if key.kind == "text":
            draft.texts[id_] = parse_text(draft, node, name) or ""
        elif key.kind == "texts":
            draft.lists[id_] = parse_texts(draft, node, name)
        elif blank(node):
            continue
        elif key.kind == "number":
            _number(draft, id_, key, node)
        elif key.kind == "flag":
            draft.numbers[id_] = int(flag(draft, node, name) or False)
        elif key.kind == "sessions":
            read_sessions(draft, key, name, node)


def trait(
    draft: Draft, node: Node, groups: tuple[str, ...] = (), listed: bool = False
) -> str | None:
    """Return the id of the trait that `node` names, or None with a finding.

    Args:
        groups: Those that it may be of; none for any.
        listed: Whether it stands under a key of the file that holds such traits; what
            is no such trait may then belong under another key.
    """
    if not isinstance(node, ScalarNode):
        message = f"write the name of {a(_group_words(draft, groups))} here"
        one = node.entries[0][0].raw if isinstance(node, Pairs) and len(node.entries) == 1 else ""
        draft.say(codes.WRONG_TYPE, node.span, message, f"write `{one}` alone" if one else "")
        return None
    names = draft.index.among(groups) if groups else draft.index.all_traits
    for id_, (name, group) in draft.own_traits.items():
        open_ = draft.rules.groups[group].open
        taken = open_ is not None and open_.name_differs and names.find(node.raw)
        if folded(name) == folded(node.raw) and (not groups or group in groups) and not taken:
            return id_
    found = names.find(node.raw)
    if len(found) == 1:
        return found[0]
    if found:
        meant = ", ".join(sorted(_longest(draft, id_) for id_ in found))
        message = f"`{node.raw}` is the name of {len(found)} traits"
        draft.say(codes.AMBIGUOUS, node.span, message, f"write one of: {meant}")
        return None
    what = _group_words(draft, groups)
    plain, count = split_times(node.raw)
    if count > 1 and len(known := names.find(plain)) == 1:
        message = f"{draft.name_of(known[0])} can be picked once here; it is picked {count} times"
        draft.say(codes.REPEATED, node.span, message, f"write `{plain}`, and pick different ones")
        return known[0]
    message = f"there is no {what} `{node.raw}`"
    hint = torn_name(node.raw) or (place_for(draft, node.raw) if listed else "")
    hint = hint or names.hint(node.raw)
    draft.say(codes.UNKNOWN_NAME, node.span, message, hint)
    return None


def _longest(draft: Draft, id_: str) -> str:
    """Return the alias of a trait that tells it from its namesakes."""
    trait_ = draft.index.traits[id_][1]
    names = (trait_.name, *trait_.aliases)
    single = [n for n in names if draft.index.all_traits.find(n) == (id_,)]
    return f"`{single[0] if single else id_}`"


def _group_words(draft: Draft, groups: tuple[str, ...]) -> str:
    words = [draft.rules.groups[g].one for g in groups if g in draft.rules.groups]
    return " or ".join(words) if words else "trait"


def _number(draft: Draft, id_: str, key: Key, node: Node) -> None:
    name = draft.written(id_)
    found = parse_number(draft, node, name) if key.least is None else amount(draft, node, name)
    if found is None:
        return
    draft.numbers[id_] = found
    least = draft.whole(key.least) if key.least is not None else found
    if found < least:
        message = f"`{name}` is at least {least}"
        draft.say(codes.WRONG_TYPE, node.span, message)


def _unknown(draft: Draft, key: ScalarNode, node: Node) -> None:
    known = [id_.replace("_", " ") for id_ in draft.rules.character]
    message = f"{a(draft.rules.composition.one)} of {draft.rules.title} has no `{key.raw}`"
    hint = torn_name(key.raw)
    if not hint and not nearest(key.raw, (*known, *OUR_KEYS)):
        places = (place_for(draft, name) for name in (*_names_in(node), key.raw))
        hint = next(filter(None, places), "")
    hint = hint or suggestion(key.raw, [*known, *OUR_KEYS], "keys")
    draft.say(codes.UNKNOWN_KEY, key.span, message, hint)


def _names_in(node: Node) -> list[str]:
    """Return the names that stand under an unknown key; they may say what it is."""
    if isinstance(node, ScalarNode):
        return [node.raw]
    if isinstance(node, Pairs):
        return [key.raw for key, _ in node.entries]
    return [name for item in node.items for name in _names_in(item)]


def _others(draft: Draft, id_: str, key: Key) -> str:
    """Return what may be picked instead of the example, or how to list it."""
    catalogue = str(key.of[0]) if key.of else id_
    found = draft.rules.choices.get(catalogue) if key.kind == "choice" else None
    if found is None:
        return ""
    names = [str(entry.name) for entry in found.entries.values() if entry.name != key.example]
    if len(names) > MOST_NAMED:
        return f", or another: `sheetgen list {draft.rules.id} {catalogue}` shows them"
    return f", or one of: {', '.join(names)}" if names else ""


def _example(key: Key, name: str) -> str:
    example = key.example or {"number": "0", "text": "…"}.get(key.kind, "…")
    return f"write `{name}: {example}`"
