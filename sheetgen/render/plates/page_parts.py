"""Read the places, links and marked content of a laid-out blank, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sheetgen.model.prints import Place, Tokens
from sheetgen.render.plates.structure_tree import (
    Content,
    Held,
    Node,
    figure_box,
    mark_tags,
    pruned,
    read_tags,
)
from sheetgen.units import Box

if TYPE_CHECKING:
    import pikepdf

T = TypeVar("T")

MARKED: Final = re.compile(rb"/\w+\s*<<\s*/MCID (\d+)\s*>>\s*BDC")
"""The beginning of a marked-content sequence, as WeasyPrint writes it."""


KINDS: Final = ("text", "lines", "tick", "mark", "picture")
_NAME: Final = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*")


class PlateError(ValueError):
    """A template has something that a plate cannot have."""


def page_size(page: pikepdf.Page) -> tuple[float, float]:
    """Return width and height of the trimmed page, in points."""
    left, bottom, right, top = (float(v) for v in page.trimbox)
    return round(right - left, 3), round(top - bottom, 3)


def read_place(widget: Any, page: int, height: float) -> Place:
    """Return the place of `widget`, on a page of `height`.

    Raises:
        PlateError: Its name is not of the form `p|KIND|ROLE|NAME`.
    """
    parts = str(widget.T).split("|")
    if len(parts) != 4 or parts[0] != "p" or parts[1] not in KINDS:
        raise PlateError(f"`{widget.T}` is no place; write p|KIND|ROLE|NAME")
    _, kind, role, name = parts
    if not _NAME.fullmatch(name):
        raise PlateError(f"`{name}` is no name of a place; use a-z, 0-9, _ and dots")
    # WeasyPrint flips the page, so the corners of rectangles are swapped.
    x0, y0, x1, y1 = (float(v) for v in widget.Rect)
    left, right, bottom, top = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    box = Box(
        round(left, 3),
        round(height - top, 3),
        round(right - left, 3),
        round(top - bottom, 3),
    )
    return Place(name, kind, role, str(widget.get("/TU", "")) or name, page, box)


def check_places(places: Iterable[Place], tokens: Tokens) -> None:
    """Check that all places can be filled and read back.

    Raises:
        PlateError: Two have one name, one has the name of another's group, a role or tick
            style is not in `tokens`, or a box is flat.
    """
    names: set[str] = set()
    groups: set[str] = set()
    for place in places:
        if place.name in names:
            raise PlateError(f"two places are named `{place.name}`")
        names.add(place.name)
        parts = place.name.split(".")
        groups |= {".".join(parts[:end]) for end in range(1, len(parts))}
        known: Iterable[str] = tokens.ticks if place.kind == "tick" else tokens.roles
        unset = place.kind in ("mark", "picture") and not place.role
        if not unset and place.role not in known:
            what = "tick style" if place.kind == "tick" else "role"
            raise PlateError(f"`{place.name}` has the {what} `{place.role}`: no such token")
        if place.box.width <= 0 or place.box.height <= 0:
            raise PlateError(f"the box of `{place.name}` is flat")
    if both := names & groups:
        raise PlateError(f"`{min(both)}` is a place and also a group of places")


class PlateParts:
    """The parts of all pages, in reading order.

    Attributes:
        links: Page and annotation of each.
        fresh: The first unused marked-content number, by page.
        texts: The marked content of each mark that is a text, and of each picture, by place.
    """

    def __init__(self, pdf: Any, heights: list[float]) -> None:
        numbers = {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
        held: dict[tuple[int, int], Held] = {}
        found: dict[tuple[int, int], Place] = {}
        self.links: list[tuple[int, Any]] = []
        for index, page in enumerate(pdf.pages):
            for annotation in page.get("/Annots", ()):
                at = annotation.objgen
                if annotation.Subtype == "/Widget":
                    found[at] = read_place(annotation, index, heights[index])
                    held[at] = Held("place", len(found) - 1, index)
                elif annotation.get("/A", {}).get("/S") == "/URI":
                    held[at] = Held("link", len(self.links), index)
                    self.links.append((index, annotation))
        root = read_tags(pdf.Root.StructTreeRoot.K[0], numbers, held, heights)
        order = [i.index for i in find_owned(root, Held) if i.kind == "place"]
        laid = list(found.values())
        if len(order) != len(laid):
            lost = set(range(len(laid))) - set(order)
            raise PlateError(f"`{laid[min(lost)].name}` is in a page margin; move it into the page")
        self.places = [laid[index] for index in order]
        _renumber(root, {old: new for new, old in enumerate(order)})
        self.contents = [_contents(page) for page in pdf.pages]
        on_pages = [{*map(int, MARKED.findall(content))} for content in self.contents]
        if any(c.mcid not in on_pages[c.page] for c in find_owned(root, Content)):
            raise PlateError("text in a see-through group has no tag; give it a paler colour")
        self.fresh = [1 + max(mcids, default=-1) for mcids in on_pages]
        self.texts: dict[int, Content] = {}
        marks: dict[int, Content | None] = {}
        figures: dict[int, bytes] = {}
        for index, place in enumerate(self.places):
            if place.kind in ("mark", "picture"):
                drawn = place.role or place.kind == "picture"
                marks[index] = self._content(place) if drawn else None
                if content := marks[index]:
                    self.texts[index] = content
            if place.kind == "picture":
                figures[index] = figure_box(place.box, heights[place.page])
        mark_tags(root, marks, figures)
        self.root = pruned(root)

    def _content(self, place: Place) -> Content:
        number = self.fresh[place.page]
        self.fresh[place.page] += 1
        return Content(place.page, number)


def _renumber(node: Node, places: Mapping[int, int]) -> None:
    for at, kid in enumerate(node.kids):
        if isinstance(kid, Node):
            _renumber(kid, places)
        elif isinstance(kid, Held) and kid.kind == "place":
            node.kids[at] = Held("place", places[kid.index], kid.page)


def _contents(page: Any) -> bytes:
    page.contents_coalesce()
    return bytes(page.Contents.read_bytes())


def find_owned(node: Node, kind: type[T]) -> list[T]:
    """Return what `node` and those below it own of one kind: marked content, or places."""
    found: list[T] = []
    for kid in node.kids:
        if isinstance(kid, Node):
            found += find_owned(kid, kind)
        elif isinstance(kid, kind):
            found.append(kid)
    return found
