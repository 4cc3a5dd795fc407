"""The press for cards: draws strips of plates flat, as often as they are needed.

What is printed on a strip is one form XObject (ISO 32000-1, 8.10), shown on each card.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from sheetgen.model.prints import CardNote, CardPage, CardPlan, PlacedFace, Plate, Setting, Strip
from sheetgen.plan.imposition.decks import NOTE_ROLE
from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import PdfWriter, pdf_number, pdf_numbers, text_string
from sheetgen.render.press.page_objects import (
    DOCUMENT,
    PAGES,
    SPARE,
    DocumentInfo,
    PlateResources,
    SharedObjects,
    finish_file,
    list_references,
)
from sheetgen.render.press.prepared import PreparedPlate, prepare_plate
from sheetgen.render.press.press import draw_picture, set_label

# Marked content of a plate. It is dropped: a strip with its texts is one marked content.
_MARKS: Final = re.compile(rb"/\w+\s+(?:<<[^>]*>>\s*)?(?:BDC|BMC)\s|\bEMC\s")
_SHOWS_TEXT: Final = re.compile(rb"\bBT\s")
_RESOURCES: Final = SPARE


@frozen
class _StripContent:
    """The content stream of a strip: its printed part, its texts, and its alternate text."""

    printed: bytes
    texts: bytes
    alt: bytes
    has_text: bool  # whether it has letters or alternate text; others are artifacts


def press_cards(plan: CardPlan) -> bytes:
    """Return `plan` as a PDF; equal plans give equal bytes.

    Raises:
        ValueError: A filling names a place that its plate does not have, or two plates use one
            name for different fonts.
    """
    document = _Document()
    for page in plan.pages:
        document.add(page)
    return document.finish(plan)


class _Document:
    def __init__(self) -> None:
        self._file = PdfWriter()
        self._file.take(8)
        self._shared = SharedObjects(self._file)
        self._resources: dict[int, PlateResources] = {}
        self._by_plate: dict[int, PlateResources] = {}
        self._forms: dict[tuple[int, int], int] = {}
        self._forms_with_text: set[int] = set()
        self._notes: set[str] = set()
        self._strips: dict[tuple[int, int, int, int, str], _StripContent] = {}
        self._page = 0  # the number of the page that is drawn
        self._pictures: dict[bytes, int] = {}
        self._with_pictures: dict[int, dict[bytes, int]] = {}
        self._sections: list[int] = []
        self._pages: list[int] = []
        self._owners: list[list[int]] = []

    def add(self, page: CardPage) -> None:
        """Write one page."""
        self._page, contents = self._file.take(), self._file.take()
        self._pictures = {}
        self._owners.append([])  # the structure elements of its marked contents
        full = [(one, self._shared.picture(p)) for one in page.placed if (p := one.face.picture)]
        self._pictures |= {b"/P%d" % number: number for _, number in full}
        parts = [_draw_crop_marks(page), _draw_card_pictures(full, page.size[1])]
        for placed in page.placed:
            parts += self._card(placed, page.size[1])
        parts += [self._note(note, page) for note in page.notes]
        self._file.compress(contents, b"".join(parts))
        resources = _RESOURCES
        if self._pictures:  # Each page lists its own: a page cut out of the file is small.
            resources = self._file.take()
            self._with_pictures[resources] = self._pictures
        boxes = b""
        for name, box in ((b"/TrimBox", page.trim), (b"/BleedBox", page.bleed)):
            if box is not None:
                foot = page.size[1] - box.y - box.height
                corners = (box.x, foot, box.x + box.width, foot + box.height)
                boxes += b"%s[%s]" % (name, b" ".join(b"%.6g" % c for c in corners))
        body = (
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %.6g %.6g]%s/Resources %d 0 R"
            b"/Contents %d 0 R/Tabs/S/StructParents %d>>"
        ) % (PAGES, *page.size, boxes, resources, contents, len(self._pages))
        self._file.add(self._page, body)
        self._pages.append(self._page)

    def _card(self, placed: PlacedFace, height: float) -> list[bytes]:
        """Write the structure elements of a card; return what draws it on a page of `height`."""
        face, section, owners = placed.face, self._file.take(), self._owners[-1]
        parts: list[bytes] = []
        kids: list[bytes] = []
        begun = b"/P %d 0 R/Pg %d 0 R/K " % (section, self._page)
        for strip in face.strips:
            up = face.size[1] - strip.top - strip.plate.sizes[strip.page][1]
            content = self._strip(strip)
            matrix = _format_card_matrix(placed, height, up)
            figures = self._figures(strip, matrix, begun)
            # Pictures are between the print and the texts, which may be over them.
            layers = [content.printed, content.texts]
            layers = layers if figures else [b"".join(layers)]
            # The first strip is the card's heading, which is read as it is drawn.
            kind, alt = (b"P", content.alt) if kids else (b"H1", b"")
            tag = self._file.take() if content.has_text else 0
            mcids: list[bytes] = []
            for layer in layers:
                head = b"/Artifact BMC\n"
                if tag:
                    mcids.append(b"%d" % len(owners))
                    head = b"/%s<</MCID %d>>BDC\n" % (kind, len(owners))
                    owners.append(tag)
                parts.append(b"%sq %s\n%s\nQ\nEMC\n" % (head, matrix, layer))
                parts += [figure for _, figure in figures] if layer is layers[0] else []
            if tag:
                held = b"[%s]" % b" ".join(mcids) if figures else mcids[0]
                self._file.add(tag, b"<</S/%s%s%s%s>>" % (kind, begun, held, alt))
                kids.append(b"%d 0 R" % tag)
            kids += [b"%d 0 R" % number for number, _ in figures]
        self._sections.append(section)
        row = b"<</S/Sect/P %d 0 R/T%s/K[%s]>>"
        self._file.add(section, row % (DOCUMENT, text_string(face.name), b" ".join(kids)))
        return parts

    def _figures(self, strip: Strip, matrix: bytes, begun: bytes) -> list[tuple[int, bytes]]:
        """Write the structure elements of a strip's pictures; return them and what draws them."""
        if not strip.filling.pictures:
            return []
        found, resources, owners = [], self._resources_of(strip.plate), self._owners[-1]
        turned, _, _, _, left, foot, _ = matrix.split()
        turn = float(turned)  # 1, or -1 for a card that is turned by 180 degrees
        for slot in resources.plate.slots[strip.page]["picture"]:
            picture = strip.filling.pictures.get(slot.place.name)
            if picture is None:
                continue
            tag, mcid = self._file.take(), len(owners)
            owners.append(tag)
            drawn = draw_picture(picture, slot, resources)
            self._pictures[resources.picture_name(picture)] = self._shared.picture(picture)
            x = [float(left) + turn * at for at in (slot.at[0], slot.at[0] + slot.size[0])]
            y = [float(foot) + turn * at for at in (slot.at[1], slot.at[1] + slot.size[1])]
            box = pdf_numbers(min(x), min(y), max(x), max(y))
            entries = b"/A<</O/Layout/BBox[%s]>>/Alt%s" % (box, text_string(picture.alt))
            self._file.add(tag, b"<</S/Figure%s%d%s>>" % (begun, mcid, entries))
            mark = b"/Figure<</MCID %d>>BDC\nq %s\n%s\nQ\nEMC\n" % (mcid, matrix, drawn)
            found.append((tag, mark))
        return found

    def _strip(self, strip: Strip) -> _StripContent:
        """Return the content of a strip; cards that share a strip share its content."""
        resources, filling = self._resources_of(strip.plate), strip.filling
        key = id(resources), strip.page, id(filling), id(strip.pieces), strip.alt_text
        if key in self._strips:
            return self._strips[key]
        form = self._forms.get(key[:2]) or self._form(resources, strip.page)
        slots, alt = resources.plate.slots[strip.page], b""
        shapes = b"".join(
            b"q %s %s Q\n" % (slot.matrix, resources.plate.drawn(shape, slot.size))
            for slot in slots["shape"]
            if (shape := filling.marks.get(slot.place.name))
        )
        texts = [
            resources.text_setter.set_pieces(pieces, slot.at, resources.plate.style)
            if (pieces := strip.pieces.get(slot.place.name))
            else set_label(slot, setting, resources)
            for slot in slots["label"]
            if (setting := filling.texts.get(slot.place.name)) is not None
        ]
        if strip.alt_text:  # the actual text, if it is what is drawn
            drawn = "".join(line for one in filling.texts.values() for line in one.lines)
            same = "".join(drawn.split()) == "".join(strip.alt_text.split())
            alt = (b"/ActualText" if same else b"/Alt") + text_string(strip.alt_text)
        has_text = form in self._forms_with_text or bool(strip.alt_text or any(texts))
        printed = b"/B%d Do\n%s" % (form, shapes)
        found = _StripContent(printed, b"\n".join(texts), alt, has_text)
        return self._strips.setdefault(key, found)

    def _note(self, note: CardNote, page: CardPage) -> bytes:
        """Return a line outside the cards; from its second page on it is an artifact."""
        resources = self._resources_of(note.plate)
        style = resources.plate.style(NOTE_ROLE)
        setting = Setting(note.text, (note.text,), style.role.size)
        at = note.x, page.size[1] - note.y - (style.role.baseline or 0)
        text = resources.text_setter.set_text(setting, style, (page.size[0], style.role.size), at)
        if note.text in self._notes:
            return b"/Artifact<</Type/Pagination/Subtype/Footer>>BDC\n%s\nEMC\n" % text
        self._notes.add(note.text)
        tag, mcid = self._file.take(), len(self._owners[-1])
        self._file.add(tag, b"<</S/P/P %d 0 R/Pg %d 0 R/K %d>>" % (DOCUMENT, self._page, mcid))
        self._owners[-1].append(tag)
        self._sections.append(tag)
        return b"/P<</MCID %d>>BDC\n%s\nEMC\n" % (mcid, text)

    def _resources_of(self, plate: Plate) -> PlateResources:
        # By identity first: comparing plates takes longer than setting a strip.
        if id(plate) not in self._by_plate:
            prepared = prepare_plate(plate)
            if id(prepared) not in self._resources:
                resources = PlateResources(prepared, self._file, self._shared)
                self._resources[id(prepared)] = resources
            self._by_plate[id(plate)] = self._resources[id(prepared)]
        return self._by_plate[id(plate)]

    def _form(self, resources: PlateResources, page: int) -> int:
        """Write the form XObject of what is printed on a strip; return its number."""
        plate: PreparedPlate = resources.plate
        printed = plate.shared[plate.header["contents"][page]]
        drawn = _MARKS.sub(b"", zlib.decompress(printed.data or b""))
        number = self._forms[id(resources), page] = self._file.take()
        if _SHOWS_TEXT.search(drawn):
            self._forms_with_text.add(number)
        box = pdf_numbers(*plate.plate.sizes[page])
        entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %s]/Resources %d 0 R"
        self._file.compress(number, drawn, entries % (box, resources.page_resources))
        return number

    def finish(self, plan: CardPlan) -> bytes:
        """End the file and return it."""
        file = self._file
        fonts: dict[bytes, int] = {}
        for resources in self._resources.values():
            for name, font in resources.finish().items():
                if fonts.setdefault(name, font) != font:
                    raise ValueError(f"two plates use {name.decode()} for different fonts")
        self._shared.finish()
        forms = b"".join(b"/B%d %d 0 R" % (n, n) for n in sorted(self._forms.values()))
        named = b"".join(b"%s %d 0 R" % font for font in sorted(fonts.items()))
        for number, pictures in {_RESOURCES: {}, **self._with_pictures}.items():
            more = b"".join(b"%s %d 0 R" % picture for picture in sorted(pictures.items()))
            file.add(number, b"<</Font<<%s>>/XObject<<%s%s>>>>" % (named, forms, more))
        owned = (b"%d[%s]" % (n, list_references(tags)) for n, tags in enumerate(self._owners))
        info = DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta)
        parents = b"/Nums[%s]" % b"".join(owned)
        duplex = b"/Duplex/DuplexFlip%sEdge" % plan.duplex.title().encode() if plan.duplex else b""
        trees = self._pages, self._sections, parents, len(self._pages)
        return finish_file(file, info, *trees, b"/PrintScaling/None" + duplex)


