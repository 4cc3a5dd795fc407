"""How a game rolls its dice, and which odds are printed; the fields are the keys of odds.yaml.

content/rulesets/README.md is the manual of this format; keep the two in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Argument, Faces, Formula, rule_model
from sheetgen.model.shape import Count as Number
from sheetgen.model.source import Text


@rule_model
class Wild:
    """The one die of a roll that is told from the others.

    Attributes:
        again: Whether its highest face adds and rolls again, without end.
        one: What a 1 on its first roll does, a name of `rules.odds_wild.MODES`.
        marks: What a face of its first roll means besides, by face.
    """

    name: str
    again: bool = False
    one: Text | str = "add"
    marks: Mapping[str, str] = field(default_factory=dict)


@rule_model
class TargetNumbers:
    """Names of target numbers: two columns of a table of the ruleset.

    Attributes:
        name, number: The heads of the two columns.
        also: Other words for a name.
        die: In a roll of symbols: the die that the number counts.
    """

    table: Text
    name: Text
    number: Text
    also: Mapping[str, Text] = field(default_factory=dict)
    die: Text | None = None


@rule_model
class States:
    """States that add dice to a check: a catalogue, and the roll that says which dice."""

    of: Text
    roll: Text


@rule_model
class SymbolDie:
    """A die with symbols on its faces.

    Attributes:
        faces: How many faces show what: symbols with blanks between them, or `blank`.
    """

    name: Text
    faces: Mapping[str, Number]
    aliases: tuple[Text, ...] = ()


@rule_model
class Count:
    """Symbols that are counted together; those under `less` cancel those under `adds`."""

    label: str
    adds: tuple[Text, ...]
    less: tuple[Text, ...] = ()


@rule_model
class Outcome:
    """Something that a roll may come to: a formula of the counts."""

    label: str
    when: Text


@rule_model
class RollRules:
    """A way of rolling: dice that are added up, or dice whose symbols are counted.

    Attributes:
        kind: `sum` or `symbols`.
        letter: Behind a number of dice, as in 4D.
        pips: Whether a code may have them, as in 4D+2.
        beat: Whether a target number has to be beaten; else it may be met.
        fewer: Dice taken off for each action after the first.
        least: How many dice are left at least, whatever is taken off.
        no_dice: What no dice left mean: `nothing`, a total of 0, or `fails`.
        ties: Who wins an opposed roll with equal totals: `first`, `second` or `neither`.
        behind: What makes a target number higher, by name; none where the number has to be said.
        behind_dice: Words that add so many dice to a target number.
        states: Of symbols: states whose names add dice to the pool.
        adds: Of symbols: other words that add dice, by die.
        refuses: Words for which nobody rolls, and why.
        upgrades: Of symbols: the die that each die is upgraded to.
    """

    kind: Text
    label: str
    faces: Faces = 6
    letter: str = "D"
    pips: bool = True
    beat: bool = False
    wild: Wild | None = None
    fewer: Number = 1
    least: Formula | None = None
    no_dice: Text | str = "nothing"
    ties: Text | str = "neither"
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
        roll: One of the rolls; the first without it.
        outcome: Of a roll of symbols: which of its outcomes, the first without it; where there
            are several, each pool has a row for each.
        rows, over: What stands before and behind the `vs` of an expression.
        call: Other words for rows and columns.
        curves: Whether they are drawn; not where the columns have no order.
    """

    label: str
    rows: tuple[Text, ...]
    over: tuple[Text, ...]
    about: str = ""
    roll: Text | None = None
    outcome: tuple[Text, ...] = ()
    call: Mapping[str, str] = field(default_factory=dict)
    curves: bool = True
    text: str = ""


@rule_model
class Odds:
    """All ways of rolling of a game, and its printed odds; the first roll is the usual one."""

    rolls: Mapping[str, RollRules]
    grids: Mapping[str, OddsGrid] = field(default_factory=dict)
