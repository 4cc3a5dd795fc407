"""The checker of accessible PDF: each rule must fail on a file that breaks it."""

from __future__ import annotations

import io
from collections.abc import Callable

import pikepdf
import pytest
from fontTools.ttLib import TTFont

from sheetgen.model.prints import Plan
from sheetgen.render.press.press import press
from tests.render.ua_rules import faults

Break = Callable[[pikepdf.Pdf], object]


def first(pdf: pikepdf.Pdf, tag: str) -> pikepdf.Object:
    return next(
        one
        for one in pdf.objects
        if isinstance(one, pikepdf.Dictionary) and one.get("/S") == f"/{tag}"
    )


def widget(pdf: pikepdf.Pdf) -> pikepdf.Object:
    return pdf.pages[0].Annots[0]


def untagged(pdf: pikepdf.Pdf) -> None:
    page = pdf.pages[0]
    page.contents_add(b"0 0 9 9 re f")


def unowned(pdf: pikepdf.Pdf) -> None:
    pdf.pages[0].contents_add(b"/P <</MCID 999>> BDC EMC")


def misnamed(pdf: pikepdf.Pdf) -> None:
    stream = font(pdf, "TrueType").FontDescriptor.FontFile2
    data = stream.read_bytes()
    at = TTFont(io.BytesIO(data), lazy=True).reader.tables["post"].offset
    stream.write(data[:at] + b"\0\2\0\0" + data[at + 4 :])


BREAKS: list[tuple[str, Break]] = [
    ("6.2-1", lambda pdf: pdf.Root.__delattr__("MarkInfo")),
    ("7.2-33", lambda pdf: pdf.Root.__delattr__("Lang")),
    ("7.1-10", lambda pdf: pdf.Root.__delattr__("ViewerPreferences")),
    ("7.1-11", lambda pdf: pdf.Root.__delattr__("StructTreeRoot")),
    ("5-1", lambda pdf: pdf.Root.__delattr__("Metadata")),
    ("7.15-1", lambda pdf: pdf.Root.AcroForm.__setitem__("/XFA", pikepdf.Array())),
    ("form", lambda pdf: pdf.Root.AcroForm.__setitem__("/NeedAppearances", True)),
    ("7.18.1-3", lambda pdf: widget(pdf).__delattr__("TU")),
    ("7.18.3-1", lambda pdf: pdf.pages[0].__delattr__("Tabs")),
    ("7.18.4-1", lambda pdf: widget(pdf).__setattr__("StructParent", 3)),
    ("7.18.4-1", lambda pdf: first(pdf, "Form").__setattr__("S", pikepdf.Name.P)),
    (
        "7.18.4-2",
        lambda pdf: first(pdf, "Form").K.append(
            pikepdf.Dictionary(Type=pikepdf.Name.OBJR, Obj=widget(pdf))
        ),
    ),
    ("7.18.5-1", lambda pdf: first(pdf, "Link").__setattr__("S", pikepdf.Name.P)),
    ("7.18.5-2", lambda pdf: pdf.pages[1].Annots[-1].__delattr__("Contents")),
    ("7.4.2-1", lambda pdf: first(pdf, "H2").__setattr__("S", pikepdf.Name.H4)),
    ("7.5-1", lambda pdf: first(pdf, "TH").__delattr__("A")),
    ("7.2-4", lambda pdf: first(pdf, "TD").__setattr__("S", pikepdf.Name.P)),
    ("7.2-5", lambda pdf: first(pdf, "L").__setattr__("S", pikepdf.Name.P)),
    ("7.1-3", untagged),
    ("7.1-3", unowned),
    ("7.1-3", lambda pdf: first(pdf, "H1").__setattr__("K", 998)),
    ("form", lambda pdf: widget(pdf).__setattr__("T", pikepdf.String("a.b"))),
    ("form", lambda pdf: widget(pdf).__delattr__("AP")),
    ("form", lambda pdf: widget(pdf).__delattr__("DA")),
    ("form", lambda pdf: widget(pdf).__setattr__("F", 0)),
    ("7.21.7-1", lambda pdf: font(pdf, "Type0").__delattr__("ToUnicode")),
    ("7.21.4.1-1", lambda pdf: font(pdf, "TrueType").FontDescriptor.__delattr__("FontFile2")),
    ("font", misnamed),
]


def font(pdf: pikepdf.Pdf, kind: str) -> pikepdf.Object:
    return next(
        one
        for one in pdf.objects
        if isinstance(one, pikepdf.Dictionary) and one.get("/Subtype") == f"/{kind}"
    )


@pytest.mark.parametrize(("rule", "broken"), BREAKS)
def test_a_broken_file_is_told(plan: Plan, rule: str, broken: Break) -> None:
    with pikepdf.open(io.BytesIO(press(plan))) as pdf:
        broken(pdf)
        target = io.BytesIO()
        pdf.save(target)
    assert any(fault.startswith(rule + ":") for fault in faults(target.getvalue()))
