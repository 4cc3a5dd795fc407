"""Flattened outlines: paths of drawings and of glyphs as polygons, and what they touch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from pymupdf import mupdf

Point: TypeAlias = tuple[float, float]
Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom; points, y downwards."""

Matrix: TypeAlias = tuple[float, float, float, float, float, float]
Outline: TypeAlias = tuple[tuple[Point, ...], ...]
"""Subpaths, each a chain of points."""

_STEPS = 4
"""Straight pieces of a curve."""


class _Walker(mupdf.FzPathWalker2):  # type: ignore[misc]
    """Collects a path as chains of points; curves become straight pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.chains: list[list[Point]] = []
        self.boxes = 0
        for name in ("moveto", "lineto", "curveto", "closepath", "rectto"):
            getattr(self, f"use_virtual_{name}")()

    def moveto(self, _: Any, x: float, y: float) -> None:
        self.chains.append([(x, y)])

    def lineto(self, _: Any, x: float, y: float) -> None:
        self.chains[-1].append((x, y))

    def curveto(self, _: Any, *ends: float) -> None:
        (x0, y0), (x1, y1, x2, y2, x3, y3) = self.chains[-1][-1], ends
        for step in range(1, _STEPS + 1):
            t = step / _STEPS
            u = 1 - t
            a, b, c, d = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
            point = a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3
            self.chains[-1].append(point)

    def closepath(self, _: Any) -> None:
        if self.chains and self.chains[-1][0] != self.chains[-1][-1]:
            self.chains[-1].append(self.chains[-1][0])

    def rectto(self, _: Any, x0: float, y0: float, x1: float, y1: float) -> None:
        self.boxes += 1
        self.chains.append([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])


def outline_of(path: Any, matrix: Matrix) -> Outline:
    """Return the flattened `path` of the library, transformed."""
    walker = _Walker()
    mupdf.ll_fz_walk_path(path, walker.m_internal, walker.m_internal)
    return moved(walker.chains, matrix)


def moved(outline: Sequence[Sequence[Point]], matrix: Matrix) -> Outline:
    a, b, c, d, e, f = matrix
    return tuple(
        tuple((a * x + c * y + e, b * x + d * y + f) for x, y in chain) for chain in outline
    )


def box_of(outline: Sequence[Sequence[Point]]) -> Box | None:
    xs = [x for chain in outline for x, _ in chain]
    ys = [y for chain in outline for _, y in chain]
    return (min(xs), min(ys), max(xs), max(ys)) if xs else None


def overlap(one: Box, other: Box) -> tuple[float, float]:
    """Return how far two boxes overlap, across and down; negative for a gap."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    return across, min(one[3], other[3]) - max(one[1], other[1])


def common(one: Box, other: Box) -> Box:
    """Return what two boxes share; without area if they are apart."""
    left, top = max(one[0], other[0]), max(one[1], other[1])
    return left, top, max(left, min(one[2], other[2])), max(top, min(one[3], other[3]))


def grown(box: Box, by: float) -> Box:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def holds(box: Box, point: Point) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def inside(outline: Outline, point: Point) -> bool:
    """Whether `point` lies in a closed outline, by the even-odd rule."""
    x, y = point
    within = False
    for (x0, y0), (x1, y1) in pieces(outline, closed=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            within = not within
    return within


def pieces(outline: Outline, *, closed: bool = False) -> Iterator[tuple[Point, Point]]:
    """Yield the straight pieces of an outline."""
    for chain in outline:
        yield from pairwise(chain)
        if closed and chain and chain[0] != chain[-1]:
            yield chain[-1], chain[0]


def met_in(outline: Outline, box: Box) -> Point | None:
    """Return a point where a filled outline lies in `box`; None if it does not."""
    for one, other in pieces(outline, closed=True):
        if (met := _cut(one, other, box)) is not None:
            return met
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return middle if inside(outline, middle) else None


def _cut(one: Point, other: Point, box: Box) -> Point | None:
    """Return the middle of the part of a piece in `box` (Liang and Barsky)."""
    (x0, y0), (dx, dy) = one, (other[0] - one[0], other[1] - one[1])
    first, last = 0.0, 1.0
    sides = ((-dx, x0 - box[0]), (dx, box[2] - x0), (-dy, y0 - box[1]), (dy, box[3] - y0))
    for way, room in sides:
        if way == 0:
            if room < 0:
                return None
            continue
        at = room / way
        if way < 0:
            first = max(first, at)
        else:
            last = min(last, at)
        if first > last:
            return None
    middle = (first + last) / 2
    return x0 + dx * middle, y0 + dy * middle


def met(one: Outline, other: Outline) -> Point | None:
    """Return a point that two filled outlines share."""
    box_one, box_other = box_of(one), box_of(other)
    if box_one is None or box_other is None:
        return None
    near = common(box_one, box_other)
    left = [p for p in pieces(one, closed=True) if _cut(*p, near) is not None]
    right = [p for p in pieces(other, closed=True) if _cut(*p, near) is not None]
    for a, b in left:
        for c, d in right:
            if _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0:
                return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    for outline, point in ((one, other[0][0]), (other, one[0][0])):
        if inside(outline, point):
            return point
    return None


def _side(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
