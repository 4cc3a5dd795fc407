"""The ink of a finished page: glyphs with their outlines, rules and edges, fills, and fields.

A device of MuPDF sees what a viewer paints, in the order of painting, with its clip paths. Form
fields are painted into the page before; hidden ones, and those that only a screen shows, are not
ink.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pymupdf
from pymupdf import mupdf

from tests.ink.outlines import (
    Box,
    Matrix,
    Outline,
    Point,
    box_of,
    common,
    grown,
    holds,
    inside,
    moved,
    outline_of,
    pieces,
)
from tests.ink.painter import FAINT, Painter
from tests.ink.squares import Cells

MM = 72 / 25.4
WHITE = (1.0, 1.0, 1.0)
GREY = (0.5, 0.5, 0.5)

THIN = 2.3
"""Points: a filled box that is thinner is a rule; the index tick has 2.4 pt, and edges."""

UNPRINTED = 2 | 32
"""Flags of annotations: hidden, and not shown."""

PRINTED = 4


@dataclass(frozen=True)
class Collision:
    page: int
    kind: str
    words: str
    box: Box

    def __str__(self) -> str:
        at = ", ".join(f"{value / MM:.1f}" for value in self.box[:2])
        return f"page {self.page + 1} at {at} mm: {self.kind}: {self.words}"


@dataclass(frozen=True, eq=False)
class Glyph:
    """A painted letter. `run` counts texts that are painted at once, `style` is font and size."""

    letter: str
    shape: Outline
    matrix: Matrix
    box: Box
    run: int
    order: int
    base: float
    style: tuple[str, float]
    clip: Box
    level: bool

    @cached_property
    def outline(self) -> Outline:
        return moved(self.shape, self.matrix)

    @property
    def size(self) -> float:
        return self.style[1]


@dataclass(frozen=True, eq=False)
class Edge:
    """A rule, a piece of a line, or a piece of the boundary of a fill."""

    box: Box
    order: int
    what: str
    of: Box
    """The box of the whole rule, line or fill."""


@dataclass(frozen=True, eq=False)
class Fill:
    """An opaque fill: it covers what was painted before."""

    box: Box
    outline: Outline
    order: int
    colour: tuple[float, ...]

    def covers(self, point: Point) -> bool:
        return holds(self.box, point) and inside(self.outline, point)


@dataclass
class PageInk:
    """What is painted on a page, in the order of painting."""

    number: int
    size: Box
    trim: Box
    glyphs: list[Glyph] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    fields: list[tuple[str, Box]] = field(default_factory=list)
    static: int = 0
    """The number of paintings before those of the fields."""

    def words(self, glyph: Glyph) -> str:
        """Return the text that `glyph` is part of, as far as it stands on one line."""
        line = [g for g in self.runs[glyph.run] if abs(g.base - glyph.base) < 0.5]
        return "".join(g.letter for g in line).strip()

    def word(self, glyph: Glyph) -> str:
        """Return the letters around `glyph`, up to the next blanks."""
        run = self.runs[glyph.run]
        first = last = run.index(glyph)
        while first > 0 and not run[first - 1].letter.isspace():
            first -= 1
        while last + 1 < len(run) and not run[last + 1].letter.isspace():
            last += 1
        return "".join(g.letter for g in run[first : last + 1])

    @cached_property
    def runs(self) -> dict[int, list[Glyph]]:
        found: dict[int, list[Glyph]] = defaultdict(list)
        for glyph in self.glyphs:
            found[glyph.run].append(glyph)
        return found

    def hidden(self, point: Point, order: int) -> bool:
        """Whether what was painted at `point` as number `order` is covered by a later fill."""
        return any(fill.order > order and fill.covers(point) for fill in self.fills)

    def colour_under(self, point: Point, but: Fill) -> tuple[float, ...]:
        """Return the colour that is seen at `point` without `but`."""
        found = [f for f in self.fills if f is not but and f.covers(point)]
        return found[-1].colour if found else WHITE


def read_pages(content: bytes) -> Iterator[PageInk]:
    """Yield the ink of each page of a PDF."""
    document = pymupdf.open(stream=content, filetype="pdf")
    fields = [list(_take_fields(document, page)) for page in document]
    painted = [_count(page) for page in document] if any(fields) else []
    document.bake()
    shapes: dict[tuple[int, int], Outline] = {}
    for number, page in enumerate(document):
        page.set_rotation(0)
        ink = PageInk(number, tuple(page.rect), _trim(page), fields=fields[number])
        ink.static = painted[number] if painted else 10**9
        _read(page, ink, shapes)
        yield ink


def _trim(page: Any) -> Box:
    media, trim = page.mediabox, page.trimbox
    top = media.y1 - trim.y1
    return trim.x0 - media.x0, top, trim.x1 - media.x0, top + trim.y1 - trim.y0


def _take_fields(document: Any, page: Any) -> Iterator[tuple[str, Box]]:
    """Yield name and box of each field that is printed; delete those that are not."""
    for widget in list(page.widgets()):
        kind, value = document.xref_get_key(widget.xref, "F")
        flags = int(value) if kind == "int" else 0
        if flags & UNPRINTED or not flags & PRINTED:
            page.delete_widget(widget)
        else:
            yield widget.field_name, tuple(widget.rect)


def _count(page: Any) -> int:
    """Return how many paintings the page has without its annotations."""
    device = Painter()
    mupdf.fz_run_page_contents(mupdf.FzPage(page.this), device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return int(device.order) + 1


def _read(page: Any, ink: PageInk, shapes: dict[tuple[int, int], Outline]) -> None:
    device = Painter()
    mupdf.fz_run_page(mupdf.FzPage(page.this), device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    _read_glyphs(page.get_texttrace(), device, ink, shapes)
    _read_drawings(device, ink, Cells(glyph.box for glyph in ink.glyphs))


def _read_drawings(device: Painter, ink: PageInk, text: Cells) -> None:
    """Read fills, and edges where `text` is: the others meet no letter."""
    solid: list[tuple[Fill, Box]] = []
    for order, clip, outline, colour, alpha in device.filled:
        whole = box_of(outline)
        if whole is None:
            continue
        box = common(whole, clip)
        if box[0] >= box[2] or box[1] >= box[3]:
            continue
        fill = Fill(box, outline, order, colour)
        if min(box[2] - box[0], box[3] - box[1]) < THIN:
            if min(colour) < 1 - FAINT:
                ink.edges.append(Edge(box, order, "a rule", box))
        else:
            solid.append((fill, clip))
            if alpha > 0.95:
                ink.fills.append(fill)
    for fill, clip in solid:
        if fill.box in text:
            ink.edges += _boundary(fill, clip, ink, text)
    for order, clip, outline in device.pictures:
        box = common(box_of(outline) or clip, clip)
        ink.fills.append(Fill(box, outline, order, GREY))
    _read_lines(device, ink, text)


def _read_lines(device: Painter, ink: PageInk, text: Cells) -> None:
    for order, clip, outline, wide in device.stroked:
        of = box_of(outline) or clip
        for one, other in pieces(outline) if grown(of, wide / 2) in text else ():
            if grown(_spanned(one, other), wide / 2) in text:
                ink.edges += _pieces_of_line(one, other, wide / 2, clip, order, of)


def _spanned(one: Point, other: Point) -> Box:
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[0], other[0]),
        max(one[1], other[1]),
    )


def _boundary(fill: Fill, clip: Box, ink: PageInk, text: Cells) -> Iterator[Edge]:
    """Yield the pieces of a fill's boundary where one sees an edge: the colour changes there."""
    for one, other in pieces(fill.outline, closed=True):
        if _spanned(one, other) not in text:
            continue
        length = ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5
        if not length:
            continue
        across = (other[1] - one[1]) / length * 0.4, (one[0] - other[0]) / length * 0.4
        middle = (one[0] + other[0]) / 2, (one[1] + other[1]) / 2
        sides = [(middle[0] + s * across[0], middle[1] + s * across[1]) for s in (1, -1)]
        outside = next((side for side in sides if not fill.covers(side)), None)
        if outside is None or not holds(clip, middle):
            continue
        under = ink.colour_under(outside, fill)
        if max(abs(a - b) for a, b in zip(under, fill.colour, strict=True)) > FAINT:
            for edge in _pieces_of_line(one, other, 0.0, clip, fill.order, fill.box):
                yield Edge(edge.box, edge.order, "an edge", edge.of)


