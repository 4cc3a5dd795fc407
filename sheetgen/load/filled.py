"""Read filled sheets as any program saved them: PDF, HTML, JSON, form data, photos of QR codes.

They are untrusted: what parses them runs in a child process with limits, and raises `FormError`
where a file is damaged, locked or too large, or no filled sheet.
"""

from __future__ import annotations

import contextlib
import html
import io
import os
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path, PureWindowsPath
from typing import Any, Final, Literal, TypeAlias
from xml.parsers import expat

from sheetgen.bounds import MEGABYTES, SECONDS, BoundExceeded, pass_memory_error, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.diag.words import pip_hint
from sheetgen.load.files import note_read, read_document
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model import filled as forms
from sheetgen.model.filled import NAME, ON, OURS, OWNER, BackupPart, Field, FilledSheet
from sheetgen.model.source import Node, Pairs, ScalarNode, raw_text

# Fields of one sheet; ours have fewer than 1,000. Joined sheets are bounded by time.
MOST_FIELDS: Final = 20_000
MOST_LETTERS: Final = 100_000
# Letters in all fields of a file.
MOST_IN_ALL: Final = 30_000_000
_UNFIT: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_BREAKS: Final = re.compile("\r\n|[\r\x85\u2028\u2029]")
_ODD_BREAKS: Final = re.compile("[\x85\u2028\u2029]")
SEPARATELY: Final = "read the sheets as they were before another program joined or copied them"


@dataclass
class FormFields:
    """The fields of a file."""

    # `ruleset`, `version`, `character`, `source`, as far as the file has them.
    meta: dict[str, str] = field(default_factory=dict)
    # The fields by name; those of sheets that are known by their identity are in `sheets`, with the
    # meta of each.
    fields: dict[str, Field] = field(default_factory=dict)
    sheets: dict[str, tuple[dict[str, str], dict[str, Field]]] = field(default_factory=dict)
    letters: int = 0
    # Characters of a field that no author's file can hold, by the label of the field.
    dropped: dict[str, list[str]] = field(default_factory=dict)

    def put(self, one: Field, sheet: str = "") -> None:
        """Add a field, to the sheet with a key if that is known; of two, the filled one counts."""
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


MOST_DEPTH: Final = 40
# Fields, groups of fields and widgets; it bounds the time on systems that do not.
MOST_NODES: Final = 2_000_000
# Nodes after which the file is opened again, since pikepdf keeps each object in memory.
NODES_AT_ONCE: Final = 40_000
# The entries of a field that are read; fields inherit them from groups.
_READ: Final = ("/FT", "/V", "/DV", "/Ff", "/TU", "/RV")
_BUTTON: Final = 1 << 16  # the flag of a button without a value
_SHOWN: Final = re.compile(
    r"""(\(\s*[^\s()][^()]*\)|<[^<>1-9A-Fa-f]*[1-9A-Fa-f][^<>]*>)\s*(Tj|['"])|\]\s*TJ"""
)
"""An operator that shows text, in an appearance stream."""

# Bytes of a text as it is stored; decoded, it may be a thousand times as long.
_MOST_CODED: Final = 4 * MOST_LETTERS
# What other programs append to names of fields that a joined file has already.
_RENAMED: Final = re.compile(r"\+\d+|\s\[\d+\]")
# The language of a text, between escapes (7.9.2.2).
_LANGUAGE: Final = re.compile("\x1b[a-z]{2}(?:[A-Z]{2})?\x1b")
_HINT: Final = "save it again from the program that it was filled in with"
_FORM_DATA_HINT: Final = "export it again, or save the sheet itself"
_ROOT: Final = re.compile(rb"/Root\s+(\d{1,8})\s+(\d{1,5})\s+R")


