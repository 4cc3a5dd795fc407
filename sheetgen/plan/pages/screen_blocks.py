"""Blocks of a panel, laid out at one type size: line breaks, cells, heights; signs and curves.

All lengths are points. Lines are broken here by the fonts' advance widths, and printed with
these breaks.

Signs are words of a game, such as those of its dice, that pages show as small drawings. In a
planned text a sign is one letter for private use, so that texts are measured and broken as others
are. `spell_signs` turns these letters into markup; screen readers hear the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final

from sheetgen.load.designs.themes import list_signs
from sheetgen.model.prints import FaceMetrics
from sheetgen.model.rulesets.prints import ComputedGrid, ScreenBlock
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import break_word, find_lowest, hyphen_at, width
from sheetgen.records import frozen
from sheetgen.rules.odds.odds import HALF, cell_text
from sheetgen.rules.tables.compute import STRONG, BlockRows
from sheetgen.units import MM

LEAST: Final = 13.0
MOST: Final = 17.0  # the type sizes of words on a page
SPARSE: Final = 20.0  # the most on a page that has a quarter of its height left even so
# The heights of rows of one line by kind of block, in type sizes.
HEIGHTS: Final = {"numbers": 1.66, "ladder": 1.84, "words": 1.52, "list": 1.36, "grid": 1.4}


@frozen
class ScreenCell:
    """One cell: its lines, smaller lines below them, and its place in the block."""

    lines: tuple[Line, ...]
    small: tuple[Line, ...] = ()
    left: float = 0.0
    wide: float = 0.0
    classes: str = ""


@frozen
class ScreenRow:
    """A row of a block and its height."""

    cells: tuple[ScreenCell, ...]
    height: float


@frozen
class BlockLayout:
    """A block laid out at one size."""

    block: ScreenBlock
    heads: tuple[ScreenCell, ...]
    rows: tuple[ScreenRow, ...]
    text: tuple[Line, ...]
    height: float
    size: float  # the type size of its words; grids and drawn blocks may shrink
    too_wide: float = 0.0  # by how much it is wider than its column
    grid: ComputedGrid | None = None  # of odds, whose curves are the block's only row
    headed: float = 0.0  # the height of its name with the rule below it
    under: int = 0  # the lines of the remark below its name; 0 if it is beside the name
    air: float = 0.0  # the space added to each row
    origin: str = ""  # the title of its overlay, whose initials are beside the name

    @property
    def is_drawn(self) -> bool:
        """Whether it is a picture, whose only row keeps its height."""
        return str(self.block.kind) in ("stations", "stairs", "curves")

    def aired(self, air: float) -> BlockLayout:
        """Return the block with `air` points more in each row."""
        if self.is_drawn or air <= 0:
            return self
        rows = tuple(replace(row, height=round(row.height + air, 2)) for row in self.rows)
        more = sum(row.height for row in rows) - sum(row.height for row in self.rows)
        return replace(self, rows=rows, height=round(self.height + more, 2), air=air)


def lay_out_column(
    column: Sequence[tuple[ScreenBlock, BlockRows]],
    sizes: PanelSizes,
    measure: TextMeasure,
    room: float,
) -> Iterator[BlockLayout]:
    """Yield the blocks of a column; leads of one kind that are alike have the same width."""
    drafts = [_BlockDraft(block, rows, sizes, measure, room) for block, rows in column]
    leads = [(one.numbered, one.lead()) for one in drafts]
    for draft, (numbered, own) in zip(drafts, leads, strict=True):
        alike = [lead for kind, lead in leads if kind is numbered and lead <= _ALIKE * own]
        kind = str(draft.block.kind)
        if kind == "grid":
            yield draft.grid()
        elif kind == "curves":
            picture = ScreenRow((), round(0.72 * room, 2))
            yield replace(draft.laid_out([picture], 0.0), grid=draft.rows.grid)
        elif kind in ("stations", "stairs"):
            yield draft.drawn()
        else:
            yield draft.lines(max(alike))


_ALIKE: Final = 1.5  # by how much the lead of a block may grow to stand below that of another
LEADING: Final = 1.15  # the distance of lines within a cell, in type sizes


@frozen
class _BlockDraft:
    """A block with its rows, before it is laid out in `room` at these sizes."""

    block: ScreenBlock
    rows: BlockRows
    sizes: PanelSizes
    measure: TextMeasure
    room: float

    @property
    def numbered(self) -> bool:
        return self.block.kind in ("numbers", "ladder")

    def lead(self) -> float:
        """Return the width of the first cells of a block of lines, with the gap behind them."""
        base, measure = self.sizes.base, self.measure
        if self.block.kind not in ("numbers", "ladder", "words", "list"):
            return 0.0
        if self.numbered:
            figure = self.sizes.figure
            widths = [measure.face_width(row[0], FIGURE, figure) for row in self.rows.rows]
            return max(*widths, 1.9 * base) * 0.99 + 0.62 * base
        firsts = [self._first(row[0]) for row in self.rows.rows if len(row) > 1]
        widths = [measure.text_width(text, base) for text in firsts]
        lead = max(widths, default=0)
        crowded = lead > self.room / 2 and self._second_width() > 2 * (self.room - lead)
        if crowded or lead > self.room - 3.62 * base:  # long ones are broken into lines
            most = min(max(0.45 * self.room, self._longest()), self.room - 3.62 * base)
            widths = [min(wide, most) for wide in widths]
        return max(widths, default=0) + 0.62 * base

    def _second_width(self) -> float:
        """Return the width of the widest second cell on one line."""
        seconds = [row[1] for row in self.rows.rows if len(row) > 1]
        return max((self.measure.text_width(text, self.sizes.base) for text in seconds), default=0)

    def _longest(self) -> float:
        """Return the width of the longest word of the first cells."""
        firsts = (self._first(row[0]).replace(STRONG, "") for row in self.rows.rows if len(row) > 1)
        return max((self.measure.longest(x, BOLD, self.sizes.base) for x in firsts), default=0)

    def _first(self, text: str) -> str:
        block = self.block
        bold = block.kind in ("words", "list") and (not block.tables or block.strong == 1)
        return f"*{text}*" if bold and STRONG not in text else text

    def lines(self, lead: float) -> BlockLayout:
        """Return a block of lines; notes are beside the words if all of them fit."""
        rows, room, sizes, measure = self.rows.rows, self.room, self.sizes, self.measure
        base, least = sizes.base, sizes.least
        notes = [row[2] if len(row) > 2 else "" for row in rows]
        beside = lead + self._second_width() + 0.6 * base
        widest = max((measure.text_width(note, sizes.note) for note in notes), default=0)
        apart = any(notes) and (beside + widest <= room or (self.block.beside and base > least))
        beside = max(beside, min(room - widest, beside * 1.12)) if apart else beside
        figures = all(note.replace(",", "").isdecimal() for note in notes if note)
        laid_out = []
        over = max(0.0, beside + widest - room) if apart else 0.0
        for row, note in zip(rows, notes, strict=True):
            first = self._first(row[0])
            words = row[1] if len(row) > 1 else ""
            alone = len(row) < 2 and not self.numbered
            named: tuple[Line, ...] = (tuple(bold_runs(first)),)
            if not self.numbered:
                named = measure.break_lines(first, base, room if alone else lead - 0.61 * base)
                words_in = sum(len("".join(run[0] for run in line).split()) for line in named)
                if base > least and words_in > len(first.replace(STRONG, "").split()):
                    over = max(over, base)  # only the least size breaks words
            cells = [ScreenCell(named, (), 0, lead, "first")]
            place = lead if first else 0.0
            lines = measure.break_lines(words, base, room - place)
            small = () if apart or not note else measure.break_lines(note, sizes.note, room - place)
            cells.append(ScreenCell(lines, small, place, room - place, "said"))
            if apart and note:
                kept = "note figure" if figures else "note"
                cells.append(ScreenCell((tuple(bold_runs(note)),), (), beside, room - beside, kept))
            wide = max((measure.line_width(line, base) for line in lines), default=0)
            over = max(over, wide - (room - place), lead + 3 * base - room)
            more = max(0, len(lines) - 1) * LEADING * base
            below = len(small) * LEADING * sizes.note + (0.2 * base if small else 0)
            more = max(more + below, (len(named) - 1) * LEADING * base)
            height = round(HEIGHTS[str(self.block.kind)] * base + more, 2)
            laid_out.append(ScreenRow(tuple(cells), height))
        return self.laid_out(laid_out, over)

    def grid(self) -> BlockLayout:
        """Return a block of figures in columns as wide as the block."""
        rows, measure = self.rows, self.measure
        labels = [row[0] for row in (*rows.rows, rows.heads) if row]  # rows may have no heads
        count = max(1, *(len(row) - 1 for row in (*rows.rows, rows.heads)))
        figures = [text for row in rows.rows for text in row[1:]]

        def needed(size: float) -> tuple[float, float]:
            """Return the widths that the labels and all figures need."""
            widths = [measure.face_width(text, PLAIN, size) for text in figures]
            widths += [measure.face_width(text, HEAD, size) for text in rows.heads[1:]]
            each = count * (max(widths, default=0) + 0.35 * size)
            lead = max(measure.face_width(text, BOLD, size) for text in labels) + 0.3 * size
            if size <= self.sizes.least and self.room - each > 5 * size:
                lead = min(lead, self.room - each)  # long ones are broken into lines
            return lead, each

        size = self._shrunk(lambda one: sum(needed(one)), self.sizes.note)  # as small as notes
        lead, wide = needed(size)
        each = (self.room - lead) / count
        marks: Sequence[Sequence[str]] = ()
        if rows.odds:
            texts = [[text.strip("<>") for text in row[1:]] for row in rows.rows]
            chances = [[int(t) if t.isdecimal() else 0 for t in some] for some in texts]
            shares = [[Fraction(chance, 100) for chance in some] for some in chances]
            marks = [[" ".join(o.classes) for o in some] for some in plan_grid_cells(shares)]

        def row(cells: Sequence[str], classes: Sequence[str], bold: bool) -> tuple[ScreenCell, ...]:
            kinds = [f"figure {kind}" for kind in classes] or ["figure"] * count
            rest = [
                ScreenCell((((text, bold),),), (), lead + at * each, each, kinds[at])
                for at, text in enumerate(cells[1:])
            ]
            label: tuple[Line, ...] = (((cells[0], True),),)
            if measure.face_width(cells[0], BOLD, size) > lead and not bold:
                label = measure.break_lines(f"*{cells[0]}*", size, lead - 0.29 * size)
            return (ScreenCell(label, (), 0, lead, "first"), *rest)

        laid_out = []
        for at, one in enumerate(rows.rows):
            cells = row(one, marks[at] if marks else (), False)
            more = max(0, len(cells[0].lines) - 1) * LEADING
            laid_out.append(ScreenRow(cells, round((HEIGHTS["grid"] + more) * self.sizes.base, 2)))
        classes = ["chance"] * count if marks else ()
        heads = row(rows.heads, classes, True) if rows.heads else ()
        head = measure.face_width("".join(rows.heads[:1]), BOLD, size)
        return self.laid_out(laid_out, max(lead + wide - self.room, head - lead), size, heads)

    def drawn(self) -> BlockLayout:
        """Return a row of stations or of stairs, one in each cell."""
        rows, count = self.rows.rows, max(1, len(self.rows.rows))

        def widths(size: float) -> list[float]:
            return [self.measure.face_width(row[0], BOLD, size) for row in rows]

        size = self._shrunk(lambda size: sum(widths(size)) + 0.55 * size * (count - 1))
        wide = widths(size)
        gap = (self.room - sum(wide)) / max(1, count - 1)
        cells = []
        for at, row in enumerate(rows):
            named, below = (((row[0], True),),), (((row[1] if len(row) > 1 else "", True),),)
            cells.append(ScreenCell(named, below, sum(wide[:at]) + at * gap, wide[at]))
        height = 2.65 if self.block.kind == "stations" else 3.55 + 0.42 * (count - 1)
        # At the least size they may be closer.
        over = sum(wide) + 0.33 * size * (count - 1) - self.room
        drawn = ScreenRow(tuple(cells), round(height * self.sizes.base, 2))
        return self.laid_out([drawn], over, size)

    def _shrunk(self, needed: Callable[[float], float], least: float = 0) -> float:
        """Return the largest size at which `needed` is no more than the room."""
        size, least = self.sizes.base, least or self.sizes.least
        while size > least and needed(size) > self.room:
            size = max(least, size - 0.25)
        return size

    def laid_out(
        self,
        laid_out: Sequence[ScreenRow],
        over: float,
        size: float = 0.0,
        heads: tuple[ScreenCell, ...] = (),
    ) -> BlockLayout:
        """Return the block with its name above these rows, and its text below them."""
        block, rows, room = self.block, self.rows, self.room
        sizes, measure = self.sizes, self.measure
        lines = measure.break_lines(rows.text, sizes.note, room) if rows.text else ()
        mark = 0.0
        if rows.origin:  # with its frame
            words = f"{initials(rows.origin)} "
            mark = measure.face_width(words, BOLD, sizes.note) + sizes.note
        named = measure.face_width(str(block.head), NAME, sizes.head) + mark
        about = measure.face_width(block.about, PLAIN, sizes.note)
        under = bool(block.about) and named + about + sizes.base > room
        # Names and remarks that are wider than the block have lines of their own.
        more = measure.count_lines(str(block.head), sizes.head, room - mark, NAME) - 1
        told = measure.count_lines(block.about, sizes.note, room) if under else 0
        headed = round(sizes.headed + more * LEADING * sizes.head + 1.3 * sizes.note * told, 2)
        height = headed + sum(row.height for row in laid_out)
        height += HEIGHTS["grid"] * sizes.base if heads else 0
        height += len(lines) * LEADING * sizes.note + (0.35 * sizes.base if lines else 0)
        shown = block, heads, tuple(laid_out), lines, round(height, 2), size or sizes.base
        return BlockLayout(*shown, max(0.0, over), headed=headed, under=told, origin=rows.origin)


BETWEEN, LOOSE = 0.85, 2.6  # the least and largest gap of two bands, in type sizes
Bands = list[list[tuple[int, BlockLayout]]]  # of each band, columns and blocks that start there


def bands_of(sets: Sequence[Sequence[BlockLayout]]) -> Bands:
    """Return the blocks that start in each band, from top to bottom."""
    bands: Bands = []
    for column, blocks in enumerate(sets):
        at = 0
        for one in blocks:
            bands += [[] for _ in range(at + 1 - len(bands))]
            bands[at].append((column, one))
            at += max(1, one.block.bands)
    return bands


def heights(bands: Bands, sizes: PanelSizes) -> list[float]:
    """Return the height of each band; a block over several bands ends with the last of them."""
    high = [
        max((one.height for _, one in band if one.block.bands <= 1), default=0.0) for band in bands
    ]
    gap = BETWEEN * sizes.base
    for at, band in enumerate(bands):
        for _, one in band:
            last = min(at + max(1, one.block.bands), len(bands))
            high[last - 1] += max(0.0, one.height - (sum(high[at:last]) + (last - at - 1) * gap))
    return high


@frozen
class PanelSizes:
    """Type sizes of one panel; `base` is that of words."""

    base: float
    small: float  # the least size of any text

    @property
    def least(self) -> float:
        """The least size of words."""
        return max(LEAST, self.small)

    @property
    def note(self) -> float:
        """The size of notes behind words."""
        return max(self.small, round(self.base * 0.84, 2))

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
LEAST_TITLE: Final = 8.0  # the least size of a name or a remark that shrinks to stay on one line
SOFT_HYPHEN: Final = "\xad"  # where a word may be broken; a hyphen is printed there if it is
Run = tuple[str, bool]  # words, and whether they are bold
Line = tuple[Run, ...]


def initials(title: str) -> str:
    """Return the initials of the title of an overlay, its mark on screens."""
    return "".join(word[0] for word in title.split())


def bold_runs(text: str) -> Iterator[Run]:
    """Yield the runs of a text with `*bold*` words."""
    for place, part in enumerate(text.split(STRONG)):
        if part:
            yield part, place % 2 == 1


_SIGN: Final = 0.75  # em that a sign is wider than a letter without a glyph


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
            # Kerning may make a text wider than the sum of its letters.
            text = text.replace(SOFT_HYPHEN, "")
            wide = width(text, self.faces[face], size) * 1.012
            self._widths[key] = wide + count_signs(text) * _SIGN * size
        return self._widths[key]

    def shrunk(self, text: str, face: str, size: float, room: float) -> float:
        """Return the size, at most `size`, at which a text fits one line of `room` points.

        It is at least `LEAST_TITLE`; a text that is wider at that size has to be broken.
        """
        wide = self.face_width(text, face, size)
        return size if wide <= room else max(LEAST_TITLE, round(size * room / wide, 2))

    def text_width(self, text: str, size: float) -> float:
        """Return the width of a text with bold words on one line."""
        return self.line_width(tuple(bold_runs(text)), size)

    def break_lines(self, text: str, size: float, room: float) -> tuple[Line, ...]:
        """Return a text with bold words in lines of at most `room`, of about equal length."""
        words = [*self._words(text, size, room)]
        lines = self._filled(words, size, room)
        if len(lines) < 2:
            return lines

        def even(limit: float) -> tuple[Line, ...] | None:
            filled = self._filled(words, size, limit)
            wide = max(self.line_width(line, size) for line in filled)
            return filled if len(filled) == len(lines) and wide <= limit else None

        return find_lowest(even, 0.0, room, 0.5) or lines

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

    def _words(self, text: str, size: float, room: float) -> Iterator[list[Run]]:
        """Yield the words of a text; one that is wider than a line is broken."""

        def part(start: int, end: int) -> list[Run]:
            hyphen = hyphen_at(word, start, end)
            return [*letters[start:end], *([(hyphen, letters[end - 1][1])] if hyphen else [])]

        def fits(start: int, end: int) -> bool:
            return self.line_width(_trimmed(part(start, end)), size) <= room

        for runs in _unbroken(text):
            if self.line_width(_trimmed(runs), size) <= room:
                yield runs
                continue
            letters = [(letter, bold) for word, bold in runs for letter in word]
            word = "".join(letter for letter, _ in letters)
            yield from (part(start, end) for start, end in break_word(word, fits))

    def _filled(self, words: Iterable[list[Run]], size: float, room: float) -> tuple[Line, ...]:
        """Return words in lines, each with as many as fit."""
        lines: list[Line] = []
        line: list[Run] = []
        for runs in words:
            longer = [*line, *runs]
            if line and self.line_width(_trimmed(longer), size) > room:
                lines.append(_trimmed(line))
                line = runs if any(word.strip() for word, _ in runs) else []
            else:
                line = longer
        return (*lines, _trimmed(line)) if line else tuple(lines)


_WORD: Final = re.compile(r" *[^ ]+| +$")


@lru_cache(maxsize=1024)
def _unbroken(text: str) -> list[list[Run]]:
    """Return the words of a text, each with the sign that follows it in another weight."""
    found: list[list[Run]] = []
    for part, bold in bold_runs(text):
        for word in _WORD.findall(part):
            if found and not word.startswith(" ") and not found[-1][-1][0].endswith(" "):
                found[-1].append((word, bold))
            else:
                found.append([(word, bold)])
    return found


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
    folios = (f"{screen.label}, 99 of 99" for screen in rules.screens.values())
    sides = (measure.face_width(folio, BOLD, size) for folio in folios)
    # The space around marks, and between credit and folio, is that of the style sheets.
    return marks + max(sides, default=0.0) + len(overlays) * (7 * MM) + 6 * MM


_FOR: Final = 0xE100  # a sign that stands for its word
_BESIDE: Final = 0xE800  # a sign before its word
_LAST: Final = 0xEFFF
_MOST: Final = 4  # so many equal signs are shown one by one
_PARTS: Final = re.compile(f"<[^>]*>|[{chr(_FOR)}-{chr(_LAST)}]")
_SPACES: Final = str.maketrans("01", "\xa0\u2007")
SignPairs = Sequence[tuple[str, str]]  # words and the shapes that show them


class SignWriter:
    """Puts the signs of a ruleset into its texts."""

    def __init__(self, rules: Ruleset) -> None:
        self._places = {(str(w), str(s)): at for at, (w, s) in enumerate(list_signs(rules))}
        self._words = {str(word): str(shape) for word, shape in rules.signs.items()}
        names = "|".join(map(re.escape, sorted(self._words, key=len, reverse=True)))
        # Numbers of ranges, shares and products stay numbers.
        alone = r"(?<![\w.,+−–—/:×-])(?<!\d to )(?<!\d or )(?<!\d [x×] )"
        self._counted = re.compile(rf"{alone}([1-9])[  ]?(\*?)({names})(?!\w)(\*?)")
        self._leading = re.compile(rf"\*?({names})(?=\*?(?:,|$))")

    def text(self, text: str) -> str:
        """Return a text with signs for words behind a number."""
        return self._counted.sub(self._shown, text) if self._words and text else text

    def pool(self, text: str) -> str:
        """Return a pool of dice, `2 proficiency, 1 ability`, as signs; other text as it is."""
        shown = self.text(text.title())
        drawn = count_signs(shown) and not any(map(str.isalpha, shown))
        return shown.replace(", ", "\xa0") if drawn else text

    def cell(self, text: str) -> str:
        """Return the text of a cell, which may also have a sign before a word that leads it."""
        found = self._leading.match(text) if self._words else None
        if found is None:
            return text
        sign = chr(_BESIDE + self._places[found[1], self._words[found[1]]])
        return text[: found.start(1)] + sign + text[found.start(1) :]

    def first(self, text: str, signs: Mapping[str, str]) -> str:
        """Return the sign that a block shows instead of a first cell; empty if there is none."""
        shape = signs.get(text)
        return "" if shape is None else chr(_FOR + self._places[text, str(shape)])

    def _shown(self, found: re.Match[str]) -> str:
        count, word = int(found[1]), found[3]
        sign = chr(_FOR + self._places[word, self._words[word]])
        shown = "\xa0".join([sign] * count) if count <= _MOST else f"{count}\xa0{sign}"
        return shown if found[2] and found[4] else f"{found[2]}{shown}{found[4]}"


def sign_letters(pairs: SignPairs) -> dict[str, str]:
    """Return the words of the letters that are signs; a sign beside its word shows a space."""
    words = {chr(_FOR + at): word for at, (word, _) in enumerate(pairs)}
    return words | {chr(_BESIDE + at): "\xa0" for at, _ in enumerate(pairs)}


def count_signs(text: str) -> int:
    """Return how many letters of a text are signs."""
    return 0 if text.isascii() else sum(_FOR <= ord(c) <= _LAST for c in text)


def spell_silence(place: int) -> str:
    """Return the letters that become the sign at a place in a font of signs, beside its word.

    They are spaces behind a word joiner: WeasyPrint does not draw text that is only spaces.
    """
    return "\u2060" + f"{place:08b}".translate(_SPACES)


def spell_signs(html: str, pairs: SignPairs) -> str:
    """Return markup with an element for each sign; attributes have its word."""

    def spelt(found: re.Match[str]) -> str:
        part = found[0]
        if part[0] == "<":
            return part if part.isascii() else "".join(map(said, part))
        place, beside = ord(part) - _FOR, ord(part) >= _BESIDE
        place -= _BESIDE - _FOR if beside else 0
        if place >= len(pairs):  # an author's own letter
            return part
        text = spell_silence(place) if beside else pairs[place][0]
        return f'<span class="sign-of">{text}</span>'

    def said(letter: str) -> str:
        at = ord(letter)
        if _BESIDE <= at < _BESIDE + len(pairs):  # its word follows
            return ""
        return pairs[at - _FOR][0] if _FOR <= at < _FOR + len(pairs) else letter

    return _PARTS.sub(spelt, html) if pairs else html


_RINGS_APART: Final = 0.3
LONGEST: Final = 7  # the most letters of a name in a ring; else rows are numbered


@frozen
class ChartCell:
    """A cell of the grid."""

    text: str
    good: bool  # whether the chance is one half or more; the text is bold then
    grey: bool  # whether the chance is between a quarter and three quarters
    edges: tuple[str, ...] = ()  # sides with a heavy line: `left`, `top`, `right`, `bottom`

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the cell in all templates with odds."""
        marks = ["good" if self.good else "bad", *(["grey"] if self.grey else [])]
        return (*marks, *(f"at-{edge}" for edge in self.edges))

    @property
    def sign(self) -> str:
        """The `<` or `>` before the number, which is set in a face of its own."""
        return self.text[:1] if self.text[:1] in "<>" else ""

    @property
    def number(self) -> str:
        """The text without its sign."""
        return self.text.removeprefix(self.sign)


