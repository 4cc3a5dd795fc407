"""A picture of each card: what the PDF shows there, named after what is on it."""

from __future__ import annotations

from pathlib import Path

import pypdfium2
import pytest
from PIL import ImageChops

from sheetgen.plan.imposition import CARDS, impose
from tests.cli.commands import run
from tests.pictures.test_page_pictures import DPI, opened, printed, rendered, share_of_changes

CARD = ["cards", "d6-pips", "--kind", "npc", "--group", "People"]


def test_each_card_is_a_page_of_a_single_print(tmp_path: Path) -> None:
    pages = rendered(next(iter(printed(tmp_path / "pdf", *CARD, "--single").values())))
    files = printed(tmp_path / "png", *CARD, "--each", "--to", "png", "--dpi", str(DPI))
    folder = "d6-pips-npc-people-cards"
    assert {Path(name).parent.as_posix() for name in files} == {folder}
    assert f"{folder}/guard.png" in files
    assert f"{folder}/hunter-2.png" in files, "a continuation"
    for picture, page in zip(map(opened, files.values()), pages, strict=True):
        assert ImageChops.difference(picture, page).getbbox() is None


def test_each_card_is_a_crop_of_its_page(tmp_path: Path) -> None:
    """On a page of nine, crop marks and neighbours stay outside."""
    (content,) = printed(tmp_path / "pdf", *CARD, "--no-marks").values()
    files = printed(tmp_path / "png", *CARD, "--each", "--to", "png", "--dpi", "150")
    grid = impose(CARDS["poker"], "a4")
    page = pypdfium2.PdfDocument(content)[0]
    for number, picture in enumerate(list(map(opened, files.values()))[:3]):
        box = grid.slot(number).box
        top = grid.paper[1] - box.y
        page.set_cropbox(box.x, top - box.height, box.x + box.width, top)
        crop = page.render(scale=150 / 72).to_pil()
        assert share_of_changes(picture, crop) < 0.001


def test_bleed_is_part_of_a_picture(tmp_path: Path) -> None:
    words = [*CARD[:4], "--name", "Guard", "--each", "--to", "png", "--dpi", "200"]
    (plain,) = printed(tmp_path / "plain", *words).values()
    (bled,) = printed(tmp_path / "bled", *words, "--bleed", "3mm").values()
    assert opened(plain).size == (497, 693)  # PDFium rounds up
    assert opened(bled).size == (544, 741)


def test_backs_are_pictures_too_and_the_games_own_is_one(tmp_path: Path) -> None:
    words = [*CARD, "--each", "--backs", "long-edge", "--to", "png", "--dpi", "40"]
    names = {Path(name).stem for name in printed(tmp_path, *words)}
    assert {"guard", "hunter", "hunter-back", "back"} <= names
    assert not {"guard-back", "back-2", "hunter-2"} & names


NAMES = ["CON", "con", "Ar/ger: ../x?", "Ärger", "Вера", "Vera", "***", "a" * 300]


def people(folder: Path, names: list[str], more: str = "") -> Path:
    """Return a file of one person with several names, a card each."""
    path = folder / "people.yaml"
    listed = ", ".join(f'"{name}"' for name in names)
    path.write_text(
        f"ruleset: hyperspace-d6\nkind: npc\nname: Many\nlevel: Common\nnames: [{listed}]\n"
        f"trained: [Melee, Deceive]\n{more}",
        encoding="utf-8",
    )
    return path


def test_names_are_unique_and_safe(tmp_path: Path) -> None:
    path = people(tmp_path, NAMES)
    files = printed(tmp_path / "out", "cards", path, "--each", "--to", "png", "--dpi", "36")
    names = [Path(name).name for name in files]
    assert len(names) == len(NAMES)
    assert len({name.casefold() for name in names}) == len(NAMES)
    assert names[:5] == ["con_.png", "con_-2.png", "ar-ger-x.png", "arger.png", "вера.png"]
    assert names[6] == "card.png"
    assert all(len(name.encode()) < 255 for name in names)
    assert {Path(name).parts[0] for name in files} == {"people-cards"}


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--each"], "--each"),
        (["--each", "--to", "png", "--grid", "2x2"], "--grid"),
        (["--to", "tts", "--calibrate"], "--calibrate"),
        (["--to", "png", "--base-url", "https://example.org"], "--base-url"),
        (["--to", "tts", "--base-url", "example.org/decks"], "--base-url"),
        (["--to", "cgs", "--for", "drivethru-card"], "--for"),
    ],
    ids=lambda words: "".join(words),
)
def test_options_that_do_not_go_together(words: list[str], option: str, tmp_path: Path) -> None:
    told = run(*CARD, *words, "--out", tmp_path)
    assert told.status == 2
    assert f"{option}: error[SG619]" in told.err
    assert not list(tmp_path.iterdir())
