"""Drawings without meaning, which a face adds to prints."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stroke:
    """A path of a drawing.

    Attributes:
        path: SVG path data (M, L, C, Z, absolute) in the drawing's box, y downwards.
        stroke: A key of the colours, or empty.
        fill: A key of the colours, or empty.
        width: The width of the stroke in units of the box.
        tint: How much of the colour, mixed with that of the paper; 1 for all.
    """

    path: str
    stroke: str = ""
    fill: str = ""
    width: float = 1
    tint: float = 1


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing without meaning: the motif or the ornament of a face.

    Attributes:
        box: Width and height of the room that its paths are in.
    """

    box: tuple[float, float]
    paths: tuple[Stroke, ...]
