"""Widget dictionary entries that depend on field values, and their appearance streams.

ISO 32000-1, 12.5.5 (appearance streams) and 12.7.4 (field types).
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Final

from sheetgen.model.prints import Filling, Setting
from sheetgen.render.pdf.pdf_file import LEVEL, PdfWriter
from sheetgen.render.pdf.syntax import text_string
from sheetgen.render.press.live_fields import flagged, several
from sheetgen.render.press.plate_resources import PlateResources
from sheetgen.render.press.slots import PlaceSlot

_LONG: Final = 160
"""Appearance streams of more bytes are compressed; the filter's entry takes twenty."""

_MOST: Final = 4000
"""Texts of a document whose entries are kept."""


class WidgetEntries:
    """The widgets of one plate in one document; equal values share an appearance stream.

    An empty text field has no appearance stream: a viewer makes one when something is typed,
    and three hundred of them would be a third of the file.
    """

    def __init__(self, resources: PlateResources, file: PdfWriter, empty: int) -> None:
        """Begin a document; `empty` is the number of a form XObject that draws nothing."""
        self._resources, self._file, self._empty = resources, file, empty
        self._written: dict[tuple[int, Setting], bytes] = {}
        self._ticked: dict[tuple[str, bool, tuple[float, float]], bytes] = {}
        self._unfilled = [
            self._of_tick(slot.on, slot.size, on=False)
            if slot.style is None
            else slot.empty_entries
            for slot in resources.plate.fields
        ]
        resources.typed |= resources.plate.field_faces

    def build(self, filling: Filling, actions: Mapping[str, bytes]) -> list[bytes]:
        """Return the last entries of the widgets of the plate's fields, in their order.

        Args:
            actions: Of fields, by key; see `Calculation.build_actions`.
        """
        entries, order = self._unfilled.copy(), self._resources.plate.order
        for name, shape in filling.ticks.items():
            index = order[name]
            size = self._resources.plate.fields[index].size
            entries[index] = self._of_tick(shape, size, on=True)
        written, slots = self._written, self._resources.plate.texts
        for name, setting in filling.texts.items():
            slot = slots.get(name)
            if slot is not None:
                entry = written.get((slot.appearance_key, setting))
                entries[order[name]] = self._of_text(slot, setting) if entry is None else entry
        if actions:
            for index, action in self._resources.plate.acting:
                entries[index] = actions[action] + entries[index]
        return entries

    def _of_tick(self, shape: str, size: tuple[float, float], *, on: bool) -> bytes:
        entry = self._ticked.get((shape, on, size))
        if entry is None:
            state = b"/On" if on else b"/Off"
            form = b"/AP<</N<</On %d 0 R/Off %d 0 R>>>>/AS%s/V%s/DV%s>>"
            entry = form % (self._resources.shape(shape, size), self._empty, state, state, state)
            self._ticked[shape, on, size] = entry
        return entry

    def _of_text(self, slot: PlaceSlot, setting: Setting) -> bytes:
        """Write the appearance stream of a text; return the entries of fields that have it."""
        resources = self._resources
        key = slot.appearance_key, setting, resources.appearance_resources
        stream, rest, face = resources.text_setter.written_once(
            resources.plate.widget_cache, key, self._appearance, slot, setting
        )
        resources.typed.add(face)
        number = self._file.take()
        self._file.stream(number, stream)
        entry: bytes = b"/AP<</N %d 0 R>>%s" % (number, rest)
        if len(self._written) >= _MOST:
            self._written.clear()
        self._written[slot.appearance_key, setting] = entry
        return entry

    def _appearance(self, slot: PlaceSlot, setting: Setting) -> tuple[bytes, bytes, str]:
        """Return the appearance stream of a text, the entries beside it, and the text's face."""
        plate, resources = self._resources.plate, self._resources
        style = plate.style(setting.role) if setting.role else slot.style
        assert style is not None
        text = resources.text_setter.set_text(setting, style, slot.size, tall=slot.tall)
        content = b"/Tx BMC %s EMC" % text
        packed = b""
        if len(content) > _LONG:
            content, packed = zlib.compress(content, LEVEL), b"/Filter/FlateDecode"
        stream = b"%s/Resources %d 0 R%s/Length %d>>stream\n%s\nendstream" % (
            slot.form_head,
            resources.appearance_resources,
            packed,
            len(content),
            content,
        )
        # A viewer that sets a one-line field anew would run the lines together.
        lines = len(setting.lines) > 1 or slot.tall
        value = text_string(setting.value)
        rest = b"%s%s%s/V%s/DV%s>>" % (
            style.quadding,
            flagged(slot.flags | several(lines)),
            plate.default_appearance(style, setting.size),
            value,
            value,
        )
        return stream, rest, style.role.face
