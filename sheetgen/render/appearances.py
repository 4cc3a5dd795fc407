"""Text that is already set, as PDF operators: which font, where, in what colour."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.model.prints import FaceMetrics, Role, Setting, Tokens
from sheetgen.render.fonts import drawable
from sheetgen.render.pdf_syntax import ink, literal, number, numbers

_TOP: Final = 2.0
"""Points between the top of a box of several lines and its first capitals."""

_DESCENT: Final = 0.1
"""How much higher several lines stand than in the middle, for what hangs below, in em."""

_ALIGNED: Final = {"left": 0.0, "center": 0.5, "right": 1.0}
_NO_GLYPH: Final = 500
"""Advance of the box that stands for a letter that no face has, near enough."""


Run: TypeAlias = "tuple[bytes, str, Typeface]"
"""Font, text, and the face that the font is a part of."""


@dataclass(frozen=True, slots=True)
class Typeface:
    """One face as the press sets it; see `fonts.Face` for its parts.

    Attributes:
        names: What the resources call the font of each part.
        starts: The first glyph of each part.
        core: The letters of the first part, which is all that most prints need.
        core_glyphs: Their glyphs as characters, by code point, for `str.translate`.
    """

    names: tuple[bytes, ...]
    starts: Sequence[int]
    core: frozenset[str]
    core_glyphs: Mapping[int, str]
    metrics: FaceMetrics

    def font_of(self, letter: str) -> bytes | None:
        """Return the font that has `letter`, None if the face lacks it."""
        glyph = self.metrics.glyphs.get(ord(letter))
        return None if glyph is None else self.names[bisect(self.starts, glyph) - 1]

    def encoded(self, text: str) -> bytes:
        """Return the glyph numbers of `text`, 0 for what has none."""
        if self.core.issuperset(text):
            return text.translate(self.core_glyphs).encode("utf-16-be")
        glyphs = self.metrics.glyphs
        return b"".join([glyphs.get(ord(c), 0).to_bytes(2) for c in text])


def typefaces(
    metrics: Mapping[str, FaceMetrics], starts: Mapping[str, Sequence[int]]
) -> dict[str, Typeface]:
    """Return the typefaces by face; `starts` says at which glyph each part starts."""
    return {
        face: _typeface(index, metrics[face], starts[face]) for index, face in enumerate(metrics)
    }


def _typeface(index: int, metrics: FaceMetrics, starts: Sequence[int]) -> Typeface:
    core = {point: chr(glyph) for point, glyph in metrics.glyphs.items() if glyph < starts[1]}
    names = tuple(b"/F%d%s" % (index, b"abcdefgh"[n : n + 1]) for n in range(len(starts)))
    return Typeface(names, starts, frozenset(map(chr, core)), core, metrics)


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

    def baselines(self, count: int, size: float, height: float, *, tall: bool) -> Iterator[float]:
        """Yield the height above the foot of each of `count` lines, from the top.

        Args:
            count: How many.
            size: Of the text.
            height: Of the box.
            tall: Whether the box is meant for several lines, and fills from the top.
        """
        cap, leading = self.typeface.metrics.cap_height * size / 1000, self.leading(size)
        block = cap + (count - 1) * leading
        if tall:
            last = height - _TOP - block
        elif count > 1:
            last = (height - block + _DESCENT * size) / 2
        elif self.role.baseline is None:
            last = (height - block) / 2
        else:
            last = self.role.baseline
        return (last + line * leading for line in range(count - 1, -1, -1))


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
        head: Style | None = None,
    ) -> bytes:
        """Return operators that set the lines of `setting` in a box.

        Args:
            setting: Already fitted; nothing is broken or shrunk here.
            style: Of its role.
            size: Width and height of the box.
            at: Its lower left.
            tall: See `Style.baselines`.
            head: How its headings are set; their leading is that of `style`.
        """
        lines = [drawable(line) for line in setting.lines]
        heights = style.baselines(len(lines), setting.size, size[1], tall=tall)
        points = number(setting.size)
        parts = [b"BT", style.colour]
        font, x, y = b"", 0.0, 0.0
        for index, (line, height) in enumerate(zip(lines, heights, strict=True)):
            left = at[0]
            face = head.typeface if head and index in setting.heads else style.typeface
            runs = self._runs(line, face)
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
                parts.append(literal(typeface.encoded(text)) + b"Tj")
        parts.append(b"ET")
        return b" ".join(parts)

    def _runs(self, line: str, typeface: Typeface) -> Sequence[Run]:
        if typeface.core.issuperset(line):
            self.used.add(typeface.names[0])
            return ((typeface.names[0], line, typeface),)
        choices = [self._choice(letter, typeface) for letter in line]
        self.used.update(name for name, _ in choices)
        pairs = groupby(zip(choices, line, strict=True), key=itemgetter(0))
        return [(name, "".join(letter for _, letter in run), face) for (name, face), run in pairs]

    def _choice(self, letter: str, typeface: Typeface) -> tuple[bytes, Typeface]:
        """Return font and face for `letter`: its own, or another of the plate that has it."""
        for face in (typeface, *self._faces):
            if name := face.font_of(letter):
                return name, face
        return typeface.names[0], typeface


def _width(runs: Sequence[Run]) -> float:
    return sum(
        typeface.metrics.advances.get(point, _NO_GLYPH)
        for _, text, typeface in runs
        for point in map(ord, text)
    )
