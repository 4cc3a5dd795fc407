"""How the printed figures of a source are compared; the fields are the keys of proof.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.source import TableId, Text, rule_model
from sheetgen.records import frozen


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
