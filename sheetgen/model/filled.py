"""A sheet that came back: what was printed in each of its fields, and what stands there now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

ON = "On"
"""What stands in a box that is marked; an empty text in one that is not."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a sheet.

    Attributes:
        printed: None where the file does not say it.
        label: What a viewer shows for it; empty where the file does not say it.
    """

    name: str
    filled: str
    printed: str | None = None
    box: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class FilledSheet:
    """One sheet of a file that was filled in.

    Attributes:
        part: Its prefix in a file of several sheets, `c2`, or empty.
        ruleset, character, digest: What the file says it was printed from; empty if nothing.
        has_printed_values: Whether the file says what was printed in its fields.
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
        """Whether the file says what was printed."""
        return all(field.printed is not None for field in self.fields.values())

    @property
    def label(self) -> str:
        """What the sheet is called in messages."""
        return f"{self.file} ({self.part})" if self.part else self.file
