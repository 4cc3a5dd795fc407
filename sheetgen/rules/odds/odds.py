"""The answer to a question about odds: each possible outcome and its exact chance."""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Final

from sheetgen.model.build import Value
from sheetgen.model.rulesets.prints import ComputedGrid, Curve, OddsGrid, RollRules, SymbolCount
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.records import frozen
from sheetgen.rules.formulas import expressions as syntax
from sheetgen.rules.formulas.evaluate import (
    as_figure,
    evaluate,
    half_up,
    holds,
    integer_value,
    value_of,
)
from sheetgen.rules.formulas.expressions import FormulaError, Tree, parse_formula
from sheetgen.rules.index import folded
from sheetgen.rules.odds import distributions
from sheetgen.rules.odds import questions as language
from sheetgen.rules.odds.distributions import NOTHING, Totals, add_up, bounded_work, spend, sum_of
from sheetgen.rules.odds.questions import DicePool, OddsError, Question, RollTerm, RollWords
from sheetgen.rules.scopes import OptionScope


def resolve_roll(
    roll: RollRules, rules: Ruleset | None = None, options: Mapping[str, Value] | None = None
) -> ResolvedRoll:
    """Return `roll` with its formulas and words resolved; raises FormulaError: one fails."""
    title = roll.label if rules is None else f"{rules.title}, {roll.label}"
    refuses = {folded(word): why for word, why in roll.refuses.items()}
    if roll.kind == SYMBOLS:
        named = {folded(n): id_ for id_, d in roll.dice.items() for n in (id_, *d.aliases, d.name)}
        shown = tuple(str(die.name) for die in roll.dice.values())
        if rules is None:
            return ResolvedRoll(roll, title, RollWords(named, shown=shown, fewer=False))
        added = language.added_dice(roll, rules, options)
        words = replace(added, dice=named, shown=(*shown, *added.shown), refuses=refuses)
        upgrades = {str(die): str(better) for die, better in roll.upgrades.items()}
        words = replace(words, upgrades=upgrades)
        return ResolvedRoll(roll, title, words)
    targets, names = language.target_numbers(roll, rules)
    also, scope = roll.targets.also if roll.targets else (), rules and OptionScope(rules, options)
    least = integer_value(roll.least, scope) if roll.least is not None and scope else 0
    words = RollWords(
        letter=roll.letter.casefold(),
        faces=roll.faces,
        targets=targets,
        behind={folded(name): number for name, number in roll.behind.items()},
        behind_dice={folded(name): number for name, number in roll.behind_dice.items()},
        refuses=refuses,
        shown=(roll.letter, *names, *also, *roll.behind, *roll.behind_dice, *roll.words),
        pips=roll.pips,
        fewer=roll.fewer > 0,
        words={folded(word): str(text) for word, text in roll.words.items()},
    )
    return ResolvedRoll(roll, title, words, least)


def answer(question: Question, how: ResolvedRoll) -> Answer:
    """Return what may come of `question`; raises OddsError or FormulaError: no answer."""
    reading = " opposed by ".join(_reading(one, how) for one in question.each or (question,))
    how = _sided(question, how)
    with bounded_work():
        if how.roll.kind == SYMBOLS:
            thrown = throw_pool(how.roll, thrown_dice(question))
            chances = tuple(
                Chance(str(id_), outcome.label, chance_of(outcome.when, thrown))
                for id_, outcome in how.roll.outcomes.items()
            )
            spreads = tuple(_counted(id_, how, thrown) for id_ in thrown.counts)
            return Answer(question, how, reading, chances, spreads)
        found = *chances_of_sum(question, how), *_outcome_chances(question, how)
        mine = totals_of(question.pool, how)
        if question.other is None:
            return Answer(question, how, reading, found, (_spread("total", mine),))
        first = _spread("total of the first", mine)
        second = _spread("total of the second", other_totals(question, how))
        return Answer(question, how, reading, found, (first, second))


def _sided(question: Question, how: ResolvedRoll) -> ResolvedRoll:
    """Return a roll that succeeds on the side of the number that the question says."""
    if question.sides is None:
        return how
    under, beat = question.sides
    return replace(how, roll=replace(how.roll, under=under, beat=beat))


