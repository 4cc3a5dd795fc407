"""Read files that were filled in (PDF, HTML or JSON) as sheets of fields; they are untrusted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Final, Literal, TypeAlias

from sheetgen.bounds import MEGABYTES, SECONDS, BoundExceeded, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.load.files import note_read, read_document
from sheetgen.load.filled.pdf import (
    MOST_FIELDS,
    MOST_LETTERS,
    FormError,
    FormFields,
    clean_text,
    refuse_damaged,
)
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.filled import NAME, ON, Field, FilledSheet
from sheetgen.model.source import Node, Pairs, ScalarNode, raw_text

MOST_BYTES: Final = 128_000_000
MOST_SECONDS: Final = 60
"""Processor time for the largest PDF, with hundreds of joined sheets."""

HTML_MEGABYTES: Final = 384  # memory for reading a page
_SPLIT: Final = "check the path; if many sheets are joined in the file, save them in several"

_PART: Final = re.compile(r"(c[1-9][0-9]{0,5})\.(.+)", re.DOTALL)

FilledKind: TypeAlias = Literal["pdf", "html", "json", "data"]
_KINDS: Final[dict[str, FilledKind]] = {
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
}
_DAMAGED: Final = re.compile("[\uf000-\uf8ff]")
"""Private-use letters: pictures (U+1F000 to U+1F8FF) that lost their upper bits."""

KIND = "filled sheet"  # the value of `sheetgen` in such a file
FORMAT = "1"
SAVED, FACTS = "saved", "sheet"
"""The ids of scripts that hold JSON: the saved fields, and the facts of the print."""

_META: Final = "sheetgen-"  # prefix of the `meta` elements that name what the page was printed from
_MOST_JSON: Final = 8_000_000


def read_filled(path: Path) -> Checked[tuple[FilledSheet, ...]]:
    """Return the sheets in the file at `path`."""
    note_read(path)
    span = Span(str(path))
    try:
        content = _bytes(path)
        kind = _kind(content, path)
        sheet = _sheet_of_data(content, path) if kind == "data" else b""
        if not kind and path.suffix.lower() in (".yaml", ".yml"):
            hint = f"name the filled sheet before it: `sheetgen read SHEET.pdf --into {path}`"
            raise FormError(codes.NOT_OURS, "this is no filled sheet", hint)
        if kind in ("pdf", "data"):
            import pikepdf  # noqa: F401 - once here, not once in each child process
        most = HTML_MEGABYTES if kind == "html" else MEGABYTES
        return run_bounded(lambda: _sheets(content, kind, span, sheet), most, pdf_time_limit(path))
    except FormError as refused:
        return Checked(None, (refused.finding(span),))
    except BoundExceeded as error:
        return Checked(None, (Finding(codes.TOO_LARGE, span, str(error), _SPLIT),))


def pdf_time_limit(path: Path) -> int:
    """Return the processor time for reading and merging the file at `path`, in seconds."""
    size = path.stat().st_size if path.suffix.lower() == ".pdf" and path.exists() else 0
    megabytes = size // 1_000_000
    return min(SECONDS + 2 * megabytes, MOST_SECONDS)


def _sheet_of_data(content: bytes, path: Path) -> bytes:
    """Return the PDF beside form data: the one that it names, or one that is called like it."""
    from sheetgen.load.filled.pdf import parse_form_data, sheet_name

    data = run_bounded(lambda: parse_form_data(content))
    names = dict.fromkeys(filter(None, (sheet_name(data), f"{path.stem}.pdf")))
    for name in names:
        sheet = path.parent / name
        if sheet.suffix.lower() == ".pdf" and sheet.is_file():
            note_read(sheet)
            return _bytes(sheet)
    message = "this is form data, which does not say what was printed; its sheet is not beside it"
    hint = f"put the PDF beside it as `{next(iter(names))}`, or save the filled PDF and read that"
    raise FormError(codes.NOT_OURS, message, hint)


def _sheets(
    content: bytes, kind: FilledKind | None, span: Span, sheet: bytes
) -> Checked[tuple[FilledSheet, ...]]:
    """Return the sheets in `content`; an error becomes a finding, which can be pickled."""
    try:
        raw = _read(content, kind, sheet)
        sheets = _split_sheets(raw, span.file)
    except FormError as refused:
        return Checked(None, (refused.finding(span),))
    findings: list[Finding] = []
    for label, letters in raw.dropped.items():
        names = ", ".join(f"U+{ord(letter):04X}" for letter in letters[:5])
        more = " and others" if len(letters) > 5 else ""
        message = f"{label}: {names}{more} cannot be kept: no text file of a character holds it"
        hint = "type the text again without it if something is missing"
        findings.append(Finding(codes.DROPPED, span, message, hint, Severity.WARNING))
    parts = (raw.fields, *(fields for _, fields in raw.sheets.values())) if kind == "pdf" else ()
    for name, one in (pair for fields in parts for pair in fields.items()):
        if letters := sorted(set(_DAMAGED.findall(one.filled)) - set(one.printed or "")):
            names = ", ".join(f"U+{ord(c):04X} (perhaps {chr(0x10000 + ord(c))})" for c in letters)
            label = one.label or name
            message = f"{label}: no font shows {names}; some viewers damage such letters"
            hint = "correct it in the character's file; it is kept as it came"
            findings.append(Finding(codes.DROPPED, span, message, hint, Severity.WARNING))
    return Checked(sheets, tuple(findings))


def _bytes(path: Path) -> bytes:
    read = read_document(path, MOST_BYTES)
    if read.value is not None:
        return read.value
    if read.findings[0].code is codes.TOO_MUCH:
        message = f"more than {MOST_BYTES // 1_000_000} MB"
        raise FormError(codes.TOO_LARGE, message, "check the path")
    raise FormError(codes.UNREADABLE, read.findings[0].message, "check the path")


def _kind(content: bytes, path: Path) -> FilledKind | None:
    """Return the format of a file: by its first bytes, or else by its suffix."""
    begins = content[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    kind = _KINDS.get(path.suffix.lower())
    if b"%PDF-" in content[:1024]:
        return "pdf"
    if b"%FDF-" in content[:1024] or b"<xfdf" in content[:1024]:
        return "data"
    by_start: dict[bytes, FilledKind] = {b"<": "html", b"{": "json"}
    return by_start.get(begins[:1], kind)


def _read(content: bytes, kind: FilledKind | None, sheet: bytes) -> FormFields:
    """Return the fields of a file; `sheet` is the PDF of form data."""
    if kind == "data":
        from sheetgen.load.filled.pdf import fill_in, parse_form_data

        return fill_in(parse_form_data(content), sheet)
    if kind == "pdf":
        from sheetgen.load.filled.pdf import read_pdf_form  # it brings an engine

        return read_pdf_form(content)
    if kind == "html":
        return read_html_form(_text(content))
    if kind == "json":
        return parse_json_form(_text(content))
    hint = "give a filled PDF, what an HTML sheet saved, or a photo as JPEG, PNG or WebP"
    raise FormError(codes.NOT_OURS, "this is no filled sheet", hint)


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
        one = replace(raw.fields[name], name=match[2])
        parts.setdefault(match[1], {})[match[2]] = one
    if not parts:
        return (_sheet(raw.meta, file, "", {}),)
    return tuple(_sheet(raw.meta, file, part, fields) for part, fields in parts.items())


def _sheet(
    meta: Mapping[str, str], file: str, part: str, fields: Mapping[str, Field]
) -> FilledSheet:
    if len(fields) > MOST_FIELDS:
        raise FormError(codes.TOO_LARGE, f"more than {MOST_FIELDS:,} fields in one sheet")
    ruleset, version, character, digest = (
        meta.get(key, "") for key in ("ruleset", "version", "character", "source")
    )
    if "character" not in meta and (name := fields.get(NAME)) is not None:
        character = (name.printed if name.printed is not None else name.filled).strip()
    count = meta.get("fields", "")
    printed = int(count) if count.isascii() and count.isdecimal() and len(count) < 7 else 0
    return FilledSheet(file, part, ruleset, version, character, digest, fields, printed)


def parse_json_form(text: str) -> FormFields:
    """Return the fields of a saved file; JSON is YAML, so our bounded YAML reader reads it.

    Raises:
        FormError: The file is damaged, or no filled sheet.
    """
    parsed = parse_yaml(text, "saved", exact=True)
    root = parsed.value.root if parsed.value is not None else None
    if not isinstance(root, Pairs):
        reason = f": {parsed.findings[0].message}" if parsed.findings else ""
        raise FormError(codes.DAMAGED, f"this is no complete JSON{reason}", "save it again")
    if _json_text(root, "sheetgen") != KIND:
        raise FormError(codes.NOT_OURS, "this JSON is no filled sheet", "check the path")
    if _json_text(root, "format") != FORMAT:
        message = f"a filled sheet of format {_json_text(root, 'format') or 'nothing'} is not known"
        raise FormError(codes.NOT_OURS, message, f"update sheetgen, which reads format {FORMAT}")
    meta = {key: _json_text(root, key) for key in ("ruleset", "version", "character")}
    raw = FormFields({**meta, "source": _json_text(root, "digest")})
    fields, printed = root.get("fields"), root.get("printed")
    if not isinstance(fields, Pairs):
        raise FormError(codes.NO_FORM, "this file has no fields", "save it again")
    before = _values(printed)
    for key, node in fields.entries:
        value = _value(node)
        old = before.get(key.raw, value)
        box = isinstance(node, ScalarNode) and isinstance(node.value, bool)
        raw.put(Field(key.raw, value, old, box))
    return raw


def printed_in(facts: str) -> dict[str, str] | None:
    """Return the printed texts by field from the facts of a page; None if they have none."""
    parsed = parse_yaml(facts, "facts", exact=True)
    root = parsed.value.root if parsed.value is not None else None
    printed = root.get("printed") if isinstance(root, Pairs) else None
    return _values(printed) if isinstance(printed, Pairs) else None


def _values(node: Node | None) -> dict[str, str]:
    return {key.raw: _value(n) for key, n in node.entries} if isinstance(node, Pairs) else {}


def _value(node: Node) -> str:
    if not isinstance(node, ScalarNode) or (node.value is None and not node.quoted):
        return ""
    if isinstance(node.value, bool):
        return ON if node.value else ""
    return node.raw


def _json_text(root: Pairs, key: str) -> str:
    node = root.get(key)
    is_set = isinstance(node, ScalarNode) and (node.quoted or node.value is not None)
    return raw_text(node)[:1000] if is_set else ""


def read_html_form(text: str) -> FormFields:
    """Return the fields of an HTML sheet.

    An input that differs from what the page's script saved was saved later, by a browser.

    Raises:
        FormError: The page is damaged or too large, or has no form.
    """
    reader = _SavedPageReader()
    hint = "save it again from the program that it was filled in with"
    with refuse_damaged("this page is damaged", hint):
        reader.feed(text)
        reader.close()
    reader.end()
    if saved := "".join(reader.scripts[SAVED]).strip():
        form = parse_json_form(saved)
        for name, field in form.fields.items():
            if (shown := reader.raw.fields.get(name)) is not None:
                later = shown.filled not in (field.filled, field.printed)
                filled = shown.filled if later else field.filled
                form.fields[name] = replace(field, filled=filled, box=shown.box, label=shown.label)
        return form
    if not reader.raw.fields:
        hint = "print it without `--flatten`, and fill in that page"
        raise FormError(codes.NO_FORM, "no field to fill in is in this page", hint)
    if (printed := printed_in("".join(reader.scripts[FACTS]))) is not None:
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
            kind, name = attributes.get("type", "text").lower(), attributes.get("name", "")
            box = kind == "checkbox"
            value = attributes.get("value", "")
            if box:
                value = ON if "checked" in attributes else ""
            if name and kind not in ("button", "submit", "reset", "image", "file", "hidden"):
                label = attributes.get("aria-label", "")[:300]
                self.raw.put(Field(name, value, None, box, label))

    def handle_data(self, data: str) -> None:
        """Collect the text of a field, or of a script."""
        if self.open is not None:
            self._grow(data, self.words, MOST_LETTERS)
        elif self.script is not None:
            self._grow(data, self.script, _MOST_JSON)

    def _grow(self, data: str, words: list[str], most: int) -> None:
        self.size = len(data) + (self.size if words else 0)
        if self.size > most:
            raise FormError(codes.TOO_LARGE, f"a field holds more than {most:,} letters")
        words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self.end()
        elif tag == "script":
            self.script = None

    def end(self) -> None:
        """End a text field, also at the end of the file."""
        if self.open is not None and self.open.get("name"):
            words = "".join(self.words).removeprefix("\n")  # HTML drops the first line's end
            label = self.open.get("aria-label", "")[:300]
            self.raw.put(Field(self.open["name"], words, label=label))
        self.open = None
