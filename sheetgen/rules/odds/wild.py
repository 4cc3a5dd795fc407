"""A roll with one die that is told from the others, taken apart by that die's first face."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, repeat
from typing import Final

from sheetgen.rules.odds.totals import NOTHING, Totals, sum_of

ADD: Final = "add"
COMPLICATION: Final = "complication"
SUBTRACT: Final = "subtract"
MODES: Final = (ADD, COMPLICATION, SUBTRACT)
"""What a 1 may do: it counts; it counts and is told of; it goes, and with it the highest other."""


def by_first_face(
    dice: Mapping[int, int], faces: int, *, again: bool, one: str
) -> dict[int, Totals]:
    """Return the totals of a roll, in parts by what the wild die shows first.

    Args:
        dice: How many dice there are, by their faces; one with `faces` is the wild one.
        faces: Of the wild die.
        again: Whether its highest face adds and rolls again, as often as it comes.
        one: One of `MODES`.
    """
    others = {f: n - (f == faces) for f, n in dice.items()}
    rest = sum_of(others)
    parts = {face: _plus(rest, face, faces) for face in range(1, faces + 1)}
    if one == SUBTRACT:
        kept = without_highest(others)
        parts[1] = Totals(kept.first, kept.weights, kept.denominator * faces)
    if again and faces > 1:
        parts[faces] = _again(rest, faces)
    return parts


def _plus(rest: Totals, face: int, faces: int) -> Totals:
    return Totals(rest.first + face, rest.weights, rest.denominator * faces)


def _again(rest: Totals, faces: int) -> Totals:
    """Return the totals where the wild die shows its highest face first, and rolls again.

    It ends on a face below the highest, after one highest face or more: `faces * k + face`.
    So long as all that `rest` may bring is added to totals that are that far apart, each
    total is `faces` times as likely as the one that is `faces` higher.
    """
    spread = len(rest.weights)
    periods = -(-(spread - 1) // faces) + 1
    wild = [
        0 if face == faces - 1 else faces ** (periods - 1 - period)
        for period in range(periods)
        for face in range(faces)
    ]
    weights = [0] * len(wild)
    for at, weight in enumerate(rest.weights):
        for place in range(len(wild) - at):
            weights[at + place] += weight * wild[place]
    whole = rest.denominator * faces ** (periods + 1)
    return Totals(rest.first + faces + 1, tuple(weights), whole, faces, faces)


def without_highest(dice: Mapping[int, int]) -> Totals:
    """Return the totals of `dice` when the highest of them is taken away.

    Rolls whose highest face is `top` are those of dice cut down to `top` faces, less those of
    dice cut down to `top - 1`.
    """
    rolled = sorted(faces for faces, count in dice.items() for _ in range(count))
    if len(rolled) < 2:
        return NOTHING
    size = sum(rolled) - len(rolled) + 1
    found, below = [0] * size, [0] * size
    small = [1]  # totals of the dice that have fewer faces than `top`
    for top in range(1, rolled[-1] + 1):
        while rolled[0] < top:
            small = _with_die(small, rolled.pop(0))
        upto = small
        for _ in rolled:
            upto = _with_die(upto, top)
        for at, weight in enumerate(upto):
            if weight != below[at]:
                found[at - top + 1] += weight - below[at]
        below[: len(upto)] = upto
    count = sum(dice.values())
    while not found[-1]:
        found.pop()
    return Totals(count - 1, tuple(found), sum(found))


def _with_die(weights: list[int], faces: int) -> list[int]:
    """Return the weights of totals, counted from the least, with one more die."""
    sums = [*accumulate(weights), *repeat(sum(weights), faces - 1)]
    return [*sums[:faces], *(high - low for high, low in zip(sums[faces:], sums, strict=False))]
