"""Records of a plate's structure elements (tags) and places, as the press needs them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from sheetgen.model.prints import Added, Place
from sheetgen.records import frozen
from sheetgen.render.press.appearances import Style

Size: TypeAlias = tuple[float, float]
"""Width and height."""


@frozen
class TagRow:
    """One structure element (ISO 32000-1, 14.7.2).

    Attributes:
        extra: Further entries of its dictionary.
        parent: Index of the row above it; -1 for the document.
        kids: Kind (`row`, `mcid`, `place`, `link`), index or number, and page of each.
        page: Of its first content; -1 if it has none of its own.
        place: Index of the place of a field that it contains, or -1.
        picture: Index of the place of the picture that it is, or -1.
    """

    tag: bytes
    parent: int
    extra: bytes
    kids: tuple[tuple[str, int, int], ...]
    page: int
    place: int
    picture: int = -1


def build_row(tag: str, parent: int, extra: str, kids: list[list[Any]]) -> TagRow:
    """Return a row as the header of a plate has it."""
    page = next((page for what, _, page in kids if what != "row"), -1)
    found = tuple((what, which, on) for what, which, on in kids)
    place = next((which for what, which, _ in kids if what == "place"), -1)
    return TagRow(tag.encode(), parent, extra.encode("latin-1"), found, page, place)


@frozen
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


@frozen
class PageSlots:
    """The slots of one page by kind."""

    ticks: list[PlaceSlot]
    shapes: list[PlaceSlot]
    labels: list[PlaceSlot]
    fields: list[PlaceSlot]
    pictures: list[PlaceSlot]


def place_figures(
    rows: list[TagRow],
    tops: list[int],
    places: Sequence[Place],
    mcids: dict[int, int],
    shown: Collection[str],
) -> tuple[list[TagRow], list[int]]:
    """Return structure elements with the places of figures, and the top ones; without empty ones.

    Args:
        mcids: Marked content of places; that of pictures that are not `shown` is removed.
    """
    pictures = [(n, place) for n, place in enumerate(places) if place.kind == "picture"]
    for n, place in pictures:
        if place.name not in shown:
            del mcids[n]
    found = {("mcid", mcids[n], place.page): n for n, place in pictures if n in mcids}
    named = [replace(row, picture=found.get(row.kids[0], -1)) if row.kids else row for row in rows]
    figures = (n for n, row in enumerate(named) if row.tag == b"Figure" and row.picture < 0)
    lost = {n for n in figures if b"/Alt" not in named[n].extra}
    return _without_rows(named, tops, lost) if lost else (named, tops)


def _without_rows(
    rows: list[TagRow], tops: list[int], empty: set[int]
) -> tuple[list[TagRow], list[int]]:
    """Return structure elements without some and those that only contain them; and the tops."""
    for index in reversed(range(len(rows))):  # kids are after their parents
        below = [which for kind, which, _ in rows[index].kids if kind == "row"]
        lost = below and len(below) == len(rows[index].kids) and empty.issuperset(below)
        if lost and rows[index].tag not in (b"TD", b"TH", b"LI", b"LBody"):
            empty.add(index)
    left = [index for index in range(len(rows)) if index not in empty]
    new = {old: index for index, old in enumerate(left)} | {-1: -1}
    kept = []
    for old in left:
        row = rows[old]
        kids = tuple(
            (kind, new[which] if kind == "row" else which, page)
            for kind, which, page in row.kids
            if kind != "row" or which in new
        )
        kept.append(replace(row, parent=new[row.parent], kids=kids))
    return kept, [new[top] for top in tops if top in new]


def add_control_rows(rows: list[TagRow], tops: list[int], places: range) -> None:
    """Add structure elements for the controls of a live sheet: one division of fields."""
    top = len(rows)
    tops.append(top)
    kids = tuple(("row", top + 1 + n, 0) for n in range(len(places)))
    rows.append(TagRow(b"Div", -1, b"", kids, -1, -1))
    for index in places:
        rows.append(TagRow(b"Form", top, b"", (("place", index, 0),), 0, index))


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
