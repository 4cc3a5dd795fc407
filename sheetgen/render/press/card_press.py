"""The press for cards: strips of plates drawn flat, as often as they are needed."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from sheetgen.model.cards import CardNote, CardPage, CardPlan, PlacedFace, Strip
from sheetgen.model.prints import Plate, Setting
from sheetgen.plan.imposition.decks import NOTE_ROLE
from sheetgen.render.pdf.information import PRODUCER, information
from sheetgen.render.pdf.pdf_file import LEVEL, PdfFile
from sheetgen.render.pdf.syntax import pdf_number, pdf_numbers, text_string
from sheetgen.render.pdf.xmp import xmp
from sheetgen.render.press.plate_runs import PlateRun, SharedObjects
from sheetgen.render.press.prepared import Prepared, prepared
from sheetgen.units import Box

_MARK_WIDTH: Final = 0.25
_MARKS: Final = re.compile(rb"/\w+\s+(?:<<[^>]*>>\s*)?(?:BDC|BMC)\s|\bEMC\s")
"""Marked content of a plate; a strip is marked as a whole, its labels together with its texts."""

_SHOWS_TEXT: Final = re.compile(rb"\bBT\s")
_number = lru_cache(maxsize=4096)(pdf_number)
"""Cards stand in few places, and strips on them."""

_CATALOG, _PAGES, _TAGS, _DOCUMENT, _PARENTS, _INFO, _METADATA, _RESOURCES = range(1, 9)


@dataclass(frozen=True, slots=True)
class _Spelt:
    """A strip: what is printed on it, its texts, and what its tag says of it.

    Attributes:
        has_text: Whether it has letters, or says anything; others are decoration.
    """

    printed: bytes
    texts: bytes
    said: bytes
    has_text: bool


def press_cards(plan: CardPlan) -> bytes:
    """Return `plan` as a PDF; equal plans give equal bytes.

    What is printed on a strip is drawn once a document and shown as often as it is
    needed; only what is filled in is set for each card.

    Raises:
        ValueError: A filling names a place that its plate has not, or two plates mean
            different fonts by one name.
    """
    document = _Document()
    for page in plan.pages:
        document.add(page)
    return document.finish(plan)


class _Document:
    def __init__(self) -> None:
        self._file = PdfFile()
        self._file.take(8)
        self._shared = SharedObjects(self._file)
        self._runs: dict[int, PlateRun] = {}
        self._found: dict[int, PlateRun] = {}
        self._blocks: dict[tuple[int, int], int] = {}
        self._labelled: set[int] = set()
        self._noted: set[str] = set()
        self._strips: dict[tuple[int, int, int, int, str], _Spelt] = {}
        self._sections: list[int] = []
        self._pages: list[int] = []
        self._owners: list[list[int]] = []

    def add(self, page: CardPage) -> None:
        """Write one page."""
        number_of_page, contents = self._file.take(), self._file.take()
        owners: list[int] = []
        parts = [_cuts(page)]
        for placed in page.placed:
            parts += self._card(placed, page.size[1], number_of_page, owners)
        for note in page.notes:
            parts.append(self._note(note, page, number_of_page, owners))
        small = zlib.compress(b"".join(parts), LEVEL)
        head = b"<</Filter/FlateDecode/Length %d>>stream\n" % len(small)
        self._file.stream(contents, head + small + b"\nendstream")
        boxes = _box(b"/TrimBox", page.trim, page) + _box(b"/BleedBox", page.bleed, page)
        self._file.add(
            number_of_page,
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %.6g %.6g]%s/Resources %d 0 R"
            b"/Contents %d 0 R/Tabs/S/StructParents %d>>"
            % (_PAGES, *page.size, boxes, _RESOURCES, contents, len(self._pages)),
        )
        self._pages.append(number_of_page)
        self._owners.append(owners)

    def _card(self, placed: PlacedFace, height: float, page: int, owners: list[int]) -> list[bytes]:
        face = placed.face
        section = self._file.take()
        parts: list[bytes] = []
        kids: list[bytes] = []
        begun = b"/P %d 0 R/Pg %d 0 R/K " % (section, page)
        for strip in face.strips:
            up = face.size[1] - strip.top - strip.plate.sizes[strip.page][1]
            one = self._strip(strip)
            to = _moved(placed, height, up)
            drawn = b"q %s\n%s%s\nQ\nEMC\n" % (to, one.printed, one.texts)
            if not one.has_text:
                parts.append(b"/Artifact BMC\n" + drawn)
                continue
            tag, mcid = self._file.take(), len(owners)
            # The first strip names the card: a heading is read as it is drawn.
            kind, instead = (b"P", one.said) if kids else (b"H1", b"")
            parts.append(b"/%s<</MCID %d>>BDC\n%s" % (kind, mcid, drawn))
            self._file.add(tag, b"<</S/%s%s%d%s>>" % (kind, begun, mcid, instead))
            owners.append(tag)
            kids.append(b"%d 0 R" % tag)
        self._sections.append(section)
        row = b"<</S/Sect/P %d 0 R/T%s/K[%s]>>"
        self._file.add(section, row % (_DOCUMENT, text_string(face.name), b" ".join(kids)))
        return parts

    def _strip(self, strip: Strip) -> _Spelt:
        """Return a strip as PDF spells it: many cards share what a plan holds once."""
        run = self._run(strip.plate)
        key = id(run), strip.page, id(strip.filling), id(strip.pieces), strip.alt_text
        found = self._strips.get(key)
        if found is None:
            printed, texts = self._printed(strip, run), self._set(strip, run)
            labelled = self._blocks[id(run), strip.page] in self._labelled
            has_text = labelled or bool(strip.alt_text or texts)
            found = _Spelt(printed, texts, _instead(strip), has_text)
            self._strips[key] = found
        return found

    def _printed(self, strip: Strip, run: PlateRun) -> bytes:
        """Return what draws a strip without its texts."""
        key = id(run), strip.page
        if key not in self._blocks:
            self._blocks[key] = self._block(run, strip.page)
        shapes = b"".join(
            b"q %s %s Q\n" % (slot.moved, run.plate.drawn(shape, slot.size))
            for slot in run.plate.slots[strip.page].shapes
            if (shape := strip.filling.marks.get(slot.place.name))
        )
        return b"/B%d Do\n%s" % (self._blocks[key], shapes)

    def _set(self, strip: Strip, run: PlateRun) -> bytes:
        """Return the texts of a strip."""
        filling = strip.filling
        lines = []
        for slot in run.plate.slots[strip.page].labels:
            setting = filling.texts.get(slot.place.name)
            if setting is None:
                continue
            if pieces := strip.pieces.get(slot.place.name):
                lines.append(run.compositor.pieces(pieces, slot.at, run.plate.style))
                continue
            role = setting.role or slot.place.role
            heading = run.plate.style(f"{role}-head") if setting.heads else None
            style = run.plate.style(role)
            lines.append(
                run.compositor.block(
                    setting, style, slot.size, slot.at, tall=slot.tall, head=heading
                )
            )
        return b"\n".join(lines)

    def _note(
        self, note: CardNote, page: CardPage, number_of_page: int, owners: list[int]
    ) -> bytes:
        """Return a line outside the cards; screen readers get it once, not on each page."""
        run = self._run(note.plate)
        style = run.plate.style(NOTE_ROLE)
        setting = Setting(note.text, (note.text,), style.role.size)
        at = note.x, page.size[1] - note.y - (style.role.baseline or 0)
        text = run.compositor.block(setting, style, (page.size[0], style.role.size), at)
        if note.text in self._noted:
            return b"/Artifact<</Type/Pagination/Subtype/Footer>>BDC\n%s\nEMC\n" % text
        self._noted.add(note.text)
        tag, mcid = self._file.take(), len(owners)
        self._file.add(tag, b"<</S/P/P %d 0 R/Pg %d 0 R/K %d>>" % (_DOCUMENT, number_of_page, mcid))
        owners.append(tag)
        self._sections.append(tag)
        return b"/P<</MCID %d>>BDC\n%s\nEMC\n" % (mcid, text)

    def _run(self, filled: Plate) -> PlateRun:
        found = self._found.get(id(filled))
        if found is not None:  # to compare plates takes longer than to set a strip
            return found
        plate = prepared(filled)
        run = self._runs.get(id(plate))
        if run is None:
            run = self._runs[id(plate)] = PlateRun(plate, self._file, self._shared)
        self._found[id(filled)] = run
        return run

    def _block(self, run: PlateRun, page: int) -> int:
        """Return the number of the form that draws what is printed on a strip."""
        plate: Prepared = run.plate
        printed = plate.shared[plate.header["contents"][page]]
        drawn = _MARKS.sub(b"", zlib.decompress(printed.data or b""))
        data = zlib.compress(drawn, LEVEL)
        here = self._file.take()
        if _SHOWS_TEXT.search(drawn):
            self._labelled.add(here)
        head = (
            b"<</Type/XObject/Subtype/Form/BBox[0 0 %s]/Resources %d 0 R"
            b"/Filter/FlateDecode/Length %d>>stream\n"
        ) % (pdf_numbers(*plate.plate.sizes[page]), run.resources, len(data))
        self._file.stream(here, head + data + b"\nendstream")
        return here

    def finish(self, plan: CardPlan) -> bytes:
        """Return the whole file."""
        file = self._file
        fonts: dict[bytes, int] = {}
        for run in self._runs.values():
            for name, font in run.finish().items():
                if fonts.setdefault(name, font) != font:
                    raise ValueError(f"two plates mean different fonts by {name.decode()}")
        self._shared.finish()
        blocks = b"".join(b"/B%d %d 0 R" % (n, n) for n in sorted(self._blocks.values()))
        named = b"".join(b"%s %d 0 R" % font for font in sorted(fonts.items()))
        file.add(_RESOURCES, b"<</Font<<%s>>/XObject<<%s>>>>" % (named, blocks))
        kids = b" ".join(b"%d 0 R" % page for page in self._pages)
        file.add(_PAGES, b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(self._pages), kids))
        file.add(
            _TAGS,
            b"<</Type/StructTreeRoot/K %d 0 R/ParentTree %d 0 R/ParentTreeNextKey %d>>"
            % (_DOCUMENT, _PARENTS, len(self._pages)),
        )
        tops = b" ".join(b"%d 0 R" % top for top in self._sections)
        file.add(_DOCUMENT, b"<</S/Document/P %d 0 R/K[%s]>>" % (_TAGS, tops))
        nums = b"".join(
            b"%d[%s]" % (key, b" ".join(b"%d 0 R" % tag for tag in tags))
            for key, tags in enumerate(self._owners)
        )
        file.add(_PARENTS, b"<</Nums[%s]>>" % nums)
        file.add(_INFO, information(plan.title, plan.subject, plan.meta))
        packet = xmp(plan.title, plan.subject, plan.lang, PRODUCER)
        head = b"<</Type/Metadata/Subtype/XML/Length %d>>stream\n" % len(packet)
        file.stream(_METADATA, head + packet + b"\nendstream")
        duplex = b"/Duplex/DuplexFlip%sEdge" % plan.duplex.title().encode() if plan.duplex else b""
        file.add(
            _CATALOG,
            b"<</Type/Catalog/Pages %d 0 R/StructTreeRoot %d 0 R/Metadata %d 0 R/Lang%s"
            b"/MarkInfo<</Marked true>>/ViewerPreferences<</DisplayDocTitle true"
            b"/PrintScaling/None%s>>>>"
            % (_PAGES, _TAGS, _METADATA, text_string(plan.lang), duplex),
        )
        return file.finish(_CATALOG, _INFO)


def _instead(strip: Strip) -> bytes:
    """Return what a screen reader says instead of a strip's letters: the same, or more."""
    if not strip.alt_text:
        return b""
    drawn = "".join(line for one in strip.filling.texts.values() for line in one.lines)
    same = "".join(drawn.split()) == "".join(strip.alt_text.split())
    return (b"/ActualText" if same else b"/Alt") + text_string(strip.alt_text)


def _moved(placed: PlacedFace, height: float, up: float = 0) -> bytes:
    """Return what moves the origin to the left of a card as it stands, `up` from its foot."""
    box = placed.box
    left, foot = box.x, height - box.y - box.height
    if placed.turned:
        return b"-1 0 0 -1 %s %s cm" % (_number(left + box.width), _number(foot + box.height - up))
    return b"1 0 0 1 %s %s cm" % (_number(left), _number(foot + up))


def _cuts(page: CardPage) -> bytes:
    if not page.marks:
        return b""
    height = page.size[1]
    lines = b"".join(
        b"%s m %s l\n" % (pdf_numbers(x0, height - y0), pdf_numbers(x1, height - y1))
        for x0, y0, x1, y1 in page.marks
    )
    return b"/Artifact BMC\nq 0 G %s w\n%sS\nQ\nEMC\n" % (pdf_number(_MARK_WIDTH), lines)


def _box(name: bytes, box: Box | None, page: CardPage) -> bytes:
    if box is None:
        return b""
    foot = page.size[1] - box.y - box.height
    corners = (box.x, foot, box.x + box.width, foot + box.height)
    return b"%s[%s]" % (name, b" ".join(b"%.6g" % c for c in corners))
