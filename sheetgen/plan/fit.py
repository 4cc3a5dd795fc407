"""Fitting text to its place: first smaller, then on more lines, then cut.

Widths are the font's advance widths. No text is set below the least size of its role, where
it could not be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, TypeVar

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.diag.visible import strip_controls
from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Setting
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source
from sheetgen.model.tokens import CHARSET

T = TypeVar("T")

ELLIPSIS: Final = "…"

_APOSTROPHE: Final = re.compile(r"(?<=\w)'")
_OPENING_QUOTE: Final = re.compile(r"(?<!\w)'")

_WORD: Final = re.compile(r"[+−×] \S+(?: \d\S*)?|\S*\d [^\W\d_]{1,2}(?!\w)\S*|\S+(?:\xa0\S+)*")
"""What lines are not broken in: a term of a sum, a figure with its unit, or words that no-break
spaces join.
"""

_JOINT: Final = re.compile(r"(?<=\w[-‐–—/])(?=\w)")
"""Where a word that is wider than a line is broken first: after a hyphen, a dash or a slash."""

RIM: Final = 0.2
"""Points between a letter and the edge of its place, at which it is clipped."""

_EDGE: Final = 0.8
"""Points kept free of several lines at the edges of a place, which often are rules."""

_NEAR: Final = 1.1
"""Points between letters of two lines."""

_CLOSEST: Final = 0.92
"""The least distance of two lines, in em, whatever room there is."""

_SLANT: Final = 50
"""Thousandths of an em by which letters reach out of their advance widths."""

_ABOVE: Final = 230
"""The combining class of marks above a letter."""

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
    return re.sub(r"(?<=\d) (?=[^\W\d_]{1,2}(?!\w))", "\u00a0", text)


def printed_lines(setting: Setting) -> list[str]:
    """Return the lines of a setting with typographic apostrophes, see `set_apostrophes`."""
    lines = list(setting.lines)
    return lines if _OPENING_QUOTE.search(setting.value) else [set_apostrophes(x) for x in lines]


def width(text: str, metrics: FaceMetrics, size: float) -> float:
    """Return the width of `text` in points."""
    return _units(text, metrics) * size / 1000


def _units(text: str, metrics: FaceMetrics) -> int:
    """Return the width of `text` in thousandths of an em; letters without a glyph are 600."""
    advance = metrics.advances.get
    return sum([advance(point, 600) for point in map(ord, text)])


def is_block(place: Place, role: Role) -> bool:
    """Whether texts of `place` are set as a block: from the top, on as many lines as it has."""
    return place.kind == "lines" or (place.kind == "mark" and place.box.height > 3 * role.size)


def fit(text: str, place: Place, role: Role, metrics: FaceMetrics) -> tuple[Setting, bool]:
    """Return the setting of `text` in `place`, and whether it is complete."""
    if is_block(place, role):
        return _block(text, place, role, metrics)
    plain = text if place.kind == "mark" else " ".join(text.split())
    room = place.box.width - 2 * PADDING
    for scale in (1.0, 0.92, 0.85):
        size = max(role.least, role.size * scale)
        if width(plain, metrics, size) <= room:
            return Setting(text, (plain,), round(size, 2)), True
    pieces = [piece for word in plain.split() for piece in _JOINT.split(word)]
    height = place.box.height
    broken: Setting | None = None  # within a word, which is for want of a better setting
    for scale in (0.8, 0.72, 0.52):
        size = max(role.least, role.size * scale)
        spare = 1.5 if size <= role.least else -1.0  # only the least size may be set tight
        more = int((height - size * 0.95 + spare) / _leading(role, size))
        count = min(2, 1 + max(0, more))
        lines = wrap(plain, room, metrics, size)
        if len(lines) <= count and all(width(w, metrics, size) <= room for w in lines):
            lines = _apart(lines, room, height, metrics, size)
            setting = Setting(text, lines, round(size, 2))
            whole = all(width(piece, metrics, size) <= room for piece in pieces)
            if whole and (size <= role.least or not _touch(lines, height, metrics, size)):
                return setting, True
            broken = broken or setting
    if broken:
        return broken, True
    cut = _cut(lines, count, room, metrics, size)
    if _touch(cut, height, metrics, size):
        cut = _cut(lines, 1, room, metrics, size)
    return Setting(text, cut, round(size, 2)), False


def _apart(
    lines: tuple[str, ...], room: float, height: float, metrics: FaceMetrics, size: float
) -> tuple[str, ...]:
    """Return two lines broken elsewhere or indented if letters of both would touch."""
    if not _touch(lines, height, metrics, size):
        return lines
    words = " ".join(lines).split()
    others = [(" ".join(words[:at]), " ".join(words[at:])) for at in range(len(words) - 1, 0, -1)]
    others += [(lines[0], " " * indent + lines[1]) for indent in range(1, 17)]
    fitting = (two for two in others if max(width(w, metrics, size) for w in two) <= room)
    return next((two for two in fitting if not _touch(two, height, metrics, size)), lines)


def _touch(lines: Sequence[str], height: float, metrics: FaceMetrics, size: float) -> bool:
    """Whether a box is too low for lines whose letters keep apart."""
    needed = find_nearest(lines, metrics) * size + _NEAR
    return len(lines) > 1 and needed > set_leading(
        lines, 0, height - 2 * (_EDGE - RIM), metrics, size
    )


def set_leading(
    lines: Sequence[str], leading: float, height: float, metrics: FaceMetrics, size: float
) -> float:
    """Return the distance of two or more lines in a box, in points.

    It is `leading`, or more if letters would touch, or less if accents or descenders would be
    clipped at the edge of the box.
    """
    reach = rise(lines[0], metrics) + metrics.cap_height / 1000 + hang(lines[-1], metrics)
    most = (height - 2 * RIM - reach * size) / (len(lines) - 1)
    needed = find_nearest(lines, metrics) * size + _NEAR
    return min(max(leading, needed), max(_CLOSEST * size, most))


def find_nearest(lines: Sequence[str], metrics: FaceMetrics) -> float:
    """Return the distance of lines, in em, at which letters of two of them touch."""

    def spans(line: str) -> Iterator[tuple[int, int, int]]:
        at = 0
        for point in map(ord, line):
            start, at = at, at + metrics.advances.get(point, 600)
            if point != ord(" "):
                yield point, start - _SLANT, at + _SLANT

    nearest = 0
    for upper, lower in pairwise(lines):
        below = [(_rise(point, metrics), start, end) for point, start, end in spans(lower)]
        nearest = max([nearest, *(up for up, _, _ in below)])
        hanging = ((metrics.hangs.get(p, 0), start, end) for p, start, end in spans(upper))
        for down, left, right in (one for one in hanging if one[0]):
            over = (up for up, start, end in below if left < end and start < right)
            nearest = max([nearest, *(down + up for up in over)])
    return (nearest + metrics.cap_height) / 1000


def rise(line: str, metrics: FaceMetrics) -> float:
    """Return how far the accents of a line rise above capitals, in em."""
    accents = (_rise(ord(letter), metrics) for letter in line if not letter.isascii())
    return max([0, *accents]) / 1000


def _rise(point: int, metrics: FaceMetrics) -> int:
    """Return how far a letter rises above capitals; about, if it is of another face."""
    if point in metrics.advances:
        return metrics.rises.get(point, 0)
    marks = [*map(unicodedata.combining, unicodedata.normalize("NFD", chr(point)))]
    above = marks.count(_ABOVE) if chr(point).isupper() else 0
    return 160 + 80 * above if above else 0


def hang(line: str, metrics: FaceMetrics) -> float:
    """Return how far a line hangs below its baseline, in em."""
    return max([0, *(metrics.hangs.get(point, 0) for point in map(ord, line))]) / 1000


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
    """Return the most that lines in a box may be apart without touching its edges.

    Letters of a line reach over 0.94 em.
    """
    return max(0.95 * size, (height - 2 * _EDGE - 0.94 * size) / (count - 1))


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

    def fits(start: int, end: int) -> bool:
        return width(part_of(word, start, end), metrics, size) <= room

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
        line, used = word, units
        if units * size / 1000 > room:
            *full, line = [part_of(word, *ends) for ends in break_word(word, fits)]
            lines, used = lines + full, _units(line, metrics)
    return (*lines, line) if line else tuple(lines)


def break_word(word: str, fits: Callable[[int, int], bool]) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each part of a word, which is broken if it is wider than a line.

    It is broken after a hyphen or a slash if the line is half full there, or the rest fits;
    otherwise between syllables, or letters, and the last three of them stay together.
    """
    start, size = 0, len(word)
    while start + 1 < size and not fits(start, size):
        most = next(n - 1 for n in range(start + 2, size + 1) if not fits(start, n))
        end, taken = most, most - start
        joint = max((m.start() for m in _JOINT.finditer(word, start + 1, most + 1)), default=start)
        if 2 * (joint - start) > taken or (
            start < joint and size - joint <= 2 * taken and fits(joint, size)
        ):
            end = joint
        elif taken > 5:
            end = min(most, size - 3)
            stops = (stop for stop in find_syllables(word) if start + taken / 2 < stop <= end)
            end = max(stops, default=end)
        while end > start + 1 and not fits(start, end):  # a hyphen may be wider than a letter
            end -= 1
        yield start, end
        start = end
    yield start, size


