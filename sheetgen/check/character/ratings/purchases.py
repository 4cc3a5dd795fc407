"""Purchases of rating steps: what was bought, bought again, sold and lost, and its price.

The step `pay_ratings` adds the ledger lines of stated ratings; `rating_parts` gives the build
what each rating is made of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.ratings.lost_steps import is_sold
from sheetgen.model.build import RatingPart
from sheetgen.model.rulesets.traits import Group

RATING = "rating"
"""Kind of the ledger lines for steps of stated ratings."""


def count_purchases(draft: Draft, trait: str, granted: int) -> Counter[int]:
    """Return how often each step of `trait` was paid for, if the first `granted` are free.

    A step that was sold or lost and bought again counts more than once.
    """
    bought = Counter(step for lost in draft.lost_steps.get(trait, ()) for step in lost.steps)
    bought.update(range(1, draft.own(trait) + 1))
    bought.subtract(range(1, granted + 1))
    return +bought


def count_lost(draft: Draft, trait: str, sold: bool) -> Counter[int]:
    """Return how often each step of `trait` was sold, or else lost."""
    several = (one for one in draft.lost_steps.get(trait, ()) if is_sold(draft, one) is sold)
    return Counter(step for one in several for step in one.steps)


def refund_of_steps(draft: Draft, trait: str, steps: Iterable[int]) -> int:
    """Return the points that selling `steps` of `trait` brings: their price, if no key sets it."""
    granted, total = draft.granted(trait), 0
    sold = (g for g in draft.lost_steps.get(trait, ()) if is_sold(draft, g))
    rule = next((draft.rules.character[g.key].price for g in sold), None)
    for n in steps:
        paid = draft.price(trait, n)
        if rule is not None:
            total += draft.eval_int(rule, n=n, free=granted, paid=paid)
        elif n > granted:
            total += paid
    return total


def price_of_steps(draft: Draft, trait: str, steps: Iterable[int]) -> int:
    """Return the price of `steps` of `trait`."""
    return sum(draft.price(trait, n) for n in steps)


def pay_ratings(draft: Draft) -> None:
    """Pay for the steps of stated ratings that were not granted; credit the steps sold."""
    paid = [
        (str(group.pool), trait)
        for id_, group in draft.rules.groups.items()
        if _is_bought(group)
        for trait in draft.traits_of(str(id_))
    ]
    for pool, trait in paid:
        _pay(draft, pool, trait)
    for pool, trait in paid:
        for lost in draft.lost_steps.get(trait, ()):
            sold = is_sold(draft, lost)
            what = f"{draft.name_of(trait)} {format_steps(lost.steps)} {'sold' if sold else 'lost'}"
            draft.spend(pool, what, -refund_of_steps(draft, trait, lost.steps) if sold else 0)


def _is_bought(group: Group) -> bool:
    return group.stated and group.price is not None and group.pool is not None


def _pay(draft: Draft, pool: str, trait: str) -> None:
    name, granted = draft.name_of(trait), draft.granted(trait)
    bought = count_purchases(draft, trait, granted)
    first = range(granted + 1, draft.reached(trait) + 1)
    if first:
        draft.spend(
            pool, f"{name} {format_steps(first)}", price_of_steps(draft, trait, first), kind=RATING
        )
    bought.subtract(first)
    again = sorted((+bought).elements())
    if again:
        what = f"{name} {format_steps(again)} again"
        draft.spend(pool, what, price_of_steps(draft, trait, again), kind=RATING)


def format_steps(steps: Iterable[int]) -> str:
    """Return numbers of steps as `3`, `2–4`, or `4, 4`."""
    listed = sorted(steps)
    if len(listed) > 1 and listed == list(range(listed[0], listed[-1] + 1)):
        return f"{listed[0]}–{listed[-1]}"
    return ", ".join(map(str, listed))


def rating_parts(draft: Draft, trait: str) -> tuple[RatingPart, ...]:
    """Return the parts of the rating of `trait`: granted, bought, sold and lost steps."""
    parts = tuple(draft.parts.get(trait, ()))
    if not _is_bought(draft.group_rule(trait)):
        return parts
    bought = sum(count_purchases(draft, trait, draft.granted(trait)).values())
    lost = [
        RatingPart(-len(one.steps), "sold" if is_sold(draft, one) else "lost", "gone", one.span)
        for one in draft.lost_steps.get(trait, ())
    ]
    return (*parts, *([RatingPart(bought, "bought", "bought")] if bought else ()), *lost)
