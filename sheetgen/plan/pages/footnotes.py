"""Footnotes of prints: their letters on a page, and where a source prints another figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import ascii_lowercase

from sheetgen.model.build import Build
from sheetgen.model.rulesets.proof import Difference


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote and its letter."""

    mark: str
    text: str


@dataclass
class Letters:
    """The footnotes of one page, by text; equal footnotes share a letter."""

    marks: dict[str, str] = field(default_factory=dict)

    def mark(self, text: str) -> str:
        """Return the letter of the footnote `text`."""
        if text not in self.marks:
            count = len(self.marks)
            first = ascii_lowercase[count // 26 - 1] if count >= 26 else ""
            self.marks[text] = first + ascii_lowercase[count % 26]
        return self.marks[text]


def find_footnotes(build: Build, printed: Mapping[str, Difference]) -> dict[str, str]:
    """Return a footnote for each value of a build that its source prints differently.

    A trait, or a row of a list, has a footnote if the proof has a note about it. The mark of
    a row is at its last column.

    A build that starts from a shipped one shares its footnotes while the value is the same:
    once an author changes what the value depends on, the source says nothing about it.

    Args:
        build: Of a character or of any other kind.
        printed: Differences by `Name, value`, where Name is that of the shipped build.
    """
    notes = {}
    for id_, derived in build.derived.items():
        difference = printed.get(f"{build.base}, {id_}") if build.base else None
        own = build.printed.get(id_)
        figure = "" if own is None else str(own)
        if not figure and difference is not None and difference.computed == str(derived.value):
            figure = difference.printed
        if figure and figure != str(derived.value):
            how = derived.how or derived.label
            notes[id_] = f"The source prints {figure}; {how} is {derived.value}."
    if not build.base:
        return notes
    shown = {id_: (id_, str(rating.total)) for id_, rating in build.ratings.items()}
    for list_, rows in build.rows.items():
        for number, row in enumerate(rows, start=1):
            shown[row.get("name", "")] = f"{list_}.{number}.{[*row][-1]}", " ".join(row.values())
    for name, (place, text) in shown.items():
        difference = printed.get(f"{build.base}, {name}")
        if difference is not None and difference.note and difference.printed == text:
            notes[place] = f"{difference.note}."
    return notes
