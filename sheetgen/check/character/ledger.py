"""Ledgers: what each pool of points starts with and gains, and what was bought from it.

The step `open_pools` begins `draft.lines`; `pay_choices` and `pay_items` add purchases (ratings,
dice and advances have steps of their own); `check_pools` reports pools that are overspent.
`running_lines` gives the lines with what is left after each.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final, TypeAlias

from sheetgen.check.character import values
from sheetgen.check.character.draft import BoughtAdvance, Draft, with_count
from sheetgen.check.character.options import report_broken
from sheetgen.diag import codes
from sheetgen.diag.findings import Hint, NamesHint, Severity
from sheetgen.diag.words import suggestion
from sheetgen.model.build import LedgerLine, Owned, Pick, RatingPart, Value, code_text
from sheetgen.model.rulesets.ruleset import VALUE_KINDS, Key
from sheetgen.model.rulesets.traits import Advances, Dice, Pool
from sheetgen.model.source import Node, Pairs, ScalarNode, Text
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import inputs_of
from sheetgen.rules.index import folded, split_times

ADVANCE, GAIN = "advance", "gain"  # kinds of ledger lines
GAINED = "gained"  # the text of the line of a file that lists no sessions: all that was gained


def open_pools(draft: Draft) -> None:
    """Begin the ledgers: what each pool starts with and what was gained."""
    for id_, pool in draft.rules.pools.items():
        lines = draft.lines.setdefault(str(id_), [])
        adds = str(pool.adds or "")
        under = [i for i, key, _ in draft.ruleset_keys(values.SESSIONS) if adds in key.of]
        if not has_pool(draft, str(id_)):
            for key in [i for i in (adds, *under) if i in draft.entries][:1]:
                name = draft.key_name(key)
                message = f"`{name}` is not counted: the character has no {pool.label}"
                hint = f"take out `{name}`"
                if pool.override is not None:
                    name = draft.key_name(str(pool.override))
                    hint += f", or write what they start with, such as `{name}: 0`"
                draft.report(codes.CAVEAT, draft.span_of(key), message, hint, Severity.WARNING)
            continue
        if start := _start(draft, str(id_), pool):
            lines.append(LedgerLine(start_text(pool), start, 0, 0, kind=GAIN))
        # Add the gains: a line for each session if the file lists sessions, else one line.
        if pool.adds is None:
            continue
        total, listed = draft.numbers.get(adds, 0), values.read_gains(draft, str(id_))
        if listed is None:
            lines += [LedgerLine(GAINED, total, 0, 0, kind=GAIN)] if total else []
            continue
        for gain in listed:
            what = gain.note or ("" if gain.session else GAINED)
            lines.append(LedgerLine(what, gain.gained or 0, 0, 0, gain.session, GAIN))
        known = sum(gain.gained or 0 for gain in listed)
        if adds in draft.numbers and known != total and all(g.gained is not None for g in listed):
            name, at = draft.key_name(adds), draft.entries[adds].span
            message = f"the sessions gain {known}, but `{name}` is {total}"
            words = f"change `{name}` to {known}, or correct the sessions"
            hint = Hint(words, str(total), str(known), f"Set {name} to {known}", at)
            draft.report(codes.DISAGREE, draft.span_of(under[0]), message, hint)


def start_text(pool: Pool) -> str:
    """Return the text of the line that says what `pool` starts with."""
    return pool.start_label or "at the start"


def has_pool(draft: Draft, pool: str) -> bool:
    """Whether the character has `pool`; one whose start the file states it always has."""
    rule = draft.rules.pools[pool]
    if rule.needs is None or str(rule.override or "") in draft.numbers:
        return True
    return draft.early_holds(rule.needs)


def _start(draft: Draft, id_: str, pool: Pool) -> int:
    starts = draft.pool_starts.get(id_, [])
    if starts_by_rule(draft, id_, pool):
        return draft.eval_int(pool.start)
    if pool.override and str(pool.override) in draft.numbers:
        # Return the start that the file states; warn of choices that set another.
        start, name = draft.numbers[str(pool.override)], draft.key_name(str(pool.override))
        if starts and start not in {other.amount for other in starts}:
            first = starts[0]
            message = f"`{first.name}` starts with {first.amount} {pool.label}; "
            message += f"`{name}` says {start}"
            hint = f"leave `{name}` out, unless the game master changed it"
            draft.report(codes.CAVEAT, first.span, message, hint, Severity.WARNING)
        return start
    winner = str(draft.options.get(str(pool.conflict), "")) if pool.conflict else ""
    starts = [start for start in starts if start.catalogue == winner] or starts
    if len({start.amount for start in starts}) > 1:
        names = " and ".join(f"`{start.name}` ({start.amount})" for start in starts)
        message = f"{names} both set what {pool.label} start with"
        name = draft.key_name(str(pool.override or ""))
        more = f", or let the game master set it: `{name}: {starts[0].amount}`"
        hint = f"pick another{more if pool.override else ''}"
        draft.report(codes.TWO_STARTS, starts[-1].span, message, hint, rule=pool.ruling)
    return starts[0].amount


def starts_by_rule(draft: Draft, id_: str, pool: Pool) -> bool:
    """Whether the start of `pool` follows from the ruleset, not from the file or a choice."""
    return not draft.pool_starts.get(id_) and str(pool.override or "") not in draft.numbers


def pay_choices(draft: Draft) -> None:
    """Pay for choices with a price, and for the keys that are bought by number."""
    for pick in draft.picks:
        pool, price = price_of(draft, pick)
        if price is not None and pool and not pick.because:
            draft.spend(pool, with_count(pick.name, pick.times), draft.eval_int(price) * pick.times)
    for id_, key in draft.rules.character.items():
        if id_ in draft.numbers and key.kind in VALUE_KINDS:
            count, name, span = draft.numbers[id_], draft.key_name(id_), draft.span_of(id_)
            if not count:
                continue
            if key.requires is not None and not draft.early_holds(key.requires):
                message = f"`{name}` is not open to this build"
                draft.report(codes.REQUIREMENT, span, message, key.why)
            if key.most is not None and count > (most := draft.early_int(key.most)):
                message = f"`{name}` is {count}; at most {most}"
                draft.report(codes.ABOVE_LIMIT, span, message, key.why)
            if key.price is not None and key.pool is not None:
                cost = draft.eval_int(key.price) * count
                draft.spend(str(key.pool), key_line(str(id_), key, count), cost)


def price_of(draft: Draft, pick: Pick) -> tuple[str, Text | None]:
    """Return the pool that pays for a pick, and its price: its own, or that of its catalogue."""
    entry, catalogue = draft.entry_of(pick), draft.rules.choices.get(pick.catalogue)
    price = (entry.price if entry else None) or (catalogue.price if catalogue else None)
    pool = (entry.pool if entry else None) or (catalogue.pool if catalogue else None)
    return str(pool or ""), price


def key_line(id_: str, key: Key, count: int) -> str:
    """Return the text of the ledger line for `count` of what `key` pays for."""
    return with_count(key.label or id_.replace("_", " "), count)


def pay_items(draft: Draft) -> None:
    """Pay for the items under keys that have a pool."""
    for item in draft.items:
        key = draft.rules.character.get(item.key)
        if key is not None and key.pool is not None and has_pool(draft, str(key.pool)):
            granted = " (granted)" if item.granted and not item.cost else ""
            what = f"{with_count(item.name, item.count)}{granted}"
            draft.spend(str(key.pool), what, item.cost * item.count, kind="item")


def check_pools(draft: Draft) -> None:
    """Report pools that are overspent."""
    for id_, pool in draft.rules.pools.items():
        left = draft.left(str(id_))
        if left >= -lacking_in(draft, str(id_)) or unknown_gain(draft, str(id_), pool):
            continue  # Not overspent, or there is a finding about it already.
        gained = sum(line.gained for line in draft.lines[str(id_)])
        key = next((str(k) for k in (pool.adds, pool.override) if k in draft.key_names), "")
        span = draft.span_of(key or _costly(draft, str(id_)))
        message = f"{pool.label}: {gained - left} spent, {gained} to spend"
        draft.report(codes.OVERSPENT, span, message, f"spend {-left} less")


def lacking_in(draft: Draft, pool: str) -> int:
    """Return how many points a session lacks; `check_too_early` has reported it."""
    if not values.read_gains(draft, pool):
        return 0
    lines = (one for one in running_lines(draft, pool) if one.session and one.kind == ADVANCE)
    return max(0, -min((line.left for line in lines), default=0))


def unknown_gain(draft: Draft, id_: str, pool: Pool) -> bool:
    """Whether the gain of a pool could not be read, or is missing; both have their finding."""
    if any(gain.gained is None for gain in values.read_gains(draft, id_) or ()):
        return True
    key = draft.rules.character.get(str(pool.adds))
    if key is None or str(pool.adds) in draft.numbers:
        return False
    node = draft.entries.get(str(pool.adds))
    return key.required or (node is not None and not values.is_blank(node))


def _costly(draft: Draft, pool: str) -> str | None:
    """Return the key of the file for which most of `pool` was spent."""
    spent: dict[str, int] = {}
    for id_, key in draft.rules.character.items():
        if id_ not in draft.key_names:
            continue
        if key.kind == "advances" and draft.rules.advances and draft.rules.advances.pool == pool:
            spent[id_] = sum(n.cost for n in draft.lines[pool] if n.kind == ADVANCE)
        elif key.kind == "ratings":
            groups = (str(of) for of in key.of or (id_,) if draft.rules.groups[of].pool == pool)
            spent[id_] = sum(
                draft.price(trait, n)
                for group in groups
                for trait in draft.traits_of(group)
                for n in range(draft.granted(trait) + 1, draft.reached(trait) + 1)
            )
        elif key.kind in ("choice", "choices"):
            paid = ((p.times, *price_of(draft, p)) for p in draft.picks if p.key == id_)
            spent[id_] = sum(n * draft.eval_int(one or "0") for n, of, one in paid if of == pool)
        elif key.pool == pool and key.price is not None and key.kind != "texts":
            spent[id_] = draft.eval_int(key.price) * draft.numbers.get(id_, 0)
        elif key.pool == pool:
            spent[id_] = sum(i.cost * i.count for i in draft.items if i.key == id_)
    return max(spent, key=lambda id_: spent[id_], default=None)


def running_lines(draft: Draft, pool: str) -> tuple[LedgerLine, ...]:
    """Return the lines of `pool` in the order of play, with what is left after each."""
    lines = draft.lines.get(pool, [])
    if any(line.session and line.kind == GAIN for line in lines):
        order = values.order_sessions(line.session for line in lines if line.session)

        def place(line: LedgerLine) -> int:
            if line.session:
                return order.index(line.session)
            # What is spent without a session comes last: it could have been at any time.
            return -1 if line.gained else len(order)

        lines = sorted(lines, key=place)
    left = accumulate(line.gained - line.cost for line in lines)
    return tuple(replace(line, left=rest) for line, rest in zip(lines, left, strict=True))


MOST_STEPS = 100
"""The most steps of one line of the file; it bounds the work that a file can ask for."""


@frozen
class Offer:
    """A step that can be bought."""

    kind: str  # `trait`, `gear` or `named`
    id: str
    what: str
    before: int  # the rating before and after the step
    after: int
    price: int
    pool: str
    refused: str = ""  # why it cannot be bought, or empty
    step: str = ""  # the step in words, `3D+1 to 3D+2`, if `what` does not contain it


def read_advances(draft: Draft) -> None:
    """Buy the advances of the file in the order of play."""
    rule = draft.rules.advances
    if rule is None:
        return
    for _, _, node in draft.ruleset_keys("advances"):
        bought: list[values.Bought] = []
        raised: Counter[tuple[str, str]] = Counter()
        for session, item in _in_order_of_play(draft, rule, node):
            found = _parse_advance(draft, rule, item)
            for offer in _buy(draft, rule, item, *found, session) if found else ():
                bought.append(values.Bought(session, offer.what, offer.price, item.span))
                raised[session, offer.id if offer.kind == "trait" else ""] += 1
            if not found or found[0] != "trait":
                continue
            words = rule.twice_at_once if found[2] > 1 else ""
            if session and raised[session, found[1]] > 1:
                words = rule.twice_in_session
            if words and (rule.twice_if is None or draft.holds(rule.twice_if)):
                message = f"{draft.name_of(found[1])}: {words}"
                hint, severity = "spread the steps over sessions", Severity.WARNING
                draft.report(codes.BROKEN_RULE, item.span, message, hint, severity, rule.ruling)
        values.check_too_early(draft, str(rule.pool), (step for step in bought if step.session))


def _in_order_of_play(draft: Draft, rule: Advances, node: Node) -> Iterator[tuple[str, Node]]:
    """Yield session and advance in the order of play; the session may be empty."""
    if not isinstance(node, Pairs):
        yield from (("", item) for item in values.list_items(node))
        return
    listed = values.read_gains(draft, str(rule.pool))
    order = {folded(gain.session): gain.session for gain in listed or ()}
    known = set(order.values())
    named: dict[str, list[Node]] = {session: [] for session in order.values()}
    for key, below in node.entries:
        session = order.get(folded(values.session_name(key.raw)), values.session_name(key.raw))
        if session not in known and _find(draft, rule, key.raw):
            count = below.raw if isinstance(below, ScalarNode) else ""
            hint = f"write `[{key.raw}{f' x{count}' if count.isdecimal() else ''}]`"
            draft.report(codes.WRONG_TYPE, key.span, f"`{key.raw}` is no session", hint)
            continue
        named.setdefault(session, []).extend(values.list_items(below))
        if listed is not None and session not in known:
            message = f"the sessions that are listed have no `{key.raw}`"
            hint = f"add `{{session: {key.raw}, gained: 0}}`, or name one of them"
            draft.report(codes.NO_SESSION, key.span, message, hint)
    for session in values.order_sessions(named):
        yield from ((session, item) for item in named[session])


def _parse_advance(draft: Draft, rule: Advances, node: Node) -> tuple[str, str, int] | None:
    if not isinstance(node, ScalarNode):
        message = "write the name of a trait, an item or an advance here"
        draft.report(codes.WRONG_TYPE, node.span, message)
        return None
    name, times = node.raw, 1
    found = _find(draft, rule, name)
    if found is None:
        name, times = split_times(node.raw)
        found = _find(draft, rule, name)
    if found is None:
        names = [*draft.index.all_traits.shown.values(), *(i.name for i in draft.items)]
        names += draft.index.advances.shown.values()
        message = f"nothing called `{node.raw}` can be advanced"
        hint = suggestion(name, names)
        if rule.gear is not None and draft.index.gear.find(name):
            message = f"`{node.raw}` is not owned; only what is owned can be improved"
            names = [str(i.name) for i in draft.items]
            hint = NamesHint(f"use one of: {', '.join(names)}" if names else "", name, tuple(names))
        draft.report(codes.UNKNOWN_NAME, node.span, message, hint)
        return None
    if times > MOST_STEPS:
        message = f"`{node.raw}`: {times} steps at once"
        draft.report(codes.NO_ADVANCE, node.span, message, f"write at most {MOST_STEPS}")
        return None
    return (*found, times)


def _buy(
    draft: Draft, rule: Advances, node: Node, kind: str, id_: str, times: int, session: str
) -> Iterator[Offer]:
    """Buy and yield one step after another; stop at one that cannot be bought, with a finding."""
    for _ in range(times):
        offer = offer_of(draft, rule, kind, id_)
        if offer.refused:
            draft.report(codes.NO_ADVANCE, node.span, f"{offer.what}: {offer.refused}")
            return
        before = (*draft.picks,), (*draft.items,)
        if offer.kind == "trait":
            draft.add(offer.id, RatingPart(1, session or "advance", "advance", node.span))
            bought = BoughtAdvance(offer.id, offer.price)
        elif offer.kind == "named":
            raised = steps_of_advance(draft, rule, offer.id)
            for trait, steps in raised.items():
                draft.add(trait, RatingPart(steps, offer.what, "advance", node.span))
            steps_along = draft.take_along(offer.id)
            steps_along.update(raised)
            bought = BoughtAdvance("", offer.price, steps_along, before, named=offer.id)
        else:
            place = int(offer.id)
            item = draft.items[place]
            adds = draft.rules.gear[item.item].adds if item.item else None
            bought = BoughtAdvance("", offer.price, {}, before, offer.after, str(adds or ""))
            # Improve one item; of several alike, only the first of them.
            if item.count > 1:
                acting = max(item.acting - 1, 0) if item.changes else item.acting
                draft.items.insert(place + 1, replace(item, count=item.count - 1, acting=acting))
            better = replace(item, count=1, acting=min(item.acting, 1), upgrades=item.upgrades + 1)
            if item.dice is not None:
                better = replace(better, dice=item.dice + 1)
            else:
                better = replace(better, bonus=(item.bonus or 0) + 1)
            if gives := _gives(draft, item):
                changes = {**item.changes, gives: (*item.changes.get(gives, ()), "1")}
                better = replace(better, changes=changes)
            draft.items[place] = better
        draft.advanced.append(bought)
        what = offer.what if offer.kind == "named" else f"{offer.what} {step_text(draft, offer)}"
        draft.spend(offer.pool, what, offer.price, session, ADVANCE)
        yield offer


def steps_of_advance(draft: Draft, rule: Advances, id_: str) -> dict[str, int]:
    """Return the steps that a named advance gives, by trait."""
    return {str(trait): draft.eval_int(f) for trait, f in rule.named[id_].raise_.items()}


def _find(draft: Draft, rule: Advances, name: str) -> tuple[str, str] | None:
    named = draft.index.advances.find(name)
    if named:
        return "named", named[0]
    traits = draft.index.among([str(group) for group in rule.groups]).find(name)
    if len(traits) == 1:
        return "trait", traits[0]
    if rule.gear is not None:
        for place, item in enumerate(draft.items):
            if item.item in draft.index.gear.find(name) or item.name == name:
                return "gear", str(place)
    return None


def offer_of(draft: Draft, rule: Advances, kind: str, id_: str) -> Offer:
    """Return the next step of a trait, an item or a named advance, with its price."""
    pool, refused = str(rule.pool), ""
    if kind == "named":
        named = rule.named[id_]
        if named.requires is not None and not draft.holds(named.requires):
            refused = named.why or "its requirement is not met"
        lines = draft.lines.get(pool, ()) if named.once else ()
        if any(line.kind == ADVANCE and line.what == named.name for line in lines):
            refused = "it can be bought only once"
        return Offer("named", id_, named.name, 0, 1, draft.eval_int(named.price), pool, refused)
    if kind == "gear":
        item = draft.items[int(id_)]
        before = item.bonus if item.dice is None else item.dice
        refused = "" if before is not None and before >= 1 else "it has nothing to improve"
        after = (before or 0) + 1
        adds = draft.rules.gear[item.item].adds if item.item else None
        added = draft.total(str(adds)) if adds else 0
        price = draft.eval_int(rule.gear or "0", n=after, adds=added)
        return Offer("gear", id_, item.name, after - 1, after, price, pool, refused)
    own, formula = draft.own(id_), rule.groups[draft.group_of(id_) or ""]
    focus, total = draft.focus.get(id_, 0), draft.total(id_) + 1
    under, offered = draft.total_above(id_), draft.offered(id_)
    price = draft.eval_int(
        formula, n=own + 1, focus=focus, total=total, under=under, offered=offered
    )
    trait = draft.index.traits[id_][1]
    refused = why_closed(draft, id_)
    if not refused and trait.advance_if is not None and not draft.holds(trait.advance_if):
        refused = trait.why or "it cannot be raised now"
    return Offer("trait", id_, draft.name_of(id_), own, own + 1, price, pool, refused)


def why_closed(draft: Draft, trait: str) -> str:
    """Return why what `trait` needs does not hold; empty if it does."""
    rule = draft.trait_rule(trait)
    if rule is None or rule.needs is None or draft.holds(rule.needs):
        return ""
    return rule.why or "its requirement is not met"


def step_text(draft: Draft, offer: Offer) -> str:
    """Return the step in words, `3D+1 to 3D+2`; of the whole code if that has the price."""
    steps = (offer.before, offer.after)
    if offer.kind == "gear":
        dice = not _gives(draft, draft.items[int(offer.id)])
        return " to ".join(code_text(n, pips=draft.rules.pips) if dice else str(n) for n in steps)
    group, rule = draft.group_of(offer.id) or "", draft.rules.advances
    price, above = rule.groups.get(group) if rule is not None else None, draft.base(offer.id)
    if price is not None and "total" in inputs_of(price):
        above = max(0, draft.total(offer.id) - draft.own(offer.id))
    return " to ".join(draft.rules.rating_text(group, n + above) for n in steps)


def _gives(draft: Draft, item: Owned) -> str:
    """Return the derived value that an advance of the item raises; empty if it raises dice."""
    return "" if item.dice is not None else str(draft.rules.gear[item.item].gives or "")


MOST_DICE = 40

_SEVERAL = re.compile(r"(\d{1,2})\s*([dD]\d{1,3})")
_CLIMB = re.compile(r"\s*(\S+?)\s*(?:->|→|to|>)\s*(\S+)\s*", re.IGNORECASE)
_SOLD = re.compile(r"(sell|sold)\b", re.IGNORECASE)


def read_dice(draft: Draft) -> None:
    """Read the dice, or the history of their purchases, and pay for them."""
    rule = draft.rules.dice
    if rule is None:
        return
    keys = {str(draft.rules.character[id_].kind): id_ for id_ in draft.entries}
    final = _final(draft, draft.entries[keys["dice"]]) if "dice" in keys else None
    if "dice_history" in keys:
        key, dice = keys["dice_history"], list(draft.granted_dice)
        listed = values.list_items(draft.entries[key])
        steps = [_read_purchase(draft, rule, dice, item) for item in listed]
        _pay(draft, rule, filter(None, steps))
        draft.dice = tuple(sorted(dice, reverse=True))
        if final is not None and None not in steps and sorted(final) != sorted(dice):
            names = ", ".join(f"d{faces}" for faces in draft.dice) or "none"
            message = f"the recorded purchases lead to other dice: {names}"
            hint = "correct the purchases, or the dice"
            draft.report(codes.BAD_DICE, draft.span_of(key), message, hint)
        return
    granted = sorted(draft.granted_dice, reverse=True)
    draft.dice = tuple(granted if final is None else sorted(final, reverse=True))
    if _contains(draft.dice, granted):  # Granted dice become some of them.
        _pay(draft, rule, cheapest_dice(draft, rule, draft.dice, granted))
    else:
        names = ", ".join(f"d{faces}" for faces in granted)
        message = f"{names} granted, but the dice named here leave some out"
        span, hint = draft.span_of(keys["dice"]), "name every die, granted ones too"
        draft.report(codes.BELOW_GRANT, span, message, hint)


def _final(draft: Draft, node: Node) -> list[int]:
    """Return the dice in the file; two of a kind are `d8 x2`, `2d8` or `{d8: 2}`."""
    found: list[int] = []
    for item in values.list_entries(node):
        raw, count = split_times(item.raw) if isinstance(item, ScalarNode) else ("", 1)
        if isinstance(item, Pairs) and len(item.entries) == 1:
            (key, below), *_ = item.entries
            raw = key.raw
            count = values.parse_times(draft, below, key.raw, codes.BAD_DICE) or 1
        elif isinstance(item, ScalarNode) and (match := _SEVERAL.fullmatch(raw)):
            raw, count = match[2], max(1, count * int(match[1]))
            if not int(match[1]):
                draft.report(codes.BAD_DICE, item.span, f"`{item.raw}` is no die", "leave it out")
        if faces := values.parse_die(draft, ScalarNode(item.span, raw, raw) if raw else item):
            found += [faces] * min(count, MOST_DICE + 1)
        if len(found) > MOST_DICE:
            draft.report(codes.BAD_DICE, node.span, f"more than {MOST_DICE} dice")
            break
    return found[:MOST_DICE]


def cheapest_dice(
    draft: Draft, rule: Dice, target: Sequence[int], have: Sequence[int]
) -> tuple[Step, ...]:
    """Return the cheapest purchases that lead from the dice `have` to `target`."""

    def price(formula: Text) -> Price:
        return lambda count, faces: draft.eval_int(formula, count=count, faces=faces)

    return cheapest(target, have, rule.ladder, price(rule.buy), price(rule.upgrade))


def bought_in_any_order(draft: Draft, rule: Dice, dice: Sequence[int]) -> int | None:
    """Return the price of `dice` beyond the present ones; None if purchases are recorded."""
    granted = sorted(draft.granted_dice, reverse=True)
    if records_dice(draft) or not _contains(draft.dice, granted):
        return None
    targets = (draft.dice, sorted(dice, reverse=True))
    steps = (cheapest_dice(draft, rule, target, granted) for target in targets)
    before, after = (sum(step.price for step in one) for one in steps)
    return after - before


def records_dice(draft: Draft) -> bool:
    """Whether the file records the purchases of dice in their order."""
    return any(draft.rules.character[id_].kind == "dice_history" for id_ in draft.entries)


def _contains(final: Sequence[int], granted: Sequence[int]) -> bool:
    """Whether each of `granted`, largest first, can have become one of `final`."""
    return len(granted) <= len(final) and all(map(operator.le, granted, final))


def _pay(draft: Draft, rule: Dice, steps: Iterable[Step]) -> None:
    for step in steps:
        held = "1 die" if step.count == 1 else f"{step.count} dice"
        bought = DieSteps(not step.before, step.before or step.after, step.after, held)
        draft.spend(str(rule.pool), str(bought), step.price, kind=DIE)


def _read_purchase(draft: Draft, rule: Dice, dice: list[int], node: Node) -> Step | None:
    """Return one recorded purchase, `buy d2` or `d2 -> d3`, and apply it to `dice`."""
    raw = node.raw.strip() if isinstance(node, ScalarNode) else ""
    climb = _CLIMB.fullmatch(raw)
    if _SOLD.match(raw):
        draft.report(codes.BAD_DICE, node.span, "dice cannot be sold", "leave this line out")
        return None
    if climb is None:
        word = re.sub(r"^(buy|a|new)\s+(a\s+)?", "", raw, flags=re.IGNORECASE)
        faces, first = values.parse_die(draft, ScalarNode(node.span, word, word)), "d"
        if faces is not None and faces != rule.ladder[0]:
            first = f"d{rule.ladder[0]}"
            message = f"a new die is a {first}, not a d{faces}"
            hint = f"write `{first}`, and improve it in the next line: `{first} -> …`"
            draft.report(codes.BAD_DICE, node.span, message, hint)
        if faces != rule.ladder[0]:
            return None
        dice.append(faces)
        count = len(dice)
        return Step(0, faces, count, draft.eval_int(rule.buy, count=count, faces=faces))
    before, after = (values.parse_die(draft, ScalarNode(node.span, w, w)) for w in climb.groups())
    if before is None or after is None:
        return None
    larger = rule.ladder[rule.ladder.index(before) + 1 :]
    message, hint = f"d{before} does not become d{after}", ""
    if after < before:
        hint = "buy a larger die; none becomes smaller"
    elif before not in dice:
        hand = ", ".join(f"d{faces}" for faces in dice)
        message = f"there is no d{before} to improve here"
        hint = f"improve one of these dice: {hand}" if hand else "buy a die first"
    elif after not in larger[:1]:
        message += " in one step"
        hint = f"buy d{larger[0]} first" if larger else f"leave it at d{before}, the largest die"
    if hint:
        draft.report(codes.BAD_DICE, node.span, message, hint)
        return None
    dice[dice.index(before)] = after
    count = len(dice)
    return Step(before, after, count, draft.eval_int(rule.upgrade, count=count, faces=after))


DIE: Final = "die"  # the kind of the lines of a ledger that bought a die, or a step of one
_STEP: Final = re.compile(r"(a )?d(\d{1,4})(?: to d(\d{1,4}))?, with (.+)")


@frozen
class DieSteps:
    """A bought die, or steps of one die from a size to another."""

    new: bool  # whether the die itself was bought
    first: int
    last: int
    held: str  # how many dice were held then, in words

    def __str__(self) -> str:
        size = f"d{self.first}" + (f" to d{self.last}" if self.last != self.first else "")
        return f"{'a ' if self.new else ''}{size}, with {self.held}"

    def has(self, other: DieSteps) -> bool:
        """Whether `other` is among these steps."""
        inside = self.first <= other.first and other.last <= self.last
        return inside and self.held == other.held and self.new >= other.new


def parse_die_steps(text: str) -> DieSteps | None:
    """Return the steps that the words of a ledger's row name."""
    found = _STEP.fullmatch(text.strip())
    if found is None:
        return None
    new, first, last, held = found.groups()
    return DieSteps(bool(new), int(first), int(last or first), held)


