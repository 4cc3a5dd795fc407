"""What the engine leaves undone in the tags of pages that flow, mended before the file is written.

A sheet's tags are written anew with its plate (see `tagging`); pages of tables, screens and
fights keep the engine's own, and get from here what PDF/UA asks of them besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

_EMPTY_TOO: Final = ("/Table", "/TR", "/TH", "/TD", "/L", "/LI", "/Lbl", "/LBody")
"""Tags that a table or a list must keep even if nothing is in them."""

_PER_PIXEL: Final = 0.75
"""Points; the engine gives boxes of drawings in its own pixels, from the top."""

_REFERENCE: Final = re.compile(rb"(\d+) 0 R")


def mend_tags(pdf: Any) -> None:
    """Give heads of tables their scope; take out what says nothing, and tags of the margins.

    Args:
        pdf: The engine's, a `pydyf.PDF`.
    """
    tree = _Tree(pdf)
    for element in [*tree.below(tree.top)]:
        if element["S"] == "/TH":
            element["A"]["Scope"] = "/Row" if tree.heads_its_row(element) else "/Column"
        elif element["S"] == "/Figure":
            tree.turn(element)
    tree.prune(tree.top)
    tree.drop_margins()


class _Tree:
    """The tags of one file."""

    def __init__(self, pdf: Any) -> None:
        self.pdf = pdf
        self.top = self.at(self.at(pdf.catalog["StructTreeRoot"])["K"][0])

    def at(self, reference: Any) -> Any:
        """Return the object that `reference` leads to; anything else leads nowhere."""
        match = _REFERENCE.fullmatch(reference) if isinstance(reference, bytes) else None
        return self.pdf.objects[int(match[1])] if match else {}

    def kids(self, element: Any) -> Iterator[Any]:
        """Yield the tags right below one."""
        for kid in element.get("K", ()):
            found = self.at(kid)
            if "S" in found:
                yield found

    def below(self, element: Any) -> Iterator[Any]:
        """Yield every tag below one, in reading order."""
        for kid in self.kids(element):
            yield kid
            yield from self.below(kid)

    def heads_its_row(self, header: Any) -> bool:
        """Return whether a cell of the same row names this one as its header."""
        name = header.get("ID")
        return name is not None and any(
            any(one.data == name.data for one in cell["A"].get("Headers", ()))
            for cell in self.kids(self.at(header["P"]))
            if cell["S"] == "/TD"
        )

    def turn(self, figure: Any) -> None:
        """Say where a drawing is as PDF says it: in points, from below."""
        left, top, right, bottom = (float(side) * _PER_PIXEL for side in figure["A"]["BBox"])
        height = float(self.at(figure["Pg"])["MediaBox"][3])
        box = figure["A"]["BBox"]
        box[:] = [round(v, 2) for v in (left, height - bottom, right, height - top)]

    def prune(self, element: Any) -> bool:
        """Take out all tags below that hold nothing; return whether anything is left."""
        kept = []
        for kid in element["K"]:
            found = self.at(kid)
            if "S" not in found or self.prune(found):
                kept.append(kid)
            else:
                found.free = "f"
        element["K"][:] = kept
        return bool(kept) or element["S"] in _EMPTY_TOO

    def drop_margins(self) -> None:
        """Make decoration of what stands in the margins: nothing in the tree leads there."""
        known = {self.top.number, *(element.number for element in self.below(self.top))}
        every: list[Any] = [one for one in self.pdf.objects if isinstance(one, dict)]
        lost = [e for e in every if e.get("Type") == "/StructElem" and e.number not in known]
        marked: dict[int, set[int]] = {}
        for element in lost:
            page = self.at(element["Pg"])
            numbers = {kid for kid in element["K"] if isinstance(kid, int)}
            marked.setdefault(page.number, set()).update(numbers)
            element.free = "f"
        parents = self.at(self.at(self.pdf.catalog["StructTreeRoot"])["ParentTree"])["Nums"]
        for number, mcids in marked.items():
            page = self.pdf.objects[number]
            _as_decoration(self.at(page["Contents"]).stream, mcids)
            held = parents[2 * int(page["StructParents"]) + 1]
            held[:] = ["null" if at in mcids else one for at, one in enumerate(held)]


def _as_decoration(stream: list[Any], mcids: set[int]) -> None:
    """Turn `/P <</MCID 7>> BDC` into `/Artifact BMC` for those contents."""
    for at, part in enumerate(stream):
        if isinstance(part, dict) and part.get("MCID") in mcids and stream[at + 1] == b"BDC":
            stream[at - 1 : at + 2] = ["/Artifact", b"", b"BMC"]
