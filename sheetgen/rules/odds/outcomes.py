"""Dice with symbols: the chances of the outcomes that the ruleset names."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from sheetgen.model.build import Value
from sheetgen.rules.formulas.evaluate import holds
from sheetgen.rules.formulas.expressions import FormulaError, parse_formula
from sheetgen.rules.formulas.trees import inputs
from sheetgen.rules.odds.answers import Answer, Chance, Distribution, ResolvedRoll
from sheetgen.rules.odds.symbols import Tallies, throw_pool
from sheetgen.rules.odds.words import OddsError, Question

MOST_SYMBOL_DICE: Final = 40
"""The most dice that are counted, which takes some seconds."""


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
