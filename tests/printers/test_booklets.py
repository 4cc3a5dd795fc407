"""Booklets: every page once, in the order of folding, at its size, with its words."""

from __future__ import annotations

import io
from pathlib import Path

import pikepdf
import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.plugins.prepress.booklets import find_booklet_sheet, impose_booklet, plan_sides
from sheetgen.units import MM, paper_points
from tests.cli.commands import CHARACTERS, run
from tests.printers.files import printed
from tests.render.viewers import qpdf_says, text_of

HERO = str(CHARACTERS / "hyperspace-d6" / "jorra_kest.yaml")
A5 = (148 * MM, 210 * MM)


@given(st.integers(1, 200))
def test_a_folded_pile_reads_in_order(pages: int) -> None:
    """Leaves are turned from the outer sheet to the inner, and back out."""
    found = plan_sides(pages)
    fronts, backs = found[::2], found[1::2]
    assert len(fronts) == len(backs) == -(-pages // 4)
    leaves = [*zip(fronts, backs, strict=True)]
    inwards = [n for front, back in leaves for n in (front.right, back.left)]
    outwards = [n for front, back in leaves[::-1] for n in (back.right, front.left)]
    read = inwards + outwards
    assert read[:pages] == list(range(pages))
    assert read[pages:] == [None] * (-pages % 4)


def numbered(count: int, size: tuple[float, float] = A5) -> bytes:
    """Return a PDF with the number of each page in its middle."""
    pdf = pikepdf.new()
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica
    )
    for number in range(1, count + 1):
        page = pdf.add_blank_page(page_size=size)
        text = b"BT /F 40 Tf %.2f %.2f Td (n%d) Tj ET" % (size[0] / 2, size[1] / 2, number)
        page.obj.Contents = pdf.make_stream(text)
        page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
    pdf.docinfo["/Title"] = "Numbers"
    target = io.BytesIO()
    pdf.save(target)
    return target.getvalue()


def halves(data: bytes) -> list[tuple[str, str]]:
    """Return what a reader finds in the left and the right half of each side."""
    document = pymupdf.open(stream=data, filetype="pdf")
    found = []
    for page in document:
        left, right = pymupdf.Rect(page.rect), pymupdf.Rect(page.rect)
        left.x1 = right.x0 = page.rect.width / 2
        found.append(tuple(page.get_text(clip=half).strip() for half in (left, right)))
    return found


def test_pages_stand_where_the_fold_wants_them() -> None:
    source = numbered(6)  # its identifier is new each time
    made = impose_booklet(source)
    assert qpdf_says(made) == ""
    assert halves(made) == [("", "n1"), ("n2", ""), ("n6", "n3"), ("n4", "n5")]
    with pikepdf.open(io.BytesIO(made)) as pdf:
        size = [float(side) / MM for side in pdf.pages[0].mediabox[2:]]
        assert size == pytest.approx([297, 210], abs=0.01)
        assert pdf.Root.ViewerPreferences.Duplex == "/DuplexFlipShortEdge"
        assert str(pdf.docinfo["/Title"]) == "Numbers"
    assert impose_booklet(source) == made


def test_a4_goes_on_a3_or_smaller_on_a4() -> None:
    assert find_booklet_sheet(*paper_points("a4")) == pytest.approx((420 * MM, 297 * MM))
    pages = numbered(4, paper_points("a4"))
    whole, small = impose_booklet(pages), impose_booklet(pages, paper_points("a4"))
    for data, scale in ((whole, 1.0), (small, 148.5 / 210)):
        first = pymupdf.open(stream=data, filetype="pdf")[0]
        span = first.get_text("dict")["blocks"][0]["lines"][0]["spans"][0]
        assert span["size"] == pytest.approx(40 * scale, abs=0.05)


def test_creep_moves_inner_pages_to_the_fold() -> None:
    def places(creep: float) -> list[float]:
        document = pymupdf.open(stream=impose_booklet(numbered(8), None, creep), filetype="pdf")
        return [page.search_for("n")[0].x0 for page in document]

    still, moved = places(0), places(0.3 * MM)
    by = [(after - before) / MM for before, after in zip(still, moved, strict=True)]
    # Left pages go right, on the second sheet only.
    assert by == pytest.approx([0, 0, 0.3, 0.3], abs=0.01)


