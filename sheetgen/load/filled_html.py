"""The form of a saved HTML sheet: its inputs, and the record that its own script keeps in it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

from sheetgen.diag import read_codes
from sheetgen.load.filled import MOST_LETTERS, Raw, Refused
from sheetgen.model.filled import ON, Field

SAVED: Final = "saved"
"""The id of the script that holds what was saved, as JSON."""

_META: Final = "sheetgen-"
"""Begins the names of `meta` elements that say what the page was printed from."""

_MOST_JSON: Final = 8_000_000


def from_html(text: str) -> Raw:
    """Return the fields of an HTML sheet.

    Where its script saved it, what that says counts. Else the page is as it was printed, or
    another program wrote into its attributes: what was printed is not known.

    Raises:
        Refused: It has no form, or too much of one.
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.end()
    saved = "".join(reader.saved).strip()
    if saved:
        from sheetgen.load.filled_json import from_json

        told = from_json(saved)
        for name, field in told.fields.items():
            shown = reader.raw.fields.get(name)
            if shown is not None:
                told.fields[name] = Field(name, field.filled, field.printed, shown.box, shown.label)
        return told
    if not reader.raw.fields:
        hint = "was it printed with `--flatten`?"
        raise Refused(read_codes.NO_FORM, "no field to fill in is in this page", hint)
    return reader.raw


class _Reader(HTMLParser):
    """Collects inputs as they come."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.raw = Raw()
        self.saved: list[str] = []
        self.size = 0
        self.script = False
        self.open: dict[str, str] | None = None
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element."""
        said = {name: value or "" for name, value in attrs[:100]}
        if tag == "meta" and said.get("name", "").startswith(_META):
            key = said["name"].removeprefix(_META)
            self.raw.meta.setdefault(key, said.get("content", "")[:1000])
        elif tag == "script":
            self.script = said.get("id") == SAVED and not self.saved
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
        elif self.script:
            self._grow(data, self.saved, _MOST_JSON)

    def _grow(self, data: str, words: list[str], most: int) -> None:
        self.size = len(data) + (self.size if words else 0)
        if self.size > most:
            raise Refused(read_codes.TOO_LARGE, f"a field holds more than {most:,} letters")
        words.append(data)

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        if tag == "textarea":
            self.end()
        elif tag == "script":
            self.script = False

    def end(self) -> None:
        """End a text field, also one that the file ends in."""
        if self.open is not None and self.open.get("name"):
            words = "".join(self.words).removeprefix("\n")  # HTML drops the first line's end
            self.raw.put(
                Field(self.open["name"], words, label=self.open.get("aria-label", "")[:300])
            )
        self.open = None