def read_pdf_form(content: bytes) -> FormFields:
    """Return the fields of a PDF; XFA forms are not read."""
    raw = FormFields()
    walk = _Walk(raw)
    while walk.left:
        with _opened(content) as pdf, refuse_damaged("the form of this PDF cannot be read", _HINT):
            raw.meta = raw.meta or _meta(pdf.trailer.get("/Info"), "/sheetgen_")
            walk.read(pdf)
    if not raw.fields and not raw.sheets:
        known = f"; it was printed from `{raw.meta['ruleset']}`" if "ruleset" in raw.meta else ""
        hint = "save the form itself: this one was flattened, or printed to a file"
        raise FormError(codes.NO_FORM, f"no field to fill in is in this PDF{known}", hint)
    if walk.has_printed:
        for fields in (raw.fields, *(fields for _, fields in raw.sheets.values())):
            fields.update({n: replace(f, printed=f.printed or "") for n, f in fields.items()})
    # Fields without an identity are of the sheet beside them; a single sheet is `raw.fields`.
    strays = raw.fields
    if len(raw.sheets) == 1:
        _, (raw.meta, raw.fields) = raw.sheets.popitem()
        for one in strays.values():
            raw.put(one)
    elif raw.sheets:
        if typed := [one for one in strays.values() if one.filled != (one.printed or "")]:
            name = typed[0].label or typed[0].name
            message = f"{name}: it cannot be told which of the joined sheets this field is of"
            raise FormError(codes.MIXED_SHEETS, message, SEPARATELY)
    else:
        for name in strays:
            original = _RENAMED.sub("", name)
            if original != name and original in strays:
                message = f"`{name}` is a field that another program renamed: sheets were joined"
                raise FormError(codes.MIXED_SHEETS, message, SEPARATELY)
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
        message, hint = "it asks for a password", "save it without one"
        raise FormError(codes.NEEDS_PASSWORD, message, hint) from None
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        if b"%PDF-" not in content[:1024]:
            hint = "name the PDF, the page or the JSON that was filled in"
            raise FormError(codes.DAMAGED, "this is no PDF", hint) from None
        raise FormError(codes.DAMAGED, "this PDF is damaged, or cut off", _HINT) from None


def _meta(entries: Any, prefix: str) -> dict[str, str]:
    keys = ("ruleset", "version", "character", "source", "part", "fields")
    known = {key: entries.get(prefix + key) for key in keys if _is_dictionary(entries)}
    return {key: field_text(v)[:1000] for key, v in known.items() if v is not None}


