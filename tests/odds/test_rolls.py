"""Rolls that keep, count and explode, and how they are read: against icepool and counting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, prod
from random import Random

import icepool
import pytest

from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.kinds import plain_roll
from sheetgen.model.rulesets.prints import Outcome
from sheetgen.model.source import Text
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.distributions import Totals, bounded_work
from sheetgen.rules.odds.odds import Answer, answer, resolve_roll, totals_of
from sheetgen.rules.odds.questions import OddsError, parse_pool, parse_question
from tests.samples import count

ROLLS = count(300, 30)
FACES = (2, 4, 6, 8, 10, 12)
MOST_COUNTED = 20_000
MOST_LISTED = 250
HOW = resolve_roll(plain_roll())

Chain = tuple[int, ...]
"""What one die shows, roll after roll."""


class Hand:
    """Dice of a random roll, as text, as chains of faces, and as dice of icepool."""

    def __init__(self, draw: Random, *, endless: bool) -> None:
        self.draw, self.dice = draw, draw.choices(FACES, k=draw.randint(1, 4))
        same = draw.random() < 0.5
        self.dice = [self.dice[0]] * len(self.dice) if same else sorted(self.dice)
        self.how = "explode" if endless else draw.choice(("", "", "explode", "reroll"))
        self.number = -1 if endless else 1 if self.how == "reroll" else draw.randint(1, 2)
        if self.how == "explode" and not endless and len(self.dice) > 2:
            self.number = 1

    @property
    def text(self) -> str:
        many = {faces: self.dice.count(faces) for faces in self.dice}
        plain = " + ".join(f"{n}d{faces}" for faces, n in many.items())
        if not self.how:
            return plain
        return f"{self.how}({plain})" if self.number < 0 else f"{self.how}({plain}, {self.number})"

    def chains(self, faces: int) -> dict[Chain, Fraction]:
        """Return what a die may show, and how likely."""
        found: dict[Chain, Fraction] = defaultdict(Fraction)
        for face in range(1, faces + 1):
            if self.how == "reroll" and face <= self.number:
                for again in range(1, faces + 1):
                    found[(again,)] += Fraction(1, faces**2)
            elif self.how == "explode" and face == faces:
                for times in range(1, self.number + 1):
                    last = range(1, faces + (times == self.number))
                    for end in last:
                        found[(*[faces] * times, end)] += Fraction(1, faces ** (times + 1))
            else:
                found[(face,)] += Fraction(1, faces)
        return found

    def every(self) -> Iterator[tuple[tuple[Chain, ...], Fraction]]:
        for rolled in product(*(self.chains(faces).items() for faces in self.dice)):
            yield (
                tuple(chain for chain, _ in rolled),
                prod((p for _, p in rolled), start=Fraction(1)),
            )

    def icepool_dice(self, depth: int = 0) -> list[icepool.Die[int]]:
        dice = [icepool.d(faces) for faces in self.dice]
        if self.how == "explode":
            return [die.explode(depth=depth or self.number) for die in dice]
        return [die.reroll([1], depth=1) if self.how else die for die in dice]


def scored(face: int, numbers: list[int]) -> int:
    return sum((face >= n) if n > 0 else -(face <= -n) for n in numbers)


class Roll:
    """A random roll of one of the kinds, with its odds by two other ways."""

    def __init__(self, draw: Random, *, endless: bool = False) -> None:
        self.hand = Hand(draw, endless=endless)
        kinds = ("best", "worst", "sum", *(() if endless else ("count",)))
        self.kind, self.added = draw.choice(kinds), draw.randint(-3, 5)
        self.keep = draw.randint(1, len(self.hand.dice))
        top = max(self.hand.dice)
        numbers = {draw.randint(2, top), top} if draw.random() < 0.5 else {draw.randint(2, top)}
        self.numbers = [*sorted(numbers), *([-1] if draw.random() < 0.4 else [])]

    @property
    def text(self) -> str:
        inside = self.hand.text
        shown = {
            "sum": inside,
            "count": f"count({inside}, {', '.join(map(str, self.numbers))})",
        }.get(self.kind, f"{self.kind}({self.keep}, {inside})")
        return f"{shown}{self.added:+d}" if self.added else shown

    def total(self, chains: tuple[Chain, ...]) -> int:
        if self.kind == "count":
            return self.added + sum(scored(f, self.numbers) for chain in chains for f in chain)
        values = sorted(map(sum, chains), reverse=self.kind == "best")
        return self.added + sum(values[: self.keep] if self.kind != "sum" else values)

    def counted(self) -> dict[int, Fraction]:
        found: dict[int, Fraction] = defaultdict(Fraction)
        for chains, chance in self.hand.every():
            found[self.total(chains)] += chance
        return {total: chance for total, chance in found.items() if chance}

    def by_icepool(self, depth: int = 0) -> icepool.Die[int]:
        dice = self.hand.icepool_dice(depth)
        if self.kind in ("best", "worst"):
            if len(dice) == 1:
                return dice[0] + self.added
            pick = icepool.highest if self.kind == "best" else icepool.lowest
            return pick(*dice, keep=self.keep) + self.added
        if self.kind == "sum":
            return sum(dice, icepool.Die([0])) + self.added
        return sum(map(self._score, self.hand.dice), icepool.Die([0])) + self.added

    def _score(self, faces: int) -> icepool.Die[int]:
        plain = icepool.d(faces)
        first = plain.reroll([1], depth=1) if self.hand.how == "reroll" else plain
        found = first.map(lambda face: scored(face, self.numbers))
        if self.hand.how != "explode":
            return found
        found = plain.map(lambda face: scored(face, self.numbers))
        for _ in range(self.hand.number):
            after = {face: icepool.Die([scored(face, self.numbers)]) for face in range(1, faces)}
            after[faces] = found + scored(faces, self.numbers)
            found = plain.map(after)
        return found


def totals(text: str) -> Totals:
    return totals_of(parse_pool(text, HOW.words), HOW)


def answered(text: str, **outcomes: str) -> Answer:
    degree = outcomes.pop("degree", None)
    made = {id_: Outcome(id_, Text(when, Span(""))) for id_, when in outcomes.items()}
    how = resolve_roll(replace(plain_roll(), outcomes=made, degree=degree))
    return answer(parse_question(text, how.words), how)


def chances(text: str, **outcomes: str) -> dict[str, Fraction]:
    return {chance.id: chance.value for chance in answered(text, **outcomes).chances}


@pytest.mark.parametrize("seed", range(ROLLS))
def test_random_rolls_are_those_of_icepool_and_of_counting(seed: int) -> None:
    roll = Roll(Random(seed))
    found = totals(roll.text)
    ours = dict(found.listed())
    theirs = roll.by_icepool()
    known = {int(n): theirs.probability("==", n) for n in theirs if theirs.quantity(n)}
    assert ours == known, roll.text
    assert found.moment == theirs.mean()
    if prod(len(roll.hand.chains(faces)) for faces in roll.hand.dice) <= MOST_COUNTED:
        assert ours == roll.counted(), roll.text


@pytest.mark.parametrize("seed", range(ROLLS // 3))
def test_random_rolls_without_end_are_those_of_icepool(seed: int) -> None:
    """Below its last explosion icepool's roll, which ends, is the same as ours, which does not."""
    draw = Random(1000 + seed)
    roll = Roll(draw, endless=True)
    depth = 6 if len(roll.hand.dice) < 4 else 4
    found, theirs = totals(roll.text), roll.by_icepool(depth)
    end = depth * min(roll.hand.dice) + roll.added
    for total in range(found.first - 1, min(end, 40)):
        assert found.chance(total) == theirs.probability("==", total), (roll.text, total)
    check_tail(found)


