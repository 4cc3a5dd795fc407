"""Fix WeasyPrint's structure tree for PDF/UA (ISO 32000-1, 14.7; ISO 14289-1).

This is for pages that flow. Plates get a structure tree of their own; see
`plates/structure_tree.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

_EMPTY_TOO: Final = ("/Table", "/TR", "/TH", "/TD", "/L", "/LI", "/Lbl", "/LBody")
"""Elements that a table or a list must keep even if they are empty."""

_PER_PIXEL: Final = 0.75
"""Points in a pixel: WeasyPrint gives boxes of figures in pixels, from the top."""

_REFERENCE: Final = re.compile(rb"(\d+) 0 R")


def fix_structure_tree(pdf: Any) -> None:
    """Set the scope of table headers; remove empty elements and those of page margins.

    Args:
        pdf: WeasyPrint's file, a `pydyf.PDF`.
    """
    tree = _TagTree(pdf)
    for element in [*tree.below(tree.top)]:
        if element["S"] == "/TH":
            element["A"]["Scope"] = "/Row" if tree.heads_its_row(element) else "/Column"
        elif element["S"] == "/Figure":
            tree.convert_box(element)
    tree.prune(tree.top)
    tree.drop_margins()


class _TagTree:
    """The structure tree of one file."""

    def __init__(self, pdf: Any) -> None:
        self.pdf = pdf
        self.top = self.at(self.at(pdf.catalog["StructTreeRoot"])["K"][0])

    def at(self, reference: Any) -> Any:
        """Return the object that `reference` refers to; an empty one for anything else."""
        match = _REFERENCE.fullmatch(reference) if isinstance(reference, bytes) else None
        return self.pdf.objects[int(match[1])] if match else {}

    def kids(self, element: Any) -> Iterator[Any]:
        """Yield the elements directly below one."""
        for kid in element.get("K", ()):
            found = self.at(kid)
            if "S" in found:
                yield found

    def below(self, element: Any) -> Iterator[Any]:
        """Yield all elements below one, in reading order."""
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

    def convert_box(self, figure: Any) -> None:
        """Convert the box of a figure to points, from the lower edge."""
        left, top, right, bottom = (float(side) * _PER_PIXEL for side in figure["A"]["BBox"])
        height = float(self.at(figure["Pg"])["MediaBox"][3])
        box = figure["A"]["BBox"]
        box[:] = [round(v, 2) for v in (left, height - bottom, right, height - top)]

    def prune(self, element: Any) -> bool:
        """Remove all empty elements below; return whether anything is left."""
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
        """Turn the content of page margins into artifacts: no element refers to it."""
        known = {self.top.number, *(element.number for element in self.below(self.top))}
        every: list[Any] = [one for one in self.pdf.objects if isinstance(one, dict)]
        margins = [e for e in every if e.get("Type") == "/StructElem" and e.number not in known]
        marked: dict[int, set[int]] = {}
        for element in margins:
            page = self.at(element["Pg"])
            numbers = {kid for kid in element["K"] if isinstance(kid, int)}
            marked.setdefault(page.number, set()).update(numbers)
            element.free = "f"
        parents = self.at(self.at(self.pdf.catalog["StructTreeRoot"])["ParentTree"])["Nums"]
        for number, mcids in marked.items():
            page = self.pdf.objects[number]
            _as_artifact(self.at(page["Contents"]).stream, mcids)
            entry = parents[2 * int(page["StructParents"]) + 1]
            entry[:] = ["null" if n in mcids else one for n, one in enumerate(entry)]


def _as_artifact(stream: list[Any], mcids: set[int]) -> None:
    """Turn `/P <</MCID 7>> BDC` into `/Artifact BMC` for those contents."""
    for at, part in enumerate(stream):
        if isinstance(part, dict) and part.get("MCID") in mcids and stream[at + 1] == b"BDC":
            stream[at - 1 : at + 2] = ["/Artifact", b"", b"BMC"]
