"""What follows from ratings: derived values, tracks, lines of text, lists, and pools of dice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, TypeAlias

from sheetgen.model.shape import Count, Formula, GroupId, OneOf, Ref, Tag, rule_model
from sheetgen.model.source import Text

FigureForm: TypeAlias = Annotated[
    Text, OneOf("number format", ("number", "percent", "days", "short", "code", "dice"))
]


@rule_model
class Derived:
    """A computed value: one formula, or the sum of a formula over the traits of some groups.

    Attributes:
        value: The formula.
        sum: A formula that is added up over all traits of the groups in `over`.
        over: The groups that `sum` is added up over.
        use: A short note about what the value is for.
        as_: How the value is written; as a number without it.
        blank: What an empty sheet shows instead.
    """

    label: str = ""
    value: Formula | None = None
    sum: Formula | None = None
    over: tuple[GroupId, ...] = ()
    use: str = ""
    as_: FigureForm | None = None
    blank: str = ""
    text: str = ""
    ruling: str = ""


@rule_model
class Track:
    """Boxes to tick.

    Attributes:
        boxes: How many boxes there are.
        marked: The key of the file or the derived value that says how many boxes are marked.
        shown: How many boxes a blank sheet draws.
        steps: Which box leads to another state, by the name of the state.
    """

    boxes: Formula
    label: str = ""
    marked: (
        Annotated[Text, Ref("number without a rating", "number of the file or derived value")]
        | None
    ) = None
    shown: Count = 0
    steps: Mapping[str, Formula] = field(default_factory=dict)


@rule_model
class TextLine:
    """A line of text with {formulas}.

    Attributes:
        text: The line.
        blank: What an empty sheet shows; its formulas know only options.
        label: A name for the line; with one, the command `show` prints it too.
    """

    text: Text
    blank: Text | str = ""
    label: str = ""


@rule_model
class ItemRows:
    """Rows of a sheet: one for each item, choice or trait.

    Attributes:
        of: What has a row: `gear`, `choices.ID`, a group, or a key of the character's file.
        where: A tag that a thing must have.
        without: Tags that a thing must not have.
        roll: What is rolled in each row; without it, what the choice rolls.
        columns: The text of each column, with {formulas}.
    """

    of: Annotated[Text, Ref("things with rows", "key")]
    where: Tag | None = None
    without: tuple[Tag, ...] = ()
    roll: Annotated[Text, Ref("roll or trait", "roll")] | None = None
    columns: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class DiceMix:
    """A pool of different dice.

    Attributes:
        dice: How many of each die, by the id that `odds` gives the die, in the order of print.
        each: A group: each of its traits has this roll.
    """

    dice: Mapping[str, Formula]
    label: str = ""
    each: GroupId | None = None