def test_a_sheet_with_fields_becomes_flat(tmp_path: Path) -> None:
    plain = printed("sheet", HERO)
    said = run("booklet", plain, "--paper", "a4", "--out", tmp_path)
    assert said.status == 0, said.err
    data = Path(said.out.strip()).read_bytes()
    assert qpdf_says(data) == ""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        assert "/AcroForm" not in pdf.Root
        assert "/StructTreeRoot" not in pdf.Root
        assert b"pdfuaid" not in pdf.Root.Metadata.read_bytes()
        assert len(pdf.pages) == 2
        assert "/Subject" in pdf.docinfo
    words = set(text_of(data).split())
    assert {"Jorra", "Kest", "Matt", "Click,"} <= words
    shown = set(text_of(plain.read_bytes()).split())
    assert shown - {"reset"} <= words  # a button of the screen is gone


@pytest.mark.parametrize(
    ("words", "expected"),
    [(("--creep", "3"), "is not a length"), (("--creep", "9mm"), "between 0 and 2 mm")],
)
def test_wrong_creep_is_wrong_usage(words: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(numbered(1))
    said = run("booklet", path, *words, "--out", tmp_path)
    assert said.status == 2
    assert expected in said.err


def test_what_is_no_pdf_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_text("hello", encoding="utf-8")
    said = run("booklet", path, "--out", tmp_path / "out")
    assert said.status == 1
    assert "SG601" in said.err
    assert not (tmp_path / "out").exists()


def test_landscape_pages_of_a_booklet_are_turned_all_the_same_way() -> None:
    data = io.BytesIO()
    with pikepdf.open(io.BytesIO(numbered(2))) as pdf, pikepdf.open(io.BytesIO(wide(2))) as more:
        pdf.pages.extend(more.pages)
        pdf.save(data)
    document = pymupdf.open(stream=impose_booklet(data.getvalue()), filetype="pdf")
    found = [
        (line["spans"][0]["text"], tuple(round(part) for part in line["dir"]), round(span["size"]))
        for page in document
        for block in page.get_text("dict")["blocks"]
        for line in block["lines"]
        for span in line["spans"]
    ]
    upright, turned = found[1::2] if found[0][1] == (0, -1) else found[::2], []
    turned = [direction for text, direction, _ in found if direction != (1, 0)]
    assert turned == [(0, -1)] * 2
    assert len(upright) == 2
    assert {size for _, _, size in found} == {40}


def test_a_turned_first_page_does_not_turn_the_others() -> None:
    with pikepdf.open(io.BytesIO(numbered(4))) as pdf:
        pdf.pages[0].Rotate = 90
        data = io.BytesIO()
        pdf.save(data)
    usual, turned = (
        [[round(n) for n in page.rect] for page in pymupdf.open(stream=one, filetype="pdf")]
        for one in (impose_booklet(numbered(4)), impose_booklet(data.getvalue()))
    )
    assert turned == usual
    document = pymupdf.open(stream=impose_booklet(data.getvalue()), filetype="pdf")
    lines = [
        (line["spans"][0]["text"], tuple(round(part) for part in line["dir"]))
        for page in document
        for block in page.get_text("dict")["blocks"]
        for line in block["lines"]
    ]
    assert [way for text, way in lines if "1" not in text] == [(1, 0)] * 3


def wide(count: int) -> bytes:
    """Return landscape pages of the same paper as `numbered` ones."""
    with pikepdf.open(io.BytesIO(numbered(1))) as pdf:
        _, _, short, long = map(float, pdf.pages[0].mediabox)
    return numbered(count, (long, short))


def test_a_portrait_first_page_does_not_turn_landscape_ones() -> None:
    data = io.BytesIO()
    with pikepdf.open(io.BytesIO(numbered(1))) as pdf, pikepdf.open(io.BytesIO(wide(3))) as more:
        pdf.pages.extend(more.pages)
        pdf.save(data)
    usual, mixed = (
        [[round(n) for n in page.rect] for page in pymupdf.open(stream=one, filetype="pdf")]
        for one in (impose_booklet(wide(4)), impose_booklet(data.getvalue()))
    )
    assert mixed == usual
