"""Records of a plate's structure elements (tags) and places, as the press needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from sheetgen.model.added import Added
from sheetgen.model.prints import Place
from sheetgen.render.press.appearances import Style

Size: TypeAlias = tuple[float, float]
"""Width and height."""


@dataclass(frozen=True, slots=True)
class TagRow:
    """One structure element (ISO 32000-1, 14.7.2).

    Attributes:
        extra: Further entries of its dictionary.
        parent: Index of the row above it; -1 for the document.
        kids: Kind (`row`, `mcid`, `place`, `link`), index or number, and page of each.
        page: Of its first content; -1 if it has none of its own.
        place: Index of the place that it contains, or -1.
    """

    tag: bytes
    parent: int
    extra: bytes
    kids: tuple[tuple[str, int, int], ...]
    page: int
    place: int


@dataclass(frozen=True, slots=True)
class PlaceSlot:
    """A place, with all PDF text that does not depend on its value.

    Attributes:
        index: Of the place in the plate.
        at: Its lower left on the page, in PDF coordinates.
        matrix: The operator that moves the origin there.
        group: Index of its group of names; -1 at the top.
        style: The style of its text; None for ticks and shapes.
        head: First entries of its widget annotation.
        empty_entries: Last entries of the widget of a text field without a value.
        form_head: First entries of the appearance stream of a text.
        frame: Operators that draw the frame of a tick.
        on: Shape of the mark of a tick.
        tall: Whether its text fills it from the top, as in a column.
        flags: Of a text field, without the one for several lines.
        action: The key of its action in `Calculation.build_actions`; empty for none.
        appearance_key: Equal for places whose appearances are equal for equal values.
    """

    index: int
    place: Place
    size: Size
    at: tuple[float, float]
    matrix: bytes
    group: int = -1
    style: Style | None = None
    head: bytes = b""
    empty_entries: bytes = b""
    form_head: bytes = b""
    frame: bytes = b""
    on: str = ""
    tall: bool = False
    flags: int = 0
    action: str = ""
    appearance_key: int = -1


@dataclass(frozen=True, slots=True)
class PageSlots:
    """The slots of one page by kind."""

    ticks: list[PlaceSlot]
    shapes: list[PlaceSlot]
    labels: list[PlaceSlot]
    fields: list[PlaceSlot]


def add_tags(
    added: Added,
    indexes: Mapping[str, int],
    rows: list[TagRow],
    mcids: dict[int, int],
    fresh: list[int],
) -> None:
    """Add structure elements below that of a mark, and numbers for their contents.

    Args:
        indexes: Of the places, by name.
        rows, mcids, fresh: Of the plate; they are extended.
    """
    anchored, first = mcids[indexes[added.anchor]], len(rows)
    page = added.places[0].page if added.places else 0
    anchor = next(n for n, row in enumerate(rows) if ("mcid", anchored, page) in row.kids)
    kids: dict[int, list[tuple[str, int, int]]] = {-1: list(rows[anchor].kids)}
    for n, tag in enumerate(added.tags):
        kids[tag.parent].append(("row", first + n, 0))
        kids[n] = []
        for name in tag.texts:
            kids[n].append(("mcid", fresh[page], page))
            mcids[indexes[name]] = fresh[page]
            fresh[page] += 1
    for n, tag in enumerate(added.tags):
        above = anchor if tag.parent < 0 else first + tag.parent
        extra, on = tag.extra.encode("latin-1"), page if tag.texts else -1
        rows.append(TagRow(tag.tag.encode(), above, extra, tuple(kids[n]), on, -1))
    # What may only contain text becomes a division, which may contain tables.
    rows[anchor] = replace(rows[anchor], tag=b"Div", kids=tuple(kids[-1]))
    above = rows[anchor].parent
    if above >= 0 and rows[above].tag == b"P":
        rows[above] = replace(rows[above], tag=b"Div")
