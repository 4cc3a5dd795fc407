"""Books with a publisher's theme: covers with pictures, and what is built again."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from PIL import Image
from pypdf import PdfReader

from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import errors
from tests.books.test_books import built, heroes, plan_book

pytestmark = pytest.mark.slow

BOOK = """
title: Moonlit
out: out
defaults: {theme: brand/theme.yaml}
entries:
  - {id: heroes, sheets: heroes}
combined:
  - name: all
    cover: {title: Moonlit Nights, foot: First printing}
"""
THEME = """
colours: {accent: "#8A1C5C"}
logo: {file: logo.png, alt: Ours}
cover: {file: cover.png, alt: A red sea, credit: Painted by Ana.}
"""


def _book(folder: Path) -> Path:
    (folder / "brand").mkdir()
    (folder / "brand" / "theme.yaml").write_text(THEME, encoding="utf-8")
    Image.new("RGB", (21, 30), (200, 30, 40)).save(folder / "brand" / "cover.png")
    Image.new("RGB", (30, 10), (20, 30, 200)).save(folder / "brand" / "logo.png")
    heroes(folder / "heroes", "d6-pips/kor_ashveld")
    (folder / "book.yaml").write_text(BOOK, encoding="utf-8")
    return folder / "book.yaml"


def test_a_book_has_its_publisher_s_cover_and_logo(tmp_path: Path) -> None:
    path = _book(tmp_path)
    first, findings = built(path)
    assert not errors(findings)
    assert not first.failed
    data = (tmp_path / "out" / "all.pdf").read_bytes()
    page = pypdfium2.PdfDocument(data)[0].render(scale=1).to_pil()
    for at in ((1, 1), (593, 1), (1, 840), (593, 840), (300, 200)):
        assert page.getpixel(at) == (200, 30, 40), at
    words = PdfReader(tmp_path / "out" / "all.pdf").pages[0].extract_text()
    assert all(text in words for text in ("Moonlit Nights", "First printing", "Painted by Ana."))

    again, _ = built(path)
    assert not again.outputs.written
    Image.new("RGB", (30, 10), (20, 200, 30)).save(tmp_path / "brand" / "logo.png")
    changed, _ = built(path)
    assert len(changed.outputs.written) == 2
    Image.new("RGB", (21, 30), (20, 30, 40)).save(tmp_path / "brand" / "cover.png")
    covered, _ = built(path)
    assert "all.pdf" in covered.outputs.written


def test_a_face_of_a_cover_is_an_input_of_its_file(tmp_path: Path) -> None:
    path = _book(tmp_path)
    text = BOOK.replace("foot: First printing", "face: brand/face.yaml").replace(
        "brand/theme.yaml", "standard"
    )
    path.write_text(text, encoding="utf-8")
    face = tmp_path / "brand" / "face.yaml"
    face.write_text("colours: {accent: '#0B6660'}\n", encoding="utf-8")
    built(path)
    face.write_text("colours: {accent: '#660B60'}\n", encoding="utf-8")
    changed, _ = built(path)
    assert changed.outputs.written == ["all.pdf"]


@pytest.mark.parametrize(("where", "paper"), [("defaults", "a4"), ("entry", "letter")])
def test_a_preset_of_a_printer_keeps_the_theme_of_the_book(
    where: str, paper: str, tmp_path: Path
) -> None:
    path = _book(tmp_path)
    text = BOOK.partition("combined:")[0].replace("{theme:", "{paper: a4, theme:")
    ours = ("{paper:", "sheets: heroes")[where == "entry"]
    theirs = ("{for: pod-book, paper:", "sheets: heroes, for: pod-book")[where == "entry"]
    path.write_text(text.replace(ours, theirs), encoding="utf-8")
    (job,) = plan_book(path).jobs
    assert job.request.theme == str(tmp_path / "brand" / "theme.yaml")
    assert job.request.flatten
    assert job.request.paper == paper


def test_pages_have_the_colour_of_the_paper_up_to_their_edges(tmp_path: Path) -> None:
    path = _book(tmp_path)
    (tmp_path / "brand" / "theme.yaml").write_text("colours: {paper: '#FFF0D0'}", encoding="utf-8")
    text = BOOK.partition("combined:")[0] + "  - {id: tables, tables: d6-pips, only: [play]}\n"
    path.write_text(text, encoding="utf-8")
    result, _ = built(path)
    assert len(result.outputs.written) == 2
    for name in result.outputs.written:
        page = pypdfium2.PdfDocument(tmp_path / "out" / name)[0].render(scale=0.25).to_pil()
        wide, high = page.size
        for at in ((1, 1), (wide - 2, 1), (1, high - 2), (wide - 2, high - 2)):
            assert page.getpixel(at) == (255, 240, 208), (name, at)


def test_check_finds_kinds_groups_and_files_that_do_not_exist(tmp_path: Path) -> None:
    path = _book(tmp_path)
    path.write_text(
        """title: T
entries:
  - {sheets: heros}
  - {cards: d6-pips, kind: ncp}
  - {cards: d6-pips, kind: npc, group: Beast and machines}
  - {cards: d6-pips, kind: npc, group: Beasts and machines}
  - {sheets: heroes}
""",
        encoding="utf-8",
    )
    (checked,) = check_paths([path], {})
    found = {finding.span.line: finding for finding in checked.findings}
    assert found.keys() == {3, 4, 5}
    assert (found[3].code.id, found[3].hint) == ("SG001", "did you mean `heroes`?")
    assert "has no kind `ncp`" in found[4].message
    assert "there is no group `Beast and machines`" in found[5].message
