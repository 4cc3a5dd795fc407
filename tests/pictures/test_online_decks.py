"""Decks for online tables keep the rules of their formats, and show what the cards show."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from sheetgen.plan.imposition import CARDS
from sheetgen.plugins.tabletop.decks import plan_grid
from tests.cli.commands import run
from tests.pictures.test_card_pictures import CARD, people
from tests.pictures.test_page_pictures import opened, printed
from tests.shelf import ruleset

URL = "https://example.org/my%20decks"


def deck_of(folder: Path, *words: str | Path) -> tuple[dict[str, Any], dict[str, Image.Image]]:
    """Return the saved object of a print, and its pictures by name."""
    files = printed(folder, *words, "--to", "tts")
    (name,) = (name for name in files if name.endswith(".json"))
    saved = json.loads(files[name])
    pictures = {Path(n).name: opened(c) for n, c in files.items() if n.endswith(".png")}
    (top,) = saved["ObjectStates"]
    check_deck(top, pictures)
    assert f"{Path(name).stem}.png" in pictures, "the thumbnail"
    return top, pictures


def check_deck(top: dict[str, Any], pictures: dict[str, Image.Image]) -> None:
    """Check the rules of the format: ids, cells, sides, and what a hidden card shows."""
    cards = top.get("ContainedObjects", [top])
    assert top["Name"] == ("DeckCustom" if "ContainedObjects" in top else "Card")
    if cards != [top]:
        assert [card["CardID"] for card in cards] == top["DeckIDs"]
    guids = [one["GUID"] for one in {id(one): one for one in (top, *cards)}.values()]
    assert all(re.fullmatch("[0-9a-f]{6}", guid) for guid in guids)
    assert len(set(guids)) == len(guids)
    for entry in top["CustomDeck"].values():
        places = entry["NumWidth"] * entry["NumHeight"]
        assert entry["NumWidth"] <= 10
        assert entry["NumHeight"] <= 7
        assert entry["BackIsHidden"] is True
        sheets = [entry["FaceURL"], *([entry["BackURL"]] if entry["UniqueBack"] else [])]
        for name in sheets:
            sheet = pictures[name.rpartition("/")[2]]
            assert sheet.mode == "RGB"
            assert max(sheet.size) <= 4096
            assert (sheet.width % entry["NumWidth"], sheet.height % entry["NumHeight"]) == (0, 0)
        assert entry["BackURL"].rpartition("/")[2] in pictures
    for card in cards:
        number, place = divmod(card["CardID"], 100)
        (key,) = card["CustomDeck"]
        assert key == str(number)
        assert card["CustomDeck"][key] == top["CustomDeck"][key]
        assert place < places
        assert card["Name"] == "Card"
        assert card["Nickname"]
        assert card["Description"]
        assert len(card["Transform"]) == 9


def cell(card: dict[str, Any], pictures: dict[str, Image.Image], url: str) -> Image.Image:
    """Return the cell of a card, cut out of its sheet."""
    number, place = divmod(card["CardID"], 100)
    entry = card["CustomDeck"][str(number)]
    sheet = pictures[entry[url].rpartition("/")[2]]
    width, height = sheet.width // entry["NumWidth"], sheet.height // entry["NumHeight"]
    x, y = place % entry["NumWidth"] * width, place // entry["NumWidth"] * height
    return sheet.crop((x, y, x + width, y + height))


def test_cells_are_the_pictures_of_the_cards(tmp_path: Path) -> None:
    top, pictures = deck_of(tmp_path, *CARD, "--dpi", "60")
    each = printed(
        tmp_path / "each",
        *(*CARD, "--each", "--backs", "long-edge", "--to", "png", "--dpi", "60"),
    )
    shown = {Path(name).stem: opened(content) for name, content in each.items()}
    cards = top["ContainedObjects"]
    assert [card["Nickname"] for card in cards][:2] == ["Guard", "Scout"]
    for card in cards:
        stem = card["Nickname"].lower()
        back = shown.get(f"{stem}-back", shown["back"])
        for part, url in ((shown[stem], "FaceURL"), (back, "BackURL")):
            found = cell(card, pictures, url)
            assert found.size == part.size
            assert ImageChops.difference(found, part).getbbox() is None
    assert top["Description"] == ruleset("d6-pips").credit.short
    guard = cards[0]["Description"].splitlines()
    assert guard[0] == "People"
    assert any(line.startswith("Weapon Pistol") for line in guard)


def test_one_card_is_a_card(tmp_path: Path) -> None:
    top, pictures = deck_of(tmp_path, *CARD[:4], "--name", "Guard", "--dpi", "40")
    assert (top["Name"], top["CardID"]) == ("Card", 100)
    assert (top["CustomDeck"]["1"]["NumWidth"], top["CustomDeck"]["1"]["NumHeight"]) == (1, 1)
    assert top["CustomDeck"]["1"]["UniqueBack"] is False
    assert len(pictures) == 3


def test_copies_share_a_place(tmp_path: Path) -> None:
    top, _ = deck_of(tmp_path, "cards", people(tmp_path, [], "copies: 5\n"), "--dpi", "40")
    assert top["DeckIDs"] == [100] * 5


def test_a_large_deck_has_several_sheets(tmp_path: Path) -> None:
    names = [f"Guard [{number}]" for number in range(1, 73)]
    top, pictures = deck_of(tmp_path, "cards", people(tmp_path, names), "--dpi", "40")
    assert list(top["CustomDeck"]) == ["1", "2"]
    assert len(set(top["DeckIDs"])) == 72
    assert top["ContainedObjects"][0]["Nickname"] == "Guard (1)", "brackets are markup"
    last = top["ContainedObjects"][-1]
    assert cell(last, pictures, "FaceURL").getextrema() != ((255, 255),) * 3


@pytest.mark.parametrize("count", [1, 2, 7, 15, 16, 69, 70, 71, 140, 141, 500])
def test_grids_hold_their_cards_within_a_sheet(count: int) -> None:
    for size in CARDS.values():
        grid = plan_grid(count, size, 300)
        assert grid.columns <= 10
        assert grid.rows <= 7
        assert -(-count // grid.count) == -(-count // 70), "as few sheets as possible"
        for cells, side in zip((grid.columns, grid.rows), size, strict=True):
            assert -int(-side * grid.dpi // 72) * cells <= 4096
    assert plan_grid(count, CARDS["poker"], 36).dpi == 36


def test_addresses_begin_as_asked(tmp_path: Path) -> None:
    told = run(*CARD, "--to", "tts", "--dpi", "40", "--out", tmp_path / "local")
    assert "note[SG621]" in told.err
    told = run(*CARD, "--to", "tts", "--dpi", "40", "--base-url", URL, "--out", tmp_path / "net")
    assert "SG621" not in told.err
    (path,) = (tmp_path / "net").rglob("*.json")
    entry = json.loads(path.read_text("utf-8"))["ObjectStates"][0]["CustomDeck"]["1"]
    name = entry["FaceURL"].removeprefix(f"{URL}/")
    assert (path.parent / name).is_file()
    files = [tmp_path / part for part in ("local", "net")]
    pictures = [{p.name: p.read_bytes() for p in f.rglob("*.png")} for f in files]
    assert pictures[0] == pictures[1]


def game_of(folder: Path, *words: str | Path) -> tuple[str, dict[str, bytes]]:
    """Return the name and the files of a game, without its folder's name."""
    ((name, content),) = printed(folder, *words, "--to", "cgs").items()
    assert name.endswith(".cgs.zip")
    stem = Path(name).name.removesuffix(".cgs.zip")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        files = {n.removeprefix(f"{stem}/"): archive.read(n) for n in archive.namelist()}
        assert all(n.startswith(f"{stem}/") for n in archive.namelist())
    return stem, files


