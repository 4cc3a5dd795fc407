"""Fields in use: what readers type and click, and what is read back."""

from __future__ import annotations

import io

import pikepdf
import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from sheetgen.model.prints import FilledPage, Filling, Place, Plan, Plate
from sheetgen.render.press.press import press
from tests.render.test_press import fields, opened

TYPED = "é Łódź Ωμ Жук (x\\y)"


def blank_sheet(plate: Plate) -> bytes:
    return press(Plan("Blank", "en", "", (FilledPage(plate, Filling()),)))


def place_of(plate: Plate, name: str) -> Place:
    return next(p for p in plate.places if p.name == name)


def used_in_pdfium(data: bytes, plate: Plate, text: str, *clicked: str) -> bytes:
    """Return `data` after someone typed into the name and clicked on ticks, in Chrome."""
    document = pypdfium2.PdfDocument(data)
    document.init_forms()
    page = document[0]
    form = document.formenv

    def click(name: str) -> None:
        box, height = place_of(plate, name).box, plate.sizes[0][1]
        at = box.x + box.width / 2, height - box.y - box.height / 2
        pdfium.FORM_OnMouseMove(form, page, 0, *at)
        pdfium.FORM_OnLButtonDown(form, page, 0, *at)
        pdfium.FORM_OnLButtonUp(form, page, 0, *at)

    click("name")
    for letter in text:
        pdfium.FORM_OnChar(form, page, ord(letter), 0)
    for name in clicked:
        click(name)
    pdfium.FORM_ForceToKillFocus(form)
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def test_typing_and_clicking_in_pdfium(plate: Plate) -> None:
    data = used_in_pdfium(blank_sheet(plate), plate, TYPED, "rows.1.2")
    pdf = opened(data)
    found = fields(pdf)
    assert str(found["name"].V) == TYPED
    assert found["rows.1.2"].V == found["rows.1.2"].AS == "/On"
    assert found["rows.1.1"].V == "/Off"


def test_western_letters_stay_in_the_face_in_pdfium(plate: Plate) -> None:
    data = used_in_pdfium(blank_sheet(plate), plate, "Ysé")
    pdf = opened(data)
    look = fields(pdf)["name"].AP.N
    used = [str(o[0]) for o, op in pikepdf.parse_content_stream(look) if str(op) == "Tf"]
    assert {str(look.Resources.Font[name].BaseFont).partition("+")[2] for name in used} == {
        "SourceSansPro-Regular"
    }


def test_filling_in_with_mupdf(plate: Plate) -> None:
    document = pymupdf.open(stream=blank_sheet(plate), filetype="pdf")
    for widget in document[0].widgets():
        if widget.field_name == "name":
            widget.field_value = TYPED
            widget.update()
    pdf = opened(document.tobytes())
    assert str(fields(pdf)["name"].V) == TYPED


@pytest.mark.parametrize("viewer", ["pdfium", "mupdf"])
def test_names_are_whole(plate: Plate, viewer: str) -> None:
    data = blank_sheet(plate)
    expected = {p.name for p in plate.places if p.kind != "mark" and p.page == 0}
    if viewer == "mupdf":
        document = pymupdf.open(stream=data, filetype="pdf")
        assert {w.field_name for w in document[0].widgets()} == expected
    else:
        document = pypdfium2.PdfDocument(data)
        document.init_forms()
        page = document[0]
        found = set()
        for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
            annotation = pdfium.FPDFPage_GetAnnot(page, index)
            size = pdfium.FPDFAnnot_GetFormFieldName(document.formenv, annotation, None, 0)
            text = (pdfium.FPDF_WCHAR * (size // 2))()
            pdfium.FPDFAnnot_GetFormFieldName(document.formenv, annotation, text, size)
            found.add(bytes(text).decode("utf-16-le").rstrip("\0"))
        assert found == expected
