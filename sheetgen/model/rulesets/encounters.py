"""How encounters are printed; the fields are the keys of `encounter` in encounter.yaml.

What a piece or a figure is `of` is a name of a sheet's view, such as `soak.value`; see
plan/sheets/view.py. A roll, `attack.roll.text`, is drawn as dice where the dice have shapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from sheetgen.model.shape import FigurePlace, NumberId, Ref, Rounds, rule_model
from sheetgen.model.source import Text

PageTable: TypeAlias = Annotated[Text, Ref("table or page", "table")]


@rule_model
class FigureColumn:
    """A column of a strip.

    Attributes:
        label: The heading.
        of: The value that it shows, such as `soak.value`.
        noted: The number that it shows, footnoted where the source prints another.
    """

    label: str
    of: Text
    noted: NumberId | None = None


@rule_model
class LinePiece:
    """Some words of a line.

    Attributes:
        of: The value that they show, or a column of the line's list.
        unit: A unit behind the value.
        strong: Whether the words are bold.
        apart: Whether a dot separates them from the words before.
        column: The column of figures, from 1, that they are printed in; 0 for the line of text.
    """

    of: Text
    unit: str = ""
    strong: bool = False
    apart: bool = False
    column: FigurePlace = 0


@rule_model
class StripLine:
    """A line below a name; an empty line is left out.

    Attributes:
        parts: The words of the line.
        each: A list, whose rows have a line each.
        run: Whether all rows of the list stand in one line.
        beside: Whether the line continues the line before.
    """

    parts: tuple[LinePiece, ...]
    each: Annotated[Text, Ref("list")] | None = None
    run: bool = False
    beside: bool = False


@rule_model
class StripTrack:
    """Boxes to tick.

    Attributes:
        of: A track of the kind.
        label: The name of the track.
        inside: The text in each box, with `{n}` (its number) or `{left}` (how many follow it).
        words: The texts of the first boxes, instead of `inside`.
        end: The text in the box after the last, or the name of a line of text.
        counts: The number of members of a group: the boxes count down from it to 1.
        counted: What is counted: words, or the name of a line of text.
    """

    of: Annotated[Text, Ref("track")]
    label: str = ""
    inside: str = "{n}"
    words: tuple[str, ...] = ()
    end: str = ""
    counts: NumberId | None = None
    counted: str = ""


@rule_model
class StateBox:
    """A box for a state that each copy may be in.

    Attributes:
        box: The word or letter in it.
        of: A flag of the kind, or an entry of a choice; where a file has it, the box is marked.
    """

    box: str
    of: Text


@rule_model
class Sides:
    """Points on sides: a box to write in for each side, with the number at the start.

    Attributes:
        names: The sides.
        of: The number of all points; at 0 there are no boxes.
        start: The number of points on each side.
        over: How many sides have one more.
    """

    names: tuple[str, ...]
    of: NumberId
    start: NumberId
    over: NumberId


@rule_model
class StripRules:
    """What an encounter shows of each file of a kind.

    Attributes:
        label: The heading over the names.
        figures: Columns of figures.
        steps: Columns of the damage that leads to another state.
        order: The number that orders the strips, the highest first.
        corner: The value in the box for the initiative that was rolled.
        about: Words behind the name.
        figures_about: The heading over the figures.
        steps_about: The heading over the steps.
        track: Boxes to tick, for each copy.
        states: Boxes of states over the track of each copy.
        sides: Points on sides.
        lines: Lines below the name.
        tables: Tables that an encounter with this kind needs too.
    """

    label: str
    figures: tuple[FigureColumn, ...]
    steps: tuple[FigureColumn, ...] = ()
    order: NumberId | None = None
    corner: Text | None = None
    about: tuple[LinePiece, ...] = ()
    figures_about: str = ""
    steps_about: str = ""
    track: StripTrack | None = None
    states: tuple[StateBox, ...] = ()
    sides: Sides | None = None
    lines: tuple[StripLine, ...] = ()
    tables: tuple[PageTable, ...] = ()


@rule_model
class Encounters:
    """The pages of an encounter.

    Attributes:
        strips: What is shown of each kind of file; a kind without a strip cannot take part.
        as_: The kind whose columns players have, to be filled in by hand.
        init: The word for initiative.
        round: The word for a round.
        rounds: Boxes of the counter of rounds.
        notes: The heading of the room for notes.
        tables: Tables that every encounter needs.
    """

    strips: Mapping[Annotated[str, Ref("kind")], StripRules]
    as_: Annotated[Text, Ref("strip")]
    init: str = "Init"
    round: str = "Round"
    rounds: Rounds = 8
    notes: str = "Notes"
    tables: tuple[PageTable, ...] = ()


@rule_model
class Pieces:
    """What pieces for the table show of characters; those of kinds show what their strips do.

    Attributes:
        about: Words below the name.
        tent: Figures on the back of a tent, with their labels.
    """

    about: tuple[LinePiece, ...] = ()
    tent: tuple[FigureColumn, ...] = ()
