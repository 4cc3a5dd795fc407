"""Text that is already set, as PDF operators: which font, where, in what colour."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.model.prints import FaceMetrics, Role, Setting, Tokens
from sheetgen.render.fonts import drawable
from sheetgen.render.pdf_syntax import ink, literal, number, numbers

_TOP: Final = 2.0
"""Points between the top of a box of several lines and its first capitals."""

_ALIGNED: Final = {"left": 0.0, "center": 0.5, "right": 1.0}
_NO_GLYPH: Final = 500
"""Advance of the box that stands for a letter that no face has, near enough."""


Run: TypeAlias = "tuple[bytes, str, Typeface]"
"""Font, text, and the face that the font is a part of."""


@dataclass(frozen=True, slots=True)
class Part:
    """Some letters of a face, in a font of their own; see `fonts.Face`."""

    name: bytes
    letters: frozenset[str]


@dataclass(frozen=True, slots=True)
class Typeface:
    """One face as the press sets it.

    Attributes:
        glyphs: Glyph numbers as characters, by code point: what `str.translate` takes.
    """

    core: Part
    parts: tuple[Part, ...]
    glyphs: Mapping[int, str]
    advances: Mapping[int, int]
    cap_height: float


def typefaces(
    metrics: Mapping[str, FaceMetrics], starts: Mapping[str, Sequence[int]]
) -> dict[str, Typeface]:
    """Return the typefaces by face; `starts` says at which glyph each part starts."""
    return {
        face: _typeface(index, metrics[face], starts[face])
        for index, face in enumerate(metrics)
    }


def _typeface(index: int, metrics: FaceMetrics, starts: Sequence[int]) -> Typeface:
    parts = tuple(
        Part(
            b"/F%d%s" % (index, b"abc"[n : n + 1]),
            frozenset(chr(p) for p, g in metrics.glyphs.items() if first <= g < last),
        )
        for n, (first, last) in enumerate(pairwise([*starts, 1 << 16]))
    )
    return Typeface(
        core=parts[0],
        parts=parts,
        glyphs={point: chr(glyph) for point, glyph in metrics.glyphs.items()},
        advances=metrics.advances,
        cap_height=metrics.cap_height / 1000,
    )


@dataclass(frozen=True, slots=True)
class Style:
    """A role, ready for use."""

    name: str
    role: Role
    typeface: Typeface
    colour: bytes
    aligned: float
    quadding: bytes

    def leading(self, size: float) -> float:
        """Return the distance of two lines at `size`."""
        full = self.role.leading or 1.15 * self.role.size
        return full * size / self.role.size

    def baselines(
        self, count: int, size: float, height: float, *, tall: bool
    ) -> Iterator[float]:
        """Yield the height above the foot of each of `count` lines, from the top.

        Args:
            count: How many.
            size: Of the text.
            height: Of the box.
            tall: Whether the box is meant for several lines, and fills from the top.
        """
        cap, leading = self.typeface.cap_height * size, self.leading(size)
        block = cap + (count - 1) * leading
        if tall:
            last = height - _TOP - block
        elif self.role.baseline is None or self._sticks_out(block, count, height):
            last = (height - block) / 2
        else:
            last = self.role.baseline
        return (last + line * leading for line in range(count - 1, -1, -1))

    def _sticks_out(self, block: float, count: int, height: float) -> bool:
        return count > 1 and (self.role.baseline or 0) + block > height


def styles(tokens: Tokens, faces: Mapping[str, Typeface]) -> dict[str, Style]:
    """Return the styles of all roles whose face is at hand."""
    return {
        name: Style(
            name,
            role,
            faces[role.face],
            ink(tokens.colours[role.colour]),
            _ALIGNED[role.align],
            b"/Q %d" % (2 * _ALIGNED[role.align]) if role.align != "left" else b"",
        )
        for name, role in tokens.roles.items()
        if role.face in faces
    }


class Compositor:
    """Sets text, and remembers which fonts it took.

    Attributes:
        used: Resource names of fonts.
    """

    def __init__(self, faces: Mapping[str, Typeface]) -> None:
        self.used: set[bytes] = set()
        self._faces = tuple(faces.values())

    def block(
        self,
        setting: Setting,
        style: Style,
        size: tuple[float, float],
        at: tuple[float, float] = (0.0, 0.0),
        *,
        tall: bool = False,
    ) -> bytes:
        """Return operators that set the lines of `setting` in a box.

        Args:
            setting: Already fitted; nothing is broken or shrunk here.
            style: Of its role.
            size: Width and height of the box.
            at: Its lower left.
            tall: See `Style.baselines`.
        """
        lines = [drawable(line) for line in setting.lines]
        heights = style.baselines(len(lines), setting.size, size[1], tall=tall)
        points = number(setting.size)
        parts = [b"BT", style.colour]
        font, x, y = b"", 0.0, 0.0
        for line, height in zip(lines, heights, strict=True):
            left = at[0]
            runs = self._runs(line, style.typeface)
            if style.aligned:
                room = size[0] - _width(runs) * setting.size / 1000
                left += room * style.aligned
            down = at[1] + height
            parts.append(numbers(left - x, down - y) + b" Td")
            # Steps are rounded one by one; keep count of where they really led.
            x, y = x + round(left - x, 2), y + round(down - y, 2)
            for name, text, typeface in runs:
                if name != font:
                    parts.append(b"%s %s Tf" % (name, points))
                    font = name
                parts.append(literal(_encoded(text, typeface)) + b"Tj")
        parts.append(b"ET")
        return b" ".join(parts)

    def _runs(self, line: str, typeface: Typeface) -> Sequence[Run]:
        core = typeface.core
        if core.letters.issuperset(line):
            self.used.add(core.name)
            return ((core.name, line, typeface),)
        choices = [self._choice(letter, typeface) for letter in line]
        self.used.update(name for name, _ in choices)
        return [
            (name, "".join(letter for _, letter in pairs), face)
            for (name, face), pairs in groupby(
                zip(choices, line, strict=True), key=itemgetter(0)
            )
        ]

    def _choice(self, letter: str, typeface: Typeface) -> tuple[bytes, Typeface]:
        """Return font and face for `letter`: its own, or another of the plate that has it."""
        for face in (typeface, *self._faces):
            for part in face.parts:
                if letter in part.letters:
                    return part.name, face
        return typeface.core.name, typeface


def _width(runs: Sequence[Run]) -> float:
    return sum(
        typeface.advances.get(point, _NO_GLYPH)
        for _, text, typeface in runs
        for point in map(ord, text)
    )


def _encoded(text: str, typeface: Typeface) -> bytes:
    """Return glyph numbers, 0 for what has none."""
    if not all(map(typeface.glyphs.__contains__, map(ord, text))):
        text = "".join(c if ord(c) in typeface.glyphs else "\0" for c in text)
    return text.translate(typeface.glyphs).encode("utf-16-be")
