"""What a ruleset prints: tables, cards, screens, encounters, odds, and proofs of printed figures.

The fields of the models are the keys of the YAML.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from typing import Annotated, Final, Literal, TypeAlias, get_args

from sheetgen.model import source as nodes
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.traits import Derived, FigureForm, Rule
from sheetgen.model.source import Argument, Formula, NumberId, OneOf, Ref, TableId, Text, rule_model
from sheetgen.model.source import Count as Number
from sheetgen.records import frozen

EMBLEM: Final = "emblem"  # the place of a card's picture; a shape is `emblem-PICTURE`
DECK, OTHERS = "deck", "others"
"""Keys of `emblems`: the picture on the backs of a deck, and that of what no other key names."""


@rule_model
class ComputedRow:
    """A row of a table whose figures follow from a formula of `n`."""

    label: Text | str  # The first cell of the row.
    value: Formula | None = None  # The formula; a row with `total` has none.
    as_: FigureForm | str = "number"  # How figures are written.
    also: tuple[str, ...] = ()  # The cells of further label columns.
    faces: nodes.Count = 0  # What the formula knows as `faces`.
    apart: bool = False  # Whether a new part of the table begins with the row.
    total: bool = False  # Whether the row adds up those above it.
    strong: bool = False  # In a chart, whether the line has the accent colour.
    ruling: str = ""
    when: Formula | None = None  # Where this does not hold, there is no such row.


@rule_model
class Column:
    """A column of a table that has a row for each thing of a catalogue."""

    head: str  # The heading of the column.
    text: Text  # The text of a cell, with {formulas} that know the thing.
    zero: str = ""  # The text where all formulas of `text` are 0 or empty.
    each: Text | None = None  # A list of the thing; the text is repeated for each of its rows.
    figure: bool = False  # Whether it holds numbers, which are aligned on their last digit.
    strong: bool = False  # Whether its words are set as a name.


@rule_model
class Table:
    """A printed table: with its rows, or computed for each of `over`, or with a row a thing.

    Its label, `about`, `text` and cells may hold {formulas} of options.
    """

    label: Text | str = ""  # The heading; a page that shows only this table may have it instead.
    about: Text | str = ""  # A short text below the heading.
    corner: str = ""  # The heading of the row labels.
    heads: tuple[str, ...] = ()  # The headings of further label columns.
    columns: tuple[str, ...] = ()  # The headings of the columns of `rows`.
    # Rows of words and numbers, each with a cell for each of `columns`.
    rows: tuple[tuple[Text | str, ...], ...] = ()
    # What is rolled on the table: `d6`, `2d6`, `d66`, `d100`, or `weights`. The first cell of a row
    # then is what the dice show, `11-16`, or how often the row comes; `[[ID]]` in another cell is a
    # roll on that table.
    dice: Text | None = None
    # The values of `n`: one a column, or one a row where the table is `turned`.
    over: tuple[Argument, ...] = ()
    unit: str = ""  # A unit behind each column's number; `code` writes the numbers as dice codes.
    any_: str = ""  # The heading of the column of formulas; without it there is no such column.
    tint: tuple[Argument, ...] = ()  # Values of `n` whose columns are tinted.
    turned: bool = False  # Whether each value of `n` has a row instead of a column.
    chart: bool = False  # Whether the lines are drawn as a chart.
    lines: tuple[ComputedRow, ...] = ()  # The computed rows.
    # The things that have a row: `gear`, `choices.ID`, `groups.ID`, `creation` for the
    # steps of making a character, `kinds.ID`, or `characters` for those of a party.
    of: Annotated[Text, Ref("thing in a table")] | None = None
    # A grid of the ruleset's odds, whose rows the table shows.
    odds: Annotated[Text, Ref("grid of odds")] | None = None
    where: tuple[Text, ...] = ()  # Tags or ids of things, of which a thing must have one.
    without: tuple[Text, ...] = ()  # Tags or ids of things that are left out.
    cells: tuple[Column, ...] = ()  # The columns of a table with `of`.
    # Headings of groups of rows, by the tag of their things; `others` is for the rest.
    parts: Mapping[str, str] = field(default_factory=dict)
    text: Text | str = ""  # A note below the table.
    # A remark about the source, printed after that note with `tables --notes` only.
    remark: Text | str = ""
    ruling: str = ""
    when: Formula | None = None  # Where this does not hold, the table is not printed.


@rule_model
class Reference:
    """Tables that are printed together."""

    label: str  # The title of the page.
    # Tables from top to bottom; the tables of one band stand side by side.
    bands: tuple[tuple[TableId, ...], ...]
    about: Text | str = ""  # A short text below the title.
    wide: bool = False  # Whether the page is landscape.


@rule_model
class CardSet:
    """A card for each of some things."""

    label: str  # What the cards are called.
    # The things: `gear`, `choices.ID`, `groups.ID`; also `odds` for all printed grids of odds, or
    # `odds.ID` for one of them.
    of: tuple[Annotated[Text, Ref("thing on a card")], ...]
    # The design that prints them: `./card`, a folder beside the ruleset's files, or the id of a
    # shipped one.
    card: Annotated[Text, Ref("card")]
    # The text of each place of the card, with {formulas} that know the thing.
    texts: Mapping[str, Text]
    without: tuple[Text, ...] = ()  # Tags of things that get no card.
    lists: tuple[Text, ...] = ()  # `sections`, for cards of choices that have some.
    # The picture of a thing by its tags, or by its id: the first of these that it has; `others` for
    # all others, `deck` for the backs.
    emblems: Mapping[str, Text] = field(default_factory=dict)
    # On the cards of a character: the places where dice are drawn, each with `roll`.
    rolls: Mapping[str, Text] = field(default_factory=dict)
    # The picture on the backs of these cards; without it the theme's or the ruleset's.
    back: PictureFile | None = None


BlockWord: TypeAlias = Literal[
    "numbers", "ladder", "words", "list", "grid", "stations", "stairs", "curves"
]
# How a block is set: a number first (`ladder`: with rules that thicken); a word first (`list`: with
# close lines); figures in columns; two drawings; curves of odds.
BLOCKS: Final[tuple[BlockWord, ...]] = get_args(BlockWord)
DEFAULT_STRONG: Final = 2  # the second cell is bold where a block does not say otherwise

BlockKind: TypeAlias = Annotated[BlockWord, OneOf("kind of block", BLOCKS)]


@rule_model
class ScreenBlock:
    """Rows under one heading: of the ruleset's tables, lines of its own, or a drawing."""

    head: Text  # The heading.
    about: Text | str = ""  # A short text at the right of the heading, with {formulas} of options.
    kind: BlockKind = "numbers"  # How the block is set.
    # The tables whose rows it shows; those of several are joined row by row, and what is alike is
    # printed once.
    tables: tuple[Annotated[Text, Ref("printed table")], ...] = ()
    # The headings of the columns that it shows, in this order; all without it.
    columns: tuple[Annotated[Text, Ref("head of a table")], ...] = ()
    only: tuple[Text, ...] = ()  # First cells of the rows that it shows.
    rows_from: nodes.Place = 1  # The place of the first row that it shows.
    rows_to: nodes.Count = 0  # The place of the last row that it shows; 0 for all.
    # The values of `n` of a computed table, instead of the table's own.
    over: tuple[Argument, ...] = ()
    # Other words for first cells and headings.
    call: Mapping[str, str] = field(default_factory=dict)
    drop: str = ""  # A word that first cells leave out, since the heading has it.
    # A note for a row, by its first cell; `{note}` is the table's own note.
    notes: Mapping[str, Text] = field(default_factory=dict)
    # Lines below those of the tables: number or word, text, note. `*…*` is bold, `{…}` a formula of
    # options; a line whose text comes out empty is left out.
    rows: tuple[tuple[Text, ...], ...] = ()
    text: Text | None = None  # A text below the rows.
    strong: nodes.Positive = DEFAULT_STRONG  # Which cell of a table's row is bold, from 1.
    when: Formula | None = None  # Where this does not hold, there is no such block.
    bands: nodes.Bands = 1  # How many bands of its panel the block is high.
    beside: bool = False  # Whether notes have to stand beside the words, whatever the size.
    # Signs that are shown instead of first cells of its rows, as `signs` of the ruleset.
    signs: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class Panel:
    """One page of a screen."""

    title: Text  # The title.
    # Columns of blocks; the first blocks of all columns make the first band.
    columns: tuple[tuple[ScreenBlock, ...], ...]
    subtitle: Text | str = ""  # A short text behind the title, with {formulas} of options.


