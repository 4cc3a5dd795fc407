"""How a game rolls its dice, and which odds are printed; the fields are the keys of odds.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, TypeAlias

from sheetgen.model.shape import (
    Argument,
    CatalogueId,
    Faces,
    Formula,
    OneOf,
    Ref,
    TableId,
    rule_model,
)
from sheetgen.model.shape import Count as Number
from sheetgen.model.source import Text

RollKind: TypeAlias = Annotated[Text, OneOf("kind of roll", ("sum", "symbols"))]
NoDice: TypeAlias = Annotated[Text, OneOf("meaning of no dice", ("nothing", "fails"))]
Winner: TypeAlias = Annotated[Text, OneOf("winner of ties", ("first", "second", "neither"))]
WildOne: TypeAlias = Annotated[Text, OneOf("meaning of a 1", ("add", "complication", "subtract"))]


@rule_model
class Wild:
    """The one die of a roll that differs from the others.

    Attributes:
        name: What the die is called.
        again: Whether its highest face adds and rolls again, without end.
        one: What a 1 on its first roll does: `add` counts it, `complication` counts and reports
            it, `subtract` removes it and the highest other die.
        marks: What a face of its first roll also means, by face.
    """

    name: str
    again: bool = False
    one: WildOne | str = "add"
    marks: Mapping[str, str] = field(default_factory=dict)


@rule_model
class TargetNumbers:
    """Names of target numbers: two columns of a table of the ruleset.

    Attributes:
        table: The table.
        name: The heading of the column of names.
        number: The heading of the column of numbers.
        also: Other words for a name.
        die: In a roll of symbols: the die that the number counts.
    """

    table: TableId
    name: Text
    number: Text
    also: Mapping[str, Text] = field(default_factory=dict)
    die: Text | None = None


@rule_model
class States:
    """States that add dice to a check.

    Attributes:
        of: The catalogue of the states.
        roll: The roll of the ruleset that says which dice they add.
    """

    of: CatalogueId
    roll: Annotated[Text, Ref("roll")]


@rule_model
class SymbolDie:
    """A die with symbols on its faces.

    Attributes:
        name: What the die is called.
        faces: How many faces show what: symbols separated by spaces, or `blank`.
    """

    name: Text
    faces: Mapping[str, Number]
    aliases: tuple[Text, ...] = ()


@rule_model
class Count:
    """Symbols that are counted together.

    Attributes:
        label: What is counted.
        adds: Symbols that add one each.
        less: Symbols that cancel one each.
    """

    label: str
    adds: tuple[Text, ...]
    less: tuple[Text, ...] = ()


@rule_model
class Outcome:
    """A result that a roll may have.

    Attributes:
        label: What the result is called.
        when: A formula of the counts.
    """

    label: str
    when: Text


@rule_model
class RollRules:
    """A way of rolling: dice that are added up, or dice whose symbols are counted.

    Attributes:
        kind: `sum` adds dice up, `symbols` counts symbols.
        label: What the roll is called.
        faces: Faces of the dice.
        letter: The letter behind a number of dice, as in 4D; `4D8` are dice with other faces.
        pips: Whether a code may have pips, as in 4D+2.
        beat: Whether a target number has to be beaten; else it may be met.
        under: Whether a total succeeds at or below the target number, as in percentile games;
            with `beat` only below it. In an opposed roll the lower total wins.
        wild: The one die that differs from the others.
        fewer: Dice that each action after the first takes off.
        least: How many dice are left at least, whatever is taken off.
        no_dice: What no dice left mean: `nothing` is a total of 0, `fails` never succeeds.
        ties: Who wins an opposed roll with equal totals.
        behind: What makes a target number higher, by name; `none` where an expression has to
            give the number.
        behind_dice: Words that add so many dice to a target number.
        targets: Names of target numbers.
        states: Of symbols: states whose names add dice to the pool.
        adds: Of symbols: other words that add dice, by die.
        refuses: Words for which nobody rolls, and why.
        upgrades: Of symbols: the die that each die is upgraded to.
        dice: Of symbols: the dice, by id.
        counts: Of symbols: what is counted, by id.
        outcomes: Of symbols: the results, by id.
    """

    kind: RollKind
    label: str
    faces: Faces = 6
    letter: str = "D"
    pips: bool = True
    beat: bool = False
    under: bool = False
    wild: Wild | None = None
    fewer: Number = 1
    least: Formula | None = None
    no_dice: NoDice | str = "nothing"
    ties: Winner | str = "neither"
    behind: Mapping[str, Argument | None] = field(default_factory=dict)
    behind_dice: Mapping[str, Argument] = field(default_factory=dict)
    targets: TargetNumbers | None = None
    states: States | None = None
    adds: Mapping[Text, Mapping[Text, Formula]] = field(default_factory=dict)
    refuses: Mapping[Text, str] = field(default_factory=dict)
    upgrades: Mapping[Text, Text] = field(default_factory=dict)
    dice: Mapping[str, SymbolDie] = field(default_factory=dict)
    counts: Mapping[str, Count] = field(default_factory=dict)
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)


@rule_model
class OddsGrid:
    """A printed grid of odds: a row for each pool, a column for what it is rolled against.

    Attributes:
        label: The heading.
        rows: The expressions before `vs`, one a row; at most 14 rows.
        over: What the rows are rolled against, behind `vs`; at most 10 columns.
        about: A short text below the heading.
        roll: One of the rolls; the first without it.
        outcome: Of a roll of symbols: the outcomes, the first without it; where there are
            several, each pool has a row for each.
        call: Other words for rows and columns.
        curves: Whether curves are drawn; not where the columns have no order.
        text: A text below the grid.
    """

    label: str
    rows: tuple[Text, ...]
    over: tuple[Text, ...]
    about: str = ""
    roll: Annotated[Text, Ref("roll of odds", "roll")] | None = None
    outcome: tuple[Text, ...] = ()
    call: Mapping[str, str] = field(default_factory=dict)
    curves: bool = True
    text: str = ""


@rule_model
class Odds:
    """How a game rolls its dice, and the odds that are printed.

    Attributes:
        rolls: The rolls, by id; the first is meant where none is named.
        grids: Printed grids of odds, by id.
    """

    rolls: Mapping[str, RollRules]
    grids: Mapping[str, OddsGrid] = field(default_factory=dict)
