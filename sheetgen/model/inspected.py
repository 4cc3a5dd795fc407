"""What a finished PDF holds, as a print shop looks at it. Lengths are points, y upwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

Rect: TypeAlias = tuple[float, float, float, float]
"""Left, foot, right, top."""

SIDES: Final = ("left", "foot", "right", "top")


@dataclass(frozen=True, slots=True)
class Font:
    """A font that is used.

    Attributes:
        kind: As PDF names it: `TrueType`, `Type0` (with CIDs), `Type1`, `Type3`.
        embedded: Whether the file carries its letters.
        subset: Whether it carries only those that it uses.
    """

    name: str
    kind: str
    embedded: bool
    subset: bool


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is placed.

    Attributes:
        page: Counts from 1.
        ppi: Pixels an inch, the lesser of both ways.
        space: Its colour space.
    """

    page: int
    pixels: tuple[int, int]
    ppi: float
    space: str


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is painted on a page.

    Attributes:
        text: From the trim in to the nearest text, by side; none where there is no text.
        words: Which text that is, by side, as far as it can be read.
        art: The same for drawings that keep away from the trim.
        touched: Sides of the trim that colour reaches.
        short: Sides where colour reaches the trim and does not fill the bleed behind it.
        colours: Families in use: `gray`, `rgb`, `cmyk`, `spot`, `lab`, `icc`, `pattern`.
        ink: The most ink in one place, in per cent; of gray and CMYK only.
        line: The thinnest line; none if there are no lines.
        clear: What is transparent, in words.
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


@dataclass(frozen=True, slots=True)
class InspectedPage:
    """A page: its boxes, and what stands on it.

    Attributes:
        trim, bleed: As the page says, or else what PDF takes for it.
        own_boxes: Which boxes the page has itself: `TrimBox`, `BleedBox`, `CropBox`, `ArtBox`.
        annotations: How many of which kind.
    """

    media: Rect
    crop: Rect
    bleed: Rect
    trim: Rect
    own_boxes: frozenset[str]
    rotation: int
    drawn: Drawn
    annotations: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Inspected:
    """A whole file.

    Attributes:
        version: Of PDF, such as `1.7`.
        claims: What it says that it is: `PDF/X-1a:2003`, `PDF/A-2a`, `PDF/UA-1`.
        conditions: Printing conditions of its output intents, with their kind before.
        trapped: `True`, `False`, or empty.
        fields: Of its form, those that hold a value or may.
        live: What acts or plays: scripts, actions, embedded files, layers.
        packed: Whether objects are packed into streams, which PDF 1.4 has not.
        faults: Claims that the file does not keep, each in words.
        unread: What could not be looked at, in words.
    """

    version: str
    title: str
    claims: tuple[str, ...]
    conditions: tuple[str, ...]
    trapped: str
    encrypted: bool
    pages: tuple[InspectedPage, ...]
    fonts: tuple[Font, ...]
    pictures: tuple[Picture, ...]
    fields: int
    live: tuple[str, ...]
    packed: bool
    faults: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
