"""Exact distributions of totals of dice: integer weights, and a tail that may be infinite.

A die that rolls again has no highest total. Most questions about such a roll need the totals below
some number, which are listed when they are needed. A mean, and who wins where neither side ends,
need all of them: from some total on, their weights are sums of geometric sequences, so that a few
more describe the rest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field, replace
from fractions import Fraction
from functools import reduce
from itertools import accumulate, product, repeat
from math import comb, lcm, prod
from operator import or_
from typing import Final

from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import FormulaError

MOST_WORK: Final = 3 * 10**9  # the most work for what is computed together, in about a nanosecond
AHEAD: Final = 30  # how many totals are listed together: further ones may be asked for next
_work: ContextVar[list[int] | None] = ContextVar("_work", default=None)


@contextmanager
def bounded_work(most: int = MOST_WORK) -> Iterator[None]:
    """Bound what is computed inside; what is nested spends of the bounds around it, too."""
    outer = _work.get()
    start = most if outer is None else min(most, outer[0])
    left = [start]
    token = _work.set(left)
    try:
        yield
    finally:
        _work.reset(token)
        if outer is not None:
            outer[0] -= start - left[0]


def spend(work: int) -> None:
    """Count some work; raises FormulaError: it is more than is left."""
    left = _work.get() or [MOST_WORK]
    if work > left[0]:
        message = "these dice take too long to compute: take fewer dice, fewer faces, or let them "
        raise FormulaError(f"{message}explode a few times only, `explode(…, 3)`")
    left[0] -= work


@frozen
class Tail:
    """How endless totals go on."""

    # from `regular` on, the weights of every `period`-th total are a sum of geometric
    # sequences with these ratios; one that is named several times has a polynomial as its
    # factor
    period: int
    roots: tuple[Fraction, ...]
    regular: int
    share: Fraction = Fraction(1)  # the chance of all totals together
    # returns the totals below a number
    list_below: Callable[[int], Totals] = field(compare=False, default=lambda _: NOTHING)

    def roots_of(self, period: int) -> tuple[Fraction, ...]:
        """Return the roots for a multiple of the period."""
        return tuple(root ** (period // self.period) for root in self.roots)


@frozen
class Totals:
    """The distribution of a roll's totals, or of the part of it that meets a condition."""

    first: int  # the lowest total
    # the weights of `first`, `first + 1` and so on; none of endless totals
    weights: tuple[int, ...]
    denominator: int  # the sum of the weights of all possible rolls
    tail: Tail | None = None  # present if there is no highest total

    @property
    def end(self) -> int:
        """The first total after the list."""
        return self.first + len(self.weights)

    @property
    def mass(self) -> Fraction:
        """The chance of all totals together: 1 for a whole roll."""
        return self.tail.share if self.tail else Fraction(sum(self.weights), self.denominator)

    @property
    def moment(self) -> Fraction:
        """The sum of each total times its chance: the mean of a whole roll."""
        tail = self.tail
        if tail is None:
            listed = sum(total * weight for total, weight in enumerate(self.weights, self.first))
            return Fraction(listed, self.denominator)
        roots = tail.roots * 2
        found = self.listed_below(tail.regular + tail.period * len(roots))
        values = [total * weight for total, weight in enumerate(found.weights, found.first)]
        return _series(values, tail.regular - found.first, tail.period, roots) / found.denominator

    def listed_below(self, end: int) -> Totals:
        """Return the totals as a list, for endless ones at least those below `end`."""
        return self.tail.list_below(end) if self.tail else self

    def chance(self, total: int) -> Fraction:
        """Return the chance of exactly `total`."""
        found = self.listed_below(total + 1)
        at = total - found.first
        return Fraction(found.weights[at] if 0 <= at < len(found.weights) else 0, found.denominator)

    def below(self, total: int) -> Fraction:
        """Return the chance of less than `total`."""
        found = self.listed_below(total)
        return Fraction(sum(found.weights[: max(0, total - found.first)]), found.denominator)

    def at_least(self, total: int) -> Fraction:
        """Return the chance of `total` or more."""
        return self.mass - self.below(total)

    @property
    def regular(self) -> int:
        """The total from which on the tail describes the weights, or all are 0."""
        return self.tail.regular if self.tail else self.end

    def moved(self, by: int) -> Totals:
        """Return the totals with `by` added to each."""
        if (tail := self.tail) is None:
            return replace(self, first=self.first + by)
        moved = replace(tail, regular=tail.regular + by)
        return endless_totals(
            self.first + by, moved, lambda end: tail.list_below(end - by).moved(by)
        )

    def part(self, share: Fraction) -> Totals:
        """Return a part of the totals, with this share of each chance."""
        if (tail := self.tail) is not None:
            less = replace(tail, share=tail.share * share)
            return endless_totals(self.first, less, lambda end: tail.list_below(end).part(share))
        weights = tuple(weight * share.numerator for weight in self.weights)
        return Totals(self.first, weights, self.denominator * share.denominator)

    def listed(self) -> Iterator[tuple[int, Fraction]]:
        """Yield each listed total that is possible, with its chance."""
        for at, weight in enumerate(self.weights):
            if weight:
                yield self.first + at, Fraction(weight, self.denominator)