class _Walk:
    """Walks the tree of fields, and the widgets on pages, over several openings of the file.

    Programs that copy pages may leave the form's list of fields behind, or cut it short.
    """

    def __init__(self, raw: FormFields) -> None:
        self.raw = raw
        self.seen: set[tuple[int, int]] = set()
        self.count = 0
        self.done = [0, 0]  # the numbers of top-level fields and of pages that were read
        self.left = True  # whether there is more to read, after the file is opened again
        self.has_printed = False  # whether some field records what was printed (`/DV`)

    def read(self, pdf: Any) -> None:
        """Read fields and pages until pikepdf holds much of the file in memory."""
        most = self.count + NODES_AT_ONCE
        form = pdf.Root.get("/AcroForm")
        tops = _listed(form.get("/Fields")) if _is_dictionary(form) else []
        while self.done[0] < len(tops) and self.count < most:
            self.node(tops[self.done[0]], "", {}, 0)
            self.done[0] += 1
        pages = pdf.pages if self.done[0] >= len(tops) else ()
        while self.done[1] < len(pages) and self.count < most:
            for widget in _listed(pages[self.done[1]].obj.get("/Annots")):
                self.widget(widget)
            self.done[1] += 1
        self.left = self.done[0] < len(tops) or self.done[1] < len(pages)

    def widget(self, widget: Any) -> None:
        """Read the field of a widget that the list of fields does not lead to."""
        if not _is_dictionary(widget) or widget.objgen in self.seen:
            return
        if str(widget.get("/Subtype", "")) != "/Widget":
            return
        chain = [widget]
        while len(chain) <= MOST_DEPTH and _is_dictionary(above := chain[-1].get("/Parent")):
            chain.append(above)
        start = next((n for n, one in enumerate(chain) if "/T" in one), 0)
        names: list[str] = []
        inherited: dict[str, Any] = {}
        for one in reversed(chain[start + 1 :]):
            names += [field_text(one["/T"])] if "/T" in one else []
            inherited |= {key: value for key in _READ if (value := one.get(key)) is not None}
        self.node(chain[start], ".".join(filter(None, names)), inherited, 0)

    def node(self, node: Any, above: str, inherited: dict[str, Any], depth: int) -> None:
        """Read a field or a group of fields; `inherited` are the entries of the groups above."""
        self.count += 1
        if depth > MOST_DEPTH or self.count > MOST_NODES:
            raise FormError(codes.TOO_LARGE, "its fields are nested too deep, or too many")
        if not _is_dictionary(node) or (node.objgen != (0, 0) and node.objgen in self.seen):
            return
        if node.is_indirect:
            self.seen.add(node.objgen)
        part = field_text(node.get("/T", ""))
        name = f"{above}.{part}" if above and part else above or part
        if len(name) > MOST_LETTERS:
            raise FormError(codes.TOO_LARGE, "the name of a field is too long")
        own = {key: value for key in _READ if (value := node.get(key)) is not None}
        kids = _listed(node.get("/Kids"))
        if below := [kid for kid in kids if _is_dictionary(kid) and "/T" in kid]:
            for kid in below:
                self.node(kid, name, inherited | own, depth + 1)
        else:
            self.seen |= {kid.objgen for kid in kids if _is_dictionary(kid) and kid.is_indirect}
            self.field(name, inherited | own, node, kids)

    def field(self, name: str, values: dict[str, Any], node: Any, kids: list[Any]) -> None:
        """Add a field; its widgets are `kids`, or itself."""
        kind, flags = str(values.get("/FT", "")), values.get("/Ff", 0)
        label = field_text(values["/TU"])[:300] if "/TU" in values else ""
        owners = {self.owner(one) for one in (node, *kids) if _is_dictionary(one)} - {("", "")}
        if len(owners) > 1:
            message = f"{label or name}: another program made one field of those of several sheets"
            raise FormError(codes.MIXED_SHEETS, message, SEPARATELY)
        sheet, name = next(iter(owners), ("", name))
        if kind in ("/Tx", "/Ch"):
            try:
                printed = field_text(values["/DV"]) if "/DV" in values else None
                filled = field_text(values["/V"]) if "/V" in values else _rich_text(values)
            except ValueError:
                message = f"{label or name}: its text cannot be decoded"
                raise FormError(codes.DAMAGED, message, _HINT) from None
            if (
                not filled
                and not printed
                and "/V" not in values
                and any(map(_shown, (node, *kids)))
            ):
                message = f"{label or name}: its appearance shows text, but the field has no value"
                raise FormError(codes.DAMAGED, message, "type it again in a PDF viewer and save")
            self.raw.put(Field(name, filled, printed, label=label), sheet)
        elif kind == "/Btn" and not (isinstance(flags, int) and flags & _BUTTON):
            printed = _mark(values["/DV"]) if "/DV" in values else None
            state = values.get("/V")
            if state is None:  # some programs set only what the box looks like
                states = [one.get("/AS") for one in (node, *kids) if _is_dictionary(one)]
                state = next((s for s in states if s is not None and _mark(s)), None)
            self.raw.put(Field(name, _mark(state), printed, box=True, label=label), sheet)
        self.has_printed = self.has_printed or "/DV" in values

    def owner(self, widget: Any) -> tuple[str, str]:
        """Return the key of the sheet that a widget was printed on, and its field's name there."""
        found = _listed(widget.get(OWNER.decode()))
        if len(found) != 2 or not _is_dictionary(found[0]):
            return "", ""
        number, name = found[0].objgen, field_text(found[1])
        if name.startswith(OURS):
            return "", ""
        key = str(number if found[0].is_indirect else _meta(found[0], "/"))
        if key not in self.raw.sheets:
            self.raw.sheets[key] = _meta(found[0], "/"), {}
        return key, name


