"""Read files that were filled in (PDF, HTML or JSON) as sheets of fields; they are untrusted."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from sheetgen.diag import codes, read_codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.bounds import MEGABYTES, SECONDS, BoundExceeded, run_bounded
from sheetgen.load.files import note_read
from sheetgen.load.filled.raw import MOST_FIELDS, FormError, FormFields
from sheetgen.model.filled import NAME, Field, FilledSheet

MOST_BYTES: Final = 128_000_000
MOST_SECONDS: Final = 60
"""Processor time for the largest PDF, with hundreds of joined sheets."""

HTML_MEGABYTES: Final = 384
"""Memory for reading a page."""

_SPLIT: Final = "is this the right file? if many sheets are joined in it, save them in several"

_PART: Final = re.compile(r"(c[1-9][0-9]{0,5})\.(.+)", re.DOTALL)

_KINDS: Final = {".pdf": "pdf", ".html": "html", ".htm": "html", ".json": "json"}
_DAMAGED: Final = re.compile("[\uf000-\uf8ff]")
"""Private-use letters: pictures (U+1F000 to U+1F8FF) that lost their upper bits."""


def read_filled(path: Path) -> Checked[tuple[FilledSheet, ...]]:
    """Return the sheets in the file at `path`."""
    note_read(path)
    span = Span(str(path))
    try:
        content = _bytes(path)
        kind = _kind(content, path)
        sheet = _sheet_of_data(content, path) if kind == "data" else b""
        if not kind and path.suffix.lower() in (".yaml", ".yml"):
            hint = f"write `--into {path}` if the sheet goes into this file"
            raise FormError(read_codes.NOT_OURS, "this is no filled sheet", hint)
        if kind in ("pdf", "data"):
            import pikepdf  # noqa: F401 - once here, not once in each child process
        most = HTML_MEGABYTES if kind == "html" else MEGABYTES
        return run_bounded(lambda: _sheets(content, kind, span, sheet), most, pdf_time_limit(path))
    except FormError as refused:
        return Checked(None, (refused.finding(span),))
    except BoundExceeded as error:
        finding = Finding(read_codes.TOO_LARGE, span, str(error), _SPLIT)
        return Checked(None, (finding,))


def pdf_time_limit(path: Path) -> int:
    """Return the processor time for reading and merging the file at `path`, in seconds."""
    megabytes = path.stat().st_size // 1_000_000 if path.suffix.lower() == ".pdf" else 0
    return min(SECONDS + 2 * megabytes, MOST_SECONDS)


def _sheet_of_data(content: bytes, path: Path) -> bytes:
    """Return the PDF beside form data: the one that it names, or one that is called like it."""
    from sheetgen.load.filled.form_data import parse_form_data, sheet_name

    data = run_bounded(lambda: parse_form_data(content))
    names = dict.fromkeys(filter(None, (sheet_name(data), f"{path.stem}.pdf")))
    for name in names:
        sheet = path.parent / name
        if sheet.suffix.lower() == ".pdf" and sheet.is_file():
            note_read(sheet)
            return _bytes(sheet)
    message = "this is form data, which does not say what was printed; its sheet is not beside it"
    hint = f"put the PDF beside it as `{next(iter(names))}`, or save the filled PDF and read that"
    raise FormError(read_codes.NOT_OURS, message, hint)


def _sheets(
    content: bytes, kind: str, span: Span, sheet: bytes
) -> Checked[tuple[FilledSheet, ...]]:
    """Return the sheets in `content`; an error becomes a finding, which can be pickled."""
    try:
        raw = _read(content, kind, sheet)
        damaged = _damaged_letters(raw, span) if kind == "pdf" else ()
        return Checked(_split_sheets(raw, span.file), (*_dropped_letters(raw, span.file), *damaged))
    except FormError as refused:
        return Checked(None, (refused.finding(span),))


def _dropped_letters(raw: FormFields, file: str) -> Iterator[Finding]:
    """Yield warnings about characters that were dropped or replaced."""
    for label, letters in raw.dropped.items():
        names = ", ".join(f"U+{ord(letter):04X}" for letter in letters[:5])
        more = " and others" if len(letters) > 5 else ""
        message = f"{label}: {names}{more} cannot be kept: no text file of a character holds it"
        hint = "type the text again without it if something is missing"
        yield Finding(read_codes.DROPPED, Span(file), message, hint, Severity.WARNING)


def _damaged_letters(raw: FormFields, span: Span) -> Iterator[Finding]:
    """Yield warnings about letters that a viewer cut to 16 bits, such as U+F409 for a dragon."""
    sheets = (raw.fields, *(fields for _, fields in raw.sheets.values()))
    for name, one in (pair for fields in sheets for pair in fields.items()):
        letters = sorted(set(_DAMAGED.findall(one.filled)) - set(one.printed or ""))
        if letters:
            names = ", ".join(f"U+{ord(c):04X} (perhaps {chr(0x10000 + ord(c))})" for c in letters)
            message = (
                f"{one.label or name}: no font shows {names}; some viewers damage such letters"
            )
            hint = "it is kept as it came; correct it in the character's file"
            yield Finding(read_codes.DROPPED, span, message, hint, Severity.WARNING)


def _bytes(path: Path) -> bytes:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FormError(codes.UNREADABLE, "this is not a file", "check the path")
            content = file.read(MOST_BYTES + 1)
    except IsADirectoryError:
        message = "this is a folder, not a file"
        raise FormError(codes.UNREADABLE, message, "check the path") from None
    except FileNotFoundError:
        raise FormError(codes.UNREADABLE, "there is no such file", "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not a legal one"
        message = f"cannot read it: {reason.lower()}"
        raise FormError(codes.UNREADABLE, message, "check the path") from None
    if len(content) > MOST_BYTES:
        message = f"more than {MOST_BYTES // 1_000_000} MB"
        raise FormError(read_codes.TOO_LARGE, message, "is this the right file?")
    return content


def _kind(content: bytes, path: Path) -> str:
    """Return the format of a file: by its first bytes, or else by its suffix."""
    begins = content[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    kind = _KINDS.get(path.suffix.lower(), "")
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if b"%FDF-" in content[:1024] or b"<xfdf" in content[:1024]:
        return "data"
    return {b"<": "html", b"{": "json"}.get(begins[:1], kind)


def _read(content: bytes, kind: str, sheet: bytes) -> FormFields:
    """Return the fields of a file; `sheet` is the PDF of form data."""
    if kind == "data":
        from sheetgen.load.filled.form_data import fill_in, parse_form_data

        return fill_in(parse_form_data(content), sheet)
    if kind == "pdf":
        from sheetgen.load.filled.pdf import read_pdf_form  # it brings an engine

        return read_pdf_form(content)
    if kind == "html":
        from sheetgen.load.filled.html import read_html_form

        return read_html_form(_text(content))
    if kind == "json":
        from sheetgen.load.filled.json import parse_json_form

        return parse_json_form(_text(content))
    hint = "give a filled PDF, what an HTML sheet saved, or a photo as JPEG, PNG or WebP"
    raise FormError(read_codes.NOT_OURS, "this is no filled sheet", hint)


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"byte 0x{content[error.start]:02x} is not UTF-8 text"
        raise FormError(codes.NOT_UTF8, message, "save it again, as UTF-8") from None


def _split_sheets(raw: FormFields, file: str) -> tuple[FilledSheet, ...]:
    """Return the sheets; in a file of several the names of fields begin with `c1.`, `c2.`.

    Fields of a PDF say which sheet they are of.
    """
    if raw.sheets:
        several = len(raw.sheets) > 1
        return tuple(
            _sheet(meta, file, meta.get("part") or (str(number) if several else ""), fields)
            for number, (meta, fields) in enumerate(raw.sheets.values(), start=1)
        )
    matches = {name: _PART.fullmatch(name) for name in raw.fields}
    if not all(matches.values()) or "fields" in raw.meta:
        return (_sheet(raw.meta, file, "", raw.fields),)
    parts: dict[str, dict[str, Field]] = {}
    for name, match in matches.items():
        assert match is not None
        old = raw.fields[name]
        one = Field(match[2], old.filled, old.printed, old.box, old.label)
        parts.setdefault(match[1], {})[match[2]] = one
    if not parts:
        return (_sheet(raw.meta, file, "", {}),)
    return tuple(_sheet(raw.meta, file, part, fields) for part, fields in parts.items())


def _sheet(
    meta: Mapping[str, str], file: str, part: str, fields: Mapping[str, Field]
) -> FilledSheet:
    if len(fields) > MOST_FIELDS:
        raise FormError(read_codes.TOO_LARGE, f"more than {MOST_FIELDS:,} fields in one sheet")
    ruleset, version, character, digest = (
        meta.get(key, "") for key in ("ruleset", "version", "character", "source")
    )
    if "character" not in meta and (name := fields.get(NAME)) is not None:
        character = (name.printed if name.printed is not None else name.filled).strip()
    count = meta.get("fields", "")
    printed = int(count) if count.isascii() and count.isdecimal() and len(count) < 7 else 0
    return FilledSheet(file, part, ruleset, version, character, digest, fields, printed)