def _series(
    values: Sequence[int], regular: int, period: int, roots: Sequence[Fraction]
) -> Fraction:
    """Return the sum of an endless sequence that is geometric from `regular` on.

    The sums of its periods are the coefficients of a fraction of polynomials, with the product of
    all 1 − root · z as its denominator; the sequence's sum is that fraction at z = 1.
    """
    below, zero = [Fraction(1)], Fraction(0)
    for root in roots:
        below = [a - root * b for a, b in zip((*below, zero), (zero, *below), strict=True)]
    sums = [*accumulate(below)]
    periods = range(regular, regular + period * len(roots), period)
    blocks = (sum(values[start : start + period]) for start in periods)
    tail = sum((n * s for n, s in zip(blocks, reversed(sums[:-1]), strict=True)), Fraction(0))
    return sum(values[:regular]) + tail / sums[-1]


NOTHING: Final[Totals] = Totals(0, (1,), 1)  # the total of no dice


def endless_totals(first: int, tail: Tail, make: Callable[[int], Totals]) -> Totals:
    """Return totals without end, of which `make` lists those below a number."""
    held: list[Totals] = []

    def list_below(end: int) -> Totals:
        if not held or held[0].end < end:
            end += -end % AHEAD
            made = make(end)
            size = max(0, end - made.first)
            weights = (*made.weights[:size], *[0] * (size - len(made.weights)))
            spend(sum(map(int.bit_length, weights)) // 4)
            held[:] = [replace(made, weights=weights)]
        return held[0]

    return Totals(first, (), 1, replace(tail, list_below=list_below))


def totals_by_chance(chances: Mapping[int, Fraction]) -> Totals:
    """Return the totals that have these chances."""
    first, end = min(chances), max(chances) + 1
    whole = lcm(*(chance.denominator for chance in chances.values()))
    weights = (chances.get(n, Fraction(0)) * whole for n in range(first, end))
    return Totals(first, tuple(weight.numerator for weight in weights), whole)


def sum_of(dice: Mapping[int, int]) -> Totals:
    """Return the totals of `dice`, their numbers by their faces."""
    return add_up([(Totals(1, (1,) * faces, faces), count) for faces, count in dice.items()])


def add_up(parts: Iterable[tuple[Totals, int]]) -> Totals:
    """Return the sum of totals, each so many times; below 0, which endless ones refuse, less."""
    there = [(totals, count) for totals, count in parts if count]
    if any(totals.tail and count < 0 for totals, count in there):
        raise FormulaError("what explodes cannot be taken off: let it oppose the roll, after `vs`")
    ends = [(totals.tail, count) for totals, count in there if totals.tail]
    if not ends:
        mirrored = [replace(t, first=1 - t.end, weights=t.weights[::-1]) for t, _ in there]
        both = zip(there, mirrored, strict=True)
        return _added([(t if n > 0 else other, abs(n)) for (t, n), other in both])
    first = sum((t.first if n > 0 else 1 - t.end) * abs(n) for t, n in there)

    def make(end: int) -> Totals:
        return add_up([(t.listed_below(t.first + end - first), n) for t, n in there])

    period = lcm(*(tail.period for tail, _ in ends))
    roots = [root for tail, count in ends for root in tail.roots_of(period) * count]
    regular = sum(t.regular * n if n > 0 else (1 - t.first) * -n for t, n in there)
    share = prod((t.mass ** abs(n) for t, n in there), start=Fraction(1))
    return endless_totals(first, Tail(period, tuple(roots), regular, share), make)


def _unpacked(number: int, size: int) -> tuple[int, ...]:
    data = number.to_bytes(max(1, -(-number.bit_length() // (8 * size))) * size, "little")
    return tuple(int.from_bytes(data[at : at + size], "little") for at in range(0, len(data), size))


def _added(parts: Sequence[tuple[Totals, int]]) -> Totals:
    denominator = prod(totals.denominator**count for totals, count in parts)
    size = denominator.bit_length() // 8 + 1
    number = 1
    for totals, count in parts:
        whole = size * 8 * len(totals.weights) * count
        spend(int(10 * (whole / 30) ** 1.6))
        # As digits of one number, weights have the products of polynomials.
        digits = b"".join(weight.to_bytes(size, "little") for weight in totals.weights)
        number *= int.from_bytes(digits, "little") ** count
    return Totals(sum(t.first * count for t, count in parts), _unpacked(number, size), denominator)


def join_parts(parts: Iterable[Totals]) -> Totals:
    """Return the union of the parts of one roll."""
    parts = tuple(parts)
    tails = [part.tail for part in parts if part.tail]
    first = min(part.first for part in parts)
    if tails:
        period = lcm(*(tail.period for tail in tails))
        roots = reduce(or_, (Counter(tail.roots_of(period)) for tail in tails))
        regular = max(part.regular for part in parts)
        share = sum((part.mass for part in parts), Fraction(0))
        tail = Tail(period, tuple(roots.elements()), regular, share)
        return endless_totals(
            first, tail, lambda end: join_parts(part.listed_below(end) for part in parts)
        )
    end, denominator = max(part.end for part in parts), lcm(*(part.denominator for part in parts))
    weights = [0] * (end - first)
    for part in parts:
        for at, weight in enumerate(part.weights, part.first - first):
            weights[at] += weight * (denominator // part.denominator)
    return Totals(first, tuple(weights), denominator)


def opposed(one: Totals, other: Totals) -> tuple[Fraction, Fraction, Fraction]:
    """Return the chances that `one` is higher than, equal to and lower than `other`."""
    if one.tail and not other.tail:  # all that is below the listed totals of `other`
        less, equal, more = opposed(other, one)
        return more, equal, less
    start, period, roots, end = one.end, 1, list[Fraction](), one.end
    if one.tail and other.tail:
        period, start = lcm(one.tail.period, other.tail.period), max(one.regular, other.regular)
        beside = (Fraction(1), *other.tail.roots_of(period))
        roots = [mine * theirs for mine in one.tail.roots_of(period) for theirs in beside]
        end = start + period * len(roots)
    first = min(one.first, other.first)
    mine, theirs = one.listed_below(end), other.listed_below(end)
    hits = [_weight(mine, total) for total in range(first, end)]
    lost = [_weight(theirs, total) for total in range(first, end)]
    same = [a * b for a, b in zip(hits, lost, strict=True)]
    low = [a * (below - b) for a, b, below in zip(hits, lost, accumulate(lost), strict=True)]
    both = (_series(values, start - first, period, roots) for values in (low, same))
    high, equal = (found / (mine.denominator * theirs.denominator) for found in both)
    return high, equal, one.mass * other.mass - high - equal


def _weight(totals: Totals, total: int) -> int:
    at = total - totals.first
    return totals.weights[at] if 0 <= at < len(totals.weights) else 0


def rolled_again(low: Totals, share: Fraction, step: int, most: int) -> Totals:
    """Return totals, `low` at the end, that add `step` and begin anew; `most` -1 is no end."""
    if most < 0 and step <= 0:
        if step == 0:
            return low.part(1 / (1 - share))
        raise FormulaError("dice that explode into less have no lowest count; say how often")

    def below(end: int) -> Totals:
        times = -(-(end - low.first) // step) if most < 0 else most
        spend(times * times * share.denominator.bit_length() * len(low.weights) // 4)
        return join_parts([low.moved(step * n).part(share**n) for n in range(max(1, times + 1))])

    if most < 0:
        return endless_totals(low.first, Tail(step, (share,), low.end), below)
    last = Totals(step, (1,), 1).part(share)  # the last time, this face only counts
    return join_parts([below(0), join_parts([last]).moved(step * most).part(share**most)])


def keep(kinds: Sequence[tuple[Totals, int]], number: int, *, best: bool) -> Totals:
    """Return the sum of the `number` highest or lowest; raises FormulaError: it takes too long."""
    tails = [(totals.tail, count) for totals, count in kinds if totals.tail]
    every, endless = sum(n for _, n in kinds), sum(n for _, n in tails)
    number = min(number, every)
    most = min(endless, number) if best else max(0, endless - (every - number))
    if not most:
        ends = [totals.end for totals, _ in kinds if not totals.tail]
        lists = [(totals.listed_below(max(ends, default=0)), n) for totals, n in kinds]
        return _kept(lists, number, best=best)
    if any(len(tail.roots) > 1 for tail, _ in tails):
        raise FormulaError("only single dice that explode can be compared, not sums of them")
    # Sort endless dice by how often they rolled again. If the first j of them roll once more, that
    # multiplies the weight by their roots, and moves the sum by a period for each that is kept.
    # Weights are therefore geometric with the products of roots of any first j.
    block = lcm(*(tail.period for tail, _ in tails))
    period = block * lcm(*range(1, most + 1))
    roots = []
    for taken in product(*(range(n + 1) for _, n in tails)):
        among = min(sum(taken), number) if best else max(0, sum(taken) - (every - number))
        if among:
            pairs = zip(tails, taken, strict=True)
            base = prod((tail.roots_of(block)[0] ** n for (tail, _), n in pairs), start=Fraction(1))
            roots.append(base ** (period // (block * among)))
    start = max(totals.regular for totals, _ in kinds)
    regular = start if number == 1 else number * (abs(start) + (every + 1) * block)
    first = min(totals.first for totals, _ in kinds)

    def make(end: int) -> Totals:
        below = max(first + 1, end - first * (number - 1))
        return _kept([(t.listed_below(below), n) for t, n in kinds], number, best=best)

    return endless_totals(number * first, Tail(period, tuple(roots), regular), make)


def _kept(kinds: Sequence[tuple[Totals, int]], number: int, *, best: bool) -> Totals:
    """Return the sum of the highest or lowest of some lists, which may lack the highest totals.

    It takes totals one after the other, from the end that is kept, and those dice of the rest that
    show it; a sum is complete when enough dice are taken.
    """
    dice = sum(count for _, count in kinds)
    if number == 1:
        # All are at most a total, or above it.
        first, end = min(t.first for t, _ in kinds), max(t.end for t, _ in kinds)
        whole = prod(t.denominator**n for t, n in kinds)
        spend((end - first) * (whole.bit_length() * len(kinds) // 2 + 500))
        upto, last, weights = [0] * len(kinds), 0 if best else whole, list[int]()
        for total in range(first, end):
            upto = [n + _weight(t, total) for n, (t, _) in zip(upto, kinds, strict=True)]
            sides = [
                n if best else t.denominator - n for n, (t, _) in zip(upto, kinds, strict=True)
            ]
            found = prod(n**count for n, (_, count) in zip(sides, kinds, strict=True))
            weights.append(abs(found - last))
            last = found
        return Totals(first, tuple(weights), whole)
    first, end = min(t.first for t, _ in kinds), max(t.end for t, _ in kinds)
    denominator = prod(t.denominator**n for t, n in kinds)
    size = denominator.bit_length() // 8 + 1
    spend(500 * prod(n + 1 for _, n in kinds) * (end - first))
    unfinished, done = {tuple(n for _, n in kinds): 1}, 0
    sofar = [0] * len(kinds)
    for total in range(end - 1, first - 1, -1) if best else range(first, end):
        shown = [_weight(t, total) for t, _ in kinds]
        if best:
            rest = [sum(t.weights[: max(0, total - t.first)]) for t, _ in kinds]
        else:
            sofar = [n + weight for n, weight in zip(sofar, shown, strict=True)]
            rest = [t.denominator - n for (t, _), n in zip(kinds, sofar, strict=True)]
        after: dict[tuple[int, ...], int] = defaultdict(int)
        for left, sums in unfinished.items():
            used = dice - sum(left)
            spend(2500 * prod(n + 1 for n in left))
            for take in product(*(range(n + 1) for n in left)):
                ways = prod(comb(n, t) * w**t for n, t, w in zip(left, take, shown, strict=True))
                if not ways:
                    continue
                there = tuple(n - t for n, t in zip(left, take, strict=True))
                moved = (total - first) * min(sum(take), number - used)
                found = sums * ways << 8 * size * moved
                spend(found.bit_length() // 4)
                if used + sum(take) >= number:
                    done += found * prod(w**n for w, n in zip(rest, there, strict=True))
                else:
                    after[there] += found
        unfinished = after
    return Totals(number * first, _unpacked(done, size), denominator)


def times_die(weights: tuple[int, ...], faces: int) -> tuple[int, ...]:
    """Return `weights` after one more die with faces from 1 on; the first total is 1 higher."""
    sums = [*accumulate(weights), *repeat(sum(weights), faces - 1)]
    return (*sums[:faces], *(high - low for high, low in zip(sums[faces:], sums, strict=False)))


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
