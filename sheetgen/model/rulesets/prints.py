"""Printed tables, pages of tables, and cards of things; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Final, Literal, TypeAlias, get_args

from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.traits import Derived, FigureForm, Rule
from sheetgen.model.source import (
    Argument,
    Bands,
    CatalogueId,
    Count,
    Faces,
    FigurePlace,
    Formula,
    NumberId,
    OneOf,
    Place,
    Positive,
    Ref,
    Rounds,
    TableId,
    Text,
    rule_model,
)
from sheetgen.model.source import Count as Number

EMBLEM: Final = "emblem"  # the place of a card's picture; a shape is `emblem-PICTURE`
DECK, OTHERS = "deck", "others"
"""Keys of `emblems`: the picture on the backs of a deck, and that of what no other key names."""


@rule_model
class ComputedRow:
    """A row of a table whose figures follow from a formula of `n`.

    Attributes:
        label: The first cell of the row.
        value: The formula; a row with `total` has none.
        as_: How figures are written.
        also: The cells of further label columns.
        faces: What the formula knows as `faces`.
        apart: Whether a new part of the table begins with the row.
        total: Whether the row adds up those above it.
        strong: In a chart, whether the line has the accent colour.
        when: Where this does not hold, there is no such row.
    """

    label: Text | str
    value: Formula | None = None
    as_: FigureForm | str = "number"
    also: tuple[str, ...] = ()
    faces: Count = 0
    apart: bool = False
    total: bool = False
    strong: bool = False
    ruling: str = ""
    when: Formula | None = None


@rule_model
class Column:
    """A column of a table that has a row for each thing of a catalogue.

    Attributes:
        head: The heading of the column.
        text: The text of a cell, with {formulas} that know the thing.
        zero: The text where all formulas of `text` are 0 or empty.
        each: A list of the thing; the text is repeated for each of its rows.
        figure: Whether it holds numbers, which are aligned on their last digit.
        strong: Whether its words are set as a name.
    """

    head: str
    text: Text
    zero: str = ""
    each: Text | None = None
    figure: bool = False
    strong: bool = False


@rule_model
class Table:
    """A printed table: with its rows, or computed for each of `over`, or with a row a thing.

    Its label, `about`, `text` and cells may hold {formulas} of options.

    Attributes:
        label: The heading; a page that shows only this table may have it instead.
        about: A short text below the heading.
        corner: The heading of the row labels.
        heads: The headings of further label columns.
        columns: The headings of the columns of `rows`.
        rows: Rows of words and numbers, each with a cell for each of `columns`.
        dice: What is rolled on the table: `d6`, `2d6`, `d66`, `d100`, or `weights`. The first cell
            of a row then is what the dice show, `11-16`, or how often the row comes; `[[ID]]` in
            another cell is a roll on that table.
        over: The values of `n`: one a column, or one a row where the table is `turned`.
        unit: A unit behind each column's number; `code` writes the numbers as dice codes.
        any_: The heading of the column of formulas; without it there is no such column.
        tint: Values of `n` whose columns are tinted.
        turned: Whether each value of `n` has a row instead of a column.
        chart: Whether the lines are drawn as a chart.
        lines: The computed rows.
        of: The things that have a row: `gear`, `choices.ID`, `groups.ID`, `kinds.ID`, or
            `characters` for those of a party.
        odds: A grid of the ruleset's odds, whose rows the table shows.
        where: Tags or ids of things, of which a thing must have one.
        without: Tags or ids of things that are left out.
        cells: The columns of a table with `of`.
        parts: Headings of groups of rows, by the tag of their things; `others` is for the rest.
        text: A note below the table.
        remark: A remark about the source, printed after that note with `tables --notes` only.
        when: Where this does not hold, the table is not printed.
    """

    label: Text | str = ""
    about: Text | str = ""
    corner: str = ""
    heads: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Text | str, ...], ...] = ()
    dice: Text | None = None
    over: tuple[Argument, ...] = ()
    unit: str = ""
    any_: str = ""
    tint: tuple[Argument, ...] = ()
    turned: bool = False
    chart: bool = False
    lines: tuple[ComputedRow, ...] = ()
    of: Annotated[Text, Ref("thing in a table")] | None = None
    odds: Annotated[Text, Ref("grid of odds")] | None = None
    where: tuple[Text, ...] = ()
    without: tuple[Text, ...] = ()
    cells: tuple[Column, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    text: Text | str = ""
    remark: Text | str = ""
    ruling: str = ""
    when: Formula | None = None


@rule_model
class Reference:
    """Tables that are printed together.

    Attributes:
        label: The title of the page.
        about: A short text below the title.
        bands: Tables from top to bottom; the tables of one band stand side by side.
        wide: Whether the page is landscape.
    """

    label: str
    bands: tuple[tuple[TableId, ...], ...]
    about: Text | str = ""
    wide: bool = False


@rule_model
class CardSet:
    """A card for each of some things.

    Attributes:
        label: What the cards are called.
        of: The things: `gear`, `choices.ID`, `groups.ID`; also `odds` for all printed grids of
            odds, or `odds.ID` for one of them.
        card: The design that prints them: `./card`, a folder beside the ruleset's files, or the id
            of a shipped one.
        texts: The text of each place of the card, with {formulas} that know the thing.
        without: Tags of things that get no card.
        lists: `sections`, for cards of choices that have some.
        emblems: The picture of a thing by its tags, or by its id: the first of these that it has;
            `others` for all others, `deck` for the backs.
        rolls: On the cards of a character: the places where dice are drawn, each with `roll`.
        back: The picture on the backs of these cards; without it the theme's or the ruleset's.
    """

    label: str
    of: tuple[Annotated[Text, Ref("thing on a card")], ...]
    card: Annotated[Text, Ref("card")]
    texts: Mapping[str, Text]
    without: tuple[Text, ...] = ()
    lists: tuple[Text, ...] = ()
    emblems: Mapping[str, Text] = field(default_factory=dict)
    rolls: Mapping[str, Text] = field(default_factory=dict)
    back: PictureFile | None = None


BlockWord: TypeAlias = Literal[
    "numbers", "ladder", "words", "list", "grid", "stations", "stairs", "curves"
]
BLOCKS: Final[tuple[BlockWord, ...]] = get_args(BlockWord)
"""How a block is set: a number first (`ladder`: with rules that thicken); a word first (`list`:
with close lines); figures in columns; two drawings; curves of odds."""

DEFAULT_STRONG: Final = 2  # the second cell is bold where a block does not say otherwise

BlockKind: TypeAlias = Annotated[BlockWord, OneOf("kind of block", BLOCKS)]


@rule_model
class ScreenBlock:
    """Rows under one heading: of the ruleset's tables, lines of its own, or a drawing.

    Attributes:
        head: The heading.
        about: A short text at the right of the heading, with {formulas} of options.
        kind: How the block is set.
        tables: The tables whose rows it shows; those of several are joined row by row, and what
            is alike is printed once.
        columns: The headings of the columns that it shows, in this order; all without it.
        only: First cells of the rows that it shows.
        rows_from: The place of the first row that it shows.
        rows_to: The place of the last row that it shows; 0 for all.
        over: The values of `n` of a computed table, instead of the table's own.
        call: Other words for first cells and headings.
        drop: A word that first cells leave out, since the heading has it.
        notes: A note for a row, by its first cell; `{note}` is the table's own note.
        rows: Lines below those of the tables: number or word, text, note. `*…*` is bold, `{…}` a
            formula of options; a line whose text comes out empty is left out.
        text: A text below the rows.
        strong: Which cell of a table's row is bold, from 1.
        when: Where this does not hold, there is no such block.
        bands: How many bands of its panel the block is high.
        beside: Whether notes have to stand beside the words, whatever the size.
        signs: Signs that are shown instead of first cells of its rows, as `signs` of the ruleset.
    """

    head: Text
    about: Text | str = ""
    kind: BlockKind = "numbers"
    tables: tuple[Annotated[Text, Ref("printed table")], ...] = ()
    columns: tuple[Annotated[Text, Ref("head of a table")], ...] = ()
    only: tuple[Text, ...] = ()
    rows_from: Place = 1
    rows_to: Count = 0
    over: tuple[Argument, ...] = ()
    call: Mapping[str, str] = field(default_factory=dict)
    drop: str = ""
    notes: Mapping[str, Text] = field(default_factory=dict)
    rows: tuple[tuple[Text, ...], ...] = ()
    text: Text | None = None
    strong: Positive = DEFAULT_STRONG
    when: Formula | None = None
    bands: Bands = 1
    beside: bool = False
    signs: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class Panel:
    """One page of a screen.

    Attributes:
        title: The title.
        columns: Columns of blocks; the first blocks of all columns make the first band.
        subtitle: A short text behind the title, with {formulas} of options.
    """

    title: Text
    columns: tuple[tuple[ScreenBlock, ...], ...]
    subtitle: Text | str = ""


@rule_model
class Screen:
    """One side of a screen.

    Attributes:
        label: What the side is called.
        panels: The panels, side by side, by id.
        art: Whether it may have the picture over the players' side: the last such side ends with
            it, over as many pages as the other side has more panels.
    """

    label: str
    panels: Mapping[str, Panel]
    art: bool = True


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


MEMBERS: Final = "members"
PLAYERS: Final = "players"
"""The lists of things that formulas of an encounter know."""


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
        derived: Values of an encounter, such as a budget; the page shows those with a label.
            Formulas take numbers of `members` and `players`, `sum(members.threat)`.
        rules: Conditions that an encounter must satisfy; `at` is a key of its file.
    """

    strips: Mapping[Annotated[str, Ref("kind")], StripRules]
    as_: Annotated[Text, Ref("strip")]
    init: str = "Init"
    round: str = "Round"
    rounds: Rounds = 8
    notes: str = "Notes"
    tables: tuple[PageTable, ...] = ()
    derived: Mapping[str, Derived] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)


