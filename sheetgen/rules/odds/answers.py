"""What a question about odds is answered by: chances, and how numbers are spread."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from sheetgen.model.rulesets.odds import RollRules
from sheetgen.rules.odds.words import Question, RollWords

SUM: Final = "sum"
SYMBOLS: Final = "symbols"
KINDS: Final = (SUM, SYMBOLS)
FAILS: Final = "fails"
NO_DICE: Final = ("nothing", FAILS)
SUCCESS: Final = "success"


@dataclass(frozen=True, slots=True)
class ResolvedRoll:
    """A roll of a ruleset as this table plays it: its formulas worked out, its words known.

    Attributes:
        title: Whose roll it is, for a reader.
        least: How many dice are left at least.
    """

    roll: RollRules
    title: str
    words: RollWords
    least: int = 0


@dataclass(frozen=True, slots=True)
class Chance:
    """Something that may come of a roll. `id` is for programs; `part` is told as an aside."""

    id: str
    label: str
    value: Fraction
    part: bool = False


@dataclass(frozen=True, slots=True)
class Distribution:
    """How numbers are spread.

    Attributes:
        rows: A number, how likely it is, and how likely it or a higher one.
        endless: Whether numbers go on beyond the last row, ever less likely.
    """

    label: str
    mean: Fraction
    rows: tuple[tuple[int, Fraction, Fraction], ...]
    endless: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """All that is known of a question.

    Attributes:
        said: What was understood, as a reader would write it.
    """

    question: Question
    rolling: ResolvedRoll
    reading: str
    chances: tuple[Chance, ...]
    spreads: tuple[Distribution, ...] = field(default=())
