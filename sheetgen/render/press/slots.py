"""What the press knows of a plate's objects, tags and places: plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sheetgen.model.prints import Place
from sheetgen.render.press.appearances import Style

Size: TypeAlias = tuple[float, float]
"""Width and height."""


@dataclass(frozen=True, slots=True)
class SharedObject:
    """See `pdf_objects.Shared`."""

    template: bytes
    refs: tuple[int, ...]
    data: bytes | None
    digest: str


@dataclass(frozen=True, slots=True)
class TagRow:
    """One tag.

    Attributes:
        parent: Index of the tag above it; -1 for the document.
        kids: What (`row`, `mcid`, `place`, `link`), which, and on which page.
        page: Of its first content; -1 if it has none of its own.
        place: Index of the place that it holds, or -1.
    """

    tag: bytes
    parent: int
    extra: bytes
    kids: tuple[tuple[str, int, int], ...]
    page: int
    place: int


@dataclass(frozen=True, slots=True)
class PlaceSlot:
    """A place, spelt out as far as it goes.

    Attributes:
        index: Of the place in the plate.
        at: Its lower left on the page, as PDF counts.
        moved: Moves the origin there.
        group: Index of its group of names; -1 at the top.
        style: How its text is set; None for ticks and shapes.
        head: First part of its widget.
        blank_tail: Last part of the widget of a text that is empty.
        form: First part of the form that draws a text.
        frame: Draws the frame of a tick.
        on: Shape of the mark of a tick.
        tall: Whether its text fills it from the top, as in a column.
        flags: Of a field of text, but for the one that says that it has several lines.
        acts: What it does by itself, as `calculation` calls it; empty for nothing.
        look: Equal for texts that look alike when they are filled alike.
    """

    index: int
    place: Place
    size: Size
    at: tuple[float, float]
    moved: bytes
    group: int = -1
    style: Style | None = None
    head: bytes = b""
    blank_tail: bytes = b""
    form: bytes = b""
    frame: bytes = b""
    on: str = ""
    tall: bool = False
    flags: int = 0
    acts: str = ""
    look: int = -1


@dataclass(frozen=True, slots=True)
class PageSlots:
    """What one page has of each kind."""

    ticks: list[PlaceSlot]
    shapes: list[PlaceSlot]
    labels: list[PlaceSlot]
    fields: list[PlaceSlot]
