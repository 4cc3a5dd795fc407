"""A filled sheet: the printed and the filled value of each field."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.records import frozen

ON = "On"
"""The value of a marked box; that of an empty box is an empty text."""


@frozen
class Field:
    """A field of a sheet.

    Attributes:
        printed: The printed value; None where the file does not hold it.
        label: The tooltip; empty where the file has none.
    """

    name: str
    filled: str
    printed: str | None = None
    box: bool = False
    label: str = ""


@frozen
class FilledSheet:
    """One sheet of a filled file.

    Attributes:
        part: The prefix of its fields in a file of several sheets, such as `c2`, or empty.
        ruleset, character, digest: What it was printed from, as the file says; else empty.
    """

    file: str
    part: str
    ruleset: str
    version: str
    character: str
    digest: str
    fields: Mapping[str, Field]

    @property
    def has_printed_values(self) -> bool:
        """Whether the file holds the printed value of every field."""
        return all(field.printed is not None for field in self.fields.values())

    @property
    def label(self) -> str:
        """Return the name of the sheet in messages."""
        return f"{self.file} ({self.part})" if self.part else self.file
