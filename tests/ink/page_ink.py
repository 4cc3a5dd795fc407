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
    holds,
    inside,
    moved,
    outline_of,
    pieces,
)

MM = 72 / 25.4
EVERYWHERE: Box = (-1e5, -1e5, 1e5, 1e5)
WHITE = (1.0, 1.0, 1.0)

THIN = 2.3
"""Points: a filled box that is thinner is a rule; the index tick has 2.4 pt, and edges."""

FAINT = 0.06
"""Difference of a colour, of 1, that nobody sees as an edge."""

UNPRINTED = 2 | 32
"""Flags of annotations: hidden, and not shown."""

PRINTED = 4


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


class _Painter(mupdf.FzDevice2):  # type: ignore[misc]
    """Records paths, clip paths, and the fonts and matrices of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.order = -1
        self.clips: list[Box] = [EVERYWHERE]
        self.texts: dict[int, tuple[Box, list[tuple[Any, Matrix]]]] = {}
        self.filled: list[tuple[int, Box, Outline, tuple[float, ...], float]] = []
        self.stroked: list[tuple[int, Box, Outline, float]] = []
        for name in [
            "fill_path",
            "stroke_path",
            "fill_text",
            "stroke_text",
            "ignore_text",
            "fill_shade",
            "fill_image",
            "fill_image_mask",
            "clip_path",
            "clip_stroke_path",
            "clip_text",
            "clip_stroke_text",
            "clip_image_mask",
            "pop_clip",
        ]:
            getattr(self, f"use_virtual_{name}")()

    def fill_path(
        self, _: Any, path: Any, _odd: int, ctm: Any, space: Any, color: Any, alpha: float, *_p: Any
    ) -> None:
        self.order += 1
        if alpha > 0.05:
            one = self.order, self.clips[-1], outline_of(path, _matrix(ctm)), _rgb(space, color)
            self.filled.append((*one, alpha))

    def stroke_path(
        self, _: Any, path: Any, stroke: Any, ctm: Any, space: Any, color: Any, alpha: float,
        *_p: Any,
    ) -> None:  # fmt: skip
        self.order += 1
        if alpha > 0.05 and min(_rgb(space, color)) < 1 - FAINT:
            wide = stroke.linewidth * abs(ctm.a * ctm.d - ctm.b * ctm.c) ** 0.5
            self.stroked.append((self.order, self.clips[-1], outline_of(path, _matrix(ctm)), wide))

    def fill_text(self, _: Any, text: Any, ctm: Any, *_p: Any) -> None:
        self.order += 1
        spans, span = [], text.head
        while span:
            spans.append((mupdf.ll_fz_keep_font(span.font), _product(span.trm, ctm)))
            span = span.next
        self.texts[self.order] = self.clips[-1], spans

    def stroke_text(self, _: Any, text: Any, _s: Any, ctm: Any, *_p: Any) -> None:
        self.fill_text(_, text, ctm)

    def ignore_text(self, *_: Any) -> None:
        self.order += 1

    fill_shade = fill_image = fill_image_mask = ignore_text

    def clip_path(self, _: Any, path: Any, _odd: int, ctm: Any, _s: Any) -> None:
        box = box_of(outline_of(path, _matrix(ctm))) or (0, 0, 0, 0)
        self.clips.append(common(box, self.clips[-1]))

    def clip_stroke_path(self, *_: Any) -> None:
        self.clips.append(self.clips[-1])

    clip_text = clip_stroke_text = clip_image_mask = clip_stroke_path

    def pop_clip(self, _: Any) -> None:
        self.clips.pop()


def _matrix(ctm: Any) -> Matrix:
    return ctm.a, ctm.b, ctm.c, ctm.d, ctm.e, ctm.f


def _product(one: Any, other: Any) -> Matrix:
    return (
        one.a * other.a + one.b * other.c,
        one.a * other.b + one.b * other.d,
        one.c * other.a + one.d * other.c,
        one.c * other.b + one.d * other.d,
        0.0,
        0.0,
    )


def _rgb(space: Any, color: Any) -> tuple[float, ...]:
    """Return a colour as three shares of light; one of an unknown space as grey."""
    count = mupdf.ll_fz_colorspace_n(space) if space is not None else 0
    shares = [mupdf.floats_getitem(color, at) for at in range(count)]
    if count == 1:
        return shares[0], shares[0], shares[0]
    if count == 3:
        return tuple(shares)
    if count == 4:
        return tuple((1 - share) * (1 - shares[3]) for share in shares[:3])
    return 0.5, 0.5, 0.5


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
    device = _Painter()
    mupdf.fz_run_page_contents(mupdf.FzPage(page.this), device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    return int(device.order) + 1


def _read(page: Any, ink: PageInk, shapes: dict[tuple[int, int], Outline]) -> None:
    device = _Painter()
    mupdf.fz_run_page(mupdf.FzPage(page.this), device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    _read_drawings(device, ink)
    _read_glyphs(page.get_texttrace(), device, ink, shapes)


def _read_drawings(device: _Painter, ink: PageInk) -> None:
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
        ink.edges += _boundary(fill, clip, ink)
    for order, clip, outline, wide in device.stroked:
        of = box_of(outline) or clip
        for one, other in pieces(outline):
            ink.edges += _pieces_of_line(one, other, wide / 2, clip, order, of)


def _boundary(fill: Fill, clip: Box, ink: PageInk) -> Iterator[Edge]:
    """Yield the pieces of a fill's boundary where one sees an edge: the colour changes there."""
    for one, other in pieces(fill.outline, closed=True):
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
    spans: Sequence[Any], device: _Painter, ink: PageInk, shapes: dict[tuple[int, int], Outline]
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
