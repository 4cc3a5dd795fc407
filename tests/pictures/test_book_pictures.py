"""Pictures and decks in books: planned, recorded and protected as PDFs are."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from sheetgen.model.requests import FORMATS_OF_FILES
from sheetgen.registry import deck_formats
from tests.cli.commands import run

pytestmark = pytest.mark.slow

BOOK = """\
title: Shots
defaults: {dpi: 36, transparent: true, base_url: "https://example.org"}
entries:
  - {tables: [d6-pips], only: [play], to: [pdf, png]}
  - {cards: [d6-pips], kind: npc, only: [Guard, Hunter], to: [webp, tts, cgs], each: true}
combined:
  - {name: all}
"""


def test_a_book_plans_records_and_protects_pictures(tmp_path: Path) -> None:
    book = tmp_path / "book.yaml"
    book.write_text(BOOK, encoding="utf-8")
    planned = run("build", book, "--dry-run")
    names = [line.partition(": ")[2].partition(" (")[0] for line in planned.out.splitlines()]
    built = run("build", book)
    assert built.status == 0, built.err
    written = built.out.splitlines()
    assert sorted(names) == sorted(written)
    out = tmp_path / "book-output"
    assert {path.relative_to(out).as_posix() for path in map(Path, written)} >= {
        "all.pdf",
        "d6-pips-tables.png",
        "d6-pips-npc-cards/guard.webp",
        "d6-pips-npc-cards/hunter-2.webp",
        "d6-pips-npc-cards.cgs.zip",
    }
    assert f"0 written, {len(written)} up to date" in run("build", book).err
    picture = out / "d6-pips-npc-cards" / "guard.webp"
    changed = picture.read_bytes() + b"\0"
    picture.write_bytes(changed)
    left = run("build", book)
    assert (left.status, left.err.count("error[SG702]")) == (1, 1)
    assert picture.read_bytes() == changed
    assert run("build", book, "--force").status == 0
    assert picture.read_bytes() != changed
    book.write_text(BOOK.replace("[pdf, png]", "[pdf]"), encoding="utf-8")
    assert run("build", book).status == 0
    assert not (out / "d6-pips-tables.png").exists(), "no job writes it any more"


@pytest.mark.parametrize("size", [(1, 5000), (5000, 1)])
def test_a_cover_one_pixel_wide_or_high_fills_its_page(
    size: tuple[int, int], tmp_path: Path
) -> None:
    Image.new("RGB", size, (200, 40, 30)).save(tmp_path / "thin.jpg", quality=95)
    book = tmp_path / "book.yaml"
    entry = "{tables: [d6-pips], only: [play]}"
    cover = "cover: {file: thin.jpg, alt: Red}"
    combined = "combined: [{name: all, cover: {title: T}}]"
    text = f"title: Thin\n{cover}\nentries: [{entry}]\n{combined}\n"
    book.write_text(text, encoding="utf-8")
    assert run("build", book).status == 0
    page = pypdfium2.PdfDocument(tmp_path / "book-output" / "all.pdf")[0]
    picture = page.render(scale=0.5).to_pil().convert("RGB")
    wide, high = picture.size
    for spot in ((1, 1), (wide - 2, 1), (1, high - 2), (wide - 2, high - 2)):
        assert picture.getpixel(spot) == pytest.approx((200, 40, 30), abs=12)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("tables: [d6-pips], to: [tts]", "tts is a format of cards"),
        ("sheets: [a.yaml], to: [png], joined: true", "joined sheets are one PDF"),
        ("tables: [d6-pips], to: [png], each: true", "only cards have a picture each"),
        ("tables: [d6-pips], to: [png], archive: true", "an archive is PDF/A"),
        ("tables: [d6-pips], to: [png], for: pod-book", "the preset pod-book prepares a PDF"),
        ("tables: [d6-pips], to: [png], dpi: 20", "`dpi` has to be 36 to 1,200"),
        ("tables: [d6-pips], to: [gif]", "there is no file format `gif`"),
    ],
)
def test_a_wrong_entry_is_a_finding_at_its_line(entry: str, message: str, tmp_path: Path) -> None:
    book = tmp_path / "book.yaml"
    book.write_text(f"title: Bad\nentries:\n  - {{{entry}}}\n", encoding="utf-8")
    told = run("build", book)
    assert told.status == 1
    assert message in told.err
    assert f"{book}:3:" in told.err


@pytest.mark.parametrize("value", ["[a.png]", "{alt: A}", "{file: a.png, focus: [x, 1]}", "a.png"])
def test_a_book_with_a_wrong_picture_is_printed_without_it(value: str, tmp_path: Path) -> None:
    book = tmp_path / "book.yaml"
    book.write_text(f"{BOOK}cover: {value}\n", encoding="utf-8")
    told = run("build", book)
    assert told.status == 0, told.err
    assert f"{book}:{BOOK.count(chr(10)) + 1}:" in told.err
    assert "warning[" in told.err


def test_formats_are_listed() -> None:
    listed = [line.split()[0] for line in run("list", "formats").out.splitlines()]
    assert listed == [*FORMATS_OF_FILES, *deck_formats()]
