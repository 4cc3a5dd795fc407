"""Cards as they are printed: strips of plates, laid under each other, many to a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sheetgen.model.prints import Filling, Plate
from sheetgen.units import Box


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A text beside others in one place, on their baseline.

    Attributes:
        role: Of the plate's tokens; its baseline is that of the place's role.
        size, x, width: Points; x counts from the left of the place.
        up: Points above the last line.
        line: Which line of the place it stands in, counted from 0.
    """

    text: str
    role: str
    size: float
    x: float
    width: float
    up: float = 0
    line: int = 0


@dataclass(frozen=True, slots=True)
class Strip:
    """One page of a plate as a strip of a card, filled.

    Attributes:
        page: Of the plate; its size is that of the strip.
        top: Points from the upper edge of the card.
        alt_text: What a screen reader says of the strip, labels and values in order.
        alt_differs: Whether that is another text than those which the strip shows.
        pieces: By place: what is drawn there instead of the text of the filling.
    """

    plate: Plate
    page: int
    filling: Filling
    top: float
    alt_text: str = ""
    pieces: Mapping[str, tuple[TextPiece, ...]] = field(default_factory=dict)
    alt_differs: bool = False


@dataclass(frozen=True, slots=True)
class CardFace:
    """One side of a card.

    Attributes:
        name: What it is a card of.
        part: Which side or continuation it is, counted from 1.
    """

    name: str
    size: tuple[float, float]
    strips: tuple[Strip, ...]
    part: int = 1
    parts: int = 1


@dataclass(frozen=True, slots=True)
class PlacedFace:
    """A face on a page: its trim box (y downwards), and whether it stands on its head."""

    face: CardFace
    box: Box
    turned: bool = False


@dataclass(frozen=True, slots=True)
class CardNote:
    """A line of text outside the cards; x, y: where its baseline begins, y downwards.

    Attributes:
        plate: In whose fonts it is set.
    """

    text: str
    x: float
    y: float
    plate: Plate


@dataclass(frozen=True, slots=True)
class CardPage:
    """A side of a sheet of paper.

    Attributes:
        trim, bleed: Boxes of a page that is one card; None for the page itself.
        marks: Lines to cut along: x, y, x, y.
    """

    size: tuple[float, float]
    placed: tuple[PlacedFace, ...]
    marks: tuple[tuple[float, float, float, float], ...] = ()
    notes: tuple[CardNote, ...] = ()
    trim: Box | None = None
    bleed: Box | None = None


@dataclass(frozen=True, slots=True)
class CardPlan:
    """A document of cards; two equal plans print the same. See `prints.Plan`.

    Attributes:
        duplex: Over which edge the paper is turned, `long` or `short`, where each second page
            is the back of the one before it; empty for pages that are fronts only.
    """

    title: str
    lang: str
    subject: str
    pages: tuple[CardPage, ...]
    meta: Mapping[str, str] = field(default_factory=dict)
    duplex: str = ""

    def dump(self) -> str:
        """Return the plan as text, for people and for tests."""
        lines = [f"title: {self.title}", f"lang: {self.lang}", f"subject: {self.subject}"]
        lines += [f"{key}: {value}" for key, value in self.meta.items()]
        for number, page in enumerate(self.pages, 1):
            lines.append(f"page {number}: {page.size[0]:.1f} × {page.size[1]:.1f}")
            for placed in page.placed:
                lines += _dumped(placed)
        return "\n".join(lines) + "\n"


def _dumped(placed: PlacedFace) -> Iterator[str]:
    face, box = placed.face, placed.box
    turned = " turned" if placed.turned else ""
    part = f" {face.part}/{face.parts}" if face.parts > 1 else ""
    yield f" card {face.name}{part} at {box.x:.1f} {box.y:.1f}{turned}"
    for strip in face.strips:
        yield f"  strip {strip.page + 1} at {strip.top:.1f}"
        for place in strip.plate.places:
            if place.page == strip.page:
                yield from (f"   {line}" for line in strip.filling.dump(place))
                if pieces := strip.pieces.get(place.name):
                    told = " | ".join(f"{piece.text} [{piece.role}]" for piece in pieces)
                    yield f"   {strip.page + 1} {place.name} in pieces: {told}"