def _shown(widget: Any) -> bool:
    """Whether the normal appearance stream of a widget shows text."""
    look = widget.get("/AP") if _is_dictionary(widget) else None
    try:
        normal = look["/N"] if look is not None and "/N" in look else ""
        return _SHOWN.search(field_text(normal)) is not None
    except (TypeError, ValueError):
        return False


def _mark(value: Any) -> str:
    return ON if value is not None and field_text(value).strip("/") not in ("", "Off") else ""


def _is_dictionary(value: Any) -> bool:
    import pikepdf

    return isinstance(value, pikepdf.Dictionary)


def _listed(value: Any) -> list[Any]:
    import pikepdf

    return list(value) if isinstance(value, pikepdf.Array) else []


def field_text(value: Any) -> str:
    """Return the text of a string, name, number, or of the first items of an array."""
    import pikepdf

    if isinstance(value, pikepdf.Stream):
        try:
            size = int(value.get("/Length", 0))
            level = pikepdf.StreamDecodeLevel.specialized
            short = size <= _MOST_CODED
            content = value.read_bytes(level) if short and "/F" not in value else None
        except Exception as error:  # noqa: BLE001 - libraries raise anything
            pass_memory_error(error)
            raise ValueError from None
        if content is None and short:
            raise ValueError
        if content is None or len(content) > 4 * MOST_LETTERS:
            raise FormError(codes.TOO_LARGE, f"a field holds more than {MOST_LETTERS:,} letters")
        value = pikepdf.String(content)
    if isinstance(value, pikepdf.String):
        return _LANGUAGE.sub("", str(value))
    if isinstance(value, pikepdf.Array):
        inner = (one for one in list(value)[:100] if not isinstance(one, pikepdf.Array))
        return ", ".join(map(field_text, inner))
    return "" if isinstance(value, pikepdf.Dictionary) else str(value)


def _rich_text(values: dict[str, Any]) -> str:
    """Return the text of a field that has formatted text (12.7.3.4) alone."""
    text = field_text(values.get("/RV", ""))
    if not text.lstrip().startswith("<"):
        return text
    lines = re.sub(r"</p>\s*(?=<p\b)|<br\s*/?>", "\n", text)
    return html.unescape(re.sub(r"<[^<>]*>", "", lines))


def parse_form_data(content: bytes) -> tuple[dict[str, str], str]:
    """Return the values of fields by name, and the name of the PDF, in an FDF or XFDF file."""
    values: dict[str, str] = {}
    with refuse_damaged("this form data is damaged", _FORM_DATA_HINT):
        if b"%FDF-" not in content[:1024]:
            return _read_xfdf(content)
        import pikepdf

        number = _ROOT.findall(content)[-1]
        body = re.split(rb"\b%s\s+%s\s+obj\b" % number, content, maxsplit=1)[1]
        form = pikepdf.Object.parse(body.partition(b"endobj")[0].strip()).FDF
        for node in form.get("/Fields", ()):
            for name, value in _nodes(node, "", 0):
                _put_value(values, name, value)
        return values, field_text(form.get("/F", ""))


def _put_value(values: dict[str, str], name: str, value: str) -> None:
    if len(values) >= MOST_FIELDS:
        raise FormError(codes.TOO_LARGE, f"more than {MOST_FIELDS:,} fields")
    values[name] = value


def fill_in(values: Mapping[str, str], sheet: bytes) -> FormFields:
    """Return the form of the PDF `sheet` with the values of form data."""
    raw = read_pdf_form(sheet)
    if raw.sheets:
        message = "this form data belongs to a PDF of several sheets"
        raise FormError(codes.MIXED_SHEETS, message, SEPARATELY)
    for name, value in values.items():
        old = raw.fields.pop(name, Field(name, "", ""))
        marked = ON if value.strip("/") not in ("", "Off") else ""
        raw.put(replace(old, filled=marked if old.box else value))
    return raw


