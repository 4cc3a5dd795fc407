"""Ledgers: what each pool starts with and gains, and what was bought from it."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.draft import Draft
from sheetgen.check.picks import entry_of
from sheetgen.check.values import amount, items
from sheetgen.diag import codes
from sheetgen.diag.spans import Span
from sheetgen.model.build import Line
from sheetgen.model.ruleset import Key, Pool
from sheetgen.model.source import Leaf, Pairs


def open_pools(draft: Draft) -> None:
    """Begin the ledgers: what each pool starts with and what was gained."""
    for id_, pool in draft.rules.pools.items():
        start = _start(draft, str(id_), pool)
        if start:
            what = pool.start_label or "at the start"
            draft.lines.setdefault(str(id_), []).append(Line(what, start, 0, 0))
        draft.lines.setdefault(str(id_), [])
        _gained(draft, str(id_), pool)


def _start(draft: Draft, id_: str, pool: Pool) -> int:
    if pool.override and str(pool.override) in draft.numbers:
        return draft.numbers[str(pool.override)]
    said = draft.starts.get(id_, [])
    winner = str(draft.options.get(str(pool.conflict), "")) if pool.conflict else ""
    said = [start for start in said if start.catalogue == winner] or said
    if len({start.amount for start in said}) > 1:
        names = " and ".join(f"`{start.name}` ({start.amount})" for start in said)
        message = f"{names} both set what {pool.label} start with"
        hint = "pick another"
        if pool.override:
            name = draft.written(str(pool.override))
        hint += f", or let the game master set it: `{name}: {said[0].amount}`"
        draft.say(codes.TWO_STARTS, said[-1].span, message, hint, rule=pool.ruling)
    return said[0].amount if said else draft.whole(pool.start)


def _gained(draft: Draft, id_: str, pool: Pool) -> None:
    """Add what was gained: session by session if the file lists them, else in one line."""
    if pool.adds is None:
        return
    total = draft.numbers.get(str(pool.adds), 0)
    listed = 0
    for key_id, key in draft.rules.character.items():
        if key.kind == "sessions" and pool.adds in key.of and key_id in draft.entries:
            for session, gained in _session_gains(draft, str(key_id)):
                draft.lines[id_].append(Line("", gained, 0, 0, session))
                listed += gained
            if str(pool.adds) in draft.numbers and listed != total:
                name = draft.written(str(pool.adds))
                message = f"the sessions gain {listed}, but `{name}` says {total}"
                draft.say(codes.DISAGREE, draft.at(key_id), message, "mend one of the two")
            return
    if total:
        draft.lines[id_].append(Line("gained", total, 0, 0))


def _session_gains(draft: Draft, key_id: str) -> list[tuple[str, int]]:
    found = []
    for place, node in enumerate(items(draft.entries[key_id]), start=1):
        entries = {k.raw: v for k, v in node.entries} if isinstance(node, Pairs) else {}
        name = entries.get("session")
        shown = name.raw if isinstance(name, Leaf) else str(place)
        shown = f"Session {shown}" if shown.isdigit() else shown
        gained = entries.get("gained")
        found.append((shown, (amount(draft, gained, "gained") or 0) if gained else 0))
    return found


def pay_choices(draft: Draft) -> None:
    """Pay for choices with a price, and for the keys that are bought by number."""
    for pick in draft.picks:
        entry = entry_of(draft, pick)
        catalogue = draft.rules.choices.get(pick.catalogue)
        price = (entry.price if entry else None) or (catalogue.price if catalogue else None)
        pool = (entry.pool if entry else None) or (catalogue.pool if catalogue else None)
        if price is None or pool is None or pick.because:
            continue
        times = f" ×{pick.times}" if pick.times > 1 else ""
        draft.spend(str(pool), f"{pick.name}{times}", draft.whole(price) * pick.times)
    for id_, key in draft.rules.character.items():
        if id_ in draft.numbers:
            _pay_key(draft, str(id_), key)


def _pay_key(draft: Draft, id_: str, key: Key) -> None:
    count = draft.numbers[id_]
    if not count:
        return
    if key.requires is not None and not draft.holds(key.requires):
        message = f"`{draft.written(id_)}` is not open to this build"
        draft.say(codes.REQUIREMENT, draft.at(id_), message, key.why)
    if key.most is not None and count > draft.whole(key.most):
        message = f"`{draft.written(id_)}` is {count}; at most {draft.whole(key.most)}"
        draft.say(codes.ABOVE_LIMIT, draft.at(id_), message, key.why)
    if key.price is not None and key.pool is not None:
        cost = draft.whole(key.price) * count
        draft.spend(str(key.pool), key_line(id_, key, count), cost)


def key_line(id_: str, key: Key, count: int) -> str:
    """Return what a ledger says of `count` of what `key` pays for."""
    times = f" ×{count}" if count > 1 else ""
    return f"{key.label or id_.replace('_', ' ')}{times}"


def pay_items(draft: Draft) -> None:
    """Pay for the items of keys that have a pool."""
    for item in draft.items:
        key = draft.rules.character.get(item.key)
        if key is None or key.pool is None:
            continue
        times = f" ×{item.count}" if item.count > 1 else ""
        granted = " (granted)" if item.granted and not item.cost else ""
        cost = item.cost * item.count
        draft.spend(str(key.pool), f"{item.name}{times}{granted}", cost, kind="item")


def check_pools(draft: Draft) -> None:
    """Find pools of which more was spent than there is."""
    for id_, pool in draft.rules.pools.items():
        left = draft.left(str(id_))
        if left >= 0 or _unknown_gain(draft, pool):
            continue
        gained = sum(line.gained for line in draft.lines[str(id_)])
        spent = gained - left
        key = str(pool.adds or pool.override or "")
        span = draft.at(key) if key in draft.names else _costly(draft, str(id_))
        message = f"{pool.label}: {spent} spent, {gained} to spend"
        draft.say(codes.OVERSPENT, span, message, f"too much by {-left}")


def _unknown_gain(draft: Draft, pool: Pool) -> bool:
    """Whether the file does not say what was gained, though it should; that is said already."""
    key = draft.rules.character.get(str(pool.adds))
    if key is None or str(pool.adds) in draft.numbers:
        return False
    return key.required or str(pool.adds) in draft.entries


def _costly(draft: Draft, pool: str) -> Span:
    keys = (i for i, k in draft.rules.character.items() if k.pool == pool and i in draft.names)
    return draft.at(next(keys, None))


def running(draft: Draft, pool: str) -> tuple[Line, ...]:
    """Return the lines of `pool` with what is left after each."""
    left, lines = 0, []
    for line in by_session(draft.lines.get(pool, [])):
        left += line.gained - line.cost
        lines.append(replace(line, left=left))
    return tuple(lines)


def by_session(lines: list[Line]) -> list[Line]:
    """Return `lines` session by session, as they were played, if gains are listed so.

    What is spent without a session comes last; it could have been at any time.
    """
    sessions = list(dict.fromkeys(line.session for line in lines if line.session))
    if not any(line.session and line.gained for line in lines):
        return lines

    def place(line: Line) -> int:
        if line.session:
            return 1 + sessions.index(line.session)
        return 0 if line.gained else len(sessions) + 1

    return sorted(lines, key=place)
