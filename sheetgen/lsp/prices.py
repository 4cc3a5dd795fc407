"""What a name would cost a character, and what would be left."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.ratings.limits import limit_of
from sheetgen.check.character.spending.ledger import has_pool
from sheetgen.check.character.spending.offers import list_offers
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.keys import Key
from sheetgen.rules.index import index_of

_MOST_STEPS = 12
"""Ratings that are offered for one trait."""


def price_text(draft: Draft, pool: str, price: int) -> str:
    """Return a price and what is left after it: `6 XP, 3 left after it`."""
    if not has_pool(draft, pool):
        return ""
    label = draft.rules.pools[pool].label
    return f"{price} {label}, {draft.left(pool) - price} left after it".replace("-", "−")


def name_prices(draft: Draft, id_: str, key: Key) -> dict[str, str]:
    """Return what each name under a key would cost now, or why it cannot be had, by name."""
    index = index_of(draft.rules)
    if key.kind in ("ratings", "advances"):
        groups = [str(of) for of in key.of or (id_,) if of in draft.rules.groups]
        ids = [trait for group in groups for trait in draft.traits_of(group)] or None
        offers = (offer for offer in list_offers(draft, ids) if offer.kind in ("trait", "named"))
        found = {o.what: o.refused or price_text(draft, o.pool, o.price) for o in offers}
        return {name: text for name, text in found.items() if text}
    if key.kind in ("choice", "choices"):
        catalogue = str(key.of[0]) if key.of else id_
        return dict(_of_choices(draft, catalogue))
    if key.kind in ("item", "items") and key.pool is not None:
        gear = draft.rules.gear
        return {
            index.gear.shown[str(i)]: price_text(draft, str(key.pool), item.cost)
            for i, item in gear.items()
            if item.cost is not None
        }
    return {}


def _of_choices(draft: Draft, id_: str) -> Iterator[tuple[str, str]]:
    catalogue = draft.rules.choices[id_]
    for entry in catalogue.entries.values():
        pool, price = entry.pool or catalogue.pool, entry.price or catalogue.price
        if entry.requires is not None and not draft.holds(entry.requires):
            yield str(entry.name), entry.why or "not open to this build"
        elif pool is not None and price is not None:
            yield str(entry.name), price_text(draft, str(pool), draft.eval_int(price))


def rating_prices(draft: Draft, trait: str) -> dict[str, str]:
    """Return what each higher rating of a trait would cost, by the rating as it is written."""
    group = draft.group_rule(trait)
    own, limit = draft.own(trait), limit_of(draft, trait)
    if not draft.is_stated(trait) or group.price is None or group.pool is None:
        die = 3 if draft.rules.pips and draft.in_dice(trait) else 1
        steps = (step for step in range(die, die * (_MOST_STEPS + 1), die))
        within = [step for step in steps if limit is None or step <= limit]
        return dict.fromkeys((_written(draft, trait, step) for step in within), "")
    found, cost = {}, 0
    for step in range(own + 1, min(own + _MOST_STEPS, own if limit is None else limit) + 1):
        cost += draft.price(trait, step)
        found[_written(draft, trait, step)] = price_text(draft, str(group.pool), cost)
    return found


def _written(draft: Draft, trait: str, steps: int) -> str:
    return code_text(steps, pips=draft.rules.pips) if draft.in_dice(trait) else str(steps)


def next_step(draft: Draft, trait: str) -> str:
    """Return what the next step of a trait costs and leaves, or why there is none; or ""."""
    offers = (offer for offer in list_offers(draft, (trait,)) if offer.kind == "trait")
    offer = next(offers, None)
    return "" if offer is None else offer.refused or price_text(draft, offer.pool, offer.price)
