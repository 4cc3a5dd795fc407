"""Widget dictionary entries that depend on field values, and their appearance streams.

ISO 32000-1, 12.5.5 (appearance streams) and 12.7.4 (field types).
"""

from __future__ import annotations

import pkgutil
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sheetgen.model.prints import Filling, Live, Setting
from sheetgen.render.pdf.pdf_file import LEVEL, PdfWriter, ink, pdf_numbers, pdf_string, text_string
from sheetgen.render.press.document import list_references
from sheetgen.render.press.page_objects import PlateResources
from sheetgen.render.press.prepared import RESET, PlaceSlot, build_field_rules, flagged, several

# Appearance streams of more bytes are compressed; the filter's entry takes twenty.
_LONG: Final = 160
_MOST: Final = 4000  # texts of a document whose entries are kept


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
            self._of_tick(slot.on, slot.size, on=False) if not slot.style else slot.empty_entries
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
        if (shape, on, size) not in self._ticked:
            state = b"/On" if on else b"/Off"
            entry = b"/AP<</N<</On %d 0 R/Off %d 0 R>>>>/AS%s/V%s/DV%s>>"
            entry %= (self._resources.shape(shape, size), self._empty, state, state, state)
            self._ticked[shape, on, size] = entry
        return self._ticked[shape, on, size]

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
        packed, used = b"", resources.appearance_resources
        if len(content) > _LONG:
            content, packed = zlib.compress(content, LEVEL), b"/Filter/FlateDecode"
        stream = b"%s/Resources %d 0 R%s/Length %d>>stream\n%s\nendstream"
        stream %= (slot.form_head, used, packed, len(content), content)
        # A viewer that sets a one-line field anew would run the lines together.
        flags = flagged(slot.flags | several(len(setting.lines) > 1 or slot.tall))
        appearance = plate.default_appearance(style, setting.size)
        value = text_string(setting.value)
        rest = b"%s%s%s/V%s/DV%s>>" % (style.quadding, flags, appearance, value, value)
        return stream, rest, style.role.face


_FILES: Final = ("figures", "engine", "viewer")
# Actions of calculated and of typed fields; see viewer.js.
_CALCULATE: Final = b"sheetgen(this,event)"
_VALIDATE: Final = (
    b"var sheetgenTyped=sheetgenTyped||{},sheetgenBefore=sheetgenBefore||{},sheetgenName="
    b"event.target.name;if(String(event.value)!==String(sheetgenTyped[sheetgenName]))"
    b"{sheetgenBefore[sheetgenName]=sheetgenName in sheetgenTyped?sheetgenTyped[sheetgenName]:"
    b"event.target.value;sheetgenTyped[sheetgenName]=event.value}"
)

_CAPTION: Final = "reset"
# Strings, comments and regular expressions of a script; strings may contain `//`.
_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|(?P<comment>/\*(?s:.*?)\*/|//[^\n]*)"
    r"|(?<=[(,=:!&|?{};])\s*/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gim]*"
)
_BLANK: Final = re.compile(r"[ \t]*\n\s*")