def join_die_steps(one: str, other: str) -> str | None:
    """Return the words for both rows if `other` continues the steps of the die of `one`."""
    before, after = parse_die_steps(one), parse_die_steps(other)
    if before is None or after is None or after.new or before.held != after.held:
        return None
    return str(replace(before, last=after.last)) if before.last == after.first else None


MOST_LETTERS = 2  # letters of a link's name; sheets print it in a box beside each of its traits


def read_links(draft: Draft) -> None:
    """Read the links and the pinned dice."""
    for id_, key, node in draft.file_keys("links", "pinned"):
        form = "{A: [Name, Name]}" if key.kind == "links" else "{Name: d4}"
        entries = values.parse_mapping(draft, node, draft.key_name(id_), key.example or form)
        read = _read_links if key.kind == "links" else _read_pins
        for name, names in read(draft, key, entries):
            for rule in key.each:
                if not draft.holds(rule.require, **names):
                    report_broken(draft, rule, id_, name.span, names)


_Linked: TypeAlias = Iterator[tuple[ScalarNode, dict[str, Value]]]  # the names that rules see


def _read_links(draft: Draft, key: Key, entries: values.Entries) -> _Linked:
    for name, below in entries:
        if len(name.raw) > MOST_LETTERS:
            message = f"`{name.raw}` is too long for the name of a link"
            hint = f"take a letter or two, as in `{key.example}`"
            draft.report(codes.WRONG_TYPE, name.span, message, hint)
            continue
        counted = (values.find_counted_trait(draft, item) for item in values.list_items(below))
        found = [trait for trait, times in counted for _ in range(times)]
        joined = tuple(t for t in found if t)
        if len(joined) == len(found):  # Unknown names have their finding.
            weakest = min(joined, key=draft.total, default="")
            groups = Counter(draft.group_of(t) for t in joined)
            earlier = {t for link in draft.links.values() for t in link}
            yield (
                name,
                {
                    "link": name.raw,
                    "size": len(joined),
                    "weakest": draft.name_of(weakest),
                    "least": draft.total(weakest) if weakest else 0,
                    "repeats": len(joined) - len(set(joined)),
                    "elsewhere": len(earlier.intersection(joined)),
                    **{str(group): groups[str(group)] for group in draft.rules.groups},
                },
            )
        draft.links[name.raw] = joined


