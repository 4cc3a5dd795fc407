"""What a filling draws on the pages of a leaf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sheetgen.model.prints import Filling, Setting
from sheetgen.render.pdf.syntax import pdf_numbers
from sheetgen.render.press.plate_runs import PlateRun
from sheetgen.render.press.prepared import PreparedPlate
from sheetgen.render.press.slots import PlaceSlot

_MOST: Final = 4000
"""Labels that are kept; see `FieldTails`."""


def check_filling(filling: Filling, plate: PreparedPlate) -> None:
    """Refuse values that would not be printed.

    Raises:
        ValueError: The plate has no such place, or one of another kind.
    """
    for given, known, kind in (
        (filling.texts.keys(), plate.text_names, "a text"),
        (filling.ticks.keys(), plate.ticks.keys(), "a tick"),
        (filling.frames.keys(), plate.ticks.keys(), "a frame"),
        (filling.marks.keys(), plate.shapes.keys(), "a shape"),
    ):
        if lost := given - known:
            raise ValueError(f"the plate has no place `{min(lost)}` for {kind}")


def drawings(filling: Filling, run: PlateRun, *, flat: bool) -> Iterator[bytes]:
    """Yield what is drawn on each page over what is printed there.

    Frames and shapes are decoration. A text that is a mark is tagged, also where it is
    empty, since its tag is there.
    """
    plate = run.plate
    for page in plate.slots:
        frames = b"".join([_frame(slot, filling, run) for slot in page.ticks])
        shapes = b"".join([_shape(slot, filling, plate) for slot in page.shapes])
        parts = []
        if frames or shapes:
            parts.append(b"/Artifact BMC\n%s%sEMC\n" % (frames, shapes))
        parts += [_label(slot, filling, run) for slot in page.labels]
        if flat:
            parts += [_printed(slot, filling, run) for slot in page.fields]
        yield b"".join(parts)


def _frame(slot: PlaceSlot, filling: Filling, run: PlateRun) -> bytes:
    shape = filling.frames.get(slot.place.name)
    if shape is None:
        return slot.frame
    if not shape:
        return b""
    return b"q %s%s Do Q\n" % (slot.moved, run.on_page(shape, slot.size))


def _shape(slot: PlaceSlot, filling: Filling, plate: PreparedPlate) -> bytes:
    shape = filling.marks.get(slot.place.name)
    if not shape:
        return b""
    return b"q %s %s Q\n" % (slot.moved, plate.drawn(shape, slot.size))


def _label(slot: PlaceSlot, filling: Filling, run: PlateRun) -> bytes:
    setting = filling.texts.get(slot.place.name)
    label = run.labels.get((slot.index, setting))
    if label is None:
        if len(run.labels) >= _MOST:
            run.labels.clear()
        label = run.labels[slot.index, setting] = _span(slot, setting, run)
    return label


def _span(slot: PlaceSlot, setting: Setting | None, run: PlateRun) -> bytes:
    head = b"/Span<</MCID %d>>BDC " % run.plate.mcids[slot.index]
    if setting is None:
        return head + b"EMC\n"
    role = setting.role or slot.place.role
    style = run.plate.style(role)
    heading = run.plate.style(f"{role}-head") if setting.heads else None
    text = run.compositor.block(setting, style, slot.size, slot.at, tall=slot.tall, head=heading)
    return b"%s%s EMC\n" % (head, text)


def _printed(slot: PlaceSlot, filling: Filling, run: PlateRun) -> bytes:
    """Return what stands in a field, drawn where its widget would be."""
    name, drawn = slot.place.name, b""
    if slot.style is None:
        if shape := filling.ticks.get(name):
            drawn = b"q %s%s Do Q " % (slot.moved, run.on_page(shape, slot.size))
    elif setting := filling.texts.get(name):
        style = run.plate.style(setting.role) if setting.role else slot.style
        text = run.compositor.block(setting, style, slot.size, slot.at, tall=slot.tall)
        drawn = b"q %s re W n %s Q " % (pdf_numbers(*slot.at, *slot.size), text)
    return b"/Form<</MCID %d>>BDC %sEMC\n" % (run.plate.flat_mcids[slot.index], drawn)
