"""The kinds of pieces and their sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from sheetgen.plan.pieces.subjects import PieceSubject
from sheetgen.render.pieces.figures import (
    draw_standee,
    draw_token,
    standee_field,
    standee_height,
    token_field,
)
from sheetgen.render.pieces.parts import BLEED
from sheetgen.render.pieces.pen import Pen
from sheetgen.render.pieces.tents import badge_height, disc_field, draw_badge, draw_tent, tent_side


@dataclass(frozen=True, slots=True)
class PieceKind:
    """A kind of pieces.

    Attributes:
        label: In the title of a page.
        usual: The width in millimetres, if nobody sets another.
        least, most: The bounds of the width.
        height: Returns the height of a piece of a width, in points.
        field: Returns the width and height of its picture.
        bleed: The bleed around each piece.
        folded: Whether there are lines to fold along.
        draw: Draws the piece of a width; returns whether all of its name is there.
    """

    label: str
    usual: float
    least: float
    most: float
    height: Callable[[float], float]
    field: Callable[[float], tuple[float, float]]
    bleed: float
    folded: bool
    draw: Callable[[Pen, PieceSubject, float], bool]


KINDS: Final[Mapping[str, PieceKind]] = {
    "token": PieceKind("Tokens", 25, 20, 100, float, token_field, BLEED, False, draw_token),
    "standee": PieceKind(
        *("Standees", 25, 20, 52, standee_height, standee_field, BLEED, True, draw_standee)
    ),
    "tent": PieceKind(
        *("Tents", 90, 60, 190, lambda width: 2 * tent_side(width)),
        *(lambda width: disc_field(tent_side(width)), 0, True, draw_tent),
    ),
    "badge": PieceKind(
        *("Badges", 90, 60, 130, badge_height),
        *(lambda width: disc_field(badge_height(width)), 0, False, draw_badge),
    ),
}
"""Kinds of pieces by the name that commands and books use."""