_MARK_WIDTH: Final = 0.25
_number = lru_cache(maxsize=4096)(pdf_number)  # cached, since cards and strips lie at few positions


def _format_card_matrix(placed: PlacedFace, height: float, up: float = 0) -> bytes:
    """Return the operator that moves the origin to a card's left edge, `up` from its foot."""
    box = placed.box
    left, foot = box.x, height - box.y - box.height
    if placed.turned:
        return b"-1 0 0 -1 %s %s cm" % (_number(left + box.width), _number(foot + box.height - up))
    return b"1 0 0 1 %s %s cm" % (_number(left), _number(foot + up))


def _draw_crop_marks(page: CardPage) -> bytes:
    """Return the operators that draw the crop marks of a page of cards."""
    if not page.marks:
        return b""
    height = page.size[1]
    lines = b"".join(
        b"%s m %s l\n" % (pdf_numbers(x0, height - y0), pdf_numbers(x1, height - y1))
        for x0, y0, x1, y1 in page.marks
    )
    return b"/Artifact BMC\nq 0 G %s w\n%sS\nQ\nEMC\n" % (pdf_number(_MARK_WIDTH), lines)


def _draw_card_pictures(backs: Iterable[tuple[PlacedFace, int]], height: float) -> bytes:
    """Return the operators that draw the pictures that fill cards, as an artifact.

    All are drawn with their bleed first, and then each within its own edges: without a gutter,
    one would reach over its neighbour. `backs`: faces, and the numbers of their XObjects.
    """
    bled, cut = [], []
    for placed, number in backs:
        face, bleed = placed.face, placed.face.bleed
        assert face.picture is not None
        wide, high = (side + 2 * bleed for side in face.size)
        left, foot, across, up = face.picture.at
        at = pdf_numbers(across * wide, 0, 0, up * high, left * wide - bleed, foot * high - bleed)
        matrix, row = _format_card_matrix(placed, height), b"q %s %s re W n %s cm /P%d Do Q\n"
        bled.append(row % (matrix, pdf_numbers(-bleed, -bleed, wide, high), at, number))
        cut.append(row % (matrix, pdf_numbers(0, 0, *face.size), at, number))
    return b"/Artifact BMC\n%sEMC\n" % b"".join(bled + cut) if bled else b""
