"""Printed tables, pages of tables, and cards of things; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Final

from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.derived import FigureForm
from sheetgen.model.shape import Argument, Count, Formula, Ref, TableId, rule_model
from sheetgen.model.source import Text

EMBLEM: Final = "emblem"
"""The place of a card's picture; a shape is `emblem-PICTURE`."""


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
        over: The values of `n`: one a column, or one a row where the table is `turned`.
        unit: A unit behind each column's number; `code` writes the numbers as dice codes.
        any_: The heading of the column of formulas; without it there is no such column.
        tint: Values of `n` whose columns are tinted.
        turned: Whether each value of `n` has a row instead of a column.
        chart: Whether the lines are drawn as a chart.
        lines: The computed rows.
        of: The things that have a row: `gear`, `choices.ID`, `groups.ID` or `kinds.ID`.
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
        card: The folder under templates/ that prints them.
        texts: The text of each place of the card, with {formulas} that know the thing.
        without: Tags of things that get no card.
        lists: `sections`, for cards of choices that have some.
        emblems: The picture of a thing by its tags, or by its id: the first of these that it has.
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
