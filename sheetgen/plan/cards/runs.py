"""Texts of several roles in one place of a card: a large `3`, a small `D`, a raised `+1`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from sheetgen.model.cards import TextPiece
from sheetgen.model.prints import Place, Plate, Tokens
from sheetgen.plan.fit import PADDING, width, wrap

Run: TypeAlias = tuple[str, str]
"""A text, and its role."""

UNIT, HEAD = "-unit", "-head"
"""Suffixes of the roles of a number's unit, and of the words that begin a text. Both are
optional."""

WHAT, CHANGE, NOTE = "what", "change", "note"
"""After the name of a text and a dot: what a figure counts, by how much it was raised, and the
letter of its footnote."""

TAILS: Final[tuple[str, ...]] = (WHAT, CHANGE, NOTE)
"""Suffixes of the texts that follow a text, in this order; their roles are `ROLE-what` etc."""

FIGURE: Final = re.compile(r"(\D*?)([−+]?\d+)(\D{0,2}(?:\+\d)?)")
"""A number with its prefix and its unit: 3, −1D, 4D+2."""

_STEM: Final = 0.035
"""How far a large number that begins with 1 moves left, in em, so that its stem aligns with the
label above it."""


def figure_runs(text: str, tails: Mapping[str, str], role: str, tokens: Tokens) -> tuple[Run, ...]:
    """Return a text as runs, if it is a figure whose parts have roles of their own."""
    unit = role + UNIT
    figure = FIGURE.fullmatch(text) if unit in tokens.roles else None
    parts = [(text, role)]
    if figure is not None:
        before, number, after = figure.groups()
        parts = [(before, unit), (number, role), (after, unit)]
    for what in TAILS:
        if what in tails and (name := f"{role}-{what}") in tokens.roles:
            parts.append((f" {tails[what]}" if what == WHAT else tails[what], name))
    runs = tuple((part, name) for part, name in parts if part)
    return runs if figure is not None or len(runs) > 1 else ()


def tails_of(name: str, texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts that follow the text `name`, by suffix."""
    return {what: text for what in TAILS if (text := texts.get(f"{name}.{what}"))}


def headed(line: str, role: str, tokens: Tokens, most: int, after: str = ":") -> tuple[Run, ...]:
    """Return the first line of a text with its head as a run of its own, or ().

    Args:
        most: The most letters of a head.
        after: What ends a head.
    """
    words, end, rest = line.partition(after)
    if not end or not rest or len(words) > most or role + HEAD not in tokens.roles:
        return ()
    return (words + end, role + HEAD), (rest, role)


def wide(runs: Iterable[Run], plate: Plate) -> float:
    """Return the width of runs at full size, in points."""
    roles = plate.tokens.roles
    return sum(width(t, plate.metrics[roles[r].face], roles[r].size) for t, r in runs)


def break_runs(
    groups: Iterable[tuple[Run, ...]], gap: str, place: Place, plate: Plate
) -> list[tuple[Run, ...]]:
    """Return groups of runs in lines; a group is broken only if `place` is too narrow for it."""
    lines: list[tuple[Run, ...]] = []
    for group in groups:
        longer = (*lines[-1], (gap, group[0][1]), *group) if lines else group
        if lines and wide(longer, plate) <= place.box.width - 2 * PADDING:
            lines[-1] = longer
        elif least_scale(group, place, plate):
            lines.append(group)
        else:
            lines += _broken(group, place.box.width - 2 * PADDING, plate)
    return lines


def least_scale(runs: Sequence[Run], place: Place, plate: Plate) -> float:
    """Return the scale at which a line of runs fits `place`; 0 if it would be too small to read."""
    own, room = plate.tokens.roles[place.role], place.box.width - 2 * PADDING
    scale = min(1.0, room / wide(runs, plate))
    return scale if scale * own.size >= own.least else 0.0


def _broken(group: Sequence[Run], room: float, plate: Plate) -> list[tuple[Run, ...]]:
    """Return a group in several lines: its longest run is wrapped, the others stay beside it."""
    at = max(range(len(group)), key=lambda n: wide(group[n : n + 1], plate))
    (text, name), rest = group[at], wide((*group[:at], *group[at + 1 :]), plate)
    role = plate.tokens.roles[name]
    kept = room - rest if rest < room / 2 else room
    lines: list[tuple[Run, ...]] = [
        ((line, name),) for line in wrap(text, kept, plate.metrics[role.face], role.size)
    ]
    lines[0] = (*group[:at], *lines[0])
    lines[-1] = (*lines[-1], *group[at + 1 :])
    return lines


def set_runs(
    lines: Sequence[Sequence[Run]], place: Place, plate: Plate, most: float = 1.0
) -> tuple[TextPiece, ...]:
    """Return lines of runs as pieces, scaled to `most`, or less if a line is too wide."""
    own = plate.tokens.roles[place.role]
    room = place.box.width - 2 * PADDING
    widest = max(wide(line, plate) for line in lines)
    scale = max(own.least / own.size, min(most, room / widest)) if widest else 1.0
    pieces = []
    for number, line in enumerate(lines):
        x, up = 0.0, (len(lines) - 1 - number) * own.leading
        if own.align != "left":
            spare = place.box.width - wide(line, plate) * scale
            x = spare if own.align == "right" else spare / 2
        elif line[0][0].startswith("1") and line[0][1] + UNIT in plate.tokens.roles:
            x = -_STEM * own.size
        for text, name in line:
            role = plate.tokens.roles[name]
            size = round(role.size * scale, 2)
            across = width(text, plate.metrics[role.face], size)
            pieces.append(TextPiece(text, name, size, round(x, 2), round(across, 2), up, number))
            x += across
    return tuple(pieces)
