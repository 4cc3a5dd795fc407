"""Positions of the Language Server Protocol, offsets in a text, and spans of findings.

The protocol counts lines that end with a line feed, a carriage return or both, and columns in code
units. Spans count the lines of YAML, and columns in characters. Offsets count characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from sheetgen.diag.spans import Span, split_lines

_BREAK: Final = re.compile("\r\n|\r|\n")
_BOM: Final = "\ufeff"

_UNITS: Final[Mapping[str, Callable[[str], int]]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text) + sum(character > "\uffff" for character in text),
    "utf-32": len,
}
"""The number of code units of a text, by encoding."""


@dataclass
class OpenText:
    """A text of an editor, with conversions of places in it.

    Attributes:
        encoding: In whose code units columns are counted: `utf-8`, `utf-16` or `utf-32`.
    """

    text: str
    encoding: str = "utf-16"
    _starts: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._starts = [0, *(match.end() for match in _BREAK.finditer(self.text))]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; one outside the text is moved into it."""
        if line >= len(self._starts):
            return len(self.text)
        start = self._starts[line]
        content = self._line(line)
        if content.isascii():
            return start + min(column, len(content))
        units = 0
        for number, character in enumerate(content):
            units += _UNITS[self.encoding](character)
            if units > column:
                return start + number
        return start + len(content)

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column, both from 0, of an offset."""
        line = bisect_right(self._starts, offset) - 1
        start = self._starts[line]
        before = self._line(line)[: offset - start]
        return line, len(before) if before.isascii() else _UNITS[self.encoding](before)

    def _line(self, line: int) -> str:
        """Return a line without its line break."""
        after = line + 1
        end = self._starts[after] if after < len(self._starts) else len(self.text)
        return self.text[self._starts[line] : end].rstrip("\r\n")

    def span_offsets(self, span: Span) -> tuple[int, int]:
        """Return the offsets of a span's start and end."""
        if not 1 <= span.line <= len(self._lines):
            return len(self.text), len(self.text)
        start, line = self._lines[span.line - 1]
        first = min(start + span.column - 1, start + len(line))
        return first, min(first + span.width, start + len(line))

    @cached_property
    def _lines(self) -> list[tuple[int, str]]:
        """The lines of YAML with their offsets; a byte order mark is not part of the first."""
        found, start = [], len(self.text) - len(self.text.lstrip(_BOM))
        for line in split_lines(self.text[start:]):
            found.append((start, line))
            start += len(line)
            start += 2 if self.text.startswith("\r\n", start) else 1
        return found
