"""Screens that stand on the table: panels and blocks; the fields are the keys of screen.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Final, TypeAlias

from sheetgen.model.shape import (
    Argument,
    Bands,
    Count,
    Formula,
    OneOf,
    Place,
    Positive,
    Ref,
    rule_model,
)
from sheetgen.model.source import Text

BLOCKS: Final = ("numbers", "ladder", "words", "list", "grid", "stations", "stairs", "curves")
"""How a block is set: a number first (`ladder`: with rules that thicken); a word first (`list`:
with close lines); figures in columns; two drawings; curves of odds."""

DEFAULT_STRONG: Final = 2
"""The second cell is bold where a block does not say otherwise."""

BlockKind: TypeAlias = Annotated[Text, OneOf("kind of block", BLOCKS)]


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
    """

    head: Text
    about: Text | str = ""
    kind: BlockKind | str = "numbers"
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
        art: Whether the side ends with a page that shows the game's title and its motif.
    """

    label: str
    panels: Mapping[str, Panel]
    art: bool = False