def test_a_game_is_complete(tmp_path: Path) -> None:
    name, files = game_of(tmp_path, *CARD, "--dpi", "40")
    game, cards, sets = (
        json.loads(files[f"{part}.json"]) for part in ("cgs", "AllCards", "AllSets")
    )
    assert game["name"] == name
    assert game["copyright"] == ruleset("d6-pips").credit.short
    assert game["cardNameIsUnique"] is False
    assert game["autoUpdate"] == -1
    assert game["cardSize"] == {"x": 2.4803, "y": 3.4646}
    assert {one["code"] for one in sets} == {"d6-pips"}
    properties = {one["name"] for one in game["cardProperties"]}
    lines = files[f"decks/{name}.txt"].decode().splitlines()
    assert lines[0] == f"### {name}"
    pattern = re.compile(r"(\d+) \[([a-z0-9_-]+)\] (.+) \(d6-pips\)")
    listed = {match[2]: match[3] for line in lines[1:] if (match := pattern.fullmatch(line))}
    assert listed == {card["id"]: card["name"] for card in cards}
    assert len(listed) == len(lines) - 1
    for card in cards:
        assert card.keys() - {"id", "name", "set", "backs"} <= properties
        assert card["group"] == "People"
        opened(files[f"sets/{card['set']}/{card['id']}.png"])
        for back in card.get("backs", ()):
            opened(files[f"backs/{back}.png"])
    assert [card["id"] for card in cards if "backs" in card] == ["hunter"]
    opened(files["CardBack.png"])
    used = 4 + 1 + len(cards) + 1
    assert len(files) == used


def test_things_have_their_figures_as_properties(tmp_path: Path) -> None:
    words = ["cards", "hyperspace-d6", "--kind", "gear", "--name", "Combat Knife"]
    _, files = game_of(tmp_path, *words, "--dpi", "36")
    (card,) = json.loads(files["AllCards.json"])
    assert (card["kind"], card["credits"], card["damage"]) == ("Weapon", "25", "STR + 1D")


def test_a_hosted_game_names_its_addresses(tmp_path: Path) -> None:
    name, files = game_of(tmp_path, *CARD, "--dpi", "36", "--base-url", URL)
    game = json.loads(files["cgs.json"])
    assert "autoUpdate" not in game
    assert game["cardImageUrl"] == f"{URL}/sets/{{cardSet}}/{{cardId}}.{{cardImageFileType}}"
    assert game["gameStartDecks"] == [{"name": name, "url": f"{URL}/decks/{name}.txt"}]


def test_ids_are_plain_and_unique(tmp_path: Path) -> None:
    names = ["Вера", "Vera", "VÉRA", "Old: #2", "Trooper (veteran)"]
    _, files = game_of(tmp_path, "cards", people(tmp_path, names), "--dpi", "36")
    ids = [card["id"] for card in json.loads(files["AllCards.json"])]
    digest = hashlib.sha256("вера".encode()).hexdigest()[:6]  # no Latin letters: the name alone
    assert ids == [f"card-{digest}", "vera", "vera-2", "old-2", "trooper-veteran"]
