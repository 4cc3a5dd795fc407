"""Dice that are bought and upgraded: the cheapest way to some dice, and its steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Price = Callable[[int, int], int]
"""`price(count, faces)`: of a die or a rung, with `count` dice in hand."""


@dataclass(frozen=True, slots=True)
class Step:
    """One purchase: a new die (`before` is 0) or a rung of the ladder."""

    before: int
    after: int
    count: int
    price: int


def cheapest(
    dice: Sequence[int],
    granted: Sequence[int],
    ladder: Sequence[int],
    buy: Price,
    upgrade: Price,
) -> tuple[Step, ...]:
    """Return the purchases that lead from `granted` dice to `dice` for the least.

    A die can climb only while it is owned, so the die that is owned first can choose
    among most counts for each of its rungs: no later one can climb for less. The
    largest dice are therefore the first ones. For each rung the cheapest count is
    taken (counts may only grow along one die's climb). Whatever the two formulas say,
    this is the least; with a price that grows with the count it means what players
    know: finish one die before you buy the next.

    Args:
        dice: Faces of the dice wanted; every one a rung of `ladder`.
        granted: Faces of the dice that were free; not more than `dice`, and each can
            become one of them.
    """
    wanted = sorted(dice, reverse=True)
    start = sorted(granted, reverse=True) + [0] * (len(wanted) - len(granted))
    first = len(granted)
    steps: list[tuple[int, int, Step]] = []
    for place, (have, want) in enumerate(zip(start, wanted, strict=True)):
        owned = max(place + 1, first)
        rungs = ladder[: ladder.index(want) + 1]
        if have == 0:
            price = buy(owned, ladder[0])
            steps.append((owned, -1, Step(0, ladder[0], owned, price)))
        climbs = [r for r in rungs if r > max(have, ladder[0])]
        before = max(have, ladder[0])
        for faces, count in zip(climbs, _counts(climbs, owned, len(wanted), upgrade), strict=True):
            step = Step(before, faces, count, upgrade(count, faces))
            steps.append((count, place, step))
            before = faces
    return tuple(step for _, _, step in sorted(steps, key=lambda s: s[:2]))


def _counts(climbs: Sequence[int], owned: int, most: int, upgrade: Price) -> tuple[int, ...]:
    """Return the counts at which to climb, never falling, for the least in all."""
    best: dict[int, tuple[int, tuple[int, ...]]] = dict.fromkeys(range(owned, most + 1), (0, ()))
    for faces in reversed(climbs):
        least: tuple[int, tuple[int, ...]] | None = None
        for lowest in range(most, owned - 1, -1):  # what may be had at `lowest` dice or more
            rest, counts = best[lowest]
            here = (upgrade(lowest, faces) + rest, (lowest, *counts))
            least = here if least is None else min(least, here)
            best[lowest] = least
    return best[owned][1]
