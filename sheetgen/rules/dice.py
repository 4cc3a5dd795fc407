"""Dice that are bought and upgraded: the cheapest sequence of purchases."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sheetgen.records import frozen

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
    """Return the purchases that lead from `granted` dice to `dice` for the least.

    Only an owned die can be upgraded, so the die that is bought first has the widest choice of
    counts for each of its rungs, and no later one can be upgraded for less. The largest dice are
    therefore bought first. For each rung the cheapest count is chosen, where counts never fall
    along the rungs of one die. The result is minimal for any two formulas. If prices grow with
    the count, it is the order that players know: finish one die before you buy the next.

    Args:
        dice: Faces of the dice to reach; each is a rung of `ladder`.
        granted: Faces of the free dice; not more than `dice`, and each can become one of them.
    """
    goal = sorted(dice, reverse=True)
    start = sorted(granted, reverse=True) + [0] * (len(goal) - len(granted))
    first = len(granted)
    steps: list[tuple[int, int, Step]] = []
    for place, (have, want) in enumerate(zip(start, goal, strict=True)):
        owned = max(place + 1, first)
        rungs = ladder[: ladder.index(want) + 1]
        if have == 0:
            price = buy(owned, ladder[0])
            steps.append((owned, -1, Step(0, ladder[0], owned, price)))
        climbs = [r for r in rungs if r > max(have, ladder[0])]
        before = max(have, ladder[0])
        for faces, count in zip(climbs, _counts(climbs, owned, len(goal), upgrade), strict=True):
            step = Step(before, faces, count, upgrade(count, faces))
            steps.append((count, place, step))
            before = faces
    return tuple(step for _, _, step in sorted(steps, key=lambda s: s[:2]))


def _counts(climbs: Sequence[int], owned: int, most: int, upgrade: Price) -> tuple[int, ...]:
    """Return the counts at which to take each rung, never falling, for the lowest total."""
    best: dict[int, tuple[int, tuple[int, ...]]] = dict.fromkeys(range(owned, most + 1), (0, ()))
    for faces in reversed(climbs):
        least: tuple[int, tuple[int, ...]] | None = None
        for lowest in range(most, owned - 1, -1):  # the best at `lowest` dice or more
            rest, counts = best[lowest]
            here = (upgrade(lowest, faces) + rest, (lowest, *counts))
            least = here if least is None else min(least, here)
            best[lowest] = least
    return best[owned][1]
