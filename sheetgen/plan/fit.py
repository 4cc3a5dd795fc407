"""Fitting text to its place: first smaller, then on more lines, then cut.

Widths are the font's advance widths. No text is set below the least size of its role, where
it could not be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.diag.visible import strip_controls
from sheetgen.model.designs.tokens import CHARSET
from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Setting
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source

ONE_LINE: Final = (1.0, 0.92, 0.85)
MORE_LINES: Final = (0.8, 0.72, 0.52)
ELLIPSIS: Final = "…"
_UNKNOWN_ADVANCE: Final = 600
"""The width of a letter without a glyph, in thousandths of an em."""

_APOSTROPHE: Final = re.compile(r"(?<=\w)'")
_OPENING_QUOTE: Final = re.compile(r"(?<!\w)'")

_WORD: Final = re.compile(r"[+−×] \S+(?: \d\S*)?|\S*\d [^\W\d_]{1,2}(?!\w)\S*|\S+")
"""What lines are not broken in: a term of a sum, a figure with its unit, or a word."""

_UNIT_SPACE: Final = re.compile(r"(?<=\d) (?=[^\W\d_]{1,2}(?!\w))")

_CLEAR: Final = 0.8
"""Points between several lines and the edges of their place, which often are rules."""

_EXTENT: Final = 0.94
"""How far the letters of a line reach from top to bottom, in em."""

_CLOSEST: Final = 0.95
"""The least distance of two lines, in em."""

PADDING: Final = 0.5
"""Points kept free at each side of a place, so that letters do not touch its edge."""


def set_apostrophes(text: str) -> str:
    """Return `text` with typographic apostrophes, as it is printed; data keeps its own.

    A text with an opening single quote stays as it is: its other quotes may be closing ones.
    """
    if "'" not in text or _OPENING_QUOTE.search(text):
        return text
    return _APOSTROPHE.sub("’", text)


def keep_units(text: str) -> str:
    """Return `text` with no-break spaces between figures and their units."""
    return _UNIT_SPACE.sub("\u00a0", text)


def printed_lines(setting: Setting) -> list[str]:
    """Return the lines of a setting with typographic apostrophes, see `set_apostrophes`."""
    lines = list(setting.lines)
    return lines if _OPENING_QUOTE.search(setting.value) else [set_apostrophes(x) for x in lines]


def width(text: str, metrics: FaceMetrics, size: float) -> float:
    """Return the width of `text` in points."""
    return _units(text, metrics) * size / 1000


def _units(text: str, metrics: FaceMetrics) -> int:
    """Return the width of `text` in thousandths of an em."""
    advance = metrics.advances.get
    return sum([advance(point, _UNKNOWN_ADVANCE) for point in map(ord, text)])


def fit(text: str, place: Place, role: Role, metrics: FaceMetrics) -> tuple[Setting, bool]:
    """Return the setting of `text` in `place`, and whether it is complete."""
    if place.kind == "lines" or (place.kind == "mark" and place.box.height > 3 * role.size):
        return _block(text, place, role, metrics)
    plain = text if place.kind == "mark" else " ".join(text.split())
    room = place.box.width - 2 * PADDING
    for scale in ONE_LINE:
        size = max(role.least, role.size * scale)
        if width(plain, metrics, size) <= room:
            return Setting(text, (plain,), round(size, 2)), True
    for size, count in _smaller(role, place.box.height):
        lines = wrap(plain, room, metrics, size)
        if len(lines) <= count and all(width(w, metrics, size) <= room for w in lines):
            return Setting(text, lines, round(size, 2)), True
    size, count = list(_smaller(role, place.box.height))[-1]
    lines = wrap(plain, room, metrics, size)
    return Setting(text, _cut(lines, count, room, metrics, size), round(size, 2)), False


def _smaller(role: Role, height: float) -> Iterator[tuple[float, int]]:
    """Yield sizes for several lines, and how many lines of each size fit."""
    for scale in MORE_LINES:
        size = max(role.least, role.size * scale)
        leading = _leading(role, size)
        spare = 1.5 if size <= role.least else -1.0  # only the least size may be set tight
        lines = 1 + max(0, int((height - size * 0.95 + spare) / leading))
        yield size, min(2, lines)


def _leading(role: Role, size: float) -> float:
    return (role.leading or 1.12 * role.size) * size / role.size


def _block(text: str, place: Place, role: Role, metrics: FaceMetrics) -> tuple[Setting, bool]:
    """Set `text` on as many lines as the place has, at the largest size that fits."""
    room = place.box.width - 2 * PADDING
    scales = (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.0)
    sizes = dict.fromkeys(max(role.least, role.size * scale) for scale in scales)
    lines: tuple[str, ...] = ()
    count, size = 0, role.size
    for size in sizes:
        lines = paragraphs(text, room, metrics, size)
        count = rows_in(place.box.height, role, size)
        if len(lines) <= count:
            return Setting(text, lines, round(size, 2)), True
    return Setting(text, _cut(lines, count, room, metrics, size), round(size, 2)), False


def widest_leading(count: int, size: float, height: float) -> float:
    """Return the most that lines in a box may be apart without touching its edges."""
    return max(_CLOSEST * size, (height - 2 * _CLEAR - _EXTENT * size) / (count - 1))


def rows_in(height: float, role: Role, size: float) -> int:
    """Return how many lines of `size` fit into `height` points; at least one.

    A role's own leading is that of the dots to write on, which do not shrink with the text.
    """
    return max(1, int((height - 2 - size) / (role.leading or _leading(role, size))) + 1)


def paragraphs(text: str, room: float, metrics: FaceMetrics, size: float) -> tuple[str, ...]:
    """Return `text` in lines; the author's line breaks are kept."""
    lines: list[str] = []
    for paragraph in text.splitlines() or [""]:
        lines += wrap(paragraph, room, metrics, size) or ("",)
    return tuple(lines)