def _nodes(node: Any, above: str, depth: int) -> Iterator[tuple[str, str]]:
    if depth > MOST_DEPTH:
        raise FormError(codes.TOO_LARGE, "its fields are nested too deep")
    name = ".".join(filter(None, (above, field_text(node.get("/T", "")))))
    if "/V" in node:
        yield name, field_text(node["/V"])
    for kid in node.get("/Kids", ()):
        yield from _nodes(kid, name, depth + 1)


def _read_xfdf(content: bytes) -> tuple[dict[str, str], str]:
    """Read XFDF (ISO 19444-1); without document types there are no entities."""
    values: dict[str, str] = {}
    names: list[str] = []
    text: list[str] | None = None
    sheet = ""

    def refuse(*_: Any) -> None:
        message = "this form data declares a document type"
        raise FormError(codes.DAMAGED, message, _FORM_DATA_HINT)

    def start(element: str, attributes: dict[str, str]) -> None:
        nonlocal text, sheet
        if (kind := element.rpartition(" ")[2]) == "field":
            names.append(attributes.get("name", ""))
            if len(names) > MOST_DEPTH:
                raise FormError(codes.TOO_LARGE, "its fields are nested too deep")
        elif kind in ("value", "value-richtext") and names:
            text = []
        elif kind == "f" and not names:
            sheet = attributes.get("href", "")

    def add(more: str) -> None:
        if text is not None:
            text.append(more)

    def end(element: str) -> None:
        nonlocal text
        if (kind := element.rpartition(" ")[2]) == "field":
            names.pop()
        elif kind in ("value", "value-richtext") and text is not None:
            _put_value(values, ".".join(filter(None, names)), "".join(text))
            text = None

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = add
    parser.Parse(content, True)
    return values, sheet


MOST_BYTES: Final = 128_000_000
# Processor time for the largest PDF, with hundreds of joined sheets.
MOST_SECONDS: Final = 60
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
# Private-use letters: pictures (U+1F000 to U+1F8FF) that lost their upper bits.
_DAMAGED: Final = re.compile("[\uf000-\uf8ff]")
KIND = "filled sheet"  # the value of `sheetgen` in such a file
FORMAT = "1"
# The ids of scripts that hold JSON: the saved fields, and the facts of the print.
SAVED, FACTS = "saved", "sheet"
_META: Final = "sheetgen-"  # prefix of the `meta` elements that name what the page was printed from
_MOST_JSON: Final = 8_000_000


def read_filled(path: Path) -> Checked[tuple[FilledSheet, ...]]:
    """Return the sheets in the file at `path`."""
    note_read(path)
    span = Span(str(path))
    try:
        content, sheet = _bytes(path), b""
        start = content[:1024]
        # The first bytes tell the format, or else the suffix.
        kind = _KINDS.get(path.suffix.lower())
        if b"%PDF-" in start:
            kind = "pdf"
        elif b"%FDF-" in start or b"<xfdf" in start:
            kind, sheet = "data", _sheet_of_data(content, path)
        elif (first := start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]) in (b"<", b"{"):
            kind = "html" if first == b"<" else "json"
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
    size = path.stat().st_size if path.suffix.lower() == ".pdf" and os.path.exists(path) else 0
    megabytes = size // 1_000_000
    return min(SECONDS + 2 * megabytes, MOST_SECONDS)


