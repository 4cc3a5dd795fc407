"""A place in an author's file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in an author's file. Lines and columns count from 1, as editors do.

    Attributes:
        file: As the author named it; a finding repeats it.
        width: Characters under the caret; at least 1, and never beyond the line.
    """

    file: str
    line: int = 1
    column: int = 1
    width: int = 1

    def within(self, offset: int, width: int = 1) -> Span:
        """Return the place `offset` characters into this one (a formula's own parts)."""
        return Span(self.file, self.line, self.column + offset, max(1, width))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"
