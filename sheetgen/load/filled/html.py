"""The form of a saved HTML sheet: its inputs, and the record that its own script keeps in it."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Final

from sheetgen.diag import read_codes
from sheetgen.load.bounds import pass_memory_error
from sheetgen.load.filled.raw import MOST_LETTERS, FormError, FormFields, clean_text
from sheetgen.model.filled import ON, Field

SAVED, FACTS = "saved", "sheet"
"""The ids of scripts that hold JSON: what was saved, and what the page knows of its print."""

_META: Final = "sheetgen-"
"""Begins the names of `meta` elements that say what the page was printed from."""

_MOST_JSON: Final = 8_000_000


def read_html_form(text: str) -> FormFields:
    """Return the fields of an HTML sheet.

    Attributes that differ from what the page's script saved are of a browser that saved later.

    Raises:
        Refused: It has no form, or too much of one.
    """
    from sheetgen.load.filled.json import parse_json_form, printed_in

    reader = _Reader()
    try:
        reader.feed(text)
        reader.close()
    except FormError:
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        hint = "save it again from the program that it was filled in with"
        raise FormError(read_codes.DAMAGED, "this page is damaged", hint) from None
    reader.end()
    saved = "".join(reader.scripts[SAVED]).strip()
    if saved:
        told = parse_json_form(saved)
        for name, field in told.fields.items():
            shown = reader.raw.fields.get(name)
            if shown is not None:
                later = shown.filled not in (field.filled, field.printed)
                filled = shown.filled if later else field.filled
                told.fields[name] = replace(field, filled=filled, box=shown.box, label=shown.label)
        return told
    if not reader.raw.fields:
        hint = "was it printed with `--flatten`?"
        raise FormError(read_codes.NO_FORM, "no field to fill in is in this page", hint)
    printed = printed_in("".join(reader.scripts[FACTS]))
    if printed is not None:
        for name, field in reader.raw.fields.items():
            reader.raw.fields[name] = replace(field, printed=clean_text(printed.get(name, "")))
    return reader.raw


class _Reader(HTMLParser):
    """Collects inputs as they come."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.raw = FormFields()
        self.scripts: dict[str, list[str]] = {SAVED: [], FACTS: []}
        self.size = 0
        self.script: list[str] | None = None
        self.open: dict[str, str] | None = None
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element."""
        said = {name: value or "" for name, value in attrs[:100]}
        if tag == "meta" and said.get("name", "").startswith(_META):
            key = said["name"].removeprefix(_META)
            self.raw.meta.setdefault(key, said.get("content", "")[:1000])
        elif tag == "script":
            found = self.scripts.get(said.get("id", ""))
            self.script = None if found else found  # the first of that id counts
        elif tag == "textarea":
            self.end()
            self.open, self.words = said, []
        elif tag == "input":
            self._input(said)

    def _input(self, said: dict[str, str]) -> None:
        kind, name = said.get("type", "text").lower(), said.get("name", "")
        label = said.get("aria-label", "")[:300]
        if not name or kind in ("button", "submit", "reset", "image", "file", "hidden"):
            return
        if kind == "checkbox":
            self.raw.put(Field(name, ON if "checked" in said else "", None, True, label))
        else:
            self.raw.put(Field(name, said.get("value", ""), None, label=label))

    def handle_data(self, data: str) -> None:
        """Take the words of a text field, or of what was saved."""
        if self.open is not None:
            self._grow(data, self.words, MOST_LETTERS)
        elif self.script is not None:
            self._grow(data, self.script, _MOST_JSON)

    def _grow(self, data: str, words: list[str], most: int) -> None:
        self.size = len(data) + (self.size if words else 0)
        if self.size > most:
            raise FormError(read_codes.TOO_LARGE, f"a field holds more than {most:,} letters")
        words.append(data)

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        if tag == "textarea":
            self.end()
        elif tag == "script":
            self.script = None

    def end(self) -> None:
        """End a text field, also one that the file ends in."""
        if self.open is not None and self.open.get("name"):
            words = "".join(self.words).removeprefix("\n")  # HTML drops the first line's end
            self.raw.put(
                Field(self.open["name"], words, label=self.open.get("aria-label", "")[:300])
            )
        self.open = None