def _sheet_of_data(content: bytes, path: Path) -> bytes:
    """Return the PDF beside form data: the one that it names, or one that is called like it."""
    _, path_of = run_bounded(lambda: parse_form_data(content))
    named = PureWindowsPath(path_of).name  # without folders
    names = dict.fromkeys(filter(None, (named, f"{path.stem}.pdf")))
    for name in names:
        sheet = path.parent / name
        if sheet.suffix.lower() == ".pdf" and os.path.isfile(sheet):
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
        if kind == "data":
            raw = fill_in(parse_form_data(content)[0], sheet)
        elif kind == "pdf":
            raw = read_pdf_form(content)
        elif kind == "html":
            raw = read_html_form(_text(content))
        elif kind == "json":
            raw = parse_json_form(_text(content))
        else:
            hint = "give a filled PDF, what an HTML sheet saved, or a photo as JPEG, PNG or WebP"
            raise FormError(codes.NOT_OURS, "this is no filled sheet", hint)
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
    raise FormError(codes.UNREADABLE, read.findings[0].message, str(read.findings[0].hint))


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"byte 0x{content[error.start]:02x} is not UTF-8 text"
        raise FormError(codes.NOT_UTF8, message, "save it again, as UTF-8") from None


def _split_sheets(raw: FormFields, file: str) -> tuple[FilledSheet, ...]:
    """Return the sheets: of a PDF by its fields, of others by prefixes such as `c1.`."""
    if raw.sheets:
        several = len(raw.sheets) > 1
        return tuple(
            _sheet(meta, file, meta.get("part") or (str(number) if several else ""), fields)
            for number, (meta, fields) in enumerate(raw.sheets.values(), start=1)
        )
    parts: dict[str, dict[str, Field]] = {}
    for name, one in raw.fields.items():
        if (match := _PART.fullmatch(name)) is None or "fields" in raw.meta:
            return (_sheet(raw.meta, file, "", raw.fields),)
        parts.setdefault(match[1], {})[match[2]] = replace(one, name=match[2])
    return tuple(_sheet(raw.meta, file, *part) for part in (parts or {"": {}}).items())


def _sheet(
    meta: Mapping[str, str], file: str, part: str, fields: Mapping[str, Field]
) -> FilledSheet:
    if len(fields) > MOST_FIELDS:
        raise FormError(codes.TOO_LARGE, f"more than {MOST_FIELDS:,} fields in one sheet")
    texts = [one for one in fields.values() if (one.printed or "").strip() and not one.box]
    if len(texts) > 4 and not any(one.filled.strip() for one in texts):
        message = "all that was printed in its fields is gone: a program dropped their values"
        raise FormError(codes.NO_FORM, message, "save it with another program, and read that")
    names = ("ruleset", "version", "character", "source")
    ruleset, version, character, digest = (meta.get(key, "") for key in names)
    if "character" not in meta and (name := fields.get(NAME)) is not None:
        character = (name.printed if name.printed is not None else name.filled).strip()
    count = meta.get("fields", "")
    printed = int(count) if count.isascii() and count.isdecimal() and len(count) < 7 else 0
    return FilledSheet(file, part, ruleset, version, character, digest, fields, printed)


def parse_json_form(text: str) -> FormFields:
    """Return the fields of a saved file; JSON is YAML, so our bounded YAML reader reads it."""
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
    facts = parse_yaml("".join(reader.scripts[FACTS]), "facts", exact=True).value
    if facts is not None and isinstance(printed := facts.get("printed"), Pairs):
        texts = _values(printed)
        for name, field in reader.raw.fields.items():
            reader.raw.fields[name] = replace(field, printed=clean_text(texts.get(name, "")))
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
            box, value = kind == "checkbox", attributes.get("value", "")
            if box:
                value = ON if "checked" in attributes else ""
            if name and kind not in ("button", "submit", "reset", "image", "file", "hidden"):
                label = attributes.get("aria-label", "")[:300]
                self.raw.put(Field(name, value, None, box, label))

    def handle_data(self, data: str) -> None:
        is_field = self.open is not None
        words, most = (self.words, MOST_LETTERS) if is_field else (self.script, _MOST_JSON)
        if words is None:
            return
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


