"""Compile a plate: a sheet or a card, laid out once, with places where values go.

WeasyPrint lays out the blank as a PDF. The compiler takes this apart into places, which the
press fills, and objects (content streams, fonts, structure elements), which the press copies.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from sheetgen.model.prints import DRAWN_KINDS, PLACE_KINDS, Place, Plate, Tokens
from sheetgen.records import frozen
from sheetgen.render.flow.layout import LayoutError, check_room, lay_out
from sheetgen.render.fonts.fonts import Face, FaceObjects, put_face
from sheetgen.render.pdf.pdf_file import SharedPool, pdf_numbers, text_string
from sheetgen.render.pdf.plate_files import dump_plate, pack_shared
from sheetgen.units import Box

if TYPE_CHECKING:
    import pikepdf


def compile_plate(
    html: str,
    assets: Mapping[str, bytes],
    faces: Mapping[str, Face],
    tokens: Tokens,
    key: str,
    *,
    extra_roles: Collection[str] = (),
    complaints: list[str] | None = None,
    roomy: bool = False,
) -> Plate:
    """Return the plate of `html`, whose places are checkboxes named `p|KIND|ROLE|NAME`.

    Args:
        html: A template, rendered in plate mode.
        assets: See `lay_out`; besides, `asset:FACE` is the font of a face.
        faces: By the names that roles use.
        tokens: Of the theme that the template was rendered with.
        key: Hash of all input, including the engine's version.
        extra_roles: Roles, besides those of the places, that a setting may use.
        complaints: See `lay_out`. It also takes the names of system fonts that the engine used
            for letters that no face has.
        roomy: Whether nothing may be over something else.

    Raises:
        Crowded: Something is.
        LayoutError: There were warnings, and no `complaints` were given.
        PlateError: The template has something that a plate cannot have.
    """
    import pikepdf

    fonts = {name: face.layout for name, face in faces.items()}
    inspect = check_room if roomy else None
    laid = lay_out(html, {**fonts, **assets}, forms=True, complaints=complaints, inspect=inspect)
    with pikepdf.open(io.BytesIO(laid)) as pdf:
        sizes = tuple(_page_size(page) for page in pdf.pages)
        parts = _PlateParts(pdf, [height for _, height in sizes])
        _check_places(parts.places, tokens)
        roles = {p.role for p in parts.places if p.kind != "tick" and p.role}
        names = {tokens.roles[role].face for role in roles | set(extra_roles)}
        pressed = {name: faces[name] for name in sorted(names)}
        body = _Body(pdf, parts, faces, pressed)
        packed = body.packed()
    if complaints is not None:
        complaints.extend(body.strangers)
    elif body.strangers:
        raise LayoutError(body.strangers)
    metrics = {name: face.metrics for name, face in pressed.items()}
    return Plate(key, sizes, tuple(parts.places), metrics, tokens, packed)


def compile_plate_bytes(
    html: str, tokens: Tokens, faces: Mapping[str, Face], key: str, *, roomy: bool = False
) -> bytes:
    """Return the plate of `html`, for all roles, as bytes for a cache; see `compile_plate`.

    Raises:
        NoEngine: The layout engine cannot be loaded.
        Crowded, LayoutError: See `compile_plate`.
    """
    roles = tuple(tokens.roles)
    return dump_plate(compile_plate(html, {}, faces, tokens, key, extra_roles=roles, roomy=roomy))


@dataclass
class _Body:
    """The body of a plate: what the press needs besides the places."""

    pdf: Any
    parts: _PlateParts
    faces: Mapping[str, Face]
    pressed: Mapping[str, Face]  # the faces that values need
    pool: SharedPool = field(default_factory=SharedPool)
    rows: list[list[Any]] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)  # warnings about fonts that are no faces

    def packed(self) -> bytes:
        """Return the body as bytes."""
        # WeasyPrint gives all pages the same resources.
        resources = self.pdf.pages[0].Resources
        streams = [shorten_content(content, resources) for content in self.parts.contents]
        objects = {name: put_face(face, self.pool) for name, face in self.pressed.items()}
        static = self._static_fonts(objects)
        tops = [self._row(kid, -1) for kid in self.parts.root.kids]
        contents = [self._content(*pair) for pair in enumerate(streams)]
        entries, refs = self._resources(streams)
        drawn = {name.decode() for content in streams for name in DRAWN.findall(content)}
        found = sorted(resources.get("/XObject", {}).items())
        header = {
            "contents": contents,
            "xobjects": {name[1:]: self.pool.lift(x) for name, x in found if name[1:] in drawn},
            "boxes": [
                [[float(v) for v in box] for box in (page.mediabox, page.bleedbox, page.trimbox)]
                for page in self.pdf.pages
            ],
            "resources": [entries.decode("ascii"), refs],
            "static": static,
            "faces": {name: asdict(found) for name, found in objects.items()},
            "counts": {name: face.count for name, face in self.pressed.items()},
            "fresh": self.parts.fresh,
            "texts": {index: text.index for index, text in self.parts.texts.items()},
            "rows": self.rows,
            "tops": tops,
            "links": [self._link(page, source) for page, source in self.parts.links],
        }
        return pack_shared(self.pool, header)

    def _static_fonts(self, objects: Mapping[str, FaceObjects]) -> dict[str, int]:
        """Return the index of each font of the laid-out text, by its resource name.

        If values need the face, too, its core font replaces the engine's subset, unless the
        text has letters beyond the core.
        """
        fonts: dict[str, int] = {}
        for name, font in sorted(self.pdf.pages[0].Resources.get("/Font", {}).items()):
            face = self._face_of(font)
            if face is None:
                name_of_font = str(font.BaseFont).partition("+")[2]
                self.strangers.append(f"`{name_of_font}` is no face of the tokens")
            elif face in objects and _last_glyph(font) < self.faces[face].count:
                # The glyph ids are equal, since both are cut from one font; see `Face`.
                self.pool.replace(font, objects[face].core)
            fonts[name[1:]] = self.pool.lift(font)
        return fonts

    def _face_of(self, font: Any) -> str | None:
        from fontTools.ttLib import TTFont

        if font.Subtype != "/Type0" or font.Encoding != "/Identity-H":
            return None
        descriptor = font.DescendantFonts[0].FontDescriptor
        if "/FontFile2" not in descriptor:
            return None
        file = TTFont(io.BytesIO(descriptor.FontFile2.read_bytes()))
        own = file["name"].getDebugName(6) if "name" in file else None
        return next((n for n, face in self.faces.items() if face.name == own), None)

    def _row(self, kid: Any, parent: int) -> int:
        index = len(self.rows)
        row = [kid.tag, parent, kid.extra.decode("latin-1"), []]
        self.rows.append(row)
        for inner in kid.kids:
            if isinstance(inner, Held):
                row[3].append([inner.kind, inner.index, inner.page])
            else:
                row[3].append(["row", self._row(inner, index), 0])
        return index

    def _content(self, page: int, content: bytes) -> int:
        """Return the index of the content stream of `page`.

        Content without an element, such as a page number in the margin, becomes an artifact;
        the engine marks it as text.
        """
        owned = {one.index for one in _find_marked(self.parts.root) if one.page == page}

        def mark(match: re.Match[bytes]) -> bytes:
            return match[0] if int(match[1]) in owned else b"/Artifact BMC"

        return self.pool.put_stream(b"", b"q\n%s\nQ\n" % MARKED.sub(mark, content))

    def _resources(self, contents: list[bytes]) -> tuple[bytes, list[int]]:
        """Return the used entries of the pages' resources other than fonts and XObjects."""
        entries, source = b"", self.pdf.pages[0].Resources
        refs: list[int] = []
        signs = {"/ColorSpace": b"/lab-", "/ExtGState": b" gs", "/Pattern": b"", "/Shading": b""}
        for key, sign in signs.items():
            if len(source.get(key, {})) and any(sign in content for content in contents):
                template, more = self.pool.build_template(source[key])
                entries += key.encode() + template
                refs += more
        return entries, refs

    def _link(self, page: int, source: Any) -> list[Any]:
        x0, y0, x1, y1 = (float(v) for v in source.Rect)
        del source["/StructParent"]
        source["/Rect"] = [min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)]
        source["/F"] = 4
        template, refs = self.pool.build_template(source)
        assert not refs
        return [page, template.decode("ascii")]


