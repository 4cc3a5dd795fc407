"""The press: fills plates with values and writes one PDF of a plan, or of many plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
from operator import add
from typing import BinaryIO, Final

from sheetgen.model.filled import OURS
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import FilledPage, Filling, Plan, Setting
from sheetgen.render.pdf.pdf_file import (
    PdfWriter,
    format_identity,
    ink,
    pdf_numbers,
    text_string,
    write_outlines,
)
from sheetgen.render.press.appearances import FieldTree
from sheetgen.render.press.document import (
    PAGES,
    SPARE,
    DocumentInfo,
    finish_file,
    list_references,
    write_trees,
)
from sheetgen.render.press.page_objects import (
    Numbering,
    PageObjects,
    PlateResources,
    SharedObjects,
    build_page_objects,
    count_keys,
    count_objects,
)
from sheetgen.render.press.prepared import (
    PlaceSlot,
    PreparedPlate,
    build_field_rules,
    prepare_plate,
)
from sheetgen.render.press.widgets import Calculation, WidgetEntries

_AHEAD: Final = 32
_EMPTY: Final = SPARE  # number of a form XObject that draws nothing


def press(plan: Plan, flatten: bool = False) -> bytes:
    """Return `plan` as a PDF; equal plans give equal bytes.

    Args:
        plan: Its texts fit already; the press breaks and shrinks nothing.
        flatten: Draw the values of the fields, and write no fields.

    Raises:
        ValueError: A filling names a place, shape or role that its plate does not have, or two
            fields have one name.
    """
    document = _Document(flatten)
    for filled in plan.leaves:
        document.add(filled, filled.prefix, plan.meta)
    return document.finish(DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta))


def press_many(
    plans: Iterable[Plan],
    info: DocumentInfo | Callable[[], DocumentInfo],
    *,
    flatten: bool,
    out: BinaryIO | None,
) -> bytes:
    """Write many plans as one PDF, each with a bookmark and a prefix for its fields' names.

    The file is printed on both sides: each plan begins on an odd page.

    Args:
        plans: A few are taken ahead of what is written; what they share is written once.
        info: Of the file; a function is called after all plans are written.
        flatten: See `press`.
        out: Where to write the file as it grows; without it the file is returned.

    Raises:
        ValueError: See `press`.
    """
    document, left, numbers = _Document(flatten, out), iter(plans), count(1)
    # Planning many and then pressing many keeps the processor's caches warm: it saves a tenth of
    # the total time.
    while some := list(islice(left, _AHEAD)):
        for plan, number in zip(some, numbers, strict=False):
            document.begin_sheet(plan.leaves[0].plate.sizes[0], plan.title)
            for filled in plan.leaves:
                prefix = f"c{number}.{filled.prefix}" if filled.prefix else f"c{number}"
                document.add(filled, prefix, plan.meta)
    return document.finish(info() if callable(info) else info, b"/Duplex/DuplexFlipLongEdge")


@dataclass
class _Identity:
    number: int
    meta: Mapping[str, str]
    fields: int = 0


class _Document:
    def __init__(self, flat: bool, out: BinaryIO | None = None) -> None:
        self._flat, self._file = flat, PdfWriter(out)
        self._file.take(_EMPTY)
        self._file.stream(_EMPTY, b"<</Subtype/Form/BBox[0 0 1 1]/Length 0>>stream\n\nendstream")
        self._tree = FieldTree(self._file)
        self._calculation = Calculation(self._file)
        self._shared = SharedObjects(self._file)
        self._resources: dict[int, PlateResources] = {}
        self._widgets: dict[int, WidgetEntries] = {}
        self._pages: list[int] = []
        self._tags: list[int] = []
        self._parents: list[int] = []
        self._bookmarks: list[tuple[str, int]] = []
        self._identities: dict[str, _Identity] = {}
        self._key = 0

    def begin_sheet(self, size: tuple[float, float], title: str) -> None:
        """Add a bookmark, and before it a blank page of `size` if it would lead to a back."""
        if len(self._pages) % 2:
            self._pages.append(self._file.take())
            body = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %s]/Resources<<>>>>"
            self._file.add(self._pages[-1], body % (PAGES, pdf_numbers(*size)))
        self._bookmarks.append((title, len(self._pages)))

    def add(self, filled: FilledPage, prefix: str, meta: Mapping[str, str]) -> None:
        """Write one filled plate of the sheet that `meta` describes."""
        live = None if self._flat else filled.live
        shown = frozenset(filled.filling.pictures)
        rules = build_field_rules(live) if live is not None else None
        plate = prepare_plate(filled.plate, rules, shown)
        check_filling(filled.filling, plate)
        # By identity: the plates are kept, and to compare them would take longer than to fill one.
        resources = self._resources.get(id(plate))
        if resources is None:
            resources = PlateResources(plate, self._file, self._shared)
            self._resources[id(plate)] = resources
        above = tuple(prefix.split(".")) if prefix and plate.fields and not self._flat else ()
        # Names are claimed before anything is written: two fields of one name are one to a viewer.
        if not self._flat:
            self._tree.claim(above, plate.names)
        upper = self._tree.group(above)
        first = self._file.take(count_objects(plate, flat=self._flat))
        page_resources = resources.for_pictures(filled.filling.pictures.values())
        shared = (resources.contents, page_resources, resources.hint_forms())
        identity = 0
        if not self._flat:
            sheet = self._identities.get(prefix)
            if sheet is None:
                sheet = _Identity(self._file.take(), {**meta, "part": prefix})
                self._identities[prefix] = sheet
            own = (slot for slot in plate.fields if not slot.place.name.startswith(OURS))
            sheet.fields += sum(1 for _ in own)
            identity = sheet.number
        numbering = Numbering(first, self._key, upper, identity, *shared, self._flat)
        objects = build_page_objects(plate, numbering)
        self._key += count_keys(plate, flat=self._flat)
        self._pages += range(first, first + len(plate.plate.sizes))
        self._tags += objects.tags
        self._parents.append(objects.nums)
        self._file.put(objects.streams)
        self._tree.hang(above, objects.tops)
        actions: Mapping[str, bytes] = {}
        if live is not None:
            fields = range(objects.fields, objects.fields + len(plate.fields))
            actions = self._calculation.build_actions(live, resources, fields, alone=not above)
        self._fill(filled.filling, resources, objects, actions)

    def _fill(
        self,
        filling: Filling,
        resources: PlateResources,
        objects: PageObjects,
        actions: Mapping[str, bytes],
    ) -> None:
        resources.use_frames()
        contents = draw_pages(filling, resources, flat=self._flat)
        for number, content in enumerate(contents, objects.drawings):
            self._file.compress(number, content)
        for number, place, head in objects.figures:
            picture = filling.pictures[resources.plate.places[place].name]
            self._file.add(number, b"%s/Alt%s>>" % (head, text_string(picture.alt)))
        if self._flat:
            plate = resources.plate
            for slot, head in zip(plate.fields, objects.heads, strict=True):
                on = b"on" if slot.place.name in filling.ticks else b"off"
                state = b"/checked/" + on if slot.style is None else b""
                row = objects.rows + plate.row_of_place[slot.index]
                self._file.add(row, b"%s%s>>>>" % (head, state))
            return
        widgets = self._widgets.get(id(resources))
        if widgets is None:
            widgets = self._widgets[id(resources)] = WidgetEntries(resources, self._file, _EMPTY)
        entries = widgets.build(filling, actions)
        self._file.add_all(objects.fields, map(add, objects.heads, entries))

    def finish(self, info: DocumentInfo, preferences: bytes = b"") -> bytes:
        """End the file; return it if it is in memory. `preferences`: see `finish_file`."""
        for one in self._identities.values():
            self._file.add(one.number, format_identity(one.meta, one.fields))
        for resources in self._resources.values():
            resources.finish()
        self._shared.finish()
        parents = b"/Kids[%s]" % list_references(self._parents)
        write_trees(self._file, info, self._pages, self._tags, parents, self._key)
        bookmarks = [(title, self._pages[index]) for title, index in self._bookmarks]
        entries = write_outlines(bookmarks, self._file) + self._form()
        entries += self._calculation.names_entry()
        return finish_file(self._file, info.lang, preferences, entries)

    def _form(self) -> bytes:
        """Return the catalogue's entry for the interactive form (12.7.2), if there are fields."""
        if not self._tree.tops:
            return b""
        self._tree.write()
        fonts: dict[bytes, int] = {}
        for resources in self._resources.values():
            fonts |= resources.typed_fonts()
        listed = b"".join(b"%s %d 0 R" % font for font in sorted(fonts.items()))
        default = b"/DA(%s 9 Tf 0 g)" % min(fonts) if fonts else b""
        order = list_references(self._calculation.order)
        order = order and b"/CO[%s]" % order
        form = b"/AcroForm<</Fields[%s]/DR<</Font<<%s>>>>%s%s>>"
        return form % (list_references(self._tree.tops), listed, default, order)


