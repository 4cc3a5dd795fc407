"""Type sizes of screens, and lines of text with bold words: their widths and line breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sheetgen.model.prints import FaceMetrics
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import width
from sheetgen.rules.tables.screen_rows import STRONG
from sheetgen.units import MM

LEAST_NOTE: Final = 11.0
LEAST: Final = 13.0
MOST: Final = 20.0


@dataclass(frozen=True, slots=True)
class PanelSizes:
    """Type sizes of one panel; `base` is that of words."""

    base: float

    @property
    def note(self) -> float:
        """The size of notes behind words."""
        return max(LEAST_NOTE, round(self.base * 0.84, 2))

    @property
    def figure(self) -> float:
        """The size of a number at the start of a row."""
        return round(self.base * 1.48, 2)

    @property
    def head(self) -> float:
        """The size of a block's name."""
        return round(self.base * 1.22, 2)

    @property
    def headed(self) -> float:
        """The height of a block's name with the rule below it."""
        return round(self.base * 1.95, 2)


PLAIN, BOLD, FIGURE, HEAD, NAME = "text-400", "text-700", "figure-800", "figure-700", "display-700"

SOFT_HYPHEN: Final = "\xad"
"""Where a word may be broken; a hyphen is printed there if it is."""

SAFE: Final = 1.012
"""A factor for kerning, which may make a text wider than the sum of its letters."""

_MARK: Final = 7 * MM
_APART: Final = 6 * MM
"""The space around the mark of an overlay, and between credit and folio, as in the style sheets."""

Run = tuple[str, bool]
"""Words, and whether they are bold."""

Line = tuple[Run, ...]


def initials(title: str) -> str:
    """Return the initials of the title of an overlay, its mark on screens."""
    return "".join(word[0] for word in title.split())


def bold_runs(text: str) -> Iterator[Run]:
    """Yield the runs of a text with `*bold*` words."""
    for place, part in enumerate(text.split(STRONG)):
        if part:
            yield part, place % 2 == 1


class TextMeasure:
    """Widths of texts in the faces of one theme."""

    def __init__(self, faces: Mapping[str, FaceMetrics]) -> None:
        self.faces = faces
        self._widths: dict[tuple[str, str, float], float] = {}

    def line_width(self, line: Line, size: float) -> float:
        """Return the width of a line of runs."""
        return sum(self.face_width(text, BOLD if bold else PLAIN, size) for text, bold in line)

    def face_width(self, text: str, face: str, size: float) -> float:
        """Return the width of a text in one face."""
        key = text, face, size
        if key not in self._widths:
            text = text.replace(SOFT_HYPHEN, "")
            self._widths[key] = width(text, self.faces[face], size) * SAFE
        return self._widths[key]

    def text_width(self, text: str, size: float) -> float:
        """Return the width of a text with bold words on one line."""
        return self.line_width(tuple(bold_runs(text)), size)

    def break_lines(self, text: str, size: float, room: float) -> tuple[Line, ...]:
        """Return a text with bold words in lines of at most `room`, of about equal length."""
        lines = self._filled(text, size, room)
        if len(lines) < 2:
            return lines
        least, most = 0.0, room
        while most - least > 0.5:
            middle = (least + most) / 2
            even = self._filled(text, size, middle)
            wide = max(self.line_width(line, size) for line in even)
            if len(even) == len(lines) and wide <= middle:
                most, lines = middle, even
            else:
                least = middle
        return lines

    def count_lines(self, text: str, size: float, room: float, face: str = PLAIN) -> int:
        """Return how many lines a text in one face takes; it breaks at spaces and soft hyphens."""
        count, at, space = 1, 0.0, self.face_width(" ", face, size)
        for word in text.split(" "):
            pieces = word.split(SOFT_HYPHEN)
            for place, piece in enumerate(pieces):
                wide = self.face_width(piece, face, size)
                before = space if at and not place else 0.0
                hyphen = self.face_width("-", face, size) if place + 1 < len(pieces) else 0.0
                if at and at + before + wide + hyphen > room:
                    count, at = count + 1, wide
                else:
                    at += before + wide
                if at > room:  # a part that is wider than a line is broken anywhere
                    count, at = count + int(at // room), at % room
        return count

    def longest(self, text: str, face: str, size: float) -> float:
        """Return the width of the longest part of a text that is never broken."""
        hyphen = self.face_width("-", face, size) if SOFT_HYPHEN in text else 0.0
        parts = text.replace(SOFT_HYPHEN, " ").split(" ")
        return max((self.face_width(part, face, size) for part in parts), default=0.0) + hyphen

    def _filled(self, text: str, size: float, room: float) -> tuple[Line, ...]:
        """Return the text in lines, each with as many words as fit."""
        lines: list[Line] = []
        line: list[Run] = []
        for runs in _unbroken(text):
            longer = [*line, *runs]
            if line and self.line_width(_trimmed(longer), size) > room:
                lines.append(_trimmed(line))
                line = runs if any(word.strip() for word, _ in runs) else []
            else:
                line = longer
        return (*lines, _trimmed(line)) if line else tuple(lines)


@lru_cache(maxsize=1024)
def _unbroken(text: str) -> list[list[Run]]:
    """Return the words of a text, each with the sign that follows it in another weight."""
    found: list[list[Run]] = []
    for part, bold in bold_runs(text):
        for word in _words(part):
            if found and not word.startswith(" ") and not found[-1][-1][0].endswith(" "):
                found[-1].append((word, bold))
            else:
                found.append([(word, bold)])
    return found


def _words(text: str) -> Iterator[str]:
    word = ""
    for char in text:
        if char == " " and word.strip():
            yield word
            word = ""
        word += char
    if word:
        yield word


def _trimmed(line: Sequence[Run]) -> Line:
    """Return a line without spaces at its ends, with adjacent runs of one weight joined."""
    found: list[Run] = []
    for text, bold in line:
        if found and found[-1][1] == bold:
            found[-1] = found[-1][0] + text, bold
        else:
            found.append((text, bold))
    if found:
        found[0] = found[0][0].lstrip(), found[0][1]
        found[-1] = found[-1][0].rstrip(), found[-1][1]
    return tuple(run for run in found if run[0])


def folio_width(rules: Ruleset, size: float, measure: TextMeasure) -> float:
    """Return the most that a folio takes from the credit: marks of all overlays, side, number."""
    overlays = [origin.title for origin in rules.composition.origins[1:]]
    marks = sum(measure.face_width(f"{initials(one)}  {one}", BOLD, size) for one in overlays)
    sides = [
        measure.face_width(f"{one.label}, 99 of 99", BOLD, size) for one in rules.screens.values()
    ]
    return marks + max(sides, default=0.0) + len(overlays) * _MARK + _APART
