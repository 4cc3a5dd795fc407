"""What makes a PDF compute: its scripts, which fields act, and the controls that it gets.

A file holds the engine once and each program once; the figures of a character stand in the
action of the first field that is calculated. So a sheet goes into other files as it is, and
under other names of its fields.
"""

from __future__ import annotations

import pkgutil
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sheetgen.model.live import Live
from sheetgen.model.prints import Setting
from sheetgen.render.pdf.pdf_file import PdfWriter
from sheetgen.render.pdf.syntax import ink, pdf_numbers, pdf_string
from sheetgen.render.press.live_fields import RESET, build_field_rules
from sheetgen.render.press.plate_runs import PlateRun

_FILES: Final = ("figures", "engine", "viewer")
_REPEATED: Final = b"sheetgen(this,event)"
_KEPT: Final = (
    b"var sheetgenTyped=sheetgenTyped||{},sheetgenBefore=sheetgenBefore||{},sheetgenName="
    b"event.target.name;if(String(event.value)!==String(sheetgenTyped[sheetgenName]))"
    b"{sheetgenBefore[sheetgenName]=sheetgenName in sheetgenTyped?sheetgenTyped[sheetgenName]:"
    b"event.target.value;sheetgenTyped[sheetgenName]=event.value}"
)
"""Actions of fields; see viewer.js."""

_CAPTION: Final = "reset"

_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|(?P<comment>/\*(?s:.*?)\*/|//[^\n]*)"
    r"|(?<=[(,=:!&|?{};])\s*/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gim]*"
)
"""Texts, comments and patterns of a script; within texts and patterns nothing is a comment."""

_BLANK: Final = re.compile(r"[ \t]*\n\s*")


class Calculation:
    """The scripts of one document.

    Attributes:
        order: Numbers of the fields that are calculated, in their order.
    """

    def __init__(self, file: PdfWriter) -> None:
        self.order: list[int] = []
        self._file = file
        self._programs: dict[str, int] = {}
        self._common: dict[str, bytes] = {}
        self._buttons: dict[int, int] = {}

    def acts(self, live: Live, run: PlateRun, fields: range, *, alone: bool) -> Mapping[str, bytes]:
        """Return what the fields of a leaf do, as entries of their dictionaries.

        Args:
            live: Of the leaf.
            run: Of its plate.
            fields: Their numbers.
            alone: Whether no other leaf has fields.
        """
        rules = build_field_rules(live)
        if not self._common:
            self._begin()
        if rules.key not in self._programs:
            self._programs[rules.key] = self._script(_program(rules.program, rules.key))
        self.order += [fields[n] for n in run.plate.calculated]
        call = f'sheetgen(this,event,"{rules.key}",{live.data})'.encode("ascii")
        which = b"" if alone else b"/Fields[%s]" % b" ".join([b"%d 0 R" % n for n in fields])
        return {
            **self._common,
            "first": b"/AA<</C<</S/JavaScript/JS%s>>>>" % pdf_string(call),
            "reset": b"/AP<</N %d 0 R>>/A<</S/ResetForm%s>>" % (self._button(run), which),
        }

    def _begin(self) -> None:
        """Write what is the same in every document."""
        first = self._file.take(4)
        for number, script in enumerate((_REPEATED, _KEPT), first):
            self._file.add(number, b"<</S/JavaScript/JS%s>>" % pdf_string(script))
        self._file.add(first + 2, b"<</C %d 0 R>>" % first)
        self._file.add(first + 3, b"<</V %d 0 R/F %d 0 R>>" % (first + 1, first + 1))
        acts = {"calculated": first + 2, "typed": first + 3}
        self._common = {how: b"/AA %d 0 R" % number for how, number in acts.items()}
        self._programs[""] = self._script(_engine())

    def _script(self, packed: bytes) -> int:
        """Return the number of an action that runs a script, once the file is opened."""
        action, body = self._file.take(), self._file.take()
        head = b"<</Filter/FlateDecode/Length %d>>stream\n" % len(packed)
        self._file.stream(body, head + packed + b"\nendstream")
        self._file.add(action, b"<</S/JavaScript/JS %d 0 R>>" % body)
        return action

    def _button(self, run: PlateRun) -> int:
        """Return the number of what the button looks like, in the fonts of a plate."""
        if id(run) not in self._buttons:
            slot = run.plate.texts[RESET]
            assert slot.style is not None
            (wide, high), colours = slot.size, run.plate.plate.tokens.colours
            caption = Setting(_CAPTION, (_CAPTION,), slot.style.role.size)
            frame = b"q %s 0.5 w %s re S Q " % (
                ink(colours.get("edge", "#c0c0c0"), stroke=True),
                pdf_numbers(0.25, 0.25, wide - 0.5, high - 0.5),
            )
            content = frame + run.compositor.block(caption, slot.style, slot.size)
            here = self._buttons[id(run)] = self._file.take()
            body = b"%s/Resources %d 0 R/Length %d>>stream\n%s\nendstream"
            resources = run.appearance_resources
            self._file.stream(here, body % (slot.form, resources, len(content), content))
        return self._buttons[id(run)]

    def names(self) -> bytes:
        """Return the entry of the catalogue that leads to the scripts."""
        if not self._programs:
            return b""
        listed = sorted((b"sheetgen-" + k.encode(), n) for k, n in self._programs.items())
        found = b"".join(b"%s %d 0 R" % (pdf_string(name), number) for name, number in listed)
        return b"/Names<</JavaScript<</Names[%s]>>>>" % found

    def form(self) -> bytes:
        """Return the entry of the form that says in which order its fields are calculated."""
        if not self.order:
            return b""
        return b"/CO[%s]" % b" ".join([b"%d 0 R" % number for number in self.order])


def strip_script(script: str) -> str:
    """Return `script` without comments, blank lines and indentation."""
    found = _TOKEN.sub(lambda match: " " if match["comment"] else match[0], script)
    return _BLANK.sub("\n", found).strip()


@lru_cache(maxsize=1)
def _engine() -> bytes:
    return zlib.compress(load_engine_script().encode("ascii"), 9)


def load_engine_script() -> str:
    """Return the script that all programs need."""
    texts = (pkgutil.get_data("sheetgen.render.html", f"scripts/{name}.js") for name in _FILES)
    return "\n".join(strip_script(text.decode()) for text in texts if text is not None)


@lru_cache(maxsize=16)
def _program(program: str, key: str) -> bytes:
    return zlib.compress(f'sheetgenPrograms["{key}"]={program};'.encode("ascii"), 9)
