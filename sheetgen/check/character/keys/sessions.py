"""Sessions of a character file: what each gained, and the order in which they were played."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.values import (
    is_blank,
    list_items,
    parse_amount,
    parse_long_form,
    parse_mapping,
    report_unknown_key,
)
from sheetgen.diag import codes
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import folded

SESSIONS = "sessions"
"""A kind of key; its `of` names the key of what a session gains."""

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
    for item in list_items(node):
        entries = parse_mapping(draft, item, name, key.example or "[{session: 1, gained: 2}]")
        for part, (leaf, value) in parse_long_form(draft, Pairs(item.span, entries)).items():
            if part == "gained":
                parse_amount(draft, value, "gained")
            elif part not in _PARTS:
                report_unknown_key(draft, leaf, f"in `{name}`", _PARTS)


def _long_forms(node: Node) -> list[str]:
    """Return the sessions that `[3, 4]` or `{1: 3, 2: 4}` mean in long form; none for another."""
    if isinstance(node, Pairs):
        named = [(key.raw, below) for key, below in node.entries]
        if any(folded(name) in _PARTS for name, _ in named):
            return []
    elif isinstance(node, ScalarNode):
        return []
    else:
        named = [(str(n), item) for n, item in enumerate(list_items(node), start=1)]
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
            listed = enumerate(list_items(node), start=1)
            return [_gain(draft, item, str(number) if numbered else "") for number, item in listed]
    return None


def _gain(draft: Draft, node: Node, number: str) -> Gain:
    if not isinstance(node, Pairs):
        return Gain(session_name(number), None)
    entries = {folded(key.raw): below for key, below in node.entries}
    name, gained = entries.get("session"), entries.get("gained")
    shown = session_name(name.raw) if isinstance(name, ScalarNode) else session_name(number)
    said = entries.get("note")
    note = said.raw.strip() if isinstance(said, ScalarNode) and not is_blank(said) else ""
    if gained is None:
        return Gain(shown, 0 if set(entries) <= set(_PARTS) else None, note)
    return Gain(shown, parse_amount(draft, gained, "gained"), note)


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
