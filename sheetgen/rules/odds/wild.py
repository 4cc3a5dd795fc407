"""Rolls with a wild die, split by the first face of that die."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sheetgen.rules.odds.totals import NOTHING, Totals, sum_of, times_die

ADD: Final = "add"
COMPLICATION: Final = "complication"
SUBTRACT: Final = "subtract"
MODES: Final = (ADD, COMPLICATION, SUBTRACT)
"""The effects of a 1: it counts, it counts and is reported, or it cancels the highest other die."""


def by_first_face(
    dice: Mapping[int, int], faces: int, *, again: bool, one: str
) -> dict[int, Totals]:
    """Return the totals of a roll, in parts by the first face of the wild die.

    Args:
        dice: The numbers of dice by their faces; one of those with `faces` is the wild die.
        faces: The faces of the wild die.
        again: Whether its highest face adds and rolls again, without limit.
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
    """Return the totals of rolls in which the wild die shows its highest face and rolls again.

    The wild die ends on a lower face after one or more highest faces: `faces * k + face`. Once
    every total of `rest` contributes, each total is `faces` times as likely as the one that is
    `faces` higher.
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
    denominator = rest.denominator * faces ** (periods + 1)
    return Totals(rest.first + faces + 1, tuple(weights), denominator, faces, faces)


def without_highest(dice: Mapping[int, int]) -> Totals:
    """Return the totals of `dice` without the highest die.

    The rolls with the highest face `top` are those of dice limited to `top` faces, minus those of
    dice limited to `top - 1`.
    """
    rolled = sorted(faces for faces, count in dice.items() for _ in range(count))
    if len(rolled) < 2:
        return NOTHING
    size = sum(rolled) - len(rolled) + 1
    found, below = [0] * size, [0] * size
    small: tuple[int, ...] = (1,)  # the totals of the dice with fewer faces than `top`
    for top in range(1, rolled[-1] + 1):
        while rolled[0] < top:
            small = times_die(small, rolled.pop(0))
        upto = small
        for _ in rolled:
            upto = times_die(upto, top)
        for at, weight in enumerate(upto):
            if weight != below[at]:
                found[at - top + 1] += weight - below[at]
        below[: len(upto)] = upto
    count = sum(dice.values())
    while not found[-1]:
        found.pop()
    return Totals(count - 1, tuple(found), sum(found))