@frozen
class CurveName:
    """A curve's name in its ring; `wide` and `high` are half the ring's width and height."""

    text: str
    x: float
    y: float
    wide: float
    high: float


@frozen
class Chart:
    """Curves in a frame. Lengths are millimetres from the frame's top left corner."""

    width: float
    height: float
    across: tuple[tuple[float, str], ...]  # the x of each column, and its label
    levels: tuple[tuple[float, int], ...]  # the y of 0, 25, 50, 75 and 100 per cent
    curves: tuple[tuple[tuple[float, float], ...], ...]  # none if it always or never succeeds
    names: tuple[CurveName, ...]


def plan_grid_cells(rows: Sequence[Sequence[Fraction]]) -> tuple[tuple[ChartCell, ...], ...]:
    """Return the cells of a grid row by row, with the line between good and bad ones."""
    bad = {(r, c) for r, row in enumerate(rows) for c, chance in enumerate(row) if chance < HALF}

    def cell(r: int, c: int, chance: Fraction) -> ChartCell:
        beside = {"left": (r, c - 1), "top": (r - 1, c), "right": (r, c + 1), "bottom": (r + 1, c)}
        edges = tuple(side for side, place in beside.items() if place in bad)
        grey = Fraction(1, 4) <= chance <= Fraction(3, 4)
        return ChartCell(cell_text(chance), chance >= HALF, grey, edges if chance >= HALF else ())

    return tuple(
        tuple(cell(r, c, chance) for c, chance in enumerate(row)) for r, row in enumerate(rows)
    )


