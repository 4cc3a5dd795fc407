"""Advances: steps bought after creation, one by one, each at the price of its moment.

The step `read_advances` adds steps of kind `advance` to `draft.parts`, improves items, and pays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.records import BoughtAdvance
from sheetgen.check.character.keys.sessions import (
    Bought,
    check_too_early,
    order_sessions,
    read_gains,
    session_name,
)
from sheetgen.check.character.keys.values import list_items
from sheetgen.check.character.spending.ledger import ADVANCE
from sheetgen.diag import codes
from sheetgen.diag.findings import NamesHint, Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.build import Owned, RatingPart
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.points import Advances, NamedAdvance
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import parse_formula
from sheetgen.rules.formulas.trees import inputs
from sheetgen.rules.names import folded, split_times

MOST_STEPS = 100
"""The most steps of one line of the file; it bounds the work that a file can ask for."""


@frozen
class Offer:
    """A step that can be bought.

    Attributes:
        kind: `trait`, `gear` or `named`.
        before, after: The rating before and after the step.
        refused: Why it cannot be bought, or empty.
        step: The step in words, `3D+1 to 3D+2`, if `what` does not contain it.
    """

    kind: str
    id: str
    what: str
    before: int
    after: int
    price: int
    pool: str
    refused: str = ""
    step: str = ""


def read_advances(draft: Draft) -> None:
    """Buy the advances of the file in the order of play."""
    rule = draft.rules.advances
    if rule is None:
        return
    for _, _, node in draft.ruleset_keys("advances"):
        bought: list[Bought] = []
        raised: Counter[tuple[str, str]] = Counter()
        for session, item in _in_order_of_play(draft, rule, node):
            found = _parse_advance(draft, rule, item)
            for offer in _buy(draft, rule, item, *found, session) if found else ():
                bought.append(Bought(session, offer.what, offer.price, item.span))
                raised[session, offer.id if offer.kind == "trait" else ""] += 1
            if not found or found[0] != "trait":
                continue
            if session and raised[session, found[1]] > 1:
                _report_twice(draft, rule, found[1], rule.twice_in_session, item.span)
            elif found[2] > 1:
                _report_twice(draft, rule, found[1], rule.twice_at_once, item.span)
        check_too_early(draft, str(rule.pool), (step for step in bought if step.session))


def _in_order_of_play(draft: Draft, rule: Advances, node: Node) -> Iterator[tuple[str, Node]]:
    """Yield session and advance in the order of play; the session may be empty."""
    if not isinstance(node, Pairs):
        yield from (("", item) for item in list_items(node))
        return
    listed = read_gains(draft, str(rule.pool))
    order = {folded(gain.session): gain.session for gain in listed or ()}
    known = set(order.values())
    named: dict[str, list[Node]] = {session: [] for session in order.values()}
    for key, below in node.entries:
        session = order.get(folded(session_name(key.raw)), session_name(key.raw))
        if session not in known and _find(draft, rule, key.raw):
            count = below.raw if isinstance(below, ScalarNode) else ""
            hint = f"write `[{key.raw}{f' x{count}' if count.isdecimal() else ''}]`"
            draft.report(codes.WRONG_TYPE, key.span, f"`{key.raw}` is no session", hint)
            continue
        named.setdefault(session, []).extend(list_items(below))
        if listed is not None and session not in known:
            message = f"the sessions that are listed have no `{key.raw}`"
            hint = f"add `{{session: {key.raw}, gained: 0}}`, or name one of them"
            draft.report(codes.NO_SESSION, key.span, message, hint)
    for session in order_sessions(named):
        yield from ((session, item) for item in named[session])


def _report_twice(draft: Draft, rule: Advances, trait: str, words: str, span: Span) -> None:
    if words and (rule.twice_if is None or draft.holds(rule.twice_if)):
        message, hint = f"{draft.name_of(trait)}: {words}", "spread the steps over sessions"
        draft.report(codes.BROKEN_RULE, span, message, hint, Severity.WARNING, rule.ruling)


def _parse_advance(draft: Draft, rule: Advances, node: Node) -> tuple[str, str, int] | None:
    """Return kind, id and count of what an item of the list advances; None with a finding."""
    if not isinstance(node, ScalarNode):
        draft.report(
            codes.WRONG_TYPE, node.span, "write the name of a trait, an item or an advance here"
        )
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
        draft.report(codes.NO_ADVANCE, node.span, message, f"at most {MOST_STEPS}")
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
        _apply(draft, rule, offer, session)
        yield offer


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
    if kind == "named":
        return _named_offer(draft, rule, id_, rule.named[id_])
    if kind == "gear":
        return _gear_offer(draft, rule, int(id_), draft.items[int(id_)])
    group = draft.group_of(id_) or ""
    own = draft.own(id_)
    focus, total = draft.focus.get(id_, 0), draft.total(id_) + 1
    price = draft.eval_int(rule.groups[group], n=own + 1, focus=focus, total=total)
    trait = draft.index.traits[id_][1]
    refused = ""
    if trait.needs is not None and not draft.holds(trait.needs):
        refused = trait.why or "its requirement is not met"
    elif trait.advance_if is not None and not draft.holds(trait.advance_if):
        refused = trait.why or "it cannot be raised now"
    name = draft.name_of(id_)
    return Offer("trait", id_, name, own, own + 1, price, str(rule.pool), refused)


def _named_offer(draft: Draft, rule: Advances, id_: str, named: NamedAdvance) -> Offer:
    refused = ""
    if named.requires is not None and not draft.holds(named.requires):
        refused = named.why or "its requirement is not met"
    price = draft.eval_int(named.price)
    return Offer("named", id_, str(named.name), 0, 1, price, str(rule.pool), refused)


def _gear_offer(draft: Draft, rule: Advances, place: int, item: Owned) -> Offer:
    before = item.bonus if item.dice is None else item.dice
    refused = "" if before is not None and before >= 1 else "it has nothing to improve"
    after = (before or 0) + 1
    adds = draft.rules.gear[item.item].adds if item.item else None
    added = draft.total(str(adds)) if adds else 0
    price = draft.eval_int(rule.gear or "0", n=after, adds=added)
    return Offer("gear", str(place), item.name, after - 1, after, price, str(rule.pool), refused)


def _apply(draft: Draft, rule: Advances, offer: Offer, session: str) -> None:
    """Apply a step that was bought: raise the trait or improve the item, and pay."""
    bought = BoughtAdvance("", offer.price)
    if offer.kind == "trait":
        draft.add(offer.id, RatingPart(1, session or "advance", "advance"))
        bought = BoughtAdvance(offer.id, offer.price)
    elif offer.kind == "named":
        raised = {str(t): draft.eval_int(f) for t, f in rule.named[offer.id].raise_.items()}
        for trait, steps in raised.items():
            draft.add(trait, RatingPart(steps, offer.what, "advance"))
        bought = BoughtAdvance("", offer.price, raised)
    else:
        item = draft.items[int(offer.id)]
        adds = draft.rules.gear[item.item].adds if item.item else None
        bought = BoughtAdvance("", offer.price, {}, offer.after, str(adds or ""))
        _improve(draft, int(offer.id))
    draft.advanced.append(bought)
    what = offer.what if offer.kind == "named" else f"{offer.what} {step_text(draft, offer)}"
    draft.spend(offer.pool, what, offer.price, session, ADVANCE)


def step_text(draft: Draft, offer: Offer) -> str:
    """Return the step of `offer` in words: `3D+1 to 3D+2`, `1 to 2`.

    A step whose price follows from the whole code is one of the whole code.
    """
    steps = (offer.before, offer.after)
    if offer.kind == "gear":
        dice = not _gives(draft, draft.items[int(offer.id)])
    else:
        dice, rule = draft.in_dice(offer.id), draft.rules.advances
        price = rule.groups.get(draft.group_of(offer.id) or "") if rule is not None else None
        if price is not None and "total" in inputs(parse_formula(price)):
            above = max(0, draft.total(offer.id) - draft.own(offer.id))
            steps = (offer.before + above, offer.after + above)
    return " to ".join(code_text(n, pips=draft.rules.pips) if dice else str(n) for n in steps)


def _gives(draft: Draft, item: Owned) -> str:
    """Return the derived value that an advance of the item raises; empty if it raises dice."""
    return "" if item.dice is not None else str(draft.rules.gear[item.item].gives or "")


def _improve(draft: Draft, place: int) -> None:
    """Improve one item; of several alike, only the first of them."""
    item = draft.items[place]
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
