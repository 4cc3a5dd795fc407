"""Printed from the browser, a sheet is our PDF: as many pages, everything within a millimetre."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, ImageChops, ImageFilter

from sheetgen.prints.characters import Character
from tests.browser.windows import Window, html_of
from tests.cli.commands import run
from tests.printing import CHARACTERS, character_at, character_from, printed

pytestmark = pytest.mark.slow

SCALE = 2
MILLIMETRE = 2 * round(SCALE * 72 / 25.4) - 1
"""Width of a square, in pixels, that reaches a millimetre each way."""

STRAY = 40
"""Pixels of two pages that may differ otherwise."""

MATERIALS = [f"Hilt {n}, of phrik" for n in range(1, 31)]
"""More rows than a sheet has room for."""

SUM = ImageFilter.Kernel((3, 3), [1] * 9, scale=9)


def long() -> Character:
    """Return a character whose sheet goes on on a third page."""
    [path] = [path for path in CHARACTERS if path.stem == "ansa-reth"]
    text = path.read_text(encoding="utf-8")
    assert "materials: [Phrik hilt]" in text
    text = text.replace("[Phrik hilt]", str(MATERIALS))
    return character_from(text, path.parent.name)


@cache
def long_html() -> bytes:
    return printed(long(), formats=("html",)).printed.files["html"]


def pages(data: bytes) -> list[Image.Image]:
    """Render all pages, twice as sharp first: PDFium rounds the tiles of a lattice to pixels."""
    pdf = pypdfium2.PdfDocument(data)
    pdf.init_forms()
    sharp = [page.render(scale=2 * SCALE, may_draw_forms=True).to_pil() for page in pdf]
    return [page.convert("L").reduce(2) for page in sharp]


def strays(one: Image.Image, other: Image.Image) -> int:
    """Return how much dark ink of one page has no ink of the other within a millimetre.

    Single pixels are the dots of a lattice, too faint for one of two renderings.
    """
    dark = one.resize(other.size).point(lambda value: 255 if value < 150 else 0)
    near = other.point(lambda value: 255 if value < 245 else 0)
    near = near.filter(ImageFilter.MaxFilter(MILLIMETRE))
    found = ImageChops.subtract(dark, near)
    joined = found.filter(SUM).point(lambda value: 255 if value > 40 else 0)
    return ImageChops.darker(found, joined).histogram()[255]


@pytest.mark.parametrize("stem", ["ansa-reth", "brakka_sool", "tib_marlow"])
def test_the_browser_prints_our_pages(window: Window, stem: str) -> None:
    [path] = [path for path in CHARACTERS if path.stem == stem]
    ours = pages(printed(character_at(path), flatten=True).pdf)
    window.open(html_of(stem))
    theirs = pages(window.page.pdf(prefer_css_page_size=True))
    assert len(theirs) == len(ours)
    assert window.page.locator(".moved").count() == len(ours) - 2
    for mine, its in zip(ours[:2], theirs[:2], strict=True):
        assert strays(its, mine) <= STRAY
        assert strays(mine, its.resize(mine.size)) <= STRAY


def test_what_continues_is_printed_on_a_page_of_its_own(window: Window) -> None:
    """Its page has another layout in a browser, and says the same."""
    ours = pypdfium2.PdfDocument(printed(long(), flatten=True).pdf)
    window.open(long_html())
    theirs = pypdfium2.PdfDocument(window.page.pdf(prefer_css_page_size=True))
    texts = (pdf[2].get_textpage().get_text_bounded() for pdf in (ours, theirs))
    mine, its = ("".join(text.split()) for text in texts)
    cells = window.page.locator(".moved li").all_inner_texts()
    assert MATERIALS[-1] in cells
    assert len(cells) > 20
    for cell in cells:
        assert "".join(cell.split()) in mine
        assert "".join(cell.split()) in its


def test_what_was_typed_is_printed_and_the_bar_is_not(window: Window) -> None:
    window.open(long_html())
    window.type("player", "Somebody else")
    window.tap("abilities.stealth.1")
    window.page.locator(".x-state").wait_for()
    text = pypdfium2.PdfDocument(window.page.pdf(prefer_css_page_size=True))
    assert len(text) == 3
    said = text[0].get_textpage().get_text_bounded()
    assert "Somebody else" in said
    assert "Undo" not in said
    assert "SAVE FILE" not in said.upper()


def test_a_phone_prints_the_same_pages(phone: Window) -> None:
    phone.open(long_html())
    assert len(pypdfium2.PdfDocument(phone.page.pdf(prefer_css_page_size=True))) == 3


@pytest.mark.parametrize(
    "words",
    [
        ("odds", "hyperspace-d6"),
        ("encounter", "content/encounters/hyperspace-d6/salt-bridge.yaml"),
        ("encounter", "content/encounters/narrative-powers/toll_bridge.yaml"),
    ],
    ids=" ".join,
)
def test_other_prints_have_as_many_pages(
    phone: Window, words: tuple[str, ...], tmp_path: Path
) -> None:
    said = run(*words, "--to", "html", "--to", "pdf", "--out", tmp_path)
    assert said.status == 0, said.err
    [html], [pdf] = tmp_path.glob("*.html"), tmp_path.glob("*.pdf")
    phone.open(html.read_bytes())
    theirs = phone.page.pdf(format="A4", prefer_css_page_size=True)
    assert len(pypdfium2.PdfDocument(theirs)) == len(pypdfium2.PdfDocument(pdf))