@rule_model
class Screen:
    """One side of a screen."""

    label: str  # What the side is called.
    panels: Mapping[str, Panel]  # The panels, side by side, by id.
    # Whether it may have the picture over the players' side: the last such side ends with it, over
    # as many pages as the other side has more panels.
    art: bool = True


PageTable: TypeAlias = Annotated[Text, Ref("table or page", "table")]


@rule_model
class FigureColumn:
    """A column of a strip."""

    label: str  # The heading.
    of: Text  # The value that it shows, such as `soak.value`.
    # The number that it shows, footnoted where the source prints another.
    noted: NumberId | None = None


@rule_model
class LinePiece:
    """Some words of a line."""

    of: Text  # The value that they show, or a column of the line's list.
    unit: str = ""  # A unit behind the value.
    strong: bool = False  # Whether the words are bold.
    apart: bool = False  # Whether a dot separates them from the words before.
    # The column of figures, from 1, that they are printed in; 0 for the line of text.
    column: nodes.FigurePlace = 0


@rule_model
class StripLine:
    """A line below a name; an empty line is left out."""

    parts: tuple[LinePiece, ...]  # The words of the line.
    each: Annotated[Text, Ref("list")] | None = None  # A list, whose rows have a line each.
    run: bool = False  # Whether all rows of the list stand in one line.
    beside: bool = False  # Whether the line continues the line before.


