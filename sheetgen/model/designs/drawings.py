"""Drawings without meaning, which a face adds to prints; the fields are keys of a face's file."""

from __future__ import annotations

from typing import Final

from sheetgen.model.shape import Length
from sheetgen.model.source import Text
from sheetgen.records import frozen

_ONE: Final = Length(1)


@frozen
class Stroke:
    """A path of a drawing.

    Attributes:
        path: SVG path data (M, L, C, Z, absolute) in the box of the drawing, y downwards.
        stroke: A key of `colours`; none without it.
        fill: A key of `colours`; none without it.
        width: The width of the stroke in units of the box.
        tint: How much of the colour is mixed with that of the paper, from 0 to 1.
        central: Whether it is in the middle, where gear has its emblem; left out behind that.
    """

    path: Text
    stroke: Text | str = ""
    fill: Text | str = ""
    width: Length = _ONE
    tint: Length = _ONE
    central: bool = False


@frozen
class Drawing:
    """A drawing without meaning: the motif or the ornament of a face.

    Attributes:
        box: Width and height of the room that its paths are in.
        paths: What is drawn, the lowest first.
    """

    box: tuple[Length, ...]
    paths: tuple[Stroke, ...]