# Operators of a shape that a page repeats; longer ones, as of dice, are in a form XObject.
_SHORT: Final = 150


def check_filling(filling: Filling, plate: PreparedPlate) -> None:
    """Check that the plate has a place for each value.

    Raises:
        ValueError: It has no such place, or one of another kind.
    """
    for names, known, kind in (
        (filling.texts.keys(), plate.text_names, "a text"),
        (filling.ticks.keys(), plate.ticks.keys(), "a tick"),
        (filling.frames.keys(), plate.ticks.keys(), "a frame"),
        (filling.marks.keys(), plate.shapes.keys(), "a shape"),
        (filling.pictures.keys(), plate.pictures.keys(), "a picture"),
    ):
        if unknown := names - known:
            raise ValueError(f"the plate has no place `{min(unknown)}` for {kind}")


def draw_pages(filling: Filling, resources: PlateResources, *, flat: bool) -> Iterator[bytes]:
    """Yield the content stream (ISO 32000-1, 7.8.2) of each page, to be drawn over its print.

    Frames and shapes are artifacts. The text of a mark is tagged even if it is empty, because
    the structure tree refers to it.
    """
    plate, write = resources.plate, resources.text_setter.written_once
    for page in plate.slots:
        frames = b"".join([_frame(slot, filling, resources) for slot in page.ticks])
        shapes = b"".join([_shape(slot, filling, resources) for slot in page.shapes])
        parts = []
        if frames or shapes:
            parts.append(b"/Artifact BMC\n%s%sEMC\n" % (frames, shapes))
        for slot in page.pictures:
            if (picture := filling.pictures.get(slot.place.name)) is not None:
                head = b"/Figure<</MCID %d>>BDC " % plate.mcids[slot.index]
                parts.append(b"%s%sEMC\n" % (head, draw_picture(picture, slot, resources)))
        for slot in page.labels:
            setting = filling.texts.get(slot.place.name)
            key = slot.index, setting
            parts.append(write(plate.label_cache, key, _span, slot, setting, resources))
        if flat:
            parts += [_printed(slot, filling, resources) for slot in page.fields]
        yield b"".join(parts)


