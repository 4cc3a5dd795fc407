"""The fields of a filled file before it is split into sheets, with bounds on their size."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from sheetgen.bounds import pass_memory_error
from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Finding, Span
from sheetgen.model.filled import OURS, Field

MOST_FIELDS: Final = 20_000
"""Fields of one sheet; ours have fewer than 1,000. Joined sheets are bounded by time."""

MOST_LETTERS: Final = 100_000
MOST_IN_ALL: Final = 30_000_000
"""Letters in all fields of a file."""

_UNFIT: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_BREAKS: Final = re.compile("\r\n|[\r\x85\u2028\u2029]")
_ODD_BREAKS: Final = re.compile("[\x85\u2028\u2029]")
SEPARATELY: Final = "read the sheets as they were before another program joined or copied them"


@dataclass
class FormFields:
    """The fields of a file.

    Attributes:
        meta: `ruleset`, `version`, `character`, `source`, as far as the file has them.
        fields: The fields by name; those of sheets that are known by their identity are in
            `sheets`, with the meta of each.
        dropped: Characters of a field that no author's file can hold, by the label of the field.
    """

    meta: dict[str, str] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    sheets: dict[str, tuple[dict[str, str], dict[str, Field]]] = field(default_factory=dict)
    letters: int = 0
    dropped: dict[str, list[str]] = field(default_factory=dict)

    def put(self, one: Field, sheet: str = "") -> None:
        """Add a field, to the sheet with the key `sheet` if that is known.

        Of two fields with one name, as in two copies of a page, the one that was filled in counts.

        Raises:
            FormError: The field, or all fields together, are too long, or two fields of one name
                differ.
        """
        if max(len(one.filled), len(one.printed or ""), len(one.name)) > MOST_LETTERS:
            what = one.name[:60]
            raise FormError(codes.TOO_LARGE, f"`{what}` holds more than {MOST_LETTERS:,} letters")
        self.letters += len(one.filled) + len(one.printed or "") + len(one.name)
        if self.letters > MOST_IN_ALL:
            raise FormError(codes.TOO_LARGE, f"more than {MOST_IN_ALL:,} letters in all fields")
        name = clean_text(one.name)
        if name.startswith(OURS) or not name:
            return
        printed = None if one.printed is None else clean_text(one.printed)
        label = clean_text(one.label)
        new = Field(name, clean_text(one.filled), printed, one.box, label)
        fields = self.sheets.setdefault(sheet, ({}, {}))[1] if sheet else self.fields
        if (old := fields.get(name)) is not None:
            typed = old.filled != (old.printed or ""), new.filled != (new.printed or "")
            differs = (old.printed or "") != (new.printed or "")
            if differs or (all(typed) and old.filled != new.filled):
                both = f"{_quoted(old)} and {_quoted(new)}"
                message = f"{label or name} is in this file twice: {both}"
                raise FormError(codes.MIXED_SHEETS, message, SEPARATELY)
            if not typed[1]:
                return
        fields[name] = new
        if dropped := sorted(set(_UNFIT.findall(one.filled) + _ODD_BREAKS.findall(one.filled))):
            self.dropped[label or name] = dropped


def _quoted(one: Field) -> str:
    """Return what was filled in, for a message."""
    if one.box:
        return "marked" if one.filled else "not marked"
    return f"`{one.filled[:40]}`" if one.filled else "nothing"


class FormError(Exception):
    """A filled file that cannot be read; the message says why."""

    def __init__(self, code: Code, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code, self.hint = code, hint

    def __reduce__(self) -> tuple[type[FormError], tuple[Code, str, str]]:
        """Return how the error is made again, in the process that waits for the reading one."""
        return FormError, (self.code, str(self), self.hint)

    def finding(self, span: Span) -> Finding:
        """Return the error as a finding about the file at `span`."""
        return Finding(self.code, span, str(self), self.hint)


@contextlib.contextmanager
def refuse_damaged(message: str, hint: str) -> Iterator[None]:
    """Turn what a library raises in the block, which may be anything, into a `FormError`."""
    try:
        yield
    except FormError:
        raise
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        raise FormError(codes.DAMAGED, message, hint) from None


def clean_text(text: str) -> str:
    """Return `text` with plain line ends, without characters that no author's file can hold."""
    return _UNFIT.sub("", _BREAKS.sub("\n", text))