def _reading(question: Question, how: ResolvedRoll) -> str:
    """Return the question as it is understood, in words and codes of the ruleset."""
    parts = [_side_text(question.pool, how)]
    if question.other is not None:
        parts += ["against", _side_text(question.other, how)]
    elif question.target is not None:
        parts += ["against", str(goal(question))]
        parts += ["+", _code(extra_of(question), how)] if question.extra else []
    more = [
        f"{number:+d}".replace("-", "−") if name in "+-" else f"{name} {number:+d}"
        for name, number in question.more
    ]
    codes = [(name, _code({faces: n}, how)) for name, faces, n in question.extra]
    more += [f"+{code}" if name == "+" else f"{name} +{code}" for name, code in codes]
    if more and question.target is not None:
        more.insert(0, str(question.target))
    return " ".join(parts) + (f" ({', '.join(more)})" if more else "")


TOTAL_NAMES: Final = frozenset({"total", "natural", "target", "doubles"})
"""What formulas of outcomes see, where dice are not symbols."""


def known_outcomes(question: Question, how: ResolvedRoll) -> Iterator[tuple[str, Tree]]:
    """Yield the outcomes that the question has the numbers for, with their formulas."""
    lacking = {"target"} if question.target is None else set()
    for id_, outcome in how.roll.outcomes.items():
        tree = parse_formula(outcome.when)
        if question.other is None and not question.extra and not syntax.inputs(tree) & lacking:
            yield str(id_), tree


def _outcome_chances(question: Question, how: ResolvedRoll) -> Iterator[Chance]:
    found = dict(known_outcomes(question, how))
    totals, pips = (totals_of(question.pool, how) if found else NOTHING), question.pool.pips
    target = {} if question.target is None else {"target": goal(question)}
    asked = frozenset[str]().union(*map(syntax.inputs, found.values()))
    for id_, tree in found.items():
        outcome = how.roll.outcomes[id_]
        end, chance = totals.end, Fraction(0)
        if totals.tail is not None:
            sizes = {"total": 0, "natural": abs(pips), "doubles": 1}
            end = max(totals.first, _horizon(tree, _Numbers(target), sizes) + 1)
            names = {"total": end, "natural": end - pips, "doubles": 0, **target}
            chance = totals.at_least(end) * holds(outcome.when, _Numbers(names))
        for names, share in _throws(question.pool, how, totals.listed_below(end), asked):
            if names["total"] < end:
                chance += share * holds(outcome.when, _Numbers(names | target))
        yield Chance(id_, outcome.label, chance)


def _throws(
    pool: DicePool, how: ResolvedRoll, totals: Totals, asked: Collection[str]
) -> Iterator[tuple[dict[str, int], Fraction]]:
    """Yield what formulas see of each total, and its chance; doubles apart if they are `asked`."""
    doubles = doubles_of(pool, how) if "doubles" in asked else {}
    spend(_PER_TOTAL * len(totals.weights))
    for total, share in totals.listed():
        both = doubles.get(total, Fraction(0))
        for doubled, chance in ((0, share - both), (1, both)):
            if chance:
                yield {"total": total, "natural": total - pool.pips, "doubles": doubled}, chance


def _degrees(question: Question, how: ResolvedRoll) -> dict[int | Fraction, Fraction]:
    """Return how good a roll against a number is, by the roll's `degree` or else its success."""
    roll, found = _sided(question, how).roll, defaultdict[int | Fraction, Fraction](Fraction)
    totals = totals_of(question.pool, how)
    if totals.tail:
        raise FormulaError("dice that explode without end have no degrees: say how often")
    sign = f"{'<' if roll.under else '>'}{'' if roll.beat else '='}"
    degree = str(roll.degree or f"total {sign} target")
    asked = syntax.inputs(parse_formula(degree))
    readings = {str(id_): one.when for id_, one in roll.outcomes.items() if id_ in asked}
    asked = asked.union(*(syntax.inputs(parse_formula(when)) for when in readings.values()))
    for more, share in sum_of(extra_of(question)).listed():
        target = {"target": goal(question) + more}
        for names, chance in _throws(question.pool, how, totals, asked):
            seen = names | target
            seen |= {id_: int(holds(when, _Numbers(seen))) for id_, when in readings.items()}
            found[as_figure(value_of(degree, _Numbers(seen)))] += share * chance
    return found


_PER_TOTAL: Final = 5000  # the work of one formula for one total


