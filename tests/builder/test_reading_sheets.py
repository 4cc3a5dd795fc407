"""Filled sheets come back into the form; PDFs are read by pypdf as pikepdf reads them."""

from __future__ import annotations

import base64
import importlib.util
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pikepdf
import pymupdf
import pypdf
import pytest

from sheetgen.load.filled import FormError, FormFields, read_pdf_form
from sheetgen.plugins.builder import session as session_module
from sheetgen.plugins.builder.session import FormSession
from tests.cli.commands import CHARACTERS

TEXT = (CHARACTERS / "hyperspace-d6" / "sella_finch.yaml").read_text(encoding="utf-8")
TYPED = {"player": "Zoë Ω 𝔸 (it's)\\", "concept": "Наёмник, 忍者"}


def _in_the_page() -> ModuleType:
    """Return the module that is `pikepdf` in the page."""
    path = Path(session_module.__file__).parent / "page" / "pikepdf.py"
    spec = importlib.util.spec_from_file_location("pikepdf_in_the_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _filled(**options: Any) -> bytes:
    answer = FormSession(Path("nowhere")).answer({"do": "print", "text": TEXT, "format": "pdf"})
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(base64.b64decode(answer["file"]))) as pdf:
        for field in pdf.Root.AcroForm.Fields:  # type: ignore[attr-defined]
            if (name := str(field.get("/T", ""))) in TYPED:
                field.V = pikepdf.String(TYPED[name])
        pdf.save(out, **options)
    return out.getvalue()


def _by_pypdf() -> bytes:
    writer, out = pypdf.PdfWriter(clone_from=io.BytesIO(_filled())), io.BytesIO()
    writer.write(out)
    return out.getvalue()


def _by_mupdf() -> bytes:
    with pymupdf.open(stream=_filled()) as pdf:
        content: bytes = pdf.tobytes(garbage=3, deflate=True, use_objstms=1)
    return content


def _saved_twice() -> bytes:
    writer = pypdf.PdfWriter(io.BytesIO(_filled()), incremental=True)
    out = io.BytesIO()
    writer.add_metadata({"/Subject": "again"})
    writer.write(out)
    return out.getvalue()


def _joined() -> bytes:
    out = io.BytesIO()
    writer = pypdf.PdfWriter()
    for page in pypdf.PdfReader(io.BytesIO(_filled())).pages:
        writer.add_page(page)
    writer.write(out)
    return out.getvalue()


SAVED: dict[str, Callable[[], bytes]] = {
    "plain": lambda: _filled(object_stream_mode=pikepdf.ObjectStreamMode.disable),
    "streams": lambda: _filled(object_stream_mode=pikepdf.ObjectStreamMode.generate),
    "linear": lambda: _filled(linearize=True),
    "locked": lambda: _filled(encryption=pikepdf.Encryption(owner="owner", user="", R=4)),
    "password": lambda: _filled(encryption=pikepdf.Encryption(owner="o", user="user", R=4)),
    "pypdf": _by_pypdf,
    "mupdf": _by_mupdf,
    "twice": _saved_twice,
    "joined": _joined,
    "cut": lambda: _filled()[:5000],
    "no PDF": lambda: b"%PDF-1.7 nothing",
}


def _read(content: bytes) -> FormFields | tuple[Any, ...]:
    try:
        return read_pdf_form(content)
    except FormError as error:
        return error.args


@pytest.mark.parametrize("name", SAVED)
def test_pypdf_reads_what_pikepdf_reads(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = SAVED[name]()
    expected = _read(content)
    monkeypatch.setitem(sys.modules, "pikepdf", _in_the_page())
    assert _read(content) == expected
    assert isinstance(expected, FormFields) == (name not in ("password", "cut", "no PDF"))


def test_a_filled_sheet_becomes_a_text_with_its_changes() -> None:
    session = FormSession(Path("nowhere"))
    asked = {"do": "read", "text": TEXT, "name": "../sella.pdf"}
    answer = session.answer({**asked, "file": base64.b64encode(_filled()).decode()})
    assert {one["filled"] for one in answer["changes"]} == {*TYPED.values()}
    state = session.answer({"do": "open", "text": answer["read"]})
    values = {one["key"]: one.get("value") for one in state["fields"]}
    assert {key: values[key] for key in TYPED} == TYPED
    same = session.answer({**asked, "text": answer["read"], "file": ""})
    assert same["read"] == answer["read"]
    assert same["findings"][0]["code"] == "SG803"
