"""What may come of a roll: of dice that are added up, kept or counted, and of dice with symbols."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Final

from sheetgen.model.rulesets.prints import RollRules, SymbolCount, SymbolDie
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.distributions import (
    AHEAD,
    MOST_WORK,
    NOTHING,
    Totals,
    add_up,
    bounded_work,
    join_parts,
    keep,
    opposed,
    rolled_again,
    spend,
    sum_of,
    totals_by_chance,
    without_highest,
)
from sheetgen.rules.odds.questions import (
    BEST,
    COUNT,
    EXPLODE,
    REROLL,
    WORST,
    DicePool,
    Question,
    RollTerm,
    RollWords,
)


@frozen
class _Kind:
    """Dice of one kind, or what a function of dice gives.

    Attributes:
        faces: What one of them shows.
        again: How often its highest face is rolled again at most; -1 for without end.
    """

    faces: Totals
    again: int = 0

    def scores(self, score: Callable[[int], int], last: int) -> Totals:
        """Return the totals of what its faces score; each further roll scores, too.

        Args:
            last: Faces above this one score the same.
        """
        chances: dict[int, Fraction] = defaultdict(Fraction)
        last = self.faces.end - 1 if self.again else last
        for face, chance in self.faces.listed_below(last).listed():
            if face < last:
                chances[score(face)] += chance
        share = self.faces.at_least(last)
        if self.again:
            return rolled_again(totals_by_chance(chances), share, score(last), self.again)
        chances[score(last)] += share
        return totals_by_chance(chances)

    @property
    def value(self) -> Totals:
        """The totals of one of them."""
        return self.scores(lambda face: face, self.faces.end - 1) if self.again else self.faces


def _hand(term: RollTerm) -> list[tuple[_Kind, int]]:
    """Return what a term rolls: kinds, and how many of each.

    Raises:
        FormulaError: It has no odds, or they take too long.
    """
    if not term.function:
        faces = term.faces
        plain = Totals(1, (1,) * faces, faces) if faces else NOTHING.moved(term.count)
        return [(_Kind(plain), term.count if faces else 1)]
    if term.function not in (EXPLODE, REROLL):
        return [(_Kind(_function_totals(replace(term, count=1))), term.count)]
    below = [(kind, n * term.count) for inner in term.terms for kind, n in _hand(inner)]
    if any(kind.again or kind.faces.tail for kind, _ in below):
        raise FormulaError(f"`{term.function}` takes dice that do not explode already")
    if term.function == EXPLODE:
        again = term.numbers[0] if term.numbers else -1
        return [(_Kind(k.faces, again if len(k.faces.weights) > 1 else 0), n) for k, n in below]
    return [(_Kind(_rerolled(kind.faces, term.numbers[0])), count) for kind, count in below]


def _rerolled(faces: Totals, most: int) -> Totals:
    low = faces.below(most + 1)
    chances = ((face, chance * (low + (face > most))) for face, chance in faces.listed())
    return totals_by_chance(dict(chances))


@lru_cache(maxsize=32)
def _function_totals(term: RollTerm) -> Totals:
    """Return the totals of a function of dice that gives one number."""
    hand = [kind for inner in term.terms for kind in _hand(inner)]
    if term.function == COUNT:

        def score(face: int) -> int:
            return sum(face >= n if n > 0 else -(face <= -n) for n in term.numbers)

        last = max(map(abs, term.numbers)) + 1
        return add_up([(kind.scores(score, max(last, kind.faces.first)), n) for kind, n in hand])
    values = [(kind.value, count) for kind, count in hand]
    if term.function in (BEST, WORST):
        return keep(values, term.numbers[0], best=term.function == BEST)
    return add_up(values)


def left_of(pool: DicePool, how: ResolvedRoll) -> dict[int, int]:
    """Return the numbers of dice by faces, without those that further actions cost."""
    dice = {int(faces): max(0, count) for faces, count in pool.dice.items()}
    lost = how.roll.fewer * (pool.actions - 1)
    # Penalties take the usual dice first, then those with the most faces.
    for faces in sorted(dice, key=lambda f: (f != how.roll.faces, -f)):
        taken = min(lost, dice[faces])
        dice[faces] -= taken
        lost -= taken
    if sum(dice.values()) < how.least and (dice or not pool.terms):
        dice = {how.roll.faces: how.least}
    return {faces: count for faces, count in dice.items() if count}


def roll_parts(pool: DicePool, how: ResolvedRoll) -> dict[int, Totals]:
    """Return the totals of `pool` by the first face of the wild die; all under 0 without one."""
    dice, roll = left_of(pool, how), how.roll
    parts = {0: sum_of(dice)}
    if roll.wild is not None and roll.faces in dice:
        parts = by_first_face(dice, roll.faces, again=roll.wild.again, one=str(roll.wild.one))
    if pool.terms:
        hand = [kind for term in pool.terms for kind in _hand(term)]
        more = [(kind.value, count) for kind, count in hand]
        parts = {face: add_up([(part, 1), *more]) for face, part in parts.items()}
    return {face: totals.moved(pool.pips) for face, totals in parts.items()}


def totals_of(pool: DicePool, how: ResolvedRoll) -> Totals:
    """Return the totals of `pool`."""
    return join_parts(roll_parts(pool, how).values())


def doubles_of(pool: DicePool, how: ResolvedRoll) -> dict[int, Fraction]:
    """Return the totals with which all dice show the same face; of a d100 both digits do.

    Raises:
        FormulaError: The roll has more than plain dice.
    """
    dice = left_of(pool, how)
    if pool.terms or (how.roll.wild is not None and how.roll.faces in dice):
        raise FormulaError("`doubles` needs plain dice")
    chance, count = Fraction(1, prod(f**n for f, n in dice.items())), sum(dice.values())
    if dice == {100: 1}:
        return {n + pool.pips: chance for n in (*range(11, 100, 11), 100)}
    faces = range(1, min(dice, default=0) + 1) if count > 1 else ()
    return {count * face + pool.pips: chance for face in faces}


def fails(pool: DicePool, how: ResolvedRoll) -> bool:
    """Whether `pool` fails because it has no dice left."""
    return how.roll.no_dice == FAILS and not pool.terms and not left_of(pool, how)


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
    chances, mine = tuple(chances_of_sum(question, how)), totals_of(question.pool, how)
    if question.other is None:
        return Answer(question, how, reading, chances, (_spread("total", mine),))
    theirs = _spread("total of the second", other_totals(question, how))
    both = _spread("total of the first", mine), theirs
    return Answer(question, how, reading, chances, both)


def other_totals(question: Question, how: ResolvedRoll) -> Totals:
    """Return the totals of the dice that oppose, with all modifiers."""
    assert question.other is not None
    other = totals_of(question.other, how).moved(sum(n for _, n in question.more))
    return add_up([(other, 1), (sum_of(extra_of(question)), 1)])


def chances_of_sum(question: Question, how: ResolvedRoll) -> list[Chance]:
    """Return the chances of dice that are added up: of success, or of who wins; of marked faces."""
    pool, parts = question.pool, roll_parts(question.pool, how)
    if question.other is not None:
        mine, theirs = fails(question.pool, how), fails(question.other, how)
        if mine or theirs:
            high, same = Fraction(theirs and not mine), Fraction(mine and theirs)
            low = 1 - high - same
        else:
            high, same, low = opposed(join_parts(parts.values()), other_totals(question, how))
            high, low = (low, high) if how.roll.under else (high, low)
        ties = question.ties or str(how.roll.ties)
        first, second = high + same * (ties == "first"), low + same * (ties == "second")
        if ties == "again" and same != 1:
            first, second = high / (1 - same), low / (1 - same)
        who = {"first": "for the first", "second": "for the second", "again": "rolled again"}
        return [
            Chance(SUCCESS, "the first wins", first),
            Chance("second", "the second wins", second),
            Chance("tie", f"equal totals, {who.get(ties, 'for neither')}", same, True),
        ]
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
    return [*chances, *_marks(how, parts, hit)]


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
    rest, rows, end = totals.mass, [], totals.first
    while totals.tail and totals.at_least(end) > _RARE:
        end += AHEAD
    for total, chance in totals.listed_below(end).listed():
        if totals.tail and rest < _RARE:
            break
        rows.append((total, chance, rest))
        rest -= chance
    mean: Fraction | None = None
    with contextlib.suppress(FormulaError), bounded_work(MOST_WORK // 8):
        mean = totals.moment
    return Distribution(label, mean, tuple(rows), bool(totals.tail))


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
    rest, share = sum_of(others), Fraction(1, faces)
    parts = {face: rest.moved(face).part(share) for face in range(1, faces + 1)}
    if one == SUBTRACT:
        parts[1] = without_highest(others).part(share)
    if again and faces > 1:
        wild = rolled_again(Totals(1, (1,) * (faces - 1), faces), share, faces, -1)
        parts[faces] = add_up([(rest, 1), (wild, 1)]).moved(faces).part(share)
    return parts


BLANK = "blank"  # the name of an empty face
Tally = tuple[int, ...]  # a number for each count of a roll, in the ruleset's order


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


MOST_TALLIES: Final = 500_000  # the most combinations of counts, which take some hundred megabytes


def throw_pool(roll: RollRules, pool: Mapping[str, int]) -> Tallies:
    """Return the distribution of combinations of counts when `pool` is thrown.

    Args:
        pool: The number of dice of each kind, by id.

    Raises:
        FormulaError: There are too many.
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
            spend(200 * len(packed) * len(faces))
            if len(packed) > MOST_TALLIES:
                raise FormulaError("these dice have too many combinations of symbols to count")
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
        mean: None if it takes too long to compute.
        rows: Each number, its chance, and the chance of it or a higher one.
        endless: Whether there are higher numbers than the last row's.
    """

    label: str
    mean: Fraction | None
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
