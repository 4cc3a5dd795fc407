"""Forms filled in by other programs, and by us: every letter is kept in the field."""

from __future__ import annotations

import io
from functools import cache

import pymupdf
import pypdf
import pypdfium2
import pypdfium2.raw as pdfium
import pytest
import yaml
from pikepdf.form import Form

from sheetgen.model.prints import Plate
from sheetgen.prints.sheet import BlankRequest, print_blank
from tests.printing import (
    FULLEST,
    GAMES,
    Sheet,
    character_from,
    fields,
    opened,
    printed,
    sheet,
    values,
)
from tests.render.viewers import ask_pdfium, qpdf_says, typed_in_pdfium
from tests.samples import by_turns
from tests.shelf import ruleset

pytestmark = pytest.mark.slow

TYPED = {
    "polish": "Zażółć gęślą jaźń, Łódź",
    "greek": "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "russian": "Съешь ещё этих мягких булок",
    "quotes": "\"straight\" 'single' “curly” „low“ «angled»",
    "parentheses": "((un)balanced))(",
    "backslashes": r"C:\new\table \\ \( \) \101",
    "newlines": "one\ntwo\n\nfour",
    "emoji": "dice 🎲 heart ❤️ family 👨‍👩‍👧",
    "right-to-left": "שלום עולם, مرحبا",
    "markup": "<b>&amp;</b> {{7*7}} %s",
}
ONE_LINE = {kind: text for kind, text in TYPED.items() if "\n" not in text}
each_text = pytest.mark.parametrize("kind", TYPED)


@cache
def _blank(game: str) -> bytes:
    """Return the empty sheet of a game; its plate is that of the usual look."""
    sheet(FULLEST[game])
    return print_blank(ruleset(game), BlankRequest()).files["pdf"]


def _plate(game: str) -> Plate:
    return sheet(FULLEST[game]).plan.leaves[0].plate


def _kept(data: bytes, before: bytes, name: str, text: str) -> None:
    """See that `text` stands in the field `name`, and nothing else has changed."""
    assert qpdf_says(data) == ""
    wanted = {**values(before), name: text}
    found = {n: v.replace("\r\n", "\n").replace("\r", "\n") for n, v in values(data).items()}
    assert found == wanted


@each_text
def test_filled_by_pypdf(kind: str) -> None:
    before = sheet(FULLEST[GAMES[0]]).pdf
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(before))
    fields = {"notes": TYPED[kind]}
    for page in writer.pages:
        writer.update_page_form_field_values(page, fields, auto_regenerate=False)
    target = io.BytesIO()
    writer.write(target)
    _kept(target.getvalue(), before, "notes", TYPED[kind])


@each_text
def test_filled_by_pikepdf(kind: str) -> None:
    before = sheet(FULLEST[GAMES[-1]]).pdf
    with opened(before) as pdf:
        Form(pdf)["notes"].value = TYPED[kind]
        target = io.BytesIO()
        pdf.save(target)
    _kept(target.getvalue(), before, "notes", TYPED[kind])


@each_text
def test_filled_by_mupdf(kind: str) -> None:
    before = _blank(GAMES[0])
    document = pymupdf.open(stream=before, filetype="pdf")
    for widget in (w for page in document for w in page.widgets()):
        if widget.field_name == "notes":
            widget.field_value = TYPED[kind]
            widget.update()
            break
    _kept(document.tobytes(), before, "notes", TYPED[kind])


@pytest.mark.parametrize(("kind", "game"), by_turns([*ONE_LINE], GAMES))
def testtyped_in_pdfium(kind: str, game: str) -> None:
    """Typing, letter by letter, is how Chrome's users fill a sheet."""
    before = _blank(game)
    data = typed_in_pdfium(before, _plate(game), "name", ONE_LINE[kind])
    _kept(data, before, "name", ONE_LINE[kind])


def test_linestyped_in_pdfium() -> None:
    """Guards the flag for several lines: without it the return key does nothing."""
    before = _blank(GAMES[0])
    data = typed_in_pdfium(before, _plate(GAMES[0]), "notes", "one\rtwo\r\rЖ")
    _kept(data, before, "notes", "one\ntwo\n\nЖ")


def test_clicked_in_pdfium() -> None:
    """Guards ticks: those of a track are clicked at the table, all the time."""
    for game in GAMES:
        plate, before = _plate(game), _blank(game)
        tick = next(p for p in plate.places if p.kind == "tick")
        data = typed_in_pdfium(before, plate, tick.name, "")
        _kept(data, before, tick.name, "/On")


@pytest.mark.parametrize(("kind", "game"), by_turns([*TYPED], GAMES))
def test_printed_by_us_and_read_by_all(kind: str, game: str) -> None:
    """Guards how texts are written to a file: each program has its own reader for that."""
    one = _with_notes(game, TYPED[kind])
    assert qpdf_says(one.pdf) == ""
    wanted = TYPED[kind].strip()
    read = pypdf.PdfReader(io.BytesIO(one.pdf)).get_fields() or {}
    assert read["notes"]["/V"] == wanted
    assert values(one.pdf)["notes"] == wanted
    document = pymupdf.open(stream=one.pdf, filetype="pdf")
    page = next(p.page for p in _plate(game).places if p.name == "notes")
    shown = next(w.field_value for w in document[page].widgets() if w.field_name == "notes")
    assert shown.replace("\r\n", "\n").replace("\r", "\n") == wanted
    assert _read_by_pdfium(one.pdf, "notes", page).replace("\r", "\n") == wanted


def test_the_name_goes_into_titles_as_it_is() -> None:
    """Guards the file's own words: a quote or bracket in them once ended a string."""
    for text in ONE_LINE.values():
        made = yaml.safe_dump({"ruleset": GAMES[0], "name": text})
        one = printed(character_from(made, GAMES[0]))
        assert qpdf_says(one.pdf) == ""
        with opened(one.pdf) as pdf:
            assert str(pdf.docinfo["/sheetgen_character"]) == text
            with pdf.open_metadata(set_pikepdf_as_editor=False) as meta:
                assert text in str(meta["dc:title"])


def _with_notes(game: str, text: str) -> Sheet:
    made = yaml.safe_dump({"ruleset": game, "name": "Noted", "notes": text}, allow_unicode=True)
    return printed(character_from(made, game))


def _read_by_pdfium(data: bytes, name: str, number: int) -> str:
    document = pypdfium2.PdfDocument(data)
    document.init_forms()
    page = document[number]
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if ask_pdfium(pdfium.FPDFAnnot_GetFormFieldName, document.formenv, annotation) == name:
            return ask_pdfium(pdfium.FPDFAnnot_GetFormFieldValue, document.formenv, annotation)
    raise AssertionError(name)


def test_a_field_without_a_value_reads_as_empty() -> None:
    """Guards the blank: hints such as `+ D` are drawn, and are nobody's values."""
    for game in GAMES:
        with opened(_blank(game)) as pdf:
            typed = {n for n, field in fields(pdf).items() if not int(field.get("/Ff", 0)) & 1}
        kept = values(_blank(game))
        assert {kept[name] for name in typed} == {"", "/Off"}
