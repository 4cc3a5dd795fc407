"""Steps of ratings in the ledger: what was bought, bought again, sold, and lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sheetgen.check.character.draft.draft import Draft, Gone
from sheetgen.check.character.ratings.lost_steps import SOLD
from sheetgen.model.build import RatingPart
from sheetgen.model.rulesets.traits import Group

RATING = "rating"
"""Kind of the lines for steps that stand, or stood."""


def purchases(draft: Draft, trait: str, granted: int) -> Counter[int]:
    """Return how often each step of `trait` was paid for, if `granted` were free.

    A step that went and stands again, or went again, was bought more than once.
    """
    bought = Counter(dot for gone in draft.gone.get(trait, ()) for dot in gone.dots)
    bought.update(range(1, draft.own(trait) + 1))
    bought.subtract(range(1, granted + 1))
    return +bought


def went(draft: Draft, trait: str, sold: bool) -> Counter[int]:
    """Return how often each step of `trait` was sold, or else lost."""
    several = draft.gone.get(trait, ())
    return Counter(dot for g in several if is_sold(draft, g) is sold for dot in g.dots)


def is_sold(draft: Draft, gone: Gone) -> bool:
    """Whether steps were sold, and not lost in play."""
    return draft.rules.character[gone.key].kind == SOLD


def refund(draft: Draft, trait: str, dots: Iterable[int]) -> int:
    """Return what selling `dots` of `trait` brings, by the key that says so."""
    granted, total = draft.granted(trait), 0
    sold = (g for g in draft.gone.get(trait, ()) if is_sold(draft, g))
    rule = next((draft.rules.character[g.key].price for g in sold), None)
    for n in dots:
        paid = draft.price(trait, n)
        if rule is not None:
            total += draft.whole(rule, n=n, free=granted, paid=paid)
        elif n > granted:
            total += paid
    return total


def cost(draft: Draft, trait: str, dots: Iterable[int]) -> int:
    """Return the price of `dots` of `trait`."""
    return sum(draft.price(trait, n) for n in dots)


def pay_ratings(draft: Draft) -> None:
    """Pay for the steps of stated ratings that were not granted; credit what was sold."""
    paid = [
        (str(group.pool), trait)
        for id_, group in draft.rules.groups.items()
        if _is_bought(group)
        for trait in draft.traits_of(str(id_))
    ]
    for pool, trait in paid:
        _pay(draft, pool, trait)
    for pool, trait in paid:
        for gone in draft.gone.get(trait, ()):
            sold = is_sold(draft, gone)
            what = f"{draft.name_of(trait)} {spanned(gone.dots)} {'sold' if sold else 'lost'}"
            draft.spend(pool, what, -refund(draft, trait, gone.dots) if sold else 0)


def _is_bought(group: Group) -> bool:
    return group.stated and group.price is not None and group.pool is not None


def _pay(draft: Draft, pool: str, trait: str) -> None:
    name, granted = draft.name_of(trait), draft.granted(trait)
    bought = purchases(draft, trait, granted)
    first = range(granted + 1, draft.reached(trait) + 1)
    if first:
        draft.spend(pool, f"{name} {spanned(first)}", cost(draft, trait, first), kind=RATING)
    bought.subtract(first)
    again = sorted((+bought).elements())
    if again:
        what = f"{name} {spanned(again)} again"
        draft.spend(pool, what, cost(draft, trait, again), kind=RATING)


def spanned(dots: Iterable[int]) -> str:
    """Return numbers of steps as a reader writes them: `3`, `2–4`, or `4, 4`."""
    listed = sorted(dots)
    if len(listed) > 1 and listed == list(range(listed[0], listed[-1] + 1)):
        return f"{listed[0]}–{listed[-1]}"
    return ", ".join(map(str, listed))


def rating_parts(draft: Draft, trait: str) -> tuple[RatingPart, ...]:
    """Return what the rating of `trait` is made of: granted, bought, sold and lost."""
    group = draft.rules.groups[draft.group_of(trait) or ""]
    parts = tuple(draft.parts.get(trait, ()))
    if not _is_bought(group):
        return parts
    bought = sum(purchases(draft, trait, draft.granted(trait)).values())
    gone = [
        RatingPart(-len(g.dots), "sold" if is_sold(draft, g) else "lost", "gone", g.span)
        for g in draft.gone.get(trait, ())
    ]
    return (*parts, *([RatingPart(bought, "bought", "bought")] if bought else ()), *gone)
