"""What a proof finds: where a source's printed figures and its rules part."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """One printed thing that is not what the rules say.

    Attributes:
        kind: One of those in `rules.readings`.
        file, line: The file of printed figures, and the line of the source's own text.
        what: The row, and the column if that says something.
        rule: The formula or table that it was computed by.
        ruling: What settles it, where it is settled.
        table, row, cell: The cell of a printed table that it is about; `cell` is -1 where
            it is about the whole row.
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