def _read_pins(draft: Draft, _: Key, entries: values.Entries) -> _Linked:
    pinned: Counter[int] = Counter()
    for name, below in entries:
        found, faces = values.find_trait(draft, name), values.parse_die(draft, below)
        if found is None or faces is None:
            continue
        if found in draft.pinned:
            message = f"`{name.raw}` is pinned already"
            draft.report(codes.REPEATED_KEY, name.span, message, "keep one of the two")
            continue
        draft.pinned[found] = f"d{faces}"
        pinned[faces] += 1
        numbers = {"n": draft.total(found), "there": draft.dice.count(faces), "faces": faces}
        words = {"skill": draft.name_of(found), "die": f"d{faces}"}
        yield name, {**words, **numbers, "pins": pinned[faces]}


Price = Callable[[int, int], int]
"""`price(count, faces)` of a die or a rung, for an owner of `count` dice."""


@frozen
class Step:
    """One purchase: a new die (`before` is 0) or a rung of the ladder."""

    before: int
    after: int
    count: int
    price: int


def cheapest(
    dice: Sequence[int], granted: Sequence[int], ladder: Sequence[int], buy: Price, upgrade: Price
) -> tuple[Step, ...]:
    """Return the purchases that lead from `granted` dice to `dice`, on a ladder, for the least.

    Only an owned die can be upgraded, so the die that is bought first has the widest choice of
    counts for each of its rungs, and no later one can be upgraded for less. The largest dice are
    therefore bought first. For each rung the cheapest count is chosen, where counts never fall
    along the rungs of one die. The result is minimal for any two formulas. If prices grow with
    the count, it is the order that players know: finish one die before you buy the next.
    """
    goal = sorted(dice, reverse=True)
    start = sorted(granted, reverse=True) + [0] * (len(goal) - len(granted))
    first = len(granted)
    steps: list[tuple[int, int, Step]] = []
    for place, (have, want) in enumerate(zip(start, goal, strict=True)):
        owned, before, most = max(place + 1, first), max(have, ladder[0]), len(goal)
        if have == 0:
            steps.append((owned, -1, Step(0, ladder[0], owned, buy(owned, ladder[0]))))
        climbs = [rung for rung in ladder[: ladder.index(want) + 1] if rung > before]
        # The counts at which to take each rung, never falling, for the lowest total.
        best = dict.fromkeys(range(owned, most + 1), (0, tuple[int, ...]()))
        for faces in reversed(climbs):
            least: tuple[int, tuple[int, ...]] | None = None
            for lowest in range(most, owned - 1, -1):  # the best at `lowest` dice or more
                rest, counts = best[lowest]
                here = (upgrade(lowest, faces) + rest, (lowest, *counts))
                least = here if least is None else min(least, here)
                best[lowest] = least
        for faces, count in zip(climbs, best[owned][1], strict=True):
            steps.append((count, place, Step(before, faces, count, upgrade(count, faces))))
            before = faces
    return tuple(step for _, _, step in sorted(steps, key=lambda s: s[:2]))
