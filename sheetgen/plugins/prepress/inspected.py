"""What preflight finds in a finished PDF. Lengths are points, y upwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, TypeAlias

from sheetgen.records import frozen

Rect: TypeAlias = tuple[float, float, float, float]  # Left, bottom, right, top
SIDES: Final = ("left", "foot", "right", "top")

LOST: Final = "white overprints what is below it, and disappears in print"
MAY_BE_LOST: Final = "white (gray) overprints what is below it, and may disappear in print"


@frozen
class Font:
    """A font that is used.

    Attributes:
        kind: The font's subtype in PDF: `TrueType`, `Type0` (with CIDs), `Type1`, `Type3`.
    """

    name: str
    kind: str
    embedded: bool
    subset: bool


@frozen
class InspectedPicture:
    """A placed image.

    Attributes:
        page: The page, from 1.
        ppi: Pixels an inch, the lower of both directions.
    """

    page: int
    pixels: tuple[int, int]
    ppi: float
    space: str


@frozen
class Drawn:
    """What is painted on a page.

    Attributes:
        text: The distance from the trim to the nearest text, by side.
        words: That text, by side, as far as it can be read.
        art: The distance to the nearest drawing that does not reach the trim, by side.
        touched: Sides of the trim that colour reaches.
        short: Sides where colour reaches the trim and does not fill the bleed.
        colours: Colour spaces in use: `gray`, `calgray`, `rgb`, `cmyk`, `spot`, `lab`, `icc`.
        ink: The highest ink coverage in per cent, of gray, CMYK and spot colours.
        line: The thinnest line; None for no lines.
        clear: Transparent objects, in words.
        spots: The names of spot colours.
        lost: `LOST`, `MAY_BE_LOST`, if there is such white.
        unmeasured: What has ink that could not be measured, in words.
    """

    text: Mapping[str, float] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    art: Mapping[str, float] = field(default_factory=dict)
    touched: frozenset[str] = frozenset()
    short: frozenset[str] = frozenset()
    colours: frozenset[str] = frozenset()
    ink: float = 0.0
    line: float | None = None
    clear: frozenset[str] = frozenset()
    spots: frozenset[str] = frozenset()
    lost: frozenset[str] = frozenset()
    unmeasured: frozenset[str] = frozenset()


@frozen
class InspectedPage:
    """A page: its boxes and its content.

    Attributes:
        trim, bleed: The boxes of the page, or PDF's defaults for them.
        own_boxes: The boxes that the page has: `TrimBox`, `BleedBox`, `CropBox`, `ArtBox`.
        unit: Points of a unit of the page (UserUnit); the boxes have points.
        rotation: The rotation in degrees; the boxes are those of the page as it is seen.
        annotations: The number of annotations, by subtype.
    """

    media: Rect
    crop: Rect
    bleed: Rect
    trim: Rect
    own_boxes: frozenset[str]
    rotation: int
    unit: float
    drawn: Drawn
    annotations: Mapping[str, int]


@frozen
class Inspected:
    """A whole file.

    Attributes:
        version: The version of PDF, such as `1.7`.
        claims: Standards that the file claims: `PDF/X-1a:2003`, `PDF/A-2a`, `PDF/UA-1`.
        conditions: Printing conditions of the output intents, each after its subtype.
        trapped: `True`, `False`, or empty.
        fields: The number of form fields that can hold a value.
        live: Active content: scripts, actions, embedded files, layers.
        packed: Whether there are object streams, which PDF 1.4 does not have.
        faults: Requirements of claimed standards that the file does not meet, in words.
        unread: What could not be inspected, in words.
    """

    version: str
    title: str
    claims: tuple[str, ...]
    conditions: tuple[str, ...]
    trapped: str
    encrypted: bool
    pages: tuple[InspectedPage, ...]
    fonts: tuple[Font, ...]
    pictures: tuple[InspectedPicture, ...]
    fields: int
    live: tuple[str, ...]
    packed: bool
    faults: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
