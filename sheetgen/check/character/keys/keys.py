"""Keys of a character file: match them with the ruleset's keys, read the plain ones.

The step `read_keys` puts the nodes of the file into `draft.entries`, by the ruleset's key ids;
`read_plain_keys` puts texts, numbers and flags into `draft.texts`, `numbers` and `lists`;
`check_missing_keys` runs after choices are read, since a choice may bring a required key along.
"""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.corrections import (
    OUR_KEYS,
    PICTURE_KEYS,
    correct_list,
    indent_names,
    names_as_list,
)
from sheetgen.check.character.keys.sessions import check_sessions
from sheetgen.check.character.keys.trait_names import find_key_for
from sheetgen.check.character.keys.values import (
    is_blank,
    parse_amount,
    parse_flag,
    parse_number,
    parse_text,
    parse_texts,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, NamesHint, Severity
from sheetgen.diag.near import nearest, suggestion
from sheetgen.diag.words import a, repeated
from sheetgen.load.yaml.slips import torn_name
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, Pairs, ScalarNode, Text
from sheetgen.rules.formulas.reach import list_compared_words
from sheetgen.rules.names import closest_names, folded

LISTS = ("raises", "choices", "items", "advances")
"""Kinds of keys whose values are lists of names."""
MOST_NAMED = 12
"""Choices that a hint names; for a longer catalogue the hint names `sheetgen list`."""


def read_keys(draft: Draft) -> None:
    """Match the file's keys with the ruleset's; report those that are unknown or repeated."""
    root = draft.source.root
    unknown: list[tuple[ScalarNode, Node]] = []
    for key, node in indent_names(draft, root.entries) if isinstance(root, Pairs) else ():
        if key.raw in OUR_KEYS and key.raw not in PICTURE_KEYS:
            continue
        found = draft.index.keys.find(key.raw)
        if not found and folded(key.raw) in PICTURE_KEYS:
            _read_picture_key(draft, key, node)
        elif key.raw in OUR_KEYS:
            continue
        elif not found:
            unknown.append((key, node))
        elif found[0] in draft.entries:
            if key.span.file != draft.source.file:
                continue  # From the file's base, under another name of the same key.
            first = draft.key_names[found[0]]
            message = repeated(key.raw, key.span, first, first.span)
            draft.report(codes.REPEATED_KEY, key.span, message, "put both under one key")
        else:
            _read_key(draft, found[0], key, node)
    for key, node in unknown:
        _report_unknown(draft, key, node)
        # A misspelt key counts as the one that is meant, which else would be missing.
        meant = nearest(key.raw, (*draft.index.keys.shown.values(), *OUR_KEYS))
        for id_ in draft.index.keys.find(meant)[:1]:
            if id_ not in draft.entries and meant not in OUR_KEYS:
                _read_key(draft, id_, replace(key, raw=meant.replace("_", " ")), node)


def _read_key(draft: Draft, id_: str, key: ScalarNode, node: Node) -> None:
    draft.entries[id_] = _as_list(draft, id_, key, node)
    draft.key_names[id_] = Text(key.raw, key.span)


def _read_picture_key(draft: Draft, key: ScalarNode, node: Node) -> None:
    id_ = folded(key.raw)
    if id_ not in draft.picture_nodes:
        draft.picture_nodes[id_], draft.key_names[id_] = node, Text(key.raw, key.span)
    elif key.span.file == draft.source.file:
        first = draft.key_names[id_]
        message = repeated(key.raw, key.span, first, first.span)
        draft.report(codes.REPEATED_KEY, key.span, message, "keep one of the two")


def _as_list(draft: Draft, id_: str, name: ScalarNode, node: Node) -> Node:
    """Return `node`; for a key of lists, names without dashes or brackets become a list."""
    kind = draft.rules.character[id_].kind
    if kind not in LISTS:
        return node
    known = (draft.index.all_traits, draft.index.gear, *draft.index.by_catalogue.values())
    if kind == "raises":
        node = names_as_list(draft, name, node)
    return correct_list(draft, name, node, lambda word: any(names.find(word) for names in known))


def _report_unknown(draft: Draft, key: ScalarNode, node: Node) -> None:
    known = [*(id_.replace("_", " ") for id_ in draft.rules.character), *OUR_KEYS]
    hint = torn_name(key.raw)
    if not hint and not nearest(key.raw, known):
        places = (find_key_for(draft, name) for name in (*_names_in(node), key.raw))
        hint = next(filter(None, places), "")
        free = (name for name in known if folded(name) not in map(folded, draft.key_names.values()))
        hint = NamesHint(hint, key.raw, tuple(free)) if hint else ""
    hint = hint or suggestion(key.raw, known, "keys")
    message = f"{a(draft.rules.composition.one)} of {draft.rules.title} has no `{key.raw}`"
    draft.report(codes.UNKNOWN_KEY, key.span, message, hint)


def _names_in(node: Node) -> list[str]:
    """Return the names under an unknown key, from which a hint can tell what the key means."""
    if isinstance(node, ScalarNode):
        return [node.raw]
    if isinstance(node, Pairs):
        return [key.raw for key, _ in node.entries]
    return [name for item in node.items for name in _names_in(item)]


def read_plain_keys(draft: Draft) -> None:
    """Read texts, numbers, flags and lists of texts."""
    for id_, node in draft.entries.items():
        key, name = draft.rules.character[id_], draft.key_name(id_)
        if key.kind == "text":
            draft.texts[id_] = _read_word(draft, id_, key, parse_text(draft, node, name) or "")
        elif key.kind == "texts":
            draft.lists[id_] = parse_texts(draft, node, name)
        elif is_blank(node):
            continue
        elif key.kind == "number":
            _read_number(draft, id_, key, node)
        elif key.kind == "flag":
            draft.numbers[id_] = int(parse_flag(draft, node, name) or False)
        elif key.kind == "sessions":
            check_sessions(draft, key, name, node)


def _read_word(draft: Draft, id_: str, key: Key, text: str) -> str:
    """Return the text of a key; if it is one of several words, as the rules spell it."""
    compared = list_compared_words(draft.rules)
    if not text.strip() or not (key.values or id_ in compared):
        return text
    name, span = draft.key_name(id_), draft.entries[id_].span
    if not key.values:
        words = compared[id_]
        if text not in words and (near := nearest(text, sorted(words))):
            message = f"the rules compare `{name}` with `{near}`, not with `{text}`"
            hint = Hint(f"did you mean `{near}`?", text, near)
            draft.report(codes.UNKNOWN_NAME, span, message, hint, Severity.WARNING)
        return text
    for word in closest_names(text, key.values):
        return word
    message = f"`{name}` cannot be `{text}`"
    draft.report(codes.UNKNOWN_NAME, span, message, suggestion(text, key.values))
    return text


def _read_number(draft: Draft, id_: str, key: Key, node: Node) -> None:
    name = draft.key_name(id_)
    number = (
        parse_number(draft, node, name) if key.least is None else parse_amount(draft, node, name)
    )
    if number is None:
        return
    draft.numbers[id_] = number
    least = draft.early_int(key.least) if key.least is not None else number
    if number < least:
        draft.report(codes.WRONG_TYPE, node.span, f"`{name}` is at least {least}")


def check_missing_keys(draft: Draft) -> None:
    """Report required keys that neither the file nor a choice gives."""
    picked = {pick.catalogue for pick in draft.picks}
    for id_, key in draft.index.required.items():
        brought = key.kind == "choice" and picked.intersection(key.of)
        there = id_ in draft.entries and not _empty(key, draft.entries[id_])
        if not there and not brought and is_required(draft, key):
            name = draft.key_name(id_)
            line = f"{name}: {key.example or {'number': '0'}.get(str(key.kind), '…')}"
            hint = key.why or f"write `{line}`" + _alternatives(draft, id_, key)
            if key.example and not key.why and _is_block(draft.source.root):
                hint = Hint(hint, "", line, f"Add `{line}`", draft.source.start)
            draft.report(codes.MISSING_KEY, draft.span_of(id_), f"`{name}` is missing", hint)


def check_requirements(draft: Draft) -> None:
    """Report keys whose requirement does not hold, but for those that steps of prices check."""
    for id_, node in draft.entries.items():
        key = draft.rules.character[id_]
        if key.requires is None or key.kind in _PAID or _empty(key, node):
            continue
        if not draft.holds(key.requires):
            message = f"`{draft.key_name(id_)}` is not open to this build"
            draft.report(codes.REQUIREMENT, draft.span_of(id_), message, key.why)


_PAID = ("number", "flag", "refunds", "losses")


def _is_block(root: Node | None) -> bool:
    """Whether a line at the end of the file is a key of `root`."""
    return isinstance(root, Pairs) and root.entries[0][0].span.column == 1


def is_required(draft: Draft, key: Key) -> bool:
    """Whether the file needs `key`: a key of picks only if there are picks to make."""
    no_picks = (
        key.kind == "raises"
        and key.count is not None
        and not draft.early_int(key.count, final=False)
    )
    return key.required and not no_picks


def _empty(key: Key, node: Node) -> bool:
    return is_blank(node) or (
        key.kind == "text" and isinstance(node, ScalarNode) and not node.raw.strip()
    )


def _alternatives(draft: Draft, id_: str, key: Key) -> str:
    """Return what may be picked instead of the example, or how to list it."""
    catalogue = str(key.of[0]) if key.of else id_
    found = draft.rules.choices.get(catalogue) if key.kind == "choice" else None
    if found is None:
        return ""
    names = [str(entry.name) for entry in found.entries.values() if entry.name != key.example]
    if len(names) > MOST_NAMED:
        return f", or another: `sheetgen list {draft.rules.id} {catalogue}` shows them"
    return f", or one of: {', '.join(names)}" if names else ""
