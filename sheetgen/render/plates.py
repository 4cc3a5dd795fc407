"""Compiling: a laid-out blank is taken apart into what the press fills and what it copies."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.model.prints import Place, Plate, Tokens
from sheetgen.render.font_objects import FaceObjects, put_face
from sheetgen.render.fonts import Face
from sheetgen.render.pages import lay_out
from sheetgen.render.pdf_objects import SharedPool
from sheetgen.render.plate_files import pack
from sheetgen.render.tagging import Content, Held, Node, mark_tags, pruned, read_tags
from sheetgen.render.widgets import PlateError, check_places, page_size, read_place

_MARKED: Final = re.compile(rb"/\w+\s*<<\s*/MCID (\d+)\s*>>\s*BDC")
_NO_KERN: Final = re.compile(rb">0(?=[<\]])")


def compile_plate(
    html: str,
    assets: Mapping[str, bytes],
    faces: Mapping[str, Face],
    tokens: Tokens,
    key: str,
    *,
    extra_roles: Collection[str] = (),
    complaints: list[str] | None = None,
) -> Plate:
    """Return the plate of `html`, which places checkboxes named `p|KIND|ROLE|NAME`.

    Args:
        html: A template, rendered in plate mode.
        assets: What `asset:NAME` stands for in it, besides the names of `faces`.
        faces: By the names that the roles use.
        tokens: Of the theme that the template was rendered with.
        key: Hash of everything that goes in, the engine's version too.
        extra_roles: Roles, besides those of the places, that a setting may name.
        complaints: See `lay_out`; it also takes the names of foreign fonts.

    Raises:
        LayoutError: The engine warned, and no `complaints` were given.
        PlateError: The template asks for something that no plate can hold.
    """
    import pikepdf

    fonts = {name: face.layout for name, face in faces.items()}
    laid = lay_out(html, {**fonts, **assets}, forms=True, complaints=complaints)
    with pikepdf.open(io.BytesIO(laid)) as pdf:
        sizes = tuple(page_size(page) for page in pdf.pages)
        parts = _Parts(pdf, [height for _, height in sizes])
        check_places(parts.places, tokens)
        roles = {p.role for p in parts.places if p.kind != "tick" and p.role}
        names = {tokens.roles[role].face for role in roles | set(extra_roles)}
        pressed = {name: faces[name] for name in sorted(names)}
        body = _Body(pdf, parts, faces, pressed).packed(pdf)
    metrics = {name: face.metrics for name, face in pressed.items()}
    return Plate(key, sizes, tuple(parts.places), metrics, tokens, body)


class _Parts:
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
            lost = {n for n in range(len(laid))} - set(order)
            raise PlateError(f"`{laid[min(lost)].name}` stands in a margin; nobody reads it")
        self.places = [laid[index] for index in order]
        _renumber(root, {old: new for new, old in enumerate(order)})
        self.contents = [_contents(page) for page in pdf.pages]
        self.fresh = [1 + max(_mcids(c), default=-1) for c in self.contents]
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


def _mcids(content: bytes) -> list[int]:
    return [int(found) for found in _MARKED.findall(content)]


@dataclass
class _Body:
    """What the press needs besides geometry, while it is put together."""

    pdf: Any
    parts: _Parts
    faces: Mapping[str, Face]
    pressed: Mapping[str, Face]
    pool: SharedPool = field(default_factory=SharedPool)
    rows: list[list[Any]] = field(default_factory=list)

    def packed(self, pdf: Any) -> bytes:
        """Return it in one piece."""
        objects = {
            name: put_face(face, self.pool) for name, face in self.pressed.items()
        }
        static = self._static_fonts(objects)
        tops = [self._row(kid, -1) for kid in self.parts.root.kids]
        contents = [self._content(index) for index in range(len(pdf.pages))]
        resources, refs = self._resources()
        xobjects = self.pdf.pages[0].Resources.get("/XObject", {})
        header = {
            "contents": contents,
            "xobjects": {n[1:]: self.pool.lift(x) for n, x in sorted(xobjects.items())},
            "boxes": [_boxes(page) for page in pdf.pages],
            "resources": [resources.decode("ascii"), refs],
            "static": static,
            "faces": {
                name: {
                    "parts": o.parts,
                    "typed": o.typed,
                    "starts": self.pressed[name].starts,
                }
                for name, o in objects.items()
            },
            "fresh": self.parts.fresh,
            "texts": {index: c.mcid for index, c in self.parts.texts.items()},
            "rows": self.rows,
            "tops": tops,
            "links": [self._link(page, source) for page, source in self.parts.links],
        }
        shared = self.pool.objects
        datas = [s.data for s in shared if s.data is not None]
        header["shared"] = [
            [s.template.decode("ascii"), s.refs, s.data is not None, s.digest]
            for s in shared
        ]
        return pack(header, datas)

    def _static_fonts(self, objects: Mapping[str, FaceObjects]) -> dict[str, int]:
        """Return where each font of the laid-out text is, by its name on the pages.

        A face that the press needs anyway serves what is printed too; the engine's own
        small font is kept where the press has no use for the face, or where the text
        has letters beyond the core.
        """
        fonts: dict[str, int] = {}
        for name, font in sorted(self.pdf.pages[0].Resources.get("/Font", {}).items()):
            face = self._face_of(font)
            if face is not None and face in objects:
                if self.faces[face].part_of(_last_glyph(font)) == 0:
                    self.pool.replace(font, objects[face].parts[0])
            fonts[name[1:]] = self.pool.lift(font)
        return fonts

    def _face_of(self, font: Any) -> str | None:
        from fontTools.ttLib import TTFont

        descriptor = font.DescendantFonts[0].FontDescriptor
        if "/FontFile2" not in descriptor or str(font.Encoding) != "/Identity-H":
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
        """Return where the drawing of `page` is, brackets round its graphics state.

        What no tag owns, such as a page number in the margin, becomes an artifact; the
        engine leaves it marked as text that nobody reads.
        """
        owned = {c.mcid for c in _all_contents(self.parts.root) if c.page == page}

        def told(match: re.Match[bytes]) -> bytes:
            return match[0] if int(match[1]) in owned else b"/Artifact BMC"

        content = _MARKED.sub(told, self.parts.contents[page])
        content = _NO_KERN.sub(b">", content).replace(b"><", b"")
        return self.pool.put_stream(b"", b"q\n%s\nQ\n" % content)

    def _resources(self) -> tuple[bytes, tuple[int, ...]]:
        """Return the entries of the pages' resources but for the fonts."""
        entries, refs = b"", []
        source = self.pdf.pages[0].Resources
        lab = any(b"/lab-" in content for content in self.parts.contents)
        for key in ("/ColorSpace", "/ExtGState", "/Pattern", "/Shading"):
            if key not in source or not len(source[key]):
                continue
            if key == "/ColorSpace" and not lab:
                continue
            template, more = self.pool.written(source[key])
            entries += key.encode() + template
            refs += more
        return entries, tuple(refs)

    def _link(self, page: int, source: Any) -> list[Any]:
        x0, y0, x1, y1 = (float(v) for v in source.Rect)
        del source["/StructParent"]
        source["/Rect"] = [min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)]
        source["/F"] = 4
        template, refs = self.pool.written(source)
        assert not refs
        return [page, template.decode("ascii")]


def _last_glyph(font: Any) -> int:
    """Return the highest glyph id with a width: the engine lists those that it uses."""
    last, rows = 0, list(font.DescendantFonts[0].W)
    for first, widths in zip(rows[::2], rows[1::2], strict=True):
        last = max(last, int(first) + len(widths) - 1)
    return last


def _all_contents(node: Node) -> list[Content]:
    found: list[Content] = []
    for kid in node.kids:
        if isinstance(kid, Node):
            found += _all_contents(kid)
        elif isinstance(kid, Content):
            found.append(kid)
    return found


def _boxes(page: Any) -> list[list[float]]:
    """Return the outer box of `page`, and its bleed and trim box if they differ."""
    boxes = [page.mediabox, page.bleedbox, page.trimbox]
    return [[round(float(v), 3) for v in box] for box in boxes]
