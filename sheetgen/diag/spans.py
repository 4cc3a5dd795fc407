"""A place in an author's file."""

from __future__ import annotations

import re
from typing import Final

from sheetgen.records import frozen

RULESET: Final = "RULESET"
"""The name of a command-line argument, used as the file of a span."""

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""The line breaks of YAML, which are more than `\\n`."""


def split_lines(text: str) -> list[str]:
    """Return the lines of `text` as spans count them."""
    return _BREAK.split(text)


@frozen
class Span:
    """A place in an author's file. Lines and columns count from 1, as editors do.

    Attributes:
        file: The path as the author wrote it.
        width: Number of characters; at least 1, and not beyond the end of the line.
    """

    file: str
    line: int = 1
    column: int = 1
    width: int = 1

    def within(self, offset: int, width: int = 1) -> Span:
        """Return the place `offset` characters into this one, such as a part of a formula.

        In a text of several lines it is the whole span.
        """
        if offset >= self.width:
            return self
        width = min(width, self.width - offset)
        return Span(self.file, self.line, self.column + offset, max(1, width))

    def __lt__(self, other: Span) -> bool:
        mine = self.file, self.line, self.column, self.width
        return mine < (other.file, other.line, other.column, other.width)

    @property
    def is_option(self) -> bool:
        """Whether this is an option or argument of the command line, which has no lines."""
        return self.file.startswith("--") or self.file == RULESET

    def __str__(self) -> str:
        if self.is_option:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"
