"""Compute the odds that an HTML sheet shows: a small table, computed when it is printed.

The page looks up the chances of a code or of a pool against the difficulties of the ruleset's
printed grids. Chances are texts in per cent, with one decimal, without the sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from sheetgen.model.build import Value
from sheetgen.model.rulesets.odds import OddsGrid, RollRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.numbers import exact_percent
from sheetgen.rules.odds.answers import SYMBOLS, ResolvedRoll
from sheetgen.rules.odds.grid import questions_of, roll_of
from sheetgen.rules.odds.odds import answer, resolve_roll
from sheetgen.rules.odds.reader import parse_question
from sheetgen.rules.odds.roll_words import target_numbers
from sheetgen.rules.odds.sums import fails, goal, reach, totals_of
from sheetgen.rules.odds.words import DicePool

MOST_DICE: Final = 15
"""Most dice of a code in the table."""

MOST_POOL: Final = 6
"""Most dice with symbols in a pool in the table."""


def compute_sheet_odds(rules: Ruleset, options: Mapping[str, Value]) -> dict[str, Any] | None:
    """Return the odds of a ruleset as plain data; None if it prints none.

    Codes can be tapped where a grid is of sums, and pools where one is of dice with symbols.

    Raises:
        GridError: A row or a column of a grid cannot be read.
        FormulaError: A formula of a roll cannot be computed.
    """
    grids = list(rules.odds.grids.values()) if rules.odds is not None else []
    if not grids:
        return None
    found = [(grid, resolve_roll(roll_of(rules, grid), rules, options)) for grid in grids]
    drawn = [(grid, how) for grid, how in found if how.roll.kind == SYMBOLS]
    sums = [grid for grid, how in found if how.roll.kind != SYMBOLS]
    data = _symbols(rules, *drawn[0]) if drawn else {}
    return data | (_sums(rules, sums, options) if sums else {})


def _sums(
    rules: Ruleset, grids: Sequence[OddsGrid], options: Mapping[str, Value]
) -> dict[str, Any]:
    assert rules.odds is not None
    over = {id(roll_of(rules, grid)): grid for grid in reversed(grids)}
    rolls = []
    for roll in rules.odds.rolls.values():
        how = resolve_roll(roll, rules, options)
        if how.roll.kind == SYMBOLS:
            continue
        grid = over.get(id(roll)) or grids[0]
        goals = [goal(question) for question in questions_of(grid, how)[0]]
        rolls.append(
            {
                "label": roll.label,
                "heads": [[_level(number, roll, rules), str(number)] for number in goals],
                "table": dict(_codes(how, goals)),
            }
        )
    return {"letter": roll_of(rules, grids[0]).letter, "rolls": rolls}


def _level(number: int, roll: RollRules, rules: Ruleset) -> str:
    """Return the name of a target number: the last level that begins at or below it."""
    known, names = target_numbers(roll, rules)
    levels = zip(names, known.values(), strict=False)
    return next((name for name, least in reversed([*levels]) if least <= number), "")


def _codes(how: ResolvedRoll, goals: Sequence[int]) -> Iterator[tuple[str, str]]:
    for dice in range(1, MOST_DICE + 1):
        for pips in range(3 if how.roll.pips else 1):
            hand = DicePool({str(how.roll.faces): dice}, pips)
            totals = totals_of(hand, how)
            lost = fails(hand, how)
            chances = [0 if lost else reach(totals, goal, how) for goal in goals]
            shown = " ".join(_figure(chance) for chance in chances)
            yield f"{dice}+{pips}" if pips else str(dice), shown


def _figure(chance: Any) -> str:
    return exact_percent(chance).removesuffix("%")


def _symbols(rules: Ruleset, grid: OddsGrid, how: ResolvedRoll) -> dict[str, Any]:
    call = {str(key): heading for key, heading in grid.call.items()}
    against = {die for over in grid.over for die in parse_question(str(over), how.words).pool.dice}
    order = [str(die) for die in how.roll.dice if str(die) not in against]
    pools: dict[str, list[str]] = {}
    for pool in _pools(rules, order):
        name = " ".join(f"{die}:{count}" for die, count in pool.items())
        words = " ".join(f"{count} {die}" for die, count in pool.items())
        asked = [parse_question(f"{words} vs {over}", how.words) for over in grid.over]
        rows = zip(*(answer(question, how).chances for question in asked), strict=True)
        pools[name] = [" ".join(_figure(c.value) for c in chances) for chances in rows]
    used = {part.partition(":")[0] for name in pools for part in name.split()}
    return {
        "label": grid.label,
        "over": grid.about.rpartition("against ")[2],
        "dice": {die: str(how.roll.dice[die].name) for die in order if die in used},
        "columns": [call.get(str(over), str(over)) for over in grid.over],
        "outcomes": [outcome.label for outcome in how.roll.outcomes.values()],
        "pools": pools,
    }


def _pools(rules: Ruleset, order: list[str]) -> Iterator[dict[str, int]]:
    """Yield the smallest pools of the dice of each of the ruleset's own rolls.

    Dice that oppose a roll are in none of them.
    """
    rolls = {frozenset(map(str, roll.dice)) for roll in rules.rolls.values()}
    for dice in sorted(rolls, key=sorted):
        kinds = [die for die in order if die in dice]
        if len(kinds) < len(dice) or not 0 < len(kinds) < 3:
            continue
        counts = product(range(MOST_POOL + 1), repeat=len(kinds))
        for pool in sorted((p for p in counts if 0 < sum(p) <= MOST_POOL), key=sum):
            yield {die: count for die, count in zip(kinds, pool, strict=True) if count}
