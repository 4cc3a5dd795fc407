"""Screens that stand on the table: their panels and blocks; the fields are the keys of screen.yaml.

content/rulesets/README.md is the manual of this format; keep the two in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from sheetgen.model.shape import Argument, Bands, Count, Formula, Place, rule_model
from sheetgen.model.source import Text

BLOCKS: Final = ("numbers", "ladder", "words", "list", "grid", "stations", "stairs", "curves")
"""Kinds of them: a number first, and with lines that thicken; a word first, and with close lines;
figures in columns; two drawn things; curves of odds."""


@rule_model
class ScreenBlock:
    """Rows under one head: a ruleset's table, lines of its own, or something drawn.

    Attributes:
        about: What stands at the right of the head; like a panel's subtitle, with {formulas}.
        kind: How it is set, one of `BLOCKS`.
        tables: Whose rows it shows; those of several are joined, row by row.
        columns: The heads of the columns that it shows, in this order; all without it.
        only: First cells of the rows that it shows.
        rows_from, rows_to: Places of the first and the last row that it shows, from 1.
        over: The values of `n` that a computed table shows, instead of its own.
        call: Other words for first cells and for heads, by what the table says.
        drop: A word that first cells leave out, since the head says it.
        notes: What is said of a row besides, by its first cell; `{note}` is the table's own.
        rows: Lines after those of the tables: number or word, text, note. `*…*` is bold, and
            `{…}` a formula of options; a line whose text comes out empty is left out.
        text: Below the rows.
        strong: Which cell of a table's row is bold, from 1.
        when: Where this does not hold, there is no such block.
        bands: How many bands of its panel it is high.
        beside: Whether its notes have to stand beside the words, at whatever size.
    """

    head: Text
    about: Text | str = ""
    kind: Text | str = "numbers"
    tables: tuple[Text, ...] = ()
    columns: tuple[Text, ...] = ()
    only: tuple[Text, ...] = ()
    rows_from: Place = 1
    rows_to: Count = 0
    over: tuple[Argument, ...] = ()
    call: Mapping[str, str] = field(default_factory=dict)
    drop: str = ""
    notes: Mapping[str, Text] = field(default_factory=dict)
    rows: tuple[tuple[Text, ...], ...] = ()
    text: Text | None = None
    strong: Count = 2
    when: Formula | None = None
    bands: Bands = 1
    beside: bool = False


@rule_model
class Panel:
    """One page of a screen: columns of blocks, whose heads stand in bands across."""

    title: Text
    columns: tuple[tuple[ScreenBlock, ...], ...]
    subtitle: Text | str = ""


@rule_model
class Screen:
    """One side of a screen; its panels stand side by side."""

    label: str
    panels: Mapping[str, Panel]