MOST_PICTURE_BYTES: Final = 50_000_000
MOST_PIXELS: Final = 100_000_000

_SECONDS: Final = 20
_MEGABYTES: Final = 1_200
_FORMATS: Final = ("JPEG", "PNG", "WEBP")
# Pixels up to which a picture is also tried at twice its size: its modules may be small.
_SMALL: Final = 6_000_000
_AGAIN: Final = "photograph the whole code from above: flat, sharp, in even light"


def is_photo(path: Path) -> bool:
    """Whether the file at `path` begins as a JPEG, PNG or WebP picture does."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            head = file.read(12)
    except (OSError, ValueError):
        return False
    is_webp = head[:4] == b"RIFF" and head[8:] == b"WEBP"
    return is_webp or head.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"))


def read_photo(path: Path) -> Checked[tuple[BackupPart, ...]]:
    """Return the parts of backups whose codes a picture shows, and findings about the others."""
    note_read(path)
    span = Span(str(path))
    if find_spec("zxingcpp") is None:
        message = "QR codes in pictures cannot be read: zxing-cpp is not installed"
        return _refuse(codes.NO_DECODER, span, message, pip_hint("zxing-cpp"))
    read = read_document(path, MOST_PICTURE_BYTES)
    if read.value is None:
        return Checked(None, read.findings)
    content = read.value
    try:
        payloads = run_bounded(lambda: _decode(content), _MEGABYTES, _SECONDS)
    except BoundExceeded as error:
        return _refuse(codes.TOO_LARGE, span, str(error), "save the picture in a smaller size")
    if payloads is None:
        return _refuse(codes.DAMAGED, span, "the picture cannot be decoded", "save it again")
    if not payloads:
        return _refuse(codes.NO_CODE, span, "no QR code can be seen in the picture", _AGAIN)
    parts: list[BackupPart] = []
    findings: list[Finding] = []
    foreign = 0
    for payload in dict.fromkeys(payloads):
        try:
            part = forms.parse_payload(payload)
        except forms.BackupDamaged as error:
            findings.append(Finding(codes.BAD_CODE, span, str(error), _AGAIN))
            continue
        foreign += part is None
        parts += [part] if part is not None else []
    if foreign:
        which = "a QR code is" if foreign == 1 else f"{foreign} QR codes are"
        message = f"{which} not from sheetgen"
        severity = Severity.NOTE if parts or findings else Severity.ERROR
        hint = "photograph the code on the last page of a sheet that was printed with `--qr`"
        findings.append(Finding(codes.NO_CODE, span, message, hint, severity))
    return Checked(tuple(parts), tuple(findings))


def _refuse(code: Any, span: Span, message: str, hint: str) -> Checked[tuple[BackupPart, ...]]:
    return Checked(None, (Finding(code, span, message, hint),))


def _decode(content: bytes) -> list[bytes] | None:
    """Return the contents of the QR codes in a picture; None if it cannot be decoded."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=_FORMATS)
            if image.width * image.height > MOST_PIXELS:
                return None
            grey = _on_white(image)
    except Exception as error:  # noqa: BLE001 - Pillow raises many kinds
        pass_memory_error(error)
        return None
    found = _find_codes(grey)
    if not found and grey.width * grey.height <= _SMALL:
        twice = 2 * grey.width, 2 * grey.height
        found = _find_codes(grey.resize(twice, Image.Resampling.BICUBIC))
    return found


def _on_white(image: Any) -> Any:
    """Return a picture in shades of grey; what is transparent is white."""
    from PIL import Image

    if image.mode in ("I", "I;16", "I;16B", "F"):
        return image.point(lambda value: value / 257).convert("L")
    if "A" in image.getbands() or "transparency" in image.info:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("L")


def _find_codes(image: Any) -> list[bytes]:
    import zxingcpp

    found = zxingcpp.read_barcodes(image, formats=zxingcpp.BarcodeFormat.QRCode)
    return [bytes(one.bytes) for one in found if one.valid]
