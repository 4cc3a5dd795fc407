"""Read the form of a saved HTML sheet: its inputs, and the record that its script saves in it."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import Final

from sheetgen.diag import read_codes
from sheetgen.load.bounds import pass_memory_error
from sheetgen.load.filled.raw import MOST_LETTERS, FormError, FormFields, clean_text
from sheetgen.model.filled import ON, Field

SAVED, FACTS = "saved", "sheet"
"""The ids of scripts that hold JSON: the saved fields, and the facts of the print."""

_META: Final = "sheetgen-"
"""Prefix of the `meta` elements that name what the page was printed from."""

_MOST_JSON: Final = 8_000_000


def read_html_form(text: str) -> FormFields:
    """Return the fields of an HTML sheet.

    An input that differs from what the page's script saved was saved later, by a browser.

    Raises:
        FormError: The page is damaged or too large, or has no form.
    """
    from sheetgen.load.filled.json import parse_json_form, printed_in

    reader = _SavedPageReader()
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
        form = parse_json_form(saved)
        for name, field in form.fields.items():
            shown = reader.raw.fields.get(name)
            if shown is not None:
                later = shown.filled not in (field.filled, field.printed)
                filled = shown.filled if later else field.filled
                form.fields[name] = replace(field, filled=filled, box=shown.box, label=shown.label)
        return form
    if not reader.raw.fields:
        hint = "was it printed with `--flatten`?"
        raise FormError(read_codes.NO_FORM, "no field to fill in is in this page", hint)
    printed = printed_in("".join(reader.scripts[FACTS]))
    if printed is not None:
        for name, field in reader.raw.fields.items():
            reader.raw.fields[name] = replace(field, printed=clean_text(printed.get(name, "")))
    return reader.raw


class _SavedPageReader(HTMLParser):
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
        attributes = {name: value or "" for name, value in attrs[:100]}
        if tag == "meta" and attributes.get("name", "").startswith(_META):
            key = attributes["name"].removeprefix(_META)
            self.raw.meta.setdefault(key, attributes.get("content", "")[:1000])
        elif tag == "script":
            found = self.scripts.get(attributes.get("id", ""))
            self.script = None if found else found  # the first of that id counts
        elif tag == "textarea":
            self.end()
            self.open, self.words = attributes, []
        elif tag == "input":
            self._input(attributes)

    def _input(self, attributes: dict[str, str]) -> None:
        kind, name = attributes.get("type", "text").lower(), attributes.get("name", "")
        label = attributes.get("aria-label", "")[:300]
        if not name or kind in ("button", "submit", "reset", "image", "file", "hidden"):
            return
        if kind == "checkbox":
            self.raw.put(Field(name, ON if "checked" in attributes else "", None, True, label))
        else:
            self.raw.put(Field(name, attributes.get("value", ""), None, label=label))

    def handle_data(self, data: str) -> None:
        """Collect the text of a field, or of a script."""
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
        """End a text field, also at the end of the file."""
        if self.open is not None and self.open.get("name"):
            words = "".join(self.words).removeprefix("\n")  # HTML drops the first line's end
            self.raw.put(
                Field(self.open["name"], words, label=self.open.get("aria-label", "")[:300])
            )
        self.open = None