def _last_glyph(font: Any) -> int:
    """Return the highest glyph id with a width: the engine lists the widths of used glyphs."""
    rows = list(font.DescendantFonts[0].W)
    pairs = zip(rows[::2], rows[1::2], strict=True)
    return max((int(first) + len(widths) - 1 for first, widths in pairs), default=0)


# The beginning of a marked-content sequence, as WeasyPrint writes it.
MARKED: Final = re.compile(rb"/\w+\s*<<\s*/MCID (\d+)\s*>>\s*BDC")
_NAME: Final = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*")


class PlateError(ValueError):
    """A template has something that a plate cannot have."""


def _page_size(page: pikepdf.Page) -> tuple[float, float]:
    """Return width and height of the trimmed page, in points."""
    left, bottom, right, top = (float(v) for v in page.trimbox)
    return round(right - left, 3), round(top - bottom, 3)


def _read_place(widget: Any, page: int, height: float) -> Place:
    """Return the place of a widget, on a page of `height`."""
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
    names: set[str] = set()
    groups: set[str] = set()
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


class _PlateParts:
    """The places, links and marked content of all pages, in reading order.

    Attributes:
        links: Page and annotation of each.
        fresh: The first unused marked-content number, by page.
        texts: The marked content of each mark that is a text, and of each picture, by place.
    """

    def __init__(self, pdf: Any, heights: list[float]) -> None:
        numbers = {page.obj.objgen: index for index, page in enumerate(pdf.pages)}
        links: dict[tuple[int, int], Held] = {}
        found: dict[tuple[int, int], Place] = {}
        self.links: list[tuple[int, Any]] = []
        for index, page in enumerate(pdf.pages):
            for annotation in page.get("/Annots", ()):
                at = annotation.objgen
                if annotation.Subtype == "/Widget":
                    found[at] = _read_place(annotation, index, heights[index])
                elif annotation.get("/A", {}).get("/S") == "/URI":
                    links[at] = Held("link", len(self.links), index)
                    self.links.append((index, annotation))
        tree = _TagReader(numbers, heights, found, links)
        root = Node("Document", [tree.read(element) for element in pdf.Root.StructTreeRoot.K[0].K])
        if lost := [place.name for at, place in found.items() if at not in tree.order]:
            raise PlateError(f"`{lost[0]}` is in a page margin; move it into the page")
        self.places = [found[at] for at in tree.order]
        self.contents = []
        for page in pdf.pages:
            page.contents_coalesce()
            self.contents.append(bytes(page.Contents.read_bytes()))
        on_pages = [{*map(int, MARKED.findall(content))} for content in self.contents]
        if any(one.index not in on_pages[one.page] for one in _find_marked(root)):
            raise PlateError("text in a see-through group has no tag; give it a paler colour")
        self.fresh = [1 + max(mcids, default=-1) for mcids in on_pages]
        self.texts: dict[int, Held] = {}
        marks: dict[int, Held | None] = {}
        figures: dict[int, bytes] = {}
        for index, place in enumerate(self.places):
            if place.kind == "picture" or (place.kind == "mark" and place.role):
                self.texts[index] = Held("mcid", self.fresh[place.page], place.page)
                self.fresh[place.page] += 1
            if place.kind in DRAWN_KINDS:
                marks[index] = self.texts.get(index)
            if place.kind == "picture":
                box, foot = place.box, heights[place.page] - place.box.y - place.box.height
                corners = pdf_numbers(box.x, foot, box.x + box.width, foot + box.height)
                figures[index] = b"/A<</O/Layout/BBox[%s]>>" % corners
        _mark_tags(root, marks, figures)
        self.root = Node(root.tag, list(_grouped(_kids(root))), root.extra)


