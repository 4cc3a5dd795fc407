"""A filled sheet: the printed and the filled value of each field."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.records import frozen

OWNER = b"/XXsheetgen"
"""The private key of a widget that says which sheet it belongs to: the sheet's identity, a
dictionary, and the name of the field.

Other programs that copy pages drop the document's information, and rename fields or cut them off
from the fields above. All that were tried keep private keys of widgets.
"""

NAME = "name"
"""The field with the character's name."""

OURS = "sheetgen"
"""Prefix of fields that are part of the print: findings, a button."""

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
        printed_fields: How many fields were printed; 0 if the file does not say it.
    """

    file: str
    part: str
    ruleset: str
    version: str
    character: str
    digest: str
    fields: Mapping[str, Field]
    printed_fields: int = 0

    @property
    def lacks_pages(self) -> bool:
        """Whether fields are missing: another program copied some of the sheet's pages."""
        return len(self.fields) < self.printed_fields

    @property
    def has_printed_values(self) -> bool:
        """Whether the file holds the printed value of every field."""
        return all(field.printed is not None for field in self.fields.values())

    @property
    def label(self) -> str:
        """Return the name of the sheet in messages."""
        return f"{self.file} ({self.part})" if self.part else self.file
