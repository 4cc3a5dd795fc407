"""Printed sheets for tests, and programs of others that fill them in."""

from __future__ import annotations

import io
import random
import string
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pikepdf
import pymupdf
import pypdf
import pypdfium2
import pypdfium2.raw as pdfium
from pypdf.generic import NameObject, TextStringObject

from sheetgen.check.character.builds import check_draft
from sheetgen.data import data_folder
from sheetgen.load.characters import RulesetCache
from sheetgen.load.filled import read_filled
from sheetgen.model.filled import ON, Field, FilledSheet
from sheetgen.prints.characters import Character, load_character
from sheetgen.prints.sheet import SheetRequest, print_sheet
from sheetgen.readback.merging import MergedFile, current_texts, merge_sheet
from sheetgen.readback.topics import Topic, find_topics
from tests.printing import fields, opened
from tests.render.viewers import ask_pdfium

CHARACTERS = tuple(sorted((data_folder() / "content" / "characters").glob("*/*.yaml")))
Values = Mapping[str, str]


@cache
def hero(path: Path) -> Character:
    return load_character(path, RulesetCache(), {})


def named(name: str) -> Path:
    """Return the path of a shipped character by the stem of its file."""
    return next(path for path in CHARACTERS if path.stem == name)


@cache
def printed(path: Path, kind: str = "pdf") -> bytes:
    return print_sheet(hero(path), SheetRequest(formats=(kind,))).files[kind]


def read_bytes(content: bytes, folder: Path, name: str = "sheet.pdf") -> FilledSheet:
    path = folder / name
    path.write_bytes(content)
    read = read_filled(path)
    assert read.value is not None, read.findings
    (sheet,) = read.value
    return sheet


@cache
def blank_sheet(path: Path) -> FilledSheet:
    """Return the printed sheet of a character as a told one, nothing typed yet."""
    one = hero(path)
    file = Path(one.path.stem + ".pdf")
    raw = _fields(printed(path))
    bare = FilledSheet(str(file), "", str(one.rules.id), "", one.build.name, "", raw)
    current = current_texts(one, bare)
    told = {n: replace(f, filled=current[n], printed=current[n]) for n, f in raw.items()}
    return replace(bare, fields=told)


def _fields(content: bytes) -> dict[str, Field]:
    from sheetgen.load.filled import read_pdf_form

    return read_pdf_form(content).fields


def filled(path: Path, values: Values) -> FilledSheet:
    """Return the sheet of a character with `values` typed into it."""
    sheet = blank_sheet(path)
    unknown = values.keys() - sheet.fields.keys()
    assert not unknown
    fields = {n: replace(f, filled=values.get(n, f.filled)) for n, f in sheet.fields.items()}
    return replace(sheet, fields=fields)


def merged(
    sheet: FilledSheet, path: Path, text: str | None = None, is_new: bool = False
) -> MergedFile:
    """Return the file of a character after `sheet` was put into it."""
    from sheetgen.readback.merging import check_text

    shelf, one = RulesetCache(), hero(path)
    if text is not None:
        one = check_text(path, text, shelf, {})
    assert one.source is not None
    into = MergedFile(path, one.source.text, one.source.text, one)
    merge_sheet(sheet, into, shelf, {}, None, is_new)
    return into


def states(into: MergedFile) -> dict[str, str]:
    return {change.label: change.state for change in into.changes}


def said(into: MergedFile) -> list[str]:
    return [finding.code.id for finding in into.findings]


# -- other programs ---------------------------------------------------------------------------


def by_pypdf(content: bytes, values: Values) -> bytes:
    """Fill in with pypdf; its own helper takes `name` for every field that ends so."""
    writer = pypdf.PdfWriter(clone_from=pypdf.PdfReader(io.BytesIO(content)))

    def walk(node: Any, above: str) -> None:
        node = node.get_object()
        part = str(node.get("/T", ""))
        name = f"{above}.{part}" if above else part
        if "/Kids" in node and "/FT" not in node:
            for kid in node["/Kids"]:
                walk(kid, name)
        elif name in values and node["/FT"] == "/Btn":
            state = NameObject("/On" if values[name] else "/Off")
            node[NameObject("/V")] = node[NameObject("/AS")] = state
        elif name in values:
            node[NameObject("/V")] = TextStringObject(values[name])

    for field in writer.root_object["/AcroForm"]["/Fields"]:
        walk(field, "")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def by_pikepdf(content: bytes, values: Values) -> bytes:
    pdf = opened(content)
    boxes = {n for n, v in _fields(content).items() if v.box}
    for name, node in fields(pdf).items():
        if name in values and name in boxes:
            node.V = node.AS = pikepdf.Name("/On" if values[name] else "/Off")
        elif name in values:
            node.V = pikepdf.String(values[name])
    out = io.BytesIO()
    pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    return out.getvalue()


