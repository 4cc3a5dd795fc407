"""Dice that are added up: the dice left to roll, and the chances of their totals."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from sheetgen.rules.odds.answers import FAILS, SUCCESS, Answer, Chance, Distribution, ResolvedRoll
from sheetgen.rules.odds.totals import NOTHING, Totals, join_parts, opposed, sum_of, with_more
from sheetgen.rules.odds.wild import COMPLICATION, by_first_face
from sheetgen.rules.odds.words import DicePool, Question


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
        chances = _opposed(question, how, totals, other)
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


def _opposed(
    question: Question, how: ResolvedRoll, totals: Totals, against: Totals
) -> list[Chance]:
    assert question.other is not None
    mine, theirs = fails(question.pool, how), fails(question.other, how)
    if mine or theirs:
        high, same = Fraction(theirs and not mine), Fraction(mine and theirs)
        low = 1 - high - same
    else:
        high, same, low = opposed(totals, against)
        high, low = (low, high) if how.roll.under else (high, low)
    ties = question.ties or str(how.roll.ties)
    first, second = high + same * (ties == "first"), low + same * (ties == "second")
    who = {"first": "for the first", "second": "for the second"}.get(ties, "for neither")
    return [
        Chance(SUCCESS, "the first wins", first),
        Chance("second", "the second wins", second),
        Chance("tie", f"equal totals, {who}", same, True),
    ]


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