def wrap(text: str, room: float, metrics: FaceMetrics, size: float) -> tuple[str, ...]:
    """Return `text` in lines of at most `room` points; a longer word is broken."""
    lines: list[str] = []
    line, used, space = "", 0, _units(" ", metrics)
    for word in _words(text, room, metrics, size):
        units = _units(word, metrics)
        longer = used + space + units if line else units
        if longer * size / 1000 <= room:
            line, used = f"{line} {word}" if line else word, longer
            continue
        if line:
            lines.append(line)
        *full, line = _pieces(word, room, metrics, size)
        lines += full
        used = _units(line, metrics)
    return (*lines, line) if line else tuple(lines)


def _words(text: str, room: float, metrics: FaceMetrics, size: float) -> Iterator[str]:
    """Yield the words of `text`; a term of a sum is one, and a figure with its unit, if it fits."""
    for word in _WORD.findall(text):
        if " " in word and width(word, metrics, size) > room:
            yield from word.split()
        else:
            yield word


def _pieces(word: str, room: float, metrics: FaceMetrics, size: float) -> list[str]:
    pieces, piece = [], ""
    for char in word:
        if piece and width(piece + char, metrics, size) > room:
            pieces.append(piece)
            piece = ""
        piece += char
    return [*pieces, piece]


def _cut(
    lines: tuple[str, ...], count: int, room: float, metrics: FaceMetrics, size: float
) -> tuple[str, ...]:
    kept = list(lines[:count])
    if len(lines) > count and kept:
        last = kept[-1]
        while last and width(last + ELLIPSIS, metrics, size) > room:
            last = last[:-1]
        kept[-1] = last.rstrip() + ELLIPSIS
    return tuple(kept)


def shrunk_sizes(
    plate: Plate, settings: Mapping[str, Setting], page: int | None = None
) -> dict[str, int]:
    """Return the sizes of shrunk texts by place, in per cent of their roles' sizes."""
    sizes: dict[str, int] = {}
    for place in plate.places:
        setting = settings.get(place.name)
        if setting is not None and page in (None, place.page):
            full = plate.tokens.roles[setting.role or place.role].size
            near = 0.01 if len(setting.lines) < 2 else 0.5  # lines break as in print
            percent = max(50, int(100 * setting.size / full + near))
            sizes |= {place.name: percent} if percent < 100 else {}
    return sizes