def by_pdfium(content: bytes, values: Values) -> bytes:
    """Fill in by keyboard, as in Chrome: each field is gone to, and typed into or pressed."""
    document = pypdfium2.PdfDocument(content)
    document.init_forms()
    form = document.formenv
    for number in range(len(document)):
        page = document[number]
        for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
            one = pdfium.FPDFPage_GetAnnot(page, index)
            name = ask_pdfium(pdfium.FPDFAnnot_GetFormFieldName, form, one)
            if name not in values or not pdfium.FORM_SetFocusedAnnot(form, one):
                continue
            if pdfium.FPDFAnnot_GetFormFieldType(form, one) != pdfium.FPDF_FORMFIELD_CHECKBOX:
                typed = (values[name] + "\0").encode("utf-16-le")
                pdfium.FORM_SelectAllText(form, page)
                pdfium.FORM_ReplaceSelection(
                    form, page, (pdfium.FPDF_WCHAR * (len(typed) // 2)).from_buffer_copy(typed)
                )
            elif bool(pdfium.FPDFAnnot_IsChecked(form, one)) != bool(values[name]):
                pdfium.FORM_OnChar(form, page, ord(" "), 0)
    pdfium.FORM_ForceToKillFocus(form)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def by_mupdf(content: bytes, values: Values) -> bytes:
    pdf = pymupdf.open(stream=content)
    for page in pdf:
        for widget in page.widgets():
            name = widget.field_name
            if name in values:
                box = widget.field_type == pymupdf.PDF_WIDGET_TYPE_CHECKBOX
                widget.field_value = bool(values[name]) if box else values[name]
                widget.update()
    return bytes(pdf.tobytes(garbage=0))


PROGRAMS: Mapping[str, Callable[[bytes, Values], bytes]] = {
    "pypdf": by_pypdf,
    "pikepdf": by_pikepdf,
    "pdfium": by_pdfium,
    "mupdf": by_mupdf,
}


# -- random values ----------------------------------------------------------------------------

LETTERS = string.ascii_letters + string.digits + " .,;:'\"#&{}[]|>*!?%@-_()/éßÆñ"


def words(rng: random.Random, most: int = 30) -> str:
    text = "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, most)))
    return " ".join(text.split()) or "x"


def topics(path: Path) -> list[Topic]:
    one = hero(path)
    return find_topics(blank_sheet(path), check_draft(one.source, one.rules, {}), {}, None)[0]


def random_values(path: Path, seed: int) -> dict[str, str]:
    """Return a random legal value for every field that is typed or marked."""
    rng, found = random.Random(seed), {}
    fields = blank_sheet(path).fields
    for name, field in fields.items():
        found[name] = rng.choice(("", ON)) if field.box else words(rng)
    for topic in topics(path):
        for name in topic.names:
            if not fields[name].box and (made := _legal(topic, rng)) is not None:
                found[name] = made
    return found


def _legal(topic: Topic, rng: random.Random) -> str | None:
    rules, of = topic.draft.rules, topic.place.of
    kind = topic.place.kind
    if kind == "number":
        return str(rng.randint(1, 9))
    if kind == "own":
        group = rules.groups[of[0]]
        pips = f"+{rng.randint(1, 2)}" if rules.pips and rng.random() < 0.5 else ""
        number = rng.randint(1, 4)
        return f"+{number}D{pips}" if group.rating == "dice" else str(number)
    if kind in ("pin", "dice") and rules.dice is not None:
        return f"d{rng.choice(rules.dice.ladder)}" if rng.random() < 0.5 else ""
    if kind == "link":
        return rng.choice(("", "", "A", "B", "C"))
    if kind == "choice":
        catalogue = rules.choices[str(rules.character[of[0]].of[0])]
        return str(rng.choice(list(catalogue.entries.values())).name)
    return None