def _horizon(tree: Tree, scope: _Numbers, sizes: Mapping[str, int]) -> int:
    """Return a bound of the totals at which the truth of a formula changes.

    What is added and compared are multiples of the total, and numbers whose sum is a bound; a
    formula that does more has none. `sizes` is how much each name may differ from the total or,
    for `doubles`, from 0.
    """
    if isinstance(tree, syntax.Name) and tree.name in sizes:
        return sizes[tree.name]
    if not syntax.inputs(tree) & sizes.keys():
        bound = as_figure(evaluate(tree, scope))
        return int(max(bound, -bound)) + 1
    multiplies = isinstance(tree, syntax.Binary) and tree.operator not in ("+", "-")
    if multiplies or (
        isinstance(tree, syntax.Call) and tree.function not in ("min", "max", "abs", "sum")
    ):
        message = "of dice that explode, formulas can only add to `total` and compare it"
        raise FormulaError(message, tree.at)
    return sum(_horizon(child, scope, sizes) for child in syntax.children(tree))


def pool_text(pool: DicePool, how: ResolvedRoll) -> str:
    """Return `pool` as a reader writes it."""
    if how.roll.kind == SYMBOLS:
        named = (f"{n} {how.roll.dice[die].name}" for die, n in pool.dice.items() if n)
        return ", ".join(named) or "–"
    dice = left_of(pool, how)
    code = _code(dice, how) or ("" if pool.terms else f"0{how.roll.letter}")
    for term in pool.terms:
        sign = (" + " if code else "") if term.count > 0 else " − "
        code += f"{sign if code else sign.lstrip()}{_term_text(term, how)}"
    return f"{code}{pool.pips:+d}".replace("-", "−") if pool.pips else code


def _code(dice: Mapping[int, int], how: ResolvedRoll) -> str:
    usual, letter = how.roll.faces, how.roll.letter
    return " + ".join(f"{n}{letter}{'' if f == usual else f}" for f, n in dice.items())


def _term_text(term: RollTerm, how: ResolvedRoll) -> str:
    if not term.function:
        return _code({term.faces: term.count}, how) if term.faces else str(term.count)
    numbers = [str(number).replace("-", "−") for number in term.numbers]
    dice = [_term_text(inner, how) for inner in term.terms]
    numbers_first = term.function in (language.BEST, language.WORST)
    parts = [*numbers, *dice] if numbers_first else [*dice, *numbers]
    return f"{term.function}({', '.join(parts)})"


def _side_text(pool: DicePool, how: ResolvedRoll) -> str:
    text = pool_text(pool, how)
    if pool.actions == 1 or how.roll.kind == SYMBOLS:
        return text
    all_dice = pool_text(DicePool(pool.dice, pool.pips), how)
    return f"{text} ({all_dice}, {pool.actions} actions)"


MOST_SYMBOL_DICE: Final = 40  # the most dice that are counted, which takes some seconds


class _Numbers:
    """The scope of an outcome: the counts of one roll."""

    def __init__(self, values: Mapping[str, int]) -> None:
        self.values = values

    def value(self, name: str) -> Value | None:
        return self.values.get(name)

    def ask(self, function: str, names: object) -> Value:
        raise FormulaError(f"`{function}` needs a character, and a roll has none")

    def formula(self, name: str) -> None:
        return None


def thrown_dice(question: Question) -> dict[str, int]:
    """Return the dice of both sides together; raises OddsError: there are too many."""
    pool = dict(question.pool.dice)
    for die, count in (question.other.dice if question.other else {}).items():
        pool[die] = pool.get(die, 0) + count
    if sum(pool.values()) > MOST_SYMBOL_DICE:
        message = f"at most {MOST_SYMBOL_DICE} dice with symbols are counted"
        raise OddsError(message, 0, len(question.text))
    return {die: max(0, count) for die, count in pool.items()}


def chance_of(when: str, found: Tallies) -> Fraction:
    """Return the chance that the formula `when` is true; evaluate it once for equal inputs."""
    tree = parse_formula(when)
    needed = [at for at, count in enumerate(found.counts) if count in syntax.inputs(tree)]
    held: dict[tuple[int, ...], bool] = {}
    weight = 0
    for tally, times in found.weights.items():
        key = tuple(tally[at] for at in needed)
        if key not in held:
            values = {found.counts[at]: n for at, n in zip(needed, key, strict=True)}
            held[key] = holds(when, _Numbers(values))
        weight += times if held[key] else 0
    return Fraction(weight, found.denominator)


