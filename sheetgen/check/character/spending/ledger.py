"""Ledgers: what each pool starts with and gains, and what was bought from it."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft, Start
from sheetgen.check.character.keys.sessions import SESSIONS, gains, in_play
from sheetgen.check.character.keys.values import blank
from sheetgen.check.character.picks.picks import entry_of
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.spans import Span
from sheetgen.model.build import LedgerLine
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.points import Pool

ADVANCE, GAIN = "advance", "gain"
"""Kinds of lines."""


def open_pools(draft: Draft) -> None:
    """Begin the ledgers: what each pool starts with and what was gained."""
    for id_, pool in draft.rules.pools.items():
        draft.lines.setdefault(str(id_), [])
        if not is_open(draft, str(id_)):
            continue
        start = _start(draft, str(id_), pool)
        if start:
            what = pool.start_label or "at the start"
            draft.lines[str(id_)].append(LedgerLine(what, start, 0, 0, kind=GAIN))
        _gained(draft, str(id_), pool)


def is_open(draft: Draft, pool: str) -> bool:
    """Whether this build has `pool`: where the file says what it starts with, it has."""
    rule = draft.rules.pools[pool]
    if rule.needs is None or str(rule.override or "") in draft.numbers:
        return True
    return draft.holds(rule.needs)


def _start(draft: Draft, id_: str, pool: Pool) -> int:
    said = draft.starts.get(id_, [])
    if starts_by_rule(draft, id_, pool):
        return draft.whole(pool.start)
    if pool.override and str(pool.override) in draft.numbers:
        return _overridden(draft, pool, said)
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
    return said[0].amount


def starts_by_rule(draft: Draft, id_: str, pool: Pool) -> bool:
    """Whether neither the file nor a choice says what `pool` starts with."""
    return not draft.starts.get(id_) and str(pool.override or "") not in draft.numbers


def _overridden(draft: Draft, pool: Pool, said: list[Start]) -> int:
    """Return the start that the file states; choices that say another have no effect."""
    start, name = draft.numbers[str(pool.override)], draft.written(str(pool.override))
    if said and start not in {other.amount for other in said}:
        first = said[0]
        message = f"`{first.name}` starts with {first.amount} {pool.label}; `{name}` says {start}"
        hint = f"leave `{name}` out, unless the game master changed it"
        draft.say(codes.CAVEAT, first.span, message, hint, Severity.WARNING)
    return start


def _gained(draft: Draft, id_: str, pool: Pool) -> None:
    """Add what was gained: session by session if the file lists them, else in one line."""
    if pool.adds is None:
        return
    total = draft.numbers.get(str(pool.adds), 0)
    listed = gains(draft, id_)
    if listed is None:
        if total:
            draft.lines[id_].append(LedgerLine("gained", total, 0, 0, kind=GAIN))
        return
    for session, gained in listed:
        draft.lines[id_].append(LedgerLine("", gained or 0, 0, 0, session, GAIN))
    known = [gained for _, gained in listed if gained is not None]
    if str(pool.adds) in draft.numbers and len(known) == len(listed) and sum(known) != total:
        name = draft.written(str(pool.adds))
        message = f"the sessions gain {sum(known)}, but `{name}` is {total}"
        keys = draft.rules.character.items()
        key = next(str(i) for i, k in keys if k.kind == SESSIONS and str(i) in draft.entries)
        draft.say(
            codes.DISAGREE,
            draft.at(key),
            message,
            f"change `{name}` to {sum(known)}, or correct the sessions",
        )


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
        if id_ in draft.numbers and key.kind in ("number", "flag"):
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
        if key is None or key.pool is None or not is_open(draft, str(key.pool)):
            continue
        times = f" ×{item.count}" if item.count > 1 else ""
        granted = " (granted)" if item.granted and not item.cost else ""
        cost = item.cost * item.count
        draft.spend(str(key.pool), f"{item.name}{times}{granted}", cost, kind="item")


def check_pools(draft: Draft) -> None:
    """Find pools of which more was spent than there is."""
    for id_, pool in draft.rules.pools.items():
        left = draft.left(str(id_))
        if left >= -lacking_in(draft, str(id_)) or unknown_gain(draft, str(id_), pool):
            continue  # or it is said already
        gained = sum(line.gained for line in draft.lines[str(id_)])
        spent = gained - left
        key = str(pool.adds or pool.override or "")
        span = draft.at(key) if key in draft.names else _costly(draft, str(id_))
        message = f"{pool.label}: {spent} spent, {gained} to spend"
        draft.say(codes.OVERSPENT, span, message, f"too much by {-left}")


def lacking_in(draft: Draft, pool: str) -> int:
    """Return how much was lacking in a session; `sessions.too_early` has said that."""
    if not gains(draft, pool):
        return 0
    left = (line.left for line in running(draft, pool) if line.session and line.kind == ADVANCE)
    return max(0, -min(left, default=0))


def unknown_gain(draft: Draft, id_: str, pool: Pool) -> bool:
    """Whether it cannot be known what was gained; that is said already."""
    if any(gained is None for _, gained in gains(draft, id_) or ()):
        return True
    key = draft.rules.character.get(str(pool.adds))
    if key is None or str(pool.adds) in draft.numbers:
        return False
    node = draft.entries.get(str(pool.adds))
    return key.required or (node is not None and not blank(node))


def _costly(draft: Draft, pool: str) -> Span:
    """Return the key under which most of `pool` was spent."""
    spent: dict[str, int] = {}
    for id_, key in draft.rules.character.items():
        if id_ not in draft.names:
            continue
        if key.kind == "advances" and draft.rules.advances and draft.rules.advances.pool == pool:
            spent[str(id_)] = sum(n.cost for n in draft.lines[pool] if n.kind == ADVANCE)
        elif key.kind == "ratings":
            spent[str(id_)] = _rated(draft, str(id_), key, pool)
        elif key.pool == pool and key.price is not None:
            spent[str(id_)] = draft.whole(key.price) * draft.numbers.get(str(id_), 0)
        elif key.pool == pool:
            spent[str(id_)] = sum(i.cost * i.count for i in draft.items if i.key == id_)
    return draft.at(max(spent, key=lambda id_: spent[id_], default=None))


def _rated(draft: Draft, id_: str, key: Key, pool: str) -> int:
    """Return what the steps of a key's ratings cost of `pool`."""
    groups = [str(of) for of in key.of] or [id_]
    traits = (
        (trait, draft.granted(trait) + 1, draft.reached(trait) + 1)
        for group in groups
        if draft.rules.groups[group].pool == pool
        for trait in draft.traits_of(group)
    )
    return sum(draft.price(trait, n) for trait, first, end in traits for n in range(first, end))


def running(draft: Draft, pool: str) -> tuple[LedgerLine, ...]:
    """Return the lines of `pool` with what is left after each."""
    left, lines = 0, []
    for line in by_session(draft.lines.get(pool, [])):
        left += line.gained - line.cost
        lines.append(replace(line, left=left))
    return tuple(lines)


def by_session(lines: list[LedgerLine]) -> list[LedgerLine]:
    """Return `lines` session by session, as they were played, if gains are listed so.

    What is spent without a session comes last; it could have been at any time.
    """
    played = in_play(line.session for line in lines if line.session)
    order = {session: place for place, session in enumerate(played, start=1)}
    if not any(line.session and line.kind == GAIN for line in lines):
        return lines

    def place(line: LedgerLine) -> int:
        if line.session:
            return order[line.session]
        return 0 if line.gained else len(order) + 1

    return sorted(lines, key=place)
