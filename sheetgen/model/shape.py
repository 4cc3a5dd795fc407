"""What all models of a ruleset are made with: their formulas, and how they are classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, NamedTuple, TypeAlias, TypeVar, dataclass_transform

from sheetgen.model.source import Text

T = TypeVar("T")


class Range(NamedTuple):
    """What a whole number of a file may be, both ends included."""

    least: int
    most: int


USUAL = Range(-1_000_000, 1_000_000_000)
"""Of a number whose annotation has no range of its own."""

Count: TypeAlias = Annotated[int, Range(0, 1000)]
Positive: TypeAlias = Annotated[int, Range(1, 1000)]
Step: TypeAlias = Annotated[int, Range(-1000, 1000)]
Place: TypeAlias = Annotated[int, Range(1, 10_000)]
Argument: TypeAlias = Annotated[int, Range(-10_000, 10_000)]
Price: TypeAlias = Annotated[int, Range(0, 1_000_000_000)]
Faces: TypeAlias = Annotated[int, Range(2, 1000)]
Bands: TypeAlias = Annotated[int, Range(1, 20)]
Rounds: TypeAlias = Annotated[int, Range(1, 30)]
Copies: TypeAlias = Annotated[int, Range(1, 1000)]


class Formula(Text):
    """An expression of sheetgen's own small language, unparsed; it knows its place."""

    __slots__ = ()


class DiceCode(int):
    """A code of dice as a ruleset's file writes it: dice, or pips where there are some."""

    __slots__ = ()


class DesignNumber(float):
    """A number of a design, in points or modules: at most 1000 either way."""

    __slots__ = ()


class Length(DesignNumber):
    """A number of a design that is not negative."""

    __slots__ = ()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def rule_model(model: type[T]) -> type[T]:
    """Make `model` a frozen dataclass that is not compared and not printed.

    There are over thirty of them at each start of the command; methods that nobody calls
    would cost as much as filling a sheet.
    """
    return dataclass(frozen=True, slots=True, eq=False, repr=False)(model)
