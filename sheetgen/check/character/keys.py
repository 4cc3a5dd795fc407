"""Keys of a character file: match them with the ruleset's keys, read the plain ones.

The step `read_keys` puts the nodes of the file into `draft.entries`, by the ruleset's key ids;
`read_plain_keys` puts texts, numbers and flags into `draft.texts`, `numbers` and `lists`;
`check_missing_keys` runs after choices are read, since a choice may bring a required key along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from sheetgen.check.character import values
from sheetgen.check.character.draft import Draft
from sheetgen.diag import codes
from sheetgen.diag.codes import NO_ALT
from sheetgen.diag.findings import Hint, NamesHint, Severity, Span
from sheetgen.diag.words import a, nearest, repeated, suggestion
from sheetgen.load.yaml.slips import torn_name
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode, Text
from sheetgen.rules.index import closest_names, folded
from sheetgen.rules.scopes import list_compared_words

LISTS = ("raises", "choices", "items", "advances")  # kinds of keys whose values are lists of names
MOST_NAMED = 12  # choices that a hint names; for a longer catalogue the hint names `sheetgen list`


def read_keys(draft: Draft) -> None:
    """Match the file's keys with the ruleset's; report those that are unknown or repeated."""
    root = draft.source.root
    unknown: list[tuple[ScalarNode, Node]] = []
    for key, node in values.indent_names(draft, root.entries) if isinstance(root, Pairs) else ():
        if key.raw in values.OUR_KEYS and key.raw not in values.PICTURE_KEYS:
            continue
        found = draft.index.keys.find(key.raw)
        if not found and folded(key.raw) in values.PICTURE_KEYS:
            _read_picture_key(draft, key, node)
        elif key.raw in values.OUR_KEYS:
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
        known = [*(id_.replace("_", " ") for id_ in draft.rules.character), *values.OUR_KEYS]
        hint = torn_name(key.raw)
        if not hint and not nearest(key.raw, known):
            places = (values.find_key_for(draft, name) for name in (*_names_in(node), key.raw))
            hint = next(filter(None, places), "")
            taken = set(map(folded, draft.key_names.values()))
            free = tuple(name for name in known if folded(name) not in taken)
            hint = NamesHint(hint, key.raw, free) if hint else ""
        hint = hint or suggestion(key.raw, known, "keys")
        message = f"{a(draft.rules.composition.one)} of {draft.rules.title} has no `{key.raw}`"
        draft.report(codes.UNKNOWN_KEY, key.span, message, hint)
        # A misspelt key counts as the one that is meant, which else would be missing.
        meant = nearest(key.raw, (*draft.index.keys.shown.values(), *values.OUR_KEYS))
        for id_ in draft.index.keys.find(meant)[:1]:
            if id_ not in draft.entries and meant not in values.OUR_KEYS:
                _read_key(draft, id_, replace(key, raw=meant.replace("_", " ")), node)


def _read_key(draft: Draft, id_: str, key: ScalarNode, node: Node) -> None:
    """Take a key; under a key of lists, names without dashes or brackets become a list."""
    kind = draft.rules.character[id_].kind
    if kind == "raises":
        node = values.names_as_list(draft, key, node)
    if kind in LISTS:
        known = (draft.index.all_traits, draft.index.gear, *draft.index.by_catalogue.values())
        node = values.correct_list(draft, key, node, lambda word: any(n.find(word) for n in known))
    draft.entries[id_], draft.key_names[id_] = node, Text(key.raw, key.span)


def _read_picture_key(draft: Draft, key: ScalarNode, node: Node) -> None:
    id_ = folded(key.raw)
    if id_ not in draft.picture_nodes:
        draft.picture_nodes[id_], draft.key_names[id_] = node, Text(key.raw, key.span)
    elif key.span.file == draft.source.file:
        first = draft.key_names[id_]
        message = repeated(key.raw, key.span, first, first.span)
        draft.report(codes.REPEATED_KEY, key.span, message, "keep one of the two")


def _names_in(node: Node) -> list[str]:
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
            draft.texts[id_] = _read_word(
                draft, id_, key, values.parse_text(draft, node, name) or ""
            )
        elif key.kind == "texts":
            draft.lists[id_] = values.parse_texts(draft, node, name)
        elif values.is_blank(node):
            continue
        elif key.kind == "number":
            parse = values.parse_number if key.least is None else values.parse_amount
            if (number := parse(draft, node, name)) is None:
                continue
            draft.numbers[id_] = number
            if key.least is not None and number < (least := draft.early_int(key.least)):
                draft.report(codes.WRONG_TYPE, node.span, f"`{name}` is at least {least}")
        elif key.kind == "flag":
            draft.numbers[id_] = int(values.parse_flag(draft, node, name) or False)
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
            root = draft.source.root
            at_margin = isinstance(root, Pairs) and root.entries[0][0].span.column == 1
            if key.example and not key.why and at_margin:
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


def is_required(draft: Draft, key: Key) -> bool:
    """Whether the file needs `key`: a key of picks only if there are picks to make."""
    counts = key.kind == "raises" and key.count is not None
    return key.required and not (counts and not draft.early_int(key.count or "0", final=False))


def _empty(key: Key, node: Node) -> bool:
    return values.is_blank(node) or (
        key.kind == "text" and isinstance(node, ScalarNode) and not node.raw.strip()
    )


def _alternatives(draft: Draft, id_: str, key: Key) -> str:
    catalogue = str(key.of[0]) if key.of else id_
    found = draft.rules.choices.get(catalogue) if key.kind == "choice" else None
    if found is None:
        return ""
    names = [str(entry.name) for entry in found.entries.values() if entry.name != key.example]
    if len(names) > MOST_NAMED:
        return f", or another: `sheetgen list {draft.rules.id} {catalogue}` shows them"
    return f", or one of: {', '.join(names)}" if names else ""


_ALTS: Final = {"portrait": "Portrait of {}"}


def read_pictures(draft: Draft) -> None:
    """Put the pictures of the file into `draft.pictures`; ask for a description once."""
    if not draft.picture_nodes:
        return
    from sheetgen.load.pictures.reader import read_picture  # Most files need none of it.

    name = draft.texts.get("name", "") or "somebody"
    for key, node in draft.picture_nodes.items():
        if values.is_blank(node):
            continue
        read = read_picture(node, key, _ALTS.get(key, "Picture of {}").format(name))
        reported = any(finding.code is NO_ALT for finding in draft.findings)
        draft.findings += [f for f in read.findings if not (reported and f.code is NO_ALT)]
        if read.value is not None:
            draft.pictures[key] = read.value


SESSIONS = "sessions"  # a kind of key; its `of` names the key of what a session gains
_PARTS = ("session", "gained", "note")
_JOINED = re.compile(r"sessions\s+(\d{1,6})\s*[–-]\s*(\d{1,6})", re.IGNORECASE)
_NUMBERED = re.compile(r"(?:session\s+)?0*(\d{1,6})", re.IGNORECASE)


class Gain(NamedTuple):
    """What a session gained; `gained` is None for a value that is no number."""

    session: str
    gained: int | None
    note: str = ""


class Bought(NamedTuple):
    """A purchase at the end of a session, and its place in the file."""

    session: str
    what: str
    price: int
    span: Span


def check_sessions(draft: Draft, key: Key, name: str, node: Node) -> None:
    """Report a value that is no list of sessions; `gains` reads it for the ledger."""
    if plain := _long_forms(node):
        message = f"`{name}` says of each session what it gained"
        draft.report(codes.WRONG_TYPE, node.span, message, f"write `[{', '.join(plain)}]`")
        return
    for item in values.list_items(node):
        entries = values.parse_mapping(
            draft, item, name, key.example or "[{session: 1, gained: 2}]"
        )
        for part, (leaf, value) in values.parse_long_form(draft, Pairs(item.span, entries)).items():
            if part == "gained":
                values.parse_amount(draft, value, "gained")
            elif part not in _PARTS:
                values.report_unknown_key(draft, leaf, f"in `{name}`", _PARTS)


def _long_forms(node: Node) -> list[str]:
    """Return the sessions that `[3, 4]` or `{1: 3, 2: 4}` mean in long form; none for another."""
    if isinstance(node, Pairs):
        named = [(key.raw, below) for key, below in node.entries]
        if any(folded(name) in _PARTS for name, _ in named):
            return []
    elif isinstance(node, ScalarNode):
        return []
    else:
        named = [(str(n), item) for n, item in enumerate(values.list_items(node), start=1)]
    gained = [
        below.raw for _, below in named if isinstance(below, ScalarNode) and below.raw.isdecimal()
    ]
    if len(gained) < len(named):
        return []
    pieces = zip(named, gained, strict=True)
    return [f"{{session: {name}, gained: {number}}}" for (name, _), number in pieces]


def session_name(raw: str) -> str:
    """Return the name of a session as prints show it: `Session 3` for `3`."""
    match = _NUMBERED.fullmatch(raw.strip())
    return f"Session {match[1]}" if match else raw.strip()


def session_number(shown: str) -> int | None:
    """Return the number in `Session 3`; None for a session that has a name."""
    match = _NUMBERED.fullmatch(shown)
    return int(match[1]) if match else None


def joined_name(first: str, last: str) -> str:
    """Return the name of consecutive sessions in one row: `Sessions 3–7`, or of the only one."""
    return first if first == last else f"Sessions {session_number(first)}–{session_number(last)}"


def joined_sessions(shown: str) -> range:
    """Return the numbers of the sessions in `Sessions 3–7`; none for another name."""
    match = _JOINED.fullmatch(shown.strip())
    return range(int(match[1]), int(match[2]) + 1) if match else range(0)


def order_sessions(names: Iterable[str]) -> list[str]:
    """Return names of sessions in the order of play: by number, or else as they are listed."""
    found = list(dict.fromkeys(names))
    numbers = [_NUMBERED.fullmatch(name) for name in found]
    if None in numbers:
        return found
    return sorted(found, key=lambda name: int(session_name(name).split()[-1]))


def numbers_sessions(rules: Ruleset, adds: Iterable[str]) -> bool:
    """Whether entries without a session have the number of their place as its name.

    They have none where the keys `adds` add to no pool of advances, though the game has such a
    pool: such an entry may be a reward.
    """
    return rules.advances is None or str(rules.pools[str(rules.advances.pool)].adds) in adds


def read_gains(draft: Draft, pool: str) -> list[Gain] | None:
    """Return the sessions with what each gained of `pool`.

    Returns:
        None if the file does not list gains by session.
    """
    adds = str(draft.rules.pools[pool].adds or "")
    numbered = numbers_sessions(draft.rules, [adds])
    for _, key, node in draft.ruleset_keys(SESSIONS):
        if adds in key.of:
            listed = enumerate(values.list_items(node), start=1)
            return [_gain(draft, item, str(number) if numbered else "") for number, item in listed]
    return None


def _gain(draft: Draft, node: Node, number: str) -> Gain:
    if not isinstance(node, Pairs):
        return Gain(session_name(number), None)
    entries = {folded(key.raw): below for key, below in node.entries}
    name, gained = entries.get("session"), entries.get("gained")
    shown = session_name(name.raw) if isinstance(name, ScalarNode) else session_name(number)
    said = entries.get("note")
    note = said.raw.strip() if isinstance(said, ScalarNode) and not values.is_blank(said) else ""
    if gained is None:
        return Gain(shown, 0 if set(entries) <= set(_PARTS) else None, note)
    return Gain(shown, values.parse_amount(draft, gained, "gained"), note)


def check_too_early(draft: Draft, pool: str, bought: Iterable[Bought]) -> None:
    """Report purchases in a session by which too little had been gained.

    Of consecutive purchases that are too expensive only the first is reported. Points that are
    spent without a session could have been spent at any time.
    """
    listed = read_gains(draft, pool)
    if not listed or any(gain.gained is None for gain in listed):
        return
    change: dict[str, list[Bought | int]] = {gain.session: [] for gain in listed}
    for gain in listed:
        change[gain.session].append(gain.gained or 0)
    for one in bought:
        change.setdefault(one.session, []).append(one)
    left = sum(line.gained for line in draft.lines[pool] if not line.session)
    lacking: tuple[Bought, int] | None = None
    for session in order_sessions(change):
        for step in change[session]:
            before, left = left, left + (step if isinstance(step, int) else -step.price)
            if lacking and left >= 0:
                _report_early(
                    draft, pool, *lacking, f"buy it in {session}: by then there is enough"
                )
                lacking = None
            elif isinstance(step, Bought) and left < 0 <= before:
                lacking = step, before
    if lacking:
        label = draft.rules.pools[pool].label
        hint = f"take something out: all that is bought costs {-left} {label} more than is gained"
        _report_early(draft, pool, *lacking, hint)


def _report_early(draft: Draft, pool: str, step: Bought, there: int, hint: str) -> None:
    label = draft.rules.pools[pool].label
    message = f"{step.what} costs {step.price} {label}; {there} are left in {step.session}"
    message += f", so {step.price - there} are missing"
    draft.report(codes.OVERSPENT, step.span, message, hint)
