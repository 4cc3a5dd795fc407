"""Fields in use: what readers type and click, and what is read back."""

from __future__ import annotations

from functools import partial

import pikepdf
import pymupdf
import pypdfium2
import pypdfium2.raw as pdfium
import pytest

from sheetgen.model.prints import FilledPage, Filling, Plan, Plate
from sheetgen.render.press.press import press
from tests.printing import fields, opened
from tests.render.viewers import ask_pdfium, typed_in_pdfium

TYPED = "é Łódź Ωμ Жук (x\\y)"


def blank_sheet(plate: Plate) -> bytes:
    return press(Plan("Blank", "en", "", (FilledPage(plate, Filling()),)))


@pytest.mark.slow
def test_typing_and_clicking_in_pdfium(plate: Plate) -> None:
    data = typed_in_pdfium(blank_sheet(plate), plate, "name", TYPED)
    data = typed_in_pdfium(data, plate, "rows.1.2", "")
    pdf = opened(data)
    found = fields(pdf)
    assert str(found["name"].V) == TYPED
    assert found["rows.1.2"].V == found["rows.1.2"].AS == "/On"
    assert found["rows.1.1"].V == "/Off"


def test_western_letters_stay_in_the_face_in_pdfium(plate: Plate) -> None:
    data = typed_in_pdfium(blank_sheet(plate), plate, "name", "Ysé")
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
        annotations = range(pdfium.FPDFPage_GetAnnotCount(page))
        ask = partial(ask_pdfium, pdfium.FPDFAnnot_GetFormFieldName, document.formenv)
        assert {ask(pdfium.FPDFPage_GetAnnot(page, n)) for n in annotations} == expected
