"""Totals of dice against every roll listed, icepool, and powers of polynomials; and their laws."""

from __future__ import annotations

import math
from fractions import Fraction

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheetgen.rules.odds.distributions import (
    Totals,
    join_parts,
    opposed,
    sum_of,
    without_highest,
)
from sheetgen.rules.odds.odds import MODES, by_first_face
from tests.effort import at_most_calls
from tests.odds.oracles import every, powers, share, wild_less

SMALL = [{6: 1}, {6: 3}, {6: 5}, {4: 2, 6: 1}, {8: 1, 4: 1, 6: 2}, {2: 3, 3: 1}]
pools = st.dictionaries(st.sampled_from([2, 3, 4, 6, 8]), st.integers(1, 4), min_size=1, max_size=3)
modes = st.sampled_from(MODES)


def listed(dice: dict[int, int]) -> list[int]:
    return [faces for faces, count in dice.items() for _ in range(count)]


def wild_of(dice: dict[int, int], mode: str, again: bool = True, faces: int = 6) -> Totals:
    return join_parts(by_first_face(dice, faces, again=again, one=mode).values())


@pytest.mark.parametrize("dice", SMALL, ids=str)
def test_sums_are_those_of_every_roll(dice: dict[int, int]) -> None:
    rolls = every(listed(dice))
    totals = sum_of(dice)
    for total in range(sum(listed(dice)) + 3):
        assert totals.chance(total) == share(rolls, lambda roll, t=total: sum(roll) == t)
        assert totals.at_least(total) == share(rolls, lambda roll, t=total: sum(roll) >= t)
    assert totals.moment == Fraction(sum(map(sum, rolls)), len(rolls))


@pytest.mark.parametrize("dice", [{6: 20}, {6: 100}, {6: 12, 8: 5, 4: 3}], ids=str)
def test_large_sums_are_those_of_two_other_ways(dice: dict[int, int]) -> None:
    totals = sum_of(dice)
    assert {t: w for t, w in enumerate(totals.weights, totals.first) if w} == powers(dice)
    theirs = sum((count @ icepool.d(faces) for faces, count in dice.items()), icepool.Die([0]))
    for total in range(totals.first, totals.end):
        assert totals.chance(total) == theirs.probability("==", total)


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dice", [{6: 1}, {6: 2}, {6: 4}, {6: 2, 4: 1}], ids=str)
def test_wild_rolls_are_those_of_every_roll(dice: dict[int, int], mode: str, again: bool) -> None:
    totals = wild_of(dice, mode, again)
    rolled = [6, *listed({f: n - (f == 6) for f, n in dice.items()})]
    for total in range(45):
        assert totals.below(total) == wild_less(rolled, total, mode, again), total


def test_a_wild_die_alone_has_known_odds() -> None:
    """Guards against a 1 that is counted again after a 6, and a 6 that adds too late."""
    totals = wild_of({6: 1}, "add")
    assert [totals.chance(n) for n in range(1, 14)] == [
        *[Fraction(1, 6)] * 5,
        0,
        *[Fraction(1, 36)] * 5,
        0,
        Fraction(1, 216),
    ]
    assert totals.moment == Fraction(21, 5)
    assert wild_of({6: 1}, "subtract").chance(0) == Fraction(1, 6)


def test_complication_changes_no_total() -> None:
    assert wild_of({6: 5}, "complication") == wild_of({6: 5}, "add")


def explodes(depth: int) -> icepool.Die[int]:
    return icepool.d6.explode(depth=depth)


def test_large_wild_rolls_are_those_of_icepool() -> None:
    """Below 6 * depth its explosion, which ends, is the same as ours, which does not."""
    depth, others = 30, 19
    totals = wild_of({6: others + 1}, "add")
    theirs = others @ icepool.d6 + explodes(depth)
    for total in range(others + 1, 6 * depth):
        assert totals.chance(total) == theirs.probability("==", total)


def test_large_wild_rolls_that_lose_dice_are_those_of_powers() -> None:
    """The highest other die by another way: all up to a face, less all up to the one below."""
    others = 19
    kept: dict[int, int] = {}
    for most in range(1, 7):
        upto = {1: {others: 1}}.get(most) or powers({most: others})
        below = {} if most == 1 else ({others: 1} if most == 2 else powers({most - 1: others}))
        for total, times in upto.items():
            kept[total - most] = kept.get(total - most, 0) + times - below.get(total, 0)
    totals = without_highest({6: others})
    assert {t: w for t, w in enumerate(totals.weights, totals.first) if w} == {
        t: w for t, w in kept.items() if w
    }
    parts = by_first_face({6: others + 1}, 6, again=True, one="subtract")
    assert parts[1].at_least(60) == Fraction(
        sum(w for t, w in kept.items() if t >= 60), 6 ** (others + 1)
    )


