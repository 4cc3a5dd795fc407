"""Compile a plate: a sheet or a card, laid out once, with places where values go.

WeasyPrint lays out the blank as a PDF. The compiler takes this apart into places, which the
press fills, and objects (content streams, fonts, structure elements), which the press copies.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from sheetgen.model.prints import Place, Plate, Tokens
from sheetgen.render.flow.crowding import check_room
from sheetgen.render.flow.layout import LayoutError, lay_out
from sheetgen.render.fonts.fonts import Face, FaceObjects, put_face
from sheetgen.render.pdf.pdf_file import SharedPool, pdf_number, pdf_numbers, text_string
from sheetgen.render.pdf.plate_files import dump_plate, pack_parts
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
        sizes = tuple(page_size(page) for page in pdf.pages)
        parts = PlateParts(pdf, [height for _, height in sizes])
        check_places(parts.places, tokens)
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
    """Return the compiled plate of `html` as bytes for a cache.

    Raises:
        NoEngine: The layout engine cannot be loaded.
        LayoutError: It warned.
        Crowded: See `roomy` of `compile_plate`.
    """
    plate = compile_plate(
        html, {}, faces, tokens, key, extra_roles=tuple(tokens.roles), roomy=roomy
    )
    return dump_plate(plate)


@dataclass
class _Body:
    """The body of a plate: what the press needs besides the places."""

    pdf: Any
    parts: PlateParts
    faces: Mapping[str, Face]
    pressed: Mapping[str, Face]  # the faces that values need
    pool: SharedPool = field(default_factory=SharedPool)
    rows: list[list[Any]] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)  # warnings about fonts that are no faces
    contents: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        resources = self.pdf.pages[0].Resources
        self.contents = [shorten_content(c, resources) for c in self.parts.contents]

    def packed(self) -> bytes:
        """Return the body as bytes."""
        objects = {name: put_face(face, self.pool) for name, face in self.pressed.items()}
        static = self._static_fonts(objects)
        tops = [self._row(kid, -1) for kid in self.parts.root.kids]
        contents = [self._content(index) for index in range(len(self.pdf.pages))]
        resources, refs = self._resources()
        header = {
            "contents": contents,
            "xobjects": self._xobjects(),
            "boxes": [_boxes(page) for page in self.pdf.pages],
            "resources": [resources.decode("ascii"), refs],
            "static": static,
            "faces": {name: asdict(found) for name, found in objects.items()},
            "counts": {name: face.count for name, face in self.pressed.items()},
            "fresh": self.parts.fresh,
            "texts": {index: c.mcid for index, c in self.parts.texts.items()},
            "rows": self.rows,
            "tops": tops,
            "links": [self._link(page, source) for page, source in self.parts.links],
        }
        shared = self.pool.objects
        datas = [s.data for s in shared if s.data is not None]
        header["shared"] = [
            [s.template.decode("ascii"), s.refs, s.data is not None, s.digest] for s in shared
        ]
        return pack_parts(header, datas)

    def _xobjects(self) -> dict[str, int]:
        """Return the index of each XObject that the pages still use, by its resource name."""
        drawn = {name for content in self.contents for name in DRAWN.findall(content)}
        found = self.pdf.pages[0].Resources.get("/XObject", {})
        return {
            name[1:]: self.pool.lift(one)
            for name, one in sorted(found.items())
            if name[1:].encode() in drawn
        }

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
            if isinstance(inner, Content):
                row[3].append(["mcid", inner.mcid, inner.page])
            elif isinstance(inner, Held):
                row[3].append([inner.kind, inner.index, inner.page])
            else:
                row[3].append(["row", self._row(inner, index), 0])
        return index

    def _content(self, page: int) -> int:
        """Return the index of the content stream of `page`.

        Content without an element, such as a page number in the margin, becomes an artifact;
        the engine marks it as text.
        """
        owned = {c.mcid for c in find_owned(self.parts.root, Content) if c.page == page}

        def mark(match: re.Match[bytes]) -> bytes:
            return match[0] if int(match[1]) in owned else b"/Artifact BMC"

        content = MARKED.sub(mark, self.contents[page])
        return self.pool.put_stream(b"", b"q\n%s\nQ\n" % content)

    def _resources(self) -> tuple[bytes, tuple[int, ...]]:
        """Return the entries of the pages' resources other than fonts and XObjects."""
        entries = b""
        refs: list[int] = []
        source = self.pdf.pages[0].Resources
        lab = any(b"/lab-" in content for content in self.contents)
        for key in ("/ColorSpace", "/ExtGState", "/Pattern", "/Shading"):
            if key not in source or not len(source[key]):
                continue
            if key == "/ColorSpace" and not lab:
                continue
            if key == "/ExtGState" and not any(b" gs" in c for c in self.contents):
                continue
            template, more = self.pool.build_template(source[key])
            entries += key.encode() + template
            refs += more
        return entries, tuple(refs)

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
    last, rows = 0, list(font.DescendantFonts[0].W)
    for first, widths in zip(rows[::2], rows[1::2], strict=True):
        last = max(last, int(first) + len(widths) - 1)
    return last


def _boxes(page: Any) -> list[list[float]]:
    """Return the media box, bleed box and trim box of `page`."""
    boxes = [page.mediabox, page.bleedbox, page.trimbox]
    return [[float(v) for v in box] for box in boxes]


# Read the places, links and marked content of a laid-out blank, in reading order.


T = TypeVar("T")
# The beginning of a marked-content sequence, as WeasyPrint writes it.
MARKED: Final = re.compile(rb"/\w+\s*<<\s*/MCID (\d+)\s*>>\s*BDC")
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


# Build the structure tree of a plate from WeasyPrint's, without meaningless elements.


_STRICT: Final = frozenset({"Table", "THead", "TBody", "TFoot", "TR", "L", "LI"})
Kid: TypeAlias = "Node | Content | Held"
GROUPING: Final = frozenset({"Document", "Part", "Art", "Sect", "Div", "BlockQuote"})
# Elements that a table or a list must keep even if they are empty.
_EMPTY_TOO: Final = frozenset({"Table", "TR", "TH", "TD", "L", "LI", "Lbl", "LBody"})


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
    """One structure element."""

    tag: str
    kids: list[Kid] = field(default_factory=list)
    extra: bytes = b""  # further entries of its dictionary, serialized
    kept: bool = False  # whether it stays although its type has no meaning


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


# Shorten content streams: drop operators of WeasyPrint that have no visible effect.


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
    content = _KERNED.sub(_add_adjustments, content)
    return _NO_KERN.sub(b">", content).replace(b"><", b"")


def _add_adjustments(match: re.Match[bytes]) -> bytes:
    """Return one adjustment instead of two: the engine writes kerning and letter spacing apart."""
    return b"%g" % round(float(match[1]) + float(match[2]), 2)


def _opaque(state: Any) -> bool:
    return all(key in ("/ca", "/CA") and float(value) == 1 for key, value in state.items())


def _is_plain(group: Any, states: Any) -> bool:
    """Return whether `group` uses only opaque graphics states.

    Args:
        states: Graphics states that the page must have too; None if states are dropped.
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
