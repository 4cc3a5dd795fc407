"""Differences between a source's printed figures and its rules, which a proof finds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """A printed figure that differs from what the rules give.

    Attributes:
        kind: One of the kinds in `rules.formulas.readings`.
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