def _find_marked(node: Node) -> Iterator[Held]:
    """Yield the marked content of an element and of those below it."""
    for kid in node.kids:
        if isinstance(kid, Node):
            yield from _find_marked(kid)
        elif kid.kind == "mcid":
            yield kid


_STRICT: Final = frozenset({"Table", "THead", "TBody", "TFoot", "TR", "L", "LI"})
Kid: TypeAlias = "Node | Held"
GROUPING: Final = frozenset({"Document", "Part", "Art", "Sect", "Div", "BlockQuote"})
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


@dataclass
class _TagReader:
    """Reads structure elements as WeasyPrint wrote them; numbers places as they are read."""

    pages: Mapping[tuple[int, int], int]  # indexes of the pages, by object
    heights: list[float]  # of the pages, in points
    places: Mapping[tuple[int, int], Place]  # by object
    links: Mapping[tuple[int, int], Held]
    order: list[tuple[int, int]] = field(default_factory=list)  # objects of the places

    def read(self, element: Any) -> Node:
        """Return an element with all below it."""
        page = self.pages[element.Pg.objgen] if "/Pg" in element else 0
        node = Node(str(element.S)[1:], extra=_extra(element, self.heights[page]))
        for kid in element.get("/K", ()):
            if isinstance(kid, int):
                node.kids.append(Held("mcid", kid, page))
            elif kid.get("/Type") != "/OBJR":
                node.kids.append(self.read(kid))
            elif (place := self.places.get(kid.Obj.objgen)) is not None:
                node.kids.append(Held("place", len(self.order), place.page))
                self.order.append(kid.Obj.objgen)
            elif kid.Obj.objgen in self.links:
                node.kids.append(self.links[kid.Obj.objgen])
        return node


