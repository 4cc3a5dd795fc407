"""Grids of odds: the chances of some pools against some targets, and their curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from sheetgen.model.build import Value
from sheetgen.model.rulesets.odds import OddsGrid, RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.records import frozen
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.numbers import half_up
from sheetgen.rules.names import folded
from sheetgen.rules.odds.answers import SYMBOLS, ResolvedRoll
from sheetgen.rules.odds.odds import answer, resolve_roll
from sheetgen.rules.odds.outcomes import thrown_dice
from sheetgen.rules.odds.reader import parse_question
from sheetgen.rules.odds.sums import fails, goal, reach, totals_of
from sheetgen.rules.odds.words import OddsError, Question

HALF = Fraction(1, 2)
MOST_POINTS = 300
"""The most points of one curve; beyond it a curve has one point for each column."""

MOST_ROWS = 14
MOST_COLUMNS = 10
"""The most rows and columns of a printed grid that are legible on a page."""

Curve = tuple[tuple[int, Fraction], ...]
"""Positions on the horizontal axis, and the chance at each."""


@frozen
class ComputedGrid:
    """A computed grid.

    Attributes:
        cells: The chances, by row and column.
        curves: One for each row, at every target number or else at every column; none if the
            columns have no order.
        feet: The position of each column on the horizontal axis.
    """

    id: str
    label: str
    about: str
    text: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Fraction, ...], ...]
    curves: tuple[Curve, ...]
    feet: tuple[int, ...]


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
    questions = questions_of(grid, how)
    call = {str(key): text for key, text in grid.call.items()}
    pools = [call.get(str(row), str(row)) for row in grid.rows]
    columns = tuple(call.get(str(over), str(over)) for over in grid.over)
    if how.roll.kind == SYMBOLS:
        rows, cells = _outcomes(pools, questions, grid, how)
    else:
        rows, cells = tuple(pools), tuple(_chances(row, how) for row in questions)
    goals = _goals(questions[0])
    feet = goals or tuple(range(len(columns)))
    curves: tuple[Curve, ...] = ()
    if grid.curves and goals:
        between = tuple(range(goals[0], goals[-1] + 1))
        points = between if len(between) <= MOST_POINTS else goals
        curves = tuple(_curve(row[0], points, how) for row in questions)
    elif grid.curves:
        curves = tuple(tuple(enumerate(chances)) for chances in cells)
    return ComputedGrid(id_, grid.label, grid.about, grid.text, rows, columns, cells, curves, feet)


def chance_of(
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
    return [[_question(row, over, how) for over in grid.over] for row in grid.rows]


def _question(row: str, over: str, how: ResolvedRoll) -> Question:
    """Return the question of one cell; an error names the row or the column that is wrong."""
    try:
        _read(row, how)
    except OddsError as error:
        raise GridError(row, error) from None
    start = f"{row} vs " if over.strip() else row  # nothing behind `vs`: the row alone
    try:
        return _read(start + over, how)
    except OddsError as error:
        at = max(0, error.at - len(start))
        raise GridError(over, OddsError(str(error), at, error.width, error.hint)) from None


def _read(text: str, how: ResolvedRoll) -> Question:
    question = parse_question(text, how.words)
    if how.roll.kind == SYMBOLS:
        thrown_dice(question)  # raises if they are too many
    return question


def _chances(row: list[Question], how: ResolvedRoll) -> tuple[Fraction, ...]:
    if all(question.target is not None for question in row):
        return tuple(chance for _, chance in _curve(row[0], tuple(map(goal, row)), how))
    return tuple(answer(question, how).chances[0].value for question in row)


def _outcomes(
    pools: list[str], questions: list[list[Question]], grid: OddsGrid, how: ResolvedRoll
) -> tuple[tuple[str, ...], tuple[tuple[Fraction, ...], ...]]:
    """Return the rows of a grid about symbols: their names, and the chances of each."""
    ids = [str(id_) for id_ in grid.outcome] or [str(next(iter(how.roll.outcomes)))]
    names, cells = [], []
    for pool, row in zip(pools, questions, strict=True):
        found = [{c.id: c.value for c in answer(question, how).chances} for question in row]
        for id_ in ids:
            label = how.roll.outcomes[id_].label
            alone = label if len(pools) == 1 else f"{pool} {label}"
            names.append(alone if len(ids) > 1 else pool)
            cells.append(tuple(chances[id_] for chances in found))
    return tuple(names), tuple(cells)


def _curve(question: Question, targets: tuple[int, ...], how: ResolvedRoll) -> Curve:
    """Return the chances of one pool at `targets`; its totals are computed once."""
    if fails(question.pool, how):
        return tuple((target, Fraction(0)) for target in targets)
    totals = totals_of(question.pool, how)
    return tuple((target, reach(totals, target, how)) for target in targets)


def _goals(row: list[Question]) -> tuple[int, ...]:
    """Return the target numbers of the columns, if all have one and they ascend."""
    goals = [goal(question) for question in row if question.target is not None]
    rising = len(goals) == len(row) and goals == sorted(set(goals))
    return tuple(goals) if rising else ()


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
