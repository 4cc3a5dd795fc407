"""Compile a plate: a sheet or a card, laid out once, with places where values go.

WeasyPrint lays out the blank as a PDF. The compiler takes this apart into places, which the
press fills, and objects (content streams, fonts, structure elements), which the press copies.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sheetgen.model.prints import Plate, Tokens
from sheetgen.render.flow.crowding import check_room
from sheetgen.render.flow.layout import LayoutError, lay_out
from sheetgen.render.fonts.font_objects import FaceObjects, put_face
from sheetgen.render.fonts.fonts import Face
from sheetgen.render.pdf.pdf_objects import SharedPool
from sheetgen.render.pdf.plate_files import dump_plate, pack_parts
from sheetgen.render.plates.content_streams import DRAWN, shorten_content
from sheetgen.render.plates.page_parts import (
    MARKED,
    PlateParts,
    check_places,
    find_owned,
    page_size,
)
from sheetgen.render.plates.structure_tree import Content, Held


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
    """The body of a plate: what the press needs besides the places.

    Attributes:
        pressed: The faces that values need.
        strangers: Warnings about fonts that are no faces.
    """

    pdf: Any
    parts: PlateParts
    faces: Mapping[str, Face]
    pressed: Mapping[str, Face]
    pool: SharedPool = field(default_factory=SharedPool)
    rows: list[list[Any]] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
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