def part_of(word: str, start: int, end: int) -> str:
    """Return a part of a word that is broken, with a hyphen if it ends between letters."""
    return word[start:end] + hyphen_at(word, start, end)


def hyphen_at(word: str, start: int, end: int) -> str:
    """Return the hyphen of a line from `start` to `end`; parts of a letter or two have none."""
    between = end - start > 2 and end < len(word) and word[end - 1 : end + 1].isalpha()
    return "-" if between else ""


@lru_cache(maxsize=4096)
def find_syllables(word: str, lang: str = "en") -> tuple[int, ...]:
    """Return where `word` may be hyphenated."""
    import pyphen  # Few prints have words that are wider than a line.

    known = pyphen.language_fallback(lang)
    return tuple(pyphen.Pyphen(lang=known, left=3, right=3).positions(word)) if known else ()


def _words(text: str, room: float, metrics: FaceMetrics, size: float) -> Iterator[str]:
    """Yield the words of `text`; a term of a sum is one, and a figure with its unit, if it fits."""
    for word in _WORD.findall(text):
        if " " in word and width(word, metrics, size) > room:
            yield from word.split()
        else:
            yield word


def _cut(
    lines: tuple[str, ...], count: int, room: float, metrics: FaceMetrics, size: float
) -> tuple[str, ...]:
    if not 0 < count < len(lines):
        return lines[:count]
    last = lines[count - 1]
    while last and width(last + ELLIPSIS, metrics, size) > room:
        last = last[:-1]
    return (*lines[: count - 1], last.rstrip() + ELLIPSIS)


