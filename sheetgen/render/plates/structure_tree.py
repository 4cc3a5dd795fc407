"""Build the structure tree of a plate from WeasyPrint's, without meaningless elements.

ISO 32000-1, 14.7 and 14.8: what a screen reader reads, in order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from sheetgen.render.pdf.syntax import pdf_number, pdf_numbers, text_string
from sheetgen.units import Box

_STRICT: Final = frozenset({"Table", "THead", "TBody", "TFoot", "TR", "L", "LI"})

Kid: TypeAlias = "Node | Content | Held"

GROUPING: Final = frozenset({"Document", "Part", "Art", "Sect", "Div", "BlockQuote"})
_EMPTY_TOO: Final = frozenset({"Table", "TR", "TH", "TD", "L", "LI", "Lbl", "LBody"})
"""Elements that a table or a list must keep even if they are empty."""


@dataclass(frozen=True)
class Content:
    """A marked-content sequence, by its number on its page."""

    page: int
    mcid: int


@dataclass(frozen=True)
class Held:
    """A place or a link in an element: `kind` is `place` or `link`."""

    kind: str
    index: int
    page: int


@dataclass
class Node:
    """One structure element.

    Attributes:
        extra: Further entries of its dictionary, serialized.
        kept: Whether it stays although its type has no meaning.
    """

    tag: str
    kids: list[Kid] = field(default_factory=list)
    extra: bytes = b""
    kept: bool = False


Places: TypeAlias = Mapping[tuple[int, int], Held]


def read_tags(
    root: Any, pages: Mapping[tuple[int, int], int], held: Places, heights: list[float]
) -> Node:
    """Return the elements below `root`, the Document element, as WeasyPrint wrote them.

    Args:
        pages: Indexes of the pages, by object.
        held: The widgets and links, by object.
        heights: Of the pages, in points.
    """
    node = Node("Document")
    for element in root.K:
        node.kids.append(_read(element, pages, held, heights))
    return node


def _read(
    element: Any, pages: Mapping[tuple[int, int], int], held: Places, heights: list[float]
) -> Node:
    page = pages[element.Pg.objgen] if "/Pg" in element else 0
    node = Node(str(element.S)[1:], extra=_extra(element, heights[page]))
    for kid in element.get("/K", ()):
        if isinstance(kid, int):
            node.kids.append(Content(page, kid))
        elif kid.get("/Type") == "/OBJR":
            if kid.Obj.objgen in held:
                node.kids.append(held[kid.Obj.objgen])
        else:
            node.kids.append(_read(kid, pages, held, heights))
    return node


def _extra(element: Any, height: float) -> bytes:
    tag = str(element.S)
    if tag == "/Figure":
        return _figure(element, height)
    if tag not in ("/TH", "/TD"):
        return b""
    entries = b"".join(
        b"%s %d" % (key.encode(), int(element.A[key]))
        for key in ("/ColSpan", "/RowSpan")
        if key in element.A
    )
    if tag == "/TH":
        entries += b"/Scope/Row" if _heads_its_row(element) else b"/Scope/Column"
    return b"/A<</O/Table%s>>" % entries if entries else b""


def _heads_its_row(header: Any) -> bool:
    """Return whether a cell of the same row refers to this one as its header.

    A scope means the same as references, and all sheets of a plate can share it.
    """
    return any(
        bytes(header.ID) in [bytes(name) for name in cell.A.get("/Headers", ())]
        for cell in header.P.K
        if "/S" in cell and cell.S == "/TD" and "/A" in cell
    )


def _figure(element: Any, height: float) -> bytes:
    # WeasyPrint gives pixels from the top; PDF needs points from the lower edge.
    left, top, right, bottom = (float(v) * 0.75 for v in element.A.BBox)
    box = b" ".join(map(pdf_number, (left, height - bottom, right, height - top)))
    alt = text_string(str(element.get("/Alt", "")))
    return b"/A<</O/Layout/BBox[%s]>>/Alt%s" % (box, alt)


def pruned(root: Node) -> Node:
    """Return the tree without elements that have no meaning; their kids move up."""
    return Node(root.tag, list(_grouped(_kids(root))), root.extra)


def _kids(node: Node) -> list[Kid]:
    found: list[Kid] = []
    for kid in node.kids:
        found += _simpler(kid, node.tag) if isinstance(kid, Node) else [kid]
    return found


def _simpler(node: Node, parent: str) -> list[Kid]:
    kids = _kids(node)
    if node.tag == "NonStruct" or (node.tag == "Span" and not node.kept):
        return kids
    if node.tag == "Link" and not any(isinstance(kid, Held) for kid in kids):
        return kids  # A link within the sheet; its annotation is dropped.
    if not kids and node.tag not in _EMPTY_TOO:
        return []
    if node.tag == "Div" and parent in _STRICT:
        return kids  # A list or a table may only contain its own parts.
    if node.tag == "Div" and all(map(_inline, kids)):
        forms = all(isinstance(kid, Node) and kid.tag == "Form" for kid in kids)
        return kids if forms or parent not in GROUPING else [Node("P", kids)]
    if node.tag == "Div" and len(kids) == 1:
        return kids
    if node.tag in GROUPING:
        kids = list(_grouped(kids))
    return [Node(node.tag, kids, node.extra, node.kept)]


def _inline(kid: Kid) -> bool:
    return not isinstance(kid, Node) or kid.tag in ("Span", "Link", "Form")


def _grouped(kids: list[Kid]) -> Iterator[Kid]:
    """Yield `kids` of a grouping element, with loose text in paragraphs."""
    loose: list[Kid] = []
    for kid in kids:
        if not isinstance(kid, Node) or kid.tag in ("Link", "Span"):
            loose.append(kid)
            continue
        if loose:
            yield Node("P", loose)
            loose = []
        yield kid
    if loose:
        yield Node("P", loose)


def figure_box(box: Box, height: float) -> bytes:
    """Return the attributes of a figure in a box of a page: its bounding box."""
    foot = height - box.y - box.height
    corners = pdf_numbers(box.x, foot, box.x + box.width, foot + box.height)
    return b"/A<</O/Layout/BBox[%s]>>" % corners


def mark_tags(
    root: Node, marks: Mapping[int, Content | None], figures: Mapping[int, bytes]
) -> None:
    """Turn the elements of marks into text elements and figures; remove those of shapes.

    Args:
        root: Changed in place.
        marks: By place, for marks only: the marked content of its text, or None for a shape,
            which is an artifact.
        figures: The entries of those that are pictures; their alternate text is missing.
    """
    for kid in list(root.kids):
        if not isinstance(kid, Node):
            continue
        first = kid.kids[0] if kid.kids else None
        if kid.tag == "Form" and isinstance(first, Held) and first.index in marks:
            content = marks[first.index]
            if content is None:
                root.kids.remove(kid)
            else:
                kid.tag, kid.kids, kid.kept = "Span", [content], True
                if first.index in figures:
                    kid.tag, kid.extra = "Figure", figures[first.index]
        else:
            mark_tags(kid, marks, figures)
