"""The preflight: one file for each code with all that is said of it, and files of any kind.

`pytest --accept` writes what is said anew: read the diff as a customer would.
"""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Dictionary, Name

from sheetgen.diag.codes import CODES
from sheetgen.plugins.prepress.inspection import NoPdf, inspect_pdf
from sheetgen.plugins.prepress.preflight import inspect_file
from tests.cli.commands import CHARACTERS, run
from tests.printers.files import TEXT, printed, small
from tests.shelf import TESTS

HERO = str(CHARACTERS / "hyperspace-d6" / "jorra_kest.yaml")
SAID = TESTS / "printers" / "said"
BOOK = {"/TrimBox": [9, 9, 191, 291], "/BleedBox": [0, 0, 200, 300]}
SCRIPT = Dictionary(S=Name.JavaScript, JS="app.alert(1)")
LINK = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[20, 20, 40, 40], A=SCRIPT)
HALF = Dictionary({"/ExtGState": Dictionary(G=Dictionary(ca=0.5, SMask=Name.None_))})
PIXELS = b"BI /W 10 /H 10 /CS /G /BPC 8 /F /AHx ID " + b"80" * 100 + b"> EI"
CID = Dictionary(
    Type=Name.Font,
    Subtype=Name.Type0,
    BaseFont=Name("/ABCDEF+Letters"),
    Encoding=Name("/Identity-H"),
    DescendantFonts=[
        Dictionary(Type=Name.Font, Subtype=Name.CIDFontType2, FontDescriptor=Dictionary())
    ],
)


def coded(data: bytes) -> bytes:
    target = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.save(target, encryption=pikepdf.Encryption(owner="secret", user="secret"))
    return target.getvalue()


def mixed() -> bytes:
    """Return a file of many pages, each a little larger, and every other one turned."""
    target = io.BytesIO()
    with pikepdf.open(io.BytesIO(small(b"0.1 w 50 50 m 90 90 l S", pages=9))) as pdf:
        for number, page in enumerate(pdf.pages):
            page.obj.MediaBox = [0, 0, 200 + 9 * number, 300]
            page.obj.Contents = pdf.make_stream(b"0.0%d w 50 50 m 90 90 l S" % (number + 1))
            page.obj.Rotate = number % 2 * 90
        pdf.save(target)
    return target.getvalue()


def untrue() -> bytes:
    data = small()
    target = io.BytesIO()
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.docinfo["/GTS_PDFXVersion"] = "PDF/X-1a:2003"
        pdf.save(target)
    return target.getvalue()


CASES: dict[str, tuple[bytes, str]] = {
    "SG601": (b"hello", ""),
    "SG602": (coded(small()), ""),
    "SG603": (small(TEXT % (60, 60)), ""),
    "SG604": (
        small(b"BT /F1 9 Tf 60 60 Td <0001> Tj ET", resources={"/Font": Dictionary(F1=CID)}),
        "pod-book",
    ),
    "SG605": (small(TEXT % (12, 60) + b" 0 g 15 50 9 9 re f", boxes=BOOK, pages=2), "pod-book"),
    "SG606": (small(pages=2), "pod-book"),
    "SG607": (small(b"0 0 0 1 k 9 9 100 40 re f", boxes=BOOK, pages=2), "pod-book"),
    "SG608": (small(b"1 0 0 rg 60 60 9 9 re f", boxes=BOOK, pages=2), "pod-book"),
    "SG609": (small(b"1 1 1 0.5 k 60 60 9 9 re f", boxes=BOOK, pages=2), "pod-book"),
    "SG610": (small(b"/G gs 0 g 60 60 9 9 re f", resources=dict(HALF), boxes=BOOK), "pod-book"),
    "SG611": (small(root={"/OpenAction": SCRIPT}, more={"/Annots": [LINK]}), ""),
    "SG612": (small(b"0.1 w 50 50 m 90 90 l S"), ""),
    "SG613": (small(b"q 100 0 0 100 50 50 cm " + PIXELS + b" Q"), ""),
    "SG614": (untrue(), ""),
    "SG615": (small(pages=3, boxes=BOOK), "pod-book"),
    "SG618": (mixed(), ""),
    "SG627": (
        small(
            b"1 0 0 0 k 40 40 90 90 re f /G gs 0 0 0 0 k 60 60 9 9 re f",
            resources={"/ExtGState": Dictionary(G=Dictionary(OP=True, op=True, OPM=1))},
        ),
        "",
    ),
    "SG616": (
        small(b"/X Do", resources={"/XObject": Dictionary(X=Dictionary(Subtype=Name.Form))}),
        "",
    ),
}
"""A file for each code, and the printer that it is looked through for."""

ELSEWHERE = {
    "SG617": "printers/test_inks.py",
    "SG619": "pictures/test_page_pictures.py",
    "SG620": "pictures/test_page_pictures.py",
    "SG621": "pictures/test_online_decks.py",
    "SG622": "readback/test_backups.py",
    "SG623": "readback/test_backups.py",
    "SG624": "preview/test_stopped_prints.py",
    "SG625": "preview/test_server.py",
    "SG626": "tables/test_wide_tables.py",
}
"""Tests of the codes about what cannot be printed, which preflight never finds."""


