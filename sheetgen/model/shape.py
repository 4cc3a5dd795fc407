"""What all models of a ruleset are made with: their formulas, and how they are classes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

from sheetgen.model.source import Text

T = TypeVar("T")


class Formula(Text):
    """An expression of sheetgen's own small language, unparsed; it knows its place."""

    __slots__ = ()


class Code(int):
    """A code of dice as a ruleset's file writes it: dice, or pips where there are some."""

    __slots__ = ()


class Number(float):
    """A number of a design, in points or modules: at most 1000 either way."""

    __slots__ = ()


class Measure(Number):
    """A number of a design that is not negative."""

    __slots__ = ()


class Count(int):
    """How many of something a design draws: 0 to 1000."""

    __slots__ = ()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def rule_model(model: type[T]) -> type[T]:
    """Make `model` a frozen dataclass that is not compared and not printed.

    There are over thirty of them at each start of the command; methods that nobody calls
    would cost as much as filling a sheet.
    """
    return dataclass(frozen=True, slots=True, eq=False, repr=False)(model)