@rule_model
class StripTrack:
    """Boxes to tick."""

    of: Annotated[Text, Ref("track")]  # A track of the kind.
    label: str = ""  # The name of the track.
    # The text in each box, with `{n}` (its number) or `{left}` (how many follow it).
    inside: str = "{n}"
    words: tuple[str, ...] = ()  # The texts of the first boxes, instead of `inside`.
    end: str = ""  # The text in the box after the last, or the name of a line of text.
    # The number of members of a group: the boxes count down from it to 1.
    counts: NumberId | None = None
    counted: str = ""  # What is counted: words, or the name of a line of text.


@rule_model
class StateBox:
    """A box for a state that each copy may be in."""

    box: str  # The word or letter in it, or the name of a line of text; without it there is no box.
    # A flag of the kind, or an entry of a choice; where a file has it, the box is marked.
    of: Text | None = None


@rule_model
class StripCounter:
    """What each copy uses up or counts in a fight."""

    label: str  # The words before its boxes.
    # How many boxes to tick; at 0 it is left out. Without it, a number is written in one box.
    boxes: NumberId | None = None
    behind: bool = False  # Whether it is behind the track, instead of over it.


@rule_model
class Sides:
    """Points on sides: a box to write in for each side, with the number at the start."""

    names: tuple[str, ...]  # The sides.
    of: NumberId  # The number of all points; at 0 there are no boxes.
    start: NumberId  # The number of points on each side.
    over: NumberId  # How many sides have one more.