def _counted(id_: str, how: ResolvedRoll, found: Tallies) -> Distribution:
    numbers, rest, rows = found.of(id_), Fraction(1), []
    for number, chance in numbers.items():
        rows.append((number, chance, rest))
        rest -= chance
    mean = sum((number * chance for number, chance in numbers.items()), Fraction(0))
    return Distribution(how.roll.counts[id_].label, mean, tuple(rows))


HALF = Fraction(1, 2)
MOST_POINTS = 300  # the most points of one curve; beyond it a curve has one point for each column


class GridError(Exception):
    """A row or a column of a grid that cannot be read; `place` is its text."""

    def __init__(self, place: str, error: OddsError) -> None:
        super().__init__(str(error))
        self.place, self.error = place, error


def compute_grid(
    rules: Ruleset, id_: str, grid: OddsGrid, options: Mapping[str, Value] | None = None
) -> ComputedGrid:
    """Return a grid with exact chances; raises GridError: its texts, or FormulaError: its roll."""
    how = resolve_roll(roll_of(rules, grid), rules, options)
    with bounded_work():
        questions = questions_of(grid, how)
        call = {str(key): text for key, text in grid.call.items()}
        rows = tuple(call.get(str(row), str(row)) for row in grid.rows)
        columns = tuple(call.get(str(over), str(over)) for over in grid.over)
        shown = shown_outcomes(grid, how.roll)
        goals: tuple[int, ...] = ()
        if not grid.over:  # a row for each pool, and a column for each outcome
            labels = [how.roll.outcomes[outcome].label for outcome in shown]
            columns = tuple(call.get(label, label) for label in labels)
            cells = tuple(of_outcomes(question, shown, how) for (question,) in questions)
        elif shown:
            names, listed = list[str](), list[tuple[Fraction, ...]]()
            labels = [how.roll.outcomes[id_].label for id_ in shown]
            for pool, row in zip(rows, questions, strict=True):
                several = labels if len(rows) == 1 else [f"{pool} {label}" for label in labels]
                names += several if len(shown) > 1 else [pool]
                listed += zip(*(of_outcomes(question, shown, how) for question in row), strict=True)
            rows, cells = tuple(names), tuple(listed)
        else:
            cells = tuple(_chances(row, how) for row in questions)
            targets = [goal(question) for question in questions[0] if question.target is not None]
            rising = len(targets) == len(questions[0]) and targets == sorted(set(targets))
            goals = tuple(targets) if rising else ()
        feet, curves = goals or tuple(range(len(columns))), tuple[Curve, ...]()
        if grid.curves and goals:
            between = tuple(range(goals[0], goals[-1] + 1))
            points = between if len(between) <= MOST_POINTS else goals
            curves = tuple(_curve(row[0], points, how) for row in questions)
        elif grid.curves and grid.over:
            curves = tuple(tuple(enumerate(chances)) for chances in cells)
        shape = (rows, columns, cells, curves, feet)
        return ComputedGrid(id_, grid.label, grid.about, grid.text, *shape)


def shown_outcomes(grid: OddsGrid, roll: RollRules) -> tuple[str, ...]:
    """Return the ids of the outcomes that a grid shows; none if it shows the success of a total."""
    if grid.outcome or not grid.over:
        return tuple(map(str, grid.outcome or roll.outcomes))
    return (str(next(iter(roll.outcomes))),) if roll.kind == SYMBOLS else ()


def grid_chance(
    rules: Ruleset, name: str, options: Mapping[str, Value], cache: dict[str, ComputedGrid]
) -> Fraction | None:
    """Return the chance `GRID.OUTCOME.COLUMN`; raises FormulaError. Grids stay in `cache`."""
    id_, _, rest = name.partition(".")
    outcome, _, column = rest.partition(".")
    rule = rules.odds.grids.get(id_) if rules.odds else None
    if rule is None:
        return None
    try:
        grid = cache[id_] if id_ in cache else compute_grid(rules, id_, rule, options)
    except GridError as error:
        raise FormulaError(f"`{error.place}`: {error}") from None
    cache[id_] = grid
    columns = [folded(text).replace(" ", "_") for text in grid.columns]
    outcomes = [str(one) for one in rule.outcome] or [""]
    if column not in columns or outcome not in outcomes:
        return None
    return grid.cells[outcomes.index(outcome)][columns.index(column)]


