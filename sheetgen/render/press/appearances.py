"""Set text as operators of content streams (ISO 32000-1, 9.4): fonts, positions, colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from itertools import groupby
from typing import Any, Final, TypeAlias, TypeVar

from sheetgen.model.prints import FaceMetrics, Role, Setting, TextPiece, Tokens
from sheetgen.plan.fit import printed_lines, spell_out, widest_leading
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import SubsetFont, drawable
from sheetgen.render.pdf.pdf_file import ink, pdf_number, pdf_numbers, pdf_string

_TOP: Final = 2.0  # points between the top of a multi-line box and its first capitals
# How much above the middle several lines are set, in em; the second where they fill the box.
_DESCENT: Final = 0.25, 0.14
_ALIGNED: Final = {"left": 0.0, "center": 0.5, "right": 1.0}
_WINANSI: Final = frozenset(bytes(range(32, 256)).decode("cp1252", "ignore"))
# Advance width of `.notdef`, the box for a letter that no face has; approximate.
_NO_GLYPH: Final = 500
_SIMPLE, _CORE, _SUBSET = range(3)  # the fonts of a typeface; see `Typeface.names`
T = TypeVar("T")
# The resource name of a font, and a text in that font's encoding.
Run: TypeAlias = tuple[bytes, bytes]


@frozen
class Typeface:
    """A face as three PDF fonts; see `fonts.Face`."""

    face: str
    # Resource names of the simple font, the core font and the subset font
    names: tuple[bytes, bytes, bytes]
    simple: frozenset[str]  # the letters of the simple font, one byte for each
    # The glyphs of the core font as characters, by letter, for `str.translate`
    core: Mapping[int, str]
    metrics: FaceMetrics  # of all letters


def build_typefaces(
    metrics: Mapping[str, FaceMetrics], counts: Mapping[str, int]
) -> dict[str, Typeface]:
    """Return the typefaces by face; `counts`: how many glyphs the core font of each has."""
    found = {}
    for index, (face, own) in enumerate(metrics.items()):
        core = {point: chr(n) for point, n in own.glyphs.items() if n < counts[face]}
        names = b"/F%d" % index, b"/F%da" % index, b"/F%db" % index
        found[face] = Typeface(face, names, _WINANSI & set(map(chr, core)), core, own)
    return found


@frozen
class Style:
    """A role of the tokens with its typeface, colour operator and quadding (12.7.3.3)."""

    name: str
    role: Role
    typeface: Typeface
    colour: bytes
    aligned: float
    quadding: bytes

    def leading(self, size: float) -> float:
        """Return the distance of two lines at `size`."""
        return (self.role.leading or 1.15 * self.role.size) * size / self.role.size

    def baselines(self, count: int, size: float, height: float, *, tall: bool) -> Iterator[float]:
        """Return the baselines of `count` lines, from the top one, above the foot of the box.

        Args:
            size: Of the text; `height`: of the box.
            tall: Whether the box is made for several lines, and fills from the top.
        """
        size = self.role.size if tall and self.role.leading else size  # keeps to its dots
        cap, leading = self.typeface.metrics.cap_height * size / 1000, self.leading(size)
        most = widest_leading(count, size, height) if count > 1 and not tall else leading
        tight, leading = most < leading, min(most, leading)
        block = cap + (count - 1) * leading
        if tall:
            last = height - _TOP - block
        elif count > 1:
            last = (height - block + _DESCENT[tight] * size) / 2
        else:
            last = (height - block) / 2 if self.role.baseline is None else self.role.baseline
        return (last + line * leading for line in range(count - 1, -1, -1))


def build_text_styles(tokens: Tokens, faces: Mapping[str, Typeface]) -> dict[str, Style]:
    """Return the styles of all roles whose face is in `faces`."""
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


@lru_cache(maxsize=16)
def _orders(faces: tuple[str, ...]) -> dict[str, list[str]]:
    """Return for each face all faces: itself, then those of the nearest weights."""
    weights = {face: int("".join(filter(str.isdigit, face)) or 400) for face in faces}
    return {
        face: sorted(faces, key=lambda o: (o != face, abs(weights[o] - weights[face])))
        for face in faces
    }


# What was written for texts before, with the fonts that it uses.
TextCache: TypeAlias = dict[tuple[object, ...], tuple[Any, frozenset[bytes]]]
# Texts in a cache. Most texts of a sheet are on other sheets, too.
_CACHE_SIZE: Final = 4000


class TextSetter:
    """Sets the texts of one document."""

    def __init__(
        self, faces: Mapping[str, Typeface], subsets: Mapping[str, SubsetFont], cache: TextCache
    ) -> None:
        """Begin a document; `cache`: of the plate's texts, `subsets`: for rare letters, by face."""
        self.used: set[bytes] = set()  # resource names of the fonts that were used
        self._subsets, self._cache = subsets, cache
        self._faces = tuple(faces.values())
        orders = _orders(tuple(faces)).items()
        self._orders = {name: [faces[other] for other in order] for name, order in orders}
        self._subset_names = {face.names[_SUBSET] for face in faces.values()}

    def set_text(
        self,
        setting: Setting,
        style: Style,
        size: tuple[float, float],
        at: tuple[float, float] = (0.0, 0.0),
        *,
        tall: bool = False,
        head: Style | None = None,
    ) -> bytes:
        """Return the operators that set the lines of `setting` in a box.

        Args:
            setting: Fits already; nothing is broken or shrunk here.
            style: Of its role.
            size, at: Width and height of the box, and its lower left.
            tall: See `Style.baselines`.
            head: The style of headings in it; their leading is that of `style`.
        """
        key = (setting, style.name, size, at, tall, head is None)
        write = partial(self._set_lines, setting, style, size, at, tall=tall, head=head)
        return self.written_once(self._cache, key, write)

    def set_pieces(
        self, pieces: tuple[TextPiece, ...], at: tuple[float, float], style: Callable[[str], Style]
    ) -> bytes:
        """Return the operators of texts beside each other; `style` returns that of a role."""

        def write() -> bytes:
            lines = []
            for piece in pieces:
                setting = Setting(piece.text, (piece.text,), piece.size)
                size, corner = (piece.width, piece.size), (at[0] + piece.x, at[1] + piece.up)
                lines.append(self._set_lines(setting, style(piece.role), size, corner))
            return b"\n".join(lines)

        return self.written_once(self._cache, (pieces, at), write)

    def written_once(
        self, cache: TextCache, key: tuple[object, ...], write: Callable[..., T], *args: object
    ) -> T:
        """Return what `write` returns for `args`, from `cache` if it was written before.

        What has rare letters is not cached: their codes differ by document.
        """
        cached = cache.get(key)
        if cached is not None:
            self.used |= cached[1]
            written: T = cached[0]
            return written
        # What this text uses is kept beside it: a later document may take it from the cache, and
        # must list its fonts all the same.
        before, self.used = self.used, set()
        written = write(*args)
        if not self.used & self._subset_names:
            if len(cache) >= _CACHE_SIZE:
                cache.clear()
            cache[key] = written, frozenset(self.used)
        self.used |= before
        return written

    def _set_lines(
        self,
        setting: Setting,
        style: Style,
        size: tuple[float, float],
        at: tuple[float, float],
        *,
        tall: bool = False,
        head: Style | None = None,
    ) -> bytes:
        lines = list(map(drawable, printed_lines(setting)))
        heights = style.baselines(len(lines), setting.size, size[1], tall=tall)
        points = pdf_number(setting.size)
        parts = [b"BT", style.colour]
        font, x, y = b"", 0.0, 0.0
        for index, (line, height) in enumerate(zip(lines, heights, strict=True)):
            left = at[0]
            face = head.typeface if head and index in setting.heads else style.typeface
            if not face.simple.issuperset(line):
                line = spell_out(line, self._points)
            runs = self._runs(line, face)
            if line and not style.aligned:  # a letter that reaches to the left is not clipped
                left += face.metrics.overhangs.get(ord(line[0]), 0) * setting.size / 1000
            elif style.aligned:
                width = sum(self._advance(letter, face) for letter in line)
                left += style.aligned * (size[0] - width * setting.size / 1000)
            down = at[1] + height
            parts.append(pdf_numbers(left - x, down - y) + b" Td")
            # Each step is rounded; sum up the rounded ones, so that errors don't add up.
            x, y = x + round(left - x, 2), y + round(down - y, 2)
            for name, text in runs:
                if name != font:
                    parts.append(b"%s %s Tf" % (name, points))
                    font = name
                parts.append(pdf_string(text) + b"Tj")
        parts.append(b"ET")
        return b" ".join(parts)

    def _runs(self, line: str, typeface: Typeface) -> list[Run]:
        """Return `line` as runs of one font each."""
        if typeface.simple.issuperset(line):
            self.used.add(typeface.names[0])
            return [(typeface.names[0], line.encode("cp1252"))]
        runs = []
        for (face, font), run in groupby(line, partial(self._choice, typeface)):
            self.used.add(face.names[font])
            text = "".join(run)
            if font == _SIMPLE:
                coded = text.encode("cp1252")
            elif font == _SUBSET:
                coded = self._subsets[face.face].encode(text)
            else:  # Glyph 0 is `.notdef`, a box: no face has the letter.
                coded = "".join(face.core.get(ord(c), "\0") for c in text).encode("utf-16-be")
            runs.append((face.names[font], coded))
        return runs

    @cached_property
    def _points(self) -> frozenset[int]:
        """Return the letters of all faces, since one may take the place of another."""
        return frozenset().union(*(face.metrics.glyphs for face in self._faces))

    def _choice(self, typeface: Typeface, letter: str) -> tuple[Typeface, int]:
        """Return face and font for `letter`; if its own face lacks it, the next in weight."""
        for face in self._orders[typeface.face]:
            if letter in face.simple:
                return face, _SIMPLE
            if ord(letter) in face.metrics.glyphs:
                return face, _CORE if ord(letter) in face.core else _SUBSET
        return typeface, _CORE

    def _advance(self, letter: str, typeface: Typeface) -> int:
        for face in self._orders[typeface.face]:
            if (found := face.metrics.advances.get(ord(letter))) is not None:
                return found
        return _NO_GLYPH
