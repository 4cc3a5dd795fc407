"""Printed tables, and the pages that they stand on; the fields are their YAML's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Argument, Count, Formula, rule_model
from sheetgen.model.source import Text


@rule_model
class ComputedRow:
    """A row of a table whose figures follow from a formula of `n`.

    Attributes:
        value: None for a row that adds up those above it (`total`).
        as_: How figures are written, a name of `rules.tables.FORMS`.
        also: What stands in its further label columns.
        apart: Whether a new part of the table begins with it.
        strong: In a chart, the line that carries the accent.
        when: Where this does not hold, there is no such row.
    """

    label: Text | str
    value: Formula | None = None
    as_: Text | str = "number"
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
        text: With {formulas} that know the thing; see content/rulesets/README.md.
        zero: What stands there instead where all of its formulas are nothing.
        each: A list of the thing; the text stands once for each row of it, which it knows.
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
    """Rows of words and numbers: given outright, computed for each of `over`, or one a thing.

    Attributes:
        corner: What stands over the labels of the rows.
        heads: What stands over further label columns.
        over: The values of `n`, one a column; one a row where the table is `turned`.
        unit: Put behind each column's number.
        any_: What stands over the column of formulas, if the table has one.
        tint: Values of `n` whose columns guide the eye.
        chart: Whether its lines are drawn.
        of: Whose things are its rows: `gear`, `choices.ID`, `groups.ID` or `kinds.ID`.
        odds: A grid of the ruleset's odds, which is its rows.
        where, without: Tags of which a thing has to have one, or none.
        parts: Headings of groups of rows, by the tag of the things below each.
        when: Where this does not hold, the table is on no print.

    Its label, `about`, `text`, and cells may hold {formulas} of options.
    """

    label: Text | str = ""
    about: Text | str = ""
    corner: str = ""
    heads: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Text | str, ...], ...] = ()
    over: tuple[Argument, ...] = ()
    unit: str = ""
    any_: str = ""
    tint: tuple[Argument, ...] = ()
    turned: bool = False
    chart: bool = False
    lines: tuple[ComputedRow, ...] = ()
    of: Text | None = None
    odds: Text | None = None
    where: tuple[Text, ...] = ()
    without: tuple[Text, ...] = ()
    cells: tuple[Column, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)
    text: Text | str = ""
    ruling: str = ""
    when: Formula | None = None


@rule_model
class Reference:
    """Tables that are printed together.

    Attributes:
        bands: From top to bottom; the tables of one stand side by side.
        wide: Whether the paper lies on its long side.
    """

    label: str
    bands: tuple[tuple[Text, ...], ...]
    about: Text | str = ""
    wide: bool = False
