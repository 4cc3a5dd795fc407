"""What a filling adds to a leaf: the widgets' values, and drawing on the pages."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.model.prints import Filling, Setting
from sheetgen.render.appearances import Style
from sheetgen.render.live_fields import flagged, several
from sheetgen.render.pdf_file import LEVEL
from sheetgen.render.pdf_syntax import numbers, text_string
from sheetgen.render.plate_runs import PlateRun
from sheetgen.render.prepared import Prepared
from sheetgen.render.slots import Slot

_LONG: Final = 160
"""Bytes from which on an appearance is compressed; the words for it take twenty."""


def check_filling(filling: Filling, plate: Prepared) -> None:
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


def widgets(
    filling: Filling,
    run: PlateRun,
    heads: list[bytes],
    first: int,
    empty: int,
    acts: Mapping[str, bytes] | None = None,
) -> tuple[list[bytes], list[bytes]]:
    """Return the widgets in the order of the plate's fields, and their appearances.

    A text field that is empty has no appearance: there is nothing to see, a viewer makes
    one when something is typed, and three hundred of them would be a third of the file.

    Args:
        filling: Of the leaf.
        run: Of its plate.
        heads: See `LeafFrame.heads`.
        first: Number of the first appearance; there is one for each text that is filled.
        empty: Number of a form that draws nothing.
        acts: What fields do by themselves; see `Calculation.acts`.
    """
    bodies: list[bytes] = []
    appearances: list[bytes] = []
    tails: dict[tuple[str, bool, tuple[float, float]], bytes] = {}
    texts, ticks = filling.texts, filling.ticks
    for slot, head in zip(run.plate.fields, heads, strict=True):
        name = slot.place.name
        if slot.style is not None:
            setting = texts.get(name)
            if acts and slot.acts:
                head += acts[slot.acts]
            if setting is None:
                bodies.append(head + slot.blank_tail)
            else:
                style = run.plate.style(setting.role) if setting.role else slot.style
                look = b"/AP<</N %d 0 R>>" % (first + len(appearances))
                appearances.append(_appearance(setting, style, slot, run))
                bodies.append(head + look + _text_tail(setting, style, slot, run))
        else:
            on = name in ticks
            key = (ticks[name] if on else slot.on, on, slot.size)
            tail = tails.get(key)
            if tail is None:
                tail = tails[key] = _tick_tail(run.shape(key[0], slot.size), on, empty)
            bodies.append(head + tail)
    return bodies, appearances


def _tick_tail(shape: int, on: bool, empty: int) -> bytes:
    state = b"/On" if on else b"/Off"
    tail = b"/AP<</N<</On %d 0 R/Off %d 0 R>>>>/AS%s/V%s/DV%s>>"
    return tail % (shape, empty, state, state, state)


def _text_tail(setting: Setting, style: Style, slot: Slot, run: PlateRun) -> bytes:
    run.typed.add(style.role.face)
    # A viewer that sets a one-line field anew would run the lines together.
    lines = len(setting.lines) > 1 or slot.tall
    value = text_string(setting.value)
    return b"%s%s%s/V%s/DV%s>>" % (
        style.quadding,
        flagged(slot.flags | several(lines)),
        run.plate.typed(style, setting.size),
        value,
        value,
    )


def _appearance(setting: Setting, style: Style, slot: Slot, run: PlateRun) -> bytes:
    text = run.compositor.block(setting, style, slot.size, tall=slot.tall)
    content = b"/Tx BMC %s EMC" % text
    packed = b""
    if len(content) > _LONG:
        content, packed = zlib.compress(content, LEVEL), b"/Filter/FlateDecode"
    return b"%s/Resources %d 0 R%s/Length %d>>stream\n%s\nendstream" % (
        slot.form,
        run.appearance_resources,
        packed,
        len(content),
        content,
    )


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


def _frame(slot: Slot, filling: Filling, run: PlateRun) -> bytes:
    shape = filling.frames.get(slot.place.name)
    if shape is None:
        return slot.frame
    if not shape:
        return b""
    return b"q %s%s Do Q\n" % (slot.moved, run.on_page(shape, slot.size))


def _shape(slot: Slot, filling: Filling, plate: Prepared) -> bytes:
    shape = filling.marks.get(slot.place.name)
    if not shape:
        return b""
    return b"q %s %s Q\n" % (slot.moved, plate.drawn(shape, slot.size))


def _label(slot: Slot, filling: Filling, run: PlateRun) -> bytes:
    head = b"/Span<</MCID %d>>BDC " % run.plate.mcids[slot.index]
    setting = filling.texts.get(slot.place.name)
    if setting is None:
        return head + b"EMC\n"
    role = setting.role or slot.place.role
    style = run.plate.style(role)
    heading = run.plate.style(f"{role}-head") if setting.heads else None
    text = run.compositor.block(setting, style, slot.size, slot.at, tall=slot.tall, head=heading)
    return b"%s%s EMC\n" % (head, text)


def _printed(slot: Slot, filling: Filling, run: PlateRun) -> bytes:
    """Return what stands in a field, drawn where its widget would be."""
    name, drawn = slot.place.name, b""
    if slot.style is None:
        if shape := filling.ticks.get(name):
            drawn = b"q %s%s Do Q " % (slot.moved, run.on_page(shape, slot.size))
    elif setting := filling.texts.get(name):
        style = run.plate.style(setting.role) if setting.role else slot.style
        text = run.compositor.block(setting, style, slot.size, slot.at, tall=slot.tall)
        drawn = b"q %s re W n %s Q " % (numbers(*slot.at, *slot.size), text)
    return b"/Form<</MCID %d>>BDC %sEMC\n" % (run.plate.flat_mcids[slot.index], drawn)
