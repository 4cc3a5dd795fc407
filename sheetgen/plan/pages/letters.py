"""Footnotes of a page of tables and their letters."""

from __future__ import annotations

from dataclasses import dataclass, field
from string import ascii_lowercase


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote."""

    mark: str
    text: str


@dataclass
class Letters:
    """Footnotes of one page: equal ones share a letter."""

    marks: dict[str, str] = field(default_factory=dict)

    def mark(self, text: str) -> str:
        """Return the letter of the footnote `text`."""
        if text not in self.marks:
            count = len(self.marks)
            first = ascii_lowercase[count // 26 - 1] if count >= 26 else ""
            self.marks[text] = first + ascii_lowercase[count % 26]
        return self.marks[text]