@rule_model
class Pieces:
    """What pieces for the table show of characters; those of kinds show what their strips do.

    Attributes:
        about: Words below the name.
        tent: Figures on the back of a tent, with their labels.
    """

    about: tuple[LinePiece, ...] = ()
    tent: tuple[FigureColumn, ...] = ()


RollWord: TypeAlias = Literal["sum", "symbols"]
RollKind: TypeAlias = Annotated[RollWord, OneOf("kind of roll", get_args(RollWord))]
NoDiceWord: TypeAlias = Literal["nothing", "fails"]
NoDice: TypeAlias = Annotated[NoDiceWord, OneOf("meaning of no dice", get_args(NoDiceWord))]
Side: TypeAlias = Literal["first", "second", "neither", "again"]
Winner: TypeAlias = Annotated[Side, OneOf("winner of ties", get_args(Side))]
WildMode: TypeAlias = Literal["add", "complication", "subtract"]
WildOne: TypeAlias = Annotated[WildMode, OneOf("meaning of a 1", get_args(WildMode))]


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
    one: WildOne = "add"
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
class SymbolCount:
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
        when: A formula of the roll's counts, or of its total and target.
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
        ties: Who wins an opposed roll with equal totals; `again`: both roll again.
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
        outcomes: The results, by id: of symbols formulas of the counts; else of `total`,
            `target`, `natural` (the total without plain numbers) and `doubles` (1 where all dice
            show the same face, or both digits of a d100).
        words: Words for dice, such as `advantage`, and the expressions that they stand for.
        rated: What a rating on a live sheet rolls, with `{n}` for the rating: `1d20 + {n}`. A tap
            on a rating shows its odds.
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
    no_dice: NoDice = "nothing"
    ties: Winner = "neither"
    behind: Mapping[str, Argument | None] = field(default_factory=dict)
    behind_dice: Mapping[str, Argument] = field(default_factory=dict)
    targets: TargetNumbers | None = None
    states: States | None = None
    adds: Mapping[Text, Mapping[Text, Formula]] = field(default_factory=dict)
    refuses: Mapping[Text, str] = field(default_factory=dict)
    upgrades: Mapping[Text, Text] = field(default_factory=dict)
    dice: Mapping[str, SymbolDie] = field(default_factory=dict)
    counts: Mapping[str, SymbolCount] = field(default_factory=dict)
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    words: Mapping[Text, Text] = field(default_factory=dict)
    rated: Text | None = None


@rule_model
class OddsGrid:
    """A printed grid of odds: a row for each pool, a column for what it is rolled against.

    Attributes:
        label: The heading.
        rows: The expressions before `vs`, one a row; at most 14 rows.
        over: What the rows are rolled against, behind `vs`; at most 10 columns. Without it, each
            outcome is a column.
        about: A short text below the heading.
        roll: One of the rolls; the first without it.
        outcome: The roll's outcomes that are shown; where there are several, each pool has a row
            for each. Without it a roll of symbols shows the first, any other the success.
        call: Other words for rows and columns.
        curves: Whether curves are drawn; not where the columns have no order.
        text: A text below the grid.
    """

    label: str
    rows: tuple[Text, ...]
    over: tuple[Text, ...] = ()
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
