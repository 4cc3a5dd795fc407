"""How the printed figures of a source are compared; the fields are the keys of proof.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.source import TableId, Text, rule_model
from sheetgen.records import frozen


@rule_model
class Against:
    """A cell that the source prints elsewhere.

    Attributes:
        file: The file of printed figures.
        row: What columns of the row say.
        column: The column of the cell.
    """

    file: Text
    row: Mapping[str, str]
    column: str


@rule_model
class Example:
    """A figure of running text, and how the rules compute it.

    Attributes:
        at: What the row says in the column `about`, or `name`.
        text: What should be printed, with {formulas}; `how.DERIVED` explains a derived value.
        in_: The column that holds it.
        within: Whether it is enough that figures and words are in one line of `text`.
        formula: A formula that must equal the printed one for every `n`.
        reads: How words in a printed formula are read.
        unread: Why the row is compared with nothing.
        table: A table of ours whose words have to hold the printed figures.
        row: The first cell of the row that holds them; without it, any row or the text below.
        given: Values of names: own ratings of traits, parameters.
        against: A cell elsewhere that should say the same; formulas know it as `there`.
        rule: The rule that the report names.
    """

    at: Text
    text: Text | None = None
    in_: str = "printed"
    within: bool = False
    formula: Text | None = None
    reads: Mapping[str, str] = field(default_factory=dict)
    unread: str = ""
    table: TableId | None = None
    row: str = ""
    given: Mapping[str, int] = field(default_factory=dict)
    against: Against | None = None
    ruling: str = ""
    rule: str = ""


@rule_model
class ProofParts:
    """Rows of `file` whose values are added up.

    Attributes:
        file: The file of printed figures.
        of: The things that the rows name: `gear` or `choices.ID`.
        value: What one of them counts.
        name: The column that names the thing.
        times: The column that says how many; a text that is no number counts 1.
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
        printed: What the source prints.
        computed: What it should print.
        what: What the difference is about: `NAME, VALUE` for the footnote of a cell.
        each: A column of `Word 3D; Other 4D`, whose parts are checked one by one: formulas know
            `word`, `code`, `under` (the short name of the trait that governs it) and `below`
            (the code that is printed for that trait).
        parts: Rows that make up this one; formulas know their sum as `parts`.
        table: The table whose row of that name has a footnote.
        note: What the footnote says, without a full stop.
        rule: The rule that the report names.
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
        file: The name of the file.
        where: What columns have to say for a row to count.
        table: A table whose cells are compared one by one.
        label: The columns that name a row of `table`.
        columns: The value of `n` or the heading of the table's column, by column of the file.
        kind: A kind of file whose rules count instead.
        of: The things that the rows are: `gear`, `choices.ID`, `groups.ID`, or `kinds.ID` for
            files that come with the ruleset.
        name: The column that names the thing.
        thing: The one thing that all rows are about.
        makes: Keys of a file of `kind`, by column: the row is what such a file would be.
        each: Columns of several values: the list of a file whose rows they are.
        within: Columns whose figures and words must be in a text, or below a table's heading.
        unread: Columns that are compared with nothing, and why.
        formula: The column of a printed formula, which is evaluated and compared.
        reads: How words in a printed formula are read.
        cells: What each column should print, a text with {formulas}; `{printed}` is what it
            does print.
        changes: Columns that print by how much another column differs from the row above, and
            that column.
        trait: A column that names a trait; formulas know `raised`, what the thing raises it by,
            and `trait`, its id.
        names: Columns whose words have to be names, and what may have these names.
        besides: Words in the columns of `names` that are no names.
        signed: Whether only words behind a figure with a sign have to be names.
        loose: Whether other spellings of names are accepted.
        price: What a thing costs; an empty text says that it has no price.
        totals: Columns that hold ratings, by trait.
        rated: A column of names with ratings, `Word 3D; Other 4D`.
        worn: A column of one item, whose modifiers count.
        armed: A column of items with their dice.
        any_of: Whether one row of several with the same name is enough.
        rule: The rule that the report names.
        rulings: The rulings of single columns, rows (`label`) or cells (`label/column`).
        examples: Single figures.
        fits: Conditions on the figures of each row.
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


@frozen
class Difference:
    """A printed figure that differs from what the rules give.

    Attributes:
        kind: One of the kinds in `plugins.author.readings`.
        file, line: The file of printed figures, and the line of the source's text.
        what: The row, and the column where it tells more.
        rule: The formula or table that gives the computed value.
        ruling: The ruling that settles it, if any.
        table, row, cell: The cell of a printed table; `cell` is -1 for the whole row.
        note: What the footnote of a print says instead of `Source prints …`.
    """

    kind: str
    file: str
    line: int
    what: str
    printed: str
    computed: str
    rule: str = ""
    ruling: str = ""
    table: str = ""
    row: int = -1
    cell: int = -1
    note: str = ""
