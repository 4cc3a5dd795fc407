"""The classes of answers to questions about odds: chances and distributions."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from typing import Final

from sheetgen.model.rulesets.odds import RollRules
from sheetgen.records import frozen
from sheetgen.rules.odds.words import Question, RollWords

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
