"""What makes a sheet live: a program from its rules, and the figures of one character."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """What a program has to be told of a character.

    Attributes:
        asks: Questions of formulas: function and names, such as `("has", ("name of a choice",))`.
        options: Options that formulas name.
        states: Keys whose pick is marked in boxes on the sheet, so that no question counts it.
        columns: Columns of lists whose text follows the ratings, with the names in them, by list.
        starts: Pools whose start the program works out.
        modified: Derived values whose sum names what items add.
    """

    asks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    options: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, frozenset[str]]] | None = None
    starts: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()


Figures: TypeAlias = Callable[[LiveFigures], Mapping[str, Any]]
"""Gives the figures of a checked character, as plain data by the names that engine.js knows."""


@dataclass(frozen=True, slots=True)
class Live:
    """A sheet's own arithmetic, as JavaScript; engine.js runs it.

    Attributes:
        program: A function expression; the same for all sheets of one design and ruleset.
        data: An object literal, and JSON: the figures of one character.
        outputs: Fields that are calculated, in the order of calculation.
        cells: Those of them in which a player may type all the same.
        inputs: Fields that are read.
        hints: What findings are about: fields, or what stands before the last parts of their names.
    """

    program: str
    data: str
    outputs: tuple[str, ...]
    cells: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    hints: tuple[str, ...] = ()