@pytest.mark.parametrize("code", CASES)
def test_says_what_is_expected(
    code: str, accept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, preset = CASES[code]
    monkeypatch.chdir(tmp_path)
    Path(f"{code}.pdf").write_bytes(data)
    said = run("preflight", f"{code}.pdf", *(["--for", preset] if preset else []))
    golden = SAID / f"{code}.expected"
    if accept:
        golden.write_text(said.out + said.err, encoding="utf-8")
    assert said.out + said.err == golden.read_text(encoding="utf-8")
    assert f"[{code}]" in said.out
    assert said.status == (1 if "error[" in said.out else 0)


def test_every_code_has_a_case_and_is_explained() -> None:
    assert {
        code.id for code in CODES.values() if code.id.startswith("SG6")
    } == CASES.keys() | ELSEWHERE.keys()
    for id_, file in ELSEWHERE.items():
        assert id_ in (TESTS / file).read_text(encoding="utf-8")
    assert {path.stem for path in SAID.glob("*.expected")} == CASES.keys()
    for code in (one for one in CODES.values() if one.id.startswith("SG6")):
        assert code.title in run("explain", code.id).out


def test_json_has_boxes_in_millimetres(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(small(TEXT % (60, 60), boxes=BOOK))
    said = run("preflight", path, "--format", "json")
    data = json.loads(said.out)
    assert said.status == 1
    assert data["pages"][0]["trim"] == [3.175, 3.175, 67.381, 102.658]
    assert data["fonts"] == [
        {"name": "Helvetica", "kind": "Type1", "embedded": False, "subset": False}
    ]
    assert [finding["code"] for finding in data["findings"]] == ["SG603"]
    missing = run("preflight", tmp_path / "none.pdf", "--format", "json")
    assert missing.status == 1
    assert json.loads(missing.out)["findings"][0]["code"] == "SG001"


def test_strict_counts_warnings(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(CASES["SG612"][0])
    assert run("preflight", path).status == 0
    assert run("preflight", path, "--strict").status == 1


@pytest.mark.slow
def test_distances_are_those_of_the_letters(tmp_path: Path) -> None:
    """Measured with another library, on a print of our own."""
    import pymupdf

    path = printed("cards", "hyperspace-d6", "--kind", "npc", "--for", "mpc")
    looked = inspect_file(path, None).value
    assert looked is not None
    with pymupdf.open(path) as document:
        page = document[0]
        pixels = page.get_pixmap(dpi=600, colorspace="gray")
    from PIL import Image

    picture = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    inked = picture.point(lambda value: 255 if value < 128 else 0).getbbox()
    assert inked is not None
    drawn = looked.pages[0].drawn
    nearest = min(drawn.text["foot"], drawn.art["foot"])
    below = (picture.height - inked[3]) * 72 / 600 - 9
    assert nearest == pytest.approx(below, abs=0.2)
    left = inked[0] * 72 / 600 - 9
    assert min(drawn.text["left"], drawn.art["left"]) == pytest.approx(left, abs=0.2)


def itself() -> bytes:
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(100, 100))
    form = pdf.make_stream(b"/X Do", Subtype=Name.Form, BBox=[0, 0, 100, 100])
    form.Resources = Dictionary(XObject=Dictionary(X=form))
    page.obj.Resources = Dictionary(XObject=Dictionary(X=form))
    page.obj.Contents = pdf.make_stream(b"/X Do")
    target = io.BytesIO()
    pdf.save(target)
    return target.getvalue()


def test_a_form_within_itself_ends() -> None:
    assert inspect_pdf(itself()).unread == ("page 1: forms nested more than 12 deep",)


def test_contents_that_unpack_to_gigabytes_are_left() -> None:
    import zlib

    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(100, 100))
    packer = zlib.compressobj(9)
    blanks = bytes(1_000_000).replace(b"\0", b" ")
    data = b"".join(packer.compress(blanks) for _ in range(100)) + packer.flush()
    page.obj.Contents = pikepdf.Stream(pdf, data, {"/Filter": Name.FlateDecode})
    target = io.BytesIO()
    pdf.save(target, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)
    assert len(target.getvalue()) < 500_000
    assert inspect_pdf(target.getvalue()).unread == ("page 1: more than 12 MB of content",)


@pytest.mark.many
@pytest.mark.parametrize("seed", range(60))
def test_damaged_files_are_findings(seed: int) -> None:
    """Cut off, or with bytes changed: looked through, or refused in words; nothing else."""
    draw = random.Random(seed)
    data = bytearray(printed("sheet", HERO).read_bytes())
    if seed % 3 == 0:
        del data[draw.randrange(len(data)) :]
    for _ in range(draw.choice([0, 1, 20, 400])):
        if data:
            data[draw.randrange(len(data))] = draw.randrange(256)
    said = ""
    try:
        assert inspect_pdf(bytes(data)).pages
    except NoPdf as error:
        said = str(error)
    assert "0x" not in said
