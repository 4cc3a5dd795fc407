"""What of a source's printed figures is compared with what; the fields are their YAML's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import rule_model
from sheetgen.model.source import Text


@rule_model
class Against:
    """A cell that the source prints elsewhere: in `file`, `column`, where `row` names it."""

    file: Text
    row: Mapping[str, str]
    column: str


@rule_model
class Example:
    """A figure of running text, and how the rules work it out.

    Attributes:
        at: What the row says in the column `about`.
        text: What should be printed, with {formulas}.
        in_: The column that holds it.
        given: Values of names for this one: own ratings of traits, parameters.
        against: A cell elsewhere that ought to say the same; formulas know it as `there`.
        within: Whether it is enough that figures and words stand in one line of `text`.
        formula: What a formula that is printed comes to, for every `n` and what is given;
        reads: … and how to read words in it.
        unread: Why it is compared with nothing.
    """

    at: Text
    text: Text | None = None
    in_: str = "printed"
    within: bool = False
    formula: Text | None = None
    reads: Mapping[str, str] = field(default_factory=dict)
    unread: str = ""
    given: Mapping[str, int] = field(default_factory=dict)
    against: Against | None = None
    ruling: str = ""
    rule: str = ""


@rule_model
class ProofParts:
    """The parts of a whole: rows of `file` that name things.

    Attributes:
        of: Whose things: `gear`, `choices.ID`.
        name: The column that names the thing,
        times: … and the one that says how many; a text that is no number is one.
        value: What one of them counts.
    """

    file: Text
    of: Text
    value: Text
    name: str = "name"
    times: str = ""


@rule_model
class Fit:
    """A condition that the printed figures of a row have to meet.

    Formulas know `cell.COLUMN` as the text of a cell, `figure.COLUMN` as the whole number it
    begins with, `name` as what the rules call the thing of the row, and what the formulas of
    `examples` know.

    Attributes:
        that: The condition.
        what: What the difference is about: `NAME, VALUE` for the footnote of a cell.
        printed: What the source prints;
        computed: … and what it would have to be.
        each: A column of `Word 3D; Other 4D`: once for each, as `word`, `code`, `under`
            (the short name of what it stands under) and `below` (the code printed for that).
        parts: What makes up the row; formulas know their sum as `parts`.
        table: The table whose row of that name has a footnote;
        note: … and what it says, a sentence without a full stop.
    """

    that: Text
    printed: Text
    computed: Text
    what: Text
    each: str = ""
    parts: ProofParts | None = None
    table: str = ""
    note: Text | None = None
    rule: str = ""
    ruling: str = ""


@rule_model
class Proof:
    """How one file of printed figures is compared.

    Attributes:
        file: Its name.
        where: What its columns have to say for a row to count.
        table: A table whose cells are compared one by one …
        label: … by the columns that name the row,
        columns: … and by column, the value of `n` or the head of the table's column.
        kind: A kind of file whose rules count instead.
        of: Whose things the rows are: `gear`, `choices.ID`, `groups.ID`, or `kinds.ID`
            for files that come with the ruleset, …
        name: … and the column that names the thing,
        thing: … or the one thing that all rows are about.
        makes: Keys of a file of `kind`, by column: the row is what such a file would be.
        each: Columns of several: the list of a file whose rows they are.
        within: Columns whose figures and words stand in a text, or below a table's head.
        unread: Columns that are compared with nothing, and why.
        formula: The column that prints a formula, which is worked out and compared;
        reads: … and how to read words in it.
        cells: What each column should print, a text with {formulas}.
        changes: Columns that print by how much another column differs from the row above, and
            that column; a change of printed figures that are cut off is not wrong itself.
        trait: A column that names a trait; formulas know as `raised` what the thing
            raises it by, and as `trait` its id.
        names: Columns whose words have to be names, and whose.
        besides: … words among them that are none,
        signed: … whether they stand behind a figure with a sign, `+1D Word`,
        loose: … and whether other spellings of them count too.
        price: What a thing costs; if that is nothing it has no price.
        totals: Columns that hold ratings, by the trait; …
        rated: … a column of names with ratings, `Word 3D; Other 4D`,
        worn: … one of an item, whose modifiers count,
        armed: … and one of items with their dice.
        any_of: Whether one row of several with one name is enough.
        rulings: Rulings of single columns, rows (`label`) or cells (`label/column`).
        examples: Single figures.
        fits: Conditions that the figures of a row have to meet together.
    """

    file: Text
    where: Mapping[str, str] = field(default_factory=dict)
    table: Text | None = None
    label: tuple[str, ...] = ()
    columns: Mapping[str, str] = field(default_factory=dict)
    kind: Text | None = None
    of: Text | None = None
    name: str = "name"
    thing: Text | None = None
    makes: Mapping[str, str] = field(default_factory=dict)
    each: Mapping[str, Text] = field(default_factory=dict)
    within: Mapping[str, Text] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    formula: str = ""
    reads: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Text] = field(default_factory=dict)
    changes: Mapping[str, str] = field(default_factory=dict)
    trait: str = ""
    names: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    besides: tuple[str, ...] = ()
    signed: bool = False
    loose: bool = False
    price: Text | None = None
    totals: Mapping[str, str] = field(default_factory=dict)
    rated: str = ""
    worn: str = ""
    armed: str = ""
    any_of: bool = False
    rule: str = ""
    ruling: str = ""
    rulings: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()
    fits: tuple[Fit, ...] = ()