@rule_model
class StripRules:
    """What an encounter shows of each file of a kind."""

    label: str  # The heading over the names.
    figures: tuple[FigureColumn, ...]  # Columns of figures.
    steps: tuple[FigureColumn, ...] = ()  # Columns of the damage that leads to another state.
    order: NumberId | None = None  # The number that orders the strips, the highest first.
    corner: Text | None = None  # The value in the box for the initiative that was rolled.
    about: tuple[LinePiece, ...] = ()  # Words behind the name.
    figures_about: str = ""  # The heading over the figures.
    steps_about: str = ""  # The heading over the steps.
    track: StripTrack | None = None  # Boxes to tick, for each copy.
    states: tuple[StateBox, ...] = ()  # Boxes of states over the track of each copy.
    # Further boxes there, by id: points to spend, say.
    counters: Mapping[str, StripCounter] = field(default_factory=dict)
    sides: Sides | None = None  # Points on sides.
    lines: tuple[StripLine, ...] = ()  # Lines below the name.
    tables: tuple[PageTable, ...] = ()  # Tables that an encounter with this kind needs too.


MEMBERS: Final = "members"
PLAYERS: Final = "players"
"""The lists of things that formulas of an encounter know."""


@rule_model
class Encounters:
    """The pages of an encounter."""

    # What is shown of each kind of file; a kind without a strip cannot take part.
    strips: Mapping[Annotated[str, Ref("kind")], StripRules]
    # The kind whose columns players have, to be filled in by hand.
    as_: Annotated[Text, Ref("strip")]
    init: str = "Init"  # The word for initiative.
    round: str = "Round"  # The word for a round.
    rounds: nodes.Rounds = 8  # Boxes of the counter of rounds.
    notes: str = "Notes"  # The heading of the room for notes.
    tables: tuple[PageTable, ...] = ()  # Tables that every encounter needs.
    # Values of an encounter, such as a budget; the page shows those with a label. Formulas take
    # numbers of `members` and `players`, `sum(members.threat)`.
    derived: Mapping[str, Derived] = field(default_factory=dict)
    # Conditions that an encounter must satisfy; `at` is a key of its file.
    rules: Mapping[str, Rule] = field(default_factory=dict)


@rule_model
class Pieces:
    """What pieces for the table show of characters; those of kinds show what their strips do."""

    about: tuple[LinePiece, ...] = ()  # Words below the name.
    tent: tuple[FigureColumn, ...] = ()  # Figures on the back of a tent, with their labels.


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
    """The one die of a roll that differs from the others."""

    name: str  # What the die is called.
    again: bool = False  # Whether its highest face adds and rolls again, without end.
    # What a 1 on its first roll does: `add` counts it, `complication` counts and reports it,
    # `subtract` removes it and the highest other die.
    one: WildOne = "add"
    # What a face of its first roll also means, by face.
    marks: Mapping[str, str] = field(default_factory=dict)


@rule_model
class TargetNumbers:
    """Names of target numbers: two columns of a table of the ruleset."""

    table: TableId  # The table.
    name: Text  # The heading of the column of names.
    number: Text  # The heading of the column of numbers.
    also: Mapping[str, Text] = field(default_factory=dict)  # Other words for a name.
    die: Text | None = None  # In a roll of symbols: the die that the number counts.


@rule_model
class States:
    """States that add dice to a check."""

    of: nodes.CatalogueId  # The catalogue of the states.
    roll: Annotated[Text, Ref("roll")]  # The roll of the ruleset that says which dice they add.


@rule_model
class SymbolDie:
    """A die with symbols on its faces."""

    name: Text  # What the die is called.
    # How many faces show what: symbols separated by spaces, or `blank`.
    faces: Mapping[str, Number]
    aliases: tuple[Text, ...] = ()


@rule_model
class SymbolCount:
    """Symbols that are counted together."""

    label: str  # What is counted.
    adds: tuple[Text, ...]  # Symbols that add one each.
    less: tuple[Text, ...] = ()  # Symbols that cancel one each.


@rule_model
class Outcome:
    """A result that a roll may have."""

    label: str  # What the result is called.
    when: Text  # A formula of the roll's counts, or of its total and target.


