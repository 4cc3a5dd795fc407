"""What stands in fields, spelt: the last parts of their widgets, and what these look like."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Final

from sheetgen.model.prints import Filling, Setting
from sheetgen.render.pdf.pdf_file import LEVEL, PdfWriter
from sheetgen.render.pdf.syntax import text_string
from sheetgen.render.press.appearances import Style
from sheetgen.render.press.live_fields import flagged, several
from sheetgen.render.press.plate_runs import PlateRun
from sheetgen.render.press.slots import PlaceSlot

_LONG: Final = 160
"""Bytes from which on an appearance is compressed; the words for it take twenty."""

_MOST: Final = 4000
"""Texts that are kept. Most of a sheet stands on others, too, or on it twice: few are new."""


class FieldTails:
    """The fields of one plate in one document; equal ones look alike by one object.

    A text field that is empty has no appearance: there is nothing to see, a viewer makes
    one when something is typed, and three hundred of them would be a third of the file.
    """

    def __init__(self, run: PlateRun, file: PdfWriter, empty: int) -> None:
        """Begin a document; `empty` is the number of a form that draws nothing."""
        self._run, self._file, self._empty = run, file, empty
        self._known: dict[tuple[int, Setting], bytes] = {}
        self._ticked: dict[tuple[str, bool, tuple[float, float]], bytes] = {}
        self._order = {slot.place.name: n for n, slot in enumerate(run.plate.fields)}
        self._unfilled = [self._of_empty(slot) for slot in run.plate.fields]
        self._acting = [(n, slot.acts) for n, slot in enumerate(run.plate.fields) if slot.acts]
        run.typed |= run.plate.field_faces

    def of(self, filling: Filling, acts: Mapping[str, bytes]) -> list[bytes]:
        """Return the tails of the plate's fields, in their order.

        Args:
            filling: Of a leaf.
            acts: What fields do by themselves; see `Calculation.acts`.
        """
        tails, order = self._unfilled.copy(), self._order
        for name, shape in filling.ticks.items():
            at = order[name]
            tails[at] = self._of_tick(shape, self._run.plate.fields[at].size, on=True)
        known, slots = self._known, self._run.plate.texts
        for name, setting in filling.texts.items():
            slot = slots.get(name)
            if slot is not None:
                tail = known.get((slot.look, setting))
                tails[order[name]] = self._of_text(slot, setting) if tail is None else tail
        if acts:
            for at, what in self._acting:
                tails[at] = acts[what] + tails[at]
        return tails

    def _of_empty(self, slot: PlaceSlot) -> bytes:
        return (
            self._of_tick(slot.on, slot.size, on=False) if slot.style is None else slot.blank_tail
        )

    def _of_tick(self, shape: str, size: tuple[float, float], *, on: bool) -> bytes:
        tail = self._ticked.get((shape, on, size))
        if tail is None:
            state = b"/On" if on else b"/Off"
            form = b"/AP<</N<</On %d 0 R/Off %d 0 R>>>>/AS%s/V%s/DV%s>>"
            tail = form % (self._run.shape(shape, size), self._empty, state, state, state)
            self._ticked[shape, on, size] = tail
        return tail

    def _of_text(self, slot: PlaceSlot, setting: Setting) -> bytes:
        """Write what a text looks like, and return the tail of fields of this look with it."""
        plate, run = self._run.plate, self._run
        style = plate.style(setting.role) if setting.role else slot.style
        assert style is not None
        run.typed.add(style.role.face)
        here = self._file.take()
        self._file.stream(here, self._appearance(slot, setting, style))
        # A viewer that sets a one-line field anew would run the lines together.
        lines = len(setting.lines) > 1 or slot.tall
        value = text_string(setting.value)
        tail = b"/AP<</N %d 0 R>>%s%s%s/V%s/DV%s>>" % (
            here,
            style.quadding,
            flagged(slot.flags | several(lines)),
            plate.typed(style, setting.size),
            value,
            value,
        )
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[slot.look, setting] = tail
        return tail

    def _appearance(self, slot: PlaceSlot, setting: Setting, style: Style) -> bytes:
        run = self._run
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
