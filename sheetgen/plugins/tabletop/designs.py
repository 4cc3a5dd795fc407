"""What a piece shows: a person, a vehicle, or one of several copies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import cos, pi, sin
from typing import Final

from sheetgen.diag.findings import Span
from sheetgen.model.designs.tokens import mix_with_paper
from sheetgen.model.pictures import Picture, PreparedPicture
from sheetgen.model.prints import FaceMetrics, Tokens
from sheetgen.model.rulesets.prints import StripRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import ELLIPSIS, width, wrap
from sheetgen.plan.pages.encounters import Fighter, Run, plan_strip
from sheetgen.records import frozen
from sheetgen.units import Box
from sheetgen.units.paths import num


@frozen
class FactRow:
    """Figures with labels, under a heading."""

    about: str
    runs: tuple[Run, ...]


@frozen
class PieceSubject:
    """What a piece shows.

    Attributes:
        number: The number of a copy; empty for a single one.
        about: Words below the name.
        facts: What is looked up, for the back of a tent.
        group: The number of its group; pieces of one group have the same pattern.
        person: Whether a player plays it.
        art: The picture of its file.
        picture: That picture, ready for the box of its piece.
        span: Where findings about it point.
    """

    name: str
    number: str = ""
    about: str = ""
    facts: tuple[FactRow, ...] = ()
    group: int = 0
    person: bool = False
    art: Picture | None = None
    picture: PreparedPicture | None = None
    span: Span = field(default_factory=lambda: Span(""))

    @property
    def initials(self) -> str:
        """The first letters of the first and of the last word; two letters of a single word."""
        words = [word for word in self.name.split() if word[0].isalnum()]
        if len(words) == 1:
            return words[0][:1].upper() + words[0][1:2]
        return "".join(word[0] for word in dict.fromkeys((*words[:1], *words[-1:]))).upper()


def describe_fighter(
    fighter: Fighter, rules: Ruleset, group: int, span: Span
) -> Iterator[PieceSubject]:
    """Yield the subject of each copy of a checked build."""
    page = rules.encounter
    words = page.strips.get(fighter.kind) if page is not None else None
    own = rules.pieces
    if not fighter.kind and own is not None:
        words = StripRules(label="", figures=own.tent, steps=())
    facts: tuple[FactRow, ...] = ()
    about = ""
    if words is not None:
        strip = plan_strip(fighter, words)
        about, first = strip.about, strip.corner
        rows = [(words.figures_about, strip.figures), (words.steps_about, strip.steps)]
        if words.corner and page is not None and first is not None:
            rows.insert(0, ("", (Run(first.text, first.small, label=page.init, dice=first.dice),)))
        shown = ((head, [run for run in runs if run.text or run.dice]) for head, runs in rows)
        facts = tuple(FactRow(head, tuple(runs)) for head, runs in shown if runs)
        if not fighter.kind and own is not None:
            texts = (fighter.view.texts.get(part.of) for part in own.about)
            about = " · ".join(one.text for one in texts if one is not None)
    name = fighter.build.name or "?"
    art = next(iter(fighter.build.pictures.values()), None)
    for copy in fighter.copies:
        numbered = copy.isdigit() or not copy
        yield PieceSubject(
            name=name if numbered else copy,
            number=copy if numbered else "",
            about=about if numbered else " · ".join(filter(None, (name, about))),
            facts=facts,
            group=group,
            person=not fighter.kind,
            art=art,
            span=span,
        )


NAME_FACES: Final = ("display-700", "text-700", "text-600", "text-400")
"""Faces of names: the first one that has all letters of a name is used."""

LABEL_FACES: Final = ("text-600",)
FIGURE_FACES: Final = ("figure-700", "text-700", "text-400")

_UNBROKEN: Final = re.compile("[\u2e80-\uffff]|[^\\s\u2e80-\uffff]+")


@frozen
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


@frozen
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


_KAPPA: Final = 0.5522847498
"""How far the control points of a quarter of a circle are from its ends, in radii."""


def polygon(*points: tuple[float, float]) -> str:
    """Return a closed path through points."""
    return "M" + " L".join(f"{num(x)} {num(y)}" for x, y in points) + " Z"


def line(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return a straight path."""
    return f"M{num(x0)} {num(y0)} L{num(x1)} {num(y1)}"


def rectangle(box: Box) -> str:
    """Return the path of a box."""
    right, foot = box.x + box.width, box.y + box.height
    return polygon((box.x, box.y), (right, box.y), (right, foot), (box.x, foot))


def circle(x: float, y: float, radius: float) -> str:
    """Return the path of a circle about x, y."""
    k, r = radius * _KAPPA, radius
    curves = (
        (r, k, k, r, 0, r),
        (-k, r, -r, k, -r, 0),
        (-r, -k, -k, -r, 0, -r),
        (k, -r, r, -k, r, 0),
    )
    path = f"M{num(x + r)} {num(y)}"
    for curve in curves:
        path += " C" + " ".join(num((x, y)[at % 2] + n) for at, n in enumerate(curve))
    return f"{path} Z"


def _rays(box: Box, unit: float) -> Iterator[str]:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    far, count = box.width + box.height, 18
    for n in range(count):
        start, end = (2 * pi * (n + share) / count for share in (0.0, 0.5))
        ends = ((x + far * cos(angle), y + far * sin(angle)) for angle in (start, end))
        yield polygon((x, y), *ends)


def _steps(start: float, end: float, step: float) -> Iterator[float]:
    while start < end:
        yield start
        start += step


def _stripes(box: Box, unit: float) -> Iterator[str]:
    y, foot, high = box.y, box.y + box.height, box.height
    for at in _steps(box.x - high, box.x + box.width, 2 * unit):
        yield polygon((at, foot), (at + high, y), (at + high + unit, y), (at + unit, foot))


def _lozenges(box: Box, unit: float) -> Iterator[str]:
    step, half = unit * 1.9, unit * 0.62
    for row, y in enumerate(_steps(box.y, box.y + box.height + half, step / 2)):
        start = box.x + (step / 2 if row % 2 else 0)
        for x in _steps(start, box.x + box.width + half, step):
            yield polygon((x - half, y), (x, y - half), (x + half, y), (x, y + half))


def _chevrons(box: Box, unit: float) -> Iterator[str]:
    drop, right = box.width / 2, box.x + box.width
    for y in _steps(box.y - drop, box.y + box.height, 2 * unit):
        upper = (box.x, y), (box.x + drop, y + drop), (right, y)
        lower = ((x, height + unit) for x, height in reversed(upper))
        yield polygon(*upper, *lower)


def _rings(box: Box, unit: float) -> Iterator[str]:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    for radius in _steps(unit, (box.width + box.height) / 2, 2.2 * unit):
        yield f"{circle(x, y, radius + unit)} {circle(x, y, radius)}"


def _checks(box: Box, unit: float) -> Iterator[str]:
    side = 1.35 * unit
    for row in range(int(box.height / side) + 1):
        for column in range(row % 2, int(box.width / side) + 1, 2):
            yield rectangle(Box(box.x + column * side, box.y + row * side, side, side))


PATTERNS: Final = (_rays, _stripes, _lozenges, _chevrons, _rings, _checks)
"""Patterns that differ in grey, too."""


def pattern(number: int, box: Box, unit: float) -> str:
    """Return the path of a pattern that covers a box; it reaches over its edges."""
    return " ".join(PATTERNS[number % len(PATTERNS)](box, unit))