def _extra(element: Any, height: float) -> bytes:
    """Return the attributes of a figure or of a cell of a table, serialized."""
    tag = str(element.S)
    if tag == "/Figure":
        # WeasyPrint gives pixels from the top; PDF needs points from the lower edge.
        left, top, right, bottom = (float(v) * 0.75 for v in element.A.BBox)
        box = pdf_numbers(left, height - bottom, right, height - top)
        alt = text_string(str(element.get("/Alt", "")))
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
        found += _simpler(kid, node.tag) if isinstance(kid, Node) else [kid]
    return found


def _simpler(node: Node, parent: str) -> list[Kid]:
    kids = _kids(node)
    if node.tag == "NonStruct" or (node.tag == "Span" and not node.kept):
        return kids
    if node.tag == "Link" and not any(isinstance(k, Held) and k.kind != "mcid" for k in kids):
        return kids  # A link within the sheet; its annotation is dropped.
    if not kids and node.tag not in _EMPTY_TOO:
        return []
    if node.tag == "Div" and parent in _STRICT:
        return kids  # A list or a table may only contain its own parts.
    # WeasyPrint writes a Div for each block. One that holds only text is a paragraph, and one
    # around a single element says nothing that this element does not say.
    inline = all(not isinstance(k, Node) or k.tag in ("Span", "Link", "Form") for k in kids)
    if node.tag == "Div" and inline:
        forms = all(isinstance(kid, Node) and kid.tag == "Form" for kid in kids)
        return kids if forms or parent not in GROUPING else [Node("P", kids)]
    if node.tag == "Div" and len(kids) == 1:
        return kids
    if node.tag in GROUPING:
        kids = list(_grouped(kids))
    return [Node(node.tag, kids, node.extra, node.kept)]


def _grouped(kids: list[Kid]) -> Iterator[Kid]:
    """Yield `kids` of a grouping element, with loose text in paragraphs."""

    def is_loose(kid: Kid) -> bool:
        return not isinstance(kid, Node) or kid.tag in ("Link", "Span")

    for loose, some in groupby(kids, key=is_loose):
        group = list(some)
        yield from [Node("P", group)] if loose else group


def _mark_tags(root: Node, marks: Mapping[int, Held | None], figures: Mapping[int, bytes]) -> None:
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


DRAWN: Final = re.compile(rb"/([!-.0-~]+)\s+Do\b")
_STATE: Final = re.compile(rb"/([aA]1(?:\.0)?)\s+gs\s")
_NO_KERN: Final = re.compile(rb">0(?=[<\]])")
_KERNED: Final = re.compile(rb"(-?\d+(?:\.\d+)?)<>(-?\d+(?:\.\d+)?)")


def shorten_content(content: bytes, resources: Any) -> bytes:
    """Return a shorter content stream that draws the same.

    WeasyPrint makes a transparency group of each picture in a style sheet: half a kilobyte for
    a line, and slow to render. An opaque group is drawn in place instead.
    """
    states = resources.get("/ExtGState", {})
    opaque = all(_opaque(state) for state in states.values())
    groups = {
        name[1:].encode(): group
        for name, group in resources.get("/XObject", {}).items()
        if _is_plain(group, None if opaque else states)
    }

    def in_place(match: re.Match[bytes]) -> bytes:
        if match[1] not in groups:
            return match[0]
        return b"q\n%s\nQ" % bytes(groups[match[1]].read_bytes())

    content = DRAWN.sub(in_place, content)
    if opaque:
        content = _STATE.sub(b"", content)
    # The engine writes kerning and letter spacing apart: one adjustment instead of two.
    content = _KERNED.sub(lambda m: b"%g" % round(float(m[1]) + float(m[2]), 2), content)
    return _NO_KERN.sub(b">", content).replace(b"><", b"")


def _opaque(state: Any) -> bool:
    return all(key in ("/ca", "/CA") and float(value) == 1 for key, value in state.items())


def _is_plain(group: Any, states: Any) -> bool:
    """Return whether `group` uses only opaque graphics states, and those that the page has.

    `states`: of the page; None if states are dropped.
    """
    if group.get("/Subtype") != "/Form" or "/Matrix" in group:
        return False
    inner = group.get("/Resources", {})
    if any(len(inner.get(key, {})) for key in ("/XObject", "/Pattern", "/Shading")):
        return False
    used = inner.get("/ExtGState", {})
    if not all(_opaque(state) for state in used.values()):
        return False
    content = bytes(group.read_bytes())
    drawn = b"/lab-" not in content and b" Tf" not in content
    return drawn and (states is None or all(name in states for name in used))