def chance_names(rules: Ruleset) -> Iterator[str]:
    """Yield the names of all chances that `chance_of` knows."""
    for id_, grid in (rules.odds.grids if rules.odds else {}).items():
        columns = [folded(grid.call.get(text, text)).replace(" ", "_") for text in grid.over]
        yield from (f"odds.{id_}.{outcome}.{c}" for outcome in grid.outcome for c in columns)


def roll_of(rules: Ruleset, grid: OddsGrid) -> RollRules:
    """Return the roll of a grid; the ruleset has odds."""
    assert rules.odds is not None
    rolls = rules.odds.rolls
    return rolls[str(grid.roll)] if grid.roll else next(iter(rolls.values()))


def questions_of(grid: OddsGrid, how: ResolvedRoll) -> list[list[Question]]:
    """Return the question of each cell by row; raises GridError: one cannot be read."""
    shown = shown_outcomes(grid, how.roll)
    return [[_question(r, over, how, shown) for over in grid.over or ("",)] for r in grid.rows]


def _question(row: str, over: str, how: ResolvedRoll, shown: Sequence[str]) -> Question:
    """Return the question of one cell; an error names the row or the column that is wrong."""
    try:
        alone = _read(row, how)
    except OddsError as error:
        raise GridError(row, error) from None
    start = f"{row} vs " if over.strip() else row  # nothing behind `vs`: the row alone
    try:
        found = _read(start + over, how) if over.strip() else alone
        asked = set() if how.roll.kind == SYMBOLS else set(shown)
        lacking = asked - {id_ for id_, _ in known_outcomes(found, how)}
        if lacking:
            label = how.roll.outcomes[min(lacking)].label
            raise OddsError(f"`{label}` needs a target number, and no dice oppose it", 0)
        return found
    except OddsError as error:
        wrong = OddsError(str(error), max(0, error.at - len(start)), error.width, error.hint)
        raise GridError(over if over.strip() else row, wrong) from None


def _read(text: str, how: ResolvedRoll) -> Question:
    question = language.parse_question(text, how.words)
    if how.roll.kind == SYMBOLS:
        thrown_dice(question)  # raises if they are too many
    return question


def _chances(row: list[Question], how: ResolvedRoll) -> tuple[Fraction, ...]:
    if all(question.target is not None for question in row):
        return tuple(chance for _, chance in _curve(row[0], tuple(map(goal, row)), how))
    return tuple(chances_of_sum(question, how)[0].value for question in row)


def of_outcomes(
    question: Question, shown: Sequence[str], how: ResolvedRoll
) -> tuple[Fraction, ...]:
    """Return the chances of some outcomes of a roll."""
    symbols = how.roll.kind == SYMBOLS
    chances = answer(question, how).chances if symbols else _outcome_chances(question, how)
    found = {chance.id: chance.value for chance in chances}
    return tuple(found[id_] for id_ in shown)


def _curve(question: Question, targets: tuple[int, ...], how: ResolvedRoll) -> Curve:
    if fails(question.pool, how):
        return tuple((target, Fraction(0)) for target in targets)
    totals = totals_of(question.pool, how)
    return tuple((target, reach(totals, target, how)) for target in targets)


def cell_text(chance: Fraction) -> str:
    """Return a chance in per cent; `–` is impossible, and none is rounded to 0, 50 or 100."""
    if chance == 0:
        return "–"
    percent = half_up(chance * 100)
    rounded = {0: "<1", 100: ">99" if chance != 1 else "100"}
    rounded |= {50: "<50"} if chance < HALF else {}
    return rounded.get(percent, str(percent))


@frozen
class _Kind:
    """Dice of one kind, or what a function of dice gives."""

    faces: Totals  # what one of them shows
    again: int = 0  # how often its highest face is rolled again at most; -1 for without end

    def scores(self, score: Callable[[int], int], last: int) -> Totals:
        """Return the totals of what its faces score, those above `last` alike; all rolls do."""
        chances: dict[int, Fraction] = defaultdict(Fraction)
        last = self.faces.end - 1 if self.again else last
        for face, chance in self.faces.listed_below(last).listed():
            if face < last:
                chances[score(face)] += chance
        share = self.faces.at_least(last)
        if self.again:
            low = distributions.totals_by_chance(chances)
            return distributions.rolled_again(low, share, score(last), self.again)
        chances[score(last)] += share
        return distributions.totals_by_chance(chances)

    @property
    def value(self) -> Totals:
        """The totals of one of them."""
        return self.scores(lambda face: face, self.faces.end - 1) if self.again else self.faces


