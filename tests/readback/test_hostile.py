"""Files from strangers: each is a finding, never a traceback, and never half read."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import pikepdf
import pytest

from sheetgen.load import filled
from sheetgen.load.characters import RulesetCache
from sheetgen.load.filled import FormError, FormFields, clean_text, pdf_time_limit, read_filled
from sheetgen.model.filled import ON, Field
from sheetgen.prints.sheet import SheetRequest, print_sheet
from sheetgen.readback.merging import read_back
from tests.readback.sheets import hero, named, printed

pytestmark = pytest.mark.slow

HERO = named("oshen_tal")


def code_of(content: bytes, folder: Path, name: str = "sheet.pdf") -> str:
    """Return the code of what is wrong with a file, or nothing."""
    path = folder / name
    path.write_bytes(content)
    read = read_filled(path)
    assert (read.value is None) == bool(read.findings)
    return read.findings[0].code.id if read.findings else ""


def form(fields: Any, pdf: pikepdf.Pdf | None = None) -> bytes:
    """Return a PDF whose form is what `fields` makes."""
    pdf = pdf or pikepdf.new()
    if not len(pdf.pages):
        pdf.add_blank_page()
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=fields(pdf))
    out = io.BytesIO()
    pdf.save(out)
    return out.getvalue()


def text(pdf: pikepdf.Pdf, name: str, **more: Any) -> Any:
    return pdf.make_indirect(pikepdf.Dictionary(FT=pikepdf.Name.Tx, T=pikepdf.String(name), **more))


def endless(pdf: pikepdf.Pdf) -> Any:
    one = text(pdf, "a")
    two = text(pdf, "b", Kids=pikepdf.Array([one]))
    one.Kids = pikepdf.Array([two])
    return pikepdf.Array([one])


def deep(pdf: pikepdf.Pdf) -> Any:
    inner = text(pdf, "z")
    for _ in range(60):
        inner = text(pdf, "a", Kids=pikepdf.Array([inner]))
    return pikepdf.Array([inner])


def long(pdf: pikepdf.Pdf) -> Any:
    return pikepdf.Array([text(pdf, "name", V=pikepdf.String("x" * 200_000))])


def rubbish(pdf: pikepdf.Pdf) -> Any:
    odd = text(pdf, "n", V=pikepdf.Array([2]))
    return pikepdf.Array([1, pikepdf.Name.A, pikepdf.Array([]), odd])


@pytest.mark.parametrize(
    ("fields", "code"), [(endless, "SG802"), (deep, "SG805"), (long, "SG805"), (rubbish, "")]
)
def test_a_form_of_a_stranger(fields: Any, code: str, tmp_path: Path) -> None:
    assert code_of(form(fields), tmp_path) == code


def test_what_is_no_sheet_at_all(tmp_path: Path) -> None:
    whole = printed(HERO)
    assert code_of(b"", tmp_path) == "SG803"
    assert code_of(b"hello", tmp_path, "hello.txt") == "SG801"
    assert code_of(b"\x89PNG", tmp_path) == "SG803"
    assert code_of(whole[: len(whole) // 2], tmp_path) == "SG803"
    assert code_of(whole[:-20], tmp_path) in ("SG803", "")
    assert code_of(b"\xff\xfe<html>", tmp_path, "a.html") == "SG002"
    assert code_of(b"<html>nothing</html>", tmp_path, "a.html") == "SG802"
    assert code_of(b'{"a": 1}', tmp_path, "a.json") == "SG801"
    assert code_of(b'{"sheetgen": "filled sheet", "format": 2}', tmp_path) == "SG801"
    assert code_of(b'{"sheetgen": ', tmp_path, "a.json") == "SG803"
    assert code_of(b"[" * 100_000, tmp_path, "a.json") == "SG803"


def test_a_flattened_print_has_no_fields(tmp_path: Path) -> None:
    path = tmp_path / "flat.pdf"
    path.write_bytes(print_sheet(hero(HERO), SheetRequest(flatten=True)).files["pdf"])
    (finding,) = read_filled(path).findings
    assert finding.code.id == "SG802"
    assert "hyperspace-d6" in finding.message


def test_a_locked_one_is_said(tmp_path: Path) -> None:
    pdf = pikepdf.open(io.BytesIO(printed(HERO)))
    out = io.BytesIO()
    pdf.save(out, encryption=pikepdf.Encryption(owner="a", user="b"))
    assert code_of(out.getvalue(), tmp_path) == "SG804"


def test_folders_and_missing_files(tmp_path: Path) -> None:
    assert read_filled(tmp_path).findings[0].code.id == "SG001"
    assert read_filled(tmp_path / "none.pdf").findings[0].code.id == "SG001"
    assert read_filled(Path("a\0b")).findings[0].code.id == "SG001"


def test_forms_in_xml_are_passed_over(tmp_path: Path) -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page()
    content = form(lambda p: pikepdf.Array([text(p, "name", V=pikepdf.String("Bo"))]), pdf)
    again = pikepdf.open(io.BytesIO(content))
    again.Root.AcroForm.XFA = again.make_stream(b"<xdp:xdp><name>Eve</name></xdp:xdp>")
    out = io.BytesIO()
    again.save(out)
    path = tmp_path / "xfa.pdf"
    path.write_bytes(out.getvalue())
    (sheet,) = read_filled(path).value or ()
    assert sheet.fields["name"].filled == "Bo"


def test_signs_that_no_file_holds_are_left_out() -> None:
    assert clean_text("a\x00b\x1b[31m\r\nc\rd\u2028e\ud800") == "ab[31m\nc\nd\ne"


def test_a_field_may_be_marked_by_its_look_only(tmp_path: Path) -> None:
    def box(pdf: pikepdf.Pdf) -> Any:
        look = pikepdf.Name("/Yes")
        one = pikepdf.Dictionary(FT=pikepdf.Name.Btn, T=pikepdf.String("b"), AS=look)
        return pikepdf.Array([pdf.make_indirect(one)])

    path = tmp_path / "a.pdf"
    path.write_bytes(form(box))
    (sheet,) = read_filled(path).value or ()
    assert sheet.fields["b"].filled == ON


@pytest.mark.parametrize("seed", range(6))
def test_no_mutation_breaks_the_reader(seed: int, tmp_path: Path) -> None:
    """A few hundred damaged files; most are refused, none is a traceback."""
    rng = random.Random(seed)
    kinds = (("a.pdf", printed(HERO)), ("a.html", printed(HERO, "html")[-120_000:]))
    saved = {
        "sheetgen": "filled sheet", "format": 1, "ruleset": "hyperspace-d6", "version": 1,
        "character": "Oshen Tal", "digest": "0", "fields": {"name": "Bo", "stunned.box.1": True},
        "printed": {"name": "Oshen Tal"},
    }  # fmt: skip
    for name, whole in (*kinds, ("a.json", json.dumps(saved).encode())):
        for _ in range(12):
            content = bytearray(whole)
            for _ in range(rng.randint(1, 30)):
                content = content or bytearray(b"%PDF-")
                at = rng.randrange(len(content))
                kind = rng.random()
                if kind < 0.6:
                    content[at] = rng.randrange(256)
                elif kind < 0.8:
                    del content[at : at + rng.randint(1, 60)]
                else:
                    content[at:at] = rng.choice((b"/Kids", b"<<", b"[", b"</textarea>", b"\xff"))
            code_of(bytes(content), tmp_path, name)


def saved(fields: dict[str, str]) -> str:
    told = {"ruleset": "hyperspace-d6", "version": 1, "character": "Bo", "digest": "0"}
    return json.dumps({"sheetgen": "filled sheet", "format": 1, **told, "fields": fields})


def test_fields_and_letters_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(saved({f"field-{number}": "" for number in range(20_001)}))
    (finding,) = read_filled(path).findings
    assert finding.message == "more than 20,000 fields in one sheet"
    path.write_text(saved({f"c{number}.name": "" for number in range(1, 20_002)}))
    assert len(read_filled(path).value or ()) == 20_001
    raw = FormFields(letters=29_999_990)
    with pytest.raises(FormError, match="more than 30,000,000 letters in all fields"):
        raw.put(Field("name", "Callavere"))


def test_hundreds_of_joined_sheets_are_read_in_little_memory(tmp_path: Path) -> None:
    """The library is started anew for every so many fields: it forgets nothing that it read."""
    many = 21_000

    def joined(pdf: pikepdf.Pdf) -> Any:
        look = pdf.make_stream(b"")
        return pikepdf.Array(
            text(pdf, f"c{n // 700 + 1}", Kids=pikepdf.Array([text(pdf, f"f{n}", AP=look)]))
            for n in range(many)
        )

    opened = Mock(side_effect=filled._opened)
    with patch.multiple(filled, _opened=opened, NODES_AT_ONCE=10_000):
        assert len(filled.read_pdf_form(form(joined)).fields) == many
    assert opened.call_count == 5


def test_joined_sheets_are_bounded_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text(saved({f"c{number}.name": "Bo" for number in range(1, 6)}))
    assert len(read_back([path], None, {}, RulesetCache()).sheets) == 5
    monkeypatch.setattr("sheetgen.readback.merging.pdf_time_limit", lambda _: 0)
    reading = read_back([path], None, {}, RulesetCache())
    assert len(reading.sheets) == 1
    assert reading.findings[-1].message == (
        "reading takes more than 0 s of processor time; 4 sheets of this file were not read, "
        "from `c2` on"
    )
    path.write_bytes(bytes(3_000_000))
    assert pdf_time_limit(path) == 8
    assert pdf_time_limit(path.rename(tmp_path / "a.pdf")) == 14