@rule_model
class RollRules:
    """A way of rolling: dice that are added up, or dice whose symbols are counted."""

    kind: RollKind  # `sum` adds dice up, `symbols` counts symbols.
    label: str  # What the roll is called.
    faces: nodes.Faces = 6  # Faces of the dice.
    # The letter behind a number of dice, as in 4D; `4D8` are dice with other faces.
    letter: str = "D"
    pips: bool = True  # Whether a code may have pips, as in 4D+2.
    beat: bool = False  # Whether a target number has to be beaten; else it may be met.
    # Whether a total succeeds at or below the target number, as in percentile games; with `beat`
    # only below it. In an opposed roll the lower total wins.
    under: bool = False
    wild: Wild | None = None  # The one die that differs from the others.
    fewer: Number = 1  # Dice that each action after the first takes off.
    least: Formula | None = None  # How many dice are left at least, whatever is taken off.
    # What no dice left mean: `nothing` is a total of 0, `fails` never succeeds.
    no_dice: NoDice = "nothing"
    # Who wins an opposed roll with equal totals; `again`: both roll again.
    ties: Winner = "neither"
    # What makes a target number higher, by name; `none` where an expression has to give the number.
    behind: Mapping[str, Argument | None] = field(default_factory=dict)
    # Words that add so many dice to a target number.
    behind_dice: Mapping[str, Argument] = field(default_factory=dict)
    targets: TargetNumbers | None = None  # Names of target numbers.
    states: States | None = None  # Of symbols: states whose names add dice to the pool.
    # Of symbols: other words that add dice, by die.
    adds: Mapping[Text, Mapping[Text, Formula]] = field(default_factory=dict)
    # Words for which nobody rolls, and why.
    refuses: Mapping[Text, str] = field(default_factory=dict)
    # Of symbols: the die that each die is upgraded to.
    upgrades: Mapping[Text, Text] = field(default_factory=dict)
    dice: Mapping[str, SymbolDie] = field(default_factory=dict)  # Of symbols: the dice, by id.
    # Of symbols: what is counted, by id.
    counts: Mapping[str, SymbolCount] = field(default_factory=dict)
    # The results, by id: of symbols formulas of the counts; else of `total`, `target`, `natural`
    # (the total without plain numbers) and `doubles` (1 where all dice show the same face, or both
    # digits of a d100).
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    # How good a roll is where each of two opposed sides has a target number of its own: the higher
    # wins. It sees what outcomes see, and outcomes by id; without it, success beats failure.
    degree: Text | None = None
    # Words for dice, such as `advantage`, and the expressions that they stand for.
    words: Mapping[Text, Text] = field(default_factory=dict)
    # What a rating on a live sheet rolls, with `{n}` for the rating, and `{under}` for that of the
    # trait that governs it: `1d20 + {n}`. A tap on a rating shows its odds.
    rated: Text | None = None


@rule_model
class OddsGrid:
    """A printed grid of odds: a row for each pool, a column for what it is rolled against."""

    label: str  # The heading.
    rows: tuple[Text, ...]  # The expressions before `vs`, one a row; at most 14 rows.
    # What the rows are rolled against, behind `vs`; at most 10 columns. Without it, each outcome is
    # a column.
    over: tuple[Text, ...] = ()
    about: str = ""  # A short text below the heading.
    # One of the rolls; the first without it.
    roll: Annotated[Text, Ref("roll of odds", "roll")] | None = None
    # The roll's outcomes that are shown; where there are several, each pool has a row for each.
    # Without it a roll of symbols shows the first, any other the success.
    outcome: tuple[Text, ...] = ()
    call: Mapping[str, str] = field(default_factory=dict)  # Other words for rows and columns.
    curves: bool = True  # Whether curves are drawn; not where the columns have no order.
    text: str = ""  # A text below the grid.


@rule_model
class Odds:
    """How a game rolls its dice, and the odds that are printed."""

    rolls: Mapping[str, RollRules]  # The rolls, by id; the first is meant where none is named.
    grids: Mapping[str, OddsGrid] = field(default_factory=dict)  # Printed grids of odds, by id.


