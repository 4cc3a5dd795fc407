"""Matrices of PDF, and boxes seen through them; y grows upwards."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot
from typing import Final, TypeAlias

from sheetgen.plugins.prepress.inspected import Rect

Matrix: TypeAlias = tuple[float, float, float, float, float, float]

IDENTITY: Final[Matrix] = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
ALL: Final[Rect] = (-1e9, -1e9, 1e9, 1e9)


def multiply(first: Matrix, then: Matrix) -> Matrix:
    """Return the matrix that applies `first`, then `then`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = then
    return (
        a * g + b * i,
        a * h + b * j,
        c * g + d * i,
        c * h + d * j,
        e * g + f * i + k,
        e * h + f * j + m,
    )


def transform_point(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Return a transformed point."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def bounding_box(points: Iterable[tuple[float, float]]) -> Rect:
    """Return the bounding box of points; there is at least one."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def transformed_box(matrix: Matrix, box: Rect) -> Rect:
    """Return the bounding box of the transformed `box`."""
    left, foot, right, top = box
    corners = ((left, foot), (right, foot), (left, top), (right, top))
    return bounding_box(transform_point(matrix, x, y) for x, y in corners)


def intersect_boxes(one: Rect, other: Rect) -> Rect | None:
    """Return the intersection of two boxes, if any."""
    left, foot = max(one[0], other[0]), max(one[1], other[1])
    right, top = min(one[2], other[2]), min(one[3], other[3])
    return (left, foot, right, top) if left <= right and foot <= top else None


def expand_box(box: Rect, by: float) -> Rect:
    """Return `box` grown by `by` on each side."""
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def distances(box: Rect, frame: Rect) -> tuple[float, float, float, float]:
    """Return the distance of each side of `box` from that of `frame`, positive inwards."""
    return box[0] - frame[0], box[1] - frame[1], frame[2] - box[2], frame[3] - box[3]


def scale_of(matrix: Matrix) -> float:
    """Return the smaller of the two scale factors."""
    a, b, c, d, *_ = matrix
    return min(hypot(a, b), hypot(c, d))


def part_of_unit(matrix: Matrix, box: Rect) -> Rect:
    """Return the part of the unit square that `matrix` puts into `box`; all of it if turned."""
    a, b, c, d, e, f = matrix
    if max(abs(b), abs(c)) < 1e-6 < min(abs(a), abs(d)):
        inverse = (1 / a, 0.0, 0.0, 1 / d, -e / a, -f / d)
    elif max(abs(a), abs(d)) < 1e-6 < min(abs(b), abs(c)):
        inverse = (0.0, 1 / c, 1 / b, 0.0, -f / b, -e / c)
    else:
        return 0.0, 0.0, 1.0, 1.0
    return intersect_boxes(transformed_box(inverse, box), (0, 0, 1, 1)) or (0.0, 0.0, 1.0, 1.0)
