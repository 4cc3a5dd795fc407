"""A face's motif and ornament as SVG, in the colours of a theme."""

from __future__ import annotations

import re
from typing import Final

from sheetgen.model.designs.colours import mix_with_paper
from sheetgen.model.designs.drawings import Drawing, Stroke
from sheetgen.model.prints import Tokens
from sheetgen.units.paths import num


def draw(tokens: Tokens, drawing: Drawing, share: float = 1) -> str:
    """Return a drawing as an SVG in its own box.

    Themes make it thinner (`motif-weight`), without mixed colours (`motif-tint`), or only
    the outlines of its wide fills (`motif-fills`).

    Args:
        share: How strong its colours are, from 0 to 1; a pale one is without its middle.
    """
    css = tokens.css
    weight, least = float(css["motif-weight"]), float(css["motif-tint"])
    wide, high = map(num, drawing.box)
    strokes = [stroke for stroke in drawing.paths if share == 1 or not stroke.central]
    paths = "".join(_path(tokens, stroke, weight, least, share) for stroke in strokes)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {wide} {high}' fill='none' "
        f"stroke-linejoin='round'>{paths}</svg>"
    )


_SLENDER: Final = 4.5
"""Polygons that are thinner than this on average, in units of the drawing, are lines."""

_POINTS: Final = re.compile(r"(-?[\d.]+)[ ,]+(-?[\d.]+)")

_PALE: Final = 0.6
"""Paler fills are only outlined where no colour may be mixed, so that they stay pale."""


def _path(tokens: Tokens, stroke: Stroke, weight: float, least: float, share: float) -> str:
    tint = min(1.0, max(stroke.tint * share, least))
    parts = [f"d='{stroke.path}'"]
    outlined = not float(tokens.css["motif-fills"]) and not _is_slender(stroke.path)
    fills = bool(stroke.fill) and not outlined and (stroke.tint > _PALE or least < 1)
    if fills:
        parts.append(f"fill='{mix_with_paper(tokens.colours, stroke.fill, tint)}'")
    if pen := stroke.stroke or ("" if fills else stroke.fill):
        width = num(stroke.width * weight * (1 if stroke.stroke else 0.7))
        parts.append(f"stroke='{mix_with_paper(tokens.colours, pen, tint)}' stroke-width='{width}'")
    return f"<path {' '.join(parts)}/>"


def _is_slender(path: str) -> bool:
    """Return whether a path has only thin polygons: they are lines, and have no outline."""
    if set(re.findall("[A-Za-z]", path)) - {*"MLZ"}:
        return False
    covered = around = 0.0
    for one in path.split("Z"):
        points = [complex(float(x), float(y)) for x, y in _POINTS.findall(one)]
        sides = [*zip(points, [*points[1:], *points[:1]], strict=True)]
        covered += abs(sum((a.conjugate() * b).imag for a, b in sides)) / 2
        around += sum(abs(b - a) for a, b in sides)
    return 2 * covered < _SLENDER * around