def names_in_rings(rows: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of the curves' rings: the names of the rows, or their numbers."""
    short = max(map(len, rows), default=0) <= LONGEST
    return tuple(rows) if short else tuple(map(str, range(1, len(rows) + 1)))


def plan_chart(grid: ComputedGrid, width: float, height: float, radius: float) -> Chart:
    """Return the curves of `grid` in a frame of that size, in millimetres."""
    first, last = grid.feet[0], grid.feet[-1]
    span = max(1, last - first)

    def at(foot: Fraction | int, chance: Fraction) -> tuple[float, float]:
        return (width * float(foot - first) / span, height * float(1 - chance))

    drawn = tuple(tuple(at(*point) for point in curve if 0 < point[1] < 1) for curve in grid.curves)
    names: list[CurveName] = []
    for label, curve in zip(names_in_rings(grid.rows), grid.curves, strict=False):
        # Where it may be, the best first: at 50 per cent if possible.
        places: list[tuple[Fraction | int, Fraction]] = []
        for level in (Fraction(n, 100) for n in (50, 65, 35, 80, 20, 57, 43, 72, 28, 90, 10)):
            for (x, high), (after, low) in pairwise(curve):
                if min(high, low) <= level <= max(high, low) and high != low:
                    places.append((x + (high - level) / (high - low) * (after - x), level))
                    break
        moving = [point for point in curve if 0 < point[1] < 1]
        places += sorted(moving, key=lambda point: abs(point[1] - HALF))
        wide = radius * max(1, 0.34 * len(label) + 0.25)  # half the width of a letter
        placed = [CurveName(label, *at(*point), wide, radius) for point in places]
        # a ring at the upper or lower edge moves into the frame; its curve is flat there
        placed = [replace(n, y=min(max(n.y, radius), height - radius)) for n in placed]

        def apart(one: CurveName, other: CurveName) -> bool:
            across = abs(one.x - other.x) >= one.wide + other.wide + _RINGS_APART
            return across or abs(one.y - other.y) >= one.high + other.high + _RINGS_APART

        free = [one for one in placed if all(apart(one, other) for other in names)]
        inside = [one for one in free if wide <= one.x <= width - wide]
        names += (inside or free or placed)[:1]
    feet = zip(grid.feet, grid.columns, strict=True)
    across = tuple((at(foot, HALF)[0], label) for foot, label in feet)
    levels = tuple((at(first, Fraction(level, 100))[1], level) for level in (0, 25, 50, 75, 100))
    return Chart(width, height, across, levels, drawn, tuple(names))