# Warnings about letters that no font of a print has, at the values that have them.


_SHOWN: Final = 12
"""Letters that a warning names."""

_FONT: Final = "name a font that has it under `fonts` of a theme"
_LATIN: Final = "write it in Latin letters"
_SIGN: Final = "use another sign"
_HTML: Final = ", or print with `--to html`: browsers have more fonts"


def find_missing_letters(text: str, known: Container[int]) -> str:
    """Return the letters of a text that `known` code points cannot draw, each once, in order."""
    return "".join(
        c
        for c in dict.fromkeys(unicodedata.normalize("NFC", text))
        if not is_unseen(c) and _spelt(c, known) is None
    )


def is_unseen(character: str) -> bool:
    """Whether nothing is drawn for a character: blanks, joiners, controls, variation selectors."""
    return (
        character.isspace()
        or unicodedata.category(character) in ("Cc", "Cf")
        or character in _SELECTORS
    )


_SELECTORS: Final = frozenset(
    chr(code)
    for first, last in (
        (0x034F, 0x034F),  # the joiner of graphemes
        (0x115F, 0x1160),  # fillers of Hangul
        (0x17B4, 0x17B5),  # vowels of Khmer that are not written
        (0x180B, 0x180F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for code in range(first, last + 1)
)
"""Characters without a glyph besides controls and blanks; most of them select a variant."""


def spell_out(text: str, known: Container[int]) -> str:
    """Return `text` with what letters stand for that `known` code points lack: `ﬁ` is `fi`.

    Letters in parts, such as a vowel and its accent, are composed first. `?` stands for letters
    that cannot be drawn, in place of the empty box of a font; `report_letters` names them.
    """
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text)
    return "".join(_spelt(c, known) or (c if is_unseen(c) else "?") for c in composed)


def _spelt(character: str, known: Container[int]) -> str | None:
    if ord(character) in known:
        return character
    spelt = (unicodedata.normalize(form, character) for form in ("NFKC", "NFD"))
    return next((plain for plain in spelt if all(ord(c) in known for c in plain)), None)


def report_letters(
    missing: str, source: Source | None, span: Span, *, html: bool = True, text: str = ""
) -> Iterator[Finding]:
    """Yield a warning for each value of a file that has some of the letters `missing`.

    Args:
        missing: Letters that no font of a print has; none for no warning.
        source: The author's file.
        span: The place of the only warning if no value of the file has any of them.
        html: Whether there is an HTML file of the same print.
        text: Only values that are this text are printed; all without it.
    """
    nodes = _list_values(source.root) if missing and source is not None and source.root else ()
    printed = (node for node in nodes if not text or strip_controls(node.raw).strip() == text)
    texts = ((node.span, unicodedata.normalize("NFC", node.raw)) for node in printed)
    found = [(place, [c for c in missing if c in raw]) for place, raw in texts]
    places = [one for one in found if one[1]] or ([(span, list(missing))] if missing else [])
    for place, letters in places:
        named = (c if c.isprintable() else f"U+{ord(c):04X}" for c in letters[:_SHOWN])
        shown = " ".join(named) + (" …" if len(letters) > _SHOWN else "")
        message = f"no font of this print has {shown}"
        other = _LATIN if any(map(str.isalpha, letters)) else _SIGN
        hint = _FONT if all(ord(c) in CHARSET for c in letters) else other
        hint += _HTML if html else ""
        yield Finding(codes.NO_GLYPH, place, message, hint, Severity.WARNING)


def _list_values(node: Node) -> Iterator[ScalarNode]:
    if isinstance(node, ScalarNode):
        yield node
    elif isinstance(node, Many):
        for item in node.items:
            yield from _list_values(item)
    elif isinstance(node, Pairs):
        for key, value in node.entries:
            yield key
            yield from _list_values(value)
