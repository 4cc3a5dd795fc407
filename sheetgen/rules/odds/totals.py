"""Exact distributions of totals of dice: integer weights, and a tail that may be infinite.

A die that rolls again has no highest total. Its chances fall by the same factor with each further
roll, so a finite list describes them all: after it the last weights repeat, divided by that factor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from itertools import accumulate, repeat
from math import lcm, prod
from typing import Final

from sheetgen.model.rulesets.prints import RollRules, SymbolCount, SymbolDie
from sheetgen.records import frozen
from sheetgen.rules.odds.questions import DicePool, Question, RollWords


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


def left_of(pool: DicePool, how: ResolvedRoll) -> dict[int, int]:
    """Return the numbers of dice by faces, without those that further actions cost."""
    dice = {int(faces): max(0, count) for faces, count in pool.dice.items()}
    lost = how.roll.fewer * (pool.actions - 1)
    # Penalties take the usual dice first, then those with the most faces.
    for faces in sorted(dice, key=lambda f: (f != how.roll.faces, -f)):
        taken = min(lost, dice[faces])
        dice[faces] -= taken
        lost -= taken
    if sum(dice.values()) < how.least:
        dice = {how.roll.faces: how.least}
    return {faces: count for faces, count in dice.items() if count}


def roll_parts(pool: DicePool, how: ResolvedRoll) -> dict[int, Totals]:
    """Return the totals of `pool` by the first face of the wild die; all under 0 without one."""
    dice, roll = left_of(pool, how), how.roll
    if roll.wild is None or roll.faces not in dice:
        return {0: (sum_of(dice) if dice else NOTHING).moved(pool.pips)}
    wild = roll.wild
    parts = by_first_face(dice, roll.faces, again=wild.again, one=str(wild.one))
    return {face: totals.moved(pool.pips) for face, totals in parts.items()}


def totals_of(pool: DicePool, how: ResolvedRoll) -> Totals:
    """Return the totals of `pool`."""
    return join_parts(roll_parts(pool, how).values())


def fails(pool: DicePool, how: ResolvedRoll) -> bool:
    """Whether `pool` fails because it has no dice left."""
    return how.roll.no_dice == FAILS and not left_of(pool, how)


_REACHED: Final = {
    (False, False): "{} or more",
    (False, True): "{} is beaten",
    (True, False): "{} or less",
    (True, True): "less than {}",
}
"""What a success is, by the `under` and `beat` of a roll."""


def reach(totals: Totals, target: int, how: ResolvedRoll) -> Fraction:
    """Return the chance that `totals` succeed against a target number."""
    if how.roll.under:
        return totals.below(target + (not how.roll.beat))
    return totals.at_least(target + how.roll.beat)


def answer_of_sum(question: Question, how: ResolvedRoll, reading: str) -> Answer:
    """Return the answer for dice that are added up."""
    pool, parts = question.pool, roll_parts(question.pool, how)
    totals = join_parts(parts.values())
    if question.other is not None:
        other = totals_of(question.other, how).moved(sum(n for _, n in question.more))
        other = with_more(other, sum_of(extra_of(question)))
        assert question.other is not None
        mine, theirs = fails(question.pool, how), fails(question.other, how)
        if mine or theirs:
            high, same = Fraction(theirs and not mine), Fraction(mine and theirs)
            low = 1 - high - same
        else:
            high, same, low = opposed(totals, other)
            high, low = (low, high) if how.roll.under else (high, low)
        ties = question.ties or str(how.roll.ties)
        first, second = high + same * (ties == "first"), low + same * (ties == "second")
        who = {"first": "for the first", "second": "for the second"}.get(ties, "for neither")
        chances = [
            Chance(SUCCESS, "the first wins", first),
            Chance("second", "the second wins", second),
            Chance("tie", f"equal totals, {who}", same, True),
        ]
        both = (_spread("total of the first", totals), _spread("total of the second", other))
        return Answer(question, how, reading, tuple(chances), both)
    hit: dict[int, Fraction] = {}
    chances = []
    if question.target is not None:
        target, lost = goal(question), fails(pool, how)
        extra = tuple(sum_of(extra_of(question)).listed())
        for face, part in parts.items():
            chance = sum((p * reach(part, target + n, how) for n, p in extra), Fraction(0))
            hit[face] = Fraction(0) if lost else chance
        words = _REACHED[how.roll.under, how.roll.beat]
        label = words.format(f"{target}{' and its dice' if question.extra else ''}")
        label += ": no dice are left" if lost else ""
        chances = [Chance(SUCCESS, label, sum(hit.values(), Fraction(0)))]
    chances += _marks(how, parts, hit)
    return Answer(question, how, reading, tuple(chances), (_spread("total", totals),))


def _marks(
    how: ResolvedRoll, parts: Mapping[int, Totals], hit: Mapping[int, Fraction]
) -> list[Chance]:
    """Return the chance of each marked face of the wild die, alone and with a success."""
    wild, found = how.roll.wild, []
    if wild is None or 0 in parts:
        return []
    marks = {int(face): text for face, text in wild.marks.items()}
    if wild.one == COMPLICATION:
        marks.setdefault(1, COMPLICATION)
    for face, text in sorted(marks.items()):
        label = f"{wild.name} {face}: {text}"
        found.append(Chance(f"face_{face}", label, parts[face].mass))
        if hit:
            found.append(Chance(f"face_{face}_and_success", "and a success", hit[face], True))
    return found


_RARE: Final = Fraction(1, 2000)
"""Infinite totals are listed until the rest is less likely than this."""


def _spread(label: str, totals: Totals) -> Distribution:
    rest, rows = totals.mass, []
    listed = totals
    while listed.period and listed.mass - listed.below(listed.end) > _RARE:
        listed = listed.extended(listed.end + 1)
    for total, chance in listed.listed():
        if totals.period and rest < _RARE:
            break
        rows.append((total, chance, rest))
        rest -= chance
    return Distribution(label, totals.moment, tuple(rows), bool(totals.period))


def extra_of(question: Question) -> dict[int, int]:
    """Return the dice added to the target number or to the opposing total, by faces."""
    found: dict[int, int] = {}
    for _, faces, count in question.extra:
        found[faces] = found.get(faces, 0) + count
    return found


def goal(question: Question) -> int:
    """Return the target number plus all modifiers."""
    assert question.target is not None
    return question.target + sum(number for _, number in question.more)


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
    parts = {
        face: Totals(rest.first + face, rest.weights, rest.denominator * faces)
        for face in range(1, faces + 1)
    }
    if one == SUBTRACT:
        kept = without_highest(others)
        parts[1] = Totals(kept.first, kept.weights, kept.denominator * faces)
    if again and faces > 1:
        # Return the totals of rolls in which the wild die shows its highest face and rolls again.
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
        parts[faces] = Totals(rest.first + faces + 1, tuple(weights), denominator, faces, faces)
    return parts


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
            found: dict[int, int] = defaultdict(int)
            for number, weight in packed.items():
                for face, times in faces.items():
                    found[number + face] += weight * times
            packed = found
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


def tally_of(face: str, counts: Sequence[SymbolCount]) -> Tally:
    """Return the numbers that a face adds to `counts`."""
    shown = symbols_on(face)
    return tuple(
        sum(s in count.adds for s in shown) - sum(s in count.less for s in shown)
        for count in counts
    )


def _packed(die: SymbolDie, counts: Sequence[SymbolCount], places: Sequence[int]) -> dict[int, int]:
    faces: dict[int, int] = defaultdict(int)
    for face, number in die.faces.items():
        tally = tally_of(face, counts)
        faces[sum(n * place for n, place in zip(tally, places, strict=True))] += number
    return faces


def _reach(roll: RollRules, counts: Sequence[SymbolCount], pool: Mapping[str, int]) -> list[int]:
    reach = [0] * len(counts)
    for id_, number in pool.items():
        tallies = [tally_of(face, counts) for face in roll.dice[id_].faces]
        for at in range(len(counts)):
            reach[at] += number * max(abs(tally[at]) for tally in tallies)
    return reach


SUM: Final = "sum"
SYMBOLS: Final = "symbols"
FAILS: Final = "fails"
SUCCESS: Final = "success"


@frozen
class ResolvedRoll:
    """A roll of a ruleset under the options in force: formulas evaluated, words known.

    Attributes:
        title: The ruleset and the roll, for readers.
        least: The minimum number of dice that are left.
    """

    roll: RollRules
    title: str
    words: RollWords
    least: int = 0


@frozen
class Chance:
    """The chance of an outcome; a `part` of the outcome before it is printed as an aside."""

    id: str
    label: str
    value: Fraction
    part: bool = False


@frozen
class Distribution:
    """The distribution of a number.

    Attributes:
        rows: Each number, its chance, and the chance of it or a higher one.
        endless: Whether there are higher numbers than the last row's.
    """

    label: str
    mean: Fraction
    rows: tuple[tuple[int, Fraction, Fraction], ...]
    endless: bool = False


@frozen
class Answer:
    """The answer to a question.

    Attributes:
        reading: The question as it was understood, in words.
    """

    question: Question
    rolling: ResolvedRoll
    reading: str
    chances: tuple[Chance, ...]
    spreads: tuple[Distribution, ...] = field(default=())
