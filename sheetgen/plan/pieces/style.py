"""The design of pieces, and texts that are fitted into their boxes; all lengths are points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sheetgen.model.designs.colours import mix_with_paper
from sheetgen.model.prints import FaceMetrics, Tokens
from sheetgen.plan.fit import ELLIPSIS, width, wrap

NAME_FACES: Final = ("display-700", "text-700", "text-600", "text-400")
"""Faces of names: the first one that has all letters of a name is used."""

LABEL_FACES: Final = ("text-600",)
FIGURE_FACES: Final = ("figure-700", "text-700", "text-400")

_UNBROKEN: Final = re.compile("[\u2e80-\uffff]|[^\\s\u2e80-\uffff]+")


@dataclass(frozen=True, slots=True)
class PieceStyle:
    """The design of pieces: the tokens of a theme and of a game.

    Attributes:
        metrics: Metrics of the faces that pieces are set in.
        faces: The names of their font files.
    """

    tokens: Tokens
    metrics: Mapping[str, FaceMetrics] = field(repr=False)
    faces: Mapping[str, str]

    def colour(self, name: str, share: float = 1.0) -> str:
        """Return a colour, mixed with that of the paper."""
        return mix_with_paper(self.tokens.colours, name, share)

    @property
    def least(self) -> float:
        """The smallest size of text."""
        return self.tokens.length("size-hint")

    def find_face(self, text: str, faces: Sequence[str] = NAME_FACES) -> str:
        """Return the first face that has all letters of a text, or else most of them."""
        known = [face for face in faces if face in self.metrics]
        return min(known, key=lambda face: sum(1 for _ in self._missing(text, face)))

    def find_missing(self, text: str, faces: Sequence[str] = NAME_FACES) -> str:
        """Return the letters of a text that the best of some faces does not have."""
        return "".join(dict.fromkeys(self._missing(text, self.find_face(text, faces))))

    def drawable(self, text: str) -> bool:
        """Whether there is a text, and one face has all its letters."""
        return bool(text) and not self.find_missing(text)

    def _missing(self, text: str, face: str) -> Iterator[str]:
        advances = self.metrics[face].advances
        return (c for c in text if not c.isspace() and ord(c) not in advances)

    def width(self, text: str, face: str, size: float) -> float:
        """Return the width of a text in points."""
        return width(text, self.metrics[face], size)

    def cap(self, face: str, size: float) -> float:
        """Return the height of capitals in points."""
        return self.metrics[face].cap_height * size / 1000


@dataclass(frozen=True, slots=True)
class SetText:
    """A text that was fitted into a box.

    Attributes:
        complete: Whether no letter was left out.
        spacing: The distance of two baselines, in sizes.
    """

    lines: tuple[str, ...]
    face: str
    size: float
    complete: bool
    spacing: float = 1.12

    @property
    def leading(self) -> float:
        """The distance of two baselines."""
        return self.size * self.spacing

    def replacement(self, text: str) -> str:
        """Return `text` if the lines are not all of it: for programs that read the file."""
        return "" if " ".join(self.lines) == " ".join(text.split()) else text


def fit_text(
    text: str,
    style: PieceStyle,
    room: tuple[float, float],
    most: float,
    lines: int = 2,
    faces: Sequence[str] = NAME_FACES,
) -> SetText:
    """Return `text` at the largest size that fits the width and height of `room`.

    One line is tried first, down to two thirds of the size; then several, down to the smallest
    size that can be read; then the next face, which may be narrower; then the text is cut.
    """
    words, least = " ".join(text.split()), min(style.least, most)
    known = [face for face in faces if not style.find_missing(words, (face,))]
    if not known:  # a box in place of a letter would help nobody
        known = [style.find_face(words, faces)]
        unknown = style.find_missing(words, known)
        words = " ".join("".join(c for c in words if c not in unknown).split())
    for face in known:
        for count in range(1, lines + 1):
            low = max(least, most * 0.66) if count < lines else least
            for size in _sizes(most, low):
                # Lines are centred by their capitals, so the last one needs no room below.
                high = size * (0.72 + 1.12 * (count - 1))
                broken = _balance(words, room[0], style, face, size)
                if len(broken) <= count and (high <= room[1] + 0.01 or count == 1):
                    return SetText(broken, face, size, True)
    count = max(1, min(lines, int(1 + (room[1] - least * 0.72) / (1.12 * least))))
    broken = wrap(words, room[0], style.metrics[face], least)
    kept = list(broken[:count])
    while len(broken) > count and style.width(kept[-1] + ELLIPSIS, face, least) > room[0]:
        kept[-1] = kept[-1][:-1].rstrip()
    kept[-1] += ELLIPSIS if len(broken) > count else ""
    return SetText(tuple(kept), face, least, len(broken) <= count)


def _sizes(most: float, least: float) -> Iterator[float]:
    size = most
    while size > least * 1.01:
        yield round(size, 2)
        size *= 0.95
    yield least


def _balance(text: str, room: float, style: PieceStyle, face: str, size: float) -> tuple[str, ...]:
    """Return a text in as few lines as fit, of about equal length; broken words are refused.

    Chinese, Japanese and Korean may break between any two letters.
    """
    metrics = style.metrics[face]
    longest = max((width(part, metrics, size) for part in _UNBROKEN.findall(text)), default=0.0)
    if longest > room:
        return ("",) * 99
    lines = wrap(text, room, metrics, size)
    for share in (0.55, 0.65, 0.75, 0.85):
        even = wrap(text, max(longest, room * share) + 0.01, metrics, size)
        if len(even) == len(lines):
            return even
    return lines
