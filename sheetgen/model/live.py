"""Live sheets: the program made from the rules, and the figures of one character."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from sheetgen.records import frozen


@frozen
class LiveFigures:
    """What a program needs to know of a character.

    Attributes:
        asks: Calls of functions in formulas, such as `("has", ("name of a choice",))`.
        options: Options in formulas.
        states: Keys whose pick is marked in boxes on the sheet, so that no call counts it.
        columns: The naming column of each list whose texts the program computes, and the names
            in these texts.
        formulas: Formulas of `modifies`, and texts of choices and items, that it computes.
        starts: Pools whose start the program computes.
        modified: Derived values whose explanation names what items add.
    """

    asks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    options: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, frozenset[str]]] | None = None
    formulas: frozenset[str] = frozenset()
    starts: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()


Figures: TypeAlias = Callable[[LiveFigures], Mapping[str, Any]]
"""Returns the figures of a build as plain data, by the names that engine.js uses."""


@frozen
class Live:
    """The arithmetic of a sheet as JavaScript, which engine.js runs.

    Attributes:
        program: A function expression, the same for all sheets of a design and ruleset.
        data: The figures of one character, as JSON.
        outputs: Fields that are computed, in this order.
        cells: Outputs in which a player may type.
        inputs: Fields that are read.
        hints: Fields, or first parts of their names, that findings may be about.
    """

    program: str
    data: str
    outputs: tuple[str, ...]
    cells: frozenset[str] = frozenset()
    inputs: frozenset[str] = frozenset()
    hints: tuple[str, ...] = ()
