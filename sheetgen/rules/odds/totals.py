"""Exact distributions of totals of dice: integer weights, and a tail that may be infinite.

A die that rolls again has no highest total. Its chances fall by the same factor with each further
roll, so a finite list describes them all: after it the last weights repeat, divided by that factor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, repeat
from math import lcm, prod

from sheetgen.records import frozen


@frozen
class Totals:
    """The distribution of a roll's totals, or of the part of it that meets a condition.

    Attributes:
        first: The lowest listed total.
        weights: The weights of `first`, `first + 1` and so on.
        denominator: The sum of the weights of all possible rolls.
        period: How many of the last weights repeat after the list; 0 if nothing follows.
        ratio: The divisor of the weights at each repetition.
    """

    first: int
    weights: tuple[int, ...]
    denominator: int
    period: int = 0
    ratio: int = 1

    @property
    def end(self) -> int:
        """The first total after the list."""
        return self.first + len(self.weights)

    @property
    def mass(self) -> Fraction:
        """The chance of all totals together: 1 for a whole roll."""
        return Fraction(sum(self.weights), self.denominator) + self._tail(sum(self._repeated()))

    @property
    def moment(self) -> Fraction:
        """The sum of each total times its chance: the mean of a whole roll."""
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
        """Return the chance of `weight` in all repetitions together."""
        return Fraction(weight, (self.ratio - 1) * self.denominator) if self.period else Fraction(0)

    def chance(self, total: int) -> Fraction:
        """Return the chance of exactly `total`."""
        at = total - self.first
        if 0 <= at < len(self.weights):
            return Fraction(self.weights[at], self.denominator)
        if at < 0 or not self.period:
            return Fraction(0)
        times, place = divmod(at - len(self.weights), self.period)
        weight = self.weights[place - self.period]
        return Fraction(weight, self.denominator * self.ratio ** (times + 1))

    def below(self, total: int) -> Fraction:
        """Return the chance of less than `total`."""
        count = max(0, total - self.first)
        listed = Fraction(sum(self.weights[:count]), self.denominator)
        if count <= len(self.weights) or not self.period:
            return listed
        times, place = divmod(count - len(self.weights), self.period)
        base, shrunk = self._repeated(), self.ratio**times
        full = self._tail(sum(base)) * (1 - Fraction(1, shrunk))
        return listed + full + Fraction(sum(base[:place]), self.denominator * shrunk * self.ratio)

    def at_least(self, total: int) -> Fraction:
        """Return the chance of `total` or more."""
        return self.mass - self.below(total)

    def moved(self, by: int) -> Totals:
        """Return the totals with `by` added to each."""
        return replace(self, first=self.first + by)

    def extended(self, end: int) -> Totals:
        """Return the same totals, listed at least up to `end` if they have a tail."""
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
        """Yield each listed total that is possible, with its chance."""
        for at, weight in enumerate(self.weights):
            if weight:
                yield self.first + at, Fraction(weight, self.denominator)


NOTHING = Totals(0, (1,), 1)
"""The total of no dice."""


def times_die(weights: tuple[int, ...], faces: int) -> tuple[int, ...]:
    """Return `weights` after one more die with faces from 1 on; the first total is 1 higher."""
    sums = [*accumulate(weights), *repeat(sum(weights), faces - 1)]
    return (*sums[:faces], *(high - low for high, low in zip(sums[faces:], sums, strict=False)))


def sum_of(dice: Mapping[int, int]) -> Totals:
    """Return the totals of `dice`, their numbers by their faces."""
    weights: tuple[int, ...] = (1,)
    for faces, count in sorted(dice.items()):
        for _ in range(count):
            weights = times_die(weights, faces)
    return Totals(sum(dice.values()), weights, prod(f**n for f, n in dice.items()))


def with_more(totals: Totals, more: Totals) -> Totals:
    """Return `totals` plus those of `more`, which have no tail."""
    return join_parts(
        replace(
            totals.moved(more.first + at),
            weights=tuple(weight * other for other in totals.weights),
            denominator=totals.denominator * more.denominator,
        )
        for at, weight in enumerate(more.weights)
    )


def join_parts(parts: Iterable[Totals]) -> Totals:
    """Return the union of the parts of one roll.

    All parts with a tail have the same period and ratio, as those of one die do.
    """
    parts = tuple(parts)
    end = max(part.end for part in parts)
    endless = [part for part in parts if part.period]
    if endless:  # up to the end of every part, and one period more
        end += endless[0].period
    parts = tuple(part.extended(end) for part in parts)
    first, end = min(part.first for part in parts), max(part.end for part in parts)
    denominator = lcm(*(part.denominator for part in parts))
    weights = [0] * (end - first)
    for part in parts:
        for at, weight in enumerate(part.weights, part.first - first):
            weights[at] += weight * (denominator // part.denominator)
    if not endless:
        return Totals(first, tuple(weights), denominator)
    return Totals(first, tuple(weights), denominator, endless[0].period, endless[0].ratio)


def opposed(one: Totals, other: Totals) -> tuple[Fraction, Fraction, Fraction]:
    """Return the chances that `one` is higher than, equal to and lower than `other`.

    If both have a tail, the chances shrink by one factor from period to period, so that the rest
    is the sum of a geometric series.
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
