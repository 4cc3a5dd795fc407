"""Text that is already set, as PDF operators: which font, where, in what colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Final, TypeAlias

from sheetgen.model.cards import TextPiece
from sheetgen.model.prints import FaceMetrics, Role, Setting, Tokens
from sheetgen.render.fonts.fonts import drawable
from sheetgen.render.fonts.subset_fonts import SubsetFont
from sheetgen.render.pdf.syntax import ink, pdf_number, pdf_numbers, pdf_string

_TOP: Final = 2.0
"""Points between the top of a box of several lines and its first capitals."""

_DESCENT: Final = 0.1
"""How much higher several lines stand than in the middle, for what hangs below, in em."""

_ALIGNED: Final = {"left": 0.0, "center": 0.5, "right": 1.0}
_WINANSI: Final = frozenset(bytes(range(32, 256)).decode("cp1252", "ignore"))
_NO_GLYPH: Final = 500
"""Advance of the box that stands for a letter that no face has, near enough."""


_SIMPLE, _CORE, _SPARE = range(3)
"""The fonts of a typeface; see `Typeface.names`."""

Run: TypeAlias = tuple[bytes, bytes]
"""What the resources call a font, and a text as that font spells it."""


@dataclass(frozen=True, slots=True)
class Typeface:
    """One face as the press sets it, in three fonts; see `fonts.Face`.

    Attributes:
        face: Its name.
        names: What the resources call the simple font, the core and the spare one.
        simple: The letters of the simple font: one byte for each.
        core: The glyphs of the core as characters, by letter, for `str.translate`.
        metrics: Of all its letters.
    """

    face: str
    names: tuple[bytes, bytes, bytes]
    simple: frozenset[str]
    core: Mapping[int, str]
    metrics: FaceMetrics


def typefaces(metrics: Mapping[str, FaceMetrics], counts: Mapping[str, int]) -> dict[str, Typeface]:
    """Return the typefaces by face; `counts` says how many glyphs the core of each has."""
    return {
        face: _typeface(face, index, metrics[face], counts[face])
        for index, face in enumerate(metrics)
    }


def _typeface(face: str, index: int, metrics: FaceMetrics, count: int) -> Typeface:
    core = {point: chr(glyph) for point, glyph in metrics.glyphs.items() if glyph < count}
    names = b"/F%d" % index, b"/F%da" % index, b"/F%db" % index
    return Typeface(face, names, _WINANSI & set(map(chr, core)), core, metrics)


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


Kept: TypeAlias = dict[tuple[object, ...], tuple[bytes, frozenset[bytes]]]
"""Texts that were set before, and the fonts that they took."""

_MOST_KEPT: Final = 2000


class Compositor:
    """Sets text, and remembers which fonts it took.

    Attributes:
        used: What the resources call them.
    """

    def __init__(
        self, faces: Mapping[str, Typeface], spares: Mapping[str, SubsetFont], kept: Kept
    ) -> None:
        """Begin a document.

        Args:
            faces: By name.
            spares: Fonts of this document for rare letters, by face.
            kept: Of documents before: the names of traits stand on every sheet.
        """
        self.used: set[bytes] = set()
        self._faces, self._spares, self._kept = tuple(faces.values()), spares, kept
        self._spare_names = {face.names[_SPARE] for face in self._faces}

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
        key = (setting, style.name, size, at, tall, head is None)
        if (kept := self._kept.get(key)) is not None:
            self.used |= kept[1]
            return kept[0]
        before, self.used = self.used, set()
        made = self._block(setting, style, size, at, tall=tall, head=head)
        return self._keep(key, made, before)

    def pieces(
        self,
        pieces: tuple[TextPiece, ...],
        at: tuple[float, float],
        style: Callable[[str], Style],
    ) -> bytes:
        """Return operators that set texts beside each other; `style`: of a role.

        Each has its own width as the box that it is set in.
        """
        key = (pieces, at)
        if (kept := self._kept.get(key)) is not None:
            self.used |= kept[1]
            return kept[0]
        before, self.used = self.used, set()
        made = b"\n".join(
            self._block(
                Setting(piece.text, (piece.text,), piece.size),
                style(piece.role),
                (piece.width, piece.size),
                (at[0] + piece.x, at[1] + piece.up),
                tall=False,
                head=None,
            )
            for piece in pieces
        )
        return self._keep(key, made, before)

    def _keep(self, key: tuple[object, ...], made: bytes, before: set[bytes]) -> bytes:
        """Keep a text for documents to come, unless it has rare letters; return it.

        What spells these depends on the document.
        """
        if not self.used & self._spare_names:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[key] = made, frozenset(self.used)
        self.used |= before
        return made

    def _block(
        self,
        setting: Setting,
        style: Style,
        size: tuple[float, float],
        at: tuple[float, float],
        *,
        tall: bool,
        head: Style | None,
    ) -> bytes:
        lines = [drawable(line) for line in setting.lines]
        heights = style.baselines(len(lines), setting.size, size[1], tall=tall)
        points = pdf_number(setting.size)
        parts = [b"BT", style.colour]
        font, x, y = b"", 0.0, 0.0
        for index, (line, height) in enumerate(zip(lines, heights, strict=True)):
            left = at[0]
            face = head.typeface if head and index in setting.heads else style.typeface
            runs = self._runs(line, face)
            if style.aligned:
                room = size[0] - self._width(line, face) * setting.size / 1000
                left += room * style.aligned
            down = at[1] + height
            parts.append(pdf_numbers(left - x, down - y) + b" Td")
            # Steps are rounded one by one; keep count of where they really led.
            x, y = x + round(left - x, 2), y + round(down - y, 2)
            for name, text in runs:
                if name != font:
                    parts.append(b"%s %s Tf" % (name, points))
                    font = name
                parts.append(pdf_string(text) + b"Tj")
        parts.append(b"ET")
        return b" ".join(parts)

    def _runs(self, line: str, typeface: Typeface) -> Sequence[Run]:
        """Return `line` in pieces of one font each."""
        if typeface.simple.issuperset(line):
            self.used.add(typeface.names[0])
            return ((typeface.names[0], line.encode("cp1252")),)
        choices = [self._choice(letter, typeface) for letter in line]
        self.used.update(face.names[font] for face, font in choices)
        pairs = groupby(zip(choices, line, strict=True), key=itemgetter(0))
        return [
            (face.names[font], self._encoded("".join(c for _, c in run), face, font))
            for (face, font), run in pairs
        ]

    def _choice(self, letter: str, typeface: Typeface) -> tuple[Typeface, int]:
        """Return face and font for `letter`: its own, or another of the plate that has it."""
        for face in (typeface, *self._faces):
            if letter in face.simple:
                return face, _SIMPLE
            if ord(letter) in face.metrics.glyphs:
                return face, _CORE if ord(letter) in face.core else _SPARE
        return typeface, _CORE

    def _encoded(self, text: str, face: Typeface, font: int) -> bytes:
        if font == _SIMPLE:
            return text.encode("cp1252")
        if font == _SPARE:
            return self._spares[face.face].encoded(text)
        # Glyph 0, a box, stands for a letter that no face has.
        return "".join(face.core.get(ord(c), "\0") for c in text).encode("utf-16-be")

    def _width(self, line: str, typeface: Typeface) -> float:
        return sum(self._advance(letter, typeface) for letter in line)

    def _advance(self, letter: str, typeface: Typeface) -> int:
        for face in (typeface, *self._faces):
            if (found := face.metrics.advances.get(ord(letter))) is not None:
                return found
        return _NO_GLYPH