@given(pools, modes)
@settings(max_examples=60)
def test_all_chances_together_are_one(dice: dict[int, int], mode: str) -> None:
    assert sum_of(dice).mass == 1
    assert wild_of({**dice, 6: dice.get(6, 0) + 1}, mode).mass == 1


@given(pools, modes, st.integers(-3, 60))
@settings(max_examples=60)
def test_a_higher_target_is_never_likelier(dice: dict[int, int], mode: str, target: int) -> None:
    for totals in (sum_of(dice), wild_of({**dice, 6: 2}, mode)):
        assert totals.at_least(target) >= totals.at_least(target + 1)
        assert totals.at_least(target) - totals.at_least(target + 1) == totals.chance(target)


@given(pools, st.integers(1, 40))
@settings(max_examples=60)
def test_one_more_die_never_hurts(dice: dict[int, int], target: int) -> None:
    more = {**dice, 6: dice.get(6, 0) + 1}
    assert sum_of(more).at_least(target) >= sum_of(dice).at_least(target)


@given(pools, pools, modes, modes)
@settings(max_examples=40)
def test_opposed_rolls_are_each_others_complement(
    one: dict[int, int], other: dict[int, int], mode: str, against: str
) -> None:
    first, second = wild_of({**one, 6: 2}, mode), wild_of({**other, 6: 1}, against)
    for a, b in ((first, second), (sum_of(one), second), (sum_of(one), sum_of(other))):
        high, same, low = opposed(a, b)
        assert high + same + low == 1
        assert (low, same, high) == opposed(b, a)


@pytest.mark.parametrize(("one", "other"), [({6: 2}, {6: 2}), ({6: 3}, {4: 2, 8: 1})])
def test_opposed_rolls_are_those_of_every_roll(one: dict[int, int], other: dict[int, int]) -> None:
    mine, theirs = every(listed(one)), every(listed(other))
    pairs = [(sum(a), sum(b)) for a in mine for b in theirs]
    high, same, _ = opposed(sum_of(one), sum_of(other))
    assert high == Fraction(sum(a > b for a, b in pairs), len(pairs))
    assert same == Fraction(sum(a == b for a, b in pairs), len(pairs))


def test_opposed_rolls_without_end_are_squeezed_from_both_sides() -> None:
    """Cut off at ever higher totals, the sum has to close in on what the series says."""
    a, b = wild_of({6: 3}, "add"), wild_of({6: 2}, "subtract")
    high, _, _ = opposed(a, b)
    for end in (30, 60, 120):
        least = sum(b.chance(t) * (a.at_least(t + 1) - a.at_least(end)) for t in range(end))
        most = least + a.at_least(end) + b.at_least(end)
        assert least <= high <= most
    assert most - least < Fraction(1, 10**12)


@given(pools, modes, st.integers(0, 90))
@settings(max_examples=40)
def test_listing_more_of_a_tail_changes_nothing(dice: dict[int, int], mode: str, end: int) -> None:
    totals = wild_of({**dice, 6: 1}, mode)
    chances = [totals.chance(t) for t in range(100)]
    longer = totals.listed_below(end)
    assert longer.end >= end
    for total, chance in longer.listed():
        assert total >= 100 or chances[total] == chance
    assert totals.below(77) == sum(chances[:77])


MOST_CALLS = 3_000_000
MANY_MIXED = [{1000: 2, 6: 1, 999: 1}, dict.fromkeys(range(70, 100), 1), {30: 100}]


@pytest.mark.slow
@pytest.mark.parametrize("dice", MANY_MIXED, ids=lambda dice: f"{len(dice)} sorts")
def test_many_mixed_dice_lose_their_highest_quickly(dice: dict[int, int]) -> None:
    """Guards against work in powers of the dice, and a recursion as deep as a die has faces."""
    with at_most_calls(MOST_CALLS):
        totals = without_highest(dice)
    assert totals.denominator == math.prod(faces**count for faces, count in dice.items())
    assert totals.first == sum(dice.values()) - 1


@given(pools)
def test_what_is_left_without_the_highest_is_that_of_icepool(dice: dict[int, int]) -> None:
    rolled = listed(dice)
    if len(rolled) < 2:
        return
    theirs = icepool.lowest(*map(icepool.d, rolled), keep=len(rolled) - 1)
    ours = without_highest(dice)
    assert {
        ours.first + at: Fraction(weight, ours.denominator)
        for at, weight in enumerate(ours.weights)
        if weight
    } == {int(total): Fraction(weight, theirs.denominator()) for total, weight in theirs.items()}