@rule_model
class Against:
    """A cell that the source prints elsewhere."""

    file: Text  # The file of printed figures.
    row: Mapping[str, str]  # What columns of the row say.
    column: str  # The column of the cell.


@rule_model
class Example:
    """A figure of running text, and how the rules compute it."""

    at: Text  # What the row says in the column `about`, or `name`.
    # What should be printed, with {formulas}; `how.DERIVED` explains a derived value.
    text: Text | None = None
    in_: str = "printed"  # The column that holds it.
    within: bool = False  # Whether it is enough that figures and words are in one line of `text`.
    formula: Text | None = None  # A formula that must equal the printed one for every `n`.
    # How words in a printed formula are read.
    reads: Mapping[str, str] = field(default_factory=dict)
    unread: str = ""  # Why the row is compared with nothing.
    table: TableId | None = None  # A table of ours whose words have to hold the printed figures.
    # The first cell of the row that holds them; without it, any row or the text below.
    row: str = ""
    # Values of names: own ratings of traits, parameters.
    given: Mapping[str, int] = field(default_factory=dict)
    # A cell elsewhere that should say the same; formulas know it as `there`.
    against: Against | None = None
    ruling: str = ""
    rule: str = ""  # The rule that the report names.


@rule_model
class ProofParts:
    """Rows of `file` whose values are added up."""

    file: Text  # The file of printed figures.
    of: Text  # The things that the rows name: `gear` or `choices.ID`.
    value: Text  # What one of them counts.
    name: str = "name"  # The column that names the thing.
    times: str = ""  # The column that says how many; a text that is no number counts 1.


@rule_model
class Fit:
    """A condition that the printed figures of a row have to meet.

    Formulas know `cell.COLUMN` as the text of a cell, `figure.COLUMN` as the whole number it
    begins with, `name` as what the rules call the thing of the row, and what the formulas of
    `examples` know.
    """

    that: Text  # The condition.
    printed: Text  # What the source prints.
    computed: Text  # What it should print.
    what: Text  # What the difference is about: `NAME, VALUE` for the footnote of a cell.
    # A column of `Word 3D; Other 4D`, whose parts are checked one by one: formulas know `word`,
    # `code`, `under` (the short name of the trait that governs it) and `below` (the code that is
    # printed for that trait).
    each: str = ""
    # Rows that make up this one; formulas know their sum as `parts`.
    parts: ProofParts | None = None
    table: str = ""  # The table whose row of that name has a footnote.
    note: Text | None = None  # What the footnote says, without a full stop.
    rule: str = ""  # The rule that the report names.
    ruling: str = ""


