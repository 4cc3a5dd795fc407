"""What a character can buy now, and for how much; `sheetgen advance` shows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.records import Stated
from sheetgen.check.character.ratings.dice import bought_in_any_order
from sheetgen.check.character.ratings.limits import limit_of, may_exceed
from sheetgen.check.character.ratings.narrow_uses import find_narrow_uses, step_price
from sheetgen.check.character.spending.advances import Offer, offer_of, step_text
from sheetgen.model.build import RatingPart
from sheetgen.model.rulesets.keys import Rule
from sheetgen.model.rulesets.points import Dice


def list_offers(draft: Draft, ids: Collection[str] | None = None) -> Iterator[Offer]:
    """Yield every next step that has a price; a step that cannot be bought says why.

    Args:
        ids: The traits and named advances to offer; None for all, dice and gear included.
    """
    rules = [rule for rule in draft.rules.rules.values() if _counts(rule, draft)]
    for offer in _offers(draft, ids):
        if not offer.refused:
            offer = replace(offer, refused=_broken_rule(draft, offer, rules))
        stepped = offer.kind in ("trait", "gear")
        yield replace(offer, step=step_text(draft, offer)) if stepped else offer


def _offers(draft: Draft, ids: Collection[str] | None) -> Iterator[Offer]:
    def among(known: Iterable[str]) -> Iterator[str]:
        return (str(id_) for id_ in known if ids is None or id_ in ids)

    for id_, group in draft.rules.groups.items():
        if group.stated and group.price is not None:
            yield from (_next_step(draft, trait) for trait in among(draft.traits_of(str(id_))))
    if ids is None:
        yield from _dice(draft)
        yield from _narrow(draft)
    rule = draft.rules.advances
    if rule is None:
        return
    for named in among(rule.named):
        yield offer_of(draft, rule, "named", named)
    for group_id in rule.groups:
        for trait in among(draft.traits_of(str(group_id))):
            yield _within_limit(draft, offer_of(draft, rule, "trait", trait))
    if rule.gear is not None and ids is None:
        names = [item.name for item in draft.items]
        for place, item in enumerate(draft.items):
            # An advance improves the first of several alike.
            first = names.index(item.name) == place
            if first and (item.dice or item.bonus or 0) >= 1:
                yield offer_of(draft, rule, "gear", str(place))


def _narrow(draft: Draft) -> Iterator[Offer]:
    """Yield the next step of each narrow use of a trait."""
    for id_, key, _ in draft.ruleset_keys("texts"):
        if not key.narrows or key.pool is None:
            continue
        refused = key.why if key.requires is not None and not draft.holds(key.requires) else ""
        for use in find_narrow_uses(draft, id_, key):
            before = max(use.code, draft.total(use.trait))
            price = step_price(draft, key, use.trait, before + 1)
            group = draft.group_of(use.trait) or ""
            step = " to ".join(draft.rules.rating_text(group, n) for n in (before, before + 1))
            pool, after = str(key.pool), before + 1
            yield Offer("use", use.trait, use.what, before, after, price, pool, refused, step)


def _next_step(draft: Draft, trait: str) -> Offer:
    group, own = draft.group_rule(trait), draft.own(trait)
    price = draft.price(trait, own + 1)
    offer = Offer("trait", trait, draft.name_of(trait), own, own + 1, price, str(group.pool))
    return _within_limit(draft, offer)


def _within_limit(draft: Draft, offer: Offer) -> Offer:
    """Return a step of a trait, refused if it exceeds the limit."""
    group, limit = draft.group_rule(offer.id), limit_of(draft, offer.id)
    if limit is None or offer.after <= limit or may_exceed(draft, group, offer.id, offer.after):
        return offer
    return replace(offer, refused=offer.refused or f"the limit is {limit}")


def _counts(rule: Rule, draft: Draft) -> bool:
    """Whether `rule` holds now, and would be an error otherwise."""
    return str(rule.severity or "error") == "error" and draft.holds(rule.require)


def _broken_rule(draft: Draft, offer: Offer, rules: Sequence[Rule]) -> str:
    """Return the message of the first of `rules` that does not hold after a step of a trait."""
    if not rules or offer.kind not in ("trait", "named"):
        return ""
    after = draft.changed(
        findings=[],
        parts={trait: list(parts) for trait, parts in draft.parts.items()},
        stated=dict(draft.stated),
        derived={},
        settled=None,
    )
    for trait, steps in _raised(draft, offer).items():
        stated = after.stated.get(trait)
        if stated is not None and stated.rating is not None:
            after.stated[trait] = replace(stated, rating=stated.rating + steps)
        elif draft.is_stated(trait):
            rating = draft.own(trait) + steps
            after.stated[trait] = Stated(rating, stated.span if stated else draft.source.start)
        else:
            after.add(trait, RatingPart(steps, offer.what, "advance"))
    broken = next((rule for rule in rules if not after.holds(rule.require)), None)
    return after.fill(broken.message) if broken is not None else ""


def _raised(draft: Draft, offer: Offer) -> dict[str, int]:
    rule = draft.rules.advances
    if offer.kind == "trait" or rule is None:
        return {offer.id: 1}
    return {str(t): draft.eval_int(f) for t, f in rule.named[offer.id].raise_.items()}


def _dice(draft: Draft) -> Iterator[Offer]:
    rule = draft.rules.dice
    if rule is None:
        return
    count, first = len(draft.dice) + 1, rule.ladder[0]
    price = draft.eval_int(rule.buy, count=count, faces=first)
    yield _die(draft, rule, 0, first, price)
    for faces in sorted(set(draft.dice)):
        rung = rule.ladder.index(faces) + 1
        if rung < len(rule.ladder):
            after = rule.ladder[rung]
            price = draft.eval_int(rule.upgrade, count=len(draft.dice), faces=after)
            yield _die(draft, rule, faces, after, price)


def _die(draft: Draft, rule: Dice, before: int, after: int, price: int) -> Offer:
    """Return the offer of a die at the price that the ledger will show for it.

    If the file does not record purchases, the ledger counts the cheapest order of all dice. That
    may be less than `price`, which is the price of this purchase after all others.
    """
    what = f"d{before} to d{after}" if before else f"a d{after}"
    dice = list(draft.dice)
    if before:
        dice.remove(before)
    counted = bought_in_any_order(draft, rule, [*dice, after])
    counted = price if counted is None else counted
    step = f"({price} where purchases are recorded)" if counted != price else ""
    id_, pool = f"d{before}" if before else "new", str(rule.pool)
    return Offer("dice", id_, what, before, after, counted, pool, step=step)
