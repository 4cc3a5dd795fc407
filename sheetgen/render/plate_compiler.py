"""Compile a plate: a sheet or a card, laid out once, with places where values go.

WeasyPrint lays out the blank as a PDF. The compiler takes this apart into places, which the
press fills, and objects (content streams, fonts, structure elements), which the press copies.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any, Final, Literal, TypeAlias

import pikepdf
from fontTools.ttLib import TTFont

from sheetgen.model.prints import DRAWN_KINDS, PLACE_KINDS, Place, Plate, Tokens
from sheetgen.records import frozen
from sheetgen.render.flow.layout import LayoutError, check_room, lay_out
from sheetgen.render.fonts.fonts import Face, FaceObjects, put_face
from sheetgen.render.pdf import pdf_file
from sheetgen.units import Box


def compile_plate(
    html: str, faces: Mapping[str, Face], tokens: Tokens, key: str, *, roomy: bool = False
) -> Plate:
    """Return the plate of `html`, whose places are checkboxes named `p|KIND|ROLE|NAME`.

    Args:
        html: A template, rendered in plate mode; `asset:FACE` is the font of a face.
        faces: By the names that roles use.
        tokens: Of the theme that the template was rendered with.
        key: Hash of all input, including the engine's version.
        roomy: Whether nothing may be over something else.

    Raises:
        Crowded: Something is.
        LayoutError: There were warnings, also of fonts that are no faces.
        PlateError: The template has something that a plate cannot have.
    """
    fonts = {name: face.layout for name, face in faces.items()}
    laid = lay_out(html, fonts, forms=True, inspect=check_room if roomy else None)
    with pikepdf.open(io.BytesIO(laid)) as pdf:
        blank = _Blank(pdf)
        _check_places(blank.places, tokens)
        names = sorted({role.face for role in tokens.roles.values()})
        pressed = {name: faces[name] for name in names}
        packed = blank.pack(faces, pressed)
    metrics = {name: face.metrics for name, face in pressed.items()}
    return Plate(key, tuple(blank.sizes), tuple(blank.places), metrics, tokens, packed)


def compile_plate_bytes(
    html: str, tokens: Tokens, faces: Mapping[str, Face], key: str, *, roomy: bool = False
) -> bytes:
    """Return the plate of `html` as bytes for a cache; see `compile_plate`."""
    return pdf_file.dump_plate(compile_plate(html, faces, tokens, key, roomy=roomy))


class _Blank:
    """A laid-out blank, taken apart: places, links and marked content, in reading order."""

    def __init__(self, pdf: Any) -> None:
        self._pdf, self._pool = pdf, pdf_file.SharedPool()
        self.sizes: list[tuple[float, float]] = []  # of each trimmed page, in points
        self._links: list[tuple[int, Any]] = []  # page and annotation of each
        links: dict[tuple[int, int], Held] = {}
        found: dict[tuple[int, int], Place] = {}
        for index, page in enumerate(pdf.pages):
            left, bottom, right, top = (float(v) for v in page.trimbox)
            self.sizes.append((round(right - left, 3), round(top - bottom, 3)))
            for annotation in page.get("/Annots", ()):
                at = annotation.objgen
                if annotation.Subtype == "/Widget":
                    found[at] = _read_place(annotation, index, self.sizes[index][1])
                elif annotation.get("/A", {}).get("/S") == "/URI":
                    links[at] = Held("link", len(self._links), index)
                    self._links.append((index, annotation))
        numbers = {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
        order: list[tuple[int, int]] = []  # objects of the places, numbered as they are read

        def read(element: Any) -> Node:
            """Return a structure element, as WeasyPrint wrote it, with all below it."""
            page = numbers[element.Pg.objgen] if "/Pg" in element else 0
            node = Node(str(element.S)[1:], extra=_extra(element, self.sizes[page][1]))
            for kid in element.get("/K", ()):
                if isinstance(kid, int):
                    node.kids.append(Held("mcid", kid, page))
                elif kid.get("/Type") != "/OBJR":
                    node.kids.append(read(kid))
                elif (place := found.get(kid.Obj.objgen)) is not None:
                    node.kids.append(Held("place", len(order), place.page))
                    order.append(kid.Obj.objgen)
                elif kid.Obj.objgen in links:
                    node.kids.append(links[kid.Obj.objgen])
            return node

        root = Node("Document", [read(element) for element in pdf.Root.StructTreeRoot.K[0].K])
        if lost := [place.name for at, place in found.items() if at not in order]:
            raise PlateError(f"`{lost[0]}` is in a page margin; move it into the page")
        self.places = [found[at] for at in order]
        self._contents = []
        for page in pdf.pages:
            page.contents_coalesce()
            self._contents.append(bytes(page.Contents.read_bytes()))
        on_pages = [{*map(int, _MARKED.findall(content))} for content in self._contents]
        if any(one.index not in on_pages[one.page] for one in _find_marked(root)):
            raise PlateError("text in a see-through group has no tag; give it a paler colour")
        # The first unused marked-content number, by page.
        self._fresh = [1 + max(mcids, default=-1) for mcids in on_pages]
        # The marked content of each mark that is a text, and of each picture, by place.
        self._texts: dict[int, Held] = {}
        marks: dict[int, Held | None] = {}
        figures: dict[int, bytes] = {}
        for index, place in enumerate(self.places):
            if place.kind == "picture" or (place.kind == "mark" and place.role):
                self._texts[index] = Held("mcid", self._fresh[place.page], place.page)
                self._fresh[place.page] += 1
            if place.kind in DRAWN_KINDS:
                marks[index] = self._texts.get(index)
            if place.kind == "picture":
                box = place.box
                foot = self.sizes[place.page][1] - box.y - box.height
                corners = pdf_file.pdf_numbers(box.x, foot, box.x + box.width, foot + box.height)
                figures[index] = b"/A<</O/Layout/BBox[%s]>>" % corners
        _mark_tags(root, marks, figures)
        self._root = Node(root.tag, list(_grouped(_kids(root))), root.extra)

    def pack(self, faces: Mapping[str, Face], pressed: Mapping[str, Face]) -> bytes:
        """Return what the press needs besides the places; `pressed`: the faces of values."""
        pool, pages = self._pool, self._pdf.pages
        resources = pages[0].Resources  # WeasyPrint gives all pages the same
        streams = [_shorten_content(content, resources) for content in self._contents]
        objects = {name: put_face(face, pool) for name, face in pressed.items()}
        static = self._static_fonts(faces, objects)
        rows: list[list[Any]] = []

        def add_row(node: Node, parent: int) -> int:
            index = len(rows)
            row: list[Any] = [node.tag, parent, node.extra.decode("latin-1"), []]
            rows.append(row)
            for kid in node.kids:
                if isinstance(kid, Held):
                    row[3].append([kid.kind, kid.index, kid.page])
                else:
                    row[3].append(["row", add_row(kid, index), 0])
            return index

        tops = [add_row(kid, -1) for kid in self._root.kids if isinstance(kid, Node)]
        contents = []
        for page, content in enumerate(streams):
            owned = {one.index for one in _find_marked(self._root) if one.page == page}
            # Content without an element, such as a page number in the margin, becomes an artifact;
            # the engine marks it as text.
            marked = _MARKED.sub(
                lambda match, own=owned: match[0] if int(match[1]) in own else b"/Artifact BMC",  # type: ignore[misc]
                content,
            )
            contents.append(pool.put_stream(b"", b"q\n%s\nQ\n" % marked))
        # The used entries of the pages' resources other than fonts and XObjects.
        entries: list[Any] = ["", []]
        signs = {"/ColorSpace": b"/lab-", "/ExtGState": b" gs", "/Pattern": b"", "/Shading": b""}
        for key, sign in signs.items():
            if len(resources.get(key, {})) and any(sign in content for content in streams):
                template, refs = pool.build_template(resources[key])
                entries[0] += key + template.decode("ascii")
                entries[1] += refs
        drawn = {name.decode() for content in streams for name in _DRAWN.findall(content)}
        found = sorted(resources.get("/XObject", {}).items())
        header: dict[str, Any] = {
            "contents": contents,
            "xobjects": {name[1:]: pool.lift(x) for name, x in found if name[1:] in drawn},
            "boxes": [
                [[float(v) for v in box] for box in (page.mediabox, page.bleedbox, page.trimbox)]
                for page in pages
            ],
            "resources": entries,
            "static": static,
            "faces": {name: asdict(found) for name, found in objects.items()},
            "counts": {name: face.count for name, face in pressed.items()},
            "fresh": self._fresh,
            "texts": {index: text.index for index, text in self._texts.items()},
            "rows": rows,
            "tops": tops,
            "links": [],
        }
        for page, source in self._links:
            x0, y0, x1, y1 = (float(v) for v in source.Rect)
            del source["/StructParent"]
            source["/Rect"] = [min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)]
            source["/F"] = 4
            template, refs = pool.build_template(source)
            assert not refs
            header["links"].append([page, template.decode("ascii")])
        return pdf_file.pack_shared(pool, header)

    def _static_fonts(
        self, faces: Mapping[str, Face], objects: Mapping[str, FaceObjects]
    ) -> dict[str, int]:
        """Return the index of each font of the laid-out text, by its resource name.

        If values need the face, too, its core font replaces the engine's subset, unless the
        text has letters beyond the core.
        """
        fonts: dict[str, int] = {}
        strangers = []
        for name, font in sorted(self._pdf.pages[0].Resources.get("/Font", {}).items()):
            face = None
            if font.Subtype == "/Type0" and font.Encoding == "/Identity-H":
                descriptor = font.DescendantFonts[0].FontDescriptor
                if "/FontFile2" in descriptor:
                    file = TTFont(io.BytesIO(descriptor.FontFile2.read_bytes()))
                    own = file["name"].getDebugName(6) if "name" in file else None
                    face = next((n for n, one in faces.items() if one.name == own), None)
            if face is None:
                name_of_font = str(font.BaseFont).partition("+")[2]
                strangers.append(f"`{name_of_font}` is no face of the tokens")
            elif face in objects:
                rows = list(font.DescendantFonts[0].W)  # the engine lists the widths of used glyphs
                pairs = zip(rows[::2], rows[1::2], strict=True)
                last = max((int(first) + len(widths) - 1 for first, widths in pairs), default=0)
                if last < faces[face].count:
                    # The glyph ids are equal, since both are cut from one font; see `Face`.
                    self._pool.replace(font, objects[face].core)
            fonts[name[1:]] = self._pool.lift(font)
        if strangers:
            raise LayoutError(strangers)
        return fonts


# The beginning of a marked-content sequence, as WeasyPrint writes it.
_MARKED: Final = re.compile(rb"/\w+\s*<<\s*/MCID (\d+)\s*>>\s*BDC")
_NAME: Final = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*")


class PlateError(ValueError):
    """A template has something that a plate cannot have."""


def _read_place(widget: Any, page: int, height: float) -> Place:
    parts = str(widget.T).split("|")
    kind = next((one for one in PLACE_KINDS if parts[1:2] == [one]), None)
    if len(parts) != 4 or parts[0] != "p" or kind is None:
        raise PlateError(f"`{widget.T}` is no place; write p|KIND|ROLE|NAME")
    _, _, role, name = parts
    if not _NAME.fullmatch(name):
        raise PlateError(f"`{name}` is no name of a place; use a-z, 0-9, _ and dots")
    # WeasyPrint flips the page, so the corners of rectangles are swapped.
    x0, y0, x1, y1 = (float(v) for v in widget.Rect)
    left, right, bottom, top = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    box = Box(*(round(v, 3) for v in (left, height - top, right - left, top - bottom)))
    return Place(name, kind, role, str(widget.get("/TU", "")) or name, page, box)


def _check_places(places: Iterable[Place], tokens: Tokens) -> None:
    """Check that all places can be filled and read back."""
    names, groups = set[str](), set[str]()
    for place in places:
        if place.name in names:
            raise PlateError(f"two places are named `{place.name}`")
        names.add(place.name)
        parts = place.name.split(".")
        groups |= {".".join(parts[:end]) for end in range(1, len(parts))}
        tick = place.kind == "tick"
        unset = place.kind in DRAWN_KINDS and not place.role
        if not unset and place.role not in (tokens.ticks if tick else tokens.roles):
            what = "tick style" if tick else "role"
            raise PlateError(f"`{place.name}` has the {what} `{place.role}`: no such token")
        if place.box.width <= 0 or place.box.height <= 0:
            raise PlateError(f"the box of `{place.name}` is flat")
    if both := names & groups:
        raise PlateError(f"`{min(both)}` is a place and also a group of places")


def _find_marked(node: Node) -> Iterator[Held]:
    for kid in node.kids:
        if isinstance(kid, Node):
            yield from _find_marked(kid)
        elif kid.kind == "mcid":
            yield kid


_STRICT: Final = frozenset({"Table", "THead", "TBody", "TFoot", "TR", "L", "LI"})
Kid: TypeAlias = "Node | Held"
_GROUPING: Final = frozenset({"Document", "Part", "Art", "Sect", "Div", "BlockQuote"})
_LOOSE: Final = ("Link", "Span")  # in a grouping element, of paragraphs
# Elements that a table or a list must keep even if they are empty.
_EMPTY_TOO: Final = frozenset({"Table", "TR", "TH", "TD", "L", "LI", "Lbl", "LBody"})


@frozen
class Held:
    """What an element has besides others: marked content, by its number, a place or a link."""

    kind: Literal["mcid", "place", "link"]
    index: int
    page: int


@dataclass
class Node:
    """One structure element."""

    tag: str
    kids: list[Kid] = field(default_factory=list)
    extra: bytes = b""  # further entries of its dictionary, serialized
    kept: bool = False  # whether it stays although its type has no meaning


def _extra(element: Any, height: float) -> bytes:
    """Return the attributes of a figure or of a cell of a table, serialized."""
    tag = str(element.S)
    if tag == "/Figure":
        # WeasyPrint gives pixels from the top; PDF needs points from the lower edge.
        left, top, right, bottom = (float(v) * 0.75 for v in element.A.BBox)
        box = pdf_file.pdf_numbers(left, height - bottom, right, height - top)
        alt = pdf_file.text_string(str(element.get("/Alt", "")))
        return b"/A<</O/Layout/BBox[%s]>>/Alt%s" % (box, alt)
    if tag not in ("/TH", "/TD"):
        return b""
    spans = [key for key in ("/ColSpan", "/RowSpan") if key in element.A]
    entries = b"".join(b"%s %d" % (key.encode(), int(element.A[key])) for key in spans)
    if tag == "/TH":
        # WeasyPrint writes references from cells to their headers. A scope means the same, and
        # all sheets of a plate can share it.
        heads_its_row = any(
            bytes(element.ID) in [bytes(name) for name in cell.A.get("/Headers", ())]
            for cell in element.P.K
            if "/S" in cell and cell.S == "/TD" and "/A" in cell
        )
        entries += b"/Scope/Row" if heads_its_row else b"/Scope/Column"
    return b"/A<</O/Table%s>>" % entries if entries else b""


def _kids(node: Node) -> list[Kid]:
    """Return the kids of a node without elements that have no meaning: their kids move up."""
    found: list[Kid] = []
    for kid in node.kids:
        if not isinstance(kid, Node):
            found.append(kid)
            continue
        kids, tag = _kids(kid), kid.tag
        # WeasyPrint writes a Div for each block. One that holds only text is a paragraph, and one
        # around a single element says nothing that this element does not say.
        inline = all(not isinstance(k, Node) or k.tag in ("Span", "Link", "Form") for k in kids)
        if tag == "NonStruct" or (tag == "Span" and not kid.kept):
            found += kids
        elif tag == "Link" and not any(isinstance(k, Held) and k.kind != "mcid" for k in kids):
            found += kids  # a link within the sheet; its annotation is dropped
        elif not kids and tag not in _EMPTY_TOO:
            continue
        elif tag == "Div" and node.tag in _STRICT:
            found += kids  # a list or a table may only contain its own parts
        elif tag == "Div" and inline:
            forms = all(isinstance(one, Node) and one.tag == "Form" for one in kids)
            found += kids if forms or node.tag not in _GROUPING else [Node("P", kids)]
        elif tag == "Div" and len(kids) == 1:
            found += kids
        else:
            kids = list(_grouped(kids)) if tag in _GROUPING else kids
            found.append(Node(tag, kids, kid.extra, kid.kept))
    return found


def _grouped(kids: list[Kid]) -> Iterator[Kid]:
    """Yield `kids` of a grouping element, with loose text in paragraphs."""
    for loose, some in groupby(kids, lambda k: not isinstance(k, Node) or k.tag in _LOOSE):
        group = list(some)
        yield from [Node("P", group)] if loose else group


def _mark_tags(root: Node, marks: Mapping[int, Held | None], figures: Mapping[int, bytes]) -> None:
    """Turn the elements of marks into text elements and figures; remove those of shapes.

    `marks` has the marked content of a place's text, or None for a shape, which is an artifact;
    `figures` has the entries of those that are pictures, without alternate text.
    """
    for kid in list(root.kids):
        if not isinstance(kid, Node):
            continue
        first = kid.kids[0] if kid.kids else None
        place = first.index if isinstance(first, Held) and first.kind == "place" else -1
        if kid.tag == "Form" and place in marks:
            content = marks[place]
            if content is None:
                root.kids.remove(kid)
            else:
                kid.tag, kid.kids, kid.kept = "Span", [content], True
                if place in figures:
                    kid.tag, kid.extra = "Figure", figures[place]
        else:
            _mark_tags(kid, marks, figures)


_DRAWN: Final = re.compile(rb"/([!-.0-~]+)\s+Do\b")
_STATE: Final = re.compile(rb"/([aA]1(?:\.0)?)\s+gs\s")
_NO_KERN: Final = re.compile(rb">0(?=[<\]])")
_KERNED: Final = re.compile(rb"(-?\d+(?:\.\d+)?)<>(-?\d+(?:\.\d+)?)")


def _shorten_content(content: bytes, resources: Any) -> bytes:
    """Return a shorter content stream that draws the same.

    WeasyPrint makes a transparency group of each picture in a style sheet: half a kilobyte for
    a line, and slow to render. An opaque group is drawn in place instead.
    """

    def is_opaque(states: Any) -> bool:
        entries = (entry for state in states.values() for entry in state.items())
        return all(key in ("/ca", "/CA") and float(value) == 1 for key, value in entries)

    states = resources.get("/ExtGState", {})
    opaque, groups = is_opaque(states), dict[bytes, bytes]()
    for name, group in resources.get("/XObject", {}).items():
        if group.get("/Subtype") != "/Form" or "/Matrix" in group:
            continue
        inner, drawn = group.get("/Resources", {}), bytes(group.read_bytes())
        used = inner.get("/ExtGState", {})
        special = any(len(inner.get(key, {})) for key in ("/XObject", "/Pattern", "/Shading"))
        special = special or b"/lab-" in drawn or b" Tf" in drawn or not is_opaque(used)
        if not special and (opaque or all(state in states for state in used)):
            groups[name[1:].encode()] = b"q\n%s\nQ" % drawn
    content = _DRAWN.sub(lambda match: groups.get(match[1], match[0]), content)
    if opaque:
        content = _STATE.sub(b"", content)
    # The engine writes kerning and letter spacing apart: one adjustment instead of two.
    content = _KERNED.sub(lambda m: b"%g" % round(float(m[1]) + float(m[2]), 2), content)
    return _NO_KERN.sub(b">", content).replace(b"><", b"")
