"""Backs of cards with a publisher's picture or logo."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from sheetgen.model.requests import CardRequest
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.prints.cards import Deck, build_deck, select_cards
from sheetgen.render.press.press import press_cards

MM = 72 / 25.4


def _deck(folder: Path, theme: str, duplex: str | None = "long-edge") -> Deck:
    Image.new("RGB", (20, 30), (200, 30, 40)).save(folder / "red.png")
    (folder / "theme.yaml").write_text(theme, encoding="utf-8")
    request = CardRequest(of_kind="npc", theme=str(folder / "theme.yaml"))
    layout = DeckLayout(impose(CARDS["poker"], "a4"), duplex)  # type: ignore[arg-type]
    made = build_deck(select_cards("hyperspace-d6", request).cards[:2], layout, request).value
    assert made is not None
    return made


def test_a_picture_fills_each_back_and_its_bleed(tmp_path: Path) -> None:
    made = _deck(tmp_path, "back: red.png\n")
    assert not made.findings
    front, back = made.plan.pages
    assert len(back.placed) == len(front.placed) == 2
    page = pypdfium2.PdfDocument(press_cards(made.plan))[1]
    image = page.render(scale=2).to_pil()
    for placed in back.placed:
        box = placed.box
        inside = [(box.x + 2, box.y + 2), (box.x + box.width - 2, box.y + box.height - 2)]
        for x, y in [*inside, (box.x + 9, box.y - 1.5 * MM)]:
            assert image.getpixel((int(2 * x), int(2 * y))) == pytest.approx((200, 30, 40), abs=3)
    first = back.placed[0].box  # behind the first front: at the right
    assert (
        image.getpixel((int(2 * (first.x + first.width + 3 * MM)), int(2 * first.y))) == (255,) * 3
    )


@pytest.mark.slow
def test_a_logo_is_on_the_game_s_own_back(tmp_path: Path) -> None:
    made = _deck(tmp_path, "logo: {file: red.png, alt: Ours}\n")
    strip = made.plan.pages[1].placed[0].face.strips[0]
    assert strip.filling.pictures["logo"].alt == "Ours"
    (place,) = (place for place in strip.plate.places if place.name == "logo")
    assert (place.box.width / MM, place.box.height / MM) == pytest.approx((30, 10), abs=0.1)


def test_without_backs_there_is_no_picture(tmp_path: Path) -> None:
    made = _deck(tmp_path, "back: red.png\nlogo: {file: red.png, alt: Ours}\n", None)
    assert all(one.face.picture is None for page in made.plan.pages for one in page.placed)
