"""Positions, boxes and crop marks of cards on their page."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from sheetgen.model.cards import CardPage, PlacedFace
from sheetgen.render.pdf.syntax import pdf_number, pdf_numbers
from sheetgen.units import Box

_MARK_WIDTH: Final = 0.25
_number = lru_cache(maxsize=4096)(pdf_number)
"""Cached, since cards and strips lie at few positions."""


def format_card_matrix(placed: PlacedFace, height: float, up: float = 0) -> bytes:
    """Return the operator that moves the origin to a card's left edge, `up` from its foot."""
    box = placed.box
    left, foot = box.x, height - box.y - box.height
    if placed.turned:
        return b"-1 0 0 -1 %s %s cm" % (_number(left + box.width), _number(foot + box.height - up))
    return b"1 0 0 1 %s %s cm" % (_number(left), _number(foot + up))


def draw_crop_marks(page: CardPage) -> bytes:
    """Return the operators that draw the crop marks of a page of cards."""
    if not page.marks:
        return b""
    height = page.size[1]
    lines = b"".join(
        b"%s m %s l\n" % (pdf_numbers(x0, height - y0), pdf_numbers(x1, height - y1))
        for x0, y0, x1, y1 in page.marks
    )
    return b"/Artifact BMC\nq 0 G %s w\n%sS\nQ\nEMC\n" % (pdf_number(_MARK_WIDTH), lines)


def draw_card_pictures(backs: Iterable[tuple[PlacedFace, int]], height: float) -> bytes:
    """Return the operators that draw the pictures that fill cards, as an artifact.

    All are drawn with their bleed first, and then each within its own edges: without a gutter,
    one would reach over its neighbour.

    Args:
        backs: Faces with a picture, and the numbers of their XObjects.
        height: Of the page.
    """
    bled, cut = [], []
    for placed, number in backs:
        face, bleed = placed.face, placed.face.bleed
        assert face.picture is not None
        wide, high = (side + 2 * bleed for side in face.size)
        left, foot, across, up = face.picture.at
        at = pdf_numbers(across * wide, 0, 0, up * high, left * wide - bleed, foot * high - bleed)
        matrix, row = format_card_matrix(placed, height), b"q %s %s re W n %s cm /P%d Do Q\n"
        bled.append(row % (matrix, pdf_numbers(-bleed, -bleed, wide, high), at, number))
        cut.append(row % (matrix, pdf_numbers(0, 0, *face.size), at, number))
    return b"/Artifact BMC\n%sEMC\n" % b"".join(bled + cut) if bled else b""


def format_page_box(name: bytes, box: Box | None, page: CardPage) -> bytes:
    """Return the entry for a box of a page of cards; empty where there is none."""
    if box is None:
        return b""
    foot = page.size[1] - box.y - box.height
    corners = (box.x, foot, box.x + box.width, foot + box.height)
    return b"%s[%s]" % (name, b" ".join(b"%.6g" % c for c in corners))
