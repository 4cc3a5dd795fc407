"""Cards as they are printed: strips of plates below each other, several cards a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import Filling, Plate
from sheetgen.records import frozen
from sheetgen.units import Box


@frozen
class TextPiece:
    """A text beside others in one place, on the same baseline.

    Attributes:
        role: A role of the plate's tokens; the baseline is that of the place's role.
        size, x, width: Points; `x` is measured from the left of the place.
        up: Points above the last line.
        line: The line of the place, from 0.
    """

    text: str
    role: str
    size: float
    x: float
    width: float
    up: float = 0
    line: int = 0


@frozen
class Strip:
    """A filled page of a plate, as a strip of a card.

    Attributes:
        page: The page of the plate; the strip has its size.
        top: Points from the upper edge of the card.
        alt_text: What a screen reader reads: labels and values in order.
        alt_differs: Whether this differs from the texts that the strip shows.
        pieces: What is drawn instead of the filling's text, by place.
    """

    plate: Plate
    page: int
    filling: Filling
    top: float
    alt_text: str = ""
    pieces: Mapping[str, tuple[TextPiece, ...]] = field(default_factory=dict)
    alt_differs: bool = False


@frozen
class CardFace:
    """One side of a card.

    Attributes:
        name: The name of the thing on the card.
        part: The number of the side or continuation, from 1.
        picture: A decoration that fills the face and its bleed; it has no strips then.
        bleed: How far the picture reaches over the edges, in points.
    """

    name: str
    size: tuple[float, float]
    strips: tuple[Strip, ...]
    part: int = 1
    parts: int = 1
    picture: PreparedPicture | None = None
    bleed: float = 0


@frozen
class PlacedFace:
    """A face on a page: its trim box (y downwards), and whether it is turned by 180 degrees."""

    face: CardFace
    box: Box
    turned: bool = False


@frozen
class CardNote:
    """A line of text outside the cards; its baseline begins at x, y (y downwards).

    Attributes:
        plate: The plate with its fonts.
    """

    text: str
    x: float
    y: float
    plate: Plate


@frozen
class CardPage:
    """A side of a sheet of paper.

    Attributes:
        marks: Crop marks, each x, y, x, y.
        trim, bleed: Boxes of a page with one card; None where they are the page.
    """

    size: tuple[float, float]
    placed: tuple[PlacedFace, ...]
    marks: tuple[tuple[float, float, float, float], ...] = ()
    notes: tuple[CardNote, ...] = ()
    trim: Box | None = None
    bleed: Box | None = None


@frozen
class CardPlan:
    """A document of cards; two equal plans print the same. See `prints.Plan`.

    Attributes:
        duplex: The edge over which the paper is turned, `long` or `short`, where every second
            page is a back; empty where all pages are fronts.
    """

    title: str
    lang: str
    subject: str
    pages: tuple[CardPage, ...]
    meta: Mapping[str, str] = field(default_factory=dict)
    duplex: str = ""
