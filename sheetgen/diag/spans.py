"""A place in an author's file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

RULESET: Final = "RULESET"
"""The command line's argument of this name, as the file of a span."""

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
"""What YAML's parser counts as the end of a line; more than `split("\\n")` knows."""


def split_lines(text: str) -> list[str]:
    """Return the lines of `text` as places count them."""
    return _BREAK.split(text)


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
        """Return the place `offset` characters into this one (a formula's own parts).

        A text of several lines has no such places; then it is the whole.
        """
        if offset >= self.width:
            return self
        width = min(width, self.width - offset)
        return Span(self.file, self.line, self.column + offset, max(1, width))

    @property
    def is_option(self) -> bool:
        """Whether it is an option or argument of the command line, which has no lines."""
        return self.file.startswith("--") or self.file == RULESET

    def __str__(self) -> str:
        if self.is_option:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"