def _hand(term: RollTerm) -> list[tuple[_Kind, int]]:
    """Return what a term rolls: kinds, and how many of each; raises FormulaError: no odds."""
    if not term.function:
        faces = term.faces
        plain = Totals(1, (1,) * faces, faces) if faces else NOTHING.moved(term.count)
        return [(_Kind(plain), term.count if faces else 1)]
    if term.function not in (language.EXPLODE, language.REROLL):
        return [(_Kind(_function_totals(replace(term, count=1))), term.count)]
    below = [(kind, n * term.count) for inner in term.terms for kind, n in _hand(inner)]
    if any(kind.again or kind.faces.tail for kind, _ in below):
        raise FormulaError(f"`{term.function}` takes dice that do not explode already")
    if term.function == language.EXPLODE:
        more = term.numbers[0] if term.numbers else -1
        return [(_Kind(k.faces, more if len(k.faces.weights) > 1 else 0), n) for k, n in below]
    most, again = term.numbers[0], list[tuple[_Kind, int]]()
    for kind, count in below:
        low = kind.faces.below(most + 1)
        chances = {face: chance * (low + (face > most)) for face, chance in kind.faces.listed()}
        again.append((_Kind(distributions.totals_by_chance(chances)), count))
    return again


@lru_cache(maxsize=32)
def _function_totals(term: RollTerm) -> Totals:
    hand = [kind for inner in term.terms for kind in _hand(inner)]
    if term.function == language.COUNT:

        def score(face: int) -> int:
            return sum(face >= n if n > 0 else -(face <= -n) for n in term.numbers)

        last = max(map(abs, term.numbers)) + 1
        return add_up([(kind.scores(score, max(last, kind.faces.first)), n) for kind, n in hand])
    values = [(kind.value, count) for kind, count in hand]
    if term.function in (language.BEST, language.WORST):
        return distributions.keep(values, term.numbers[0], best=term.function == language.BEST)
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
    return distributions.join_parts(roll_parts(pool, how).values())