def _pieces_of_line(
    one: Point, other: Point, half: float, clip: Box, order: int, of: Box
) -> Iterator[Edge]:
    """Yield a piece of a line as boxes; a slanting one as several small ones."""
    across, down = other[0] - one[0], other[1] - one[1]
    count = max(1, int(max(abs(across), abs(down)))) if min(abs(across), abs(down)) > 1 else 1
    for at in range(count):
        x0, y0 = one[0] + across * at / count, one[1] + down * at / count
        x1, y1 = one[0] + across * (at + 1) / count, one[1] + down * (at + 1) / count
        box = min(x0, x1) - half, min(y0, y1) - half, max(x0, x1) + half, max(y0, y1) + half
        seen = common(box, clip)
        if seen[2] - seen[0] + seen[3] - seen[1] > 0 and holds(
            clip, ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
        ):
            yield Edge(seen, order, "a line", of)


def _read_glyphs(
    spans: Sequence[Any], device: Painter, ink: PageInk, shapes: dict[tuple[int, int], Outline]
) -> None:
    counts: dict[int, int] = defaultdict(int)
    boxes: dict[tuple[object, ...], Box] = {}
    for run, span in enumerate(spans):
        order = span["seqno"]
        if order not in device.texts:  # invisible
            continue
        clip, parts = device.texts[order]
        font, matrix = parts[counts[order]]
        counts[order] += 1
        if span["type"] == 3 or span["opacity"] < 0.05:
            continue
        style = str(span["font"]), round(float(span["size"]), 1)
        level = abs(span["dir"][0]) > 0.9
        for code, gid, (x, y), _ in span["chars"]:
            key = int(font.this), gid
            if key not in shapes:
                shapes[key] = _shape(font, gid)
            alike = (*key, *matrix[:4])
            if alike not in boxes:
                boxes[alike] = box_of(moved(shapes[key], (*matrix[:4], 0, 0))) or (0, 0, 0, 0)
            left, top, right, foot = boxes[alike]
            place, box = (*matrix[:4], x, y), (x + left, y + top, x + right, y + foot)
            parts_ = shapes[key], place, box, run, order, y if level else x, style, clip, level
            ink.glyphs.append(Glyph(chr(code), *parts_))


def _shape(font: Any, gid: int) -> Outline:
    """Return the outline of a glyph, of one em; empty for a blank."""
    path = mupdf.ll_fz_outline_glyph(font, gid, mupdf.ll_fz_make_matrix(1, 0, 0, 1, 0, 0))
    if path is None:
        return ()
    outline = outline_of(path, (1, 0, 0, 1, 0, 0))
    mupdf.ll_fz_drop_path(path)
    return tuple(chain for chain in outline if len(chain) > 2)