def _frame(slot: PlaceSlot, filling: Filling, resources: PlateResources) -> bytes:
    shape = filling.frames.get(slot.place.name)
    if not shape:  # an empty one is a tick that has no frame here
        return slot.frame if shape is None else b""
    return b"q %s%s Do Q\n" % (slot.matrix, resources.on_page(shape, slot.size))


def _shape(slot: PlaceSlot, filling: Filling, resources: PlateResources) -> bytes:
    shape = filling.marks.get(slot.place.name)
    if not shape:
        return b""
    drawn = resources.plate.drawn(shape, slot.size)
    if len(drawn) > _SHORT:
        drawn = resources.on_page(shape, slot.size) + b" Do"
    return b"q %s %s Q\n" % (slot.matrix, drawn)


def draw_picture(picture: PreparedPicture, slot: PlaceSlot, resources: PlateResources) -> bytes:
    """Return the operators that draw a picture in its box, on paper."""
    left, foot, wide, high = picture.at
    across, up = slot.size
    corner = slot.at[0] + left * across, slot.at[1] + foot * up
    matrix = pdf_numbers(wide * across, 0, 0, high * up, *corner)
    clip = pdf_numbers(*slot.at, *slot.size)
    paper = ink(resources.plate.plate.tokens.colours.get("paper", "#ffffff"))
    name = resources.picture_name(picture)
    return b"q %s re W n %s %s re f %s cm %s Do Q " % (clip, paper, clip, matrix, name)


def _span(slot: PlaceSlot, setting: Setting | None, resources: PlateResources) -> bytes:
    text = b"%s " % set_label(slot, setting, resources) if setting is not None else b""
    return b"/Span<</MCID %d>>BDC %sEMC\n" % (resources.plate.mcids[slot.index], text)


def set_label(slot: PlaceSlot, setting: Setting, resources: PlateResources) -> bytes:
    """Return the operators that set the text of a mark."""
    role = setting.role or slot.place.role
    heading = resources.plate.style(f"{role}-head") if setting.heads else None
    style = resources.plate.style(role)
    setter = resources.text_setter
    return setter.set_text(setting, style, slot.size, slot.at, tall=slot.tall, head=heading)


def _printed(slot: PlaceSlot, filling: Filling, resources: PlateResources) -> bytes:
    """Return the operators that draw the value of a field where its widget would be."""
    name, drawn = slot.place.name, b""
    if slot.style is None:
        if shape := filling.ticks.get(name):
            drawn = b"q %s%s Do Q " % (slot.matrix, resources.on_page(shape, slot.size))
    elif setting := filling.texts.get(name):
        style = resources.plate.style(setting.role) if setting.role else slot.style
        text = resources.text_setter.set_text(setting, style, slot.size, slot.at, tall=slot.tall)
        drawn = b"q %s re W n %s Q " % (pdf_numbers(*slot.at, *slot.size), text)
    return b"/Form<</MCID %d>>BDC %sEMC\n" % (resources.plate.flat_mcids[slot.index], drawn)