def find_lowest(
    make: Callable[[float], T | None], low: float, high: float, step: float
) -> T | None:
    """Return what is made with the lowest limit that it can be made with, None if with none.

    This balances columns of tables, columns of screens and lines of text: things that are placed
    one after the other are about equal if the limit is as low as possible.

    Args:
        make: Returns None if the limit is too low.
        low: A limit that is too low.
        high: A limit that is not; it is not tried.
        step: How close to the lowest limit the result is.
    """
    best: T | None = None
    while high - low > step:
        middle = (low + high) / 2
        made = make(middle)
        if made is None:
            low = middle
        else:
            high, best = middle, made
    return best


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


def find_missing_letters(text: str, known: Container[int]) -> str:
    """Return the letters of a text that `known` code points cannot draw, each once, in order."""
    return "".join(
        c
        for c in dict.fromkeys(unicodedata.normalize("NFC", text))
        if not is_unseen(c) and _spelt(c, known) is None
    )


def is_unseen(character: str) -> bool:
    """Whether nothing is drawn for a character: blanks, joiners, controls, variation selectors."""
    unseen = character.isspace() or unicodedata.category(character) in ("Cc", "Cf")
    return unseen or _SELECTOR.fullmatch(character) is not None


_SELECTOR: Final = re.compile(
    "[\u034f"  # the joiner of graphemes
    "\u115f\u1160"  # fillers of Hangul
    "\u17b4\u17b5"  # vowels of Khmer that are not written
    "\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
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
    if not missing:
        return
    nodes = _list_values(source.root) if source is not None and source.root else ()
    printed = (node for node in nodes if not text or strip_controls(node.raw).strip() == text)
    texts = ((node.span, unicodedata.normalize("NFC", node.raw)) for node in printed)
    found = [(place, [c for c in missing if c in raw]) for place, raw in texts]
    for place, letters in [one for one in found if one[1]] or [(span, list(missing))]:
        named = (c if c.isprintable() else f"U+{ord(c):04X}" for c in letters[:12])
        shown = " ".join(named) + (" …" if len(letters) > 12 else "")
        message = f"no font of this print has {shown}"
        if all(ord(c) in CHARSET for c in letters):
            hint = "name a font that has it under `fonts` of a theme"
        else:
            latin = any(map(str.isalpha, letters))
            hint = "write it in Latin letters" if latin else "use another sign"
        hint += ", or print with `--to html`: browsers have more fonts" if html else ""
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
