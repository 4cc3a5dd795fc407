"""The NPCs of keyword-dots: house stock, a fight that comes with it, new ones from levels."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sheetgen.data import data_folder
from sheetgen.prints.characters import Character, load_characters
from tests.cli.commands import run
from tests.shelf import folder_of

STOCK = sorted((folder_of("keyword-dots") / "npcs").glob("*.yaml"))


@cache
def stock() -> dict[str, Character]:
    """Return what comes with the ruleset, by name."""
    read = load_characters(list(STOCK), {})
    return {one.build.name: one for one in read if one.build is not None}


def test_the_stock_is_clean() -> None:
    assert len(stock()) > 10
    for one in stock().values():
        assert one.findings == ()
        assert one.build is not None


def test_levels_train_abilities_without_a_price() -> None:
    guard, master = stock()["Dock Guard"].build, stock()["Sith Blademaster"].build
    assert guard is not None
    assert master is not None
    assert [guard.ratings[i].own for i in ("blasters", "speed", "persuasion")] == [2, 2, 2]
    assert guard.derived["hits"].value == 9
    assert guard.derived["strike"].value == 3
    assert master.derived["force"].value == 67
    assert master.derived["strike"].value == 25


@pytest.mark.parametrize("level", ["Bystander", "Trooper", "Veteran", "Champion"])
def test_new_ones_check_clean(level: str, tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    words = ("--level", level, "--count", "4", "--out", path)
    assert run("new", "npc", "keyword-dots", *words).status == 0
    for one in load_characters([path], {}):
        assert one.findings == ()


def test_a_fight_comes_with_the_ruleset(tmp_path: Path) -> None:
    fight = data_folder() / "content" / "encounters" / "keyword-dots" / "lower-docks.yaml"
    assert run("encounter", fight, "--out", tmp_path, "--to", "html").status == 0
    page = next(tmp_path.glob("*.html")).read_text()
    assert "Darth Serrane" in page


def test_hits_can_be_ticked_in_a_browser(tmp_path: Path) -> None:
    """Nine Hits, and the box at their end."""
    words = ("--kind", "npc", "--name", "Dock Guard", "--to", "html", "--out", tmp_path)
    assert run("cards", "keyword-dots", *words).status == 0
    [page] = tmp_path.glob("*.html")
    assert page.read_text().count('<input type="checkbox" class="pen') == 10
