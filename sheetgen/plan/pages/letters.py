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

    given: dict[str, str] = field(default_factory=dict)

    def mark(self, text: str) -> str:
        """Return the letter of the footnote `text`."""
        if text not in self.given:
            count = len(self.given)
            first = ascii_lowercase[count // 26 - 1] if count >= 26 else ""
            self.given[text] = first + ascii_lowercase[count % 26]
        return self.given[text]
