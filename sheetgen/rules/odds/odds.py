"""The answer to a question about odds: each possible outcome and its exact chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from sheetgen.model.build import Value
from sheetgen.model.computed import ComputedGrid, Curve
from sheetgen.model.rulesets.prints import OddsGrid, RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.evaluate import as_figure, evaluate, half_up, holds, integer_value
from sheetgen.rules.formulas.expressions import (
    Binary,
    Call,
    FormulaError,
    Name,
    Tree,
    children,
    inputs,
    parse_formula,
)
from sheetgen.rules.index import folded
from sheetgen.rules.odds.distributions import NOTHING, bounded_work, spend
from sheetgen.rules.odds.questions import (
    BEST,
    WORST,
    DicePool,
    OddsError,
    Question,
    RollTerm,
    RollWords,
    added_dice,
    parse_question,
    target_numbers,
)
from sheetgen.rules.odds.totals import (
    SYMBOLS,
    Answer,
    Chance,
    Distribution,
    ResolvedRoll,
    Tallies,
    answer_of_sum,
    chances_of_sum,
    doubles_of,
    extra_of,
    fails,
    goal,
    left_of,
    reach,
    throw_pool,
    totals_of,
)
from sheetgen.rules.scopes import OptionScope


def resolve_roll(
    roll: RollRules, rules: Ruleset | None = None, options: Mapping[str, Value] | None = None
) -> ResolvedRoll:
    """Return `roll` with its formulas and words resolved for `options`.

    Raises:
        FormulaError: One of its formulas has no value.
    """
    title = roll.label if rules is None else f"{rules.title}, {roll.label}"
    if roll.kind == SYMBOLS:
        named = {folded(n): id_ for id_, d in roll.dice.items() for n in (id_, *d.aliases, d.name)}
        shown = tuple(str(die.name) for die in roll.dice.values())
        if rules is None:
            return ResolvedRoll(roll, title, RollWords(named, shown=shown, fewer=False))
        added = added_dice(roll, rules, options)
        words = replace(
            added,
            dice=named,
            shown=(*shown, *added.shown),
            refuses={folded(word): why for word, why in roll.refuses.items()},
            upgrades={str(die): str(better) for die, better in roll.upgrades.items()},
        )
        return ResolvedRoll(roll, title, words)
    targets, names = target_numbers(roll, rules)
    also = roll.targets.also if roll.targets else ()
    behind = {folded(name): number for name, number in roll.behind.items()}
    least = 0
    if roll.least is not None and rules is not None:
        least = integer_value(roll.least, OptionScope(rules, options))
    words = RollWords(
        letter=roll.letter.casefold(),
        faces=roll.faces,
        targets=targets,
        behind=behind,
        behind_dice={folded(name): number for name, number in roll.behind_dice.items()},
        refuses={folded(word): why for word, why in roll.refuses.items()},
        shown=(roll.letter, *names, *also, *roll.behind, *roll.behind_dice, *roll.words),
        pips=roll.pips,
        fewer=roll.fewer > 0,
        words={folded(word): str(text) for word, text in roll.words.items()},
    )
    return ResolvedRoll(roll, title, words, least)


def answer(question: Question, how: ResolvedRoll) -> Answer:
    """Return what may come of `question`.

    Raises:
        OddsError: It asks for more than is counted.
        FormulaError: The formula of an outcome cannot be worked out.
    """
    if question.sides is not None:
        under, beat = question.sides
        how = replace(how, roll=replace(how.roll, under=under, beat=beat))
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
    for name, faces, count in question.extra:
        text = _code({faces: count}, how)
        more.append(f"+{text}" if name == "+" else f"{name} +{text}")
    if more and question.target is not None:
        more.insert(0, str(question.target))
    reading = " ".join(parts) + (f" ({', '.join(more)})" if more else "")
    with bounded_work():
        if how.roll.kind == SYMBOLS:
            return answer_of_symbols(question, how, reading)
        found = answer_of_sum(question, how, reading)
        return replace(found, chances=(*found.chances, *_outcome_chances(question, how)))


TOTAL_NAMES: Final = frozenset({"total", "natural", "target", "doubles"})
"""What formulas of outcomes see, where dice are not symbols."""


def known_outcomes(question: Question, how: ResolvedRoll) -> Iterator[tuple[str, Tree]]:
    """Yield the outcomes that the question has the numbers for, with their formulas."""
    lacking = {"target"} if question.target is None else set()
    for id_, outcome in how.roll.outcomes.items():
        tree = parse_formula(outcome.when)
        if question.other is None and not question.extra and not inputs(tree) & lacking:
            yield str(id_), tree


def _outcome_chances(question: Question, how: ResolvedRoll) -> Iterator[Chance]:
    """Yield the chances of the outcomes of a total."""
    found = dict(known_outcomes(question, how))
    totals, pips = (totals_of(question.pool, how) if found else NOTHING), question.pool.pips
    target = {} if question.target is None else {"target": goal(question)}
    asked = frozenset[str]().union(*map(inputs, found.values()))
    doubles = doubles_of(question.pool, how) if "doubles" in asked else {}
    for id_, tree in found.items():
        outcome = how.roll.outcomes[id_]

        def is_true(total: int, doubled: int, when: str = outcome.when) -> bool:
            names = {"total": total, "natural": total - pips, "doubles": doubled, **target}
            return holds(when, _Numbers(names))

        end, chance = totals.end, Fraction(0)
        if totals.tail is not None:
            sizes = {"total": 0, "natural": abs(pips), "doubles": 1}
            end = max(totals.first, _horizon(tree, _Numbers(target), sizes) + 1)
            chance = totals.at_least(end) if is_true(end, 0) else chance
        listed = totals.listed_below(end)
        spend(_PER_TOTAL * len(listed.weights))
        for total, share in listed.listed():
            if total < end:
                both = doubles.get(total, Fraction(0))
                chance += (share - both) * is_true(total, 0)
                chance += both * is_true(total, 1) if both else 0
        yield Chance(id_, outcome.label, chance)


_PER_TOTAL: Final = 5000  # the work of one formula for one total


def _horizon(tree: Tree, scope: _Numbers, sizes: Mapping[str, int]) -> int:
    """Return a bound of the totals at which the truth of a formula changes.

    What is added and compared are multiples of the total, and numbers whose sum is a bound.

    Args:
        sizes: How much each name for the total may differ from it or, for `doubles`, from 0.

    Raises:
        FormulaError: The formula does more with a total than to add and to compare it.
    """
    if isinstance(tree, Name) and tree.name in sizes:
        return sizes[tree.name]
    if not inputs(tree) & sizes.keys():
        bound = as_figure(evaluate(tree, scope))
        return int(max(bound, -bound)) + 1
    multiplies = isinstance(tree, Binary) and tree.operator not in ("+", "-")
    if multiplies or (isinstance(tree, Call) and tree.function not in ("min", "max", "abs", "sum")):
        message = "of dice that explode, formulas can only add to `total` and compare it"
        raise FormulaError(message, tree.at)
    return sum(_horizon(child, scope, sizes) for child in children(tree))


def pool_text(pool: DicePool, how: ResolvedRoll) -> str:
    """Return `pool` as a reader writes it."""
    if how.roll.kind == SYMBOLS:
        return (
            ", ".join(f"{n} {how.roll.dice[die].name}" for die, n in pool.dice.items() if n) or "–"
        )
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
    parts = [*numbers, *dice] if term.function in (BEST, WORST) else [*dice, *numbers]
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
    """Return the dice of both sides, which are thrown together.

    Raises:
        OddsError: There are too many.
    """
    pool = dict(question.pool.dice)
    for die, count in (question.other.dice if question.other else {}).items():
        pool[die] = pool.get(die, 0) + count
    if sum(pool.values()) > MOST_SYMBOL_DICE:
        message = f"at most {MOST_SYMBOL_DICE} dice with symbols are counted"
        raise OddsError(message, 0, len(question.text))
    return {die: max(0, count) for die, count in pool.items()}


def answer_of_symbols(question: Question, how: ResolvedRoll, reading: str) -> Answer:
    """Return the answer for dice with symbols.

    Raises:
        OddsError: There are too many dice.
        FormulaError: The formula of an outcome has no value.
    """
    found = throw_pool(how.roll, thrown_dice(question))
    chances = tuple(
        Chance(str(id_), outcome.label, chance_of(outcome.when, found))
        for id_, outcome in how.roll.outcomes.items()
    )
    spreads = tuple(_counted(id_, how, found) for id_ in found.counts)
    return Answer(question, how, reading, chances, spreads)


def chance_of(when: str, found: Tallies) -> Fraction:
    """Return the chance that the formula `when` is true; evaluate it once for equal inputs."""
    tree = parse_formula(when)
    needed = [at for at, count in enumerate(found.counts) if count in inputs(tree)]
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
    """Return a grid of a ruleset's odds with exact chances.

    Raises:
        GridError: One of its rows or columns cannot be read.
        FormulaError: A formula of its roll has no value.
    """
    how = resolve_roll(roll_of(rules, grid), rules, options)
    with bounded_work():
        return _compute_grid(id_, grid, how, questions_of(grid, how))


def _compute_grid(
    id_: str, grid: OddsGrid, how: ResolvedRoll, questions: list[list[Question]]
) -> ComputedGrid:
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
        rows, cells = _outcome_rows(rows, questions, shown, how)
    else:
        cells = tuple(_chances(row, how) for row in questions)
        targets = [goal(question) for question in questions[0] if question.target is not None]
        rising = len(targets) == len(questions[0]) and targets == sorted(set(targets))
        goals = tuple(targets) if rising else ()
    feet = goals or tuple(range(len(columns)))
    curves: tuple[Curve, ...] = ()
    if grid.curves and goals:
        between = tuple(range(goals[0], goals[-1] + 1))
        points = between if len(between) <= MOST_POINTS else goals
        curves = tuple(_curve(row[0], points, how) for row in questions)
    elif grid.curves and grid.over:
        curves = tuple(tuple(enumerate(chances)) for chances in cells)
    return ComputedGrid(id_, grid.label, grid.about, grid.text, rows, columns, cells, curves, feet)


def shown_outcomes(grid: OddsGrid, roll: RollRules) -> tuple[str, ...]:
    """Return the ids of the outcomes that a grid shows; none if it shows the success of a total."""
    if grid.outcome or not grid.over:
        return tuple(map(str, grid.outcome or roll.outcomes))
    return (str(next(iter(roll.outcomes))),) if roll.kind == SYMBOLS else ()


def grid_chance(
    rules: Ruleset, name: str, options: Mapping[str, Value], cache: dict[str, ComputedGrid]
) -> Fraction | None:
    """Return the chance `GRID.OUTCOME.COLUMN` of a grid with one pool.

    Args:
        cache: The grids computed so far; new ones are added.

    Raises:
        FormulaError: The grid cannot be computed.
    """
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
    """Return the question of each cell, row by row.

    Raises:
        GridError: A row or a column cannot be read.
    """
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
        at = max(0, error.at - len(start))
        wrong = OddsError(str(error), at, error.width, error.hint)
        raise GridError(over if over.strip() else row, wrong) from None


def _read(text: str, how: ResolvedRoll) -> Question:
    question = parse_question(text, how.words)
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


def _outcome_rows(
    pools: Sequence[str], questions: list[list[Question]], shown: Sequence[str], how: ResolvedRoll
) -> tuple[tuple[str, ...], tuple[tuple[Fraction, ...], ...]]:
    """Return the rows of a grid about outcomes: their names, and the chances of each."""
    names, cells = list[str](), list[tuple[Fraction, ...]]()
    for pool, row in zip(pools, questions, strict=True):
        labels = [how.roll.outcomes[id_].label for id_ in shown]
        several = labels if len(pools) == 1 else [f"{pool} {label}" for label in labels]
        names += several if len(shown) > 1 else [pool]
        cells += zip(*(of_outcomes(question, shown, how) for question in row), strict=True)
    return tuple(names), tuple(cells)


def _curve(question: Question, targets: tuple[int, ...], how: ResolvedRoll) -> Curve:
    """Return the chances of one pool at `targets`; its totals are computed once."""
    if fails(question.pool, how):
        return tuple((target, Fraction(0)) for target in targets)
    totals = totals_of(question.pool, how)
    return tuple((target, reach(totals, target, how)) for target in targets)


def cell_text(chance: Fraction) -> str:
    """Return a chance in per cent without decimals, as a grid prints it.

    An impossible outcome is a dash; no other chance is rounded to 0, 50 or 100.
    """
    if chance == 0:
        return "–"
    percent = half_up(chance * 100)
    if percent == 0:
        return "<1"
    if percent == 100 and chance != 1:
        return ">99"
    return "<50" if percent == 50 and chance < HALF else str(percent)