@rule_model
class Proof:
    """How one file of printed figures is compared."""

    file: Text  # The name of the file.
    # What columns have to say for a row to count.
    where: Mapping[str, str] = field(default_factory=dict)
    table: Text | None = None  # A table whose cells are compared one by one.
    label: tuple[str, ...] = ()  # The columns that name a row of `table`.
    # The value of `n` or the heading of the table's column, by column of the file.
    columns: Mapping[str, str] = field(default_factory=dict)
    kind: Text | None = None  # A kind of file whose rules count instead.
    # The things that the rows are: `gear`, `choices.ID`, `groups.ID`, or `kinds.ID` for files that
    # come with the ruleset.
    of: Text | None = None
    name: str = "name"  # The column that names the thing.
    thing: Text | None = None  # The one thing that all rows are about.
    # Keys of a file of `kind`, by column: the row is what such a file would be.
    makes: Mapping[str, str] = field(default_factory=dict)
    # Columns of several values: the list of a file whose rows they are.
    each: Mapping[str, Text] = field(default_factory=dict)
    # Columns whose figures and words must be in a text, or below a table's heading.
    within: Mapping[str, Text] = field(default_factory=dict)
    # Columns that are compared with nothing, and why.
    unread: Mapping[str, str] = field(default_factory=dict)
    formula: str = ""  # The column of a printed formula, which is evaluated and compared.
    # How words in a printed formula are read.
    reads: Mapping[str, str] = field(default_factory=dict)
    # What each column should print, a text with {formulas}; `{printed}` is what it does print.
    cells: Mapping[str, Text] = field(default_factory=dict)
    # Columns that print by how much another column differs from the row above, and that column.
    changes: Mapping[str, str] = field(default_factory=dict)
    # A column that names a trait; formulas know `raised`, what the thing raises it by, and `trait`,
    # its id.
    trait: str = ""
    # Columns whose words have to be names, and what may have these names.
    names: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    besides: tuple[str, ...] = ()  # Words in the columns of `names` that are no names.
    signed: bool = False  # Whether only words behind a figure with a sign have to be names.
    loose: bool = False  # Whether other spellings of names are accepted.
    price: Text | None = None  # What a thing costs; an empty text says that it has no price.
    totals: Mapping[str, str] = field(default_factory=dict)  # Columns that hold ratings, by trait.
    rated: str = ""  # A column of names with ratings, `Word 3D; Other 4D`.
    worn: str = ""  # A column of one item, whose modifiers count.
    armed: str = ""  # A column of items with their dice.
    any_of: bool = False  # Whether one row of several with the same name is enough.
    rule: str = ""  # The rule that the report names.
    ruling: str = ""
    # The rulings of single columns, rows (`label`) or cells (`label/column`).
    rulings: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()  # Single figures.
    fits: tuple[Fit, ...] = ()  # Conditions on the figures of each row.


@frozen
class Difference:
    """A printed figure that differs from what the rules give."""

    kind: str  # One of the kinds in `plugins.author.readings`.
    # file, line: The file of printed figures, and the line of the source's text.
    file: str
    line: int
    what: str  # The row, and the column where it tells more.
    printed: str
    computed: str
    rule: str = ""  # The formula or table that gives the computed value.
    ruling: str = ""  # The ruling that settles it, if any.
    # table, row, cell: The cell of a printed table; `cell` is -1 for the whole row.
    table: str = ""
    row: int = -1
    cell: int = -1
    note: str = ""  # What the footnote of a print says instead of `Source prints …`.


# The most rows and columns of a printed grid that are legible on a page.
MOST_ROWS = 14
MOST_COLUMNS = 10
Curve: TypeAlias = tuple[tuple[int, Fraction], ...]
"""Positions on the horizontal axis, and the chance at each."""


@frozen
class ComputedGrid:
    """A computed grid."""

    id: str
    label: str
    about: str
    text: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Fraction, ...], ...]  # The chances, by row and column.
    # One for each row, at every target number or else at every column; none if the columns have no
    # order.
    curves: tuple[Curve, ...]
    feet: tuple[int, ...]  # The position of each column on the horizontal axis.


@frozen
class TableRow:
    """A row of a table."""

    labels: tuple[str, ...]  # The first cells, which name the row.
    cells: tuple[str, ...]
    formula: str = ""  # The formula for any `n`, in mathematical notation.
    part: str = ""  # The heading of the part that begins with this row.
    # apart, total: As in the ruleset.
    apart: bool = False
    total: bool = False
    asides: Mapping[int, str] = field(default_factory=dict)  # Remarks about cells, by place.
    values: tuple[int | Fraction, ...] = ()  # The exact figures of a computed row.


@frozen
class ComputedTable:
    """A table with everything that is printed of it."""

    id: str
    table: Table
    # heads, columns: The heads over the labels and over the cells.
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    # figures, strong: Which columns hold numbers, and which hold names.
    figures: tuple[bool, ...]
    strong: tuple[bool, ...] = ()
    tinted: tuple[int, ...] = ()  # The places of the tinted columns.
    text: str = ""
    # The row and cell of a value, by `NAME, VALUE`.
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    grid: ComputedGrid | None = None  # The grid of a table of odds, with its curves.
