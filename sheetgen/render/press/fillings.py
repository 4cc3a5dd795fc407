"""Draw the values of a filling as content streams of its pages (ISO 32000-1, 7.8.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import Filling, Setting
from sheetgen.render.pdf.syntax import ink, pdf_numbers
from sheetgen.render.press.plate_resources import PlateResources
from sheetgen.render.press.prepared import PreparedPlate
from sheetgen.render.press.slots import PlaceSlot

_SHORT: Final = 150
"""Operators of a shape that a page repeats; longer ones, as of dice, are in a form XObject."""


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
    """Yield the content stream of each page, to be drawn over its print.

    Frames and shapes are artifacts. The text of a mark is tagged even if it is empty, because
    the structure tree refers to it.
    """
    plate = resources.plate
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
        parts += [_label(slot, filling, resources) for slot in page.labels]
        if flat:
            parts += [_printed(slot, filling, resources) for slot in page.fields]
        yield b"".join(parts)


def _frame(slot: PlaceSlot, filling: Filling, resources: PlateResources) -> bytes:
    shape = filling.frames.get(slot.place.name)
    if shape is None:
        return slot.frame
    if not shape:
        return b""
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
    matrix = pdf_numbers(
        *(wide * across, 0, 0, high * up),
        *(slot.at[0] + left * across, slot.at[1] + foot * up),
    )
    clip = pdf_numbers(*slot.at, *slot.size)
    paper = ink(resources.plate.plate.tokens.colours.get("paper", "#ffffff"))
    name = resources.picture_name(picture)
    return b"q %s re W n %s %s re f %s cm %s Do Q " % (clip, paper, clip, matrix, name)


def _label(slot: PlaceSlot, filling: Filling, resources: PlateResources) -> bytes:
    setting = filling.texts.get(slot.place.name)
    cache, key = resources.plate.label_cache, (slot.index, setting)
    return resources.text_setter.written_once(cache, key, _span, slot, setting, resources)


def _span(slot: PlaceSlot, setting: Setting | None, resources: PlateResources) -> bytes:
    head = b"/Span<</MCID %d>>BDC " % resources.plate.mcids[slot.index]
    if setting is None:
        return head + b"EMC\n"
    return b"%s%s EMC\n" % (head, set_label(slot, setting, resources))


def set_label(slot: PlaceSlot, setting: Setting, resources: PlateResources) -> bytes:
    """Return the operators that set the text of a mark."""
    role = setting.role or slot.place.role
    heading = resources.plate.style(f"{role}-head") if setting.heads else None
    style = resources.plate.style(role)
    return resources.text_setter.set_text(
        setting, style, slot.size, slot.at, tall=slot.tall, head=heading
    )


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
