"""What stands on the pages of a laid-out blank, in reading order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from sheetgen.model.prints import Place
from sheetgen.render.plates.tagging import Content, Held, Node, mark_tags, pruned, read_tags
from sheetgen.render.plates.widgets import PlateError, read_place

MARKED: Final = re.compile(rb"/\w+\s*<<\s*/MCID (\d+)\s*>>\s*BDC")
"""The beginning of tagged content, as the engine spells it."""


class PlateParts:
    """What stands on the pages, in reading order.

    Attributes:
        links: Page and annotation.
        fresh: The first unused number of marked content, by page.
        texts: The content of each mark that is a text, by place.
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
        root = read_tags(_document(pdf), numbers, held, heights)
        order = [i.index for i in _holdings(root) if i.kind == "place"]
        laid = list(found.values())
        if len(order) != len(laid):
            lost = set(range(len(laid))) - set(order)
            raise PlateError(f"`{laid[min(lost)].name}` stands in a margin; nobody reads it")
        self.places = [laid[index] for index in order]
        _renumber(root, {old: new for new, old in enumerate(order)})
        self.contents = [_contents(page) for page in pdf.pages]
        on_pages = [_mcids(content) for content in self.contents]
        if any(c.mcid not in on_pages[c.page] for c in all_contents(root)):
            raise PlateError("text in a see-through group has no tag; give it a paler colour")
        self.fresh = [1 + max(mcids, default=-1) for mcids in on_pages]
        self.texts: dict[int, Content] = {}
        marks: dict[int, Content | None] = {}
        for index, place in enumerate(self.places):
            if place.kind == "mark":
                marks[index] = self._content(place) if place.role else None
                if content := marks[index]:
                    self.texts[index] = content
        mark_tags(root, marks)
        self.root = pruned(root)

    def _content(self, place: Place) -> Content:
        number = self.fresh[place.page]
        self.fresh[place.page] += 1
        return Content(place.page, number)


def _document(pdf: Any) -> Any:
    return pdf.Root.StructTreeRoot.K[0]


def _holdings(node: Node) -> list[Held]:
    found: list[Held] = []
    for kid in node.kids:
        if isinstance(kid, Node):
            found += _holdings(kid)
        elif isinstance(kid, Held):
            found.append(kid)
    return found


def _renumber(node: Node, places: Mapping[int, int]) -> None:
    for at, kid in enumerate(node.kids):
        if isinstance(kid, Node):
            _renumber(kid, places)
        elif isinstance(kid, Held) and kid.kind == "place":
            node.kids[at] = Held("place", places[kid.index], kid.page)


def _contents(page: Any) -> bytes:
    page.contents_coalesce()
    return bytes(page.Contents.read_bytes())


def _mcids(content: bytes) -> set[int]:
    return {int(found) for found in MARKED.findall(content)}


def all_contents(node: Node) -> list[Content]:
    """Return all marked content that `node` and those below it own."""
    found: list[Content] = []
    for kid in node.kids:
        if isinstance(kid, Node):
            found += all_contents(kid)
        elif isinstance(kid, Content):
            found.append(kid)
    return found