def check_tail(found: Totals) -> None:
    """Check that the weights obey the recurrence from which the mean and opposed rolls follow."""
    if found.tail is None:
        return
    tail, below = found.tail, [Fraction(1)]
    for root in tail.roots:
        below = [a - root * b for a, b in zip((*below, 0), (0, *below), strict=True)]
    if tail.regular + len(below) * tail.period > MOST_LISTED:
        return
    start = tail.regular + len(tail.roots) * tail.period
    listed = found.listed_below(start + 3 * tail.period)
    weights = {listed.first + at: weight for at, weight in enumerate(listed.weights)}
    for total in range(start, start + 2 * tail.period):
        terms = (b * weights[total - n * tail.period] for n, b in enumerate(below))
        assert sum(terms, Fraction(0)) == 0
    rest = found.at_least(start)
    near = sum(Fraction(n * w, listed.denominator) for n, w in weights.items() if n < start)
    assert near <= found.moment <= near + rest * (start + 400)


@pytest.mark.parametrize("seed", range(ROLLS // 3))
def test_random_opposed_rolls_are_those_of_icepool(seed: int) -> None:
    draw = Random(2000 + seed)
    one, other = Roll(draw), Roll(draw)
    ties = draw.choice(("first", "second", "neither", "again"))
    found = chances(f"{one.text} vs {other.text} ties {ties}")
    mine, theirs = one.by_icepool(), other.by_icepool()
    high, same = Fraction((mine > theirs).mean()), Fraction((mine == theirs).mean())
    win = {"first": high + same, "again": high / (1 - same) if same != 1 else 0}.get(ties, high)
    assert (found["success"], found["tie"]) == (win, same)


def test_opposed_rolls_without_end_are_squeezed() -> None:
    a, b = "best(1, explode(d8), explode(d6))", "best(2, explode(3d4))-2"
    found, mine, theirs = chances(f"{a} vs {b}"), totals(a), totals(b)
    least = sum(theirs.chance(t) * mine.at_least(t + 1) for t in range(90))
    assert least <= found["success"] <= least + theirs.at_least(90)
    assert found["success"] + found["second"] + found["tie"] == 1


@pytest.mark.parametrize("seed", range(ROLLS // 3))
def test_readings_are_those_of_counting(seed: int) -> None:
    """Bands, degrees of a roll under a target, doubles, and the number that the dice show."""
    draw = Random(3000 + seed)
    target = draw.randint(1, 100)
    found = chances(
        f"1d100 <= {target}",
        half="total <= target // 2",
        fifth="total <= target // 5",
        double="doubles and total <= target",
        fumble="doubles and not total <= target",
    )
    twins = [n for n in range(1, 101) if str(n % 100).zfill(2) in {f"{d}{d}" for d in range(10)}]
    assert found == {
        "success": Fraction(target, 100),
        "half": Fraction(target // 2, 100),
        "fifth": Fraction(target // 5, 100),
        "double": Fraction(sum(n <= target for n in twins), 100),
        "fumble": Fraction(sum(n > target for n in twins), 100),
    }
    dice, added = draw.randint(1, 3), draw.randint(-3, 6)
    faces = draw.choice(FACES)
    rolls = [*product(range(1, faces + 1), repeat=dice)]
    low, high = sorted(draw.sample(range(dice, dice * faces + 6), 2))
    read = chances(
        f"{dice}d{faces}{added:+d}",
        strong=f"total > {high}",
        weak=f"{low} <= total <= {high}",
        miss=f"total < {low}",
        shown=f"natural == {dice * faces} or doubles",
    )
    sums = [sum(roll) + added for roll in rolls]
    same = [(dice > 1 and len(set(roll)) == 1) or sum(roll) == dice * faces for roll in rolls]
    assert read == {
        "strong": Fraction(sum(n > high for n in sums), len(rolls)),
        "weak": Fraction(sum(low <= n <= high for n in sums), len(rolls)),
        "miss": Fraction(sum(n < low for n in sums), len(rolls)),
        "shown": Fraction(sum(same), len(rolls)),
    }


TWINS = (*range(11, 100, 11), 100)
DEGREES = {  # as games of a d100 play it, and what counting makes of a roll under a skill
    "": lambda roll, skill: roll <= skill,
    "count(success, hard, extreme)": lambda roll, skill: degree_of(roll, skill),
    "1000 * count(success, hard, extreme) + target": lambda r, s: (degree_of(r, s), s),
    "total if success else 0": lambda roll, skill: roll if roll <= skill else 0,
    "count(success) - count(doubles) if not success else 1 + count(doubles) + total / 1000": (
        lambda r, s: (1 + (r in TWINS), r) if r <= s else (-(r in TWINS), 0)
    ),
    "(target - total) // 10": lambda roll, skill: (skill - roll) // 10,
}


def degree_of(roll: int, skill: int) -> int:
    return sum(roll <= skill // part for part in (1, 2, 5))


@pytest.mark.parametrize(("seed", "degree"), [*enumerate(DEGREES)])
def test_rolls_that_oppose_by_degree_are_those_of_counting(seed: int, degree: str) -> None:
    draw, read = Random(4000 + seed), DEGREES[degree]
    outcomes = {"hard": "total <= target // 2", "extreme": "total <= target // 5"}
    outcomes |= {"success": "total <= target"} | ({"degree": degree} if degree else {})
    for ties in ("first", "neither", "again"):
        mine, theirs, less = draw.randint(1, 99), draw.randint(21, 99), draw.randint(0, 20)
        found = chances(f"1d100 <= {mine} vs 1d100 <= {theirs} -{less} ties {ties}", **outcomes)
        one = [read(roll, mine) for roll in range(1, 101)]
        other = [read(roll, theirs - less) for roll in range(1, 101)]
        high = Fraction(sum(a > b for a, b in product(one, other)), 10_000)
        same = Fraction(sum(a == b for a, b in product(one, other)), 10_000)
        win = {"first": high + same, "again": high / (1 - same)}.get(ties, high)
        assert (found["success"], found["tie"]) == (win, same)
        if ties == "neither":
            assert found["second"] == 1 - high - same


def test_known_odds() -> None:
    """Figures that players know, each of one kind of roll."""
    assert chances("best(1, 2d20)+5 vs 15")["success"] == 1 - Fraction(9, 20) ** 2
    assert chances("worst(1, 2d20) vs 20")["success"] == Fraction(1, 400)
    assert totals("best(3, 4d6)").moment == Fraction(15869, 1296)
    assert chances("count(5d6, 6) vs 1")["success"] == 1 - Fraction(5, 6) ** 5
    assert totals("count(1d10, 8, 10)").moment == Fraction(4, 10)
    assert chances("count(2d10, 6, -1) < 0")["success"] == Fraction(9, 100)
    assert totals("explode(1d6)").moment == Fraction(21, 5)
    assert chances("best(1, explode(d8), explode(d6)) vs 4")["success"] == Fraction(13, 16)
    assert chances("d8+d6 vs 14")["success"] == Fraction(1, 48)
    assert chances("1d6 - sum(1d6) > 0")["success"] == Fraction(15, 36)
    assert chances("2d6 - reroll(1d6, 1) > 10")["success"] == Fraction(1, 6**4)
    assert totals("best(1, sum(2d6), sum(2d6))").at_least(12) == 1 - Fraction(35, 36) ** 2
    assert totals("reroll(1d6, 2)").moment == Fraction(25, 6)
    assert totals("count(reroll(4d6, 1), 5)").moment == 4 * Fraction(7, 18)
    assert comb(5, 2) * Fraction(1, 6) ** 2 * Fraction(5, 6) ** 3 == totals("count(5d6, 6)").chance(
        2
    )


def test_dice_that_remain_at_least_are_not_added_to_functions() -> None:
    how = replace(HOW, least=1)
    for text in ("best(1, 2d20)", "count(3d6, 5) + 1"):
        assert totals_of(parse_pool(text, how.words), how) == totals(text)
    assert totals_of(parse_pool("0d6", how.words), how).mass == 1


def test_bands_of_what_explodes() -> None:
    read = {"raise_": "total >= target + 4", "just": "target <= total < target + 4", "odd": "3 > 2"}
    found = chances("explode(1d6)+1 vs 4", **read)
    assert found["raise_"] == found["success"] - found["just"] == Fraction(1, 6) * Fraction(6, 6)
    assert found["odd"] == 1
    with pytest.raises(FormulaError, match="can only add to `total`"):
        chances("explode(1d6)", even="total % 2 == 0")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("5d6 - 1d6", "4d6"),
        ("- 1d6 + 5d6", "4d6"),
        ("1d6 - 3d6", "0d6"),
        ("3d6 - sum(d4)", "3d6 - sum(1d4)"),
    ],
)
def test_dice_are_taken_off_those_of_their_faces(text: str, same: str) -> None:
    assert answered(text).chances == answered(same).chances
    assert answered(text).spreads == answered(same).spreads


def test_outcomes_of_endless_dice_may_count_what_was_rolled_several_times() -> None:
    """With 30 added, the roll has to show 65, ten sixes and a five, or more."""
    found = chances("explode(1d6)+30", far="natural + natural + natural - total - total >= 5")
    assert found["far"] == Fraction(2, 6**11)


@pytest.mark.parametrize(
    ("text", "message", "at", "hint"),
    [
        ("1d100 <= 50 vs 1d100", "each of two sides needs dice and a number", 12, "vs 1d100 <="),
        ("1d6 > 3 vs d6 > 2 vs d6 > 2", "each of two sides needs dice and a number", 8, ""),
        ("count(2d6, 0)", "the number in `count` is too low", 0, "count(3d6, 5)"),
        ("count(2d6, 5, 0)", "the number in `count` is too low", 0, ""),
        ("reroll(2d6, 0)", "the number in `reroll` is too low", 0, ""),
        ("best(2d6", "`best(` is not closed", 8, "best(2, 3d6)"),
        ("best(0, 2d6)", "the number in `best` is too low", 0, ""),
        ("count(3d6)", "`count` takes dice and numbers", 0, "count(3d6, 5)"),
        ("reroll(3d6, 1, 2)", "`reroll` takes dice and one number", 0, "reroll(3d6, 1)"),
        ("sum(2d6, 3d6) 4", "the name of a die is missing", 14, ""),
        ("2best(3d6)", "`best` takes no number", 0, ""),
        ("best(1, 2d6 - 1d4)", "dice cannot be taken off inside `best`", 12, "sum"),
        ("best(1, 200d6)", "at most 100 dice", 0, ""),
        ("best(best(best(best(best(best(d6))))))", "nested at most 5 deep", 25, ""),
        ("explode(90d6, 9)", "exceed the highest total", 0, ""),
        ("best)", "unknown word `best`", 0, ""),
        ("best(1, 2d6) vs (3)", "the target number is missing", 16, ""),
        ("best(2.5, 3d6)", "`2.5` is not a whole number", 5, ""),
        ("3d6 - d4 vs 10", "`d4` cannot be taken off", 6, "write `sum(d4)` to take off"),
        ("d6 vs 3d6 - 2d8", "`2d8` cannot be taken off", 12, "write `sum(2d8)` to take off"),
    ],
)
def test_mistakes_in_functions_have_a_place(text: str, message: str, at: int, hint: str) -> None:
    with pytest.raises(OddsError) as caught:
        answered(text)
    assert message in str(caught.value)
    assert caught.value.at == at
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "best(10, explode(20d10)) vs best(9, explode(20d12))",
        "explode(50d6) vs 9000",
        "best(9, 9d4+9d6+9d8+9d10)",
        "1d6 - explode(1d6)",
        "explode(explode(1d6))",
        "best(1, sum(explode(2d6)), d8)",
        "count(explode(2d6), -6)",
    ],
)
def test_what_takes_too_long_or_has_no_odds_is_refused(text: str) -> None:
    with pytest.raises(FormulaError), bounded_work(10**8):
        answered(text)