class Calculation:
    """The scripts and actions of one document (ISO 32000-1, 12.6.3, 12.6.4.16, 12.7.2)."""

    def __init__(self, file: PdfWriter) -> None:
        self.order: list[int] = []  # numbers of the calculated fields, in order of calculation
        self._file = file
        self._programs: dict[str, int] = {}
        self._common: dict[str, bytes] = {}
        self._buttons: dict[int, int] = {}

    def build_actions(
        self, live: Live, resources: PlateResources, fields: range, *, alone: bool
    ) -> Mapping[str, bytes]:
        """Return the action entries of a sheet's widgets: `first`, `calculated`, `typed`, `reset`.

        Args:
            live: Of the sheet.
            resources: Of its plate.
            fields: Numbers of its fields.
            alone: Whether no other sheet in the file has fields.
        """
        rules = build_field_rules(live)
        if not self._common:
            self._write_common()
        if rules.key not in self._programs:
            self._programs[rules.key] = self._script(_program(rules.program, rules.key))
        self.order += [fields[n] for n in resources.plate.calculated]
        call = f'sheetgen(this,event,"{rules.key}",{live.data})'.encode("ascii")
        which = b"" if alone else b"/Fields[%s]" % list_references(fields)
        return {
            **self._common,
            "first": b"/AA<</C<</S/JavaScript/JS%s>>>>" % pdf_string(call),
            "reset": b"/AP<</N %d 0 R>>/A<</S/ResetForm%s>>" % (self._button(resources), which),
        }

    def _write_common(self) -> None:
        """Write the engine, and the actions that all sheets share."""
        first = self._file.take(4)
        for number, script in enumerate((_CALCULATE, _VALIDATE), first):
            self._file.add(number, b"<</S/JavaScript/JS%s>>" % pdf_string(script))
        self._file.add(first + 2, b"<</C %d 0 R>>" % first)
        self._file.add(first + 3, b"<</V %d 0 R/F %d 0 R>>" % (first + 1, first + 1))
        actions = ("calculated", first + 2), ("typed", first + 3)
        self._common = {how: b"/AA %d 0 R" % number for how, number in actions}
        self._programs[""] = self._script(_engine())

    def _script(self, packed: bytes) -> int:
        """Write a compressed script and its action; return the action's number."""
        action, body = self._file.take(), self._file.take()
        head = b"<</Filter/FlateDecode/Length %d>>stream\n" % len(packed)
        self._file.stream(body, head + packed + b"\nendstream")
        self._file.add(action, b"<</S/JavaScript/JS %d 0 R>>" % body)
        return action

    def _button(self, resources: PlateResources) -> int:
        """Return the number of the reset button's appearance stream, in the fonts of a plate."""
        if id(resources) not in self._buttons:
            slot = resources.plate.texts[RESET]
            assert slot.style is not None
            (wide, high), colours = slot.size, resources.plate.plate.tokens.colours
            caption = Setting(_CAPTION, (_CAPTION,), slot.style.role.size)
            edge = ink(colours.get("edge", "#c0c0c0"), stroke=True)
            frame = pdf_numbers(0.25, 0.25, wide - 0.5, high - 0.5)
            text = resources.text_setter.set_text(caption, slot.style, slot.size)
            content = b"q %s 0.5 w %s re S Q %s" % (edge, frame, text)
            number = self._buttons[id(resources)] = self._file.take()
            body = b"%s/Resources %d 0 R/Length %d>>stream\n%s\nendstream"
            fonts = resources.appearance_resources
            self._file.stream(number, body % (slot.form_head, fonts, len(content), content))
        return self._buttons[id(resources)]

    def names_entry(self) -> bytes:
        """Return the catalogue's entry for document-level scripts (7.7.4)."""
        if not self._programs:
            return b""
        listed = sorted((b"sheetgen-" + k.encode(), n) for k, n in self._programs.items())
        found = b"".join(b"%s %d 0 R" % (pdf_string(name), number) for name, number in listed)
        return b"/Names<</JavaScript<</Names[%s]>>>>" % found


def strip_script(script: str) -> str:
    """Return `script` without comments, blank lines and indentation."""
    found = _TOKEN.sub(lambda match: " " if match["comment"] else match[0], script)
    return _BLANK.sub("\n", found).strip()


@lru_cache(maxsize=1)
def _engine() -> bytes:
    return zlib.compress(load_engine_script().encode("ascii"), 9)


def load_engine_script() -> str:
    """Return the script that all programs use: figures, engine, viewer."""
    texts = (pkgutil.get_data("sheetgen.render.html", f"scripts/{name}.js") for name in _FILES)
    return "\n".join(strip_script(text.decode()) for text in texts if text is not None)


@lru_cache(maxsize=16)
def _program(program: str, key: str) -> bytes:
    return zlib.compress(f'sheetgenPrograms["{key}"]={program};'.encode("ascii"), 9)