def doubles_of(pool: DicePool, how: ResolvedRoll) -> dict[int, Fraction]:
    """Return the totals of doubles, of a d100 by digits; raises FormulaError: not plain dice."""
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
            every, other = distributions.join_parts(parts.values()), other_totals(question, how)
            if question.each:  # by degree, in place of which ranks are compared
                degrees = [_degrees(one, how) for one in question.each]
                ranks = {degree: at for at, degree in enumerate(sorted({*degrees[0], *degrees[1]}))}
                every, other = (
                    distributions.totals_by_chance({ranks[d]: chance for d, chance in one.items()})
                    for one in degrees
                )
            high, same, low = distributions.opposed(every, other)
            high, low = (low, high) if how.roll.under and not question.each else (high, low)
        ties = question.ties or str(how.roll.ties)
        first, second = high + same * (ties == "first"), low + same * (ties == "second")
        if ties == "again" and same != 1:
            first, second = high / (1 - same), low / (1 - same)
        who = {"first": "for the first", "second": "for the second", "again": "rolled again"}
        what = "degrees" if question.each else "totals"
        return [
            Chance(SUCCESS, "the first wins", first),
            Chance("second", "the second wins", second),
            Chance("tie", f"equal {what}, {who.get(ties, 'for neither')}", same, True),
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
    if (wild := how.roll.wild) is None or 0 in parts:
        return chances
    marks = {int(face): text for face, text in wild.marks.items()}
    if wild.one == COMPLICATION:
        marks.setdefault(1, COMPLICATION)
    for face, text in sorted(marks.items()):
        chances.append(Chance(f"face_{face}", f"{wild.name} {face}: {text}", parts[face].mass))
        if hit:
            chances.append(Chance(f"face_{face}_and_success", "and a success", hit[face], True))
    return chances


_RARE: Final = Fraction(1, 2000)
"""Infinite totals are listed until the rest is less likely than this."""


def _spread(label: str, totals: Totals) -> Distribution:
    rest, rows, end = totals.mass, [], totals.first
    while totals.tail and totals.at_least(end) > _RARE:
        end += distributions.AHEAD
    for total, chance in totals.listed_below(end).listed():
        if totals.tail and rest < _RARE:
            break
        rows.append((total, chance, rest))
        rest -= chance
    mean: Fraction | None = None
    with contextlib.suppress(FormulaError), bounded_work(distributions.MOST_WORK // 8):
        mean = totals.moment
    return Distribution(label, mean, tuple(rows), bool(totals.tail))


def extra_of(question: Question) -> dict[int, int]:
    """Return the dice added to the target number or to the opposing total, by faces."""
    found = Counter[int]()
    for _, faces, count in question.extra:
        found[faces] += count
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
    """Return the totals of dice by the wild one's first face; it may roll again."""
    others = {f: n - (f == faces) for f, n in dice.items()}
    rest, share = sum_of(others), Fraction(1, faces)
    parts = {face: rest.moved(face).part(share) for face in range(1, faces + 1)}
    if one == SUBTRACT:
        parts[1] = distributions.without_highest(others).part(share)
    if again and faces > 1:
        wild = distributions.rolled_again(Totals(1, (1,) * (faces - 1), faces), share, faces, -1)
        parts[faces] = add_up([(rest, 1), (wild, 1)]).moved(faces).part(share)
    return parts


BLANK = "blank"  # the name of an empty face
Tally = tuple[int, ...]  # a number for each count of a roll, in the ruleset's order


@frozen
class Tallies:
    """The distribution of combinations of counts."""

    counts: tuple[str, ...]  # the ids of the counts
    weights: Mapping[Tally, int]  # the weight of each combination, out of `denominator`
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
    """Return what counts `pool` shows, and how often; raises FormulaError: there are too many."""
    counts = tuple(roll.counts.values())
    tallies = {
        id_: [(tally_of(face, counts), times) for face, times in roll.dice[id_].faces.items()]
        for id_ in pool
    }
    # All counts are packed into one integer with room for their maximum, so that one addition
    # adds them all. That takes a third of the time of tuples.
    room, packed = list[int](), {0: 1}
    for at in range(len(counts)):
        reached = (n * max(abs(one[at]) for one, _ in tallies[id_]) for id_, n in pool.items())
        room.append(2 * sum(reached) + 1)
    places = [prod(room[:at]) for at in range(len(room))]
    for id_, number in pool.items():
        faces: dict[int, int] = defaultdict(int)
        for tally, times in tallies[id_]:
            faces[sum(n * place for n, place in zip(tally, places, strict=True))] += times
        for _ in range(number):
            spend(200 * len(packed) * len(faces))
            if len(packed) > MOST_TALLIES:
                raise FormulaError("these dice have too many combinations of symbols to count")
            found: dict[int, int] = defaultdict(int)
            for total, weight in packed.items():
                for face, times in faces.items():
                    found[total + face] += weight * times
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
    numbers = ((sum(s in c.adds for s in shown), sum(s in c.less for s in shown)) for c in counts)
    return tuple(added - less for added, less in numbers)


SUM: Final = "sum"
SYMBOLS: Final = "symbols"
FAILS: Final = "fails"
SUCCESS: Final = "success"


@frozen
class ResolvedRoll:
    """A roll of a ruleset under the options in force: formulas evaluated, words known."""

    roll: RollRules
    title: str  # the ruleset and the roll, for readers
    words: RollWords
    least: int = 0  # the minimum number of dice that are left


@frozen
class Chance:
    """The chance of an outcome; a `part` of the outcome before it is printed as an aside."""

    id: str
    label: str
    value: Fraction
    part: bool = False


@frozen
class Distribution:
    """The distribution of a number."""

    label: str
    mean: Fraction | None  # none if it takes too long to compute
    # each number, its chance, and the chance of it or a higher one
    rows: tuple[tuple[int, Fraction, Fraction], ...]
    endless: bool = False  # whether there are higher numbers than the last row's


@frozen
class Answer:
    """The answer to a question. `reading`: the question as it was understood, in words."""

    question: Question
    rolling: ResolvedRoll
    reading: str
    chances: tuple[Chance, ...]
    spreads: tuple[Distribution, ...] = field(default=())
