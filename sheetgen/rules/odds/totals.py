"""Totals of dice, exactly: whole weights, and a tail that may go on without end.

A die that rolls again has no highest total. Its chances fall by the same factor at each
further roll, so a finite list says them all: behind it the last ones repeat, ever smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod


@dataclass(frozen=True, slots=True)
class Totals:
    """How likely each total is; all of a roll, or the part of it where something holds.

    Attributes:
        first: The least total that is listed.
        weights: Of `first`, `first + 1` and so on.
        whole: The weight of everything that may happen.
        period: How many of the last weights repeat behind the list; 0 where nothing follows.
        ratio: By what they are divided, each time that they repeat.
    """

    first: int
    weights: tuple[int, ...]
    denominator: int
    period: int = 0
    ratio: int = 1

    @property
    def end(self) -> int:
        """The first total that is not listed."""
        return self.first + len(self.weights)

    @property
    def mass(self) -> Fraction:
        """The chance of all totals together: 1 for a whole roll."""
        return Fraction(sum(self.weights), self.denominator) + self._tail(sum(self._repeated()))

    @property
    def moment(self) -> Fraction:
        """The sum of all totals, each times its chance; of a whole roll the mean."""
        listed = sum(self.first * w + at * w for at, w in enumerate(self.weights))
        if not self.period:
            return Fraction(listed, self.denominator)
        start = self.end - self.period
        base = self._repeated()
        # The sum over k of (total + k * period) / ratio ** k, for each total that repeats.
        again = self._tail(sum((start + at) * w for at, w in enumerate(base)))
        steps = Fraction(
            self.period * sum(base) * self.ratio, (self.ratio - 1) ** 2 * self.denominator
        )
        return Fraction(listed, self.denominator) + again + steps

    def _repeated(self) -> tuple[int, ...]:
        return self.weights[len(self.weights) - self.period :] if self.period else ()

    def _tail(self, weight: int) -> Fraction:
        """Return `weight` repeated without end: divided once, twice, and so on."""
        return Fraction(weight, (self.ratio - 1) * self.denominator) if self.period else Fraction(0)

    def chance(self, total: int) -> Fraction:
        """Return how likely exactly `total` is."""
        at = total - self.first
        if 0 <= at < len(self.weights):
            return Fraction(self.weights[at], self.denominator)
        if at < 0 or not self.period:
            return Fraction(0)
        times, place = divmod(at - len(self.weights), self.period)
        weight = self.weights[place - self.period]
        return Fraction(weight, self.denominator * self.ratio ** (times + 1))

    def below(self, total: int) -> Fraction:
        """Return how likely less than `total` is."""
        count = max(0, total - self.first)
        listed = Fraction(sum(self.weights[:count]), self.denominator)
        if count <= len(self.weights) or not self.period:
            return listed
        times, place = divmod(count - len(self.weights), self.period)
        base, shrunk = self._repeated(), self.ratio**times
        full = self._tail(sum(base)) * (1 - Fraction(1, shrunk))
        return listed + full + Fraction(sum(base[:place]), self.denominator * shrunk * self.ratio)

    def at_least(self, total: int) -> Fraction:
        """Return how likely `total` or more is."""
        return self.mass - self.below(total)

    def moved(self, by: int) -> Totals:
        """Return the totals with `by` added to each."""
        return replace(self, first=self.first + by)

    def extended(self, end: int) -> Totals:
        """Return the same totals, listed up to `end` at least, if they go so far."""
        if not self.period or end <= self.end:
            return self
        times = -(-(end - self.end) // self.period)
        weights = [w * self.ratio**times for w in self.weights]
        for left in range(times - 1, -1, -1):
            weights += [w * self.ratio**left for w in self._repeated()]
        return replace(
            self, weights=tuple(weights), denominator=self.denominator * self.ratio**times
        )

    def listed(self) -> Iterator[tuple[int, Fraction]]:
        """Yield each total that may come, with its chance; a tail without end as it is listed."""
        for at, weight in enumerate(self.weights):
            if weight:
                yield self.first + at, Fraction(weight, self.denominator)


NOTHING = Totals(0, (1,), 1)
"""The total of no dice."""


def times_die(weights: tuple[int, ...], faces: int) -> tuple[int, ...]:
    """Return `weights` after one more die with faces from 1 on; the first total is 1 higher.

    A sliding sum: what each total had before is added to the next `faces` totals.
    """
    made, window = [], 0
    for at in range(len(weights) + faces - 1):
        window += weights[at] if at < len(weights) else 0
        window -= weights[at - faces] if at >= faces else 0
        made.append(window)
    return tuple(made)


def sum_of(dice: Mapping[int, int]) -> Totals:
    """Return the totals of `dice`: how many there are, by their faces."""
    weights: tuple[int, ...] = (1,)
    for faces, count in sorted(dice.items()):
        for _ in range(count):
            weights = times_die(weights, faces)
    return Totals(sum(dice.values()), weights, prod(f**n for f, n in dice.items()))


def with_more(totals: Totals, more: Totals) -> Totals:
    """Return `totals` with those of `more`, which end, added to them."""
    return join_parts(
        replace(
            totals.moved(more.first + at),
            weights=tuple(weight * other for other in totals.weights),
            denominator=totals.denominator * more.denominator,
        )
        for at, weight in enumerate(more.weights)
    )


def join_parts(parts: Iterable[Totals]) -> Totals:
    """Return the parts of one roll, laid together.

    Parts with a tail have all the same period and ratio, as those of one die do.
    """
    parts = tuple(parts)
    end = max(part.end for part in parts)
    endless = [part for part in parts if part.period]
    if endless:  # list as far as any part goes, and as the repeated totals reach beyond it
        end += endless[0].period
    parts = tuple(part.extended(end) for part in parts)
    first, end = min(part.first for part in parts), max(part.end for part in parts)
    whole = lcm(*(part.denominator for part in parts))
    weights = [0] * (end - first)
    for part in parts:
        for at, weight in enumerate(part.weights, part.first - first):
            weights[at] += weight * (whole // part.denominator)
    if not endless:
        return Totals(first, tuple(weights), whole)
    return Totals(first, tuple(weights), whole, endless[0].period, endless[0].ratio)


def opposed(one: Totals, other: Totals) -> tuple[Fraction, Fraction, Fraction]:
    """Return how likely `one` is higher, as high, and lower than `other`.

    Where both go on without end, all that is compared shrinks by one factor from one
    period to the next, so that the rest is the sum of a geometric series.
    """
    above, higher, same = one.mass, Fraction(0), Fraction(0)

    def compare(totals: range) -> tuple[Fraction, Fraction]:
        nonlocal above
        more = equal = Fraction(0)
        for total in totals:
            mine, theirs = one.chance(total), other.chance(total)
            above -= mine
            more += theirs * above
            equal += theirs * mine
        return more, equal

    end = max(one.end, other.end)
    higher, same = compare(range(min(one.first, other.first), end))
    if one.period and other.period:
        step = lcm(one.period, other.period)
        shrunk = one.ratio ** (step // one.period) * other.ratio ** (step // other.period)
        more, equal = compare(range(end, end + step))
        higher += more * Fraction(shrunk, shrunk - 1)
        same += equal * Fraction(shrunk, shrunk - 1)
    return higher, same, one.mass * other.mass - higher - same
