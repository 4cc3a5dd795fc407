"""How a ruleset's fights are printed; the fields are the keys of `encounter:` in its YAML.

What a piece or a figure is `of` is a name of a view, such as `soak.value`; see plan/sheets/view.py.
A roll, `attack.roll.text`, is drawn as dice where the dice have shapes.
"""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.model.shape import Rounds, rule_model
from sheetgen.model.source import Text


@rule_model
class FigureColumn:
    """A column of a strip: what stands over it, and what in it.

    Attributes:
        noted: The derived value that it shows, where its source may print another.
    """

    label: str
    of: Text
    noted: Text | None = None


@rule_model
class LinePiece:
    """Some words of a line.

    Attributes:
        unit: Stands behind it.
        strong: Whether it is set bold.
        apart: Whether a dot stands before it.
    """

    of: Text
    unit: str = ""
    strong: bool = False
    apart: bool = False


@rule_model
class StripLine:
    """A line below a name; a line of nothing is left out.

    Attributes:
        each: A list: a line for each of its rows, or all of them in one where `run` holds.
        beside: Whether it goes on in the line before.
    """

    parts: tuple[LinePiece, ...]
    each: Text | None = None
    run: bool = False
    beside: bool = False


@rule_model
class StripTrack:
    """Boxes to tick.

    Attributes:
        of: A track of the kind.
        inside: What stands in each box, with `{n}`; `end`, or the text of that name, in
            the one after the last.
        counts: A number of a group: where there is one, boxes count down to 1, and
            `counted`, words or the name of a text, says what.
    """

    of: Text
    label: str = ""
    inside: str = ""
    end: str = ""
    counts: Text | None = None
    counted: str = ""


@rule_model
class StateBox:
    """A box for a state that each copy may be in.

    Attributes:
        box: The word or letter in it.
        of: A flag of the kind or an entry of a choice; where a file has it, the box is marked.
    """

    box: str
    of: Text


@rule_model
class Sides:
    """Points that lie on sides: a box each to write in, with the number at the start.

    Attributes:
        of: The number of all; without it there are no boxes.
        start, over: Numbers: so many on each side, and so many sides have one more.
    """

    names: tuple[str, ...]
    of: Text
    start: Text
    over: Text


@rule_model
class StripRules:
    """What stands of each of a kind.

    Attributes:
        label: Over the names.
        order: The number by which they stand below each other, the highest first.
        corner: In the box for what they rolled.
        about: Stands behind the name.
        figures_about, steps_about: Over the columns of figures, and of steps.
        states: Boxes of states, over the track of each copy.
        tables: That a fight with this kind needs, besides those of every fight.
    """

    label: str
    figures: tuple[FigureColumn, ...]
    steps: tuple[FigureColumn, ...]
    order: Text | None = None
    corner: Text | None = None
    about: tuple[LinePiece, ...] = ()
    figures_about: str = ""
    steps_about: str = ""
    track: StripTrack | None = None
    states: tuple[StateBox, ...] = ()
    sides: Sides | None = None
    lines: tuple[StripLine, ...] = ()
    tables: tuple[Text, ...] = ()


@rule_model
class Encounters:
    """The page of a fight.

    Attributes:
        strips: By kind of file; a kind without one cannot fight.
        as_: The kind whose columns players have, to be filled in by hand.
        tables: That every fight needs.
    """

    strips: Mapping[str, StripRules]
    as_: Text
    init: str = "Init"
    round: str = "Round"
    rounds: Rounds = 8
    notes: str = "Notes"
    tables: tuple[Text, ...] = ()
