"""Read form data that PDF programs export, FDF and XFDF, with the sheet that it belongs to.

Form data holds the values of fields and the name of its PDF, but neither what was printed nor whose
sheet it is. So the PDF is read, too, from the same folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PureWindowsPath
from typing import Any, Final
from xml.parsers import expat

from sheetgen.diag import read_codes
from sheetgen.load.bounds import pass_memory_error
from sheetgen.load.filled.pdf import MOST_DEPTH, field_text, read_pdf_form
from sheetgen.load.filled.raw import MOST_FIELDS, SEPARATELY, FormError, FormFields
from sheetgen.model.filled import ON, Field

_HINT: Final = "export it again, or save the sheet itself"
_ROOT: Final = re.compile(rb"/Root\s+(\d{1,8})\s+(\d{1,5})\s+R")


@dataclass
class FormData:
    """Form data: the values of fields by name, and the name of the PDF."""

    values: dict[str, str] = field(default_factory=dict)
    sheet: str = ""

    def put(self, name: str, value: str) -> None:
        """Add a value.

        Raises:
            FormError: There are too many.
        """
        if len(self.values) >= MOST_FIELDS:
            raise FormError(read_codes.TOO_LARGE, f"more than {MOST_FIELDS:,} fields")
        self.values[name] = value


def parse_form_data(content: bytes) -> FormData:
    """Return the values in an FDF or XFDF file.

    Raises:
        FormError: It is damaged or too large, or declares entities.
    """
    data = FormData()
    try:
        if b"%FDF-" in content[:1024]:
            _read_fdf(content, data)
        else:
            _XfdfReader(data).read(content)
    except FormError:
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        raise FormError(read_codes.DAMAGED, "this form data is damaged", _HINT) from None
    return data


def sheet_name(data: FormData) -> str:
    """Return the name of the PDF of form data, without folders; empty if it has none."""
    return PureWindowsPath(data.sheet).name


def fill_in(data: FormData, sheet: bytes) -> FormFields:
    """Return the form of the PDF `sheet` with the values of form data.

    Raises:
        FormError: The PDF cannot be read, or it has several sheets.
    """
    raw = read_pdf_form(sheet)
    if raw.sheets:
        message = "this form data belongs to a PDF of several sheets"
        raise FormError(read_codes.MIXED, message, SEPARATELY)
    for name, value in data.values.items():
        old = raw.fields.pop(name, Field(name, "", ""))
        marked = ON if value.strip("/") not in ("", "Off") else ""
        raw.put(replace(old, filled=marked if old.box else value))
    return raw


def _read_fdf(content: bytes, data: FormData) -> None:
    import pikepdf

    number = _ROOT.findall(content)[-1]
    body = re.split(rb"\b%s\s+%s\s+obj\b" % number, content, maxsplit=1)[1]
    form = pikepdf.Object.parse(body.partition(b"endobj")[0].strip()).FDF
    data.sheet = field_text(form.get("/F", ""))
    for node in form.get("/Fields", ()):
        for name, value in _nodes(node, "", 0):
            data.put(name, value)


def _nodes(node: Any, above: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MOST_DEPTH:
        raise FormError(read_codes.TOO_LARGE, "its fields are nested too deep")
    name = ".".join(filter(None, (above, field_text(node.get("/T", "")))))
    if "/V" in node:
        yield name, field_text(node["/V"])
    for kid in node.get("/Kids", ()):
        yield from _nodes(kid, name, depth + 1)


class _XfdfReader:
    """Reads XFDF (ISO 19444-1); without document types there are no entities."""

    def __init__(self, data: FormData) -> None:
        self.data = data
        self.names: list[str] = []
        self.text: list[str] | None = None

    def read(self, content: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartDoctypeDeclHandler = self.refuse
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.add
        parser.Parse(content, True)

    def refuse(self, *_: Any) -> None:
        raise FormError(read_codes.DAMAGED, "this form data declares a document type", _HINT)

    def start(self, element: str, attributes: dict[str, str]) -> None:
        kind = element.rpartition(" ")[2]
        if kind == "field":
            self.names.append(attributes.get("name", ""))
            if len(self.names) > MOST_DEPTH:
                raise FormError(read_codes.TOO_LARGE, "its fields are nested too deep")
        elif kind in ("value", "value-richtext") and self.names:
            self.text = []
        elif kind == "f" and not self.names:
            self.data.sheet = attributes.get("href", "")

    def add(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)

    def end(self, element: str) -> None:
        kind = element.rpartition(" ")[2]
        if kind == "field":
            self.names.pop()
        elif kind in ("value", "value-richtext") and self.text is not None:
            self.data.put(".".join(filter(None, self.names)), "".join(self.text))
            self.text = None
