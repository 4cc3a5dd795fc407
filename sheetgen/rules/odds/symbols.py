"""Pools of dice with symbols: the exact chance of each combination of counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod

from sheetgen.model.rulesets.odds import Count, RollRules, SymbolDie
from sheetgen.records import frozen

BLANK = "blank"
"""The name of an empty face."""

Tally = tuple[int, ...]
"""A number for each count of a roll, in the ruleset's order."""


@frozen
class Tallies:
    """The distribution of combinations of counts.

    Attributes:
        counts: The ids of the counts.
        weights: The weight of each combination, out of `denominator`.
    """

    counts: tuple[str, ...]
    weights: Mapping[Tally, int]
    denominator: int

    def of(self, count: str) -> dict[int, Fraction]:
        """Return the chance of each number of `count`, in ascending order."""
        at, found = self.counts.index(count), defaultdict[int, int](int)
        for tally, weight in self.weights.items():
            found[tally[at]] += weight
        return {number: Fraction(found[number], self.denominator) for number in sorted(found)}


def symbols_on(face: str) -> list[str]:
    """Return the symbols of a face in the order of its text; none for a blank one."""
    return [word for word in face.split() if word != BLANK]


def throw_pool(roll: RollRules, pool: Mapping[str, int]) -> Tallies:
    """Return the distribution of combinations of counts when `pool` is thrown.

    Args:
        pool: The number of dice of each kind, by id.
    """
    counts = tuple(roll.counts.values())
    # All counts are packed into one integer with room for their maximum, so that one addition
    # adds them all. That takes a third of the time of tuples.
    room = [2 * reach + 1 for reach in _reach(roll, counts, pool)]
    places = [prod(room[:at]) for at in range(len(room))]
    packed: dict[int, int] = {0: 1}
    for id_, number in pool.items():
        faces = _packed(roll.dice[id_], counts, places)
        for _ in range(number):
            packed = _with(packed, faces)
    middle = sum(size // 2 * place for size, place in zip(room, places, strict=True))
    weights = {}
    for number, weight in packed.items():
        number += middle
        tally = tuple(
            number // place % size - size // 2 for size, place in zip(room, places, strict=True)
        )
        weights[tally] = weight
    denominator = prod(sum(roll.dice[id_].faces.values()) ** n for id_, n in pool.items())
    return Tallies(tuple(str(id_) for id_ in roll.counts), weights, denominator)


def tally_of(face: str, counts: Sequence[Count]) -> Tally:
    """Return the numbers that a face adds to `counts`."""
    shown = symbols_on(face)
    return tuple(
        sum(s in count.adds for s in shown) - sum(s in count.less for s in shown)
        for count in counts
    )


def _packed(die: SymbolDie, counts: Sequence[Count], places: Sequence[int]) -> dict[int, int]:
    faces: dict[int, int] = defaultdict(int)
    for face, number in die.faces.items():
        tally = tally_of(face, counts)
        faces[sum(n * place for n, place in zip(tally, places, strict=True))] += number
    return faces


def _with(weights: Mapping[int, int], faces: Mapping[int, int]) -> dict[int, int]:
    found: dict[int, int] = defaultdict(int)
    for number, weight in weights.items():
        for face, times in faces.items():
            found[number + face] += weight * times
    return found


def _reach(roll: RollRules, counts: Sequence[Count], pool: Mapping[str, int]) -> list[int]:
    """Return the maximum distance of each count from zero."""
    reach = [0] * len(counts)
    for id_, number in pool.items():
        tallies = [tally_of(face, counts) for face in roll.dice[id_].faces]
        for at in range(len(counts)):
            reach[at] += number * max(abs(tally[at]) for tally in tallies)
    return reach
