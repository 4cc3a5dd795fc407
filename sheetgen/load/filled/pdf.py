"""Read the form of a PDF as any program saved it: names, printed and filled values of fields."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any, Final

from sheetgen.diag import read_codes
from sheetgen.load.bounds import pass_memory_error
from sheetgen.load.filled.raw import MOST_LETTERS, FormError, FormFields
from sheetgen.model.filled import ON, Field

MOST_DEPTH: Final = 40
MOST_NODES: Final = 2_000_000
"""Fields, groups of fields and widgets; it bounds the time on systems that do not."""

NODES_AT_ONCE: Final = 40_000
"""Nodes after which the file is opened again, since pikepdf keeps each object in memory."""

_READ: Final = ("/FT", "/V", "/DV", "/Ff", "/TU")
"""The entries of a field that are read; fields inherit them from groups."""

_BUTTON: Final = 1 << 16
"""The flag of a button without a value."""

_HINT: Final = "save it again from the program that it was filled in with"


def read_pdf_form(content: bytes) -> FormFields:
    """Return the fields of a PDF; XFA forms are not read.

    Raises:
        FormError: The PDF is damaged, locked or too large, or has no form.
    """
    raw = FormFields()
    walk = _Walk(raw)
    while walk.left:
        pdf = _opened(content)
        with pdf:
            try:
                raw.meta = raw.meta or _meta(pdf)
                walk.form(pdf.Root.get("/AcroForm"))
            except FormError:
                raise
            except Exception as error:  # noqa: BLE001 - libraries raise anything
                pass_memory_error(error)
                message = "the form of this PDF cannot be read"
                raise FormError(read_codes.DAMAGED, message, _HINT) from None
    if not raw.fields:
        known = "it was printed from `" + raw.meta["ruleset"] + "`" if "ruleset" in raw.meta else ""
        message = "no field to fill in is in this PDF" + (f"; {known}" if known else "")
        raise FormError(read_codes.NO_FORM, message, "was it flattened, or printed to a file?")
    if walk.has_printed:
        raw.fields = {n: replace(f, printed=f.printed or "") for n, f in raw.fields.items()}
    return raw


def _opened(content: bytes) -> Any:
    import pikepdf

    try:
        return pikepdf.open(
            io.BytesIO(content),
            attempt_recovery=False,
            suppress_warnings=True,
            inherit_page_attributes=False,  # which would load every page
        )
    except pikepdf.PasswordError:
        raise FormError(
            read_codes.NEEDS_PASSWORD, "it asks for a password", "save it without one"
        ) from None
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        if b"%PDF-" not in content[:1024]:
            hint = "name the PDF, the page or the JSON that was filled in"
            raise FormError(read_codes.DAMAGED, "this is no PDF", hint) from None
        raise FormError(read_codes.DAMAGED, "this PDF is damaged, or cut off", _HINT) from None


def _meta(pdf: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    info = pdf.trailer.get("/Info")
    for key in ("ruleset", "version", "character", "source"):
        value = info.get(f"/sheetgen_{key}") if _is_dictionary(info) else None
        if value is not None:
            found[key] = _text(value)[:1000]
    return found


class _Walk:
    """Walks the tree of fields, over several openings of the file.

    Attributes:
        left: Whether there are more fields to read, after the file is opened again.
        tops: The number of top-level fields that were read.
        has_printed: Whether some field records what was printed (`/DV`).
    """

    def __init__(self, raw: FormFields) -> None:
        self.raw = raw
        self.seen: set[tuple[int, int]] = set()
        self.count = 0
        self.tops = 0
        self.left = True
        self.has_printed = False

    def form(self, form: Any) -> None:
        """Read top-level fields until pikepdf holds much of the file in memory."""
        tops = _listed(form.get("/Fields")) if _is_dictionary(form) else []
        most = self.count + NODES_AT_ONCE
        while self.tops < len(tops) and self.count < most:
            self.node(tops[self.tops], "", {}, 0)
            self.tops += 1
        self.left = self.tops < len(tops)

    def node(self, node: Any, above: str, inherited: dict[str, Any], depth: int) -> None:
        """Read a field or a group of fields; `inherited` are the entries of the groups above."""
        self.count += 1
        if depth > MOST_DEPTH or self.count > MOST_NODES:
            raise FormError(read_codes.TOO_LARGE, "its fields are nested too deep, or too many")
        if not _is_dictionary(node) or (node.objgen != (0, 0) and node.objgen in self.seen):
            return
        self.seen.add(node.objgen)
        part = _text(node.get("/T", ""))
        name = f"{above}.{part}" if above and part else above or part
        if len(name) > MOST_LETTERS:
            raise FormError(read_codes.TOO_LARGE, "the name of a field is too long")
        own = {key: value for key in _READ if (value := node.get(key)) is not None}
        kids = _listed(node.get("/Kids"))
        below = [kid for kid in kids if _is_dictionary(kid) and "/T" in kid]
        if below:
            for kid in below:
                self.node(kid, name, inherited | own, depth + 1)
        elif name:
            self.field(name, inherited | own, node, kids)

    def field(self, name: str, values: dict[str, Any], node: Any, kids: list[Any]) -> None:
        """Add a field; its widgets are `kids`, or itself."""
        kind, flags = str(values.get("/FT", "")), values.get("/Ff", 0)
        label = _text(values["/TU"])[:300] if "/TU" in values else ""
        if kind in ("/Tx", "/Ch"):
            printed = _text(values["/DV"]) if "/DV" in values else None
            filled = _text(values["/V"]) if "/V" in values else ""
            self.raw.put(Field(name, filled, printed, label=label))
        elif kind == "/Btn" and not (isinstance(flags, int) and flags & _BUTTON):
            printed = _mark(values["/DV"]) if "/DV" in values else None
            state = values.get("/V")
            if state is None:  # some programs set only what the box looks like
                states = [one.get("/AS") for one in (node, *kids) if _is_dictionary(one)]
                state = next((s for s in states if s is not None and _mark(s)), None)
            self.raw.put(Field(name, _mark(state), printed, box=True, label=label))
        self.has_printed = self.has_printed or "/DV" in values


def _mark(value: Any) -> str:
    return ON if value is not None and _text(value).strip("/") not in ("", "Off") else ""


def _is_dictionary(value: Any) -> bool:
    import pikepdf

    return isinstance(value, pikepdf.Dictionary)


def _listed(value: Any) -> list[Any]:
    import pikepdf

    return list(value) if isinstance(value, pikepdf.Array) else []


def _text(value: Any) -> str:
    """Return the text of a string, name, number, or of the first items of an array."""
    import pikepdf

    if isinstance(value, pikepdf.Stream):
        if int(value.get("/Length", 0)) > 4 * MOST_LETTERS:
            raise FormError(
                read_codes.TOO_LARGE, f"a field holds more than {MOST_LETTERS:,} letters"
            )
        return str(pikepdf.String(value.read_raw_bytes()))
    if isinstance(value, pikepdf.Array):
        return ", ".join(
            _text(one) for one in list(value)[:100] if not isinstance(one, pikepdf.Array)
        )
    if isinstance(value, pikepdf.Dictionary):
        return ""
    return str(value)
